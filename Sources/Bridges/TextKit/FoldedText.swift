/// A text in lowercase, with single spaces and plain apostrophes, that records the original positions of its bytes.
package struct FoldedText {
    package private(set) var bytes: [UInt8] = []
    /// The original position of each byte, and finally the length of the original text.
    package private(set) var origins: [Int32] = []

    package init(_ text: [UInt8]) {
        bytes.reserveCapacity(text.count)
        origins.reserveCapacity(text.count + 1)
        var position = 0
        while position < text.count {
            let byte = text[position]
            let start = position
            position += 1
            if byte <= 0x20 {
                space(start)
            } else if byte == 0xC2, position < text.count, text[position] == 0xA0 {
                position += 1
                space(start)
            } else if byte == 0xE2, text[position...].prefix(2).isEndOfQuote {
                position += 2
                append(UInt8(ascii: "'"), start)
            } else if byte == 0xE2, text[position...].starts(with: [0x80, 0xA6]) {
                // A truncation mark also ends a sentence.
                position += 2
                append(UInt8(ascii: "."), start)
            } else if byte == 0xC3, position < text.count, 0x80...0x9E ~= text[position] {
                // À to Þ
                append(byte, start)
                append(text[position] | 0x20, position)
                position += 1
            } else {
                append(byte.lowercased, start)
            }
        }
        origins.append(Int32(text.count))
    }

    private mutating func append(_ byte: UInt8, _ origin: Int) {
        bytes.append(byte)
        origins.append(Int32(origin))
    }

    private mutating func space(_ origin: Int) {
        if bytes.last != 0x20 { append(0x20, origin) }
    }

    @inlinable package func isStartOfWord(_ place: Int) -> Bool {
        bytes[place] != 0x20 && (place == 0 || !bytes[place - 1].isOfWord || !bytes[place].isOfWord)
    }

    /// Returns the end of a phrase that begins at `start`, with at most `gap` bytes between its parts; `nil` if the
    /// phrase is not there.
    package func end(of parts: [[UInt8]], at start: Int, gap: Int) -> Int? {
        var end = start
        for (number, part) in parts.enumerated() {
            let last = number == 0 ? start : min(end + gap, bytes.count - part.count)
            guard let place = place(of: part, from: end, through: last) else { return nil }
            end = place + part.count
        }
        let isWhole = end == bytes.count || !bytes[end].isOfWord || !bytes[end - 1].isOfWord
        return isWhole ? end : nil
    }

    private func place(of part: [UInt8], from first: Int, through last: Int) -> Int? {
        var place = first
        while place <= last, place + part.count <= bytes.count {
            if bytes[place] == part[0], bytes[place..<(place + part.count)].elementsEqual(part) { return place }
            place += 1
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// The last two bytes of ‘ or ’, which some languages use as an apostrophe.
    fileprivate var isEndOfQuote: Bool { count == 2 && first == 0x80 && (last == 0x98 || last == 0x99) }
}
