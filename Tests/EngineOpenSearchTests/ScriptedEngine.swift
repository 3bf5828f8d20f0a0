import ContentFeeding
import EngineHTTP
import Synchronization
import TestSupport

@testable import EngineOpenSearch

/// An engine that says who it is, that it has an index `web`, and that no document there has a routing; all else that
/// it says is the test's own.
struct ScriptedEngine {
    private let server: ScriptedServer
    private let log: RequestLog
    let engine: any CollectionAdministration

    /// In place of a status: the connection ends without a reply.
    static let hangsUp = 0

    /// The answer to the question whether any document has a routing.
    static let withoutRouting = #"{"_shards":{"total":2,"successful":2},"hits":{"total":{"value":0}}}"#

    /// `answer` gets the first line of a request, and gives the body of the reply with its status, if that is not 200.
    init(
        _ product: OpenSearchEngine.Product = .openSearch,
        version: String = "7.17.0",
        _ answer: @escaping @Sendable (_ line: String) -> (body: String, status: Int)?
    ) async throws {
        let log = RequestLog()
        let distribution = product == .openSearch ? #""distribution":"opensearch","# : ""
        let root = #"{"cluster_name":"c","version":{\#(distribution)"number":"\#(version)"}}"#
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                log.append(request)
                let line = String(request.prefix { $0 != "\r\n" })
                let unknown = line.contains("_search?size=0") ? (Self.withoutRouting, 200) : ("{}", 404)
                var (body, status) = answer(line) ?? unknown
                if line.hasPrefix("GET / ") { (body, status) = (root, 200) }
                if status == Self.hangsUp { return }
                body = Self.complete(body, line)
                if line.contains("/web/_settings"), body == "{}" {
                    (body, status) = (#"{"web":{"settings":{}}}"#, 200)
                }
                let head =
                    "HTTP/1.1 \(status) S\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)"
                client.send("\(head)\r\n\r\n\(body)")
            }
        }
        (self.server, self.log) = (server, log)
        let node = NodeAddress(scheme: .http, host: "127.0.0.1", port: Int(server.port))
        engine = try await OpenSearchEngine.open(product, at: [node])
    }

    /// Adds what a real engine always says, unless the test says otherwise: that all shards answered, and which index
    /// did.
    private static func complete(_ body: String, _ line: String) -> String {
        if line.contains("_bulk") {
            return body.contains("_index") ? body : body.replacing(#"{"_id":"#, with: #"{"_index":"web","_id":"#)
        }
        let actions = ["_search", "_count", "_refresh", "_flush", "_stats"]
        guard actions.contains(where: line.contains), body.hasPrefix("{"), !body.contains("_shards"),
            !body.contains(#""error""#)
        else { return body }
        let shards = #"{"_shards":{"total":2,"successful":2,"failed":0}"#
        return body == "{}" ? shards + "}" : shards + "," + body.dropFirst()
    }

    /// The requests so far whose first line contains `text`, with their bodies.
    func requests(_ text: String) -> [String] {
        log.requests.filter { $0.prefix { $0 != "\r\n" }.contains(text) }
    }

    func collection() async throws -> any CollectionEngine { try await engine.collection(named: "web") }

    /// Applies a batch of updates of the documents `ids`.
    func update(_ ids: [DocumentID], to json: String = #"{"n":1}"#) async throws -> BatchReply {
        let items = ids.enumerated().map { number, id in
            let patch = Document(id: id, json: Array(json.utf8))
            return ContentBatch.Item(id: OperationID(rawValue: UInt64(number + 1)), operation: .update(patch))
        }
        let progress = FeedProgress(job: JobID(rawValue: "TEST"))
        return try await collection().apply(ContentBatch(id: BatchID(rawValue: 1), items: items, progress: progress))
    }
}

private final class RequestLog: Sendable {
    private let all = Mutex<[String]>([])

    var requests: [String] { all.withLock { $0 } }

    func append(_ request: String) { all.withLock { $0.append(request) } }
}
