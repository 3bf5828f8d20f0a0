import Synchronization
import TestSupport
import Testing

@testable import DistributorClient

/// Signals and their operators in virtual time, compared with models of their behavior.
///
/// Sources send at even milliseconds, and limits are such that no two events of a model coincide.
struct SignalTests {
    private let time = VirtualTime()

    /// Values at their times; the source ends or fails with the last value.
    private struct Source: Sendable {
        let events: [(milliseconds: Int, value: Int)]
        var failure: Failure?

        struct Failure: Error {}

        init(_ events: [(milliseconds: Int, value: Int)], failure: Failure? = nil) {
            (self.events, self.failure) = (events, failure)
        }

        init(seed: UInt64, count: Int = 40, from first: Int = 0) {
            var random = SeededGenerator(seed: seed)
            var milliseconds = first
            events = (0..<count).map { value in
                milliseconds += 2 * Int.random(in: 1...(Bool.random(using: &random) ? 3 : 40), using: &random)
                return (milliseconds, value)
            }
        }

        /// For each subscription, times count from its own beginning.
        func signal(in time: VirtualTime) -> Signal<Int> {
            Signal { [self] sink in
                let start = time.now
                for event in events {
                    let due = start.advanced(by: .milliseconds(event.milliseconds))
                    if due > time.now { try await time.sleep(until: due, tolerance: nil) }
                    try await sink.send(event.value)
                }
                if let failure { throw failure }
            }
        }
    }

    private func follow<Value: Sendable>(_ signal: Signal<Value>, busy: Duration = .zero) -> Record<Value> {
        let record = Record<Value>()
        time.run { [time] in await record.follow(signal, in: time, busy: busy) }
        return record
    }

    // MARK: Time

    @Test(arguments: UInt64(0)..<40)
    func `Debounce passes on values that are not followed by another value for some time`(seed: UInt64) {
        let source = Source(seed: seed)
        let record = follow(source.signal(in: time).debounce(for: .milliseconds(25), clock: time))
        let kept = source.events.indices.filter { index in
            index + 1 == source.events.count
                || source.events[index + 1].milliseconds > source.events[index].milliseconds + 25
        }
        #expect(record.values == kept.map { source.events[$0].value })
        #expect(record.times == kept.map { source.events[$0].milliseconds + 25 })
        #expect(record.end == "ended")
    }

    @Test(arguments: UInt64(0)..<40)
    func `Throttle passes on the first value immediately, the newest of each interval, and always the last`(
        seed: UInt64
    ) {
        let source = Source(seed: seed)
        // The interval is in microseconds, so that values never arrive at a multiple of it.
        let interval = 25_001
        let record = follow(source.signal(in: time).throttle(for: .microseconds(interval), clock: time))
        var (expected, waiting, free): ([(at: Int, value: Int)], Int?, Int) = ([], nil, 0)
        for event in source.events {
            let now = 1_000 * event.milliseconds
            if let value = waiting, free <= now {
                expected.append((free, value))
                (waiting, free) = (nil, free + interval)
            }
            if free <= now {
                expected.append((now, event.value))
                free = now + interval
            } else {
                waiting = event.value
            }
        }
        if let waiting { expected.append((free, waiting)) }
        #expect(record.entries.map(\.microseconds) == expected.map(\.at))
        #expect(record.values == expected.map(\.value))
        #expect(record.end == "ended")
    }

    @Test
    func `A value that does not arrive in time causes a failure, but a subscriber's processing time does not count`() {
        let source = Source([(10, 1), (20, 2), (100, 3)])
        let late = follow(source.signal(in: time).timeout(after: .milliseconds(31), clock: time))
        #expect(late.values == [1, 2])
        #expect(late.end == "SignalTimeout()")
        // The source is held up by its subscriber, so its next value is available immediately.
        let busy = follow(
            Source([(2, 1), (4, 2), (6, 3)]).signal(in: time)
                .timeout(after: .milliseconds(31), clock: time),
            busy: .milliseconds(90)
        )
        #expect(busy.values == [1, 2, 3])
        #expect(busy.end == "ended")
        #expect(time.sleeping == 0)
    }

    // MARK: Several signals

    @Test(arguments: UInt64(0)..<20)
    func `Merge passes on all values in order of time`(seed: UInt64) {
        let (a, b) = (Source(seed: seed), Source(seed: seed + 1_000, from: 1))
        let record = follow(.merge(a.signal(in: time).map { "a\($0)" }, b.signal(in: time).map { "b\($0)" }))
        let expected =
            (a.events.map { ($0.milliseconds, "a\($0.value)") } + b.events.map { ($0.milliseconds, "b\($0.value)") })
        #expect(record.times == expected.map(\.0).sorted())
        #expect(Set(record.values) == Set(expected.map(\.1)))
        #expect(record.values.filter { $0.hasPrefix("a") } == a.events.map { "a\($0.value)" })
        #expect(record.values.filter { $0.hasPrefix("b") } == b.events.map { "b\($0.value)" })
    }

