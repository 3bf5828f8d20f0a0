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
    func apply(_ batch: ContentBatch) async -> BatchReply {
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
        let reply = await send(body, plan, of: batch.items, found: found)
        countedVersions.note(plan.countedVersions, reply, to: batch)
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
        guard let nested else { return [:] }
        let ids = batch.items.map(\.operation.documentID)
        // Search twice, so a child that the real-time get does not find is not overlooked if its root is in the batch.
        var parts = try await nested.parts(among: ids.filter { found[$0] == nil })
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

    private func send(
        _ body: [UInt8],
        _ plan: BatchPlan,
        of items: [ContentBatch.Item],
        found: [DocumentID: StoredDocument]
    ) async -> BatchReply {
        let path = EnginePath(collection.rawValue, "update").with("wt", "json").with("commit", "false")
            .with("overwrite", "true").with("failOnVersionConflicts", "true")
        let results: [OperationResult]
        do throws(RequestFailure) {
            let reply = try await solr.client.send(EngineRequest(.post, path, body: body))
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
            if error.status == 409, let reason = error.errorReply?.reason,
                let results = plan.results(afterConflict: reason, of: items, inOrder: solr.mode == .standalone)
            {
                return .results(results)
            }
            return .failed(await batchFailure(error))
        }
        return .results(await confirmed(results, plan, of: items, found: found))
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

    private func batchFailure(_ failure: RequestFailure) async -> BatchFailure {
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

/// The commands of a batch, and the result of each operation once Solr has accepted the commands.
///
/// A removal is sent even if the look-up did not find its document, because in a recovering cluster, the look-up may be
/// answered by a node that is out of date.
struct BatchPlan {
    /// The results, one for each operation of the batch, in order.
    private(set) var results: [OperationResult] = []
    /// The index in the batch of each command's operation, in order; empty if nothing needs to be sent.
    private(set) var places: [Int] = []
    /// The versions required of documents whose updates change a counter.
    private(set) var countedVersions: [DocumentID: DocumentVersion] = [:]
    private var body: UpdateBody

    /// The number of bytes around the ID of a removal: two quotes and a comma.
    private static let frameBytes = 3

    /// Creates the plan from the results of looking up ``lookUps(_:checksMissing:)``; operations on the documents in
    /// `refusals` fail and are not sent.
    init(
        _ batch: ContentBatch,
        found: [DocumentID: StoredDocument],
        refusals: [DocumentID: DocumentFailure] = [:],
        checksMissing: Bool,
        uniqueKey: String,
        counted: CountedVersions = CountedVersions()
    ) {
        // A span gives access to an operation without copying it, unlike an array.
        let items = batch.items.span
        var byteCount = 0
        for place in items.indices { byteCount += items[place].operation.byteCount + Self.frameBytes }
        body = UpdateBody(uniqueKey: uniqueKey, byteCount: byteCount)
        results.reserveCapacity(items.count)
        places.reserveCapacity(items.count)
        for place in items.indices {
            if !refusals.isEmpty, let failure = refusals[items[place].operation.documentID] {
                results.append(.failed(failure))
                continue
            }
            let condition: VersionCondition?
            do throws(DocumentRefusal) {
                condition = try items[place].operation.condition.map { wanted throws(DocumentRefusal) in
                    try VersionCondition(wanted, of: found[items[place].operation.documentID])
                }
            } catch {
                results.append(.failed(error.failure))
                continue
            }
            switch items[place].operation.kind {
            case .remove:
                send(place) { $0.remove(utf8: items[place].operation.documentID.utf8, only: condition) }
                guard checksMissing else {
                    results.append(.done(.gone))
                    continue
                }
                results.append(.done(found[items[place].operation.documentID] == nil ? .missing : .removed))
            case .add: add(items[place].operation.document, at: place, found, only: condition)
            case .update: update(items[place], at: place, found[items[place].operation.documentID], batch, counted)
            }
        }
    }

    /// Returns the body of the request; must be called only once.
    mutating func takeBody() -> [UInt8] { body.finish() }

    /// Returns the IDs to look up before the batch can be planned.
    static func lookUps(_ items: [ContentBatch.Item], checksMissing: Bool) -> [DocumentID] {
        let items = items.span
        var ids: [DocumentID] = []
        for place in items.indices {
            let isNeeded = checksMissing || items[place].operation.kind != .remove
            guard isNeeded || items[place].operation.condition != nil else { continue }
            ids.append(items[place].operation.documentID)
        }
        return ids
    }

    /// Returns the part of the documents to look up.
    static func extent(_ items: [ContentBatch.Item]) -> LookUp.Extent {
        if items.contains(where: { $0.operation.kind == .update }) { return .documents }
        return items.contains { $0.operation.kind == .add || $0.operation.condition != nil } ? .versions : .presence
    }

    private mutating func add(
        _ document: Document,
        at place: Int,
        _ found: [DocumentID: StoredDocument],
        only condition: VersionCondition?
    ) {
        let wasThere = found[document.id] != nil
        do throws(DocumentRefusal) {
            let document = try UpdateDocument(document, uniqueKey: body.uniqueKey)
            send(place) { $0.add(document, only: condition) }
            results.append(.done(wasThere ? .updated : .added))
        } catch {
            results.append(.failed(error.failure))
        }
    }

    private mutating func update(
        _ item: ContentBatch.Item,
        at place: Int,
        _ before: StoredDocument?,
        _ batch: ContentBatch,
        _ counted: CountedVersions
    ) {
        let operation = item.operation
        do throws(DocumentRefusal) {
            guard let before else {
                guard batch.addsMissing else {
                    _ = try UpdateDocument(operation, on: nil, uniqueKey: body.uniqueKey)
                    return results.append(.done(.missing))
                }
                let document = try UpdateDocument(operation, on: nil, uniqueKey: body.uniqueKey)
                send(place) { $0.add(document, only: VersionCondition(number: -1)) }
                return results.append(.done(.added))
            }
            let version = before.version.map { DocumentVersion(rawValue: String($0)) }
            guard counted.allows(item, at: version) else { return results.append(.failed(.perhapsCounted)) }
            let document = try UpdateDocument(operation, on: before, uniqueKey: body.uniqueKey)
            if operation.isCounting || JSONPatch.hasOperators(operation.json) {
                guard let version else {
                    throw DocumentRefusal(
                        .rejectedByEngine,
                        "Solr does not show the document's _version_, so a computed value could overwrite another change"
                    )
                }
                if operation.isCounting { countedVersions[operation.documentID] = version }
            }
            guard Self.changes(document, before) else { return results.append(.done(.noop)) }
            // The version 1 means that the document must exist; if Solr does not show versions, nothing more can be
            // required.
            send(place) { $0.change(document, version: before.version ?? 1) }
            results.append(.done(.updated))
        } catch {
            results.append(.failed(error.failure))
        }
    }

    private mutating func send(_ place: Int, _ command: (inout UpdateBody) -> Void) {
        places.append(place)
        command(&body)
    }

    private static func changes(_ patch: UpdateDocument, _ before: StoredDocument) -> Bool {
        var writer = JSONWriter()
        writer.object { writer in
            for field in patch.fields { writer.member(field.name, raw: field.json) }
        }
        do {
            return try JSONMerge.merged(base: before.json, patch: writer.bytes) != nil
        } catch {
            // Both are objects that were already parsed once, so this should not fail; if it does, send the operation
            // to Solr.
            return true
        }
    }
}

extension BatchPlan {
    /// Returns the results after Solr reported success but skipped some operations; `nil` if it names documents that
    /// are not in the batch.
    func results(after errors: [ReplyHeader.ItemError], of items: [ContentBatch.Item]) -> [OperationResult]? {
        guard !errors.isEmpty else { return results }
        let places = Dictionary(places.map { (items[$0].operation.documentID, $0) }) { $1 }
        var results = results
        for error in errors {
            guard let id = try? DocumentID(error.id), let place = places[id] else { return nil }
            results[place] = .failed(DocumentFailure(.rejectedByEngine, error.message))
        }
        return results
    }

    /// Returns the results after Solr refused the batch because a document had an unexpected version; `nil` if the
    /// reason names none of the batch's documents.
    ///
    /// A standalone Solr executes the commands one after another, up to the command that it refuses. In a cluster, the
    /// nodes work in parallel, so it is unknown which of the other commands were executed.
    func results(afterConflict reason: String, of items: [ContentBatch.Item], inOrder: Bool) -> [OperationResult]? {
        let conflicting = places.firstIndex { place in
            guard items[place].operation.kind == .update || items[place].operation.condition != nil else {
                return false
            }
            return places.count == 1 || Self.isConflict(reason, of: items[place].operation.documentID.text)
        }
        guard let conflicting else { return nil }
        let conflict = DocumentFailure(
            .rejectedByEngine,
            "the document was changed by another client at the same time",
            disposition: .retryable
        )
        let stopped = DocumentFailure(
            .attemptsExhausted,
            "Solr stopped at another document in the batch, which another client had changed",
            disposition: .retryable
        )
        var results = results
        for (index, place) in places.enumerated() where index != conflicting {
            if !inOrder {
                results[place] = .unknown(stopped)
            } else if index > conflicting {
                results[place] = .notNow(stopped)
            }
        }
        // A copy resolves conflicts itself; other operations are retried.
        results[places[conflicting]] =
            items[places[conflicting]].operation.condition
            .map { .failed(.conflict(with: $0, conflict.message)) } ?? .outdated(conflict)
        return results
    }

    /// Returns whether Solr's reason means that this document does not meet a command's condition.
    private static func isConflict(_ reason: String, of id: String) -> Bool {
        reason.utf8.firstRange(of: "version conflict for \(id) expected=".utf8) != nil
            || reason.utf8.reversed().starts(with: "Document not found for update.  id=\(id)".utf8.reversed())
    }

    /// Returns the results, with those that a lookup after the update does not confirm replaced by unknown ones.
    func results(
        _ results: [OperationResult],
        confirmedBy after: [DocumentID: StoredDocument],
        before: [DocumentID: StoredDocument],
        of items: [ContentBatch.Item]
    ) -> [OperationResult] {
        let lost = DocumentFailure(
            .attemptsExhausted,
            "Solr reports success, but the document is unchanged",
            disposition: .retryable
        )
        var results = results
        for place in places {
            guard case .done = results[place] else { continue }
            let id = items[place].operation.documentID
            let isDone =
                switch items[place].operation.kind {
                case .remove: after[id] == nil
                case .add, .update: Self.isNewer(after[id], than: before[id])
                }
            if !isDone { results[place] = .unknown(lost) }
        }
        return results
    }

    /// Returns the results, with those of all sent operations replaced by unknown ones, because they can't be checked.
    func results(_ results: [OperationResult], unconfirmedBecause reason: String) -> [OperationResult] {
        let unconfirmed = DocumentFailure(
            .attemptsExhausted,
            "Solr reports success after a pause in which operations may have been lost, and this can't be checked: \(reason)",
            disposition: .retryable
        )
        var results = results
        for place in places {
            if case .done = results[place] { results[place] = .unknown(unconfirmed) }
        }
        return results
    }

    /// Returns whether the document was written; if Solr shows no versions, it is sufficient that the document exists.
    private static func isNewer(_ after: StoredDocument?, than before: StoredDocument?) -> Bool {
        guard let after else { return false }
        guard let new = after.version, let old = before?.version else { return true }
        return new != old
    }
}
