import ArgumentParsing
import CollectionSync
import CommandKit
import ContentFeeding
import EngineCatalog
import FeedReports
import Files
import JSONText
import JobJournal
import ReportKit
import TextKit

struct Jobs: CommandGroup {
    static let configuration = CommandConfiguration(
        "jobs",
        group: "Index",
        summary: "Show, resume and clean up jobs (runs of remove, add, update and copy).",
        discussion: """
            A job is a run of 'remove', 'add', 'update' or 'copy' that continues until its input is fed, however often \
            it is interrupted: running the same command again resumes it, and so does 'jobs resume', which does not \
            need the pipe again. A job is resumed only if the part of its input that was sent is unchanged; otherwise, \
            the same command starts a new job. The embedded store keeps its own jobs; jobs for remote targets are kept \
            in $XDG_STATE_HOME/fastctl/jobs, or in the --journal folder.

            Ended jobs are kept for 30 days, at most 100 of them, so that their errors can be listed and failed \
            documents fed again.
            """,
        examples: [
            .init("fastctl jobs list", "See unfinished jobs"),
            .init("fastctl jobs resume K7Z3VQ8M1T5R9XBC", "Finish a job"),
            .init("fastctl jobs issues K7Z3VQ8M1T5R9XBC --failed -o name", "List the IDs that failed"),
            .init("fastctl jobs retry K7Z3VQ8M1T5R9XBC", "Feed the failed documents again"),
        ],
        subcommands: [
            ListJobs.self, ShowJob.self, JobIssues.self, ResumeJob.self, RetryJob.self, PushJobs.self, CancelJob.self,
            DiscardJob.self, CheckJobs.self, PurgeJobs.self,
        ]
    ).advising([
        "delete": endings,
        "remove": endings,
        "rm": endings,
        "stop": endings,
        "kill": endings,
        "failed": failures,
        "failures": failures,
        "errors": failures,
        "undo": "Use 'fastctl undo JOB'; without JOB, it lists the newest jobs",
        "verify": "Use 'fastctl verify JOB'",
        "clean": forgetting,
        "clear": forgetting,
        "prune": forgetting,
        "history": "Use 'fastctl jobs list'",
        "log": "Use 'fastctl jobs show JOB' for one job, and 'fastctl jobs issues JOB' for its errors and warnings",
        "last": "Use 'fastctl jobs list', which lists the newest job first, or 'fastctl jobs show JOB'",
    ])

    private static let forgetting = "Use 'fastctl jobs forget', which removes the records of all ended jobs"
    private static let failures =
        "Use 'fastctl jobs list' for jobs with errors, and 'fastctl jobs issues JOB --failed' for the errors of one"
    private static let endings =
        "Use 'fastctl jobs cancel JOB' to end a job, 'fastctl undo JOB' to undo it, 'fastctl jobs forget' for records of ended jobs"
}

/// Options for the places in which to search for jobs: the embedded store, and the folder of remote targets' jobs.
struct JobPlaceOptions: OptionSetting {
    @OptionGroup("Target") var target: TargetOptions

    @Option(
        "--journal",
        value: "DIR",
        completion: .files,
        help: "The folder for jobs with remote targets (default: fastctl/jobs below $XDG_STATE_HOME)"
    )
    var folder: String?

    private var place: JobPlace { JobPlace(target: target, folder: folder) }

    /// Returns the places that exist.
    func shelves() async throws -> [JobShelf] { try await place.shelves() }

    /// All jobs, newest first; unreadable ones are named on standard error.
    func jobs() async throws -> [KeptJob] { try await place.jobs() }

    /// Returns the job whose name begins with `name`, if there is only one.
    func job(_ name: String) async throws -> KeptJob { try await place.job(name) }

    /// Returns a queued job after it was sent, which may have moved it into the store of its target; `nil` if it no
    /// longer exists.
    func whereItWent(_ job: KeptJob) async throws -> KeptJob? { try await place.whereItWent(job) }
}

private struct ListJobs: Command {
    static let configuration = CommandConfiguration(
        "list",
        foreignNames: ["ls"],
        summary: "List the jobs, newest first.",
        examples: [
            .init("fastctl jobs list --unfinished -o name", "The names of unfinished jobs"),
            .init("fastctl jobs list --holding ann@example.org", "Jobs and files that contain a person's data"),
        ],
        optionAdvice: [
            "--last": newest, "--limit": newest, "-n": newest,
            "--all": "All jobs are listed; --unfinished restricts the list",
            "--failed": "Use 'fastctl jobs issues JOB --failed' for the errors of one job",
        ]
    )

