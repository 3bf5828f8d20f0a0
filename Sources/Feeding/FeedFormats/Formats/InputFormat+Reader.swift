public import ContentFeeding

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
