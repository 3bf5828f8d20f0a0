import ContentFeeding
import Digests
import FeedJobs
import Files
import HTTPService
import JSONText
import JobJournal
import Reconciliation
import TextKit

// MARK: Jobs

/// The jobs that apply and undo plans: those of the command, with the same backup, journal and undo.
///
/// A job goes on after the server was killed, because its plan says that it is running.
actor PlanRunner {
    private let store: PlanStore
    private let target: OpenableTarget
    private let fedStore: FedStore
    private let jobFolder: String
    private let keeping: @Sendable (CollectionName) -> DocumentKeeping
    /// The most removals and replacements of a plan, as the settings have them now.
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

    /// Continues the jobs that an earlier server left.
    func resume() async throws {
        for plan in try await store.running() { start(plan.id, isUndoing: plan.isBeingUndone) }
    }

    /// Begins a job, which the store has recorded as running.
    func start(_ id: String, isUndoing: Bool) {
        guard running[id] == nil else { return }
        running[id] = Task {
            await work(id, isUndoing)
            running[id] = nil
        }
    }

    /// Returns when the batches in flight have come back; the next server continues.
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
            } catch where Self.isPassing(error) {
                log("plan \(id) waits: \((error as? any AdvisedError)?.failure.message ?? "\(error)")")
                fedStore.forget()
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(30))
                continue
            } catch {
                failure = (error as? ServiceProblem)?.message ?? (error as? any AdvisedError)?.failure.message ?? "\(error)"
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
            guard let plan = try await store.plan(id), let run = isUndoing ? plan.undoing : plan.application else { return }
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
            // The next server finds the job's end.
            log("the end of plan \(id) could not be recorded: \(error)")
        }
    }

    private enum RunEnd {
        case completed
        case failed(String)
    }

    /// Feeds the operations of a plan, or those that undo it; returns `nil` if the server is about to end.
    private func run(_ plan: StoredPlan, _ isUndoing: Bool) async throws -> RunEnd? {
        let kept = isUndoing ? plan.undoing?.job : plan.application?.job
        do {
            return try await run(plan, isUndoing, resuming: kept)
        } catch let error as JobError where error.code == .ended && kept != nil {
            // The previous server was killed between the job's end and the plan's.
            return .completed
        } catch let error as JobError where error.code == .missing && kept != nil {
            // It was removed, because it had sent nothing.
            return try await run(plan, isUndoing, resuming: nil)
        }
    }

    private func run(
        _ plan: StoredPlan,
        _ isUndoing: Bool,
        resuming kept: String?
    ) async throws -> RunEnd? {
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
            throw ServiceProblem(.conflict, "differentPlan", "the operations of the plan are not those that were planned")
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

    /// The progress or the result of a job; `nil` if it is not known.
    func record(of job: String, in collection: CollectionName) async throws -> (JobRecord, [OperationOutcome])? {
        let open = try await target.open(target.collection(collection.rawValue))
        let id = JobID(rawValue: job)
        let shelf = try JobShelf.existing(of: open.store, JobPolicy(folder: jobFolder))
        guard let kept = await shelf.jobs(named: id).first else { return nil }
        return (kept.record, try await kept.ledger().issues(of: id, after: 0))
    }
}

extension EngineError.Code {
    /// Whether a later attempt may succeed by itself.
    var isPassing: Bool { [.unreachable, .locked, .exhausted, .diskFull, .inputOutput].contains(self) }
}

/// The limits of a plan in a collection as it is now, and whether the plan is within them.
struct PlanGuards {
    struct Limit {
        let name: String
        /// The limit as it is written; `nil` for that which holds without one.
        let text: String?
        let planned: Int
        let allowed: Int

        var holds: Bool { planned <= allowed }
    }

    private(set) var all: [Limit] = []

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

    /// The operations that a limit stops.
    var guarded: Int { all.filter { !$0.holds }.reduce(0) { $0 + $1.planned } }

    func check() throws(ServiceProblem) {
        guard let limit = all.first(where: { !$0.holds }) else { return }
        let verb = limit.name == "max-remove" ? "removes" : "replaces"
        throw ServiceProblem(
            .conflict,
            "guarded",
            "the plan \(verb) \(Quantity(limit.planned, "document", "documents")), more than 'plans: \(limit.name)' allows; "
                + "nothing was changed",
            advice: "make a smaller plan, or have an administrator raise the limit in the settings"
        )
    }
}

