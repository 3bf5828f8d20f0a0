import ArgumentParsing
import CommandKit
import LogDiagnosis
import LogReports
import Redaction
import ReportKit
import TextKit
import Threads
import ULSLog

struct Logs: CommandGroup {
    static let configuration = CommandConfiguration(
        "logs",
        group: "Logs",
        summary: "Read SharePoint's ULS logs: summary, show, merge, trace, compare.",
        discussion: """
            Logs are files, folders, globs, archives, or standard input if none is given. Parts of a split message are \
            joined, and every line is accounted for. Rows are in the server's local time unless marked as UTC; '--tz' \
            specifies the time zone, so that rows from servers in different zones can be put in order.

            Finding nothing is a valid result: the exit code is 0, and standard error shows the times that the logs \
            cover. Input without any events is an error, with exit code 65; so is text that is not a log. A pasted \
            message without columns counts if it contains an exception, an error code or words that indicate failure.
            """,
        examples: [
            .init("fastctl logs summary /logs", "What the logs contain, and their problems"),
            .init("fastctl logs trace 9446a0f0-1577-472e-a8af-a552b1b4cc39 /logs", "One request from start to finish"),
            .init("fastctl logs requests /logs", "Failed requests, the worst first"),
            .init("fastctl logs --explain-parse WFE1-20240311-1003.log:12", "See how that line is read"),
        ],
        subcommands: [
            SummarizeLogs.self, ViewLogs.self, ShowLogs.self, MergeLogs.self, TraceRequest.self, ListRequests.self,
            ShowSlowRequests.self, CompareLogs.self, WriteBaseline.self,
        ]
    ).advising([
        "errors": "Use 'fastctl diagnose LOGS', or 'fastctl logs requests LOGS' for failed requests",
        "export": "Use 'fastctl logs show -o csv LOGS >FILE'",
        "follow": "Use 'fastctl logs show --follow LOGS'",
        "tail": "Use 'fastctl logs show --follow LOGS'",
        "watch": "Use 'fastctl logs show --follow LOGS'",
    ])

    @Option("--explain-parse", value: "FILE:LINE", completion: .files, help: "Show how this line of a log is read")
    var place: LogPlace?

    func run() async throws -> ExitCode {
        guard let place else { throw ArgumentError("missing COMMAND", advice: "Name a command") }
        return try await LogLine(place: place, reading: LogReadingOptions()).explain()
    }
}

private struct ShowLogs: Command {
    static let configuration = CommandConfiguration(
        "show",
        foreignNames: ["search", "grep", "find", "cat"],
        summary: "Show events, file by file, as they were written.",
        discussion: """
            With '--follow', events from several servers are in chronological order as long as the servers write at \
            the same time. Rows from a pipe are shown as they arrive: tail -f FILE | fastctl logs show -

            With '-o uls', events are written as log rows, with the server in the process column, the format of \
            Merge-SPLogFile.
            """,
        examples: [
            .init("fastctl logs show --level High --around '2024-03-11 11:03±2m' /logs", "Events around a moment"),
            .init("fastctl logs show --match 'timed? out' -C 3 /logs", "Hits with their context in the request"),
            .init("fastctl logs show --follow --level Unexpected /logs", "Watch for new problems"),
            .init("fastctl logs show --correlation 9446a0f0 -o csv 'WFE*.log'", "One request, for a spreadsheet"),
            .init("fastctl logs show --explain-parse WFE1-20240311-1003.log:12", "See how that line is read"),
        ],
        commonOptions: [
            "--match", "--contains", "--level", "--since", "--until", "--around", "--server", "--correlation",
            "--near-hit", "--follow", "--output", "--redact",
        ],
        optionAdvice: [
            "--sort": "Use 'fastctl logs merge' for the events of all servers in chronological order",
            "--not": "--not-match TEXT leaves out messages that contain this text",
            "--exclude-category": "--not-category NAME leaves out a category, and --not-process NAME a process",
            "--wrap": "--wide shows whole messages",
            "--context": "-C N shows the N events before and after each; -B N and -A N, those before or after",
        ]
    )

    @OptionGroup("Output") var output: LogEventOutputOptions
    @OptionGroup("Following") var following: LogFollowOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Exit code") var gates: LogGateOptions
    @OptionGroup("Reading") var reading: LogReadingOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

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
        var run = LogRun(reader: reader, quiet: output.quiet, progress: reading.progress.style, gate: gates.gate)
        run.conditions = events.conditions
        let redaction = try redaction.ofRows()
        // Rows from a pipe are shown as they arrive anyway.
        guard following.follows, reader.inputs != ["-"] else {
            return try await run.printEvents(in: .files, output, redaction)
        }
        return try await run.follow(last: following.last, output, redaction)
    }
}

