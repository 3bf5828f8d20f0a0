import ArchiveStream

/// Reads a source from its beginning to its end: one text, or the logs of an archive, as UTF-8.
///
/// It is opened and used on one thread. A read waits for a pipe's writer.
///
/// ```swift
/// var stream = try LogStream(source)
/// while let text = try stream.nextText() {
///     while case let count = try stream.read(into: &buffer, from: 0), count > 0 { … }
/// }
/// ```
struct LogStream: ~Copyable {
    private let source: LogSource
    private let supply: any TextSupply
    private var decoding: TextDecoding?
    private var undecodableBefore = 0

    /// Opens the source, and reads as much of a pipe as tells whether it is packed.
    init(_ source: LogSource, limits: ArchiveLimits = ArchiveLimits()) throws(LogSourceError) {
        // All that may fail comes first: a value that can't be copied must be whole or not at all.
        let supply = try Self.open(source, limits)
        self.source = source
        self.supply = supply
    }

    /// Entries of an archive that are no logs (directories and links too), and were not read.
    var passedOver: Int { supply.passedOver }

    /// Places in the texts so far that could not be understood as the encoding they are in; U+FFFD stands for each.
    var undecodable: Int { undecodableBefore + (decoding?.undecodable ?? 0) }

    /// Moves to the next text, also before the end of the current one.
    ///
    /// - Returns: `nil` at the end of the source.
    /// - Throws: A ``LogSourceError``, after which there is nothing more to read. An archive in which no log was found
    ///   throws it at its end.
    mutating func nextText() throws(LogSourceError) -> LogTextName? {
        undecodableBefore = undecodable
        decoding = nil
        guard let name = try supply.nextText() else { return nil }
        decoding = TextDecoding(source.encoding)
        return name
    }

    /// Reads the next piece of the text into `buffer`, behind `start`, and returns how many bytes.
    ///
    /// - Returns: 0 at the end of the text; the buffer must have room.
    /// - Throws: A ``LogSourceError``, in an archive with the name of the entry.
    mutating func read(into buffer: inout [UInt8], from start: Int = 0) throws(LogSourceError) -> Int {
        try decoding?.read(into: &buffer, from: start, supply) ?? 0
    }

    private static func open(
        _ source: LogSource,
        _ limits: ArchiveLimits
    ) throws(LogSourceError) -> any TextSupply {
        let file: OpenFile
        switch source.kind {
        case .file(let path, _), .stream(.path(let path)): file = try OpenFile.open(path)
        case .stream(.standardInput): file = try OpenFile.standardInput()
        case .stream(.memory(let text)):
            try SourceHead(of: text).refuseAllButText(source: source.name)
            return MemorySupply(source, bytes: text.bytes)
        }
        return try SourceHead(of: file).supply(source, file: file, limits: limits)
    }
}
