/// Takes the bytes of one source as they come, and gives what its records say.
protocol RecordReader {
    /// Bytes up to the end of the last whole record.
    var boundary: UInt64 { get }
    /// What the first record says against reading the source; `nil` also while there is no first record.
    var refusal: InputError? { get }
    /// True when the first record need not be seen before anything is sent, or has been seen.
    var isReady: Bool { get }

    /// Reads records until the bytes end or the chunk is full.
    ///
    /// A record that goes on behind the bytes is kept, as far as its limit allows.
    ///
    /// - Returns: How many bytes were taken.
    mutating func read(_ bytes: Span<UInt8>, into chunk: inout ChunkBuilder) -> Int
    /// Reads what is left when the source has ended.
    mutating func finish(into chunk: inout ChunkBuilder)
}

/// The reader of every format that is a row of records.
struct FormatReader<Format: RecordFormat>: RecordReader {
    private var format: Format
    private let source: String
    private var taken: UInt64 = 0
    /// The beginning of a record whose end has not been seen, unless it is too long.
    private var begun: [UInt8] = []
    /// All bytes seen of that record, held or not.
    private var begunCount = 0
    private var line = 1
    private var lineEndsBegun = 0

    init(_ format: Format, source: String) {
        self.format = format
        self.source = source
    }

    var boundary: UInt64 { taken - UInt64(begunCount) }
    var refusal: InputError? { format.refusal(source: source) }
    var isReady: Bool { format.isReady }

    @specialized(where Format == LinesFormat)
    @specialized(where Format == TableFormat<IDRows>)
    @specialized(where Format == SolrXMLFormat)
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
                takeBegun(endCount: format.endByteCount, into: &chunk)
            }
            offset = end
        }
        taken += UInt64(offset)
        return offset
    }

    mutating func finish(into chunk: inout ChunkBuilder) {
        if let reason = format.unfinished, begunCount <= format.maximumRecordBytes {
            chunk.add(.rejected(reason), source: source, line: line)
            forgetBegun()
        } else if begunCount > 0 {
            takeBegun(endCount: 0, into: &chunk)
        }
    }

    private mutating func keep(_ bytes: Span<UInt8>) {
        begunCount += bytes.count
        count(lineEndsOf: bytes)
        // One more for the end of the record itself.
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
        if format.holdsLineEnds { lineEndsBegun += piece.count(of: UInt8(ascii: "\n")) }
    }

    private mutating func interpret(_ record: Span<UInt8>, byteCount: Int, into chunk: inout ChunkBuilder) {
        chunk.add(reading(of: record, byteCount: byteCount), source: source, line: line)
        line += format.holdsLineEnds ? lineEndsBegun : 1
        lineEndsBegun = 0
    }

    private mutating func reading(of record: Span<UInt8>, byteCount: Int) -> RecordReading {
        guard byteCount <= format.maximumRecordBytes else { return format.readingOfTooLong() }
        guard format.dropsCarriageReturn, !record.isEmpty, record[record.count - 1] == UInt8(ascii: "\r") else {
            return format.reading(record)
        }
        return format.reading(record.extracting(0..<record.count - 1))
    }
}
