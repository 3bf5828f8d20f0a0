public import ContentFeeding
import Glibc
import JSONText
import TextKit

/// A reader of one source's records, from bytes as they arrive.
protocol RecordReader {
    /// The number of bytes up to the end of the last complete record.
    var boundary: UInt64 { get }
    /// The reason, found in the first record, not to read the source; `nil` if there is none, or before the first
    /// record.
    var refusal: InputError? { get }
    /// Whether the first record has been read, or need not be read before anything is sent.
    var isReady: Bool { get }

    /// Reads records until the bytes end or the chunk is full.
    ///
    /// A record that extends beyond the bytes is kept, up to its limit.
    ///
    /// - Returns: The number of bytes taken.
    mutating func read(_ bytes: Span<UInt8>, into chunk: inout ChunkBuilder) -> Int
    /// Skips records that an earlier run has read, counting their lines and keeping the information on which later
    /// records depend.
    mutating func skip(_ bytes: Span<UInt8>)
    /// The number of skipped records, including blank records.
    var skipped: Int { get }
    /// The number of rows that were skipped because they repeat the titles of a table.
    var repeatedTitles: Int { get }
    /// Whether there is no incomplete record.
    var isBetweenRecords: Bool { get }
    /// Reads the remainder when the source has ended.
    mutating func finish(into chunk: inout ChunkBuilder)
}

/// The reader for every format that is a sequence of records.
struct FormatReader<Format: RecordFormat>: RecordReader {
    private var format: Format
    private let source: String
    /// Whether records that begin with `#` are skipped.
    private let hasComments: Bool
    /// The bytes that end a record when it is written again; `nil` if it can't be written again.
    var recordEnd: [UInt8]?
    private var taken: UInt64 = 0
    /// The beginning of an incomplete record, unless it is too long.
    private var begun: [UInt8] = []
    /// The number of bytes read of the incomplete record, whether kept or not.
    private var begunCount = 0
    private var line = 1
    private var lineEndsBegun = 0
    private(set) var skipped = 0
    /// Whether a record that is not blank has been read.
    private var hasBegun = false
    /// Whether the first record revealed another form, so the source is not read.
    private var isOfOtherForm = false

    init(_ format: Format, source: String, hasComments: Bool = false) {
        self.format = format
        self.source = source
        self.hasComments = hasComments
        recordEnd = format.writtenEnd
    }

    var boundary: UInt64 { taken - UInt64(begunCount) }
    var isBetweenRecords: Bool { begunCount == 0 }
    var refusal: InputError? { format.refusal(source: source) }
    var isReady: Bool { format.isReady }
    var repeatedTitles: Int { format.repeatedTitles }

    @specialized(where Format == LinesFormat)
    @specialized(where Format == TableFormat<IDRows>)
    @specialized(where Format == SolrXMLFormat)
    @specialized(where Format == BulkFormat)
    mutating func read(_ bytes: Span<UInt8>, into chunk: inout ChunkBuilder) -> Int {
        var offset = 0
        while offset < bytes.count, !chunk.isFull {
            guard let end = format.endOfRecord(in: bytes, from: offset) else {
                keep(bytes.extracting(offset..<bytes.count))
                offset = bytes.count
                break
            }
            let piece = bytes.extracting(offset..<end)
            if begunCount == 0 {
                count(lineEndsOf: piece)
                let byteCount = piece.count - format.endByteCount
                interpret(piece.extracting(0..<byteCount), byteCount: byteCount, into: &chunk)
            } else {
                keep(piece)
                // The last byte already kept is the carriage return that ends the line, as the next byte has shown.
                if piece.isEmpty, format.lineEnd != UInt8(ascii: "\n") { lineEndsBegun += 1 }
                takeBegun(endCount: format.endByteCount, into: &chunk)
            }
            offset = end
        }
        taken += UInt64(offset)
        return offset
    }

    mutating func skip(_ bytes: Span<UInt8>) {
        var offset = 0
        while offset < bytes.count {
            let rest = bytes.extracting(offset..<bytes.count)
            if format.isReady, hasBegun, !format.isChangedByRecords {
                skipAlike(rest)
                offset = bytes.count
            } else {
                var passed = ChunkBuilder(limits: InputLimits())
                passed.stopsAtEachRecord = true
                offset += read(rest, into: &passed)
                skipped += 1
            }
        }
    }

