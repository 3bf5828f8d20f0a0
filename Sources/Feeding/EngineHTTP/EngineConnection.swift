public import ContentFeeding
import Gzip
import HTTPClient
import Synchronization

/// The way to an engine: one pool of connections to all its nodes.
///
/// A request is sent once. It goes to another node only when it is certain that no byte of it went anywhere, or when
/// it only reads; and once more to the same engine when the credentials were refused and there are newer ones, because
/// a refusal means that nothing was done. Redirects are not followed: a reply that is one comes back as it is.
public final class EngineConnection: Sendable {
    public let nodes: [NodeAddress]
    private let options: ConnectionOptions
    let transport: HTTPTransport
    let keeper: CredentialKeeper?
    private let rotation: Mutex<NodeRotation>

    /// Reads the credentials; nothing is sent yet.
    public init(to nodes: [NodeAddress], options: ConnectionOptions = ConnectionOptions()) async throws(EngineError) {
        guard !nodes.isEmpty else {
            throw EngineError(
                .missingTarget,
                "the target names no node",
                advice: "name one: --target SCHEME://HOST:PORT"
            )
        }
        self.nodes = nodes
        self.options = options
        rotation = Mutex(NodeRotation(count: nodes.count))
        transport = HTTPTransport(options.configuration(nodeCount: nodes.count))
        keeper = try await options.loadedKeeper()
    }

    /// Sends one request and gives the whole reply, whatever its status.
    @inline(never)
    public func send(_ request: EngineRequest) async throws(EngineFailure) -> EngineReply {
        guard let keeper else { return try await send(request, with: nil) }
        let version = await keeper.current
        let reply = try await send(request, with: version.credentials)
        guard reply.status == 401, let newer = await keeper.renewed(after: version) else { return reply }
        return try await send(request, with: newer.credentials)
    }

    /// Tries the nodes in turn until one answers, or it is unclear whether one has acted.
    private func send(
        _ request: EngineRequest,
        with credentials: HTTPCredentials?
    ) async throws(EngineFailure) -> EngineReply {
        let deadline = ContinuousClock.now + (request.timeout ?? options.requestTimeout)
        let order = rotation.withLock { $0.order(at: .now) }
        var last = EngineFailure(node: nodes[0], cause: HTTPFailure(.transportClosed, .notSent, "there is no node"))
        for (position, index) in order.enumerated() {
            let nodesLeft = order.count - position
            var http = httpRequest(request, to: nodes[index], timeLimits: limits(request, deadline, nodesLeft))
            http.credentials = credentials
            do throws(HTTPFailure) {
                let reply = EngineReply(try await transport.send(http), from: nodes[index], with: keeper?.source)
                note(index, hasFailed: reply.isNodeTrouble)
                if request.isReading, reply.isNodeTrouble, nodesLeft > 1, .now < deadline { continue }
                return reply
            } catch {
                last = EngineFailure(node: nodes[index], cause: error)
                if error.isOfNode { note(index, hasFailed: true) }
                let mayGoElsewhere = error.isOfNode && (last.isNotSent || request.isReading)
                guard mayGoElsewhere, .now < deadline else { throw last }
            }
        }
        throw last
    }

    /// A request that only reads leaves half of the time to the other nodes: one may hang.
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
}

extension HTTPFailure {
    /// Whether another node may do better: it is not our own request, our own files or our own wish that failed.
    fileprivate var isOfNode: Bool {
        switch reason {
        case .cancelled, .invalidRequest, .transportClosed, .unusableCertificateFile, .responseTooLarge: false
        default: true
        }
    }
}

extension EngineConnection {
    /// Bodies from this size on, in bytes, are compressed where the server is not on this machine.
    private static let compressedFrom = 1 << 10

    /// The request as it goes to this node.
    func httpRequest(
        _ request: EngineRequest,
        to node: NodeAddress,
        timeLimits: HTTPConfiguration.TimeLimits
    ) -> HTTPRequest {
        let method = HTTPRequest.Method(rawValue: request.method.rawValue) ?? .get
        var http = HTTPRequest(method, node.description + request.path.description, body: request.body)
        http.timeLimits = timeLimits
        http.proxy = options.proxy(to: node)
        // On the same machine, compressing costs more than it saves.
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

/// What an engine is asked, at whichever node.
public struct EngineRequest: Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    public var method: Method
    /// Below the node's own path.
    public var path: EnginePath
    public var body: [UInt8]?
    public var contentType = "application/json"
    /// Whether it only reads: it can then be sent again without a thought.
    public var isReading = false
    /// In place of the connection's own limit, for what is slow by nature.
    public var timeout: Duration?

    public init(_ method: Method, _ path: EnginePath, body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.body = body
        isReading = method == .get || method == .head
    }
}

/// A whole reply of a node, whatever its status.
public struct EngineReply: Sendable {
    public let status: Int
    public let body: [UInt8]
    /// Who answered.
    public let node: NodeAddress
    /// How long the server asks to wait.
    public let retryAfter: Duration?
    /// The media type without its parameters, in lower case; empty where there is none.
    public let mediaType: String
    /// Where a redirect points to.
    public let location: String?
    /// Where the credentials came from that went with the request; `nil` where there were none.
    public let credentials: CredentialSource?

    public var isSuccess: Bool { (200...299).contains(status) }

    package init(
        status: Int,
        body: [UInt8] = [],
        from node: NodeAddress,
        mediaType: String = "",
        retryAfter: Duration? = nil,
        location: String? = nil,
        credentials: CredentialSource? = nil
    ) {
        self.status = status
        self.body = body
        self.node = node
        self.mediaType = mediaType
        self.retryAfter = retryAfter
        self.location = location
        self.credentials = credentials
    }
}

extension EngineReply {
    init(_ response: HTTPResponse, from node: NodeAddress, with credentials: CredentialSource?) {
        let type = response.header("content-type") ?? ""
        self.init(
            status: response.status,
            body: response.body,
            from: node,
            mediaType: type.prefix { $0 != ";" && !$0.isWhitespace }.lowercased(),
            // A date, which is the other form, would need two clocks that agree.
            retryAfter: response.header("retry-after").flatMap { UInt32($0) }.map { .seconds(Int($0)) },
            location: response.header("location"),
            credentials: credentials
        )
    }

    /// Whether it speaks of this node and not of the request: a proxy without a server, a server without a cluster.
    var isNodeTrouble: Bool { [502, 503, 504].contains(status) && retryAfter == nil }
}

/// The path and query of a request: names go in as they are, and are escaped here and nowhere else.
public struct EnginePath: Hashable, Sendable {
    private var path = ""
    private var query = ""

    /// `EnginePath("a b", "_bulk")` is `/a%20b/_bulk`; without a segment it is `/`.
    public init(_ segments: String...) {
        for segment in segments { path += "/" + Self.escaped(segment) }
        if segments.isEmpty { path = "/" }
    }

    /// The same with one more parameter.
    public func with(_ name: String, _ value: String) -> EnginePath {
        var copy = self
        copy.query += (query.isEmpty ? "?" : "&") + Self.escaped(name) + "=" + Self.escaped(value)
        return copy
    }

    /// What RFC 3986 calls unreserved stays, and a comma, which engines separate names with.
    private static func escaped(_ text: String) -> String {
        // A segment that is only dots would be taken for a step up or none.
        let isDots = text == "." || text == ".."
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: ","):
                bytes.append(byte)
            case UInt8(ascii: ".") where !isDots: bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

extension EnginePath: CustomStringConvertible {
    public var description: String { path + query }
}
