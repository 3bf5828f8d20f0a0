/// A scan of a native text, piece by piece, through a ``RecordScanner``.
struct TextScan<Sink: UnitSink> {
    /// Bytes of a part of a file after which its results are handed over, if they are enough; those of a pipe are after
    /// each piece.
    ///
    /// The units of several servers come in an order that depends on this, and so does which of many rows is an example.
    private static var handOverBytes: Int64 { 2 << 20 }

    private let text: LogText
    private let scan: UnitScan<Sink>
    private var scanner: RecordScanner
    private var sink: Sink
    /// The search for rows that may match an expression, if that is wanted.
    private let sieve: SieveScan?
    private var buffer: [UInt8] = []
    private var filled = 0
    /// Places in the text where the buffer and the unit begin.
    private var base: Int64
    private var unitStart: Int64
    private var unitEnd: Int64
    private var isLast = false

    /// Creates a scan that begins at a place in the text.
    ///
    /// `isInside` is true if that place is inside a line; everything up to the first row then belongs to the previous
    /// unit.
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

    /// Takes over the bytes of the text that were already read.
    mutating func begin(with head: [UInt8]) {
        buffer = head
        buffer.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        filled = head.count
    }

    /// Place in the text where reading must continue.
    var place: Int64 { base + Int64(filled) }

    /// Scans a window, without the rows that can't be wanted, and returns how much of it is used up.
    private mutating func take(_ window: borrowing ByteWindow, length: Int) -> RecordScanner.Stop {
        let limit = Int(clamping: unitEnd - base)
        // After each row that may match, others are passed over.
        let hops = sieve != nil && !isLast
        sieve?.begin()
        var start = 0
        // One row needs only a short look: line ends are found many at once.
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

    /// Bytes looked at for one row, before more are.
    private static var rowLook: Int { 2 << 10 }

    /// Reads to the end of the unit, or of the text, and returns whether more is wanted.
    ///
    /// `isReady` returns whether there is something to read, or the end, within a time; `read` fills a buffer from an
    /// offset and returns the number of bytes, 0 at the end; `remark` returns, at the end of the text, what has happened
    /// to it meanwhile.
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

    /// Hands over what there is when there is no more to read for the moment; returns whether more is wanted.
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

    /// Takes the last record, which only a line below it would end.
    ///
    /// It stays if the beginning of another line of its own may have been read.
    mutating func takeLast() {
        guard let lineEnd = buffer.prefix(filled).lastIndex(of: 0x0A) else { return }
        let end = lineEnd + 1
        // A row begins with a digit; so, hardly ever, does a line of a message.
        guard end == filled || (0x30...0x39).contains(buffer[end]) else { return }
        isLast = true
        if case .needsMore(let offset) = scanPiece(length: end) { keep(from: offset) }
        isLast = false
    }

    /// Reads a piece of a text that grows and takes the records that are complete; returns false if there is nothing more.
    mutating func takeMore(_ read: (inout [UInt8], Int) throws -> Int) throws -> Bool {
        try fill(read)
        guard !isLast else {
            isLast = false
            return false
        }
        for offset in filled..<filled + ByteWindow.slack { buffer[offset] = 0 }
        if case .needsMore(let offset) = scanPiece(length: filled) { keep(from: offset) }
        return true
    }

    /// Returns all results so far.
    mutating func drainAll() -> Sink.Payload? { sink.drainAll() }

    /// Ends a text that has grown, where it was read to.
    mutating func finish() -> UnitOutput<Sink.Payload> { end(at: base, isTextEnd: true) }

    /// Whether there is a whole line that ``takeLast()`` may take.
    var holdsLine: Bool {
        guard let lineEnd = buffer.prefix(filled).lastIndex(of: 0x0A) else { return false }
        return lineEnd + 1 == filled || (0x30...0x39).contains(buffer[lineEnd + 1])
    }

    private mutating func scanPiece(length: Int) -> RecordScanner.Stop {
        // A local variable holds the buffer, so that it can be read while the rest changes.
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

    /// Moves the bytes that are not used up to the front.
    private mutating func keep(from offset: Int) {
        guard offset > 0 else { return }
        buffer.moveToFront(offset..<filled)
        filled -= offset
        base += Int64(offset)
    }

    /// Passes over rows that can't be wanted, and returns where the next one begins.
    private mutating func passOver(_ window: borrowing ByteWindow, from start: Int, length: Int) -> Int {
        guard let required = scan.sieve, !scanner.isBetweenRecords, !isLast else { return start }
        // Rows beyond the unit's end belong to the next unit.
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

    /// Ends the unit; its bytes are counted up to `place`, because later rows count from there.
    private mutating func end(at place: Int64, isTextEnd: Bool, remark: TextRemark? = nil) -> UnitOutput<Sink.Payload> {
        let payload = sink.finish(scanner.parser)
        var end = UnitEnd(quality: scanner.quality, bytes: max(0, place - unitStart), isTextEnd: isTextEnd)
        if let remark { end.add(remark) }
        return UnitOutput(text: text, payload: payload, end: end)
    }
}

extension [UInt8] {
    /// Moves a range of bytes to the beginning; the count stays the same.
    fileprivate mutating func moveToFront(_ range: Range<Int>) {
        unsafe withUnsafeMutableBytes { bytes in
            let source = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            unsafe bytes.copyMemory(from: source)
        }
    }
}
