package import ContentFeeding
import Digests
import EngineCatalog
import FeedFormats
import Files
import Glibc
import JobJournal
import TextKit

/// A plan as the request for a job, which may be a new job or one that an earlier run has begun.
package struct JobRequest: Sendable {
    package let plan: FeedPlan
    /// The name of a new job.
    let newID: JobID

    private let target: String
    /// The folder in which the feed began.
    private let directory: String
    /// The identity that distinguishes the collection from others with the same name; `nil` if it has none.
    private let incarnation: String?
    private let words: CommandLineWords
    private let keepsRouting: Bool

    /// `engine` is the collection's engine, if the collection is open.
    package init(_ plan: FeedPlan, _ engine: (any ContentEngine)? = nil) {
        self.plan = plan
        keepsRouting = engine?.capabilities.takesRouting ?? true
        incarnation = engine?.incarnation(for: FeedIntent(plan.kind))
        target = "\(plan.target.resolved.address)"
        directory = plan.directory ?? ProcessFacts.currentFolder
        words = CommandLineWords(plan.words)
        var system = SystemRandomNumberGenerator()
        newID = .random(using: &system)
    }

    var policy: JobPolicy { plan.jobs }

    /// Opens the input at the position where a job stopped; with `isKept`, only the stored part of its pipe is read.
    func open(_ memory: InputMemory? = nil, isKept: Bool = false) async throws -> FeedInput {
        let input = isKept ? plan.input.kept : plan.input
        return try await input.open(for: plan.kind, plan.observer, memory, keepsRouting: keepsRouting)
    }

    /// The options for writing documents, which distinguish jobs with the same input.
    private var manner: [String] {
        (plan.options.configuration.addsOnlyNew ? ["only new"] : [])
            + (plan.options.configuration.addsMissing ? ["adds missing"] : [])
            + (plan.input.routing.map { ["routing", $0.text] } ?? [])
            + (plan.target.options.pipeline.map { ["pipeline", $0] } ?? [])
    }

    /// Whether operations depend on the previous state of their documents, so none can be carried out twice.
    var isConditional: Bool {
        plan.options.configuration.addsOnlyNew || plan.input.dialect.version != nil
            || plan.input.collection?.isConditional ?? false
    }

    /// The job that the user named.
    var named: JobID? { policy.job }

    /// Whether an earlier job may be resumed or canceled, as far as this can be determined without its lock.
    func mayContinue(_ job: KeptJob) -> Bool {
        guard job.record.stage == .open || job.wasCutOff else { return false }
        // Several instances of the same command may run at the same time, each with its own pipe.
        return !plan.input.comesOnce || job.holder == nil || policy.isRestarting
    }

    /// Whether the job began with another collection of the same name, so its results do not apply to this collection.
    func isForAnotherIncarnation(_ job: JobDescription) -> Bool {
        guard let incarnation, let before = job.incarnation else { return false }
        return incarnation != before
    }

    /// Refuses a job for another target, which can occur because the command may take its target from a context or a
    /// variable.
    func refuseOther(_ job: JobDescription) throws {
        guard job.kind == plan.kind, job.target == target, job.collection == plan.collection.engineName else {
            throw FeedJobError(
                .configuration,
                "job \(job.id) feeds '\(job.collection)' in \(job.target), but its command now means "
                    + "'\(plan.collection.engineName)' in \(target); nothing was sent",
                advice: "use the context, FASTCTL_TARGET and FASTCTL_COLLECTION that the job was started with"
            )
        }
        guard !isForAnotherIncarnation(job) else {
            throw FeedJobError(
                .configuration,
                "'\(plan.collection.engineName)' is not the same collection as when job \(job.id) began (\(job.incarnation ?? "")), so the job's "
                    + "results do not apply to it; nothing was sent",
                advice: "cancel the job, and run its command again: fastctl jobs cancel \(job.id)"
            )
        }
    }

    /// The digest of the properties that make two commands the same job.
    var identity: [UInt8] {
        let pending = plan.input
        var parts = [plan.kind.rawValue, target, plan.collection.engineName.rawValue, "\(pending.format)"] + manner
        // Jobs created by earlier versions have no dialect.
        if pending.dialect != InputDialect() { parts.append(pending.dialect.identity) }
        for source in pending.sources {
            switch source {
            case .arguments(let arguments): parts += ["arguments", "\(arguments.count)"] + arguments
            case .file(let path): parts += ["file", ProcessFacts.absolutePath(of: path)]
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
            kind: plan.kind,
            target: target,
            collection: plan.collection.engineName,
            incarnation: incarnation,
            words: Array(words.words.dropFirst()),
            directory: directory,
            spool: spool,
            startedAt: plan.input.startedAt
        )
    }
}

extension JobRequest {
    /// Reads the whole input and stores it as a job, which is sent when the job is resumed.
    func queue(on shelf: JobShelf) async throws -> QueuedFeed {
        do {
            var memory = InputMemory()
            if plan.input.comesOnce {
                memory.spool = try InputSpool.create(shelf.spool(of: newID), maximumBytes: policy.maximumSpoolBytes)
            }
            var (count, tally, end, digest) = (0, InputTally(), InputOffset.start, [UInt8]())
            for try await chunk in try await open(memory) {
                count += chunk.operations.count
                tally += chunk.input
                (end, digest) = (chunk.end, chunk.digest)
                for rejection in chunk.rejections { plan.observer.remark("\(rejection)") }
            }
            // The lock distinguishes a job that is being created from a job that a killed process left behind.
            let lock = try shelf.lock(newID)
            defer { withExtendedLifetime(lock) {} }
            let kept = try await shelf.create(description(spool: memory.spool?.path), stage: .queued)
            try await kept.ledger().queue(kept.id, through: end, digest: digest, accepted: count, tally)
            return QueuedFeed(job: kept.id, operations: count, rejected: tally.rejected)
        } catch {
            unlink(shelf.spool(of: newID))
            throw error
        }
    }
}

/// The reason why a run does not resume an unfinished job of the same command.
struct JobObstacle {
    /// The warning when a new job begins in place of the unfinished one.
    let warning: String
    /// The failure of a run that may only resume a job.
    let refusal: FeedJobError

    /// The pipe's input differs from the stored input, with which the job can still be resumed.
    static func otherInput(_ job: KeptJob, at place: String) -> JobObstacle {
        JobObstacle(
            warning: "this is a new job: \(place); job \(job.id) is unfinished: fastctl jobs resume \(job.id)",
            refusal: FeedJobError(
                .inputRejected,
                "job \(job.id) can't be resumed with this input: \(place); nothing was sent",
                advice: "fastctl jobs resume \(job.id), or run it without --resume"
            )
        )
    }

    /// The job's own input has changed.
    static func changedInput(_ job: KeptJob, _ change: String) -> JobObstacle {
        own(job, change, remedy: "restore its input as it was, or ")
    }

    /// The refusal of a queued job whose input contains more than the part that was queued.
    static func grown(_ job: KeptJob) -> FeedJobError {
        let queued = Quantity(job.record.accepted, "operation was", "operations were")
        return FeedJobError(
            .inputRejected,
            "job \(job.id) can't be sent: \(queued) queued, and its input now has more; nothing was sent",
            advice: "restore its input as it was, or discard the job (fastctl jobs discard \(job.id) --force) and "
                + "queue its command again"
        )
    }

    private static func own(_ job: KeptJob, _ reason: String, remedy: String) -> JobObstacle {
        JobObstacle(
            warning: "this is a new job: \(reason); job \(job.id) is unfinished: end it with: "
                + "fastctl jobs cancel \(job.id)",
            refusal: FeedJobError(
                .inputRejected,
                "job \(job.id) can't be resumed: \(reason); nothing was sent",
                advice: "\(remedy)end the job (fastctl jobs cancel \(job.id)) and run its command again"
            )
        )
    }

    /// The collection differs from the one with which the job began.
    static func renewed(_ job: KeptJob, _ collection: CollectionName) -> JobObstacle {
        let reason = "'\(collection)' is not the same collection as when job \(job.id) began"
        return JobObstacle(
            warning: "this is a new job: \(reason); fastctl jobs cancel \(job.id) ends that one",
            refusal: FeedJobError(
                .configuration,
                "job \(job.id) can't be resumed: \(reason); nothing was sent",
                advice: "run it without --resume"
            )
        )
    }
}
