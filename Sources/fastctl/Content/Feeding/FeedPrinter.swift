import ContentFeeding
import ReportRendering

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
        output = StandardOutput(isWhole: options.format == .json)
        self.collection = collection
        isVerbose = options.isVerbose
        self.interruption = interruption
        progress = FeedProgressDisplay(
            options.progress.style,
            printsLines: !options.isQuiet && options.format != .json,
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
