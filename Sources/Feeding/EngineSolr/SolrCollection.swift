import ContentFeeding
import EngineHTTP
import JSONText
import TextKit

/// A Solr collection that can be fed, searched and read.
///
/// Solr responds once an operation is in its update log, which survives a crash of Solr. Whether the log survives a
/// crash of the machine depends on its setting `syncLevel`; by default, it does not. In a cluster, the leader responds
/// on behalf of the replicas that it could reach. Applied operations therefore count as secured, but are visible to
/// searches only after a commit.
struct SolrCollection: ContentEngine {
    let collection: CollectionName
    let solr: SolrInstance
    let uniqueKey: String
    /// The router that distributes a cluster's documents; `nil` if they are not distributed, or if the router is not
    /// visible.
    let router: CollectionRouter?
    /// The access to nested documents; `nil` if the schema allows none, or if the schema is not visible.
    let nested: NestedDocuments?
    /// Whether the schema or a search revealed whether documents can be nested.
    private let isNestingSeen: Bool
    let textFieldCache = TextFieldCache()
    let changePages = ChangePageSize()
    let staleCounts = StaleCounts()
    private let countedVersions = CountedVersions()
    let removalProofs: RemovalProofs
    private let unreturnedFields: UnreturnedFields
    let derivedFields: DerivedFields

    init(
        collection: CollectionName,
        solr: SolrInstance,
        uniqueKey: String,
        router: CollectionRouter?,
        nested: NestedDocuments.Answer
    ) {
        (self.collection, self.solr, self.uniqueKey) = (collection, solr, uniqueKey)
        self.router = router
        switch nested {
        case .possible(let documents): (self.nested, isNestingSeen) = (documents, true)
        case .impossible: (self.nested, isNestingSeen) = (nil, true)
        case .unseen: (self.nested, isNestingSeen) = (nil, false)
        }
        removalProofs = RemovalProofs(
            in: collection,
            of: solr,
            uniqueKey: uniqueKey,
            canNest: self.nested != nil
        )
        unreturnedFields = UnreturnedFields(in: collection, of: solr)
        derivedFields = DerivedFields(in: collection, of: solr, uniqueKey: uniqueKey)
    }

    /// The time limit for a commit, during which Solr may have to open a new view of a large collection.
    static let commitTimeout = Duration.seconds(600)

    /// The maximum size of an ID: Lucene's limit for a term.
    ///
    /// Removing a document with a longer ID would make subsequent updates fail as well.
    private static let maximumIDBytes = 32_766

    /// The maximum total size of the documents to look up for a batch of several operations, in bytes.
    var maximumLookUpBytes = 16 << 20

    /// The minimum duration, in milliseconds, of an update whose effect is checked, if Solr is or may be a cluster.
    ///
    /// When a leader dies, the node that forwards operations to it retries after a pause of 500 ms, but resends only
    /// the first of the operations that were in flight together, and reports success for all (SOLR-3284). The pause is
    /// a sign of this failure.
    private static let suspiciousMilliseconds = 400

    /// The guarantees that Solr can give.
    ///
    /// Solr does not keep a document's bytes, but returns those of its fields that the schema declares as `stored` or
    /// keeps in `docValues`.
    var capabilities: EngineCapabilities {
        var capabilities = EngineCapabilities()
        capabilities.reportsMissing = solr.options.checksMissing
        capabilities.quarantine = solr.requestTimeout + .seconds(30)
        capabilities.maximumBatchesInFlight = 32
        capabilities.keepsDocumentBytes = false
        capabilities.maximumBatchBytes = 5 << 20
        capabilities.mayChangeIDKey = true
        capabilities.keptKeys = ReplyDocuments.internalFields.sorted()
        capabilities.sortsAndCounts = true
        capabilities.maximumIDBytes = Self.maximumIDBytes
        return capabilities
    }

    var lookUp: LookUp { LookUp(solr, collection: collection, uniqueKey: uniqueKey) }

