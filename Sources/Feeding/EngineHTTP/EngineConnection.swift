public import ContentFeeding
import Files
import Gzip
package import HTTPClient
import Synchronization
import TextKit

/// A connection pool to all nodes of one engine.
///
/// A request is sent once, with two exceptions: it is sent to another node if it only reads, or if certainly no byte of
/// it was sent; and it is sent again if the credentials were refused and newer ones exist, because a refused request
/// had no effect. Redirects are returned to the caller, not followed.
package final class EngineConnection: Sendable {
    package let nodes: [NodeAddress]
    private let options: ConnectionOptions
    let transport: HTTPTransport
    let keeper: CredentialKeeper?
    /// The signing scope of each node; empty if requests are not signed.
    private let scopes: [SigningScope]
    private let rotation: Mutex<NodeRotation>

    /// Reads the credentials, without sending anything yet.
    package init(to nodes: [NodeAddress], options: ConnectionOptions = ConnectionOptions()) async throws(EngineError) {
        guard !nodes.isEmpty else {
            throw EngineError(
                .missingTarget,
                "the target does not specify a node",
                advice: "use --target SCHEME://HOST:PORT"
            )
        }
        self.nodes = nodes
        self.options = options
        rotation = Mutex(NodeRotation(count: nodes.count))
        transport = HTTPTransport(options.configuration(nodeCount: nodes.count))
        if let signing = options.credentials?.signing {
            scopes = try nodes.map { (node) throws(EngineError) in try signing.scope(of: node, .ofProcess) }
        } else {
            scopes = []
        }
        keeper = try await options.loadedKeeper()
        if let keeper, case .azure = await keeper.current.proof {
            throw EngineError(
                .permission,
                "the credentials from \(keeper.source) are for Azure Storage, which is not an engine",
                advice: "expected \(CredentialText.forms)"
            )
        }
    }

    /// Whether the nodes are collections of OpenSearch Serverless, which support no requests for the version or the
    /// nodes.
    package var isServerless: Bool { scopes.contains { $0.service == AWSSigning.Service.aoss.rawValue } }

    /// Sends one request and returns the whole reply, regardless of its status.
    @inline(never)
    package func send(_ request: EngineRequest) async throws(NoReply) -> EngineReply {
        guard let keeper else { return try await send(request, with: nil) }
        var version = await keeper.inUse()
        var reply = try await send(request, with: version.proof)
        var mayAsk = true
        for _ in 0..<Self.maximumRenewals {
            // A request causes the source to be read at most once; readings caused by other requests count as well.
            guard reply.refusesCredentials, let newer = await keeper.renewed(after: version, mayAsk: mayAsk) else {
                return reply
            }
            if newer.wasAsked { mayAsk = false }
            version = newer.version
            reply = try await send(request, with: version.proof)
        }
        return reply
    }

    /// The maximum number of times a request is sent again with newer credentials.
    private static let maximumRenewals = 3

    /// Tries the nodes in turn until one responds, or until it is unclear whether one has executed the request.
    ///
    /// If the other nodes can't be reached, a node's failure is the answer, but its reply that something is missing is
    /// not.
    private func send(
        _ request: EngineRequest,
        with proof: LoadedCredentials.Proof?
    ) async throws(NoReply) -> EngineReply {
        let deadline = ContinuousClock.now + (request.timeout ?? options.requestTimeout)
        let order = rotation.withLock { $0.order(at: .now) }
        var last = NoReply(node: nodes[0], cause: HTTPFailure(.transportClosed, .notSent, "there is no node"))
        var failed: EngineReply?
        for (position, index) in order.enumerated() {
            let nodesLeft = order.count - position
            var http = httpRequest(request, to: nodes[index], timeLimits: limits(request, deadline, nodesLeft))
            prove(proof, in: &http, to: index)
            do throws(HTTPFailure) {
                let response = try await transport.send(http)
                let reply = EngineReply(response, from: nodes[index], with: keeper?.source, sent: SentSecrets(http))
                note(index, hasFailed: reply.isNodeFailure)
                let mayKnow = reply.isNodeFailure || request.statusesOfOthers.contains(reply.status)
                if request.isReading, mayKnow, nodesLeft > 1, .now < deadline {
                    if reply.isNodeFailure { failed = reply }
                    continue
                }
                return reply
            } catch {
                last = NoReply(node: nodes[index], cause: error)
                if error.isOfNode { note(index, hasFailed: true) }
                let mayGoElsewhere = error.isOfNode && (last.isNotSent || request.isReading)
                guard mayGoElsewhere, .now < deadline else { break }
            }
        }
        if let failed { return failed }
        throw last
    }

    /// Returns an engine's message without our secrets, for use when the reply itself is not available.
    package func cleaned(_ words: String) async -> String {
        guard let proof = await keeper?.current.proof else { return words }
        var request = HTTPRequest(.get, "")
        switch proof {
        case .sent(let credentials): request.credentials = credentials
        case .aws(let keys): request.headers = keys.sessionToken.map { [HTTPHeader("X-Amz-Security-Token", $0)] } ?? []
        case .azure: break
        }
        return SentSecrets(request).cleaned(words)
    }

    /// Adds authentication to a request that already has all its other parts.
    private func prove(_ proof: LoadedCredentials.Proof?, in request: inout HTTPRequest, to index: Int) {
        switch proof {
        case .sent(let credentials): request.credentials = credentials
        case .aws(let keys): RequestSigner(keys: keys, scope: scopes[index], time: .now()).sign(&request)
        case .azure, nil: break
        }
    }

    /// Returns the time limits of one attempt.
    ///
    /// A read-only request reserves half of its time for the other nodes, because one may hang.
    private func limits(
        _ request: EngineRequest,
        _ deadline: ContinuousClock.Instant,
        _ nodesLeft: Int
    ) -> HTTPConfiguration.TimeLimits {
        let left = deadline - .now
        return options.timeLimits(request.isReading && nodesLeft > 1 ? left / 2 : left, nodesLeft: nodesLeft)
    }

    private func note(_ index: Int, hasFailed: Bool) {
        rotation.withLock { if hasFailed { $0.failed(index, at: .now) } else { $0.succeeded(index) } }
    }

    /// The minimum size, in bytes, of a body that is compressed for a server on another machine.
    private static let compressedFrom = 1 << 10

    /// Returns the HTTP request for a node.
    func httpRequest(
        _ request: EngineRequest,
        to node: NodeAddress,
        timeLimits: HTTPConfiguration.TimeLimits
    ) -> HTTPRequest {
        let method = HTTPRequest.Method(rawValue: request.method.rawValue) ?? .get
        var http = HTTPRequest(method, node.description + request.path.description, body: request.body)
        http.timeLimits = timeLimits
        http.proxy = options.proxy(to: node)
        // On the same machine, compression costs more time than it saves.
        http.acceptsGzip = !node.isLoopback
        if let body = request.body {
            http.headers.append(HTTPHeader("Content-Type", request.contentType))
            if options.compressesRequests, !node.isLoopback, body.count >= Self.compressedFrom,
                let small = GzipCompressor.compress(body)
            {
                http.body = small
                http.headers.append(HTTPHeader("Content-Encoding", "gzip"))
            }
        }
        return http
    }
}

