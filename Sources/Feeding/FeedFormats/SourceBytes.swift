import ArchiveStream
import TextKit

/// The bytes of one source as UTF-8, read one buffer after another.
struct SourceBytes {
    enum Filling {
        case filled
        case ended
        /// Reading was canceled.
        case interrupted
    }

    private enum Encoding {
        case unknown
        /// UTF-8 with a byte-order mark of this length, or without one.
        case utf8(mark: Int)
        case utf16
    }

    private var raw: RawBytes
    private let dropsByteOrderMark: Bool
    private var encoding = Encoding.unknown
    private var transcoder = UTF16Transcoder(isBigEndian: false, replacement: .invalidBytes)
    private var utf16Position = UTF16Position()
    /// Bytes of the last read; UTF-16 is converted to UTF-8.
    private(set) var buffer: [UInt8]
    /// The part of the buffer that has not been taken yet.
    private(set) var rest = 0..<0
    /// The position of the buffer in the text converted from UTF-16, and the number of bytes of the buffer counted so
    /// far.
    private var bufferStart: UInt64 = 0
    private var counted = 0
    /// For UTF-16, the undecided bytes of earlier reads, followed by the bytes of the last read.
    private var units: [UInt8] = []
    /// The range in the source of the bytes still held, which are at the start of the buffer or of the units.
    private var held: Range<UInt64> = 0..<0
    private var digest: InputDigest?
    /// The number of bytes added to the digest.
    private var digested: UInt64 = 0
    private var hasEnded = false

    /// The maximum number of bytes at the end of a read that can't be decoded before the next read: half of a surrogate
    /// pair, and half of a unit.
    private static let maximumUndecided = 3

    init(_ raw: RawBytes, dropsByteOrderMark: Bool, limits: InputLimits, isText: Bool) {
        self.raw = raw
        self.dropsByteOrderMark = dropsByteOrderMark
        if isText { encoding = .utf8(mark: 0) }
        buffer = [UInt8](repeating: 0, count: max(16, limits.readBytes))
    }

    var bytesRead: UInt64 { raw.offset }
    /// The number of stored bytes read, which may be compressed.
    var storedBytesRead: UInt64 { raw.storedOffset }
    /// Whether the bytes end before the source does.
    var endEarly: Bool { raw.endEarly }

    /// Limits reading to `end`, or to the end of the source, without computing digests, for a copy that reads again.
    mutating func readAgain(to end: UInt64?) {
        (raw.end, raw.isWholeAtEnd) = (end, false)
        digest = nil
    }

    mutating func take(_ count: Int) { rest = rest.lowerBound + count..<rest.upperBound }

    /// Starts computing the digest of the source's bytes; nothing may have been read yet.
    mutating func begin(_ digest: InputDigest) { self.digest = digest }

    /// Adds the bytes before `position` to the digest; positions must be ascending, and not precede the held bytes.
    mutating func digest(upTo position: UInt64) {
        guard let digest, position > digested else { return }
        let bytes = if case .utf16 = encoding { units } else { buffer }
        let range = Int(digested - held.lowerBound)..<Int(position - held.lowerBound)
        digest.update(bytes.span.extracting(range))
        digested = position
    }

    /// Converts an offset in the text to one in the source; offsets must be ascending.
    mutating func position(of boundary: UInt64) -> UInt64 {
        guard boundary > 0 else { return 0 }
        switch encoding {
        case .unknown: return boundary
        case .utf8(let mark): return boundary + UInt64(mark)
        case .utf16:
            if boundary > bufferStart { count(to: Int(boundary - bufferStart)) }
            return utf16Position.position
        }
    }

    /// Reads the next buffer, of at most `limit` bytes of the source; the previous one must have been taken.
    mutating func fill(
        limit: Int = .max,
        canceller: ReadCanceller,
        note: (InputNote) -> Void
    ) throws(InputError) -> Filling {
        guard !hasEnded else { return .ended }
        if case .utf16 = encoding {
            let start = keepUndecided()
            let end = start + min(limit, units.count - start)
            guard let count = try raw.read(into: &units, start..<end, canceller: canceller) else { return .interrupted }
            hasEnded = count == 0
            if hasEnded { noteTrailingBytes(note) }
            held = held.lowerBound..<raw.offset
            return transcode(raw: start..<start + count)
        }
        digest(upTo: held.upperBound)
        var count = 0
        let end = min(limit, buffer.count)
        repeat {
            guard let more = try raw.read(into: &buffer, count..<end, canceller: canceller) else { return .interrupted }
            hasEnded = more == 0
            if hasEnded { noteTrailingBytes(note) }
            count += more
        } while !hasEnded && count < end && isUnknown && ByteOrderMark.mayBegin(buffer.span.extracting(0..<count))
        held = raw.offset - UInt64(count)..<raw.offset
        rest = 0..<count
        return isUnknown ? begin(note: note) : (count > 0 ? .filled : .ended)
    }

