import ArgumentParsing
import EngineCatalog
import Files
import LogDiagnosis
import Redaction
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

            '--expect' compares the files with what a YAML file says of all of them, or of a server and zone: \
            'system.web/trace@enabled: "false"'. What differs is a finding, and so are a setting that is not written, \
            unless 'absent' is expected, a file that could not be read, and a server without a file. '--write-expect' \
            writes such a file from what is there.
            """,
        examples: [
            .init("fastctl webconfig check web.config", "One file"),
            .init(
                "fastctl webconfig check WFE1/Default=a WFE2/Default=b --fail-on warning -o text -o junit=configs.xml",
                "Two servers, for CI"
            ),
            .init("fastctl webconfig check --profile prod", "The files of a farm profile"),
            .init("fastctl webconfig check WFE1=a WFE2=b --write-expect expect.yaml", "What they say now"),
            .init("fastctl webconfig check WFE1=a WFE2=b --expect expect.yaml", "Whether they still do"),
        ]
    )

    @OptionGroup("Output") var output: ReportOutputOptions<WebConfigFormat>

    @OptionGroup("Text") var text: TextOptions

    @Option("--fail-on", value: "SEVERITY", help: "Exit with code 1 on a finding of this severity or worse")
    var failOn = FailureThreshold(.error)

    @Option("--expect", value: "FILE", completion: .files, help: "What the files must say; what differs is an error")
    var expected: String?

    @Option(
        "--write-expect",
        value: "FILE",
        completion: .files,
        help: "Write what the files say, to be expected of them"
    )
    var newExpected: String?

    @Option(
        "--profile",
        value: "NAME",
        completion: .profiles,
        help: "A farm profile: its web.config files if none are named here, and its rules without --rules"
    )
    var profileName: String?

    @OptionGroup("Rules") var rules: RuleOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Argument("[SERVER[/ZONE]=]PATH", completion: .files, help: "Files, or folders to search for them")
    var paths: [String]

    static let exclusive = [["--expect", "--write-expect"]]

    func validate() throws {
        if paths.isEmpty, profileName == nil {
            throw ValidationError("name a web.config file, or a folder that contains some")
        }
    }

    func run() async throws -> ExitCode {
        let (clock, now) = (ContinuousClock(), ProcessEnvironment.now)
        let start = clock.now
        let outputs = output.outputs(text)
        let expectations = try expected.map { try ConfigExpectations.read($0) }
        let profile = try profileName.map { try UserSettings().profile(named: $0) }
        let named = paths.isEmpty ? profile?.texts(.webConfig) ?? [] : paths
        if named.isEmpty, let profile {
            throw CommandFailure(
                .configuration,
                "the profile '\(profile.name)' names no web.config (\(profile.origin))",
                advice: "add 'web-config' there, or name the files here"
            )
        }
        let configs = try ConfigFiles(named)
        try outputs.check(inputs: configs.sources.map(\.path), others: [newExpected].compactMap(\.self))
        let onConfig = try rules.ruleSet(else: profile?.texts(.rules).first).rules.filter { $0.needs.webConfig != nil }
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
        var report = diagnosis.report(on: nil as RecordedLog?)
        if let expectations { report.compare(with: expectations) }
        let forms = RedactedForms(report, try redaction.ofReport()) { $0.redacted(by: &$1) }
        var circumstances = DiagnosisCircumstances()
        circumstances.gate.failOn = failOn.severity
        circumstances.tellsNotes = outputs.showsText
        circumstances.duration = clock.now - start
        let goesToFiles = !outputs.all.contains { $0.path == nil }
        var said = forms.report(toFile: goesToFiles)
        said.redaction = forms.note(toFile: goesToFiles)
        let conclusion = DiagnosisConclusion(said, circumstances)
        var options = DiagnosisOptions(version: Version.number, token: .unguessable)
        // There is no --explain here.
        options.detail = .full
        options.gate = circumstances.gate
        options.status = conclusion.status
        options.startedAt = now
        options.duration = circumstances.duration
        try outputs.write { [options] output, bytes in
            var (shown, options) = (forms.report(toFile: output.isFile), options)
            (options.layout, options.csv) = (output.layout, output.csv)
            shown.redaction = forms.note(toFile: output.isFile)
            WebConfigRenderer(shown, options).append(as: output.form, to: &bytes)
        }
        if let newExpected { try write(configs, to: newExpected) }
        self.output.quiet.say(conclusion.lines, conclusion.status)
        return ExitCode(conclusion.status)
    }

    /// Writes what the files say; nothing if one of them could not be read, because that would never be missed.
    private func write(_ configs: ConfigFiles, to path: String) throws {
        guard configs.refused.isEmpty else {
            return StandardError.say("\(path) was not written: not all files could be read")
        }
        if let identity = FileIdentity(path), configs.sources.contains(where: { FileIdentity($0.path) == identity }) {
            throw CommandFailure(
                .usage,
                "'\(path)' is an input: it would be overwritten",
                advice: "write to another file"
            )
        }
        let written = try WrittenExpectations(configs.read)
        try AtomicFile.write(Array(written.text.utf8), to: path)
        let rest = Quantity(written.untold, "value is", "values are")
        StandardError.say(
            "\(path) written" + (written.untold > 0 ? "; \(rest) encrypted or in another file, and left out" : "")
        )
    }
}
