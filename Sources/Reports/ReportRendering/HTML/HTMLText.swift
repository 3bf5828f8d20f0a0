import TextSafety

extension [UInt8] {
    /// Appends text as the content of an element or within an attribute's double quotes: the only way for text into a
    /// page, whoever wrote it.
    ///
    /// What nobody sees or somebody obeys becomes a symbol (`␛`, `‹U+202E›`), then markup is escaped. Line ends are kept
    /// for a block, and are `↵` in a line.
    mutating func append(html text: String, keepsLines: Bool = false) {
        let text = text.utf8.span
        var safe: [UInt8] = []
        safe.reserveCapacity(text.count)
        var start = 0
        for index in text.indices {
            let byte = text[index]
            guard byte == 0x0A || byte == 0x0D || byte == 0x09 else { continue }
            SafeText.append(text.extracting(start..<index), in: .symbols, to: &safe)
            start = index + 1
            if byte == 0x09 {
                safe.append(0x20)
            } else if byte == 0x0D, start < text.count, text[start] == 0x0A {
                continue
            } else if keepsLines {
                safe.append(0x0A)
            } else {
                safe.append(contentsOf: " ↵ ".utf8)
            }
        }
        SafeText.append(text.extracting(start..<text.count), in: .symbols, to: &safe)
        for byte in safe {
            switch byte {
            case UInt8(ascii: "&"): append(text: "&amp;" as StaticString)
            case UInt8(ascii: "<"): append(text: "&lt;" as StaticString)
            case UInt8(ascii: ">"): append(text: "&gt;" as StaticString)
            case UInt8(ascii: "\""): append(text: "&quot;" as StaticString)
            case UInt8(ascii: "'"): append(text: "&#39;" as StaticString)
            default: append(byte)
            }
        }
    }
}

/// The part of an untrusted text that a page shows.
struct HTMLExcerpt {
    let text: String
    /// Bytes that were cut.
    let missing: Int

    /// The most bytes of a text in a page.
    static let maximumBytes = 2048

    init(_ text: String, maximum: Int = maximumBytes) {
        let bytes = text.utf8
        guard bytes.count > maximum else {
            self.text = text
            missing = 0
            return
        }
        var end = bytes.index(bytes.startIndex, offsetBy: maximum)
        while end > bytes.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            end = bytes.index(before: end)
        }
        self.text = String(text[..<end])
        missing = bytes.distance(from: end, to: bytes.endIndex)
    }
}
