import ArgumentParsing
import ULSLog

struct ShowLogs: Command {
    static let configuration = CommandConfiguration(
        "show",
        summary: "Show events, file after file, as they were written.",
        discussion: """
            With '-o uls' the events are rows of a log again, each with the server in its process column, as \
            Merge-SPLogFile writes them.
            """,
        examples: [
            .init("fastctl logs show --level High --around '2024-03-11 11:03±2m' /logs", "What happened then"),
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
        if place != nil, !inputs.isEmpty { throw ValidationError("--explain-parse FILE:LINE names the input itself") }
    }

    func run() async throws -> ExitCode {
        if let place { return try await LogLine(place: place, reading: reading).explain() }
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs show WFE1-20240311-1003.log")
        return try await LogRun(reader: reader).printEvents(in: .files, output)
    }
}
