import ArgumentParsing
import CommandKit
package import ContentFeeding
import EngineCatalog
package import FeedFormats
import FeedJobs
import FeedReports
import Files
package import ReportKit
import Synchronization
import TextKit

/// A feed that is run by a command: it prints events and totals, writes the report, and handles Ctrl-C.
struct FeedRun: Sendable {
    var plan: FeedPlan
    /// The command, if it is not the usual one for the kind of operation.
    var command: FeedCommand?
    /// The changes that an undo can't revert; `nil` if there are none.
    var notTakenBack: FeedCircumstances.NotTakenBack?
    private let output: OutputOptions
    private let queues: Bool

    init(
        _ plan: FeedPlan,
        _ journal: JournalOptions,
        _ output: OutputOptions,
        _ queue: QueueOptions? = nil,
        as command: FeedCommand? = nil
    ) {
        self.plan = plan
        self.plan.jobs = journal.policy
        if let queue { self.plan.jobs.maximumSpoolBytes = queue.largestSpool.bytes }
        self.plan.words = CommandLineWords.ofProcess.words
        self.plan.comparable = { [program = CommandContext.current.program] in program.ordered($0) }
        self.command = command
        self.output = output
        queues = queue?.isQueueing ?? false
    }

    /// Resolves the target and its collection, and requires a protected context's name, without opening anything.
    static func prepare(
        _ kind: ContentOperation.Kind,
        _ input: PendingInput,
        at target: TargetOptions,
        in collection: CollectionOptions,
        _ protection: ProtectionOptions,
        _ options: FeedOptions,
        _ journal: JournalOptions,
        _ output: OutputOptions,
        _ queue: QueueOptions? = nil
    ) throws -> FeedRun {
        let target = try target.resolve(collection: collection.name)
        let collection = try collection.required(in: target)
        let action =
            switch kind {
            case .add: "add to it"
            case .update: "update documents in it"
            case .remove: "remove from it"
            }
        try target.requireConfirmation(protection.names, to: action)
        var plan = FeedPlan(kind, input, at: target, in: collection)
        plan.options = options
        return FeedRun(plan, journal, output, queue)
    }

    /// Refuses a source that is the collection to be fed.
    static func refuse(
        source: (target: OpenableTarget, choice: CollectionChoice)?,
        of kind: ContentOperation.Kind,
        in place: (target: OpenableTarget, choice: CollectionChoice)
    ) throws {
        guard let source else { return }
        let (from, to) = (source.target.resolved.address, place.target.resolved.address)
        // The same path may be written in several ways.
        let files = [from, to].map { address in address.files.first.flatMap { FileIdentity($0) } }
        let isSameStore = from == to || (files[0] != nil && files[0] == files[1])
        guard isSameStore, source.choice.engineName == place.choice.engineName else { return }
        throw ArgumentError(
            kind == .add
                ? "'\(place.choice.name)' cannot be copied to itself"
                : "'\(place.choice.name)' cannot be the source of its own removals",
            advice: "Use another --source"
        )
    }

    /// Refuses a source that is the collection to be fed.
    func refuse(source: (target: OpenableTarget, choice: CollectionChoice)?) throws {
        try Self.refuse(source: source, of: plan.kind, in: (plan.target, plan.collection))
    }

    func run() async throws -> ExitCode {
        let isStore = plan.target.resolved.address.nodes.isEmpty
        let replyLimit = isStore ? plan.target.options.busyTimeout : plan.target.resolved.requestTimeout
        let interruption = Interruption(resumption: circumstances().resumption, replyLimit: replyLimit)
        let used = [plan.backup].compactMap(\.self) + plan.target.resolved.address.files
        try output.refuseToOverwrite(plan.input.files + used)
        try refuseToLoseFailedRecords()
        if queues { return try await queue(interruption) }
        let report = try output.newReport(in: plan.directory)
        let feed = try await interruption.preparing { [plan] in
            do {
                return try await plan.prepare()
            } catch let error as FeedJobError where error.code == .usage {
                throw ArgumentError(error.message, advice: error.advice)
            }
        }
        interruption.note(resumption: circumstances(of: feed).resumption)
        let printer = FeedPrinter(
            output,
            collection: feed.engine.collection,
            input: FeedExtent(input: feed.extent.input, operations: feed.extent.operations),
            interruption: interruption
        )
        let sent = try await feed.send(stops: interruption.whileFeeding, observe: printer.observe)
        if sent.result.report.end == .completed { interruption.enterAfterCare() }
        var circumstances = circumstances(of: feed)
        var conclusion: FeedConclusion?
        let aftermath = try await sent.conclude(
            report: { aftermath in
                circumstances.note(aftermath)
                // Without any operation, the record of the backup is removed.
                if sent.result.report.counts.accepted > 0 { circumstances.recordedJob = aftermath.recordedJob }
                conclusion = try print(sent.result, &circumstances, aftermath, printer, report)
            },
            stop: { interruption.reason }
        )
        return ExitCode(status(of: sent.result, aftermath, conclusion, circumstances))
    }

