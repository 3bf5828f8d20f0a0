import TestSupport
import Testing

@testable import ULSRows

@Suite struct SlotTableTests {
    @Test func `Every number is found by its hash, however often the table grows`() {
        var table = SlotTable(slots: 4)
        let seed = HashSeed()
        for number in 0..<5000 {
            let hash = seed.mixed(UInt64(number), 0)
            #expect(table.find(hash) { $0 == number } == nil)
            table.insert(number, hash: hash)
        }
        for number in 0..<5000 {
            #expect(table.find(seed.mixed(UInt64(number), 0)) { $0 == number } == number)
        }
    }

    @Test(arguments: [0, 1 << 32, .max] as [UInt64]) func `Numbers with the same hash are distinguished`(hash: UInt64) {
        var table = SlotTable(slots: 4)
        for number in 0..<100 { table.insert(number, hash: hash) }
        for number in 0..<100 { #expect(table.find(hash) { $0 == number } == number) }
        #expect(table.find(hash) { _ in false } == nil)
        #expect(table.find(hash ^ 1 << 40) { _ in true } == nil)
    }

    @Test func `After everything is removed, nothing is found, and the table can be filled again`() {
        var table = SlotTable(slots: 4)
        for round in 0..<10 {
            #expect(table.find(7) { _ in true } == nil)
            for number in 0..<10 { table.insert(number, hash: 7) }
            #expect(table.find(7) { $0 == 9 - round } == 9 - round)
            table.removeAll()
        }
    }
}

@Suite struct ByteStringTableTests {
    private let seed = HashSeed()

    @Test func `Each string is found, with its number, until all strings are removed`() {
        var table = ByteStringTable()
        var generator = SeededGenerator(seed: 1)
        var strings: Set<[UInt8]> = []
        while strings.count < 1000 {
            let length = Int.random(in: 2..<40, using: &generator)
            strings.insert((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        for _ in 0..<2 {
            for string in strings { #expect(table.number(of: string.span, hash: seed.hash(of: string.span)) == nil) }
            for string in strings { table.append(string.span, hash: seed.hash(of: string.span)) }
            for (number, string) in strings.enumerated() {
                #expect(table.number(of: string.span, hash: seed.hash(of: string.span)) == number)
            }
            table.removeAll()
        }
    }

    @Test(arguments: 0..<140) func `Strings that differ in a byte or in length have different hashes`(length: Int) {
        let string = [UInt8](repeating: 0, count: length)
        let hash = seed.hash(of: string.span)
        let longer = string + [0]
        #expect(seed.hash(of: longer.span) != hash)
        for place in string.indices {
            var other = string
            other[place] = 8
            let areEqual = string.span.equals(other.span)
            #expect(!areEqual)
            #expect(seed.hash(of: other.span) != hash)
        }
    }

    @Test(arguments: 2..<20) func `Strings that differ in the order of their words have different hashes`(words: Int) {
        let string = (0..<UInt8(8 * words)).map(\.self)
        let hash = seed.hash(of: string.span)
        for one in 0..<words {
            for other in 0..<one {
                var swapped = string
                for place in 0..<8 { swapped.swapAt(8 * one + place, 8 * other + place) }
                #expect(seed.hash(of: swapped.span) != hash)
            }
        }
    }
}
