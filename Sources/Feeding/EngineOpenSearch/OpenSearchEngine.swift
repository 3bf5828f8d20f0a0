package import ContentFeeding
package import EngineHTTP
import JSONText
import TextKit

/// OpenSearch or Elasticsearch: its collections are indices and aliases.
///
/// Supports OpenSearch 1 to 3 and Elasticsearch 7 to 9, which share all requests used here, except those for points in
/// time, which are used to page searches.
package struct OpenSearchEngine: CollectionAdministration, PacedClearing, HealthReporting {
    /// The product that the address names.
    package enum Product: String, Hashable, Sendable {
        case openSearch = "opensearch"
        case elasticsearch
    }

    /// Options for using OpenSearch or Elasticsearch.
    package struct Options: Hashable, Sendable {
        /// Whether documents may be looked up and written by ID through an alias with a filter, which is then not
        /// applied.
        package var ignoresAliasFilter = false
        /// The key of a fed document that holds its ID.
        package var idKey = "id"
        /// Whether each document is stored with that key, regardless of the mapping, and even if an updated document
        /// lacks the key.
        package var keepsIDInSource = false
        /// The ingest pipeline for documents that are written; `nil` for the index's default pipeline, `_none` for
        /// none.
        package var pipeline: String?

        package init() {}
    }

    package var target: String { cluster.target }

    package var product: String? {
        let name = cluster.product == .openSearch ? "OpenSearch" : "Elasticsearch"
        return cluster.version.map { "\(name) \($0)" } ?? name
    }

    let cluster: Cluster
    let options: Options

    /// The maximum number of passes; each further pass removes documents that were changed during the previous one.
    private static let clearingPasses = 3

    /// The pause between checks for running merges.
    private static let mergePause = Duration.seconds(1)

    /// Checks that the engine responds, is the product that the address names, and accepts the credentials.
    package static func open(
        _ product: Product,
        at nodes: [NodeAddress],
        options: ConnectionOptions = ConnectionOptions(),
        use: Options = Options()
    ) async throws(EngineError) -> any CollectionAdministration {
        guard !nodes.isEmpty else {
            throw EngineError(
                .missingTarget,
                "the address does not specify a node",
                advice: "use \(product.rawValue)+https://HOST:9200"
            )
        }
        let connection = try await EngineConnection(to: nodes, options: options)
        var cluster = Cluster(product, connection, requestTimeout: options.requestTimeout)
        cluster.version = try await cluster.identify()
        cluster.bodyLimit = await cluster.announcedBodyLimit() ?? cluster.bodyLimit
        return OpenSearchEngine(cluster: cluster, options: use)
    }

    package func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        guard !options.keepsIDInSource || options.idKey != IDMember.metadataField else {
            throw EngineError(
                .unsupported,
                "no document of '\(name)' can hold its ID in '\(options.idKey)': the engine reserves that field",
                advice: "omit --id-in-source"
            )
        }
        let binding = try await cluster.bindAsSeen(name)
        let memory = OpenSearchCollection.quarantine(of: cluster)
        let failovers = await FailoverWatch(of: name, in: cluster, memory: memory)
        let routing = RoutingWatch(try await cluster.routingScope(of: name, binding))
        return OpenSearchCollection(
            collection: name,
            cluster: cluster,
            binding: binding,
            rules: try await cluster.sourceRules(of: name, key: options.idKey, binding.settings),
            options: options,
            failovers: failovers,
            origin: IndexOrigin(of: name, binding),
            routing: routing
        )
    }

    package func health(of name: CollectionName) async throws(EngineError) -> CollectionHealth {
        // Without this limit, the engine would wait half a minute for an index that was deleted in the meantime.
        let path = EnginePath("_cluster", "health", name.rawValue).with("timeout", "0s").with("filter_path", "status")
        let answer = try await cluster.ask(EngineRequest(.get, path), about: name)
        guard let health = answer["status"].text.flatMap(CollectionHealth.init) else {
            throw EngineError(.unusable, "\(target) did not report the health of '\(name)'")
        }
        return health
    }

    /// Returns the indices and aliases, except the engine's own.
    ///
    /// The engine's list also counts nested documents, so the documents are counted again, as by ``show(_:)``; only the
    /// counts of indices that the user can't search include nested documents. A user without access to the list gets the
    /// names of the readable indices.
    package func list() async throws(EngineError) -> [CollectionDescription] {
        let indices: [IndexRecord]
        do throws(EngineError) {
            indices = try await cluster.indices()
        } catch {
            guard error.code == .permission else { throw error }
            return try await cluster.readableCollections(insteadOf: error)
        }
        var records = Dictionary(indices.map { ($0.name, $0) }) { first, _ in first }
        let streams = await cluster.dataStreams(into: &records)
        await cluster.recount(&records)
        let aliases = try await cluster.aliases().merging(streams) { $1 }
            .map { alias, names in
                let behind = names.compactMap { records[$0] }
                return CollectionDescription(
                    name: CollectionName(alias),
                    documents: Self.sum(behind),
                    waiting: behind.reduce(0) { $0.saturatingAdd($1.deleted) },
                    bytes: behind.reduce(0) { $0.saturatingAdd($1.bytes ?? 0) },
                    settings: [CollectionSetting(name: "alias", value: names.sorted().joined(separator: ","))]
                )
            }
        let described = indices.map { records[$0.name] ?? $0 }.map { index in
            CollectionDescription(
                name: CollectionName(index.name),
                documents: index.documents,
                waiting: index.deleted,
                bytes: index.bytes,
                settings: index.status.map { [CollectionSetting(name: "status", value: $0)] } ?? []
            )
        }
        return (described + aliases).sorted { $0.name < $1.name }
    }

    /// Returns the total number of documents in some indices; `nil` if the number for any of them is unknown.
    private static func sum(_ records: [IndexRecord]) -> Int? {
        records.reduce(Int?(0)) { sum, record in
            guard let sum, let count = record.documents else { return nil }
            return sum.saturatingAdd(count)
        }
    }

    package func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription {
        let binding = try await cluster.bind(name)
        var settings = binding.settings
        if binding.isAlias {
            settings.insert(
                CollectionSetting(name: "alias", value: binding.indices.sorted().joined(separator: ",")),
                at: 0
            )
        }
        var description = CollectionDescription(name: name, documents: nil, waiting: 0, bytes: nil, settings: settings)
        do throws(EngineError) {
            description.documents = try await cluster.count(name)
            let sizes = try await cluster.sizes(of: name)
            (description.waiting, description.bytes) = (sizes.deleted, sizes.bytes)
        } catch {
            // A damaged or closed index can still be shown and deleted.
            guard [.unreachable, .rejected].contains(error.code) else { throw error }
            description.documents = nil
            description.flaw = error.message
        }
        return description
    }

    package func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError) {
        try name.validate(for: cluster.product)
        let body = JSONWriter.object { writer in
            writer.object("settings") { writer in
                for setting in settings { writer.member(setting.name, setting.value) }
            }
        }
        do throws(RequestFailure) {
            _ = try await cluster.ask(EngineRequest(.put, EnginePath(name.rawValue), body: body))
        } catch {
            throw refusal(error, of: name)
        }
    }

    /// Returns the error for a refusal to create a collection.
    ///
    /// `advice` is used if the engine does not accept a setting or the mappings.
    func refusal(
        _ failure: RequestFailure,
        of name: CollectionName,
        advice: String = "use the engine's own settings, such as number_of_shards=1"
    ) -> EngineError {
        guard let error = failure.errorReply else { return EngineError(failure) }
        let isThere = error.reason.contains("already exists")
        if error.type == "resource_already_exists_exception" || isThere {
            return .exists(name, at: target)
        }
        let reason = failure.shownReason ?? ""
        switch error.type {
        case "invalid_index_name_exception":
            return EngineError(.invalidName, "'\(name)' is not a valid index name: \(reason)")
        case "illegal_argument_exception", "settings_exception", "validation_exception", "mapper_parsing_exception":
            return EngineError(.rejected, "'\(name)' was not created: \(reason)", advice: advice)
        default: return EngineError(failure)
        }
    }

    /// Removes the documents that exist when the removal begins; documents added later may remain.
    package func clear(_ name: CollectionName) async throws(EngineError) -> Int { try await clear(name, pace: nil) }

    package func clear(_ name: CollectionName, documentsPerSecond: Double) async throws(EngineError) -> Int {
        try await clear(name, pace: documentsPerSecond)
    }

    private func clear(_ name: CollectionName, pace: Double?) async throws(EngineError) -> Int {
        let binding = try await cluster.bind(name)
        if let (reason, advice) = binding.obstacle(to: name, ignoringFilter: true) {
            throw EngineError(.rejected, "\(reason), so it was not emptied", advice: advice)
        }
        guard !binding.aliasFacts.isFiltered else {
            let index = binding.indices.sorted().joined(separator: ", ")
            throw EngineError(
                .rejected,
                "'\(name)' is an alias with a filter, so only a part of '\(index)' would be removed",
                advice: "specify the index"
            )
        }
        var deleted = 0
        for _ in 0..<Self.clearingPasses {
            try await cluster.refresh(name)
            // The engine divides the removal by the field `_id`, which an index that never had a document does not have:
            // with several shards, it would fail instead of removing nothing.
            if (try? await cluster.count(name)) == 0 { return deleted }
            let pass = try await deleteAll(in: name, pace)
            deleted = deleted.saturatingAdd(pass.deleted)
            guard pass.conflicts > 0 else {
                // The documents of a shard that was lost in the meantime were not removed.
                try await cluster.refresh(name)
                return deleted
            }
        }
        throw EngineError(
            .locked,
            "'\(name)' is not empty: its documents are still being changed; "
                + "\(Quantity(deleted, "was", "were")) removed",
            advice: "stop all jobs that feed it, then run the command again"
        )
    }

    /// Deletes all documents; `pace` is the maximum number of documents per second, for which the engine pauses between
    /// its pages.
    private func deleteAll(
        in name: CollectionName,
        _ pace: Double?
    ) async throws(EngineError) -> (deleted: Int, conflicts: Int) {
        let body = JSONWriter.object { writer in
            writer.object("query") { writer in writer.object("match_all") { _ in } }
        }
        var path = EnginePath(name.rawValue, "_delete_by_query").with("conflicts", "proceed").with("refresh", "true")
            .with("slices", "auto").with("wait_for_completion", "false")
            .with("allow_partial_search_results", "false")
        if let pace { path = path.with("requests_per_second", "\(pace)") }
        let answer = try await cluster.ask(EngineRequest(.post, path, body: body), about: name)
        guard let task = answer["task"].text else {
            throw EngineError(.unusable, "\(target) started to empty '\(name)' but returned no task")
        }
        let response = try await ServerTask(id: task, cluster: cluster).result(of: "emptying '\(name)'")
        guard response["timed_out"].bool != true else {
            throw EngineError(.unreachable, "'\(name)' is not empty: the engine timed out", advice: "run it again")
        }
        if let failure = response["failures"].elements.first {
            let cause = failure["cause"] != .null ? failure["cause"] : failure["reason"]
            throw EngineError(
                .rejected,
                "'\(name)' is not empty: \(cause["type"].text ?? "failure"): \(ErrorReply.reason(of: cause))"
            )
        }
        return (response["deleted"].amount ?? 0, response["version_conflicts"].amount ?? 0)
    }

    package func delete(_ name: CollectionName) async throws(EngineError) -> Int? {
        let binding = try await cluster.bind(name)
        guard !binding.isAlias else {
            let indices = binding.indices.sorted().prefix(3).joined(separator: ", ")
            let (what, advice) =
                binding.isDataStream
                ? ("a data stream", "delete it with the engine's own tools: DELETE _data_stream/\(name)")
                : ("an alias", "delete its indices: \(indices)")
            throw EngineError(.rejected, "'\(name)' is \(what), not an index, so it was not deleted", advice: advice)
        }
        var count: Int?
        do throws(EngineError) {
            count = try await cluster.liveCount(name).count
        } catch {
            guard [.unreachable, .rejected].contains(error.code) else { throw error }
        }
        _ = try await cluster.ask(EngineRequest(.delete, EnginePath(name.rawValue)), about: name)
        return count
    }

    /// Merges segments with many removed documents, and waits until the merges are done.
    ///
    /// The engine decides which segments to merge (`index.merge.policy.expunge_deletes_allowed`, 10 % by default), so
    /// some removed documents may remain.
    package func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport {
        _ = try await cluster.bind(name)
        try await cluster.refresh(name)
        // Deleted documents are retained for replicas that may need them until a flush releases them.
        try await cluster.askPrimaries(EngineRequest(.post, EnginePath(name.rawValue, "_flush")), of: name, "the flush")
        let before = try await cluster.sizes(of: name)
        progress(0, before.deleted)
        let path = EnginePath(name.rawValue, "_forcemerge").with("only_expunge_deletes", "true")
        let answer: JSONValue?
        do throws(RequestFailure) {
            answer = try await cluster.ask(EngineRequest(.post, path))
        } catch {
            // The engine continues merging even if no client is waiting for the response anymore.
            guard error.isReplyLost else { throw await cluster.error(error, about: name) }
            answer = nil
        }
        if let answer {
            try await cluster.requirePrimaries(ShardResult(answer["_shards"]), of: name, "the merge")
        } else {
            try await awaitMerges(of: name, from: before, progress)
        }
        try await cluster.refresh(name)
        let after = try await cluster.sizes(of: name)
        progress(before.deleted, before.deleted)
        return OptimizationReport(
            merged: max(0, before.deleted - after.deleted),
            bytesBefore: before.bytes ?? 0,
            bytesAfter: after.bytes ?? 0
        )
    }

    private func awaitMerges(
        of name: CollectionName,
        from before: IndexSizes,
        _ progress: @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) {
        while true {
            let now = try await cluster.sizes(of: name)
            progress(max(0, before.deleted - now.deleted), before.deleted)
            if now.merges == 0 { return }
            do {
                try await Task.sleep(for: Self.mergePause)
            } catch {
                throw EngineError(
                    .cancelled,
                    "waiting for the merge of '\(name)' was canceled; the engine continues it"
                )
            }
        }
    }
}

