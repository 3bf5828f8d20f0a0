import ArgumentParsing
import CommandKit
import ContentFeeding
import EngineCatalog
import FeedFormats
import FeedJobs
import FeedReports
import Files
import JobJournal
import Reconciliation
import ReportKit
import TextKit

struct Apply: Command {
    static let configuration = CommandConfiguration(
        "apply",
        group: "Content",
        summary: "Carry out a plan from 'reconcile' or 'find'.",
        discussion: """
            The plan specifies its collection, and the state for which it was made. It is refused, with exit code 3, \
            if the collection has changed since then. Each operation is carried out only if its document is still as \
            recorded in the plan; otherwise, a conflict is reported, and the document is left unchanged. Dry runs \
            check the collection too, and are refused in the same cases; --dry-run=server lists the conflicts.

            A plan that replaces or updates more than half of the collection, and more than 100 documents, is refused \
            unless --max-replace allows it: such a plan results from a source that holds less of each document than \
            the collection does.

            A truncated plan is refused. If you edited the plan on purpose, use --edited.

            Before a document changes, its previous version is always written to a file: the --backup file, or one \
            next to the job. To resume an interrupted run, run it again.
            """,
        examples: [
            .init("fastctl apply --dry-run=server drift.plan", "See what would change"),
            .init("fastctl apply drift.plan --max-remove 5%", "Carry it out, unless it would remove too much"),
        ],
        commonOptions: ["--dry-run", "--max-remove", "--max-replace", "--edited", "--confirm", "--quiet"]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Guards") var guards: BackedUpGuards

    @Option(
        "--max-replace",
        value: "N|N%",
        help: "Send nothing if more documents than this would be replaced or updated (default: 50%, but at least 100)"
    )
    var maximumReplacements: RemovalLimit?

    @Flag("--edited", help: "Accept a plan that was edited after it was written, as long as its end is intact")
    var isEdited

    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Journal") var journal: JournalOptions
    @OptionGroup("Output") var output: OutputOptions

    @Argument("PLAN", completion: .files, help: "The plan, which 'reconcile --plan' or 'find --plan' writes")
    var path: String

    func validate() throws {
        if journal.isOff, guards.backup == nil {
            throw ValidationError("--no-journal leaves nowhere to keep the backup: specify a file with --backup")
        }
    }

    func run() async throws -> ExitCode {
        let plan = try plan()
        let (target, choice) = try resolved(plan.header)
        let kind: ContentOperation.Kind = plan.tally.additions > 0 ? .add : .remove
        let input = PendingInput(PlanInput(plan: plan, path: absolutePath))
        let guardian = PlanGuard(plan, limit: guards.maximum, replacements: maximumReplacements)
        var feed = FeedRun(FeedPlan(kind, input, at: target, in: choice), journal, output, as: .apply)
        feed.plan.options = feeding.options(missing: .error)
        if let side = guards.dryRun.side {
            var dryRun = DryRun(kind, input, side, guards.dryRun, output) { (target, choice) }
            dryRun.command = .apply
            dryRun.requirement = { [feed] store, engine in
                let request = JobRequest(feed.plan, engine)
                let job = try await FeedJob.resumed(by: request, on: .existing(of: store, feed.plan.jobs))
                if let job { StandardError.say("without --dry-run, this would resume job \(job.id)") }
                return try await guardian.verdict(on: engine, isResumed: job != nil)
            }
            return try await dryRun.run()
        }
        try target.requireConfirmation(guards.protection.names, to: "carry out the plan")
        feed.plan.backup = guards.backup
        feed.plan.isAlwaysBackedUp = true
        feed.plan.requirement = { engine, isResumed in try await guardian.check(engine, isResumed: isResumed) }
        return try await feed.run()
    }

    private func plan() throws -> PlanFile {
        let display = PreparationDisplay(output.progress.style)
        defer { display.finish() }
        return try PlanFile(path, allowsEdits: isEdited, note: display.note)
    }

    private var absolutePath: String { ProcessFacts.absolutePath(of: path) }

    /// Returns the plan's collection, from the options or otherwise from the plan; refuses any other collection.
    private func resolved(_ header: PlanHeader) throws -> (OpenableTarget, CollectionChoice) {
        let resolved = try target.resolve(
            collection: collection.name,
            orElseContext: header.context,
            address: header.target
        )
        let address = "\(resolved.resolved.address)"
        guard address == header.target else {
            let reason = "for '\(header.collection)' in \(header.target), not in \(address)"
            throw refusal(reason, unless: target.adviceToOmit)
        }
        let choice =
            collection.name.map { resolved.collection($0) }
            ?? CollectionChoice(name: header.collection.rawValue, engineName: header.collection)
        guard choice.engineName == header.collection else {
            let reason = "for '\(header.collection)', not for '\(choice.name)'"
            throw refusal(reason, unless: "leave out --collection")
        }
        return (resolved, choice)
    }

    /// Returns the refusal of a plan for another collection; `change` is the change to the command that avoids it.
    private func refusal(_ reason: String, unless change: String?) -> Failure {
        Failure(
            .refused,
            "refused: the plan '\(path)' is \(reason); nothing was sent",
            advice: (change.map { "\($0), or " } ?? "") + "make a plan for that collection"
        )
    }
}

extension KeptJob {
    /// The reason the job can't be undone, as a clause; `nil` if it can be undone according to its record.
    fileprivate var obstacleToUndoing: String? {
        if record.stage == .queued { return "it has not been sent" }
        // Failed operations may have changed something, and the last operations of a run that has not ended may be
        // missing from its counts.
        let counts = record.counts
        if record.stage == .finished, counts.settled == counts[.noop] + counts[.missing] { return "it changed nothing" }
        if record.backups.isEmpty { return "it has no backup (--backup FILE)" }
        if let path = record.backups.first(where: { !NewFile.exists($0) }) { return "its backup is gone: \(path)" }
        return holder.map { "process \($0) is working on it" }
    }
}

extension Apply: JobMaker {
    var alias: AliasOptions { AliasOptions() }

