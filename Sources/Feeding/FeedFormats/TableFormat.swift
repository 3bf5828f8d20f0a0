import ContentFeeding
import JSONText
import TextKit

/// A table of comma-separated (RFC 4180) or tab-separated values.
///
/// Quotes must follow the standard, and every row must have as many fields as the first: an incorrectly split row would
/// change the wrong document. `Rows` interprets the rows.
struct TableFormat<Rows: TableRows>: RecordFormat {
    private var rows: Rows
    private var splitter: FieldSplitter
    private var boundary: FieldBoundary
    private let chosenDelimiter: UInt8?
    /// Whether a row has been read, including one that only specifies the delimiter.
    private var hasRow = false
    private var hasBegun = false
    private var refusal: TableRefusal?
    /// The cells of the first row, if it contains titles.
    private var titles: [[UInt8]] = []
    private(set) var repeatedTitles = 0

    /// `delimiter` is the format's default, which the dialect or the first row may replace.
    init(_ rows: Rows, delimiter: UInt8, _ dialect: InputDialect = InputDialect(), maximumColumns: Int) {
        self.rows = rows
        chosenDelimiter = dialect.delimiter
        let delimiter = dialect.delimiter ?? delimiter
        splitter = FieldSplitter(delimiter: delimiter, maximumFields: maximumColumns)
        boundary = FieldBoundary(
            delimiter: delimiter,
            hasComments: dialect.hasComments,
            linesToSkip: dialect.skippedLines,
            hasTitles: rows.hasTitles
        )
    }

    var maximumRecordBytes: Int { rows.maximumRowBytes }
    var tooLong: String { "a row longer than \(maximumRecordBytes) bytes; check that each quote is closed" }
    var dropsCarriageReturn: Bool { true }
    var holdsLineEnds: Bool { true }
    var lineEnd: UInt8 { boundary.lineEnd }
    var isReady: Bool { hasBegun || refusal != nil }
    var unfinished: String? {
        if boundary.isSkipping { return "the input ends within the lines that --skip-lines skips; skip fewer lines" }
        return boundary.isInQuotes ? "the input ends inside quotes; close the quote that opens in this row" : nil
    }

    func refusal(source: String) -> InputError? {
        guard let refusal else { return nil }
        var error = InputError(refusal.code, source: source, reason: refusal.reason)
        error.option = refusal.option
        return error
    }

    mutating func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? { boundary.end(in: bytes, from: start) }

    mutating func readingOfTooLong() -> RecordReading {
        guard !boundary.isSkipping else { return .structure }
        if !isReady { refusal = TableRefusal(.malformedHeader, "the first row is \(tooLong)") }
        return .rejected(tooLong)
    }

    mutating func reading(_ record: Span<UInt8>) -> RecordReading {
        guard refusal == nil, !boundary.isSkipping else { return .structure }
        guard record.count > 0 else { return .blank }
        guard hasBegun else {
            defer { hasRow = true }
            if !hasRow, let delimiter = Self.delimiter(namedBy: record) { return use(delimiter) }
            return begin(with: record)
        }
        do throws(RejectedRecord) {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            if record[0] == mark[0], record.count > mark.count, mark.indices.allSatisfy({ record[$0] == mark[$0] }),
                let fields = try? splitter.fields(of: record.extracting(mark.count..<record.count)),
                areTitles(fields, of: record.extracting(mark.count..<record.count))
            {
                return passOverTitles()
            }
            let fields = try splitter.fields(of: record)
            if boundary.lineEnd != UInt8(ascii: "\n") { try Self.refuseLineFeeds(in: fields, of: record) }
            return areTitles(fields, of: record)
                ? passOverTitles() : .operation(try rows.operation(fields, of: record))
        } catch {
            return .rejected(error.reason)
        }
    }

    /// Throws if a line ends in a line feed, although the first line ends in a carriage return alone.
    private static func refuseLineFeeds(
        in fields: [FieldSplitter.Field],
        of row: Span<UInt8>
    ) throws(RejectedRecord) {
        for field in fields where !field.isQuoted {
            guard row.extracting(field.range).offset(of: UInt8(ascii: "\n")) == nil else {
                throw RejectedRecord(
                    "has a line feed outside quotes, but the first line ends in a carriage return; end all lines alike"
                )
            }
        }
    }

