import ArgumentParsing
import LogDiagnosis
import ReportRendering
import WebConfig

struct WebConfigCommands: CommandGroup {
    static let configuration = CommandConfiguration(
        "webconfig",
        group: "Logs",
        summary: "Check web.config files, and repair what is wrong in them.",
        examples: [
            .init("fastctl webconfig check /inetpub/wwwroot/wss/VirtualDirectories/80/web.config", "What it says"),
            .init("fastctl webconfig check WFE1=a/web.config WFE2=b/web.config", "And where servers differ"),
            .init("fastctl webconfig fix web.config --only FS0101", "Switch ASP.NET tracing off"),
        ],
        subcommands: [CheckWebConfig.self, FixWebConfig.self]
    )
}

private struct CheckWebConfig: Command {
    static let configuration = CommandConfiguration(
        "check",
        summary: "Show what web.config files set, on which line, and what is wrong with it.",
        discussion: """
            Settings that are not in the file are shown with their documented defaults. Keys and passwords are never \
            shown. A file that has a DOCTYPE or is not well-formed is refused, with the place of the error, and never \
            guessed at.
            """,
        examples: [
            .init("fastctl webconfig check web.config", "One file"),
            .init("fastctl webconfig check WFE1/Default=a WFE2/Default=b --fail-on warning", "Two servers, for CI"),
        ]
    )

    @Option("--output", "-o", value: "FORMAT", help: "The format of the results")
    var format = ReportFormat.text

    @Option("--color", value: "WHEN", help: "When to color text")
    var color = ColorChoice.auto

    @Option("--fail-on", value: "SEVERITY", help: "Exit with code 1 on a finding of this severity or worse")
    var failOn = FailureThreshold(.error)

    @OptionGroup("Rules") var rules: RuleOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Argument("[SERVER[/ZONE]=]PATH", completion: .files, help: "Files, or folders to search for them")
    var paths: [String]

    func validate() throws {
        if paths.isEmpty { throw ValidationError("name a web.config file, or a folder that contains some") }
    }

    func run() async throws -> ExitCode {
        let clock = ContinuousClock()
        let start = clock.now
        let configs = try ConfigFiles(paths)
        let onConfig = try rules.ruleSet().rules.filter { $0.needs.webConfig != nil }
        if onConfig.isEmpty {
            throw ArgumentError(
                "none of these rules checks web.config",
                advice: "see fastctl rules list, or use diagnose"
            )
        }
        let diagnosis = Diagnosis(
            rules: try RuleSet(onConfig),
            configs: configs.read,
            refusedConfigs: configs.refused
        )
        let forms = RedactedForms(diagnosis.report(on: nil as RecordedLog?), try redaction.ofReport())
        let report = forms.report(toFile: false)
        var circumstances = DiagnosisCircumstances()
        circumstances.failOn = failOn.severity
        circumstances.tellsNotes = format == .text
        circumstances.duration = clock.now - start
        let conclusion = DiagnosisConclusion(report, circumstances)
        var options = DiagnosisOptions(version: Version.number, token: "")
        options.layout = .standardOutput(color)
        // There is no --explain here.
        options.detail = .full
        options.failOn = failOn.severity
        options.status = conclusion.status
        var bytes: [UInt8] = []
        WebConfigRenderer(report, options).append(as: format, to: &bytes)
        try StandardOutput().drainOrStop(&bytes)
        for line in conclusion.lines { StandardError.say(line) }
        return ExitCode(conclusion.status)
    }
}
