import ContentFeeding
import JSONText

/// Documents in the rows of a table, whose first row names the fields.
///
/// A value is a string, whatever it looks like. A cell without a byte is a field that the document does not have (and
/// that an update leaves alone); two quotes are an empty string.
struct TableDocumentsFormat: RecordFormat {
    /// What the first row says.
    private struct Header {
        var titles: [String] = []
        /// Which field holds the ID.
        var id = 0
    }

    let isUpdate: Bool
    let limits: InputLimits
    private let column: InputColumn
    private let splitter: FieldSplitter
    private var boundary: FieldBoundary
    private var header: Header?
    private var refusal: (code: InputError.Code, reason: String)?

    init(delimiter: UInt8, column: InputColumn, isUpdate: Bool, limits: InputLimits) {
        self.isUpdate = isUpdate
        self.limits = limits
        self.column = column
        splitter = FieldSplitter(delimiter: delimiter, maximumFields: limits.columns)
        boundary = FieldBoundary(delimiter: delimiter)
    }

    var maximumRecordBytes: Int { limits.documentLine }
    var tooLong: String { "a row longer than \(maximumRecordBytes) bytes; check that each quote is closed" }
    var dropsCarriageReturn: Bool { true }
    var holdsLineEnds: Bool { true }
    var isReady: Bool { header != nil || refusal != nil }
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
            if let header {
                let document = try document(fields, of: record, header)
                return .operation(isUpdate ? .update(document) : .add(document))
            }
            try begin(with: fields, of: record)
        } catch {
            guard !isReady else { return .rejected(error.reason) }
            refusal = (.malformedHeader, "the first row: \(error.reason)")
        }
        return .structure
    }

    private mutating func begin(with fields: [FieldSplitter.Field], of record: Span<UInt8>) throws(RejectedRecord) {
        var header = Header()
        var seen: Set<[UInt8]> = []
        for field in fields {
            let bytes = FieldSplitter.unquoted(field, of: record)
            guard let title = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
            guard !bytes.isEmpty else {
                throw RejectedRecord(
                    "column \(header.titles.count + 1) has no title; give it one, or leave the column out"
                )
            }
            guard seen.insert(bytes).inserted else {
                throw RejectedRecord("two columns are called '\(title.prefix(40))'; give each a title of its own")
            }
            header.titles.append(title)
        }
        do throws(UnknownColumn) {
            header.id = try column.place(among: header.titles)
            self.header = header
        } catch {
            refusal = (.unknownColumn, error.reason)
        }
    }

    private func document(
        _ fields: [FieldSplitter.Field],
        of record: Span<UInt8>,
        _ header: Header
    ) throws(RejectedRecord) -> Document {
        guard fields.count == header.titles.count else {
            throw .columns(fields.count, instead: header.titles.count)
        }
        let id = try DocumentID(record: FieldSplitter.unquoted(fields[header.id], of: record).span, limit: limits.id)
        guard record.isUTF8 else { throw .notUTF8 }
        var values: [(title: String, value: String)] = []
        for (title, field) in zip(header.titles, fields) where field.isQuoted || !field.range.isEmpty {
            values.append((title, String(decoding: FieldSplitter.unquoted(field, of: record), as: UTF8.self)))
        }
        var writer = JSONWriter()
        writer.object { writer in
            for (title, value) in values { writer.member(title, value) }
        }
        let json = writer.takeBytes()
        guard json.count <= limits.document else { throw RejectedRecord(Document.tooLong(limits.document)) }
        return Document(id: id, json: json)
    }
}

extension Span<UInt8> {
    fileprivate var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }
}
