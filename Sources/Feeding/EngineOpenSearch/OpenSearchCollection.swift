import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization

/// An index or alias that can be fed, searched and read.
///
/// If an index is deleted during a job, the engine creates it again when a document is added, unless
/// `action.auto_create_index` forbids that; a removal detects that the index is gone.
struct OpenSearchCollection: ContentEngine {
    let collection: CollectionName
    let cluster: Cluster
    let binding: IndexBinding
    let rules: SourceRules
    let options: OpenSearchEngine.Options
    let failovers: FailoverWatch
    /// The index that the collection's name refers to during the job.
    let origin: IndexOrigin
    /// The tracker of whether documents are on shards other than those that their IDs determine.
    let routing: RoutingWatch
    /// The tracker of the number of changed documents that fit on a page.
    let changePages = ChangePageSize()
    let staleCounts = StaleCounts()
    private let countedVersions = CountedVersions()

    /// The extra time for which the engine may continue to process a request that has timed out.
    private static let quarantineSlack = Duration.seconds(30)
    /// The divisor that determines the part of a body reserved for the text around IDs and documents: a bulk line has
    /// 24 bytes in addition to its ID.
    private static let frameShare = 8

    /// The number of bytes of documents after which a batch's updates read no further ones; only the last document may
    /// exceed the limit.
    static let updateBytes = 16 << 20

    var capabilities: EngineCapabilities {
        var capabilities = EngineCapabilities()
        capabilities.appliedLevel = binding.isAsynchronous ? .submitted : .secured
        capabilities.quarantine = Self.quarantine(of: cluster)
        capabilities.maximumBatchesInFlight = 32
        capabilities.maximumBatchBytes = cluster.bodyLimit - cluster.bodyLimit / Self.frameShare
        capabilities.mayChangeIDKey = true
        capabilities.maximumIDBytes = 512
        capabilities.readingLoss = rules.loss
        capabilities.takesRouting = true
        capabilities.defaultRouting = routing.scope.byDefault
        capabilities.takesExternalVersions = true
        capabilities.sortsAndCounts = true
        return capabilities
    }

    private var idMember: IDMember {
        IDMember(name: options.idKey, isRequired: options.keepsIDInSource, isRefused: rules.refusesIDKey)
    }

    func unseen(by intent: FeedIntent) -> String? {
        var facts: [String] = []
        if !binding.isSeen {
            facts = ["whether it is an alias with a filter", "whether it answers before writes are safe on disk"]
        }
        if !rules.isSeen, intent.kind == .update || intent.isBackedUp {
            facts.append("which fields it does not keep, so that a copy would be without them")
        }
        guard !facts.isEmpty else { return nil }
        return "these credentials do not show some properties of '\(collection)': \(facts.joined(separator: ", "))"
    }

    func incarnation(for intent: FeedIntent) -> String? {
        // If documents are only added to a rolling alias, none of them was ever in its older indices.
        guard binding.isSeen, binding.isSingle || intent.kind != .add else { return nil }
        let indices = binding.indices.sorted().map { index in binding.uniqueIDs[index].map { "\(index) \($0)" } }
        return indices.contains(nil) ? nil : indices.compactMap(\.self).joined(separator: ", ")
    }

    static func quarantine(of cluster: Cluster) -> Duration { cluster.requestTimeout + quarantineSlack }

