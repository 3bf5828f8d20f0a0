import ContentFeeding
import TestSupport
import Testing

@testable import EngineSolr

/// How a search goes from page to page.
@Suite(.timeLimit(.minutes(1)))
struct PageTests {
    /// The IDs found page by page, where Solr gives these IDs and this next cursor for each cursor.
    private func found(_ pages: [String: (ids: [String], next: String?)]) async throws -> [[String]] {
        let server = try SpeakingServer { target, body in
            guard target.hasPrefix("/c/select") else { return SpeakingServer.known(target, isThere: true) }
            let mark = body.split(separator: "&").first { $0.hasPrefix("cursorMark=") }?.dropFirst(11) ?? ""
            let page = pages[mark == "%2A" ? "*" : String(mark)] ?? (ids: ["wrong cursor"], next: nil)
            let documents = page.ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            let next = page.next.map { #","nextCursorMark":"\#($0)""# } ?? ""
            return SpeakingServer.Answer(
                body: #"{"responseHeader":{"status":0},"response":{"numFound":9,"docs":[\#(documents)]}\#(next)}"#
            )
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

    @Test func aShortPageIsNotTheLast() async throws {
        let found = try await found(["*": (["a"], "A"), "A": ([], "B"), "B": (["b"], "C"), "C": ([], "C")])
        #expect(found == [["a"], [], ["b"], []])
    }

    @Test func aSearchThatFindsNothingHasOnePage() async throws {
        #expect(try await found(["*": ([], "*")]) == [[]])
    }

    @Test func aReplyWithoutACursorIsTheLast() async throws {
        #expect(try await found(["*": (["a"], nil)]) == [["a"]])
    }
}
