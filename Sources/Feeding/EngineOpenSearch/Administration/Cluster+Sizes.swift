import ContentFeeding
import EngineHTTP
import JSONText

/// How much room a collection takes.
struct IndexSizes: Hashable, Sendable {
    /// Removed or replaced, and not yet merged; copies not counted.
    var deleted: Int
    /// Of all copies, in bytes.
    var bytes: Int?
    /// Merges that run.
    var merges: Int
}

extension Cluster {
    func sizes(of name: CollectionName) async throws(EngineError) -> IndexSizes {
        let path = EnginePath(name.rawValue, "_stats", "docs,store,merge")
            .with("filter_path", "_all.primaries.docs,_all.total.store,_all.total.merges")
        let all = try await ask(EngineRequest(.get, path), about: name)["_all"]
        return IndexSizes(
            deleted: all["primaries"]["docs"]["deleted"].amount ?? 0,
            bytes: all["total"]["store"]["size_in_bytes"].amount,
            merges: all["total"]["merges"]["current"].amount ?? 0
        )
    }

    /// Makes everything applied so far visible to searches.
    func refresh(_ name: CollectionName) async throws(EngineError) {
        _ = try await ask(EngineRequest(.post, EnginePath(name.rawValue, "_refresh")), about: name)
    }

    /// The live documents of a collection, those included that no search has seen yet.
    ///
    /// Who may not refresh, or where a block on the index forbids it, gets what searches see.
    func liveCount(_ name: CollectionName) async throws(EngineError) -> Int {
        do throws(EngineError) {
            try await refresh(name)
        } catch {
            guard [.permission, .rejected].contains(error.code) else { throw error }
        }
        return try await count(name)
    }
}