    /// Sends a batch as one bulk request.
    ///
    /// A document to update is read, merged locally, and written back on condition that it has not changed since,
    /// because the engine's own partial update can neither remove a key nor replace an object. If the document has
    /// changed, the update is not carried out, and the document is read again for the next attempt.
    func apply(_ batch: ContentBatch) async -> BatchReply {
        if let refusal = origin.change ?? refusal(of: batch) { return .failed(refusal) }
        let routes: BatchRoutes
        let plan: BulkPlan?
        do throws(RequestFailure) {
            routes = try await self.routes(of: batch.items)
            plan = try await self.plan(for: batch, routes)
        } catch {
            return .failed(BatchFailure(reading: error))
        }
        guard let plan else { return .failed(Self.tooMuchToRead) }
        if let halt = plan.halt { return .failed(halt) }
        // If a document is missing, the name may refer to another index by now.
        if plan.knowsMissing, let change = await origin.changeNow(in: cluster) { return .failed(change) }
        let reply = await withoutRepeats(plan.actions.isEmpty ? plan.reply([]) : await send(plan), of: batch)
        countedVersions.note(plan.countedVersions, reply, to: batch)
        return await confirmed(reply, to: batch, routes).failingOnConditions(of: batch.items)
    }

    /// Converts operations to actions, and reads and merges the documents to update; returns `nil` if these are too
    /// large.
    private func plan(for batch: ContentBatch, _ routes: BatchRoutes) async throws(RequestFailure) -> BulkPlan? {
        let keys = Self.updated(batch.items, routes)
        let found = try await read(keys[...], upTo: Self.updateBytes)
        return found.count == keys.count ? BulkPlan(batch, routes, updating: found, idMember, countedVersions) : nil
    }

    /// Returns the reply with the conflicts of counting updates replaced by unknown results if the engine may have
    /// executed an update twice, because the conflict may then be with its own first execution.
    private func withoutRepeats(_ reply: BatchReply, of batch: ContentBatch) async -> BatchReply {
        guard case .results(var results) = reply else { return reply }
        let outdated = batch.items.indices.filter { place in
            if case .outdated = results[place] { batch.items[place].operation.isCounting } else { false }
        }
        guard !outdated.isEmpty, await failovers.mayHaveRepeated(collection, in: cluster) else { return reply }
        for place in outdated {
            if case .outdated(let failure) = results[place] { results[place] = .unknown(failure) }
        }
        return .results(results)
    }

    private static func updated(_ items: [ContentBatch.Item], _ routes: BatchRoutes) -> [DocumentKey] {
        let items = items.span
        var keys: [DocumentKey] = []
        for place in items.indices where items[place].operation.kind == .update {
            let id = items[place].operation.documentID
            switch routes.place(of: id, given: items[place].operation.routing) {
            case .at(let routing), .nowhere(let routing): keys.append(DocumentKey(id, routing: routing))
            case .several: continue
            }
        }
        return keys
    }

    private func send(_ plan: BulkPlan) async -> BatchReply {
        let body = BulkBody(plan.actions)
        guard body.bytes.count <= cluster.bodyLimit else {
            return .failed(.bodyTooLarge(body.bytes.count, limit: cluster.bodyLimit))
        }
        var request = EngineRequest(.post, placingPath(to: "_bulk"), body: body.bytes)
        request.path = request.path.with("timeout", cluster.serverTimeout).with("filter_path", BulkReply.filter)
        request.contentType = "application/x-ndjson"
        // Require an alias: if it were missing, the engine would create an index with the same name.
        if binding.isAlias, !routing.scope.isRouted, cluster.knowsRequiredAlias {
            request.path = request.path.with("require_alias", "true")
        }
        if let pipeline = options.pipeline { request.path = request.path.with("pipeline", pipeline) }
        let reply: EngineReply
        do throws(RequestFailure) {
            reply = try await cluster.reply(to: request)
        } catch {
            return .failed(BatchFailure(error))
        }
        do throws(JSONError) {
            try origin.learn { () throws(JSONError) in try BulkReply.index(in: reply.body) }
            return plan.reply(
                await settled(
                    try BulkReply.answers(
                        in: reply.body,
                        to: plan.actions,
                        from: origin.index,
                        isPlain: body.isPlain,
                        cleaned: reply.cleaned
                    )
                )
            )
        } catch {
            return .failed(BatchFailure(.unreadable(reply, "it is not a bulk reply: \(error)")))
        }
    }

