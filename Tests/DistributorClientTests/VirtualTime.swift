import Synchronization

@testable import DistributorClient

/// A clock whose time passes only when nothing else can happen, and the executor that detects this.
///
/// All tasks of a test run on the thread that calls ``run(_:)``, in the order in which they became ready, so that a
/// test always has the same result.
final class VirtualTime: TaskExecutor, Clock {
    struct Instant: InstantProtocol {
        var sinceStart = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
        func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
        static func < (a: Instant, b: Instant) -> Bool { a.sinceStart < b.sinceStart }
    }

    private struct Sleeper {
        let number: Int
        let end: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant()
        var jobs: [UnownedJob] = []
        var sleepers: [Sleeper] = []
        var count = 0
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Swift.Duration { .nanoseconds(1) }
    /// The sleeping tasks.
    var sleeping: Int { state.withLock { $0.sleepers.count } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    func sleep(until end: Instant, tolerance: Swift.Duration?) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver: Bool = state.withLock { state in
                    guard end > state.now, !Task.isCancelled else { return true }
                    state.sleepers.append(Sleeper(number: number, end: end, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.number == number }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Runs a function and all tasks that it starts, until nothing is left to run.
    func run(_ body: @escaping @Sendable () async throws -> Void) {
        SignalExecutor.$current.withValue(self) {
            _ = Task(executorPreference: self) { try await body() }
        }
        while true {
            while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
                job.runSynchronously(on: asUnownedTaskExecutor())
            }
            let sleeper = state.withLock { state -> Sleeper? in
                guard let next = state.sleepers.indices.min(by: { state.sleepers[$0].end < state.sleepers[$1].end })
                else {
                    return nil
                }
                state.now = state.sleepers[next].end
                return state.sleepers.remove(at: next)
            }
            guard let sleeper else { return }
            sleeper.continuation.resume()
        }
    }
}

/// The record of a subscription.
final class Record<Value: Sendable>: Sendable {
    struct Entry: Sendable {
        let microseconds: Int
        let value: Value
    }

    private let state = Mutex<(entries: [Entry], end: String?)>(([], nil))

    var entries: [Entry] { state.withLock { $0.entries } }
    /// `ended`, `cancelled`, or a failure; `nil` while the subscription lasts.
    var end: String? { state.withLock { $0.end } }
    var values: [Value] { entries.map(\.value) }
    /// The times of the values, in whole milliseconds.
    var times: [Int] { entries.map { $0.microseconds / 1_000 } }

    /// Subscribes to a signal, and holds each value for some time before taking the next one.
    func follow<S: AsyncSequence & Sendable>(
        _ signal: S,
        in time: VirtualTime,
        busy: Duration = .zero
    ) async where S.Element == Value {
        do {
            for try await value in signal {
                let now = time.now.microseconds
                state.withLock { $0.entries.append(Entry(microseconds: now, value: value)) }
                if busy > .zero { try await time.sleep(until: time.now.advanced(by: busy), tolerance: nil) }
            }
            state.withLock { $0.end = Task.isCancelled ? "cancelled" : "ended" }
        } catch {
            state.withLock { $0.end = Task.isCancelled ? "cancelled" : "\(error)" }
        }
    }
}

extension VirtualTime.Instant {
    var microseconds: Int { Int(sinceStart / .microseconds(1)) }
    var milliseconds: Int { microseconds / 1_000 }
}