    /// Skips records without reading them.
    @specialized(where Format == LinesFormat)
    private mutating func skipAlike(_ bytes: Span<UInt8>) {
        var start = 0
        if let end = format.endByte {
            let count = bytes.count(of: end)
            line += count
            skipped += count
            if count > 0, let last = bytes.lastOffset(of: end) { start = last + 1 }
        } else {
            while let end = format.endOfRecord(in: bytes, from: start) {
                count(lineEndsOf: bytes.extracting(start..<end))
                line += format.holdsLineEnds ? lineEndsBegun : 1
                lineEndsBegun = 0
                skipped += 1
                start = end
            }
        }
        if start > 0 { forgetBegun() }
        keep(bytes.extracting(start..<bytes.count))
        taken += UInt64(bytes.count)
    }

    mutating func finish(into chunk: inout ChunkBuilder) {
        let isHeld = begunCount <= format.maximumRecordBytes
        if isHeld, let reason = format.unfinished ?? (line == 1 ? format.flaw(ofOnly: begun.span) : nil) {
            chunk.add(.rejected(reason), source: source, line: line)
            forgetBegun()
        } else if begunCount > 0 {
            takeBegun(endCount: 0, into: &chunk)
        }
    }

    private mutating func keep(_ bytes: Span<UInt8>) {
        begunCount += bytes.count
        count(lineEndsOf: bytes)
        // The end of the record itself counts as one more.
        if begunCount <= format.maximumRecordBytes + 1 {
            begun.append(copying: bytes)
        } else {
            begun = []
        }
    }

    private mutating func takeBegun(endCount: Int, into chunk: inout ChunkBuilder) {
        let record = begun
        let byteCount = begunCount - endCount
        begun = []
        interpret(record.span.extracting(0..<max(0, record.count - endCount)), byteCount: byteCount, into: &chunk)
        begun = record
        forgetBegun()
    }

    private mutating func forgetBegun() {
        begun.removeAll(keepingCapacity: begun.capacity <= 1 << 20)
        begunCount = 0
    }

    private mutating func count(lineEndsOf piece: Span<UInt8>) {
        if format.holdsLineEnds { lineEndsBegun += piece.count(of: format.lineEnd) }
    }

    private mutating func interpret(_ record: Span<UInt8>, byteCount: Int, into chunk: inout ChunkBuilder) {
        let reading = reading(of: record, byteCount: byteCount)
        if format.writesStructure && !isOfOtherForm || !reading.isStructure {
            chunk.tap?.note(reading, record, of: chunk.source, end: recordEnd, isWhole: byteCount == record.count)
        }
        chunk.add(reading, source: source, line: line)
        line += format.holdsLineEnds ? lineEndsBegun : 1
        lineEndsBegun = 0
    }

    private mutating func reading(of record: Span<UInt8>, byteCount: Int) -> RecordReading {
        guard !isOfOtherForm else { return .structure }
        let reading = formatReading(of: record, byteCount: byteCount)
        guard !hasBegun else { return reading }
        switch reading {
        case .blank, .structure: return reading
        case .operation(let operation):
            hasBegun = true
            // With '--id-field _id', a hit would become a document that contains its document.
            guard operation.kind != .remove, let form = formOfHit(record) else { return reading }
            return refuse(form)
        case .rejected:
            hasBegun = true
            guard let form = otherForm(of: record) else { return reading }
            return refuse(form)
        }
    }

    private mutating func refuse(_ form: DataForm) -> RecordReading {
        isOfOtherForm = true
        return .rejected("\(form.reason); the rest is not read")
    }

    /// Returns the form of a record that is a search hit, in an input that is read as plain documents; `nil` for any
    /// other record.
    private func formOfHit(_ record: Span<UInt8>) -> DataForm? {
        guard let own = format.form, own == .jsonLines || own == .json, DataForm.isHit(record) else { return nil }
        return own == .json ? .hits : .elasticdump
    }

    /// Returns the form that a rejected first record reveals; `nil` if it is the reader's own form, or unknown.
    private func otherForm(of record: Span<UInt8>) -> DataForm? {
        if let form = DataForm(binary: record) ?? formOfHit(record) { return form }
        guard let own = format.form else { return nil }
        if [.jsonLines, .json, .elasticdump].contains(own), DataForm.isResponse(record) { return .response }
        guard let form = DataForm(json: record), form != own else { return nil }
        // Other readers of JSON also accept one document per line.
        return form != .jsonLines || own == .bulk || own == .elasticdump ? form : nil
    }

