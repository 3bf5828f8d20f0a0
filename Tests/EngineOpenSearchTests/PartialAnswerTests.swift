import ContentFeeding
import EngineHTTP
import Synchronization
import TestSupport
import Testing

@testable import EngineOpenSearch

/// Engines with a missing shard, which is reported only in their counts.
struct PartialAnswerTests {
    private static let part = #""_shards":{"total":3,"successful":2,"skipped":0,"failed":0}"#
    private static let failed =
        #""_shards":{"total":3,"successful":2,"failed":1,"failures":[{"shard":1,"reason":{"type":"t","reason":"why"}}]}"#
    private static let red =
        #"{"status":"red","indices":{"web":{"shards":{"0":{"primary_active":true},"1":{"primary_active":false}}}}}"#
    private static let yellow = #"{"status":"yellow","indices":{"web":{"shards":{"0":{"primary_active":true}}}}}"#

    private func engine(
        shards: String,
        health: String? = red,
        pointInTime: Bool = true
    ) async throws -> ScriptedEngine {
        try await ScriptedEngine { line in
            if line.contains("_cluster/health") {
                return health.map { ($0, 200) } ?? (#"{"error":{"type":"security_exception","reason":"no"}}"#, 403)
            }
            if line.contains("point_in_time") { return pointInTime ? (#"{"pit_id":"p"}"#, 200) : nil }
            if line.contains("_search") { return (#"{"_scroll_id":"s","hits":{"hits":[]},\#(shards)}"#, 200) }
            if line.contains("_count") { return (#"{"count":2,\#(shards)}"#, 200) }
            let isOfCopies = ["_refresh", "_flush", "_stats", "_forcemerge"].contains { line.contains($0) }
            return isOfCopies ? (#"{\#(shards)}"#, 200) : nil
        }
    }

    @Test(arguments: [true, false], [part, failed, #""_shards":null"#])
    func `A page that lacks shards is refused`(pointInTime: Bool, shards: String) async throws {
        let engine = try await engine(shards: shards, pointInTime: pointInTime)
        let collection = try await engine.collection()
        let error = await #expect(throws: EngineError.self) { _ = try await collection.find(SearchQuery(), after: nil) }
        #expect([.unreachable, .unusable].contains(error?.code))
        #expect(error?.code == .unusable || error?.message.contains("1 of 3 shards of 'web'") == true)
        // The engine keeps no state for a search that is not continued.
        #expect(engine.requests("DELETE /_search").count == 1)
        #expect(engine.requests("POST /").allSatisfy { !$0.contains("_search?") || $0.contains("partial") })
    }

    @Test func `The error names the shard that did not respond`() async throws {
        let collection = try await engine(shards: Self.part).collection()
        let error = await #expect(throws: EngineError.self) { _ = try await collection.count() }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("web[1] has no live copy") == true)
    }

    @Test(arguments: [CompletionLevel.live])
    func `A refresh that misses a primary shard counts as failed`(level: CompletionLevel) async throws {
        let collection = try await engine(shards: Self.part).collection()
        let error = await #expect(throws: EngineError.self) { try await collection.raise(to: level) }
        #expect(error?.code == .unreachable && error?.message.contains("web[1]") == true)
    }

    @Test func `A replica that is not assigned to a node does not count as failed`() async throws {
        let collection = try await engine(shards: Self.part, health: Self.yellow).collection()
        try await collection.raise(to: .live)
    }

    @Test func `A merge that failed on a shard counts as failed`() async throws {
        let whole = #""_shards":{"total":3,"successful":3,"failed":0}"#
        for (merge, isMerged) in [(whole, true), (Self.part, true), (Self.failed, false)] {
            let engine = try await ScriptedEngine { line in
                if line.contains("_cluster/health") { return (Self.yellow, 200) }
                if line.contains("_forcemerge") { return (#"{\#(merge)}"#, 200) }
                let isOfCopies = ["_refresh", "_flush", "_stats"].contains { line.contains($0) }
                return isOfCopies ? (#"{\#(whole)}"#, 200) : nil
            }
            do throws(EngineError) {
                _ = try await engine.engine.optimize("web") { _, _ in }
                #expect(isMerged, "\(merge)")
            } catch {
                #expect(!isMerged && error.message.contains("the merge: why"), "\(merge): \(error)")
            }
        }
    }

    @Test func `A refresh that failed on a copy of a shard counts as failed`() async throws {
        let collection = try await engine(shards: Self.failed, health: Self.yellow).collection()
        let error = await #expect(throws: EngineError.self) { try await collection.raise(to: .live) }
        #expect(error?.message.contains("why") == true)
    }

    @Test func `A user without permission to read the cluster health can count documents`() async throws {
        let collection = try await engine(shards: Self.part, health: nil).collection()
        await #expect(throws: EngineError.self) { try await collection.raise(to: .live) }
        let whole = try await ScriptedEngine { line in
            if line.contains("_refresh") { return (#"{\#(Self.part)}"#, 200) }
            return line.contains("_count") ? (#"{"count":1}"#, 200) : nil
        }
        try await whole.collection().raise(to: .live)
    }

    @Test func `An index that lacks a shard is shown without counts and can be deleted`() async throws {
        let engine = try await engine(shards: Self.part).engine
        let shown = try await engine.show("web")
        #expect(shown.documents == nil && shown.flaw?.contains("web[1]") == true)
        let deletable = try await ScriptedEngine { line in
            if line.hasPrefix("DELETE /web ") { return ("{}", 200) }
            return line.contains("_count") || line.contains("_refresh") ? (#"{"count":2,\#(Self.part)}"#, 200) : nil
        }
        #expect(try await deletable.engine.delete("web") == nil)
    }

    @Test func `A search that timed out is reported`() async throws {
        let engine = try await ScriptedEngine { line in
            if line.contains("point_in_time") { return (#"{"pit_id":"p"}"#, 200) }
            return line.contains("_search") ? (#"{"timed_out":true,"hits":{"hits":[]}}"#, 200) : nil
        }
        let collection = try await engine.collection()
        let error = await #expect(throws: EngineError.self) { _ = try await collection.find(SearchQuery(), after: nil) }
        #expect(error?.message == "the search of 'web' timed out in the engine, so its page lacks documents")
    }

    @Test func `A red index has no count in a listing`() async throws {
        let engine = try await ScriptedEngine { line in
            line.contains("_cat/indices")
                ? (
                    #"[{"index":"a","health":"red","status":"open","docs.count":"2"},{"index":"b","status":"close"}]"#,
                    200
                )
                : ("[]", 200)
        }
        let list = try await engine.engine.list()
        #expect(list.map(\.documents) == [nil, nil])
        #expect(list.map { $0.settings.first?.value } == ["red", "close"])
    }

    @Test func `A listing counts documents without nested ones, as far as the indices can be searched`() async throws {
        let list = (0..<5).map { #"{"index":"i\#($0)","health":"green","status":"open","docs.count":"9"}"# }
        let answers = [
            #"{"status":200,"_shards":{"total":1,"successful":1},"hits":{"total":{"value":4,"relation":"eq"}}}"#,
            #"{"status":403}"#,
            #"{"status":200,"_shards":{"total":2,"successful":1},"hits":{"total":{"value":1,"relation":"eq"}}}"#,
            #"{"status":200,"_shards":{"total":0,"successful":0},"hits":{"total":{"value":0,"relation":"eq"}}}"#,
            #"{"status":200,"timed_out":true,"_shards":{"total":1,"successful":1},"hits":{"total":{"value":2}}}"#,
        ]
        let engine = try await ScriptedEngine { line in
            if line.contains("_cat/indices") { return ("[\(list.joined(separator: ","))]", 200) }
            if line.contains("_cat/aliases") {
                return (#"[{"alias":"all","index":"i0"},{"alias":"all","index":"i1"}]"#, 200)
            }
            guard line.contains("_msearch") else { return nil }
            return (#"{"responses":[\#(answers.joined(separator: ","))]}"#, 200)
        }
        let found = try await engine.engine.list()
        #expect(found.map(\.name) == ["all", "i0", "i1", "i2", "i3", "i4"])
        #expect(found.map(\.documents) == [13, 4, 9, nil, 9, nil])
        let requests = engine.requests("_msearch")
        #expect(requests.count == 1 && requests[0].contains(#"{"index":"i0"}"# + "\n" + #"{"size":0,"#))
    }
}
