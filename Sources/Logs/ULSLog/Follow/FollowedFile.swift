import Files
import UnicodeText

/// A file that is read as it grows, from a place on: bytes that come become records once they are complete.
struct FollowedFile {
    let source: LogSource
    let identity: FileIdentity
    /// When it last had more; the time is its owner's.
    private(set) var lastGrowth: Duration
    private let start: Int64
    /// Lines above the place where reading began, once somebody has asked.
    private var lines: Int?
    private let file: OpenFile
    private let unitScan: UnitScan<EventSink>
    private var text: GrowingText
    private var scan: TextScan<EventSink>

    /// Opens a file in order to read on from a mark.
    init(
        _ source: LogSource,
        from mark: ReadMark,
        at now: Duration,
        sizes: ReadingSizes,
        makeSink: @escaping @Sendable (LogText) -> EventSink
    ) throws(LogSourceError) {
        let unitScan = UnitScan(makeSink: makeSink, sizes: sizes, sieve: nil)
        try self.init(OpenFile.open(source.name), source, from: mark, at: now, unitScan)
    }

    private init(
        _ file: OpenFile,
        _ source: LogSource,
        from mark: ReadMark,
        at now: Duration,
        _ unitScan: UnitScan<EventSink>
    ) throws(LogSourceError) {
        try SourceHead(of: file).refuseForeignFormats(source: source.name)
        self.file = file
        self.source = source
        self.unitScan = unitScan
        identity = try file.status().identity
        (start, lastGrowth) = (mark.place, now)
        text = GrowingText(file, source.encoding, from: mark)
        scan = TextScan(
            LogText(source: 0, name: source.name, server: source.server),
            at: mark.place,
            unitEnd: .max,
            isInside: false,
            scan: unitScan
        )
    }

    /// Returns the same file, to be read from its beginning.
    func rewound(at now: Duration) throws(LogSourceError) -> FollowedFile {
        try FollowedFile(file, source, from: ReadMark(), at: now, unitScan)
    }

    /// Returns the number of lines above the place where reading began.
    mutating func linesAbove() -> Int {
        if let lines { return lines }
        let counted = start == 0 ? 0 : Self.lines(in: file, upTo: start)
        lines = counted
        return counted
    }

    /// The place up to which it was read.
    var place: Int64 { text.mark.place }

    /// That place, to read on from it when the file was closed meanwhile.
    var mark: ReadMark { text.mark }

    /// Whether what was read of it does not stand there any more: it was cut off, perhaps filled again, and what comes is no
    /// longer taken.
    var isRewritten: Bool { text.isRewritten }

    var status: FileStatus? { try? file.status() }

    /// Its size now.
    var size: Int64 { status?.size ?? place }

    /// Whether a record waits for a line below it that would end it.
    var holdsRecord: Bool { scan.holdsLine }

    /// Reads a piece of what has come; returns nothing if nothing has.
    mutating func takeMore(at now: Duration) throws -> EventBatch? {
        var text = text
        let hasMore = try scan.takeMore { buffer, filled in try text.read(into: &buffer, from: filled) }
        if text.mark.place != place { lastGrowth = now }
        self.text = text
        return hasMore ? scan.drainAll() : nil
    }

    /// Takes the record that waits, because nothing has come for a while.
    mutating func takeLast() -> EventBatch? {
        scan.takeLast()
        return scan.drainAll()
    }

    /// Returns the account of what was read so far.
    func account() -> UnitOutput<EventBatch> {
        var scan = scan
        return scan.finish()
    }

    /// Returns where to begin in a file: at the first row of its last `tail` bytes, or, if none are wanted, behind its last
    /// whole line.
    static func start(in source: LogSource, tail: Int64) -> ReadMark {
        guard let file = try? OpenFile.open(source.name), let plain = try? PlainFile(file),
            let head = try? SourceHead(of: file)
        else { return ReadMark() }
        let size = plain.sizeAtOpening
        var place = start(in: plain, size: size, tail: tail)
        // Behind the first byte of a line end in UTF-16 is the second, if it is there already.
        if !head.isPlain(as: source.encoding) { place = min(place + place % 2, size - size % 2) }
        return (try? ReadMark(place, in: file)) ?? ReadMark()
    }

