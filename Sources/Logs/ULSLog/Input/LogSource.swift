import ArchiveStream
import UnicodeText

/// One input of logs: a file, an archive, a pipe or the standard input.
struct LogSource: Hashable, Sendable {
    /// The way to read it.
    enum Kind: Hashable, Sendable {
        /// A file of plain UTF-8, which can be read at any offset, and its size in bytes when found.
        case file(path: String, size: Int64)
        /// Anything else, which is read once, from beginning to end: see ``Origin``.
        case stream(Origin)
    }

    /// The origin of a stream.
    enum Origin: Hashable, Sendable {
        case path(String)
        /// The standard input, behind what was read ahead of a pipe.
        case standardInput(ReadAhead? = nil)
        case memory(MemoryText)
    }

    /// The name in messages and evidence: the path as given, or `standard input`.
    let name: String

    /// The server that wrote it, according to its name.
    let server: String?

    /// The time when it was begun, according to its name: on the server's own clock, in milliseconds since
    /// 1970-01-01T00:00:00 on that clock.
    ///
    /// Code that has read a source whose name says nothing may set it.
    var nominalStart: Int64?

    /// Whether a plain file is a native log, as far as its beginning tells; `nil` if nobody has looked yet.
    var isNative: Bool?

    /// Code that has read the beginning of the standard input sets it.
    var kind: Kind

    /// The encoding of texts without a byte-order mark; `nil` takes the bytes as they are.
    let encoding: TextEncoding?

    static let standardInputName = "standard input"

    init(name: String, kind: Kind, encoding: TextEncoding? = nil) {
        let fileName = LogFileName(name)
        self.name = name
        server = fileName?.server
        nominalStart = fileName?.start
        self.kind = kind
        self.encoding = encoding
    }
}

extension LogSource {
    /// Creates a source for a text in memory.
    init(_ text: MemoryText, encoding: TextEncoding? = nil) {
        self.init(name: text.name, kind: .stream(.memory(text)), encoding: encoding)
    }

    /// Returns the sources in reading order: by start, server and name.
    ///
    /// Sources without a start come last, in the order given.
    static func inReadingOrder(_ sources: [LogSource]) -> [LogSource] {
        // Swift's sort keeps the order of equal elements.
        sources.sorted { first, second in
            guard let start = first.nominalStart else { return false }
            guard let otherStart = second.nominalStart else { return true }
            return (start, first.server ?? "", first.name) < (otherStart, second.server ?? "", second.name)
        }
    }
}

/// The beginning of a pipe, read before anybody asked for the rest.
struct ReadAhead: Hashable, Sendable {
    var bytes: [UInt8]
    /// Whether the pipe ended there.
    var isWhole: Bool
}

/// A log in memory, and its name.
struct MemoryText: Hashable, Sendable {
    var name: String
    var bytes: [UInt8]
}

/// A supply of one text in memory.
final class MemorySupply: TextSupply {
    private let source: LogSource
    private var rest: ArraySlice<UInt8>
    private var isTaken = false

    let passedOver = 0
    let place: Int64? = nil

    init(_ source: LogSource, bytes: [UInt8]) {
        self.source = source
        rest = bytes[...]
    }

    func nextText() throws(LogSourceError) -> LogTextName? {
        guard !isTaken else { return nil }
        isTaken = true
        return LogTextName(source)
    }

    func isReady(within limit: Duration) -> Bool { true }

    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        let count = min(rest.count, buffer.count - start)
        guard count > 0 else { return 0 }
        buffer.replaceSubrange(start..<start + count, with: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }
}

/// The first bytes of a file or a pipe, which identify it.
struct SourceHead {
    /// As many bytes as were needed, or had been read.
    private let bytes: [UInt8]
    /// Whether the bytes were consumed from the source; a file still has them.
    private let isTaken: Bool
    /// Whether they are known to be all.
    private let isWhole: Bool