    private func noteTrailingBytes(_ note: (InputNote) -> Void) {
        if raw.hasTrailingBytes { note(.trailingBytes(source: raw.name)) }
    }

    /// Adds the units to the digest, except for the undecided ones at the end, which are moved to the front; returns
    /// the number of undecided units.
    private mutating func keepUndecided() -> Int {
        let count = min(Self.maximumUndecided, held.count)
        digest(upTo: held.upperBound - UInt64(count))
        for index in 0..<count { units[index] = units[held.count - count + index] }
        held = held.upperBound - UInt64(count)..<held.upperBound
        return count
    }

    private var isUnknown: Bool {
        if case .unknown = encoding { true } else { false }
    }

    /// Determines the encoding of the source from its first bytes.
    private mutating func begin(note: (InputNote) -> Void) -> Filling {
        // An incomplete byte-order mark does not determine the encoding.
        if hasEnded, endEarly, ByteOrderMark.mayBegin(buffer.span.extracting(rest)) {
            rest = 0..<0
            return .ended
        }
        encoding = .utf8(mark: 0)
        switch ByteOrderMark(startOf: buffer.span.extracting(rest)) {
        case .utf8 where dropsByteOrderMark:
            encoding = .utf8(mark: 3)
            take(3)
        case .utf16(let isBigEndian):
            encoding = .utf16
            transcoder = UTF16Transcoder(isBigEndian: isBigEndian, replacement: .invalidBytes)
            note(.transcodedFromUTF16(source: raw.name))
            units = buffer
            let content = 2..<rest.upperBound
            rest = 0..<0
            return transcode(raw: content)
        case .utf8, nil: break
        }
        return rest.isEmpty && hasEnded ? .ended : .filled
    }

    private mutating func transcode(raw range: Range<Int>) -> Filling {
        count(to: rest.upperBound)
        bufferStart += UInt64(rest.upperBound)
        counted = 0
        buffer.removeAll(keepingCapacity: true)
        let units = units
        transcoder.transcode(units.span.extracting(range), into: &buffer)
        if hasEnded, !endEarly { transcoder.finish(into: &buffer) }
        rest = 0..<buffer.count
        return buffer.isEmpty && hasEnded ? .ended : .filled
    }

    private mutating func count(to end: Int) {
        guard end > counted else { return }
        let text = buffer
        utf16Position.count(text.span.extracting(counted..<end))
        counted = end
    }
}

/// A position in a UTF-16 source, found by counting its text in UTF-8.
private struct UTF16Position {
    /// UTF-16 code units counted so far.
    private var units: UInt64 = 0

    /// The offset in the source after the counted text, including the byte-order mark.
    var position: UInt64 { 2 + 2 * units }

    /// Counts the next part of the text.
    mutating func count(_ text: Span<UInt8>) {
        for index in text.indices {
            let byte = text[index]
            if byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
        }
    }
}

/// The bytes of a source that is compressed or in another encoding, decompressed and converted to UTF-8.
///
/// Like the bytes of a file, they can be read from any position if the stored bytes can be read again: there are at
/// most two cursors, and a cursor that has to move backward starts over. Copies of a reader share the object.
final class TranslatedBytes {
    /// The supported compression formats, and the archive formats, which are recognized only to be refused.
    static let packings: [ArchiveFormat] = [.gzip, .zstd, .xz, .bzip2, .zip, .sevenZip]

    static let isArchive = "it is an archive; extract it, and specify the file inside it"

    private let start: StoredBytes
    private let encoding: TextEncoding?
    /// The cursors; the most recently used one is last.
    private var cursors: [TranslationCursor]
    private var piece = [UInt8](repeating: 0, count: 64 << 10)

