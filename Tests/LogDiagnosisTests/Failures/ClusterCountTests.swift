import TestSupport
import Testing

@testable import LogDiagnosis

struct ClusterCountTests {
    @Test func `If there are too many values, the order of insertion does not affect which ones are kept`() {
        var random = SeededGenerator(seed: 3)
        var kept: Set<Set<Int>> = []
        for capacity in [100, 1000, 10_000] {
            var all = BoundedSet<Int>(maximum: 50)
            for start in [0, 30] {
                var part = Set<Int>(minimumCapacity: capacity)
                for value in (start..<start + 40).shuffled(using: &random) { part.insert(value) }
                var unit = BoundedSet<Int>(maximum: 50)
                for value in part { unit.insert(value) }
                all.formUnion(unit)
            }
            #expect(all.values.count == 50 && all.isAtLeast)
            kept.insert(all.values)
        }
        #expect(kept == [Set(0..<50)])
    }

    @Test func `A union is marked as incomplete only if a value did not fit`() {
        var all = BoundedSet<Int>(maximum: 3)
        for value in 1...3 { all.insert(value) }
        var same = BoundedSet<Int>(maximum: 3)
        same.insert(2)
        all.formUnion(same)
        #expect(!all.isAtLeast && all.values == [1, 2, 3])
        same.insert(4)
        all.formUnion(same)
        #expect(all.isAtLeast && all.values == [1, 2, 3])
    }
}
