import ContentFeeding
import EngineHTTP
import Synchronization
import TestSupport
import Testing

@testable import EngineOpenSearch

/// Responses from an index other than the requested one.
struct IndexOriginTests {
    private static func item(
        _ word: String,
        _ id: String,
        _ result: String,
        index: String = "web",
        version: Int = 1
    )
        -> String
    {
        let status = result == "not_found" ? 404 : result == "created" ? 201 : 200
        let members = #""_index":"\#(index)","_id":"\#(id)","_version":\#(version)"#
        return #"{"\#(word)":{\#(members),"result":"\#(result)","status":\#(status)}}"#
    }

    /// An engine that responds to each bulk request with `items`, and whose name then points to `after`.
    private func engine(
        _ items: [String],
        before: String = #"{"web":{"settings":{"index.uuid":"u1"}}}"#,
        after: String = #"{"web":{"settings":{"index":{"uuid":"u1"}}}}"#,
        aliases: String = "{}"
    ) async throws -> ScriptedEngine {
        try await ScriptedEngine { line in
            if line.contains("_settings") { return (line.contains("filter_path") ? after : before, 200) }
            if line.contains("/_alias") { return (aliases, 200) }
            let body = #"{"took":1,"errors":false,"items":[\#(items.joined(separator: ","))]}"#
            return line.contains("_bulk") ? (body, 200) : nil
        }
    }

    private func apply(_ operations: [ContentOperation], to engine: ScriptedEngine) async throws -> [BatchReply] {
        let collection = try await engine.collection()
        var replies: [BatchReply] = []
        for number in 1...2 {
            let items = operations.enumerated().map {
                ContentBatch.Item(id: OperationID(rawValue: UInt64($0 + 1)), operation: $1)
            }
            replies.append(await collection.apply(ContentBatch(id: BatchID(rawValue: UInt64(number)), items: items)))
        }
        return replies
    }

    private func document(_ id: DocumentID) -> ContentOperation { .add(Document(id: id, json: Array("{}".utf8))) }

    private static func stop(_ reply: BatchReply?) -> EngineError.Code? {
        if case .failed(let failure)? = reply, case .stop(let code) = failure.kind { code } else { nil }
    }

