import ArgumentParsing
import CollectionSync
import CommandKit
import ContentFeeding
import EngineCatalog
import FeedJobs
import Files
import Glibc
import JobJournal
import ReportKit
import Synchronization
import TextKit

/// The places that are searched for jobs: the embedded store, and the folder of remote targets' jobs.
struct JobPlace {
    let target: TargetOptions
    /// The folder that the user named.
    let folder: String?

    /// Returns the places that exist.
    func shelves() async throws -> [JobShelf] {
        let folder = JobShelf.folder(JobFolder(try JournalOptions.directory(folder)))
        let target = try target.resolve()
        guard target.resolved.address.nodes.isEmpty else { return [folder] }
        do throws(EngineError) {
            let jobs = try await target.open().ownJobs
            return (jobs.map { [.store($0)] } ?? []) + [folder]
        } catch {
            // A user who feeds only remote targets does not have a store.
            guard error.code == .missingTarget, self.target.target == nil else { throw error }
            return [folder]
        }
    }

    /// All jobs, newest first; unreadable ones are named on standard error.
    func jobs() async throws -> [KeptJob] {
        var jobs: [KeptJob] = []
        for shelf in try await shelves() {
            let found = await shelf.jobs()
            jobs += found.jobs
            for error in found.unreadable { StandardError.say("\(error)") }
        }
        return jobs.sorted { $0.record.job.startedAt > $1.record.job.startedAt }
    }

    /// Returns the job whose name begins with `name`, if there is only one.
    func job(_ name: String) async throws -> KeptJob {
        let jobs = try await jobs()
        let found = jobs.filter { $0.id.rawValue == name.uppercased() }
        let candidates = found.isEmpty ? jobs.filter { $0.id.rawValue.hasPrefix(name.uppercased()) } : found
        guard let job = candidates.first, !name.isEmpty else {
            throw JobError(.missing, "there is no job '\(name)'", advice: "see 'fastctl jobs list'")
        }
        guard candidates.count == 1 else {
            throw ArgumentError(
                "the names of \(candidates.count) jobs begin with '\(name)'",
                advice: "Use a longer part of the name"
            )
        }
        return job
    }

    /// Returns a job in its current state, even if it has moved into the store that its command line names; `nil` if it
    /// no longer exists.
    func whereItWent(_ job: KeptJob) async throws -> KeptJob? {
        if let here = try await jobs().first(where: { $0.id == job.id }) { return here }
        guard let command = try? JobOrigin.parsed(job) as? any JobMaker else { return nil }
        let folder = ProcessFacts.currentFolder
        guard chdir(job.record.job.directory) == 0 else { throw JobCommand.missingFolder(of: job) }
        defer { chdir(folder) }
        return try await JobPlace(target: command.target, folder: self.folder).jobs().first { $0.id == job.id }
    }
}

/// A command whose runs are jobs, so that other commands can determine a job's target and input.
protocol JobMaker: Command {
    var target: TargetOptions { get }
    /// The options that determine whether the collection may be an alias of several collections.
    var alias: AliasOptions { get }

    /// Returns the input of the command's run, in which kept input takes the place of standard input.
    func keptInput() throws -> PendingInput

    /// Returns the target that the command line names for one of the command's jobs.
    func target(of job: JobDescription) throws -> OpenableTarget
}

extension JobMaker {
    func target(of job: JobDescription) throws -> OpenableTarget {
        try target.resolve(collection: job.collection.rawValue)
    }
}

/// A job, and the collection to which it was sent, as named by the job's command line.
struct JobOrigin {
    private(set) var job: KeptJob
    let target: OpenableTarget
    let collection: CollectionChoice
    /// The command that began the job; `nil` if the job undid another one.
    let command: (any JobMaker)?

    /// Finds a job by the beginning of its name, and reads its command line again.
    init(of name: String, in place: JobPlace) async throws {
        job = try await place.job(name)
        (command, target) = try await Self.command(of: job, in: place)
        collection = CollectionChoice(name: job.record.job.collection.rawValue, engineName: job.record.job.collection)
    }

