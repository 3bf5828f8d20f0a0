import Synchronization

// MARK: Time

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Returns each value that is not followed by another one for some time, such as the text in a field once the user
    /// has stopped typing.
    ///
    /// The last value is returned when its time has passed, and then the signal ends. A slow subscriber gets only the
    /// newest of these values.
    public func debounce<C: Clock>(for quiet: C.Duration, clock: C = ContinuousClock()) -> Signal<Element> {
        Signal { sink in
            let newest = Newest<Element, C.Instant>()
            try await feeding(newest, dueAt: { clock.now.advanced(by: quiet) }) {
                while let due = await newest.due() {
                    if due > clock.now {
                        try await clock.sleep(until: due, tolerance: nil)
                    } else if let value = newest.take(dueBy: clock.now) {
                        try await sink.send(value)
                    }
                }
            }
        }
    }

    /// Returns the first value at once, and then the newest value at most once in each interval.
    ///
    /// The last value is always returned. A slow subscriber gets only the newest value.
    public func throttle<C: Clock>(for interval: C.Duration, clock: C = ContinuousClock()) -> Signal<Element> {
        Signal { sink in
            let newest = Newest<Element, C.Instant>()
            try await feeding(newest, dueAt: { clock.now }) {
                while await newest.due() != nil {
                    guard let value = newest.take(dueBy: nil) else { continue }
                    let next = clock.now.advanced(by: interval)
                    try await sink.send(value)
                    guard await newest.due() != nil else { break }
                    if next > clock.now { try await clock.sleep(until: next, tolerance: nil) }
                }
            }
        }
    }

    /// Returns the values, and fails if none arrives for some time.
    ///
    /// The time that the subscriber takes to process a value does not count.
    public func timeout<C: Clock>(after limit: C.Duration, clock: C = ContinuousClock()) -> Signal<Element> {
        Signal { sink in
            let deadline = Deadline(clock.now.advanced(by: limit))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await value in self {
                        deadline.due = nil
                        try await sink.send(value)
                        deadline.due = clock.now.advanced(by: limit)
                    }
                }
                group.addTask {
                    while true {
                        let end = deadline.due ?? clock.now.advanced(by: limit)
                        try await clock.sleep(until: end, tolerance: nil)
                        guard let due = deadline.due, due <= clock.now else { continue }
                        throw SignalTimeout()
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// Reads the sequence into `newest` while a second task runs; a failure of either task ends both.
    private func feeding<Instant: InstantProtocol>(
        _ newest: Newest<Element, Instant>,
        dueAt due: @escaping @Sendable () -> Instant,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await value in self { newest.put(value, due: due()) }
                newest.end()
            }
            group.addTask { try await body() }
            try await group.waitForAll()
        }
    }
}

/// The time by which a value must arrive; `nil` while the subscriber is busy.
private final class Deadline<Instant: InstantProtocol>: Sendable {
    private let state: Mutex<Instant?>

    init(_ due: Instant) { state = Mutex(due) }

    var due: Instant? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// The failure of a signal whose next value did not arrive in time.
public struct SignalTimeout: Error, Hashable {
    /// Creates the failure.
    public init() {}
}

/// The newest value of a sequence; older values that were not taken are discarded, so memory use does not grow.
private final class Newest<Element: Sendable, Instant: InstantProtocol>: Sendable {
    private struct State {
        var value: (element: Element, due: Instant)?
        var hasEnded = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func put(_ element: Element, due: Instant) {
        change { $0.value = (element, due) }
    }

    func end() {
        change { $0.hasEnded = true }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Waits for a value, and returns the time at which it is due; `nil` at the end, or when the task is canceled.
    func due() async -> Instant? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    guard state.value == nil, !state.hasEnded, !Task.isCancelled else { return true }
                    state.waiting = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            change { _ in }
        }
        return Task.isCancelled ? nil : state.withLock { $0.value?.due }
    }

