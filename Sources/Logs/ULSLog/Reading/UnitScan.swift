import TextKit
import ULSPaste
import ULSRows

/// A scan of a work item, which reads the item piece by piece, divides it into units and delivers the output of each.
///
/// A unit begins with the first row at or after a multiple of the unit size and contains all lines up to the next
/// unit's first row, so units do not depend on how the text was read.
struct UnitScan<Sink: UnitSink>: Sendable {
    /// The function that creates the consumer of a unit's records.
    let makeSink: @Sendable (LogText) -> Sink
    let sizes: ReadingSizes
    /// The sieve that finds text without wanted records, which is then skipped.
    let sieve: RecordSieve?
    /// The object that counts the text read.
    var progress: ReadProgress?
    /// Whether results are delivered as soon as a pipe has nothing to read.
    var isLive = false

    /// Reads an item; `emit` returns whether to continue.
    func run(_ item: WorkItem, _ emit: (UnitOutput<Sink.Payload>) -> Bool) throws {
        switch item {
        case .part(let part): try scan(part, emit)
        case .stream(let source, let number): try scan(source, number, emit)
        }
    }

    private func scan(_ part: WorkItem.FilePart, _ emit: (UnitOutput<Sink.Payload>) -> Bool) throws {
        try part.file.readPart { file in try scan(part, of: file, emit) }
    }

    private func scan(
        _ part: WorkItem.FilePart,
        of file: PlainFile,
        _ emit: (UnitOutput<Sink.Payload>) -> Bool
    ) throws {
        // Start at the preceding byte, which reveals whether a line begins here.
        let start = part.isFirst ? max(part.start, file.textStart) : part.start - 1
        var text = TextScan(part.text, at: start, unitEnd: part.end, isInside: !part.isFirst, scan: self)
        if part.isFirst { progress?.add(bytes: Int(clamping: max(0, start - part.start))) }
        var place = text.place
        _ = try text.run(endsAtUnit: true, emit) { buffer, filled in
            let count = try file.read(into: &buffer, from: filled, at: place)
            // Text outside the part's bounds is in other parts.
            let own = min(place + Int64(count), part.end, part.fileEnd) - max(place, part.start)
            progress?.add(bytes: Int(clamping: max(0, own)))
            place += Int64(count)
            // Bytes that the writer has added since are not read.
            return place > part.fileEnd ? max(0, count - Int(place - part.fileEnd)) : count
        } remark: {
            part.isLast ? ((try? file.change(since: part.fileEnd)) ?? nil).map { TextRemark($0) } : nil
        }
    }

    private func scan(_ source: LogSource, _ number: Int, _ emit: (UnitOutput<Sink.Payload>) -> Bool) throws {
        var stream = try LogStream(source)
        var counted = StreamCount(progress, at: stream.placeAtOpening)
        while let name = try stream.nextText() {
            let undecodable = stream.undecodable
            let text = LogText(source: number, name: name.name, server: name.server)
            var head: [UInt8] = []
            var isNative = false
            var count = 1
            // The text before a failure is still read; the failure is reported at the end of that text.
            var failure: (any Error)?
            while !isNative, count > 0, head.count < sizes.sniffBytes {
                let start = head.count
                head.append(contentsOf: repeatElement(0, count: sizes.pieceBytes))
                do { count = try stream.read(into: &head, from: start) } catch { (count, failure) = (0, error) }
                counted.note(read: count, at: stream.place)
                head.removeLast(sizes.pieceBytes - count)
                // Examine no more bytes than in a plain file, regardless of the pieces in which they arrive.
                let looked = min(head.count, sizes.sniffBytes)
                isNative = NativeText.isNative(head.span.extracting(first: looked), isWhole: count == 0)
            }
            let wantsMore: Bool
            if isNative {
                var scan = TextScan(text, at: 0, unitEnd: sizes.unitBytes, isInside: false, scan: self)
                scan.begin(with: head)
                let isLive = isLive
                wantsMore = try scan.run(endsAtUnit: false, emit) { limit in
                    !isLive || failure != nil || stream.isReady(within: limit)
                } read: { buffer, filled in
                    guard failure == nil else { return 0 }
                    do {
                        let count = try stream.read(into: &buffer, from: filled)
                        counted.note(read: count, at: stream.place)
                        return count
                    } catch { failure = error }
                    return 0
                } remark: {
                    TextRemark(undecodable: stream.undecodable - undecodable)
                }
            } else {
                try refuseBinary(head, source, name)
                var scan = PasteScan(text, scan: self)
                wantsMore = try scan.run(beginning: head, emit) { buffer in
                    guard failure == nil else { return 0 }
                    do {
                        let count = try stream.read(into: &buffer)
                        counted.note(read: count, at: stream.place)
                        return count
                    } catch { failure = error }
                    return 0
                } remark: {
                    TextRemark(undecodable: stream.undecodable - undecodable)
                }
            }
            if let failure { throw failure }
            guard wantsMore else { return }
        }
    }

