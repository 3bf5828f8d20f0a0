import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization
import TestSupport
import Testing

@testable import EngineOpenSearch

struct PageTests {
    /// Returns a full first page whose hits have the sort values given by `sort`, and an empty second page.
    private func engine(
        _ product: OpenSearchEngine.Product,
        sort: @escaping @Sendable (_ number: Int) -> String
    ) async throws -> ScriptedEngine {
        let pages = Mutex(0)
        return try await ScriptedEngine(product) { line in
            if line.contains("_pit") || line.contains("point_in_time") { return (#"{"id":"p:1"}"#, 200) }
            guard line.hasPrefix("POST /_search?") else { return nil }
            let page = pages.withLock { pages in
                pages += 1
                return pages
            }
            let hits = (0..<(page == 1 ? PageSize.first : 0)).map {
                #"{"_id":"\#($0)","_source":{},"sort":\#(sort($0))}"#
            }
            return (#"{"pit_id":"p:1","hits":{"hits":[\#(hits.joined(separator: ","))]}}"#, 200)
        }
    }

    private func pages(of engine: ScriptedEngine) async throws -> (documents: Int, second: String) {
        let collection = try await engine.collection()
        let first = try await collection.find(SearchQuery(), after: nil)
        try #require(first.next != nil)
        let second = try await collection.find(SearchQuery(), after: first.next)
        #expect(second.documents.isEmpty && second.next == nil)
        return (first.documents.count, try #require(engine.requests("POST /_search?").last))
    }

    @Test func `The next page is determined by all sort values`() async throws {
        // A number too large for a floating-point value, and text with the delimiters of a cursor.
        let engine = try await engine(.elasticsearch) { #"[\#($0 / 2), 92233720368547758\#($0),"a:]b"]"# }
        let (documents, second) = try await pages(of: engine)
        #expect(documents == PageSize.first)
        #expect(second.contains(#""search_after":[49, 9223372036854775899,"a:]b"]"#))
    }

    @Test(arguments: [OpenSearchEngine.Product.openSearch, .elasticsearch])
    func `Documents that share a sort position are returned on the next page`(
        product: OpenSearchEngine.Product
    ) async throws {
        let (documents, second) = try await pages(of: try await engine(product) { "[\($0 / 2)]" })
        #expect(documents == PageSize.first - 2)
        #expect(second.contains(#""search_after":[48]"#))
    }

    @Test(arguments: [OpenSearchEngine.Product.openSearch, .elasticsearch])
    func `An unfinished search can be closed`(product: OpenSearchEngine.Product) async throws {
        let engine = try await engine(product) { "[\($0 / 2)]" }
        let collection = try await engine.collection()
        let next = try #require(try await collection.find(SearchQuery(), after: nil).next)
        #expect(engine.requests("DELETE ").isEmpty)
        // A canceled task can't send anything itself.
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await collection.close(next)
        }.value
        let request = try #require(engine.requests("DELETE ").first)
        #expect(request.hasPrefix(product == .openSearch ? "DELETE /_search/point_in_time " : "DELETE /_pit "))
        #expect(request.contains("p:1"))
    }

    @Test func `A search that fails immediately is closed`() async throws {
        let engine = try await engine(.openSearch) { _ in "[]" }
        let collection = try await engine.collection()
        await #expect(throws: EngineError.self) { _ = try await collection.find(SearchQuery(), after: nil) }
        #expect(engine.requests("DELETE /_search/point_in_time").count == 1)
    }

    @Test func `A scroll is closed as well`() async throws {
        let engine = try await ScriptedEngine { line in
            line.contains("scroll=") ? (#"{"_scroll_id":"s:1","hits":{"hits":[{"_id":"a","_source":{}}]}}"#, 200) : nil
        }
        let collection = try await engine.collection()
        let next = try #require(try await collection.find(SearchQuery(), after: nil).next)
        await collection.close(next)
        #expect(engine.requests("DELETE /_search/scroll").first?.contains("s:1") == true)
    }

    /// The first position is shared by 16 documents, and a larger page never arrives.
    @Test func `A position with too many documents for any page is an error`() async throws {
        let pages = Mutex(0)
        let engine = try await ScriptedEngine { line in
            if line.contains("point_in_time") { return (#"{"pit_id":"p:1"}"#, 200) }
            guard line.hasPrefix("POST /_search?") else { return nil }
            let page = pages.withLock { pages in
                pages += 1
                return pages
            }
            if page % 2 == 1 { return ("", ScriptedEngine.hangsUp) }
            let hits = (0..<PageSize.smallest).map { #"{"_id":"\#($0)","_source":{},"sort":[0]}"# }
            return (#"{"pit_id":"p:1","hits":{"hits":[\#(hits.joined(separator: ","))]}}"#, 200)
        }
        let collection = try await engine.collection()
        let error = await #expect(throws: EngineError.self) { _ = try await collection.find(SearchQuery(), after: nil) }
        #expect(error?.code == .unusable && error?.advice != nil)
        #expect(engine.requests("POST /_search?").count == 2)
    }

    @Test(arguments: ["[]", "7", "{}", "null", "[-1]", #"["x"]"#, "[{}]"])
    func `An engine that does not report positions can't be read page by page`(sort: String) async throws {
        let collection = try await engine(.openSearch) { _ in sort }.collection()
        let error = await #expect(throws: EngineError.self) {
            _ = try await collection.find(SearchQuery(), after: nil)
        }
        #expect(error?.code == .unsupported)
    }
}

struct CountTests {
    private static let refusals = [
        (#"{"error":{"type":"security_exception","reason":"no"},"status":403}"#, 403),
        (#"{"error":{"type":"cluster_block_exception","reason":"read-only"},"status":403}"#, 403),
    ]

    @Test func `Documents that are not yet visible to searches are counted`() async throws {
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
    func `A user without the right to refresh can count documents`(refusal: String, status: Int) async throws {
        let engine = try await ScriptedEngine { line in
            if line.contains("_refresh") { return (refusal, status) }
            return line.contains("_count") ? (#"{"count":7}"#, 200) : nil
        }
        #expect(try await engine.collection().count() == 7)
    }

    @Test(arguments: [
        (Int.min, Int.max), (Int.max, Int.min), (-1, -1), (0, Int.max),
    ])
    func `Implausible counts do not end an optimization`(before: Int, after: Int) async throws {
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
    func `Implausible counts do not end a clearing`(deleted: Int, sum: Int) async throws {
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

    @Test func `Implausible counts do not end a listing`() async throws {
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

struct ReadingTests {
    @Test func `A document's bytes are preserved`() throws {
        let json = #"{ "n" : 1.0,"s":"\u00e9é" }"#
        let body = #"{"docs":[{"_id":"a","_version":3,"_seq_no":5,"_primary_term":1,"found":true,"_source":\#(json)}]}"#
        let entries = try MultiGetReply.entries(in: Array(body.utf8), to: ["a"])
        let revision = Revision(sequenceNumber: 5, primaryTerm: 1)
        #expect(entries == [.found(RevisedDocument(json: Array(json.utf8), version: 3, revision: revision))])
    }

    @Test func `An entry with an error does not make the document absent`() throws {
        let body = #"{"docs":[{"_id":"a","error":{"type":"t","reason":"r"}},{"_id":"b","found":false}]}"#
        let entries = try MultiGetReply.entries(in: Array(body.utf8), to: ["a", "b"])
        #expect(entries == [.failed(type: "t", reason: "r"), .absent])
    }

    private static let foreign = [
        #"{"a": /* }{" */ 1}"#, "{\"a\":1 // \"}\n}", #"{"a":"\ud800"}"#, #"/* first */ {"a":["\"}"]}"#,
        "{\"a\":1} // last\n", #"{"a":\#(String(repeating: "[", count: 64))\#(String(repeating: "]", count: 64))}"#,
    ]

    @Test(arguments: foreign)
    func `A document that is not JSON is reported by ID, and all others are read`(json: String) throws {
        let documents = [("a", #"{"n":1}"#), ("b", json), ("c", #"{"n":3}"#)]
        let numbers = #""_version":3,"_seq_no":5,"_primary_term":1"#
        let found = documents.map { #"{"_id":"\#($0)",\#(numbers),"found":true,"_source":\#($1),"_routing":"r"}"# }
        let entries = try MultiGetReply.entries(
            in: Array(#"{"docs":[\#(found.joined(separator: ","))]}"#.utf8),
            to: ["a", "b", "c"]
        )
        guard entries.count == 3, case .found = entries[0], case .unreadable(let document) = entries[1],
            case .found(let last) = entries[2]
        else {
            Issue.record("\(entries)")
            return
        }
        #expect(document.key == DocumentKey("b", routing: Routing("r")))
        #expect(last.json == Array(#"{"n":3}"#.utf8))

        let hits = documents.map { #"{"_id":"\#($0)",\#(numbers),"_source":\#($1),"sort":[7]}"# }
        let page = try SearchReply(Array(#"{"hits":{"hits":[\#(hits.joined(separator: ","))]}}"#.utf8))
        #expect(page.hits.map(\.unreadable?.key.id) == [nil, "b", nil])
        #expect(page.hits.map(\.revision?.sequenceNumber) == [5, 5, 5])
    }

    @Test func `A document in a reply may be nested as deeply as one in the input`() throws {
        let json = #"{"a":\#(String(repeating: "[", count: 63))\#(String(repeating: "]", count: 63))}"#
        let reply = #"{"docs":[{"_id":"a","found":true,"_source":\#(json)}]}"#
        guard case .found? = try MultiGetReply.entries(in: Array(reply.utf8), to: ["a"]).first else {
            Issue.record("it is not read")
            return
        }
    }

    @Test(arguments: [#"{"a":{}"#, #"{"a":"x}"#, #"[1,]"#, "/* {}", ""])
    func `Nothing is read after an unterminated document`(json: String) {
        let reply = #"{"docs":[{"_id":"a","found":true,"_source":\#(json)}]}"#
        #expect(throws: JSONError.self) { try MultiGetReply.entries(in: Array(reply.utf8), to: ["a"]) }
    }

    @Test func `A document without a source is not mistaken for an empty document`() throws {
        let body = #"{"docs":[{"_id":"a","_version":3,"_seq_no":5,"_primary_term":1,"found":true}]}"#
        #expect(try MultiGetReply.entries(in: Array(body.utf8), to: ["a"]) == [.foundWithoutSource])
    }

    @Test(arguments: [
        "", "{}", "<html>", #"{"docs":[]}"#, #"{"docs":[{"_id":"b","found":false}]}"#, #"{"docs":[{"found":true}]}"#,
        #"{"docs":[{"_id":"a","found":false},{"_id":"a","found":false}]}"#,
        #"{"docs":[{"_id":"a","found":true,"_version":9999999999999999999999}]}"#,
    ])
    func `A response that does not match the request is an error`(body: String) {
        #expect(throws: (any Error).self) { try MultiGetReply.entries(in: Array(body.utf8), to: ["a"]) }
    }

    @Test func `A page of a search is parsed`() throws {
        let body = #"""
            {"pit_id":"p","timed_out":false,"_shards":{"total":2,"successful":1,"failed":1},"hits":{"max_score":null,"hits":[
            {"_index":"w","_id":"a","_version":2,"_score":null,"_source":{"n": 1},"sort":[7]},
            {"_index":"w","_id":"b","_score":null,"sort":[9]}]}}
            """#
        let reply = try SearchReply(Array(body.utf8))
        #expect(reply.pointInTime == "p" && reply.shards?.isWhole == false && reply.hasHitWithoutSource)
        #expect(reply.hits.map(\.place?.shared) == [7, 9])
        #expect(reply.hits.map(\.document.version) == [2, nil])
        #expect(reply.hits.map { String(decoding: $0.document.json, as: UTF8.self) } == [#"{"n": 1}"#, "{}"])
    }

    @Test(arguments: [
        "", "[]", "<html>", #"{"hits":[]}"#, #"{"hits":{"hits":[{}]}}"#, #"{"hits":{"hits":[{"_id":""}]}}"#,
        #"{"hits":{"hits":[1]}}"#,
    ])
    func `Anything but a page is an error`(body: String) {
        #expect(throws: (any Error).self) { try SearchReply(Array(body.utf8)) }
    }

    @Test(arguments: [
        SearchPlace.pointInTime(id: "abc==", after: nil, size: 100),
        .pointInTime(id: "a:b", after: Array("[0]".utf8), size: 1),
        .pointInTime(id: "x:", after: Array(#"[9223372036854775807, 1.5e3,"a:]b",null]"#.utf8), size: 1_000),
        .scroll(id: "s:1"),
    ])
    func `A cursor is read back as the position that it encodes`(place: SearchPlace) throws {
        #expect(try SearchPlace(place.cursor) == place)
    }

    @Test(arguments: [
        "", "7", "pit", "pit:::", "pit:100:-1:x", "pit:0::x", "pit:1001::x", "pit:100:1e3:x", "scroll:", "pit:100::",
        "pit:100:[]:x",
        "pit:100:[7:x", "pit:100:[7]", "pit:100:[7]:", "pit:100:[7]x", "pit:100:{}:x", "pit:100:[7]8:x",
        "pit:99999999999999999999::x",
    ])
    func `An invalid cursor is refused`(text: String) {
        #expect(throws: EngineError.self) { try SearchPlace(SearchCursor(rawValue: text)) }
    }

    @Test func `Page sizes depend on the size of documents`() {
        #expect(PageSize.next(after: 100, bytes: 100 * 100, size: 100) == 400)
        #expect(PageSize.next(after: 400, bytes: 40_000, size: 400) == 1_000)
        #expect(PageSize.next(after: 100, bytes: 100 << 20, size: 100) == PageSize.smallest)
        #expect(PageSize.next(after: 0, bytes: 0, size: 100) == 100)
        #expect(PageSize.next(after: 1, bytes: .max, size: 1) == PageSize.smallest)
    }
}
