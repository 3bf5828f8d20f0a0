import ContentFeeding
import EngineHTTP
import JSONText

/// Something that runs inside the engine for longer than a request may last.
struct ServerTask {
    let id: String
    let cluster: Cluster

    /// Between two questions whether it is done, at first and at most.
    private static let pauses = (first: Duration.milliseconds(50), longest: Duration.seconds(2))
    /// How often in a row the question may stay without an answer.
    private static let toleratedFailures = 30

    /// Waits for its end.
    ///
    /// When the caller is cancelled, so is the task; what it did stays done.
    func result(of what: String) async throws(EngineError) -> JSONValue {
        var pause = Self.pauses.first
        var failures = 0
        while true {
            var answer = JSONValue.null
            do throws(RequestTrouble) {
                answer = try await cluster.ask(EngineRequest(.get, EnginePath("_tasks", id)))
                failures = 0
            } catch {
                failures += 1
                guard error.status == nil || error.status == 503, failures < Self.toleratedFailures else {
                    throw EngineError(error.trouble)
                }
            }
            if answer["completed"].bool == true { return try outcome(of: answer, what) }
            do {
                try await Task.sleep(for: pause)
            } catch {
                // In a task of its own: whatever this one still asked would be cancelled with it.
                await Task {
                    _ = try? await cluster.reply(to: EngineRequest(.post, EnginePath("_tasks", id, "_cancel")))
                }
                .value
                throw EngineError(.cancelled, "\(what) was cancelled, and is done in part")
            }
            pause = min(pause * 2, Self.pauses.longest)
        }
    }

    private func outcome(of answer: JSONValue, _ what: String) throws(EngineError) -> JSONValue {
        let error = answer["error"]
        guard error == .null else {
            throw EngineError(
                .rejected,
                "\(what) failed: \(error["type"].text ?? "error"): \(error["reason"].text ?? "no reason given")"
            )
        }
        return answer["response"]
    }
}
