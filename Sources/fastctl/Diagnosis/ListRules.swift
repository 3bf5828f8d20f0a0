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

struct ShowRule: Command {
    static let configuration = CommandConfiguration(
        "show",
        summary: "Show what a rule looks for, what it means and what it advises, with its tests as examples.",
        examples: [.init("fastctl rules show FS0101", "ASP.NET tracing")]
    )

    @Option("--output", "-o", value: "FORMAT", help: "The form of the results; yaml is the rule's file itself")
    var format = RuleFormat.text

    @Option("--color", value: "WHEN", help: "Whether text has colors")
    var color = ColorChoice.auto

    @OptionGroup("Rules") var options: RuleFolderOptions

    @Argument("ID", completion: ArgumentCompletion.none, help: "The rule, as FS0101")
    var id: RuleID

    func run() async throws -> ExitCode {
        let library = try options.library()
        let entry = try library.entry(id)
        var bytes: [UInt8] = []
        if format == .yaml {
            bytes.append(contentsOf: entry.source.text.utf8)
        } else {
            let description = RuleDescription(entry.rule, tests: try library.tests(of: id))
            RuleRenderer.append(description, .standardOutput(color), to: &bytes)
        }
        try StandardOutput().drainOrStop(&bytes)
        return .success
    }
}

/// The forms that a rule comes in.
enum RuleFormat: String, CaseIterable, ArgumentValue {
    case text, yaml
}
