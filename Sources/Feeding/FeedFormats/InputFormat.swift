public import ContentFeeding

/// The format of IDs or documents in an input; it is specified, never guessed.
public enum InputFormat: Hashable, Sendable {
    /// One ID per line, ended by LF or CRLF; the last line may lack it. Blanks belong to the ID unless they are
    /// trimmed.
    case lines(trimming: Bool = false)
    /// IDs that end with a NUL byte and may hold any other, as `find -print0` writes them.
    case nul
    /// One JSON value per line.
    ///
    /// For `remove`, a line is a string, an object that has the field, `{"remove":"ID"}` or an envelope
    /// (`fastctl.document/1`). Otherwise it is a document or an envelope; a document's ID is in the field, or in `id`.
    /// An envelope has its own `routing`; elsewhere it is in the member `routing` names, if any.
    case jsonLines(field: String? = nil, routing: String? = nil)
    /// Comma-separated values (RFC 4180), with the ID in one column.
    ///
    /// For `add` and `update`, the first row names the fields, and each row is a document of strings: an empty cell is
    /// an absent field, two quotes are an empty string.
    ///
    /// The routing is in a second column, if that is given; an empty cell there is none.
    case csv(column: InputColumn, routing: InputColumn? = nil)
    /// Tab-separated values, otherwise the same.
    case tsv(column: InputColumn, routing: InputColumn? = nil)
    /// Messages for Solr's update handler.
    ///
    /// For `remove`, the `<id>`s of `<delete>`; otherwise the `<doc>`s of `<add>`, whose ID is in the field, or in
    /// `id`. All values are strings; a repeated field is an array.
    case solrXML(field: String? = nil)
}

/// The column of a table that holds the IDs.
public enum InputColumn: Hashable, Sendable {
    /// A name in the first row, which then is not data.
    case named(String)
    /// A number from 1; the first row is data unless it is declared a header.
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
    /// Returns the reader for one source of this format.
    func reader(of kind: ContentOperation.Kind, source: String, limits: InputLimits) -> any RecordReader {
        let lineFeed = UInt8(ascii: "\n")
        return switch self {
        case .lines(let trimming):
            FormatReader(LinesFormat(end: lineFeed, trims: trimming, limits: limits), source: source)
        case .nul:
            FormatReader(LinesFormat(end: 0, limits: limits), source: source)
        case .jsonLines(let field, let routing) where kind == .remove:
            FormatReader(JSONIDsFormat(field: field, routingField: routing, limits: limits), source: source)
        case .jsonLines(let field, let routing):
            FormatReader(
                JSONDocumentsFormat(
                    end: lineFeed,
                    isUpdate: kind == .update,
                    field: field ?? "id",
                    routingField: routing,
                    limits: limits
                ),
                source: source
            )
        case .csv(let column, let routing):
            table(UInt8(ascii: ","), column, routing, of: kind, source: source, limits: limits)
        case .tsv(let column, let routing):
            table(UInt8(ascii: "\t"), column, routing, of: kind, source: source, limits: limits)
        case .solrXML(let field):
            FormatReader(SolrXMLFormat(kind: kind, field: field ?? "id", limits: limits), source: source)
        }
    }

    private func table(
        _ delimiter: UInt8,
        _ column: InputColumn,
        _ routing: InputColumn?,
        of kind: ContentOperation.Kind,
        source: String,
        limits: InputLimits
    ) -> any RecordReader {
        func reader(_ rows: some TableRows) -> any RecordReader {
            FormatReader(TableFormat(rows, delimiter: delimiter, maximumColumns: limits.columns), source: source)
        }
        guard kind != .remove else { return reader(IDRows(column: column, routing: routing, limits: limits)) }
        return reader(DocumentRows(column: column, routing: routing, isUpdate: kind == .update, limits: limits))
    }

    /// Returns the reader for arguments, each of which ends with a NUL byte.
    func argumentReader(
        of kind: ContentOperation.Kind,
        source: String,
        limits: InputLimits
    ) -> any RecordReader {
        if kind == .remove {
            return FormatReader(LinesFormat(end: 0, refusesEmpty: true, limits: limits), source: source)
        }
        var (name, routing) = ("id", String?.none)
        if case .jsonLines(let field, let given) = self { (name, routing) = (field ?? name, given) }
        let format = JSONDocumentsFormat(
            end: 0,
            isUpdate: kind == .update,
            field: name,
            routingField: routing,
            limits: limits
        )
        return FormatReader(format, source: source)
    }

    /// True when a UTF-8 byte-order mark at the start belongs to the file and not to the first record.
    var dropsByteOrderMark: Bool { self != .nul }

    /// Returns whether this format can carry operations of this kind.
    public func carries(_ kind: ContentOperation.Kind) -> Bool {
        switch self {
        case .jsonLines, .csv, .tsv, .solrXML: true
        case .lines, .nul: kind == .remove
        }
    }
}
