package import ContentFeeding
package import EngineHTTP
import JSONText
import Synchronization
import TextKit

/// An engine that consists of content distributors: this package's own servers, which feed another engine.
package struct DistributorEngine: Sendable {
    private let client: DistributorConnection

    package var target: String { client.target }
    package var product: String? { "a content distributor" }

    /// Checks that a distributor responds.
    ///
    /// All `nodes` must share one state: they are the addresses of one server, or of a server and its standby.
    package static func open(
        at nodes: [NodeAddress],
        connection: ConnectionOptions = ConnectionOptions()
    ) async throws(EngineError) -> any CollectionAdministration {
        let client = try await DistributorConnection(to: nodes, options: connection)
        let reply: EngineReply
        do {
            reply = try await client.send(EngineRequest(.get, EnginePath("live")))
        } catch {
            guard error.status == 404 else { throw EngineError(error) }
            throw notDistributor(client)
        }
        guard reply.body.elementsEqual("live\n".utf8) else { throw notDistributor(client) }
        return DistributorEngine(client: client)
    }

    private static func notDistributor(_ client: DistributorConnection) -> EngineError {
        EngineError(
            .unusable,
            "\(client.target) responds, but is not a content distributor",
            advice: "check the address; for the engine itself, use its own scheme, such as opensearch+https://HOST:PORT"
        )
    }
}

extension DistributorEngine: CollectionAdministration {
    package func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        let facts = try await facts(of: name)
        let reportsVersions = facts["capabilities"]["reportsVersions"].bool ?? false
        return DistributorCollection(
            collection: name,
            client: client,
            session: DistributorSession(client, name, takesVersions: reportsVersions),
            capabilities: Self.capabilities(facts),
            reportsVersions: reportsVersions
        )
    }

    package func list() async throws(EngineError) -> [CollectionDescription] {
        let answer: JSONValue
        do {
            answer = try await client.tree(EngineRequest(.get, EnginePath("v1", "collections")))
        } catch {
            throw EngineError(error)
        }
        var descriptions: [CollectionDescription] = []
        for name in answer["collections"].elements.compactMap(\.text) {
            descriptions.append(try await show(CollectionName(name)))
        }
        return descriptions
    }

    package func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription {
        let documents = try await facts(of: name, isCounted: true)["documents"].int
        var description = CollectionDescription(name: name, documents: documents, waiting: 0, bytes: nil)
        if documents == nil {
            description.flaw =
                "the token does not allow reading every document, or the distributor keeps deleted documents"
        }
        return description
    }

    package func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError) {
        throw unsupported("create the collection '\(name)'")
    }

    package func clear(_ name: CollectionName) async throws(EngineError) -> Int {
        throw unsupported("clear the collection '\(name)'")
    }

    package func delete(_ name: CollectionName) async throws(EngineError) -> Int? {
        throw unsupported("delete the collection '\(name)'")
    }

    package func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport {
        throw unsupported("optimize the collection '\(name)'")
    }

    private func unsupported(_ action: String) -> EngineError {
        EngineError(
            .unsupported,
            "a content distributor can't \(action)",
            advice: "do this on the engine behind it: use its address with --target"
        )
    }

    /// Returns the server's description of a collection.
    private func facts(of name: CollectionName, isCounted: Bool = false) async throws(EngineError) -> JSONValue {
        do {
            return try await client.facts(of: name, isCounted: isCounted)
        } catch {
            guard error.problem == "noCollection" || error.problem == nil && name.rawValue.isEmpty else {
                throw EngineError(error)
            }
            throw EngineError(
                .missingCollection,
                "there is no collection '\(name)' behind \(client.target)",
                advice: "create it on the engine behind the distributor"
            )
        }
    }

    /// Returns those capabilities of the server's engine that are available through the server.
    private static func capabilities(_ facts: JSONValue) -> EngineCapabilities {
        let (engine, limits) = (facts["capabilities"], facts["limits"])
        var capabilities = EngineCapabilities()
        capabilities.reportsMissing = engine["reportsMissing"].bool ?? true
        capabilities.keepsDocumentBytes = engine["keepsDocumentBytes"].bool ?? false
        capabilities.mayChangeIDKey = engine["mayChangeIDKey"].bool ?? true
        capabilities.keptKeys = engine["keptKeys"].elements.compactMap(\.text)
        capabilities.takesRouting = engine["takesRouting"].bool ?? false
        capabilities.defaultRouting = engine["defaultRouting"].text.flatMap(Routing.init)
        capabilities.readingLoss = engine["readingLoss"].text
        capabilities.sortsAndCounts = engine["sorts"].bool ?? false
        if let bytes = engine["maximumIDBytes"].amount { capabilities.maximumIDBytes = bytes }
        if let count = limits["batchOperations"].amount, count > 0 { capabilities.maximumBatchCount = count }
        if let bytes = limits["body"].amount, bytes > 0 { capabilities.maximumBatchBytes = bytes }
        // A late copy of a batch has a number that the server has already received, or one that it no longer accepts.
        capabilities.hasFence = true
        capabilities.quarantine = .zero
        return capabilities
    }
}

