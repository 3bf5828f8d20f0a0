import ArchiveStream
import UnicodeText

/// One input of logs: a file, an archive, a pipe or the standard input.
struct LogSource: Hashable, Sendable {
    /// How it can be read.
    enum Kind: Hashable, Sendable {
        /// A file of plain UTF-8, which may be read by place; its size in bytes when it was found.
        case file(path: String, size: Int64)
        /// Anything else is read once, from its beginning to its end: see ``Origin``.
        case stream(Origin)
    }

    /// Where a stream comes from.
    enum Origin: Hashable, Sendable {
        case path(String)
        case standardInput
        case memory(MemoryText)
    }

    /// What messages and evidence call it: the path as it was given, or `standard input`.
    let name: String

    /// The server that wrote it, as its name says.
    let server: String?

    /// When it was begun, as its name says: on the server's own clock, in milliseconds since 1970-01-01T00:00:00 there.
    ///
    /// It may be set by whoever has looked into a source whose name says nothing.
    var nominalStart: Int64?

    let kind: Kind

    /// How it is written where it has no byte-order mark; `nil` takes the bytes as they are.
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
    /// A text that is in memory.
    init(_ text: MemoryText, encoding: TextEncoding? = nil) {
        self.init(name: text.name, kind: .stream(.memory(text)), encoding: encoding)
    }

    /// The sources in the order to read them: by start, server and name.
    ///
    /// Those without a start come last, in the order they were given.
    static func inReadingOrder(_ sources: [LogSource]) -> [LogSource] {
        // Swift's sort keeps the order of equal elements.
        sources.sorted { first, second in
            guard let start = first.nominalStart else { return false }
            guard let otherStart = second.nominalStart else { return true }
            return (start, first.server ?? "", first.name) < (otherStart, second.server ?? "", second.name)
        }
    }
}

extension LogSource {
    /// Returns the first bytes of its first text, in UTF-8, to see what it is.
    ///
    /// - Returns: At most `count` bytes; `nil` for a pipe, of which bytes could not be given back.
    /// - Throws: A ``LogSourceError`` when it cannot be read.
    func peek(_ count: Int) throws(LogSourceError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        var filled = 0
        switch kind {
        case .file(let path, _):
            let file = try PlainFile(path: path)
            filled = try file.read(into: &bytes, at: file.textStart)
        case .stream(let origin) where origin.mayBeReadAgain:
            var stream = try LogStream(self)
            guard try stream.nextText() != nil else { return [] }
            while filled < count {
                let more = try stream.read(into: &bytes, from: filled)
                if more == 0 { break }
                filled += more
            }
        case .stream: return nil
        }
        return Array(bytes.prefix(filled))
    }
}

extension LogSource.Origin {
    /// Whether what was read of it is still there.
    fileprivate var mayBeReadAgain: Bool {
        switch self {
        case .path(let path): FileStatus(path: path)?.kind == .file && InheritedDescriptor(path) == nil
        case .standardInput: false
        case .memory: true
        }
    }
}

/// A log that is in memory, and what it is called.
struct MemoryText: Hashable, Sendable {
    var name: String
    var bytes: [UInt8]
}

/// Gives a text that is in memory.
final class MemorySupply: TextSupply {
    private let source: LogSource
    private var rest: ArraySlice<UInt8>
    private var isTaken = false

    let passedOver = 0

    init(_ source: LogSource, bytes: [UInt8]) {
        self.source = source
        rest = bytes[...]
    }

    func nextText() throws(LogSourceError) -> LogTextName? {
        guard !isTaken else { return nil }
        isTaken = true
        return LogTextName(source)
    }

    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        let count = min(rest.count, buffer.count - start)
        guard count > 0 else { return 0 }
        buffer.replaceSubrange(start..<start + count, with: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }
}

/// The first bytes of a file or a pipe, which tell what it is.
struct SourceHead {
    /// As many as were needed.
    private let bytes: [UInt8]
    /// Whether the bytes have been taken from the source: those of a file are there still.
    private let isTaken: Bool

    /// Looks at a file without moving in it, or reads the first bytes of a pipe.
    init(of file: OpenFile) throws(LogSourceError) {
        let status = try file.status()
        guard status.kind != .folder else {
            throw LogSourceError(.special, source: file.name, reason: "it is a folder")
        }
        var bytes = [UInt8](repeating: 0, count: ArchiveFormat.signatureLength)
        var count = 0
        // The standard input may be a file of which another program has read the beginning.
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

    /// Looks at a text that is in memory.
    init(of text: MemoryText) {
        bytes = Array(text.bytes.prefix(ArchiveFormat.signatureLength))
        isTaken = false
    }

    /// Whether a file that begins so is plain UTF-8, or of an encoding unknown, and can be read by place.
    func isPlain(as encoding: TextEncoding?) -> Bool {
        guard format == nil else { return false }
        let written = ByteOrderMark(startOf: bytes.span)?.encoding ?? encoding ?? .utf8
        return written == .utf8
    }

    private var format: ArchiveFormat? { ArchiveFormat(startOf: bytes.span) }

    /// Refuses what is no text and not read.
    func refuseForeignFormats(source: String) throws(LogSourceError) {
        guard let foreign = ForeignFormat(startOf: bytes) else { return }
        throw LogSourceError(
            .unsupported,
            source: source,
            reason: "it is \(foreign.description), which is not read",
            advice: foreign.advice
        )
    }

    /// Refuses archives too.
    func refuseAllButText(source: String) throws(LogSourceError) {
        try refuseForeignFormats(source: source)
        guard format != nil else { return }
        throw LogSourceError(
            .unsupported,
            source: source,
            reason: "it is packed, and only texts are read from memory",
            advice: "unpack it first"
        )
    }

    /// Returns what gives the texts of the source.
    func supply(
        _ source: LogSource,
        file: OpenFile,
        limits: ArchiveLimits
    ) throws(LogSourceError) -> any TextSupply {
        try refuseForeignFormats(source: source.name)
        let head = isTaken ? bytes : []
        if format != nil { return try ArchiveTexts(source, file: file, head: head, limits: limits) }
        return OneText(source, file: file, head: head)
    }
}

/// Files that are handed in for logs and cannot be read as such, by their first bytes.
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