    /// Returns whether a row repeats the titles of the first row, as in concatenated tables.
    private func areTitles(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) -> Bool {
        guard fields.count == titles.count else { return false }
        for (field, title) in zip(fields, titles) {
            guard field.hasDoubledQuotes || field.range.count == title.count,
                FieldSplitter.unquoted(field, of: row) == title
            else { return false }
        }
        return true
    }

    private mutating func passOverTitles() -> RecordReading {
        repeatedTitles += 1
        return .blank
    }

    /// Returns the delimiter that a first row such as `sep=;` specifies for Excel.
    private static func delimiter(namedBy record: Span<UInt8>) -> UInt8? {
        let name = Array("sep=".utf8)
        guard record.count == name.count + 1, name.indices.allSatisfy({ record[$0] | 0x20 == name[$0] | 0x20 }) else {
            return nil
        }
        let delimiter = record[name.count]
        return delimiter < 0x80 && delimiter != UInt8(ascii: "\"") ? delimiter : nil
    }

    private mutating func use(_ delimiter: UInt8) -> RecordReading {
        if let chosenDelimiter, chosenDelimiter != delimiter {
            let (named, chosen) = (Self.text(of: delimiter), Self.text(of: chosenDelimiter))
            refusal = TableRefusal(
                .malformedHeader,
                "its first line specifies \(named) as the delimiter, but --delimiter specifies \(chosen); omit one of them"
            )
        }
        splitter.delimiter = delimiter
        boundary.delimiter = delimiter
        return .structure
    }

    private static func text(of delimiter: UInt8) -> String {
        delimiter == UInt8(ascii: "\t") ? "a tab" : "'\(Character(Unicode.Scalar(delimiter)))'"
    }

    private mutating func begin(with record: Span<UInt8>) -> RecordReading {
        do throws(TableRefusal) {
            let fields: [FieldSplitter.Field]
            do throws(RejectedRecord) { fields = try splitter.fields(of: record) } catch { throw TableRefusal(error) }
            let isTitles = try rows.begin(with: fields, of: record)
            hasBegun = true
            if isTitles { titles = fields.map { FieldSplitter.unquoted($0, of: record) } }
            return isTitles ? .structure : reading(record)
        } catch {
            refusal = error
            return .structure
        }
    }
}

/// The ends of rows: line ends outside quotes.
///
/// Lines end in line feeds, or, in a table with titles whose first line ends in a carriage return alone, in carriage
/// returns. Scanning resumes at the end of the previous bytes.
private struct FieldBoundary {
    private enum State {
        case rowStart
        case comment
        case fieldStart
        case unquoted
        case quoted
        /// After a quote within quotes, which is either the first of a doubled quote or the closing quote.
        case quote
    }

    var delimiter: UInt8
    /// Whether rows that begin with `#` have no quotes.
    private let hasComments: Bool
    private var state = State.rowStart
    private(set) var lineEnd = UInt8(ascii: "\n")
    /// Whether the first line has shown how lines end.
    private var isLineEndKnown: Bool
    /// Whether the last byte is a carriage return outside quotes in the first line.
    private var followsReturn = false
    private var linesToSkip: Int
    /// Whether the last bytes belong to a line before the table.
    private(set) var isSkipping = false

    init(delimiter: UInt8, hasComments: Bool, linesToSkip: Int, hasTitles: Bool) {
        self.delimiter = delimiter
        self.hasComments = hasComments
        self.linesToSkip = linesToSkip
        // Without titles, a carriage return may be a mistake in an ID.
        isLineEndKnown = !hasTitles
    }

    var isInQuotes: Bool { state == .quoted }

    mutating func end(in bytes: Span<UInt8>, from start: Int) -> Int? {
        guard isLineEndKnown, linesToSkip == 0 else { return firstEnd(in: bytes, from: start) }
        isSkipping = false
        var index = start
        while index < bytes.count {
            index += 1
            if endsRow(bytes[index - 1]) { return index }
        }
        return nil
    }