    /// Throws an error for bytes that are not text: many zeros or other control characters at the beginning.
    ///
    /// Otherwise, an executable would be read as a paste of messages.
    private func refuseBinary(_ head: [UInt8], _ source: LogSource, _ name: LogTextName) throws(LogSourceError) {
        let beginning = head.prefix(4096)
        guard beginning.count(where: { $0 == 0 }) > beginning.count / 32 else {
            // One in ten random bytes is a control character.
            let controls = beginning.count { $0 < 0x20 && !(0x07...0x0D).contains($0) && $0 != 0x1B }
            guard controls > max(4, beginning.count / 20) else { return }
            throw LogSourceError(
                .unsupported,
                source: name.name,
                reason: "it is not text: its beginning is full of control characters",
                advice: "specify ULS logs, from the farm's LOGS folder"
            )
        }
        throw LogSourceError(
            .unsupported,
            source: name.name,
            reason: "it is not text: its beginning is full of zero bytes",
            advice: "if it is UTF-16 without a byte-order mark, use --encoding utf-16le"
        )
    }
}

/// Output from scanning a work unit: part of the results, or the end.
struct UnitOutput<Payload: Sendable>: Sendable {
    var text: LogText
    var payload: Payload
    /// The account of the unit's lines and bytes; set at the end of a unit.
    var end: UnitEnd?
    /// The lull, if there is nothing to read at the moment.
    var lull: Lull?
}

/// A moment at which a pipe has nothing to read, although it has not ended.
enum Lull: Sendable {
    /// Everything written so far was read; more may arrive at any moment.
    case short
    /// Nothing has arrived for so long that the last text counts as complete.
    case long

    /// The time after which a lull counts as long; a row and the lines below it are written together.
    static let patience = Duration.milliseconds(120)
}

/// The account of a work unit.
struct UnitEnd: Sendable {
    var quality: ReadQuality
    var bytes: Int64
    /// Whether the unit is the last of its text.
    var isTextEnd: Bool
    /// Notes for the user on problems with the text and changes to it.
    var notes: [String] = []
    /// Whether a part could not be read.
    var isIncomplete = false

    mutating func add(_ remark: TextRemark) {
        notes.append(remark.text)
        isIncomplete = isIncomplete || remark.isIncomplete
    }
}

/// A remark on a text that was read to its end.
struct TextRemark: Sendable {
    /// The remark, as readable text.
    var text: String
    /// Whether a part of the text could not be read.
    fileprivate var isIncomplete = false

    init(_ change: FileChange) {
        text = change.description
        if case .shrank = change { isIncomplete = true }
    }

    /// Creates the note that a text contains no event.
    init(foreign: ForeignText) {
        text = "it contains no event; it looks like \(foreign.description). This command expects rows of a"
        text += " ULS log, with a time, a process, an event ID and a level, or an error message. For a code or text"
        text += " without a row, use: fastctl explain - <FILE"
    }

    /// Creates the remark on invalid text; `nil` if all text could be decoded.
    init?(undecodable count: Int) {
        guard count > 0 else { return nil }
        text = "\(Quantity(count, "place", "places")) could not be decoded and became U+FFFD; specify the"
        text += " correct encoding with --encoding"
    }
}

/// A consumer of records that can deliver its results in parts.
protocol UnitSink: RecordSink, SendableMetatype {
    associatedtype Payload: Sendable

    /// Returns the results so far, if they are enough to deliver.
    mutating func drain() -> Payload?

    /// Returns all results so far, if there are any and they may be delivered at any time.
    mutating func drainAll() -> Payload?

    /// See ``EventPrefilter/messageTest``.
    var messageTest: (@Sendable ([UInt8]) -> Bool)? { get }

    /// Returns the remaining results; `parser` maps the numbers of columns to their texts.
    consuming func finish(_ parser: borrowing RowParser) -> Payload
}

extension UnitSink {
    mutating func drainAll() -> Payload? { nil }

