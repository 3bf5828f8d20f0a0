import ContentFeeding
import EngineHTTP

/// A collection of Solr, to be fed, searched and read.
///
/// Solr answers once an operation is in its update log, which survives a crash of Solr. Whether it survives a crash of
/// the machine depends on the log's setting `syncLevel`: by default it does not. In a cluster, the leader answers for
/// the replicas that it could reach. So applied operations count as secured; only searches see them later, after a
/// commit.
struct SolrCollection: ContentEngine {
    let collection: CollectionName
    let solr: SolrInstance
    let uniqueKey: String
    let textFieldCache = TextFieldCache()

    /// The time that Solr may take to open a new view of a large collection.
    static let commitTimeout = Duration.seconds(600)

    /// Lucene's limit for a term.
    ///
    /// Removing a longer one would make the updates after it fail as well.
    private static let maximumIDBytes = 32_766

    /// The most bytes of documents to look up for one batch of several.
    var maximumLookUpBytes = 16 << 20

    /// An update of a cluster, or of what may be one, that takes at least this long is checked.
    ///
    /// When a leader dies, the node that forwards to it tries again after a pause of 500 ms, but resends only the first
    /// of the operations that were under way together, and reports success for all (SOLR-3284). The pause gives it
    /// away.
    private static let suspiciousMilliseconds = 400

    /// The guarantees that Solr can give.
    ///
    /// It keeps no document's bytes: a document comes back as its fields, and only those that the schema keeps as
    /// `stored` or in `docValues`.
    var capabilities: EngineCapabilities {
        var capabilities = EngineCapabilities()
        capabilities.reportsMissing = solr.options.checksMissing
        capabilities.quarantine = solr.requestTimeout + .seconds(30)
        capabilities.maximumBatchesInFlight = 32
        capabilities.keepsDocumentBytes = false
        capabilities.maximumBatchBytes = 5 << 20
        capabilities.maximumIDBytes = Self.maximumIDBytes
        return capabilities
    }

    var lookUp: LookUp { LookUp(solr, collection: collection, uniqueKey: uniqueKey) }

