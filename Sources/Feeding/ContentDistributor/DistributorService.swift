import ContentFeeding
import Digests
import FeedJobs
import Files
import Glibc
import HTTPService
import Hooks
import Notifications
import ServerSecurity
import Synchronization
import TextKit

// MARK: Settings and requests

/// The circumstances of requests: the settings at their arrival, and the state that persists between requests.
///
/// This is a class, because each request passes the settings along several times, and copying all of them would cost as
/// much as evaluating a rule.
final class RequestCircumstances: Sendable {
    let settings: DistributorSettings
    let rates: ClientRates?
    /// The identity provider of users; `nil` if the server has only its own tokens.
    let users: IdentityProvider?
    /// The operator's programs.
    let programs: HookPrograms

    /// Creates the circumstances for new settings.
    ///
    /// If the rate limit is unchanged, requests that clients have already used still count. The keys of an unchanged
    /// provider are kept, and unchanged programs keep running.
    init(
        _ settings: DistributorSettings,
        after before: RequestCircumstances? = nil,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        let limit = settings.limits.requestsPerSecond
        let isSame = before?.settings.limits.requestsPerSecond == limit
        let isSameProvider = before?.settings.identity == settings.identity
        users = (isSameProvider ? before?.users : nil) ?? settings.identity.map { IdentityProvider($0, log: log) }
        programs = HookPrograms(settings.programs, after: before?.programs, log: log)
        rates = isSame ? before?.rates ?? limit.map(ClientRates.init) : limit.map(ClientRates.init)
    }
}

/// The circumstances of one request, and the facts about its client.
struct Admission: Sendable {
    let circumstances: RequestCircumstances
    var token: Result<AccessToken?, any Error> = .success(nil)
}

extension ContentDistributor {
    /// The program's version.
    package static let version = "0.1.0"

    /// Handles a request under the settings that apply when it arrives.
    func answer(_ request: ServedRequest, _ handler: RouteHandler) async throws -> ServedResponse {
        let isProbe = ["/live", "/ready"].contains(request.path)
        // If a preflight were refused, the browser would hide both the refusal and its reason from the page.
        let isPreflight =
            request.method == .options && settings.origins.contains(request.headers["Origin"] ?? "")
        let admission =
            isProbe ? Admission(circumstances: current.withLock { $0 }) : await admission(of: request)
        return try await Self.$admission.withValue(admission) {
            do {
                if !isProbe, !isPreflight { try limit(request, admission) }
                let response = try await handler(request)
                meters.count(response.status.code)
                return response
            } catch {
                let problem = ServiceProblem(of: error)
                meters.count(problem.status.code)
                if !(error is ServiceProblem) { log("request \(request.id) failed: \(error)") }
                if problem.code == ServiceProblem.hookFailed {
                    let event = ServerEvent(
                        .hookFailed,
                        at: ProcessFacts.now,
                        collection: request.parameters["collection"],
                        subject: "\(request.method) \(request.path)",
                        message: "a program failed, and the server responded with 500",
                        details: ["request": request.id]
                    )
                    await events.post(event, atMostOncePer: .seconds(60))
                }
                throw problem
            }
        }
    }

    /// Returns the circumstances that currently apply to a request.
    func admission(of request: ServedRequest) async -> Admission {
        var admission = Admission(circumstances: current.withLock { $0 })
        guard let header = request.headers["Authorization"] else { return admission }
        do {
            admission.token = .success(try await token(in: header, admission.circumstances.users))
        } catch {
            admission.token = .failure(error)
        }
        return admission
    }

    /// Refuses a request from a client that has sent too many requests.
    ///
    /// A client is identified by its token, or by the token's user. A client without a valid token is identified by its
    /// address, so made-up tokens do not count as new clients.
    private func limit(_ request: ServedRequest, _ admission: Admission) throws(ServiceProblem) {
        guard let rates = admission.circumstances.rates else { return }
        let client =
            if case .success(let token?) = admission.token {
                "token \(token.principal)"
            } else {
                request.clientAddress { admission.circumstances.settings.trustedProxies.contains($0) }
            }
        guard !rates.admits(client, at: .now) else { return }
        throw .tooMany("this client sends too many requests", limit: "requests-per-second")
    }

    // MARK: Reloading

    /// The maximum size of a request's body, in bytes.
    package var maximumBody: Int { settings.limits.body }

