public import ContentFeeding
public import EngineHTTP
import HTTPClient
import JSONText
import Synchronization
import TextKit

/// Reads a source over HTTP, with retries while the server is busy or unreachable, and with strict checks of its
/// replies.
///
/// Requests only read, so it is always safe to repeat them, regardless of their outcome. Redirects are not followed.
final class SourceConnection: Sendable {
    private let access: HTTPAccess
    private let transport: HTTPTransport
    private let prover: RequestProver
    private let generator: Mutex<SplitMix64>
    /// Whether the server has ever responded.
    private let hasAnswered = Atomic(false)
    private let clock: FeedClock
    /// The earliest time for the next remark about a delayed page.
    private let nextWord: Mutex<FeedInstant>

    /// Reads the credentials, without sending anything yet.
    init(_ access: HTTPAccess, for storage: AzureStorage? = nil) async throws(SourceError) {
        self.access = access
        do throws(EngineError) {
            prover = try await RequestProver(access.connection, for: storage)
        } catch {
            throw SourceError(.permission, error.message, advice: error.advice)
        }
        transport = HTTPTransport(access.connection.configuration(nodeCount: 1))
        generator = Mutex(SplitMix64(seed: access.seed))
        clock = FeedClock(access.clock)
        nextWord = Mutex(clock.now())
    }

    deinit {
        transport.close()
    }

    /// Returns a successful reply, or a reply with one of the statuses that the caller handles; without `decodes`, the
    /// body remains in the encoding that its header names.
    func get(
        _ address: HTTPAddress,
        headers: [HTTPHeader] = [],
        decodes: Bool = true,
        accepting statuses: Set<Int> = []
    ) async throws(SourceError) -> HTTPResponse {
        var attempt = 0
        var renewals = 0
        let start = clock.now()
        while true {
            attempt += 1
            let problem: HTTPProblem
            var request = HTTPRequest(.get, address.url, headers: headers)
            request.timeLimits = access.connection.timeLimits(access.connection.requestTimeout, nodesLeft: 1)
            request.proxy = access.connection.proxy(to: address.node)
            request.acceptsGzip = decodes && !address.node.isLoopback
            let version = await prover.prove(&request, at: access.now())
            do throws(HTTPFailure) {
                let reply = try await transport.send(request)
                hasAnswered.store(true, ordering: .relaxed)
                // Replies with other statuses of success are partial or empty.
                if reply.status == 200 || reply.status == 203 || statuses.contains(reply.status) { return reply }
                let refusal = Refusal(
                    reply,
                    of: address,
                    source: prover.source,
                    end: prover.end(of: version),
                    now: access.now()
                )
                if refusal.concernsCredentials, renewals < Self.maximumRenewals, await prover.renews(version) {
                    renewals += 1
                    continue
                }
                problem = refusal.problem(SentSecrets(request).cleaned)
            } catch {
                problem = HTTPProblem(error, at: address)
            }
            guard problem.mayPass, attempt < maximumAttempts(problem) else { throw problem.error(after: attempt) }
            try await pause(problem, after: attempt, at: address, since: start)
        }
    }

    /// The number of attempts to reach a server that has never responded: its name or port may be mistyped.
    private static let firstAttempts = 3
    /// The maximum number of times a request is sent again with newer credentials.
    private static let maximumRenewals = 3

    private func maximumAttempts(_ problem: HTTPProblem) -> Int {
        problem.isOfAddress && !hasAnswered.load(ordering: .relaxed)
            ? min(Self.firstAttempts, access.retries.attempts) : access.retries.attempts
    }

