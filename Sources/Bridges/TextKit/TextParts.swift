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
        let (text, part) = (utf8, part.utf8)
        guard let first = part.first else { return true }
        var start = text.startIndex
        while let place = text[start...].firstIndex(of: first) {
            if text[place...].starts(with: part) { return true }
            start = text.index(after: place)
        }
        return false
    }
}
