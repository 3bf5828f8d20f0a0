import ContentFeeding
import Synchronization

// The signals between a server, its sessions and their followers.

/// A broadcast of the reason to stop to every feed of a server, including feeds that begin later.
///
/// A stream ends together with the feed that reads it, so each feed has a separate stream.
final class StopBroadcast: Sendable {
    private struct State {
        var reason: StopReason?
        var feeds: [UInt64: AsyncStream<StopReason>.Continuation] = [:]
        var next: UInt64 = 0
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.reason != nil } }

    /// Stops all feeds; the first reason counts.
    func stop(_ reason: StopReason) {
        let feeds = state.withLock { state in
            state.reason = state.reason ?? reason
            defer { state.feeds = [:] }
            return Array(state.feeds.values)
        }
        for feed in feeds {
            feed.yield(reason)
            feed.finish()
        }
    }

    /// Returns a stream for one feed, which receives the reason immediately if there already is one, or later.
    func reasons() -> AsyncStream<StopReason> {
        let (stream, continuation) = AsyncStream<StopReason>.makeStream()
        let (reason, number) = state.withLock { state in
            state.next += 1
            if state.reason == nil { state.feeds[state.next] = continuation }
            return (state.reason, state.next)
        }
        if let reason {
            continuation.yield(reason)
            continuation.finish()
        } else {
            continuation.onTermination = { [weak self] _ in
                // The continuation is released outside the lock, because ending its stream may call this code again.
                _ = self?.state.withLock { $0.feeds.removeValue(forKey: number) }
            }
        }
        return stream
    }
}

/// A signal that something has changed, for any number of waiting tasks.
final class ChangeSignal: Sendable {
    private struct Waiting {
        let continuation: CheckedContinuation<Void, Never>
        /// The time until which the task waits; `nil` for no limit.
        let end: ContinuousClock.Instant?
    }

    private struct State {
        var version: UInt64 = 0
        var waiting: [UInt64: Waiting] = [:]
        var next: UInt64 = 0
        /// The time of the next search for tasks whose time limit has passed; `nil` if no task has a limit.
        var alarm: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    /// The time by which a task may exceed its limit, which allows thousands of tasks to be woken together.
    private static let slack = Duration.milliseconds(50)

    /// The number of changes so far.
    var version: UInt64 { state.withLock { $0.version } }

    /// Wakes all waiting tasks.
    func notify() {
        let waiting = state.withLock { state in
            state.version += 1
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for task in waiting { task.continuation.resume() }
    }

    /// Waits for a change after the first `version` changes, or for the cancellation of the task.
    func change(after version: UInt64) async { await wait(after: version, until: nil) }

    /// Waits for a change, and returns `false` if `end` or the cancellation of the task comes first.
    ///
    /// A single task watches the time for all waiting tasks, because a separate one for each would take more memory
    /// than the rest of a stream.
    func change(after version: UInt64, until end: ContinuousClock.Instant) async -> Bool {
        await wait(after: version, until: end)
        return self.version != version
    }

    private func wait(after version: UInt64, until end: ContinuousClock.Instant?) async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isDone, alarm) = state.withLock { state -> (Bool, ContinuousClock.Instant?) in
                    guard state.version == version, !Task.isCancelled else { return (true, nil) }
                    state.waiting[number] = Waiting(continuation: continuation, end: end)
                    guard let end, state.alarm.map({ end < $0 }) ?? true else { return (false, nil) }
                    state.alarm = end
                    return (false, end)
                }
                if isDone { continuation.resume() }
                if let alarm { ring(at: alarm) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
        }
    }

    /// Wakes the tasks whose limit has passed at a given time, unless an earlier alarm has replaced this one.
    private func ring(at alarm: ContinuousClock.Instant) {
        Task { [weak self] in
            try? await Task.sleep(until: alarm, clock: .continuous)
            self?.endWaiting(at: alarm)
        }
    }

    private func endWaiting(at alarm: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        let (late, next) = state.withLock { state -> ([Waiting], ContinuousClock.Instant?) in
            guard state.alarm == alarm else { return ([], nil) }
            let late = state.waiting.filter { $0.value.end.map { $0 <= now } ?? false }
            for number in late.keys { state.waiting[number] = nil }
            state.alarm = state.waiting.values.compactMap(\.end).min().map { max($0, now + Self.slack) }
            return (Array(late.values), state.alarm)
        }
        for task in late { task.continuation.resume() }
        if let next { ring(at: next) }
    }
}

/// The events of a session as bytes, which are created once for all followers at the same place.
final class FollowedEvents: Sendable {
    /// The place of a follower, and the form in which it reads events.
    struct Place: Hashable {
        /// The number of errors and warnings that the follower has received.
        var done: Int
        let isEventStream: Bool
        /// Whether versions are omitted from messages about conflicts.
        var hidesVersions = false
    }

    /// The events after a place.
    struct Page: Sendable {
        /// The bytes, in parts that are sent one after the other.
        var parts: [[UInt8]] = []
        /// The number of errors and warnings up to the end of the page.
        var done: Int
        /// Whether the page ends with the session's progress, because there are no more events.
        var isLast = false
        /// Whether the page is the last one of the session.
        var hasEnded = false
    }

    private struct State {
        var followers = 0
        var version: UInt64 = 0
        var pages: [Place: Task<Page, any Error>] = [:]
    }

    /// The maximum number of pages, which are large; followers that are not at the end are rare.
    private static let maximumPages = 4
    private let state = Mutex(State())

    /// Counts a follower.
    func begin() { state.withLock { $0.followers += 1 } }

    /// Stops counting a follower; when the last one leaves, all pages are dropped.
    func end() {
        state.withLock { state in
            state.followers -= 1
            if state.followers == 0 { state.pages = [:] }
        }
    }

    /// Returns the page after a place, for the session's state at `version` or later.
    func page(
        after place: Place,
        at version: UInt64,
        _ make: @escaping @Sendable () async throws -> Page
    ) async throws -> Page {
        let page = state.withLock { state in
            if state.version < version || state.pages.count >= Self.maximumPages { state.pages = [:] }
            state.version = max(state.version, version)
            if let known = state.pages[place] { return known }
            // This runs in a separate task, because the follower that comes first may also leave first.
            let page = Task { try await make() }
            state.pages[place] = page
            return page
        }
        do {
            return try await page.value
        } catch {
            state.withLock { state in
                if state.pages[place] == page { state.pages[place] = nil }
            }
            throw error
        }
    }
}