    /// Takes the value, if it is due.
    func take(dueBy now: Instant?) -> Element? {
        state.withLock { state in
            guard let value = state.value, now.map({ value.due <= $0 }) ?? true else { return nil }
            state.value = nil
            return value.element
        }
    }
}

// MARK: Several signals

extension Signal {
    /// Returns the values of several signals as they arrive; the result ends when the last signal ends, and fails with
    /// the first failure.
    public static func merge(_ signals: Signal<Element>...) -> Signal<Element> {
        Signal { sink in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for signal in signals {
                    group.addTask {
                        for try await value in signal { try await sink.send(value) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

/// Returns a pair of the newest values of two sequences whenever either has a new value, once both have had one.
///
/// The result ends when both sequences have ended, or when one of them ends without a value; it fails with the first
/// failure.
public func combineLatest<A: AsyncSequence & Sendable, B: AsyncSequence & Sendable>(
    _ first: A,
    _ second: B
) -> Signal<(A.Element, B.Element)> where A.Element: Sendable, B.Element: Sendable {
    typealias Event = PairEvent<A.Element, B.Element>
    let events = Signal<Event>.merge(
        Signal { sink in
            for try await value in first { try await sink.send(.first(value)) }
            try await sink.send(.firstEnded)
        },
        Signal { sink in
            for try await value in second { try await sink.send(.second(value)) }
            try await sink.send(.secondEnded)
        }
    )
    return Signal { sink in
        var (a, b): (A.Element?, B.Element?) = (nil, nil)
        for try await event in events {
            switch event {
            case .first(let value): a = value
            case .second(let value): b = value
            case .firstEnded:
                if a == nil { return }
                continue
            case .secondEnded:
                if b == nil { return }
                continue
            }
            if let a, let b { try await sink.send((a, b)) }
        }
    }
}

private enum PairEvent<A: Sendable, B: Sendable>: Sendable {
    case first(A)
    case second(B)
    case firstEnded
    case secondEnded
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Returns the values of the signal that a function creates from the newest element.
    ///
    /// The subscription to the previous signal is ended first. The result ends when both this sequence and the last
    /// signal have ended.
    public func flatMapLatest<Value: Sendable>(
        _ transform: @escaping @Sendable (Element) async throws -> Signal<Value>
    ) -> Signal<Value> {
        Signal { sink in
            let newest = Newest<Element, ContinuousClock.Instant>()
            try await feeding(newest, dueAt: { .now }) {
                while await newest.due() != nil {
                    guard let element = newest.take(dueBy: nil) else { continue }
                    let signal = try await transform(element)
                    try await Self.send(signal, to: sink, untilNextOf: newest)
                }
            }
        }
    }

    /// Sends the values of a signal until it ends, or until there is another element.
    private static func send<Value>(
        _ signal: Signal<Value>,
        to sink: Signal<Value>.Sink,
        untilNextOf newest: Newest<Element, ContinuousClock.Instant>
    ) async throws {
        try await withThrowingTaskGroup(of: SwitchEvent.self) { group in
            group.addTask {
                do {
                    for try await value in signal { try await sink.send(value) }
                    return .ended(nil)
                } catch {
                    return .ended(error)
                }
            }
            group.addTask { await newest.due() == nil ? .noOther : .replaced }
            defer { group.cancelAll() }
            while let event = try await group.next() {
                switch event {
                case .ended(let failure?): throw failure
                case .ended(nil), .replaced: return
                case .noOther: continue
                }
            }
        }
    }

    /// Subscribes to the sequence again whenever a trigger has a value, as when a user pulls a list down to refresh it.
    ///
    /// The first subscription begins at once.
    public func refreshed<Trigger: AsyncSequence & Sendable>(by trigger: Trigger) -> Signal<Element>
    where Trigger.Element: Sendable {
        Signal<Void> { sink in
            try await sink.send(())
            for try await _ in trigger { try await sink.send(()) }
        }
        .flatMapLatest { Signal(self) }
    }
}

private enum SwitchEvent: Sendable {
    case ended((any Error)?)
    case replaced
    /// There are no more elements.
    case noOther
}

// MARK: Failures

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Subscribes again after a failure, with a pause that doubles with each consecutive failure.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of consecutive failures that are retried; `nil` for any number. A value resets
    ///     the count.
    ///   - pause: The pause after the first failure.
    ///   - longest: The longest pause between two subscriptions.
    ///   - clock: The clock that measures these times.
    ///   - isRetried: Whether a failure is retried at all; by default, all failures are.
    /// - Returns: The values of all subscriptions.
    public func retry<C: Clock>(
        _ attempts: Int? = nil,
        after pause: Duration = .seconds(1),
        atMost longest: Duration = .seconds(60),
        clock: C = ContinuousClock(),
        if isRetried: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) -> Signal<Element> where C.Duration == Duration {
        Signal { sink in
            var failures = 0
            var wait = pause
            while true {
                do {
                    for try await value in self {
                        (failures, wait) = (0, pause)
                        try await sink.send(value)
                    }
                    return
                } catch {
                    try Task.checkCancellation()
                    guard attempts.map({ failures < $0 }) ?? true, isRetried(error) else { throw error }
                }
                failures += 1
                try await clock.sleep(until: clock.now.advanced(by: wait), tolerance: nil)
                wait = Swift.min(wait * 2, longest)
            }
        }
    }

    /// Continues with another signal after a failure.
    public func `catch`(
        _ handler: @escaping @Sendable (any Error) async throws -> Signal<Element>
    ) -> Signal<Element> {
        Signal { sink in
            let rest: Signal<Element>
            do {
                for try await value in self { try await sink.send(value) }
                return
            } catch {
                try Task.checkCancellation()
                rest = try await handler(error)
            }
            for try await value in rest { try await sink.send(value) }
        }
    }
}