    var messageTest: (@Sendable ([UInt8]) -> Bool)? { nil }
}

/// A scan of a native text, piece by piece, by a ``RecordScanner``.
struct TextScan<Sink: UnitSink> {
    /// The number of bytes after which the results from a part of a file are delivered, if there are enough; results
    /// from a pipe are delivered after each piece.
    ///
    /// The order in which the units of several servers arrive depends on this value, as does the choice of examples
    /// among many rows.
    private static var handOverBytes: Int64 { 2 << 20 }

    private let text: LogText
    private let scan: UnitScan<Sink>
    private var scanner: RecordScanner
    private var sink: Sink
    /// The search for rows that may match an expression, if there is one.
    private let sieve: SieveScan?
    private var buffer: [UInt8] = []
    private var filled = 0
    /// The offsets in the text at which the buffer begins, and at which the unit begins and ends.
    private var base: Int64
    private var unitStart: Int64
    private var unitEnd: Int64
    private var isLast = false
    /// The columns before the message of the record that ``takeLast(isEnd:)`` took, for lines that arrive late.
    private var lead: [UInt8] = []

    /// Creates a scan that begins at a place in the text.
    ///
    /// `isInside` is true if that place is inside a line; in that case, everything up to the first row is part of the
    /// previous unit.
    init(_ text: LogText, at start: Int64, unitEnd: Int64, isInside: Bool, scan: UnitScan<Sink>) {
        self.text = text
        self.scan = scan
        scanner = RecordScanner(isSeeking: isInside, maximumRecord: scan.sizes.maximumRecord)
        sink = scan.makeSink(text)
        sieve = if case .expression(let sieve)? = scan.sieve { SieveScan(sieve) } else { nil }
        base = start
        unitStart = isInside ? start + 1 : start
        self.unitEnd = unitEnd
    }

    /// Takes the bytes of the text that were already read.
    mutating func begin(with head: [UInt8]) {
        buffer = head
        buffer.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        filled = head.count
    }

    /// The place in the text where reading must continue.
    var place: Int64 { base + Int64(filled) }

    /// Scans a window, skipping rows that can't be wanted, and returns the number of bytes that were consumed.
    private mutating func take(_ window: borrowing ByteWindow, length: Int) -> RecordScanner.Stop {
        let limit = Int(clamping: unitEnd - base)
        // After each row that may match, rows that can't match are skipped.
        let hops = sieve != nil && !isLast
        sieve?.begin()
        var start = 0
        // For a single row, only a short range is scanned, because line ends are found in large batches.
        var look = hops ? Self.rowLook : length
        while true {
            start = passOver(window, from: start, length: length)
            let count = min(look, length - start)
            scanner.origin = base + Int64(start) - unitStart
            let stop = scanner.scan(
                window.part(from: start, count: count + ByteWindow.slack),
                length: count,
                limit: hops ? min(1, limit - start) : limit - start,
                isLast: isLast,
                into: &sink
            )
            switch stop {
            case .needsMore(let offset):
                guard count < length - start else { return .needsMore(from: start + offset) }
                start += offset
                look = offset > 0 ? Self.rowLook : look * 8
            case .atEnd(let offset):
                start += offset
                guard hops, start < limit else { return .atEnd(start) }
                look = Self.rowLook
            }
        }
    }

    /// The number of bytes that are scanned for a single row at first.
    private static var rowLook: Int { 2 << 10 }

