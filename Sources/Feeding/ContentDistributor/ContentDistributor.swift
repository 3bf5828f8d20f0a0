import CDistributorFiles
import ContentFeeding
import FeedJobs
import Files
import Glibc
package import HTTPService
import Hooks
import JSONText
import Notifications
import SQLiteStore
package import Schedules
import ServerSecurity
import Synchronization
import TextKit

/// A content distributor: a server in front of an engine, with sessions, documents and permissions.
package final class ContentDistributor: Sendable {
    let tokens: AccessTokens
    let batches: BatchStore
    let sessions: SessionsAPI
    private let documents: DocumentsAPI
    private let listing: ListingAPI
    let collections: OpenCollections
    let live: LiveChanges
    let audit: AuditLog
    let outbox: Outbox
    /// The receiver of all events about which operators and users are notified.
    let events: Notifier
    let bodies = SharedCount()
    let logRuns: LogRuns
    let plans: PlanStore
    let planRunner: PlanRunner
    let schedules: ScheduleService
    let meters = RequestMeters()
    let totals = OperationTotals()
    let appFiles = AppFiles()
    let log: @Sendable (String) -> Void
    let clock: any ScheduleClock
    /// The circumstances that apply to new requests.
    let current: CurrentCircumstances
    /// The digests of the TLS files at the start of the server.
    let startedWithTLS: [String]
    /// The circumstances of the request that this task handles, as of its arrival.
    @TaskLocal static var admission: Admission?

    /// Opens the state folder, and resumes the sessions in it.
    package init(
        _ settings: DistributorSettings,
        clock: any ScheduleClock = MachineClock(),
        log: @escaping @Sendable (String) -> Void
    ) async throws {
        (self.log, self.clock, live) = (log, clock, LiveChanges(clock))
        let current = CurrentCircumstances(RequestCircumstances(settings, log: log))
        self.current = current
        startedWithTLS = settings.digestsOfTLS
        mkdir(settings.state, 0o700)
        var target = try OpenableTarget(settings.target, RemarkPrinter(log))
        target.wrap = { [live] in live.observed($0) }
        tokens = try AccessTokens(path: "\(settings.state)/access.sqlite")
        audit = try AuditLog(path: "\(settings.state)/audit.log")
        collections = OpenCollections(target)
        outbox = try Outbox(path: "\(settings.state)/notifications.sqlite")
        events = Notifier(
            outbox,
            now: { clock.now },
            isValid: { [tokens] id in await tokens.isValid(id, at: clock.now) },
            log: log
        )
        await events.use(settings.notifications.targets)
        logRuns = LogRuns(state: settings.state)
        batches = try BatchStore(path: "\(settings.state)/sessions.sqlite")
        let keeping: @Sendable (CollectionName) -> DocumentKeeping = {
            current.withLock { $0.settings }.collections[$0.rawValue]?.keeping ?? DocumentKeeping()
        }
        let jobFolder = "\(settings.state)/jobs"
        sessions = SessionsAPI(
            batches,
            at: target,
            collections,
            jobFolder: jobFolder,
            totals: totals,
            keeping: keeping,
            limits: { current.withLock { $0.settings }.limits },
            notifier: events,
            clock: clock,
            log: log
        )
        plans = try PlanStore(state: settings.state)
        planRunner = PlanRunner(
            plans,
            at: target,
            jobFolder: jobFolder,
            keeping: keeping,
            limits: { current.withLock { $0.settings }.plans },
            audit: audit,
            log: log
        )
        documents = DocumentsAPI(collections, target)
        listing = ListingAPI(collections)
        let note: @Sendable (ScheduledRun) async -> Void = { [events] run in
            let schedules = current.withLock { $0.settings }.schedules
            let command = schedules.first { $0.schedule.name == run.schedule }?.command.words ?? []
            if let event = ServerEvent(of: run, command) { await events.post(event) }
        }
        let audited: @Sendable (AuditLog.Entry) async throws -> Void = { [audit, events] entry in
            do {
                try await audit.append(entry, at: ProcessFacts.now)
            } catch {
                await events.post(auditFailure: error)
                throw error
            }
        }
        schedules = try ScheduleService(settings, tokens, clock: clock, audit: audited, note: note, log: log)
        try await sessions.resume()
        try await planRunner.resume()
    }

    /// Stops feeding once the replies to the batches in flight have arrived; the next server process continues.
    package func drain() async {
        await schedules.end()
        await sessions.drain()
        await planRunner.drain()
        await events.drain()
    }

    /// Creates an administrator token if there are no tokens at all, and returns its secret.
    package func firstToken() async throws -> String? {
        guard try await tokens.list().isEmpty else { return nil }
        return try await tokens.create("admin", .admin, at: ProcessFacts.now).secret
    }

    // MARK: Routes

    /// The handlers of all requests.
    package var router: HTTPRouter {
        var router = HTTPRouter()
        router.complete { [current] response, headers in
            Self.shared(response, with: headers["Origin"], current.withLock { $0.settings.origins })
        }
        router.use { [self] handler in { [self] request in try await answer(request, handler) } }
        router.use { [self] handler in { [self] request in try await counted(request, handler) } }
        on(&router, .get, "/live", isQuick: true) { _ in .text("live\n") }
        on(&router, .get, "/ready") { [self] _ in try await ready() }
        on(&router, .get, "/v1/openapi.yaml", isQuick: true) { _ in Self.description }
        on(&router, .get, "/metrics") { [self] _ in try await metrics() }
        let (documents, listing) = (documents, listing)
        onCollection(&router, .get, "documents", .read) { try await documents.find($0, $1) }
        onCollection(&router, .post, "documents", .insert) { try await documents.post($0, $1) }
        // Nearly all of the time is spent in the engine, which replies on another thread, so waiting for the thread
        // pool first would only delay the request.
        onCollection(&router, .get, "documents/{document}", isQuick: true, .read) { try await documents.get($0, $1) }
        onCollection(&router, .put, "documents/{document}", .insert, .update) { try await documents.put($0, $1) }
        onCollection(&router, .patch, "documents/{document}", .update) { try await documents.patch($0, $1) }
        onCollection(&router, .delete, "documents/{document}", .delete) { try await documents.delete($0, $1) }
        on(&router, .post, "/v1/collections/{collection}/lookups", accepting: ["application/x-ndjson"]) {
            [self] request in
            try await listing.lookUp(request, grant([.read], on: request.parameter("collection"), request))
        }
        onCollection(&router, .get, "state", .read) { try await listing.state($0, $1) }
        onCollection(&router, .get, "changes", .read) { [self] request, grant in
            // A request that does not specify a part of the engine's history gets the changes made through this server.
            guard request.queryValue("part") != nil else { return try await follow(request, grant) }
            return try await listing.changes(request, grant)
        }
        on(&router, .get, "/v1/me") { [self] _ in try await me() }
        on(&router, .get, "/v1/sessions") { [self] request in try await listSessions(request) }
        on(&router, .get, "/v1/sessions/{session}/failures") { [self] request in
            let session = try await session(of: request)
            return try await listFailures(request, session, hidesVersions: hidesVersions(session))
        }
        on(&router, .get, "/v1/hooks") { [self] request in try await listHooks(request) }
        on(&router, .get, "/v1/audit") { [self] request in try await readAudit(request) }
        on(&router, .get, "/v1/tokens") { [self] request in try await listTokens(request) }
        on(&router, .post, "/v1/tokens", accepting: ["application/json"]) { [self] request in
            try await createToken(request)
        }
        on(&router, .delete, "/v1/tokens/{token}") { [self] request in try await revokeToken(request) }
        on(&router, .get, "/v1/collections") { [self] _ in try await list() }
        on(&router, .get, "/v1/collections/{collection}") { [self] request in
            let grant = try await grant(forAnyOf: AccessVerb.allCases, request)
            return try await documents.describe(request, grant, settings.limits)
        }
        on(&router, .post, "/v1/collections/{collection}/sessions") { [self] request in
            try await sessions.create(request, grant(forAnyOf: [.insert, .update, .delete], request), settings.limits)
        }
        on(&router, .get, "/v1/sessions/{session}") { [self] request in
            try await sessions.show(request, session(of: request))
        }
        on(&router, .get, "/v1/sessions/{session}/outcomes") { [self] request in
            let session = try await session(of: request)
            return try await sessions.follow(request, session, hidesVersions: hidesVersions(session), settings.limits)
        }
        on(&router, .put, "/v1/sessions/{session}/batches/{batch}", accepting: ["application/x-ndjson"]) {
            [self] request in try await acceptBatch(request)
        }
        on(&router, .get, "/v1/sessions/{session}/batches/{batch}") { [self] request in
            let session = try await session(of: request)
            return try await sessions.showBatch(request, session, hidesVersions: hidesVersions(session))
        }
        on(&router, .delete, "/v1/sessions/{session}") { [self] request in
            try await sessions.close(session(of: request))
        }
        for method in CustomEndpoint.possible {
            on(&router, method, "/v1/api/{name}", maximumBody: Self.endpointBody) { [self] request in
                try await respond(request)
            }
        }
        on(&router, .post, "/v1/collections/{collection}/plans") { [self] request in try await makePlan(request) }
        on(&router, .get, "/v1/plans") { [self] request in try await listPlans(request) }
        on(&router, .get, "/v1/plans/{plan}") { [self] request in try await showPlan(request) }
        on(&router, .delete, "/v1/plans/{plan}") { [self] request in try await deletePlan(request) }
        on(&router, .get, "/v1/plans/{plan}/operations") { [self] request in try await listPlanOperations(request) }
        on(&router, .post, "/v1/plans/{plan}/approval") { [self] request in try await approvePlan(request) }
        on(&router, .post, "/v1/plans/{plan}/application") { [self] request in try await applyPlan(request) }
        on(&router, .post, "/v1/plans/{plan}/undo") { [self] request in try await undoPlan(request) }
        on(&router, .get, "/apps/{app}") { [self] request in try redirectToApp(request) }
        on(&router, .get, "/apps/{app}/{file...}") { [self] request in try serveApp(request) }
        on(&router, .get, "/v1/notifications") { [self] _ in try await listNotifications() }
        on(&router, .get, "/v1/push-key") { [self] _ in try pushKey() }
        on(&router, .post, "/v1/push-subscriptions") { [self] request in try await subscribe(request) }
        on(&router, .delete, "/v1/push-subscriptions") { [self] request in try await unsubscribe(request) }
        on(&router, .post, "/v1/explanations", accepting: ["text/plain"]) { [self] request in
            try await explain(request)
        }
        // The limit is in the settings, which may change when they are reloaded.
        on(&router, .post, "/v1/diagnoses", accepting: Self.logTypes, maximumBody: .max) { [self] request in
            try await diagnose(request)
        }
        on(&router, .post, "/v1/traces", accepting: Self.logTypes, maximumBody: .max) { [self] request in
            try await trace(request)
        }
        on(&router, .get, "/v1/logs") { [self] _ in try await listLogs() }
        on(&router, .get, "/v1/schedules") { [self] _ in try await listSchedules() }
        on(&router, .get, "/v1/schedules/{schedule}/runs") { [self] request in try await listRuns(request) }
        on(&router, .post, "/v1/schedules/{schedule}/runs") { [self] request in try await runNow(request) }
        return router
    }

    /// Adds a route, and measures its requests.
    private func on(
        _ router: inout HTTPRouter,
        _ method: RequestMethod,
        _ path: String,
        isQuick: Bool = false,
        accepting mediaTypes: [String] = [],
        maximumBody: Int? = nil,
        _ handler: @escaping RouteHandler
    ) {
        let name = "\(method) \(path)"
        router.on(method, path, isQuick: isQuick, accepting: mediaTypes, maximumBody: maximumBody) { [meters] request in
            let started = ContinuousClock.now
            defer { meters.note(ContinuousClock.now - started, of: name) }
            return try await handler(request)
        }
    }

    private func onCollection(
        _ router: inout HTTPRouter,
        _ method: RequestMethod,
        _ path: String,
        isQuick: Bool = false,
        _ verbs: AccessVerb...,
        handler: @escaping @Sendable (ServedRequest, AccessGrant) async throws -> ServedResponse
    ) {
        on(&router, method, "/v1/collections/{collection}/\(path)", isQuick: isQuick) { [self] request in
            let collection = try request.parameter("collection")
            let grant = try await grant(verbs, on: collection, request)
            guard method != .get else { return try await handler(request, grant) }
            let subject = request.parameters["document"] ?? ""
            let erases = method == .delete && request.queryValue("erase") != nil
            let action = erases ? "erase" : method.rawValue.lowercased()
            return try await audited(request, action, grant, subject) {
                try await handler(request, grant)
            }
        }
    }

    private func acceptBatch(_ request: ServedRequest) async throws -> ServedResponse {
        let session = try await session(of: request)
        let name = request.queryValue("operation") ?? ContentOperation.Kind.add.rawValue
        guard let kind = ContentOperation.Kind(rawValue: name) else {
            throw ServiceProblem.invalid("operation", "'\(name)' is not an operation", "use add, update or remove")
        }
        let verbs: [AccessVerb] =
            switch kind {
            // Such a batch may contain both documents and removals.
            case .add: [.insert, .update, .delete]
            case .update: [.update, .delete]
            case .remove: [.delete]
            }
        let grant = try await grant(verbs, on: session.collection.rawValue, request)
        let subject = "session \(session.id) batch \(try request.parameter("batch"))"
        return try await audited(request, "batch of \(name)", grant, subject) {
            try await sessions.accept(request, session, as: kind, grant, listing)
        }
    }

    private func session(of request: ServedRequest) async throws -> FeedSession {
        try await sessions.session(of: request, for: token)
    }

    /// Returns whether errors must not mention versions, because a session's client may not see all of them.
    private func hidesVersions(_ session: FeedSession) throws -> Bool {
        let rules = settings.collections[session.collection.rawValue] ?? CollectionRules()
        return try rules[.read].decision(about: token) != .allowed(DocumentFilter())
    }

    /// The OpenAPI description of this API, in YAML, exactly as in the repository.
    private static let description = ServedResponse.bytes(
        Array(String(cString: distributorAPI()).utf8),
        contentType: "application/yaml"
    )

    // MARK: Permissions

    /// The settings that apply to the request that this task handles or, outside of a request, to new requests.
    var settings: DistributorSettings { (Self.admission?.circumstances ?? current.withLock { $0 }).settings }

    /// The programs in the same settings.
    var programs: HookPrograms { Self.admission?.circumstances.programs ?? current.withLock { $0.programs } }

    /// The token of the request that this task handles; `nil` if there is none; throws if the token is not valid.
    var token: AccessToken? {
        get throws { try Self.admission?.token.get() }
    }

    /// Returns the token in a request; throws if the token is not valid.
    func token(in header: String, _ users: IdentityProvider?) async throws -> AccessToken {
        let scheme = "bearer "
        // The scheme is compared as bytes for speed, because every request with a token passes through this code.
        guard header.utf8.count > scheme.utf8.count,
            zip(header.utf8, scheme.utf8).allSatisfy({ $0.lowercased == $1 })
        else { throw ServiceProblem.invalidToken(TokenDefect("the header is not 'Bearer TOKEN'")) }
        let (text, now) = (Substring(header.utf8.dropFirst(scheme.utf8.count)), clock.now)
        do {
            // The server's own secrets do not contain dots, and signed tokens do not begin with the same prefix.
            if !text.utf8.starts(with: AccessTokens.prefix.utf8), text.utf8.contains(UInt8(ascii: ".")) {
                return try await token(signed: JSONWebToken(text), users, at: now)
            }
            guard let token = try await tokens.token(of: text, at: now) else {
                throw TokenDefect("it is unknown, expired or revoked")
            }
            return token
        } catch let defect as TokenDefect {
            throw ServiceProblem.invalidToken(defect)
        } catch is ProviderDefect {
            // The reason is only in the log, because it contains addresses that clients must not see.
            throw ServiceProblem.unavailable("the keys of the users' identity provider can't be fetched")
        }
    }

    private func token(
        signed token: JSONWebToken,
        _ users: IdentityProvider?,
        at now: Duration
    ) async throws -> AccessToken {
        switch token.algorithm {
        // Each kind of token has its own keys: a public key is never used as the secret of an HMAC.
        case .hs256: return try await tokens.token(derived: token, at: now)
        case .publicKey(let algorithm):
            guard let users else { throw TokenDefect("this server has no identity provider") }
            return try await users.user(of: token, signedBy: algorithm, at: now)
        }
    }

    /// Returns the access of a request to a collection, if it allows all of the given verbs.
    func grant(_ verbs: [AccessVerb], on collection: String, _ request: ServedRequest) async throws -> AccessGrant {
        let token = try token
        let principal = token?.principal ?? "everyone"
        let rules = settings.collections[collection] ?? CollectionRules()
        let filter: DocumentFilter
        do throws(RefusedVerb) {
            filter = try self.filter(of: verbs, on: collection, for: token)
        } catch {
            guard case .denied(let verb) = error else { throw ServiceProblem.noToken }
            throw await refused(request, principal, verb, collection)
        }
        var grant = AccessGrant(
            collection: CollectionName(rawValue: collection),
            principal: principal,
            filter: filter,
            isAdmin: token?.role == .admin,
            keeping: rules.keeping,
            limits: settings.limits
        )
        if !filter.isEmpty, verbs != [.read] {
            do throws(ServiceProblem) {
                grant.ownIDs = try rules.ownIDs(of: token)
            } catch {
                throw await refused(request, principal, verbs[0], collection)
            }
        }
        if token?.isFor(.read, on: collection) ?? true,
            case .allowed(let fields) = rules[.read].decision(about: token)
        {
            grant.readable = fields
        }
        if rules.hooks != DocumentHooks() {
            let (address, now) = (address(of: request), ProcessFacts.now)
            grant.hooks = CollectionHooks(
                hooks: rules.hooks,
                facts: HookFacts(request, token, collection: collection, address: address, at: now),
                programs: programs,
                depth: settings.limits.depth
            )
        }
        return grant
    }

    /// A verb that a client may not perform.
    enum RefusedVerb: Error {
        case denied(AccessVerb)
        /// The client did not send a token, and might be allowed with one.
        case unauthenticated
    }

    /// Returns the fields that a document must have for a client to perform all of the given verbs on it.
    func filter(
        of verbs: [AccessVerb],
        on collection: String,
        for token: AccessToken?
    ) throws(RefusedVerb) -> DocumentFilter {
        let rules = settings.collections[collection] ?? CollectionRules()
        var filter = DocumentFilter()
        for verb in verbs {
            if let token, !token.isFor(verb, on: collection) { throw .denied(verb) }
            switch rules[verb].decision(about: token) {
            case .allowed(let fields):
                for field in fields.fields where !filter.fields.contains(where: { $0 == field }) {
                    filter.fields.append(field)
                }
            case .denied: throw .denied(verb)
            case .unauthenticated: throw .unauthenticated
            }
        }
        return filter
    }

    /// Returns the access of a request that needs only one of the given verbs, such as a request that begins a session.
    private func grant(forAnyOf verbs: [AccessVerb], _ request: ServedRequest) async throws -> AccessGrant {
        let collection = try request.parameter("collection")
        var failure: (any Error)?
        for verb in verbs {
            do {
                return try await grant([verb], on: collection, request)
            } catch {
                failure = error
            }
        }
        throw failure ?? ServiceProblem.notAllowed
    }

    /// Returns the names of the engine's collections.
    func existingCollections() async throws -> [String] { try await documents.names() }

    /// Responds with the names of the existing collections on which the client has any rights.
    private func list() async throws -> ServedResponse {
        guard let token = try token else { throw ServiceProblem.notAllowed }
        let settings = settings
        let names = try await existingCollections().filter { name in
            AccessVerb.allCases.contains { verb in
                guard token.isFor(verb, on: name) else { return false }
                let rules = settings.collections[name] ?? CollectionRules()
                if case .allowed = rules[verb].decision(about: token) { return true }
                return false
            }
        }
        return .json { $0.member("collections", names) }
    }

    func refused(
        _ request: ServedRequest,
        _ principal: String,
        _ verb: AccessVerb,
        _ collection: String
    ) async -> ServiceProblem {
        let grant = AccessGrant(
            collection: CollectionName(rawValue: collection),
            principal: principal,
            filter: DocumentFilter()
        )
        do {
            try await note(request, verb.rawValue, grant, request.parameters["document"] ?? "", status: 403)
        } catch {
            log("the audit log can't be written: \(error)")
        }
        return .notAllowed
    }

    // MARK: The audit log

    /// Performs an action and records it with its result; if it can't be recorded, the client gets an error.
    func audited(
        _ request: ServedRequest,
        _ action: String,
        _ grant: AccessGrant,
        _ subject: String,
        _ body: () async throws -> ServedResponse
    ) async throws -> ServedResponse {
        let response: ServedResponse
        do {
            response = try await body()
        } catch {
            let status = ServiceProblem(of: error).status.code
            do {
                try await note(request, action, grant, subject, status: status)
            } catch let unnoted {
                log("the audit log can't be written: \(unnoted)")
                await events.post(auditFailure: unnoted)
            }
            throw error
        }
        do {
            try await note(request, action, grant, subject, status: response.status.code)
        } catch {
            await events.post(auditFailure: error)
            throw error
        }
        return response
    }

    private func note(
        _ request: ServedRequest,
        _ action: String,
        _ grant: AccessGrant,
        _ subject: String,
        status: Int
    ) async throws {
        let entry = AuditLog.Entry(
            principal: grant.principal,
            action: action,
            collection: grant.collection.rawValue,
            subject: subject,
            status: status,
            request: request.id,
            address: address(of: request)
        )
        try await audit.append(entry, at: ProcessFacts.now)
    }

    /// Returns the address of the client that sent a request.
    func address(of request: ServedRequest) -> String {
        let proxies = settings.trustedProxies
        return request.clientAddress { proxies.contains($0) }
    }

    // MARK: Other origins

    /// Handles a request, and refuses its body if the bodies of all requests together take up too much memory.
    private func counted(_ request: ServedRequest, _ handler: RouteHandler) async throws -> ServedResponse {
        let part = SharedCount.Part(of: bodies)
        // This happens before the client reads the response, so its next request does not overlap with this one.
        defer { part.giveBack() }
        let limit = settings.limits.receivingBytes
        return try await handler(
            request.countingBody { count in
                guard !part.add(count, upTo: limit) else { return }
                throw ServiceProblem.tooMany(
                    "the server is receiving too many request bodies",
                    limit: "receiving-bytes"
                )
            }
        )
    }

    /// Returns a response that a web page from one of the allowed origins can read.
    static func shared(_ response: ServedResponse, with origin: String?, _ origins: Set<String>) -> ServedResponse {
        guard !origins.isEmpty else { return response }
        var response = response
        response.headers.append("Vary", "Origin")
        guard let origin, origins.contains(origin) else { return response }
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = "ETag, Location, Retry-After, X-Request-ID"
        if let methods = response.headers["Allow"] {
            response.headers["Access-Control-Allow-Methods"] = methods
            response.headers["Access-Control-Allow-Headers"] =
                "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID"
            response.headers["Access-Control-Max-Age"] = "600"
        }
        return response
    }
}

