import ContentFeeding
import FeedFormats
import ReportRendering
import Synchronization

/// The display of how far a feed is: operations that are settled, and their share of the input.
struct FeedProgressDisplay {
    private let tally: FeedTally
    private let display: ProgressDisplay

    /// Starts the display; `printsLines` if a line is printed for each operation.
    init(_ choice: ProgressChoice, printsLines: Bool, of extent: FeedExtent) {
        let tally = FeedTally(extent)
        self.tally = tally
        display = ProgressDisplay(choice, printsLines: printsLines) { tally.count }
    }

    /// Notes what has happened.
    func note(_ event: FeedEvent, _ report: StatusReport) {
        tally.note(report.counts, errors: report.errorCount, failure: Self.failure(of: event), at: display.elapsed)
    }

    private static func failure(of event: FeedEvent) -> String? {
        switch event {
        case .retrying(_, let failure, _), .flow(.waiting(let failure, _)): failure.message
        case .flow(.standstill(let standstill)): standstill.failure?.message
        default: nil
        }
    }

    func finish() { display.finish() }
}

/// How much a feed has before it, as far as that is known.
struct FeedExtent: Sendable {
    /// How much of the input was read.
    let input: InputProgress
    /// The number of operations, if they were counted before the first was sent.
    var operations: Int?
}

/// What the thread that shows progress sees of a feed.
final class FeedTally: Sendable {
    private struct State {
        var count = ProgressCount(of: .done)
        var accepted = 0
        /// Since when something is open without anything being settled; `nil` while nothing is open.
        var waitsSince: Duration?
        var failure: String?
    }

    private let extent: FeedExtent
    private let state = Mutex(State())

    init(_ extent: FeedExtent) { self.extent = extent }

    /// Notes how the operations stand at a time, counted from the beginning, and a failure if there was one.
    func note(_ counts: FeedCounts, errors: Int, failure: String? = nil, at time: Duration) {
        state.withLock { state in
            let hasProgressed = counts.settled != state.count.items
            state.count.items = counts.settled
            state.count.errors = errors
            state.accepted = counts.accepted
            if hasProgressed { state.failure = nil }
            if let failure { state.failure = failure }
            if counts.open == 0 {
                state.waitsSince = nil
            } else if hasProgressed || state.waitsSince == nil {
                state.waitsSince = time
            }
        }
    }

    /// How far the feed is; operations that are open count as bytes that are not done.
    var count: ProgressCount {
        let (read, total) = (extent.input.bytesRead, extent.input.totalBytes)
        return state.withLock { state in
            let share = state.accepted > 0 ? Double(state.count.items) / Double(state.accepted) : 0
            // What was read may have no operation yet, and so the share may fall; bytes that are done stay done.
            state.count.bytes = max(state.count.bytes, Int(Double(read) * min(1, share)))
            state.count.totalItems = extent.operations
            state.count.totalBytes = extent.operations == nil ? total : nil
            state.count.wait = state.waitsSince.map { .init(since: $0, reason: state.failure) }
            return state.count
        }
    }
}