    private static func command(of job: KeptJob, in place: JobPlace) async throws -> ((any JobMaker)?, OpenableTarget) {
        let command = try parsed(job)
        if let undo = command as? Undo {
            // An undo was sent to the same collection as the job that it undid.
            let place = JobPlace(target: undo.target, folder: undo.journal.folder)
            let (_, target) = try await self.command(of: place.job(undo.name ?? ""), in: place)
            return (nil, target)
        }
        guard let maker = command as? any JobMaker else {
            throw Failure(
                .configuration,
                "job \(job.id) was started by 'fastctl \(job.record.job.words.first ?? "")', which can't be verified",
                advice: nil
            )
        }
        var target = try self.target(
            of: job,
            maker.target(of: job.record.job),
            place.target.resolve(collection: job.record.job.collection.rawValue)
        )
        maker.alias.apply(to: &target)
        return (maker, target)
    }

    /// Returns the command that began a job, with its options.
    static func parsed(_ job: KeptJob) throws -> any Command {
        let words = job.record.job.words
        try JobCommand.refuseHelper(in: words, of: job)
        return try CommandContext.current.program.command(for: words, environment: CommandContext.current.environment)
    }

    /// Returns the first of `targets` that is the job's target, or is protected, because the definition of a context
    /// may have changed.
    private static func target(of job: KeptJob, _ targets: OpenableTarget...) throws -> OpenableTarget {
        let wanted = job.record.job.target
        let others = targets.map { "\($0.resolved.address)" }
        let own = targets.filter { "\($0.resolved.address)" == wanted }
        if let target = own.first(where: \.resolved.isProtected) ?? own.first { return target }
        throw Failure(
            .configuration,
            "job \(job.id) fed '\(job.record.job.collection)' in \(wanted), but its command now refers to \(others[0])",
            advice: "specify its target with --target or --context"
        )
    }

    /// Locks the job to undo it, and reads its record again, which another process may have changed before.
    mutating func lockToUndo() async throws -> JobLock {
        let lock: JobLock
        do throws(JobError) {
            lock = try job.lock()
        } catch {
            guard error.code == .running else { throw error }
            let process = job.holder.flatMap { $0 > 0 ? "process \($0)" : nil } ?? "another process"
            throw JobError(
                .running,
                "\(process) is running job \(job.id) or undoing it; nothing was sent",
                advice: "wait for it, or stop it"
            )
        }
        guard let current = try await job.current() else {
            throw JobError(.missing, "job \(job.id) no longer exists", advice: "see 'fastctl jobs list'")
        }
        job = current
        return lock
    }

    /// Changes the current folder to the one in which the job began, to which its relative paths refer.
    func enterFolder() throws {
        guard chdir(job.record.job.directory) == 0 else { throw JobCommand.missingFolder(of: job) }
    }

    /// Returns the operations of the job, read again from its input.
    func input(noting progress: SecondLookProgress) throws -> JobInput {
        guard let command else {
            throw Failure(.inputNotOpened, "job \(job.id) undid another job: verify that one instead", advice: nil)
        }
        return try JobInput(of: job, from: command.keptInput(), noting: progress, CommandObserver())
    }

    /// Opens the collection, if it is the job's collection and reports versions.
    func engine() async throws -> any VersionedEngine {
        let engine = try await target.open(collection).engine
        let job = job.record.job
        if let before = job.incarnation, let now = engine.incarnation(for: FeedIntent(job.kind)), before != now {
            throw Failure(
                .configuration,
                "'\(collection.name)' is not the collection that job \(job.id) fed, so the job can't be compared with it",
                advice: "see 'fastctl collections show \(CommandLineWords.quoted(collection.name))'"
            )
        }
        guard let versioned = engine.versions else {
            throw EngineError(.unsupported, "'\(collection.name)' does not report whether a document has changed")
        }
        return versioned
    }
}

/// The command line of a job, to be run again in its own folder.
struct JobCommand {
    private let job: KeptJob
    private let words: [String]

    /// Creates the command line; `place` is the target that the user named, `option` names the job in it, `output`
    /// replaces its output options, and `names` are added as confirmation.
    init(
        _ job: KeptJob,
        at place: TargetOptions,
        _ option: String,
        _ output: RepeatedOutputOptions,
        _ names: [String]
    ) throws {
        self.job = job
        let progress = output.progress.style
        var words = job.record.job.words
        if progress != ProgressStyle() {
            words = CommandLineWords(words).setting("--progress", to: progress.argumentText).words
        }
        if let backup = CommandLineWords(words).value(of: "--backup") {
            // A backup is never overwritten, so the documents are saved to a different file. If a resumed job wrote the
            // file, its run continues it in another one, and names that one.
            let path = backup.hasPrefix("/") ? backup : "\(job.record.job.directory)/\(backup)"
            let isContinued = option == "--job" && job.record.backups.contains(path)
            if NewFile.exists(path), !isContinued {
                words = CommandLineWords(words).setting("--backup", to: FeedPlan.backup(after: path)).words
            }
        }
        try Self.refuseHelper(in: words, of: job)
        let verb = words.first ?? ""
        let quiet = output.isQuiet && !words.contains { ["--quiet", "-q"].contains($0) } ? ["--quiet"] : []
        let confirmation = names.map { "--confirm=\($0)" }
        // The operations that a push still has to send are in the queue of its copy.
        if ["replicas", "copies"].contains(verb) {
            self.words = words.prefix(2) + quiet + confirmation + words.dropFirst(2)
            return
        }
        words.removeAll { $0 == "--queue" }
        words = Self.completed(words, for: job, place)
        self.words =
            [verb, "\(option)=\(job.id)"] + quiet + confirmation
            + words.dropFirst()
    }

