import ArgumentParsing
import ReportRendering
import ULSLog

struct ShowSlowRequests: Command {
    static let configuration = CommandConfiguration(
        "slow",
        summary: "Show which requests and scopes take long.",
        discussion: """
            A request or scope is counted when it is left, under its method and path without what differs from one time \
            to the next. Those with the greatest sum of durations come first, then the slowest single ones.
            """,
        examples: [
            .init("fastctl logs slow /logs", "Where the time goes"),
            .init("fastctl logs slow --since 11:00 --until 12:00 --top 3 /logs", "In one hour"),
        ]
    )

    @OptionGroup("Output") var output: LogReportOutputOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs slow WFE1-20240311-1003.log")
        let (format, rows) = (LogOutputFormat(output.format), output.top)
        let layout = TextLayout.standardOutput(output.color)
        return try await LogRun(reader: reader).print { reader, output in
            let slow = try reader.slow(slowest: rows)
            SlowRenderer.append(slow, as: format, layout: layout, rows: rows, to: &output.bytes)
            return LogOutcome(slow)
        }
    }
}
