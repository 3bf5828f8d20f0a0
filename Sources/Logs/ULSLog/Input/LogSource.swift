import ArchiveStream
import Files
import Glibc
public import TextKit
import ULSRows

/// One input of logs: a file, an archive, a pipe or the standard input.
struct LogSource: Hashable, Sendable {
    /// The way to read the source.
    enum Kind: Hashable, Sendable {
        /// A plain UTF-8 file, which can be read at any offset, and its size in bytes when it was found.
        case file(path: String, size: Int64)
        /// Anything else, which is read once, from beginning to end: see ``Origin``.
        case stream(Origin)
    }

    /// The origin of a stream.
    enum Origin: Hashable, Sendable {
        case path(String)
        /// The standard input, after the bytes that were read ahead if it is a pipe.
        case standardInput(ReadAhead? = nil)
        case memory(MemoryText)
    }

    /// The name in messages and evidence: the path as given, or `standard input`.
    let name: String

    /// The server that wrote the log, according to the name.
    let server: String?

    /// The time when the log was begun, according to its name, in milliseconds since 1970-01-01T00:00:00 on the
    /// server's own clock.
    ///
    /// Code that has read a source whose name contains no time may set it.
    var nominalStart: Int64?

    /// Whether a plain file is a native log, judging by its beginning; `nil` if it has not been examined yet.
    var isNative: Bool?

    /// Code that has read the beginning of the standard input sets this property.
    var kind: Kind

    /// The encoding of texts without a byte-order mark; `nil` leaves the bytes unchanged.
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
        // Swift's sort preserves the order of equal elements.
        sources.sorted { first, second in
            guard let start = first.nominalStart else { return false }
            guard let otherStart = second.nominalStart else { return true }
            return (start, first.server ?? "", first.name) < (otherStart, second.server ?? "", second.name)
        }
    }
}

/// The beginning of a pipe, read before the rest is requested.
struct ReadAhead: Hashable, Sendable {
    var bytes: [UInt8]
    /// Whether the pipe ended after these bytes.
    var isWhole: Bool
}

/// A log in memory, and its name.
struct MemoryText: Hashable, Sendable {
    var name: String
    var bytes: [UInt8]
}

/// A supply of a single text in memory.
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
    /// The bytes that were needed or had already been read.
    private let bytes: [UInt8]
    /// Whether the bytes were consumed from the source; a file still has them.
    private let isTaken: Bool
    /// Whether the bytes are known to be the entire contents.
    private let isWhole: Bool

    /// Takes the first bytes that were read ahead, or else reads those of a file without changing its position, or
    /// consumes those of a pipe.
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

    /// Returns whether a file with this beginning is plain UTF-8, or of unknown encoding, and can be read at any
    /// offset.
    func isPlain(as encoding: TextEncoding?) -> Bool {
        guard format == nil else { return false }
        let written = ByteOrderMark(startOf: bytes.span)?.encoding ?? encoding ?? .utf8
        return written == .utf8
    }

    /// Whether the source is compressed or an archive.
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
            reason: "it is compressed or an archive, and only text can be read from memory",
            advice: "unpack it first"
        )
    }

    /// Returns the supply of the source's texts.
    func supply(_ source: LogSource, file: OpenFile, limits: ArchiveLimits) throws(LogSourceError) -> any TextSupply {
        try refuseForeignFormats(source: source.name)
        let head = isTaken ? bytes : []
        if format != nil { return try ArchiveTexts(source, file: file, head: head, limits: limits) }
        return OneText(source, file: file, head: head, isWhole: isWhole)
    }
}

/// Formats of files that users pass as logs but that can't be read, recognized by their first bytes.
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
        case .eventLog, .pdf: "specify ULS logs, from the farm's LOGS folder"
        }
    }
}

/// The reason why logs can't be found, opened or read.
public struct LogSourceError: Error, Hashable, Sendable {
    /// The kind of failure.
    public var code: Code
    /// The path, `standard input`, or the value given.
    public var source: String
    /// The archive entry being read.
    public var entry: String?
    /// The problem, as a fragment without the source.
    public var reason: String
    /// The remedy, if any.
    public var advice: String?

    /// Creates an error about a source, or an entry in it.
    public init(_ code: Code, source: String, entry: String? = nil, reason: String, advice: String? = nil) {
        self.code = code
        self.source = source
        self.entry = entry
        self.reason = reason
        self.advice = advice
    }

    /// The source and its problem, without advice.
    public var message: String {
        let place = entry.map { "\($0) in '\(source)'" } ?? "'\(source)'"
        return "\(code.verb) \(place): \(reason)"
    }
}

extension LogSourceError: CustomStringConvertible {
    public var description: String { advice.map { "\(message); \($0)" } ?? message }
}

