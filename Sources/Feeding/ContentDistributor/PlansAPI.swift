import ContentFeeding
import Digests
import FeedJobs
import Files
import HTTPService
import JSONText
import JobJournal
import Reconciliation
import Schedules
import TextKit
import Threads

extension ContentDistributor {
    private static let (usualPage, longestPage, samples, maximumPlans) = (20, 1_000, 20, 1_000)

    /// Creates a plan.
    func makePlan(_ request: ServedRequest) async throws -> ServedResponse {
        let collection = try request.parameter("collection")
        guard try token != nil else { throw ServiceProblem.noToken }
        let limits = settings.limits
        let wanted = try PlanRequest(try await request.body.collect(upTo: limits.body), limits)
        return try await makePlan(wanted, on: collection, request)
    }

    /// Creates a plan from the comparison in the report of a schedule's run, and returns its ID; `nil` if the
    /// comparison has no operations.
    ///
    /// Its author is the client that started the run, or else the schedule, whose earlier plans it replaces; a
    /// comparison without operations removes them, because they are out of date.
    func makePlan(of run: ScheduledRun, _ report: String, on collection: String) async throws -> String? {
        let comparison = try await onOwnThread { Result { try PlanFile(report, allowsEdits: false) } }.get()
        let author = AccessToken(id: "", name: run.client ?? "schedule \(run.schedule)", role: .admin)
        guard comparison.tally.operations > 0 else {
            if run.client == nil { try await plans.removeOthers(than: nil, by: author.principal) }
            return nil
        }
        let admission = Admission(circumstances: current.withLock { $0 }, token: .success(author))
        let request = ServedRequest(.post, "/v1/collections/\(collection)/plans", peerAddress: "", id: "")
        return try await Self.$admission.withValue(admission) {
            let wanted = PlanRequest(reconciling: run.schedule)
            let answer = try await makePlan(wanted, on: collection, request, comparison)
            var id = answer.headers["Location"]?.split(separator: "/").last.map(String.init)
            // The documents may have reached the requested state since they were compared.
            if let made = id, try await plans.remove(made, if: { $0.counts.isIdle }) { id = nil }
            if run.client == nil { try await plans.removeOthers(than: id, by: author.principal) }
            return id
        }
    }

