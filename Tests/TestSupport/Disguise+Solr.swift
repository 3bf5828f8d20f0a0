extension Disguise {
    /// Solr 8, imitated by 9.10.
    ///
    /// - `shards.preference=replica.leader` was introduced in 8.10 (SOLR-15472); older versions refuse it.
    /// - `numFoundExact` was introduced in 8.6 (SOLR-13289).
    /// - `CLUSTERSTATUS` does not contain the time at which a collection was created, unlike that of 9.10.
    public static func solr8(_ minor: Int) -> Disguise {
        Disguise(
            name: "Solr 8.\(minor)",
            translate: { request, _ in
                guard minor < 10, request.parameter("shards.preference")?.contains("replica.leader") == true else {
                    return nil
                }
                let words = "Invalid shards.preference rule: replica.leader:true"
                let metadata = #"["root-error-class","java.lang.IllegalArgumentException"]"#
                let error = #"{"metadata":\#(metadata),"msg":"\#(words)","code":400}"#
                return .json(400, #"{"responseHeader":{"status":400,"QTime":1},"error":\#(error)}"#)
            },
            dress: { reply, request in
                reply.playVersion("8.\(minor).0", to: request)
                if minor < 6 { reply.text = reply.text.replacing(/"numFoundExact":(true|false),/, with: "") }
                guard request.parameter("action") == "CLUSTERSTATUS" else { return }
                reply.text = reply.text.replacing(/"creationTimeMillis":[0-9]+,/, with: "")
            }
        )
    }

    /// Solr 10, imitated by 9.10: a request for a core must be sent to the node that hosts it (SOLR-17568:
    /// apache/solr#2885, and "SolrCloud Request Routing" in the notes on major changes in Solr 10).
    public static let solr10 = Disguise(
        name: "Solr 10.0",
        translate: { request, engine in
            guard let core = request.path.firstMatch(of: #/^/solr/([^/]+_shard[0-9]+_replica_[a-z][0-9]+)//#)?.output.1,
                !has(core: core, engine)
            else { return nil }
            return .page(404, title: "404 Not Found")
        },
        dress: { reply, request in reply.playVersion("10.0.0", to: request) }
    )

    private static func has(core: Substring, _ engine: UInt16) -> Bool {
        guard let socket = try? Socket.connected(to: engine) else { return false }
        var stream = FaultStream(socket)
        let target = "/solr/admin/cores?action=STATUS&wt=json&indexInfo=false&core=\(core)"
        let host = ProxiedHeader("Host", "localhost")
        let question = ProxiedRequest(method: "GET", target: target, headers: [host], body: [])
        guard socket.send(question.bytes), let reply = stream.reply(to: question) else { return false }
        return reply.text.contains("instanceDir")
    }
}

extension ProxiedReply {
    /// Replaces the version in Solr's description of itself.
    fileprivate mutating func playVersion(_ version: String, to request: ProxiedRequest) {
        guard request.path.hasSuffix("/admin/info/system") else { return }
        text = text.replacing(/"solr-spec-version":"[^"]*"/, with: #""solr-spec-version":"\#(version)""#)
    }
}
