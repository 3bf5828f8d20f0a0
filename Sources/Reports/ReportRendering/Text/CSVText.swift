/// How comma-separated values are written: by default as RFC 4180 says, with commas and without a byte-order mark.
public struct CSVStyle: Hashable, Sendable {
    /// The character between fields: any but a quote or a line end, in ASCII.
    public var delimiter: UInt8
    /// Whether a byte-order mark comes first; without it, Excel takes UTF-8 for the code page of its country.
    public var beginsWithMark: Bool

    public init(delimiter: UInt8 = UInt8(ascii: ","), beginsWithMark: Bool = false) {
        self.delimiter = delimiter
        self.beginsWithMark = beginsWithMark
    }
}

/// A table for spreadsheets and programs: rows of fields, the first of them titles, lines ending in CR LF.
struct CSVText {
    private let style: CSVStyle
    private let columns: Int

    /// Appends the titles.
    init(_ titles: [String], _ style: CSVStyle, to bytes: inout [UInt8]) {
        self.style = style
        columns = titles.count
        if style.beginsWithMark { bytes.append(contentsOf: [0xEF, 0xBB, 0xBF]) }
        append(titles, to: &bytes)
    }

    /// Appends a row; `nil` is an empty field, and so are those that are missing at the end.
    func append(_ fields: [String?], to bytes: inout [UInt8]) {
        for index in 0..<columns {
            if index > 0 { bytes.append(style.delimiter) }
            if index < fields.count, let field = fields[index] { CSVField.append(field.utf8.span, style, to: &bytes) }
        }
        bytes.append(text: "\r\n" as StaticString)
    }
}

/// A field of comma-separated values that no spreadsheet mistakes for a formula.
enum CSVField {
    /// Appends the field, quoted if its content requires it.
    ///
    /// A value that begins like a formula (`=`, `+`, `-`, `@`, tab, carriage return, also in full width) and is not a
    /// number gets a leading tab within quotes, so that it stays text even after a spreadsheet saves and reopens it.
    static func append(_ text: Span<UInt8>, _ style: CSVStyle, to bytes: inout [UInt8]) {
        let isFormula = beginsFormula(text) && !isNumber(text)
        guard isFormula || needsQuotes(text, style) else {
            return text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        }
        bytes.append(quote)
        if isFormula { bytes.append(0x09) }
        for index in text.indices {
            if text[index] == quote { bytes.append(quote) }
            bytes.append(text[index])
        }
        bytes.append(quote)
    }

    private static let quote = UInt8(ascii: "\"")

    private static func needsQuotes(_ text: Span<UInt8>, _ style: CSVStyle) -> Bool {
        guard text.count > 0 else { return false }
        // Leading and trailing spaces are part of the text, but some readers strip them.
        if text[0] == 0x20 || text[text.count - 1] == 0x20 { return true }
        return text.indices.contains { index in
            let byte = text[index]
            // Spreadsheets of many countries separate by semicolons, whatever the file says.
            return byte == quote || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte < 0x20
                || byte == style.delimiter
        }
    }

    private static func beginsFormula(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0 else { return false }
        switch text[0] {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: return true
        // U+FF0B ＋, U+FF0D －, U+FF1D ＝, U+FF20 ＠
        case 0xEF where text.count > 2 && text[1] == 0xBC: return [0x8B, 0x8D, 0x9D, 0xA0].contains(text[2])
        default: return false
        }
    }

    /// Whether the text is a decimal number, with or without a sign: `-5`, `+0.25`.
    private static func isNumber(_ text: Span<UInt8>) -> Bool {
        var digits = 0
        var points = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
            case UInt8(ascii: "."): points += 1
            case UInt8(ascii: "-") where index == 0, UInt8(ascii: "+") where index == 0: break
            default: return false
            }
        }
        return digits > 0 && points < 2 && text[text.count - 1] != UInt8(ascii: ".")
    }
}