    /// Applies all settings in a file, or logs why none were applied, and returns whether they were applied.
    @discardableResult
    package func reload(from file: String?) -> Bool {
        guard let file else {
            log("nothing was reloaded: the server runs without a settings file")
            return false
        }
        do throws(SettingsError) {
            try reload(try DistributorSettings.read(file), from: file)
        } catch {
            log("nothing was reloaded: \(error.failure.message); \(error.failure.advice ?? "correct it")")
            return false
        }
        log("\(file) was reloaded")
        // If several reloads overlap, the last one takes effect.
        Task { await events.use(settings.notifications.targets) }
        if settings.digestsOfTLS != startedWithTLS {
            log("the files in 'tls' have changed: the server presents the earlier certificate until it is restarted")
        }
        return true
    }

    /// Applies settings to all requests from now on; throws if one of them requires a restart.
    func reload(_ new: DistributorSettings, from file: String) throws(SettingsError) {
        try current.withLock { current throws(SettingsError) in
            let keys = current.settings.fixedKeys(differentFrom: new)
            guard keys.isEmpty else {
                throw SettingsError(
                    file,
                    nil,
                    "\(keys.map { "'\($0)'" }.joined(separator: ", ")) can't change while the server is running",
                    advice: "restart the server, or undo the change"
                )
            }
            current = RequestCircumstances(new, after: current, log: log)
        }
        live.reloadedRules()
        schedules.use(settings.schedules)
    }
}

/// The circumstances that apply to new requests, which a reload replaces.
final class CurrentCircumstances: Sendable {
    private let state: Mutex<RequestCircumstances>

    init(_ circumstances: RequestCircumstances) { state = Mutex(circumstances) }

    func withLock<Value, Defect: Error>(
        _ body: (inout sending RequestCircumstances) throws(Defect) -> sending Value
    ) throws(Defect) -> sending Value { try state.withLock(body) }
}

extension DistributorSettings {
    /// Returns the keys that can't change while a server is running, but have different values in other settings.
    func fixedKeys(differentFrom other: DistributorSettings) -> [String] {
        let keys = [
            ("listen", host == other.host && port == other.port),
            ("tls", tls?.certificate == other.tls?.certificate && tls?.key == other.tls?.key),
            ("state", state == other.state),
            ("target", target == other.target),
            ("console", console == other.console),
            ("connections", limits.connections == other.limits.connections),
            ("connections-per-address", limits.connectionsPerAddress == other.limits.connectionsPerAddress),
            ("header-bytes", limits.headerBytes == other.limits.headerBytes),
            ("header-fields", limits.headerFields == other.limits.headerFields),
            ("target-bytes", limits.targetBytes == other.limits.targetBytes),
            // The limit on open files was raised at the start to accommodate this number.
            ("sessions", limits.sessions >= other.limits.sessions),
        ]
        return keys.filter { !$0.1 }.map(\.0)
    }

    /// The digests of the TLS files, which are empty for files that can't be read.
    var digestsOfTLS: [String] {
        guard let tls else { return [] }
        return [tls.certificate, tls.key].map { path in
            var function = SHA256()
            guard let bytes = try? SmallFile.read(path, maximum: 1 << 20) else { return "" }
            return function.digest(of: bytes).hexadecimal
        }
    }
}

/// The rates at which clients have recently sent requests.
///
/// A client may send up to two seconds' worth of requests at once. Only hashes of names are stored.
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
            // Hashes have a different seed in each process.
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

// MARK: - Open stores

/// The open collections, each of which is opened only once.
///
/// This is not an actor, because nearly every request looks up a collection, which is nearly always open already.
final class OpenCollections: Sendable {
    private let target: OpenableTarget
    private let open = Mutex<[CollectionName: Task<OpenCollection, any Error>]>([:])

    init(_ target: OpenableTarget) { self.target = target }

    /// Returns the engine of a collection.
    func engine(named name: CollectionName) async throws -> any CollectionEngine {
        try await collection(named: name).engine
    }

    /// Returns a collection with its store.
    func collection(named name: CollectionName) async throws -> OpenCollection {
        let opening = open.withLock { [target] open in
            if let known = open[name] { return known }
            let opening = Task { try await target.open(target.collection(name.rawValue)) }
            open[name] = opening
            return opening
        }
        do {
            return try await opening.value
        } catch {
            open.withLock { open in
                if open[name] == opening { open[name] = nil }
            }
            throw error
        }
    }
}

