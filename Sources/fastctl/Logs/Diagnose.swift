import ArgumentParsing
import Files
import Glibc
import LogDiagnosis
import Redaction
import ReportRendering
import Threads
import ULSLog
import WebConfig

struct Diagnose: Command {
    static let configuration = CommandConfiguration(
        "diagnose",
        group: "Logs",
        summary: "Report what is wrong, why, and how to fix it.",
        discussion: """
            Rules look for the traces that known failures leave in logs, and cross-check them with web.config if it is \
            given. A finding names its evidence by file and line, and the fix, its side effects and how to undo it.

            Rows that show a problem no rule explains, by an exception, a code, a known sentence or their level, are put \
            together by kind, with what their text says by itself: 'decoded' is certain, 'where' is likely, a 'cause' is \
            possible. They are warnings at most, and fail nothing unless '--fail-on-unexplained' is given.

            '--farm' takes servers, builds, services and addresses from 'farm.json', which the script Get-FarmFacts.ps1 \
            writes on a server without changing anything (it is in share/fastctl beside the program's bin). It decides \
            causes that logs leave open, and tells which servers' logs are missing.

            Several outputs can be requested, one of them on standard output: '-o text -o sarif=fastctl.sarif'. The \
            exit code is 1 if a finding is at or above '--fail-on', whatever the outputs.
            """,
        examples: [
            .init("fastctl diagnose /logs", "What is wrong"),
            .init("fastctl diagnose --web-config /inetpub/web.config 'WFE*.log'", "Logs and configuration together"),
            .init("fastctl diagnose --since 2024-03-11 --rule FS0101 /logs", "Is it fixed?"),
            .init("fastctl diagnose --farm farm.json /logs", "With what Get-FarmFacts.ps1 wrote on a server"),
            .init("fastctl diagnose --normal usual.json /logs", "What is new since 'fastctl logs baseline'"),
            .init("fastctl diagnose -o github -o junit=junit.xml --fail-on warning logs.zip", "In a workflow"),
        ]
    )

    @Option(
        "--output",
        "-o",
        value: "FORMAT[=FILE]",
        completion: .values(DiagnosisOutput.candidates),
        help: "The format of the results, and the file they go to; may be repeated (default: text)"
    )
    var outputs: [DiagnosisOutput]

    @Option("--color", value: "WHEN", help: "When to color text")
    var color = ColorChoice.auto

    @Option(
        "--normal",
        value: "FILE",
        completion: .files,
        help: "What is normal, from 'fastctl logs baseline': only what differs from it is told"
    )
    var normal: String?

    @Flag("--explain", help: "Say more of each finding: what it means, all evidence, all steps")
    var explains

    @OptionGroup("Rules") var rules: RuleOptions
    @OptionGroup("Configuration") var configs: WebConfigOptions
    @OptionGroup("Farm") var farm: FarmOptions
    @OptionGroup("Exit code") var gates: DiagnosisGates
    @OptionGroup("Redaction") var redaction: RedactionOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func validate() throws {
        let toStandardOutput = outputs.filter { $0.path == nil }
        if toStandardOutput.count > 1 {
            throw ValidationError(
                "only one output can go to standard output: write the others to files, such as json=FILE"
            )
        }
        let paths = outputs.compactMap(\.path)
        if Set(paths).count < paths.count { throw ValidationError("two outputs go to the same file") }
    }

    func run() async throws -> ExitCode {
        let example = "fastctl diagnose /logs"
        // A web.config can be examined without logs.
        let hasLogs = !inputs.isEmpty || configs.paths.isEmpty
        let reader = hasLogs ? try reading.reader(of: inputs, events, example: example) : nil
        let run = DiagnosisCommandRun(
            outputs: outputs.isEmpty ? [DiagnosisOutput(format: .text)] : outputs,
            color: color,
            detail: explains ? .full : .page,
            normal: try normal.map { try NormalFailures.read($0) },
            farm: try farm.facts(),
            redaction: try redaction.ofReport(),
            gates: gates
        )
        return try await run.print(reader, rules: try rules.ruleSet(), configPaths: configs.paths)
    }
}

/// A run of rules that writes the results in all requested forms and ends with one exit code.
private struct DiagnosisCommandRun {
    let outputs: [DiagnosisOutput]
    let color: ColorChoice
    let detail: FindingDetail
    let normal: NormalFailures?
    let farm: FarmFacts?
    let redaction: OutputRedaction
    let gates: DiagnosisGates

