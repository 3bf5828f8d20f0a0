import ContentFeeding
import Synchronization
import TestSupport
import Testing

/// Aliases that change hands, and a clearing that takes its time.
struct AliasTests {
    /// An engine whose alias `pages` stands for `old`, and for what the script says after the change.
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

    @Test func `An alias changes hands in one request`() async throws {
        let (engine, aliases) = try await engine(extras: #""is_write_index":true"#)
        #expect(try await aliases.point("pages", to: "web") == ["old"])
        let requests = engine.requests("POST /_aliases")
        let actions =
            #"{"actions":[{"remove":{"index":"old","alias":"pages"}},{"add":{"index":"web","alias":"pages"}}]}"#
        #expect(requests.count == 1 && requests.first?.hasSuffix(actions) == true, "\(requests)")
    }

    @Test(arguments: [#""filter":{"term":{"a":"b"}}"#, #""search_routing":"x""#])
    func `An alias with more than a name is left as it is`(extras: String) async throws {
        let (engine, aliases) = try await engine(extras: extras)
        let error = await #expect(throws: EngineError.self) { try await aliases.point("pages", to: "web") }
        #expect(error?.code == .rejected)
        #expect(engine.requests("POST /_aliases").isEmpty)
    }

    @Test func `An alias that somebody else changed meanwhile is not called done`() async throws {
        let (_, aliases) = try await engine(afterwards: "other")
        let error = await #expect(throws: EngineError.self) { try await aliases.point("pages", to: "web") }
        #expect(error?.code == .collectionChanged && error?.message.contains("other") == true)
    }
}
