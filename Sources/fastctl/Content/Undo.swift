import ArgumentParsing
import ContentFeeding
import EngineCatalog
import FeedFormats
import JobJournal
import ReportRendering

struct Undo: Command {
    static let configuration = CommandConfiguration(
        "undo",
        foreignNames: ["revert", "rollback"],
        group: "Content",
        summary: "Take back what a job with a backup did, document by document.",
        discussion: """
            Removed documents are restored, added ones removed, updated ones put back, from what the job's --backup saved. \
            A document that somebody has changed since stays as it is, and is a document error (changed-since, exit code \
            1): the backup knows what the job left of each document, and nothing is written over anything else. What \
            already is as it was before is left alone (noop).

            Taking back is a job itself: it is resumed as any other, and saves what it changes beside its journal, so that \
            it can be taken back too. That file goes with the job, 30 days after its end; --backup names one that stays.

            A backup of which a part is missing, was changed or can't be read is refused before anything is sent; with \
            --partial, what can be read is taken back.
            """,
        examples: [
            .init("fastctl undo K7Z3VQ8M1T5R9XBC --dry-run", "See what would be taken back"),
            .init("fastctl undo K7Z3", "Take it back; the beginning of the job's name is enough"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var guards: BackedUpGuards

    @Flag("--partial", help: "Take back what can be read, if a part of the job's backup is missing or damaged")
    var isPartial

    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Journal") var journal: JournalOptions
    @OptionGroup("Output") var output: OutputOptions

    @Argument("JOB", completion: .jobs, help: "The job; the beginning of its name is enough")
    var name: String

    func validate() throws {
        if journal.isOff { throw ValidationError("an undo is always a job, so that it can be taken back itself") }
        if journal.isQueueing {
            throw ValidationError("--queue cannot keep what an undo compares; run it when the target answers")
        }
        if journal.retried != nil {
            throw ValidationError("run the undo again instead: it finds what is left, and compares it as before")
        }
    }

    func run() async throws -> ExitCode {
        let origin = try await JobOrigin(of: name, in: JobPlace(target: target, folder: journal.folder))
        let backups = origin.job.record.backups
        guard !backups.isEmpty else {
            throw CommandFailure(
                .inputNotOpened,
                "job \(origin.job.id) has no backup, so nobody knows what it changed; nothing was sent",
                advice: "run the next one with --backup FILE"
            )
        }
        let lock = try origin.job.lock()
        defer { withExtendedLifetime(lock) {} }
        let start = ProcessEnvironment.currentFolder
        let backup = guards.backup
        try origin.enterFolder()
        let states = try await states(of: origin)
        if !isPartial { try states.refuseFlaws() }
        for flaw in states.flaws { StandardError.say(flaw) }

        var input = PendingInput(states)
        input.startedAt = ProcessEnvironment.now
        if guards.dryRun.side != nil { return try await preview(input, origin) }
        try origin.target.requireConfirmation(guards.protection.names, to: "take back what was done to it")
        var feed = FeedRun(
            kind: .add,
            collection: origin.collection,
            target: origin.target,
            input: input,
            options: feeding.options(missing: .ignore),
            output: output
        )
        feed.command = .undo
        feed.journal = journal
        feed.backup = backup.map { $0.hasPrefix("/") ? $0 : "\(start)/\($0)" }
        feed.isAlwaysBackedUp = true
        feed.limit = guards.maximum
        feed.directory = start
        if origin.job.record.stage.isUnfinished {
            let id = origin.job.id
            StandardError.say("job \(id) is unfinished, and would go on later: fastctl jobs cancel \(id) ends it")
        }
        return try await feed.run()
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