    /// Prints the totals, writes the report, and prints the conclusion and how to continue.
    private func print(
        _ result: FeedResult,
        _ circumstances: inout FeedCircumstances,
        _ aftermath: FeedAftermath,
        _ printer: FeedPrinter,
        _ report: AtomicFile?
    ) throws -> FeedConclusion {
        try printer.finish(result, &circumstances)
        if let report {
            do {
                try write(result, circumstances, to: report)
            } catch {
                circumstances.outputFailures.append("no report was written: \(Failure(error).message)")
            }
        }
        let counts = result.report.counts
        // Failed and open operations may also have changed something.
        let mayHaveChanged = counts.accepted > counts[.noop] + counts[.missing]
        if plan.isAlwaysBackedUp, let file = aftermath.backup, mayHaveChanged {
            let command =
                circumstances.keptJob.map { "undo \($0)" } ?? "add --format jsonl \(CommandLineWords.quoted(file))"
            StandardError.say("the previous versions are in \(file); to undo: fastctl \(command)")
        }
        if let remark = remarkOnUndoing(result, circumstances, aftermath) { StandardError.say(remark) }
        let conclusion = FeedConclusion(result.report, circumstances)
        for line in conclusion.lines { StandardError.say(line) }
        if conclusion.status == .done, result.report.counts.accepted == 0, let hint = circumstances.selection?.hint {
            StandardError.say(hint)
        }
        return conclusion
    }

    /// Returns a remark for a user at a terminal on how to undo changes that 'undo' can't revert; `nil` without a
    /// terminal.
    private func remarkOnUndoing(
        _ result: FeedResult,
        _ circumstances: FeedCircumstances,
        _ aftermath: FeedAftermath
    ) -> String? {
        let counts = result.report.counts
        guard counts[.removed] + counts[.updated] > 0, !output.isQuiet, !plan.isAlwaysBackedUp,
            FileDescriptor.standardError.isTerminal
        else { return nil }
        guard let file = aftermath.backup else {
            let changes =
                counts[.updated] == 0 ? "removals" : plan.kind == .update ? "updates" : "replacements of documents"
            return "\(changes) without --backup FILE can't be undone"
        }
        guard circumstances.keptJob == nil else { return nil }
        if let job = aftermath.recordedJob { return "to undo: fastctl undo \(job)" }
        let place = "-c \(CommandLineWords.quoted(plan.collection.name))"
        return "no job is kept; to undo: fastctl add \(place) --format jsonl \(CommandLineWords.quoted(file))"
    }

    /// Returns the exit status, and prints the reason if the end of the job could not be recorded.
    private func status(
        of result: FeedResult,
        _ aftermath: FeedAftermath,
        _ conclusion: FeedConclusion?,
        _ circumstances: FeedCircumstances
    ) -> ExitStatus {
        let status = conclusion?.status ?? .done
        guard let failure = aftermath.endFailure else { return status }
        // The failure that stopped the feed may also prevent its end from being recorded; it was already printed.
        guard conclusion?.lines.contains(where: { $0.contains(failure.message) }) != true else { return status }
        if let loss = aftermath.lossAtEnd {
            StandardError.say(loss.message)
            var circumstances = circumstances
            circumstances.lossOfTarget = .init(loss.status, loss.message)
            return FeedConclusion(result.report, circumstances).status
        }
        // Everything is done; the only effect is that the next run of the same command will read the input again.
        StandardError.say("cannot record that job \(result.report.job) ended: \(failure.message)")
        return status
    }

