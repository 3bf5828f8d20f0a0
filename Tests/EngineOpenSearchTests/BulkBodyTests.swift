import ContentFeeding
import Foundation
import JSONText
import Synchronization
import TestSupport
import Testing

@testable import EngineOpenSearch

struct BulkBodyTests {
    private func lines(_ actions: [BulkAction]) throws -> [[String: Any]] {
        let body = BulkBody(actions).bytes
        #expect(actions.isEmpty || body.last == UInt8(ascii: "\n"))
        return try body.split(separator: UInt8(ascii: "\n")).map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        }
    }

    @Test(arguments: HurtfulText.all)
    func `An ID is sent byte for byte`(text: String) throws {
        let id = try DocumentID(text)
        // This does not use Foundation's reader, which drops a byte-order mark at the beginning of a string.
        let read = try #require(try JSONValue(BulkBody([.delete(id)]).bytes)["delete"]["_id"].text)
        #expect(read.utf8.elementsEqual(text.utf8))
    }

    @Test func `An external version is sent with its version type`() {
        let body = BulkBody([.delete("a", external: 7), .index("b", json: Array("{}".utf8), since: nil, external: 0)])
            .bytes
        let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
        #expect(
            lines == [
                #"{"delete":{"_id":"a","version":7,"version_type":"external"}}"#,
                #"{"index":{"_id":"b","version":0,"version_type":"external"}}"#, "{}",
            ]
        )
    }

    @Test func `Only characters that JSON requires to be escaped are escaped`() {
        let body = BulkBody([.delete("é/\"\\\u{1}\t😀")]).bytes
        #expect(String(decoding: body, as: UTF8.self) == "{\"delete\":{\"_id\":\"é/\\\"\\\\\\u0001\\t😀\"}}\n")
    }

    @Test func `A document is sent unchanged`() {
        let json = #"{ "n" : 1.0,"s":"\u00e9é" }"#
        let body = BulkBody([.index("a", json: Array(json.utf8), since: nil)]).bytes
        #expect(String(decoding: body, as: UTF8.self) == "{\"index\":{\"_id\":\"a\"}}\n\(json)\n")
    }

    @Test func `A line break in a document does not end the document`() throws {
        let json = "{\r\n\"n\":\n1}"
        let found = try lines([.index("a", json: Array(json.utf8), since: nil), .delete("b")])
        #expect(found.count == 3)
        #expect(found[1]["n"] as? Int == 1)
    }

    @Test func `A condition specifies the revision`() throws {
        let revision = Revision(sequenceNumber: 17, primaryTerm: 3)
        let action = try #require(try lines([.index("a", json: Array("{}".utf8), since: revision)]).first?["index"])
        let members = try #require(action as? [String: Any])
        #expect(members["if_seq_no"] as? Int == 17)
        #expect(members["if_primary_term"] as? Int == 3)
        #expect(members["_id"] as? String == "a")
    }

    @Test func `An empty batch has no body`() {
        #expect(BulkBody([]).bytes.isEmpty)
    }

    @Test(arguments: 0..<24)
    func `Characters that must be escaped are found at every position`(place: Int) throws {
        for special in ["\"", "\\", "\u{1}", "\u{1F}", "\n"] {
            for filler in ["x", "é", "!", " ", "]", "\u{7F}"] {
                let text =
                    String(repeating: filler, count: place) + special + String(repeating: filler, count: 24 - place)
                let body = BulkBody([.delete(try DocumentID(text))])
                let read = try #require(try JSONValue(body.bytes)["delete"]["_id"].text)
                #expect(read.utf8.elementsEqual(text.utf8))
                #expect(!body.isPlain)
            }
        }
        let plain = BulkBody([.delete(try DocumentID(String(repeating: "é ", count: place + 1)))])
        #expect(plain.isPlain)
    }
}

