import Files
import TextKit
import ULSRows

/// A file that is read from a given place as it grows: new bytes become records once the records are complete.
struct FollowedFile {
    let source: LogSource
    let identity: FileIdentity
    /// The time, on the owner's clock, at which the file last grew.
    private(set) var lastGrowth: Duration
    private let start: Int64
    /// The number of lines above the place where reading began, once it has been requested.
    private var lines: Int?
    private let file: OpenFile
    private let unitScan: UnitScan<EventSink>
    /// Whether the program has waited in vain for the rest of a row that lacked columns.
    private var hasShortRows = false
    private var text: GrowingText
    private var scan: TextScan<EventSink>

    /// Opens a file to continue reading from a mark.
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

    /// Returns the same file, to be reread from its beginning.
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

    /// The place up to which the file was read.
    var place: Int64 { text.mark.place }

    /// A mark at the place up to which the file was read, for resuming if the file is closed in the meantime.
    var mark: ReadMark { text.mark }

    /// Whether the text that was read is no longer in the file, because the file was truncated and possibly refilled.
    ///
    /// Nothing more is read from a rewritten file.
    var isRewritten: Bool { text.isRewritten }

    var status: FileStatus? { try? file.status() }

    /// The current size of the file.
    var size: Int64 { status?.size ?? place }

    /// Whether a record is waiting for the next line, which may end it.
    var holdsRecord: Bool { scan.holdsLine }

    /// Reads a piece of the new text; returns `nil` if there is no new text.
    mutating func takeMore(at now: Duration) throws -> EventBatch? {
        var text = text
        let hasMore = try scan.takeMore { buffer, filled in try text.read(into: &buffer, from: filled) }
        if text.mark.place != place { lastGrowth = now }
        self.text = text
        return hasMore ? scan.drainAll() : nil
    }

    /// The time at which the waiting record will have waited long enough; a record that lacks columns waits longer.
    ///
    /// If a log's rows never have all columns, the extra wait occurs only once.
    var dueTime: Duration {
        lastGrowth + (scan.lacksColumns && !hasShortRows ? LogFollower.longHold : LogFollower.hold)
    }

    /// Takes the waiting record because nothing has arrived for a while or because the end was reached.
    mutating func takeLast(isEnd: Bool = false) -> EventBatch? {
        if !isEnd { hasShortRows = hasShortRows || scan.lacksColumns }
        scan.takeLast(isEnd: isEnd)
        return scan.drainAll()
    }

    /// Returns the account of the text read so far.
    func account() -> UnitOutput<EventBatch> {
        var scan = scan
        return scan.finish()
    }

