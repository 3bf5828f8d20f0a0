import ContentFeeding
import TestSupport
import Testing

@testable import EngineOpenSearch

struct UpdateTests {
    private static func found(_ id: String, _ source: String?) -> String {
        let source = source.map { #","_source":\#($0)"# } ?? ""
        return #"{"_id":"\#(id)","_version":1,"_seq_no":1,"_primary_term":1,"found":true\#(source)}"#
    }

    private static func unreadable(_ id: String) -> String {
        #"{"_id":"\#(id)","error":{"type":"no_shard_available_action_exception","reason":"no copy of it"}}"#
    }

    /// An engine that reads `documents`, and has updated `b` when it is sent a bulk request.
    private func engine(_ documents: [String]) async throws -> ScriptedEngine {
        try await ScriptedEngine { line in
            if line.contains("_mget") { return (#"{"docs":[\#(documents.joined(separator: ","))]}"#, 200) }
            guard line.contains("_bulk") else { return nil }
            return (#"{"items":[{"index":{"_id":"b","_version":2,"result":"updated","status":200}}]}"#, 200)
        }
    }

    @Test func aDocumentWithoutSourceIsNotReplaced() async throws {
        let engine = try await engine([Self.found("a", nil)])
        guard case .results(let results) = try await engine.update(["a"]), case .failed(let failure)? = results.first
        else {
            Issue.record("not refused")
            return
        }
        #expect(failure.message == "the index keeps no source: its documents can't be updated or read back")
        #expect(engine.requests("_bulk").isEmpty)
    }

    @Test func aDocumentWithoutSourceIsNotGiven() async throws {
        let collection = try await engine([Self.found("a", nil)]).collection()
        let error = await #expect(throws: EngineError.self) { _ = try await collection.get(["a"]) }
        #expect(error?.code == .unsupported)
        #expect(try await collection.exists(["a"]) == [true])
    }

    @Test func oneUnreadableDocumentLeavesTheOthersAlone() async throws {
        let reply = try await engine([Self.unreadable("a"), Self.found("b", "{}")]).update(["a", "b"])
        guard case .results(let results) = reply, results.count == 2, case .unknown(let failure) = results[0] else {
            Issue.record("answered with \(reply)")
            return
        }
        #expect(failure.message.contains("no copy of it") && failure.disposition == .retryable)
        #expect(results[1] == .done(.updated))
    }

    @Test func aDocumentThatCanNotBeReadMayBeReadLater() async throws {
        let collection = try await engine([Self.unreadable("a")]).collection()
        let error = await #expect(throws: EngineError.self) { _ = try await collection.get(["a"]) }
        #expect(error?.code == .unreachable)
        let other = await #expect(throws: EngineError.self) { _ = try await collection.exists(["a"]) }
        #expect(other?.code == .unreachable)
    }

    @Test func aMissingIndexIsNoMatterOfOneDocument() async throws {
        let gone = #"{"_id":"a","error":{"type":"index_not_found_exception","reason":"no such index"}}"#
        guard case .failed(let failure) = try await engine([gone]).update(["a"]) else {
            Issue.record("answered with results")
            return
        }
        #expect(failure.kind == .stop(.missingCollection))
    }

    @Test func moreDocumentsThanFitAreUpdatedInHalves() async throws {
        let large = #"{"s":"\#(String(repeating: "x", count: OpenSearchCollection.updateBytes))"}"#
        let engine = try await engine([Self.found("a", large), Self.found("b", "{}")])
        guard case .failed(let failure) = try await engine.update(["a", "b"]) else {
            Issue.record("answered with results")
            return
        }
        #expect(failure.kind == .split(mayHaveApplied: false))
        #expect(engine.requests("_bulk").isEmpty)
    }

    @Test func aLargeDocumentAloneIsUpdated() async throws {
        let large = #"{"s":"\#(String(repeating: "x", count: OpenSearchCollection.updateBytes))"}"#
        #expect(try await engine([Self.found("b", large)]).update(["b"]) == .results([.done(.updated)]))
    }
}
