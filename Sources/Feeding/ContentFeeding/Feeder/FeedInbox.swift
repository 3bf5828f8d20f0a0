import Synchronization

/// Where events wait for the loop that handles them.
///
/// Unlike `AsyncStream` it goes on delivering when the waiting task is cancelled: what comes back from the engine then
/// must still be accounted for. The lock is held for an append or a removal, never across a wait.
final class FeedInbox: Sendable {
    private struct State {
        var events: [FeederCore.Event] = []
        var head = 0
        var waiting: CheckedContinuation<FeederCore.Event, Never>?

        mutating func take() -> FeederCore.Event? {
            guard head < events.count else { return nil }
            defer {
                head += 1
                if head == events.count {
                    events.removeAll(keepingCapacity: true)
                    head = 0
                }
            }
            return events[head]
        }
    }

    private let state = Mutex(State())

    /// Puts an event behind those that wait.
    func post(_ event: FeederCore.Event) {
        let waiting = state.withLock { state -> CheckedContinuation<FeederCore.Event, Never>? in
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting
            }
            state.events.append(event)
            return nil
        }
        waiting?.resume(returning: event)
    }

    /// The next event; there is one reader.
    func next(isolation: isolated (any Actor)? = #isolation) async -> FeederCore.Event {
        if let event = takeWaiting() { return event }
        return await withCheckedContinuation(isolation: isolation) { continuation in
            let event = state.withLock { state -> FeederCore.Event? in
                if let event = state.take() { return event }
                state.waiting = continuation
                return nil
            }
            if let event { continuation.resume(returning: event) }
        }
    }

    /// The next event, if there is one already.
    func takeWaiting() -> FeederCore.Event? { state.withLock { $0.take() } }
}
