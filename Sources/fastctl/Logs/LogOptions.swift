public import ArgumentParsing
import ReportRendering
public import ULSLog

/// Options for selecting events, except by correlation; all given conditions must hold.
struct LogSelectionOptions: OptionSetting {
    @Option(
        "--since",
        value: "TIME",
        completion: ArgumentCompletion.none,
        help: "From this time on: '2024-03-11 11:03', 2024-03-11T10:03Z, a day, or 11:03 of every day"
    )
    var since: String?

    @Option("--until", value: "TIME", completion: ArgumentCompletion.none, help: "Up to and including this time")
    var until: String?

    @Option(
        "--around",
        value: "TIME[±DURATION]",
        completion: ArgumentCompletion.none,
        help: "This long before and after this time, by default 5m; '+-' can be used for '±'"
    )
    var around: String?

    @Option("--level", value: "LEVEL", help: "This level or worse; rows whose level is unknown are kept")
    var level: ULSLevel?

    @Option(
        "--server",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "From this server; may be repeated"
    )
    var servers: [String]

    @Option(
        "--process",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "From this program or process ID, such as w3wp or 0x1790; may be repeated"
    )
    var processes: [String]

    @Option(
        "--category",
        value: "[AREA/]NAME",
        completion: ArgumentCompletion.none,
        help: "In this category, with * for any text and ? for any character; may be repeated"
    )
    var categories: [String]

    @Option(
        "--event",
        value: "ID",
        completion: ArgumentCompletion.none,
        help: "With this event ID, such as b4ly; may be repeated"
    )
    var eventIDs: [String]

    @Option(
        "--contains",
        value: "TEXT",
        completion: ArgumentCompletion.none,
        help: "With this text in the message, whatever the case of a to z; if repeated, all must occur"
    )
    var contains: [String]

    @Flag(
        "--bisect",
        help: "Read only the parts of large files that samples place in the window; rows out of order may be lost"
    )
    var bisects

    static let exclusive = [["--since", "--around"], ["--until", "--around"]]

    func validate() throws {
        let window = try window()
        if bisects, window.isAll || window.isTimeOfDay {
            throw ValidationError("--bisect needs --since, --until or --around with a date")
        }
    }

    /// A remark on what the window means where it may not be what was meant.
    fileprivate var remark: String? {
        guard since != nil, until != nil, let window = try? window(), window.spansMidnight else { return nil }
        return "--since is later than --until: the window spans midnight; with dates, both can be on one day"
    }

    fileprivate func window() throws -> TimeWindow {
        do { return try TimeWindow(since: since, until: until, around: around) } catch {
            throw ValidationError(error.message)
        }
    }

    fileprivate var filter: EventFilter {
        var filter = EventFilter()
        filter.level = level
        filter.servers = servers
        filter.processes = processes
        filter.categories = categories
        filter.eventIDs = eventIDs
        filter.contains = contains
        return filter
    }
}

/// Options for selecting events.
struct LogEventOptions: OptionSetting {
    @OptionGroup("Events") var selection: LogSelectionOptions

    @Option(
        "--correlation",
        value: "GUID",
        completion: ArgumentCompletion.none,
        help: "Of this request: a GUID, or at least its first 8 digits; may be repeated"
    )
    fileprivate var correlations: [CorrelationPattern]
}

extension LogReadingOptions {
    /// Returns a reader of these inputs, or of standard input if there are none.
    func reader(of inputs: [String], _ events: LogEventOptions, example: String) throws -> LogReader {
        try reader(of: inputs, events.selection, correlations: events.correlations, example: example)
    }
}

/// Options for reading logs.
struct LogReadingOptions: OptionSetting {
    @Option(
        "--tz",
        value: "[SERVER=]ZONE",
        completion: ArgumentCompletion.none,
        help: "The time zone of the servers' clocks, or of one server's, such as Europe/Vienna or UTC; may be repeated"
    )
    var zoneNames: [String]

    @Option(
        "--encoding",
        value: "NAME",
        completion: .values(TextEncoding.wellKnownNames),
        help:
            "The encoding of text without a byte-order mark (default: UTF-8, and windows-1252 for text that is not UTF-8)"
    )
    var encodingName: String?

