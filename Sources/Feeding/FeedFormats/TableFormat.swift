import ContentFeeding
import JSONText
import Spelling

/// A table of comma-separated (RFC 4180) or tab-separated values.
///
/// Quotes must follow the standard, and every row must have as many fields as the first: a row split wrongly would
/// change the wrong document. `Rows` decides what the rows mean.
struct TableFormat<Rows: TableRows>: RecordFormat {
    private var rows: Rows
    private var splitter: FieldSplitter
    private var boundary: FieldBoundary
    private let chosenDelimiter: UInt8?
    /// Whether a row has come, be it one that only names the delimiter.
    private var hasRow = false
    private var hasBegun = false
    private var refusal: TableRefusal?

    /// `delimiter` is the format's own, which the dialect or the first row may replace.
    init(_ rows: Rows, delimiter: UInt8, _ dialect: InputDialect = InputDialect(), maximumColumns: Int) {
        self.rows = rows
        chosenDelimiter = dialect.delimiter
        let delimiter = dialect.delimiter ?? delimiter
        splitter = FieldSplitter(delimiter: delimiter, maximumFields: maximumColumns)
        boundary = FieldBoundary(delimiter: delimiter, hasComments: dialect.hasComments)
    }

    var maximumRecordBytes: Int { rows.maximumRowBytes }
    var tooLong: String { "a row longer than \(maximumRecordBytes) bytes; check that each quote is closed" }
    var dropsCarriageReturn: Bool { true }
    var holdsLineEnds: Bool { true }
    var isReady: Bool { hasBegun || refusal != nil }
    var unfinished: String? {
        boundary.isInQuotes ? "the input ends inside quotes; close the quote that opens in this row" : nil
    }

    func refusal(source: String) -> InputError? {
        refusal.map { InputError($0.code, source: source, reason: $0.reason) }
    }

    mutating func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? { boundary.end(in: bytes, from: start) }

    mutating func readingOfTooLong() -> RecordReading {
        if !isReady { refusal = TableRefusal(.malformedHeader, "the first row is \(tooLong)") }
        return .rejected(tooLong)
    }

    mutating func reading(_ record: Span<UInt8>) -> RecordReading {
        guard refusal == nil else { return .structure }
        guard record.count > 0 else { return .blank }
        guard hasBegun else {
            defer { hasRow = true }
            if !hasRow, let delimiter = Self.delimiter(namedBy: record) { return use(delimiter) }
            return begin(with: record)
        }
        do throws(RejectedRecord) {
            return .operation(try rows.operation(splitter.fields(of: record), of: record))
        } catch {
            return .rejected(error.reason)
        }
    }

    /// Returns the delimiter that a first row names for Excel: `sep=;`.
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
                "its first line says that \(named) separates cells, but --delimiter says \(chosen); leave one of them out"
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
            return isTitles ? .structure : reading(record)
        } catch {
            refusal = error
            return .structure
        }
    }
}

/// The ends of rows: line ends outside quotes.
///
/// Scanning resumes where the last bytes ended.
private struct FieldBoundary {
    private enum State {
        case rowStart
        case comment
        case fieldStart
        case unquoted
        case quoted
        /// After a quote within quotes: either doubled or the closing one.
        case quote
    }

    var delimiter: UInt8
    /// Whether rows that begin with `#` have no quotes.
    private let hasComments: Bool
    private var state = State.rowStart

    init(delimiter: UInt8, hasComments: Bool) {
        self.delimiter = delimiter
        self.hasComments = hasComments
    }

    var isInQuotes: Bool { state == .quoted }

    mutating func end(in bytes: Span<UInt8>, from start: Int) -> Int? {
        let (quote, lineFeed) = (UInt8(ascii: "\""), UInt8(ascii: "\n"))
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if state == .quoted {
                if byte == quote { state = .quote }
                continue
            }
            switch byte {
            case lineFeed:
                state = .rowStart
                return index
            case _ where state == .comment: continue
            case UInt8(ascii: "#") where hasComments && state == .rowStart: state = .comment
            case delimiter: state = .fieldStart
            case quote where state != .unquoted: state = .quoted
            default: state = .unquoted
            }
        }
        return nil
    }
}

/// A splitter of rows into fields as RFC 4180 defines them.
struct FieldSplitter {
    struct Field {
        /// Range of the field without its quotes.
        let range: Range<Int>
        /// True when the field holds quotes, each written twice.
        let hasDoubledQuotes: Bool
        let isQuoted: Bool
    }

    var delimiter: UInt8
    let maximumFields: Int

    func fields(of row: Span<UInt8>) throws(RejectedRecord) -> [Field] {
        var fields: [Field] = []
        var start = 0
        while true {
            let field: Field
            var end: Int
            if start < row.count, row[start] == UInt8(ascii: "\"") {
                field = try quotedField(of: row, from: start + 1)
                end = field.range.upperBound + 1
                guard end == row.count || row[end] == delimiter else {
                    throw RejectedRecord("has text after a closing quote; double the quotes inside a field")
                }
            } else {
                end = start
                while end < row.count, row[end] != delimiter {
                    if row[end] == UInt8(ascii: "\"") {
                        throw RejectedRecord(
                            "has a quote inside a field; put the field in quotes and double that quote"
                        )
                    }
                    end += 1
                }
                field = Field(range: start..<end, hasDoubledQuotes: false, isQuoted: false)
            }
            guard fields.count < maximumFields else {
                throw RejectedRecord("has more than \(maximumFields) columns; check the format")
            }
            fields.append(field)
            guard end < row.count else { return fields }
            start = end + 1
        }
    }

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

    /// Returns the routing in a cell; `nil` without a cell, and for an empty one.
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
