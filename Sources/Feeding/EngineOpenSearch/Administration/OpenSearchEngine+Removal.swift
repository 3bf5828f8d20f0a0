public import ContentFeeding
import EngineHTTP
import JSONText

extension OpenSearchEngine {
    /// How often documents are looked for that someone changed while they were removed.
    private static let clearingPasses = 3

    /// Removes what is there when it begins; what others add meanwhile may stay.
    public func clear(_ name: CollectionName) async throws(EngineError) -> Int {
        let binding = try await cluster.bind(name)
        guard binding.isSingle else {
            let indices = binding.indices.sorted().prefix(3).joined(separator: ", ")
            throw EngineError(
                .rejected,
                "'\(name)' is an alias of \(binding.indices.count) indices, so it is not emptied",
                advice: "empty what is behind it: \(indices)"
            )
        }
        var deleted = 0
        for _ in 0..<Self.clearingPasses {
            try await cluster.refresh(name)
            let pass = try await deleteAll(in: name)
            deleted = deleted.saturatingAdd(pass.deleted)
            guard pass.conflicts > 0 else { return deleted }
        }
        throw EngineError(
            .locked,
            "'\(name)' is not empty: someone goes on changing its documents, and \(deleted) were removed",
            advice: "stop those who feed it, then run the command again"
        )
    }

    public func delete(_ name: CollectionName) async throws(EngineError) -> Int {
        let binding = try await cluster.bind(name)
        guard !binding.isAlias else {
            let indices = binding.indices.sorted().prefix(3).joined(separator: ", ")
            throw EngineError(
                .rejected,
                "'\(name)' is an alias and not an index, so it is not deleted",
                advice: "delete what is behind it: \(indices)"
            )
        }
        let count = try await cluster.liveCount(name)
        _ = try await cluster.ask(EngineRequest(.delete, EnginePath(name.rawValue)), about: name)
        return count
    }

    private func deleteAll(in name: CollectionName) async throws(EngineError) -> (deleted: Int, conflicts: Int) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("query") { writer in writer.object("match_all") { _ in } }
        }
        let path = EnginePath(name.rawValue, "_delete_by_query").with("conflicts", "proceed").with("refresh", "true")
            .with("slices", "auto").with("wait_for_completion", "false")
        let answer = try await cluster.ask(EngineRequest(.post, path, body: writer.takeBytes()), about: name)
        guard let task = answer["task"].text else {
            throw EngineError(.unusable, "\(target) began to empty '\(name)' and named no task")
        }
        let response = try await ServerTask(id: task, cluster: cluster).result(of: "emptying '\(name)'")
        if let failure = response["failures"].elements.first {
            let cause = failure["cause"] != .null ? failure["cause"] : failure["reason"]
            throw EngineError(
                .rejected,
                "'\(name)' is not empty: \(cause["type"].text ?? "failure"): \(cause["reason"].text ?? "no reason given")"
            )
        }
        return (response["deleted"].amount ?? 0, response["version_conflicts"].amount ?? 0)
    }
}
