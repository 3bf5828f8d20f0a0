import ArgumentParsing
import ContentFeeding
import FeedJobs
import Testing

@testable import FeedCommands

struct HostileNumberTests {
    @Test(arguments: [
        (100.0, Int.max, Int.max), (100.0, 7, 7), (10.0, 1_000, 100), (10.0, 19, 1), (0.0, Int.max, 0),
        (100.0, Int.max - 1, Int.max - 1),
    ])
    func `A share of a collection is a number of documents, whatever the engine counts`(
        share: Double,
        documents: Int,
        limit: Int
    ) {
        #expect(RemovalLimit.percent(share).operations(of: documents) == limit)
    }

    @Test(arguments: [
        (0, 0, 100), (29, 100, 29), (1, 3, 33), (Int.max, Int.max, 100), (Int.max, 1, 100), (Int.min, 5, 0),
        (5, -1, 100),
    ])
    func `Progress is between 0 and 100 percent, whatever the engine reports`(done: Int, total: Int, share: Int) {
        #expect(OptimizationRun.share(done, of: total) == share)
    }
}

struct SearchHintTests {
    @Test(
        arguments: [
            (["status:stale"], []), (["pag*"], []), (["stale OR live"], []), (["stale", "OR", "live"], []),
            (["NOT", "x"], []), ([], ["status=="]), ([], ["title=pag*"]),
        ] as [([String], [String])]
    )
    func `A search in another language gets a hint`(words: [String], fields: [String]) throws {
        let arguments = try fields.map { try FieldArgument(argument: $0) }
        #expect(SearchQuery(text: words, fields: arguments.map(\.field)).hint != nil)
    }

    @Test(arguments: ["noble gas", "https://atlas.example/a", "a: b", "or", "C++", "what?"])
    func `Plain text gets none`(text: String) {
        #expect(SearchQuery(text: [text], fields: []).hint == nil)
    }

    @Test(arguments: ["status!=live", "date<=2019", "date>=2019", "title~=x"])
    func `A comparison that a field does not have is refused`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try FieldArgument(argument: word) }
    }
}
