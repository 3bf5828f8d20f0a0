/// The line that names the columns.
enum HeaderLine {
    /// Bytes in which the first column of a header, and of a row, ends.
    static let maximumLook = 64

    /// Whether a line is one: its first column is called `Timestamp` or `TimestampUtc`.
    static func isHeader(_ window: borrowing ByteWindow, _ line: Range<Int>) -> Bool {
        var line = line
        if line.count > 3, window[line.lowerBound] == 0xEF, window[line.lowerBound + 1] == 0xBB,
            window[line.lowerBound + 2] == 0xBF
        {
            line = line.lowerBound + 3..<line.upperBound
        }
        let end = min(line.upperBound, line.lowerBound + maximumLook - 3)
        let tab = window.firstTab(from: line.lowerBound, to: end)
        guard tab < end else { return false }
        let name = window.trimmed(line.lowerBound..<tab)
        return window.equals(name, "timestamp") || window.equals(name, "timestamputc")
    }
}

extension ByteWindow {
    /// Whether a range says `lowercase`, without regard to ASCII case.
    func equals(_ range: Range<Int>, _ lowercase: StaticString) -> Bool {
        guard range.count == lowercase.utf8CodeUnitCount else { return false }
        return lowercase.withUTF8Buffer { text in
            var index = 0
            for offset in range {
                let byte = self[offset]
                let isUpper = byte &- 0x41 < 26
                guard unsafe (isUpper ? byte | 0x20 : byte) == text[index] else { return false }
                index += 1
            }
            return true
        }
    }
}
