import ContentFeeding
import EngineHTTP
import JSONText

extension OpenSearchCollection {
    /// One refresh makes everything applied so far live; one flush makes it safe where the index does not wait for that.
    func raise(to level: CompletionLevel) async throws(EngineError) {
        if level >= .secured, binding.isAsynchronous { try await askAllShards("_flush") }
        if level == .live { try await askAllShards("_refresh") }
    }

    func refresh() async throws(EngineError) { try await askAllShards("_refresh") }

    private func askAllShards(_ endpoint: String) async throws(EngineError) {
        let answer = try await cluster.ask(EngineRequest(.post, path(to: endpoint)), about: collection)
        guard let failed = answer["_shards"]["failed"].int, failed > 0 else { return }
        let reason = answer["_shards"]["failures"].elements.first?["reason"]["reason"].text
        throw EngineError(
            .unreachable,
            "\(failed) shards of '\(collection)' failed at \(endpoint): \(reason ?? "no reason given")",
            advice: "see _cluster/health/\(collection)?level=shards, and run the command again"
        )
    }
}
