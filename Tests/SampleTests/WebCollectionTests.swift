import Foundation
import Testing

/// What the READMEs and `make demo` say of the sample collection.
struct WebCollectionTests {
    private struct Page: Decodable {
        let id: String
        let title: String
        let body: String
    }

    private let folder = samples.appending(path: "web-collection")

    private func lines(of name: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func pages() throws -> [Page] {
        try lines(of: "documents.jsonl").map { try JSONDecoder().decode(Page.self, from: Data($0.utf8)) }
    }

    @Test func everyDocumentHasAnIDOfItsOwnAndATextToFind() throws {
        let pages = try pages()
        #expect(pages.count == 311)
        #expect(Set(pages.map(\.id)).count == pages.count)
        #expect(pages.allSatisfy { !$0.title.isEmpty && !$0.body.isEmpty })
    }

    @Test func fifteenElementsAreSuperheavy() throws {
        #expect(try pages().count { $0.body.contains("superheavy") } == 15)
    }

    @Test func oneIDHasATypo() throws {
        let known = Set(try pages().map(\.id))
        let unknown = try lines(of: "ids.txt").filter { !known.contains($0) }
        #expect(unknown == ["https://atlas.example/elements/coppernicium"])
    }
}