extension StoredPlan {
    /// The plan in the words of the audit log, with all who are responsible for it.
    var subject: String {
        var words = "plan \(id) by \(author.principal)"
        if let approval { words += ", approved by \(approval.principal)" }
        return words
    }

    /// Whether a principal is the author, or a token is derived from the author's or the author's from it.
    func isByAuthor(_ principal: String) -> Bool {
        let (author, other) = (author.principal, principal)
        return author == other || author.hasPrefix(other + " derived ") || other.hasPrefix(author + " derived ")
            || author.withoutMark == other.withoutMark
    }
}

extension String {
    /// The name of a derived token's bearer, without the mark of its rights.
    fileprivate var withoutMark: String {
        guard contains(" derived"), let space = lastIndex(of: " ") else { return self }
        return String(self[..<space])
    }
}

// MARK: - Requests

extension ContentDistributor {
    private static let (usualPage, longestPage, samples, maximumPlans) = (20, 1_000, 20, 1_000)

    /// Makes a plan.
    func makePlan(_ request: ServedRequest) async throws -> ServedResponse {
        let collection = try request.parameter("collection")
        guard let token = try token else { throw ServiceProblem.noToken }
        // What a plan needs depends on its contents; a client that may do neither is refused before it sends them.
        let settings = settings
        let body = try await request.body.collect(upTo: settings.limits.body)
        let wanted = try PlanRequest(body, settings.limits)
        let grant = try await grant(wanted.kind.verbs, on: collection, request)
        var system = SystemRandomNumberGenerator()
        let id = JobID.random(using: &system).rawValue
        return try await audited(request, "plan to \(wanted.kind.rawValue)", grant, "plan \(id)") {
            try await plans.forget(endedBefore: ProcessFacts.now - settings.plans.keeping)
            guard try await plans.count() < Self.maximumPlans else {
                throw ServiceProblem.tooMany("there are already \(Self.maximumPlans) plans", limit: "plans")
            }
            let target = try OpenableTarget(settings.target)
            let engine = try await target.open(target.collection(collection)).engine
            var maker = try PlanMaker(grant, engine, writingTo: plans.path(of: id))
            try await maker.write(wanted, at: target.address)
            let now = ProcessFacts.now
            let plan = StoredPlan(
                id: id,
                collection: grant.collection,
                kind: wanted.kind,
                author: StoredPlan.Act(principal: token.principal, at: now),
                expires: now + settings.plans.keeping,
                digest: try await plans.file(of: id).digest.hexadecimal,
                counts: maker.counts,
                filter: grant.filter,
                ownIDs: grant.ownIDs,
                refusals: maker.refusals
            )
            try await plans.add(plan)
            return try await answer(plan, .created)
        }
    }

    /// Answers with the plans that the client may see, newest first, without their samples.
    func listPlans(_ request: ServedRequest) async throws -> ServedResponse {
        guard let token = try token else { throw ServiceProblem.noToken }
        let limit = try Self.limit(of: request)
        guard var before = Int(request.queryValue("cursor") ?? "\(Int.max)"), before > 0 else {
            throw ServiceProblem.invalid("cursor", "it is not from this list", "use 'next' of the previous page, or none")
        }
        var found: [StoredPlan] = []
        var isAtEnd = false
        while found.count < limit, !isAtEnd {
            let page = try await plans.plans(before: before, limit: limit)
            isAtEnd = page.count < limit
            for (number, plan) in page where found.count < limit {
                before = number
                if shows(plan, to: token) { found.append(plan) }
            }
        }
        if !isAtEnd { isAtEnd = try await plans.plans(before: before, limit: 1).isEmpty }
        var writer = JSONWriter()
        writer.object { object in
            object.array("plans") { array in
                for plan in found { array.object { write(plan, to: &$0) } }
            }
            object.member("next", isAtEnd ? nil : "\(before)")
        }
        return .json(writer.takeBytes())
    }

    /// Answers with a plan.
    func showPlan(_ request: ServedRequest) async throws -> ServedResponse { try await answer(visiblePlan(request), .ok) }

