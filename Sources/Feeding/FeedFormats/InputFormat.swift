public import ContentFeeding
public import TextKit

/// The format of IDs or documents in an input; it is always specified, never detected.
public enum InputFormat: Hashable, Sendable {
    /// One ID per line, ended by LF or CRLF, which is optional after the last line. Spaces and tabs are part of the ID
    /// unless they are trimmed.
    case lines(trimming: Bool = false)
    /// IDs, each ended by a NUL byte; they may contain any other byte, as in the output of `find -print0`.
    case nul
    /// One JSON value per line.
    ///
    /// For `remove`, a line is a string, an object with the field, `{"remove":"ID"}` or an envelope
    /// (`fastctl.document/1`). Otherwise, a line is a document or an envelope; a document's ID is in the field or, by
    /// default, in `id`. `{"remove":"ID"}` without an ID is a removal. An envelope has its own `routing`; for other
    /// objects, `routing` is the name of the member, if any.
    case jsonLines(field: String? = nil, routing: String? = nil)
    /// Comma-separated values (RFC 4180), with the ID in one column.
    ///
    /// For `add` and `update`, the first row names the fields, and each row is a document of strings: an empty cell
    /// means an absent field, and two quotes are an empty string.
    ///
    /// The routing value is in a second column, if one is specified; an empty cell means no routing value.
    case csv(column: InputColumn, routing: InputColumn? = nil)
    /// Tab-separated values, otherwise like CSV.
    case tsv(column: InputColumn, routing: InputColumn? = nil)
    /// Messages for Solr's update handler.
    ///
    /// For `remove`, the `<id>`s of `<delete>`; otherwise the `<doc>`s of `<add>`, whose ID is in the field, or in
    /// `id`. All values are strings; a repeated field is an array.
    case solrXML(field: String? = nil)
    /// JSON values, in arrays or one after another, spread over any number of lines; otherwise like JSON lines.
    case json(field: String? = nil, routing: String? = nil)
    /// Solr's update commands in JSON, and arrays of documents, whose ID is in the field, or in `id`.
    case solrJSON(field: String? = nil)
    /// Requests for the `_bulk` API of OpenSearch and Elasticsearch, for an index.
    ///
    /// For `add`, all actions are carried out in order; otherwise, only those of the requested kind. If an action has
    /// no ID, the document's ID is in the field.
    case bulk(index: DumpIndex, field: String? = nil)
    /// The data of an index as elasticdump writes it, one search hit on each line.
    case elasticdump(index: DumpIndex = .first)
}

/// The column of a table that holds the IDs.
public enum InputColumn: Hashable, Sendable {
    /// A name in the first row, which then does not contain data.
    case named(String)
    /// A number, starting at 1; the first row contains data unless it is declared a header.
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

/// The deviations of an input from the default form of its format.
public struct InputDialect: Hashable, Sendable {
    /// The byte between the cells of a table, replacing the format's default; a first line such as `sep=;`, as written
    /// by Excel, must match it.
    public var delimiter: UInt8?
    /// Whether lines that begin with `#` are skipped.
    public var hasComments = false
    /// The number of lines before a table that are skipped, whatever they contain.
    public var skippedLines = 0
    /// The columns of a table that become keys, and their types; `nil` if all columns become keys, with string values.
    public var columns: TableColumns?
    /// The key of an update in JSON that holds the whole document to add if the document does not exist; `nil` if
    /// updates have no such key.
    public var upsertKey: String?
    /// Whether the job adds the documents of updates that do not exist, so that `_bulk` updates may ask for it.
    public var addsMissing = false
    /// The location of the version in records; `nil` if they have none.
    public var version: VersionMember?
    /// Whether JSON lines are from a backup, whose operations are carried out only on documents that have not changed
    /// since the job.
    ///
    /// A line that only records another state in which the job left a document becomes an empty update.
    public var isBackup = false
    /// The encoding of text without a byte-order mark; `nil` if it is UTF-8.
    public var encoding: TextEncoding?

