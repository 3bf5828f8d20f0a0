/// How IDs or documents are written in an input; it is told, never guessed.
public enum InputFormat: Hashable, Sendable {
    /// An ID a line: LF or CRLF, the last one may lack it. Blanks belong to the ID unless they are trimmed.
    case lines(trimming: Bool = false)
    /// IDs that end with a NUL byte, every other byte being theirs: what `find -print0` writes.
    case nul
    /// JSON a line.
    ///
    /// For `remove` a line is a string, an object that has the field, `{"remove":"ID"}` or an envelope
    /// (`fastctl.document/1`). Else it is a document or an envelope; a document's ID is in the field, or in `id`.
    case jsonLines(field: String? = nil)
    /// Comma-separated values (RFC 4180), an ID in one column.
    ///
    /// For `add` and `update` the first row names the fields, and a row is a document of strings: a cell without a
    /// byte is a field that is not there, two quotes are an empty string.
    case csv(column: InputColumn)
    /// The same, separated by tabs.
    case tsv(column: InputColumn)
    /// Messages as Solr's update handler takes them.
    ///
    /// For `remove` the `<id>`s of `<delete>`, else the `<doc>`s of `<add>`, whose ID is in the field, or in `id`. All
    /// values are strings; a field that comes more than once is an array.
    case solrXML(field: String? = nil)
}

/// The column of a table that holds the IDs.
public enum InputColumn: Hashable, Sendable {
    /// By its name in the first row, which is no data then.
    case named(String)
    /// By its number from 1; the first row is data unless it is said to be a header.
    case number(Int, hasHeader: Bool = false)

    /// Reads an option's value: digits are a number, anything else is a name.
    public init(_ text: String, hasHeader: Bool = false) {
        if let number = Int(text), number > 0, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            self = .number(number, hasHeader: hasHeader)
        } else {
            self = .named(text)
        }
    }
}
