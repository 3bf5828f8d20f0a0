import Testing

@testable import fastctl

/// Some of many, for `--verify=sample:N`.
struct VerificationSampleTests {
    @Test(arguments: [0, 1, 3, 100, 1_000])
    func whatIsNotTakenInIsNotMade(size: Int) {
        var sample = Sample<Int>(of: size, seed: 7)
        var made = 0
        for number in 0..<1_000 {
            let make = { () -> Int in
                made += 1
                return number
            }
            sample.offer(make())
        }
        #expect(sample.offered == 1_000)
        #expect(sample.items.count == min(size, 1_000))
        #expect(Set(sample.items).count == sample.items.count)
        // The n-th is taken in with the chance size/n: about size times 1 + ln(1,000/size).
        #expect(made >= size && (size == 1_000 || made < 8 * size + 1))
    }

    @Test func eachHasTheSameChance() {
        var taken = [Int](repeating: 0, count: 20)
        for seed in 0..<2_000 {
            var sample = Sample<Int>(of: 5, seed: UInt64(seed))
            for number in taken.indices { sample.offer(number) }
            for number in sample.items { taken[number] += 1 }
        }
        // 500 each; less than 400 or more than 600 would be five deviations away.
        #expect(taken.allSatisfy { (400...600).contains($0) })
    }
}