/// The store that all sessions feed if the target is a file, because a separate connection for each session would cost
/// three open files and a thread.
///
/// Single documents are read through another connection, because on this one, they would have to wait for batches.
final class FedStore: Sendable {
    private let target: OpenableTarget
    private let open = Mutex<Task<any CollectionAdministration, any Error>?>(nil)

    init(_ target: OpenableTarget) { self.target = target }

    /// Returns the store; `nil` if the target is a server, to which each feed opens its own connection.
    func store() async throws -> (any CollectionAdministration)? {
        guard target.isFile else { return nil }
        let opening = open.withLock { [target] open in
            let opening = open ?? Task { try await target.open() }
            open = opening
            return opening
        }
        return try await opening.value
    }

    /// Makes the next feed open the store again, because a feed has failed, and the file may have been replaced.
    func forget() { open.withLock { $0 = nil } }
}

// MARK: - Health and metrics

extension ContentDistributor {
    /// Returns whether the server's own components respond: the store of batches, from its file, and the audit log.
    ///
    /// The engine is not checked, because restarting the server would not make it available again.
    package func answers() async -> Bool {
        do {
            try await batches.check()
            return await audit.answers()
        } catch {
            log("the server does not respond: \(error)")
            return false
        }
    }

    func ready() async throws -> ServedResponse {
        do {
            _ = try await OpenableTarget(settings.target).open()
        } catch {
            throw ServiceProblem.unavailable("the engine does not respond: \(error.message)")
        }
        return .text("ready\n")
    }