    /// Answers with the operations of a plan, in its order.
    func listPlanOperations(_ request: ServedRequest) async throws -> ServedResponse {
        let plan = try await visiblePlan(request)
        let limit = try Self.limit(of: request)
        guard let place = Int(request.queryValue("cursor") ?? "0"), place >= 0 else {
            throw ServiceProblem.invalid("cursor", "it is not from this list", "use 'next' of the previous page, or none")
        }
        let file = try await operations(of: plan)
        let page = try file.next(from: place, limit: limit, maximumBytes: settings.limits.body)
        let isAtEnd = try page.map { try file.next(from: $0.end, limit: 1, maximumBytes: 1) == nil } ?? true
        var writer = JSONWriter()
        writer.object { object in
            object.array("operations") { Self.write(page?.operations ?? [], to: &$0) }
            object.member("next", isAtEnd ? nil : page.map { "\($0.end)" })
        }
        return .json(writer.takeBytes())
    }

    /// Approves a plan of another person.
    func approvePlan(_ request: ServedRequest) async throws -> ServedResponse {
        try await changingPlan(request, "approve plan", \.kind.verbs) { plan, act in
            guard !plan.isByAuthor(act.principal) else {
                throw ServiceProblem(
                    .forbidden,
                    "ownPlan",
                    "the author of a plan can't approve it",
                    advice: "ask another person with rights to the collection"
                )
            }
            guard plan.state(at: act.at) == .planned, try await plans.approve(plan.id, act) else {
                throw try await wrongState(plan.id, "approved", "is not waiting for an approval")
            }
            return .ok
        }
    }

    /// Applies a plan whose collection and digest the client has named.
    func applyPlan(_ request: ServedRequest) async throws -> ServedResponse {
        let body = try JSONObjectBody(try await request.body.collect(upTo: 64 << 10))
        return try await changingPlan(request, "apply plan", \.kind.verbs) { plan, act in
            guard body["collection"] == plan.collection.rawValue else {
                throw ServiceProblem.notThisPlan("collection", "the plan is for another collection")
            }
            guard body["digest"] == plan.digest else {
                throw ServiceProblem.notThisPlan("digest", "the plan has another digest")
            }
            let state = plan.state(at: act.at)
            if state == .planned, settings.plans.requiresApproval {
                throw ServiceProblem(
                    .conflict,
                    "notApproved",
                    "the plan needs the approval of another person than its author",
                    advice: "ask one to send POST /v1/plans/\(plan.id)/approval"
                )
            }
            guard [.planned, .approved].contains(state) else {
                throw try await wrongState(plan.id, "applied", "can't be applied")
            }
            let engine = try await collections.engine(named: plan.collection)
            try await PlanGuards(operations(of: plan), settings.plans, on: engine).check()
            guard try await plans.beginApplication(plan.id, from: state, act) else {
                throw try await wrongState(plan.id, "applied", "can't be applied")
            }
            await planRunner.start(plan.id, isUndoing: false)
            return .accepted
        }
    }

    /// Undoes a plan that was applied, where nothing has changed since.
    func undoPlan(_ request: ServedRequest) async throws -> ServedResponse {
        try await changingPlan(request, "undo plan", \.kind.undoingVerbs) { plan, act in
            guard try await plans.beginUndoing(plan.id, act) else {
                throw try await wrongState(plan.id, "undone", "can't be undone")
            }
            await planRunner.start(plan.id, isUndoing: true)
            return .accepted
        }
    }

    /// Removes a plan with its backup; only its author and administrators may do this.
    func deletePlan(_ request: ServedRequest) async throws -> ServedResponse {
        let plan = try await visiblePlan(request)
        guard let token = try token else { throw ServiceProblem.noToken }
        let filter = DocumentFilter()
        let grant = AccessGrant(collection: plan.collection, principal: token.principal, filter: filter)
        return try await audited(request, "delete plan", grant, plan.subject) {
            guard token.role == .admin || token.principal == plan.author.principal else {
                throw ServiceProblem(.forbidden, "notAllowed", "only its author and administrators may delete a plan")
            }
            guard try await plans.remove(plan.id) else {
                throw try await wrongState(plan.id, "deleted", "can't be deleted while its job goes on")
            }
            return ServedResponse(status: .noContent)
        }
    }

    // MARK: Rights

