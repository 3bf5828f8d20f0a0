import ArgumentParsing
import ContentFeeding
import EngineCatalog
import FeedFormats
import JobJournal
import Reconciliation
import ReportRendering

struct Apply: Command {
    static let configuration = CommandConfiguration(
        "apply",
        group: "Content",
        summary: "Carry out a plan of 'reconcile' or 'find'.",
        discussion: """
            The plan says which collection it is for, and what that was. It is refused, with exit code 3, if the \
            collection was changed since then; and each operation is done only if its document is still as the plan saw \
            it: else that is a conflict, and the document stays as it is. Dry runs look at the collection too, and are \
            refused as the run itself would be; --dry-run=server names the conflicts.

            A plan that was cut off is refused. Whoever has removed lines from it, on purpose, says --edited.

            What each document was is always written to a file before it changes: next to the job, or where --backup says. \
            An interrupted run goes on when it is run again.
            """,
        examples: [
            .init("fastctl apply --dry-run=server drift.plan", "See what would change"),
            .init("fastctl apply drift.plan --max-remove 5%", "Carry it out, unless it removes too much"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Guards") var guards: BackedUpGuards

    @Flag("--edited", help: "Take a plan that was changed since it was written, as long as its end is there")
    var isEdited

    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Journal") var journal: JournalOptions
    @OptionGroup("Output") var output: OutputOptions

    @Argument("PLAN", completion: .files, help: "The plan")
    var path: String

    func validate() throws {
        if journal.isOff, guards.backup == nil {
            throw ValidationError("--no-journal leaves no place for the backup: name a file with --backup")
        }
        if journal.isQueueing { throw ValidationError("a plan is for the collection as it is now: it cannot --queue") }
        if journal.retried != nil {
            throw ValidationError("a plan is for the collection as it was: make a new one for what has failed")
        }
    }

    func run() async throws -> ExitCode {
        let plan = try plan()
        let (target, choice) = try resolved(plan.header)
        let kind: ContentOperation.Kind = plan.tally.additions > 0 ? .add : .remove
        let input = PendingInput(PlanInput(plan: plan, path: absolutePath))
        let guardian = PlanGuard(plan, limit: guards.maximum)
        var feed = FeedRun(
            kind: kind,
            collection: choice,
            target: target,
            input: input,
            options: feeding.options(missing: .error),
            output: output
        )
        feed.command = .apply
        feed.journal = journal
        if let side = guards.dryRun.side {
            var dryRun = DryRun(kind, input, side, guards.dryRun, output) { (target, choice) }
            dryRun.command = .apply
            dryRun.requirement = { [feed] store, engine in
                let request = JobRequest(feed, engine)
                let job = try await FeedJob.resumed(by: request, on: .existing(of: store, feed.journal))
                if let job { StandardError.say("the run itself would go on with job \(job.id)") }
                return try await guardian.verdict(on: engine, isResumed: job != nil)
            }
            return try await dryRun.run()
        }
        try target.requireConfirmation(guards.protection.names, to: "carry out the plan")
        feed.backup = guards.backup
        feed.isAlwaysBackedUp = true
        feed.requirement = { engine, isResumed in try await guardian.check(engine, isResumed: isResumed) }
        return try await feed.run()
    }

    private func plan() throws -> PlanFile {
        let display = PreparationDisplay(output.progress.style)
        defer { display.finish() }
        return try PlanFile(path, allowsEdits: isEdited, note: display.note)
    }

    private var absolutePath: String { ProcessEnvironment.absolutePath(of: path) }

    /// Returns what the plan is for, by the options or else by what the plan says; refuses any other collection.
    private func resolved(_ header: PlanHeader) throws -> (OpenableTarget, CollectionChoice) {
        let resolved = try target.resolve(
            collection: collection.name,
            orElseContext: header.context,
            address: header.target
        )
        let address = "\(resolved.resolved.address)"
        guard address == header.target else {
            throw refusal("for '\(header.collection)' in \(header.target), not in \(address)")
        }
        let choice =
            collection.name.map { resolved.collection($0) }
            ?? CollectionChoice(name: header.collection.rawValue, engineName: header.collection)
        guard choice.engineName == header.collection else {
            throw refusal("for '\(header.collection)', not for '\(choice.name)'")
        }
        return (resolved, choice)
    }

    private func refusal(_ reason: String) -> CommandFailure {
        CommandFailure(
            .refused,
            "refused: the plan '\(path)' is \(reason); nothing was sent",
            advice: "leave --target, --context and --collection out, or make a plan for that collection"
        )
    }
}

extension Apply: JobMaker {
    var alias: AliasOptions { AliasOptions() }

    func keptInput() throws -> PendingInput { PendingInput(PlanInput(plan: try plan(), path: absolutePath)) }

    /// Where the plan was carried out; the plan itself, which may be gone, only tells by which context.
    func target(of job: JobDescription) throws -> OpenableTarget {
        let plan = try? PlanFile(path.hasPrefix("/") ? path : "\(job.directory)/\(path)", allowsEdits: true)
        let context = plan.flatMap { $0.header.target == job.target ? $0.header.context : nil }
        return try target.resolve(collection: job.collection.rawValue, orElseContext: context, address: job.target)
    }
}
