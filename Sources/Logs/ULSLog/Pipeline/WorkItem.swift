/// One text among those that are read: a file, an archive's entry, a pipe.
struct LogText: Sendable {
    /// The number of its source among all that were found.
    var source: Int
    var name: String
    var server: String?
}

/// What one thread reads at a time.
enum WorkItem: Sendable {
    /// The rows that begin in a part of a plain file.
    case part(FilePart)
    /// A source that can only be read from its beginning to its end.
    case stream(LogSource, number: Int)

    /// A part of a plain file, in bytes.
    struct FilePart: Sendable {
        var text: LogText
        var file: PartedFile
        var start: Int64
        /// Rows that begin here or behind are the next part's.
        var end: Int64
        /// Where reading ends: the size the file had when reading was planned.
        var fileEnd: Int64
        /// Whether text above it, which is not read, was left out.
        var isFirst: Bool
        var isLast: Bool
    }

    /// Whether reading it may wait for ever, as for the other end of a pipe.
    var mayBlock: Bool {
        switch self {
        case .part: false
        case .stream(let source, _): if case .stream(.memory) = source.kind { false } else { true }
        }
    }

    /// The bytes of a work unit: 32 MiB, whatever the number of threads, so that the result does not depend on it.
    static let unitBytes: Int64 = 32 << 20
}

/// How much is read and handed over at a time; tests make it small.
struct ReadingSizes: Sendable {
    var unitBytes = WorkItem.unitBytes
    var pieceBytes = 256 << 10
    /// How much of a plain file is mapped at a time; 0 reads it instead.
    var windowBytes = 2 << 20
    var maximumRecord = LogLimit.rowBytes.maximum
    /// How much of a text is looked at to tell whether it is a native log.
    var sniffBytes = 1 << 20
    /// Smaller files are read as a whole, whatever the window.
    var minimumSectionedBytes = FileSection.minimumBytes

    init() {}
}
