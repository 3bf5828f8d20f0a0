import Synchronization

/// A sequence of values over time, in which each iteration is a separate subscription.
///
/// The subscription begins when the first value is requested, and ends with the iteration. A signal waits for its
/// subscriber: each value is taken before the next one is produced, so a slow subscriber slows down the source, and
/// values do not accumulate. After its task has been canceled, an iteration does not receive further values.
public struct Signal<Element: Sendable>: AsyncSequence, Sendable {
    /// The type of failures: a signal may fail with any error.
    public typealias Failure = any Error

    private let body: @Sendable (Sink) async throws -> Void

    /// Creates a signal whose values are sent by a function, which is called once for each subscription.
    ///
    /// The signal ends when the function returns, and fails when it throws. When the subscription ends early, the task
    /// of the function is canceled.
    public init(_ body: @escaping @Sendable (_ sink: Sink) async throws -> Void) { self.body = body }

    /// Creates a signal with the values of another sequence.
    public init<Base: AsyncSequence & Sendable>(_ base: Base) where Base.Element == Element {
        self.init { sink in
            for try await value in base { try await sink.send(value) }
        }
    }

    /// The destination of the values of one subscription.
    public struct Sink: Sendable {
        fileprivate let subscription: Subscription<Element>

        /// Sends a value, and returns when the subscriber has taken it.
        ///
        /// - Throws: `CancellationError` when the subscription has ended.
        public func send(_ value: Element) async throws { try await subscription.send(value) }
    }

    /// A subscription, which ends when the last copy of this iterator is released.
    public struct Iterator: AsyncIteratorProtocol {
        private let subscription: Subscription<Element>
        private let lifetime: Lifetime

        fileprivate init(_ body: @escaping @Sendable (Sink) async throws -> Void) {
            subscription = Subscription { try await body(Sink(subscription: $0)) }
            lifetime = Lifetime(subscription)
        }

        /// Returns the next value; `nil` at the end, or after the task was canceled.
        public mutating func next() async throws -> Element? { try await subscription.next() }

        private final class Lifetime: Sendable {
            private let subscription: Subscription<Element>

            init(_ subscription: Subscription<Element>) { self.subscription = subscription }

            deinit { subscription.cancel() }
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(body) }
}

/// The executor on which subscriptions run; `nil` for the global executor.
///
/// Tests set it to another executor.
package enum SignalExecutor {
    @TaskLocal package static var current: (any TaskExecutor)?
}

/// A connection through which one subscriber receives values from the task that produces them.
private final class Subscription<Element: Sendable>: Sendable {
    private typealias Body = @Sendable (Subscription) async throws -> Void

    /// A value, and the sender that waits until the value is taken.
    private struct Offer {
        let number: UInt64
        let value: Element
        let sender: CheckedContinuation<Bool, Never>
    }

    private enum Phase {
        case idle
        case running
        /// The subscription has ended; a failure is thrown once.
        case ended((any Error)?)
    }

    private struct State {
        var phase = Phase.idle
        var task: Task<Void, Never>?
        var subscriber: CheckedContinuation<Element?, any Error>?
        var offers: [Offer] = []
        var nextNumber: UInt64 = 0
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let body: @Sendable (Subscription) async throws -> Void

    init(_ body: @escaping @Sendable (Subscription) async throws -> Void) { self.body = body }

    func next() async throws -> Element? {
        begin()
        let value: Element? = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Answer = state.withLock { state in
                    guard !state.isCancelled else { return .value(nil, nil) }
                    if !state.offers.isEmpty {
                        let offer = state.offers.removeFirst()
                        return .value(offer.value, offer.sender)
                    }
                    guard case .ended(let failure) = state.phase else {
                        state.subscriber = continuation
                        return .later
                    }
                    state.phase = .ended(nil)
                    return failure.map { .failure($0) } ?? .value(nil, nil)
                }
                switch answer {
                case .value(let value, let sender):
                    sender?.resume(returning: true)
                    continuation.resume(returning: value)
                case .failure(let error): continuation.resume(throwing: error)
                case .later: break
                }
            }
        } onCancel: {
            cancel()
        }
        return Task.isCancelled ? nil : value
    }

    private enum Answer {
        case value(Element?, CheckedContinuation<Bool, Never>?)
        case failure(any Error)
        case later
    }

    private func begin() {
        state.withLock { state in
            guard case .idle = state.phase, !state.isCancelled else { return }
            state.phase = .running
            state.task = Task(executorPreference: SignalExecutor.current) { [self] in
                do {
                    try await body(self)
                    end(nil)
                } catch {
                    end(error)
                }
            }
        }
    }

    private func end(_ failure: (any Error)?) {
        let subscriber = state.withLock { state in
            defer { state.subscriber = nil }
            state.phase = .ended(state.subscriber == nil ? failure : nil)
            state.task = nil
            return state.subscriber
        }
        if let failure { subscriber?.resume(throwing: failure) } else { subscriber?.resume(returning: nil) }
    }

    func send(_ value: Element) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let isTaken = await withTaskCancellationHandler {
            await withCheckedContinuation { (sender: CheckedContinuation<Bool, Never>) in
                let subscriber: CheckedContinuation<Element?, any Error>?? = state.withLock { state in
                    guard !state.isCancelled, !Task.isCancelled else { return .some(nil) }
                    guard let subscriber = state.subscriber else {
                        state.offers.append(Offer(number: number, value: value, sender: sender))
                        return nil
                    }
                    state.subscriber = nil
                    return subscriber
                }
                guard let subscriber else { return }
                subscriber?.resume(returning: value)
                sender.resume(returning: subscriber != nil)
            }
        } onCancel: {
            withdraw(number)
        }
        guard isTaken else { throw CancellationError() }
    }

    /// Withdraws the offer of a sender that was canceled.
    private func withdraw(_ number: UInt64) {
        let offer = state.withLock { state in
            state.offers.firstIndex { $0.number == number }.map { state.offers.remove(at: $0) }
        }
        offer?.sender.resume(returning: false)
    }

    func cancel() {
        let (task, subscriber, offers) = state.withLock { state in
            state.isCancelled = true
            defer { (state.task, state.subscriber, state.offers) = (nil, nil, []) }
            return (state.task, state.subscriber, state.offers)
        }
        task?.cancel()
        subscriber?.resume(returning: nil)
        for offer in offers { offer.sender.resume(returning: false) }
    }
}