    private mutating func formatReading(of record: Span<UInt8>, byteCount: Int) -> RecordReading {
        if hasComments, !record.isEmpty, record[0] == UInt8(ascii: "#") { return .blank }
        guard byteCount <= format.maximumRecordBytes else { return format.readingOfTooLong() }
        guard format.dropsCarriageReturn, !record.isEmpty, record[record.count - 1] == UInt8(ascii: "\r") else {
            return format.reading(record)
        }
        return format.reading(record.extracting(0..<record.count - 1))
    }
}

/// A format of records, which determines where a record ends and which operation it represents.
///
/// A new format requires a conformance and a new case in ``InputFormat/reader(of:source:_:limits:)``.
protocol RecordFormat {
    /// The longest record, in bytes, without its end.
    var maximumRecordBytes: Int { get }
    /// The reason for which a longer record is rejected.
    var tooLong: String { get }
    /// Whether a carriage return before the end of a record is part of that end.
    var dropsCarriageReturn: Bool { get }
    /// The number of bytes that end a record and are not part of it.
    var endByteCount: Int { get }
    /// Whether a record may contain line ends, so lines must be counted within records.
    var holdsLineEnds: Bool { get }
    /// The byte by which lines are counted.
    var lineEnd: UInt8 { get }

    /// The byte that ends each record, at any position; `nil` if the end is not determined by one byte.
    var endByte: UInt8? { get }
    /// Whether records other than the first can affect the reading of later records.
    var isChangedByRecords: Bool { get }

    /// The number of records that repeat the titles of a table.
    var repeatedTitles: Int { get }
    /// The form of the data, for comparison with the form that a rejected first record reveals; `nil` if only binary
    /// data is recognized.
    var form: DataForm? { get }
    /// The bytes that end a record when it is written again; `nil` if it can't be written again.
    var writtenEnd: [UInt8]? { get }
    /// Whether the input around the records is written again as well.
    var writesStructure: Bool { get }

    /// Returns the offset after the record that continues at `start`; `nil` if the record extends beyond these bytes.
    mutating func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int?
    /// Interprets a record, which is passed without its end.
    mutating func reading(_ record: Span<UInt8>) -> RecordReading
    /// Returns the result for a record that is too long.
    mutating func readingOfTooLong() -> RecordReading
    /// The problem with an input that ends at this point, if any.
    var unfinished: String? { get }
    /// Returns the problem with an input that consists of a single record without an end; `nil` if there is none.
    func flaw(ofOnly record: Span<UInt8>) -> String?
    /// Whether the first record has been read, or does not affect the rest of the source.
    var isReady: Bool { get }
    /// Returns the reason, found in the first record, not to read the source.
    func refusal(source: String) -> InputError?
}

extension RecordFormat {
    var endByteCount: Int { 1 }
    var holdsLineEnds: Bool { false }
    var lineEnd: UInt8 { UInt8(ascii: "\n") }
    var endByte: UInt8? { nil }
    var isChangedByRecords: Bool { false }
    var repeatedTitles: Int { 0 }
    var form: DataForm? { nil }
    var writtenEnd: [UInt8]? { endByteCount == 0 ? [] : [endByte ?? UInt8(ascii: "\n")] }
    var writesStructure: Bool { true }
    var unfinished: String? { nil }
    func flaw(ofOnly record: Span<UInt8>) -> String? { nil }
    var isReady: Bool { true }
    func readingOfTooLong() -> RecordReading { .rejected(tooLong) }
    func refusal(source: String) -> InputError? { nil }
}

/// The result of reading a record.
enum RecordReading {
    case operation(ContentOperation)
    case blank
    /// Input around the records, such as the first row of a table, or XML between elements.
    case structure
    case rejected(String)

    fileprivate var isStructure: Bool { if case .structure = self { true } else { false } }
}

/// A collector of the results of reading records, until a chunk is full.
struct ChunkBuilder {
    /// Whether each record is to be examined before the next one is read.
    var stopsAtEachRecord = false
    /// The receiver of records as they are read, if any.
    var tap: RecordTap?
    /// The index of the source.
    var source = 0
    private let limits: InputLimits
    private var chunk = OperationChunk()
    private var weight = 0
    private var records = 0
    private var rejectionsKept = 0

    init(limits: InputLimits) { self.limits = limits }

    fileprivate var isFull: Bool {
        chunk.operations.count >= limits.chunkCount || weight >= limits.chunkBytes || stopsAtEachRecord && records > 0
    }
    var isEmpty: Bool { chunk.input.lines == 0 }

    /// Makes room for the next record when records are examined one at a time.
    mutating func goOn() { records = 0 }

