import ArgumentParsing
import ContentFeeding
import Digests
import EngineCatalog
import FeedFormats
import JobJournal
import ReportRendering

/// What a command asks for, as far as it makes a job.
struct JobRequest: Sendable {
    let kind: ContentOperation.Kind
    let target: String
    let collection: CollectionName
    let pending: PendingInput
    let options: JournalOptions
    let words: CommandLineWords
    /// The name of a new job.
    let newID: JobID

    /// The folder in which the command began.
    private let directory: String
    /// What tells the collection from another of the same name; `nil` if nothing does.
    private let incarnation: String?
    /// What else makes another job of the same input: how documents are written.
    private let manner: [String]

    /// `engine`: the collection, if it is open.
    init(_ run: FeedRun, _ engine: (any ContentEngine)? = nil) {
        kind = run.kind
        incarnation = engine?.incarnation(for: FeedIntent(run.kind))
        target = "\(run.target.resolved.address)"
        collection = run.collection.engineName
        pending = run.input
        directory = run.directory ?? ProcessEnvironment.currentFolder
        options = run.journal
        manner =
            (run.options.configuration.addsOnlyNew ? ["only new"] : [])
            + (run.target.options.pipeline.map { ["pipeline", $0] } ?? [])
        words = run.commandLine
        var system = SystemRandomNumberGenerator()
        newID = .random(using: &system)
    }

    /// The job that the user named.
    var named: JobID? { options.job.map { JobID(rawValue: $0) } }

    /// Whether the job began with another collection of the same name: what it settled says nothing of this one.
    func isForAnotherIncarnation(_ job: JobDescription) -> Bool {
        guard let incarnation, let before = job.incarnation else { return false }
        return incarnation != before
    }

    /// Refuses a job that went elsewhere: its command may leave the target to a context or a variable.
    func refuseOther(_ job: JobDescription) throws {
        guard job.kind == kind, job.target == target, job.collection == collection else {
            throw CommandFailure(
                .configuration,
                "job \(job.id) feeds '\(job.collection)' in \(job.target), but its command now means "
                    + "'\(collection)' in \(target); nothing was sent",
                advice: "use the context, FASTCTL_TARGET and FASTCTL_COLLECTION with which the job began"
            )
        }
        guard !isForAnotherIncarnation(job) else {
            throw CommandFailure(
                .configuration,
                "'\(collection)' is another one than when job \(job.id) began (\(job.incarnation ?? "")), so what the job "
                    + "settled says nothing of it; nothing was sent",
                advice: "cancel the job, and run its command again: fastctl jobs cancel \(job.id)"
            )
        }
    }

    /// The digest of what makes two commands the same job.
    var identity: [UInt8] {
        var parts = [kind.rawValue, target, collection.rawValue, "\(pending.format)"] + manner
        // Jobs of earlier versions had no dialect.
        if pending.dialect != InputDialect() { parts.append("\(pending.dialect)") }
        for source in pending.sources {
            switch source {
            case .arguments(let arguments): parts += ["arguments", "\(arguments.count)"] + arguments
            case .file(let path): parts += ["file", ProcessEnvironment.absolutePath(of: path)]
            case .standardInput: parts.append("standard input")
            }
        }
        if let collection = pending.collection { parts += ["collection"] + collection.identity }
        var function = SHA256()
        return function.digest(of: parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }).bytes
    }

    func description(spool: String?) -> JobDescription {
        JobDescription(
            id: newID,
            identity: identity,
            kind: kind,
            target: target,
            collection: collection,
            incarnation: incarnation,
            words: Array(words.words.dropFirst()),
            directory: directory,
            spool: spool,
            startedAt: pending.startedAt
        )
    }
}
