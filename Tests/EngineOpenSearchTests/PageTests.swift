import ContentFeeding
import Synchronization
import TestSupport
import Testing

@testable import EngineOpenSearch

struct PageTests {
    /// A full first page whose hits have the sort values that `sort` gives, and an empty second.
    private func engine(
        _ product: OpenSearchEngine.Product,
        sort: @escaping @Sendable (_ number: Int) -> String
    ) async throws -> ScriptedEngine {
        let pages = Mutex(0)
        return try await ScriptedEngine(product) { line in
            if line.contains("_pit") || line.contains("point_in_time") { return (#"{"id":"p:1"}"#, 200) }
            guard line.hasPrefix("POST /_search ") else { return nil }
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
        return (first.documents.count, try #require(engine.requests("POST /_search ").last))
    }

    @Test func allSortValuesLeadToTheNextPage() async throws {
        // Larger than a floating-point number holds, and a text with what a cursor is made of.
        let engine = try await engine(.elasticsearch) { #"[\#($0 / 2), 92233720368547758\#($0),"a:]b"]"# }
        let (documents, second) = try await pages(of: engine)
        #expect(documents == PageSize.first)
        #expect(second.contains(#""search_after":[49, 9223372036854775899,"a:]b"]"#))
    }

    @Test(arguments: [OpenSearchEngine.Product.openSearch, .elasticsearch])
    func documentsThatShareAPlaceAreLeftToTheNextPage(product: OpenSearchEngine.Product) async throws {
        let (documents, second) = try await pages(of: try await engine(product) { "[\($0 / 2)]" })
        #expect(documents == PageSize.first - 2)
        #expect(second.contains(#""search_after":[48]"#))
    }

    @Test(arguments: [OpenSearchEngine.Product.openSearch, .elasticsearch])
    func aSearchThatIsNotReadToItsEndCanBeClosed(product: OpenSearchEngine.Product) async throws {
        let engine = try await engine(product) { "[\($0 / 2)]" }
        let collection = try await engine.collection()
        let next = try #require(try await collection.find(SearchQuery(), after: nil).next)
        #expect(engine.requests("DELETE ").isEmpty)
        // A task that is cancelled sends nothing itself.
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await collection.close(next)
        }.value
        let request = try #require(engine.requests("DELETE ").first)
        #expect(request.hasPrefix(product == .openSearch ? "DELETE /_search/point_in_time " : "DELETE /_pit "))
        #expect(request.contains("p:1"))
    }

    @Test func aSearchThatEndsByAnErrorAtOnceIsClosed() async throws {
        let engine = try await engine(.openSearch) { _ in "[]" }
        let collection = try await engine.collection()
        await #expect(throws: EngineError.self) { _ = try await collection.find(SearchQuery(), after: nil) }
        #expect(engine.requests("DELETE /_search/point_in_time").count == 1)
    }

    @Test func aScrollIsClosedToo() async throws {
        let engine = try await ScriptedEngine { line in
            line.contains("scroll=") ? (#"{"_scroll_id":"s:1","hits":{"hits":[{"_id":"a"}]}}"#, 200) : nil
        }
        let collection = try await engine.collection()
        let next = try #require(try await collection.find(SearchQuery(), after: nil).next)
        await collection.close(next)
        #expect(engine.requests("DELETE /_search/scroll").first?.contains("s:1") == true)
    }

    /// 16 documents share the first place, and a larger page never comes.
    @Test func aPageThatIsBothTooSmallAndTooLargeIsAnError() async throws {
        let pages = Mutex(0)
        let engine = try await ScriptedEngine { line in
            if line.contains("point_in_time") { return (#"{"pit_id":"p:1"}"#, 200) }
            guard line.hasPrefix("POST /_search ") else { return nil }
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
        #expect(engine.requests("POST /_search ").count == 2)
    }

    @Test(arguments: ["[]", "7", "{}", "null", "[-1]", #"["x"]"#, "[{}]"])
    func anEngineWithoutPlacesCanNotBeReadPageByPage(sort: String) async throws {
        let collection = try await engine(.openSearch) { _ in sort }.collection()
        let error = await #expect(throws: EngineError.self) {
            _ = try await collection.find(SearchQuery(), after: nil)
        }
        #expect(error?.code == .unsupported)
    }
}