    /// Replaces ``ItemAnswer/absentSinceRecently`` with `gone` if the engine may have executed a removal twice, so it
    /// is unknown whether the document existed.
    private func settled(_ answers: [ItemAnswer?]) async -> [ItemAnswer?] {
        let answers = await origin.confirmed(answers, in: cluster)
        guard answers.contains(where: { $0?.isAbsentSinceRecently ?? false }),
            await failovers.mayHaveRepeated(collection, in: cluster)
        else { return answers }
        return answers.map { $0?.isAbsentSinceRecently == true ? .result(.done(.gone)) : $0 }
    }

    /// Returns the reason why no operation of a batch can be sent to the collection.
    private func refusal(of batch: ContentBatch) -> BatchFailure? {
        let items = batch.items.span
        if batch.addsMissing || items.hasAny({ $0.kind == .add }),
            let reason = binding.obstacleToAdditions(to: collection, ignoringFilter: options.ignoresAliasFilter)
        {
            return .refusal(reason)
        }
        guard items.hasAny({ $0.kind != .add }) else { return nil }
        if let (reason, advice) = binding.obstacle(to: collection, ignoringFilter: options.ignoresAliasFilter) {
            return .refusal("\(reason); \(advice)")
        }
        guard let loss = rules.loss, items.hasAny({ $0.kind == .update }) else { return nil }
        return .refusal(
            "\(loss), so an update of a document in '\(collection)' would erase fields that are not kept; add the whole document instead"
        )
    }

    private static let tooMuchToRead = BatchFailure(
        .split(mayHaveApplied: false),
        DocumentFailure(
            .attemptsExhausted,
            "the documents to update are larger than \(updateBytes >> 20) MiB in total",
            disposition: .retryable
        )
    )

    /// Raises all applied changes to a level: a refresh makes them live, and a flush makes them durable if the index
    /// does not do so automatically.
    func raise(to level: CompletionLevel) async throws(EngineError) {
        if level >= .secured, binding.isAsynchronous {
            try await cluster.askPrimaries(EngineRequest(.post, path(to: "_flush")), of: collection, "the flush")
        }
        if level == .live { try await cluster.refresh(collection) }
    }

    func path(to endpoint: String) -> EnginePath { EnginePath(collection.rawValue, endpoint) }

    /// Returns the path of a request that writes documents to their shards, or looks them up there.
    func placingPath(to endpoint: String) -> EnginePath { EnginePath(routing.scope.placing.rawValue, endpoint) }
}

extension BulkPlan {
    /// Creates the plan from the documents to update that were found, in their order.
    fileprivate init(
        _ batch: ContentBatch,
        _ routes: BatchRoutes,
        updating found: [MultiGetReply.Entry],
        _ idMember: IDMember,
        _ counted: CountedVersions
    ) {
        self.init(count: batch.items.count)
        // A span gives access to an operation without copying it, unlike an array.
        let items = batch.items.span
        var next = found.makeIterator()
        for place in items.indices {
            let id = items[place].operation.documentID
            let routing: Routing?
            switch routes.place(of: id, given: items[place].operation.routing) {
            case .at(let found), .nowhere(let found): routing = found
            case .several(let found):
                settle(place, .failed(.ambiguous(found)))
                continue
            }
            let entry = items[place].operation.kind == .update ? next.next() ?? .absent : .absent
            let since: Revision?
            var external: Int64?
            switch items[place].operation.condition {
            case .unchanged(let version)?:
                guard let revision = Revision(version) else {
                    let form = "a version must be SEQUENCE:TERM, from _seq_no and _primary_term, not '\(version)'"
                    settle(place, .failed(.versionConflict(form)))
                    continue
                }
                since = revision
            case .olderThan(let version)?: (since, external) = (nil, version)
            case .contents?:
                settle(place, .failed(DocumentFailure(.rejectedByEngine, "this engine does not compare contents")))
                continue
            case .absent?, nil: since = nil
            }
            switch items[place].operation.kind {
            case .remove: send(.delete(id, since: since, external: external, routing: routing), for: place)
            case .add:
                let isNew = items[place].operation.condition == .absent
                add(
                    items[place].operation.document,
                    routing,
                    idMember,
                    since: since,
                    external: external,
                    isNew: isNew,
                    for: place
                )
            case .update where external != nil:
                let reason = "an update can't set an external version; add the whole document"
                settle(place, .failed(DocumentFailure(.rejectedByEngine, reason)))
            case .update:
                if case .found(let document) = entry, let since, document.revision != since {
                    settle(place, .failed(.versionConflict("the document has changed")))
                    continue
                }
                if case .found(let document) = entry, !counted.allows(items[place], at: document.revision?.version) {
                    settle(place, .failed(.perhapsCounted))
                    continue
                }
                if batch.addsMissing, case .absent = entry {
                    addMissing(items[place].operation, routing, idMember, for: place)
                } else {
                    update(entry, by: items[place].operation, idMember, for: place)
                }
            }
        }
    }

