public import TextKit
@_exported public import ULSRows

/// A reader of logs: what to read, which events are wanted, and how.
///
/// ``events(in:)`` is for tasks. Every other function uses its own threads and blocks until it is done, so call it from
/// a thread that may block. The results are the same for any number of ``jobs``.
public struct LogReader: Sendable {
    /// Files, folders, globs, archives; `-` is standard input.
    public var inputs: [String] { didSet { found = nil } }
    /// The criteria for wanted events.
    public var filter = EventFilter()
    /// The span of time in which wanted events were written.
    public var window = TimeWindow.all
    /// Whether large files are sampled to find the window, and their other parts are left unread.
    ///
    /// This is faster, but rows that are out of order may be missed: ``SourceReport/unreadBytes`` is the amount not
    /// read.
    public var bisects = false
    /// The zones of servers that write local time.
    public var zones = ServerZones()
    /// The encoding of texts without a byte-order mark; `nil` means UTF-8, with bytes that are invalid in UTF-8 read as
    /// Windows-1252.
    public var encoding: TextEncoding? { didSet { found = nil } }
    /// The number of threads that read and parse.
    public var jobs = 1
    /// Silence of a server at least this long is a gap; fractions of a millisecond don't count.
    public var gapMinimum = Duration.seconds(300)
    /// The object that counts the progress of reading; `nil` counts nothing.
    public var progress: ReadProgress?
    /// Whether a summary or a diagnosis counts levels over time, for a chart: ``LogTimeline``.
    public var countsLevelsOverTime = false
    var sizes = ReadingSizes()
    /// A text in memory that is read in addition to the inputs.
    var text: MemoryText?
    /// The logs that the inputs name, if they were found in advance; see ``findLogs()``.
    var found: LogInputs?

    /// Creates a reader of files, folders, globs and archives; `-` is standard input.
    public init(inputs: [String]) { self.inputs = inputs }

    /// Creates a reader of a text in memory.
    ///
    /// The text is read like a file with this name and these bytes; a name like `SERVER-YYYYMMDD-HHMM.log` gives the
    /// server. However, it must not be compressed, and only one thread reads it.
    public init(text: [UInt8], name: String) {
        inputs = []
        self.text = MemoryText(name: name, bytes: text)
    }

    /// The order in which events are delivered.
    public enum Order: Sendable {
        /// File by file, as written.
        case files
        /// By time across all servers; equal times come in the order of the servers, and never against the order of a
        /// file.
        case time
    }

    /// The maximum number of requests in a trace.
    public static let maximumTraces = 10

    /// Finds the logs, unless that has already been done, and opens each file once to examine its beginning.
    ///
    /// From then on, all functions use these logs, even if files are added to their folders in the meantime; setting
    /// other inputs or another encoding resets this. A reader whose logs were not found in advance finds them again for
    /// each function.
    ///
    /// - Throws: A ``LogError`` if an input cannot be opened.
    public mutating func findLogs() throws { found = try logs() }

    /// Returns the logs that were found in advance, or finds them.
    func logs() throws -> LogInputs {
        if let found { return found }
        var logs = LogInputs(inputs, encoding: encoding, window: window, sniffBytes: sizes.sniffBytes)
        if let problem = logs.problems.first(where: { inputs.contains($0.source) || $0.source == "-" })
            ?? (logs.sources.isEmpty ? logs.problems.first : nil)
        {
            throw LogError(code: .cannotOpen, message: problem.message, advice: problem.advice)
        }
        if let text { logs.add(text) }
        return logs
    }
}

/// The outcome of reading.
public struct ReadReport: Sendable {
    /// The result of reading each file.
    public var files: [SourceReport] = []
    /// Events delivered.
    public var events = 0
    /// The rows that the filter and the window accept, judging by columns and times.
    public var lookedAt = 0
    /// The quality of reading the texts.
    public var quality = ReadQuality()
    /// Rows left out because their times do not show whether they are in the window.
    public var incomparable = 0
    /// Notes for the user on inputs that were skipped.
    public var notes: [String] = []
    /// The times that each server's logs cover, shown when nothing was found.
    public var coverage: [ServerCoverage] = []
    /// The times covered by the rows read from each server's logs, by name; every examined row counts, wanted or not.
    ///
    /// Like ``gaps``, this is empty if rows without the only wanted correlation were skipped, because then silences
    /// can't be detected. ``LogReader/forEachEvent(chosenBy:edges:tallies:_:)`` skips nothing.
    public var servers: [ServerSpan] = []
    /// Gaps in which servers wrote nothing, by time: those among the examined rows that overlap the window.
    public var gaps: [LogSummary.Gap] = []
    /// The times, writers and kinds of rows; counted only if a prefilter is used.
    public var activity = LogActivity()
    /// Rows over time by level, only with ``LogReader/countsLevelsOverTime``.
    public var timeline = LogTimeline()
    /// The times at which servers wrote the examined rows.
    var timelines: [ServerTimeline] = []

    /// Creates an empty report.
    public init() {}
}