extension HTTPFailure {
    /// Whether another node may succeed, because the cause was not the request itself, a local file or cancellation.
    fileprivate var isOfNode: Bool {
        switch reason {
        case .cancelled, .invalidRequest, .transportClosed, .unusableCertificateFile, .responseTooLarge: false
        default: true
        }
    }
}

/// A request to an engine, regardless of the node that receives it.
package struct EngineRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    package var method: Method
    /// The path relative to the node's own path.
    package var path: EnginePath
    package var body: [UInt8]?
    package var contentType = "application/json"
    /// Whether the request only reads, so it can safely be sent again.
    package var isReading = false
    /// The statuses after which the other nodes are tried as well, because one of them may be able to respond.
    package var statusesOfOthers: Set<Int> = []
    /// The time limit for an inherently slow request; `nil` for the connection's own limit.
    package var timeout: Duration?

    package init(_ method: Method, _ path: EnginePath, body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.body = body
        isReading = method == .get || method == .head
    }
}

/// A whole reply from a node, regardless of its status.
package struct EngineReply: Sendable {
    package let status: Int
    package let body: [UInt8]
    /// The node that responded.
    package let node: NodeAddress
    /// The pause that the server requests.
    package let retryAfter: Duration?
    /// The media type in lower case, without its parameters; empty if the reply has none.
    package let mediaType: String
    /// The target of a redirect.
    package let location: String?
    /// The source of the credentials sent with the request; `nil` if the request had none.
    package let credentials: CredentialSource?
    /// The secrets in the request, which the reply may quote.
    private let sent: SentSecrets?
    /// The time by which our clock was ahead of the server's, if a signed request was refused.
    private(set) var clockLead: Duration?

    package var isSuccess: Bool { (200...299).contains(status) }

    package init(
        status: Int,
        body: [UInt8] = [],
        from node: NodeAddress,
        mediaType: String = "",
        retryAfter: Duration? = nil,
        location: String? = nil,
        credentials: CredentialSource? = nil,
        sent: SentSecrets? = nil
    ) {
        self.status = status
        self.body = body
        self.node = node
        self.mediaType = mediaType
        self.retryAfter = retryAfter
        self.location = location
        self.credentials = credentials
        self.sent = sent
    }

    init(
        _ response: HTTPResponse,
        from node: NodeAddress,
        with credentials: CredentialSource?,
        sent: SentSecrets? = nil
    ) {
        let type = response.header("content-type") ?? ""
        self.init(
            status: response.status,
            body: response.body,
            from: node,
            mediaType: type.prefix { $0 != ";" && !$0.isWhitespace }.lowercased(),
            // The header's other form, a date, would require synchronized clocks.
            retryAfter: response.header("retry-after").flatMap { UInt32($0) }.map { .seconds(Int($0)) },
            location: response.header("location"),
            credentials: credentials,
            sent: sent
        )
        if !isSuccess, credentials?.signing != nil {
            clockLead = response.header("date").flatMap { WallTime(httpDate: $0) }
                .map { .seconds(WallTime.now().seconds - $0.seconds) }
        }
    }

    /// Whether newer credentials may be accepted; a request that was refused had no effect.
    ///
    /// Amazon's services respond with 403 to expired keys, as well as to missing permissions.
    var refusesCredentials: Bool {
        if status == 401 { return true }
        guard status == 403, credentials?.signing != nil else { return false }
        let words = String(decoding: body.prefix(Self.searchedBytes), as: UTF8.self)
        return words.contains("ExpiredToken") || words.contains("security token included in the request is expired")
    }

    /// Returns text of the reply without the secrets that were sent: some servers quote the request that they refuse.
    ///
    /// All displayed parts of a reply, except documents, must be cleaned by this method.
    package func cleaned(_ words: String) -> String { sent?.cleaned(words) ?? words }

    /// The number of bytes at the start of a refusal that are searched for its cause.
    private static let searchedBytes = 16 << 10

    /// Whether the failure was caused by the node rather than the request: a proxy without a server, or a server
    /// without a cluster.
    var isNodeFailure: Bool { [502, 503, 504].contains(status) && retryAfter == nil }
}

