import TestSupport
import TextPatterns

/// The patterns that a text matches.
func matches(_ patterns: [Pattern], _ text: String) throws -> [Int] { try matches(patterns, Array(text.utf8)) }

func matches(_ patterns: [Pattern], _ text: [UInt8]) throws -> [Int] {
    var scanner = PatternScanner(try PatternSet(patterns))
    return scanner.matches(in: text.span).map(\.pattern).sorted()
}

/// Where a literal ends first, found byte by byte.
func naiveEnd(of literal: [UInt8], in text: [UInt8], isCaseSensitive: Bool) -> Int? {
    let fold = { (byte: UInt8) in isCaseSensitive || !(0x41...0x5A).contains(byte) ? byte : byte | 0x20 }
    let (text, literal) = (text.map(fold), literal.map(fold))
    guard literal.count <= text.count else { return nil }
    return (0...text.count - literal.count).first { text[$0...].starts(with: literal) }.map { $0 + literal.count }
}

extension SeededGenerator {
    /// A text of few different characters, so that much of it repeats.
    mutating func text(_ alphabet: String, _ lengths: ClosedRange<Int>) -> String {
        let scalars = Array(alphabet.unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: lengths, using: &self) {
            text.append(scalars[Int.random(in: 0..<scalars.count, using: &self)])
        }
        return String(text)
    }
}
