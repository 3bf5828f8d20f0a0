import CommandKit
import ContentFeeding
import FeedFormats
import FeedReports
import ReportKit
import Synchronization
import TextKit

/// A printer of a feed while it runs: results to standard output, the rest to standard error.
///
/// A class, because the feed's observer and the end of the command share its buffer.
final class FeedPrinter {
    private var transcript: FeedTranscript
    private let collection: CollectionName
    private let isVerbose: Bool
    private let interruption: Interruption
    private let output: StandardOutput
    private let progress: FeedProgressDisplay
    private var bytes: [UInt8] = []

    private static let drainThreshold = 64 << 10

    /// Creates a printer; `input` says how much of the input was read.
    init(
        _ options: OutputOptions,
        collection: CollectionName,
        input: FeedExtent,
        interruption: Interruption
    ) {
        transcript = options.transcript
        output = StandardOutput(isWhole: options.form == .json)
        self.collection = collection
        isVerbose = options.isVerbose
        self.interruption = interruption
        progress = FeedProgressDisplay(
            options.progress.style,
            printsLines: !options.isQuiet && options.form != .json,
            of: input
        )
    }

    /// Handles every event of the feed.
    func observe(_ event: FeedEvent, _ report: StatusReport) {
        interruption.note(inFlight: report.operationsInFlight)
        transcript.append(event, in: collection, to: &bytes)
        switch event {
        case .settled: output.drain(&bytes)
        case .accepted: if bytes.count >= Self.drainThreshold { output.drain(&bytes) }
        case .rejected(let rejections): for rejection in rejections { say("\(rejection)") }
        case .retrying(let count, let failure, let pause):
            sayIfVerbose("retrying \(count) in \(ShortDuration(pause)): \(failure.message)")
        case .flow(.standstill(let standstill)): say(FlowSentence(.standstill(standstill)).text)
        case .flow(let change): sayIfVerbose(FlowSentence(change).text)
        case .sent(let batch, let count): sayIfVerbose("batch \(batch.rawValue) sent: \(count)")
        }
        progress.note(event, report)
    }

    /// Prints the final account, and notes how printing went.
    func finish(_ result: FeedResult, _ circumstances: inout FeedCircumstances) throws {
        progress.finish()
        circumstances.unwritableNames = transcript.unwritableNames
        let others = circumstances.outputFailures
        func note(_ failure: String?) { circumstances.outputFailures = [failure].compactMap(\.self) + others }
        note(output.failure)
        do {
            try transcript.append(result, circumstances, to: &bytes, drain: output.drain)
            note(output.failure)
        } catch let error as SpillError {
            // The list is incomplete, but the account must not be.
            output.drain(&bytes)
            note(output.failure ?? "the list of document errors is cut short: \(error)")
        }
        let unnamed = result.report.input.rejected - result.report.rejections.count
        if unnamed > 0 { StandardError.say("and \(Quantity(unnamed, "more line", "more lines")) rejected") }
    }

    private func say(_ message: String) { StandardError.say(message) }

    private func sayIfVerbose(_ message: @autoclosure () -> String) {
        if isVerbose { say(message()) }
    }
}

/// The display of how far a feed is: operations that are settled, and their share of the input.
struct FeedProgressDisplay {
    private let tally: FeedTally
    private let display: ProgressDisplay

    /// Starts the display; `printsLines` if a line is printed for each operation.
    init(_ style: ProgressStyle, printsLines: Bool, of extent: FeedExtent) {
        let tally = FeedTally(extent)
        self.tally = tally
        display = ProgressDisplay(style, printsLines: printsLines) { tally.count }
    }

    /// Notes what has happened.
    func note(_ event: FeedEvent, _ report: StatusReport) {
        let now = display.elapsed
        tally.note(report, at: now)
        switch event {
        case .retrying(_, let failure, _), .flow(.waiting(let failure, _)): tally.note(failure: failure.message)
        case .flow(.standstill(let standstill)):
            tally.note(failure: standstill.failure?.message, givesUpAt: standstill.givesUpAfter.map { now + $0 })
        default: break
        }
    }

    func finish() { display.finish() }
}

/// How much a feed has before it, as far as that is known.
struct FeedExtent: Sendable {
    /// How much of the input was read; `nil` if it is not read from bytes.
    let input: InputProgress?
    /// The number of operations, if it is known before the first is sent.
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
        /// When the feed gives up; `nil` if it does not, or has not said so.
        var givesUpAt: Duration?
    }

    private let extent: FeedExtent
    private let state = Mutex(State())

    init(_ extent: FeedExtent) { self.extent = extent }

    /// Notes how the feed stands at a time, counted from the beginning.
    func note(_ report: StatusReport, at time: Duration) {
        note(report.counts, errors: report.errorCount, inFlight: report.operationsInFlight, at: time)
    }

    /// Notes why nothing is settled, and when the feed gives up.
    func note(failure: String?, givesUpAt: Duration? = nil) {
        state.withLock { state in
            if let failure { state.failure = failure }
            if let givesUpAt { state.givesUpAt = givesUpAt }
        }
    }

    /// Notes how the operations stand at a time, counted from the beginning.
    func note(_ counts: FeedCounts, errors: Int, inFlight: Int = 0, at time: Duration) {
        state.withLock { state in
            let hasProgressed = counts.settled != state.count.items
            state.count.items = counts.settled
            state.count.errors = errors
            state.count.inFlight = inFlight
            state.accepted = counts.accepted
            if hasProgressed { (state.failure, state.givesUpAt) = (nil, nil) }
            if counts.open == 0 {
                state.waitsSince = nil
            } else if hasProgressed || state.waitsSince == nil {
                state.waitsSince = time
            }
        }
    }

    /// How far the feed is; operations that are open count as bytes that are not done.
    var count: ProgressCount {
        let (read, total) = (extent.input?.bytesRead, extent.input?.totalBytes)
        return state.withLock { state in
            let share = state.accepted > 0 ? Double(state.count.items) / Double(state.accepted) : 0
            // What was read may have no operation yet, and so the share may fall; bytes that are done stay done.
            state.count.bytes = read.map { max(state.count.bytes ?? 0, Int(Double($0) * min(1, share))) }
            state.count.totalItems = extent.operations
            state.count.totalBytes = extent.operations == nil ? total : nil
            state.count.wait = state.waitsSince.map {
                .init(since: $0, reason: state.failure, givesUpAt: state.givesUpAt)
            }
            return state.count
        }
    }
}

/// The display of what a command reads before it feeds; that of the feed follows it.
final class PreparationDisplay: Sendable {
    private let tally: Tally
    private let display: ProgressDisplay

    private final class Tally: Sendable {
        let read = Atomic(0)
    }

    init(_ style: ProgressStyle) {
        let tally = Tally()
        self.tally = tally
        display = ProgressDisplay(style) {
            var count = ProgressCount(of: .read)
            count.items = tally.read.load(ordering: .relaxed)
            return count
        }
    }

    /// Notes how many records were read so far.
    func note(_ count: Int) { tally.read.store(count, ordering: .relaxed) }

    func finish() { display.finish(isLast: false) }
}
