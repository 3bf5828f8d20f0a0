/// Reads a text that is no native log through a ``PasteReader``, and hands its records on as rows.
struct PasteScan<Sink: UnitSink> {
    private let text: LogText
    private let pieceBytes: Int
    private let makeSink: @Sendable (LogText) -> Sink
    private let unitBytes: Int64
    private var reader = PasteReader()
    private var parser = RowParser()
    private var sink: Sink
    private var line: [UInt8] = []
    private var records: [PastedRecord] = []
    private var inferred = 0
    private var bytes: Int64 = 0
    /// Bytes of the lines so far.
    private var position: Int64 = 0

    init(_ text: LogText, scan: UnitScan<Sink>) {
        self.text = text
        pieceBytes = scan.sizes.pieceBytes
        makeSink = scan.makeSink
        unitBytes = scan.sizes.unitBytes
        sink = makeSink(text)
    }

    /// Reads to the end of the text, beginning with what was read of it already.
    ///
    /// - Returns: Whether more is wanted.
    mutating func run(
        beginning head: [UInt8],
        _ emit: (UnitOutput<Sink.Payload>) -> Bool,
        read: (inout [UInt8]) throws -> Int
    ) throws -> Bool {
        var piece = head
        var count = head.count
        while count > 0 {
            take(piece.span.extracting(first: count))
            bytes += Int64(count)
            if let payload = sink.drain(), !emit(UnitOutput(text: text, payload: payload)) { return false }
            if piece.count != pieceBytes { piece = Array(repeating: 0, count: pieceBytes) }
            count = try read(&piece)
        }
        if !line.isEmpty { endLine() }
        let paste = reader.finish(into: &records)
        handOn()
        var quality = ReadQuality()
        quality.lines = paste.lines
        quality.records = paste.records
        quality.continuations = paste.continuations
        quality.headers = paste.headers
        quality.blank = paste.blank
        quality.notUnderstood = paste.notUnderstood
        quality.inferred = inferred
        quality.reach(.rowBytes, times: paste.cutRecords)
        let end = UnitEnd(quality: quality, bytes: bytes, isTextEnd: true)
        return emit(UnitOutput(text: text, payload: sink.finish(parser), end: end))
    }

    private mutating func take(_ piece: Span<UInt8>) {
        for index in 0..<piece.count {
            if piece[index] == 0x0A {
                endLine()
            } else if line.count < LogLimit.rowBytes.maximum {
                line.append(piece[index])
            }
        }
    }

    private mutating func endLine() {
        var ended: [UInt8] = []
        swap(&ended, &line)
        position += Int64(ended.count) + 1
        reader.append(line: ended.span, into: &records)
        ended.removeAll(keepingCapacity: true)
        swap(&ended, &line)
        handOn()
    }

    private mutating func handOn() {
        for record in records {
            if record.isInferred { inferred += 1 }
            let row = PastedRow(record)
            var fields = row.fields
            fields.position = position
            position += 1
            parser.complete(ByteWindow(row.bytes.span), &fields)
            sink.take(ByteWindow(row.bytes.span), fields)
        }
        records.removeAll(keepingCapacity: true)
    }
}
