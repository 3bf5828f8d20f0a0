import ContentFeeding
import Synchronization
import TestSupport
import Testing

/// Aliases that are moved, and a clearing at a limited rate.
struct AliasTests {
    /// Returns an engine whose alias `pages` points to `old` and, after the change, to the index that the script names.
    private func engine(
        extras: String = "",
        afterwards: String = "web"
    ) async throws -> (ScriptedEngine, any AliasAdministration) {
        let isChanged = Mutex(false)
        let engine = try await ScriptedEngine { line in
            if line.hasPrefix("POST /_aliases") {
                isChanged.withLock { $0 = true }
                return (#"{"acknowledged":true}"#, 200)
            }
            guard line.contains("/_alias/pages") else { return ("{}", 200) }
            let index = isChanged.withLock { $0 } ? afterwards : "old"
            return (#"{"\#(index)":{"aliases":{"pages":{\#(extras)}}}}"#, 200)
        }
        return (engine, try #require(engine.engine as? any AliasAdministration))
    }

    @Test func `An alias is moved in one request`() async throws {
        let (engine, aliases) = try await engine(extras: #""is_write_index":true"#)
        #expect(try await aliases.point("pages", to: "web") == ["old"])
        let requests = engine.requests("POST /_aliases")
        let actions =
            #"{"actions":[{"remove":{"index":"old","alias":"pages"}},{"add":{"index":"web","alias":"pages"}}]}"#
        #expect(requests.count == 1 && requests.first?.hasSuffix(actions) == true, "\(requests)")
    }

    @Test(arguments: [#""filter":{"term":{"a":"b"}}"#, #""search_routing":"x""#])
    func `An alias with settings besides its name is left unchanged`(extras: String) async throws {
        let (engine, aliases) = try await engine(extras: extras)
        let error = await #expect(throws: EngineError.self) { try await aliases.point("pages", to: "web") }
        #expect(error?.code == .rejected)
        #expect(engine.requests("POST /_aliases").isEmpty)
    }

    @Test func `An alias that others have changed in the meantime does not count as moved`() async throws {
        let (_, aliases) = try await engine(afterwards: "other")
        let error = await #expect(throws: EngineError.self) { try await aliases.point("pages", to: "web") }
        #expect(error?.code == .collectionChanged && error?.message.contains("other") == true)
    }

    /// An index with several shards and without mappings can't be divided by the field `_id`.
    @Test(arguments: [0, 3])
    func `An index without documents is cleared without a removal`(count: Int) async throws {
        let engine = try await ScriptedEngine { line in
            if line.contains("_delete_by_query") { return (#"{"task":"n:1"}"#, 200) }
            if line.contains("_count") {
                return (#"{"count":\#(count),"_shards":{"total":3,"successful":3,"failed":0}}"#, 200)
            }
            guard line.contains("_tasks") else { return ("{}", 200) }
            let reason = #"{"type":"illegal_argument_exception","reason":"field _id not found"}"#
            let isRemoved = #"{"deleted":3,"version_conflicts":0,"failures":[]}"#
            return (#"{"completed":true,\#(count == 0 ? #""error":\#(reason)"# : #""response":\#(isRemoved)"#)}"#, 200)
        }
        #expect(try await engine.engine.clear("web") == count)
        #expect(engine.requests("_delete_by_query").count == (count == 0 ? 0 : 1))
    }

    @Test(arguments: [nil, 250.0])
    func `Clearing a collection respects the given rate`(pace: Double?) async throws {
        let engine = try await ScriptedEngine { line in
            if line.contains("_delete_by_query") { return (#"{"task":"n:1"}"#, 200) }
            guard line.contains("_tasks") else { return ("{}", 200) }
            return (#"{"completed":true,"response":{"deleted":3,"version_conflicts":0,"failures":[]}}"#, 200)
        }
        let paced = try #require(engine.engine as? any PacedClearing)
        if let pace {
            #expect(try await paced.clear("web", documentsPerSecond: pace) == 3)
        } else {
            #expect(try await paced.clear("web") == 3)
        }
        let line = try #require(engine.requests("_delete_by_query").first).prefix { $0 != "\r\n" }
        #expect(line.contains("requests_per_second=250.0") == (pace != nil), "\(line)")
        #expect(line.contains("requests_per_second") == (pace != nil), "\(line)")
    }
}
