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
}

/// A command whose runs are jobs, so that others can tell where a job went, and what it was fed.
protocol JobMaker: Command {
    var target: TargetOptions { get }
    /// Whether its collection may be an alias of several.
    var alias: AliasOptions { get }

    /// Returns what its run reads, with standard input as one that was kept.
    func keptInput() throws -> PendingInput
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
        let words = job.record.job.words
        try JobCommand.refuseHelper(in: words, of: job)
        let environment = CommandContext.current.environment
        let command = try CommandContext.current.program.command(for: words, environment: environment)
        if let undo = command as? Undo {
            // It went where the job went that it took back.
            let place = JobPlace(target: undo.target, folder: undo.journal.folder)
            return (nil, try await self.command(of: place.job(undo.name), in: place).1)
        }
        guard let maker = command as? any JobMaker else {
            throw CommandFailure(
                .configuration,
                "job \(job.id) was begun by 'fastctl \(words.first ?? "")', which can't be looked at again",
                advice: nil
            )
        }
        var target = try self.target(of: job, maker.target, place.target)
        maker.alias.apply(to: &target)
        return (maker, target)
    }

    /// Returns the first of `options` that names the job's target: what a context means may have changed.
    private static func target(of job: KeptJob, _ options: TargetOptions...) throws -> OpenableTarget {
        let wanted = job.record.job.target
        var others: [String] = []
        for options in options {
            let target = try options.resolve(collection: job.record.job.collection.rawValue)
            let address = "\(target.resolved.address)"
            if address == wanted { return target }
            others.append(address)
        }
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