    private mutating func add(
        _ document: Document,
        _ routing: Routing?,
        _ idMember: IDMember,
        since: Revision?,
        external: Int64?,
        isNew: Bool,
        for place: Int
    ) {
        do throws(JSONError) {
            let json = try idMember.stored(document)
            let action: BulkAction =
                isNew
                ? .create(document.id, json: json, routing: routing)
                : .index(document.id, json: json, since: since, external: external, routing: routing)
            send(action, for: place)
        } catch {
            settle(place, .failed(DocumentFailure(.rejectedByEngine, "it is not a single JSON object: \(error)")))
        }
    }

    /// Adds an action that creates the missing document of an update; if another client creates it first, the update is
    /// retried.
    private mutating func addMissing(
        _ operation: ContentOperation,
        _ routing: Routing?,
        _ idMember: IDMember,
        for place: Int
    ) {
        do throws(JSONPatchError) {
            let document = try operation.addedDocument()
            add(document, routing, idMember, since: nil, external: nil, isNew: true, for: place)
        } catch {
            settle(place, .failed(DocumentFailure(.rejectedByEngine, error.description)))
        }
    }

    private mutating func update(
        _ entry: MultiGetReply.Entry,
        by patch: ContentOperation,
        _ idMember: IDMember,
        for place: Int
    ) {
        let document: RevisedDocument
        switch entry {
        case .found(let found): document = found
        case .unreadable(let document): return settle(place, .failed(document.failure))
        case .absent: return settle(place, .done(.missing))
        case .foundWithoutSource:
            return settle(place, .failed(DocumentFailure(.rejectedByEngine, MultiGetReply.withoutSource)))
        case .failed(ErrorReply.routingMissing, let reason):
            return settle(place, .failed(.routingRequired("\(ErrorReply.routingMissing): \(reason)")))
        case .failed(let type, let reason) where ErrorReply.kind(of: type, 200) == .forbidden:
            return stop(
                DocumentFailure(
                    .rejectedByEngine,
                    "updates must read documents, which these credentials do not allow: \(type): \(reason)",
                    disposition: .operatorAction
                )
            )
        case .failed(let type, let reason):
            let words = "the document could not be read: \(type): \(reason)"
            return settle(place, .unknown(DocumentFailure(.attemptsExhausted, words, disposition: .retryable)))
        }
        do {
            let changes = try idMember.changes(patch.document, to: document.json)
            guard let merged = try JSONPatch.merged(base: document.json, patch: changes) else {
                return settle(place, .done(.noop))
            }
            guard let revision = document.revision else {
                return settle(place, .failed(DocumentFailure(.rejectedByEngine, Self.withoutRevision)))
            }
            if patch.isCounting { countedVersions[patch.documentID] = revision.version }
            send(.index(patch.documentID, json: merged, since: revision, routing: document.routing), for: place)
        } catch let error as JSONPatchError {
            settle(place, .failed(DocumentFailure(.rejectedByEngine, error.description)))
        } catch {
            settle(place, .failed(DocumentFailure(.rejectedByEngine, "it is not a single JSON object: \(error)")))
        }
    }

