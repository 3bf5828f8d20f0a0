import ArgumentParsing
import LogDiagnosis
import ReportRendering
import ULSLog

struct Diagnose: Command {
    static let configuration = CommandConfiguration(
        "diagnose",
        group: "Logs",
        summary: "Say what is wrong, why, and how to fix it.",
        discussion: """
            Rules look for what known failures leave in logs, and cross-check it with web.config where that is given. \
            A finding names its evidence by file and line, and what to do, what else that does and how to undo it. \
            Nothing found is an answer too: events at Monitorable or worse that no rule explains are listed.

            Several outputs can be asked for, one of them on standard output: '-o text -o sarif=fastctl.sarif'. The exit \
            code is 1 with a finding at or above '--fail-on', whatever the outputs.
            """,
        examples: [
            .init("fastctl diagnose /logs", "What is wrong"),
            .init("fastctl diagnose --web-config /inetpub/web.config 'WFE*.log'", "Logs and configuration together"),
            .init("fastctl diagnose --since 2024-03-11 --rule FS0101 /logs", "Is it cured?"),
            .init("fastctl diagnose -o github -o junit=junit.xml --fail-on warning logs.zip", "In a workflow"),
        ]
    )

    @Option(
        "--output",
        "-o",
        value: "FORMAT[=FILE]",
        completion: .values(DiagnosisOutput.candidates),
        help: "The form of the results, and the file they go to; may be repeated (default: text)"
    )
    var outputs: [DiagnosisOutput]

    @Option("--color", value: "WHEN", help: "Whether text has colors")
    var color = ColorChoice.auto

    @OptionGroup("Rules") var rules: RuleOptions
    @OptionGroup("Configuration") var configs: WebConfigOptions
    @OptionGroup("Exit code") var gates: DiagnosisGates
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func validate() throws {
        let toStandardOutput = outputs.filter { $0.path == nil }
        if toStandardOutput.count > 1 {
            throw ValidationError("only one output can go to standard output: give the others a file, as json=FILE")
        }
        let paths = outputs.compactMap(\.path)
        if Set(paths).count < paths.count { throw ValidationError("two outputs go to the same file") }
    }

    func run() async throws -> ExitCode {
        let example = "fastctl diagnose /logs"
        // A web.config alone can be looked at without logs.
        let hasLogs = !inputs.isEmpty || configs.paths.isEmpty
        let reader = hasLogs ? try reading.reader(of: inputs, events, example: example) : nil
        let run = DiagnosisCommandRun(
            outputs: outputs.isEmpty ? [DiagnosisOutput(format: .text)] : outputs,
            color: color,
            gates: gates
        )
        return try await run.print(reader, rules: try rules.ruleSet(), configPaths: configs.paths)
    }
}