    /// Performs an act on a plan that the client may see, with the rights that it needs, and answers with the plan.
    private func changingPlan(
        _ request: ServedRequest,
        _ action: String,
        _ verbs: (StoredPlan) -> [AccessVerb],
        _ body: (StoredPlan, StoredPlan.Act) async throws -> ResponseStatus
    ) async throws -> ServedResponse {
        let plan = try await visiblePlan(request)
        let grant = try await grant(verbs(plan), on: plan.collection.rawValue, request)
        return try await audited(request, action, grant, plan.subject) {
            guard Self.covers(grant.filter, grant.ownIDs, plan) else { throw ServiceProblem.notAllowed }
            let status = try await body(plan, StoredPlan.Act(principal: grant.principal, at: ProcessFacts.now))
            return try await answer(plans.plan(plan.id) ?? plan, status)
        }
    }

    /// Returns the plan of a request; one that the client could not have made itself counts as missing.
    private func visiblePlan(_ request: ServedRequest) async throws -> StoredPlan {
        guard let token = try token else { throw ServiceProblem.noToken }
        let id = try request.parameter("plan")
        guard let plan = try await plans.plan(id), shows(plan, to: token) else {
            throw ServiceProblem(.notFound, "noPlan", "there is no plan \(id)", advice: "GET /v1/plans lists them")
        }
        return plan
    }

    private func shows(_ plan: StoredPlan, to token: AccessToken) -> Bool {
        let name = plan.collection.rawValue
        let rules = settings.collections[name] ?? CollectionRules()
        guard let filter = try? filter(of: plan.kind.verbs, on: name, for: token) else { return false }
        guard !filter.isEmpty else { return true }
        do throws(ServiceProblem) {
            return Self.covers(filter, try rules.ownIDs(of: token), plan)
        } catch {
            return false
        }
    }

    /// Whether the rules of a client admit every document of a plan.
    private static func covers(_ filter: DocumentFilter, _ ownIDs: String?, _ plan: StoredPlan) -> Bool {
        filter.covers(plan.filter) && (ownIDs == nil || ownIDs == plan.ownIDs)
    }

    // MARK: Answers

    private static func limit(of request: ServedRequest) throws(ServiceProblem) -> Int {
        guard let limit = Int(request.queryValue("limit") ?? "\(usualPage)"), (1...longestPage).contains(limit) else {
            throw .invalid("limit", "it is not a number from 1 to \(longestPage)", "write limit=100")
        }
        return limit
    }

    private func operations(of plan: StoredPlan) async throws -> PlanFile {
        do {
            return try await plans.file(of: plan.id)
        } catch let error as PlanError {
            log("plan \(plan.id): \(error)")
            throw ServiceProblem(
                .conflict,
                "planDamaged",
                "the server's file of the plan was changed or is gone",
                advice: "make a new plan"
            )
        }
    }

    private func wrongState(_ id: String, _ verb: String, _ reason: String) async throws -> ServiceProblem {
        let plan = try await plans.plan(id)
        let state = plan.map { $0.state(at: ProcessFacts.now).rawValue } ?? "deleted"
        let running = plan?.isBeingUndone ?? false ? ", and is being undone" : ""
        return ServiceProblem(
            .conflict,
            "wrongState",
            "the plan is \(state)\(running); it \(reason)",
            advice: "GET /v1/plans/\(id) shows what has become of it"
        )
    }

    private func answer(_ plan: StoredPlan, _ status: ResponseStatus) async throws -> ServedResponse {
        let file = try await operations(of: plan)
        let engine = try await collections.engine(named: plan.collection)
        let guards = try await PlanGuards(file, settings.plans, on: engine)
        let samples = try file.next(from: 0, limit: Self.samples, maximumBytes: 1 << 20)?.operations ?? []
        let results = (try await result(of: plan.application, plan), try await result(of: plan.undoing, plan))
        var writer = JSONWriter()
        writer.object { object in
            write(plan, guarded: guards.guarded, to: &object)
            object.array("guards") { array in
                for limit in guards.all {
                    array.object { object in
                        object.member("name", limit.name)
                        object.member("limit", limit.text)
                        object.member("planned", limit.planned)
                        // From a percentage, it would show how many documents others have.
                        object.member("allowed", plan.filter.isEmpty ? limit.allowed : nil)
                        object.member("holds", limit.holds)
                    }
                }
            }
            for (name, run, result) in [("application", plan.application, results.0), ("undo", plan.undoing, results.1)] {
                guard let run else {
                    object.member(name, nil as String?)
                    continue
                }
                object.object(name) { Self.write(run, result, to: &$0) }
            }
            object.array("samples") { Self.write(samples, to: &$0) }
            object.array("refusals") { array in
                for refusal in plan.refusals {
                    array.object { object in
                        object.member("id", refusal.id)
                        object.member("reason", refusal.reason)
                    }
                }
            }
        }
        var response = ServedResponse.json(writer.takeBytes(), status: status)
        if status == .created { response.headers["Location"] = "/v1/plans/\(plan.id)" }
        return response
    }

