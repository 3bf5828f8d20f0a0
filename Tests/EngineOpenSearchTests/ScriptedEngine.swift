import ContentFeeding
import EngineHTTP
import TestSupport

@testable import EngineOpenSearch

/// The engine on a scripted server; see ``ScriptedOpenSearch``.
struct ScriptedEngine {
    private let server: ScriptedOpenSearch
    let engine: any CollectionAdministration

    /// A value used in place of a status: the connection ends without a reply.
    static let hangsUp = ScriptedOpenSearch.Ending.hangsUp

    /// The response to the request that determines whether any document has a routing value.
    static let withoutRouting = ScriptedOpenSearch.withoutRouting

    /// `answer` receives the first line of a request, and returns the body of the reply, with its status if that is not
    /// 200.
    init(
        _ product: OpenSearchEngine.Product = .openSearch,
        version: String = "7.17.0",
        identifies: Bool = true,
        idKey: String = "id",
        keepsIDInSource: Bool = false,
        _ answer: @escaping @Sendable (_ line: String) -> (body: String, status: Int)?
    ) async throws {
        server = try ScriptedOpenSearch(
            isOpenSearch: product == .openSearch,
            version: version,
            identifies: identifies
        ) { line, _ in answer(line) }
        let node = NodeAddress(scheme: .http, host: "127.0.0.1", port: server.port)
        var options = OpenSearchEngine.Options()
        (options.idKey, options.keepsIDInSource) = (idKey, keepsIDInSource)
        engine = try await OpenSearchEngine.open(product, at: [node], use: options)
    }

    /// Returns the requests so far whose first line contains `text`, with their bodies.
    func requests(_ text: String) -> [String] { server.requests(text) }

    func collection() async throws -> any CollectionEngine { try await engine.collection(named: "web") }

    /// Applies a batch of updates of the documents `ids`.
    func update(_ ids: [DocumentID], to json: String = #"{"n":1}"#) async throws -> BatchReply {
        let items = ids.enumerated().map { number, id in
            let patch = Document(id: id, json: Array(json.utf8))
            return ContentBatch.Item(id: OperationID(rawValue: UInt64(number + 1)), operation: .update(patch))
        }
        return try await collection().apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
    }
}