    /// Examines logs, if there are any, and the web.config files below these paths.
    func print(_ reader: LogReader?, rules: RuleSet, configPaths: [String]) async throws -> ExitCode {
        let configs = try ConfigFiles(configPaths)
        var reader = reader
        try reader?.findLogs()
        try checkOutputs(reader, configs)
        Interruption.leaveAtOnce(saying: "interrupted; no report was written")
        let (clock, now) = (ContinuousClock(), ProcessEnvironment.now)
        let start = clock.now
        var diagnosis = Diagnosis(rules: rules, configs: configs.read, refusedConfigs: configs.refused)
        diagnosis.normal = normal
        diagnosis.farm = farm
        let report = try await onOwnThread { [reader, diagnosis] in Result { try diagnosis.report(on: reader) } }.get()
        let forms = RedactedForms(report, redaction)

        var circumstances = DiagnosisCircumstances()
        circumstances.failOn = gates.failOn.severity
        circumstances.failsOnUnexplained = gates.failsOnUnexplained
        circumstances.requireComplete = gates.requiresComplete
        circumstances.maximumParseErrors = gates.maximumParseErrors.value
        circumstances.hasWindow = reader.map { !$0.window.isAll } ?? false
        circumstances.tellsNotes = outputs.contains { $0.format == .text && $0.path == nil }
        circumstances.duration = clock.now - start
        // Standard error is as public as standard output, or as the files if nothing goes there.
        let goesToFiles = !outputs.contains { $0.path == nil }
        let conclusion = DiagnosisConclusion(forms.report(toFile: goesToFiles), circumstances)

        var options = DiagnosisOptions(version: Version.number, token: Self.token())
        options.layout = .standardOutput(color)
        options.detail = detail
        options.failOn = gates.failOn.severity
        options.status = conclusion.status
        options.startedAt = now
        options.duration = circumstances.duration
        try write(forms, options)
        for line in conclusion.lines { StandardError.say(line) }
        return ExitCode(conclusion.status)
    }

    /// Checks, before any log is read, that the outputs can be created and that none of them is an input.
    private func checkOutputs(_ reader: LogReader?, _ configs: ConfigFiles) throws {
        let inputs = try (reader?.files() ?? []) + configs.sources.map(\.path)
        let identities = Set((inputs + ["/dev/stdin"]).compactMap { FileIdentity($0) })
        for path in outputs.compactMap(\.path) {
            if let identity = FileIdentity(path), identities.contains(identity) {
                throw CommandFailure(
                    .usage,
                    "'\(path)' is an input: the output would overwrite it",
                    advice: "write to another file"
                )
            }
            // The file is deleted again at once, so that an interruption leaves nothing behind.
            _ = try AtomicFile(path)
        }
    }

    private func write(_ forms: RedactedForms, _ options: DiagnosisOptions) throws {
        for output in outputs {
            var bytes: [UInt8] = []
            let renderer = DiagnosisRenderer(forms.report(toFile: output.path != nil), options)
            renderer.append(as: output.format, to: &bytes)
            if let path = output.path {
                try AtomicFile.write(bytes, to: path)
                continue
            }
            // A reader that is gone does not change what was found.
            let standardOutput = StandardOutput()
            standardOutput.drain(&bytes)
            if let failure = standardOutput.failure {
                throw CommandFailure(.inputOutput, failure, advice: "free some disk space, or write elsewhere")
            }
        }
    }

    /// Returns a word that no log can predict.
    private static func token() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

/// A report as it goes to files, and as it goes to standard output.
struct RedactedForms {
    private let redaction: OutputRedaction
    private let whole: DiagnosisReport
    private let redacted: DiagnosisReport?

    init(_ report: DiagnosisReport, _ redaction: OutputRedaction) {
        self.redaction = redaction
        var whole = report
        whole.redaction = redaction.noteIfOff
        self.whole = whole
        var redactor = redaction.redactor
        let isNeeded = redaction.applies(toFile: true) || redaction.applies(toFile: false)
        redacted = isNeeded ? report.redacted(by: &redactor) : nil
    }

    func report(toFile: Bool) -> DiagnosisReport { redaction.applies(toFile: toFile) ? redacted ?? whole : whole }
}

/// The given web.config files: those that were read, and those that were refused.
struct ConfigFiles {
    private(set) var read: [WebConfigFile] = []
    private(set) var refused: [WebConfigError] = []

    /// All files, read or not.
    var sources: [WebConfigSource] { read.map(\.source) + refused.map(\.source) }

    /// Reads all files below these paths, each with an optional label.
    ///
    /// A file that cannot be opened stops everything; one that would have to be guessed at is refused on its own.
    init(_ paths: [String]) throws {
        for source in try WebConfigInputs.find(paths) {
            do throws(WebConfigError) {
                read.append(try WebConfigFile.read(source))
            } catch {
                guard error.code != .cannotOpen, error.code != .notFound else { throw error }
                refused.append(error)
            }
        }
    }
}
