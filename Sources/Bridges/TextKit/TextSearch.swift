/// String searches that require only the standard library.
///
/// Strings are compared by their UTF-8 bytes: strings with different Unicode scalars are not equal. If a file also
/// imports Foundation or the standard library's own searches, as tests do, those take precedence.
extension StringProtocol {
    /// Returns the range of the first occurrence of a string; `nil` if there is none.
    @_disfavoredOverload
    package func firstRange(of other: some StringProtocol) -> Range<Index>? { utf8.firstRange(of: other.utf8) }

    /// Returns whether a string occurs in this one; the empty string occurs in any string.
    @_disfavoredOverload
    package func contains(_ other: some StringProtocol) -> Bool { firstRange(of: other) != nil }

    /// Returns this string with each occurrence of `old`, which must not be empty, replaced by another string.
    @_disfavoredOverload
    package func replacing(_ old: some StringProtocol, with new: some StringProtocol) -> String {
        guard let first = firstRange(of: old), !first.isEmpty else { return String(self) }
        var (result, rest) = (String(self[..<first.lowerBound]), self[first.upperBound...])
        result += new
        while let next = rest.firstRange(of: old) {
            result += rest[..<next.lowerBound]
            result += new
            rest = rest[next.upperBound...]
        }
        return result + rest
    }

    /// Returns the parts of this string between the first `maxSplits` occurrences of a separator string.
    package func split(
        by separator: some StringProtocol,
        maxSplits: Int = .max,
        omittingEmptySubsequences: Bool = true
    ) -> [SubSequence] {
        var parts: [SubSequence] = []
        var rest = self[...]
        while parts.count < maxSplits, let next = rest.firstRange(of: separator), !next.isEmpty {
            let part = rest[..<next.lowerBound]
            if !part.isEmpty || !omittingEmptySubsequences { parts.append(part) }
            rest = rest[next.upperBound...]
        }
        if !rest.isEmpty || !omittingEmptySubsequences { parts.append(rest) }
        return parts
    }
}

extension Collection<UInt8> {
    /// Returns the range of the first occurrence of a sequence of bytes; `nil` if there is none.
    @inlinable @_disfavoredOverload
    package func firstRange(of other: some Collection<UInt8>) -> Range<Index>? {
        guard let first = other.first else { return startIndex..<startIndex }
        var rest = self[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: other) { return start..<rest.index(start, offsetBy: other.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}

extension String {
    /// Returns the longest prefix that has at most the given number of bytes in UTF-8, without a partial character.
    package func prefix(utf8Bytes maximum: Int) -> String {
        guard utf8.count > maximum else { return self }
        var end = utf8.index(startIndex, offsetBy: maximum)
        while end > startIndex, String.Index(end, within: self) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension [UInt8] {
    /// Returns the position of the first lowercase ASCII word at or after a position, whose case in these bytes is
    /// ignored; `nil` if there is none.
    package func firstIndex(ofLowercase word: String, from start: Int = 0) -> Int? {
        let word = Array(word.utf8)
        guard count - start >= word.count else { return nil }
        return (start...(count - word.count)).first { place in
            self[place] == word[0] && word.indices.allSatisfy { self[place + $0].lowercased == word[$0] }
        }
    }

    /// The same UTF-8 text with ordinary blanks and quotation marks in the places of typographic ones: `"Add"` with
    /// blanks around it instead of `« Add »`, `“Add”` or `「Add」`.
    ///
    /// All other characters keep their positions. An apostrophe within a word stays as it is.
    package var withPlainMarks: [UInt8] {
        guard contains(where: { $0 == 0xC2 || $0 == 0xE2 || $0 == 0xE3 }) else { return self }
        var bytes = self
        for place in indices.dropLast(2) {
            guard let mark = Self.plainMark(self[place...(place + 2)]) else { continue }
            let (last, next) = (place > 0 ? self[place - 1] : 0x20, place + 3 < count ? self[place + 3] : 0x20)
            if mark == 0x27, last.isLetter, next.isLetter { continue }
            let isOpening = !(last.isOfWord || ".!?)".utf8.contains(last)) && next > 0x20
            bytes[place...(place + 2)] = isOpening ? [0x20, 0x20, mark] : [mark, 0x20, 0x20]
        }
        for place in indices.dropLast() {
            if bytes[place...].starts(with: [0xC2, 0xA0]) { bytes[place...(place + 1)] = [0x20, 0x20] }
            if bytes[place...].starts(with: [0xE2, 0x80, 0xAF]) { bytes[place...(place + 2)] = [0x20, 0x20, 0x20] }
        }
        for place in indices.dropLast() where bytes[place] == 0xC2 {
            let isOpening = bytes[place + 1] == 0xAB
            guard isOpening || bytes[place + 1] == 0xBB else { continue }
            // The blanks inside are part of the marks.
            let start = isOpening ? place : bytes[..<place].lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0
            let end = isOpening ? bytes[(place + 2)...].firstIndex { $0 != 0x20 } ?? count : place + 2
            for blank in start..<end { bytes[blank] = 0x20 }
            bytes[isOpening ? end - 1 : start] = 0x22
        }
        return bytes
    }

    /// Returns the plain form of a typographic quotation mark of three bytes: of “„”, ‘‚’ or 「」『』.
    private static func plainMark(_ bytes: ArraySlice<UInt8>) -> UInt8? {
        switch (bytes[bytes.startIndex], bytes[bytes.startIndex + 1], bytes[bytes.startIndex + 2]) {
        case (0xE2, 0x80, 0x9C...0x9E), (0xE3, 0x80, 0x8C...0x8F): 0x22
        case (0xE2, 0x80, 0x98...0x9A): 0x27
        default: nil
        }
    }
}

extension Substring {
    /// Returns the text before and after the first occurrence of a separator.
    package func parts(around separator: StaticString) -> (Substring, Substring)? {
        let length = separator.utf8CodeUnitCount
        var start = startIndex
        while start < endIndex, let end = utf8.index(start, offsetBy: length, limitedBy: endIndex) {
            let isFound = separator.withUTF8Buffer { unsafe utf8[start..<end].elementsEqual($0) }
            if isFound { return (self[..<start], self[end...]) }
            start = utf8.index(after: start)
        }
        return nil
    }

    /// Returns the parts between separators, such as commas or semicolons, without leading spaces.
    package func items(_ separator: UInt8) -> [String] {
        utf8.split(separator: separator).map { String(Substring($0.drop { $0 == UInt8(ascii: " ") })) }
    }
}

extension ArraySlice<UInt8> {
    /// Returns the parts between separators, such as commas or semicolons, without leading spaces.
    package func items(_ separator: UInt8) -> [String] {
        split(separator: separator).map { String(decoding: $0.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self) }
    }
}

extension ArraySlice<UInt8> {
    /// The place of the first bracket that is not closed; `nil` if all are closed.
    package var openBracket: Int? {
        var open: [Int] = []
        for place in indices {
            if "([{".utf8.contains(self[place]) { open.append(place) }
            if ")]}".utf8.contains(self[place]) { _ = open.popLast() }
        }
        return open.first
    }
}

extension String {
    /// Returns whether a part of a name occurs in the text, in the same case.
    package func has(_ part: String) -> Bool {
        // Spans of the bytes: slices of the views take several times as long.
        let (text, part) = (utf8.span, part.utf8.span)
        guard part.count > 0 else { return true }
        var start = 0
        while start + part.count <= text.count {
            var length = 0
            while length < part.count, text[start + length] == part[length] { length += 1 }
            if length == part.count { return true }
            start += 1
        }
        return false
    }
}