    /// Reads to the end of the unit, or of the text, and returns whether more is wanted.
    ///
    /// `isReady` returns whether data or the end arrives within a given time. `read` fills a buffer from an offset and
    /// returns the number of bytes, which is 0 at the end. `remark` is called at the end of the text and returns a note
    /// on changes that occurred in the meantime.
    mutating func run(
        endsAtUnit: Bool,
        _ emit: (UnitOutput<Sink.Payload>) -> Bool,
        isReady: (Duration) -> Bool = { _ in true },
        read: (inout [UInt8], Int) throws -> Int,
        remark: () -> TextRemark?
    ) throws -> Bool {
        var isReadingDue = filled == 0
        var handOverPlace = base + Self.handOverBytes
        while true {
            if isReadingDue { try fill(read) }
            isReadingDue = true
            if isLast, endsAtUnit, let payload = sink.drain(), !emit(UnitOutput(text: text, payload: payload)) {
                return false
            }
            for offset in filled..<filled + ByteWindow.slack { buffer[offset] = 0 }
            let length = endsAtUnit && !isLast ? min(filled, Int(handOverPlace - base)) : filled
            let isAtPlace = base + Int64(length) >= handOverPlace
            switch scanPiece(length: length) {
            case .needsMore(let offset):
                keep(from: offset)
                if isLast {
                    let last = endsAtUnit ? min(base, unitEnd) : base
                    return emit(end(at: last, isTextEnd: true, remark: remark()))
                }
                if endsAtUnit {
                    guard isAtPlace else { continue }
                    // A record may be longer.
                    handOverPlace = offset > 0 ? base + Self.handOverBytes : handOverPlace + Self.handOverBytes
                    isReadingDue = offset == 0 || filled == 0
                }
                if let payload = sink.drain(), !emit(UnitOutput(text: text, payload: payload)) { return false }
                guard handOver(isReady, emit) else { return false }
            case .atEnd(let offset):
                keep(from: offset)
                if endsAtUnit { return emit(end(at: unitEnd, isTextEnd: false)) }
                // A record may be longer than a unit.
                let next = base - base % scan.sizes.unitBytes
                guard emit(end(at: next, isTextEnd: false)) else { return false }
                scanner = RecordScanner(isSeeking: false, maximumRecord: scan.sizes.maximumRecord)
                sink = scan.makeSink(text)
                unitStart = next
                unitEnd = next + scan.sizes.unitBytes
                isReadingDue = filled == 0
            }
        }
    }

    /// Delivers the available events if there is nothing to read at the moment; returns whether to continue.
    private mutating func handOver(
        _ isReady: (Duration) -> Bool,
        _ emit: (UnitOutput<Sink.Payload>) -> Bool
    ) -> Bool {
        guard !isReady(.zero) else { return true }
        if let payload = sink.drainAll(), !emit(UnitOutput(text: text, payload: payload, lull: .short)) { return false }
        guard !isReady(Lull.patience) else { return true }
        takeLast()
        guard let payload = sink.drainAll() else { return true }
        return emit(UnitOutput(text: text, payload: payload, lull: .long))
    }

    /// Takes the last record without waiting for the line below that would end it.
    ///
    /// The record is not taken if the beginning of another of its lines may have been read.
    ///
    /// - Parameter isEnd: Whether no more text will arrive, so that a row without a line end is also taken.
    mutating func takeLast(isEnd: Bool = false) {
        if isEnd, filled > 0 {
            isLast = true
            for offset in filled..<filled + ByteWindow.slack { buffer[offset] = 0 }
            if case .needsMore(let offset) = scanPiece(length: filled) { keep(from: offset) }
            isLast = false
            return
        }
        guard let lineEnd = buffer.prefix(filled).lastIndex(of: 0x0A) else { return }
        let end = lineEnd + 1
        // A row begins with a digit; a line of a message hardly ever does.
        guard end == filled || (0x30...0x39).contains(buffer[end]) else { return }
        lead = leadOfRecord()
        isLast = true
        if case .needsMore(let offset) = scanPiece(length: end) { keep(from: offset) }
        isLast = false
    }

    /// Reads a piece of a growing text and takes the complete records; returns false if there is nothing more to read.
    mutating func takeMore(_ read: (inout [UInt8], Int) throws -> Int) throws -> Bool {
        try fill(read)
        guard !isLast else {
            isLast = false
            return false
        }
        if !lead.isEmpty { continueTaken() }
        for offset in filled..<filled + ByteWindow.slack { buffer[offset] = 0 }
        if case .needsMore(let offset) = scanPiece(length: filled) { keep(from: offset) }
        return true
    }

    /// Returns the first seven columns of the record at the buffer's beginning, with the tabs after them; the result is
    /// empty if there are fewer columns, or if they are longer than in any real row.
    private func leadOfRecord() -> [UInt8] {
        var tabs = 0
        for (offset, byte) in buffer.prefix(min(filled, Self.longestLead)).enumerated() {
            if byte == 0x0A { return [] }
            if byte == 0x09 { tabs += 1 }
            if tabs == Self.tabs - 1 { return Array(buffer[...offset]) }
        }
        return []
    }

    private static var longestLead: Int { 1 << 10 }

