import FeedCommands
import ReportKit
import Testing

@testable import ContentFeeding
@testable import FeedFormats

/// The state of a feed as seen by the thread that shows progress, at simulated times.
struct FeedTallyTests {
    private static func counts(settled: Int, of accepted: Int) -> FeedCounts {
        var counts = FeedCounts(settled: [.removed: settled])
        (counts.accepted, counts.open) = (accepted, accepted - settled)
        return counts
    }

    private static func input(read: UInt64, of total: UInt64?) -> InputProgress {
        let input = InputProgress()
        input.expect([total])
        input.note(read: read)
        return input
    }

    @Test func `Bytes count as done when their operations are settled, and progress never decreases`() {
        let input = Self.input(read: 400, of: 1000)
        let tally = FeedTally(FeedExtent(input: input))
        tally.note(Self.counts(settled: 50, of: 100), errors: 0, at: .seconds(1))
        #expect(tally.count.bytes == 200)
        #expect(tally.count.totalBytes == 1000)
        tally.note(Self.counts(settled: 50, of: 200), errors: 0, at: .seconds(1))
        #expect(tally.count.bytes == 200)
        input.note(read: 1000)
        tally.note(Self.counts(settled: 200, of: 200), errors: 3, at: .seconds(2))
        #expect(tally.count.bytes == 1000)
        #expect(tally.count.errors == 3)
    }

    @Test func `An input that includes a pipe has no size`() {
        let input = InputProgress()
        input.expect([10, nil])
        #expect(FeedTally(FeedExtent(input: input)).count.totalBytes == nil)
    }

    @Test func `For an input without a size in bytes, no bytes are shown`() {
        let tally = FeedTally(FeedExtent(input: nil, operations: 10))
        tally.note(Self.counts(settled: 5, of: 10), errors: 0, at: .seconds(1))
        #expect(tally.count.bytes == nil && tally.count.totalBytes == nil)
        #expect(tally.count.items == 5 && tally.count.totalItems == 10)
    }

    @Test func `The total is the number of operations counted in advance`() {
        let tally = FeedTally(FeedExtent(input: Self.input(read: 9, of: 9), operations: 300))
        tally.note(Self.counts(settled: 30, of: 300), errors: 0, at: .seconds(1))
        #expect(tally.count.totalItems == 300)
        #expect(tally.count.totalBytes == nil)
    }

    @Test func `The wait is measured from the last settled operation, and its reason is shown`() {
        let tally = FeedTally(FeedExtent(input: InputProgress()))
        tally.note(Self.counts(settled: 0, of: 0), errors: 0, at: .seconds(1))
        #expect(tally.count.wait == nil)
        // An idle input does not count as waiting for the engine.
        tally.note(Self.counts(settled: 0, of: 10), errors: 0, at: .seconds(60))
        #expect(tally.count.wait?.since == .seconds(60))
        tally.note(Self.counts(settled: 5, of: 10), errors: 0, at: .seconds(61))
        tally.note(Self.counts(settled: 5, of: 10), errors: 0, inFlight: 3, at: .seconds(70))
        tally.note(failure: "connection refused", givesUpAt: .seconds(900))
        #expect(tally.count.wait == .init(since: .seconds(61), reason: "connection refused", givesUpAt: .seconds(900)))
        #expect(tally.count.inFlight == 3)
        tally.note(Self.counts(settled: 9, of: 10), errors: 0, at: .seconds(80))
        #expect(tally.count.wait == .init(since: .seconds(80)))
        tally.note(Self.counts(settled: 10, of: 10), errors: 0, at: .seconds(81))
        #expect(tally.count.wait == nil)
    }
}
