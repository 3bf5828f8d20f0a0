import TestSupport
import Testing

@testable import ULSLog

extension ByteStringTable {
    fileprivate func number(of string: [UInt8]) -> Int? { number(of: string.span, hash: ByteHash(of: string.span)) }

    @discardableResult
    fileprivate mutating func append(_ string: [UInt8]) -> Int {
        append(string.span, hash: ByteHash(of: string.span))
    }
}

@Suite struct ByteStringTableTests {
    @Test(arguments: 0..<40) func `strings of any length are found under the number they came with`(length: Int) {
        var table = ByteStringTable()
        var generator = SeededGenerator(seed: UInt64(length))
        var strings: [[UInt8]] = []
        for _ in 0..<200 {
            let string = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            guard !strings.contains(string) else { continue }
            #expect(table.number(of: string) == nil)
            table.append(string)
            strings.append(string)
        }
        for (number, string) in strings.enumerated() { #expect(table.number(of: string) == number) }
    }

    @Test func `strings that differ in one byte are different`() {
        let string = [UInt8](repeating: 7, count: 30)
        for place in string.indices {
            var other = string
            other[place] = 8
            let areEqual = string.span.equals(other.span)
            let haveOneHash = ByteHash(of: string.span) == ByteHash(of: other.span)
            #expect(!areEqual)
            #expect(!haveOneHash)
        }
    }

    @Test func `after everything was forgotten numbers begin again`() {
        var table = ByteStringTable()
        table.append([1])
        table.append([2])
        table.removeAll()
        #expect(table.number(of: [1]) == nil)
        #expect(table.append([2]) == 0)
        #expect(table.number(of: [2]) == 0)
    }
}
