import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization
import TextKit

/// The distributors of a target, which share one state: requests go to the one that answered last, and to the next if
/// that one does not answer.
///
/// Each has a connection of its own, because the usual turns would ask a passive distributor every second time.
final class DistributorClient: Sendable {
    /// The time in which a request has to be answered, besides what it waits for.
    let requestTimeout: Duration
    /// The addresses, as one text.
    let target: String
    private let connections: [EngineConnection]
    private let current = Mutex(0)

    /// The longest that a request asks the server to wait, in seconds.
    private static let longestWait = 20

    init(to nodes: [NodeAddress], options: ConnectionOptions) async throws(EngineError) {
        // The server takes requests as they are.
        var options = options
        options.compressesRequests = false
        var connections: [EngineConnection] = []
        for node in nodes { connections.append(try await EngineConnection(to: [node], options: options)) }
        self.connections = connections
        requestTimeout = options.requestTimeout
        target = nodes.map(\.description).joined(separator: ",")
    }

    /// The number of distributors.
    var count: Int { connections.count }

    /// The seconds that a request asks the server to wait.
    var wait: Int { max(1, min(Self.longestWait, Int(requestTimeout.components.seconds) / 2)) }

    /// Sends a request to one distributor; if it does not answer, the next request goes to the next.
    func sendOnce(_ request: EngineRequest) async throws(RequestFailure) -> EngineReply {
        let place = current.withLock { $0 }
        let reply: EngineReply
        do {
            reply = try await connections[place].send(request)
        } catch {
            leave(place)
            throw .noReply(error)
        }
        if [502, 503, 504].contains(reply.status) { leave(place) }
        guard reply.isSuccess else { throw .refused(reply, ErrorReply(distributor: reply)) }
        return reply
    }

    /// Sends a request that may be sent twice, to each distributor until one answers.
    func send(_ request: EngineRequest) async throws(RequestFailure) -> EngineReply {
        var left = connections.count
        while true {
            left -= 1
            do {
                return try await sendOnce(request)
            } catch {
                guard left > 0, error.isOfNode, !Task.isCancelled else { throw error }
            }
        }
    }

    /// Sends a request that may be sent twice, and reads the answer as JSON.
    func tree(_ request: EngineRequest) async throws(RequestFailure) -> JSONValue {
        let reply = try await send(request)
        do {
            return try JSONValue(reply.body)
        } catch {
            throw .unreadable(reply, "it is not JSON: \(error.message)")
        }
    }

    private func leave(_ place: Int) {
        current.withLock { if $0 == place { $0 = (place + 1) % connections.count } }
    }
}

extension EngineRequest {
    /// A request that lets the server wait for so many seconds before it answers.
    func waiting(_ seconds: Int, _ timeout: Duration) -> EngineRequest {
        var request = self
        request.path = path.with("timeout", "\(seconds)")
        request.timeout = timeout + .seconds(seconds)
        return request
    }

    /// A request with a JSON value on each line.
    static func lines(_ method: Method, _ path: EnginePath, _ body: [UInt8]) -> EngineRequest {
        var request = EngineRequest(method, path, body: body)
        request.contentType = "application/x-ndjson"
        return request
    }
}

extension RequestFailure {
    /// Whether another distributor may answer.
    fileprivate var isOfNode: Bool {
        switch self {
        case .noReply: true
        case .refused(let reply, _): [502, 503, 504].contains(reply.status)
        case .unreadable: false
        }
    }

    /// The server's own name for a refusal; `nil` if there was none, or if it is not the server's.
    var problem: String? { errorReply?.type }

    /// Whether the request may have taken effect.
    var isUnclear: Bool { BatchFailure(self).kind == .ambiguous }
}

extension ErrorReply {
    /// Reads the server's error from an unsuccessful reply; `nil` for a body that is not the server's.
    init?(distributor reply: EngineReply) {
        guard reply.mediaType == "application/problem+json", let problem = try? JSONValue(reply.body),
            let code = problem["code"].text, let message = problem["message"].text
        else { return nil }
        let kind: Kind =
            switch code {
            case "noCollection": .missingCollection
            case "notAllowed": .forbidden
            default: Kind(status: reply.status)
            }
        let advice = problem["advice"].text.map { $0.isEmpty ? "" : "; \($0)" } ?? ""
        self.init(kind, type: code, reason: message + advice)
    }
}

extension EngineError.Code {
    /// The codes for which a feed stops: the server's engine can't continue without an operator.
    private static let final: [EngineError.Code] = [
        .missingCollection, .collectionChanged, .permission, .unsupported, .rejected, .invalidName, .missingTarget,
    ]

    /// Returns the code with this name, if a feed stops for it.
    static func final(named name: String?) -> EngineError.Code? { final.first { $0.description == name } }
}