    private func makePlan(
        _ wanted: PlanRequest,
        on collection: String,
        _ request: ServedRequest,
        _ comparison: PlanFile? = nil
    ) async throws -> ServedResponse {
        guard let token = try token else { throw ServiceProblem.noToken }
        let settings = settings
        let grant = try await grant(wanted.kind.verbs, on: collection, request)
        var system = SystemRandomNumberGenerator()
        let id = JobID.random(using: &system).rawValue
        let schedule = try wanted.schedule.map { try comparing(grant, by: $0, token) }
        let subject = "plan \(id)" + (wanted.schedule.map { ", schedule \($0)" } ?? "")
        return try await audited(request, "plan to \(wanted.kind.rawValue)", grant, subject) {
            try await plans.forget(endedBefore: ProcessFacts.now - settings.plans.keeping)
            guard try await plans.count() < Self.maximumPlans else {
                throw ServiceProblem.tooMany("there are already \(Self.maximumPlans) plans", limit: "plans")
            }
            let target = try OpenableTarget(settings.target)
            let engine = try await target.open(target.collection(collection)).engine
            var maker = try PlanMaker(grant, engine, writingTo: plans.path(of: id))
            var comparison = comparison
            if let schedule, comparison == nil {
                comparison = try await schedules.compare(schedule, tokens, writingTo: plans.path(of: id) + ".compared")
            }
            try await maker.write(wanted, comparison, at: target.address)
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
                schedule: wanted.schedule,
                refusals: maker.refusals
            )
            try await plans.add(plan)
            return try await answer(plan, .created)
        }
    }

    /// Returns the schedule whose command compares a collection with its source, for administrators.
    ///
    /// A command runs on the server, and its result includes documents that may not be in the collection yet.
    private func comparing(
        _ grant: AccessGrant,
        by name: String,
        _ token: AccessToken
    ) throws(ServiceProblem) -> ScheduleSettings {
        // A comparison by a client that may see only a part of the collection would add the other documents again.
        guard token.role == .admin, grant.filter.isEmpty, grant.ownIDs == nil else { throw .notAllowed }
        let known = settings.schedules.filter { $0.command.comparedCollection == grant.collection.rawValue }
        guard let schedule = known.first(where: { $0.schedule.name == name }) else {
            let names = known.map(\.schedule.name).joined(separator: ", ")
            throw .invalid(
                "reconcile",
                "there is no schedule '\(name)' whose command is 'fastctl reconcile' for '\(grant.collection)'",
                known.isEmpty ? "add one to the settings" : "name one of \(names)"
            )
        }
        return schedule
    }

    /// Responds with the plans that the client may see, newest first, without their samples.
    func listPlans(_ request: ServedRequest) async throws -> ServedResponse {
        guard let token = try token else { throw ServiceProblem.noToken }
        let limit = try Self.limit(of: request)
        guard var before = Int(request.queryValue("cursor") ?? "\(Int.max)"), before > 0 else {
            throw ServiceProblem.foreignCursor
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
        return .json { object in
            object.array("plans") { array in
                for plan in found { array.object { write(plan, to: &$0) } }
            }
            object.member("next", isAtEnd ? nil : "\(before)")
        }
    }

    /// Responds with a plan.
    func showPlan(_ request: ServedRequest) async throws -> ServedResponse {
        try await answer(visiblePlan(request), .ok)
    }

    /// Responds with the operations of a plan, in the plan's order.
    func listPlanOperations(_ request: ServedRequest) async throws -> ServedResponse {
        let plan = try await visiblePlan(request)
        let limit = try Self.limit(of: request)
        guard let place = Int(request.queryValue("cursor") ?? "0"), place >= 0 else {
            throw ServiceProblem.foreignCursor
        }
        let file = try await operations(of: plan)
        let page = try file.next(from: place, limit: limit, maximumBytes: settings.limits.body)
        let isAtEnd = try page.map { try file.next(from: $0.end, limit: 1, maximumBytes: 1) == nil } ?? true
        return .json { object in
            object.array("operations") { Self.write(page?.operations ?? [], to: &$0) }
            object.member("next", isAtEnd ? nil : page.map { "\($0.end)" })
        }
    }

    /// Approves another person's plan.
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
                throw try await wrongState(plan.id, "approved", "is not waiting for approval")
            }
            return .ok
        }
    }

    /// Applies a plan whose collection and digest the client has specified.
    func applyPlan(_ request: ServedRequest) async throws -> ServedResponse {
        let body = try JSONObjectBody(try await request.body.collect(upTo: 64 << 10))
        return try await changingPlan(request, "apply plan", \.kind.verbs) { plan, act in
            guard body["collection"] == plan.collection.rawValue else {
                throw ServiceProblem.notThisPlan("collection", "the plan is for another collection")
            }
            guard body["digest"] == plan.digest else {
                throw ServiceProblem.notThisPlan("digest", "the plan has a different digest")
            }
            let state = plan.state(at: act.at)
            if state == .planned, settings.plans.requiresApproval {
                throw ServiceProblem(
                    .conflict,
                    "notApproved",
                    "the plan needs the approval of a person other than its author",
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

    /// Undoes a plan that was applied, except for documents that have changed since.
    func undoPlan(_ request: ServedRequest) async throws -> ServedResponse {
        try await changingPlan(request, "undo plan", \.kind.undoingVerbs) { plan, act in
            guard try await plans.beginUndoing(plan.id, act) else {
                throw try await wrongState(plan.id, "undone", "can't be undone")
            }
            await planRunner.start(plan.id, isUndoing: true)
            return .accepted
        }
    }

    /// Removes a plan with its backup, which only its author and administrators may do.
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
                throw try await wrongState(plan.id, "deleted", "can't be deleted while its job is running")
            }
            return ServedResponse(status: .noContent)
        }
    }

    // MARK: Rights

    /// Performs an action on a visible plan, if the client has the required rights, and responds with the plan.
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

    /// Returns the plan of a request; a plan that the client could not have created counts as missing.
    private func visiblePlan(_ request: ServedRequest) async throws -> StoredPlan {
        guard let token = try token else { throw ServiceProblem.noToken }
        let id = try request.parameter("plan")
        guard let plan = try await plans.plan(id), shows(plan, to: token) else {
            throw ServiceProblem(.notFound, "noPlan", "there is no plan \(id)", advice: "GET /v1/plans lists them")
        }
        return plan
    }

    private func shows(_ plan: StoredPlan, to token: AccessToken) -> Bool { admits(plan.kind.verbs, plan, token) }

    /// Returns whether a client may perform all of the given verbs on every document of a plan.
    private func admits(_ verbs: [AccessVerb], _ plan: StoredPlan, _ token: AccessToken) -> Bool {
        let name = plan.collection.rawValue
        let rules = settings.collections[name] ?? CollectionRules()
        guard let filter = try? filter(of: verbs, on: name, for: token) else { return false }
        guard !filter.isEmpty else { return true }
        do throws(ServiceProblem) {
            return Self.covers(filter, try rules.ownIDs(of: token), plan)
        } catch {
            return false
        }
    }

    /// Returns whether a client's rules allow every document of a plan.
    private static func covers(_ filter: DocumentFilter, _ ownIDs: String?, _ plan: StoredPlan) -> Bool {
        filter.covers(plan.filter) && (ownIDs == nil || ownIDs == plan.ownIDs)
    }

    /// Returns the actions that the client can now perform, given the plan's state and the client's rights.
    private func possibleActs(on plan: StoredPlan, _ guards: PlanGuards) throws -> [String] {
        guard let token = try token else { return [] }
        let state = plan.state(at: ProcessFacts.now)
        let isApplicable = state == .approved || state == .planned && !settings.plans.requiresApproval
        let hasRights = admits(plan.kind.verbs, plan, token)
        var acts: [String] = []
        if hasRights, state == .planned, !plan.isByAuthor(token.principal) { acts.append("approve") }
        if hasRights, isApplicable, guards.all.allSatisfy(\.holds) { acts.append("apply") }
        if plan.canBeUndone, admits(plan.kind.undoingVerbs, plan, token) { acts.append("undo") }
        let isOwner = token.role == .admin || token.principal == plan.author.principal
        if isOwner, !plan.isRunning { acts.append("delete") }
        return acts
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
                "the server's plan file was changed or is missing",
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
            advice: "GET /v1/plans/\(id) shows its current state"
        )
    }

    private func answer(_ plan: StoredPlan, _ status: ResponseStatus) async throws -> ServedResponse {
        let file = try await operations(of: plan)
        let engine = try await collections.engine(named: plan.collection)
        // Once the plan has been applied, the collection has a different size.
        let isOpen = [.planned, .approved].contains(plan.state(at: ProcessFacts.now))
        let guards = isOpen ? try await PlanGuards(file, settings.plans, on: engine) : PlanGuards()
        let samples = try file.next(from: 0, limit: Self.samples, maximumBytes: 1 << 20)?.operations ?? []
        let possible = try possibleActs(on: plan, guards)
        let applied = try await result(of: plan.application, plan)
        let undone = try await result(of: plan.undoing, plan)
        var response = ServedResponse.json(status: status) { object in
            write(plan, guarded: guards.guarded, to: &object)
            object.array("guards") { array in
                for limit in guards.all {
                    array.object { object in
                        object.member("name", limit.name)
                        object.member("limit", limit.text)
                        object.member("planned", limit.planned)
                        // A limit computed from a percentage would reveal the number of other clients' documents.
                        object.member("allowed", plan.filter.isEmpty ? limit.allowed : nil)
                        object.member("holds", limit.holds)
                    }
                }
            }
            let runs = [("application", plan.application, applied), ("undo", plan.undoing, undone)]
            for (name, run, result) in runs {
                guard let run else {
                    object.member(name, nil as String?)
                    continue
                }
                object.object(name) { Self.write(run, result, to: &$0) }
            }
            object.array("samples") { Self.write(samples, to: &$0) }
            object.array("possible") { array in
                for act in possible { array.value(act) }
            }
            object.array("refusals") { array in
                for refusal in plan.refusals {
                    array.object { object in
                        object.member("id", refusal.id)
                        object.member("reason", refusal.reason)
                    }
                }
            }
        }
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
        object.member("schedule", plan.schedule)
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
                    switch operation.condition {
                    case .unchanged(let version)? where version != .neverWritten: version
                    default: nil
                    }
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

/// The strings in a request's small JSON object.
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
    fileprivate static let foreignCursor = invalid(
        "cursor",
        "it is not from this list",
        "use 'next' from the previous page, or none"
    )

    fileprivate static func notThisPlan(_ field: String, _ reason: String) -> ServiceProblem {
        var problem = ServiceProblem(
            .conflict,
            "differentPlan",
            "\(field): \(reason), or none was specified; nothing was changed",
            advice: "read the plan again, and specify its collection and its digest"
        )
        problem.field = field
        return problem
    }
}
