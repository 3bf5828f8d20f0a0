package import ArgumentParsing
import CommandKit
import Glibc
import LogDiagnosis
import LogReports
import ReportKit
import TextKit
package import ULSLog

extension LogReadingOptions {
    /// Returns a reader of these inputs, or of standard input if there are none.
    func reader(of inputs: [String], _ events: LogEventOptions, example: String) throws -> LogReader {
        try reader(of: inputs, events.selection, correlations: events.correlations, example: example)
    }
}

/// Options for reading logs.
struct LogReadingOptions: OptionSetting {
    @Option(
        "--profile",
        value: "NAME",
        completion: .profiles,
        help: "A farm profile, for its logs if none are given here, and its time zones without --tz"
    )
    var profileName: String?

    @Option(
        "--tz",
        value: "[SERVER=]ZONE",
        completion: .zones.afterLabel,
        help: "The time zone of the servers' clocks, or of one server's, such as Europe/Vienna or UTC; may be repeated"
    )
    var zoneNames: [String]

    @Option(
        "--encoding",
        value: "NAME",
        completion: .values(TextEncoding.wellKnownNames),
        help:
            "The encoding of text without a byte-order mark (default: UTF-8, or windows-1252 if it is not UTF-8)"
    )
    var encodingName: String?

    @Option("--jobs", "-j", value: "N", help: "The number of threads for reading (default: one per core)")
    var jobs: Int?

    @OptionGroup("Reading") var progress: ProgressOptions

    /// The maximum number of threads; more threads than cores would only use memory.
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
        try reader(of: inputs, events, correlations: correlations, profile: try profile(), example: example)
    }

    /// Returns a reader of these inputs, or else of the profile's logs, or else of standard input.
    func reader(
        of inputs: [String],
        _ events: LogSelectionOptions,
        correlations: [CorrelationPattern] = [],
        profile: LogProfile?,
        example: String
    ) throws -> LogReader {
        var reader = try reader(of: inputs, events.times, profile: profile, example: example)
        reader.filter = try events.filter()
        reader.filter.correlations = correlations
        reader.bisects = events.bisects
        return reader
    }

    /// Returns a reader of all rows of this time window in these inputs, or else in the profile's logs, or else in
    /// standard input.
    func reader(
        of named: [String],
        _ times: LogTimeOptions,
        profile: LogProfile?,
        example: String
    ) throws -> LogReader {
        let inputs = named.isEmpty ? profile?.texts(.logs) ?? [] : named
        if inputs.isEmpty, let profile {
            throw Failure(
                .configuration,
                "the profile '\(profile.name)' has no logs (\(profile.origin))",
                advice: "add 'logs' there, or specify the logs here"
            )
        }
        if inputs.isEmpty, FileDescriptor.standardInput.isTerminal {
            throw ArgumentError("no logs: standard input is a terminal", advice: "For example: \(example)")
        }
        var reader = LogReader(inputs: inputs.isEmpty ? ["-"] : inputs)
        reader.window = try times.window()
        if let remark = times.remark { StandardError.say(remark) }
        reader.zones = try zones(of: profile)
        reader.encoding = try encoding()
        reader.jobs = jobs ?? min(ProcessorCount.available, Self.maximumJobs)
        if named.isEmpty, let profile {
            try reader.findLogs()
            for path in try reader.files() { try profile.check(found: path) }
        }
        return reader
    }

    /// Returns the profile that the command line names.
    func profile() throws -> LogProfile? { try profileName.map { try LogProfiles.current.profile(named: $0) } }

    private func zones(of profile: LogProfile?) throws -> ServerZones {
        guard zoneNames.isEmpty, let profile, let first = profile[.zones].first else { return try zones() }
        do { return try ServerZones(profile.texts(.zones)) } catch {
            throw Failure(.configuration, "\(first.origin): \(error)", advice: "correct 'zones' there")
        }
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
    @OptionGroup("Output") private var report = ReportOutputOptions(SummaryRenderer.forms)

    @Option("--top", value: "N", help: "The maximum number of lines in a list")
    var top = 10

    @OptionGroup("Text") private var text: TextOptions

    var outputs: ReportOutputs { report.outputs(text) }
    var quiet: QuietOptions { report.quiet }

    func validate() throws {
        if top < 1 { throw ValidationError("--top must be at least 1") }
    }
}

/// Options for printing events.
struct LogEventOutputOptions: OptionSetting {
    @Option(output: LogEventWriter.forms)
    var form

    @Option("--limit", value: "N", help: "Stop after this many hits (and the context of the last)")
    var limit: Int?

    @Option(
        "--near-hit",
        "-C",
        value: "N",
        help: """
            Show this many events from the same request (or thread, without a correlation) before and after each hit. \
            Hits are marked with > or, in JSON, with "context": false, but not with -o uls
            """
    )
    var near: Int?

