import ArgumentParsing
import ReportRendering
import ULSLog

struct SummarizeLogs: Command {
    static let configuration = CommandConfiguration(
        "summary",
        summary: "Sum up what is in logs: levels, categories, requests, gaps.",
        examples: [
            .init("fastctl logs summary /logs", "All logs of a folder"),
            .init("fastctl logs summary --level Unexpected 'WFE*.log'", "Only what is serious"),
            .init("cat WFE1-20240311-1003.log | fastctl logs summary -o json", "For a script"),
        ]
    )

    @OptionGroup("Output") var output: LogReportOutputOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Option("--gap", value: "DURATION", help: "How long a server is silent in what is listed as a gap")
    var gap = Duration.seconds(300)

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func validate() throws {
        if gap <= .zero { throw ValidationError("--gap must be longer than nothing") }
    }

    func run() async throws -> ExitCode {
        var reader = try reading.reader(of: inputs, events, example: "fastctl logs summary WFE1-20240311-1003.log")
        reader.gapMinimum = gap.milliseconds
        let (format, rows) = (LogOutputFormat(output.format), output.top)
        let layout = TextLayout.standardOutput(output.color)
        return try await LogRun(reader: reader).print { reader, output in
            let summary = try reader.summary()
            SummaryRenderer.append(summary, as: format, layout: layout, rows: rows, to: &output.bytes)
            var outcome = LogOutcome(summary)
            outcome.tellsNotes = format == .text
            return outcome
        }
    }
}
