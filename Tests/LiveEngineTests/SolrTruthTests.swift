import ContentFeeding
import EngineHTTP
import EngineSolr
import Foundation
import TestSupport
import Testing

/// Cases in which Solr itself reports something false.
@Suite(.needsEngines, .timeLimit(.minutes(5)), .serialized)
struct SolrTruthTests {
    @Test(arguments: SolrLive.Kind.allCases)
    func `A child inside another document is never reported as removed`(kind: SolrLive.Kind) async throws {
        let solr = try await SolrLive.shared(kind)
        try await solr.withCollection("solr-nested") { collection in
            let name = collection.collection
            try await solr.post(#"[{"id":"P1","kids":[{"id":"C1"},{"id":"C2"}]},{"id":"Q","title":"x"}]"#, to: name)
            let patch = Document(id: "C1", json: Array(#"{"title":"x"}"#.utf8))
            for operation in [ContentOperation.remove("C1"), .add(patch), .update(patch)] {
                guard case .results(let results) = await collection.reply(to: [operation]),
                    case .failed(let failure)? = results.first
                else {
                    Issue.record("\(operation.kind) of a child was answered")
                    continue
                }
                #expect(failure.message.contains("a child inside another document"))
            }
            #expect(try await collection.count() == 4)
            #expect(try await collection.exists(["P1", "C1", "C2", "Q", "R"]) == [true, true, true, true, false])

            // Another client trusts Solr's report.
            try await solr.post(#"{"delete":["C2"]}"#, to: name, commits: false)
            #expect(try await collection.exists(["C2"]) == [true])
            #expect(try await collection.get(["C2"]).map(\.id) == ["C2"])
            guard case .results(let again) = await collection.reply(to: [.remove("C2")]) else {
                Issue.record("a removal had no result")
                return
            }
            #expect(again.first != .done(.removed) && again.first != .done(.missing))
        }
    }

    @Test(arguments: SolrLive.Kind.allCases)
    func `A document with children does not lose a child in an update or a backup`(kind: SolrLive.Kind) async throws {
        let solr = try await SolrLive.shared(kind)
        try await solr.withCollection("solr-children") { collection in
            let name = collection.collection
            try await solr.post(#"[{"id":"P1","kids":[{"id":"C1"},{"id":"C2"}]},{"id":"Q","title":"x"}]"#, to: name)
            let patch = Array(#"{"title":"y"}"#.utf8)
            let patches = ["P1", "Q"].map { (id: DocumentID) in ContentOperation.update(Document(id: id, json: patch)) }
            guard case .results(let results) = await collection.reply(to: patches) else {
                Issue.record("updates had no results")
                return
            }
            guard case .failed(let failure)? = results.first else {
                Issue.record("the update of a document with children is \(results)")
                return
            }
            #expect(failure.message.contains("its 2 child documents"))
            #expect(results.last == .done(.updated))
            #expect(try await collection.count() == 4)
            #expect(try await collection.copies(at: [DocumentKey("Q")], maximumBytes: .max).documents.count == 1)
            await #expect {
                _ = try await collection.copies(at: [DocumentKey("Q"), DocumentKey("P1")], maximumBytes: .max)
            } throws: {
                ($0 as? EngineError)?.message == "'P1' has 2 child documents, which a backup can't contain"
            }
            // The document is removed as a whole, with everything in it.
            #expect(await collection.reply(to: [.remove("P1")]) == .results([.done(.removed)]))
            #expect(try await collection.count() == 1)
        }
    }

    @Test func `Named child documents survive an update of their root`() async throws {
        let solr = try await SolrLive.local()
        let settings = try solr.copyConfigSet(as: "solr-named")
        try await solr.withCollection("solr-named", settings: settings) { collection in
            let name = collection.collection
            let path = #"{"name":"_nest_path_","class":"solr.NestPathField"}"#
            let field = #"{"name":"_nest_path_","type":"_nest_path_"}"#
            try await solr.post(#"{"add-field-type":\#(path),"add-field":\#(field)}"#, to: name, at: "schema")
            let kids = #""kids":[{"id":"C1"},{"id":"C2"}]"#
            let documents = #"[{"id":"P1",\#(kids)},{"id":"A1","_childDocuments_":[{"id":"AC"}]}]"#
            try await solr.post(documents, to: name)
            let renewed = try await solr.open().collection(named: name)
            let patch = Array(#"{"title":"y"}"#.utf8)
            let reply = await renewed.reply(to: [.update(Document(id: "P1", json: patch))])
            #expect(reply == .results([.done(.updated)]))
            guard case .results(let results) = await renewed.reply(to: [.update(Document(id: "A1", json: patch))]),
                case .failed? = results.first
            else {
                Issue.record("an update that deletes a child without a name was answered")
                return
            }
            #expect(try await renewed.count() == 5)
            #expect(try await renewed.exists(["C1", "C2", "AC"]) == [true, true, true])
        }
    }

    @Test func `A field that is not stored is reported before an update or a backup would lose it`() async throws {
        let solr = try await SolrLive.local()
        let settings = try solr.copyConfigSet(as: "solr-unstored")
        try await solr.withCollection("solr-unstored", settings: settings) { collection in
            let name = collection.collection
            let fields = #"""
                [{"name":"secret","type":"string","stored":false,"docValues":false},
                {"name":"all","type":"text","stored":false,"multiValued":true},
                {"name":"dv","type":"string","stored":false,"docValues":true}]
                """#
            let dynamic = #"{"name":"*_ns","type":"text","stored":false}"#
            let copies = #"{"source":"title","dest":["all"]}"#
            try await solr.post(
                #"{"add-field":\#(fields),"add-dynamic-field":\#(dynamic),"add-copy-field":\#(copies)}"#,
                to: name,
                at: "schema"
            )
            try await solr.post(#"[{"id":"1","title":"t","dv":"x"}]"#, to: name)
            let intents = [FeedIntent(.update), FeedIntent(.remove, isBackedUp: true)]
            for intent in intents { try await solr.open().collection(named: name).check(intent) }

            // A backup must also contain uncommitted contents, which an update would keep.
            try await solr.post(#"[{"id":"2","a_ns":"t"}]"#, to: name, commits: false)
            try await solr.open().collection(named: name).check(FeedIntent(.update))
            for (json, field) in [(#"[{"id":"2","a_ns":"t"}]"#, "a_ns"), (#"[{"id":"3","secret":"t"}]"#, "secret")] {
                try await solr.post(json, to: name, commits: false)
                for intent in intents.reversed() {
                    let collection = try await solr.open().collection(named: name)
                    await #expect { try await collection.check(intent) } throws: {
                        ($0 as? EngineError)?.message.contains("the field '\(field)' of") == true
                    }
                }
                let ids = ["2", "3"].map { DocumentID(stringLiteral: $0) }
                _ = await collection.reply(to: ids.map { .remove($0) })
                try await collection.raise(to: .live)
            }
            try await solr.open().collection(named: name).check(FeedIntent(.update))
        }
    }

    @Test(arguments: [
        [("router.name", "implicit"), ("shards", "a,b"), ("router.field", "cat_s")],
        [("numShards", "2"), ("router.field", "cat_s")],
    ])
    func `A collection that does not distribute documents by ID is refused`(settings: [(String, String)]) async throws {
        let solr = try await SolrLive.shared(.cloud)
        let name = CollectionName("solr-routed-\(settings.count)")
        var path = EnginePath("admin", "collections").with("action", "CREATE").with("name", name.rawValue)
            .with("collection.configName", "webcollection").with("waitForFinalState", "true")
        for (name, value) in settings { path = path.with(name, value) }
        try await solr.send(path)
        let administration = try await solr.open()
        let documents = (1...6).map { #"{"id":"i\#($0)","cat_s":"\#($0 % 2 == 0 ? "a" : "b")"}"# }
        try await solr.post("[\(documents.joined(separator: ","))]", to: name)
        let collection = try await administration.collection(named: name)
        for kind in ContentOperation.Kind.allCases {
            await #expect { try await collection.check(FeedIntent(kind)) } throws: {
                ($0 as? EngineError)?.code == .unsupported
            }
        }
        await #expect(throws: EngineError.self) { _ = try await collection.exists(["i1"]) }
        let failure = try #require(await collection.reply(to: [.remove("i1")]).failure)
        #expect(failure.kind == .stop(.unsupported))
        #expect(try await collection.find(SearchQuery(), after: nil).documents.count == 6)
        #expect(try await administration.delete(name) == 6)
    }

    /// A removal on the condition that its document exists is understood only by this message.
    @Test func `The message about a document that must exist repeats its ID unchanged`() async throws {
        let letters = (UInt8(1)...0xFF).map { "x\(UnicodeScalar($0))" }
        let ids: [String] = [
            " x ", "\u{301}", "a\u{308}", "\u{2028}\u{200E}", "\u{FFFF}\u{FEFF}", "\u{20000}\u{1F600}",
            "a expected=1 actual=-1", "version conflict for a", String(repeating: "x ", count: 16_383),
        ]
        let solr = try await SolrLive.shared(.standalone)
        let connection = try await EngineConnection(to: solr.engine.solrNodes, options: ConnectionOptions())
        try await solr.withCollection("solr-messages") { collection in
            let path = EnginePath(collection.collection.rawValue, "update").with("wt", "json").with("commit", "false")
            for id in letters + ids {
                let body = try JSONEncoder().encode(["delete": Removal(id: id)])
                let reply = try await connection.send(EngineRequest(.post, path, body: Array(body)))
                let message = try JSONDecoder().decode(Refusal.self, from: Data(reply.body)).error.msg
                let expected = "version conflict for \(id) expected=1 actual=-1"
                #expect(reply.status == 409 && message.utf8.elementsEqual(expected.utf8), "\(id.debugDescription)")
            }
        }
    }

    private struct Removal: Encodable {
        let id: String
        let version = 1

        enum CodingKeys: String, CodingKey {
            case id
            case version = "_version_"
        }
    }

    private struct Refusal: Decodable {
        struct Reason: Decodable { let msg: String }
        let error: Reason
    }

    @Test func `A config set that Solr lacks is reported with advice`() async throws {
        let administration = try await SolrLive.shared(.standalone).open()
        await #expect { try await administration.create("solr-unset", settings: []) } throws: {
            ($0 as? EngineError)?.advice?.contains("--setting configSet=NAME") == true
        }
    }
}

extension SolrLive {
    /// Sends requests that are otherwise sent only by Solr's own tools.
    func post(
        _ json: String,
        to collection: CollectionName,
        at handler: String = "update",
        commits: Bool = true
    ) async throws {
        var path = EnginePath(collection.rawValue, handler).with("wt", "json")
        if handler == "update" { path = path.with("commit", "\(commits)") }
        try await send(path, Array(json.utf8))
    }

    fileprivate func send(_ path: EnginePath, _ body: [UInt8]? = nil) async throws {
        let connection = try await EngineConnection(to: engine.solrNodes, options: ConnectionOptions())
        var request = EngineRequest(body == nil ? .get : .post, path, body: body)
        request.timeout = .seconds(120)
        let reply = try await connection.send(request)
        guard reply.isSuccess else { throw LoadFailure() }
    }
}