    private static let newest = "The newest job comes first: pipe the list to 'head'"

    @OptionGroup("Target") var place: JobPlaceOptions
    @OptionGroup("Output") var output: ListOptions
    @Flag("--unfinished", help: "Only unfinished jobs") var isUnfinished

    @Option(
        "--holding",
        value: "TEXT",
        completion: ArgumentCompletion.none,
        help: "Only jobs whose backups, kept input, waiting operations or errors contain this ID or text"
    )
    var held: String?

    func run() async throws -> ExitCode {
        try output.check()
        let jobs = try await place.jobs().filter { !isUnfinished || $0.record.stage.isUnfinished }
        var shown = jobs.map { JobDisplay($0) }
        if let held {
            guard !held.isEmpty else { throw ValidationError("--holding is empty") }
            shown = []
            for job in jobs {
                if let files = try await job.files(holding: held) { shown.append(JobDisplay(job, holding: files)) }
            }
        }
        try output.print(shown)
        for job in shown {
            for file in job.filesHolding ?? [] { output.note("job \(job.id): the text is in \(file)") }
        }
        if held != nil {
            output.note("backups without a job (--no-journal, or a job that no longer exists) are not searched")
        }
        if shown.isEmpty {
            let reach = held == nil ? "" : " that contain this text"
            output.note("there are no \(isUnfinished ? "unfinished " : "")jobs\(reach)")
        }
        return .success
    }
}

extension KeptJob {
    /// Returns those of the job's backups and kept input files that contain some text, either unchanged or as written
    /// in JSON; the result is empty if the text occurs only in waiting operations in the journal or in errors, and
    /// `nil` if it does not occur at all.
    fileprivate func files(holding text: String) async throws -> [String]? {
        var writer = JSONWriter()
        writer.value(text)
        let texts = [Array(text.utf8), Array(writer.takeBytes().dropFirst().dropLast())]
        let paths = record.backups + [shelf.spool(of: id), shelf.failedOperations(of: id)]
        let holding = try paths.filter { try NewFile.exists($0) && SmallFile($0).contains(anyOf: texts) }
        if holding.isEmpty, try await !keeps(text, texts) { return nil }
        return holding
    }

    /// Returns whether a text occurs in the operations that are waiting in the job's journal, or in an ID among its
    /// errors.
    private func keeps(_ text: String, _ texts: [[UInt8]]) async throws -> Bool {
        let ledger = try ledger()
        if try await ledger.keepsOperation(of: id, containing: texts) { return true }
        for try await page in ledger.issuePages(of: id)
        where page.contains(where: { $0.documentID.text.contains(text) }) { return true }
        return false
    }
}

private struct ShowJob: Command {
    static let configuration = CommandConfiguration(
        "show",
        summary: "Show one job: its command, its progress, the outcomes of its operations.",
        examples: [.init("fastctl jobs show K7Z3", "One job; the beginning of its name is enough")]
    )

    @OptionGroup("Target") var place: JobPlaceOptions
    @OptionGroup("Output") var output: ListOptions
    @Argument("JOB", completion: .jobs, help: "The job; 'fastctl jobs list' lists them")
    var name: String

    func run() async throws -> ExitCode {
        try output.check()
        let job = JobDisplay(try await place.job(name))
        try output.show(job, lines: job.lines(at: ProcessFacts.now), indent: 16)
        return .success
    }
}

private struct JobIssues: Command {
    static let configuration = CommandConfiguration(
        "issues",
        summary: "List a job's errors and warnings.",
        examples: [.init("fastctl jobs issues K7Z3 --failed -o name", "The IDs that failed, one per line")]
    )

    @OptionGroup("Target") var place: JobPlaceOptions
    @OptionGroup("Output") var output = RowOptions(OutputForm.items)
    @Flag("--failed", help: "Only errors; 'jobs retry' feeds them again, except documents that do not exist")
    var isFailed
    @Argument("JOB", completion: .jobsWithIssues, help: "The job; 'fastctl jobs list' lists them")
    var name: String

