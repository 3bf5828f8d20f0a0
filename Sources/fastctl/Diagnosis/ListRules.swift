import ArgumentParsing
import LogDiagnosis
import ReportRendering

struct ListRules: Command {
    static let configuration = CommandConfiguration(
        "list",
        summary: "List the rules.",
        examples: [.init("fastctl rules list -o json", "For a script")]
    )

    @Option("--output", "-o", value: "FORMAT", help: "The form of the results")
    var format = LogReportFormat.text

    @Option("--color", value: "WHEN", help: "Whether text has colors")
    var color = ColorChoice.auto

    @OptionGroup("Rules") var options: RuleOptions

    func run() async throws -> ExitCode {
        let entries = try options.entries()
        var bytes: [UInt8] = []
        RuleListRenderer.append(entries, isJSON: format == .json, .standardOutput(color), to: &bytes)
        try StandardOutput().drainOrStop(&bytes)
        return .success
    }
}