extension LogSourceError {
    /// A kind of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped {
            case cannotRead, damaged, encrypted, exhausted, missing, nothingFound, permission, special, tooLarge,
                tooMany
            case unknownEncoding, unsupported
        }
        private let wrapped: Wrapped

        /// The system failed to open or read the source.
        public static let cannotRead = Code(wrapped: .cannotRead)
        /// An archive ends too early, or its contents are corrupt.
        public static let damaged = Code(wrapped: .damaged)
        /// A password is needed.
        public static let encrypted = Code(wrapped: .encrypted)
        /// The system has no more memory, or allows no more open files.
        public static let exhausted = Code(wrapped: .exhausted)
        /// The file does not exist.
        public static let missing = Code(wrapped: .missing)
        /// A folder, a pattern or an archive contains no log.
        public static let nothingFound = Code(wrapped: .nothingFound)
        /// The user has no permission to read the source.
        public static let permission = Code(wrapped: .permission)
        /// The source is a device or a socket.
        public static let special = Code(wrapped: .special)
        /// An archive contains more bytes or entries than allowed.
        public static let tooLarge = Code(wrapped: .tooLarge)
        /// There are more files than allowed.
        public static let tooMany = Code(wrapped: .tooMany)
        /// No encoding has this name.
        public static let unknownEncoding = Code(wrapped: .unknownEncoding)
        /// The format can't be read, or can't be read from a pipe.
        public static let unsupported = Code(wrapped: .unsupported)

        fileprivate var verb: String {
            switch wrapped {
            case .missing, .permission, .special: "cannot open"
            case .unknownEncoding: "cannot use"
            default: "cannot read"
            }
        }
    }
}

extension LogSourceError {
    /// Creates an error for `source` from the archive reader's error.
    init(_ error: ArchiveError, source: String) {
        let (code, advice): (Code, String?) =
            switch error.code {
            case .cannotRead: (.cannotRead, nil)
            case .encrypted: (.encrypted, "unpack it and specify the folder")
            case .needsFile: (.unsupported, "save it to a file and specify the file")
            case .suspiciousRatio, .tooLarge, .tooManyEntries: (.tooLarge, "unpack it and specify the folder")
            default: (.damaged, "copy it again; the rest of it was not read")
            }
        self.init(code, source: source, entry: error.entry, reason: error.message, advice: advice)
    }
}

extension LogSourceError {
    /// The maximum number of names that are compared with the missing one.
    private static let comparedNames = 10_000

    /// Creates an error from `errno` for a path that was not found, with the most similar name in its folder.
    init(missing path: String) {
        self.init(errno: errno, source: path)
        guard code == .missing else { return }
        let name = String(path.lastPathComponent)
        let folder = String(path.dropLast(name.count))
        let names = try? Folder.names(folder.isEmpty ? "." : folder, maximum: Self.comparedNames)
        guard let names else {
            advice = "check the path: its folder does not exist either"
            return
        }
        advice = name.nearest(in: names.filter { !$0.hasPrefix(".") }).map { "did you mean '\(folder + $0)'?" }
    }
}

extension LogSourceError {
    /// Creates an error from the system's error code for a file.
    init(errno number: CInt, source: String) {
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: .missing
            case EACCES, EPERM: .permission
            case ENXIO: .special
            case EMFILE, ENFILE, ENOMEM: .exhausted
            default: .cannotRead
            }
        let advice: String? =
            switch number {
            case EACCES, EPERM: "give this user permission to read it, or copy it"
            case EIO, ESTALE: "copy it from its disk or share, and read the copy"
            case EMFILE, ENFILE: "raise the limit on open files (ulimit -n)"
            default: nil
            }
        self.init(code, source: source, reason: Self.text(number), advice: advice)
    }

    /// Returns the system's message, as a fragment: `no such file or directory`.
    private static func text(_ number: CInt) -> String {
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        let sentence = unsafe String(cString: text)
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }
}

/// The encoding of a log without a byte-order mark.
public typealias TextEncoding = TextKit.TextEncoding

extension TextKit.TextEncoding {
    /// Finds an encoding by any of its names, for reading logs.
    ///
    /// - Throws: A ``LogSourceError`` that suggests a name.
    public init(named name: String) throws(LogSourceError) {
        do throws(UnknownEncoding) {
            self = try TextEncoding(of: name)
        } catch {
            throw LogSourceError(
                .unknownEncoding,
                source: name,
                reason: "the encoding does not exist",
                advice: error.advice
            )
        }
    }
}

// MARK: - Failures

extension LogSourceError: AdvisedError {
    /// The error as a message with an exit status.
    public var failure: Failure {
        Failure(ExitStatus(code), message, advice: advice)
    }
}

extension ExitStatus {
    fileprivate init(_ code: LogSourceError.Code) {
        self =
            switch code {
            case .cannotRead, .damaged, .tooLarge: .inputOutput
            case .unknownEncoding: .usage
            case .exhausted: .exhausted
            default: .inputNotOpened
            }
    }
}