    func run() async throws -> ExitCode {
        let job = try await place.job(name)
        let printer = JobIssuePrinter(output)
        for try await page in try job.ledger().issuePages(of: job.id) {
            try printer.print(page.filter { !isFailed || $0.issue?.isError ?? false }, of: job)
        }
        try printer.endIssues()
        return ExitCode(printer.unwritableNames > 0 ? .inputRejected : .done)
    }
}

/// Options for the output of a job's command when it is run again.
struct RepeatedOutputOptions: OptionSetting {
    @Flag("--quiet", "-q", help: "Omit the line about each item; keep errors and totals")
    var isQuiet

    @OptionGroup("Output") var progress: ProgressOptions
}

private struct ResumeJob: Command {
    static let configuration = CommandConfiguration(
        "resume",
        summary: "Finish an unfinished job; input from a pipe is not needed again.",
        examples: [.init("fastctl jobs resume K7Z3", "Resume where it was interrupted")]
    )

    @OptionGroup("Target") var place: JobPlaceOptions
    @OptionGroup("Guards") var protection: ProtectionOptions
    @OptionGroup("Output") var output: RepeatedOutputOptions
    @Argument("JOB", completion: .unfinishedJobs, help: "The job; 'fastctl jobs list' lists them")
    var name: String

    func run() async throws -> ExitCode {
        let job = try await place.job(name)
        guard job.record.stage.isUnfinished else {
            throw JobError(.ended, "job \(job.id) has no work left", advice: "see 'fastctl jobs show \(job.id)'")
        }
        return try JobCommand(job, at: place.target, "--job", output, protection.names).replaceProcess()
    }
}

private struct RetryJob: Command {
    static let configuration = CommandConfiguration(
        "retry",
        summary: "Feed the failed documents of an ended job again, as a new job.",
        discussion: """
            Operations that failed or timed out are retried; those whose document did not exist are not. The documents \
            for 'add' and 'update' are read again from the job's input, which must not have changed.
            """,
        examples: [.init("fastctl jobs retry K7Z3", "Retry the failed operations")]
    )

    @OptionGroup("Target") var place: JobPlaceOptions
    @OptionGroup("Guards") var protection: ProtectionOptions
    @OptionGroup("Output") var output: RepeatedOutputOptions
    @Argument("JOB", completion: .jobsToRetry, help: "The job; 'fastctl jobs list' lists them")
    var name: String

    func run() async throws -> ExitCode {
        let job = try await place.job(name)
        guard !job.record.stage.isUnfinished else {
            throw JobError(.running, "job \(job.id) is unfinished", advice: "fastctl jobs resume \(job.id)")
        }
        switch job.record.job.words.first {
        case "apply":
            throw JobError(
                .ended,
                "job \(job.id) carried out a plan, which applies only to the collection as it was",
                advice: "make a new plan for the failed operations"
            )
        case "undo":
            throw JobError(
                .ended,
                "an undo can't be retried",
                advice: "run it again: it finds the remaining documents, and compares them as before"
            )
        default: return try JobCommand(job, at: place.target, "--retry", output, protection.names).replaceProcess()
        }
    }
}

private struct PushJobs: Command {
    static let configuration = CommandConfiguration(
        "push",
        summary: "Send the jobs accepted with --queue, in the order in which they were accepted.",
        discussion: """
            The command stops at the first job that does not finish, even if that job is only refused because its \
            input has changed; later jobs stay queued.
            """,
        examples: [.init("fastctl jobs push", "Send everything that is queued")]
    )

    @OptionGroup("Target") var place: JobPlaceOptions
    @OptionGroup("Guards") var protection: ProtectionOptions
    @OptionGroup("Output") var output: RepeatedOutputOptions
    @Argument("JOB", completion: .queuedJobs, help: "Only these jobs") var names: [String]

