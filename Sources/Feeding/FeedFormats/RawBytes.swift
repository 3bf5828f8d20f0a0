import ArchiveStream
import Glibc
import UnicodeText

/// The bytes of one source, unpacked and in UTF-8 or UTF-16, read in order.
///
/// Whether a source is packed shows in its first bytes, when they are read. All places are places in what comes out: what
/// was read is compared, and gone on from, in those.
struct RawBytes {
    private enum Form {
        /// The first bytes have not been read.
        case unknown
        case plain
        case translated(TranslatedBytes)
    }

    private var stored: StoredBytes
    private let encoding: TextEncoding?
    private var form = Form.unknown
    /// The number of bytes read.
    private(set) var offset: UInt64 = 0
    /// Where reading ends, if not at the end of the source.
    var end: UInt64?

    /// Opens a source, through `spool` if that keeps what it brings; `encoding` is that of text without a byte-order mark.
    init(_ source: InputSource, spool: InputSpool? = nil, encoding: TextEncoding? = nil) throws(InputError) {
        stored = try StoredBytes(source, spool: spool)
        try stored.refuseArchive()
        if case .arguments = source {
            self.encoding = nil
            form = .plain
        } else {
            self.encoding = encoding
        }
    }

    var name: String { stored.name }
    /// Whether the bytes can be read again by a later run.
    var areKept: Bool { stored.areKept }
    /// The number of bytes that are stored; `nil` if nobody knows yet.
    var storedSize: UInt64? { stored.size }

    /// The number of stored bytes that were read.
    var storedOffset: UInt64 {
        if case .translated(let translated) = form { translated.storedOffset } else { stored.offset }
    }

    /// True when what is read is only the beginning of the source.
    var endEarly: Bool { end != nil || stored.endEarly }

    /// Reads the next bytes into this part of the buffer, waiting for them; returns 0 at the end, `nil` when cancelled.
    mutating func read(
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
        guard !canceller.isCancelled else { return nil }
        let range = range.prefix(Int(clamping: (end ?? .max) - offset))
        guard !range.isEmpty else { return 0 }
        let count: Int?
        switch form {
        case .unknown: count = try begin(into: &buffer, range, canceller: canceller)
        case .plain: count = try stored.read(into: &buffer, range, canceller: canceller)
        case .translated(let translated):
            count = try translated.read(at: offset, into: &buffer, range, canceller: canceller)
        }
        offset += UInt64(count ?? 0)
        return count
    }

    /// Reads the first bytes, and finds out whether they are packed.
    private mutating func begin(
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
        let start = stored
        guard let count = try stored.readHead(into: &buffer, range, canceller: canceller) else { return nil }
        let head = Array(buffer[range.prefix(count)])
        guard encoding != nil || ArchiveFormat(startOf: head.span, among: TranslatedBytes.packings) != nil else {
            form = .plain
            return count
        }
        let translated = TranslatedBytes(stored, startingWith: head, again: start, encoding)
        form = .translated(translated)
        return try translated.read(at: 0, into: &buffer, range, canceller: canceller)
    }
}

extension StoredBytes {
    /// Refuses a file that holds several, before anything is sent; what comes through a pipe is refused when it comes.
    fileprivate func refuseArchive() throws(InputError) {
        guard let head = head(ofFile: 16), ArchiveFormat(startOf: head.span, among: [.zip, .sevenZip]) != nil else {
            return
        }
        throw InputError(.cannotOpen, source: name, reason: TranslatedBytes.isArchive)
    }

    /// Reads until the bytes show whether they are packed; returns `nil` when cancelled.
    mutating func readHead(
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
        var count = 0
        while count < range.count {
            let rest = range.lowerBound + count..<range.upperBound
            guard let more = try read(into: &buffer, rest, canceller: canceller) else { return nil }
            count += more
            let head = buffer.span.extracting(range.prefix(count))
            guard more > 0, ArchiveFormat.mayBegin(head, among: TranslatedBytes.packings) else { break }
        }
        return count
    }
}

/// The bytes of one source as they are stored, read in order.
struct StoredBytes {
    /// Where the bytes come from.
    private enum Origin {
        case arguments([UInt8])
        /// A file that can be read from any place, so that a copy of this value reads the same bytes.
        case file(InputDescriptor)
        case stream(InputDescriptor)
        case spool(SpoolFeed)
    }

    let name: String
    private let origin: Origin
    /// The number of bytes read.
    private(set) var offset: UInt64 = 0

    /// Opens a source, through `spool` if that keeps what it brings.
    init(_ source: InputSource, spool: InputSpool? = nil) throws(InputError) {
        name = source.name
        if case .arguments(let arguments) = source {
            origin = .arguments(arguments.flatMap { Array($0.utf8) + [0] })
        } else if let spool {
            origin = .spool(try SpoolFeed(spool, for: source))
        } else {
            let descriptor = try InputDescriptor.open(source)
            origin = descriptor.isRepeatable ? .file(descriptor) : .stream(descriptor)
        }
    }

    /// Whether the bytes can be read again by a later run.
    var areKept: Bool { if case .stream = origin { false } else { true } }

    /// The number of bytes that the source has from its beginning to its end; `nil` if nobody knows yet.
    var size: UInt64? {
        switch origin {
        case .arguments(let bytes): UInt64(bytes.count)
        case .file(let descriptor), .stream(let descriptor): descriptor.bytesLeft
        case .spool(let feed): feed.wholeSize
        }
    }

    /// True when what is read is only the beginning of the source.
    var endEarly: Bool {
        if case .spool(let feed) = origin { !feed.isComplete } else { false }
    }

    /// Returns the first bytes of a file, at most `count`; `nil` for anything else.
    func head(ofFile count: Int) -> [UInt8]? {
        guard case .file(let descriptor) = origin else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let found = descriptor.read(at: 0, into: &bytes, 0..<count)
        return Array(bytes.prefix(max(0, found)))
    }

    /// Reads the next bytes into this part of the buffer, waiting for them; returns 0 at the end, `nil` when cancelled.
    mutating func read(
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
        guard !canceller.isCancelled else { return nil }
        guard !range.isEmpty else { return 0 }
        let count: Int?
        switch origin {
        case .arguments(let bytes):
            let rest = bytes[Int(offset)...].prefix(range.count)
            buffer.replaceSubrange(range.prefix(rest.count), with: rest)
            count = rest.count
        case .file(let descriptor):
            let result = descriptor.read(at: offset, into: &buffer, range)
            guard result >= 0 else { throw InputError(.cannotRead, source: name, reason: InputError.text(errno)) }
            count = result
        case .stream(let descriptor):
            count = try descriptor.read(into: &buffer, range, canceller: canceller, source: name)
        case .spool(let feed):
            count = try feed.read(at: offset, into: &buffer, range, canceller: canceller)
        }
        offset += UInt64(count ?? 0)
        return count
    }
}
