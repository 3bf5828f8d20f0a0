public import ContentFeeding
import EngineHTTP
import JSONText

extension OpenSearchEngine {
    /// The indices and aliases, without the engine's own.
    ///
    /// The engine's list counts documents inside other documents as well; ``show(_:)`` doesn't.
    public func list() async throws(EngineError) -> [CollectionDescription] {
        let indices = try await cluster.indices()
        let records = Dictionary(indices.map { ($0.name, $0) }) { first, _ in first }
        let aliases = try await cluster.aliases().map { alias, names in
            let behind = names.compactMap { records[$0] }
            return CollectionDescription(
                name: CollectionName(alias),
                documents: behind.reduce(0) { $0.saturatingAdd($1.documents ?? 0) },
                waiting: behind.reduce(0) { $0.saturatingAdd($1.deleted) },
                bytes: behind.reduce(0) { $0.saturatingAdd($1.bytes ?? 0) },
                settings: [CollectionSetting(name: "alias", value: names.sorted().joined(separator: ","))]
            )
        }
        let described = indices.map { index in
            CollectionDescription(
                name: CollectionName(index.name),
                documents: index.documents ?? 0,
                waiting: index.deleted,
                bytes: index.bytes,
                settings: index.documents == nil ? [CollectionSetting(name: "status", value: "close")] : []
            )
        }
        return (described + aliases).sorted { $0.name < $1.name }
    }

    public func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription {
        let binding = try await cluster.bind(name)
        let sizes = try await cluster.sizes(of: name)
        var settings = binding.settings
        if binding.isAlias {
            settings.insert(
                CollectionSetting(name: "alias", value: binding.indices.sorted().joined(separator: ",")),
                at: 0
            )
        }
        return CollectionDescription(
            name: name,
            documents: try await cluster.count(name),
            waiting: sizes.deleted,
            bytes: sizes.bytes,
            settings: settings
        )
    }

    public func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError) {
        try name.validate(for: cluster.product)
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("settings") { writer in
                for setting in settings { writer.member(setting.name, setting.value) }
            }
        }
        do throws(RequestTrouble) {
            _ = try await cluster.ask(EngineRequest(.put, EnginePath(name.rawValue), body: writer.takeBytes()))
        } catch {
            throw refusal(error, of: name)
        }
    }

    public func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        let binding = try await cluster.bind(name)
        let memory = OpenSearchCollection.quarantine(of: cluster)
        let failovers = await FailoverWatch(of: name, in: cluster, memory: memory)
        return OpenSearchCollection(collection: name, cluster: cluster, binding: binding, failovers: failovers)
    }

    private func refusal(_ trouble: RequestTrouble, of name: CollectionName) -> EngineError {
        guard let complaint = trouble.complaint else { return EngineError(trouble.trouble) }
        let isThere = complaint.reason.contains("already exists")
        if complaint.type == "resource_already_exists_exception" || isThere {
            return EngineError(
                .collectionExists,
                "there is an index or alias '\(name)' already at \(target)",
                advice: "fastctl collections show \(name)"
            )
        }
        switch complaint.type {
        case "invalid_index_name_exception":
            return EngineError(.invalidName, "'\(name)' is no name of an index: \(complaint.reason)")
        case "illegal_argument_exception", "settings_exception", "validation_exception", "mapper_parsing_exception":
            return EngineError(
                .rejected,
                "'\(name)' was not created: \(complaint.reason)",
                advice: "settings are the engine's own, such as number_of_shards=1"
            )
        default: return EngineError(trouble.trouble)
        }
    }
}
