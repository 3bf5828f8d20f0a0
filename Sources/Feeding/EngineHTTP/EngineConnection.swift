public import ContentFeeding
import Gzip
import HTTPClient

/// The way to an engine: one pool of connections to all its nodes.
///
/// A request is sent once. It goes to another node only when it is certain that no byte of it went anywhere, or when
/// it only reads.
public final class EngineConnection: Sendable {
    public let nodes: [NodeAddress]
    private let transport: HTTPTransport

    /// Bodies from this size on are compressed, where the server is not on this machine.
    private static let compressedFrom = 1 << 10

    public init(to nodes: [NodeAddress], options: ConnectionOptions = ConnectionOptions()) async throws(EngineError) {
        self.nodes = nodes
        var configuration = HTTPConfiguration()
        configuration.timeLimits.total = options.requestTimeout
        configuration.timeLimits.connect = options.connectTimeout
        configuration.timeLimits.stall = options.requestTimeout
        configuration.limits.responseBodyBytes = options.limits.bodyBytes
        configuration.limits.responseHeaderBytes = options.limits.headerBytes
        configuration.limits.connectionsPerHost = 64
        configuration.limits.connections = 64
        configuration.tls.authorityFile = options.tls.authorityFile
        configuration.tls.clientCertificateFile = options.tls.clientCertificateFile
        configuration.tls.clientKeyFile = options.tls.clientKeyFile
        configuration.tls.pinnedPublicKey = options.tls.pinnedPublicKey
        transport = HTTPTransport(configuration)
    }

    /// Sends one request and gives the whole reply, whatever its status.
    public func send(_ request: EngineRequest) async throws(EngineFailure) -> EngineReply {
        var last: EngineFailure?
        for node in nodes {
            do throws(HTTPFailure) {
                return EngineReply(try await transport.send(httpRequest(request, to: node)), from: node)
            } catch {
                let failure = EngineFailure(node: node, cause: error)
                guard failure.isNotSent || request.isReading, error.reason != .cancelled else { throw failure }
                last = failure
            }
        }
        guard let last else { preconditionFailure("a connection has at least one node") }
        throw last
    }

    private func httpRequest(_ request: EngineRequest, to node: NodeAddress) -> HTTPRequest {
        let method = HTTPRequest.Method(rawValue: request.method.rawValue) ?? .get
        var http = HTTPRequest(method, node.description + request.path.description, body: request.body)
        if let body = request.body {
            http.headers.append(HTTPHeader("Content-Type", request.contentType))
            if !node.isLoopback, body.count >= Self.compressedFrom, let small = GzipCompressor.compress(body) {
                http.body = small
                http.headers.append(HTTPHeader("Content-Encoding", "gzip"))
            }
        }
        return http
    }
}
