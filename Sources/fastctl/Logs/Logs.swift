import ArgumentParsing
import ReportRendering
import Threads
import ULSLog

struct Logs: CommandGroup {
    static let configuration = CommandConfiguration(
        "logs",
        group: "Logs",
        summary: "Read SharePoint's ULS logs: summarize, show, merge, trace.",
        discussion: """
            Logs are files, folders, globs, archives, or standard input if none is given. Parts of a split message are \
            joined, and each line is accounted for. Rows are in the server's local time unless they say UTC; '--tz' \
            names its zone, so that servers in several zones are in order.

            Finding nothing is a valid result: the exit code is 0, and standard error says which times the logs cover. \
            Input without any events is an error, with exit code 65; so is text that is no log. A pasted message without \
            columns counts if it holds an exception, an error code or words of failure.
            """,
        examples: [
            .init("fastctl logs summary /logs", "What the logs contain, and what is wrong"),
            .init("fastctl logs trace 9446a0f0-1577-472e-a8af-a552b1b4cc39 /logs", "The story of one request"),
            .init("fastctl logs --explain-parse WFE1-20240311-1003.log:12", "How that line is read"),
        ],
        subcommands: [
            SummarizeLogs.self, ViewLogs.self, ShowLogs.self, MergeLogs.self, TraceRequest.self, ShowSlowRequests.self,
            WriteBaseline.self,
        ]
    )

    @Option(
        "--explain-parse",
        value: "FILE:LINE",
        completion: .files,
        help: "Show how this line of a log is read"
    )
    var place: LogPlace?

    func run() async throws -> ExitCode {
        guard let place else { throw ArgumentError("missing COMMAND", advice: "Name a command") }
        return try await LogLine(place: place, reading: LogReadingOptions()).explain()
    }
}

private struct ShowLogs: Command {
    static let configuration = CommandConfiguration(
        "show",
        summary: "Show events, file by file, as they were written.",
        discussion: """
            With '-o uls' the events are written as log rows again, each with the server in its process column, as \
            Merge-SPLogFile writes them.
            """,
        examples: [
            .init("fastctl logs show --level High --around '2024-03-11 11:03±2m' /logs", "What happened then"),
            .init("fastctl logs show --match 'timed? out' -C 3 /logs", "With what is around it in the request"),
            .init("fastctl logs show --correlation 9446a0f0 -o csv 'WFE*.log'", "A request, for a spreadsheet"),
            .init("fastctl logs show --explain-parse WFE1-20240311-1003.log:12", "How that line is read"),
        ]
    )

    @OptionGroup("Output") var output: LogEventOutputOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Option(
        "--explain-parse",
        value: "FILE:LINE",
        completion: .files,
        help: "Show how this line of a log is read instead"
    )
    var place: LogPlace?

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func validate() throws {
        if place != nil, !inputs.isEmpty { throw ValidationError("--explain-parse FILE:LINE already names the input") }
    }

    func run() async throws -> ExitCode {
        if let place { return try await LogLine(place: place, reading: reading).explain() }
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs show WFE1-20240311-1003.log")
        return try await LogRun(reader: reader, pager: output.pager).printEvents(in: .files, output)
    }
}

private struct MergeLogs: Command {
    static let configuration = CommandConfiguration(
        "merge",
        summary: "Show the events of all servers in order of time.",
        discussion: """
            Rows are ordered by UTC where it is known, from the row itself or from the zone in '--tz'. All others are \
            ordered by what their server's clock said.
            """,
        examples: [
            .init("fastctl logs merge -o uls 'WFE*.log' 'APP*.log' >farm.log", "One log from many"),
            .init("fastctl logs merge --tz Europe/Vienna --tz LON1=Europe/London /logs", "Servers in two zones"),
        ]
    )

    @OptionGroup("Output") var output: LogEventOutputOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs merge WFE1-*.log WFE2-*.log")
        return try await LogRun(reader: reader, pager: output.pager).printEvents(in: .time, output)
    }
}

private struct ShowSlowRequests: Command {
    static let configuration = CommandConfiguration(
        "slow",
        summary: "Show which requests and scopes take the longest.",
        discussion: """
            A request or scope is counted when it ends, under its method and path without the parts that differ from \
            one to the next. Those with the greatest total duration come first, then the slowest single ones.
            """,
        examples: [
            .init("fastctl logs slow /logs", "Where the time goes"),
            .init("fastctl logs slow --since 11:00 --until 12:00 --top 3 /logs", "Within one hour"),
        ]
    )

