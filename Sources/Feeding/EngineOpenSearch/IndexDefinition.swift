package import ContentFeeding
import EngineHTTP
import JSONText
import TextKit

/// The definitions of indices, which the engine returns and accepts as one object.
extension OpenSearchEngine: DefinitionAdministration {
    package var definedEngine: CollectionDefinition.Engine {
        switch cluster.product {
        case .openSearch: .openSearch
        case .elasticsearch: .elasticsearch
        }
    }

    package func definition(of name: CollectionName) async throws(EngineError) -> CollectionDefinition {
        try name.validate(for: cluster.product)
        let path = EnginePath(name.rawValue).with("flat_settings", "true")
        let answer: JSONValue
        do {
            answer = try await cluster.ask(EngineRequest(.get, path), about: name)
        } catch {
            throw error.needing(cluster.product == .openSearch ? "indices:admin/get" : "view_index_metadata")
        }
        guard let index = answer.members.first else { throw await cluster.missing(name) }
        guard answer.members.count == 1 else {
            let indices = answer.members.map(\.key).sorted()
            throw EngineError(
                .rejected,
                "'\(name)' refers to \(indices.count) indices, each with its own definition",
                advice: "specify one of them: \(indices.prefix(3).joined(separator: ", "))"
            )
        }
        guard index.value["data_stream"] == .null else {
            throw EngineError(
                .unsupported,
                "'\(name)' belongs to a data stream, which is defined by its index template",
                advice: "see it with the engine's own tools: GET _index_template"
            )
        }
        return try definition(
            of: CollectionName(index.key),
            version: cluster.version?.description,
            settings: index.value["settings"],
            mappings: index.value["mappings"],
            aliases: index.value["aliases"]
        )
    }

    package func obstacles(
        toSettingsOf definition: CollectionDefinition
    ) async throws(EngineError) -> [String: String] {
        var obstacles: [String: String] = [:]
        for (setting, pipeline) in definition.pipelines {
            do throws(RequestFailure) {
                let answer = try await cluster.ask(EngineRequest(.get, EnginePath("_ingest", "pipeline", pipeline)))
                if answer[pipeline] != .null { continue }
            } catch {
                guard error.status == 404 else {
                    let reason = EngineError(error)
                    guard reason.code == .permission else { throw reason }
                    obstacles[setting] = "these credentials can't see whether there is an ingest pipeline '\(pipeline)'"
                    continue
                }
            }
            obstacles[setting] = "there is no ingest pipeline '\(pipeline)'"
        }
        return obstacles
    }

    package func create(
        _ name: CollectionName,
        from definition: CollectionDefinition,
        moving: AliasMoves
    ) async throws(EngineError) -> DefinedCollection {
        try name.validate(for: cluster.product)
        try require(definition, toFit: name)
        var taken: [CollectionName: [CollectionName]] = [:]
        for alias in definition.aliasNames {
            let indices = try await holders(of: alias)
            if !indices.isEmpty { taken[alias] = indices }
        }
        if let refusal = moving.refusal(of: name, taking: taken) {
            // The engine itself reports an existing collection, but only when it is asked to create it.
            let found = try? await holders(of: name, in: EnginePath(name.rawValue, "_alias"))
            throw found?.isEmpty == false ? .exists(name, at: target) : refusal
        }
        try await send(name, definition.removingAliases { taken[$0] != nil })
        try await move(taken, to: name, definition)
        // Another client may have started to use an alias in the meantime.
        for alias in definition.aliasNames {
            let indices = try await holders(of: alias)
            guard indices == [name] else {
                throw EngineError(
                    .collectionChanged,
                    "'\(name)' was created, but the alias '\(alias)' has since changed: it points at "
                        + (indices.isEmpty ? "nothing" : indices.listed),
                    advice: "see it with: fastctl collections alias list"
                )
            }
        }
        let moved = taken.map { CollectionAlias(name: $0.key, collections: $0.value) }.sorted { $0.name < $1.name }
        return DefinedCollection(isNew: true, moved: moved)
    }

    private func send(_ name: CollectionName, _ definition: CollectionDefinition) async throws(EngineError) {
        let body = JSONWriter.object { writer in
            for part in CollectionDefinition.Part.allCases { writer.member(part.rawValue, definition[part]) }
        }
        do throws(RequestFailure) {
            _ = try await cluster.ask(EngineRequest(.put, EnginePath(name.rawValue), body: body))
        } catch {
            guard !error.isReplyLost else {
                let reason = EngineError(error)
                throw EngineError(
                    reason.code,
                    "'\(name)' may have been created: \(reason.message)",
                    advice: "see whether it was, with: fastctl collections show \(name)",
                    cause: reason
                )
            }
            throw refusal(error, of: name, advice: "change the definition accordingly")
                .needing(cluster.product == .openSearch ? "indices:admin/create" : "create_index")
        }
    }

    /// Moves aliases with their properties from other indices to the new one, in one atomic request.
    private func move(
        _ taken: [CollectionName: [CollectionName]],
        to name: CollectionName,
        _ definition: CollectionDefinition
    ) async throws(EngineError) {
        guard !taken.isEmpty else { return }
        let body = JSONWriter.object { writer in
            writer.array("actions") { writer in
                for (alias, indices) in taken.sorted(by: { $0.key < $1.key }) {
                    for index in indices {
                        writer.object { writer in
                            writer.object("remove") { writer in
                                writer.member("index", index.rawValue)
                                writer.member("alias", alias.rawValue)
                            }
                        }
                    }
                    writer.object { writer in
                        writer.object("add") { writer in
                            writer.member("index", name.rawValue)
                            writer.member("alias", alias.rawValue)
                            for fact in definition[.aliases][alias.rawValue].members {
                                writer.member(fact.key, fact.value)
                            }
                        }
                    }
                }
            }
        }
        do throws(RequestFailure) {
            _ = try await cluster.ask(EngineRequest(.post, EnginePath("_aliases"), body: body))
        } catch {
            let reason = EngineError(error)
            let aliases = taken.keys.sorted()
            throw EngineError(
                reason.code,
                "'\(name)' was created, but not the aliases that were to be moved to it (\(aliases.listed)): "
                    + reason.message,
                advice: "move them with 'fastctl collections alias swap ALIAS \(name)', or delete '\(name)' and "
                    + "import it again",
                cause: reason
            )
        }
    }

    /// Returns the indices that an alias points to; empty if the alias does not exist.
    private func holders(of alias: CollectionName) async throws(EngineError) -> [CollectionName] {
        try alias.validateAsAlias()
        return try await holders(of: alias, in: EnginePath("_alias", alias.rawValue))
    }

    private func holders(of name: CollectionName, in path: EnginePath) async throws(EngineError) -> [CollectionName] {
        do throws(RequestFailure) {
            let answer = try await cluster.ask(EngineRequest(.get, path))
            return answer.members.map { CollectionName($0.key) }.sorted()
        } catch {
            guard error.status == 404 else { throw EngineError(error) }
            return []
        }
    }
}

extension [CollectionName] {
    fileprivate var listed: String {
        prefix(3).map { "'\($0)'" }.joined(separator: ", ") + (count > 3 ? ", …" : "")
    }
}
