import ContentFeeding
import JSONText
import TestSupport
import Testing

@testable import EngineOpenSearch

/// Mappings that store less than is fed, or accept less than documents contain.
struct SourceRulesTests {
    private func rules(_ mappings: String, key: String = "id") throws -> SourceRules {
        SourceRules(try JSONValue(Array(#"{"web":{"mappings":\#(mappings)}}"#.utf8)), key: key)
    }

    @Test(arguments: [
        ("{}", nil), (#"{"_source":{}}"#, nil), (#"{"_source":{"enabled":true}}"#, nil),
        (
            #"{"_source":{"excludes":["secret","big.*"]}}"#,
            "the index does not keep 'secret', 'big.*' (_source.excludes)"
        ),
        (#"{"_source":{"includes":["n"]}}"#, "the index keeps only 'n' (_source.includes)"),
        (#"{"_source":{"enabled":false}}"#, MultiGetReply.withoutSource),
    ])
    func `A field that the index does not keep is reported by name`(mappings: String, loss: String?) throws {
        #expect(try rules(mappings).loss == loss)
    }

    @Test(arguments: [
        ("{}", [("index.mapping.source.mode", "synthetic")], "rebuilds them from their fields"),
        ("{}", [("index.mapping.source.mode", "SYNTHETIC")], "rebuilds them from their fields"),
        ("{}", [("index.mapping.source.mode", "disabled")], "stores no source"),
        ("{}", [("index.mode", "logsdb")], "rebuilds them from their fields"),
        ("{}", [("index.mode", "logsdb"), ("index.mapping.source.mode", "stored")], nil),
        ("{}", [("index.mode", "standard")], nil),
        (#"{"_source":{"mode":"synthetic"}}"#, [], "rebuilds them from their fields"),
        (#"{"_source":{"mode":"stored"}}"#, [], nil),
    ])
    func `The mode of the source is recognized wherever it is defined`(
        mappings: String,
        settings: [(name: String, value: String)],
        words: String?
    ) throws {
        let answer = try JSONValue(Array(#"{"web":{"mappings":\#(mappings)}}"#.utf8))
        let settings = settings.map { CollectionSetting(name: $0.name, value: $0.value) }
        let loss = SourceRules(answer, key: "id", settings: settings).loss
        #expect(words == nil ? loss == nil : loss?.contains(words ?? "") == true, "\(loss ?? "none")")
    }

    @Test(arguments: [
        ("{}", false), (#"{"dynamic":"true"}"#, false), (#"{"dynamic":"strict"}"#, true),
        (#"{"dynamic":"strict","properties":{"id":{"type":"keyword"}}}"#, false),
        (#"{"dynamic":"strict","properties":{"n":{"type":"long"}}}"#, true),
    ])
    func `A strict mapping without the ID's key refuses the key`(mappings: String, refuses: Bool) throws {
        #expect(try rules(mappings).refusesIDKey == refuses)
        #expect(try rules(mappings, key: "_id").refusesIDKey)
    }

    @Test(arguments: [200, 403])
    func `The engine's own ID field is not in any document that is sent`(status: Int) async throws {
        let engine = try await ScriptedEngine(idKey: "_id") { line in
            if line.contains("_mapping") { return ("{}", status) }
            let item = #"{"index":{"_id":"7","_version":1,"result":"created","status":201}}"#
            return line.contains("_bulk") ? (#"{"errors":false,"items":[\#(item)]}"#, 200) : nil
        }
        let add = ContentOperation.add(Document(id: "7", json: Array(#"{"_id":"7","n":1}"#.utf8)))
        let batch = ContentBatch(id: BatchID(rawValue: 1), items: [.init(id: OperationID(rawValue: 1), operation: add)])
        #expect(try await engine.collection().apply(batch) == .results([.done(.added)]))
        #expect(engine.requests("_bulk").last?.hasSuffix("{\"index\":{\"_id\":\"7\"}}\n{\"n\":1}\n") == true)
    }

    @Test func `The engine's own ID field can't be chosen to hold the ID`() async throws {
        let engine = try await ScriptedEngine(idKey: "_id", keepsIDInSource: true) { _ in nil }
        let error = await #expect(throws: EngineError.self) { _ = try await engine.collection() }
        #expect(error?.message.contains("'_id'") == true && error?.advice?.contains("--id-in-source") == true)
    }

    private func stored(_ json: String, required: Bool = false, refused: Bool = false) throws -> String {
        let key = IDMember(name: "id", isRequired: required, isRefused: refused)
        return String(decoding: try key.stored(Document(id: "7", json: Array(json.utf8))), as: UTF8.self)
    }

    @Test func `The ID's key stays in the document unless the index refuses it`() throws {
        #expect(try stored(#"{ "id": "7", "n":1}"#) == #"{ "id": "7", "n":1}"#)
        #expect(try stored(#"{"id":"7","n":1}"#, refused: true) == #"{"n":1}"#)
        #expect(try stored(#"{"n":1,"id":7}"#, refused: true) == #"{"n":1}"#)
        // A value that is not the ID is part of the document, so it is left to the engine.
        #expect(try stored(#"{"id":"8","n":1}"#, refused: true) == #"{"id":"8","n":1}"#)
        #expect(try stored(#"{"n":1}"#, refused: true) == #"{"n":1}"#)
        #expect(try stored(#"{"n":1}"#, required: true) == #"{"n":1,"id":"7"}"#)
        #expect(try stored(#"{"id":"7"}"#, required: true, refused: true) == #"{"id":"7"}"#)
    }

    private func changes(_ patch: String, to base: String, required: Bool = false) throws -> String {
        let key = IDMember(name: "id", isRequired: required, isRefused: false)
        let document = Document(id: "7", json: Array(patch.utf8))
        return String(decoding: try key.changes(document, to: Array(base.utf8)), as: UTF8.self)
    }

    @Test func `An update does not add an ID to a document without an ID`() throws {
        #expect(try changes(#"{"id":"7","n":1}"#, to: #"{"m":2}"#) == #"{"n":1}"#)
        #expect(try changes(#"{"id":"7","n":1}"#, to: #"{"id":"7"}"#) == #"{"id":"7","n":1}"#)
        #expect(try changes(#"{"id":"7","n":1}"#, to: #"{"m":2}"#, required: true) == #"{"id":"7","n":1}"#)
        // Null values keep their meaning.
        #expect(try changes(#"{"id":"7","m":null}"#, to: #"{"m":2}"#) == #"{"m":null}"#)
    }

    private func engine(mapping: String, source: String) async throws -> ScriptedEngine {
        try await ScriptedEngine { line in
            if line.contains("_mapping") { return (#"{"web":{"mappings":\#(mapping)}}"#, 200) }
            if line.contains("_mget") { return (#"{"docs":[\#(source)]}"#, 200) }
            let item = #"{"index":{"_id":"a","result":"updated","status":200}}"#
            return line.contains("_bulk") ? (#"{"items":[\#(item)]}"#, 200) : nil
        }
    }

    @Test func `An update that would erase a field is refused before anything is read`() async throws {
        let engine = try await engine(mapping: #"{"_source":{"excludes":["secret"]}}"#, source: "{}")
        let failure = try #require(try await engine.update(["a"]).failure)
        #expect(failure.kind == .stop(.rejected) && failure.failure.message.contains("'secret'"))
        #expect(engine.requests("_mget").isEmpty && engine.requests("_bulk").isEmpty)
        #expect(try await engine.collection().capabilities.readingLoss?.contains("'secret'") == true)
    }

    @Test func `A document without a revision is not overwritten`() async throws {
        let engine = try await engine(mapping: "{}", source: #"{"_id":"a","found":true,"_version":1,"_source":{}}"#)
        guard case .results(let results) = try await engine.update(["a"]), case .failed(let failure)? = results.first
        else {
            Issue.record("not a failure")
            return
        }
        #expect(failure.message.contains("revision") && engine.requests("_bulk").isEmpty)
    }
}
