import ContentFeeding
import Digests
import FeedJobs
import Files
import HTTPService
import JobJournal
import Reconciliation
import ServerSecurity
import TextKit

/// The jobs that apply and undo plans, with the same backups, journals and undo as the jobs of the command-line tool.
///
/// A job is resumed even if the server was killed, because its plan is recorded as running.
actor PlanRunner {
    private let store: PlanStore
    private let target: OpenableTarget
    private let fedStore: FedStore
    private let jobFolder: String
    private let keeping: @Sendable (CollectionName) -> DocumentKeeping
    /// The maximum number of removals and replacements in a plan, in the current settings.
    private let limits: @Sendable () -> PlanSettings
    private let audit: AuditLog
    private let log: @Sendable (String) -> Void
    private let stops = StopBroadcast()
    private var running: [String: Task<Void, Never>] = [:]

    init(
        _ store: PlanStore,
        at target: OpenableTarget,
        jobFolder: String,
        keeping: @escaping @Sendable (CollectionName) -> DocumentKeeping,
        limits: @escaping @Sendable () -> PlanSettings,
        audit: AuditLog,
        log: @escaping @Sendable (String) -> Void
    ) {
        (self.store, self.target, self.jobFolder, self.keeping) = (store, target, jobFolder, keeping)
        (self.limits, self.audit, self.log) = (limits, audit, log)
        fedStore = FedStore(target)
    }

    /// Continues the jobs that an earlier server left unfinished.
    func resume() async throws {
        for plan in try await store.running() { start(plan.id, isUndoing: plan.isBeingUndone) }
    }

    /// Begins a job that the store has recorded as running.
    func start(_ id: String, isUndoing: Bool) {
        guard running[id] == nil else { return }
        running[id] = Task {
            await work(id, isUndoing)
            running[id] = nil
        }
    }

    /// Waits until the replies to the batches in flight have arrived; the next server process continues.
    func drain() async {
        stops.stop(.terminated)
        for task in running.values { await task.value }
    }

    /// Runs until the job has ended, no matter how often the target becomes unavailable.
    private func work(_ id: String, _ isUndoing: Bool) async {
        var pause = Duration.milliseconds(200)
        while !stops.isStopped {
            let failure: String?
            do {
                guard let plan = try await store.plan(id) else { return }
                guard let end = try await run(plan, isUndoing) else { return }
                failure = if case .failed(let reason) = end { reason } else { nil }
            } catch  where Self.isPassing(error) {
                log("plan \(id) is waiting: \((error as? any AdvisedError)?.failure.message ?? "\(error)")")
                fedStore.forget()
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(30))
                continue
            } catch {
                let advised = (error as? any AdvisedError)?.failure.message
                failure = (error as? ServiceProblem)?.message ?? advised ?? "\(error)"
            }
            return await end(id, isUndoing, failure)
        }
    }

    private static func isPassing(_ error: any Error) -> Bool {
        switch error {
        case let error as EngineError: error.code.isPassing
        case let error as JobError: [.running, .superseded].contains(error.code)
        default: false
        }
    }

    private func end(_ id: String, _ isUndoing: Bool, _ failure: String?) async {
        do {
            try await store.end(id, isUndoing: isUndoing, failure: failure, at: ProcessFacts.now)
            let plan = try await store.plan(id)
            guard let plan, let run = isUndoing ? plan.undoing : plan.application else { return }
            let verb = isUndoing ? "undo" : "apply"
            let entry = AuditLog.Entry(
                principal: run.by.principal,
                action: failure == nil ? "\(verb) plan: done" : "\(verb) plan: failed",
                collection: plan.collection.rawValue,
                subject: plan.subject,
                status: failure == nil ? 200 : 500,
                request: "",
                address: ""
            )
            try await audit.append(entry, at: ProcessFacts.now)
        } catch {
            // The next server process will find that the job has ended.
            log("the end of plan \(id) could not be recorded: \(error)")
        }
    }

    private enum RunEnd {
        case completed
        case failed(String)
    }

    /// Feeds the operations of a plan, or the operations that undo it; returns `nil` if the server is about to end.
    private func run(_ plan: StoredPlan, _ isUndoing: Bool) async throws -> RunEnd? {
        let kept = isUndoing ? plan.undoing?.job : plan.application?.job
        do {
            return try await run(plan, isUndoing, resuming: kept)
        } catch let error as JobError where error.code == .ended && kept != nil {
            // The previous server was killed after the end of the job, but before the end of the plan was recorded.
            return .completed
        } catch let error as JobError where error.code == .missing && kept != nil {
            // The job was removed, because it had not sent anything.
            return try await run(plan, isUndoing, resuming: nil)
        }
    }

    private func run(_ plan: StoredPlan, _ isUndoing: Bool, resuming kept: String?) async throws -> RunEnd? {
        var feed = isUndoing ? try await undoing(plan) : try await applying(plan)
        feed.options.configuration.giveUpAfter = nil
        feed.store = try await fedStore.store()
        feed.words = ["content-distributor", isUndoing ? "undo" : "plan", plan.id]
        if let kept {
            feed.jobs.job = JobID(rawValue: kept)
            feed.jobs.isResuming = true
        }
        let prepared = try await feed.prepare()
        if let claim = prepared.job.claim, claim.id.rawValue != kept {
            try await store.note(job: claim.id.rawValue, of: plan.id, isUndoing: isUndoing)
        }
        let sent = try await prepared.send(stops: stops.reasons())
        _ = try await sent.conclude()
        switch sent.result.report.end {
        case .completed: return .completed
        case .stopped(let reason):
            guard !stops.isStopped else { return nil }
            if case .engine(let code, let message) = reason { throw EngineError(code, message) }
            return .failed(reason.words)
        case nil: return nil
        }
    }

    private func applying(_ plan: StoredPlan) async throws -> FeedPlan {
        let file = try await store.file(of: plan.id)
        guard file.digest.hexadecimal == plan.digest else {
            throw ServiceProblem(.conflict, "differentPlan", "the plan does not have the operations that were planned")
        }
        let input = PendingInput(PlanInput(plan: file, path: store.path(of: plan.id)))
        let kind: ContentOperation.Kind = file.tally.additions > 0 ? .add : .remove
        var feed = FeedPlan(kind, input, at: target, in: target.collection(plan.collection.rawValue))
        feed.options.configuration.missing = .error
        feed.jobs = JobPolicy(folder: jobFolder)
        feed.backup = store.backup(of: plan.id)
        feed.wrapping = { [keeping, collection = plan.collection] engine in
            KeepingEngine(engine) { keeping(collection) }
        }
        feed.requirement = { [limits] engine, isResumed in
            guard !isResumed else { return }
            try await PlanGuards(file, limits(), on: engine).check()
        }
        return feed
    }

    private func undoing(_ plan: StoredPlan) async throws -> FeedPlan {
        guard let job = plan.application?.job else {
            throw ServiceProblem(.conflict, "notApplied", "the plan has changed nothing")
        }
        return try await FeedPlan.undoing(
            JobID(rawValue: job),
            at: target,
            in: target.collection(plan.collection.rawValue),
            jobs: JobPolicy(folder: jobFolder)
        )
    }

    /// Returns the progress or the result of a job; `nil` if it is unknown.
    func record(of job: String, in collection: CollectionName) async throws -> (JobRecord, [OperationOutcome])? {
        let open = try await target.open(target.collection(collection.rawValue))
        let id = JobID(rawValue: job)
        let shelf = try JobShelf.existing(of: open.store, JobPolicy(folder: jobFolder))
        guard let kept = await shelf.jobs(named: id).first else { return nil }
        let issues = try await kept.ledger().issues(of: id, after: 0)
        return (kept.record, issues)
    }
}

