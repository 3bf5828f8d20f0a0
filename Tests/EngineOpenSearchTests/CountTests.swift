import ContentFeeding
import Synchronization
import TestSupport
import Testing

@testable import EngineOpenSearch

struct CountTests {
    private static let refusals = [
        (#"{"error":{"type":"security_exception","reason":"no"},"status":403}"#, 403),
        (#"{"error":{"type":"cluster_block_exception","reason":"read-only"},"status":403}"#, 403),
    ]

    @Test func whatNoSearchSeesYetCounts() async throws {
        let isRefreshed = Mutex(false)
        let engine = try await ScriptedEngine { line in
            if line.contains("_refresh") {
                isRefreshed.withLock { $0 = true }
                return ("{}", 200)
            }
            return line.contains("_count") ? (#"{"count":\#(isRefreshed.withLock { $0 } ? 7 : 0)}"#, 200) : nil
        }
        #expect(try await engine.collection().count() == 7)
    }

    @Test(arguments: refusals)
    func whoMayNotRefreshMayCount(refusal: String, status: Int) async throws {
        let engine = try await ScriptedEngine { line in
            if line.contains("_refresh") { return (refusal, status) }
            return line.contains("_count") ? (#"{"count":7}"#, 200) : nil
        }
        #expect(try await engine.collection().count() == 7)
    }

    @Test(arguments: [
        (Int.min, Int.max), (Int.max, Int.min), (-1, -1), (0, Int.max),
    ])
    func strangeCountsDoNotEndAnOptimization(before: Int, after: Int) async throws {
        let isMerged = Mutex(false)
        let engine = try await ScriptedEngine { line in
            if line.contains("_forcemerge") { isMerged.withLock { $0 = true } }
            guard line.contains("_stats") else { return ("{}", 200) }
            let deleted = isMerged.withLock { $0 } ? after : before
            let total = #"{"store":{"size_in_bytes":\#(deleted)},"merges":{"current":-1}}"#
            return (#"{"_all":{"primaries":{"docs":{"deleted":\#(deleted)}},"total":\#(total)}}"#, 200)
        }
        let report = try await engine.engine.optimize("web") { _, _ in }
        #expect(report.merged == max(0, max(0, before) - max(0, after)))
        #expect(report.bytesBefore == max(0, before) && report.bytesAfter == max(0, after))
    }

    @Test(arguments: [(Int.max, Int.max), (-5, 0)])
    func strangeCountsDoNotEndAClearing(deleted: Int, sum: Int) async throws {
        let passes = Mutex(0)
        let engine = try await ScriptedEngine { line in
            if line.contains("_delete_by_query") {
                passes.withLock { $0 += 1 }
                return (#"{"task":"n:1"}"#, 200)
            }
            guard line.contains("_tasks") else { return ("{}", 200) }
            let conflicts = passes.withLock { $0 } < 2 ? Int.max : Int.min
            let response = #"{"deleted":\#(deleted),"version_conflicts":\#(conflicts),"failures":[]}"#
            return (#"{"completed":true,"response":\#(response)}"#, 200)
        }
        #expect(try await engine.engine.clear("web") == sum)
    }

    @Test func strangeCountsDoNotEndAList() async throws {
        let engine = try await ScriptedEngine { line in
            if line.contains("_cat/aliases") {
                return (#"[{"alias":"all","index":"a"},{"alias":"all","index":"b"},{"alias":"all","index":"c"}]"#, 200)
            }
            let huge = #""docs.count":"\#(Int.max)","docs.deleted":"\#(Int.max)","store.size":"\#(Int.max)""#
            let negative = #""docs.count":"-1","docs.deleted":"-1","store.size":"-1""#
            return (#"[{"index":"a",\#(huge)},{"index":"b",\#(huge)},{"index":"c",\#(negative)}]"#, 200)
        }
        let list = try await engine.engine.list()
        #expect(list.map(\.documents) == [.max, .max, .max, 0])
        #expect(list.map(\.waiting) == [.max, .max, .max, 0])
        #expect(list.map(\.bytes) == [.max, .max, .max, 0])
    }
}
