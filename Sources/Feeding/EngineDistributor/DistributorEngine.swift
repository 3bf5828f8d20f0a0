package import ContentFeeding
package import EngineHTTP
import JSONText
import TextKit

/// Content distributors as an engine: the server program of this package in front of another engine.
package struct DistributorEngine: Sendable {
    private let client: DistributorClient

    package var target: String { client.target }

    /// Checks that a distributor answers.
    ///
    /// All `nodes` have to share one state: they are addresses of one server, or of a server and the one that takes its
    /// place.
    package static func open(
        at nodes: [NodeAddress],
        connection: ConnectionOptions = ConnectionOptions()
    ) async throws(EngineError) -> any CollectionAdministration {
        let client = try await DistributorClient(to: nodes, options: connection)
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

    private static func notDistributor(_ client: DistributorClient) -> EngineError {
        EngineError(
            .unusable,
            "\(client.target) answers, but is not a content distributor",
            advice: "check the address; for the engine itself, use its own scheme, such as opensearch+https://HOST:PORT"
        )
    }
}

extension DistributorEngine: CollectionAdministration {
    package func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        let facts = try await facts(of: name)
        return DistributorCollection(
            collection: name,
            client: client,
            session: DistributorSession(client, name),
            capabilities: Self.capabilities(facts)
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
        if documents == nil { description.flaw = "the token does not allow reading every document" }
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
            advice: "do that at the engine behind it: use its address with --target"
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
                advice: "create it at the engine behind the distributor"
            )
        }
    }

    /// Returns the capabilities of the engine behind the server, as far as they pass through it.
    private static func capabilities(_ facts: JSONValue) -> EngineCapabilities {
        let (engine, limits) = (facts["capabilities"], facts["limits"])
        var capabilities = EngineCapabilities()
        capabilities.reportsMissing = engine["reportsMissing"].bool ?? true
        capabilities.keepsDocumentBytes = engine["keepsDocumentBytes"].bool ?? false
        capabilities.mayChangeIDKey = engine["mayChangeIDKey"].bool ?? true
        capabilities.takesRouting = engine["takesRouting"].bool ?? false
        capabilities.defaultRouting = engine["defaultRouting"].text.flatMap(Routing.init)
        capabilities.readingLoss = engine["readingLoss"].text
        if let bytes = engine["maximumIDBytes"].amount { capabilities.maximumIDBytes = bytes }
        if let count = limits["batchOperations"].amount, count > 0 { capabilities.maximumBatchCount = count }
        if let bytes = limits["body"].amount, bytes > 0 { capabilities.maximumBatchBytes = bytes }
        // A copy of a batch that comes late has a number that the server knows, or one that it no longer takes.
        capabilities.hasFence = true
        capabilities.quarantine = .zero
        return capabilities
    }
}

extension DistributorClient {
    /// Returns the server's description of a collection, with the number of documents if that is wanted and allowed.
    func facts(of name: CollectionName, isCounted: Bool) async throws(RequestFailure) -> JSONValue {
        let path = EnginePath("v1", "collections", name.rawValue)
        let reply = try await send(EngineRequest(.get, isCounted ? path.with("count", "true") : path))
        guard let facts = try? JSONValue(reply.body), facts["kind"].text == "collection" else {
            throw .unreadable(reply, "it does not describe a collection")
        }
        return facts
    }
}