    /// Applies a batch in one request, after looking up documents if necessary.
    ///
    /// Between the look-up and the update, another client may add or remove a document: then the results `removed`,
    /// `missing`, `added` and `updated` are based on the earlier state. The effect of the batch is the same.
    ///
    /// Removals are sent without a look-up as soon as ``RemovalProofs`` allow it.
    func apply(_ batch: ContentBatch) async -> BatchReply {
        removalProofs.allow(batch) ? await removeExisting(batch) : await applyLookedUp(batch)
    }

    /// Applies a batch after looking up its documents if necessary.
    func applyLookedUp(_ batch: ContentBatch) async -> BatchReply {
        await apply(batch, isRest: false)
    }

    /// Applies a batch; if Solr rejects documents, the others are sent without them.
    ///
    /// The rest of a batch is sent whole; if Solr rejects a document in the rest as well, it is sent in halves. To find
    /// k of n documents therefore takes at most about k·log n requests, which together are about log n times as long as
    /// the batch.
    private func apply(_ batch: ContentBatch, isRest: Bool) async -> BatchReply {
        let found: [DocumentID: StoredDocument]
        let refusals: [DocumentID: DocumentFailure]
        do {
            if let refusal = try await self.refusal(of: batch) { return .failed(Self.stop(refusal)) }
            guard let documents = try await self.documents(for: batch) else { return .failed(tooMuchToLookUp) }
            found = documents
            refusals = try await nestedRefusals(of: batch, found)
        } catch {
            return .failed(await failureOfLookUp(error))
        }
        var plan = BatchPlan(
            batch,
            found: found,
            refusals: refusals,
            checksMissing: solr.options.checksMissing,
            uniqueKey: uniqueKey,
            counted: countedVersions
        )
        if plan.places.isEmpty { return .results(plan.results) }
        let body = plan.takeBody()
        let reply = await send(body, plan, of: batch, found: found, isRest: isRest)
        countedVersions.note(plan.countedVersions, reply, to: batch)
        await removalProofs.note(batch, found: found.count, refused: refusals.count)
        return reply
    }

    /// Looks up the required information about the batch's documents; returns `nil` if the documents are too large.
    private func documents(for batch: ContentBatch) async throws(RequestFailure) -> [DocumentID: StoredDocument]? {
        let ids = BatchPlan.lookUps(batch.items, checksMissing: solr.options.checksMissing)
        if ids.isEmpty { return [:] }
        // A single document is read even if it exceeds the limit.
        let limit = ids.count > 1 ? maximumLookUpBytes : .max
        return try await lookUp.find(ids, BatchPlan.extent(batch.items), maximumBytes: limit)
    }

    /// Returns the failures of operations that Solr would execute incorrectly because of nested documents, but report
    /// as done.
    private func nestedRefusals(
        of batch: ContentBatch,
        _ found: [DocumentID: StoredDocument]
    ) async throws(RequestFailure) -> [DocumentID: DocumentFailure] {
        guard let nested, !removalProofs.isFlat(batch) else { return [:] }
        let ids = batch.items.map(\.operation.documentID)
        // Search twice, so a child that the real-time get does not find is not overlooked if its root is in the batch.
        var parts = try await nested.parts(denied: ids.filter { found[$0] == nil }, commit: showChanges)
        parts.merge(try await nested.parts(among: ids.filter { found[$0] != nil })) { first, _ in first }
        var refusals = parts.mapValues { _ in DocumentFailure.partOfAnother }
        let updated = batch.items.compactMap { $0.operation.kind == .update ? found[$0.operation.documentID] : nil }
        guard !updated.isEmpty else { return refusals }
        let children = try await nested.children(of: updated, losesNamed: false)
        refusals.merge(children.mapValues { DocumentFailure.losesChildren($0) }) { part, _ in part }
        return refusals
    }

    /// Returns the reason to refuse a whole batch, whichever documents it contains; `nil` if it can be applied.
    private func refusal(of batch: ContentBatch) async throws(RequestFailure) -> EngineError? {
        if let routerRefusal { return routerRefusal }
        guard batch.items.contains(where: { $0.operation.kind == .update }) else { return nil }
        return try await unreturnedFields.refusal(of: .update)
    }

    /// The reason why documents' IDs don't determine their shards; `nil` if they do.
    var routerRefusal: EngineError? { router?.refusal(of: collection, uniqueKey: uniqueKey) }