    private static let mostCursors = 2

    /// - Parameters:
    ///   - stored: The stored bytes after those in `head`.
    ///   - head: The first bytes.
    ///   - start: The same stored bytes from the beginning, which can be read again unless they come from a stream.
    ///   - encoding: The encoding of text without a byte-order mark; `nil` if it is UTF-8.
    init(_ stored: StoredBytes, startingWith head: [UInt8], again start: StoredBytes, _ encoding: TextEncoding?) {
        self.start = start
        self.encoding = encoding
        cursors = [TranslationCursor(stored, startingWith: head, encoding)]
    }

    /// Whether unread data follows the end of the compressed data.
    var hasTrailingBytes: Bool { cursors.contains(where: \.hasTrailingBytes) }

    /// The number of stored bytes read by the most advanced cursor.
    var storedOffset: UInt64 { cursors.map(\.storedOffset).max() ?? 0 }

    /// Reads the bytes at `offset`; returns 0 at the end, `nil` when canceled.
    func read(
        at offset: UInt64,
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
        guard let cursor = try cursor(at: offset, canceller: canceller) else { return nil }
        return try cursor.read(into: &buffer, range, canceller: canceller)
    }

    private func cursor(at offset: UInt64, canceller: ReadCanceller) throws(InputError) -> TranslationCursor? {
        if let place = cursors.lastIndex(where: { $0.position == offset }) {
            let cursor = cursors.remove(at: place)
            cursors.append(cursor)
            return cursor
        }
        guard start.areKept else {
            throw InputError(.cannotRead, source: start.name, reason: "it can be read only once")
        }
        let cursor = TranslationCursor(start, startingWith: [], encoding)
        while cursor.position < offset {
            let wanted = 0..<Int(min(UInt64(piece.count), offset - cursor.position))
            guard let count = try cursor.read(into: &piece, wanted, canceller: canceller) else { return nil }
            guard count > 0 else { break }
        }
        if cursors.count >= Self.mostCursors { cursors.removeFirst() }
        cursors.append(cursor)
        return cursor
    }
}

/// A cursor that decompresses and converts the bytes from its position on.
private final class TranslationCursor {
    private let feed: StoredFeed
    private let encoding: TextEncoding?
    private var archive: ArchiveReader?
    private var transcoder: (any TextTranscoder)?
    private var hasBegun = false
    private var hasEnded = false
    /// Decompressed bytes, before they are decoded.
    private var unpacked = [UInt8](repeating: 0, count: 64 << 10)
    /// Bytes that are ready to be returned.
    private var ready: [UInt8] = []
    private var taken = 0
    /// The number of bytes returned.
    private(set) var position: UInt64 = 0

    init(_ stored: StoredBytes, startingWith head: [UInt8], _ encoding: TextEncoding?) {
        feed = StoredFeed(stored, startingWith: head)
        self.encoding = encoding
    }

    var storedOffset: UInt64 { feed.stored.offset }
    var hasTrailingBytes: Bool { archive?.hasTrailingBytes ?? false }

    func read(into buffer: inout [UInt8], _ range: Range<Int>, canceller: ReadCanceller) throws(InputError) -> Int? {
        feed.canceller = canceller
        while taken == ready.count, !hasEnded {
            (ready, taken) = ([], 0)
            guard try fill() else { return nil }
        }
        let piece = ready[taken...].prefix(range.count)
        buffer.replaceSubrange(range.prefix(piece.count), with: piece)
        taken += piece.count
        position += UInt64(piece.count)
        return piece.count
    }

    /// Prepares the next bytes, if there are any; returns false when canceled.
    private func fill() throws(InputError) -> Bool {
        if !hasBegun {
            guard try begin() else { return false }
            hasBegun = true
            if hasEnded { return true }
        }
        guard let count = try unpack(from: 0) else { return false }
        decode(count)
        return true
    }

    private func decode(_ count: Int) {
        hasEnded = count == 0
        guard transcoder != nil else {
            ready += unpacked[..<count]
            return
        }
        transcoder?.transcode(unpacked.span.extracting(0..<count), into: &ready)
        if hasEnded { transcoder?.finish(into: &ready) }
    }

