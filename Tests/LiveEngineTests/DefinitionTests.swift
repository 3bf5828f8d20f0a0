import ContentFeeding
import EngineHTTP
import EngineSolr
import TestSupport
import Testing

/// Definitions of collections, exported from real engines and imported into them.
@Suite(.needsEngines, .timeLimit(.minutes(5)))
struct DefinitionTests {
    private static let index = """
        {"settings":{"number_of_shards":2,"number_of_replicas":0,"refresh_interval":"7s","analysis":{"analyzer":{
        "words":{"type":"custom","tokenizer":"standard","filter":["lowercase","short"]}},
        "filter":{"short":{"type":"stop","stopwords":["a","the"]}}}},
        "mappings":{"dynamic":"strict","dynamic_templates":[{"t":{"match":"t_*","mapping":{"type":"keyword"}}}],
        "properties":{"title":{"type":"text","analyzer":"words","fields":{"raw":{"type":"keyword","ignore_above":256}}},
        "date":{"type":"date","format":"yyyy-MM-dd"},"part":{"type":"nested","properties":{"n":{"type":"integer"}}}}},
        "aliases":{"PREFIX-all":{},"PREFIX-de":{"filter":{"term":{"title.raw":"de"}},"routing":"7"},
        "PREFIX-write":{"is_write_index":true}}}
        """

    /// Unique names for a test, which runs alongside others on the same engines.
    private func create(_ prefix: String, on server: LiveEngine) async throws -> any DefinitionAdministration {
        let body = Self.index.replacing("PREFIX", with: prefix)
        try await server.send(.put, EnginePath("\(prefix)-1"), body)
        return try #require(try await server.openRelative().defining)
    }

    @Test(arguments: [LiveEngine.Product.openSearch, .elasticsearch])
    func `A collection created from an exported definition has the same definition`(
        product: LiveEngine.Product
    ) async throws {
        let engine = try await create("def-same", on: .shared(product))
        let definition = try await engine.definition(of: "def-same-1")
        #expect(try await engine.definition(of: "def-same-write") == definition)
        #expect(definition.aliasNames == ["def-same-all", "def-same-de", "def-same-write"])
        _ = try await engine.delete("def-same-1")

        let read = try CollectionDefinition(json: definition.json)
        #expect(read == definition)
        try await engine.create("def-same-1", from: read, moving: [])
        let again = try await engine.definition(of: "def-same-1")
        #expect(again.json == definition.json)
        #expect(again.differences(to: definition).isEmpty)
        _ = try await engine.delete("def-same-1")
    }

