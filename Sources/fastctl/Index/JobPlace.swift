import ArgumentParsing
import ContentFeeding
import EngineCatalog
import Glibc
import JobJournal
import ReportRendering

/// Where jobs are looked for: in the embedded store, and in the folder of remote targets' jobs.
struct JobPlace {
    let target: TargetOptions
    /// The folder that the user named.
    let folder: String?

    /// The places that exist.
    func shelves() async throws -> [JobShelf] {
        let folder = JobShelf.folder(JobFolder(try JournalOptions.directory(folder)))
        let target = try target.resolve()
        guard target.resolved.address.nodes.isEmpty else { return [folder] }
        do throws(EngineError) {
            guard let store = try await target.open() as? any JobKeepingStore else { return [folder] }
            return [.store(store.jobs), folder]
        } catch {
            // Whoever feeds remote targets only has no store.
            guard error.code == .missingTarget, self.target.target == nil else { throw error }
            return [folder]
        }
    }

    /// All jobs, newest first; what can't be read is named on standard error.
    func jobs() async throws -> [KeptJob] {
        var jobs: [KeptJob] = []
        for shelf in try await shelves() {
            let found = await shelf.jobs()
            jobs += found.jobs
            for error in found.unreadable { StandardError.say("\(error)") }
        }
        return jobs.sorted { $0.record.job.startedAt > $1.record.job.startedAt }
    }

    /// Returns the job whose name begins with `name`, if that is only one.
    func job(_ name: String) async throws -> KeptJob {
        let jobs = try await jobs()
        let found = jobs.filter { $0.id.rawValue == name.uppercased() }
        let candidates = found.isEmpty ? jobs.filter { $0.id.rawValue.hasPrefix(name.uppercased()) } : found
        guard let job = candidates.first, !name.isEmpty else {
            throw JobError(.missing, "there is no job '\(name)'", advice: "see 'fastctl jobs list'")
        }
        guard candidates.count == 1 else {
            throw ArgumentError("\(candidates.count) jobs begin with '\(name)'", advice: "Give more of the name")
        }
        return job
    }

    /// Returns a job as it is now, also if it has moved into the store that its command line names; `nil` if it is gone.
    func whereItWent(_ job: KeptJob) async throws -> KeptJob? {
        if let here = try await jobs().first(where: { $0.id == job.id }) { return here }
        guard let command = try? JobOrigin.parsed(job) as? any JobMaker else { return nil }
        let folder = ProcessEnvironment.currentFolder
        guard chdir(job.record.job.directory) == 0 else { throw JobCommand.missingFolder(of: job) }
        defer { chdir(folder) }
        return try await JobPlace(target: command.target, folder: self.folder).jobs().first { $0.id == job.id }
    }
}

/// A command whose runs are jobs, so that others can tell where a job went, and what it was fed.
protocol JobMaker: Command {
    var target: TargetOptions { get }
    /// Whether its collection may be an alias of several.
    var alias: AliasOptions { get }

    /// Returns what its run reads, with standard input as one that was kept.
    func keptInput() throws -> PendingInput

    /// Returns the target that the command line means for a job of its own.
    func target(of job: JobDescription) throws -> OpenableTarget
}

extension JobMaker {
    func target(of job: JobDescription) throws -> OpenableTarget {
        try target.resolve(collection: job.collection.rawValue)
    }
}

/// A job, and the collection that it went to, as its own command line names it.
struct JobOrigin {
    let job: KeptJob
    let target: OpenableTarget
    let collection: CollectionChoice
    /// The command that began the job; `nil` if it took back another.
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
            // It went where the job went that it took back.
            let place = JobPlace(target: undo.target, folder: undo.journal.folder)
            return (nil, try await self.command(of: place.job(undo.name), in: place).1)
        }
        guard let maker = command as? any JobMaker else {
            throw CommandFailure(
                .configuration,
                "job \(job.id) was begun by 'fastctl \(job.record.job.words.first ?? "")', which can't be looked at again",
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

    /// Returns the first of `targets` that is the job's: what a context means may have changed.
    private static func target(of job: KeptJob, _ targets: OpenableTarget...) throws -> OpenableTarget {
        let wanted = job.record.job.target
        let others = targets.map { "\($0.resolved.address)" }
        if let index = others.firstIndex(of: wanted) { return targets[index] }
        throw CommandFailure(
            .configuration,
            "job \(job.id) fed '\(job.record.job.collection)' in \(wanted), but its command now means \(others[0])",
            advice: "name its target with --target or --context"
        )
    }

    /// Makes the folder in which the job began the current one, where its relative paths lead.
    func enterFolder() throws {
        guard chdir(job.record.job.directory) == 0 else { throw JobCommand.missingFolder(of: job) }
    }

    /// Opens the collection, if it is the one that the job went to and tells versions.
    func engine() async throws -> any CollectionEngine & VersionedEngine {
        let engine = try await target.open(collection).engine
        let job = job.record.job
        if let before = job.incarnation, let now = engine.incarnation(for: FeedIntent(job.kind)), before != now {
            throw CommandFailure(
                .configuration,
                "'\(collection.name)' is another one than when job \(job.id) began, so what the job did says nothing of it",
                advice: "see 'fastctl collections show \(CommandLineWords.quoted(collection.name))'"
            )
        }
        guard let engine = engine as? any CollectionEngine & VersionedEngine else {
            throw EngineError(.unsupported, "'\(collection.name)' does not tell whether a document has changed")
        }
        return engine
    }
}