    private static func stop(_ refusal: EngineError) -> BatchFailure {
        let advice = refusal.advice.map { "; \($0)" } ?? ""
        return BatchFailure(.stop(refusal.code), DocumentFailure(.rejectedByEngine, refusal.message + advice))
    }

    func unseen(by intent: FeedIntent) -> String? {
        guard !isNestingSeen else { return nil }
        return
            "these credentials cannot show whether '\(collection)' has nested documents; Solr reports the "
            + "removal of such documents, but keeps them"
    }

    func check(_ intent: FeedIntent) async throws(EngineError) {
        if let routerRefusal { throw routerRefusal }
        if intent.kind == .update { try await requireReturnedFields(for: .update) }
        if intent.isBackedUp { try await requireReturnedFields(for: .backup) }
    }

    func requireReturnedFields(for purpose: UnreturnedFields.Purpose) async throws(EngineError) {
        let refusal: EngineError?
        do {
            refusal = try await unreturnedFields.refusal(of: purpose)
        } catch {
            throw await solr.error(error, about: collection)
        }
        if let refusal { throw refusal }
    }

    /// The path of requests that change documents.
    var updatePath: EnginePath {
        EnginePath(collection.rawValue, "update").with("wt", "json").with("commit", "false")
            .with("overwrite", "true").with("failOnVersionConflicts", "true")
    }

    private func send(
        _ body: [UInt8],
        _ plan: BatchPlan,
        of batch: ContentBatch,
        found: [DocumentID: StoredDocument],
        isRest: Bool
    ) async -> BatchReply {
        let items = batch.items
        let results: [OperationResult]
        do throws(RequestFailure) {
            let reply = try await solr.client.send(EngineRequest(.post, updatePath, body: body))
            guard let header = reply.header else {
                throw RequestFailure.unreadable(reply.http, "Solr does not report the result of the update")
            }
            let errors = header.errors.map { error in
                var error = error
                error.message = reply.http.cleaned(error.message)
                return error
            }
            guard let answers = plan.results(after: errors, of: items) else {
                throw RequestFailure.unreadable(reply.http, "Solr reports errors for documents that were not sent")
            }
            guard solr.mode != .standalone, header.milliseconds >= Self.suspiciousMilliseconds else {
                return .results(answers)
            }
            results = answers
        } catch {
            if error.status == 409, let message = error.message,
                let results = plan.results(afterConflict: message, of: items, inOrder: solr.mode == .standalone)
            {
                return .results(results)
            }
            let failure = await batchFailure(error)
            guard error.status == 400, failure.kind == .split(mayHaveApplied: true), items.count > 1,
                let message = error.message
            else { return .failed(failure) }
            let bad = plan.place(rejectedBy: message, of: items)
            let results = await isolated(bad, failure.failure, plan, of: batch, found: found, isRest: isRest)
            return results.map { .results($0) } ?? .failed(failure)
        }
        return .results(await confirmed(results, plan, of: items, found: found))
    }

    /// Returns the results of a batch in which Solr rejected a document, the one of the command `bad` if it was named;
    /// `nil` if it can't be determined which commands were executed.
    ///
    /// If Solr names the document, a standalone server has executed the commands before it, and none after it.
    /// Otherwise, the real-time get shows which commands were executed. The others are sent again: without the named
    /// document, or in halves. Each of them gets the reason that Solr gives for itself.
    private func isolated(
        _ bad: Int?,
        _ failure: DocumentFailure,
        _ plan: BatchPlan,
        of batch: ContentBatch,
        found: [DocumentID: StoredDocument],
        isRest: Bool
    ) async -> [OperationResult]? {
        var results = plan.results
        if let bad { results[plan.places[bad]] = .failed(failure) }
        let rest: [Int]
        if let bad, solr.mode == .standalone {
            rest = Array(plan.places[(bad + 1)...])
        } else {
            let others = plan.places.indices.filter { $0 != bad }.map { plan.places[$0] }
            let ids = others.map { batch.items[$0].operation.documentID }
            guard let after = try? await lookUp.find(ids, .documents, maximumBytes: maximumLookUpBytes) else {
                return nil
            }
            rest = plan.unsettle(
                &results,
                at: others,
                after: after,
                before: found,
                of: batch.items,
                inOrder: solr.mode == .standalone
            )
        }
        let half = bad == nil || isRest ? (rest.count + 1) / 2 : rest.count
        for places in [rest.prefix(half), rest.dropFirst(half)] where !places.isEmpty {
            let isPutOff = rest.contains { if case .notNow = results[$0] { true } else { false } }
            let reply =
                isPutOff
                ? .failed(BatchFailure(.definite(isCharged: false), BatchPlan.besides("it was not sent again")))
                : await apply(batch.replacing(places.map { batch.items[$0] }, job: nil), isRest: true)
            for (index, place) in places.enumerated() {
                results[place] = Self.result(index, of: reply, to: places.count)
            }
        }
        return results
    }