    func keptInput() throws -> PendingInput { PendingInput(PlanInput(plan: try plan(), path: absolutePath)) }

    /// Returns the target on which the plan was carried out; the plan itself, which may no longer exist, names only the
    /// context.
    func target(of job: JobDescription) throws -> OpenableTarget {
        let plan = try? PlanFile(path.hasPrefix("/") ? path : "\(job.directory)/\(path)", allowsEdits: true)
        let context = plan.flatMap { $0.header.target == job.target ? $0.header.context : nil }
        return try target.resolve(collection: job.collection.rawValue, orElseContext: context, address: job.target)
    }
}

struct Undo: Command {
    static let configuration = CommandConfiguration(
        "undo",
        foreignNames: ["revert", "rollback"],
        group: "Content",
        summary: "Undo a job's changes from its backup, document by document.",
        discussion: """
            Removed documents are restored from the job's --backup, added ones removed and updated ones reverted. A \
            document that was changed after the job is left as it is, and reported as a document error (changed-since, \
            exit code 1): the backup records how the job left each document, and only that state is overwritten. A \
            document that is already in its state from before the job is not touched (noop).

            An undo is itself a job: it can be resumed like any other, and it saves the documents that it changes in a \
            file next to its journal, so that it can be undone too. That file is removed with the job, 30 days after \
            the job ends; a file specified with --backup is kept.

            If part of a backup is missing, was changed or can't be read, the undo is refused before anything is sent; \
            with --partial, the readable part is undone, the rest is counted, and the exit code is 1.
            """,
        examples: [
            .init("fastctl undo K7Z3VQ8M1T5R9XBC --dry-run", "See what would be undone"),
            .init("fastctl undo K7Z3", "Undo the job; the beginning of its name is enough"),
        ],
        commonOptions: ["--dry-run", "--max-remove", "--partial", "--backup", "--confirm", "--quiet"],
        optionAdvice: ["--last": "Use 'fastctl undo JOB'; without JOB, it lists the newest jobs"]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var guards: BackedUpGuards

    @Flag("--partial", help: "If part of the job's backup is missing or damaged, undo what can be read")
    var isPartial

    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Journal") var journal: JournalOptions
    @OptionGroup("Output") var output: OutputOptions

    @Argument(
        "JOB",
        completion: .jobsToUndo,
        help: "The job; the beginning of its name is enough; without it, the newest jobs are listed"
    )
    var name: String?

    func validate() throws {
        if journal.isOff { throw ValidationError("an undo is always a job, so that it can itself be undone") }
    }

    func run() async throws -> ExitCode {
        let place = JobPlace(target: target, folder: journal.folder)
        guard let name else { return try await list(place.jobs()) }
        var origin = try await JobOrigin(of: name, in: place)
        guard !origin.job.record.backups.isEmpty else {
            throw Failure(
                .inputNotOpened,
                "job \(origin.job.id) has no backup, so its changes are not known; nothing was sent",
                advice: "run the next job with --backup FILE"
            )
        }
        let lock = try await origin.lockToUndo()
        defer { withExtendedLifetime(lock) {} }
        let start = ProcessFacts.currentFolder
        let backup = guards.backup
        try origin.enterFolder()
        let states = try await states(of: origin)
        if !isPartial { try states.refuseFlaws(CommandObserver()) }
        for flaw in states.flaws { StandardError.say(flaw) }

        var input = PendingInput(states)
        input.startedAt = ProcessFacts.now
        if guards.dryRun.side != nil { return try await preview(input, origin) }
        try origin.target.requireConfirmation(guards.protection.names, to: "undo changes to it")
        let plan = FeedPlan(.add, input, at: origin.target, in: origin.collection)
        var feed = FeedRun(plan, journal, output, as: .undo)
        feed.plan.options = feeding.options(missing: .ignore)
        feed.plan.backup = backup.map { $0.hasPrefix("/") ? $0 : "\(start)/\($0)" }
        feed.plan.isAlwaysBackedUp = true
        feed.plan.limit = guards.maximum
        feed.plan.directory = start
        if !states.flaws.isEmpty {
            let changes = states.lostChanges > 0 ? states.lostChanges : nil
            feed.notTakenBack = FeedCircumstances.NotTakenBack(origin.job.id, changes: changes)
        }
        let status = try await feed.run()
        if status == .success, origin.job.record.stage.isUnfinished { try await end(origin.job) }
        return status
    }

    /// The maximum number of undoable jobs to list, and of other jobs.
    private static let (mostListed, mostOthers) = (10, 5)

    /// Lists the newest jobs, because the command line does not name one.
    private func list(_ jobs: [KeptJob]) -> ExitCode {
        let judged = jobs.map { (job: JobDisplay($0), obstacle: $0.obstacleToUndoing) }
        let able = judged.filter { $0.obstacle == nil }.map(\.job)
        let others = judged.compactMap { job, obstacle in obstacle.map { (job: job, obstacle: $0) } }
        if able.isEmpty {
            StandardError.say("name a job; none can be undone\(jobs.isEmpty ? ", because there are no jobs" : "")")
        } else {
            StandardError.say("name a job: fastctl undo JOB; these can be undone, newest first:")
        }
        for job in able.prefix(Self.mostListed) { StandardError.say("  \(job.summary)") }
        if !others.isEmpty { StandardError.say("these can't be undone:") }
        for (job, obstacle) in others.prefix(Self.mostOthers) { StandardError.say("  \(job.summary); \(obstacle)") }
        let unlisted = max(0, able.count - Self.mostListed) + max(0, others.count - Self.mostOthers)
        if unlisted > 0 {
            StandardError.say("and \(Quantity(unlisted, "older job", "older jobs")): see 'fastctl jobs list'")
        }
        return .usage
    }

    /// Ends an unfinished job that was undone, and whose lock this process holds: its command would otherwise resume
    /// it.
    private func end(_ job: KeptJob) async throws {
        try await job.ledger().cancel(job.id)
        job.removeSpool()
        StandardError.say(
            "job \(job.id) was unfinished and is now canceled: running its command again starts a new job"
        )
    }

    private func states(of origin: JobOrigin) async throws -> SavedStates {
        let engine = try await origin.engine()
        let failed = try await origin.job.failedOutcomes().map { DocumentKey($0.documentID, routing: $0.routing) }
        let display = PreparationDisplay(output.progress.style)
        defer { display.finish() }
        return try await SavedStates(of: origin.job.record, failed: failed, in: engine, note: display.note)
    }

    private func preview(_ input: PendingInput, _ origin: JobOrigin) async throws -> ExitCode {
        var dryRun = DryRun(.add, input, .server, guards.dryRun, output) { (origin.target, origin.collection) }
        dryRun.command = .undo
        dryRun.limit = guards.maximum
        return try await dryRun.run()
    }
}

struct Verify: Command {
    static let configuration = CommandConfiguration(
        "verify",
        group: "Content",
        summary: "Check that documents are still as a job left them.",
        discussion: """
            Reads the job's input again and looks up each document, to find removed documents that exist again, and \
            added or updated documents that are gone or differ from the state in which the job left them. This detects \
            late copies and removals, and changes by others, but not who made a change. If a document occurs several \
            times in the input, its last operation counts; failed operations are skipped. Operations that the job has \
            not sent, or that were not answered before the job was killed, are counted but not checked; the exit code \
            is then 75.

            The input must not have changed since the job read it. Input from a pipe is deleted when the job ends.
            """,
        examples: [
            .init("fastctl verify K7Z3VQ8M1T5R9XBC --after 10m", "Wait ten minutes first"),
            .init("fastctl verify K7Z3 -o name", "List the IDs of documents that have changed since"),
        ]
    )