    func run() async throws -> ExitCode {
        var jobs: [KeptJob] = []
        for name in names { jobs.append(try await place.job(name)) }
        if names.isEmpty { jobs = try await place.jobs().filter { $0.record.stage == .queued }.reversed() }
        if let other = jobs.first(where: { $0.record.stage != .queued }) {
            throw JobError(.ended, "job \(other.id) is not queued", advice: "fastctl jobs resume \(other.id)")
        }
        if jobs.isEmpty { StandardError.say("nothing is queued") }
        var last = ExitCode.success
        for (number, job) in jobs.enumerated() {
            if try await remarkIfOver(job) { continue }
            let (code, isInterrupted) = try JobCommand(job, at: place.target, "--job", output, protection.names).run()
            guard code != .success || isInterrupted else { continue }
            // The job may have been discarded after the check above, before its command acquired the lock.
            if ExitCode(.configuration) == code, !isInterrupted, try await remarkIfOver(job) { continue }
            last = code
            // A job with failed documents or rejected lines has ended, so the next job follows.
            let mayHaveFinished = [ExitStatus.documentsFailed, .inputRejected].contains { ExitCode($0) == code }
            if mayHaveFinished, !isInterrupted, try await place.whereItWent(job)?.record.stage == .finished { continue }
            let left = jobs.count - number - 1
            if left > 0 {
                let queued = "\(Quantity(left, "job", "jobs")) after it \(left == 1 ? "stays" : "stay") queued"
                StandardError.say("job \(job.id) \(code == .success ? "finished" : "did not finish"); \(queued)")
                if code == .success { last = ExitCode(.interrupted) }
            }
            break
        }
        return last
    }

    /// Returns whether a job has no work left, and reports this, because another process may have discarded or
    /// abandoned the job.
    private func remarkIfOver(_ job: KeptJob) async throws -> Bool {
        let (here, unreadable) = await job.shelf.jobs(of: job.record.job.identity)
        var now = here.first { $0.id == job.id }
        if now == nil {
            if let error = unreadable.first { throw error }
            now = try await place.whereItWent(job)
        }
        guard let now else {
            StandardError.say("job \(job.id) has since been discarded")
            return true
        }
        guard !now.record.stage.isUnfinished else { return false }
        StandardError.say("job \(job.id) has since ended: \(JobDisplay.account(of: now.record))")
        return true
    }
}

private struct CancelJob: Command {
    static let configuration = CommandConfiguration(
        "cancel",
        summary: "Give up an unfinished job; its completed operations are kept.",
        examples: [.init("fastctl jobs cancel K7Z3", "Make sure that a job is never resumed")]
    )

    @OptionGroup("Target") var place: JobPlaceOptions
    @OptionGroup("Guards") var protection: ProtectionOptions
    @Argument("JOB", completion: .unfinishedJobs, help: "The job; 'fastctl jobs list' lists them")
    var name: String

    func run() async throws -> ExitCode {
        let job = try await place.job(name)
        guard job.record.stage.isUnfinished else {
            throw JobError(.ended, "job \(job.id) has already ended", advice: nil)
        }
        try job.requireConfirmation(protection.names, to: "cancel its job")
        let lock = try job.lock()
        try await job.ledger().cancel(job.id)
        job.removeSpool()
        withExtendedLifetime(lock) {}
        StandardError.say("job \(job.id) canceled: \(JobDisplay.account(of: job.record))")
        return .success
    }
}

private struct DiscardJob: Command {
    static let configuration = CommandConfiguration(
        "discard",
        summary: "Remove a job and its recorded errors, or undo changes to an offline copy.",
        discussion: """
            With --copy, changes that are queued for the copy's origin are undone: those to the given documents, or \
            all of them with --force. The documents are then as they were when they were pulled.
            """,
        examples: [
            .init("fastctl jobs discard K7Z3 --force", "Discard a job even if it is unfinished"),
            .init("fastctl jobs discard --copy catalogue A-17", "Undo the changes to a document in a copy"),
        ]
    )

    @OptionGroup("Target") var place: JobPlaceOptions
    @OptionGroup("Guards") var protection: ProtectionOptions
    @Flag("--force", help: "Discard the job even if it is unfinished; its remaining work is never done") var isForced
    @Option("--copy", value: "NAME", completion: .copies, help: "The offline copy whose changes are undone")
    var copy: String?
    @Argument("JOB", completion: .jobs, help: "The job; with --copy, document IDs") var names: [String]

    func validate() throws {
        if copy == nil, names.count != 1 { throw ValidationError("specify one job") }
        if copy != nil, names.isEmpty, !isForced {
            throw ValidationError("specify the documents, or add --force to undo every change")
        }
    }

    func run() async throws -> ExitCode {
        if let copy { return try await discard(in: copy) }
        let name = names[0]
        let job = try await place.job(name)
        if job.record.stage.isUnfinished, !isForced {
            throw Failure(
                .refused,
                "job \(job.id) has work left: \(JobDisplay.account(of: job.record))",
                advice: "finish it with 'fastctl jobs resume \(job.id)', or add --force"
            )
        }
        try job.requireConfirmation(protection.names, to: "discard its job")
        let lock = try job.lock()
        try await job.shelf.remove(job)
        withExtendedLifetime(lock) {}
        StandardError.say("job \(job.id) discarded")
        return .success
    }

