import TextKit

/// The texts that programs print around a message, from `envelopes.txt`: nothing in them counts as the message.
///
/// ```
/// text: Exception calling * with ? argument(s):
/// ```
///
/// `*` is a name or another text whose identifiers count; of `?` and the longer `…`, only the names of cmdlets do, and
/// of `%`, none.
/// `@` is the name of a property, `^` the category of an error, and `#` a number. A line with `exception` names the type
/// of exception that the texts after it stand for; with `reports`, the message after them is an error. A blank matches
/// any blanks and line ends, so a wrapped text matches too.
struct TextEnvelopes: Sendable {
    /// A place of an envelope in a text.
    struct Place: Equatable {
        var range: Range<Int>
        /// The identifiers that count, in order.
        var names: [String]
        /// The property that the message is about.
        var property: String?
        /// The category of the error, in PowerShell's own English words: `ObjectNotFound`.
        var category: String?
        /// True if the message after the place is an error.
        var reports = false
    }

    /// The properties of the texts of a section.
    struct Meaning {
        /// The type of exception that the texts stand for.
        var exception: String?
        /// True if the message after the texts is an error.
        var reports = false
    }

    /// The value of a place that a part of its text is.
    private enum Slot { case property, category }

    private enum Part: Sendable {
        case text([UInt8])
        case digits
        /// Any text with a maximum length, up to the next part; at the end of a pattern, up to the next blank.
        case any(maximum: Int, keepsNames: Bool?, slot: Slot? = nil)
    }

    /// The patterns that may begin with each byte, in order.
    private var patterns: [[(parts: [Part], meaning: Meaning)]] = Array(repeating: [], count: 256)

    mutating func add(_ line: String, _ meaning: Meaning) {
        var parts: [Part] = []
        var text: [UInt8] = []
        func close() { if !text.isEmpty { parts.append(.text(text)) } }
        for character in line {
            let part: Part? =
                switch character {
                case "*": .any(maximum: 120, keepsNames: true)
                case "@": .any(maximum: 80, keepsNames: true, slot: .property)
                case "^": .any(maximum: 40, keepsNames: nil, slot: .category)
                case "%": .any(maximum: 120, keepsNames: nil)
                case "?": .any(maximum: 80, keepsNames: false)
                case "…": .any(maximum: 1200, keepsNames: false)
                case "#": .digits
                default: nil
                }
            if let part {
                close()
                parts.append(part)
                text = []
            } else {
                text += character.utf8
            }
        }
        close()
        for byte in patterns.indices {
            // A blank matches others, too.
            if case .text(let text)? = parts.first, text[0] > 0x20, text[0] != byte { continue }
            patterns[byte].append((parts, meaning))
        }
    }

    /// Returns the places of all envelopes in a text, in order.
    func places(in bytes: ArraySlice<UInt8>) -> [Place] {
        var places: [Place] = []
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let isAtWord = start == bytes.startIndex || !bytes[start - 1].isOfWord
            let possible = isAtWord ? patterns[Int(bytes[start])] : []
            let found = possible.lazy.compactMap { place(of: $0.parts, in: bytes, at: start, $0.meaning) }
            if let place = found.first {
                places.append(place)
                start = place.range.upperBound
            } else {
                start += 1
            }
        }
        return places
    }

    private func place(
        of pattern: [Part],
        in bytes: ArraySlice<UInt8>,
        at start: Int,
        _ meaning: Meaning
    ) -> Place? {
        var end = start
        var place = Place(range: start..<start, names: [meaning.exception].compactMap(\.self), reports: meaning.reports)
        for (index, part) in pattern.enumerated() {
            switch part {
            case .text(let text):
                guard let next = Self.end(of: text, in: bytes, at: end) else { return nil }
                end = next
            case .digits: end = bytes[end...].firstIndex { !$0.isDigit } ?? bytes.endIndex
            case .any(let maximum, let keepsNames, let slot):
                let rest = bytes[end...].prefix(maximum)
                let next: Int?
                if index + 1 < pattern.count, case .text(let text) = pattern[index + 1] {
                    next = rest.indices.first { Self.end(of: text, in: bytes, at: $0) != nil }
                } else {
                    next = rest.firstIndex { $0 <= 0x20 } ?? rest.endIndex
                }
                guard let next else { return nil }
                if let keepsNames { place.names += Self.names(in: bytes[end..<next], all: keepsNames) }
                switch slot {
                case .property: place.property = String(decoding: bytes[end..<next], as: UTF8.self).trimmed
                case .category: place.category = String(decoding: bytes[end..<next], as: UTF8.self).trimmed
                case nil: break
                }
                end = next
            }
        }
        place.range = start..<end
        return place
    }

    /// Returns the end of a text at a position.
    private static func end(of text: [UInt8], in bytes: ArraySlice<UInt8>, at start: Int) -> Int? {
        var place = start
        for byte in text {
            if byte == 0x20 {
                let next = bytes[place...].firstIndex { $0 > 0x20 } ?? bytes.endIndex
                guard next > place else { return nil }
                place = next
            } else {
                guard place < bytes.endIndex, bytes[place] == byte else { return nil }
                place += 1
            }
        }
        return place
    }

    private static func names(in bytes: ArraySlice<UInt8>, all: Bool) -> [String] {
        bytes.split { !($0.isOfWord || ".-+`".utf8.contains($0)) }.filter(FrameText.isIdentifier)
            .map { String(decoding: $0, as: UTF8.self) }
            .filter { all || FrameTables.isCmdlet($0) && !$0.hasSuffix("-TargetResource") }
    }
}