    /// Returns a job's command line with the job's collection and target, if these came only from variables that are
    /// not set now.
    ///
    /// The target is added only if the user named it to find the job; a job of a store in a file is kept in that store.
    private static func completed(_ words: [String], for job: KeptJob, _ place: TargetOptions) -> [String] {
        let environment = CommandContext.current.environment
        guard let command = try? CommandContext.current.program.command(for: words, environment: environment) else {
            return words
        }
        var line = CommandLineWords(words)
        let collection: CollectionOptions
        let target: TargetOptions
        switch command {
        case let add as Add: (collection, target) = (add.collection, add.target)
        case let update as Update: (collection, target) = (update.collection, update.target)
        case let remove as Remove: (collection, target) = (remove.collection, remove.target)
        case let copy as Copy: (collection, target) = (copy.collection, copy.target)
        default: return words
        }
        if [collection.name, environment["FASTCTL_COLLECTION"]].allSatisfy({ $0?.isEmpty ?? true }) {
            line = line.setting("--collection", to: job.record.job.collection.rawValue)
        }
        if !target.isNamed, place.isNamed, let named = try? place.resolve().resolved.address,
            named.nodes.isEmpty && job.record.job.target.hasPrefix("sqlite:")
                || "\(named)" == job.record.job.target
        {
            line =
                place.context.map { line.setting("--context", to: $0) }
                ?? line.setting("--target", to: job.record.job.target)
        }
        return line.words
    }

    /// Refuses a command line in which the arguments of a helper were cut off.
    static func refuseHelper(in words: [String], of job: KeptJob) throws {
        guard words.isEmpty || words.contains("--credentials-helper") else { return }
        throw Failure(
            .configuration,
            "the command of job \(job.id) is not saved: it uses a credentials helper, whose command may contain a secret",
            advice: "run the same command again"
        )
    }

    /// Replaces this process with the command.
    func replaceProcess() throws -> ExitCode {
        guard chdir(job.record.job.directory) == 0 else { throw Self.missingFolder(of: job) }
        var arguments = (["fastctl"] + words).map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
        throw Failure(.exhausted, "cannot run the command again: \(String(cString: strerror(errno)))", advice: nil)
    }

    /// Runs the command as a separate process, and returns its exit code and whether a signal arrived meanwhile.
    func run() throws -> (code: ExitCode, isInterrupted: Bool) {
        let here = ProcessFacts.currentFolder
        guard chdir(job.record.job.directory) == 0 else { throw Self.missingFolder(of: job) }
        defer { chdir(here) }
        let end = try CommandProcess.run(words)
        return (ExitCode(rawValue: end.code ?? ExitStatus.terminated.rawValue), end.interruption != nil)
    }

    /// Returns the error for a job whose folder, to which its relative paths refer, no longer exists.
    static func missingFolder(of job: KeptJob) -> Failure {
        Failure(
            .inputNotOpened,
            "the folder of job \(job.id) is gone: '\(job.record.job.directory)'",
            advice: "create it, or discard the job"
        )
    }
}

/// The job that records a push: its counts, its conflicts with both versions, and its failures.
///
/// The remaining operations are in the copy's queue, not in the job: an interrupted push is simply run again, and
/// continues its job. Only the holder of the copy's lock begins or ends it: another push may be running.
final class PushJob: Sendable {
    let id: JobID
    private let copy: any LocalCopy
    private let ledger: JobLedger
    private let description: JobDescription
    /// Whether an interrupted push began the job.
    private let isContinued: Bool
    private let state = Mutex(State())

