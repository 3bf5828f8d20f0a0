public import ArgumentParsing
public import ReportRendering

extension ProgressChoice: ArgumentValue {}

/// The options for how a command says how far it is.
struct ProgressOptions: OptionSetting {
    @Option(
        "--progress",
        value: "WHEN",
        help: """
            Say on standard error how far the command is: auto is a line on a terminal, and plain in CI; plain is a line \
            every 30 s, json an object every second
            """
    )
    var choice = ProgressChoice.auto

    @Option("--stats-interval", value: "DURATION", help: "With plain or json: say so this often")
    var interval: Duration?

    /// More often than this, nothing new would be said.
    private static let shortestInterval = Duration.milliseconds(100)

    func validate() throws {
        if let interval, interval < Self.shortestInterval {
            throw ValidationError("--stats-interval must be at least 100ms")
        }
    }

    var style: ProgressStyle { ProgressStyle(choice, every: interval) }
}