    /// Counts a record and keeps its operation or the reason for its rejection.
    mutating func add(_ reading: consuming RecordReading, source: String, line: Int) {
        records += 1
        switch consume reading {
        case .structure: return
        case .blank: chunk.input.blank += 1
        case .operation(let operation):
            if chunk.operations.isEmpty { chunk.operations.reserveCapacity(min(limits.chunkCount, 1024)) }
            weight += operation.byteCount
            chunk.operations.append(operation)
        case .rejected(let reason):
            chunk.input.rejected += 1
            if rejectionsKept < limits.rejections {
                rejectionsKept += 1
                chunk.rejections.append(InputRejection(source: source, line: line, reason: reason))
            }
        }
        chunk.input.lines += 1
    }

    /// Discards the records read since the last chunk.
    mutating func discard() {
        chunk = OperationChunk()
        (weight, records) = (0, 0)
    }

    /// Returns the chunk and begins the next one.
    mutating func take(end: InputOffset, bytes: Int) -> OperationChunk {
        var taken = OperationChunk()
        swap(&taken, &chunk)
        (weight, records) = (0, 0)
        taken.end = end
        taken.input.bytes = bytes
        return taken
    }
}

/// The reason why a record is rejected, as a sentence with advice.
struct RejectedRecord: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension RejectedRecord {
    static let notUTF8 = RejectedRecord("not UTF-8; specify the encoding, for example --encoding windows-1252")

    static func columns(_ count: Int, instead expected: Int) -> RejectedRecord {
        RejectedRecord(
            "has \(Quantity(count, "column", "columns")) where the first row has \(expected); correct the row"
        )
    }
}

extension Document {
    static func tooLong(_ limit: Int) -> String {
        "longer than the \(limit) bytes allowed for a document; split or remove it"
    }
}

extension ContentOperation {
    /// Creates an addition or an update from a document in a record that was written for it.
    init(isUpdate: Bool, record document: Document) throws(RejectedRecord) {
        do throws(MisplacedOperator) { try self.init(isUpdate ? .update : .add, written: document) } catch {
            throw RejectedRecord(error.reason)
        }
    }
}

extension DocumentID {
    static func tooLong(_ limit: Int) -> String {
        "longer than the \(limit) bytes allowed for a document ID; check the input format"
    }

    fileprivate static func advice(_ error: InvalidDocumentID, limit: Int) -> String {
        switch error.reason {
        case .empty: "the document ID is empty; use a non-empty ID or remove the record"
        case .holdsNUL:
            "contains a NUL byte, which a document ID can't; use -0 if each ID ends in NUL, or convert UTF-16 to UTF-8"
        case .notUTF8: RejectedRecord.notUTF8.reason
        case .tooLong: tooLong(limit)
        }
    }
}

extension DocumentIDPages {
    /// Creates an ID from bytes in an input.
    func id(record bytes: Span<UInt8>, limit: Int) throws(RejectedRecord) -> DocumentID {
        guard bytes.count <= limit else { throw RejectedRecord(DocumentID.tooLong(limit)) }
        do throws(InvalidDocumentID) {
            return try id(utf8: bytes)
        } catch {
            throw RejectedRecord(DocumentID.advice(error, limit: limit))
        }
    }
}

/// A collector of records of an input in their original form, to be written again.
///
/// This is a class, because the readers of all sources share it; it is used only on their thread.
final class RecordTap {
    /// Whether an operation's record is wanted; rejected records always are.
    private let isWanted: (OperationID) -> Bool
    private var next = OperationID.first
    /// The state before the first record of each source, such as the titles of a table.
    private var heads: [Int: [UInt8]] = [:]
    /// The sources with at least one record so far.
    private var begun: Set<Int> = []
    private(set) var bytes: [UInt8] = []
    private(set) var tally = RecordTally()

    init(where isWanted: @escaping (OperationID) -> Bool) { self.isWanted = isWanted }

    /// Adds a record of a source, passed without its end; `end` is the end as written in the input, `nil` if records
    /// can't be written again.
    func note(
        _ reading: borrowing RecordReading,
        _ record: Span<UInt8>,
        of source: Int,
        end: [UInt8]?,
        isWhole: Bool
    ) {
        switch reading {
        case .blank: return
        case .structure: return note(structure: record, of: source, end: end ?? [])
        case .operation:
            defer { next = next.next }
            begun.insert(source)
            guard isWanted(next) else { return }
        case .rejected: begun.insert(source)
        }
        guard isWhole, let end, heads[source] == heads[0] else {
            tally.unwritable += 1
            return
        }
        tally.written += 1
        bytes.append(copying: record)
        bytes += end
    }