    @Test func `A document that is absent from another index is not missing`() async throws {
        let engine = try await engine(
            [Self.item("delete", "a", "not_found", index: "roll-2")],
            before: #"{"roll-1":{"settings":{"index.uuid":"u1"}}}"#,
            after: #"{"roll-1":{"settings":{}},"roll-2":{"settings":{}}}"#
        )
        let replies = try await apply([.remove("a")], to: engine)
        #expect(replies.map(Self.stop) == [.collectionChanged, .collectionChanged])
        // Nothing more is sent.
        #expect(engine.requests("_bulk").count == 1)
        guard case .failed(let failure)? = replies.last else { return }
        #expect(
            failure.failure.message.contains(
                "pointed at 'roll-1' when the run started, and now points at 'roll-1', 'roll-2'"
            )
        )
    }

    @Test func `Results for the old index in the same batch are kept`() async throws {
        let engine = try await engine(
            [
                Self.item("delete", "a", "deleted", index: "roll-1"),
                Self.item("delete", "b", "not_found", index: "roll-2"),
            ],
            before: #"{"roll-1":{"settings":{}}}"#,
            after: #"{"roll-1":{"settings":{}},"roll-2":{"settings":{}}}"#
        )
        let replies = try await apply([.remove("a"), .remove("b")], to: engine)
        guard case .results(let results) = replies[0], results.count == 2, case .notNow = results[1] else {
            Issue.record("answered with \(replies[0])")
            return
        }
        #expect(results[0] == .done(.removed))
        #expect(Self.stop(replies[1]) == .collectionChanged)
    }

    @Test func `A document that is absent from a re-created index is not missing`() async throws {
        let engine = try await engine(
            [Self.item("delete", "a", "not_found")],
            after: #"{"web":{"settings":{"index":{"uuid":"u2"}}}}"#
        )
        let replies = try await apply([.remove("a")], to: engine)
        #expect(Self.stop(replies[0]) == .collectionChanged)
        guard case .failed(let failure) = replies[0] else { return }
        #expect(failure.failure.message.contains("was deleted and created again"))
    }

    @Test func `A document that is absent from the same index is missing`() async throws {
        let engine = try await engine([Self.item("delete", "a", "not_found")])
        #expect(try await apply([.remove("a")], to: engine)[0] == .results([.done(.missing)]))
    }

    @Test func `A document that a pipeline sends to another index fails immediately`() async throws {
        let engine = try await engine([Self.item("index", "a", "created", index: "other")])
        guard case .results(let results) = try await apply([document("a")], to: engine)[0],
            case .failed(let failure)? = results.first
        else {
            Issue.record("not a failure")
            return
        }
        #expect(failure.message == "stored in 'other' instead of 'web': an ingest pipeline sends it there")
        #expect(failure.disposition == .permanent)
    }

    @Test(arguments: [("noop", -3), ("noop", 1), ("updated", -3)])
    func `A document that a pipeline drops has the outcome dropped`(result: String, version: Int) async throws {
        // The engine responds under the requested name.
        let item = Self.item("index", "a", result, index: "any-alias", version: version)
        #expect(try await apply([document("a")], to: try await engine([item]))[0] == .results([.done(.dropped)]))
    }

    @Test func `A document stored under another ID fails immediately`() async throws {
        guard
            case .results(let results) = try await apply(
                [document("a")],
                to: try await engine([Self.item("index", "x9", "created")])
            )[0],
            case .failed(let failure)? = results.first
        else {
            Issue.record("not a failure")
            return
        }
        #expect(failure.message.hasPrefix("stored under another ID, 'x9'"))
    }

    @Test func `Documents whose results are swapped have unknown results`() async throws {
        let items = [Self.item("index", "b", "created"), Self.item("index", "a", "created")]
        guard
            case .results(let results) = try await apply([document("a"), document("b")], to: try await engine(items))[0]
        else {
            Issue.record("no results")
            return
        }
        for result in results {
            guard case .unknown = result else {
                Issue.record("taken for \(result)")
                continue
            }
        }
    }

    @Test func `Additions follow an alias of several indices to its new write index`() async throws {
        let aliases = #"{"r1":{"aliases":{"web":{}}},"r2":{"aliases":{"web":{"is_write_index":true}}}}"#
        let asked = Mutex(0)
        let engine = try await ScriptedEngine { line in
            if line.contains("_settings") { return (#"{"r1":{"settings":{}},"r2":{"settings":{}}}"#, 200) }
            if line.contains("/_alias") {
                let isFirst = asked.withLock { count in
                    count += 1
                    return count == 1
                }
                let old = #"{"r1":{"aliases":{"web":{"is_write_index":true}}},"r2":{"aliases":{"web":{}}}}"#
                return (isFirst ? old : aliases, 200)
            }
            let item = Self.item("index", "a", "created", index: "r2")
            return line.contains("_bulk") ? (#"{"took":1,"errors":false,"items":[\#(item)]}"#, 200) : nil
        }
        let replies = try await apply([document("a")], to: engine)
        #expect(replies == [.results([.done(.added)]), .results([.done(.added)])])
    }

    @Test func `An alias with a filter is neither read nor written by ID`() async throws {
        let engine = try await engine(
            [],
            before: #"{"all":{"settings":{}}}"#,
            aliases: #"{"all":{"aliases":{"web":{"filter":{"term":{"t":1}}}}}}"#
        )
        for operation in [.remove("a"), document("a"), .update(Document(id: "a", json: Array("{}".utf8)))] {
            #expect(Self.stop(try await apply([operation], to: engine)[0]) == .rejected)
        }
        let collection = try await engine.collection()
        let error = await #expect(throws: EngineError.self) { _ = try await collection.exists(["a"]) }
        #expect(error?.code == .unsupported && error?.advice?.contains("--ignore-alias-filter") == true)
        #expect(engine.requests("_bulk").isEmpty && engine.requests("_mget").isEmpty)
    }

    @Test func `A data stream is refused with advice`() async throws {
        let engine = try await engine([], before: #"{".ds-web-000001":{"settings":{}}}"#)
        for operation in [.remove("a"), document("a")] {
            let reply = try await apply([operation], to: engine)[0]
            #expect(Self.stop(reply) == .rejected)
        }
        let collection = try await engine.collection()
        let error = await #expect(throws: EngineError.self) { _ = try await collection.get(["a"]) }
        #expect(error?.advice?.contains(".ds-web-000001") == true)
        #expect(engine.requests("_bulk").isEmpty && engine.requests("_mget").isEmpty)
    }
}
