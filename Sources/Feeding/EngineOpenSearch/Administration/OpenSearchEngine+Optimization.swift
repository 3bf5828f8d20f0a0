public import ContentFeeding
import EngineHTTP

extension OpenSearchEngine {
    /// Between two questions whether merging goes on.
    private static let mergePause = Duration.seconds(1)

    /// Merges segments with many removed documents, and waits for that.
    ///
    /// Which those are is the engine's decision (`index.merge.policy.expunge_deletes_allowed`, 10 % unless someone
    /// changed it), so some may wait on.
    public func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport {
        _ = try await cluster.bind(name)
        try await cluster.refresh(name)
        // What is not on disk yet is kept for copies that may need it: only a flush lets it go.
        _ = try await cluster.ask(EngineRequest(.post, EnginePath(name.rawValue, "_flush")), about: name)
        let before = try await cluster.sizes(of: name)
        progress(0, before.deleted)
        let path = EnginePath(name.rawValue, "_forcemerge").with("only_expunge_deletes", "true")
        do throws(RequestTrouble) {
            _ = try await cluster.ask(EngineRequest(.post, path))
        } catch {
            // The engine goes on when nobody waits for the answer any more.
            guard error.isReplyLost else { throw await cluster.error(error, about: name) }
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
                throw EngineError(.cancelled, "waiting for the merge of '\(name)' was cancelled; the engine goes on")
            }
        }
    }
}
