import ArgumentParsing
import ULSLog

struct MergeLogs: Command {
    static let configuration = CommandConfiguration(
        "merge",
        summary: "Show the events of all servers in the order of their times.",
        discussion: """
            Rows are ordered by UTC where it is known: where the row says it, or '--tz' the zone. All others are ordered \
            by the reading of their server's clock as it stands.
            """,
        examples: [
            .init("fastctl logs merge -o uls 'WFE*.log' 'APP*.log' >farm.log", "One log of many"),
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
        return try await LogRun(reader: reader).printEvents(in: .time, output)
    }
}