    /// The reason why a document is not updated: a write without a condition could undo another client's latest write.
    private static let withoutRevision =
        "the engine did not report the document's revision, so a change could overwrite another one"
}

extension Span<ContentBatch.Item> {
    /// Returns whether any operation satisfies the predicate, without copying operations as an array's `contains`
    /// would.
    fileprivate func hasAny(_ isOne: (borrowing ContentOperation) -> Bool) -> Bool {
        for place in indices where isOne(self[place].operation) { return true }
        return false
    }
}

extension BatchReply {
    /// Returns the reply with the conflicts of conditional operations made final, because another attempt would have
    /// the same conflict.
    fileprivate func failingOnConditions(of items: [ContentBatch.Item]) -> BatchReply {
        guard case .results(var results) = self, items.span.hasAny({ $0.condition != nil }) else {
            return self
        }
        for (place, item) in items.enumerated() {
            guard let condition = item.operation.condition, case .outdated(let failure) = results[place] else {
                continue
            }
            // With external versions, the higher one wins, which is the intended result.
            if case .olderThan = condition {
                results[place] = .done(.stale)
            } else {
                results[place] = .failed(.conflict(with: condition, failure.message))
            }
        }
        return .results(results)
    }
}

extension BatchFailure {
    /// Creates the failure of a batch whose documents could not be read: nothing was written, so the failure is never
    /// ambiguous.
    fileprivate init(reading failure: RequestFailure) {
        self.init(failure)
        switch kind {
        case .ambiguous, .split, .tooLarge: self.init(.definite(isCharged: true), self.failure)
        default: break
        }
    }

    fileprivate static func refusal(_ message: String) -> BatchFailure {
        BatchFailure(.stop(.rejected), DocumentFailure(.rejectedByEngine, message, disposition: .operatorAction))
    }

    fileprivate static func bodyTooLarge(_ count: Int, limit: Int) -> BatchFailure {
        let message = "the request would have \(count) bytes, but the engine accepts at most \(limit)"
        return BatchFailure(.tooLarge, DocumentFailure(.documentTooLarge, message))
    }
}

/// A detector of primary shards of an index that recently moved to another node.
///
/// When a node is lost, the engine itself repeats the operations that it had sent to the node, and the replica that
/// took over may already have applied them. If the first attempt removed a document, the reply to the second then
/// reports the document as missing. The only sign in the reply is the trace that a removal leaves for a minute
/// (``ItemAnswer/absentSinceRecently``).
final class FailoverWatch: Sendable {
    private struct State {
        /// The node of each shard's primary; `nil` if we lack the permission to request it.
        var primaries: [String: String]?
        var changed: ContinuousClock.Instant?
    }

    private let state: Mutex<State>
    /// The time after a failover during which a reply may be to a repeated operation.
    private let memory: Duration

    /// Creates a detector, and records the current nodes of the primaries of `name`.
    init(of name: CollectionName, in cluster: Cluster, memory: Duration) async {
        self.memory = memory
        let primaries = try? await cluster.primaries(of: name)
        state = Mutex(State(primaries: primaries))
    }

    /// Returns whether a new reply may be to a repeated operation, judging by the current nodes of the primaries.
    ///
    /// Returns `false` if the nodes are unknown because of missing permissions.
    fileprivate func mayHaveRepeated(_ name: CollectionName, in cluster: Cluster) async -> Bool {
        guard state.withLock({ $0.primaries != nil }) else { return false }
        let found = try? await cluster.primaries(of: name)
        return state.withLock { state in
            // A shard that had no primary before has not lost one; a shard missing from the new information may be
            // losing its primary.
            let isChanged = state.primaries?.contains { shard, node in found?[shard] != node }
            if isChanged == true { state.changed = .now }
            if let found { state.primaries = found }
            return state.changed.map { .now - $0 < memory } ?? false
        }
    }
}

