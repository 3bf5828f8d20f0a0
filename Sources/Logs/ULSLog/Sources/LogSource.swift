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