    private func result(
        of run: StoredPlan.Run?,
        _ plan: StoredPlan
    ) async throws -> (JobRecord, [OperationOutcome])? {
        guard let job = run?.job else { return nil }
        return try await planRunner.record(of: job, in: plan.collection)
    }

    private func write(_ plan: StoredPlan, guarded: Int? = nil, to object: inout JSONWriter) {
        object.member("kind", "plan")
        object.member("plan", plan.id)
        object.member("collection", plan.collection.rawValue)
        object.member("operation", plan.kind.rawValue)
        object.member("state", plan.state(at: ProcessFacts.now).rawValue)
        object.member("isBeingUndone", plan.isBeingUndone)
        object.member("author", plan.author.principal)
        object.member("created", plan.author.at.timestamp)
        object.member("expires", plan.expires.timestamp)
        object.member("approvalRequired", settings.plans.requiresApproval)
        object.member("approver", plan.approval?.principal)
        object.member("approved", plan.approval?.at.timestamp)
        object.member("digest", plan.digest)
        object.object("counts") { object in
            for (name, path) in StoredPlan.Counts.all { object.member(name, plan.counts[keyPath: path]) }
            if let guarded { object.member("guarded", guarded) }
        }
    }

    private static func write(
        _ run: StoredPlan.Run,
        _ result: (record: JobRecord, issues: [OperationOutcome])?,
        to object: inout JSONWriter
    ) {
        object.member("by", run.by.principal)
        object.member("began", run.by.at.timestamp)
        object.member("ended", run.ended?.timestamp)
        object.member("job", run.job)
        object.member("failure", run.failure)
        object.object("outcomes") { object in
            for outcome in Outcome.allCases {
                guard let count = result?.record.counts[outcome], count > 0 else { continue }
                object.member(outcome.name, count)
            }
        }
        object.member("errors", result?.record.errors)
        object.array("issues") { array in
            for outcome in (result?.issues ?? []).prefix(samples) {
                array.object { object in
                    object.member("id", outcome.documentID.text)
                    object.member("routing", outcome.routing?.text)
                    object.member("outcome", outcome.outcome.name)
                    object.member("code", outcome.issue?.failure.code.rawValue)
                    object.member("message", outcome.issue?.failure.message)
                }
            }
        }
    }

    private static func write(_ operations: [ContentOperation], to array: inout JSONWriter) {
        for operation in operations {
            array.object { object in
                let version: DocumentVersion? =
                    if case .unchanged(let version)? = operation.condition, version != .neverWritten { version } else { nil }
                let isReplacement = operation.kind == .add && version != nil
                object.member("operation", isReplacement ? "replace" : operation.kind.rawValue)
                object.member("id", operation.documentID.text)
                object.member("routing", operation.routing?.text)
                object.member("version", version?.rawValue)
                if operation.kind != .remove { object.member("document", raw: operation.json) }
            }
        }
    }
}

extension Duration {
    fileprivate var timestamp: String { UTCTimestamp(since1970: self).description }
}

/// The texts of a request's small JSON object.
private struct JSONObjectBody {
    private let value: JSONValue

    init(_ bytes: [UInt8]) throws(ServiceProblem) {
        guard let value = try? JSONValue(bytes), case .object = value else {
            throw ServiceProblem(
                .badRequest,
                "notJSON",
                "the body is not a JSON object",
                advice: "send {\"collection\":\"NAME\",\"digest\":\"…\"}, as GET /v1/plans/PLAN shows them"
            )
        }
        self.value = value
    }

    subscript(name: String) -> String? { value[name].text }
}

extension ServiceProblem {
    fileprivate static func notThisPlan(_ field: String, _ reason: String) -> ServiceProblem {
        var problem = ServiceProblem(
            .conflict,
            "differentPlan",
            "\(field): \(reason), or none was named; nothing was changed",
            advice: "read the plan again, and name its collection and its digest"
        )
        problem.field = field
        return problem
    }
}