    private struct State {
        /// The number of the claim; `nil` before the job has begun.
        var epoch: Int?
        var counts: [Outcome: Int] = [:]
        var failures: [OperationOutcome] = []
    }

    /// The maximum number of failures that are listed.
    private static let maximumFailures = 10_000

    /// Creates the job of the interrupted push, or a new one; `nil` if nothing is queued and no push was interrupted.
    init?(of copy: any LocalCopy, _ status: CopyStatus, in ledger: JobLedger) async throws {
        (self.copy, self.ledger) = (copy, ledger)
        let identity = Array("copies push \(copy.collection)".utf8)
        let open = try await ledger.jobs().first { $0.job.identity == identity && $0.stage.isUnfinished }
        guard open != nil || status.queued > 0 else { return nil }
        isContinued = open != nil
        var random = SystemRandomNumberGenerator()
        id = open?.job.id ?? .random(using: &random)
        description = JobDescription(
            id: id,
            identity: identity,
            kind: .update,
            target: status.origin.target,
            collection: copy.collection,
            words: Program.spelledWords,
            directory: ProcessFacts.currentFolder,
            spool: nil,
            startedAt: ProcessFacts.now
        )
    }

    /// Begins the job if it has not begun, and returns the number of the claim.
    @discardableResult
    func begin() async throws -> Int {
        if let epoch = state.withLock({ $0.epoch }) { return epoch }
        if !isContinued { try await ledger.create(description) }
        let epoch = try await ledger.claim(id).epoch
        state.withLock { $0.epoch = epoch }
        return epoch
    }

    func note(_ event: SyncEvent) {
        state.withLock { state in
            switch event {
            case .pushed(let operation):
                let outcome: Outcome =
                    switch operation.kind {
                    case .insert: .added
                    case .update: .updated
                    case .remove: .removed
                    }
                state.counts[outcome, default: 0] += 1
            case .conflict(_, .server): state.counts[.superseded, default: 0] += 1
            case .conflict(_, .cancel): state.counts[.failed, default: 0] += 1
            case .conflict, .flow, .pulled: return
            case .failed(let operation, let failure):
                state.counts[.failed, default: 0] += 1
                guard state.failures.count < Self.maximumFailures else { return }
                state.failures.append(
                    OperationOutcome(
                        operationID: OperationID(rawValue: UInt64(operation.number)),
                        kind: operation.kind.operation,
                        documentID: operation.documentID,
                        routing: operation.routing,
                        outcome: .failed,
                        issue: .error(failure)
                    )
                )
            }
        }
    }

    /// Ends the job with the outcomes of its operations; the remaining operations are in the queue.
    ///
    /// An interrupted job that another process has continued is left to that process.
    func end() async throws {
        let (epoch, counts, failures) = state.withLock { ($0.epoch, $0.counts, $0.failures) }
        guard epoch != nil || isContinued || !counts.isEmpty else { return }
        let lock = epoch == nil && isContinued ? try? copy.lock() : nil
        defer { withExtendedLifetime(lock) {} }
        if epoch == nil, isContinued, lock == nil { return }
        do {
            let epoch = try await begin()
            try await ledger.add(failures, to: id)
            try await ledger.end(
                id,
                epoch: epoch,
                as: .finished,
                counts: FeedCounts(settled: counts),
                input: InputTally()
            )
        } catch let error as JobError where [.superseded, .ended].contains(error.code) {
            // A push that began in the meantime continues the job.
        }
        StandardError.say(
            "see 'fastctl jobs issues \(id)'",
            onlyIf: counts[.superseded] != nil || counts[.failed] != nil
        )
    }
}

/// A delegate whose decisions are recorded in a job, which begins with the first decision.
struct RecordedDelegate: ConflictDelegate {
    private let delegate: any ConflictDelegate
    private let job: PushJob

    init(_ delegate: any ConflictDelegate, in job: PushJob) { (self.delegate, self.job) = (delegate, job) }

    func resolve(_ conflict: SyncConflict) async throws -> SyncConflict.Resolution {
        try await job.begin()
        return try await delegate.resolve(conflict)
    }
}

extension StandardError {
    fileprivate static func say(_ message: String, onlyIf condition: Bool) {
        if condition { say(message) }
    }
}

extension SecondLookProgress {
    /// The progress of the later check, for display.
    var progressCount: ProgressCount {
        let now = count
        var count = ProgressCount(of: now.total == nil ? .read : .checked)
        count.items = now.items
        count.totalItems = now.total
        count.errors = now.differences
        return count
    }
}
