import ContentFeeding
import EngineHTTP
import JSONText
import Spelling

/// A line of the engine's own list of indices.
struct IndexRecord: Hashable, Sendable {
    var name: String
    /// Documents that searches see, those inside other documents included; `nil` for a closed index.
    var documents: Int?
    /// Removed or replaced, and not yet merged.
    var deleted: Int
    /// With its copies, in bytes.
    var bytes: Int?
}

extension Cluster {
    /// The open and closed indices; without those whose names begin with a dot, which are the engine's own.
    func indices() async throws(EngineError) -> [IndexRecord] {
        let path = EnginePath("_cat", "indices").with("format", "json").with("bytes", "b")
            .with("h", "index,docs.count,docs.deleted,store.size").with("s", "index")
        do throws(RequestTrouble) {
            return try await ask(EngineRequest(.get, path)).elements.compactMap { line in
                guard let name = line["index"].text, !name.hasPrefix(".") else { return nil }
                return IndexRecord(
                    name: name,
                    documents: line["docs.count"].amount,
                    deleted: line["docs.deleted"].amount ?? 0,
                    bytes: line["store.size"].amount
                )
            }
        } catch {
            throw EngineError(error.trouble)
        }
    }

    /// The names of aliases, each with its indices.
    func aliases() async throws(EngineError) -> [String: [String]] {
        let path = EnginePath("_cat", "aliases").with("format", "json").with("h", "alias,index")
        do throws(RequestTrouble) {
            var aliases: [String: [String]] = [:]
            for line in try await ask(EngineRequest(.get, path)).elements {
                guard let alias = line["alias"].text, let index = line["index"].text, !alias.hasPrefix(".") else {
                    continue
                }
                aliases[alias, default: []].append(index)
            }
            return aliases
        } catch {
            throw EngineError(error.trouble)
        }
    }

    /// There is no such collection; with the nearest that there is, as far as we may know.
    func missing(_ name: CollectionName) async -> EngineError {
        var names: [String] = []
        if let indices = try? await indices() { names += indices.map(\.name) }
        if let aliases = try? await aliases() { names += aliases.keys }
        let nearest = name.rawValue.nearest(in: names)
        return EngineError(
            .missingCollection,
            "there is no index or alias '\(name)' at \(target)",
            advice: nearest.map { "did you mean '\($0)'?" } ?? "fastctl collections create \(name)"
        )
    }
}
