import ArchiveStream
import UnicodeText

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
