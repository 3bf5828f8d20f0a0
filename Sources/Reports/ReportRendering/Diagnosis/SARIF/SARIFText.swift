import JSONText
import LogDiagnosis

/// Text for SARIF's messages.
enum SARIFText {
    private static let layout = TextLayout(neutralizesRunnerCommands: true)

    /// Lines of text in which nothing is taken for a link to another place in the file.
    static func message(_ lines: [String]) -> LogString {
        let text = lines.map { lineText($0, layout) }.joined(separator: "\n")
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") { escaped.append(UInt8(ascii: "\\")) }
            escaped.append(byte)
        }
        return LogString(text: String(decoding: escaped, as: UTF8.self))
    }

    /// Plain text of at most so many characters.
    static func plain(_ text: String, maximum: Int) -> LogString {
        let line = lineText(text, layout)
        // Characters of several code points count once here, and in code units there.
        guard line.utf16.count > maximum else { return LogString(text: line) }
        var cut = ""
        var length = 1
        for character in line {
            length += character.utf16.count
            if length > maximum { break }
            cut.append(character)
        }
        return LogString(text: cut + "…")
    }
}

extension Severity {
    /// SARIF's word.
    var sarifLevel: String {
        switch self {
        case .critical, .error: "error"
        case .warning: "warning"
        case .info: "note"
        }
    }
}
