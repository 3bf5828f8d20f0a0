import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization

/// Knows whether an index's primary shards were somewhere else a short while ago.
///
/// When a node is lost, the engine itself repeats what it had sent there, and the copy that took over may have the
/// effect already: the second answer says that a document is missing which the first one removed. Nothing in the
/// answer tells, but for the trace that a removal leaves for a minute (``ItemAnswer/absentSinceRecently``).
final class FailoverWatch: Sendable {
    private struct State {
        /// The node of each shard's primary; `nil` where we may not ask.
        var primaries: [String: String]?
        var changed: ContinuousClock.Instant?
    }

    private let state: Mutex<State>
    /// How long an answer may be one to a repetition.
    private let memory: Duration

    /// Remembers where the primaries of `name` are now.
    init(of name: CollectionName, in cluster: Cluster, memory: Duration) async {
        self.memory = memory
        let primaries = try? await cluster.primaries(of: name)
        state = Mutex(State(primaries: primaries))
    }

    /// Looks where the primaries are now: whether an answer that has just come may be one to a repetition.
    ///
    /// `false` where that can't be known, because we may not ask for it.
    func mayHaveRepeated(_ name: CollectionName, in cluster: Cluster) async -> Bool {
        guard state.withLock({ $0.primaries != nil }) else { return false }
        let found = try? await cluster.primaries(of: name)
        return state.withLock { state in
            // A shard that had no primary before is no shard that lost it; who gives no answer now may be about to.
            let isChanged = state.primaries?.contains { shard, node in found?[shard] != node }
            if isChanged == true { state.changed = .now }
            if let found { state.primaries = found }
            return state.changed.map { .now - $0 < memory } ?? false
        }
    }
}

extension Cluster {
    /// The node of each shard's primary, by index and shard.
    fileprivate func primaries(of name: CollectionName) async throws(RequestTrouble) -> [String: String] {
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
