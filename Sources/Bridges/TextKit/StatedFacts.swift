/// The conditions whose values a text states, as in `Can Create Site == True, Is Licensed == False`.
///
/// A name extends back to the value before it, to a mark, or to the beginning of its line; only its letters and digits
/// count, so `Self-Service` and `SelfService` are the same.
package struct StatedFacts: Sendable, Equatable {
    private var facts: [(name: [UInt8], value: Bool)] = []

    /// The maximum number of bytes in a name, and the minimum number of letters in a distinctive one.
    private static let (longestName, distinctive) = (80, 12)
    private static let values = [("true", true), ("false", false)].map { (Array($0.utf8), $1) }

    package init(_ text: String) {
        let bytes = Array(text.utf8)
        var start = 0
        for place in bytes.indices where bytes[place] == UInt8(ascii: "=") && place >= start {
            let end = place + (bytes[place...].starts(with: "==".utf8) ? 2 : 1)
            let rest = bytes[end...].drop { $0 == 0x20 }
            let word = rest.prefix { $0.isOfWord }
            let value = Self.values.first { value in word.map(\.lowercased) == value.0 }
            let name = bytes[max(start, place - Self.longestName)..<place]
            start = end
            guard let value else { continue }
            start = word.endIndex
            let mark = name.lastIndex { ",;|()[]{}\n\t".utf8.contains($0) || $0 == UInt8(ascii: ":") }
            let letters = Self.letters(of: name[(mark.map { $0 + 1 } ?? name.startIndex)...])
            if !letters.isEmpty { facts.append((letters, value.1)) }
        }
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.facts.elementsEqual(other.facts) { $0.name == $1.name && $0.value == $1.value }
    }

    package var isEmpty: Bool { facts.isEmpty }

    /// Returns whether a condition such as `Is Licensed == False` holds; `nil` if the text does not state its value, or
    /// states both.
    package func holds(_ condition: String) -> Bool? {
        guard let wanted = StatedFacts(condition).facts.first else { return nil }
        let stated = Set(facts.filter { $0.name == wanted.name }.map(\.value))
        return stated.count == 1 ? stated.contains(wanted.value) : nil
    }

    /// Returns whether a text names a condition that is stated to be true.
    package func affirms(_ text: String) -> Bool {
        let letters = Self.letters(of: Array(text.utf8)[...])
        return facts.contains {
            $0.value && $0.name.count >= Self.distinctive && letters.firstRange(of: $0.name) != nil
        }
    }

    private static func letters(of text: ArraySlice<UInt8>) -> [UInt8] {
        text.filter { $0.isLetterOrDigit || $0 >= 0x80 }.map(\.lowercased)
    }
}