    private static func start(in plain: PlainFile, size: Int64, tail: Int64) -> Int64 {
        if tail >= size { return 0 }
        if tail > 0, let first = FileTimes.first(in: plain, at: size - tail) { return first.place }
        var end = size
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while end > 0 {
            let from = max(0, end - Int64(bytes.count))
            guard let count = try? plain.read(into: &bytes, at: from) else { return size }
            let own = bytes.prefix(min(count, Int(end - from)))
            if let lineEnd = own.lastIndex(of: 0x0A) { return from + Int64(lineEnd) + 1 }
            end = from
        }
        return 0
    }

    private static func lines(in file: OpenFile, upTo end: Int64) -> Int {
        let pieceBytes = 256 << 10
        var bytes = [UInt8](repeating: 0, count: pieceBytes + ByteWindow.slack)
        var place: Int64 = 0
        var count = 0
        while place < end, let read = try? file.read(into: &bytes, from: 0, at: place), read > 0 {
            let used = min(read, pieceBytes, Int(clamping: end - place))
            count += ByteWindow(bytes.span).lineEnds(in: 0..<used)
            place += Int64(used)
        }
        return count
    }
}

/// The text of a file that grows, as UTF-8.
private struct GrowingText {
    private let file: OpenFile
    private let encoding: TextEncoding?
    /// The place up to which the file was read.
    private(set) var mark: ReadMark
    /// Whether what was read does not stand in the file any more.
    private(set) var isRewritten = false
    private var transcoder: (any TextTranscoder)?
    /// Whether it is known how the text is encoded.
    private var hasBegun = false
    /// Text that was transcoded but not handed over yet.
    private var decoded: ArraySlice<UInt8> = []

    /// Bytes read at a time if they must be transcoded.
    private static let rawBytes = 64 << 10

    init(_ file: OpenFile, _ encoding: TextEncoding?, from mark: ReadMark) {
        (self.file, self.encoding, self.mark) = (file, encoding, mark)
    }

    /// Reads what has come, and returns how many bytes; 0 if nothing has, or if the file was rewritten.
    mutating func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        if !hasBegun { try begin() }
        guard hasBegun else { return 0 }
        guard var transcoder else { return try readRaw(into: &buffer, from: start) }
        if decoded.isEmpty {
            var raw = [UInt8](repeating: 0, count: Self.rawBytes)
            let count = try readRaw(into: &raw, from: 0)
            var text: [UInt8] = []
            if count > 0 { transcoder.transcode(raw.span.extracting(first: count), into: &text) }
            self.transcoder = transcoder
            decoded = text[...]
        }
        let count = min(decoded.count, buffer.count - start)
        buffer.replaceSubrange(start..<start + count, with: decoded.prefix(count))
        decoded = decoded.dropFirst(count)
        return count
    }

    /// Reads on from the mark, and moves it.
    ///
    /// The mark is looked at after the bytes are read: as it still stands then, they have not been written after a cut.
    private mutating func readRaw(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        let count = try file.read(into: &buffer, from: start, at: mark.place)
        guard try mark.stands(in: file) else {
            isRewritten = true
            return 0
        }
        mark.advance(over: buffer[start..<start + count])
        return count
    }

    /// Finds out how the text is encoded, as soon as there is enough of it.
    private mutating func begin() throws(LogSourceError) {
        var head = [UInt8](repeating: 0, count: ByteOrderMark.maximumLength)
        let count = try file.read(into: &head, from: 0, at: 0)
        let beginning = head.span.extracting(first: count)
        guard try mark.stands(in: file) else {
            isRewritten = true
            return
        }
        guard count > 0, !ByteOrderMark.mayBegin(beginning) else { return }
        let mark = ByteOrderMark(startOf: beginning)
        transcoder = (mark?.encoding ?? encoding)?.makeTranscoder()
        if self.mark.place == 0 { self.mark.advance(over: head.prefix(mark?.length ?? 0)) }
        hasBegun = true
    }
}
