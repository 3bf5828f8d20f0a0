import ArgumentParsing
import ReportRendering
import ULSLog

struct TraceRequest: Command {
    static let configuration = CommandConfiguration(
        "trace",
        summary: "Tell the story of one request, over all servers.",
        discussion: """
            The correlation is the one on the error page; its first 8 hexadecimal digits are enough, and neither capitals \
            nor braces matter. Of requests that begin alike the first \(LogReader.maximumTraces) are shown.
            """,
        examples: [
            .init("fastctl logs trace 9446a0f0-1577-472e-a8af-a552b1b4cc39 /logs", "What happened, and when"),
            .init("fastctl logs trace 9446A0F0 -o markdown 'WFE*.log' >ticket.md", "The same for a ticket"),
        ]
    )

    @OptionGroup("Output") var output: LogTraceOutputOptions
    @OptionGroup("Events") var events: LogSelectionOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Argument("CORRELATION", completion: ArgumentCompletion.none, help: "A GUID, or its first 8 digits or more")
    var correlation: CorrelationPattern

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs trace \(correlation) /logs")
        let (correlation, format) = (correlation, LogOutputFormat(output.format))
        let layout = TextLayout.standardOutput(output.color)
        return try await LogRun(reader: reader).print { reader, output in
            let (traces, report) = try reader.traces(of: correlation)
            try TraceRenderer.append(traces, as: format, layout: layout, to: &output.bytes, drain: output.drain)
            var outcome = LogOutcome(report)
            // A request's first row may have no correlation and belongs to it all the same.
            if !traces.isEmpty { outcome.events = traces.reduce(0) { $0 + $1.events.count } }
            if traces.count == LogReader.maximumTraces {
                outcome.omission = "at most \(traces.count) requests are shown: give more digits of the correlation"
            }
            return outcome
        }
    }
}
