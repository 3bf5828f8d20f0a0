import ContentFeeding
import Spelling

/// IDs to remove in a column of a table: comma-separated values (RFC 4180), or the same with tabs.
///
/// A row must have as many fields as the first and quotes as the standard has them: a row that was cut wrong would
/// remove the wrong document.
struct TableFormat: RecordFormat {
    let limits: InputLimits
    private let column: InputColumn
    private var splitter: FieldSplitter
    private var boundary: FieldBoundary
    /// Which field holds the ID; known from the first row on.
    private var place: Int?
    private var fieldCount = 0
    private var refusal: (code: InputError.Code, reason: String)?

    init(delimiter: UInt8, column: InputColumn, limits: InputLimits) {
        self.limits = limits
        self.column = column
        splitter = FieldSplitter(delimiter: delimiter)
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

    mutating func skipRecord() {
        guard !isReady else { return }
        refusal = (.malformedHeader, "the first row is \(tooLong)")
    }

    mutating func reading(_ record: Span<UInt8>) -> RecordReading {
        guard refusal == nil else { return .header }
        guard record.count > 0 else { return .blank }
        do throws(RejectedRecord) {
            let fields = try splitter.fields(of: record)
            guard let place else { return try begin(with: fields, of: record) }
            guard fields.count == fieldCount else {
                throw RejectedRecord(
                    "has \(fields.count) columns where the first row has \(fieldCount); correct the row"
                )
            }
            return .operation(.remove(try id(in: fields[place], of: record)))
        } catch {
            guard !isReady else { return .rejected(error.reason) }
            refusal = (.malformedHeader, "the first row: \(error.reason)")
            return .header
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
        switch column {
        case .number(let number, let hasHeader):
            guard number >= 1, number <= fields.count else {
                refusal = (.unknownColumn, "has no column \(number): the first row has \(fields.count)")
                return .header
            }
            place = number - 1
            return hasHeader ? .header : .operation(.remove(try id(in: fields[number - 1], of: record)))
        case .named(let name):
            var names: [String] = []
            for field in fields {
                names.append(String(decoding: FieldSplitter.unquoted(field, of: record), as: UTF8.self))
            }
            let matches = names.indices.filter { names[$0].utf8.elementsEqual(name.utf8) }
            if matches.count == 1 {
                place = matches[0]
            } else {
                refusal = (.unknownColumn, Self.unknown(name, among: names, count: matches.count))
            }
            return .header
        }
    }

    private static func unknown(_ name: String, among names: [String], count: Int) -> String {
        if count > 1 { return "has \(count) columns '\(name)'; give the number of the one that holds the IDs" }
        // A name may be as long as a row; a message may not.
        let shown = names.prefix(20).map { $0.count > 40 ? $0.prefix(39) + "…" : $0 }
        let columns = shown.joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        let advice =
            name.nearest(in: names.prefix(1000).filter { $0.utf8.count <= 200 }).map { "; did you mean '\($0)'?" } ?? ""
        return "has no column '\(name)'; its columns are \(columns)\(advice)"
    }
}