/// An explanation of how one line was read.
public struct ParseExplanation: Sendable {
    /// A column: its place in the line and its text.
    public struct Field: Sendable {
        /// The column's name.
        public var column: String
        /// Byte positions in the physical line, from 1, without padding.
        public var first: Int
        /// The position of its last byte.
        public var last: Int
        /// The text of the column.
        public var text: String
    }

    /// The name of the file.
    public var file: String
    /// The line, counted from 1.
    public var line: Int
    /// The kind of line in a few words: `row, native layout`, `line of the record that begins on line 12`, `header`, ….
    public var kind: String
    /// The columns, in the order of the line.
    public var fields: [Field]
    /// Remarks, such as `the area is empty` and `there is no correlation`.
    public var notes: [String]
    /// The event that the line belongs to.
    public var event: ULSEvent?
}

/// An error that kept logs from being read.
public struct LogError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped { case cannotOpen, cannotRead, usage }
        private let wrapped: Wrapped

        /// An input does not exist or is not readable; nothing was read.
        public static let cannotOpen = Code(wrapped: .cannotOpen)
        /// Reading failed midway.
        public static let cannotRead = Code(wrapped: .cannotRead)
        /// The operation makes no sense for these inputs.
        public static let usage = Code(wrapped: .usage)
    }

    /// The kind of failure.
    public var code: Code
    /// The failure and its subject, as a fragment that can follow `error: `.
    public var message: String
    /// Advice on what to do next.
    public var advice: String?

    /// Creates an error.
    public init(code: Code, message: String, advice: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
    }

    public var description: String { message }
}

/// The criteria for wanted events.
///
/// All given criteria must hold; of several values for one criterion, one is enough. An event with any excluded value
/// is not wanted, regardless of its other values.
public struct EventFilter: Sendable {
    /// Servers, without regard to ASCII case.
    public var servers: [String] = []
    /// Programs (`w3wp`, `w3wp.exe`) or process ids (`0x1790`), without regard to ASCII case.
    public var processes: [String] = []
    /// This level and worse, and rows whose level is unknown.
    public var level: ULSLevel?
    /// Categories, or `AREA/CATEGORY`, without regard to ASCII case; `*` matches any text, and `?` any character.
    public var categories: [String] = []
    /// Event IDs, as written.
    public var eventIDs: [String] = []
    /// Requests, whole or by the beginning of their IDs.
    public var correlations: [CorrelationPattern] = []
    /// Texts that must all occur literally in the message, ignoring case.
    public var contains: [String] = []
    /// Expressions that the message must and must not match.
    public var patterns: MessagePatterns?
    /// Processes that are not wanted, in the forms of ``processes``.
    public var excludedProcesses: [String] = []
    /// Categories that are not wanted, in the forms of ``categories``.
    public var excludedCategories: [String] = []
    /// Event IDs that are not wanted, as written.
    public var excludedEventIDs: [String] = []

    /// Creates a filter that wants every event.
    public init() {}

    /// Whether the filter wants every event.
    public var isEmpty: Bool {
        servers.isEmpty && processes.isEmpty && level == nil && categories.isEmpty && eventIDs.isEmpty
            && correlations.isEmpty && !examinesMessages && excludedProcesses.isEmpty && excludedCategories.isEmpty
            && excludedEventIDs.isEmpty
    }

    /// Whether the filter examines the messages of events.
    public var examinesMessages: Bool { !contains.isEmpty || patterns != nil }
}

/// The outcome of reading one file, archive entry or pipe.
public struct SourceReport: Sendable, Hashable {
    /// The name of the file, the entry or the pipe.
    public var name: String
    /// The server that wrote it, from its name or its rows; `nil` if unknown or if there are several.
    public var server: String?
    /// Bytes read, after unpacking.
    public var bytes: Int
    /// The number of rows, selected or not; zero if only a part was examined.
    public var records: Int
    /// The time of the first examined row.
    public var firstTime: LogTime?
    /// The time of the last examined row.
    public var lastTime: LogTime?
    /// Whether the file was not opened because its name places it outside the window.
    public var isSkipped: Bool
    /// Bytes left out because samples place them outside the window; see ``LogReader/bisects``.
    public var unreadBytes: Int
    /// Notes for the user on changes to the file during reading, each with advice.
    public var notes: [String]
    /// Whether a part of the text could not be read.
    public var isIncomplete: Bool
    /// Whether the source is an archive, whose texts have their own reports.
    public var isArchive: Bool

    /// Whether the source was read as a separate file.
    public var isRead: Bool { !isSkipped && !isArchive }

    /// Creates a report on a source that was not read.
    public init(name: String, server: String? = nil) {
        self.name = name
        self.server = server
        bytes = 0
        records = 0
        isSkipped = false
        unreadBytes = 0
        notes = []
        isIncomplete = false
        isArchive = false
    }
}

// MARK: - For people

extension LogError: AdvisedError {
    /// The error for people, with its exit status.
    public var failure: Failure {
        Failure(ExitStatus(code), message, advice: advice)
    }
}

extension ExitStatus {
    fileprivate init(_ code: LogError.Code) {
        self =
            switch code {
            case .usage: .usage
            case .cannotRead: .inputOutput
            default: .inputNotOpened
            }
    }
}