    @Option("--before-hit", "-B", value: "N", help: "Show this many events before each hit")
    var before: Int?

    @Option("--after-hit", "-A", value: "N", help: "Show this many events after each hit")
    var after: Int?

    /// The number of events to show around each hit.
    var reach: ContextReach { ContextReach(before: before ?? near ?? 0, after: after ?? near ?? 0) }

    private static let maximumReach = 1000

    @OptionGroup("Text") var text: TextOptions

    var pager: PagerCommand? { text.pager(for: form == .text) }

    @OptionGroup("Output") var csv: CSVOptions
    @OptionGroup("Output") var quiet: QuietOptions

    func validate() throws {
        try csv.validate(isUsed: form == .csv)
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
        for (name, count) in [("-C", near), ("-B", before), ("-A", after)] {
            guard let count, !(0...Self.maximumReach).contains(count) else { continue }
            throw ValidationError("\(name) must be between 0 and \(Self.maximumReach)")
        }
    }
}

/// Options for printing the trace of a request.
struct LogTraceOutputOptions: OptionSetting {
    @OptionGroup("Output") private var report = ReportOutputOptions(TraceRenderer.forms)

    @OptionGroup("Text") private var text: TextOptions

    var outputs: ReportOutputs { report.outputs(text) }
    var quiet: QuietOptions { report.quiet }
}

/// `FILE:LINE`: a physical line of a log, from 1.
package struct LogPlace: ArgumentValue {
    package let file: String
    package let line: Int

    package init(argument word: String) throws(ArgumentExpectation) {
        guard let colon = word.utf8.lastIndex(of: UInt8(ascii: ":")), colon > word.startIndex,
            let line = Int(word[word.utf8.index(after: colon)...]), line > 0
        else { throw ArgumentExpectation("a file and a line number, such as WFE1-20240311-1003.log:12") }
        self.file = String(word[..<colon])
        self.line = line
    }

    package var argumentText: String { "\(file):\(line)" }
}

/// Options for selecting events, except by correlation; all given conditions must be met.
struct LogSelectionOptions: OptionSetting {
    @OptionGroup("Events") var times: LogTimeOptions

    @Option("--level", value: "LEVEL", help: "Only events of this level or worse; rows of unknown level are kept")
    var level: ULSLevel?

    @Option(
        "--server",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "Only events from this server; may be repeated"
    )
    var servers: [String]

    @Option(
        "--process",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "Only events from this program or process ID, such as w3wp or 0x1790; may be repeated"
    )
    var processes: [String]

    @Option(
        "--category",
        value: "[AREA/]NAME",
        completion: ArgumentCompletion.none,
        help: "Only events in this category; * matches any text, ? any character; may be repeated"
    )
    var categories: [String]

    @Option(
        "--event",
        value: "ID",
        completion: ArgumentCompletion.none,
        help: "Only events with this event ID, such as b4ly; may be repeated"
    )
    var eventIDs: [String]

    @Option(
        "--contains",
        value: "TEXT",
        completion: ArgumentCompletion.none,
        help: "Only events whose message contains exactly this text; ignores case; if repeated, all must occur"
    )
    var contains: [String]

    @Option(
        "--match",
        value: "REGEX",
        completion: ArgumentCompletion.none,
        help: "Only events whose message matches this regular expression; ignores case; if repeated, all must match"
    )
    var matches: [String]

    @Option(
        "--not-match",
        value: "REGEX",
        completion: ArgumentCompletion.none,
        help: "Leave out events whose message matches this regular expression; may be repeated"
    )
    var unwantedMatches: [String]

    @Option(
        "--not-process",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "Leave out events from this program or process ID; may be repeated"
    )
    var unwantedProcesses: [String]

    @Option(
        "--not-category",
        value: "[AREA/]NAME",
        completion: ArgumentCompletion.none,
        help: "Leave out events in this category, with * and ? as above; may be repeated"
    )
    var unwantedCategories: [String]

    @Option(
        "--not-event",
        value: "ID",
        completion: ArgumentCompletion.none,
        help: "Leave out events with this event ID; may be repeated"
    )
    var unwantedEventIDs: [String]

    @Flag(
        "--bisect",
        help: "Find the time window in large files by sampling; faster, but rows out of order may be missed"
    )
    var bisects

    func validate() throws {
        _ = try patterns()
        let window = try times.window()
        if bisects, window.isAll || window.isTimeOfDay {
            throw ValidationError("--bisect needs --since, --until or --around with a date")
        }
    }

