import ContentFeeding
import EngineHTTP
import TestSupport
import Testing

@testable import EngineOpenSearch

/// An index as the origin of copies: its reports about its shards, and conditional writes.
struct VersionsTests {
    private static func shard(_ number: Int, last: Int) -> String {
        #""\#(number)":[{"routing":{"primary":false},"seq_no":{"max_seq_no":1,"global_checkpoint":1}},"#
            + #"{"routing":{"primary":true},"commit":{"user_data":{"history_uuid":"h\#(number)"}},"#
            + #""seq_no":{"max_seq_no":\#(last),"local_checkpoint":\#(last),"global_checkpoint":\#(last - 1)}}]"#
    }

    private static func statistics(_ shards: [String], successful: Int) -> String {
        #"{"_shards":{"total":2,"successful":\#(successful),"failed":0},"#
            + #""indices":{"web":{"uuid":"u1","shards":{\#(shards.joined(separator: ","))}}}}"#
    }

    private func origin(
        statistics: String = statistics([shard(0, last: 7), shard(1, last: 3)], successful: 2),
        page: String = "{}"
    ) async throws -> (ScriptedEngine, any VersionedEngine) {
        let engine = try await ScriptedEngine { line in
            if line.contains("_cluster/health") {
                return (
                    #"{"status":"red","indices":{"web":{"shards":{"0":{"primary_active":true},"1":{"primary_active":false}}}}}"#,
                    200
                )
            }
            if line.contains("_stats") { return (statistics, 200) }
            if line.contains("_search?") { return (page, 200) }
            return nil
        }
        return (engine, try #require(try await engine.collection() as? any VersionedEngine))
    }

    @Test func `The statistics list each shard's primary`() async throws {
        let state = try await origin().1.state()
        #expect(state.identity == "u1" && state.contents == nil)
        #expect(
            state.parts == [
                CollectionPart(name: "0", history: "h0", last: 7, readable: 6),
                CollectionPart(name: "1", history: "h1", last: 3, readable: 2),
            ]
        )
    }

    @Test func `Statistics that lack a shard are refused`() async throws {
        let part = Self.statistics([Self.shard(0, last: 7)], successful: 1)
        let collection = try await origin(statistics: part).1
        let error = await #expect(throws: EngineError.self) { _ = try await collection.state() }
        #expect(error?.code == .unreachable && error?.message.contains("web[1]") == true)
    }

