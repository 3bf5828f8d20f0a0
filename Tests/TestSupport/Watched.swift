import Synchronization

/// A value that any thread can change, and that tests can wait on without polling.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var waitersEver = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value, and wakes the waiters whose condition it now meets.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, met) = state.withLock { state in
            let result = body(&state.value)
            let met = state.waiters.filter { $0.value.isMet(state.value) }
            for number in met.keys { state.waiters[number] = nil }
            return (result, met.values.map(\.continuation))
        }
        for continuation in met { continuation.resume() }
        return result
    }

    /// Returns as soon as the value meets a condition; throws if the task is canceled first.
    func wait(until isMet: @escaping @Sendable (Value) -> Bool) async throws {
        let number = state.withLock { state in
            state.waitersEver += 1
            return state.waitersEver
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if isMet(state.value) || Task.isCancelled { return true }
                    state.waiters[number] = Waiter(isMet: isMet, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
        try Task.checkCancellation()
    }

    /// Returns as soon as the value meets a condition; returns false if that takes longer than `limit`.
    func wait(within limit: Duration, until isMet: @escaping @Sendable (Value) -> Bool) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.wait(until: isMet)
                return true
            }
            group.addTask {
                try await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }
}