/// The path and query of a request; names are passed unescaped, and this type escapes them.
package struct EnginePath: Hashable, Sendable {
    private var path = ""
    private var query = ""

    /// Creates a path from its segments: `EnginePath("a b", "_bulk")` is `/a%20b/_bulk`; without segments, it is `/`.
    package init(_ segments: String...) {
        for segment in segments { path += "/" + Self.escaped(segment) }
        if segments.isEmpty { path = "/" }
    }

    /// Returns the path with one more parameter.
    package func with(_ name: String, _ value: String) -> EnginePath {
        var copy = self
        copy.query += (query.isEmpty ? "?" : "&") + Self.escaped(name) + "=" + Self.escaped(value)
        return copy
    }

    /// Escapes all characters except RFC 3986's unreserved ones and the comma, which engines use to separate names.
    private static func escaped(_ text: String) -> String {
        // A segment of one or two dots would be interpreted as a relative path.
        let isDots = text == "." || text == ".."
        return Percent.encoded(text.utf8) { byte in
            byte == UInt8(ascii: ".") ? !isDots : byte.isUnreserved || byte == UInt8(ascii: ",")
        }
    }
}

extension EnginePath: CustomStringConvertible {
    package var description: String { path + query }
}

/// The address of one node of an engine.
public struct NodeAddress: Hashable, Sendable {
    public enum Scheme: String, Hashable, Sendable {
        case http
        case https
    }

