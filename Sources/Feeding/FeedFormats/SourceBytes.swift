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

    private let name: String
    private let descriptor: InputDescriptor?
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
    /// Bytes of the last read, in UTF-16.
    private var raw: [UInt8] = []
    private(set) var bytesRead: UInt64 = 0
    private var hasEnded = false

    init(_ source: InputSource, dropsByteOrderMark: Bool, limits: InputLimits) throws(InputError) {
        name = source.name
        self.dropsByteOrderMark = dropsByteOrderMark
        switch source {
        case .arguments(let arguments):
            descriptor = nil
            encoding = .utf8(mark: 0)
            hasEnded = true
            buffer = []
            for argument in arguments {
                buffer.append(contentsOf: argument.utf8)
                buffer.append(0)
            }
            rest = 0..<buffer.count
            bytesRead = UInt64(buffer.count)
            return
        case .file(let path): descriptor = try InputDescriptor.open(path)
        case .standardInput: descriptor = try InputDescriptor.standardInput()
        }
        buffer = [UInt8](repeating: 0, count: max(16, limits.readBytes))
    }

    mutating func take(_ count: Int) { rest = rest.lowerBound + count..<rest.upperBound }

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

    /// Reads the next buffer; the previous one must have been taken.
    mutating func fill(canceller: ReadCanceller, note: (InputNote) -> Void) throws(InputError) -> Filling {
        guard !hasEnded, let descriptor else { return .ended }
        if case .utf16 = encoding {
            guard let count = try descriptor.read(into: &raw, from: 0, canceller: canceller, source: name) else {
                return .interrupted
            }
            hasEnded = count == 0
            bytesRead += UInt64(count)
            return transcode(raw: 0..<count)
        }
        var count = 0
        repeat {
            let more = try descriptor.read(into: &buffer, from: count, canceller: canceller, source: name)
            guard let more else { return .interrupted }
            hasEnded = more == 0
            count += more
        } while !hasEnded && isUnknown && ByteOrderMark.mayBegin(buffer.span.extracting(0..<count))
        bytesRead += UInt64(count)
        rest = 0..<count
        return isUnknown ? begin(note: note) : (count > 0 ? .filled : .ended)
    }

    private var isUnknown: Bool {
        if case .unknown = encoding { true } else { false }
    }

    /// Determines the encoding of the source from its first bytes.
    private mutating func begin(note: (InputNote) -> Void) -> Filling {
        encoding = .utf8(mark: 0)
        switch ByteOrderMark(startOf: buffer.span.extracting(rest)) {
        case .utf8 where dropsByteOrderMark:
            encoding = .utf8(mark: 3)
            take(3)
        case .utf16(let isBigEndian):
            encoding = .utf16
            transcoder = UTF16Transcoder(isBigEndian: isBigEndian, replacement: .invalidBytes)
            note(.transcodedFromUTF16(source: name))
            raw = buffer
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
        let units = raw
        transcoder.transcode(units.span.extracting(range), into: &buffer)
        if hasEnded { transcoder.finish(into: &buffer) }
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