    @OptionGroup("Output") var output: LogReportOutputOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs slow WFE1-20240311-1003.log")
        let (format, rows) = (output.format, output.top)
        let layout = output.text.layout
        return try await LogRun(reader: reader, pager: output.pager).print { reader, output in
            let slow = try reader.slow(slowest: rows)
            SlowRenderer.append(slow, as: format, layout: layout, rows: rows, to: &output.bytes)
            return LogOutcome(slow)
        }
    }
}

private struct SummarizeLogs: Command {
    static let configuration = CommandConfiguration(
        "summary",
        summary: "Summarize logs: levels, categories, requests, gaps.",
        examples: [
            .init("fastctl logs summary /logs", "All logs in a folder"),
            .init("fastctl logs summary --level Unexpected 'WFE*.log'", "Only what is serious"),
            .init("cat WFE1-20240311-1003.log | fastctl logs summary -o json", "For a script"),
        ]
    )

    @OptionGroup("Output") var output: LogReportOutputOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Option("--gap", value: "DURATION", help: "How long a server must be silent for a gap to be listed")
    var gap = Duration.seconds(300)

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func validate() throws {
        if gap <= .zero { throw ValidationError("--gap must be longer than 0") }
    }

    func run() async throws -> ExitCode {
        var reader = try reading.reader(of: inputs, events, example: "fastctl logs summary WFE1-20240311-1003.log")
        reader.gapMinimum = gap.milliseconds
        let (format, rows) = (output.format, output.top)
        let layout = output.text.layout
        return try await LogRun(reader: reader, pager: output.pager).print { reader, output in
            let summary = try reader.summary()
            SummaryRenderer.append(summary, as: format, layout: layout, rows: rows, to: &output.bytes)
            var outcome = LogOutcome(summary)
            outcome.tellsNotes = format == .text
            return outcome
        }
    }
}

private struct TraceRequest: Command {
    static let configuration = CommandConfiguration(
        "trace",
        summary: "Trace one request across all servers.",
        discussion: """
            The correlation is the one on the error page; its first 8 hexadecimal digits are enough, and neither case \
            nor braces matter. If several requests begin with the same digits, the first \(LogReader.maximumTraces) \
            are shown.
            """,
        examples: [
            .init("fastctl logs trace 9446a0f0-1577-472e-a8af-a552b1b4cc39 /logs", "What happened, and when"),
            .init("fastctl logs trace 9446A0F0 -o markdown 'WFE*.log' >ticket.md", "The same for a ticket"),
        ]
    )

    @OptionGroup("Output") var output: LogTraceOutputOptions
    @OptionGroup("Events") var events: LogSelectionOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Argument("CORRELATION", completion: ArgumentCompletion.none, help: "A GUID, or at least its first 8 digits")
    var correlation: CorrelationPattern

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs trace \(correlation) /logs")
        let (correlation, format) = (correlation, output.format)
        let layout = output.text.layout
        return try await LogRun(reader: reader, pager: output.pager).print { reader, output in
            let (traces, report) = try reader.traces(of: correlation)
            try TraceRenderer.append(traces, as: format, layout: layout, to: &output.bytes, drain: output.drain)
            var outcome = LogOutcome(report)
            // A request's first row may have no correlation but still belongs to it.
            if !traces.isEmpty { outcome.events = traces.reduce(0) { $0 + $1.events.count } }
            if traces.count == LogReader.maximumTraces {
                outcome.omission = "at most \(traces.count) requests are shown: use more digits of the correlation"
            }
            return outcome
        }
    }
}

/// A log line whose reading is to be explained.
private struct LogLine {
    let place: LogPlace
    let reading: LogReadingOptions

    func explain() async throws -> ExitCode {
        Interruption.leaveAtOnce(saying: "interrupted")
        let reader = try reading.reader(of: [place.file], LogSelectionOptions(), example: "")
        let line = place.line
        let explanation = try await onOwnThread { Result { try reader.explanation(ofLine: line) } }.get()
        var bytes: [UInt8] = []
        ExplanationRenderer.append(explanation, layout: .standardOutput(.auto), to: &bytes)
        try StandardOutput().drainOrStop(&bytes)
        StandardError.say("\(place.argumentText): \(explanation.kind)")
        return .success
    }
}