private struct MergeLogs: Command {
    static let configuration = CommandConfiguration(
        "merge",
        summary: "Show the events from all servers in chronological order.",
        discussion: """
            Rows are ordered by UTC if it is known, from the row itself or from '--tz'. All others are \
            ordered by their server's local time.
            """,
        examples: [
            .init("fastctl logs merge -o uls 'WFE*.log' 'APP*.log' >farm.log", "One log from many"),
            .init("fastctl logs merge --tz Europe/Vienna --tz LON1=Europe/London /logs", "Servers in two zones"),
        ],
        commonOptions: ["--since", "--until", "--server", "--level", "--match", "--output", "--redact"]
    )

    @OptionGroup("Output") var output: LogEventOutputOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Exit code") var gates: LogGateOptions
    @OptionGroup("Reading") var reading: LogReadingOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs merge WFE1-*.log WFE2-*.log")
        var run = LogRun(reader: reader, quiet: output.quiet, progress: reading.progress.style, gate: gates.gate)
        run.conditions = events.conditions
        return try await run.printEvents(in: .time, output, try redaction.ofRows())
    }
}

private struct ShowSlowRequests: Command {
    static let configuration = CommandConfiguration(
        "slow",
        summary: "Show the requests and scopes that take the longest.",
        discussion: """
            A request or scope is counted when it ends, under its method and path without the variable parts. Groups \
            with the greatest total duration come first, then the slowest single requests and scopes.
            """,
        examples: [
            .init("fastctl logs slow /logs", "Where the time goes"),
            .init("fastctl logs slow --since 11:00 --until 12:00 --top 3 /logs", "Within one hour"),
        ],
        commonOptions: ["--since", "--until", "--server", "--top", "--output"]
    )

    @OptionGroup("Output") var output: LogReportOutputOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs slow WFE1-20240311-1003.log")
        let (outputs, rows) = (output.outputs, output.top)
        let redaction = try redaction.ofReport()
        var run = LogRun(reader: reader, quiet: output.quiet, progress: reading.progress.style)
        // Rows outside scopes also pass the filter.
        (run.conditions, run.countsRows) = (events.conditions, false)
        return try await run.report(to: outputs) { reader in
            let slow = try reader.slow(slowest: rows)
            let forms = RedactedForms(slow, redaction)
            var outcome = LogOutcome(slow)
            outcome.redaction = outputs.noteElsewhere(forms)
            return LogReport(outcome) { output, bytes in
                SlowRenderer.append(
                    forms.report(toFile: output.isFile),
                    as: output.form,
                    layout: output.layout,
                    rows: rows,
                    csv: output.csv,
                    redaction: forms.note(toFile: output.isFile),
                    to: &bytes
                )
            }
        }
    }
}

private struct SummarizeLogs: Command {
    static let configuration = CommandConfiguration(
        "summary",
        foreignNames: ["histogram", "rate", "timeline", "stats", "count"],
        summary: "Summarize logs: levels, categories, requests, gaps.",
        examples: [
            .init("fastctl logs summary /logs", "All logs in a folder"),
            .init("fastctl logs summary --level Unexpected 'WFE*.log'", "Only serious events"),
            .init("cat WFE1-20240311-1003.log | fastctl logs summary -o json", "For a script"),
        ],
        commonOptions: ["--since", "--until", "--server", "--top", "--output"],
        optionAdvice: [
            "--by": "-o json contains the events of each minute ('histogram'); -o html draws them",
            "--per": "-o json contains the events of each minute ('histogram'); -o html draws them",
            "--every": "-o json contains the events of each minute ('histogram'); -o html draws them",
            "--interval": "-o json contains the events of each minute ('histogram'); -o html draws them",
            "--per-minute": "-o json contains the events of each minute ('histogram'); -o html draws them",
        ]
    )

    @OptionGroup("Output") var output: LogReportOutputOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Option("--gap", value: "DURATION", help: "How long a server must be silent for a gap to be listed")
    var gap = Duration.seconds(300)

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func validate() throws {
        if gap <= .zero { throw ValidationError("--gap must be longer than 0") }
    }