    /// Applies a batch in one request, after a look-up of documents if one is needed.
    ///
    /// Between the two, somebody else may add or remove a document: then `removed` and `missing`, `added` and `updated`
    /// report what was true a moment before. The batch's effect is the same.
    func apply(_ batch: ContentBatch) async -> BatchReply {
        var found: [DocumentID: StoredDocument] = [:]
        let lookUps = BatchPlan.lookUps(batch.items, checksMissing: solr.options.checksMissing)
        if !lookUps.isEmpty {
            do {
                // A single document is needed, however large it is.
                let limit = lookUps.count > 1 ? maximumLookUpBytes : .max
                let documents = try await lookUp.find(
                    lookUps,
                    BatchPlan.extent(batch.items),
                    maximumBytes: limit
                )
                guard let documents else { return .failed(tooMuchToLookUp) }
                found = documents
            } catch {
                return .failed(await failureOfLookUp(error))
            }
        }
        var plan = BatchPlan(
            batch.items,
            found: found,
            checksMissing: solr.options.checksMissing,
            uniqueKey: uniqueKey
        )
        if plan.places.isEmpty { return .results(plan.results) }
        let body = plan.takeBody()
        return await send(body, plan, of: batch.items, found: found)
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
            guard let answers = plan.results(after: header.errors, of: items) else {
                throw RequestFailure.unreadable(reply.http, "Solr reports errors for documents that it was not sent")
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

    /// Checks what a suspicious update has done.
    ///
    /// Solr has accepted the update, so whatever becomes of the look-up, it never means that nothing took effect.
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

    /// The failure that splits the batch, because half of it needs fewer documents.
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

    /// Returns the failure of a look-up, which only reads: whatever became of it, nothing took effect.
    private func failureOfLookUp(_ failure: RequestFailure) async -> BatchFailure {
        let batch = await batchFailure(failure)
        // Fewer documents make a smaller reply.
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

    /// Returns the failure for a 404: Solr sends one for a missing collection and, for a moment, for one being loaded.
    private func failureOfMissingPath(_ failure: RequestFailure) async -> BatchFailure {
        guard await solr.isMissing(collection) else {
            return BatchFailure(.definite(isCharged: true), BatchFailure(failure).failure)
        }
        let message = "there is no collection '\(collection)' at \(solr.target)"
        return BatchFailure(.stop(.missingCollection), DocumentFailure(.rejectedByEngine, message))
    }

    /// Makes applied operations visible with one soft commit; they have any lower level already.
    func raise(to level: CompletionLevel) async throws(EngineError) {
        guard level == .live else { return }
        do {
            try await solr.commit(collection, .soft)
        } catch {
            throw EngineError(error)
        }
    }
}

/// A look-up by the real-time get, which sees what is not committed yet.
///
/// In a cluster, it asks the leaders if it can: they know first.
struct LookUp: Sendable {
    private let client: SolrClient
    private let collection: CollectionName
    private let uniqueKey: String
    /// Whether Solr can be told to ask the leaders.
    private let asksLeaders: Bool

    fileprivate init(_ solr: SolrInstance, collection: CollectionName, uniqueKey: String) {
        (client, self.collection, self.uniqueKey) = (solr.client, collection, uniqueKey)
        asksLeaders = solr.knowsLeaders
    }

    /// The part of a document that is wanted.
    enum Extent: Hashable {
        /// The document's existence.
        case presence
        /// The same, and its version.
        case versions
        /// All fields.
        case documents
    }

    /// The most IDs of one request when whole documents come back.
    static let maximumDocuments = 100
    /// The approximate limit of one request, in bytes: by default, Solr accepts forms of up to 2 MiB.
    private static let maximumBytes = 1 << 20

    /// Finds the documents of `ids` that exist.
    func find(
        _ ids: some Collection<DocumentID>,
        _ extent: Extent
    ) async throws(RequestFailure) -> [DocumentID: StoredDocument] {
        try await find(ids, extent, maximumBytes: .max) ?? [:]
    }

    /// Finds the documents of `ids` that exist; `nil` once they exceed `maximumBytes`, without asking for the rest.
    func find(
        _ ids: some Collection<DocumentID>,
        _ extent: Extent,
        maximumBytes: Int
    ) async throws(RequestFailure) -> [DocumentID: StoredDocument]? {
        var found: [DocumentID: StoredDocument] = [:]
        var bytes = 0
        var form = FormBody()
        var count = 0
        for id in ids {
            form.append("id", utf8: id.utf8)
            count += 1
            if form.bytes.count >= Self.maximumBytes || extent == .documents && count == Self.maximumDocuments {
                bytes += try await ask(form, extent, &found)
                if bytes > maximumBytes { return nil }
                form = FormBody()
                count = 0
            }
        }
        if count > 0 { bytes += try await ask(form, extent, &found) }
        return bytes > maximumBytes ? nil : found
    }

    /// Adds the documents of one request to `found`, and returns how many bytes they have.
    private func ask(
        _ form: FormBody,
        _ extent: Extent,
        _ found: inout [DocumentID: StoredDocument]
    ) async throws(RequestFailure) -> Int {
        // Without `expandMacros=false`, an ID like `${a}` would be taken for the value of a parameter. By default, the
        // real-time get leaves out the header, which tells Solr's own refusals from a proxy's.
        var path = EnginePath(collection.rawValue, "get").with("wt", "json").with("expandMacros", "false")
            .with("omitHeader", "false").with("shards.tolerant", "false").with("fl", fields(extent))
        if asksLeaders { path = path.with("shards.preference", "replica.leader:true") }
        let reply = try await client.ask(path, form)
        do {
            let documents = try ReplyDocuments(reply.body, uniqueKey: uniqueKey, wantsJSON: extent == .documents)
            for document in documents.documents { found[document.id] = document }
            return documents.documents.reduce(0) { $0 + $1.json.count }
        } catch {
            throw RequestFailure.unreadable(reply.http, "it is not a list of documents from Solr: \(error)")
        }
    }

    private func fields(_ extent: Extent) -> String {
        switch extent {
        case .presence: uniqueKey
        case .versions: uniqueKey + ",_version_"
        case .documents: "*"
        }
    }
}