    @Option("--jobs", "-j", value: "N", help: "How many threads to read with (default: one per core)")
    var jobs: Int?

    /// The most threads; more than a machine has cores would only cost memory.
    private static let maximumJobs = 256

    func validate() throws {
        if let jobs, !(1...Self.maximumJobs).contains(jobs) {
            throw ValidationError("--jobs must be between 1 and \(Self.maximumJobs)")
        }
        _ = try (zones(), encoding())
    }

    /// Returns a reader of these inputs, or of standard input if there are none.
    func reader(
        of inputs: [String],
        _ events: LogSelectionOptions,
        correlations: [CorrelationPattern] = [],
        example: String
    ) throws -> LogReader {
        if inputs.isEmpty, FileDescriptor.standardInput.isTerminal {
            throw ArgumentError("no logs: standard input is a terminal", advice: "For example: \(example)")
        }
        var reader = LogReader(inputs: inputs.isEmpty ? ["-"] : inputs)
        reader.filter = events.filter
        reader.filter.correlations = correlations
        reader.window = try events.window()
        reader.bisects = events.bisects
        if let remark = events.remark { StandardError.say(remark) }
        reader.zones = try zones()
        reader.encoding = try encoding()
        reader.jobs = jobs ?? min(ProcessorCount.available, Self.maximumJobs)
        return reader
    }

    private func zones() throws -> ServerZones {
        do { return try ServerZones(zoneNames) } catch { throw ValidationError("--tz: \(error)") }
    }

    private func encoding() throws -> TextEncoding? {
        do {
            return try encodingName.map { name throws(LogSourceError) in try TextEncoding(named: name) }
        } catch {
            throw ValidationError("--encoding: \(error)")
        }
    }
}

/// Options for printing a report on logs.
struct LogReportOutputOptions: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The format of the results")
    var format = ReportFormat.text

    @Option("--top", value: "N", help: "The maximum number of lines in a list")
    var top = 10

    @Option("--color", value: "WHEN", help: "When to color text")
    var color = ColorChoice.auto

    func validate() throws {
        if top < 1 { throw ValidationError("--top must be at least 1") }
    }
}

/// Options for printing events.
struct LogEventOutputOptions: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The format of the results")
    var format = LogEventFormat.text

    @Option("--limit", value: "N", help: "Stop after this many events")
    var limit: Int?

    @Option("--color", value: "WHEN", help: "When to color text")
    var color = ColorChoice.auto

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
    }
}

/// Options for printing the story of a request.
struct LogTraceOutputOptions: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The format of the results")
    var format = LogTraceFormat.text

    @Option("--color", value: "WHEN", help: "When to color text")
    var color = ColorChoice.auto
}

extension ULSLevel: ArgumentValue {
    public static var candidates: [String] { knownWords }

    public init(argument word: String) throws(ArgumentExpectation) {
        self.init(word)
        guard isKnown else { throw ArgumentExpectation("one of " + Self.candidates.joined(separator: ", ")) }
    }
}

extension CorrelationPattern: ArgumentValue {
    public init(argument word: String) throws(ArgumentExpectation) {
        guard let pattern = CorrelationPattern(word) else {
            throw ArgumentExpectation("a GUID, or at least its first \(Self.minimumDigits) hexadecimal digits")
        }
        self = pattern
    }
}

/// `FILE:LINE`: a physical line of a log, from 1.
struct LogPlace: ArgumentValue {
    let file: String
    let line: Int

    init(argument word: String) throws(ArgumentExpectation) {
        guard let colon = word.utf8.lastIndex(of: UInt8(ascii: ":")), colon > word.startIndex,
            let line = Int(word[word.utf8.index(after: colon)...]), line > 0
        else { throw ArgumentExpectation("a file and the number of a line in it, such as WFE1-20240311-1003.log:12") }
        self.file = String(word[..<colon])
        self.line = line
    }

    var argumentText: String { "\(file):\(line)" }
}

extension Duration {
    /// The duration in whole milliseconds.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
        return isTooLong ? .max : product + attoseconds / 1_000_000_000_000_000
    }
}