    private func write(_ result: FeedResult, _ circumstances: FeedCircumstances, to file: AtomicFile) throws {
        var bytes: [UInt8] = []
        try ReportObject(result, circumstances).append(to: &bytes) { try file.write(&$0) }
        try file.write(&bytes)
        try file.finish()
    }

    /// Accepts the work, to be sent by `fastctl jobs push`.
    private func queue(_ interruption: Interruption) async throws -> ExitCode {
        let queued = try await interruption.preparing { [plan] in try await plan.queue() }
        let operations = Quantity(queued.operations, "operation", "operations")
        let rejected = queued.rejected == 0 ? "" : "; \(Quantity(queued.rejected, "line", "lines")) rejected"
        StandardError.say("\(plan.collection.name): \(operations) queued\(rejected) (job \(queued.job))")
        StandardError.say("send it with: fastctl jobs push \(queued.job)")
        return ExitCode(queued.rejected > 0 ? .inputRejected : .done)
    }

    /// Refuses a file of failed records that would replace a file that this run needs, or that could not be written at
    /// the end.
    private func refuseToLoseFailedRecords() throws {
        guard let path = plan.failedRecords else { return }
        let others = [plan.backup, output.report].compactMap(\.self) + plan.target.resolved.address.files
        let identities = Set((plan.input.files + others).compactMap { FileIdentity($0) })
        if path == output.report || FileIdentity(path).map(identities.contains) ?? false {
            throw ArgumentError("--failed \(path) would overwrite a file that this run needs; use another one")
        }
        guard plan.jobs.isOff, plan.input.comesOnce else { return }
        throw ArgumentError(
            "--failed reads the input again, but a pipe can be read again only with a journal: use a file"
        )
    }

    /// Returns the command line that continues the work, as a user may type it.
    ///
    /// For a job that is run by 'jobs resume' or 'jobs push', this is that command, because the option that names the
    /// job is internal.
    private static func shownWords(_ plan: FeedPlan) -> CommandLineWords {
        let words = plan.resumingWords
        guard let job = plan.jobs.job else { return words }
        let places = ["--target", "--context", "--journal"].flatMap { option in
            words.value(of: option).map { [option, $0] } ?? []
        }
        return CommandLineWords(words.words.prefix(1) + ["jobs", "resume", job.rawValue] + places)
    }

    /// Returns the facts for a conclusion that are not in the report; `feed` is `nil` before it is prepared.
    private func circumstances(of feed: PreparedFeed? = nil) -> FeedCircumstances {
        let plan = feed?.plan ?? plan
        var circumstances = FeedCircumstances(
            kind: plan.kind,
            command,
            target: feed?.store.target ?? "",
            commandLine: Self.shownWords(plan)
        )
        circumstances.readsStandardInput = plan.input.readsStandardInput
        circumstances.selection = plan.input.collection?.selection
        circumstances.findsItsInput = plan.input.collection?.findsWhatIsLeft ?? false
        circumstances.startedAt = plan.input.startedAt
        circumstances.failsOnEmpty = plan.input.failsOnEmpty
        circumstances.keptJob = feed?.job.claim?.id
        circumstances.repeatedRun = feed?.job.claim?.state?.repeated
        circumstances.isInputPartial = feed?.job.isPartial ?? false
        circumstances.notTakenBack = notTakenBack
        return circumstances
    }
}

extension FeedCircumstances {
    fileprivate mutating func note(_ aftermath: FeedAftermath) {
        verification = aftermath.verification
        lossOfTarget = aftermath.lossOfTarget.map { LateFailure($0.status, $0.message) }
        purgeFailure = aftermath.purgeFailure.map { failure in
            LateFailure(failure.status, failure.message + (failure.advice.map { "; \($0)" } ?? ""))
        }
        outputFailures += [aftermath.failedRecordsFailure].compactMap(\.self)
    }
}

/// The observer of feeds that prints remarks to standard error.
struct CommandObserver: FeedObserver {
    func remark(_ line: String) { StandardError.say(line) }
}

// MARK: Printing while it runs

