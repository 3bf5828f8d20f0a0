import ContentFeeding
import Synchronization
import TestSupport
import Testing

/// Failures while a collection is created from a definition, which can't be provoked in real engines.
struct IndexDefinitionTests {
    private typealias Answer = (body: String, status: Int)

    private static let refusal = #"{"error":{"type":"security_exception","reason":"no permissions"},"status":403}"#

    /// An engine with the index `old`, to which the alias `pages` points until it is moved.
    private func engine(
        create: Answer = (#"{"acknowledged":true}"#, 200),
        lookUp: Answer? = nil,
        move: Answer = (#"{"acknowledged":true}"#, 200),
        afterwards: String = "web",
        isThere: Bool = false
    ) async throws -> (ScriptedEngine, any DefinitionAdministration) {
        let isMoved = Mutex(false)
        let engine = try await ScriptedEngine { line in
            if line.hasPrefix("PUT /web") { return create }
            if line.hasPrefix("POST /_aliases") {
                isMoved.withLock { $0 = true }
                return move
            }
            if line.hasPrefix("GET /web/_alias") { return isThere ? (#"{"web":{"aliases":{}}}"#, 200) : ("{}", 404) }
            guard line.contains("/_alias/") else { return ("{}", 200) }
            if let lookUp { return lookUp }
            return (#"{"\#(isMoved.withLock { $0 } ? afterwards : "old")":{"aliases":{}}}"#, 200)
        }
        return (engine, try #require(engine.engine.defining))
    }

    private func definition(_ others: String = "") throws -> CollectionDefinition {
        let text = """
            {"schema":"fastctl.collectionDefinition/1","engine":"opensearch","name":"web",
            "aliases":{\(others)"pages":{"filter":{"term":{"a":"b"}}}}}
            """
        return try CollectionDefinition(json: Array(text.utf8))
    }

    @Test func `An alias is moved with its properties, in one request`() async throws {
        let (engine, definitions) = try await engine()
        try await definitions.create("web", from: definition(), moving: ["pages"])
        let created = engine.requests("PUT /web")
        #expect(created.count == 1 && created[0].hasSuffix(#"{"settings":{},"mappings":{},"aliases":{}}"#))
        let moved = engine.requests("POST /_aliases")
        let actions = """
            {"actions":[{"remove":{"index":"old","alias":"pages"}},\
            {"add":{"index":"web","alias":"pages","filter":{"term":{"a":"b"}}}}]}
            """
        #expect(moved.count == 1 && moved[0].hasSuffix(actions), "\(moved)")
    }

    @Test func `A collection is not created if its alias can't be looked up, or points to another collection`()
        async throws
    {
        let (unseen, first) = try await engine(lookUp: (Self.refusal, 403))
        let denial = await #expect(throws: EngineError.self) {
            try await first.create("web", from: definition(), moving: ["pages"])
        }
        #expect(denial?.code == .permission && unseen.requests("PUT /web").isEmpty)
        let (taken, second) = try await engine()
        let error = await #expect(throws: EngineError.self) {
            try await second.create("web", from: definition(), moving: [])
        }
        #expect(error?.code == .rejected && error?.message.contains("'pages' points at 'old'") == true)
        #expect(taken.requests("PUT /web").isEmpty && taken.requests("POST /_aliases").isEmpty)
    }

    @Test func `A refusal names all aliases that are taken, and the options of the command`() async throws {
        let (_, definitions) = try await engine()
        let two = try definition(#""all":{},"#)
        let (all, pages) = ("the alias 'all' points at 'old', and ", "the alias 'pages' points at 'old'")
        for (moves, taken, advice) in [
            ([], all + pages, "use --without-aliases, or --move-alias all --move-alias pages"),
            (["all"], pages, "also use --move-alias pages"), (.ofCopy, all + pages, "leave 'aliases' out of --with"),
        ] as [(AliasMoves, String, String)] {
            let error = await #expect(throws: EngineError.self) {
                try await definitions.create("web", from: two, moving: moves)
            }
            #expect(error?.message == "'web' was not created: " + taken)
            #expect(error?.advice == advice)
        }
    }

    @Test func `An existing collection is reported before its aliases`() async throws {
        let (engine, definitions) = try await engine(isThere: true)
        let error = await #expect(throws: EngineError.self) {
            try await definitions.create("web", from: definition(), moving: [])
        }
        #expect(error?.code == .collectionExists && engine.requests("PUT /web").isEmpty)
    }

    @Test func `An alias that could not be moved is reported with the collection that was created`() async throws {
        let (_, definitions) = try await engine(move: (Self.refusal, 403))
        let error = await #expect(throws: EngineError.self) {
            try await definitions.create("web", from: definition(), moving: ["pages"])
        }
        #expect(error?.code == .permission)
        #expect(error?.message.hasPrefix("'web' was created, but not the aliases") == true)
        #expect(error?.message.contains("'pages'") == true && error?.message.contains("no permissions") == true)
    }

    @Test func `An alias that others have moved in the meantime is reported`() async throws {
        let (_, definitions) = try await engine(afterwards: "other")
        let error = await #expect(throws: EngineError.self) {
            try await definitions.create("web", from: definition(), moving: ["pages"])
        }
        #expect(error?.code == .collectionChanged && error?.message.contains("'other'") == true)
    }

    @Test func `A collection may exist if the request to create it got no response`() async throws {
        let (_, definitions) = try await engine(create: ("", ScriptedEngine.hangsUp))
        let error = await #expect(throws: EngineError.self) {
            try await definitions.create("web", from: definition(), moving: ["pages"])
        }
        #expect(error?.message.hasPrefix("'web' may have been created") == true, "\(String(describing: error))")
    }

    @Test func `A pipeline is carried over only if the engine is known to have it`() async throws {
        let text = """
            {"schema":"fastctl.collectionDefinition/1","engine":"opensearch","name":"web","settings":
            {"number_of_shards":"2","default_pipeline":"first","final_pipeline":"last"}}
            """
        let definition = try CollectionDefinition(json: Array(text.utf8))
        for (answer, losses) in [
            ((#"{"last":{"processors":[]}}"#, 200), [String]()),
            (("{}", 404), ["index.final_pipeline: there is no ingest pipeline 'last'"]),
            (("{}", 200), ["index.final_pipeline: there is no ingest pipeline 'last'"]),
            (
                (Self.refusal, 403),
                ["index.final_pipeline: these credentials can't see whether there is an ingest pipeline 'last'"]
            ),
        ] as [(Answer, [String])] {
            let engine = try await ScriptedEngine { line in
                line.hasPrefix("GET /_ingest/pipeline/first") ? (#"{"first":{}}"#, 200) : answer
            }
            let definitions = try #require(engine.engine.defining)
            let (adapted, found) = try await definitions.adapted(definition)
            #expect(found.map { "\($0.place): \($0.reason)" } == losses)
            let names = ["index.default_pipeline"] + (losses.isEmpty ? ["index.final_pipeline"] : [])
            #expect(adapted.pipelines.keys.sorted() == names)
        }
    }
}
