import ContentFeeding
import EngineHTTP
import JSONText

/// The shards that took part in an answer, as its member `_shards` counts them.
///
/// A shard without a live copy is in no list of failures: only `successful` tells that its documents are not in the
/// answer. An answer without some shards is none.
struct ShardResult: Hashable, Sendable {
    let total: Int
    let successful: Int
    let failed: Int
    /// The engine's reason for the first failure.
    let reason: String?

    /// Reads `_shards`; `nil` if it is not there, so that nobody can know who answered.
    init?(_ value: JSONValue) {
        guard let total = value["total"].int, let successful = value["successful"].int else { return nil }
        (self.total, self.successful) = (total, successful)
        failed = value["failed"].int ?? 0
        let reason = value["failures"].elements.first?["reason"]
        self.reason = reason?["reason"].text ?? reason?.text
    }

    /// Whether all shards answered.
    var isWhole: Bool { failed == 0 && successful >= total }

    /// The shards that did not answer.
    fileprivate var absent: Int { max(failed, total - successful) }
}

extension Cluster {
    /// Throws unless each shard answered with one of its copies, as for a search or a count.
    ///
    /// `action` follows `did not answer`: `the count`.
    func requireAll(_ shards: ShardResult?, of name: CollectionName, _ action: String) async throws(EngineError) {
        guard shards?.isWhole != true else { return }
        throw await partial(shards, shardsWithoutPrimary(of: name), of: name, action)
    }

    /// Throws unless each shard's primary answered, as for a refresh or statistics, which go to all copies.
    ///
    /// A copy that has no node yet, as in every index with copies on a cluster of one node, is counted as absent all
    /// the same: then the health of the shards decides.
    func requirePrimaries(
        _ shards: ShardResult?,
        of name: CollectionName,
        _ action: String
    ) async throws(EngineError) {
        guard shards?.isWhole != true else { return }
        let absent = await shardsWithoutPrimary(of: name)
        if let shards, shards.failed == 0 {
            if let absent {
                if absent.isEmpty { return }
            } else if try await counts(name).shards?.isWhole == true {
                // Who may not ask for the health can still see that each shard is counted.
                return
            }
        }
        throw await partial(shards, absent, of: name, action)
    }

    /// Sends a request that goes to all copies of a collection's shards.
    ///
    /// The health is asked for first: the engine itself would wait for a minute for a shard that has no primary.
    func askPrimaries(_ request: EngineRequest, of name: CollectionName, _ action: String) async throws(EngineError) {
        if let absent = await shardsWithoutPrimary(of: name), !absent.isEmpty {
            throw EngineError(
                .unreachable,
                "\(action) can't reach all shards of '\(name)': \(Self.absence(of: absent))",
                advice: Self.advice(name)
            )
        }
        let answer = try await ask(request, about: name)
        try await requirePrimaries(ShardResult(answer["_shards"]), of: name, action)
    }

    /// Makes everything applied so far visible to searches.
    func refresh(_ name: CollectionName) async throws(EngineError) {
        try await askPrimaries(EngineRequest(.post, EnginePath(name.rawValue, "_refresh")), of: name, "the refresh")
    }

    /// Counts the documents of a collection that searches see, without nested ones.
    func count(_ name: CollectionName) async throws(EngineError) -> Int {
        let answer = try await counts(name)
        guard let count = answer.count, count >= 0 else {
            throw EngineError(.unusable, "\(target) answered the count of '\(name)' without a number")
        }
        try await requireAll(answer.shards, of: name, "the count")
        return count
    }

    private func counts(_ name: CollectionName) async throws(EngineError) -> (count: Int?, shards: ShardResult?) {
        let answer = try await ask(EngineRequest(.get, EnginePath(name.rawValue, "_count")), about: name)
        return (answer["count"].int, ShardResult(answer["_shards"]))
    }

    private func partial(
        _ shards: ShardResult?,
        _ absent: [String]?,
        of name: CollectionName,
        _ action: String
    ) async -> EngineError {
        guard let shards else {
            return EngineError(
                .unusable,
                "\(target) does not say which shards of '\(name)' answered \(action)",
                advice: "is there a proxy that changes its answers?"
            )
        }
        var words = "\(shards.absent) of \(shards.total) shards of '\(name)' did not answer \(action)"
        if let absent, !absent.isEmpty {
            words += ": \(Self.absence(of: absent))"
        } else if let reason = shards.reason {
            words += ": \(await cleaned(reason))"
        }
        return EngineError(.unreachable, words, advice: Self.advice(name))
    }

    private static func absence(of shards: [String]) -> String {
        let some = shards.prefix(3).joined(separator: ", ") + (shards.count > 3 ? ", …" : "")
        return "\(some) \(shards.count == 1 ? "has" : "have") no live copy"
    }

    private static func advice(_ name: CollectionName) -> String {
        "see _cluster/health/\(name)?level=shards, bring its nodes back, and run the command again"
    }

    /// Returns the shards that have no active primary, as `web[1]`; `nil` if we may not ask.
    private func shardsWithoutPrimary(of name: CollectionName) async -> [String]? {
        let path = EnginePath("_cluster", "health", name.rawValue).with("level", "shards")
            .with("filter_path", "status,indices.*.shards.*.primary_active")
        guard let answer = try? await ask(EngineRequest(.get, path)), answer["status"] != .null else { return nil }
        return answer["indices"].members.flatMap { index in
            index.value["shards"].members.filter { $0.value["primary_active"].bool != true }
                .map { "\(index.key)[\($0.key)]" }
        }
        .sorted()
    }
}
