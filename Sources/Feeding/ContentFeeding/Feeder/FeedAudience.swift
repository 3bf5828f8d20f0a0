import Synchronization

/// The reports of a feeder as it goes on; an iteration that is slower than the feed gets the newest, and misses none but
/// older ones.
///
/// It ends with the final report, also when it began after the end.
public struct FeedReports: AsyncSequence, Sendable {
    fileprivate let audience: FeedAudience

    init(audience: FeedAudience) { self.audience = audience }

    /// Reads one report after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncStream<StatusReport>.Iterator

        /// Returns the newest report that this iteration has not seen; `nil` after the final one, or if the task is
        /// canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> StatusReport? {
            await stream.next(isolation: actor)
        }
    }

    /// Begins to listen to the feed.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: audience.reports().makeAsyncIterator()) }
}

/// The events of a feeder, from the beginning of an iteration to the end of the feed.
///
/// An iteration may be slower than the feed for a while; events wait for it, but never more than
/// ``maximumWaitingEvents``. Beyond that it throws ``FeedEventsMissed``: an incomplete account never passes for a whole
/// one.
public struct FeedEvents: AsyncSequence, Sendable {
    /// The most events that wait for a slow iteration; one may hold the outcomes of a whole batch.
    public static let maximumWaitingEvents = 1_000

    fileprivate let audience: FeedAudience

    init(audience: FeedAudience) { self.audience = audience }

    /// Reads one event after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncThrowingStream<FeedEvent, any Error>.Iterator

        /// Returns the next event; `nil` at the end of the feed, or if the task is canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> FeedEvent? {
            try await stream.next(isolation: actor)
        }
    }

    /// Begins to listen to the feed.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: audience.events().makeAsyncIterator()) }
}

/// An iteration over ``FeedEvents`` was so much slower than the feed that it can't have all events.
public struct FeedEventsMissed: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened, and what still tells everything.
    public let description =
        "events came faster than they were read, and more than \(FeedEvents.maximumWaitingEvents) were waiting;"
        + " the status report and the document errors are complete"
}

/// Those who listen to a feeder.
///
/// The lock is held for a few additions to buffers, never across a wait.
final class FeedAudience: Sendable {
    private struct State {
        var reports: [Int: AsyncStream<StatusReport>.Continuation] = [:]
        var events: [Int: AsyncThrowingStream<FeedEvent, any Error>.Continuation] = [:]
        var next = 0
        var final: StatusReport?
    }

    private let state = Mutex(State())

    func tell(_ event: FeedEvent, _ report: StatusReport) {
        let overtaken = state.withLock { state -> [AsyncThrowingStream<FeedEvent, any Error>.Continuation] in
            for listener in state.reports.values { listener.yield(report) }
            var overtaken: [AsyncThrowingStream<FeedEvent, any Error>.Continuation] = []
            for (number, listener) in state.events {
                guard case .dropped = listener.yield(event) else { continue }
                state.events[number] = nil
                overtaken.append(listener)
            }
            return overtaken
        }
        for listener in overtaken { listener.finish(throwing: FeedEventsMissed()) }
    }

    /// Hands the final report over, and ends all iterations, and those to come.
    func end(_ report: StatusReport) {
        let listeners = state.withLock { state in
            defer { (state.reports, state.events, state.final) = ([:], [:], report) }
            return (state.reports.values, state.events.values)
        }
        for listener in listeners.0 {
            listener.yield(report)
            listener.finish()
        }
        for listener in listeners.1 { listener.finish() }
    }

    func reports() -> AsyncStream<StatusReport> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
            let (number, final) = state.withLock { state in
                defer { state.next += 1 }
                if state.final == nil { state.reports[state.next] = listener }
                return (state.next, state.final)
            }
            if let final {
                listener.yield(final)
                return listener.finish()
            }
            listener.onTermination = { [weak self] _ in self?.state.withLock { $0.reports[number] = nil } }
        }
    }

    func events() -> AsyncThrowingStream<FeedEvent, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingOldest(FeedEvents.maximumWaitingEvents)) { listener in
            let (number, isEnded) = state.withLock { state in
                defer { state.next += 1 }
                if state.final == nil { state.events[state.next] = listener }
                return (state.next, state.final != nil)
            }
            guard !isEnded else { return listener.finish() }
            listener.onTermination = { [weak self] _ in self?.state.withLock { $0.events[number] = nil } }
        }
    }
}