    func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    private func note(structure record: Span<UInt8>, of source: Int, end: [UInt8]) {
        if !begun.contains(source) {
            heads[source, default: []].append(copying: record)
            heads[source, default: []] += end
        }
        guard source == 0 else { return }
        bytes.append(copying: record)
        bytes += end
    }
}

/// The number of records of an input that were written again.
public struct RecordTally: Hashable, Sendable {
    /// The number of records that were written.
    public var written = 0
    /// The number of records that can't be written, because they are too long, or because the form of their source
    /// differs from that of the first source.
    public var unwritable = 0
}

extension FeedInput {
    /// Reads an input once more, and passes on the records that are rejected and those whose operations `isWanted`
    /// accepts.
    ///
    /// The records keep their format, but are uncompressed and in UTF-8; the title row of a table and the elements
    /// around the records of a message are included.
    ///
    /// - Returns: The number of records that were passed on, and the number of records that can't be written again.
    public static func records(
        of sources: [InputSource],
        for kind: ContentOperation.Kind,
        format: InputFormat,
        dialect: InputDialect = InputDialect(),
        limits: InputLimits = InputLimits(),
        memory: InputMemory?,
        where isWanted: @escaping @Sendable (OperationID) -> Bool,
        write: ([UInt8]) throws -> Void
    ) async throws -> RecordTally {
        let reader = InputReader { _ in }
        await reader.tap(where: isWanted)
        try await reader.open(sources, for: kind, format: format, dialect: dialect, limits: limits, memory: memory)
        while try await !reader.next().isEmpty { try write(await reader.takeRecords()) }
        try write(await reader.takeRecords())
        return await reader.recordTally
    }
}

/// IDs to remove, each ended by a line feed or a NUL byte.
struct LinesFormat: RecordFormat {
    let end: UInt8
    private let trims: Bool
    /// Whether an empty record counts as an empty ID (as an empty argument does) rather than as a blank line.
    let refusesEmpty: Bool
    let limits: InputLimits
    private let ids = DocumentIDPages()

    init(end: UInt8, trims: Bool = false, refusesEmpty: Bool = false, limits: InputLimits) {
        self.end = end
        self.trims = trims
        self.refusesEmpty = refusesEmpty
        self.limits = limits
    }

    var maximumRecordBytes: Int { limits.line }
    var tooLong: String { DocumentID.tooLong(limits.id) }
    var dropsCarriageReturn: Bool { end != 0 }

    var endByte: UInt8? { end }

    func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        bytes.offset(of: end, from: start).map { $0 + 1 }
    }

    func flaw(ofOnly record: Span<UInt8>) -> String? {
        guard end != 0, let place = record.offset(of: UInt8(ascii: "\r")), place < record.count - 1 else { return nil }
        return "has a carriage return and no line feed; if that is how lines end, convert them: tr '\\r' '\\n'; if it "
            + "is part of an ID, use --null, and end the ID with a NUL byte"
    }

    func reading(_ record: Span<UInt8>) -> RecordReading {
        var range = 0..<record.count
        if trims { range = record.trimmed() }
        guard !range.isEmpty || refusesEmpty else { return .blank }
        do throws(RejectedRecord) {
            return .operation(.remove(try ids.id(record: record.extracting(range), limit: limits.id)))
        } catch {
            return .rejected(error.reason)
        }
    }
}

extension Span<UInt8> {
    /// Returns the first offset of `byte` at or after `start`.
    func offset(of byte: UInt8, from start: Int = 0) -> Int? {
        guard start < count else { return nil }
        return withUnsafeBytes { all in
            guard let base = all.baseAddress, let found = memchr(base + start, CInt(byte), all.count - start) else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Returns the last offset of `byte`.
    func lastOffset(of byte: UInt8) -> Int? {
        var index = count
        while index > 0 {
            index -= 1
            if self[index] == byte { return index }
        }
        return nil
    }

    /// Returns the number of occurrences of `byte`.
    func count(of byte: UInt8) -> Int {
        // Without branches or bounds checks, the compiler generates code that compares many bytes at once.
        withUnsafeBufferPointer { all in
            var total = 0
            for index in all.indices { total &+= all[index] == byte ? 1 : 0 }
            return total
        }
    }

    /// Returns the range without the spaces and tabs at both ends.
    fileprivate func trimmed() -> Range<Int> {
        var (start, end) = (0, count)
        while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
        while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }
}
