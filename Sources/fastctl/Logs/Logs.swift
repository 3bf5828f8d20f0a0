import ArgumentParsing

struct Logs: CommandGroup {
    static let configuration = CommandConfiguration(
        "logs",
        group: "Logs",
        summary: "Read SharePoint's ULS logs: sum up, show, merge, trace.",
        discussion: """
            Logs are files, folders, globs, archives, or standard input without any. Parts of a split message are \
            joined, and each line is accounted for. Rows of one server are local time unless they say UTC; '--tz' says \
            what that is, so that servers in several zones are in order.

            What is not there is an answer: the exit code is 0, and standard error says which times the logs cover. \
            Input without any event is an error, with the exit code 65.
            """,
        examples: [
            .init("fastctl logs summary /logs", "What is in there, and what is wrong"),
            .init("fastctl logs trace 9446a0f0-1577-472e-a8af-a552b1b4cc39 /logs", "The story of one request"),
            .init("fastctl logs --explain-parse WFE1-20240311-1003.log:12", "How that line is read"),
        ],
        subcommands: [SummarizeLogs.self, ShowLogs.self, MergeLogs.self, TraceRequest.self, ShowSlowRequests.self]
    )

    @Option(
        "--explain-parse",
        value: "FILE:LINE",
        completion: .files,
        help: "Show how this line of a log is read"
    )
    var place: LogPlace?

    func run() async throws -> ExitCode {
        guard let place else { throw ArgumentError("missing COMMAND", advice: "Name what to do") }
        return try await LogLine(place: place, reading: LogReadingOptions()).explain()
    }
}