    public let scheme: Scheme
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    public let host: String
    public let port: Int
    /// The prefix of all the engine's paths, such as `/solr`: empty, or with a leading slash and no trailing one.
    public let path: String

    public init(scheme: Scheme, host: String, port: Int, path: String = "") {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// Whether the node is on this machine.
    public var isLoopback: Bool {
        // `127.0.0.1.example.org` is not an IP address.
        let isIPv4 = host.utf8.allSatisfy { $0.isDigit || $0 == 0x2E }
        return host.lowercased() == "localhost" || host == "[::1]" || isIPv4 && host.hasPrefix("127.")
    }
}

extension NodeAddress: CustomStringConvertible {
    /// The address as a URL.
    public var description: String { "\(scheme.rawValue)://\(host):\(port)\(path)" }
}

/// The order in which nodes are tried; a failed node is avoided for a while, its rest.
struct NodeRotation {
    typealias Instant = ContinuousClock.Instant

    /// The length of the rest after a node's first failure; it doubles with each consecutive failure.
    fileprivate static let firstRest = Duration.seconds(1)
    fileprivate static let longestRest = Duration.seconds(30)

    private struct Rest {
        var failures = 0
        var end: Instant?
    }

    private var rests: [Rest]
    private var next = 0

    init(count: Int) { rests = Array(repeating: Rest(), count: count) }

    /// Returns the order in which to try the nodes: the healthy ones, starting with a different one each time; if all
    /// are resting, sorted by the end of their rest.
    mutating func order(at now: Instant) -> [Int] {
        let inTurn = rests.indices.map { ($0 + next) % rests.count }
        next = (next + 1) % max(1, rests.count)
        let healthy = inTurn.filter { (rests[$0].end ?? now) <= now }
        guard healthy.isEmpty else { return healthy }
        return inTurn.sorted { (rests[$0].end ?? now) < (rests[$1].end ?? now) }
    }

    mutating func succeeded(_ node: Int) { rests[node] = Rest() }

    /// Starts a node's rest; several requests that fail together count as one failure.
    mutating func failed(_ node: Int, at now: Instant) {
        if let end = rests[node].end, end > now { return }
        let doublings = min(rests[node].failures, 5)
        rests[node].failures += 1
        rests[node].end = now + min(Self.firstRest * (1 << doublings), Self.longestRest)
    }
}

/// Options for connecting to an engine's nodes.
public struct ConnectionOptions: Sendable {
    public var credentials: CredentialSource?
    /// The keeper of the credentials, if they have already been read.
    var keeper: CredentialKeeper?
    public var tls = TLSOptions()
    public var proxy = ProxyChoice.environment
    /// The time from sending a request to the last byte of its reply.
    public var requestTimeout = Duration.seconds(60)
    public var connectTimeout = Duration.seconds(10)
    public var limits = ReplyLimits()
    /// Whether large requests to other machines may be compressed: not every engine can decompress them.
    package var compressesRequests = true

    /// The maximum number of connections to one node; further requests wait.
    private static let connectionsPerNode = 64

    public init() {}

    /// Reads the credentials now, so connections don't wait for them: a helper may prompt the user.
    public mutating func loadCredentials() async throws(EngineError) {
        try tls.refusePipes()
        keeper = try await loadedKeeper()
    }

    /// Returns the existing keeper if it has the same source; otherwise, returns a new one.
    func loadedKeeper() async throws(EngineError) -> CredentialKeeper? {
        guard let credentials else { return nil }
        if let keeper, keeper.source == credentials { return keeper }
        return try await CredentialKeeper(credentials)
    }

    /// Returns the configuration shared by all requests of a connection.
    package func configuration(nodeCount: Int) -> HTTPConfiguration {
        var configuration = HTTPConfiguration()
        configuration.limits.responseBodyBytes = limits.bodyBytes
        configuration.limits.responseHeaderBytes = limits.headerBytes
        configuration.limits.connectionsPerHost = Self.connectionsPerNode
        configuration.limits.connections = Self.connectionsPerNode * min(max(1, nodeCount), 16)
        configuration.tls.authorityFile = tls.authorityFile
        configuration.tls.clientCertificateFile = tls.clientCertificateFile
        configuration.tls.clientKeyFile = tls.clientKeyFile
        configuration.tls.pinnedPublicKey = tls.pinnedPublicKey
        return configuration
    }