    func run() async throws -> ExitCode {
        var reader = try reading.reader(of: inputs, events, example: "fastctl logs summary WFE1-20240311-1003.log")
        reader.gapMinimum = gap
        reader.countsLevelsOverTime = output.outputs.contains(.html)
        let (outputs, rows) = (output.outputs, output.top)
        let redaction = try redaction.ofReport()
        var run = LogRun(reader: reader, quiet: output.quiet, progress: reading.progress.style)
        run.conditions = events.conditions
        return try await run.report(to: outputs) { reader in
            let summary = try reader.summary()
            let forms = RedactedForms(summary, redaction)
            var outcome = LogOutcome(summary)
            outcome.tellsNotes = outputs.showsText
            outcome.redaction = outputs.noteElsewhere(forms)
            return LogReport(outcome) { output, bytes in
                SummaryRenderer.append(
                    forms.report(toFile: output.isFile),
                    as: output.form,
                    layout: output.layout,
                    rows: rows,
                    csv: output.csv,
                    redaction: forms.note(toFile: output.isFile),
                    to: &bytes
                )
            }
        }
    }
}

private struct TraceRequest: Command {
    static let configuration = CommandConfiguration(
        "trace",
        summary: "Trace one request across all servers.",
        discussion: """
            The correlation is the ID on the error page, or enough of its first digits to identify it; case and braces \
            do not matter. Text, JSON, Markdown and HTML are redacted in a file or a pipe; CSV and NDJSON contain log \
            rows, which are redacted only with '--redact'. If several requests begin with the same 8 digits or more, \
            the first \(LogReader.maximumTraces) are shown; with fewer digits, the command fails and lists some of \
            them.
            """,
        examples: [
            .init("fastctl logs trace 9446a0f0-1577-472e-a8af-a552b1b4cc39 /logs", "One request from start to finish"),
            .init("fastctl logs trace 9446A0F0 -o markdown 'WFE*.log' >ticket.md", "The same, for a ticket"),
        ],
        commonOptions: ["--since", "--until", "--server", "--output", "--no-redact"]
    )

    @OptionGroup("Output") var output: LogTraceOutputOptions
    @OptionGroup("Events") var events: LogSelectionOptions
    @OptionGroup("Exit code") var gates: LogGateOptions
    @OptionGroup("Reading") var reading: LogReadingOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Argument("CORRELATION", completion: ArgumentCompletion.none, help: "A GUID, or its first digits")
    var target: TraceTarget

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func run() async throws -> ExitCode {
        let correlation = target.pattern
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs trace \(correlation) /logs")
        var run = LogRun(reader: reader, quiet: output.quiet, progress: reading.progress.style, gate: gates.gate)
        // Rows without the correlation also pass the filter.
        (run.conditions, run.countsRows) = (events.conditions, false)
        let outputs = output.outputs
        let areRows = outputs.all.contains { $0.form.isRows }
        let (ofReport, ofRows) = (try redaction.ofReport(), areRows ? try redaction.ofRows() : nil)
        return try await run.report(to: outputs) { reader in
            let (traces, report) = try reader.traces(of: correlation)
            let found = TracedRequests(traces: traces, report: report)
            let reports = RedactedForms(found, ofReport)
            let rows = ofRows.map { RedactedForms(found, $0) }
            var outcome = LogOutcome(reports.report(toFile: outputs.areFiles).report)
            // Only Markdown, HTML and text have a place for the note on redaction.
            outcome.redaction = outputs.all.first { $0.form == .json || $0.form.isRows }.flatMap { output in
                (output.form.isRows ? rows : reports)?.note(toFile: output.path != nil)
            }
            if let row = outputs.all.first(where: { $0.form.isRows }),
                ofRows?.showsNames(toFile: row.path != nil) == true
            {
                outcome.notes.append(
                    "not redacted: \(row.form.rawValue) contains rows as logged; --redact masks names and secrets"
                )
            }
            // A request's first row may have no correlation, but is still part of the request.
            if !traces.isEmpty { outcome.events = traces.reduce(0) { $0 + $1.events.count } }
            if traces.count == LogReader.maximumTraces {
                outcome.omission = "at most \(traces.count) requests are shown: use more digits of the correlation"
            }
            return LogReport(outcome) { output, bytes in
                let forms = output.form.isRows ? rows ?? reports : reports
                try TraceRenderer.append(
                    forms.report(toFile: output.isFile).traces,
                    as: output.form,
                    layout: output.layout,
                    csv: output.csv,
                    redaction: forms.note(toFile: output.isFile),
                    to: &bytes,
                    drain: output.drain
                )
            }
        }
    }
}

