/// What one text of a stream is called.
struct LogTextName: Hashable, Sendable {
    /// For display: the source's name, and inside an archive the entry's: `logs.zip: WFE1-20260101-1000.log`.
    let name: String
    /// The server that wrote it, as its name says.
    let server: String?

    /// The text of a source that holds no other.
    init(_ source: LogSource) {
        name = source.name
        server = source.server
    }

    /// An entry of an archive.
    init(entry: String, in source: LogSource) {
        name = "\(source.name): \(entry)"
        server = LogFileName(entry)?.server ?? source.server
    }
}