    /// Takes the first bytes that were read ahead; else reads those of a file without moving in it, or consumes those of
    /// a pipe.
    init(of file: OpenFile, readAhead: ReadAhead? = nil) throws(LogSourceError) {
        let status = try file.status()
        guard status.kind != .folder else {
            throw LogSourceError(.special, source: file.name, reason: "it is a folder")
        }
        isWhole = readAhead?.isWhole ?? false
        if let readAhead {
            (bytes, isTaken) = (readAhead.bytes, true)
            return
        }
        var bytes = [UInt8](repeating: 0, count: ArchiveFormat.signatureLength)
        var count = 0
        // The standard input may be a file whose beginning another program has read.
        isTaken = status.kind != .file || file.place != 0
        if isTaken {
            while count < bytes.count, ArchiveFormat.mayBegin(bytes.span.extracting(first: count)) {
                let more = try file.read(into: &bytes, from: count)
                if more == 0 { break }
                count += more
            }
        } else {
            count = try file.read(into: &bytes, from: 0, at: 0)
        }
        self.bytes = Array(bytes.prefix(count))
    }

    /// Reads the first bytes of a text in memory.
    init(of text: [UInt8]) {
        bytes = Array(text.prefix(ArchiveFormat.signatureLength))
        (isTaken, isWhole) = (false, false)
    }

    /// Returns whether a file that begins like this is plain UTF-8, or of unknown encoding, and can be read at any
    /// offset.
    func isPlain(as encoding: TextEncoding?) -> Bool {
        guard format == nil else { return false }
        let written = ByteOrderMark(startOf: bytes.span)?.encoding ?? encoding ?? .utf8
        return written == .utf8
    }

    /// Whether it is compressed, or an archive.
    var isPacked: Bool { format != nil }

    private var format: ArchiveFormat? { ArchiveFormat(startOf: bytes.span) }

    /// Throws for formats that aren't text and can't be read.
    func refuseForeignFormats(source: String) throws(LogSourceError) {
        guard let foreign = ForeignFormat(startOf: bytes) else { return }
        throw LogSourceError(
            .unsupported,
            source: source,
            reason: "it is \(foreign.description), which cannot be read",
            advice: foreign.advice
        )
    }

    /// Throws for foreign formats and for archives.
    func refuseAllButText(source: String) throws(LogSourceError) {
        try refuseForeignFormats(source: source)
        guard format != nil else { return }
        throw LogSourceError(
            .unsupported,
            source: source,
            reason: "it is packed, and only text can be read from memory",
            advice: "unpack it first"
        )
    }

    /// Returns the supply of the source's texts.
    func supply(
        _ source: LogSource,
        file: OpenFile,
        limits: ArchiveLimits
    ) throws(LogSourceError) -> any TextSupply {
        try refuseForeignFormats(source: source.name)
        let head = isTaken ? bytes : []
        if format != nil { return try ArchiveTexts(source, file: file, head: head, limits: limits) }
        return OneText(source, file: file, head: head, isWhole: isWhole)
    }
}

/// Formats of files that are given as logs but can't be read as such, recognized by their first bytes.
private enum ForeignFormat: CaseIterable {
    case cabinet
    case eventLog
    case lz4
    case pdf
    case rar

    init?(startOf bytes: [UInt8]) {
        guard let format = Self.allCases.first(where: { bytes.starts(with: $0.signature) }) else { return nil }
        self = format
    }

    private var signature: [UInt8] {
        switch self {
        case .cabinet: Array("MSCF".utf8) + [0, 0, 0, 0]
        case .eventLog: Array("ElfFile".utf8) + [0]
        case .lz4: [0x04, 0x22, 0x4D, 0x18]
        case .pdf: Array("%PDF-".utf8)
        case .rar: Array("Rar!".utf8) + [0x1A, 0x07]
        }
    }

    var description: String {
        switch self {
        case .cabinet: "a cabinet file"
        case .eventLog: "a Windows event log"
        case .lz4: "an lz4 file"
        case .pdf: "a PDF"
        case .rar: "a RAR archive"
        }
    }

    var advice: String {
        switch self {
        case .cabinet, .lz4, .rar: "unpack it first"
        case .eventLog, .pdf: "give the ULS logs, from the farm's LOGS folder"
        }
    }
}
