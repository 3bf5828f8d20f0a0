import Glibc

/// The bytes of one source as they are in it, read in order.
struct RawBytes {
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
    /// Where reading ends, if not at the end of the source.
    var end: UInt64?

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
        if end != nil { return true }
        return if case .spool(let feed) = origin { !feed.isComplete } else { false }
    }

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
