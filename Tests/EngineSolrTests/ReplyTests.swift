import ContentFeeding
import EngineHTTP
import JSONText
import TestSupport
import Testing

@testable import EngineSolr

struct ReplyTests {
    private func documents(_ body: String, wantsJSON: Bool = true) throws -> ReplyDocuments {
        try ReplyDocuments(Array(body.utf8), uniqueKey: "id", wantsJSON: wantsJSON)
    }

    @Test func documentsComeWithoutWhatSolrKeepsForItself() throws {
        let found = try documents(
            #"{"response":{"numFound":9,"docs":[{"id" : "a\u0001","_version_":7,"_root_":"a","t" : [1, "é"]}]}}"#
        )
        let json = Array(#"{"id":"a\u0001","t":[1, "é"]}"#.utf8)
        #expect(found.documents == [StoredDocument(id: "a\u{1}", version: 7, json: json)])
        #expect(found.found == 9)
    }

    @Test func theAnswerAboutOneDocumentIsRead() throws {
        #expect(try documents(#"{"doc":{"id":5}}"#).documents.map(\.id) == ["5"])
        #expect(try documents(#"{"doc":null}"#).documents.isEmpty)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"doc":5}"#, #"{"doc":{"t":1}}"#, #"{"doc":{"id":""}}"#, #"{"response":{"docs":[{}]}}"#,
        #"{"response":{"docs":{}}}"#, #"{"response":{"numFound":1e99,"docs":[]}}"#, #"{"doc":{"id":"a"}"#,
        #"{"doc":{"id":"a\u0000"}}"#, "<html>",
    ])
    func whatIsNoListOfDocumentsIsRefused(body: String) {
        #expect(throws: (any Error).self) { try documents(body) }
    }

    @Test func aVersionThatIsTooLargeIsNone() throws {
        let body = #"{"doc":{"id":"a","_version_":99999999999999999999}}"#
        #expect(try documents(body).documents.map(\.version) == [nil])
    }

    @Test func theHeaderTellsOfErrorsAndOfWhatIsMissing() throws {
        let body = """
            {"responseHeader":{"errors":[{"type":"ADD","id":"a","message":"m"}],"maxErrors":-1,"status":0,
            "partialResults":"omitted"}}
            """
        let header = try ReplyHeader.read(Array(body.utf8))
        #expect(header?.errors == [ReplyHeader.ItemError(type: "ADD", id: "a", message: "m")])
        #expect(header?.isPartial == true)
        #expect(try ReplyHeader.read(Array("{}".utf8)) == nil)
        #expect(try ReplyHeader.read(Array(#"{"responseHeader":{}}"#.utf8))?.status == -1)
    }

    @Test func damagedRepliesAreRefusedOrReadAndNeverMore() {
        let replies = [
            #"{"responseHeader":{"status":0,"QTime":5,"errors":[{"type":"ADD","id":"a","message":"m"}]}}"#,
            #"{"response":{"numFound":2,"docs":[{"id":"a","_version_":7,"t":["x",1]},{"id":"b"}]},"nextCursorMark":"*"}"#,
            #"{"responseHeader":{"status":400},"error":{"metadata":["root-error-class","a.B"],"msg":"m","code":400}}"#,
        ].map { Array($0.utf8) }
        var mutation = ByteMutation(seed: 8)
        for _ in 0..<3_000 {
            let body = mutation.mutated(replies)
            _ = try? ReplyHeader.read(body)
            _ = try? ReplyDocuments(body, uniqueKey: "id", wantsJSON: true)
            _ = EngineComplaint(status: 400, body: body)
            _ = try? JSONValue(body)
        }
    }
}

struct ComplaintTests {
    private func complaint(_ status: Int, _ body: String) -> EngineComplaint? {
        EngineComplaint(status: status, body: Array(body.utf8))
    }

    @Test func theRootOfAnErrorIsNamed() {
        let body = """
            {"responseHeader":{"status":400},"error":{"metadata":["error-class","org.apache.solr.common.SolrException",
            "root-error-class","java.lang.NumberFormatException"],"msg":"bad number","code":400}}
            """
        #expect(
            complaint(400, body) == EngineComplaint(.malformed, type: "NumberFormatException", reason: "bad number")
        )
    }

    @Test func whatAnotherNodeSaidIsUnwrapped() {
        let body = #"""
            {"responseHeader":{},"error":{"msg":"Async exception during distributed update: Error from server at \#
            http://a/solr: Conflict\n\n\n\nrequest: http://a/solr\nRemote error message: version conflict for q"}}
            """#
        #expect(complaint(409, body) == EngineComplaint(.conflict, type: "error", reason: "version conflict for q"))
    }

    @Test(arguments: [
        "", "<html>Searching for Solr?</html>", "{}", #"{"error":{"msg":"m"}}"#, #"{"responseHeader":{}}"#,
    ])
    func whatIsNotSolrsIsNoComplaint(body: String) {
        #expect(complaint(404, body) == nil)
    }

    @Test func longWordsAreCut() {
        let words = String(repeating: "x", count: 100_000)
        let reason = complaint(400, #"{"responseHeader":{},"error":{"msg":"\#(words)"}}"#)?.reason
        #expect(reason?.count == EngineComplaint.maximumReasonLength + 1)
    }
}
