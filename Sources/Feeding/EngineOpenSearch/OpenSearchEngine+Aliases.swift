public import ContentFeeding
import EngineHTTP
import JSONText

/// Aliases of indices, which one request takes from some indices and gives to another.
extension OpenSearchEngine: AliasAdministration {
    public func aliases() async throws(EngineError) -> [CollectionAlias] {
        try await cluster.aliases().sorted { $0.key < $1.key }.map { name, indices in
            CollectionAlias(name: CollectionName(name), collections: indices.sorted().map { CollectionName($0) })
        }
    }

    public func point(
        _ alias: CollectionName,
        to collection: CollectionName
    ) async throws(EngineError) -> [CollectionName] {
        try alias.validate(for: cluster.product)
        let binding = try await cluster.bind(collection)
        guard !binding.isAlias, binding.isSeen else {
            let indices = binding.indices.sorted().prefix(3).joined(separator: ", ")
            throw EngineError(
                .rejected,
                "'\(collection)' is not an index, so '\(alias)' can't stand for it",
                advice: indices.isEmpty ? nil : "name an index: \(indices)"
            )
        }
        let before = try await indices(of: alias)
        var writer = JSONWriter()
        writer.object { writer in
            writer.array("actions") { writer in
                for index in before where index != collection {
                    writer.object { $0.object("remove") { $0.alias(alias, of: index) } }
                }
                writer.object { $0.object("add") { $0.alias(alias, of: collection) } }
            }
        }
        do throws(RequestFailure) {
            _ = try await cluster.ask(EngineRequest(.post, EnginePath("_aliases"), body: writer.takeBytes()))
        } catch {
            guard error.errorReply?.type == "invalid_alias_name_exception", let reason = error.shownReason else {
                throw EngineError(error)
            }
            throw EngineError(.invalidName, "'\(alias)' can't be an alias: \(reason)")
        }
        // Somebody else may have given it away in between.
        let now = try await indices(of: alias)
        guard now == [collection] else {
            let names = now.map(\.rawValue).joined(separator: ", ")
            throw EngineError(
                .collectionChanged,
                "somebody else changed '\(alias)' meanwhile: it stands for \(names.isEmpty ? "nothing" : names)",
                advice: "run the command again"
            )
        }
        return before
    }

    /// Returns the indices of an alias; throws if one has more of it than its name, which would be lost.
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
                    "'\(alias)' has more than its name for '\(index.key)' (\(extras.sorted().joined(separator: ", "))), "
                        + "which it would lose",
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
