import JSONText

/// Text from a log as a JSON string.
///
/// U+2028 and U+2029 are escaped too: some readers of JSON lines end a line there.
struct LogString: JSONWritable {
    let text: String

    func write(to writer: inout JSONWriter) {
        guard text.utf8.contains(0xE2), text.unicodeScalars.contains(where: Self.isSeparator) else {
            return writer.value(text)
        }
        var inner = JSONWriter()
        inner.value(text)
        var escaped: [UInt8] = []
        for scalar in inner.text.unicodeScalars {
            switch scalar {
            case "\u{2028}": escaped.append(text: "\\u2028" as StaticString)
            case "\u{2029}": escaped.append(text: "\\u2029" as StaticString)
            default: escaped.append(contentsOf: UTF8.encode(scalar) ?? .init())
            }
        }
        writer.raw(escaped)
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{2028}" || scalar == "\u{2029}" }
}

extension JSONWriter {
    /// Writes a member with text from a log; `null` where there is none.
    mutating func member(_ key: String, log text: String?) {
        member(key, text.flatMap { $0.isEmpty ? nil : LogString(text: $0) })
    }
}
