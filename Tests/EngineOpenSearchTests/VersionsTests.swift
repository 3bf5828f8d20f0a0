import ContentFeeding
import EngineHTTP
import TestSupport
import Testing

@testable import EngineOpenSearch

/// An index as the origin of copies: what it says of its shards, and writes on condition.
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

    @Test func `Statistics without a shard are refused`() async throws {
        let part = Self.statistics([Self.shard(0, last: 7)], successful: 1)
        let collection = try await origin(statistics: part).1
        let error = await #expect(throws: EngineError.self) { _ = try await collection.state() }
        #expect(error?.code == .unreachable && error?.message.contains("web[1]") == true)
    }

    @Test func `Changes come in the order of their numbers, with their versions`() async throws {
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
    func `A page without the shard that was asked for is refused`(shards: String) async throws {
        let page = #"{"timed_out":false,"_shards":\#(shards),"hits":{"hits":[]}}"#
        let collection = try await origin(page: page).1
        let part = CollectionPart(name: "1", history: "h1", last: 9, readable: 8)
        let error = await #expect(throws: EngineError.self) {
            _ = try await collection.changes(of: SearchQuery(), in: part, after: 3)
        }
        #expect([.unreachable, .unusable].contains(error?.code))
    }

    @Test func `A condition is in the line of its action`() {
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

    @Test func `A version in another form is not a revision`() {
        #expect(Revision(.unknown) == nil)
        #expect(Revision(DocumentVersion(rawValue: "12")) == nil)
        #expect(Revision(DocumentVersion(rawValue: "12:1"))?.version == DocumentVersion(rawValue: "12:1"))
    }
}