extension ReportOutputs {
    /// Returns the note on redaction for standard error if one of these formats has no place for the note.
    fileprivate func noteElsewhere<Report>(_ forms: RedactedForms<Report>) -> RedactionSummary? {
        all.first { $0.form == .csv }.flatMap { forms.note(toFile: $0.path != nil) }
    }
}

extension OutputForm {
    /// Whether a trace in this form consists of rows; the other forms are reports.
    fileprivate var isRows: Bool { self == .csv || self == .ndjson }
}

/// The requests that were found, and the report on reading the logs.
private struct TracedRequests: Sendable, Maskable {
    var traces: [RequestTrace]
    var report: ReadReport

    mutating func mask(by mask: inout Redactor) {
        report.mask(by: &mask)
        traces.mask(by: &mask)
    }
}

/// The request that is traced: its correlation, or the first digits of it.
private struct TraceTarget: ArgumentValue {
    let pattern: CorrelationPattern

    init(argument word: String) throws(ArgumentExpectation) {
        guard let pattern = CorrelationPattern(word, minimumDigits: 1) else {
            throw ArgumentExpectation("a GUID, or its first hexadecimal digits")
        }
        self.pattern = pattern
    }

    var argumentText: String { "\(pattern)" }
}

/// A log line whose interpretation is to be explained.
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

/// `logs usual`: writes the kinds of rows that show problems in a log that is considered normal.
struct WriteBaseline: Command {
    static let configuration = CommandConfiguration(
        "usual",
        formerNames: ["baseline"],
        summary: "Record a log's usual problems, to compare later logs with.",
        discussion: """
            Each kind of row that shows a problem is written with its number of rows, whether or not a rule explains \
            it; noise, as defined by rules, is left out. 'fastctl diagnose --usual FILE' then reports only kinds that \
            are not in the file, or that have 20 rows or more, and at least four times as many per hour. Findings \
            below error whose kinds are all as frequent as usual are summed up in one line. If no row, or no row \
            for a requested value, passes the filter, nothing is written, and the exit code is 65.

            Output to a file or a pipe is redacted. Kinds are compared by their IDs, which come from the original \
            messages, but 'fastctl logs compare' recognizes servers by name only in a file written with '--no-redact'.

            This file is not the one that 'fastctl diagnose --write-baseline' writes. A baseline lists known findings \
            by fingerprint, however often they occur, but no unexplained rows. The file of usual rates records how \
            often each kind of row occurs on a normal day, and does not need to be reviewed.
            """,
        examples: [
            .init("fastctl logs usual /logs/yesterday >usual.json", "Record yesterday's rates"),
            .init("fastctl diagnose --usual usual.json /logs/today", "Report only what is unusual today"),
        ]
    )

    @OptionGroup("Output") var quiet: QuietOptions
    @OptionGroup("Rules") var rules: RuleOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs usual /logs >usual.json")
        var diagnosis = Diagnosis(rules: try rules.ruleSet(else: reading.profile()?.texts(.rules).first))
        diagnosis.describesNormal = true
        let redaction = try redaction.ofReport()
        let run = LogRun(reader: reader, quiet: quiet, progress: reading.progress.style)
        return try await run.print { [diagnosis, conditions = events.conditions] reader, bytes in
            let whole = try diagnosis.report(on: reader)
            let emptiness = try reader.emptiness(of: whole, under: conditions)
            let forms = RedactedForms(whole, redaction)
            let report = forms.report(toFile: false)
            var outcome = report.logs.map(LogOutcome.init) ?? LogOutcome(limitedTo: 0)
            if let emptiness {
                // Without any rows, every problem would later count as new; with only some of the rows, problems in the
                // other rows would be missing.
                (outcome.emptiness, outcome.failsAsEmpty) = (emptiness, true)
                outcome.differences = "nothing was written: no usual rates"
                return outcome
            }
            if let normal = report.described { NormalRenderer.append(normal, to: &bytes) }
            outcome.redaction = forms.note(toFile: false)
            if let normal = report.described, outcome.quality.records > 0 {
                // The written rows are counted, not the rows passed to rules.
                let rows = normal.kinds.reduce(0) { $0 + $1.rows } + normal.others.values.reduce(0, +)
                let count = normal.kinds.count + normal.others.count
                let kinds = Quantity(grouped: count, "kind", "kinds", isAtLeast: normal.isIncomplete)
                let all = Quantity(grouped: report.logs?.lookedAt ?? 0, "row", "rows")
                outcome.events = rows
                outcome.differences =
                    rows == 0 ? "no problem in \(all)" : "\(kinds) of problem, \(Quantity(grouped: rows)) of \(all),"
            }
            return outcome
        }
    }
}
