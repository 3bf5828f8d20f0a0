import ContentFeeding

/// A limit to how long it may take to find out whether a target and its collection are there.
enum CheckingDeadline {
    /// Does `body`, and gives up when it takes longer than `limit`.
    static func within<Value: Sendable>(
        _ limit: Duration,
        of address: TargetAddress,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws(EngineError) -> Value {
        do {
            return try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
                defer { group.cancelAll() }
                guard let first = try await group.next(), let value = first else { throw late(address, limit) }
                return value
            }
        } catch let error as EngineError {
            throw error
        } catch {
            throw EngineError(.cancelled, "\(address): cancelled before it answered", cause: error)
        }
    }

    private static func late(_ address: TargetAddress, _ limit: Duration) -> EngineError {
        EngineError(
            .unreachable,
            "\(address) did not answer within \(limit.components.seconds) s",
            advice: "check the address and the way there; nothing was sent"
        )
    }
}
