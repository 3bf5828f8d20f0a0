public import TextKit
@_exported public import ULSRows

/// A reader of logs: its inputs, the criteria for wanted events, and the way to read them.
///
/// ``events(in:)`` is for use in tasks. Every other function uses its own threads and blocks until it is done, so call
/// it from a thread that may block. The results are the same for any number of ``jobs``.
public struct LogReader: Sendable {
    /// The files, folders, globs and archives to read; `-` is the standard input.
    public var inputs: [String] { didSet { found = nil } }
    /// The criteria for wanted events.
    public var filter = EventFilter()
    /// The span of time during which wanted events were written.
    public var window = TimeWindow.all
    /// Whether large files are sampled to find the window, so that their other parts are left unread.
    ///
    /// This is faster, but rows that are out of order may be missed; ``SourceReport/unreadBytes`` is the number of
    /// bytes that were not read.
    public var bisects = false
    /// The zones of servers that write local time.
    public var zones = ServerZones()
    /// The encoding of texts without a byte-order mark; `nil` means UTF-8, with invalid bytes read as Windows-1252.
    public var encoding: TextEncoding? { didSet { found = nil } }
    /// The number of threads that read and parse.
    public var jobs = 1
    /// The minimum duration for which a server's silence counts as a gap; fractions of a millisecond are ignored.
    public var gapMinimum = Duration.seconds(300)
    /// The object that counts the progress of reading; if `nil`, progress is not counted.
    public var progress: ReadProgress?
    /// Whether a summary or a diagnosis counts levels over time, for a chart: ``LogTimeline``.
    public var countsLevelsOverTime = false
    var sizes = ReadingSizes()
    /// A text in memory that is read in addition to the inputs.
    var text: MemoryText?
    /// The logs that the inputs name, if they were found in advance; see ``findLogs()``.
    var found: LogInputs?

    /// Creates a reader of files, folders, globs and archives; `-` is the standard input.
    public init(inputs: [String]) { self.inputs = inputs }

    /// Creates a reader of a text in memory.
    ///
    /// The text is read like a file with this name and these bytes; a name like `SERVER-YYYYMMDD-HHMM.log` provides the
    /// server. However, the text must not be compressed, and only one thread reads it.
    public init(text: [UInt8], name: String) {
        inputs = []
        self.text = MemoryText(name: name, bytes: text)
    }

    /// The order in which events are delivered.
    public enum Order: Sendable {
        /// File by file, as written.
        case files
        /// By time across all servers; events with equal times are ordered by server, but never contrary to the order
        /// of a file.
        case time
    }

    /// The maximum number of requests in a trace.
    public static let maximumTraces = 10

    /// Finds the logs, unless that has already been done, and opens each file once to examine its beginning.
    ///
    /// From then on, all functions use these logs, even if files are added to their folders in the meantime; setting
    /// other inputs or another encoding resets this. If this method has not been called, each function finds the logs
    /// again.
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
    /// The number of events delivered.
    public var events = 0
    /// The number of rows that the filter and the window accept, judging by columns and times.
    public var lookedAt = 0
    /// The quality of reading the texts.
    public var quality = ReadQuality()
    /// The number of rows left out because their times do not show whether they are in the window.
    public var incomparable = 0
    /// Notes for the user on inputs that were skipped.
    public var notes: [String] = []
    /// The times that each server's logs cover, shown when nothing was found.
    public var coverage: [ServerCoverage] = []
    /// The times covered by the rows read from each server's logs, by name; every examined row counts, wanted or not.
    ///
    /// Like ``gaps``, this is empty if only one correlation was wanted and other rows were skipped, because silences
    /// can't be detected in that case. ``LogReader/forEachEvent(chosenBy:edges:tallies:_:)`` skips nothing.
    public var servers: [ServerSpan] = []
    /// The gaps during which servers wrote nothing, by time: those among the examined rows that overlap the window.
    public var gaps: [LogSummary.Gap] = []
    /// The times, writers and kinds of rows; counted only if a prefilter is used.
    public var activity = LogActivity()
    /// The number of rows over time by level, counted only with ``LogReader/countsLevelsOverTime``.
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
        /// The position of its first byte in the physical line, counted from 1, without padding.
        public var first: Int
        /// The position of its last byte, without padding.
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
    /// The event that the line is part of.
    public var event: ULSEvent?
}

/// An error that prevented logs from being read.
public struct LogError: Error, Sendable, CustomStringConvertible {
    /// A kind of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped { case cannotOpen, cannotRead, usage }
        private let wrapped: Wrapped

        /// An input does not exist or is not readable; nothing was read.
        public static let cannotOpen = Code(wrapped: .cannotOpen)
        /// Reading failed after it had begun.
        public static let cannotRead = Code(wrapped: .cannotRead)
        /// The operation makes no sense for these inputs.
        public static let usage = Code(wrapped: .usage)
    }

    /// The kind of failure.
    public var code: Code
    /// The failure and its subject, as a fragment that can follow `error: `.
    public var message: String
    /// Advice on the next step.
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
/// All given criteria must hold; if a criterion has several values, one of them is enough. An event with any excluded
/// value is not wanted, regardless of its other values.
public struct EventFilter: Sendable {
    /// The wanted servers, ignoring ASCII case.
    public var servers: [String] = []
    /// The wanted programs (`w3wp`, `w3wp.exe`) or process IDs (`0x1790`), ignoring ASCII case.
    public var processes: [String] = []
    /// The mildest wanted level; rows whose level is unknown are also wanted.
    public var level: ULSLevel?
    /// The wanted categories, or `AREA/CATEGORY`, ignoring ASCII case; `*` matches any text, and `?` any character.
    public var categories: [String] = []
    /// The wanted event IDs, as written.
    public var eventIDs: [String] = []
    /// The wanted requests, by their full IDs or the beginnings of their IDs.
    public var correlations: [CorrelationPattern] = []
    /// Texts that must all occur literally in the message, ignoring case.
    public var contains: [String] = []
    /// The expressions that the message must match, and those that it must not match.
    public var patterns: MessagePatterns?
    /// The processes that are not wanted, in the forms of ``processes``.
    public var excludedProcesses: [String] = []
    /// The categories that are not wanted, in the forms of ``categories``.
    public var excludedCategories: [String] = []
    /// The event IDs that are not wanted, as written.
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

/// The outcome of reading a file, an archive entry or a pipe.
public struct SourceReport: Sendable, Hashable {
    /// The name of the file, the entry or the pipe.
    public var name: String
    /// The server that wrote the log, according to its name or rows; `nil` if unknown or if there are several.
    public var server: String?
    /// The number of bytes read, after unpacking.
    public var bytes: Int
    /// The number of rows, selected or not; zero if only a part was examined.
    public var records: Int
    /// The time of the first examined row.
    public var firstTime: LogTime?
    /// The time of the last examined row.
    public var lastTime: LogTime?
    /// Whether the file was not opened because its name places it outside the window.
    public var isSkipped: Bool
    /// The number of bytes left out because samples place them outside the window; see ``LogReader/bisects``.
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

// MARK: - Failures

extension LogError: AdvisedError {
    /// The error as a message with an exit status.
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