    private func discard(in copy: String) async throws -> ExitCode {
        let ids = try names.map { name in
            do { return try DocumentID(name) } catch { throw ArgumentError("'\(name)': \(error)") }
        }
        let store = try await CopyOptions.store(at: place.target, protection.names, to: "undo changes to a copy in it")
        let local = try await store.copy(named: CollectionName(copy))
        let lock = try local.lock()
        let discarded = try await local.discard(ids.isEmpty ? nil : ids)
        withExtendedLifetime(lock) {}
        StandardError.say("\(copy): \(Quantity(discarded.count, "change", "changes")) undone")
        let unknown = Set(ids).subtracting(discarded)
        for id in unknown.sorted() { StandardError.say("nothing is queued for '\(id)'") }
        return ExitCode(unknown.isEmpty ? .done : .documentsFailed)
    }
}

private struct CheckJobs: Command {
    static let configuration = CommandConfiguration(
        "check",
        summary: "Check the journals: each must be intact, and its counts must add up.",
        discussion: "Files that killed runs left next to the journals are removed if their jobs have ended.",
        examples: [.init("fastctl jobs check", "Check after the machine crashed")]
    )

    @OptionGroup("Target") var place: JobPlaceOptions

    func run() async throws -> ExitCode {
        var flaws = 0
        var checked = 0
        for shelf in try await place.shelves() {
            let (jobs, unreadable) = await shelf.jobs()
            for error in unreadable { StandardError.say("\(error)") }
            flaws += unreadable.count
            for job in jobs {
                checked += 1
                if let damage = try await job.ledger().damage() {
                    flaws += 1
                    StandardError.say("job \(job.id) is damaged: \(damage)")
                }
            }
            await shelf.removeLeftovers()
        }
        StandardError.say("\(Quantity(checked, "job", "jobs")) checked, \(flaws) damaged")
        return ExitCode(flaws == 0 ? .done : .inputOutput)
    }
}

private struct PurgeJobs: Command {
    static let configuration = CommandConfiguration(
        "forget",
        formerNames: ["purge"],
        summary: "Remove the records of all ended jobs.",
        examples: [.init("fastctl jobs forget --older 7d", "Remove jobs that ended more than a week ago")]
    )

    @OptionGroup("Target") var place: JobPlaceOptions
    @OptionGroup("Guards") var protection: ProtectionOptions
    @Option("--older", value: "AGE", help: "Only jobs that ended longer ago than this") var age = Duration.zero

    func run() async throws -> ExitCode {
        let now = ProcessFacts.now
        let ended = try await place.jobs().filter { !$0.record.stage.isUnfinished && now - $0.record.changedAt >= age }
        for job in ended { try job.requireConfirmation(protection.names, to: "forget its jobs") }
        for job in ended { try await job.shelf.remove(job) }
        for shelf in try await place.shelves() { await shelf.removeLeftovers() }
        StandardError.say("\(Quantity(ended.count, "job", "jobs")) purged")
        return .success
    }
}

/// A printer of the errors and warnings of a job, in the requested form.
///
/// This is a class because printing changes state that is needed at the end.
final class JobIssuePrinter {
    private let output = StandardOutput()
    private var bytes: [UInt8] = []
    private var issues: IssueTranscript

    init(_ options: RowOptions) {
        issues = IssueTranscript(options.form, nameEnd: options.nameEnd)
    }

    var unwritableNames: Int { issues.unwritableNames }

    func print(_ outcomes: [OperationOutcome], of job: KeptJob) throws {
        issues.append(outcomes, in: job.record.job.collection, to: &bytes)
        try output.drainOrStop(&bytes)
    }

    func endIssues() throws {
        issues.end(in: &bytes)
        try output.drainOrStop(&bytes)
        if unwritableNames > 0 { StandardError.say(NameEnd.refusal(of: unwritableNames)) }
    }
}

extension JobDisplay {
    init(_ job: KeptJob, holding files: [String]? = nil) {
        self.init(job.record, process: job.holder, holding: files)
    }

    static func account(of record: JobRecord) -> String { JobDisplay(record, process: nil).account }
}
