import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization
import TestSupport
import Testing

@testable import EngineSolr

struct ReplyTests {
    private func documents(_ body: String, wantsJSON: Bool = true) throws -> ReplyDocuments {
        try ReplyDocuments(Array(body.utf8), uniqueKey: "id", wantsJSON: wantsJSON)
    }

    @Test func `Documents are returned without Solr's internal fields`() throws {
        let found = try documents(
            #"{"response":{"numFound":9,"docs":[{"id" : "a\u0001","_version_":7,"_root_":"a","t" : [1, "é"]}]}}"#
        )
        let json = Array(#"{"id":"a\u0001","t":[1, "é"]}"#.utf8)
        #expect(found.documents == [StoredDocument(id: "a\u{1}", version: 7, json: json)])
        #expect(found.found == 9)
    }

    @Test func `The reply about a single document is read`() throws {
        #expect(try documents(#"{"doc":{"id":5}}"#).documents.map(\.id) == ["5"])
        #expect(try documents(#"{"doc":null}"#).documents.isEmpty)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"doc":5}"#, #"{"doc":{"t":1}}"#, #"{"doc":{"id":""}}"#, #"{"response":{"docs":[{}]}}"#,
        #"{"response":{"docs":{}}}"#, #"{"response":{"numFound":1e99,"docs":[]}}"#, #"{"doc":{"id":"a"}"#,
        #"{"doc":{"id":"a\u0000"}}"#, "<html>",
    ])
    func `Anything but a list of documents is refused`(body: String) {
        #expect(throws: (any Error).self) { try documents(body) }
    }

    @Test func `A version that is too large is ignored`() throws {
        let body = #"{"doc":{"id":"a","_version_":99999999999999999999}}"#
        #expect(try documents(body).documents.map(\.version) == [nil])
    }

    @Test func `The header reports errors and missing parts`() throws {
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

    @Test func `Damaged replies are either refused or read, and never crash`() {
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
            _ = ErrorReply(status: 400, body: body)
            _ = try? JSONValue(body)
        }
    }
}

struct ErrorReplyTests {
    private func errorReply(_ status: Int, _ body: String) -> ErrorReply? {
        ErrorReply(status: status, body: Array(body.utf8))
    }

    @Test func `The root cause of an error is reported`() {
        let body = """
            {"responseHeader":{"status":400},"error":{"metadata":["error-class","org.apache.solr.common.SolrException",
            "root-error-class","java.lang.NumberFormatException"],"msg":"bad number","code":400}}
            """
        #expect(errorReply(400, body) == ErrorReply(.malformed, type: "NumberFormatException", reason: "bad number"))
    }

    @Test func `An error quoted from another node is unwrapped`() {
        let body = #"""
            {"responseHeader":{},"error":{"msg":"Async exception during distributed update: Error from server at \#
            http://a/solr: Conflict\n\n\n\nrequest: http://a/solr\nRemote error message: version conflict for q"}}
            """#
        #expect(errorReply(409, body) == ErrorReply(.conflict, type: "error", reason: "version conflict for q"))
    }

    @Test(arguments: [
        "", "<html>Searching for Solr?</html>", "{}", #"{"error":{"msg":"m"}}"#, #"{"responseHeader":{}}"#,
    ])
    func `A reply that is not Solr's is not an error reply`(body: String) {
        #expect(errorReply(404, body) == nil)
    }

    @Test func `Long messages are truncated`() {
        let words = String(repeating: "x", count: 100_000)
        let reason = errorReply(400, #"{"responseHeader":{},"error":{"msg":"\#(words)"}}"#)?.reason
        #expect(reason?.count == ErrorReply.maximumReasonLength + 1)
    }
}

/// The pages of a search.
@Suite(.timeLimit(.minutes(1)))
struct PageTests {
    /// Returns the IDs found page by page, if Solr returns the given IDs and next cursor for each cursor.
    private func found(_ pages: [String: (ids: [String], next: String?)], count: Int = 2) async throws -> [[String]] {
        let server = try SpeakingServer { target, body in
            guard target.hasPrefix("/c/select") else { return SpeakingServer.known(target, isThere: true) }
            let mark = body.split(separator: "&").first { $0.hasPrefix("cursorMark=") }?.dropFirst(11) ?? ""
            let page = pages[mark == "%2A" ? "*" : String(mark)] ?? (ids: ["wrong cursor"], next: nil)
            let documents = page.ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            let next = page.next.map { #","nextCursorMark":"\#($0)""# } ?? ""
            let list = #"{"numFound":\#(count),"docs":[\#(documents)]}"#
            return SpeakingServer.Answer(body: #"{"responseHeader":{"status":0},"response":\#(list)\#(next)}"#)
        }
        let collection = try await server.open().collection(named: "c")
        var found: [[String]] = []
        var cursor: SearchCursor?
        repeat {
            let page = try await collection.find(SearchQuery(), after: cursor)
            found.append(page.documents.map(\.id.text))
            cursor = page.next
        } while cursor != nil && found.count < 9
        return found
    }

    @Test func `A short page is not necessarily the last page`() async throws {
        let found = try await found(["*": (["a"], "A"), "A": ([], "B"), "B": (["b"], "C"), "C": ([], "C")])
        #expect(found == [["a"], [], ["b"], []])
    }

    @Test func `A search without results has one page`() async throws {
        #expect(try await found(["*": ([], "*")], count: 0) == [[]])
    }

    @Test func `A reply that does not name the next page is invalid`() async {
        await #expect(throws: EngineError.self) { _ = try await found(["*": (["a"], nil)]) }
    }

    @Test func `An empty first page can't be the last page if there are results`() async {
        await #expect(throws: EngineError.self) { _ = try await found(["*": ([], "*")], count: 9) }
    }
}

/// The reported number of documents in a collection.
@Suite(.timeLimit(.minutes(1)))
struct CountTests {
    private typealias Answer = SpeakingServer.Answer

    /// Whether searches see the applied operations.
    private final class View: Sendable {
        let isCurrent = Mutex(false)
    }

    /// Counts the documents of a core that has 3, but for which searches find 5 until a commit; returns the remark
    /// about the count.
    private func count(commit: SpeakingServer.Answer) async throws -> (count: Int, reservation: String?) {
        let view = View()
        let server = try SpeakingServer { target, _ in
            if target.hasPrefix("/c/update"), target.contains("softCommit=true") {
                if commit.status == 200 { view.isCurrent.withLock { $0 = true } }
                return commit
            }
            guard target.hasPrefix("/c/select") else { return SpeakingServer.known(target, isThere: true) }
            let count = view.isCurrent.withLock { $0 } ? 3 : 5
            return Answer(body: #"{"responseHeader":{"status":0},"response":{"numFound":\#(count),"docs":[]}}"#)
        }
        let collection = try await server.open().collection(named: "c")
        return (try await collection.count(), await collection.countReservation())
    }

    @Test func `Documents that were removed earlier are not counted`() async throws {
        let found = try await count(commit: Answer(body: #"{"responseHeader":{"status":0}}"#))
        #expect(found.count == 3 && found.reservation == nil)
    }

    @Test func `A user who may not commit gets the count of the documents visible to searches`() async throws {
        let found = try await count(commit: Answer(status: 403, body: "<html>", type: "text/html"))
        #expect(found.count == 5 && found.reservation?.contains("may not commit to 'c'") == true)
    }

    @Test func `After a failed commit, no count is returned`() async throws {
        let error = await #expect(throws: EngineError.self) {
            _ = try await count(commit: Answer(status: 500, body: ""))
        }
        #expect(error != nil)
    }
}
