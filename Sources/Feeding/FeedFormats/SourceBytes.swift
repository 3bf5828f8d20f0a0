import UnicodeText

/// The bytes of one source as UTF-8, a buffer at a time.
struct SourceBytes {
    enum Filling {
        case filled
        case ended
        /// The reads were cancelled.
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
    /// Start of the buffer in the text converted from UTF-16, and how much of the buffer has been counted.
    private var bufferStart: UInt64 = 0
    private var counted = 0
    /// In UTF-16, the bytes of the last read, after the last of those before.
    private var units: [UInt8] = []
    /// The place in the source of the bytes still held, which start the buffer, or the units.
    private var held: Range<UInt64> = 0..<0
    private var digest: InputDigest?
    /// The number of bytes digested.
    private var digested: UInt64 = 0
    private var hasEnded = false

    /// The most bytes at the end of a read that a later one may show to be the start of a record: half a pair, and half
    /// a unit.
    private static let maximumUndecided = 3

    init(_ raw: RawBytes, dropsByteOrderMark: Bool, limits: InputLimits, isText: Bool) {
        self.raw = raw
        self.dropsByteOrderMark = dropsByteOrderMark
        if isText { encoding = .utf8(mark: 0) }
        buffer = [UInt8](repeating: 0, count: max(16, limits.readBytes))
    }

    var bytesRead: UInt64 { raw.offset }
    /// The number of bytes read of what is stored, which may be packed.
    var storedBytesRead: UInt64 { raw.storedOffset }
    /// True when the bytes end before the source does.
    var endEarly: Bool { raw.endEarly }

    /// Reads no further than `end`, or the source's own end, and digests nothing: for a copy that reads again.
    mutating func readAgain(to end: UInt64?) {
        raw.end = end
        digest = nil
    }

    mutating func take(_ count: Int) { rest = rest.lowerBound + count..<rest.upperBound }

    /// Digests the source's bytes from its start on; nothing may have been read yet.
    mutating func begin(_ digest: InputDigest) { self.digest = digest }

    /// Digests what lies before `position`, which may not precede one given earlier, nor what is held.
    mutating func digest(upTo position: UInt64) {
        guard let digest, position > digested else { return }
        let bytes = if case .utf16 = encoding { units } else { buffer }
        let range = Int(digested - held.lowerBound)..<Int(position - held.lowerBound)
        digest.update(bytes.span.extracting(range))
        digested = position
    }

    /// Returns the offset in the source of an offset in its text, which must not precede one asked for earlier.
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
            held = held.lowerBound..<raw.offset
            return transcode(raw: start..<start + count)
        }
        digest(upTo: held.upperBound)
        var count = 0
        let end = min(limit, buffer.count)
        repeat {
            guard let more = try raw.read(into: &buffer, count..<end, canceller: canceller) else { return .interrupted }
            hasEnded = more == 0
            count += more
        } while !hasEnded && count < end && isUnknown && ByteOrderMark.mayBegin(buffer.span.extracting(0..<count))
        held = raw.offset - UInt64(count)..<raw.offset
        rest = 0..<count
        return isUnknown ? begin(note: note) : (count > 0 ? .filled : .ended)
    }

    /// Digests the units except the last, which go to the front; returns how many those are.
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
        // Half a mark says nothing of the text that was to follow.
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

    /// The offset in the source, mark included, after the counted text.
    var position: UInt64 { 2 + 2 * units }

    /// Counts the next part of the text.
    mutating func count(_ text: Span<UInt8>) {
        for index in text.indices {
            let byte = text[index]
            if byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
        }
    }
}
