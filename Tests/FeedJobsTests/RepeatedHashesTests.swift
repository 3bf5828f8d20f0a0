import ContentFeeding
import TestSupport
import Testing

@testable import FeedJobs

struct RepeatedHashesTests {
    @Test(arguments: [1_000_000, 1_000, 7])
    func `Repeated hashes are found both in memory and on disk`(most: Int) throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: UInt64(most))
        let hashes = (0..<20_000).map { _ in UInt64.random(in: 0..<100_000, using: &random) &* 0x9E37_79B9_7F4A_7C15 }
        let count = most == 7 ? 500 : hashes.count
        var expected: Set<UInt64> = []
        var seen: Set<UInt64> = []
        var repeated = RepeatedHashes(in: SpillSpace(in: folder.path(""), maximumBytes: 1 << 20), most: most)
        for hash in hashes.prefix(count) + hashes.prefix(3) {
            if !seen.insert(hash).inserted { expected.insert(hash) }
            try repeated.note(hash)
        }
        #expect(try repeated.repeated(limit: .max) == expected)
        #expect(repeated.repetitions == count + 3 - seen.count)
        #expect(try repeated.repeated(limit: expected.count - 1) == nil)
    }
}