    @Test(arguments: UInt64(0)..<20)
    func `CombineLatest passes on the newest values of both, and never an older pair after a newer pair`(seed: UInt64) {
        let (a, b) = (Source(seed: seed), Source(seed: seed + 1_000, from: 1))
        let record = follow(combineLatest(a.signal(in: time), b.signal(in: time)))
        let last = record.values.last
        #expect(last?.0 == a.events.last?.value && last?.1 == b.events.last?.value)
        for (earlier, later) in zip(record.values, record.values.dropFirst()) {
            #expect(later.0 >= earlier.0 && later.1 >= earlier.1 && later != earlier)
        }
        let begin = max(a.events[0].milliseconds, b.events[0].milliseconds)
        // The first two values form one pair, and each later value forms another.
        #expect(record.entries.count == 1 + (a.events + b.events).count { $0.milliseconds > begin })
        #expect(record.end == "ended")
    }

    @Test func `CombineLatest ends with a signal that ends without a value`() {
        let endless = Source((1...1_000).map { (2 * $0, $0) })
        let record = follow(combineLatest(endless.signal(in: time), Source([]).signal(in: time)))
        #expect(record.values.isEmpty)
        #expect(record.end == "ended")
        #expect(time.now.milliseconds < 2_000)
    }

    @Test(arguments: UInt64(0)..<20)
    func `FlatMapLatest follows only the signal of the newest value`(seed: UInt64) {
        let source = Source(seed: seed)
        let time = time
        let record = follow(
            source.signal(in: time).flatMapLatest { value in
                Source((1...10).map { (10 * $0 + 1, 100 * value + $0) }).signal(in: time)
            }
        )
        var expected: [Int] = []
        for (index, event) in source.events.enumerated() {
            let end = index + 1 < source.events.count ? source.events[index + 1].milliseconds : .max
            expected += (1...10).filter { event.milliseconds + 10 * $0 + 1 < end }.map { 100 * event.value + $0 }
        }
        #expect(record.values == expected)
        #expect(record.end == "ended")
    }

    @Test func `A refreshed list is subscribed to again after the previous subscription has ended`() {
        let time = time
        let open = Mutex(0)
        let list = Signal<Int> { sink in
            let number = open.withLock { count in
                count += 1
                return count
            }
            defer { open.withLock { $0 -= 1 } }
            try await sink.send(number)
            try await time.sleep(until: time.now.advanced(by: .seconds(3_600)), tolerance: nil)
        }
        let pulls = Source([(10, 0), (20, 0), (30, 0)]).signal(in: time)
        let record = follow(list.refreshed(by: pulls))
        #expect(record.values == [1, 1, 1, 1])
        #expect(record.times == [0, 10, 20, 30])
        #expect(open.withLock { $0 } == 0)
    }

    // MARK: Failures

    @Test func `A failure is retried with increasing pauses, and a value resets the count`() {
        let time = time
        let subscriptions = Mutex<[Int]>([])
        let signal = Signal<Int> { sink in
            let count = subscriptions.withLock { list in
                list.append(time.now.milliseconds)
                return list.count
            }
            if count == 4 { try await sink.send(4) }
            throw Source.Failure()
        }
        let record = follow(signal.retry(3, after: .milliseconds(100), atMost: .milliseconds(300), clock: time))
        #expect(subscriptions.withLock { $0 } == [0, 100, 300, 600, 700, 900, 1_200])
        #expect(record.values == [4])
        #expect(record.end == "Failure()")
        let refused = follow(signal.retry(after: .milliseconds(1), clock: time, if: { _ in false }))
        #expect(refused.end == "Failure()")
    }

    @Test func `Catch continues with the replacement signal, and passes on that signal's failure`() {
        let time = time
        let source = Source([(2, 1)], failure: Source.Failure()).signal(in: time)
        let other = Source([(2, 2)]).signal(in: time)
        #expect(follow(source.catch { _ in other }).values == [1, 2])
        let failing = follow(source.catch { _ in source })
        #expect(failing.values == [1, 1])
        #expect(failing.end == "Failure()")
    }

    // MARK: Ends

