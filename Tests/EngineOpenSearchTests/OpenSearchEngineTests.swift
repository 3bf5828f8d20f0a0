import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization
import TestSupport
import Testing

@testable import EngineOpenSearch

/// Servers whose responses are determined by the test, byte for byte.
struct ServerTests {
    private static let root = #"{"cluster_name":"c","version":{"distribution":"opensearch","number":"2.19.4"}}"#

    private static func response(_ status: String, _ body: String, type: String = "application/json") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Answers each request by its first line; `nil` closes the connection.
    private func server(_ answer: @escaping @Sendable (_ line: String) -> String?) throws -> ScriptedServer {
        try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                guard let reply = answer(String(request.prefix { $0 != "\r\n" })) else { return }
                client.send(reply)
            }
        }
    }

    private func nodes(_ server: ScriptedServer) -> [NodeAddress] {
        [NodeAddress(scheme: .http, host: "127.0.0.1", port: Int(server.port))]
    }

    /// Returns a collection whose bulk requests are answered with `bulk`.
    private func reply(to operations: [ContentOperation], bulk: String?) async throws -> BatchReply {
        let server = try server { line in
            if line.contains("_bulk") { return bulk }
            if line.contains("_settings") { return Self.response("200 OK", #"{"web":{"settings":{}}}"#) }
            return line.hasPrefix("GET / ") ? Self.response("200 OK", Self.root) : Self.response("404 Not Found", "")
        }
        let engine = try await OpenSearchEngine.open(.openSearch, at: nodes(server)).collection(named: "web")
        let items = operations.enumerated().map {
            ContentBatch.Item(id: OperationID(rawValue: UInt64($0 + 1)), operation: $1)
        }
        return await engine.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
    }

    @Test(arguments: [
        ("200 OK", "<html>hello</html>", "text/html"), ("200 OK", "{}", "application/json"),
        ("200 OK", "", "text/plain"),
        ("200 OK", #"{"version":{"number":7}}"#, "application/json"), ("404 Not Found", "nothing here", "text/plain"),
        ("403 Forbidden", "<html>proxy</html>", "text/html"), ("502 Bad Gateway", "<html>", "text/html"),
    ])
    func `Only a server of the expected kind is opened`(status: String, body: String, type: String) async throws {
        let server = try server { _ in Self.response(status, body, type: type) }
        await #expect(throws: EngineError.self) {
            _ = try await OpenSearchEngine.open(.openSearch, at: nodes(server))
        }
    }

    /// Opens an engine that describes itself in this way.
    private func open(_ product: OpenSearchEngine.Product, _ version: String, tagline: String = "") async throws {
        let root = #"{"cluster_name":"c","version":{\#(version)},"tagline":"\#(tagline)"}"#
        let server = try server { _ in Self.response("200 OK", root) }
        _ = try await OpenSearchEngine.open(product, at: nodes(server))
    }

    @Test(arguments: [OpenSearchEngine.Product.openSearch, .elasticsearch])
    func `OpenSearch in compatibility mode is accepted under either name`(
        product: OpenSearchEngine.Product
    ) async throws {
        let tagline = "The OpenSearch Project: https://opensearch.org/"
        try await open(product, #""number":"7.10.2","build_flavor":"oss""#, tagline: tagline)
        try await open(product, #""number":"7.10.2","build_type":"tar""#)
    }

    @Test func `Elasticsearch is distinguished from OpenSearch, and must be new enough`() async throws {
        for version in [#""number":"7.10.2","build_flavor":"oss""#, #""number":"8.19.0","build_flavor":"default""#] {
            let error = await #expect(throws: EngineError.self) {
                try await open(.openSearch, version, tagline: "You Know, for Search")
            }
            #expect(error?.advice?.hasPrefix("use --target elasticsearch+http://") == true)
            try await open(.elasticsearch, version, tagline: "You Know, for Search")
        }
        let error = await #expect(throws: EngineError.self) {
            try await open(.elasticsearch, #""number":"6.8.23","build_flavor":"oss""#)
        }
        #expect(error?.message.contains("is Elasticsearch 6.8.23, which is too old") == true)
        #expect(error?.advice == "use Elasticsearch 7.0 or newer, or OpenSearch")
    }

    @Test func `A user without permission to request the version can still feed`() async throws {
        let refusal = #"{"error":{"type":"security_exception","reason":"no permissions"},"status":403}"#
        let server = try server { _ in Self.response("403 Forbidden", refusal) }
        let engine = try await OpenSearchEngine.open(.openSearch, at: nodes(server))
        #expect(engine.target == "opensearch+http://127.0.0.1:\(server.port)")
        // An object that the user may not see does not count as missing.
        let collection = try await engine.collection(named: "web")
        let error = await #expect(throws: EngineError.self) { _ = try await collection.exists(["a"]) }
        #expect(error?.code == .permission)
    }

    @Test func `A wrong password is an error`() async throws {
        let refusal = #"{"error":{"type":"security_exception","reason":"who are you"},"status":401}"#
        let server = try server { _ in Self.response("401 Unauthorized", refusal) }
        let error = await #expect(throws: EngineError.self) {
            _ = try await OpenSearchEngine.open(.openSearch, at: nodes(server))
        }
        #expect(error?.code == .permission)
    }

    @Test(arguments: [
        "<html>a proxy's page</html>", "", "{}", #"{"items":7}"#, #"{"took":1,"errors":false}"#,
    ])
    func `A success response without content is ambiguous`(body: String) async throws {
        let reply = try await reply(to: [.remove("a")], bulk: Self.response("200 OK", body))
        let failure = try #require(reply.failure, "answered with \(reply)")
        #expect(failure.kind == .ambiguous)
    }

    @Test func `A missing reply is ambiguous`() async throws {
        let failure = try #require(try await reply(to: [.remove("a")], bulk: nil).failure)
        #expect(failure.kind == .ambiguous)
    }

    @Test func `A web page with the text 'not found' does not make a document missing`() async throws {
        let page = Self.response("404 Not Found", "<html>not found</html>", type: "text/html")
        let failure = try #require(try await reply(to: [.remove("a")], bulk: page).failure)
        #expect(failure.kind == .stop(.unusable))
    }

    @Test func `A lack of permissions does not make a document missing`() async throws {
        let refusal = #"{"error":{"type":"security_exception","reason":"no"},"status":403}"#
        guard
            case .failed(let failure) = try await reply(
                to: [.remove("a")],
                bulk: Self.response("403 Forbidden", refusal)
            )
        else {
            Issue.record("answered with results")
            return
        }
        #expect(failure.kind == .stop(.permission))
    }

    @Test func `An empty batch is not sent`() async throws {
        #expect(try await reply(to: [], bulk: nil) == .results([]))
    }

    @Test func `Operations with swapped items have unknown results`() async throws {
        let items =
            #"{"delete":{"_id":"b","result":"deleted","status":200}},{"delete":{"_id":"a","result":"deleted","status":200}}"#
        let reply = try await reply(
            to: [.remove("a"), .remove("b")],
            bulk: Self.response("200 OK", #"{"items":[\#(items)]}"#)
        )
        guard case .results(let results) = reply else {
            Issue.record("answered with \(reply)")
            return
        }
        for result in results {
            guard case .unknown = result else {
                Issue.record("taken for \(result)")
                continue
            }
        }
        #expect(results.count == 2)
    }

    /// The nodes reported for a shard's primary before and after the batch, and the resulting meaning of a removal that
    /// finds only the trace of another removal.
    @Test(arguments: [
        ([#"{"primary":true,"node":"A"}"#, #"{"primary":true,"node":"A"}"#], Outcome.missing),
        ([#"{"primary":true,"node":"A"}"#, #"{"primary":true,"node":"B"}"#], .gone),
        ([#"{"primary":true,"node":"A"}"#, #"{"primary":false,"node":"B"}"#], .gone),
        ([#"{"primary":true,"node":"A"}"#, nil], .gone),
        ([#"{"primary":false}"#, #"{"primary":true,"node":"B"}"#], .missing),
        ([nil, #"{"primary":true,"node":"B"}"#], .missing),
    ])
    func `Documents that a lost node may have removed are reported as gone`(
        routing: [String?],
        outcome: Outcome
    ) async throws {
        let questions = Mutex(0)
        let server = try server { line in
            if line.contains("_bulk") {
                return Self.response(
                    "200 OK",
                    #"{"items":[{"delete":{"_index":"web","_id":"a","_version":1,"result":"not_found","status":404}},"#
                        + #"{"delete":{"_index":"web","_id":"b","_version":3,"result":"not_found","status":404}}]}"#
                )
            }
            if line.contains("_settings") { return Self.response("200 OK", #"{"web":{"settings":{}}}"#) }
            if line.contains("_stats") {
                let number = questions.withLock { count in
                    defer { count += 1 }
                    return count
                }
                guard let routing = routing[min(number, 1)] else { return Self.response("403 Forbidden", "{}") }
                let shards = #"{"0":[{"routing":\#(routing)}]}"#
                return Self.response("200 OK", #"{"indices":{"web":{"shards":\#(shards)}}}"#)
            }
            return line.hasPrefix("GET / ") ? Self.response("200 OK", Self.root) : Self.response("404 Not Found", "")
        }
        let engine = try await OpenSearchEngine.open(.openSearch, at: nodes(server)).collection(named: "web")
        let items = ["a", "b"].enumerated().map {
            ContentBatch.Item(id: OperationID(rawValue: UInt64($0 + 1)), operation: .remove($1))
        }
        let reply = await engine.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
        #expect(reply == .results([.done(.missing), .done(outcome)]))
    }
}

struct WordsTests {
    private func errorReply(_ body: String, _ status: Int) throws -> ErrorReply? {
        ErrorReply(error: try JSONValue(Array(body.utf8))["error"], status: status)
    }

    @Test func `The engine's own message is kept`() throws {
        let found = try errorReply(
            #"{"error":{"root_cause":[{"type":"t","reason":"deeper"}],"type":"search_phase_execution_exception","reason":"all shards failed"},"status":400}"#,
            400
        )
        #expect(found?.type == "search_phase_execution_exception")
        #expect(found?.reason == "all shards failed: deeper")
        #expect(found?.kind == .malformed)
    }

    @Test(arguments: [
        (404, "index_not_found_exception", ErrorReply.Kind.missingCollection),
        (403, "security_exception", .forbidden),
        (429, "circuit_breaking_exception", .throttled), (503, "circuit_breaking_exception", .throttled),
        (403, "cluster_block_exception", .blocked), (503, "cluster_block_exception", .other),
        (400, "parse_exception", .malformed), (400, "index_closed_exception", .closed),
        (409, "version_conflict_engine_exception", .conflict),
        (413, "x", .tooLarge), (404, "x", .other), (500, "x", .other), (401, "security_exception", .forbidden),
    ])
    func `Each error type has its meaning`(status: Int, type: String, kind: ErrorReply.Kind) throws {
        #expect(try errorReply(#"{"error":{"type":"\#(type)","reason":"r"}}"#, status)?.kind == kind)
    }

    @Test(arguments: [
        ("IndexNotFoundException[no such index [web]]", 404, ErrorReply.Kind.missingCollection),
        ("IndexClosedException[closed]", 400, .closed), ("VersionConflictEngineException[x]", 409, .conflict),
        ("Exception[", 400, .malformed), ("no handler found for uri [/x] and method [POST]", 400, .malformed),
        ("ElasticsearchSecurityException[no]", 403, .forbidden), ("No ElasticsearchException found", 500, .other),
    ])
    func `An error in one line of text is also classified`(sentence: String, status: Int, kind: ErrorReply.Kind) throws
    {
        let reply = try errorReply(#"{"error":"\#(sentence)","status":\#(status)}"#, status)
        #expect(reply?.kind == kind && reply?.reason == sentence)
    }

    @Test(arguments: ["{}", "[]", #"{"error":{}}"#, #"{"error":7}"#, #"{"message":"no"}"#, #"{"error":{"type":1}}"#])
    func `A reply from another program is not mistaken for the engine's`(body: String) throws {
        #expect(try errorReply(body, 404) == nil)
    }

    @Test(arguments: [
        ("2.19.4", EngineVersion(2, 19)), ("7.10.2", EngineVersion(7, 10)), ("9.0.0-SNAPSHOT", EngineVersion(9, 0)),
        ("", nil), ("7", nil), ("x.y", nil), ("-1.2", nil), ("99999999999999999999.1", nil),
    ])
    func `An engine version is parsed`(text: String, version: EngineVersion?) {
        #expect(EngineVersion(text) == version)
    }

    @Test(arguments: [
        ("webcollection", true), ("web-1_2.3", true), ("日本", true), (".hidden", true),
        (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false),
        ("WebCollection", false),
        ("É", false), ("", false), (".", false), ("..", false), ("-a", false), ("_a", false), ("+a", false),
        ("a/b", false),
        ("a\\b", false), ("a*", false), ("a?", false), ("a b", false), ("a\tb", false), ("a\u{2028}b", false),
        ("a,b", false), ("a:b", false), ("a#b", false), ("<a>", false), ("a\"", false), ("a|b", false),
        ("a\u{7F}", false),
    ])
    func `A collection name must follow the engine's rules`(text: String, isName: Bool) {
        var code: EngineError.Code?
        do throws(EngineError) {
            try CollectionName(text).validate(for: .openSearch)
        } catch {
            code = error.code
        }
        #expect(code == (isName ? nil : .invalidName))
    }
}

extension WordsTests {
    @Test func `The error for a name in capitals suggests the name in lowercase`() {
        let error = #expect(throws: EngineError.self) {
            try CollectionName("WebCollection").validate(for: .openSearch)
        }
        #expect(error?.message == "'WebCollection' is not a valid index name: OpenSearch requires lowercase")
        #expect(error?.advice == "use 'webcollection', or map the name to it in a context")
    }
}
