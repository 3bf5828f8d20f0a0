public import ContentFeeding

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

extension InputFormat {
    /// The reader for one source of this format.
    func reader(of kind: ContentOperation.Kind, source: String, limits: InputLimits) -> any RecordReader {
        let lineFeed = UInt8(ascii: "\n")
        return switch self {
        case .lines(let trimming):
            FormatReader(LinesFormat(end: lineFeed, trims: trimming, limits: limits), source: source)
        case .nul:
            FormatReader(LinesFormat(end: 0, limits: limits), source: source)
        case .jsonLines(let field) where kind == .remove:
            FormatReader(JSONIDsFormat(field: field, limits: limits), source: source)
        case .jsonLines(let field):
            FormatReader(
                JSONDocumentsFormat(end: lineFeed, isUpdate: kind == .update, field: field ?? "id", limits: limits),
                source: source
            )
        case .csv(let column):
            table(UInt8(ascii: ","), column, of: kind, source: source, limits: limits)
        case .tsv(let column):
            table(UInt8(ascii: "\t"), column, of: kind, source: source, limits: limits)
        case .solrXML(let field):
            FormatReader(SolrXMLFormat(kind: kind, field: field ?? "id", limits: limits), source: source)
        }
    }

    private func table(
        _ delimiter: UInt8,
        _ column: InputColumn,
        of kind: ContentOperation.Kind,
        source: String,
        limits: InputLimits
    ) -> any RecordReader {
        func reader(_ rows: some TableRows) -> any RecordReader {
            FormatReader(TableFormat(rows, delimiter: delimiter, maximumColumns: limits.columns), source: source)
        }
        guard kind != .remove else { return reader(IDRows(column: column, limits: limits)) }
        return reader(DocumentRows(column: column, isUpdate: kind == .update, limits: limits))
    }

    /// The reader for arguments, each of which ends with a NUL byte.
    func argumentReader(
        of kind: ContentOperation.Kind,
        source: String,
        limits: InputLimits
    ) -> any RecordReader {
        if kind == .remove {
            return FormatReader(LinesFormat(end: 0, refusesEmpty: true, limits: limits), source: source)
        }
        var name = "id"
        if case .jsonLines(let field?) = self { name = field }
        let format = JSONDocumentsFormat(end: 0, isUpdate: kind == .update, field: name, limits: limits)
        return FormatReader(format, source: source)
    }

    /// True when a UTF-8 byte-order mark at the start belongs to the file and not to the first record.
    var dropsByteOrderMark: Bool { self != .nul }

    /// True when this format can carry such operations.
    public func carries(_ kind: ContentOperation.Kind) -> Bool {
        switch self {
        case .jsonLines, .csv, .tsv, .solrXML: true
        case .lines, .nul: kind == .remove
        }
    }
}
