import ArgumentParsing
import CommandKit
import ContentFeeding
import EngineCatalog
import FeedJobs
import FeedReports
import Files
import ReportKit
import TextKit

/// A feed as a command runs it: it prints events and the account, writes the report, and handles Ctrl-C.
struct FeedRun: Sendable {
    var plan: FeedPlan
    /// The command, if it is not the usual one for what is done.
    var command: FeedCommand?
    private let output: OutputOptions
    private let queues: Bool

    init(_ plan: FeedPlan, _ journal: JournalOptions, _ output: OutputOptions, as command: FeedCommand? = nil) {
        self.plan = plan
        self.plan.jobs = journal.policy
        self.plan.words = CommandLineWords.ofProcess.words
        self.command = command
        self.output = output
        queues = journal.isQueueing
    }

    /// Resolves the target and its collection, and requires a protected context's name; opens nothing yet.
    static func prepare(
        _ kind: ContentOperation.Kind,
        _ input: PendingInput,
        at target: TargetOptions,
        in collection: CollectionOptions,
        _ protection: ProtectionOptions,
        _ options: FeedOptions,
        _ journal: JournalOptions,
        _ output: OutputOptions
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
        return FeedRun(plan, journal, output)
    }

    /// Refuses a source that is the very collection that is fed.
    func refuse(source: OpenableTarget, _ choice: CollectionChoice) throws {
        let (from, to) = (source.resolved.address, plan.target.resolved.address)
        // A path may be written in several ways.
        let files = [from, to].map { address in address.files.first.flatMap { FileIdentity($0) } }
        let isSameStore = from == to || (files[0] != nil && files[0] == files[1])
        guard isSameStore, choice.engineName == plan.collection.engineName else { return }
        throw ArgumentError(
            plan.kind == .add
                ? "'\(plan.collection.name)' cannot be copied to itself"
                : "'\(plan.collection.name)' cannot be the source of what is removed from it",
            advice: "Name another --source"
        )
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
            stop: { interruption.reason },
            report: { aftermath in
                circumstances.note(aftermath)
                conclusion = try print(sent.result, &circumstances, aftermath, printer, report)
            }
        )
        return ExitCode(status(of: sent.result, aftermath, conclusion, circumstances))
    }

    /// Prints the account, writes the report, and prints what happened and how to go on.
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
        if plan.isAlwaysBackedUp, let file = aftermath.backup, result.report.counts.accepted > 0 {
            StandardError.say(
                "what the documents were is in \(file); take it back with: fastctl undo \(result.report.job)"
            )
        }
        let conclusion = FeedConclusion(result.report, circumstances)
        for line in conclusion.lines { StandardError.say(line) }
        return conclusion
    }

    /// Returns the exit status, and prints why the end of the job could not be noted.
    private func status(
        of result: FeedResult,
        _ aftermath: FeedAftermath,
        _ conclusion: FeedConclusion?,
        _ circumstances: FeedCircumstances
    ) -> ExitStatus {
        let status = conclusion?.status ?? .done
        guard let failure = aftermath.endFailure else { return status }
        // The failure that stopped the feed may be why its end can't be noted either; it is printed already.
        guard conclusion?.lines.contains(where: { $0.contains(failure.message) }) != true else { return status }
        if let loss = aftermath.lossAtEnd {
            StandardError.say(loss.message)
            var circumstances = circumstances
            circumstances.lossOfTarget = .init(loss.status, loss.message)
            return FeedConclusion(result.report, circumstances).status
        }
        // Everything is done; only the next run of the same command will look at the input once more.
        StandardError.say("the end of job \(result.report.job) could not be noted: \(failure.message)")
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

    /// Refuses a file of failed records that would replace one this run needs, or that could not be written at the end.
    private func refuseToLoseFailedRecords() throws {
        guard let path = plan.failedRecords else { return }
        let others = [plan.backup, output.report].compactMap(\.self) + plan.target.resolved.address.files
        let identities = Set((plan.input.files + others).compactMap { FileIdentity($0) })
        if path == output.report || FileIdentity(path).map(identities.contains) ?? false {
            throw ArgumentError("--failed \(path) would overwrite a file that this run needs; use another one")
        }
        guard plan.jobs.isOff, plan.input.comesOnce else { return }
        throw ArgumentError("--failed reads the input again, which a pipe allows only with a journal: use a file")
    }

    /// The facts of a conclusion besides the report; `feed` is `nil` before it is prepared.
    private func circumstances(of feed: PreparedFeed? = nil) -> FeedCircumstances {
        let plan = feed?.plan ?? plan
        var circumstances = FeedCircumstances(
            kind: plan.kind,
            command,
            target: feed?.store.target ?? "",
            commandLine: plan.resumingWords
        )
        circumstances.readsStandardInput = plan.input.readsStandardInput
        circumstances.findsItsInput = plan.input.collection?.findsWhatIsLeft ?? false
        circumstances.startedAt = plan.input.startedAt
        circumstances.failsOnEmpty = plan.input.failsOnEmpty
        circumstances.keptJob = feed?.job.claim?.id
        circumstances.isInputPartial = feed?.job.isPartial ?? false
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