    @OptionGroup("Target") var place: JobPlaceOptions
    @OptionGroup("Output") var output = RowOptions(OutputForm.items)
    @OptionGroup("Output") var quiet: QuietOptions
    @OptionGroup("Output") var progress: ProgressOptions

    @Option("--after", value: "DURATION", help: "Wait this long first")
    var delay = Duration.zero

    @Argument("JOB", completion: .jobs, help: "The job; the beginning of its name is enough")
    var name: String

    func run() async throws -> ExitCode {
        let origin = try await JobOrigin(of: name, in: JobPlace(target: place.target, folder: place.folder))
        let progress = SecondLookProgress()
        let input = try origin.input(noting: progress)
        try origin.enterFolder()
        try await input.check()
        if delay > .zero {
            let end = UTCTimestamp(since1970: ProcessFacts.now + delay)
            quiet.say(["waiting until \(end); Ctrl-C stops the wait without changing anything"])
            try await Task.sleep(for: delay)
        }
        let engine = try await origin.engine()
        let printer = FindingPrinter(output, in: engine.collection)
        let display = ProgressDisplay(self.progress.style) {
            progress.progressCount
        }
        defer { display.finish() }
        var tally = SecondLookTally()
        for try await states in input {
            let found = try await engine.allVersions(at: states.map(\.key))
            var findings: [SecondLookFinding] = []
            for (operation, answer) in zip(states, found) {
                let finding = SecondLookFinding(operation, answer, in: engine.capabilities)
                tally.note(finding)
                if finding.difference != nil { findings.append(finding) }
            }
            progress.note(differences: tally.wrong)
            try printer.print(findings)
        }
        display.finish()
        try printer.finish()
        let reservation = await engine.lookupReservation()
        tally.rest = progress.rest
        var statuses = tally.statuses
        var lines = [tally.sentence(of: origin.job.id, in: engine.collection, reservation)]
        if origin.job.record.stage.isUnfinished, origin.job.holder == nil {
            lines.append("the job is unfinished; resume it with: fastctl jobs resume \(origin.job.id)")
        }
        quiet.say(lines, .first(of: statuses))
        if printer.unwritableNames > 0 { statuses.append(.inputRejected) }
        return ExitCode(.first(of: statuses))
    }
}

/// A printer of the findings of a later check, in the requested form.
///
/// This is a class because printing changes state that is needed at the end.
private final class FindingPrinter {
    private let output = StandardOutput()
    private var bytes: [UInt8] = []
    private var transcript: SecondLookTranscript

    init(_ options: RowOptions, in collection: CollectionName) {
        transcript = SecondLookTranscript(options.form, nameEnd: options.nameEnd, in: collection)
    }

    var unwritableNames: Int { transcript.unwritableNames }

    func print(_ findings: [SecondLookFinding]) throws {
        for finding in findings { transcript.append(finding, to: &bytes) }
        try output.drainOrStop(&bytes)
    }

    func finish() throws {
        transcript.end(in: &bytes)
        try output.drainOrStop(&bytes)
        if unwritableNames > 0 { StandardError.say(NameEnd.refusal(of: unwritableNames)) }
    }
}
