/// Reads logs: what to read, which events are wanted, and how.
///
/// Every function blocks until it is done and uses threads of its own; call it from a thread that may wait.
/// The results are the same for any number of ``jobs``.
public struct LogReader: Sendable {
    /// Files, folders, globs, archives; `-` is standard input.
    public var inputs: [String]
    public var filter = EventFilter()
    public var window = TimeWindow.all
    /// The zones of servers that write local time.
    public var zones = ServerZones()
    /// How texts without a byte-order mark are written; `nil`: UTF-8, and Windows-1252 where it is none.
    public var encoding: TextEncoding?
    /// How many threads read and parse.
    public var jobs = 1
    /// From how many milliseconds on silence of a server is a gap.
    public var gapMinimum: Int64 = 300_000
    var sizes = ReadingSizes()
    /// Read besides the inputs.
    var text: MemoryText?

    public init(inputs: [String]) { self.inputs = inputs }

    /// Reads a text that is in memory.
    ///
    /// It is read as the same bytes in a file of that name would be, a name like `SERVER-YYYYMMDD-HHMM.log` says the
    /// server; but it must not be packed, and one thread reads it.
    public init(text: [UInt8], name: String) {
        inputs = []
        self.text = MemoryText(name: name, bytes: text)
    }

    /// The order in which events are handed over.
    public enum Order: Sendable {
        /// File after file, as they were written.
        case files
        /// By time over all servers; of equal times in the order of the servers, and never against the order of a file.
        case time
    }

    public static let maximumTraces = 10
}

/// What reading came to.
public struct ReadReport: Sendable {
    public var files: [SourceReport] = []
    /// Events handed over.
    public var events = 0
    /// Rows that the filter and the window want, as far as their columns and times say it.
    public var lookedAt = 0
    public var quality = ReadQuality()
    /// Rows that were left out because they do not say enough to tell whether they are in the window.
    public var incomparable = 0
    /// What was passed over among the inputs, for a person.
    public var notes: [String] = []
    /// Which times each server's logs cover: when nothing was found.
    public var coverage: [ServerCoverage] = []
    /// Which times were read of each server's logs, by name; all rows count that were looked at, wanted or not.
    ///
    /// Empty, as ``gaps`` are, when rows without the one wanted correlation were passed over: then nothing is known of
    /// what was not written. ``LogReader/forEachEvent(chosenBy:edges:_:)`` passes nothing over.
    public var servers: [ServerSpan] = []
    /// When servers wrote nothing, by time: the gaps that touch the window, as far as rows were looked at.
    public var gaps: [LogSummary.Gap] = []
    /// When servers wrote, as far as rows were looked at.
    var activity: [ServerActivity] = []

    public init() {}
}

/// How one line was read.
public struct ParseExplanation: Sendable {
    /// A column, where it stands in its line, and what it says.
    public struct Field: Sendable {
        public var column: String
        /// Bytes of the physical line, from 1, without padding.
        public var first: Int
        public var last: Int
        public var text: String
    }

    public var file: String
    public var line: Int
    /// What the line is, in a few words: `row, native layout`, `line of the row above (line 12)`, `header`, ….
    public var kind: String
    public var fields: [Field]
    /// Remarks, as `the area is empty`, `no correlation: one blank`.
    public var notes: [String]
    /// The event of which the line is a part.
    public var event: ULSEvent?
}

/// Why logs could not be read.
public struct LogError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped { case cannotOpen, cannotRead, usage }
        private let wrapped: Wrapped

        /// An input is not there or not readable; nothing was read.
        public static let cannotOpen = Code(wrapped: .cannotOpen)
        /// Reading failed on the way.
        public static let cannotRead = Code(wrapped: .cannotRead)
        /// What was asked for makes no sense for these inputs.
        public static let usage = Code(wrapped: .usage)
    }

    public var code: Code
    public var message: String
    /// What to do next.
    public var advice: String?

    public init(code: Code, message: String, advice: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
    }

    public var description: String { message }
}

/// Which events are wanted.
///
/// Everything that is given must hold; of several values of one kind, one.
public struct EventFilter: Sendable {
    /// Servers, without regard to ASCII case.
    public var servers: [String] = []
    /// Programs (`w3wp`, `w3wp.exe`) or process ids (`0x1790`), without regard to ASCII case.
    public var processes: [String] = []
    /// This level and worse.
    public var level: ULSLevel?
    /// Categories, or `AREA/CATEGORY`, without regard to ASCII case; `*` and `?` stand for any text, any character.
    public var categories: [String] = []
    /// Event IDs, as written.
    public var eventIDs: [String] = []
    public var correlations: [CorrelationPattern] = []
    /// Texts that must all occur in the message, without regard to ASCII case.
    public var contains: [String] = []

    public init() {}

    /// Whether every event is wanted, as far as this filter goes.
    public var isEmpty: Bool {
        servers.isEmpty && processes.isEmpty && level == nil && categories.isEmpty && eventIDs.isEmpty
            && correlations.isEmpty && contains.isEmpty
    }
}

/// What became of one file, archive entry or pipe.
public struct SourceReport: Sendable, Hashable {
    public var name: String
    /// The server that wrote it, by its name or by its rows; `nil` when unknown or when there are several.
    public var server: String?
    /// Bytes read, after unpacking.
    public var bytes: Int
    /// Rows in it, selected or not; zero where only a part was looked at.
    public var records: Int
    /// The times of its first and last row, as far as they were looked at.
    public var firstTime: LogTime?
    public var lastTime: LogTime?
    /// Whether it was left unopened because its name says that it lies outside of the window.
    public var isSkipped: Bool
    /// What happened to it meanwhile, in words for a person, each with what to do.
    public var notes: [String]
    /// Whether a part of it could not be read.
    public var isIncomplete: Bool

    public init(name: String, server: String? = nil) {
        self.name = name
        self.server = server
        bytes = 0
        records = 0
        isSkipped = false
        notes = []
        isIncomplete = false
    }
}
