import ContentFeeding
import FeedJobs
import Files
import Glibc
package import HTTPService
import JSONText
import Synchronization
import TextKit

/// A content distributor: a server in front of an engine, with sessions, documents and permissions.
package final class ContentDistributor: Sendable {
    private let tokens: AccessTokens
    private let settings: DistributorSettings
    private let sessions: SessionsAPI
    private let documents: DocumentsAPI
    private let audit: AuditLog
    private let counters = RequestCounters()
    private let bodies = SharedCount()
    private let rates: ClientRates?
    private let log: @Sendable (String) -> Void

    /// Opens what the state's folder holds, and resumes its sessions.
    package init(_ settings: DistributorSettings, log: @escaping @Sendable (String) -> Void) async throws {
        (self.settings, self.log) = (settings, log)
        rates = settings.limits.requestsPerSecond.map { ClientRates(perSecond: $0) }
        mkdir(settings.state, 0o700)
        let target = try OpenableTarget(settings.target, RemarkPrinter(log))
        tokens = try AccessTokens(path: "\(settings.state)/access.sqlite")
        audit = try AuditLog(path: "\(settings.state)/audit.log")
        let collections = OpenCollections(target)
        sessions = SessionsAPI(
            try BatchStore(path: "\(settings.state)/sessions.sqlite"),
            at: target,
            collections,
            jobFolder: "\(settings.state)/jobs",
            limits: settings.limits,
            log: log
        )
        documents = DocumentsAPI(collections)
        try await sessions.resume()
    }

    /// Stops feeding, after what is in flight has come back; the next server continues.
    package func drain() async { await sessions.drain() }

    /// Creates a token for an administrator if there is none at all, and returns its secret.
    package func firstToken() async throws -> String? {
        guard try await tokens.list().isEmpty else { return nil }
        return try await tokens.create("admin", .admin, at: ProcessFacts.now).secret
    }

    // MARK: Routes

    /// The handlers of all requests.
    package var router: HTTPRouter {
        var router = HTTPRouter()
        router.use { [settings] handler in
            { request in
                Self.shared(try await handler(request), with: request.headers["Origin"], settings.origins)
            }
        }
        router.use { [self] handler in { [self] request in try await answer(request, handler) } }
        router.use { [self] handler in { [self] request in try await counted(request, handler) } }
        router.on(.get, "/live", isQuick: true) { _ in .text("live\n") }
        router.on(.get, "/ready") { [self] _ in try await ready() }
        router.on(.get, "/metrics") { [self] request in try await metrics(request) }
        let documents = documents
        onCollection(&router, .get, "documents", .read) { try await documents.find($0, $1) }
        onCollection(&router, .post, "documents", .insert) { try await documents.post($0, $1) }
        onCollection(&router, .get, "documents/{document}", .read) { try await documents.get($0, $1) }
        onCollection(&router, .put, "documents/{document}", .insert, .update) { try await documents.put($0, $1) }
        onCollection(&router, .patch, "documents/{document}", .update) { try await documents.patch($0, $1) }
        onCollection(&router, .delete, "documents/{document}", .delete) { try await documents.delete($0, $1) }
        router.on(.post, "/v1/collections/{collection}/sessions") { [self] request in
            try await sessions.create(request, grantForSession(request))
        }
        router.on(.get, "/v1/sessions/{session}") { [self] request in
            try await sessions.show(request, session(of: request))
        }
        router.on(.get, "/v1/sessions/{session}/outcomes") { [self] request in
            try await sessions.follow(request, session(of: request))
        }
        router.on(.put, "/v1/sessions/{session}/batches/{batch}", accepting: ["application/x-ndjson"]) {
            [self] request in try await acceptBatch(request)
        }
        router.on(.delete, "/v1/sessions/{session}") { [self] request in
            try await sessions.close(session(of: request))
        }
        return router
    }

    private func onCollection(
        _ router: inout HTTPRouter,
        _ method: RequestMethod,
        _ path: String,
        _ verbs: AccessVerb...,
        handler: @escaping @Sendable (ServedRequest, AccessGrant) async throws -> ServedResponse
    ) {
        router.on(method, "/v1/collections/{collection}/\(path)") { [self] request in
            let collection = try request.parameter("collection")
            let grant = try await grant(verbs, on: collection, request)
            guard method != .get else { return try await handler(request, grant) }
            let subject = request.parameters["document"] ?? ""
            return try await audited(request, method.rawValue.lowercased(), grant, subject) {
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
            // Among documents there may be removals.
            case .add: [.insert, .update, .delete]
            case .update: [.update, .delete]
            case .remove: [.delete]
            }
        let grant = try await grant(verbs, on: session.collection.rawValue, request)
        guard grant.filter.isEmpty else { throw ServiceProblem.notAllowed }
        let subject = "session \(session.id) batch \(try request.parameter("batch"))"
        return try await audited(request, "batch of \(name)", grant, subject) {
            try await sessions.accept(request, session, as: kind)
        }
    }

    private func session(of request: ServedRequest) async throws -> FeedSession {
        try await sessions.session(of: request, for: token(of: request))
    }

    // MARK: Permissions

    /// Returns the token of a request; `nil` if it has none, and throws if the one that it has is not valid.
    private func token(of request: ServedRequest) async throws -> AccessToken? {
        guard let header = request.headers["Authorization"] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer",
            let token = try await tokens.token(of: String(parts[1]), at: ProcessFacts.now)
        else {
            throw ServiceProblem(
                .unauthorized,
                "invalidToken",
                "the token is not valid: it is unknown, expired or revoked",
                advice: "ask for another one",
                headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""]
            )
        }
        return token
    }

    /// Returns the access of a request to a collection, for all of some verbs.
    private func grant(
        _ verbs: [AccessVerb],
        on collection: String,
        _ request: ServedRequest
    ) async throws -> AccessGrant {
        let token = try await token(of: request)
        let principal = token?.principal ?? "everyone"
        let rules = settings.collections[collection] ?? CollectionRules()
        var filter = DocumentFilter()
        for verb in verbs {
            if let token, !token.isFor(verb, on: collection) {
                throw await refused(request, principal, verb, collection)
            }
            switch rules[verb].decision(about: token) {
            case .allowed(let fields):
                for field in fields.fields where !filter.fields.contains(where: { $0 == field }) {
                    filter.fields.append(field)
                }
            case .denied: throw await refused(request, principal, verb, collection)
            case .unauthenticated:
                throw ServiceProblem(
                    .unauthorized,
                    "noToken",
                    "this needs a token",
                    advice: "send Authorization: Bearer TOKEN",
                    headers: ["WWW-Authenticate": "Bearer"]
                )
            }
        }
        return AccessGrant(
            collection: CollectionName(rawValue: collection),
            principal: principal,
            filter: filter,
            limits: settings.limits
        )
    }

    /// Returns the access of a request that begins a session: to write anything at all.
    private func grantForSession(_ request: ServedRequest) async throws -> AccessGrant {
        let collection = try request.parameter("collection")
        var failure: (any Error)?
        for verb in [AccessVerb.insert, .update, .delete] {
            do {
                return try await grant([verb], on: collection, request)
            } catch {
                failure = error
            }
        }
        throw failure ?? ServiceProblem.notAllowed
    }

    private func refused(
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

    /// Does something, and notes it with its result; a client whose act could not be noted gets an error.
    private func audited(
        _ request: ServedRequest,
        _ action: String,
        _ grant: AccessGrant,
        _ subject: String,
        _ body: () async throws -> ServedResponse
    ) async throws -> ServedResponse {
        do {
            let response = try await body()
            try await note(request, action, grant, subject, status: response.status.code)
            return response
        } catch {
            let status = (error as? ServiceProblem)?.status.code ?? 500
            try await note(request, action, grant, subject, status: status)
            throw error
        }
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
            address: request.clientAddress { settings.trustedProxies.contains($0) }
        )
        try await audit.append(entry, at: ProcessFacts.now)
    }

    // MARK: Other origins and clients that ask too much

    /// Answers a request whose body is refused if the bodies of all requests together take too much memory.
    private func counted(_ request: ServedRequest, _ handler: RouteHandler) async throws -> ServedResponse {
        let part = SharedCount.Part(of: bodies)
        // Before the client reads the answer: its next request is not together with this one.
        defer { part.giveBack() }
        let limit = settings.limits.receivingBytes
        return try await handler(
            request.countingBody { count in
                guard !part.add(count, upTo: limit) else { return }
                throw ServiceProblem.tooMany("the server receives too many bodies", limit: "receiving-bytes")
            }
        )
    }

    /// Lets a web page of one of some origins read the response.
    private static func shared(
        _ response: ServedResponse,
        with origin: String?,
        _ origins: Set<String>
    ) -> ServedResponse {
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

    /// Refuses a request of a client that has sent too many.
    private func limit(_ request: ServedRequest) throws(ServiceProblem) {
        guard let rates, !["/live", "/ready"].contains(request.path) else { return }
        let client = request.headers["Authorization"] ?? request.clientAddress { settings.trustedProxies.contains($0) }
        guard !rates.admits(client, at: .now) else { return }
        throw .tooMany("this client sends too many requests", limit: "requests-per-second")
    }

    // MARK: Health and metrics

    private func answer(_ request: ServedRequest, _ handler: RouteHandler) async throws -> ServedResponse {
        do {
            try limit(request)
            let response = try await handler(request)
            counters.count(response.status.code)
            return response
        } catch let problem as ServiceProblem {
            counters.count(problem.status.code)
            throw problem
        } catch {
            let problem = ServiceProblem(of: error)
            counters.count(problem.status.code)
            log("request \(request.id) failed: \(error)")
            throw problem
        }
    }

    private func ready() async throws -> ServedResponse {
        do {
            _ = try await OpenableTarget(settings.target).open()
        } catch {
            throw ServiceProblem.unavailable("the engine does not answer: \(error.message)")
        }
        return .text("ready\n")
    }

    /// Answers with metrics in the text format of Prometheus, for administrators.
    private func metrics(_ request: ServedRequest) async throws -> ServedResponse {
        guard try await token(of: request)?.role == .admin else { throw ServiceProblem.notAllowed }
        let load = await sessions.load()
        var text = """
            # HELP distributor_sessions Open sessions.
            # TYPE distributor_sessions gauge
            distributor_sessions \(load.sessions)
            # HELP distributor_open_operations Accepted operations without an outcome.
            # TYPE distributor_open_operations gauge
            distributor_open_operations \(load.open)
            # HELP distributor_requests_total Answered requests, by status.
            # TYPE distributor_requests_total counter

            """
        for (status, count) in counters.all { text += "distributor_requests_total{status=\"\(status)\"} \(count)\n" }
        return .bytes(Array(text.utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
    }
}

/// The number of answers with each status.
private final class RequestCounters: Sendable {
    private let counts = Mutex<[Int: Int]>([:])

    func count(_ status: Int) { counts.withLock { $0[status, default: 0] += 1 } }

    var all: [(status: Int, count: Int)] {
        counts.withLock { $0.sorted { $0.key < $1.key }.map { (status: $0.key, count: $0.value) } }
    }
}

/// The requests that clients have sent of late.
///
/// A client may save up the requests of two seconds. Only digests of tokens are kept.
final class ClientRates: Sendable {
    private struct Allowance {
        var requests: Double
        var at: ContinuousClock.Instant
    }

    private let perSecond: Double
    private let clients = Mutex<[Int: Allowance]>([:])
    private static let maximumClients = 10_000

    init(perSecond: Int) { self.perSecond = Double(perSecond) }

    /// Counts a request, and returns whether the client may send it.
    func admits(_ client: String, at now: ContinuousClock.Instant) -> Bool {
        clients.withLock { clients in
            // Hashes are keyed differently in each process.
            let key = client.hashValue
            if clients.count >= Self.maximumClients {
                clients = clients.filter { now - $0.value.at < .seconds(2) }
            }
            var allowance = clients[key] ?? Allowance(requests: 2 * perSecond, at: now)
            let earned = (now - allowance.at) / .seconds(1) * perSecond
            allowance.requests = min(2 * perSecond, allowance.requests + earned)
            allowance.at = now
            let isAdmitted = allowance.requests >= 1
            if isAdmitted { allowance.requests -= 1 }
            clients[key] = allowance
            return isAdmitted
        }
    }
}

extension ServiceProblem {
    /// Creates the answer to a failure of the engine, or of this program.
    fileprivate init(of error: any Error) {
        guard let error = error as? EngineError else {
            self = .internalFailure
            return
        }
        switch error.code {
        case .missingCollection:
            self.init(.notFound, "noCollection", error.message, advice: "create the collection first")
        case .unsupported, .rejected, .invalidName:
            self.init(.unprocessable, error.code.description, error.message, advice: error.advice)
        default: self = .unavailable(error.message)
        }
    }

    private static let internalFailure = ServiceProblem(
        .internalServerError,
        "internalError",
        "the server failed",
        advice: "look for the request ID in the server's log"
    )
}

extension AccessGrant {
    /// Refuses a document that this client may not write.
    func refuse(_ json: [UInt8]) throws(ServiceProblem) {
        guard filter.admits(json.span) else { throw .notAllowed }
    }
}
