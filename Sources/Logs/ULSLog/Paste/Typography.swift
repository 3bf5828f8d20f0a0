extension [UInt8] {
    /// Writes straight quotes and hyphens where a web site has put typographic ones, as rows of logs have them: `‘x’` becomes
    /// `'x'`, and `—>` the arrow before an inner exception.
    mutating func undoTypography() {
        guard let first = firstIndex(of: Typography.lead) else { return }
        var index = first
        var end = first
        while index < count {
            let (text, length) = Typography.plain(self, at: index)
            if let text {
                for byte in text {
                    self[end] = byte
                    end += 1
                }
            } else {
                self[end] = self[index]
                end += 1
            }
            index += length
        }
        removeLast(count - end)
    }
}

private enum Typography {
    /// The first byte of all of them.
    static let lead: UInt8 = 0xE2
    private static let (apostrophe, quote, arrow) = (Array("'".utf8), Array("\"".utf8), Array("--->".utf8))

    /// Returns what stands for a typographic sign, never longer than it; `nil` for any other byte.
    static func plain(_ text: [UInt8], at index: Int) -> (text: [UInt8]?, length: Int) {
        guard text[index] == lead, index + 2 < text.count, text[index + 1] == 0x80 else { return (nil, 1) }
        switch text[index + 2] {
        case 0x98, 0x99: return (apostrophe, 3)
        case 0x9C, 0x9D: return (quote, 3)
        // A site makes one dash of two or three hyphens.
        case 0x93...0x94 where index + 3 < text.count && text[index + 3] == UInt8(ascii: ">"): return (arrow, 4)
        default: return (nil, 1)
        }
    }
}