    /// Waits for the time that the server requests, or for a random time whose maximum doubles with each attempt.
    ///
    /// The reason is reported after two seconds of waiting, and then every thirty seconds: one line for all waiting
    /// requests.
    private func pause(
        _ problem: HTTPProblem,
        after attempt: Int,
        at address: HTTPAddress,
        since start: FeedInstant
    ) async throws(SourceError) {
        let own = generator.withLock { access.retries.pause(after: attempt, using: &$0) }
        let pause = max(own, min(problem.wait ?? .zero, access.retries.maximumSlowDown))
        let now = clock.now()
        let isDue = nextWord.withLock { next in
            guard now >= next, now + pause >= start + .seconds(2) else { return false }
            next = now + .seconds(30)
            return true
        }
        if isDue {
            access.remark(
                "waiting for \(address.name): \(problem.what); the next attempt is in \(ShortDuration(pause))"
            )
        }
        do {
            try await access.clock.sleep(for: pause)
        } catch {
            throw SourceError(.cancelled, "reading was canceled")
        }
    }
}

/// The settings for reading a source over HTTP: credentials, TLS, proxy, time limits and retries.
public struct HTTPAccess: Sendable {
    /// Trusted authorities, credentials, and the time limit of one request.
    public var connection: ConnectionOptions
    /// The limits on the number of retries and the pauses between them.
    public var retries: RetryPolicy
    /// The clock that measures pauses.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The seed for the random lengths of pauses.
    public var seed = UInt64.random(in: 0 ... .max)
    /// The receiver of remarks for the user while the source is read, such as the reason for a delay.
    package var remark: @Sendable (String) -> Void = { _ in }
    /// The current calendar time, which is part of signatures.
    package var now: @Sendable () -> WallTime = { .now() }

    /// Creates access settings with these options and the usual retries.
    public init(_ connection: ConnectionOptions = ConnectionOptions()) {
        self.connection = connection
        retries = RetryPolicy()
        // Azure's services themselves recommend this pause; retrying earlier would hit the same limit again.
        retries.base = .milliseconds(400)
    }
}

extension HTTPAccess {
    /// Access settings with the credentials that Azure's own tools use from the environment, if there are any.
    public static var azureEnvironment: HTTPAccess {
        var connection = ConnectionOptions()
        connection.credentials = .azureEnvironment
        return HTTPAccess(connection)
    }
}

/// The address of a resource on a web server, split into the parts that a request needs.
///
/// It must not contain a user name or password.
struct HTTPAddress: Hashable, Sendable {
    let node: NodeAddress
    /// The path as sent in a request, beginning with a slash and with percent escapes.
    var path: String
    /// The part after the question mark; empty if the address has no question mark.
    var query: String

    /// Parses an absolute address; `nil` if it can't be requested.
    init?(_ text: String) {
        let text = text.trimmed()
        guard text.utf8.count <= Self.maximumByteCount, let mark = text.firstRange(of: "://"),
            let scheme = NodeAddress.Scheme(rawValue: text[..<mark.lowerBound].lowercased())
        else { return nil }
        let rest = text[mark.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest.dropFirst(authority.count)
        guard let (host, port) = Self.host(authority, standardPort: scheme == .http ? 80 : 443) else { return nil }
        node = NodeAddress(scheme: scheme, host: host, port: port)
        let path = target.prefix { $0 != "?" }
        self.path = path.isEmpty ? "/" : Self.escaped(path, keeping: "/:@!$&'()*+,;=%")
        query = Self.escaped(target.dropFirst(path.count + 1), keeping: "/?:@!$&'()*+,;=%")
    }

    /// The longest address, in bytes.
    static let maximumByteCount = 8 << 10

    private static func host(_ authority: Substring, standardPort: Int) -> (String, Int)? {
        let isBracketed = authority.first == "["
        let host = isBracketed ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        let rest = authority.dropFirst(host.count)
        let name = isBracketed ? host.dropFirst().dropLast() : host
        let isHost = name.utf8.allSatisfy {
            $0.isLetterOrDigit || "-._".utf8.contains($0) || isBracketed && $0 == UInt8(ascii: ":")
        }
        guard !name.isEmpty, isHost, authority.hasPrefix(host) else { return nil }
        guard !rest.isEmpty else { return (host.lowercased(), standardPort) }
        guard rest.first == ":", let port = Int(rest.dropFirst()), (1...65_535).contains(port) else { return nil }
        return (host.lowercased(), port)
    }

    /// The address of the server alone, without the port if it is the scheme's default.
    var server: String {
        let standardPort = node.scheme == .http ? 80 : 443
        return "\(node.scheme.rawValue)://\(node.host)" + (node.port == standardPort ? "" : ":\(node.port)")
    }

    /// The complete address, as used in requests.
    var url: String { server + path + (query.isEmpty ? "" : "?" + query) }

    /// The address as shown in messages: the part after the path may be secret.
    var name: String { server + path }

    /// Returns the address with one more parameter.
    func with(_ name: String, _ value: String) -> HTTPAddress {
        var copy = self
        copy.query += (query.isEmpty ? "" : "&") + Self.escaped(name, keeping: "$") + "=" + Self.escaped(value)
        return copy
    }

    /// Returns the address of a resource below this one, whose name may contain slashes.
    func appending(_ name: String) -> HTTPAddress {
        var copy = self
        // A segment of one or two dots would be interpreted as a relative path.
        let segments = name.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment == "." || segment == ".." ? String(segment).replacing(".", with: "%2E") : Self.escaped(segment)
        }
        copy.path += "/" + segments.joined(separator: "/")
        return copy
    }