    /// Returns the result of an operation in a part of a batch.
    static func result(_ index: Int, of reply: BatchReply, to count: Int) -> OperationResult {
        switch reply {
        case .results(let results): return results[index]
        case .failed(let failed):
            switch failed.kind {
            // Like the feeder, the engine does not divide a single operation.
            case .split where count == 1, .tooLarge where count == 1, .permanent: return .failed(failed.failure)
            case .ambiguous: return .unknown(failed.failure)
            case .split(mayHaveApplied: true):
                // The failure may be about another operation of the part.
                return .unknown(BatchPlan.besides("the effect on this one can't be looked up"), answered: true)
            case .definite, .split, .tooLarge, .slowDown, .stop: return .notNow(failed.failure)
            }
        }
    }

    /// Checks the effect of a suspicious update.
    ///
    /// Solr has accepted the update, so whatever the look-up returns, the update may have taken effect.
    private func confirmed(
        _ results: [OperationResult],
        _ plan: BatchPlan,
        of items: [ContentBatch.Item],
        found: [DocumentID: StoredDocument]
    ) async -> [OperationResult] {
        do {
            let after = try await lookUp.find(plan.places.map { items[$0].operation.documentID }, .versions)
            return plan.results(results, confirmedBy: after, before: found, of: items)
        } catch {
            return plan.results(results, unconfirmedBecause: EngineError(error).message)
        }
    }

    /// The failure that makes the feeder split the batch, because each half requires fewer documents.
    private var tooMuchToLookUp: BatchFailure {
        BatchFailure(
            .split(mayHaveApplied: false),
            DocumentFailure(
                .attemptsExhausted,
                "the documents that the batch changes are larger than \(maximumLookUpBytes) bytes in total",
                disposition: .retryable
            )
        )
    }

    /// Returns the failure of a look-up; look-ups only read, so no operation took effect.
    private func failureOfLookUp(_ failure: RequestFailure) async -> BatchFailure {
        let batch = await batchFailure(failure)
        // With fewer documents, the reply is smaller.
        if failure.isReplyTooLarge { return BatchFailure(.split(mayHaveApplied: false), batch.failure) }
        switch batch.kind {
        case .ambiguous: return BatchFailure(.definite(isCharged: true), batch.failure)
        case .split: return BatchFailure(.split(mayHaveApplied: false), batch.failure)
        case .definite, .permanent, .tooLarge, .slowDown, .stop: return batch
        }
    }

    func batchFailure(_ failure: RequestFailure) async -> BatchFailure {
        failure.status == 404 ? await failureOfMissingPath(failure) : BatchFailure(failure)
    }

    /// Returns the failure for a 404, which Solr returns for a missing collection and, briefly, for a collection that
    /// is being loaded.
    private func failureOfMissingPath(_ failure: RequestFailure) async -> BatchFailure {
        guard await solr.isMissing(collection) else {
            return BatchFailure(.definite(isCharged: true), BatchFailure(failure).failure)
        }
        let message = "there is no collection '\(collection)' at \(solr.target)"
        return BatchFailure(.stop(.missingCollection), DocumentFailure(.rejectedByEngine, message))
    }

    /// Makes applied operations visible with one soft commit; applied operations have already reached all lower levels.
    func raise(to level: CompletionLevel) async throws(EngineError) {
        guard level == .live else { return }
        do {
            try await solr.commit(collection, .soft)
        } catch {
            throw EngineError(error)
        }
    }
}
