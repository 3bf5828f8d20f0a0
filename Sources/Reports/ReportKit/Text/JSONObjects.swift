package import JSONText
import TextKit

/// A sequence of objects: an array, or one object per line.
package struct JSONList {
    private let isArray: Bool
    private var isEmpty = true

    package init(isArray: Bool) { self.isArray = isArray }

    /// Appends the next object, written by `write`.
    package mutating func append(to bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        if isArray { bytes.append(text: isEmpty ? "[" : ",\n ") }
        isEmpty = false
        write(&bytes)
        if !isArray { bytes.append(0x0A) }
    }

    /// Appends the text after the last object.
    package func end(in bytes: inout [UInt8]) {
        guard isArray else { return }
        bytes.append(text: isEmpty ? "[]\n" : "]\n")
    }
}

extension JSONWriter {
    /// Writes a duration in seconds: `0.145022`, `7`.
    package mutating func member(_ key: String, microseconds: Int64?) {
        member(key, microseconds.map { Seconds(microseconds: $0) })
    }
}

/// A duration for the machine formats: exact seconds.
package struct Seconds: JSONWritable, CustomStringConvertible {
    package let description: String

    package init(microseconds: Int64) {
        let size = microseconds.magnitude
        var text = "\(microseconds < 0 ? "-" : "")\(size / 1_000_000)"
        if size % 1_000_000 != 0 {
            var fraction = (size % 1_000_000).padded(to: 6)
            while fraction.hasSuffix("0") { fraction.removeLast() }
            text += "." + fraction
        }
        description = text
    }

    package init(milliseconds: Int64) {
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        self.init(microseconds: overflow ? .max : microseconds)
    }

    package func write(to writer: inout JSONWriter) { writer.raw(Array(description.utf8)) }
}

extension JSONWriter {
    /// Writes a member with text from a log; `null` if there is none.
    package mutating func member(_ key: String, log text: String?) {
        member(key, text.flatMap { $0.isEmpty ? nil : $0 })
    }
}

/// The format of comma-separated values: by default that of RFC 4180, with commas and without a byte-order mark.
package struct CSVStyle: Hashable, Sendable {
    /// The character between fields: any ASCII character except a quote or a line end.
    package var delimiter: UInt8
    /// Whether a byte-order mark comes first; without it, Excel interprets UTF-8 as the regional code page.
    package var beginsWithMark: Bool

    package init(delimiter: UInt8 = UInt8(ascii: ","), beginsWithMark: Bool = false) {
        self.delimiter = delimiter
        self.beginsWithMark = beginsWithMark
    }
}

/// A table for spreadsheets and programs: rows of fields, with titles in the first row, and lines that end in CR LF.
package struct CSVText {
    private let style: CSVStyle
    private let columns: Int
    /// Whether an empty text is written as two quotes, so that it differs from a missing one.
    private let quotesEmpty: Bool

    /// Appends the titles.
    package init(_ titles: [String], _ style: CSVStyle, quotesEmpty: Bool = false, to bytes: inout [UInt8]) {
        (self.style, self.quotesEmpty) = (style, quotesEmpty)
        columns = titles.count
        if style.beginsWithMark { bytes.append(contentsOf: [0xEF, 0xBB, 0xBF]) }
        append(titles, to: &bytes)
    }

    /// Appends a row; `nil` is written as an empty field, and so are missing fields at the end.
    package func append(_ fields: [String?], to bytes: inout [UInt8]) {
        for index in 0..<columns {
            if index > 0 { bytes.append(style.delimiter) }
            guard index < fields.count, let field = fields[index] else { continue }
            CSVField.append(field.utf8.span, style, to: &bytes)
            if field.isEmpty, quotesEmpty { bytes.append(text: "\"\"" as StaticString) }
        }
        bytes.append(text: "\r\n" as StaticString)
    }
}

/// A field of comma-separated values that spreadsheets do not mistake for a formula.
package enum CSVField {
    /// Appends the field, quoted if its content requires it.
    ///
    /// A value to which ``FormulaGuard`` applies gets a leading tab within quotes, so that it remains text even after a
    /// spreadsheet saves and reopens it; readers of tables remove this tab.
    package static func append(_ text: Span<UInt8>, _ style: CSVStyle, to bytes: inout [UInt8]) {
        let isFormula = FormulaGuard.applies(to: text)
        guard isFormula || needsQuotes(text, style) else {
            return text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        }
        bytes.append(quote)
        if isFormula { bytes.append(FormulaGuard.tab) }
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
            // Spreadsheets in many countries expect semicolons, even if the file uses commas.
            return byte == quote || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte < 0x20
                || byte == style.delimiter
        }
    }
}

/// The columns of one entry of a list: a collection, a context, a job.
package protocol ListEntry {
    /// The titles and alignments of the readable table.
    static var titles: [String] { get }
    static var alignments: [TextTable.Alignment] { get }
    /// The cells of the entry's row.
    var row: [String] { get }
    /// The titles of the machine-readable table: keys of the JSON object.
    static var fieldTitles: [String] { get }
    /// The fields of its row in the machine-readable table, exact and without units; `nil` for an unknown value.
    var fields: [String?] { get }
    /// The name that other commands accept; `nil` if there is none.
    var entryName: String? { get }
    /// Appends its JSON object, without a line end.
    func append(to bytes: inout [UInt8])
}

/// Lists in all of their formats.
package enum ListRenderer {
    package static let forms: [OutputForm] = [.text, .json, .ndjson, .name, .csv, .markdown]

    /// Appends the entries in the given order, and returns the number of names that cannot be written as a line.
    ///
    /// As a list, JSON is an array with any number of entries; otherwise, each entry is a separate object.
    /// `width` is the width of the readable table; without entries, there is no table.
    @discardableResult
    package static func append<Entry: ListEntry>(
        _ entries: [Entry],
        as form: OutputForm,
        isList: Bool = true,
        nameEnd: NameEnd = .line,
        csv: CSVStyle = CSVStyle(),
        width: Int,
        to bytes: inout [UInt8]
    ) -> Int {
        switch form {
        case .text:
            guard !entries.isEmpty else { break }
            var table = TextTable(Entry.titles, alignments: Entry.alignments)
            for entry in entries { table.append(entry.row) }
            table.append(to: &bytes, width: width)
        case .json, .ndjson:
            var list = JSONList(isArray: isList && form == .json)
            for entry in entries { list.append(to: &bytes) { entry.append(to: &$0) } }
            list.end(in: &bytes)
        case .name:
            return entries.compactMap(\.entryName).count { !nameEnd.append($0, to: &bytes) }
        case .csv:
            let table = CSVText(Entry.fieldTitles, csv, to: &bytes)
            for entry in entries { table.append(entry.fields, to: &bytes) }
        case .markdown: markdownTable(of: entries).appendMarkdown(to: &bytes)
        default: form.failAsUndeclared()
        }
        return 0
    }

    /// Returns the table with numbers unchanged, and all other cells as untrusted text.
    private static func markdownTable<Entry: ListEntry>(of entries: [Entry]) -> TextTable {
        var table = TextTable(Entry.titles, alignments: Entry.alignments)
        for entry in entries {
            table.append(
                entry.row.enumerated().map { column, text in
                    let isNumber = Entry.alignments.indices.contains(column) && Entry.alignments[column] == .right
                    return TextTable.Cell(text: text, isOwn: isNumber || text.isEmpty)
                }
            )
        }
        return table
    }
}
