import Dispatch
import Synchronization
import Testing

@testable import ULSLog
@testable import ULSRows

struct WorkQueueTests {
    private struct Broken: Error {}

    private static func items(_ lanes: [Int]) -> [[WorkItem]] {
        lanes.enumerated().map { lane, count in
            (0..<count).map { number in
                let text = LogText(source: lane, name: "\(lane)")
                return .part(
                    .init(
                        text: text,
                        file: PartedFile(path: "", parts: 1),
                        start: Int64(number),
                        end: 0,
                        fileEnd: 0,
                        isFirst: number == 0,
                        isLast: number == count - 1
                    )
                )
            }
        }
    }

    private static func place(_ item: WorkItem) -> (lane: Int, number: Int) {
        guard case .part(let part) = item else { return (-1, -1) }
        return (part.text.source, Int(part.start))
    }

    private static func output(_ lane: Int, _ number: Int, _ index: Int) -> UnitOutput<[Int]> {
        UnitOutput(text: LogText(source: lane, name: ""), payload: [lane, number, index])
    }

    /// Returns a queue whose items each produce a given number of outputs, with counts of the calls.
    private static func queue(
        _ lanes: [Int],
        jobs: Int,
        outputs: Int,
        seen: @escaping @Sendable (Int, Int, Int) -> Void = { _, _, _ in },
        failing: @escaping @Sendable (Int, Int) -> Bool = { _, _ in false }
    ) -> WorkQueue<[Int]> {
        let queue = WorkQueue<[Int]>(lanes: items(lanes), jobs: jobs)
        queue.start { item, emit in
            let (lane, number) = place(item)
            for index in 0..<outputs {
                if failing(lane, number), index == outputs / 2 { throw Broken() }
                seen(lane, number, index)
                guard emit(output(lane, number, index)) else { return }
            }
        }
        return queue
    }

    @Test(.timeLimit(.minutes(10)), arguments: [1, 2, 5], [0, 1, 3, 20])
    func `The outputs of each lane are in order, whichever lane is read first`(jobs: Int, outputs: Int) throws {
        let lanes = [3, 0, 7, 1]
        let queue = Self.queue(lanes, jobs: jobs, outputs: outputs)
        defer { queue.cancel() }
        // From the last lane to the first, which is the worst order for a queue that starts with the first.
        for lane in lanes.indices.reversed() {
            var found: [[Int]] = []
            while let output = try queue.next(lane: lane) { found.append(output.payload) }
            #expect(found == (0..<lanes[lane]).flatMap { number in (0..<outputs).map { [lane, number, $0] } })
            #expect(try queue.next(lane: lane) == nil)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [1, 2, 5])
    func `Lanes can be read in turn without a deadlock`(jobs: Int) throws {
        let queue = Self.queue(Array(repeating: 4, count: 30), jobs: jobs, outputs: 6)
        defer { queue.cancel() }
        var count = 0
        var open = Set(0..<30)
        while !open.isEmpty {
            for lane in open {
                if try queue.next(lane: lane) == nil { open.remove(lane) } else { count += 1 }
            }
        }
        #expect(count == 30 * 4 * 6)
    }

    @Test(.timeLimit(.minutes(10)), arguments: [1, 3])
    func `An error is thrown after the outputs of its item, and the lane continues`(jobs: Int) throws {
        let queue = Self.queue([5], jobs: jobs, outputs: 4, failing: { _, number in number == 1 || number == 3 })
        defer { queue.cancel() }
        var found: [String] = []
        while true {
            do {
                guard let output = try queue.next(lane: 0) else { break }
                found.append("\(output.payload[1])")
            } catch is Broken {
                found.append("error")
            }
        }
        #expect(found.joined(separator: " ") == "0 0 0 0 1 1 error 2 2 2 2 3 3 error 4 4 4 4")
    }

    @Test(.timeLimit(.minutes(10)), arguments: [1, 3])
    func `Canceling ends waiting, running and unstarted threads, and waits until they have ended`(jobs: Int) throws {
        for taken in 0..<20 {
            let (scans, ended) = (Counter(), Counter())
            let queue = WorkQueue<[Int]>(lanes: Self.items([3, 3]), jobs: jobs)
            queue.start { item, emit in
                scans.value.add(1, ordering: .relaxed)
                defer { ended.value.add(1, ordering: .relaxed) }
                // The queue ends only on request.
                while emit(Self.output(0, 0, 0)) {}
            }
            for _ in 0..<taken { _ = try queue.next(lane: taken % 2) }
            queue.cancel()
            if taken > 0 { #expect(scans.value.load(ordering: .relaxed) > 0) }
            #expect(ended.value.load(ordering: .relaxed) == scans.value.load(ordering: .relaxed))
            #expect(queue.threadCount == 0)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [1, 4])
    func `When a read finishes, its threads have all ended`(jobs: Int) throws {
        let queue = Self.queue([5, 2], jobs: jobs, outputs: 3)
        #expect(queue.threadCount > 0)
        for lane in 0..<2 { while try queue.next(lane: lane) != nil {} }
        queue.cancel()
        #expect(queue.threadCount == 0)
    }

    @Test(.timeLimit(.minutes(10))) func `When a stream has been read to its end, its thread has ended`() throws {
        let pipe = LogSource(name: "pipe", kind: .stream(.path("pipe")))
        let queue = WorkQueue<[Int]>(lanes: [[.stream(pipe, number: 0)]], jobs: 1)
        queue.start { _, emit in _ = emit(Self.output(0, 0, 0)) }
        while try queue.next(lane: 0) != nil {}
        queue.cancel()
        #expect(queue.threadCount == 0)
    }

    @Test(.timeLimit(.minutes(10)))
    func `Canceling does not wait for a thread that is blocked by a pipe`() throws {
        let pipe = LogSource(name: "pipe", kind: .stream(.path("pipe")))
        let queue = WorkQueue<[Int]>(lanes: [[.stream(pipe, number: 0)], Self.items([1])[0]], jobs: 2)
        let (isReading, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.start { item, emit in
            guard item.mayBlock else { return }
            isReading.signal()
            mayGoOn.wait()
        }
        isReading.wait()
        queue.cancel()
        #expect(queue.threadCount == 1)
        mayGoOn.signal()
    }

    @Test(.timeLimit(.minutes(10)), arguments: [1, 2, 5])
    func `Threads that are too far ahead of the reader wait`(jobs: Int) throws {
        let ahead = Ahead()
        let queue = Self.queue([40, 40], jobs: jobs, outputs: 50, seen: { _, _, _ in ahead.made() })
        defer { queue.cancel() }
        for lane in 0..<2 {
            while try queue.next(lane: lane) != nil { ahead.took() }
        }
        // For each item in progress, four outputs wait, one more is held by its thread, and one by the reader.
        #expect(ahead.most <= (2 + jobs) * 5 + 1)
    }

    @Test func `Empty lanes, and a queue without lanes, end immediately`() throws {
        #expect(try Self.queue([0], jobs: 2, outputs: 1).next(lane: 0) == nil)
        #expect(try Self.queue([0, 0], jobs: 0, outputs: 1).next(lane: 1) == nil)
    }

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    /// The maximum number of outputs that were produced but not yet taken.
    private final class Ahead: Sendable {
        private let state = Mutex<(now: Int, most: Int)>((0, 0))

        func made() {
            state.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
        }

        func took() { state.withLock { $0.now -= 1 } }

        var most: Int { state.withLock { $0.most } }
    }
}
