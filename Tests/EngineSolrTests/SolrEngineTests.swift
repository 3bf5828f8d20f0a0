import ContentFeeding
import EngineHTTP
import JSONText
import TestSupport
import Testing

@testable import EngineSolr

struct AdministrationTests {
    @Test(arguments: ["WebCollection", "a", "a.b_c-D1", ".system", "_x"])
    func `Solr's valid names are accepted`(name: String) throws {
        try CollectionName(name).validate()
    }

    @Test(arguments: [
        "", "-a", "a/b", "a b", "é", "a,b", "..", ".", "admin", "a\n", String(repeating: "a", count: 201),
    ])
    func `Other names are refused`(name: String) {
        let error = #expect(throws: EngineError.self) { try CollectionName(name).validate() }
        #expect(error?.code == .invalidName)
        #expect(error?.advice != nil)
    }

    private func path(
        _ settings: [CollectionSetting],
        _ mode: SolrInstance.Mode,
        configSets: [String] = ["web"]
    ) throws -> String {
        try CollectionCreation("c", settings, mode: mode, configSets: configSets).path.description
    }

    @Test func `A core is created with Solr's default config set unless the settings name another`() throws {
        #expect(
            try path([], .standalone, configSets: []) == "/admin/cores?action=CREATE&name=c&wt=json&configSet=_default"
        )
        #expect(
            try path([CollectionSetting(name: "configSet", value: "x")], .standalone)
                == "/admin/cores?action=CREATE&name=c&wt=json&configSet=x"
        )
    }

    @Test func `A collection uses the config set if there is only one`() throws {
        let settings = [CollectionSetting(name: "numShards", value: "2")]
        let expected = """
            /admin/collections?action=CREATE&name=c&wt=json&collection.configName=web&waitForFinalState=true&numShards=2
            """
        #expect(try path(settings, .cloud) == expected)
    }

    @Test func `The program never guesses if there are several config sets`() {
        let error = #expect(throws: EngineError.self) { try path([], .cloud, configSets: ["b", "a"]) }
        #expect(error?.code == .rejected)
        #expect(error?.advice == "use one of: a, b")
    }

    @Test(arguments: [("router.name", "implicit", "router 'implicit'"), ("router.field", "cat_s", "field 'cat_s'")])
    func `A collection whose documents can't be found by their IDs is not created`(
        name: String,
        value: String,
        reason: String
    ) {
        let setting = CollectionSetting(name: name, value: value)
        let error = #expect(throws: EngineError.self) { try path([setting], .cloud) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains(reason) == true)
        #expect(error?.advice?.contains("omit") == true)
    }

    @Test func `The default router can be specified explicitly`() throws {
        let settings = [CollectionSetting(name: "router.name", value: "compositeId")]
        #expect(try path(settings, .cloud).contains("router.name=compositeId"))
    }

    @Test func `A missing config set is reported with advice`() async throws {
        let server = try SpeakingServer { target, _ in
            guard target.contains("action=CREATE") else { return SpeakingServer.known(target, isThere: false) }
            let reason = "Error CREATEing SolrCore 'c': Could not load configuration from directory /x/_default"
            return SpeakingServer.Answer(
                status: 400,
                body: #"{"responseHeader":{"status":400},"error":{"msg":"\#(reason)","code":400}}"#
            )
        }
        let solr = try await server.open()
        let error = await #expect(throws: EngineError.self) { try await solr.create("c", settings: []) }
        #expect(error?.message.contains("no config set '_default'") == true)
        #expect(error?.advice?.contains("--setting configSet=NAME") == true)
        let named = [CollectionSetting(name: "configSet", value: "x")]
        let other = await #expect(throws: EngineError.self) { try await solr.create("c", settings: named) }
        #expect(other?.message.contains("no config set") == false)
    }

    @Test(arguments: [("numShard", "2"), ("numShards", ""), ("numShards", "2&action=DELETE\n"), ("x", "y")])
    func `An invalid setting is refused`(name: String, value: String) {
        let settings = [CollectionSetting(name: name, value: value)]
        #expect(throws: EngineError.self) { try path(settings, .cloud) }
        #expect(throws: EngineError.self) { try path(settings, .standalone) }
    }

    @Test(arguments: [
        (#"{"responseHeader":{},"mode":"std","lucene":{"solr-spec-version":"9.10.1"}}"#, SolrInstance.Mode.standalone),
        (#"{"responseHeader":{},"mode":"solrcloud","lucene":{"solr-spec-version":"8.0.0"}}"#, .cloud),
    ])
    func `Solr's description of its system is parsed`(reply: String, mode: SolrInstance.Mode) throws {
        let facts = try #require(InstanceFacts(try JSONValue(Array(reply.utf8))))
        #expect(facts.mode == mode)
        try facts.validate(at: "http://solr")
    }

    @Test(arguments: [
        "{}", "[]", #"{"lucene":{"solr-spec-version":"9"},"mode":"std"}"#,
        #"{"responseHeader":{},"lucene":{"solr-spec-version":"9"},"mode":"x"}"#, #"{"version":{"number":"2.19"}}"#,
    ])
    func `Servers of other kinds are not recognized as Solr`(reply: String) throws {
        #expect(InstanceFacts(try JSONValue(Array(reply.utf8))) == nil)
    }

    @Test(arguments: ["7.7.3", "", "x", "-1"])
    func `A version of Solr that is too old is refused`(version: String) throws {
        let reply = #"{"responseHeader":{},"mode":"std","lucene":{"solr-spec-version":"\#(version)"}}"#
        let facts = try #require(InstanceFacts(try JSONValue(Array(reply.utf8))))
        #expect(throws: EngineError.self) { try facts.validate(at: "http://solr") }
    }

    @Test func `Measurements of all shards are added, and hostile numbers do not overflow`() throws {
        var measures = CollectionMeasures()
        let luke = try JSONValue(Array(#"{"index":{"numDocs":9223372036854775807,"deletedDocs":-5}}"#.utf8))
        let segments = try JSONValue(Array(#"{"segments":{"_1":{"sizeInBytes":5},"_2":{"sizeInBytes":"6"}}}"#.utf8))
        measures.add(luke: luke, segments: segments)
        measures.add(luke: luke, segments: segments)
        #expect(measures == CollectionMeasures(documents: .max, waiting: 0, bytes: 22, shards: 2))
    }

    @Test func `Only the leaders of active shards are used`() throws {
        let status = """
            {"c":{"shards":{"s1":{"state":"active","replicas":{"a":{"core":"c1","leader":"true"},"b":{"core":"c2"}}},
            "s2":{"state":"inactive","replicas":{"a":{"core":"c3","leader":"true"}}},"s3":{"state":"active"}}}}
            """
        let collections = try JSONValue(Array(status.utf8))
        #expect(SolrInstance.leadingCores(collections) == ["c1"])
    }

    @Test func `Words are searched for in text and strings`() throws {
        let types = """
            {"fieldTypes":[{"name":"t","class":"solr.TextField"},{"name":"s","class":"solr.StrField"},
            {"name":"i","class":"solr.IntPointField"}]}
            """
        let luke = """
            {"fields":{"a":{"type":"t","schema":"ITS"},"b":{"type":"s","schema":"I-S"},"c":{"type":"i","schema":"I-S"},
            "d":{"type":"s","schema":"--S"},"_root_":{"type":"s","schema":"I--"},"e":{}}}
            """
        let names = TextFields.names(
            fieldTypes: try JSONValue(Array(types.utf8)),
            cores: [try JSONValue(Array(luke.utf8)), .null]
        )
        #expect(names == ["a", "b"])
    }
}

/// A Solr on another machine.
@Suite(.timeLimit(.minutes(1)))
struct RemoteTests {
    @Test func `Large updates are sent uncompressed`() async throws {
        let server = try SpeakingServer { target, body in
            guard target.hasPrefix("/c/update") else {
                return target.hasPrefix("/c/get")
                    ? SpeakingServer.Answer(body: #"{"response":{"numFound":0,"docs":[]}}"#)
                    : SpeakingServer.known(target, isThere: true)
            }
            let isReadable = body.utf8.count >= 9_000 && body.hasPrefix(#"{"delete":["#)
            guard !isReadable else { return SpeakingServer.Answer(body: #"{"responseHeader":{"status":0}}"#) }
            return SpeakingServer.Answer(
                status: 400,
                body: #"{"responseHeader":{"status":400},"error":{"msg":"not JSON"}}"#
            )
        }
        let collection = try await server.openAsRemote().collection(named: "c")
        let items = try (0..<1_000).map {
            ContentBatch.Item(id: .first, operation: .remove(try DocumentID("document-\($0)")))
        }
        let batch = ContentBatch(id: BatchID(rawValue: 1), items: items)
        #expect(await collection.apply(batch) == .results(Array(repeating: .done(.missing), count: 1_000)))
    }
}
