import ContentFeeding

/// A table: comma-separated values (RFC 4180), or the same with tabs.
///
/// Quotes must be as the standard has them, and a row must have as many fields as the first: one that was cut wrong
/// would change the wrong document. What the rows mean is up to `Rows`.
struct TableFormat<Rows: TableRows>: RecordFormat {
    private var rows: Rows
    private let splitter: FieldSplitter
    private var boundary: FieldBoundary
    private var hasBegun = false
    private var refusal: TableRefusal?

    init(_ rows: Rows, delimiter: UInt8, maximumColumns: Int) {
        self.rows = rows
        splitter = FieldSplitter(delimiter: delimiter, maximumFields: maximumColumns)
        boundary = FieldBoundary(delimiter: delimiter)
    }

    var maximumRecordBytes: Int { rows.maximumRowBytes }
    var tooLong: String { "a row longer than \(maximumRecordBytes) bytes; check that each quote is closed" }
    var dropsCarriageReturn: Bool { true }
    var holdsLineEnds: Bool { true }
    var isReady: Bool { hasBegun || refusal != nil }
    var unfinished: String? {
        boundary.isInQuotes ? "the input ends within quotes; close the quote that opens in this row" : nil
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
        guard hasBegun else { return begin(with: record) }
        do throws(RejectedRecord) {
            return .operation(try rows.operation(splitter.fields(of: record), of: record))
        } catch {
            return .rejected(error.reason)
        }
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