/// A task that runs inside the engine for longer than a request may last.
private struct ServerTask {
    let id: String
    let cluster: Cluster

    /// The first and the longest pause between checks for completion.
    private static let pauses = (first: Duration.milliseconds(50), longest: Duration.seconds(2))
    /// The number of consecutive failed checks after which waiting ends.
    private static let toleratedFailures = 30

    /// Waits for the task to end and returns its response.
    ///
    /// If the caller is canceled, the task is also canceled, but its completed work is kept.
    func result(of what: String) async throws(EngineError) -> JSONValue {
        var pause = Self.pauses.first
        var failures = 0
        while true {
            var answer = JSONValue.null
            do throws(RequestFailure) {
                answer = try await cluster.ask(EngineRequest(.get, EnginePath("_tasks", id)))
                failures = 0
            } catch {
                failures += 1
                guard error.status == nil || error.status == 503, failures < Self.toleratedFailures else {
                    throw EngineError(error)
                }
            }
            if answer["completed"].bool == true { return try outcome(of: answer, what) }
            do {
                try await Task.sleep(for: pause)
            } catch {
                // Use a separate task, because further requests in the current task would be canceled immediately.
                await Task {
                    _ = try? await cluster.reply(to: EngineRequest(.post, EnginePath("_tasks", id, "_cancel")))
                }
                .value
                throw EngineError(.cancelled, "\(what) was canceled; part of it is done")
            }
            pause = min(pause * 2, Self.pauses.longest)
        }
    }

