import Synchronization

/// A server that reports that it is OpenSearch or Elasticsearch, that it has an index `web`, and that no document in it
/// has a routing value; all other responses are the test's own.
public struct ScriptedOpenSearch: Sendable {
    private let server: ScriptedServer
    private let log: RequestLog

    /// An action of a script in place of a response.
    public enum Ending {
        /// A value used in place of a status: the connection is closed without a reply.
        public static let hangsUp = 0
        /// A value used in place of a status: the connection stays open, and no reply is sent.
        public static let staysSilent = -1
    }

    /// The response to the request that determines whether any document has a routing value.
    public static let withoutRouting = #"{"_shards":{"total":2,"successful":2},"hits":{"total":{"value":0}}}"#

    /// Returns the response of a security plugin to a user who lacks a right.
    public static func forbidden(_ right: String) -> (body: String, status: Int) {
        let reason = "no permissions for [\(right)] and User [name=feeder]"
        let error = #"{"type":"security_exception","reason":"\#(reason)"}"#
        let body = #"{"error":{"root_cause":[\#(error)],"type":"security_exception","reason":"\#(reason)"},"#
        return (body + #""status":403}"#, 403)
    }

    /// `answer` receives the first line of a request, and returns the body of the reply, with its status if that is not
    /// 200.
    ///
    /// `answer` receives the request for the engine's identity only if `identifies` is false.
    public init(
        isOpenSearch: Bool = true,
        version: String = "7.17.0",
        identifies: Bool = true,
        _ answer: @escaping @Sendable (_ line: String, _ request: String) -> (body: String, status: Int)?
    ) throws {
        let log = RequestLog()
        let distribution = isOpenSearch ? #""distribution":"opensearch","# : ""
        let root = #"{"cluster_name":"c","version":{\#(distribution)"number":"\#(version)"}}"#
        server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                log.append(request)
                let line = String(request.prefix { $0 != "\r\n" })
                let unknown = line.contains("_search?size=0") ? (Self.withoutRouting, 200) : ("{}", 404)
                var (body, status) = answer(line, request) ?? unknown
                if identifies, line.hasPrefix("GET / ") { (body, status) = (root, 200) }
                if status == Ending.hangsUp { return }
                if status == Ending.staysSilent { return client.waitForEnd() }
                body = Self.complete(body, line)
                if line.contains("/web/_settings"), body == "{}" {
                    (body, status) = (#"{"web":{"settings":{}}}"#, 200)
                }
                let head =
                    "HTTP/1.1 \(status) S\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)"
                client.send("\(head)\r\n\r\n\(body)")
            }
        }
        self.log = log
    }

    public var port: Int { Int(server.port) }

    /// Adds the parts that replies of every real engine have, unless the test supplies them: the successful shards, and
    /// the index.
    private static func complete(_ body: String, _ line: String) -> String {
        if line.contains("_bulk") {
            return body.contains("_index") ? body : body.replacing(#"{"_id":"#, with: #"{"_index":"web","_id":"#)
        }
        let actions = ["_search", "_count", "_refresh", "_flush", "_stats", "_forcemerge"]
        guard actions.contains(where: line.contains), body.hasPrefix("{"), !body.contains("_shards"),
            !body.contains(#""error""#)
        else { return body }
        let shards = #"{"_shards":{"total":2,"successful":2,"failed":0}"#
        return body == "{}" ? shards + "}" : shards + "," + body.dropFirst()
    }

    /// Returns the requests so far whose first line contains `text`, with their bodies.
    public func requests(_ text: String) -> [String] {
        log.requests.filter { $0.prefix { $0 != "\r\n" }.contains(text) }
    }
}

private final class RequestLog: Sendable {
    private let all = Mutex<[String]>([])

    var requests: [String] { all.withLock { $0 } }

    func append(_ request: String) { all.withLock { $0.append(request) } }
}