    /// Creates the dialect of an input in UTF-8 without comments or versions.
    public init() {}

    /// The text that distinguishes dialects in jobs.
    ///
    /// Later properties are added only if they are set, so jobs created by earlier versions are still found.
    package var identity: String {
        "InputDialect(delimiter: \(String(describing: delimiter)), hasComments: \(hasComments), "
            + "version: \(String(describing: version)), isBackup: \(isBackup), encoding: \(encoding?.name ?? "nil")"
            + (columns.map { ", columns: \($0.text)" } ?? "")
            + (skippedLines > 0 ? ", skippedLines: \(skippedLines)" : "")
            + (upsertKey.map { ", upsertKey: \($0)" } ?? "") + (addsMissing ? ", addsMissing: true" : "") + ")"
    }
}

/// The location of the version on which an operation depends, and its kind.
public struct VersionMember: Hashable, Sendable {
    /// The kind of version.
    public enum Kind: String, CaseIterable, Sendable {
        /// The engine's own version, which the document must still have; `null` or an empty cell means that the
        /// document must not exist.
        case unchanged
        /// An external number from the input, which must be higher than the document's.
        case external
    }

    /// The keys in JSON records: one key, or several whose values, joined by colons, make up the version.
    public var keys: [String] = []
    /// The column of a table.
    public var column: InputColumn?
    /// The kind of version.
    public var kind: Kind
    /// Whether the member is optional and can occur only in the program's own formats (an envelope and
    /// `{"remove":"ID"}`).
    var isOptional = false

    /// Creates the member of JSON records with these keys.
    public init(_ keys: [String], _ kind: Kind) { (self.keys, self.kind) = (keys, kind) }

    /// Creates the column of a table.
    public init(column: InputColumn, _ kind: Kind) { (self.column, self.kind) = (column, kind) }

    /// The member `onVersion` of a line, as in plans; lines without it have no condition.
    static let onVersion: VersionMember = {
        var member = VersionMember([OperationText.versionKey], .unchanged)
        member.isOptional = true
        return member
    }()
}

extension VersionMember.Kind {
    /// Returns the condition that this version implies for a document.
    func condition(of version: String) throws(RejectedRecord) -> WriteCondition {
        switch self {
        case .unchanged: return .unchanged(DocumentVersion(rawValue: version))
        case .external:
            guard let number = Int64(version), number >= 0 else {
                throw RejectedRecord("the version '\(version.prefix(40))' is not a whole number of 0 or more")
            }
            return .olderThan(number)
        }
    }
}

extension InputFormat {
    /// Returns the reader for one source of this format.
    func reader(
        of kind: ContentOperation.Kind,
        source: String,
        _ dialect: InputDialect,
        limits: InputLimits
    ) -> any RecordReader {
        let lineFeed = UInt8(ascii: "\n")
        let comments = dialect.hasComments
        return switch self {
        case .lines(let trimming):
            FormatReader(
                LinesFormat(end: lineFeed, trims: trimming, limits: limits),
                source: source,
                hasComments: comments
            )
        case .nul:
            FormatReader(LinesFormat(end: 0, limits: limits), source: source)
        case .jsonLines(let field, let routing) where kind == .remove:
            FormatReader(
                JSONIDsFormat(field: field, routingField: routing, version: dialect.version, limits: limits),
                source: source,
                hasComments: comments
            )
        case .jsonLines(let field, let routing):
            FormatReader(
                JSONDocumentsFormat(
                    end: lineFeed,
                    isUpdate: kind == .update,
                    field: field ?? "id",
                    routingField: routing,
                    version: dialect.version,
                    isBackup: dialect.isBackup,
                    upsertKey: dialect.upsertKey,
                    limits: limits
                ),
                source: source,
                hasComments: comments
            )
        case .csv(let column, let routing):
            table(UInt8(ascii: ","), column, routing, of: kind, source: source, dialect, limits: limits)
        case .tsv(let column, let routing):
            table(UInt8(ascii: "\t"), column, routing, of: kind, source: source, dialect, limits: limits)
        case .solrXML(let field):
            FormatReader(SolrXMLFormat(kind: kind, field: field ?? "id", limits: limits), source: source)
        case .json(let field, let routing) where kind == .remove:
            stream(
                .ids(JSONIDsFormat(field: field, routingField: routing, version: dialect.version, limits: limits)),
                source: source,
                limits
            )
        case .json(let field, let routing):
            stream(
                .documents(
                    JSONDocumentsFormat(
                        end: lineFeed,
                        isUpdate: kind == .update,
                        field: field ?? "id",
                        routingField: routing,
                        version: dialect.version,
                        isBackup: dialect.isBackup,
                        upsertKey: dialect.upsertKey,
                        limits: limits
                    )
                ),
                source: source,
                limits
            )
        case .solrJSON(let field):
            stream(.solr(SolrJSONValues(kind: kind, field: field ?? "id", limits: limits)), source: source, limits)
        case .bulk(let index, let field):
            FormatReader(
                BulkFormat(
                    kind: kind,
                    index: index,
                    field: field,
                    takesVersions: dialect.version?.kind == .external,
                    addsMissing: dialect.addsMissing,
                    limits: limits
                ),
                source: source,
                hasComments: comments
            )
        case .elasticdump(let index):
            FormatReader(
                ElasticdumpFormat(kind: kind, index: index, limits: limits),
                source: source,
                hasComments: comments
            )
        }
    }

