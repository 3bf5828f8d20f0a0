import ContentFeeding
import FeedCommands
import Synchronization
import Testing

/// A search is read only as far as needed, and is closed when it is abandoned.
struct SearchTests {
    private struct Full: Error {}

    /// Three pages of two documents each.
    private final class Pages: SearchableEngine {
        let collection: CollectionName = "web"
        let asked = Mutex(0)
        let closed = Mutex([String]())
        /// The page that can't be read, from 0.
        let broken: Int?

        init(broken: Int? = nil) { self.broken = broken }

        func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
            DocumentPage(documents: [], looked: ids.count)
        }

        func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] { ids.map { _ in false } }
        func count() async throws(EngineError) -> Int { 6 }

        func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
            let number = cursor.flatMap { Int($0.rawValue) } ?? 0
            asked.withLock { $0 += 1 }
            guard number != broken else { throw EngineError(.unreachable, "the page is lost") }
            let documents = ["a", "b"].map { StoredDocument(id: $0, version: nil, json: []) }
            return SearchPage(
                documents: documents,
                next: number == 2 ? nil : SearchCursor(rawValue: String(number + 1))
            )
        }

        func close(_ cursor: SearchCursor) async { closed.withLock { $0.append(cursor.rawValue) } }
    }

    @Test(arguments: [
        (nil as Int?, 6, 3, [String]()), (0, 0, 0, []), (1, 1, 1, ["1"]), (2, 2, 1, ["1"]), (3, 3, 2, ["2"]),
        (6, 6, 3, []), (99, 6, 3, []),
    ])
    func `A search ends when its limit is reached`(limit: Int?, count: Int, pages: Int, closed: [String]) async throws {
        let engine = Pages()
        var visited = 0
        let found = try await Search(engine: engine, query: SearchQuery(), limit: limit).forEachPage {
            visited += $0.documents.count
        }
        #expect(visited == count)
        let all = count == 6 ? "6 documents found" : nil
        let first = [
            0: "nothing was searched for (--limit 0)", 1: "the first document found; there are more (--limit 1)",
            2: "the first 2 documents found; there may be more (--limit 2)",
            3: "the first 3 documents found; there are more (--limit 3)",
        ]
        #expect("\(found)" == all ?? first[count])
        #expect(engine.asked.withLock { $0 } == pages)
        #expect(engine.closed.withLock { $0 } == closed)
    }

    @Test func `A page that can't be read closes the search`() async throws {
        let engine = Pages(broken: 1)
        await #expect(throws: EngineError.self) {
            _ = try await Search(engine: engine, query: SearchQuery(), limit: nil).forEachPage { _ in }
        }
        #expect(engine.closed.withLock { $0 } == ["1"])
    }

    @Test func `A page that can't be written closes the search`() async throws {
        let engine = Pages()
        await #expect(throws: Full.self) {
            _ = try await Search(engine: engine, query: SearchQuery(), limit: nil).forEachPage { _ in throw Full() }
        }
        #expect(engine.closed.withLock { $0 } == ["1"])
    }
}