/// A printer for a running feed, which writes results to standard output and the rest to standard error.
///
/// This is a class because the feed's observer and the end of the command share its buffer.
final class FeedPrinter {
    private var transcript: FeedTranscript
    private let collection: CollectionName
    private let isVerbose: Bool
    private let interruption: Interruption
    private let output: StandardOutput
    private let progress: FeedProgressDisplay
    private var bytes: [UInt8] = []

    private static let drainThreshold = 64 << 10

    /// Creates a printer; `input` returns the extent of the input that was read.
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
        progress = FeedProgressDisplay(options.progress.style, of: input)
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
        case .flow(let change):
            let sentence = FlowSentence(change)
            if sentence.isAboutWaiting { say(sentence.text) } else { sayIfVerbose(sentence.text) }
        case .sent(let batch, let count): sayIfVerbose("batch \(batch.rawValue) sent: \(count)")
        }
        progress.note(event, report)
    }

    /// Prints the final totals, and records whether printing succeeded.
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
            // The list is incomplete, but the totals must be complete.
            output.drain(&bytes)
            note(output.failure ?? "the list of document errors is incomplete: \(error)")
        }
        let unnamed = result.report.input.rejected - result.report.rejections.count
        if unnamed > 0 { StandardError.say("and \(Quantity(unnamed, "more line", "more lines")) rejected") }
    }

    private func say(_ message: String) { StandardError.say(message) }

    private func sayIfVerbose(_ message: @autoclosure () -> String) {
        if isVerbose { say(message()) }
    }
}

/// The display of a feed's progress: the operations that are settled, and their share of the input.
struct FeedProgressDisplay {
    private let tally: FeedTally
    private let display: ProgressDisplay

    /// Starts the display.
    init(_ style: ProgressStyle, of extent: FeedExtent) {
        let tally = FeedTally(extent)
        self.tally = tally
        display = ProgressDisplay(style) { tally.count }
    }

    /// Records an event.
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

/// The known extent of a feed's input.
package struct FeedExtent: Sendable {
    /// The progress of reading the input; `nil` if it is not read from bytes.
    let input: InputProgress?
    /// The number of operations, if it is known before the first operation is sent.
    var operations: Int?

    package init(input: InputProgress?, operations: Int? = nil) {
        (self.input, self.operations) = (input, operations)
    }
}

/// The counts of a feed for the thread that shows progress.
package final class FeedTally: Sendable {
    private struct State {
        var count = ProgressCount(of: .done)
        var accepted = 0
        /// The time since which operations have been open without any being settled; `nil` while none are open.
        var waitsSince: Duration?
        var failure: String?
        /// The time at which the feed gives up; `nil` if it does not give up, or has not announced the time.
        var givesUpAt: Duration?
    }

    private let extent: FeedExtent
    private let state = Mutex(State())

    package init(_ extent: FeedExtent) { self.extent = extent }

    /// Records the state of the feed at a time that is counted from the beginning.
    func note(_ report: StatusReport, at time: Duration) {
        note(report.counts, errors: report.errorCount, inFlight: report.operationsInFlight, at: time)
    }

    /// Records the reason no operations are settled, and the time at which the feed gives up.
    package func note(failure: String?, givesUpAt: Duration? = nil) {
        state.withLock { state in
            if let failure { state.failure = failure }
            if let givesUpAt { state.givesUpAt = givesUpAt }
        }
    }

    /// Records the state of the operations at a time that is counted from the beginning.
    package func note(_ counts: FeedCounts, errors: Int, inFlight: Int = 0, at time: Duration) {
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

    /// The progress of the feed; bytes of open operations do not count as done.
    package var count: ProgressCount {
        let (read, total) = (extent.input?.bytesRead, extent.input?.totalBytes)
        return state.withLock { state in
            let share = state.accepted > 0 ? Double(state.count.items) / Double(state.accepted) : 0
            // Bytes that were read may not have operations yet, so the share may decrease; completed bytes remain
            // complete.
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

/// The display of a command's reading before it feeds; the display of the feed follows.
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

    /// Records how many records were read so far.
    func note(_ count: Int) { tally.read.store(count, ordering: .relaxed) }

    func finish() { display.finish(isLast: false) }
}