    /// Returns the end of a line before the table, or of the first line; the byte after a carriage return shows whether
    /// that is the whole line end.
    private mutating func firstEnd(in bytes: Span<UInt8>, from start: Int) -> Int? {
        isSkipping = linesToSkip > 0
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if followsReturn, byte != lineEnd {
                (lineEnd, state) = (UInt8(ascii: "\r"), .rowStart)
            } else {
                index += 1
                let isEnd = isSkipping ? byte == lineEnd : endsRow(byte)
                followsReturn = !isLineEndKnown && byte == UInt8(ascii: "\r") && !isInQuotes
                guard isEnd else { continue }
            }
            (isLineEndKnown, followsReturn) = (true, false)
            if isSkipping { linesToSkip -= 1 }
            return index
        }
        return nil
    }

    private mutating func endsRow(_ byte: UInt8) -> Bool {
        let quote = UInt8(ascii: "\"")
        if state == .quoted {
            if byte == quote { state = .quote }
            return false
        }
        switch byte {
        case lineEnd:
            state = .rowStart
            return true
        case _ where state == .comment: return false
        case UInt8(ascii: "#") where hasComments && state == .rowStart: state = .comment
        case delimiter: state = .fieldStart
        case quote where state != .unquoted: state = .quoted
        default: state = .unquoted
        }
        return false
    }
}

/// A splitter of rows into fields as defined by RFC 4180, which undoes ``FormulaGuard``.
struct FieldSplitter {
    struct Field {
        /// The range of the field without its quotes, and without the tab that ``FormulaGuard`` wrote.
        private(set) var range: Range<Int>
        /// Whether the field contains quotes, each written twice.
        let hasDoubledQuotes: Bool
        let isQuoted: Bool

        init(range: Range<Int>, hasDoubledQuotes: Bool, isQuoted: Bool) {
            (self.range, self.hasDoubledQuotes, self.isQuoted) = (range, hasDoubledQuotes, isQuoted)
        }

        mutating func removeGuard(in row: Span<UInt8>) {
            guard FormulaGuard.isPresent(in: row.extracting(range)) else { return }
            range = range.lowerBound + 1..<range.upperBound
        }
    }

    var delimiter: UInt8
    let maximumFields: Int

    func fields(of row: Span<UInt8>) throws(RejectedRecord) -> [Field] {
        var fields: [Field] = []
        var start = 0
        while true {
            var field: Field
            var end: Int
            if start < row.count, row[start] == UInt8(ascii: "\"") {
                field = try quotedField(of: row, from: start + 1)
                end = field.range.upperBound + 1
                guard end == row.count || row[end] == delimiter else {
                    guard row[end] != UInt8(ascii: "\r") else { throw Self.carriageReturn }
                    throw RejectedRecord("has text after a closing quote; double the quotes inside a field")
                }
            } else {
                end = start
                while end < row.count, row[end] != delimiter {
                    // A carriage return in a cell is an unrecognized line end.
                    guard row[end] != UInt8(ascii: "\r") else { throw Self.carriageReturn }
                    if row[end] == UInt8(ascii: "\"") {
                        throw RejectedRecord(
                            "has a quote inside a field; put the field in quotes and double that quote"
                        )
                    }
                    end += 1
                }
                field = Field(range: start..<end, hasDoubledQuotes: false, isQuoted: false)
            }
            if !field.range.isEmpty, row[field.range.lowerBound] == FormulaGuard.tab { field.removeGuard(in: row) }
            guard fields.count < maximumFields else {
                throw RejectedRecord("has more than \(maximumFields) columns; check the format")
            }
            fields.append(field)
            guard end < row.count else { return fields }
            start = end + 1
        }
    }

    private static let carriageReturn = RejectedRecord(
        "has a carriage return outside quotes; if that is how lines end, convert them: tr '\\r' '\\n'"
    )

