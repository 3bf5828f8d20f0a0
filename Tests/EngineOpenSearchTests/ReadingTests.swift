import ContentFeeding
import EngineHTTP
import Testing

@testable import EngineOpenSearch

struct ReadingTests {
    @Test func aDocumentsBytesStayAsTheyAre() throws {
        let json = #"{ "n" : 1.0,"s":"\u00e9é" }"#
        let body = #"{"docs":[{"_id":"a","_version":3,"_seq_no":5,"_primary_term":1,"found":true,"_source":\#(json)}]}"#
        let entries = try MultiGetReply.entries(in: Array(body.utf8), to: ["a"])
        let revision = Revision(sequenceNumber: 5, primaryTerm: 1)
        #expect(entries == [.found(RevisedDocument(json: Array(json.utf8), version: 3, revision: revision))])
    }

    @Test func anEntryWithAnErrorIsNoAbsence() throws {
        let body = #"{"docs":[{"_id":"a","error":{"type":"t","reason":"r"}},{"_id":"b","found":false}]}"#
        let entries = try MultiGetReply.entries(in: Array(body.utf8), to: ["a", "b"])
        #expect(entries == [.failed(type: "t", reason: "r"), .absent])
    }

    @Test func aDocumentWithoutSourceIsNoEmptyOne() throws {
        let body = #"{"docs":[{"_id":"a","_version":3,"_seq_no":5,"_primary_term":1,"found":true}]}"#
        #expect(try MultiGetReply.entries(in: Array(body.utf8), to: ["a"]) == [.foundWithoutSource])
    }

    @Test(arguments: [
        "", "{}", "<html>", #"{"docs":[]}"#, #"{"docs":[{"_id":"b","found":false}]}"#, #"{"docs":[{"found":true}]}"#,
        #"{"docs":[{"_id":"a","found":false},{"_id":"a","found":false}]}"#,
        #"{"docs":[{"_id":"a","found":true,"_version":9999999999999999999999}]}"#,
    ])
    func anAnswerAboutSomethingElseIsAnError(body: String) {
        #expect(throws: (any Error).self) { try MultiGetReply.entries(in: Array(body.utf8), to: ["a"]) }
    }

    @Test func aPageOfASearchIsRead() throws {
        let body = #"""
            {"pit_id":"p","timed_out":false,"_shards":{"total":2,"failed":1},"hits":{"max_score":null,"hits":[
            {"_index":"w","_id":"a","_version":2,"_score":null,"_source":{"n": 1},"sort":[7]},
            {"_index":"w","_id":"b","_score":null,"sort":[9]}]}}
            """#
        let reply = try SearchReply(Array(body.utf8))
        #expect(reply.pointInTime == "p" && reply.failedShards == 1)
        #expect(reply.hits.map(\.place?.shared) == [7, 9])
        #expect(reply.hits.map(\.document.version) == [2, nil])
        #expect(reply.hits.map { String(decoding: $0.document.json, as: UTF8.self) } == [#"{"n": 1}"#, "{}"])
    }

    @Test(arguments: [
        "", "[]", "<html>", #"{"hits":[]}"#, #"{"hits":{"hits":[{}]}}"#, #"{"hits":{"hits":[{"_id":""}]}}"#,
        #"{"hits":{"hits":[1]}}"#,
    ])
    func whatIsNoPageIsAnError(body: String) {
        #expect(throws: (any Error).self) { try SearchReply(Array(body.utf8)) }
    }

    @Test(arguments: [
        SearchPlace.pointInTime(id: "abc==", after: nil, size: 100),
        .pointInTime(id: "a:b", after: Array("[0]".utf8), size: 1),
        .pointInTime(id: "x:", after: Array(#"[9223372036854775807, 1.5e3,"a:]b",null]"#.utf8), size: 1_000),
        .scroll(id: "s:1"),
    ])
    func aCursorLeadsBackToItsPlace(place: SearchPlace) throws {
        #expect(try SearchPlace(place.cursor) == place)
    }

    @Test(arguments: [
        "", "7", "pit", "pit:::", "pit:100:-1:x", "pit:0::x", "pit:1001::x", "pit:100:1e3:x", "scroll:", "pit:100::",
        "pit:100:[]:x",
        "pit:100:[7:x", "pit:100:[7]", "pit:100:[7]:", "pit:100:[7]x", "pit:100:{}:x", "pit:100:[7]8:x",
        "pit:99999999999999999999::x",
    ])
    func aStrangeCursorIsRefused(text: String) {
        #expect(throws: EngineError.self) { try SearchPlace(SearchCursor(rawValue: text)) }
    }

    @Test func pagesFollowTheSizeOfDocuments() {
        #expect(PageSize.next(after: 100, bytes: 100 * 100, size: 100) == 400)
        #expect(PageSize.next(after: 400, bytes: 40_000, size: 400) == 1_000)
        #expect(PageSize.next(after: 100, bytes: 100 << 20, size: 100) == PageSize.smallest)
        #expect(PageSize.next(after: 0, bytes: 0, size: 100) == 100)
        #expect(PageSize.next(after: 1, bytes: .max, size: 1) == PageSize.smallest)
    }
}