    /// All operators in turn, for tests of properties that they share.
    private static let operators: [(name: String, make: @Sendable (Signal<Int>, VirtualTime) -> Signal<Int>)] = [
        ("none", { signal, _ in signal }),
        ("map", { signal, _ in Signal(signal.map { $0 }) }),
        ("debounce", { $0.debounce(for: .milliseconds(3), clock: $1) }),
        ("throttle", { $0.throttle(for: .milliseconds(3), clock: $1) }),
        ("timeout", { $0.timeout(after: .milliseconds(9_999), clock: $1) }),
        ("merge", { signal, _ in .merge(signal, signal) }),
        ("combineLatest", { signal, _ in Signal(combineLatest(signal, signal).map(\.0)) }),
        ("flatMapLatest", { signal, _ in signal.flatMapLatest { value in Signal { try await $0.send(value) } } }),
        ("refreshed", { signal, _ in signal.refreshed(by: Signal<Int> { _ in }) }),
        ("retry", { $0.retry(after: .milliseconds(1), clock: $1) }),
        ("catch", { signal, _ in signal.catch { throw $0 } }),
        (
            "all",
            {
                $0.retry(after: .milliseconds(1), clock: $1).debounce(for: .milliseconds(3), clock: $1)
                    .throttle(for: .milliseconds(3), clock: $1).timeout(after: .milliseconds(9_999), clock: $1)
                    .catch { throw $0 }
            }
        ),
    ]

    @Test(arguments: operators.indices)
    func `After a cancellation, no value arrives and no task continues to run`(index: Int) {
        for cut in stride(from: 1, through: 401, by: 10) {
            let time = VirtualTime()
            let signal = Self.operators[index].make(Source(seed: UInt64(cut)).signal(in: time), time)
            let record = Record<Int>()
            time.run {
                let task = Task(executorPreference: time) { await record.follow(signal, in: time) }
                try await time.sleep(until: VirtualTime.Instant(sinceStart: .milliseconds(cut)), tolerance: nil)
                task.cancel()
                await task.value
                #expect(time.sleeping == 0, "\(Self.operators[index].name)")
            }
            #expect(record.times.allSatisfy { $0 <= cut }, "\(Self.operators[index].name)")
            #expect(time.now.milliseconds <= cut)
            #expect(record.end != nil)
        }
    }

    @Test(arguments: operators.indices)
    func `Ending the iteration ends the source`(index: Int) {
        let time = time
        let isEnded = Mutex(false)
        let source = Signal<Int> { sink in
            defer { isEnded.withLock { $0 = true } }
            for value in 0... {
                try await sink.send(value)
                try await time.sleep(until: time.now.advanced(by: .milliseconds(5)), tolerance: nil)
            }
        }
        let signal = Self.operators[index].make(source, time)
        time.run {
            var count = 0
            for try await _ in signal {
                count += 1
                if count == 3 { break }
            }
        }
        #expect(isEnded.withLock { $0 }, "\(Self.operators[index].name)")
    }

    @Test func `With a slow subscriber, values do not accumulate, and the subscriber gets the newest value`() {
        let time = time
        let sent = Mutex(0)
        let source = Signal<[UInt8]> { sink in
            for index in 1...2_000 {
                sent.withLock { $0 = index }
                try await sink.send([UInt8](repeating: 0, count: 10) + [UInt8(index % 251)])
                try await time.sleep(until: time.now.advanced(by: .milliseconds(1)), tolerance: nil)
            }
        }
        // The source is held up: it produces at most one value in advance.
        let plain = Record<[UInt8]>()
        time.run {
            for try await _ in source {
                try await time.sleep(until: time.now.advanced(by: .milliseconds(50)), tolerance: nil)
                #expect(sent.withLock { $0 } <= time.now.milliseconds / 50 + 2)
            }
        }
        // The source is not held up, but values are discarded: each received value is the newest at its time.
        let newest = follow(source.throttle(for: .milliseconds(1), clock: time), busy: .milliseconds(100))
        #expect(newest.entries.count <= 25)
        #expect(newest.values.last?.last == UInt8(2_000 % 251))
        #expect(plain.entries.isEmpty)
    }

    @Test func `Each iteration of a signal starts from the beginning`() {
        let source = Source([(2, 1), (4, 2)]).signal(in: time)
        #expect(follow(source).values == [1, 2])
        #expect(follow(source).values == [1, 2])
    }

    @Test func `A failure is thrown only once`() async throws {
        let signal = Signal<Int> { _ in throw Source.Failure() }
        var iterator = signal.makeAsyncIterator()
        await #expect(throws: Source.Failure.self) { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }
}

extension Signal {
    /// Returns the converted values.
    fileprivate func map<Value: Sendable>(_ transform: @escaping @Sendable (Element) -> Value) -> Signal<Value> {
        Signal<Value> { sink in
            for try await value in self { try await sink.send(transform(value)) }
        }
    }
}