    @Test(arguments: [LiveEngine.Product.openSearch, .elasticsearch])
    func `The definition of a collection with default settings has only the numbers of shards and replicas`(
        product: LiveEngine.Product
    ) async throws {
        let engine = try #require(try await LiveEngine.shared(product).openRelative().defining)
        try await engine.withCollection("def-plain") { _ in
            let text = String(decoding: try await engine.definition(of: "def-plain").json, as: UTF8.self)
            let settings = text.matches(of: /"(index\.[^"]+)"/).map { String($0.1) }
            let expected = ["index.number_of_replicas", "index.number_of_shards"]
            #expect(settings == expected, "\(text)")
        }
    }

    @Test(arguments: [LiveEngine.Product.openSearch, .elasticsearch])
    func `An alias is taken from another collection only on request`(product: LiveEngine.Product) async throws {
        let engine = try await create("def-alias", on: .shared(product))
        let definition = try await engine.definition(of: "def-alias-1")
        let refusal = await #expect(throws: EngineError.self) {
            try await engine.create("def-alias-2", from: definition, moving: ["def-alias-all", "def-alias-de"])
        }
        #expect(refusal?.code == .rejected && refusal?.message.contains("'def-alias-write'") == true)
        await #expect { try await engine.show("def-alias-2") } throws: {
            ($0 as? EngineError)?.code == .missingCollection
        }
        #expect(try await engine.definition(of: "def-alias-1") == definition)

        try await engine.create("def-alias-2", from: definition, moving: AliasMoves(definition.aliasNames))
        #expect(try await engine.definition(of: "def-alias-2").differences(to: definition).isEmpty)
        #expect(try await engine.definition(of: "def-alias-1").aliasNames.isEmpty)
        _ = try await engine.delete("def-alias-1")
        _ = try await engine.delete("def-alias-2")
    }

    @Test(arguments: [LiveEngine.Product.openSearch, .elasticsearch])
    func `A refused definition creates nothing, and the engine's reason is reported`(
        product: LiveEngine.Product
    ) async throws {
        let engine = try #require(try await LiveEngine.shared(product).openRelative().defining)
        let parts = [
            (#""settings":{"index.no_such_setting":"1"}"#, "no_such_setting"),
            (#""mappings":{"properties":{"a":{"type":"no_such_type"}}}"#, "no_such_type"),
            (#""aliases":{"def-refused":{}}"#, "def-refused"),
            (#""aliases":{"def-refused-a":{"filter":{"no_such_query":{}}}}"#, "no_such_query"),
            (#""aliases":{"*":{}}"#, "'*'"),
        ]
        for (part, word) in parts {
            let text = """
                {"schema":"fastctl.collectionDefinition/1","engine":"\(product.rawValue)","name":"def-refused",\(part)}
                """
            let definition = try CollectionDefinition(json: Array(text.utf8))
            let error = await #expect(throws: EngineError.self) {
                try await engine.create("def-refused", from: definition, moving: [])
            }
            #expect(error?.message.contains(word) == true, "\(part): \(String(describing: error))")
            await #expect { try await engine.show("def-refused") } throws: {
                ($0 as? EngineError)?.code == .missingCollection
            }
        }
        try await engine.withCollection("def-there") { _ in
            let definition = try await engine.definition(of: "def-there")
            let error = await #expect(throws: EngineError.self) {
                try await engine.create("def-there", from: definition, moving: [])
            }
            #expect(error?.code == .collectionExists)
        }
    }

    @Test(arguments: [LiveEngine.Product.openSearch, .elasticsearch])
    func `A definition can be used for the other kind of engine`(product: LiveEngine.Product) async throws {
        let engine = try await create("def-other", on: .shared(product))
        let other = try #require(
            try await LiveEngine.shared(product == .openSearch ? .elasticsearch : .openSearch).openRelative().defining
        )
        let definition = try await engine.definition(of: "def-other-1")
        await #expect(throws: EngineError.self) {
            try await other.create("def-other-1", from: definition, moving: [])
        }
        let adapted = definition.adapted(to: other.definedEngine).definition
        try await other.create("def-other-1", from: adapted, moving: [])
        let made = try await other.definition(of: "def-other-1")
        #expect(made.differences(to: adapted) == [])
        _ = try await other.delete("def-other-1")
        _ = try await engine.delete("def-other-1")
    }

    @Test func `A schema comes back in a new collection of SolrCloud, which has its own config set`() async throws {
        // A SolrCloud without sign-in may refuse to copy config sets.
        let server = try await LiveEngine.start(.solr, nodes: 2, secure: true)
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let connection = try server.connection(as: "admin:Admin-pass-1", in: folder)
        let engine = try #require(try await SolrEngine.open(at: server.solrNodes, connection: connection).defining)
        let text = """
            {"schema":"fastctl.collectionDefinition/1","engine":"opensearch","name":"def-cloud",
            "settings":{"number_of_shards":2,"number_of_replicas":0},"mappings":{"properties":{"title":{"type":"text",
            "copy_to":"all"},"all":{"type":"text"},"day":{"type":"date"},"views":{"type":"long"},"at":{"type":"geo_point"}}},
            "aliases":{"def-cloud-all":{}}}
            """
        let (wanted, losses) = try CollectionDefinition(json: Array(text.utf8)).adapted(to: .solr)
        #expect(losses.map(\.place) == ["properties.at"])
        let made = try await engine.create("def-cloud", from: wanted, moving: [])
        #expect(made.isNew)
        let definition = try await engine.definition(of: "def-cloud-all")
        #expect(wanted.conflicts(with: definition) == [] && definition.name == "def-cloud")

        let refusal = await #expect(throws: EngineError.self) {
            try await engine.create("def-cloud-2", from: definition, moving: [])
        }
        #expect(refusal?.message.contains("'def-cloud-all' points at 'def-cloud'") == true)
        let result = try await engine.create("def-cloud-2", from: definition, moving: ["def-cloud-all"])
        #expect(result.moved == [CollectionAlias(name: "def-cloud-all", collections: ["def-cloud"])])
        #expect(try await engine.definition(of: "def-cloud-2").differences(to: definition) == [])
        // The other collection keeps its schema, and one without documents can get another definition.
        let narrow = definition.removingAliases { _ in true }
        #expect(try await engine.create("def-cloud", from: narrow, moving: []).isNew == false)
        #expect(try await engine.definition(of: "def-cloud").differences(to: narrow) == [])
    }

    @Test func `A single Solr exports a schema, and does not create a core that would share it`() async throws {
        let server = try await SolrLive.shared(.standalone)
        let engine = try #require(try await server.open().defining)
        try await server.withCollection("def-core") { _ in
            let definition = try await engine.definition(of: "def-core")
            #expect(definition.aliasNames.isEmpty && !engine.isCluster)
            #expect(try CollectionDefinition(json: definition.json) == definition)
            #expect(try await engine.create("def-core", from: definition, moving: []).isNew == false)
            let error = await #expect(throws: EngineError.self) {
                try await engine.create("def-core-2", from: definition, moving: [])
            }
            #expect(error?.code == .unsupported && error?.advice?.contains("bin/solr create") == true)
        }
    }

    @Test func `An alias of several indices has no definition`() async throws {
        let server = try await LiveEngine.shared(.openSearch)
        let engine = try #require(try await server.openRelative().defining)
        try await engine.withCollection("def-both-a") { _ in
            try await engine.withCollection("def-both-b") { _ in
                try await server.alias("def-both", of: ["def-both-a", "def-both-b"])
                let error = await #expect(throws: EngineError.self) { try await engine.definition(of: "def-both") }
                #expect(error?.code == .rejected && error?.advice?.contains("def-both-a, def-both-b") == true)
            }
        }
    }
}
