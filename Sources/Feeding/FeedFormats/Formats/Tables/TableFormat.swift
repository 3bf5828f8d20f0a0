import ContentFeeding

/// IDs to remove in a column of a table: comma-separated values (RFC 4180), or the same with tabs.
///
/// A row must have as many fields as the first and quotes as the standard has them: a row that was cut wrong would
/// remove the wrong document.
struct TableFormat: RecordFormat {
    let limits: InputLimits
    private let column: InputColumn
    private let splitter: FieldSplitter
    private var boundary: FieldBoundary
    /// Which field holds the ID; known from the first row on.
    private var place: Int?
    private var fieldCount = 0
    private var refusal: (code: InputError.Code, reason: String)?

    init(delimiter: UInt8, column: InputColumn, limits: InputLimits) {
        self.limits = limits
        self.column = column
        splitter = FieldSplitter(delimiter: delimiter, maximumFields: limits.columns)
        boundary = FieldBoundary(delimiter: delimiter)
    }

    var maximumRecordBytes: Int { limits.line }
    var tooLong: String { "a row longer than \(limits.line) bytes; check that each quote is closed" }
    var dropsCarriageReturn: Bool { true }
    var holdsLineEnds: Bool { true }
    var isReady: Bool { place != nil || refusal != nil }
    var unfinished: String? {
        boundary.isInQuotes ? "the input ends within quotes; close the quote that opens in this row" : nil
    }

    func refusal(source: String) -> InputError? {
        refusal.map { InputError($0.code, source: source, reason: $0.reason) }
    }

    mutating func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? { boundary.end(in: bytes, from: start) }

    mutating func readingOfTooLong() -> RecordReading {
        if !isReady { refusal = (.malformedHeader, "the first row is \(tooLong)") }
        return .rejected(tooLong)
    }

    mutating func reading(_ record: Span<UInt8>) -> RecordReading {
        guard refusal == nil else { return .structure }
        guard record.count > 0 else { return .blank }
        do throws(RejectedRecord) {
            let fields = try splitter.fields(of: record)
            guard let place else { return try begin(with: fields, of: record) }
            guard fields.count == fieldCount else {
                throw .columns(fields.count, instead: fieldCount)
            }
            return .operation(.remove(try id(in: fields[place], of: record)))
        } catch {
            guard !isReady else { return .rejected(error.reason) }
            refusal = (.malformedHeader, "the first row: \(error.reason)")
            return .structure
        }
    }

    private func id(in field: FieldSplitter.Field, of record: Span<UInt8>) throws(RejectedRecord) -> DocumentID {
        guard field.hasDoubledQuotes else {
            return try DocumentID(record: record.extracting(field.range), limit: limits.id)
        }
        return try DocumentID(record: FieldSplitter.unquoted(field, of: record).span, limit: limits.id)
    }

    /// Finds the column in the first row.
    private mutating func begin(
        with fields: [FieldSplitter.Field],
        of record: Span<UInt8>
    ) throws(RejectedRecord) -> RecordReading {
        fieldCount = fields.count
        var titles: [String] = []
        for field in fields {
            titles.append(String(decoding: FieldSplitter.unquoted(field, of: record), as: UTF8.self))
        }
        let place: Int
        do throws(UnknownColumn) {
            place = try column.place(among: titles)
        } catch {
            refusal = (.unknownColumn, error.reason)
            return .structure
        }
        self.place = place
        if case .number(_, hasHeader: false) = column {
            return .operation(.remove(try id(in: fields[place], of: record)))
        }
        return .structure
    }
}