    /// Returns the bytes of a field, with doubled quotes resolved.
    static func unquoted(_ field: Field, of row: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = field.range.lowerBound
        while index < field.range.upperBound {
            bytes.append(row[index])
            index += field.hasDoubledQuotes && row[index] == UInt8(ascii: "\"") ? 2 : 1
        }
        return bytes
    }

    /// Returns the routing value in a cell; `nil` if there is no cell, or if it is empty.
    static func routing(_ field: Field?, of row: Span<UInt8>) throws(RejectedRecord) -> Routing? {
        guard let field, !field.range.isEmpty else { return nil }
        guard let text = String(validating: unquoted(field, of: row), as: UTF8.self) else { throw .notUTF8 }
        return try Routing(record: text, named: "its column")
    }

    private func quotedField(of row: Span<UInt8>, from start: Int) throws(RejectedRecord) -> Field {
        var index = start
        var hasDoubledQuotes = false
        while index < row.count {
            guard row[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            guard index + 1 < row.count, row[index + 1] == UInt8(ascii: "\"") else {
                return Field(range: start..<index, hasDoubledQuotes: hasDoubledQuotes, isQuoted: true)
            }
            hasDoubledQuotes = true
            index += 2
        }
        throw RejectedRecord("has an unclosed quote; close it, or double it if it belongs to the field")
    }
}

/// An interpreter of a table's rows, which starts with the first row.
protocol TableRows {
    /// The longest row, in bytes.
    var maximumRowBytes: Int { get }
    /// Whether the first row contains titles.
    var hasTitles: Bool { get }
    /// Reads the first row; returns true if it contains titles rather than an operation.
    mutating func begin(with fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(TableRefusal) -> Bool
    /// Returns the operation that a later row represents.
    func operation(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(RejectedRecord) -> ContentOperation
}

/// The reason why a table can't be read at all.
struct TableRefusal: Error {
    let code: InputError.Code
    let reason: String
    /// The option that names a column which is not there; `nil` if it is the column of the IDs.
    private(set) var option: String?

    init(_ code: InputError.Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    /// Creates a refusal for a first row that can't be read.
    init(_ rejection: RejectedRecord) { self.init(.malformedHeader, "the first row: \(rejection.reason)") }

    init(_ column: UnknownColumn) {
        self.init(.unknownColumn, column.reason)
        option = column.option
    }
}

/// IDs to remove, in one column.
struct IDRows: TableRows {
    let limits: InputLimits
    let column: InputColumn
    let routing: InputColumn?
    let version: VersionMember?
    /// The indices of the fields with the ID, the routing value and the version, and the number of fields; known after
    /// the first row.
    private var place = 0
    private var routingPlace: Int?
    private var versionPlace: Int?
    private var fieldCount = 0
    private let ids = DocumentIDPages()

    init(
        column: InputColumn,
        routing: InputColumn? = nil,
        version: VersionMember? = nil,
        limits: InputLimits
    ) {
        self.column = column
        self.routing = routing
        self.version = version
        self.limits = limits
    }

    var maximumRowBytes: Int { limits.line }
    var hasTitles: Bool { [column, routing, version?.column].contains { $0?.needsTitles ?? false } }

    mutating func begin(with fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(TableRefusal) -> Bool {
        fieldCount = fields.count
        var titles: [String] = []
        for field in fields {
            titles.append(String(decoding: FieldSplitter.unquoted(field, of: row), as: UTF8.self))
        }
        do throws(UnknownColumn) {
            place = try column.place(among: titles)
            routingPlace = try routing?.place(among: titles, for: "--routing-field")
            versionPlace = try version?.column?.place(among: titles, for: "--version-field")
        } catch {
            throw TableRefusal(error)
        }
        return hasTitles
    }

    func operation(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(RejectedRecord) -> ContentOperation {
        guard fields.count == fieldCount else { throw .columns(fields.count, instead: fieldCount) }
        let routing = try FieldSplitter.routing(routingPlace.map { fields[$0] }, of: row)
        let removal = ContentOperation.remove(DocumentKey(try id(in: fields[place], of: row), routing: routing))
        guard let version, let versionPlace else { return removal }
        return removal.only(try version.condition(in: fields[versionPlace], of: row))
    }

    private func id(in field: FieldSplitter.Field, of row: Span<UInt8>) throws(RejectedRecord) -> DocumentID {
        guard field.hasDoubledQuotes else {
            return try ids.id(record: row.extracting(field.range), limit: limits.id)
        }
        return try ids.id(record: FieldSplitter.unquoted(field, of: row).span, limit: limits.id)
    }
}

/// Documents, one per row; the first row names the fields.
///
/// Every value is a string, even if it looks like a number, unless its column has another type. An empty cell means
/// that the document does not have the field (and that an update does not change it); two quotes are an empty string.
struct DocumentRows: TableRows {
    private let isUpdate: Bool
    let limits: InputLimits
    let column: InputColumn
    let routing: InputColumn?
    let version: VersionMember?
    let columns: TableColumns?
    private var titles: [String] = []
    /// The types of the columns' cells; `nil` for a column that does not become a key.
    private var types: [CellType?] = []
    /// The index of the field with the ID; the next properties are those for the routing value and the version.
    private var place = 0
    private var routingPlace: Int?
    private var versionPlace: Int?
    private let ids = DocumentIDPages()

    init(
        column: InputColumn,
        routing: InputColumn? = nil,
        version: VersionMember? = nil,
        columns: TableColumns? = nil,
        isUpdate: Bool,
        limits: InputLimits
    ) {
        self.column = column
        self.routing = routing
        self.version = version
        self.columns = columns
        self.isUpdate = isUpdate
        self.limits = limits
    }

    var maximumRowBytes: Int { limits.documentLine }
    var hasTitles: Bool { true }

    mutating func begin(with fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(TableRefusal) -> Bool {
        do throws(RejectedRecord) { try readTitles(fields, of: row) } catch { throw TableRefusal(error) }
        do throws(UnknownColumn) {
            place = try column.place(among: titles)
            routingPlace = try routing?.place(among: titles, for: "--routing-field")
            versionPlace = try version?.column?.place(among: titles, for: "--version-field")
            types = try columns?.types(of: titles, keeping: [place]) ?? titles.map { _ in .string }
        } catch {
            throw TableRefusal(error)
        }
        return true
    }

    private mutating func readTitles(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(RejectedRecord) {
        var seen: Set<[UInt8]> = []
        for field in fields {
            let bytes = FieldSplitter.unquoted(field, of: row)
            guard let title = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
            guard !bytes.isEmpty else {
                throw RejectedRecord("column \(titles.count + 1) has no title; add one, or remove the column")
            }
            guard seen.insert(bytes).inserted else {
                throw RejectedRecord("two columns are titled '\(title.prefix(40))'; give each its own title")
            }
            titles.append(title)
        }
    }

    func operation(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(RejectedRecord) -> ContentOperation {
        guard fields.count == titles.count else { throw .columns(fields.count, instead: titles.count) }
        let id = try ids.id(record: FieldSplitter.unquoted(fields[place], of: row).span, limit: limits.id)
        guard row.isUTF8 else { throw notUTF8(fields, of: row) }
        let json = try json(fields, of: row)
        guard json.count <= limits.document else { throw RejectedRecord(Document.tooLong(limits.document)) }
        let routing = try FieldSplitter.routing(routingPlace.map { fields[$0] }, of: row)
        let document = Document(id: id, json: json, routing: routing)
        let operation = try ContentOperation(isUpdate: isUpdate, record: document)
        guard let version, let versionPlace else { return operation }
        return operation.only(try version.condition(in: fields[versionPlace], of: row))
    }

    /// Returns the rejection of a row, with the column whose cell can't be read.
    private func notUTF8(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) -> RejectedRecord {
        guard let index = fields.firstIndex(where: { !row.extracting($0.range).isUTF8 }) else { return .notUTF8 }
        return RejectedRecord("column '\(titles[index].prefix(40))' is \(RejectedRecord.notUTF8.reason)")
    }

    private func json(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(RejectedRecord) -> [UInt8] {
        var values: [(title: String, value: CellValue)] = []
        for (index, field) in fields.enumerated() where field.isQuoted || !field.range.isEmpty {
            guard let type = types[index] else { continue }
            let cell = String(decoding: FieldSplitter.unquoted(field, of: row), as: UTF8.self)
            do throws(RejectedRecord) {
                values.append((titles[index], try type.value(of: cell)))
            } catch {
                throw RejectedRecord(
                    "has '\(cell.prefix(40))' in column '\(titles[index].prefix(40))', \(error.reason)"
                )
            }
        }
        return JSONWriter.object { writer in
            for (title, value) in values {
                switch value {
                case .text(let text): writer.member(title, text)
                case .json(let json): writer.member(title, raw: json)
                }
            }
        }
    }
}

extension VersionMember {
    /// Returns the condition for the document, from the version in a cell: an empty cell means that the document must
    /// not exist.
    fileprivate func condition(
        in cell: FieldSplitter.Field,
        of row: Span<UInt8>
    ) throws(RejectedRecord) -> WriteCondition {
        let bytes = FieldSplitter.unquoted(cell, of: row)
        guard !bytes.isEmpty else {
            guard kind == .unchanged else { throw RejectedRecord("has no version; write a whole number of 0 or more") }
            return .absent
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return try kind.condition(of: text)
    }
}

extension Span<UInt8> {
    fileprivate var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }
}

/// The reason why a table lacks the requested column.
struct UnknownColumn: Error {
    let reason: String
    /// The option that names the column; `nil` if it is the column of the IDs.
    var option: String?
}

extension InputColumn {
    /// Whether the first row holds titles.
    fileprivate var needsTitles: Bool {
        if case .number(_, hasHeader: false) = self { false } else { true }
    }

    /// Returns the column's index in a table, from 0; `option` names it, unless it is the column of the IDs.
    func place(among titles: [String], for option: String) throws(UnknownColumn) -> Int {
        do throws(UnknownColumn) { return try place(among: titles) } catch {
            throw UnknownColumn(reason: error.reason, option: option)
        }
    }

    /// Returns the column's index in a table, from 0.
    func place(among titles: [String]) throws(UnknownColumn) -> Int {
        switch self {
        case .number(let number, _):
            guard number >= 1, number <= titles.count else {
                throw UnknownColumn(reason: "has no column \(number): the first row has only \(titles.count)")
            }
            return number - 1
        case .named(let name):
            // Compares bytes: `==` would treat NFC and NFD as the same.
            let matches = titles.indices.filter { titles[$0].utf8.elementsEqual(name.utf8) }
            guard matches.count == 1 else {
                throw UnknownColumn(reason: Self.unknown(name, among: titles, count: matches.count))
            }
            return matches[0]
        }
    }

    private static func unknown(_ name: String, among titles: [String], count: Int) -> String {
        if count > 1 { return "has \(count) columns named '\(name)'; specify the number of the one with the IDs" }
        // A title may be as long as a whole row, which is too long for a message.
        let shown = titles.prefix(20).map { $0.count > 40 ? $0.prefix(39) + "…" : $0 }
        let columns = shown.joined(separator: ", ") + (titles.count > 20 ? ", …" : "")
        let near = name.nearest(in: titles.prefix(1000).filter { $0.utf8.count <= 200 })
        let isComment = titles.first?.hasPrefix("#") ?? false
        let comment = isComment ? "; to skip lines that begin with '#', use --comments" : nil
        let advice = near.map { "; did you mean '\($0)'?" } ?? comment ?? delimiter(in: titles) ?? ""
        return "has no column '\(name)'; its columns are \(columns)\(advice)"
    }

    /// Returns advice for a table whose titles were not split.
    private static func delimiter(in titles: [String]) -> String? {
        guard titles.count == 1, let title = titles.first else { return nil }
        let names: KeyValuePairs = [";": "';'", "\t": "tab", ",": "','", "|": "'|'"]
        return names.first { title.contains($0.key) }.map {
            "; if that separates its cells, use --delimiter \($0.value)"
        }
    }
}