    /// Returns the place to begin in a file: the first row in its last `tail` bytes or, if `tail` is zero, the end of
    /// its last complete line.
    static func start(in source: LogSource, tail: Int64) -> ReadMark {
        guard let file = try? OpenFile.open(source.name), let plain = try? PlainFile(file),
            let head = try? SourceHead(of: file)
        else { return ReadMark() }
        let size = plain.sizeAtOpening
        var place = start(in: plain, size: size, tail: tail)
        // In UTF-16, the second byte of a line end follows the first one if it has already been written.
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
    /// Whether the text that was read is no longer in the file.
    private(set) var isRewritten = false
    private var transcoder: (any TextTranscoder)?
    /// Whether the text's encoding is known.
    private var hasBegun = false
    /// The text that was transcoded but has not been delivered yet.
    private var decoded: ArraySlice<UInt8> = []

    /// The number of bytes read at once if they must be transcoded.
    private static let rawBytes = 64 << 10

    init(_ file: OpenFile, _ encoding: TextEncoding?, from mark: ReadMark) {
        (self.file, self.encoding, self.mark) = (file, encoding, mark)
    }

    /// Reads the new text and returns its number of bytes; 0 if there is none, or if the file was rewritten.
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

    /// Reads from the mark on, and advances it.
    ///
    /// The mark is checked after the bytes have been read: if the text above it is still unchanged, the bytes were not
    /// written after a truncation.
    private mutating func readRaw(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        let count = try file.read(into: &buffer, from: start, at: mark.place)
        guard try mark.stands(in: file) else {
            isRewritten = true
            return 0
        }
        mark.advance(over: buffer[start..<start + count])
        return count
    }

    /// Determines the encoding of the text as soon as there is enough of it.
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

/// The files that the inputs denote, which are listed repeatedly because the contents of folders and the matches of
/// patterns change over time.
struct FollowedPaths {
    private let words: [String]
    private let encoding: TextEncoding?

    /// Creates the list of inputs.
    ///
    /// - Throws: A ``LogError`` if an input does not exist, or is of a kind that does not grow.
    init(_ words: [String], encoding: TextEncoding?) throws {
        self.words = words
        self.encoding = encoding
        for word in words { try Self.check(word) }
    }

    private static func check(_ word: String) throws {
        func refusal(_ reason: String, advice: String?) -> LogError {
            LogError(code: .cannotOpen, message: "cannot follow '\(word)': \(reason)", advice: advice)
        }
        guard let status = FileStatus(path: word) else {
            let failure = LogSourceError(missing: word)
            guard failure.code == .missing, LogPathPattern(word) != nil else {
                throw LogError(code: .cannotOpen, message: failure.message, advice: failure.advice)
            }
            return
        }
        switch status.kind {
        case .folder: return
        case .pipe, .special:
            throw refusal("only files and folders can be followed", advice: "read a pipe without --follow")
        case .file:
            do throws(LogSourceError) {
                let head = try SourceHead(of: OpenFile.open(word))
                try head.refuseForeignFormats(source: word)
                guard !head.isPacked else {
                    throw LogSourceError(.unsupported, source: word, reason: "it is compressed, so it does not grow")
                }
            } catch {
                throw LogError(code: .cannotOpen, message: error.message, advice: error.advice)
            }
        }
    }

    /// The folders in which files may come and go.
    var folders: [String] {
        var folders: [String] = []
        for word in words {
            let folder = FileStatus(path: word)?.kind == .folder ? word : Self.folder(of: word)
            if !folders.contains(folder) { folders.append(folder) }
        }
        return folders
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the files that currently exist, in reading order and without duplicates; compressed files are left out
    /// because they do not grow.
    func list() -> [(source: LogSource, status: FileStatus)] {
        var seen: Set<FileIdentity> = []
        var found: [String: FileStatus] = [:]
        let paths = words.flatMap { word -> [String] in
            switch FileStatus(path: word)?.kind {
            case .file: return [word]
            case .folder: return ((try? LogFolder(word))?.logs ?? []).filter { !LogNameKind($0).isPacked }
            case .pipe, .special: return []
            case nil: return (LogPathPattern(word)?.matches() ?? []).filter { !LogNameKind($0).isPacked }
            }
        }
        let sources = paths.compactMap { path -> LogSource? in
            guard let status = FileStatus(path: path), status.kind == .file, seen.insert(status.identity).inserted
            else {
                return nil
            }
            found[path] = status
            return LogSource(name: path, kind: .file(path: path, size: status.size), encoding: encoding)
        }
        return LogSource.inReadingOrder(sources).compactMap { source in found[source.name].map { (source, $0) } }
    }
}

/// A place up to which a file was read, with some of the bytes that precede it.
///
/// A file that only grows keeps these bytes. A file that was truncated and refilled, for example by `copytruncate`,
/// does not keep them, even if it has reached its former length, because its rows have different times. A rewritten
/// file is mistaken for a file that grew only if both its first ``reach`` bytes and the last ones before the place are
/// identical to the old bytes.
struct ReadMark: Hashable, Sendable {
    private(set) var place: Int64 = 0
    /// The first bytes of the file.
    private var head: [UInt8] = []
    /// The last bytes before the place.
    private var tail: [UInt8] = []

    /// The number of bytes remembered from the beginning of the file and from before the place; that is enough because
    /// only the first line of a log is constant, and each row begins with its time.
    static let reach = 1 << 10

    /// Marks the beginning of a file.
    init() {}

    /// Marks a place in a file, or its beginning if the file has become shorter.
    init(_ place: Int64, in file: OpenFile) throws(LogSourceError) {
        let length = Int(min(place, Int64(Self.reach)))
        let head = try Self.bytes(length, at: 0, in: file)
        let tail = try Self.bytes(length, at: place - Int64(length), in: file)
        guard head.count == length, tail.count == length else { return }
        (self.place, self.head, self.tail) = (place, head, tail)
    }

    /// Advances the mark past bytes that were read at the place.
    mutating func advance(over bytes: some BidirectionalCollection<UInt8>) {
        head.append(contentsOf: bytes.prefix(Self.reach - head.count))
        let end = bytes.suffix(Self.reach)
        tail.removeFirst(max(0, tail.count + end.count - Self.reach))
        tail.append(contentsOf: end)
        place += Int64(bytes.count)
    }

    /// Returns whether the remembered bytes are still in the file above the place.
    func stands(in file: OpenFile) throws(LogSourceError) -> Bool {
        guard try Self.bytes(tail.count, at: place - Int64(tail.count), in: file) == tail else { return false }
        // In a short file, the tail is the same as the head.
        guard place > Int64(tail.count) else { return true }
        return try Self.bytes(head.count, at: 0, in: file) == head
    }

    private static func bytes(_ count: Int, at place: Int64, in file: OpenFile) throws(LogSourceError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try file.read(into: &bytes, from: 0, at: place)
        bytes.removeLast(count - read)
        return bytes
    }
}