extension Cluster {
    /// Whether a bulk request can require an alias: in Elasticsearch since 7.10, and in all versions of OpenSearch.
    fileprivate var knowsRequiredAlias: Bool {
        guard let version else { return false }
        return product == .openSearch || version >= EngineVersion(7, 10)
    }

    /// Returns the node of each shard's primary, keyed by index and shard.
    fileprivate func primaries(of name: CollectionName) async throws(RequestFailure) -> [String: String] {
        let path = EnginePath(name.rawValue, "_stats", "docs").with("level", "shards")
            .with("filter_path", "indices.*.shards.*.routing")
        var primaries: [String: String] = [:]
        for index in try await ask(EngineRequest(.get, path))["indices"].members {
            for shard in index.value["shards"].members {
                let primary = shard.value.elements.first { $0["routing"]["primary"].bool == true }
                primaries["\(index.key)/\(shard.key)"] = primary?["routing"]["node"].text
            }
        }
        return primaries
    }
}

/// The key of a fed document that holds its ID, and whether the engine should store the key as a field.
///
/// The engine always stores the ID itself. The key is also kept as fed, with two exceptions: it is omitted if the index
/// would refuse it, and an update does not add it to a document that was fed without it.
struct IDMember: Hashable, Sendable {
    let name: String
    /// Whether each document must have the key.
    let isRequired: Bool
    /// Whether the index refuses the key.
    let isRefused: Bool

    /// The field in which the engines return a document's ID, and which they refuse in documents.
    static let metadataField = "_id"

    /// Returns the document to store in place of `document`.
    func stored(_ document: Document) throws(JSONError) -> [UInt8] {
        if isRequired { return try required(in: document.json, document.id) }
        guard isRefused, let key = try keyIfID(in: document) else { return document.json }
        return try without(key, document.json)
    }

    /// Returns the changes to make to `base` in place of `patch`.
    func changes(_ patch: Document, to base: [UInt8]) throws(JSONError) -> [UInt8] {
        guard !isRequired, let key = try keyIfID(in: patch), try Self.place(of: name, in: base) == nil else {
            return patch.json
        }
        return try without(key, patch.json)
    }

    private func without(_ key: [UInt8], _ json: [UInt8]) throws(JSONError) -> [UInt8] {
        try JSONMerge.merged(base: json, patch: key) ?? json
    }

    /// Returns a patch that removes the key if its value is the document's ID; any other value is part of the
    /// document's content.
    private func keyIfID(in document: Document) throws(JSONError) -> [UInt8]? {
        guard let place = try Self.place(of: name, in: document.json) else { return nil }
        let value = try JSONValue(Array(document.json[place]))
        let text: String? = if case .number(let number) = value { number } else { value.text }
        guard let text, text.utf8.elementsEqual(document.id.text.utf8) else { return nil }
        return JSONWriter.object { writer in writer.member(name, raw: Array("null".utf8)) }
    }

    private func required(in json: [UInt8], _ id: DocumentID) throws(JSONError) -> [UInt8] {
        guard try Self.place(of: name, in: json) == nil else { return json }
        let object = JSONWriter.object { writer in writer.member(name, id.text) }
        return try JSONMerge.merged(base: json, patch: object) ?? json
    }

    /// Returns the range of a top-level key's value; if the key occurs more than once, the last value counts.
    private static func place(of name: String, in json: [UInt8]) throws(JSONError) -> Range<Int>? {
        var scanner = JSONScanner(json.span)
        var place: Range<Int>?
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            let isOurs = scanner.isEqual(key, name)
            let value = try scanner.skipValue()
            if isOurs { place = value }
        }
        return place
    }
}
