public import ContentFeeding
import HTTPClient
import Synchronization

/// The way to an engine: one pool of connections to all its nodes.
///
/// A request is sent once. It goes to another node only when it is certain that no byte of it went anywhere, or when
/// it only reads; and once more to the same engine when the credentials were refused and there are newer ones, because
/// a refusal means that nothing was done. Redirects are not followed: a reply that is one comes back as it is.
public final class EngineConnection: Sendable {
    public let nodes: [NodeAddress]
    let options: ConnectionOptions
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
