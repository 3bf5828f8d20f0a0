import TextKit
import ULSPaste
import ULSRows

/// A scan of text that isn't a native log: a ``PasteReader`` reads the text, and its records are passed on as rows.
///
/// A unit ends after the line with which it reaches its size, regardless of the pieces in which the text was read.
struct PasteScan<Sink: UnitSink> {
    private let text: LogText
    private let scan: UnitScan<Sink>
    private var reader = PasteReader()
    private var parser = RowParser()
    private var sink: Sink
    private var line: [UInt8] = []
    private var records: [PastedRecord] = []
    /// The account of earlier units.
    private var counted = PasteQuality()
    private var inferred = 0
    /// The number of bytes in the unit's lines so far, including line ends.
    private var bytes: Int64 = 0
    /// The position of the next record in the unit; no two records have the same position.
    private var position: Int64 = 0

    init(_ text: LogText, scan: UnitScan<Sink>) {
        self.text = text
        self.scan = scan
        sink = scan.makeSink(text)
        reader.messageTest = sink.messageTest
    }

    /// Reads to the end of the text, beginning with the part that was already read.
    ///
    /// - Returns: Whether more is wanted.
    mutating func run(
        beginning head: [UInt8],
        _ emit: (UnitOutput<Sink.Payload>) -> Bool,
        read: (inout [UInt8]) throws -> Int,
        remark: () -> TextRemark?
    ) throws -> Bool {
        let pieceBytes = scan.sizes.pieceBytes
        var piece = head
        var count = head.count
        while count > 0 {
            guard take(piece.span.extracting(first: count), emit) else { return false }
            if let payload = sink.drain(), !emit(UnitOutput(text: text, payload: payload)) { return false }
            if piece.count != pieceBytes { piece = Array(repeating: 0, count: pieceBytes) }
            count = try read(&piece)
        }
        if !line.isEmpty { endLine() }
        _ = reader.finish(into: &records)
        handOn()
        var remarks = [remark()].compactMap(\.self)
        if reader.quality.records == 0, reader.quality.notUnderstood > 0 {
            remarks.append(TextRemark(foreign: ForeignText(startOf: head)))
        }
        return emit(endUnit(isTextEnd: true, remarks: remarks))
    }

    private mutating func take(_ piece: Span<UInt8>, _ emit: (UnitOutput<Sink.Payload>) -> Bool) -> Bool {
        var index = 0
        while index < piece.count {
            let byte = piece[index]
            index += 1
            bytes += 1
            if byte == 0x0A {
                endLine()
                if reader.ignoresEmptyLines { passEmptyLines(piece, from: &index) }
                if bytes >= scan.sizes.unitBytes, !emit(endUnit(isTextEnd: false)) { return false }
            } else if line.count < reader.limits.line {
                line.append(byte)
            }
        }
        return true
    }

    /// Skips the empty lines, possibly millions, that begin at `index`, up to the unit's end.
    private mutating func passEmptyLines(_ piece: Span<UInt8>, from index: inout Int) {
        let start = index
        var lines = 0
        let end = min(piece.count, start + Int(clamping: max(0, scan.sizes.unitBytes - bytes)))
        while index < end {
            if piece[index] == 0x0A {
                index += 1
            } else if piece[index] == 0x0D, index + 1 < end, piece[index + 1] == 0x0A {
                index += 2
            } else {
                break
            }
            lines += 1
        }
        guard lines > 0 else { return }
        bytes += Int64(index - start)
        reader.count(emptyLines: lines)
    }