    /// Turns a line that arrives after its record was taken into a separate row, `...line` with that record's columns;
    /// a row, a header line or a blank line is left unchanged.
    private mutating func continueTaken() {
        guard let first = buffer.prefix(filled).first, ![0x0A, 0x0D].contains(first) else { return }
        defer { lead = [] }
        // A row begins with a digit; a rotated file may repeat its byte-order mark and the header line.
        let title = Array("Timestamp".utf8)
        guard !(0x30...0x39).contains(first), first != 0xEF,
            !buffer.prefix(filled).prefix(title.count).elementsEqual(title)
        else { return }
        let beginning = lead + Array("...".utf8)
        buffer.insert(contentsOf: beginning, at: 0)
        filled += beginning.count
        // The offset up to which the file was read does not change.
        base -= Int64(beginning.count)
    }

    /// Returns all results so far.
    mutating func drainAll() -> Sink.Payload? { sink.drainAll() }

    /// Ends a growing text at the place up to which it was read.
    mutating func finish() -> UnitOutput<Sink.Payload> { end(at: base, isTextEnd: true) }

    /// Whether there is a complete line that ``takeLast(isEnd:)`` may take.
    var holdsLine: Bool {
        guard let lineEnd = buffer.prefix(filled).lastIndex(of: 0x0A) else { return false }
        return lineEnd + 1 == filled || (0x30...0x39).contains(buffer[lineEnd + 1])
    }

    /// The number of tabs in a row that has all columns.
    private static var tabs: Int { 8 }

    /// Whether the record that ``takeLast(isEnd:)`` may take has fewer columns than a row; the last column is at the
    /// end of the record's last line.
    var lacksColumns: Bool {
        guard let lineEnd = buffer.prefix(filled).lastIndex(of: 0x0A) else { return false }
        return buffer[..<lineEnd].count { $0 == 0x09 } < Self.tabs
    }

    private mutating func scanPiece(length: Int) -> RecordScanner.Stop {
        // A local variable holds the buffer so that it can be read while other properties change.
        var bytes: [UInt8] = []
        swap(&bytes, &buffer)
        defer { swap(&bytes, &buffer) }
        return take(ByteWindow(bytes.span), length: length)
    }

    private mutating func fill(_ read: (inout [UInt8], Int) throws -> Int) throws {
        guard !isLast else { return }
        let wanted = filled + scan.sizes.pieceBytes
        if buffer.count > wanted {
            buffer.removeLast(buffer.count - wanted)
        } else {
            buffer.append(contentsOf: repeatElement(0, count: wanted - buffer.count))
        }
        let count = try read(&buffer, filled)
        isLast = count == 0
        filled += count
        let needed = filled + ByteWindow.slack
        if buffer.count < needed { buffer.append(contentsOf: repeatElement(0, count: needed - buffer.count)) }
    }

    /// Moves the unused bytes to the front.
    private mutating func keep(from offset: Int) {
        guard offset > 0 else { return }
        buffer.moveToFront(offset..<filled)
        filled -= offset
        base += Int64(offset)
    }

    /// Skips rows that can't be wanted, and returns the offset of the next row.
    private mutating func passOver(_ window: borrowing ByteWindow, from start: Int, length: Int) -> Int {
        guard let required = scan.sieve, !scanner.isBetweenRecords, !isLast else { return start }
        // Rows beyond the unit's end are part of the next unit.
        let own = Int(clamping: min(Int64(length), unitEnd - base))
        guard start < own else { return start }
        switch required {
        case .correlation(let literal):
            let (offset, lines) = literal.passOver(window, length: own)
            scanner.passOver(lines: lines)
            return offset
        case .expression:
            guard let sieve else { return start }
            let next = sieve.nextRow(in: window, from: start, to: own, length: length)
            scanner.passOver(lines: window.lineEnds(in: start..<next))
            return next
        }
    }

    /// Ends the unit, counting its bytes up to `place`, from which the positions of later rows are counted.
    private mutating func end(at place: Int64, isTextEnd: Bool, remark: TextRemark? = nil) -> UnitOutput<Sink.Payload> {
        let payload = sink.finish(scanner.parser)
        var end = UnitEnd(quality: scanner.quality, bytes: max(0, place - unitStart), isTextEnd: isTextEnd)
        if let remark { end.add(remark) }
        return UnitOutput(text: text, payload: payload, end: end)
    }
}

extension [UInt8] {
    /// Moves a range of bytes to the beginning without changing the count.
    fileprivate mutating func moveToFront(_ range: Range<Int>) {
        unsafe withUnsafeMutableBytes { bytes in
            let source = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            unsafe bytes.copyMemory(from: source)
        }
    }
}