    /// Responds with metrics in the text format of Prometheus, for administrators.
    func metrics() async throws -> ServedResponse {
        guard try token?.role == .admin else { throw ServiceProblem.notAllowed }
        let load = await sessions.load()
        let waiting = await batches.waitingBytes
        let operations = totals.all
        let audited = await audit.appended
        let notifications = try await outbox.totals()
        var page = MetricsPage()
        let version = [(name: "version", value: Self.version)]
        page.add("content_distributor_build_info", .gauge, "The program's version.", 1, labels: version)
        page.add("distributor_sessions", .gauge, "Open sessions.", load.sessions)
        page.add("distributor_open_operations", .gauge, "Accepted operations without an outcome.", load.open)
        page.add("distributor_waiting_bytes", .gauge, "Bytes of batches that are waiting for the engine.", waiting)
        page.add("distributor_receiving_bytes", .gauge, "Bytes of request bodies in memory.", bodies.sum)
        page.add("distributor_operations_accepted_total", .counter, "Accepted operations.", operations.accepted)
        page.add("distributor_operations_settled_total", .counter, "Operations with an outcome.", operations.settled)
        page.add("distributor_operation_errors_total", .counter, "Operations that failed.", operations.errors)
        page.add("distributor_audit_lines_total", .counter, "Lines of the audit log.", audited.lines)
        page.add("distributor_audit_syncs_total", .counter, "Waits for the disk to store these lines.", audited.syncs)
        live.write(to: &page)
        let uses = programs.uses.sorted { $0.key < $1.key }
        if !uses.isEmpty {
            page.begin("distributor_program_calls_total", .counter, "Calls of the operator's programs.")
            for (name, use) in uses { page.add("distributor_program_calls_total", [("program", name)], use.calls) }
            page.begin("distributor_program_failures_total", .counter, "Calls without a valid answer.")
            for (name, use) in uses {
                page.add("distributor_program_failures_total", [("program", name)], use.failures)
            }
        }
        notifications.write(to: &page)
        await addScheduleMetrics(to: &page)
        meters.write(to: &page)
        return .bytes(Array(page.text.utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
    }
}

/// The counts of operations in all sessions since the server started.
final class OperationTotals: Sendable {
    private let state = Mutex((accepted: 0, settled: 0, errors: 0))

    var all: (accepted: Int, settled: Int, errors: Int) { state.withLock { $0 } }

    func add(accepted: Int) { state.withLock { $0.accepted += accepted } }

    func add(settled: Int, errors: Int) {
        state.withLock { state in
            state.settled += settled
            state.errors += errors
        }
    }
}

/// The responses since the server started: their number by status, and the time that each route took.
final class RequestMeters: Sendable {
    /// The upper bounds of the buckets, with their text in the metrics.
    private static let bounds: [(limit: Duration, text: String)] = [
        (.milliseconds(5), "0.005"), (.milliseconds(50), "0.05"), (.milliseconds(500), "0.5"), (.seconds(5), "5"),
    ]

    private struct RouteTimes {
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var sum = Duration.zero

        mutating func add(_ duration: Duration, to bucket: Int) {
            counts[bucket] += 1
            sum += duration
        }
    }

    private struct State {
        var statuses: [Int: Int] = [:]
        var routes: [String: RouteTimes] = [:]
    }

    private let state = Mutex(State())

    /// Counts a response.
    func count(_ status: Int) { state.withLock { $0.statuses[status, default: 0] += 1 } }

    /// Records how long a route took to respond.
    func note(_ duration: Duration, of route: String) {
        let bucket = Self.bounds.firstIndex { duration <= $0.limit } ?? Self.bounds.count
        state.withLock { state in
            state.routes[route, default: RouteTimes()].add(duration, to: bucket)
        }
    }

    func write(to page: inout MetricsPage) {
        let state = state.withLock { $0 }
        page.begin("distributor_requests_total", .counter, "Answered requests, by status.")
        for (status, count) in state.statuses.sorted(by: { $0.key < $1.key }) {
            page.add("distributor_requests_total", [("status", "\(status)")], count)
        }
        let name = "distributor_request_duration_seconds"
        page.begin(name, .histogram, "Time until a route answered; a stream counts as answered when it begins.")
        for (route, histogram) in state.routes.sorted(by: { $0.key < $1.key }) {
            var count = 0
            for (bound, added) in zip(Self.bounds.map(\.text) + ["+Inf"], histogram.counts) {
                count += added
                page.add("\(name)_bucket", [("route", route), ("le", bound)], count)
            }
            page.add("\(name)_sum", [("route", route)], histogram.sum / .seconds(1))
            page.add("\(name)_count", [("route", route)], count)
        }
    }
}

/// A page of metrics in the text format of Prometheus.
struct MetricsPage {
    enum Kind: String { case gauge, counter, histogram }

    private(set) var text = ""

    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Adds a sample; the values of labels must not contain characters that would need escaping.
    mutating func add(_ name: String, _ labels: [(name: String, value: String)], _ value: some Numeric) {
        let labels = labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
        text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
    }

    mutating func add(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ value: Int,
        labels: [(name: String, value: String)] = []
    ) {
        begin(name, kind, help)
        add(name, labels, value)
    }
}

// MARK: - The supervisor

/// The process that supervises this one, such as systemd, which is notified that the service is ready and alive.
///
/// Without a supervisor, nothing is sent.
package struct Supervisor: Sendable {
    /// The bytes of the socket's address.
    private let address: [UInt8]
    /// The longest time between two notifications; `nil` if the supervisor does not expect any.
    package let patience: Duration?

    /// Finds the supervisor in the environment variables, ignoring variables that are meant for another process.
    package init(_ variable: (String) -> String?, process: Int32 = getpid()) {
        var address = Array((variable("NOTIFY_SOCKET") ?? "").utf8)
        // An abstract socket name begins with a zero byte, which an environment variable can't contain.
        if address.first == UInt8(ascii: "@") { address[0] = 0 }
        let isAddress = address.first == 0 || address.first == UInt8(ascii: "/")
        let fits = (2..<MemoryLayout.size(ofValue: sockaddr_un().sun_path)).contains(address.count)
        self.address = isAddress && fits ? address : []
        let isOther = variable("WATCHDOG_PID").map { $0 != "\(process)" } ?? false
        let interval = isOther || self.address.isEmpty ? nil : variable("WATCHDOG_USEC").flatMap { Int($0) }
        patience = interval.flatMap { $0 > 0 ? .microseconds($0) : nil }
    }

    /// Notifies the supervisor that the service is ready.
    package func isReady() { send("READY=1") }

    /// Notifies the supervisor that the service is reading its settings again, after which it will be ready again.
    package func isReloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(Int(ProcessFacts.uptime / .microseconds(1)))")
    }

    /// Notifies the supervisor that the service is about to end.
    package func isStopping() { send("STOPPING=1") }

    /// Sends notifications while the service responds, until the task is canceled.
    package func watch(_ answers: () async -> Bool) async {
        guard let patience else { return }
        while !Task.isCancelled {
            if await answers() { send("WATCHDOG=1") }
            try? await Task.sleep(for: patience / 2)
        }
    }

    private func send(_ message: String) {
        guard !address.isEmpty else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        let bytes = Array(message.utf8)
        withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                // The supervisor may have ended, or may be too slow; the service continues in either case.
                _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), target, length)
            }
        }
    }
}
