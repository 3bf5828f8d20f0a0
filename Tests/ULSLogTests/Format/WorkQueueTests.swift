import Testing
import Threads

@testable import ULSLog

@Suite struct WorkQueueTests {
    private static func item(_ number: Int) -> WorkItem {
        .stream(LogSource(name: "\(number)", kind: .stream(.standardInput)), number: number)
    }

    /// A thread that is ahead in one lane waits; it must learn that an item of another was taken.
    @Test(.timeLimit(.minutes(1))) func `a reader of one lane is not kept waiting by another`() throws {
        for _ in 0..<200 {
            let done = Monitor(0)
            let queue = WorkQueue<Int>(lanes: [(0..<3).map(Self.item), (3..<6).map(Self.item)], jobs: 1)
            queue.start { item, emit in
                _ = emit(UnitOutput(text: LogText(source: item.source, name: ""), payload: item.source))
                done.change { $0 += 1 }
            }
            defer { queue.cancel() }
            // One item of each lane, and one ahead.
            _ = done.wait { $0 >= 3 ? true : nil }
            for lane in [1, 0] {
                var payloads: [Int] = []
                while let output = try queue.next(lane: lane) { payloads.append(output.payload) }
                #expect(payloads == (0..<3).map { lane * 3 + $0 })
            }
        }
    }
}