extension ServiceProblem {
    /// Creates the response to a failure of the engine, the disk or this program.
    init(of error: any Error) {
        switch error {
        case let problem as ServiceProblem: self = problem
        case let error as EngineError: self.init(of: error)
        case let failure as HookFailure: self.init(of: failure)
        case let error as SQLiteError where [.full, .inputOutput].contains(error.code):
            self.init(
                .serviceUnavailable,
                "notStored",
                "the server can't write to its disk, and accepted no part of the request",
                advice: "send it again later",
                headers: ["Retry-After": "30"]
            )
        case is AuditError:
            self.init(
                .serviceUnavailable,
                "notLogged",
                "the server can't write its audit log; the request may have taken effect",
                advice: "send a batch again under its number; read a document before you send it again",
                headers: ["Retry-After": "30"]
            )
        default: self = .internalFailure
        }
    }

    private init(of error: EngineError) {
        switch error.code {
        case .missingCollection:
            self.init(.notFound, "noCollection", error.message, advice: "create the collection first")
        case .unsupported, .rejected, .invalidName:
            self.init(.unprocessable, error.code.description, error.message, advice: error.advice)
        default: self = .unavailable(error.message)
        }
    }

    fileprivate static func invalidToken(_ defect: TokenDefect) -> ServiceProblem {
        ServiceProblem(
            .unauthorized,
            "invalidToken",
            "the token is not valid: \(defect.reason)",
            advice: "request another one",
            headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""]
        )
    }

    /// The response to a request without a token that might be allowed with one.
    static let noToken = ServiceProblem(
        .unauthorized,
        "noToken",
        "this request needs a token",
        advice: "send Authorization: Bearer TOKEN",
        headers: ["WWW-Authenticate": "Bearer"]
    )

    private static let internalFailure = ServiceProblem(
        .internalServerError,
        "internalError",
        "the server encountered an error",
        advice: "look for the request ID in the server's log"
    )
}

extension AccessGrant {
    /// Throws if the document is one that this client may not write.
    func refuse(_ json: [UInt8]) throws(ServiceProblem) {
        guard filter.admits(json.span) else { throw .notAllowed }
    }
}