struct UpdateTests {
    private static func found(_ id: String, _ source: String?) -> String {
        let source = source.map { #","_source":\#($0)"# } ?? ""
        return #"{"_id":"\#(id)","_version":1,"_seq_no":1,"_primary_term":1,"found":true\#(source)}"#
    }

    private static func unreadable(_ id: String) -> String {
        #"{"_id":"\#(id)","error":{"type":"no_shard_available_action_exception","reason":"no copy of it"}}"#
    }

    /// An engine that returns `documents`, and has updated `b` when it receives a bulk request.
    private func engine(_ documents: [String]) async throws -> ScriptedEngine {
        try await ScriptedEngine { line in
            if line.contains("_mget") { return (#"{"docs":[\#(documents.joined(separator: ","))]}"#, 200) }
            guard line.contains("_bulk") else { return nil }
            return (#"{"items":[{"index":{"_id":"b","_version":2,"result":"updated","status":200}}]}"#, 200)
        }
    }

    @Test func `Operators are applied to the document that was read`() async throws {
        let engine = try await engine([Self.found("b", #"{"p":{"n":1},"t":"x"}"#)])
        let patch = #"{"p.n":{"$inc":2},"t":{"$add":["y"]}}"#
        #expect(try await engine.update(["b"], to: patch) == .results([.done(.updated)]))
        let body = try #require(engine.requests("_bulk").last)
        #expect(body.contains(#""if_seq_no":1,"if_primary_term":1"#))
        #expect(body.contains(#"{"p":{"n":3},"t":["x","y"]}"#))
    }

    @Test func `A counter that may have been applied is not sent again once the document has changed`() async throws {
        let sequence = Atomic(1)
        let requests = Atomic(0)
        let engine = try await ScriptedEngine { line in
            if line.contains("_mget") {
                let number = sequence.load(ordering: .relaxed)
                let head = #""_id":"b","_version":1,"_seq_no":\#(number),"_primary_term":1,"found":true"#
                return (#"{"docs":[{\#(head),"_source":{"n":1}}]}"#, 200)
            }
            guard line.contains("_bulk") else { return nil }
            // The first request's reply gets lost.
            if requests.add(1, ordering: .relaxed).oldValue == 0 { return ("", ScriptedEngine.hangsUp) }
            return (#"{"items":[{"index":{"_id":"b","_version":2,"result":"updated","status":200}}]}"#, 200)
        }
        let collection = try await engine.collection()
        let update = ContentOperation.update(Document(id: "b", json: Array(#"{"n":{"$inc":1}}"#.utf8)))
        func apply(_ number: UInt64, mayHaveApplied: Bool) async -> BatchReply {
            let item = ContentBatch.Item(id: .first, operation: update, mayHaveApplied: mayHaveApplied)
            return await collection.apply(ContentBatch(id: BatchID(rawValue: number), items: [item]))
        }
        guard case .failed(let failure) = await apply(1, mayHaveApplied: false) else {
            Issue.record("the reply is not lost")
            return
        }
        #expect(failure.kind == .ambiguous)
        sequence.store(2, ordering: .relaxed)
        #expect(await apply(2, mayHaveApplied: true) == .results([.failed(.perhapsCounted)]))
        #expect(requests.load(ordering: .relaxed) == 1)
        sequence.store(1, ordering: .relaxed)
        #expect(await apply(3, mayHaveApplied: true) == .results([.done(.updated)]))
    }

    @Test func `A missing document is created only if it is still missing`() async throws {
        let engine = try await ScriptedEngine { line in
            if line.contains("_mget") { return (#"{"docs":[{"_id":"b","found":false}]}"#, 200) }
            guard line.contains("_bulk") else { return nil }
            return (#"{"items":[{"create":{"_id":"b","_version":1,"result":"created","status":201}}]}"#, 200)
        }
        let update = ContentOperation.update(Document(id: "b", json: Array(#"{"n":{"$inc":4}}"#.utf8)))
        let item = ContentBatch.Item(id: .first, operation: update)
        let batch = ContentBatch(id: BatchID(rawValue: 1), items: [item], addsMissing: true)
        #expect(try await engine.collection().apply(batch) == .results([.done(.added)]))
        let body = try #require(engine.requests("_bulk").last)
        #expect(body.contains(#"{"create":{"_id":"b""#) && body.contains(#"{"n":4}"#))
        let upsert = ContentBatch.Item(id: .first, operation: update.adding(Array(#"{"n":1,"t":"b"}"#.utf8)))
        let second = ContentBatch(id: BatchID(rawValue: 2), items: [upsert], addsMissing: true)
        #expect(try await engine.collection().apply(second) == .results([.done(.added)]))
        let whole = try #require(engine.requests("_bulk").last)
        #expect(whole.contains(#"{"create":{"_id":"b""#) && whole.contains(#"{"n":1,"t":"b"}"#))
    }

    @Test func `A document without a source is not replaced`() async throws {
        let engine = try await engine([Self.found("a", nil)])
        guard case .results(let results) = try await engine.update(["a"]), case .failed(let failure)? = results.first
        else {
            Issue.record("not refused")
            return
        }
        #expect(failure.message == "the index stores no source: its documents can't be updated or read back")
        #expect(engine.requests("_bulk").isEmpty)
    }

    @Test func `A document without a source is not returned`() async throws {
        let collection = try await engine([Self.found("a", nil)]).collection()
        let error = await #expect(throws: EngineError.self) { _ = try await collection.get(["a"]) }
        #expect(error?.code == .unsupported)
        #expect(try await collection.exists(["a"]) == [true])
    }

    @Test func `One unreadable document does not affect the others`() async throws {
        let reply = try await engine([Self.unreadable("a"), Self.found("b", "{}")]).update(["a", "b"])
        guard case .results(let results) = reply, results.count == 2, case .unknown(let failure, _) = results[0] else {
            Issue.record("answered with \(reply)")
            return
        }
        #expect(failure.message.contains("no copy of it") && failure.disposition == .retryable)
        #expect(results[1] == .done(.updated))
    }

    @Test func `A document that can't be read may become readable later`() async throws {
        let collection = try await engine([Self.unreadable("a")]).collection()
        let error = await #expect(throws: EngineError.self) { _ = try await collection.get(["a"]) }
        #expect(error?.code == .unreachable)
        let other = await #expect(throws: EngineError.self) { _ = try await collection.exists(["a"]) }
        #expect(other?.code == .unreachable)
    }

    @Test func `A missing index is not a problem with a single document`() async throws {
        let gone = #"{"_id":"a","error":{"type":"index_not_found_exception","reason":"no such index"}}"#
        let failure = try #require(try await engine([gone]).update(["a"]).failure)
        #expect(failure.kind == .stop(.missingCollection))
    }

    @Test func `An update of documents that are too large together is split into halves`() async throws {
        let large = #"{"s":"\#(String(repeating: "x", count: OpenSearchCollection.updateBytes))"}"#
        let engine = try await engine([Self.found("a", large), Self.found("b", "{}")])
        let failure = try #require(try await engine.update(["a", "b"]).failure)
        #expect(failure.kind == .split(mayHaveApplied: false))
        #expect(engine.requests("_bulk").isEmpty)
    }

    @Test func `A single large document can be updated`() async throws {
        let large = #"{"s":"\#(String(repeating: "x", count: OpenSearchCollection.updateBytes))"}"#
        #expect(try await engine([Self.found("b", large)]).update(["b"]) == .results([.done(.updated)]))
    }
}

/// Elasticsearch since 9.2 returns vectors only on request, and older versions refuse such a request.
struct VectorTests {
    private static let engines: [(OpenSearchEngine.Product, String, Bool)] = [
        (.elasticsearch, "9.2.0", true), (.elasticsearch, "10.0.0", true), (.elasticsearch, "9.1.9", false),
        (.elasticsearch, "7.10.2", false), (.openSearch, "2.19.4", false), (.openSearch, "9.2.0", false),
    ]

    private func engine(_ product: OpenSearchEngine.Product, _ version: String) async throws -> ScriptedEngine {
        try await ScriptedEngine(product, version: version) { line in
            if line.contains("_mget") { return (#"{"docs":[{"_id":"a","found":false}]}"#, 200) }
            if line.contains("_pit") || line.contains("point_in_time") { return (#"{"id":"p"}"#, 200) }
            return line.hasPrefix("POST /_search?") ? (#"{"hits":{"hits":[]}}"#, 200) : nil
        }
    }

    @Test(arguments: engines)
    func `Reading a document includes its vectors`(
        product: OpenSearchEngine.Product,
        version: String,
        asks: Bool
    ) async throws {
        let engine = try await engine(product, version)
        _ = try await engine.collection().get(["a"])
        let request = try #require(engine.requests("_mget").first)
        #expect(request.contains("_source_exclude_vectors=false") == asks)
    }

    @Test(arguments: engines)
    func `Searching for documents includes their vectors`(
        product: OpenSearchEngine.Product,
        version: String,
        asks: Bool
    ) async throws {
        let engine = try await engine(product, version)
        _ = try await engine.collection().find(SearchQuery(), after: nil)
        let request = try #require(engine.requests("POST /_search?").first)
        #expect(request.contains(#""_source":{"exclude_vectors":false}"#) == asks)
    }

    @Test(arguments: engines)
    func `Searching only for IDs returns no vectors`(
        product: OpenSearchEngine.Product,
        version: String,
        asks: Bool
    ) async throws {
        let engine = try await engine(product, version)
        var query = SearchQuery()
        query.includesDocuments = false
        _ = try await engine.collection().find(query, after: nil)
        let request = try #require(engine.requests("POST /_search?").first)
        #expect(request.contains(#""_source":false"#) && !request.contains("vectors"))
    }
}