    /// Returns the limits of one attempt, given the time left and the number of nodes left to try.
    package func timeLimits(_ left: Duration, nodesLeft: Int) -> HTTPConfiguration.TimeLimits {
        var limits = HTTPConfiguration.TimeLimits()
        limits.total = max(left, .milliseconds(1))
        // Only the total limit ends a stalled request; until then, slowness is not a failure.
        limits.stall = limits.total
        limits.connect = min(connectTimeout, limits.total / max(1, nodesLeft))
        return limits
    }

    /// Returns the proxy for requests to a node.
    package func proxy(to node: NodeAddress) -> HTTPConfiguration.Proxy {
        switch proxy {
        case .none: .none
        case .environment: node.isLoopback ? .none : .environment
        case .url(let url): .url(url)
        }
    }

    /// Size limits of a reply, in bytes.
    public struct ReplyLimits: Hashable, Sendable {
        public var bodyBytes = 64 << 20
        public var headerBytes = 64 << 10

        public init() {}
    }
}

/// TLS settings: trusted authorities, and the client certificate.
public struct TLSOptions: Hashable, Sendable {
    /// A PEM file of certificate authorities to trust instead of the system's.
    public var authorityFile: String?
    /// The PEM files with the client certificate and its private key.
    public var clientCertificateFile: String?
    public var clientKeyFile: String?
    /// `sha256//BASE64` of the server's public key, checked in addition to the certificate; `;` separates several.
    public var pinnedPublicKey: String?

    fileprivate init() {}

    /// Rejects a pipe or a device: libcurl would wait indefinitely for its other end.
    fileprivate func refusePipes() throws(EngineError) {
        for path in [authorityFile, clientCertificateFile, clientKeyFile].compactMap(\.self) {
            do throws(FileError) {
                _ = try SmallFile(path)
            } catch {
                // libcurl reports any other problem when it reads the file.
                guard error.reason == .special else { continue }
                throw EngineError(.rejected, "'\(path)' can't be used: \(error.reason)", advice: "use a regular file")
            }
        }
    }
}

/// The proxy to connect through.
public enum ProxyChoice: Hashable, Sendable {
    case none
    /// The proxy from `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as curl reads them; never for loopback.
    case environment
    case url(String)
}

/// A proxy's URL may contain a password, so URLs are not printed.
extension ProxyChoice: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .none: "no proxy"
        case .environment: "the environment's proxy"
        case .url: "(a proxy)"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Page sizes, in documents.
package enum PageSize {
    package static let range = 1...1_000
    /// The page size to use after a page that may have been too large for a reply.
    package static let smallest = 16
    /// The page size to use when more shards share a position than fit on a page; OpenSearch allows no larger size.
    package static let largest = 10_000
    /// The size of the first page, when the size of the documents is still unknown.
    package static let first = 100
    /// The approximate target size of a page, in bytes.
    private static let bytes = 8 << 20

    /// Returns the size of the page that follows a page of `count` documents with a total of `bytes` bytes.
    package static func next(after count: Int, bytes: Int, size: Int) -> Int {
        guard count > 0 else { return size }
        let fitting = Self.bytes / max(1, bytes / count)
        return min(max(min(fitting, size * 4), smallest), range.upperBound)
    }
}

/// The size of a page of changed documents, based on the size in bytes of the previous pages.
package final class ChangePageSize: Sendable {
    private let current = Mutex(PageSize.first)

    package init() {}

    package var size: Int { current.withLock { $0 } }

    package func shrink() { current.withLock { $0 = PageSize.smallest } }

    package func learn(_ documents: Int, bytes: Int) {
        current.withLock { $0 = PageSize.next(after: documents, bytes: bytes, size: $0) }
    }
}

/// Whether counts of a collection may lack the latest changes, because the engine refused to refresh it.
package final class StaleCounts: Sendable {
    private let state = Mutex(false)

    /// Creates the record of a collection whose documents have not been counted yet.
    package init() {}

    /// Whether a count was taken without the latest changes.
    package var isNoted: Bool { state.withLock { $0 } }

    /// Records that a count was taken without the latest changes.
    package func note() { state.withLock { $0 = true } }
}