// MARK: - Requests

/// The distributors of a target, which share one state.
///
/// Requests are sent to the distributor that responded last, and to the next one if it does not respond.
///
/// Each distributor has its own connection, because the usual rotation would send every other request to a passive
/// distributor.
final class DistributorConnection: Sendable {
    /// The time limit for the response to a request, in addition to the wait that the request asks for.
    let requestTimeout: Duration
    /// The addresses, as one string.
    let target: String
    private let connections: [EngineConnection]
    private let current = Mutex(0)

    /// The longest time that a request asks the server to wait, in seconds.
    private static let longestWait = 20

    init(to nodes: [NodeAddress], options: ConnectionOptions) async throws(EngineError) {
        // The server does not accept compressed requests.
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

    /// The number of seconds that a request asks the server to wait.
    var wait: Int { max(1, min(Self.longestWait, Int(requestTimeout.components.seconds) / 2)) }

    /// Sends a request to one distributor; if it does not respond, the next request goes to the next one.
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

    /// Sends a repeatable request to each distributor in turn until one responds.
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

    /// Sends a repeatable request, and parses the response as JSON.
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
    /// Returns the request with permission for the server to wait for this many seconds before it responds.
    func waiting(_ seconds: Int, _ timeout: Duration) -> EngineRequest {
        var request = self
        request.path = path.with("timeout", "\(seconds)")
        request.timeout = timeout + .seconds(seconds)
        return request
    }

    /// Returns a request with a JSON value on each line.
    static func lines(_ method: Method, _ path: EnginePath, _ body: [UInt8]) -> EngineRequest {
        var request = EngineRequest(method, path, body: body)
        request.contentType = "application/x-ndjson"
        return request
    }
}

extension RequestFailure {
    /// Whether another distributor may respond.
    fileprivate var isOfNode: Bool {
        switch self {
        case .noReply: true
        case .refused(let reply, _): [502, 503, 504].contains(reply.status)
        case .unreadable, .unanswerable: false
        }
    }

    /// The server's error code of a refusal; `nil` if there was no refusal, or if it did not come from the server.
    var problem: String? { errorReply?.type }

    /// Whether the request may have taken effect.
    var isUnclear: Bool { BatchFailure(self).kind == .ambiguous }
}

extension ErrorReply {
    /// Reads the server's error from an unsuccessful reply; `nil` for a body that did not come from the server.
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
    /// The codes at which a feed stops, because the server's engine can't continue without an operator.
    private static let final: [EngineError.Code] = [
        .missingCollection, .collectionChanged, .permission, .unsupported, .rejected, .invalidName, .missingTarget,
    ]

    /// Returns the code with this name, if it makes a feed stop.
    static func final(named name: String?) -> EngineError.Code? { final.first { $0.description == name } }
}

extension DistributorConnection {
    /// Returns the server's description of a collection, with the number of documents if that is requested and allowed.
    func facts(of name: CollectionName, isCounted: Bool) async throws(RequestFailure) -> JSONValue {
        let path = EnginePath("v1", "collections", name.rawValue)
        let reply = try await send(EngineRequest(.get, isCounted ? path.with("count", "true") : path))
        guard let facts = try? JSONValue(reply.body), facts["kind"].text == "collection" else {
            throw .unreadable(reply, "it does not describe a collection")
        }
        return facts
    }
}