    private func outcome(of answer: JSONValue, _ what: String) throws(EngineError) -> JSONValue {
        let error = answer["error"]
        guard error == .null else {
            throw EngineError(
                .rejected,
                "\(what) failed: \(error["type"].text ?? "error"): \(ErrorReply.reason(of: error))"
            )
        }
        return answer["response"]
    }
}

extension Int {
    /// Returns the sum, clamped to the range of `Int`, because the counts reported by an engine can't be trusted.
    fileprivate func saturatingAdd(_ other: Int) -> Int {
        let (sum, isOverflow) = addingReportingOverflow(other)
        guard isOverflow else { return sum }
        return other < 0 ? .min : .max
    }
}

/// The aliases of indices, which a single request can move from some indices to another index.
extension OpenSearchEngine: AliasAdministration {
    package func aliases() async throws(EngineError) -> [CollectionAlias] {
        try await cluster.aliases().sorted { $0.key < $1.key }.map { name, indices in
            CollectionAlias(name: CollectionName(name), collections: indices.sorted().map { CollectionName($0) })
        }
    }

    package func point(
        _ alias: CollectionName,
        to collection: CollectionName
    ) async throws(EngineError) -> [CollectionName] {
        try alias.validate(for: cluster.product)
        let binding = try await cluster.bind(collection)
        guard !binding.isAlias, binding.isSeen else {
            let indices = binding.indices.sorted().prefix(3).joined(separator: ", ")
            throw EngineError(
                .rejected,
                "'\(collection)' is not an index, so '\(alias)' can't point at it",
                advice: indices.isEmpty ? nil : "specify an index: \(indices)"
            )
        }
        let before = try await indices(of: alias)
        let body = JSONWriter.object { writer in
            writer.array("actions") { writer in
                for index in before where index != collection {
                    writer.object { $0.object("remove") { $0.alias(alias, of: index) } }
                }
                writer.object { $0.object("add") { $0.alias(alias, of: collection) } }
            }
        }
        do throws(RequestFailure) {
            _ = try await cluster.ask(EngineRequest(.post, EnginePath("_aliases"), body: body))
        } catch {
            guard error.errorReply?.type == "invalid_alias_name_exception", let reason = error.shownReason else {
                throw EngineError(error)
            }
            throw EngineError(.invalidName, "'\(alias)' can't be an alias: \(reason)")
        }
        // Another client may have moved the alias in the meantime.
        let now = try await indices(of: alias)
        guard now == [collection] else {
            let names = now.map(\.rawValue).joined(separator: ", ")
            throw EngineError(
                .collectionChanged,
                "'\(alias)' has since changed: it now points at \(names.isEmpty ? "nothing" : names)",
                advice: "run the command again"
            )
        }
        return before
    }

