import ArgumentParsing
import EngineCatalog
import ReportRendering
import ULSLog
import UnicodeText

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
        help: "A farm profile: its logs if none are named here, and its time zones without --tz"
    )
    var profileName: String?

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

    @OptionGroup("Reading") var progress: ProgressOptions

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
        try reader(of: inputs, events, correlations: correlations, profile: try profile(), example: example)
    }

    /// Returns a reader of these inputs, else of the profile's logs, else of standard input.
    func reader(
        of inputs: [String],
        _ events: LogSelectionOptions,
        correlations: [CorrelationPattern] = [],
        profile: FarmProfile?,
        example: String
    ) throws -> LogReader {
        var reader = try reader(of: inputs, events.times, profile: profile, example: example)
        reader.filter = try events.filter()
        reader.filter.correlations = correlations
        reader.bisects = events.bisects
        return reader
    }

    /// Returns a reader of all rows of these times in these inputs, else in the profile's logs, else in standard input.
    func reader(
        of named: [String],
        _ times: LogTimeOptions,
        profile: FarmProfile?,
        example: String
    ) throws -> LogReader {
        let inputs = named.isEmpty ? profile?.texts(.logs) ?? [] : named
        if inputs.isEmpty, let profile {
            throw CommandFailure(
                .configuration,
                "the profile '\(profile.name)' names no logs (\(profile.origin))",
                advice: "add 'logs' there, or name the logs here"
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

    /// The profile that the command line names.
    func profile() throws -> FarmProfile? { try profileName.map { try UserSettings().profile(named: $0) } }

    private func zones(of profile: FarmProfile?) throws -> ServerZones {
        guard zoneNames.isEmpty, let profile, let first = profile[.zones].first else { return try zones() }
        do { return try ServerZones(profile.texts(.zones)) } catch {
            throw CommandFailure(.configuration, "\(first.origin): \(error)", advice: "correct 'zones' there")
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
    @OptionGroup("Output") private var report: ReportOutputOptions<ReportFormat>

    @Option("--top", value: "N", help: "The maximum number of lines in a list")
    var top = 10

    @OptionGroup("Text") private var text: TextOptions

    var outputs: ReportOutputs<ReportFormat> { report.outputs(text) }
    var quiet: QuietOptions { report.quiet }

    func validate() throws {
        if top < 1 { throw ValidationError("--top must be at least 1") }
    }
}

/// Options for printing events.
struct LogEventOutputOptions: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The format of the results")
    var format = LogEventFormat.text

    @Option("--limit", value: "N", help: "Stop after this many events, and what is asked for around the last of them")
    var limit: Int?

    @Option(
        "--near-hit",
        "-C",
        value: "N",
        help: """
            Show this many events before and after each hit, of the same request; without a correlation, of the same \
            thread. Hits are marked with >, or as "context": false; -o uls marks nothing
            """
    )
    var near: Int?

    @Option("--before-hit", "-B", value: "N", help: "Show this many such events before each hit")
    var before: Int?

    @Option("--after-hit", "-A", value: "N", help: "Show this many such events after each hit")
    var after: Int?

    /// Events around each hit.
    var reach: ContextReach { ContextReach(before: before ?? near ?? 0, after: after ?? near ?? 0) }

    private static let maximumReach = 1000

    @OptionGroup("Text") var text: TextOptions

    var pager: PagerCommand? { text.pager(for: format == .text) }

    @OptionGroup("Output") var csv: CSVOptions
    @OptionGroup("Output") var quiet: QuietOptions

    func validate() throws {
        try csv.validate(isUsed: format == .csv)
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
        for (name, count) in [("-C", near), ("-B", before), ("-A", after)] {
            guard let count, !(0...Self.maximumReach).contains(count) else { continue }
            throw ValidationError("\(name) must be between 0 and \(Self.maximumReach)")
        }
    }
}

/// Options for printing the story of a request.
struct LogTraceOutputOptions: OptionSetting {
    @OptionGroup("Output") private var report: ReportOutputOptions<LogTraceFormat>

    @OptionGroup("Text") private var text: TextOptions

    var outputs: ReportOutputs<LogTraceFormat> { report.outputs(text) }
    var quiet: QuietOptions { report.quiet }
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