    /// Opens the archive, if it is one, and determines whether the text declares its own encoding.
    private func begin() throws(InputError) -> Bool {
        guard let head = try feed.head() else { return false }
        if ArchiveFormat(startOf: head.span, among: TranslatedBytes.packings) != nil {
            guard let opened = try unpacking({ try open(startingWith: feed.takeHead()) }) else { return false }
            hasEnded = opened == 0
        }
        guard let encoding, !hasEnded else { return true }
        var count = 0
        while ByteOrderMark.mayBegin(unpacked.span.extracting(0..<count)) {
            guard let more = try unpack(from: count) else { return false }
            guard more > 0 else { break }
            count += more
        }
        // A byte-order mark takes precedence over `encoding`; UTF-16 is decoded at a higher level, as if no encoding
        // were specified.
        if ByteOrderMark(startOf: unpacked.span.extracting(0..<count)) == nil {
            transcoder = encoding.makeTranscoder(.invalidBytes)
        }
        if count > 0 { decode(count) }
        return true
    }

    private func open(startingWith head: [UInt8]) throws -> Int {
        let feed = feed
        var reader = try ArchiveReader(startingWith: head, allowsTrailingBytes: true) { buffer, limit in
            feed.read(into: &buffer, limit)
        }
        guard let entry = try reader.nextEntry(), entry.name == nil else {
            throw InputError(.cannotOpen, source: feed.stored.name, reason: TranslatedBytes.isArchive)
        }
        archive = consume reader
        return 1
    }

    /// Reads the next bytes into the buffer, starting at `start`; returns 0 at the end, `nil` when canceled.
    private func unpack(from start: Int) throws(InputError) -> Int? {
        guard archive != nil else { return try feed.next(into: &unpacked, from: start) }
        return try unpacking { try archive?.read(into: &unpacked, from: start) ?? 0 }
    }

    /// Returns the result of `body`; `nil` when canceled, 0 if the rest of a compressed pipe was never stored.
    private func unpacking(_ body: () throws -> Int) throws(InputError) -> Int? {
        do {
            return try body()
        } catch let error as InputError {
            throw error
        } catch {
            if let failure = feed.failure { throw failure }
            if feed.isInterrupted { return nil }
            if feed.hasRunOut, feed.stored.endEarly { return 0 }
            throw InputError(.cannotRead, source: feed.stored.name, reason: "\(error)")
        }
    }
}

/// Provides stored bytes to an archive reader, which does not handle our errors.
private final class StoredFeed {
    private(set) var stored: StoredBytes
    private var first: [UInt8]
    var canceller: ReadCanceller?
    private(set) var failure: InputError?
    private(set) var isInterrupted = false
    /// Whether the archive reader has reached the end of the stored bytes.
    private(set) var hasRunOut = false

    init(_ stored: StoredBytes, startingWith head: [UInt8]) {
        self.stored = stored
        first = head
    }

    /// Returns enough of the first bytes to determine whether they are compressed; `nil` when canceled.
    func head() throws(InputError) -> [UInt8]? {
        guard first.isEmpty, let canceller else { return first }
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
        guard let count = try stored.readHead(into: &buffer, 0..<buffer.count, canceller: canceller) else { return nil }
        first = Array(buffer[..<count])
        return first
    }

    func takeHead() -> [UInt8] {
        defer { first = [] }
        return first
    }

    /// Reads the next bytes into the buffer, starting at `start`; returns 0 at the end, `nil` when canceled.
    func next(into buffer: inout [UInt8], from start: Int) throws(InputError) -> Int? {
        let range = start..<buffer.count
        guard first.isEmpty else {
            let piece = first.prefix(range.count)
            buffer.replaceSubrange(range.prefix(piece.count), with: piece)
            first.removeFirst(piece.count)
            return piece.count
        }
        guard let canceller else { return nil }
        return try stored.read(into: &buffer, range, canceller: canceller)
    }

    /// Reads bytes for an archive reader; `nil` means a failure or an interruption.
    func read(into buffer: inout [UInt8], _ limit: Int) -> Int? {
        guard let canceller else { return nil }
        do throws(InputError) {
            let count = try stored.read(into: &buffer, 0..<limit, canceller: canceller)
            isInterrupted = count == nil
            hasRunOut = count == 0
            return count
        } catch {
            failure = error
            return nil
        }
    }
}
