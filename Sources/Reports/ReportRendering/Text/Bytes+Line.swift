import TextSafety

extension [UInt8] {
    /// Appends text from outside as a part of one line: line ends as `↵`, tabs as blanks, the rest made safe.
    ///
    /// With `columns` it is cut to that many columns of a terminal, the last one being `…`.
    mutating func append(line text: Span<UInt8>, columns: Int? = nil, _ layout: TextLayout) {
        guard let columns else {
            guard text.needsFlattening(layout) else { return SafeText.append(text, to: &self) }
            return SafeText.append(text.flattened(layout).span, to: &self)
        }
        let start = count
        // Enough for any characters that fit: a character takes up to 9 code points.
        let head = text.extracting(first: columns * 40 + 64)
        var maximum = columns
        while true {
            if head.needsFlattening(layout) {
                SafeText.append(head.flattened(layout).span, maximum: maximum, to: &self)
            } else {
                SafeText.append(head, maximum: maximum, to: &self)
            }
            // Characters of two columns: cut by as many as are too wide.
            let excess = SafeText.width(String(decoding: self[start...], as: UTF8.self)) - columns
            guard excess > 0, maximum > 0 else { return }
            removeLast(count - start)
            maximum -= (excess + 1) / 2
        }
    }

    mutating func append(line text: String, columns: Int? = nil, _ layout: TextLayout) {
        append(line: text.utf8.span, columns: columns, layout)
    }

    /// Appends text of one's own, filled up with blanks to `width` columns.
    mutating func append(padded text: String, to width: Int) {
        append(text: text)
        append(blanks: width - SafeText.width(text))
    }

    mutating func append(blanks count: Int) {
        append(contentsOf: repeatElement(UInt8(ascii: " "), count: Swift.max(0, count)))
    }
}

/// Text from outside as a part of one line, cut if `columns` are given.
func lineText(_ text: String, columns: Int? = nil, _ layout: TextLayout) -> String {
    var bytes: [UInt8] = []
    bytes.append(line: text, columns: columns, layout)
    return String(decoding: bytes, as: UTF8.self)
}

extension Span<UInt8> {
    /// Whether it holds line ends, tabs, or what a runner obeys.
    fileprivate func needsFlattening(_ layout: TextLayout) -> Bool {
        var before: UInt8 = 0
        for index in indices {
            let byte = self[index]
            if byte == 0x09 || byte == 0x0A || byte == 0x0D { return true }
            if byte == UInt8(ascii: "#"), before == byte, layout.neutralizesRunnerCommands { return true }
            before = byte
        }
        return false
    }

    fileprivate func flattened(_ layout: TextLayout) -> [UInt8] {
        let lineEnd = layout.isUnicode ? " ↵ " : " \\n "
        var line: [UInt8] = []
        line.reserveCapacity(count + 16)
        var before: UInt8 = 0
        for index in indices {
            let byte = self[index]
            switch byte {
            case 0x0A where before == 0x0D: break
            case 0x0A, 0x0D: line.append(contentsOf: lineEnd.utf8)
            case 0x09: line.append(0x20)
            case UInt8(ascii: "#") where before == byte && layout.neutralizesRunnerCommands:
                line.append(0x20)
                line.append(byte)
            default: line.append(byte)
            }
            before = byte
        }
        return line
    }
}