    private mutating func endLine() {
        var ended: [UInt8] = []
        swap(&ended, &line)
        position = max(position, bytes)
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
            // A record may have begun in an earlier unit.
            fields.line -= counted.lines
            fields.position = position
            position += 1
            parser.complete(ByteWindow(row.bytes.span), &fields)
            sink.take(ByteWindow(row.bytes.span), fields)
        }
        records.removeAll(keepingCapacity: true)
    }

    /// Ends the unit; a record that is still open becomes part of the next unit.
    private mutating func endUnit(isTextEnd: Bool, remarks: [TextRemark] = []) -> UnitOutput<Sink.Payload> {
        let paste = reader.quality
        var quality = ReadQuality()
        quality.lines = paste.lines - counted.lines
        quality.records = paste.records - counted.records
        quality.continuations = paste.continuations - counted.continuations
        quality.headers = paste.headers - counted.headers
        quality.blank = paste.blank - counted.blank
        quality.notUnderstood = paste.notUnderstood - counted.notUnderstood
        quality.inferred = inferred
        quality.reach(.rowBytes, times: paste.cutRecords - counted.cutRecords)
        var end = UnitEnd(quality: quality, bytes: bytes, isTextEnd: isTextEnd)
        for remark in remarks { end.add(remark) }
        let payload = sink.finish(parser)
        counted = paste
        (inferred, bytes, position) = (0, 0, 0)
        parser = RowParser()
        sink = scan.makeSink(text)
        return UnitOutput(text: text, payload: payload, end: end)
    }
}

/// A record of a paste, laid out as a row.
struct PastedRow {
    private(set) var bytes: [UInt8] = []
    /// The fields, which are complete except for the columns' numbers, which the parser assigns.
    private(set) var fields = RowFields()

    init(_ record: PastedRecord) {
        fields.timeEnd = end(record.time)
        fields.processEnd = end(record.processOnServer)
        fields.threadEnd = end(record.thread)
        fields.areaEnd = end(record.area)
        fields.categoryEnd = end(record.category)
        fields.eventEnd = end(record.eventID)
        fields.levelEnd = end(record.level)
        fields.messageEnd = end(record.message)
        bytes.append(contentsOf: record.correlation)
        fields.end = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: ByteWindow.slack))

        var read = fields
        read.isMarked = record.isContinuation
        read.isInferred = record.isInferred
        read.line = record.firstLine - 1
        read.lineCount = record.lastLine - record.firstLine + 1
        Self.setTime(ByteWindow(bytes.span), of: &read)
        fields = read
    }

    /// Lays out an event as a row.
    init(_ event: borrowing ULSEvent) {
        let server = event.server.map { "\($0):" } ?? ""
        fields.timeEnd = end([])
        fields.processEnd = end(Array("\(event.text(.process)) (\(server)\(event.text(.processID)))".utf8))
        fields.threadEnd = end(Array(event.text(.threadID).utf8))
        fields.areaEnd = end(Array(event.text(.area).utf8))
        fields.categoryEnd = end(Array(event.text(.category).utf8))
        fields.eventEnd = end(Array(event.text(.eventID).utf8))
        fields.levelEnd = end(Array(event.text(.level).utf8))
        fields.messageEnd = end(Array(event.text(.message).utf8))
        bytes.append(copying: event[.correlation])
        fields.end = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        fields.clock = event.time.clock
        fields.isUTC = event.isUTCLayout
        fields.isJoined = true
        fields.isInferred = event.isInferred
        if event.time.quality == .timeOnly || event.time.quality == .none { fields.timeQuality = event.time.quality }
    }

    /// Appends a column and the tab after it, and returns the tab's offset.
    private mutating func end(_ column: [UInt8]) -> Int {
        bytes.append(contentsOf: column)
        bytes.append(0x09)
        return bytes.count - 1
    }

    /// Sets the time, which is local unless it ends with `Z`: exports write ISO 8601 without a zone.
    private static func setTime(_ window: borrowing ByteWindow, of fields: inout RowFields) {
        var text = TimestampText(window, from: 0, to: fields.timeEnd)
        if let (clock, _) = text.timestamp() {
            fields.isUTC = text.offset > 0 && window[text.offset - 1] == UInt8(ascii: "Z")
            fields.clock = clock + text.halfOfDay(of: clock)
            return
        }
        var timeOnly = TimestampText(window, from: 0, to: fields.timeEnd)
        if let clock = timeOnly.timeOfDay() {
            fields.clock = clock + timeOnly.halfOfDay(of: clock)
            fields.timeQuality = .timeOnly
        } else {
            fields.timeQuality = LogTime.Quality.none
        }
    }
}