    /// Returns the indices of an alias; throws if the alias has properties, other than its name, that would be lost.
    private func indices(of alias: CollectionName) async throws(EngineError) -> [CollectionName] {
        let answer: JSONValue
        do throws(RequestFailure) {
            answer = try await cluster.ask(EngineRequest(.get, EnginePath("_alias", alias.rawValue)))
        } catch {
            guard error.status == 404 else { throw EngineError(error) }
            return []
        }
        for index in answer.members {
            let extras = index.value["aliases"][alias.rawValue].members.map(\.key).filter { $0 != "is_write_index" }
            guard extras.isEmpty else {
                throw EngineError(
                    .rejected,
                    "'\(alias)' has settings besides its name on '\(index.key)' (\(extras.sorted().joined(separator: ", "))), "
                        + "which would be lost",
                    advice: "change it with the engine's own tools: POST _aliases"
                )
            }
        }
        return answer.members.map { CollectionName($0.key) }.sorted()
    }
}

extension JSONWriter {
    fileprivate mutating func alias(_ alias: CollectionName, of index: CollectionName) {
        member("index", index.rawValue)
        member("alias", alias.rawValue)
    }
}

extension EngineError {
    /// Returns the error for a name that an index or alias already has.
    static func exists(_ name: CollectionName, at target: String) -> EngineError {
        EngineError(
            .collectionExists,
            "the index or alias '\(name)' already exists at \(target)",
            advice: "see its contents: fastctl collections show \(name)"
        )
    }
}