    /// Without any shard, the index itself is missing from the statistics.
    @Test(arguments: [(true, "web[0]"), (false, "they have only just started")])
    func `Shards that are starting are named as the reason for statistics without an index`(
        isStarting: Bool,
        reason: String
    ) async throws {
        let engine = try await ScriptedEngine { line in
            if line.contains("_cluster/health") {
                return (
                    #"{"status":"red","indices":{"web":{"shards":{"0":{"primary_active":\#(!isStarting)}}}}}"#, 200
                )
            }
            guard line.contains("_stats") else { return nil }
            return (#"{"_shards":{"total":1,"successful":0,"failed":0},"indices":{}}"#, 200)
        }
        let collection = try #require(try await engine.collection() as? any VersionedEngine)
        let error = await #expect(throws: EngineError.self) { _ = try await collection.state() }
        #expect(error?.code == .unreachable && error?.message.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func `Changes are read in the order of their sequence numbers, with their versions`() async throws {
        let page = #"""
            {"timed_out":false,"_shards":{"total":1,"successful":1,"failed":0},"hits":{"hits":[
            {"_id":"a","_seq_no":4,"_primary_term":2,"_source":{"n":1},"sort":[4]}]}}
            """#
        let (engine, collection) = try await origin(page: page)
        let part = CollectionPart(name: "1", history: "h1", last: 9, readable: 8)
        let changes = try await collection.changes(of: SearchQuery(), in: part, after: 3)
        #expect(changes.isLast && changes.place == 8)
        let version = DocumentVersion(rawValue: "4:2")
        #expect(changes.documents == [VersionedDocument(id: "a", version: version, json: Array(#"{"n":1}"#.utf8))])
        let request = try #require(engine.requests("_search?").first)
        #expect(request.contains("preference=_shards:1") || request.contains("preference=_shards%3A1"))
        #expect(request.contains(#""range":{"_seq_no":{"gte":4,"lte":8}}"#))
        #expect(request.contains("allow_partial_search_results=false"))
    }

    @Test(arguments: [#"{"total":0,"successful":0,"failed":0}"#, #"{"total":1,"successful":0,"failed":1}"#, "null"])
    func `A page without the requested shard is refused`(shards: String) async throws {
        let page = #"{"timed_out":false,"_shards":\#(shards),"hits":{"hits":[]}}"#
        let collection = try await origin(page: page).1
        let part = CollectionPart(name: "1", history: "h1", last: 9, readable: 8)
        let error = await #expect(throws: EngineError.self) {
            _ = try await collection.changes(of: SearchQuery(), in: part, after: 3)
        }
        #expect([.unreachable, .unusable].contains(error?.code))
    }

    private static func document(_ id: String, _ json: String) -> String {
        #"{"_id":"\#(id)","_seq_no":4,"_primary_term":1,"found":true,"_source":\#(json)}"#
    }

    /// Documents that the engine stores, but that this program would not have sent.
    private static let flawed = [
        #"{"n": /* } */ 1}"#, #"{"n":"\ud800"}"#,
        #"{"n":"# + String(repeating: "[", count: 100) + String(repeating: "]", count: 100) + "}",
    ]

    @Test(arguments: flawed)
    func `A document that can't be read does not affect the results for the others`(json: String) async throws {
        let docs = [Self.document("a", #"{"n":1}"#), Self.document("b", json), #"{"_id":"c","found":false}"#]
        let engine = try await ScriptedEngine { line in
            if line.contains("_refresh") { return (#"{"_shards":{"total":2,"successful":2,"failed":0}}"#, 200) }
            return line.contains("_mget") ? (#"{"docs":[\#(docs.joined(separator: ","))]}"#, 200) : nil
        }
        let collection = try #require(try await engine.collection() as? any VersionedEngine)
        let answers = try await collection.versions(at: ["a", "b", "c"].map { DocumentKey($0) })
        #expect(answers.count == 3 && answers[0].document?.json == Array(#"{"n":1}"#.utf8) && answers[2] == .absent)
        guard case .unreadable(let flawed) = answers[1] else {
            Issue.record("answered with \(answers[1])")
            return
        }
        #expect(flawed.key.id == "b" && flawed.bytes == Array(json.utf8) && !flawed.reason.isEmpty)
        #expect(answers[1].document == nil)
    }

    @Test func `When a batch is undone, only the document that can't be read is left unchanged`() async throws {
        let docs = ["a", "b", "c"].map { Self.document($0, $0 == "b" ? Self.flawed[0] : #"{"n":1}"#) }
        let done = ["a", "c"].map { #"{"delete":{"_id":"\#($0)","status":200,"result":"deleted"}}"# }
        let engine = try await ScriptedEngine { line in
            if line.contains("_bulk") {
                return (#"{"errors":false,"items":[\#(done.joined(separator: ","))]}"#, 200)
            }
            return line.contains("_mget") ? (#"{"docs":[\#(docs.joined(separator: ","))]}"#, 200) : nil
        }
        let collection = try #require(try await engine.collection() as? any VersionedEngine)
        let left = try #require(ContentDigest(of: Array(#"{"n":1}"#.utf8), "a", in: collection.capabilities))
        let items = ["a", "b", "c"].enumerated().map { place, id in
            ContentBatch.Item(
                id: OperationID(rawValue: UInt64(place + 1)),
                operation: ContentOperation.remove(DocumentID(stringLiteral: id)).only(.contents([left]))
            )
        }
        let batch = ContentBatch(id: BatchID(rawValue: 1), items: items)
        let reply = await ComparingEngine(collection, reading: collection).apply(batch)
        guard case .results(let results) = reply, results.count == 3, case .failed(let failure) = results[1] else {
            Issue.record("answered with \(reply)")
            return
        }
        #expect(results[0] == .done(.removed) && results[2] == .done(.removed))
        #expect(failure.message.hasPrefix("it could not be compared, so it was not changed: "))
        #expect(engine.requests("_bulk").allSatisfy { !$0.contains(#""_id":"b""#) })
    }

    /// The response to an operation was lost, and the operation causes a conflict when it is sent again.
    @Test func `A document that can't be read is not the result of an operation`() async throws {
        let conflict =
            #"{"delete":{"_id":"b","status":409,"error":{"type":"version_conflict_engine_exception","reason":"r"}}}"#
        let engine = try await ScriptedEngine { line in
            if line.contains("_bulk") { return (#"{"errors":true,"items":[\#(conflict)]}"#, 200) }
            let docs = Self.document("b", Self.flawed[0])
            return line.contains("_mget") ? (#"{"docs":[\#(docs)]}"#, 200) : nil
        }
        let collection = try #require(try await engine.collection() as? any VersionedEngine)
        let operation = ContentOperation.remove("b").only(.unchanged(DocumentVersion(rawValue: "3:1")))
        let item = ContentBatch.Item(id: .first, operation: operation, mayHaveApplied: true)
        let batch = ContentBatch(id: BatchID(rawValue: 1), items: [item])
        let reply = await ComparingEngine(collection, reading: collection).apply(batch)
        guard case .results(let results) = reply, case .failed(let failure)? = results.first else {
            Issue.record("answered with \(reply)")
            return
        }
        #expect(failure.isConflict)
    }

    @Test func `A condition is part of its action's line`() {
        let body = BulkBody([
            .delete("a", since: Revision(sequenceNumber: 3, primaryTerm: 1)),
            .create("b", json: Array("{}".utf8)),
            .index("c", json: Array("{}".utf8), since: Revision(sequenceNumber: 5, primaryTerm: 2)),
        ])
        #expect(
            String(decoding: body.bytes, as: UTF8.self) == """
                {"delete":{"_id":"a","if_seq_no":3,"if_primary_term":1}}
                {"create":{"_id":"b"}}
                {}
                {"index":{"_id":"c","if_seq_no":5,"if_primary_term":2}}
                {}

                """
        )
    }

    @Test func `A version in another format is not a revision`() {
        #expect(Revision(.unknown) == nil)
        #expect(Revision(DocumentVersion(rawValue: "12")) == nil)
        #expect(Revision(DocumentVersion(rawValue: "12:1"))?.version == DocumentVersion(rawValue: "12:1"))
    }
}
