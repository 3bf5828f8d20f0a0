import TestSupport
import Testing

@testable import ContentFeeding

struct RecentDocumentsTests {
    /// A simple and slow reference implementation of a set of the most recent distinct values.
    private struct Model {
        var values: [UInt64] = []
        let capacity: Int

        mutating func note(_ value: UInt64) -> Bool {
            if values.contains(value) { return true }
            if values.count == capacity { values.removeFirst() }
            values.append(value)
            return false
        }
    }

    /// There are few different hashes, many of them neighbors, so searches and removals often collide.
    @Test(arguments: 0..<20)
    func `A hash is remembered while it is among the most recent ones`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 1...200, using: &random)
        var recent = RecentDocuments(capacity: capacity)
        var model = Model(capacity: capacity)
        for step in 0..<5_000 {
            let isNear = Bool.random(using: &random)
            let hash =
                UInt64.random(in: 0...UInt64(capacity), using: &random) << (isNear ? 0 : 54)
                | (isNear ? UInt64.max << 60 : 0)
            let (isKnown, isExpected) = (recent.note(hash), model.note(hash))
            // Record only failures: thousands of expectations take longer than the code under test.
            if isKnown != isExpected { Issue.record("step \(step): \(isKnown)") }
        }
    }

    @Test func `At most a million different documents are remembered`() {
        var recent = RecentDocuments()
        var random = SplitMix64(seed: 1)
        let hashes = (0..<1_000_001).map { _ in random.next() }
        let isNew = hashes.allSatisfy { !recent.note($0) }
        #expect(isNew)
        // The first value was replaced by the last one; adding the first again replaces the second.
        let isRemembered = hashes.dropFirst().allSatisfy { recent.note($0) }
        #expect(isRemembered)
        let later = [0, 1, 3].map { recent.note(hashes[$0]) }
        #expect(later == [false, false, true])
    }
}
