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

    @Test(arguments: [0, 1, 8, 9, 50]) func `A set and a union have the same values as ordinary sets`(maximum: Int) {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            var sets = (0..<2).map { _ in BoundedSet<Int>(maximum: maximum) }
            var plain: [Set<Int>] = [[], []]
            for index in 0..<2 {
                let range = [5, 12, 80].randomElement(using: &random) ?? 5
                for _ in 0..<Int.random(in: 0..<60, using: &random) {
                    let value = Int.random(in: 0..<range, using: &random)
                    sets[index].insert(value)
                    if plain[index].count < maximum { plain[index].insert(value) }
                }
                #expect(sets[index].values == plain[index])
            }
            let (one, new) = (plain[0], plain[1].subtracting(plain[0]))
            let isAtLeast = sets[0].isAtLeast || sets[1].isAtLeast || one.count + new.count > maximum
            sets[0].formUnion(sets[1])
            #expect(sets[0].values == one.union(new.sorted().prefix(maximum - one.count)))
            #expect(sets[0].isAtLeast == isAtLeast)
            #expect(sets[0].amount == Amount(sets[0].values.count, isAtLeast: isAtLeast))
        }
    }
}
