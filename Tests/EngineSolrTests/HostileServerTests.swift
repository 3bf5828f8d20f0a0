import ContentFeeding
import EngineHTTP
import TestSupport
import Testing

@testable import EngineSolr

/// The results of a batch if the server's response does not match the request.
@Suite(.timeLimit(.minutes(1)))
struct HostileServerTests {
    private typealias Answer = SpeakingServer.Answer

    private static let success = Answer(body: #"{"responseHeader":{"status":0}}"#)

    private func reply(
        update: SpeakingServer.Answer = HostileServerTests.success,
        get: SpeakingServer.Answer = Answer(body: #"{"doc":null}"#),
        checksMissing: Bool = false,
        isThere: Bool = true
    ) async throws -> BatchReply {
        let solr = try SpeakingServer.core(update: update, get: get)
        let collection = try await solr.open(checksMissing: checksMissing).collection(named: "c")
        let item = ContentBatch.Item(id: .first, operation: .remove("a"))
        return await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: [item]))
    }

    private func kind(_ reply: BatchReply) -> BatchFailure.Kind? {
        guard case .failed(let failure) = reply else { return nil }
        return failure.kind
    }

    @Test func `A reply that reports success is recognized`() async throws {
        #expect(try await reply() == .results([.done(.gone)]))
        #expect(try await reply(checksMissing: true) == .results([.done(.missing)]))
        let there = Answer(body: #"{"doc":{"id":"a"}}"#)
        #expect(try await reply(get: there, checksMissing: true) == .results([.done(.removed)]))
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"responseHeader":{"status":1}}"#, #"{"responseHeader":{}}"#,
        #"{"responseHeader":{"status":0,"partialResults":true}}"#, #"{"responseHeader":{"status":0}"#,
        #"{"responseHeader":{"status":0,"errors":[{"type":"ADD","id":"other","message":"m"}]}}"#,
        #"{"responseHeader":{"status":99999999999999999999}}"#, "<html>",
        #"{"responseHeader":{"status":500},"responseHeader":{"status":0}}"#,
        #"{"responseHeader":{"status":500,"status":0}}"#, #"{"responseHeader":{"status":0},"error":{"msg":"m"}}"#,
    ])
    func `An update with an empty reply is ambiguous`(body: String) async throws {
        #expect(kind(try await reply(update: Answer(body: body))) == .ambiguous)
    }

    @Test(arguments: ["", "{}", "<html>", #"{"doc":{"x":1}}"#, #"{"responseHeader":{"status":5},"doc":null}"#])
    func `A lookup with an empty reply has no effect`(body: String) async throws {
        let reply = try await reply(get: Answer(body: body), checksMissing: true)
        #expect(kind(reply) == .definite(isCharged: true))
    }

    /// Contradictory responses to a real-time get for 22 documents.
    private static let contradictions = [
        #"{"doc":null}"#, #"{"doc":{"id":"d1"}}"#,
        #"{"responseHeader":{"status":0},"response":{"numFound":20,"start":0,"docs":[]}}"#,
        #"{"response":{"numFound":0,"docs":[{"id":"d1"}]}}"#, #"{"response":{"docs":[]}}"#,
        #"{"response":{"numFound":1,"docs":[{"id":"other"}]}}"#,
        #"{"response":{"numFound":2,"docs":[{"id":"d1"},{"id":"d1"}]}}"#,
        #"{"response":{"numFound":0,"docs":[]},"response":{"numFound":1,"docs":[{"id":"d1"}]}}"#,
        #"{"response":{"numFound":0,"docs":[]},"doc":null}"#,
        #"{"response":{"numFound":1,"numFound":0,"docs":[]}}"#,
        #"{"response":{"numFound":0,"docs":[{"id":"d1"}],"docs":[]}}"#,
        #"{"responseHeader":{"status":0},"responseHeader":{"status":0},"response":{"numFound":0,"docs":[]}}"#,
        #"{"responseHeader":{"status":5,"status":0},"response":{"numFound":0,"docs":[]}}"#,
        #"{"responseHeader":{"status":0},"response":{"numFound":0,"docs":[]},"error":{"msg":"m"}}"#,
        #"{"response":{"numFound":1,"docs":[{"id":"d1","id":"d2"}]}}"#,
    ]

    @Test(arguments: contradictions)
    func `A contradictory lookup does not make a document missing`(body: String) async throws {
        let solr = try SpeakingServer.core(update: Self.success, get: Answer(body: body))
        let collection = try await solr.open(checksMissing: true).collection(named: "c")
        let ids = try (1...22).map { try DocumentID("d\($0)") }
        let error = await #expect(throws: EngineError.self) { _ = try await collection.exists(ids) }
        #expect(error?.code == .unusable)
        let items = ids.map { ContentBatch.Item(id: .first, operation: .remove($0)) }
        let reply = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
        #expect(kind(reply) == .definite(isCharged: true))
    }

    @Test(arguments: [#"{"doc":{"id":"b"}}"#, #"{"doc":null,"doc":{"id":"a"}}"#])
    func `A response about a different document is ignored`(body: String) async throws {
        #expect(kind(try await reply(get: Answer(body: body), checksMissing: true)) == .definite(isCharged: true))
    }

    @Test(arguments: [
        (
            400, #"{"responseHeader":{"status":400},"error":{"msg":"m","code":400}}"#,
            BatchFailure.Kind.split(mayHaveApplied: true)
        ),
        (409, #"{"responseHeader":{"status":409},"error":{"msg":"m","code":409}}"#, .split(mayHaveApplied: true)),
        (500, #"{"responseHeader":{"status":500},"error":{"trace":"t","code":500}}"#, .ambiguous),
        (503, #"{"responseHeader":{"status":503},"error":{"msg":"no servers hosting shard","code":503}}"#, .ambiguous),
        (403, "<html>", .stop(.permission)), (401, "<html>", .stop(.permission)),
        (302, "", .stop(.missingTarget)), (405, "", .stop(.unusable)),
    ])
    func `Refusals are classified as in the table`(status: Int, body: String, expected: BatchFailure.Kind) async throws
    {
        #expect(kind(try await reply(update: Answer(status: status, body: body))) == expected)
    }

    @Test func `A proxy's page does not make a collection missing`() async throws {
        let reply = try await reply(update: Answer(status: 404, body: "<html>Searching for Solr?", type: "text/html"))
        #expect(kind(reply) == .definite(isCharged: true))
    }

    @Test func `A missing collection is reported by name`() async throws {
        let solr = try SpeakingServer.core(update: Self.success, isThere: false)
        let administration = try await solr.open()
        let error = await #expect(throws: EngineError.self) { _ = try await administration.collection(named: "c") }
        #expect(error?.code == .missingCollection)
        #expect(error?.message.contains("'c'") == true)
    }

    @Test(arguments: [
        Answer(status: 404, body: "<html>", type: "text/html"), Answer(body: "<html>", type: "text/html"),
        Answer(body: #"{"cluster_name":"opensearch","version":{"number":"2.19.4"}}"#),
    ])
    func `Only Solr is opened`(answer: SpeakingServer.Answer) async throws {
        let server = try SpeakingServer { _, _ in answer }
        let error = await #expect(throws: EngineError.self) { _ = try await server.open() }
        #expect(error?.code == .unusable)
        #expect(error?.advice?.contains("/solr") == true)
    }

    @Test func `A user who may only feed does not need to know how Solr is run`() async throws {
        let server = try SpeakingServer { target, _ in
            if target.hasPrefix("/c/update") { return Self.success }
            if target.hasPrefix("/c/get") { return Answer(body: #"{"doc":null}"#) }
            return Answer(status: 403, body: "<html>", type: "text/html")
        }
        let administration = try await server.open()
        let collection = try await administration.collection(named: "c")
        #expect(try await collection.exists(["a"]) == [false])
        let error = await #expect(throws: EngineError.self) { _ = try await administration.list() }
        #expect(error?.code == .permission)
    }

    @Test func `IDs are requested unchanged`() async throws {
        let ids: [DocumentID] = ["a,b", "${x}", "é&id=z", "a b+c"]
        let server = try SpeakingServer { target, body in
            if target.hasPrefix("/c/get") {
                #expect(target.contains("expandMacros=false"))
                #expect(body == "id=a%2Cb&id=%24%7Bx%7D&id=%C3%A9%26id%3Dz&id=a%20b%2Bc")
                return Answer(body: #"{"response":{"numFound":1,"docs":[{"id":"${x}"}]}}"#)
            }
            return SpeakingServer.known(target, isThere: true)
        }
        let collection = try await server.open().collection(named: "c")
        #expect(try await collection.exists(ids) == [false, true, false, false])
    }
}

/// A minimal Solr, which responds according to the path of the request.
struct SpeakingServer {
    struct Answer: Sendable {
        var status = 200
        var body = ""
        var type = "application/json"
    }

    let server: ScriptedServer

    /// `answer` receives the request's target, without the prefix `/solr`, and its body.
    init(_ answer: @escaping @Sendable (_ target: String, _ body: String) -> Answer) throws {
        server = try ScriptedServer { connection, _ in
            while let request = connection.nextRequest() {
                let words = request.split(separator: " ", maxSplits: 2)
                let target = words.count > 1 ? Self.target(words[1]) : ""
                let body = request.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first.map { String($0) } ?? ""
                let reply = answer(target, body)
                connection.send(
                    """
                    HTTP/1.1 \(reply.status) X\r\nContent-Type: \(reply.type)\r\n\
                    Content-Length: \(reply.body.utf8.count)\r\n\r\n\(reply.body)
                    """
                )
            }
        }
    }

    /// A request to a proxy contains the whole address.
    private static func target(_ address: Substring) -> String {
        let prefix = address.hasPrefix("/") ? "/solr" : "http://far.invalid:8983/solr"
        return String(address.dropFirst(prefix.count))
    }

    /// A standalone Solr with the core `c`, whose updates and look-ups are answered by the test.
    static func core(
        update: Answer,
        get: Answer = Answer(body: #"{"doc":null}"#),
        isThere: Bool = true
    ) throws -> SpeakingServer {
        try SpeakingServer { target, _ in
            if target.hasPrefix("/c/update") { return update }
            if target.hasPrefix("/c/get") { return get }
            return known(target, isThere: isThere)
        }
    }

    static func known(_ target: String, isThere: Bool) -> Answer {
        if target.hasPrefix("/admin/info/system") {
            return Answer(body: #"{"responseHeader":{"status":0},"mode":"std","lucene":{"solr-spec-version":"9.0.0"}}"#)
        }
        if target.hasPrefix("/admin/cores") {
            let core = isThere ? #"{"name":"c"}"# : "{}"
            return Answer(body: #"{"responseHeader":{"status":0},"status":{"c":\#(core)}}"#)
        }
        if target.hasPrefix("/c/schema/uniquekey") {
            return Answer(body: #"{"responseHeader":{"status":0},"uniqueKey":"id"}"#)
        }
        if target.hasPrefix("/c/schema/") {
            return Answer(body: #"{"responseHeader":{"status":0},"fields":[],"dynamicFields":[],"copyFields":[]}"#)
        }
        return Answer(status: 404, body: "<html>", type: "text/html")
    }

    /// Returns a Solr that may be standalone or a cluster, and does not reveal which: only the collection `c` is
    /// accessible.
    static func silent(update: Answer, get: Answer, aliases: Answer = Self.forbidden) throws -> SpeakingServer {
        try SpeakingServer { target, body in
            if target.hasPrefix("/c/update") { return update }
            // Only the document `a` exists.
            if target.hasPrefix("/c/get") { return body.contains("id=a") ? get : Answer(body: noDocuments) }
            return target.contains("LISTALIASES") ? aliases : forbidden
        }
    }

    private static let noDocuments = #"{"response":{"numFound":0,"docs":[]}}"#
    static let forbidden = Answer(status: 403, body: "<html>", type: "text/html")

    /// Returns a SolrCloud with the collection `c`, whose updates and look-ups are answered by the test.
    static func cloud(update: Answer, get: Answer) throws -> SpeakingServer {
        try SpeakingServer { target, _ in
            if target.hasPrefix("/c/update") { return update }
            if target.hasPrefix("/c/get") { return get }
            let success = #"{"responseHeader":{"status":0}"#
            if target.hasPrefix("/admin/info/system") {
                return Answer(body: success + #","mode":"solrcloud","lucene":{"solr-spec-version":"9.0.0"}}"#)
            }
            if target.hasPrefix("/admin/collections") { return Answer(body: success + #","collections":["c"]}"#) }
            return known(target, isThere: true)
        }
    }

    var node: NodeAddress { NodeAddress(scheme: .http, host: "127.0.0.1", port: Int(server.port), path: "/solr") }

    /// It is opened as a Solr on another machine, with this server as the proxy.
    func openAsRemote() async throws -> any CollectionAdministration {
        var connection = ConnectionOptions()
        connection.proxy = .url(server.url)
        let far = NodeAddress(scheme: .http, host: "far.invalid", port: 8983, path: "/solr")
        return try await SolrEngine.open(at: [far], connection: connection)
    }

    func open(checksMissing: Bool = false) async throws -> any CollectionAdministration {
        var options = SolrEngine.Options()
        options.checksMissing = checksMissing
        return try await SolrEngine.open(at: [node], options: options)
    }
}