    /// Compiles the expressions.
    private func patterns() throws -> MessagePatterns? {
        guard !matches.isEmpty || !unwantedMatches.isEmpty else { return nil }
        do { return try MessagePatterns(wanted: matches, unwanted: unwantedMatches) } catch {
            guard let number = error.expression else { throw ValidationError("--match: \(error)") }
            let isWanted = number < matches.count
            let text = isWanted ? matches[number] : unwantedMatches[number - matches.count]
            throw ValidationError("\(isWanted ? "--match" : "--not-match") '\(text)': \(error)")
        }
    }

    func filter() throws -> EventFilter {
        var filter = EventFilter()
        filter.level = level
        filter.servers = servers
        filter.processes = processes
        filter.categories = categories
        filter.eventIDs = eventIDs
        filter.contains = contains
        filter.patterns = try patterns()
        filter.excludedProcesses = unwantedProcesses
        filter.excludedCategories = unwantedCategories
        filter.excludedEventIDs = unwantedEventIDs
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
        help: "Only events of this request: a GUID, or at least its first 8 digits; may be repeated"
    )
    var correlations: [CorrelationPattern]
}

extension ULSLevel: ArgumentValue {
    package static var candidates: [String] { knownWords }

    package init(argument word: String) throws(ArgumentExpectation) {
        self.init(word)
        guard isKnown else { throw ArgumentExpectation("one of " + Self.candidates.joined(separator: ", ")) }
    }
}

extension CorrelationPattern: ArgumentValue {
    package init(argument word: String) throws(ArgumentExpectation) {
        guard let pattern = CorrelationPattern(word) else {
            throw ArgumentExpectation("a GUID, or at least its first \(Self.minimumDigits) hexadecimal digits")
        }
        self = pattern
    }
}

/// Options for the time window.
struct LogTimeOptions: OptionSetting {
    @Option(
        "--since",
        value: "TIME",
        completion: ArgumentCompletion.none,
        help: """
            Start at this time: '2024-03-11 11:03', 2024-03-11T10:03Z, a day, 11:03 (on every day), 15m, 2h, 3d or \
            1w (before now), today, yesterday
            """
    )
    var since: String?

    @Option(
        "--until",
        value: "TIME",
        completion: ArgumentCompletion.none,
        help: "End at this time (inclusive), or at the end of this day; 10:15 is 10:15:00.000"
    )
    var until: String?

    @Option(
        "--around",
        value: "TIME[±DURATION]",
        completion: ArgumentCompletion.none,
        help: "Events within this duration before and after this time (default: 5m); '+-' can be used for '±'"
    )
    var around: String?

    static let exclusive = [["--since", "--around"], ["--until", "--around"]]

    func validate() throws { _ = try window() }

    /// A remark on the meaning of the window, if the user may have intended another one.
    var remark: String? {
        guard since != nil, until != nil, let window = try? window(), window.spansMidnight else { return nil }
        return "--since is later than --until, so the window spans midnight; use dates if both are on one day"
    }

    func window() throws -> TimeWindow {
        do { return try TimeWindow(since: since, until: until, around: around, now: .now) } catch {
            throw ValidationError(error.message)
        }
    }
}

extension TimeReference {
    /// The current time on this machine's clock.
    static var now: TimeReference {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        var parts = tm()
        localtime_r(&time.tv_sec, &parts)
        return TimeReference(
            instant: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000,
            offset: parts.tm_gmtoff
        )
    }
}

/// Options that determine how the result of a search affects the exit code.
struct LogGateOptions: OptionSetting {
    @Flag("--fail-if-none", help: "Exit with code 1 if nothing was found")
    var failsIfNone

    @Flag("--fail-if-any", help: "Exit with code 1 if anything was found")
    var failsIfAny

    static let exclusive = [["--fail-if-none", "--fail-if-any"]]

    var gate: LogGate? { failsIfNone ? .failIfNone : failsIfAny ? .failIfAny : nil }
}

/// The display of the progress of reading logs.
struct ReadProgressDisplay {
    private let display: ProgressDisplay

    /// Starts the display of the reader's progress, with the findings so far of a diagnosis.
    init(_ style: ProgressStyle, of reader: inout LogReader, _ soFar: FindingsSoFar? = nil) {
        let progress = ReadProgress()
        reader.progress = progress
        display = ProgressDisplay(style) {
            var count = ProgressCount(of: .events)
            count.bytes = progress.bytes
            count.totalBytes = progress.totalBytes
            count.items = progress.events
            count.findings = soFar?.findings().map { ProgressCount.Finding($0) }
            return count
        }
    }

    func finish() { display.finish() }
}

extension ProgressCount.Finding {
    fileprivate init(_ finding: Finding) {
        self.init(
            rule: "\(finding.rule.id)",
            severity: finding.severity.rawValue,
            title: finding.rule.title,
            occurrences: finding.occurrences
        )
    }
}
