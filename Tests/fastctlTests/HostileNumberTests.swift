import Testing

@testable import fastctl

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
    func `Progress is between 0 and 100 percent, whatever the engine says`(done: Int, total: Int, share: Int) {
        #expect(Optimization.share(done, of: total) == share)
    }
}