    /// Escapes all characters except RFC 3986's unreserved ones and those to keep.
    static func escaped(_ text: some StringProtocol, keeping kept: String = "") -> String {
        Percent.encoded(text.utf8) { $0.isUnreserved || kept.utf8.contains($0) }
    }

    /// Returns the unescaped text; `nil` if it is not valid.
    static func unescaped(_ text: some StringProtocol) -> String? {
        Percent.strictlyDecoded(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

extension String {
    /// The text without leading and trailing blanks.
    func trimmed() -> String {
        let start = drop(while: \.isWhitespace)
        return String(start.dropLast(start.reversed().prefix(while: \.isWhitespace).count))
    }
}

/// The failure of a request, and whether another attempt may succeed.
struct HTTPProblem {
    let code: SourceError.Code
    let what: String
    let advice: String?
    /// Whether the same request may succeed later.
    var mayPass = false
    /// Whether the address may be wrong, because no such server may exist.
    var isOfAddress = false
    /// The pause that the server requests.
    var wait: Duration?

    /// Returns the error that ends reading.
    func error(after attempts: Int) -> SourceError {
        SourceError(code, attempts > 1 ? "\(what) (\(attempts) attempts)" : what, advice: advice)
    }
}

extension HTTPProblem {
    /// Determines the cause of a missing or incomplete reply, and whether to retry.
    init(_ failure: HTTPFailure, at address: HTTPAddress) {
        let server = address.server
        let words = failure.message
        func passing(_ what: String, _ advice: String, isOfAddress: Bool = false) -> HTTPProblem {
            HTTPProblem(code: .unreachable, what: what, advice: advice, mayPass: true, isOfAddress: isOfAddress)
        }
        func final(_ code: SourceError.Code, _ what: String, _ advice: String) -> HTTPProblem {
            HTTPProblem(code: code, what: what, advice: advice)
        }
        let running = "check that the server is running, and that the host and port are correct"
        self =
            switch failure.reason {
            case .cancelled, .transportClosed:
                HTTPProblem(code: .cancelled, what: "reading \(address.name) was canceled", advice: nil)
            case .invalidRequest: final(.invalidAddress, "'\(address.name)' can't be requested", "check the address")
            case .hostNotFound:
                passing(
                    "the host of \(server) was not found: \(words)",
                    "check the name in the address, and the variable https_proxy",
                    isOfAddress: true
                )
            case .connectionRefused: passing("can't connect to \(server): \(words)", running, isOfAddress: true)
            case .proxyRefused(let status):
                passing(
                    "the proxy refused the connection to \(server) (\(status))",
                    "check the variables http_proxy and https_proxy"
                )
            case .certificateRefused:
                final(
                    .unusable,
                    "the certificate of \(server) is not trusted: \(words)",
                    "trust the authority that signed it: --source-ca-file FILE"
                )
            case .pinMismatch:
                final(
                    .unusable,
                    "the public key of \(server) is not the pinned one",
                    "make sure that it is the right server"
                )
            case .unusableCertificateFile:
                final(.unusable, "a file for TLS with \(server) can't be used: \(words)", "check --source-ca-file")
            case .tlsFailed:
                passing(
                    "TLS with \(server) failed: \(words)",
                    "if this port does not speak HTTPS, use +http: in the address"
                )
            case .connectionLost:
                passing("the connection to \(server) was lost before the whole reply arrived", "try again later")
            case .timedOut:
                passing(
                    "received no complete reply from \(server) within the time limit",
                    "try again when it is less busy"
                )
            case .responseTooLarge:
                final(.unusable, "the reply to \(address.name) is larger than allowed", "is this the right address?")
            case .malformedResponse:
                passing("the reply from \(server) is not HTTP, or is incomplete: \(words)", "check scheme and port")
            case .other: passing("the request to \(server) failed: \(words)", "try again later")
            }
    }
}

/// An unsuccessful reply, interpreted by its status and the server's message.
struct Refusal {
    private let reply: HTTPResponse
    private let address: HTTPAddress
    private let source: CredentialSource?
    /// The declared expiry of the signature that was sent.
    private let end: String?
    private let now: WallTime
    private let words: ServerWords

    init(_ reply: HTTPResponse, of address: HTTPAddress, source: CredentialSource?, end: String?, now: WallTime) {
        (self.reply, self.address, self.source, self.end, self.now) = (reply, address, source, end, now)
        words = ServerWords(reply)
    }

    /// Whether newer credentials may be accepted.
    ///
    /// Azure responds with 403 to an expired signature, as well as to missing permissions.
    var concernsCredentials: Bool { reply.status == 401 || reply.status == 403 }

    /// Determines the meaning of the reply; `cleaned` removes secrets from the server's message.
    func problem(_ cleaned: (String) -> String) -> HTTPProblem {
        let answer = "\(address.name) responded with \(reply.status)" + cleaned(words.text)
        switch reply.status {
        case 401, 403: return permission(answer)
        case 409 where words.code == "PublicAccessNotPermitted": return permission(answer)
        case 404, 410:
            // Some services respond with this status to any client without permission.
            let advice = source == nil ? "check the address; if it needs credentials, add them" : "check the address"
            return HTTPProblem(code: .missing, what: answer, advice: advice)
        case 408, 425, 429, 500, 502, 503, 504:
            return HTTPProblem(
                code: .unreachable,
                what: answer,
                advice: "try again later",
                mayPass: true,
                wait: retryAfter
            )
        case 300...399:
            let place = reply.header("location").map { Self.path($0) }.map { " to \(cleaned($0).prefix(200))" } ?? ""
            return HTTPProblem(
                code: .invalidAddress,
                what: "\(address.name) redirects (\(reply.status))\(place)",
                advice: "redirects are not followed: use that address if you trust it"
            )
        case 201...299:
            return HTTPProblem(
                code: .unusable,
                what: answer + ", which is not the whole content",
                advice: "try again later"
            )
        case 400:
            return HTTPProblem(code: .unusable, what: answer, advice: "check the address and its parameters")
        default: return HTTPProblem(code: .unusable, what: answer, advice: "is this the right address?")
        }
    }

    /// Returns the target of a redirect without the part after the path.
    private static func path(_ location: String) -> String { String(location.prefix { $0 != "?" && $0 != "#" }) }

    /// The pause that the server requests, in seconds; a date would require synchronized clocks.
    private var retryAfter: Duration? {
        reply.header("retry-after").flatMap { UInt32($0) }.map { .seconds(Int($0)) }
            ?? reply.header("x-ms-retry-after-ms").flatMap { UInt32($0) }.map { .milliseconds(Int($0)) }
    }

    private func permission(_ answer: String) -> HTTPProblem {
        guard let source else {
            return HTTPProblem(
                code: .permission,
                what: answer + "; no credentials were sent",
                advice: "specify their file with --source-credentials-file, or set a variable; see the README"
            )
        }
        if let lead = clockLead {
            let size = "\(lead.magnitude / 60) min \(lead.magnitude % 60) s"
            return HTTPProblem(
                code: .permission,
                what: answer + "; this machine's clock is \(size) \(lead < 0 ? "behind" : "ahead of") the server's",
                advice: "set the clock of this machine, for example with timedatectl, and run the command again"
            )
        }
        if let end {
            return HTTPProblem(
                code: .permission,
                what: answer + "; the SAS from \(source) expires at \(end)",
                advice: "if it has expired, \(source.advice)"
            )
        }
        return HTTPProblem(
            code: .permission,
            what: answer + "; the credentials come from \(source)",
            advice: source.advice
        )
    }

    /// The number of seconds by which our clock is ahead of the server's, if this difference may be why a signature was
    /// refused.
    private var clockLead: Int? {
        guard let time = reply.header("date").flatMap({ WallTime(httpDate: $0) }) else { return nil }
        let lead = now.seconds - time.seconds
        // Azure tolerates 15 minutes, but the validity of a SAS may begin at any time.
        return abs(lead) >= 240 ? lead : nil
    }
}

/// A server's description of a failure: Azure's error code, and the first line of the message.
private struct ServerWords {
    /// The service's name for the failure; `nil` if it gives none.
    let code: String?
    /// Text that can follow the status; empty if the server provides no message of its own.
    let text: String

    /// The longest message to pass on, in characters.
    private static let maximumLength = 300

    init(_ reply: HTTPResponse) {
        let body = String(decoding: reply.body.prefix(16 << 10), as: UTF8.self)
        let json = try? JSONValue(reply.body)
        let error = json?["odata.error"] ?? .null
        code = reply.header("x-ms-error-code") ?? error["code"].text ?? Self.element("Code", of: body)
        // The second and further lines of Azure's message identify the request, not the failure.
        let message = error["message"]["value"].text ?? Self.element("Message", of: body)
        let line = message?.split(whereSeparator: \.isNewline).first.map { String($0.prefix(Self.maximumLength)) }
        // Other details quote the text that was signed.
        let detail = Self.element("AuthenticationErrorDetail", of: body).flatMap {
            $0.contains("specified time frame") ? String($0.prefix(Self.maximumLength)) : nil
        }
        let parts = [code.map { String($0.prefix(100)) }, line, detail].compactMap { $0 }.filter { !$0.isEmpty }
        text = parts.isEmpty ? "" : " (\(parts.joined(separator: ": ")))"
    }

    /// Returns the text of an element of a short message.
    ///
    /// The text is only displayed, so a full parser is not needed.
    private static func element(_ name: String, of body: String) -> String? {
        guard let start = body.firstRange(of: "<\(name)>"),
            let end = body[start.upperBound...].firstRange(of: "</\(name)>")
        else { return nil }
        return String(body[start.upperBound..<end.lowerBound])
    }
}

/// A service that lists its entries page by page; each list contains the marker of the next one.
protocol PagedService: Sendable {
    /// The result of one request.
    associatedtype List: Sendable

    /// Gets the list at a position, including the marker of the next list; the entries may still be unparsed.
    func list(at place: String) async throws(SourceError) -> ListedPage<List>

    /// Returns a part of a list's entries; parts count from 0.
    func part(_ number: Int, of list: List) async throws(SourceError) -> PagePart
}

/// A list, and the marker of the next one.
struct ListedPage<List: Sendable>: Sendable {
    let list: List
    /// The number of parts that the entries are divided into, at least one; each part fits into memory.
    let partCount: Int
    /// The marker of the next list; `nil` in the last list.
    let next: String?
}

/// Some of a list's entries.
struct PagePart: Sendable {
    var entries: [SourceEntry] = []
    var rejections: [InputRejection] = []
    /// The position after these entries, if they are not the last of their list.
    var next: String?
}

/// Reads a paged service to its end, fetching the next list while the current one is processed.
actor PagedReader<Service: PagedService>: SourceReader {
    private typealias Request = Task<Result<ListedPage<Service.List>, SourceError>, Never>

    private let service: Service
    private let name: String
    /// The position after the entries returned so far; `nil` after the last list.
    private var place: String?
    private var page: ListedPage<Service.List>?
    private var part = 0
    private var request: Request?
    private var circle: CircleCheck

    /// The position after the last page, a text that no service uses as a position.
    private static var end: String { "end" }
    /// The longest position, in bytes.
    private static var maximumPlace: Int { 16 << 10 }

    /// Creates a reader and gets the first list, so an unreadable source is detected before anything is sent to the
    /// collection.
    init(_ service: Service, named name: String, from place: SourcePlace) async throws(SourceError) {
        guard place.rawValue.utf8.count <= Self.maximumPlace else { throw Self.badPlace(name) }
        (self.service, self.name) = (service, name)
        circle = CircleCheck(place.rawValue)
        self.place = place.rawValue == Self.end ? nil : place.rawValue
        try await turn()
    }

    deinit {
        request?.cancel()
    }

    func next() async throws(SourceError) -> SourcePage? {
        if page == nil { try await turn() }
        guard let page else { return nil }
        let found: PagePart
        do throws(SourceError) {
            found = try await service.part(part, of: page.list)
        } catch {
            // The list itself may be damaged, so it is requested again.
            forgetPage()
            throw error
        }
        part += 1
        if part < page.partCount {
            place = found.next ?? place
        } else {
            place = page.next
            self.page = nil
            part = 0
        }
        return SourcePage(
            entries: found.entries,
            rejections: found.rejections,
            next: SourcePlace(rawValue: place ?? Self.end)
        )
    }

    /// Gets the list at the current position, and requests the following one.
    private func turn() async throws(SourceError) {
        guard let place else { return }
        let request = request ?? ask(for: place)
        self.request = nil
        let result = await withTaskCancellationHandler {
            await request.value
        } onCancel: {
            request.cancel()
        }
        let page = try result.get()
        if let next = page.next {
            guard !next.isEmpty, next.utf8.count <= Self.maximumPlace else { throw Self.badPlace(name) }
            guard circle.isNew(next) else {
                throw SourceError(
                    .unusable,
                    "\(name) repeats itself: it returned a continuation that it had returned before",
                    advice: "try again later"
                )
            }
            self.request = ask(for: next)
        }
        self.page = page
    }

    private func ask(for place: String) -> Request {
        Task { [service] in
            do throws(SourceError) {
                return .success(try await service.list(at: place))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Discards the current list, so the next call requests one from the position after the entries returned so far.
    private func forgetPage() {
        request?.cancel()
        request = nil
        page = nil
        part = 0
        if let place { circle = CircleCheck(place) }
    }

    private static func badPlace(_ name: String) -> SourceError {
        SourceError(.unusable, "\(name): the position to resume from is empty or longer than \(maximumPlace) bytes")
    }
}

/// Detects repeated positions, in cycles of any length, while storing only one position (Brent's algorithm).
private struct CircleCheck {
    private var kept: String
    private var steps = 0
    private var limit = 1

    init(_ first: String) { kept = first }

    mutating func isNew(_ place: String) -> Bool {
        guard place != kept else { return false }
        steps += 1
        if steps == limit {
            kept = place
            steps = 0
            limit *= 2
        }
        return true
    }
}
