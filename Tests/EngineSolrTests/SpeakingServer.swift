import ContentFeeding
import EngineHTTP
import EngineSolr
import TestSupport

/// A Solr of a few lines: answers by the path of the request.
struct SpeakingServer {
    struct Answer: Sendable {
        var status = 200
        var body = ""
        var type = "application/json"
    }

    let server: ScriptedServer

    /// `answer` is given the request's target, without the prefix `/solr`, and its body.
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

    /// A proxy is asked for the whole address.
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
        return Answer(status: 404, body: "<html>", type: "text/html")
    }

    /// A Solr that may be both, and does not tell which: only the collection `c` is open to us.
    static func silent(update: Answer, get: Answer, aliases: Answer = Self.forbidden) throws -> SpeakingServer {
        try SpeakingServer { target, _ in
            if target.hasPrefix("/c/update") { return update }
            if target.hasPrefix("/c/get") { return get }
            return target.contains("LISTALIASES") ? aliases : forbidden
        }
    }

    static let forbidden = Answer(status: 403, body: "<html>", type: "text/html")

    /// A SolrCloud with the collection `c`, whose updates and look-ups are answered by the test.
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

    /// Opened as the Solr of another machine, with this server as the proxy on the way.
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