    private func stream(
        _ meaning: JSONStreamFormat.Meaning,
        source: String,
        _ limits: InputLimits
    ) -> any RecordReader {
        FormatReader(JSONStreamFormat(meaning, limits: limits), source: source)
    }

    private func table(
        _ delimiter: UInt8,
        _ column: InputColumn,
        _ routing: InputColumn?,
        of kind: ContentOperation.Kind,
        source: String,
        _ dialect: InputDialect,
        limits: InputLimits
    ) -> any RecordReader {
        func reader(_ rows: some TableRows) -> any RecordReader {
            let format = TableFormat(rows, delimiter: delimiter, dialect, maximumColumns: limits.columns)
            return FormatReader(format, source: source, hasComments: dialect.hasComments)
        }
        let version = dialect.version
        guard kind != .remove else {
            return reader(IDRows(column: column, routing: routing, version: version, limits: limits))
        }
        let isUpdate = kind == .update
        return reader(
            DocumentRows(
                column: column,
                routing: routing,
                version: version,
                columns: dialect.columns,
                isUpdate: isUpdate,
                limits: limits
            )
        )
    }

    /// Returns the reader for arguments, each of which ends with a NUL byte.
    func argumentReader(of kind: ContentOperation.Kind, source: String, limits: InputLimits) -> any RecordReader {
        if kind == .remove {
            var reader = FormatReader(LinesFormat(end: 0, refusesEmpty: true, limits: limits), source: source)
            reader.recordEnd = argumentEnd
            return reader
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
        var reader = FormatReader(format, source: source)
        reader.recordEnd = argumentEnd
        return reader
    }

    /// The bytes that end an argument written as a record of the format; `nil` if the format differs.
    private var argumentEnd: [UInt8]? {
        switch self {
        case .lines: [UInt8(ascii: "\n")]
        case .nul: [0]
        case .jsonLines, .csv, .tsv, .solrXML, .json, .solrJSON, .bulk, .elasticdump: nil
        }
    }

    /// Whether a UTF-8 byte-order mark at the start is part of the file rather than of the first record.
    var dropsByteOrderMark: Bool { self != .nul }

    /// Returns whether this format supports operations of this kind.
    public func carries(_ kind: ContentOperation.Kind) -> Bool {
        switch self {
        case .jsonLines, .csv, .tsv, .solrXML, .json, .solrJSON, .bulk, .elasticdump: true
        case .lines, .nul: kind == .remove
        }
    }
}