// MARK: - Limits and principals

extension EngineError.Code {
    /// Whether a later attempt may succeed without intervention.
    var isPassing: Bool { [.unreachable, .locked, .exhausted, .diskFull, .inputOutput].contains(self) }
}

/// The limits of a plan in the current state of its collection, and whether the plan is within them.
struct PlanGuards {
    struct Limit {
        let name: String
        /// The limit as written in the settings; `nil` for the default.
        let text: String?
        let planned: Int
        let allowed: Int

        var holds: Bool { planned <= allowed }
    }

    private(set) var all: [Limit] = []

    /// Creates an empty list of limits, for a plan that can no longer be applied.
    init() {}

    init(_ file: PlanFile, _ settings: PlanSettings, on engine: any CollectionEngine) async throws {
        let (removals, replacements) = (settings.maximumRemovals, settings.maximumReplacements)
        let verdict = try await PlanGuard(file, limit: removals, replacements: replacements).verdict(onLimitsOf: engine)
        if let limit = verdict.limit {
            all.append(Limit(name: "max-remove", text: removals?.text, planned: limit.removals, allowed: limit.allowed))
        }
        if let limit = verdict.replacementLimit {
            let (planned, allowed) = (limit.replacements, limit.allowed)
            all.append(Limit(name: "max-replace", text: replacements?.text, planned: planned, allowed: allowed))
        }
    }

    /// The number of operations that a limit stops.
    var guarded: Int { all.filter { !$0.holds }.reduce(0) { $0 + $1.planned } }

    func check() throws(ServiceProblem) {
        guard let limit = all.first(where: { !$0.holds }) else { return }
        let verb = limit.name == "max-remove" ? "removes" : "replaces"
        throw ServiceProblem(
            .conflict,
            "guarded",
            "the plan \(verb) \(Quantity(limit.planned, "document", "documents")), more than '\(limit.name)' "
                + "allows; nothing was changed",
            advice: "make a smaller plan, or have an administrator raise the limit in the settings"
        )
    }
}

extension StoredPlan {
    /// The plan as described in the audit log, with all people responsible for it.
    var subject: String {
        var words = "plan \(id) by \(author.principal)"
        if let approval { words += ", approved by \(approval.principal)" }
        return words
    }

    /// Returns whether a principal is the author, or either of their two tokens is derived from the other.
    func isByAuthor(_ principal: String) -> Bool {
        let (author, other) = (author.principal, principal)
        return author == other || author.hasPrefix(other + " derived ") || other.hasPrefix(author + " derived ")
            || author.withoutMark == other.withoutMark
    }
}

extension String {
    /// The name of a derived token's bearer, without the digest of the token's rights.
    fileprivate var withoutMark: String {
        guard contains(" derived"), let space = lastIndex(of: " ") else { return self }
        return String(self[..<space])
    }
}
