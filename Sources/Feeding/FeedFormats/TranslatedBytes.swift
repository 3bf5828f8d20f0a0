import ArchiveStream
import UnicodeText

/// The bytes of a source that is packed, or in another encoding: unpacked, and in UTF-8.
///
/// They can be read from any place, as those of a file can, if the stored bytes can be read again: there are two cursors at
/// most, and one that has to go back begins anew. Shared by the copies of a reader.
final class TranslatedBytes {
    /// How a single text may be packed, and the archives that are recognized to be refused.
    static let packings: [ArchiveFormat] = [.gzip, .zstd, .xz, .bzip2, .zip, .sevenZip]

    static let isArchive = "it is an archive; unpack it, and name the file that is meant"

    private let start: StoredBytes
    private let encoding: TextEncoding?
    /// The one used last comes last.
    private var cursors: [TranslationCursor]
    private var piece = [UInt8](repeating: 0, count: 64 << 10)

    private static let mostCursors = 2

    /// - Parameters:
    ///   - stored: The stored bytes after the first ones.
    ///   - head: Those first ones.
    ///   - start: The same from their beginning, which can be read again unless they are a stream.
    ///   - encoding: The encoding of text without a byte-order mark; `nil` if it is UTF-8.
    init(_ stored: StoredBytes, startingWith head: [UInt8], again start: StoredBytes, _ encoding: TextEncoding?) {
        self.start = start
        self.encoding = encoding
        cursors = [TranslationCursor(stored, startingWith: head, encoding)]
    }

    /// The number of stored bytes that were read by the cursor that went farthest.
    var storedOffset: UInt64 { cursors.map(\.storedOffset).max() ?? 0 }

    /// Reads the bytes at `offset`; returns 0 at the end, `nil` when cancelled.
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

/// A translation that goes on from where it is.
private final class TranslationCursor {
    private let feed: StoredFeed
    private let encoding: TextEncoding?
    private var archive: ArchiveReader?
    private var transcoder: (any TextTranscoder)?
    private var hasBegun = false
    private var hasEnded = false
    /// What was unpacked, before it is decoded.
    private var unpacked = [UInt8](repeating: 0, count: 64 << 10)
    /// What is ready to be handed over.
    private var ready: [UInt8] = []
    private var taken = 0
    /// The number of bytes handed over.
    private(set) var position: UInt64 = 0

    init(_ stored: StoredBytes, startingWith head: [UInt8], _ encoding: TextEncoding?) {
        feed = StoredFeed(stored, startingWith: head)
        self.encoding = encoding
    }

    var storedOffset: UInt64 { feed.stored.offset }

    func read(
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
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

    /// Makes the next bytes ready, if there are any; returns false when cancelled.
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

    /// Opens the archive, if it is one, and finds out whether the text says its own encoding.
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
        // A mark knows better; UTF-16 is read further up, as it is without a name.
        if ByteOrderMark(startOf: unpacked.span.extracting(0..<count)) == nil {
            transcoder = encoding.makeTranscoder(.invalidBytes)
        }
        if count > 0 { decode(count) }
        return true
    }

    private func open(startingWith head: [UInt8]) throws -> Int {
        let feed = feed
        var reader = try ArchiveReader(startingWith: head) { buffer, limit in feed.read(into: &buffer, limit) }
        guard let entry = try reader.nextEntry(), entry.name == nil else {
            throw InputError(.cannotOpen, source: feed.stored.name, reason: TranslatedBytes.isArchive)
        }
        archive = consume reader
        return 1
    }

    /// Reads the next bytes from `start` of the buffer on; returns 0 at the end, `nil` when cancelled.
    private func unpack(from start: Int) throws(InputError) -> Int? {
        guard archive != nil else { return try feed.next(into: &unpacked, from: start) }
        return try unpacking { try archive?.read(into: &unpacked, from: start) ?? 0 }
    }

    /// Returns what `body` returns; `nil` when cancelled, 0 if the rest of a packed pipe was never kept.
    private func unpacking(_ body: () throws -> Int) throws(InputError) -> Int? {
        do {
            return try body()
        } catch let error as InputError {
            throw error
        } catch {
            if let failure = feed.failure { throw failure }
            if feed.isInterrupted { return nil }
            if feed.stored.endEarly { return 0 }
            throw InputError(.cannotRead, source: feed.stored.name, reason: "\(error)")
        }
    }
}

/// Stored bytes as an archive reads them, which knows no errors of ours.
private final class StoredFeed {
    private(set) var stored: StoredBytes
    private var first: [UInt8]
    var canceller: ReadCanceller?
    private(set) var failure: InputError?
    private(set) var isInterrupted = false

    init(_ stored: StoredBytes, startingWith head: [UInt8]) {
        self.stored = stored
        first = head
    }

    /// Returns the first bytes, enough to see whether they are packed; `nil` when cancelled.
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

    /// Reads the next bytes from `start` of the buffer on; returns 0 at the end, `nil` when cancelled.
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

    /// Reads for an archive: `nil` is a failure, or an interruption.
    func read(into buffer: inout [UInt8], _ limit: Int) -> Int? {
        guard let canceller else { return nil }
        do throws(InputError) {
            let count = try stored.read(into: &buffer, 0..<limit, canceller: canceller)
            isInterrupted = count == nil
            return count
        } catch {
            failure = error
            return nil
        }
    }
}
