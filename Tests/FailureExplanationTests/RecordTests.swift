import Testing
import TextKit

@testable import FailureExplanation

/// Records of an error without known words, rows of items that were handled, labels, and inner exceptions.
struct RecordTests {
    private func frame(_ text: String) -> FailureFrame { Explanation(of: text).frame }

    private func codes(_ text: String) -> [String] { Explanation(of: text).decoded.map(\.code.title) }

    // MARK: Records

    @Test func `A record of an error reports its level, its source and its message`() {
        let text = "Source: Wheel Shop\nEvent ID: 17\nLevel: Critical\nDescription:\nThe wheel of shelf 'A' hums."
        let explanation = Explanation(of: text)
        #expect(!explanation.explainsNothing)
        #expect(
            explanation.frame.sentence
                == "The record itself is at level Critical, from Wheel Shop, event 17: The wheel of shelf 'A' hums."
        )
    }

    @Test func `The known words of a record are better than its level`() {
        let text = "Source: Wheel Shop\nEvent ID: 17\nLevel: Error\nDescription:\nThe site 'http://sp' was not found."
        #expect(frame(text).failure?.value.id == "absent")
    }

    @Test(arguments: [
        "Source: Wheel Shop\nEvent ID: 17\nLevel: Information\nDescription:\nThe wheel of shelf 'A' hums.",
        "Level: Error", "The wheel hums at the level: Error.",
    ])
    func `Other records and texts report nothing`(text: String) {
        #expect(Explanation(of: text).explainsNothing)
    }

    // MARK: Success

    @Test(arguments: [
        "http://portal/sites/a/b.docx\tAccess denied \u{2013} FAQ\tSuccess",
        "Title: Login failed for user - how to fix it, URL: http://portal/b.aspx, Status: Success",
        "Timeout expired | http://portal/b.aspx | Success", "Error 18456, explained;http://portal/kb.aspx;succeeded",
        "Success\thttp://portal/b.aspx\tSystem.OutOfMemoryException: what to do",
        "Crawled Access is denied 0x80070005.pdf - Success", "Access denied \u{2013} FAQ was crawled successfully",
    ])
    func `The title of an item that was handled is not a failure`(text: String) {
        let explanation = Explanation(of: text)
        #expect(explanation.frame.failure == nil && explanation.decoded.isEmpty && explanation.chains.isEmpty)
    }

    @Test(arguments: [
        "Failed to open the file http://portal/a, error: Success",
        "Result: Success, but access is denied to the item http://portal/c", "Failed to connect - Success",
        "http://portal/a\tAccess is denied\tError\nhttp://portal/b\tOK\tSuccess",
    ])
    func `A success elsewhere does not excuse a failure`(text: String) {
        #expect(frame(text).failure != nil)
    }

    // MARK: Advice and labels

    @Test(arguments: [
        "The set-up failed. Install operation attempted was: Wheel.wsp 'A'", "The import failed. Specify e.g.",
        "The crawl of the site 'A' failed. Make sure of the following:",
    ])
    func `A label and the beginning of an example are not advice`(text: String) {
        #expect(frame(text).remedy == nil)
    }

    @Test func `An example belongs to the advice`() {
        let advice = "Use the parameter -Force, e.g. Import-SPWeb -Force."
        #expect(frame("The import failed. \(advice)").remedy?.value == advice)
    }

    // MARK: Inner exceptions

    @Test(arguments: [
        "Timer job failed. Inner Exception: System.IO.IOException: The wheel hums loudly.",
        "A.B.FirstException: It failed. InnerException=System.IO.IOException: The wheel hums loudly.",
        "A.B.FirstException: It failed.\n\tat a.b.C.d(C.java:5)\nCaused by: java.io.IOException: The wheel hums loudly.",
        "A.B.FirstException: It failed. ---> System.IO.IOException: The wheel hums loudly. ---",
        "Exception: It failed at once. InnerException : The wheel hums loudly.",
        "Message: It failed\nInner exception message: The wheel hums loudly.",
    ])
    func `The innermost exception is the headline`(text: String) {
        #expect(Explanation(of: text).exception?.message == "The wheel hums loudly.", "\(Explanation(of: text).chains)")
    }

    @Test func `A label without an inner exception leads nowhere`() {
        let text = "A.B.FirstException: The wheel hums. InnerException: null"
        #expect(Explanation(of: text).chains.map(\.links.count) == [1])
        #expect(Explanation(of: "The wheel stopped. Caused by: frost on the road").chains.isEmpty)
    }

    @Test func `The causes are those of the innermost exception`() {
        let text =
            "System.Net.WebException: Unable to connect to the remote server ---> "
            + "System.Data.SqlClient.SqlException: Cannot open database \"A\" requested by the login."
        let causes = Explanation(of: text).decoded.map { ($0.code.plain, $0.code.causes.isEmpty) }
        #expect(causes.filter { !$0.1 }.map(\.0) == [4060])
    }

    // MARK: Sentences

    @Test(arguments: [
        (
            "An exception occurred while loading the assembly 'Wheel'",
            "An exception occurred while loading the assembly 'Wheel'."
        ),
        ("Unable to open the file (see [1]) [at line 5 (col", "Unable to open the file (see [1])."),
    ])
    func `A sentence is complete`(text: String, sentence: String) {
        #expect(frame(text).sentence == sentence)
    }

    @Test func `A feature that could not be activated is not one that stopped`() {
        #expect(frame("The feature 'Wiki' could not be activated.").failure?.value.id == "failed")
        #expect(frame("The service 'A' is not activated.").failure?.value.id == "not-started")
    }

    // MARK: Search engines and Microsoft 365

    @Test(arguments: [
        (#"{"type":"a","reason":"index [a] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];"}"#, "984"),
        ("SolrException: exceeded limit of maxWarmingSearchers=2, try again later.", "985"),
        (#"{"error":{"code":"InvalidAuthenticationToken","message":"Access token is empty."}}"#, "986"),
        ("Either scp or roles claim need to be present in the token.", "987"),
        ("AADSTS1002012: The provided value for scope User.Read is not valid.", "AADSTS1002012"),
    ])
    func `The messages of search engines and Microsoft 365 are known`(text: String, code: String) {
        #expect(Explanation(of: text).decoded.map(\.code.spelled).contains(code), "\(codes(text))")
    }

    @Test(arguments: [
        ("org.apache.solr.core.SolrCore.open", "solr"), ("org.elasticsearch.node.Node.start", "elasticsearch"),
        ("org.opensearch.node.Node.start", "elasticsearch"), ("org.apache.lucene.index.IndexWriter.close", "lucene"),
    ])
    func `The code of a search engine is not custom code`(frame: String, id: String) {
        let explanation = Explanation(of: "java.io.IOException: The wheel hums.\n\tat \(frame)(A.java:5)")
        #expect(explanation.place?.component.id == id && explanation.foreignFrame == nil)
        #expect(explanation.frame.thrower?.value.kind == "search-engine")
    }

    @Test func `The causes of a status are those of its component`() {
        let graph = "Microsoft.Graph.ServiceException: HTTP 503 Service Unavailable"
        let causes = Explanation(of: graph).decoded.flatMap { found in found.code.causes }
        #expect(!causes.contains { $0.contains("application pool") })
        let bare = "The remote server returned an error: (403) Forbidden."
        #expect(Explanation(of: bare).decoded.map(\.code.causes.count) == [1])
        #expect(FailureCodes.lookUp("http:403").map(\.causes.count) == [4])
    }

    @Test func `A line of a source file is not a port of a server`() {
        #expect(FrameText("at a.SolrCore.getSearcher(SolrCore.java:1565)").endpoints.isEmpty)
    }

    @Test(arguments: [
        (#"It failed:\n\nSubject Name: CN=a\nErrors:\n\n The list 'A' was not found."#, "The list 'A' was not found."),
        (#"The file 'C:\new\Notes.txt' was not found."#, #"The file 'C:\new\Notes.txt' was not found."#),
    ])
    func `Escaped line ends end lines, unless they are parts of a path`(text: String, sentence: String) {
        #expect(frame(text).sentence == sentence)
    }
}
