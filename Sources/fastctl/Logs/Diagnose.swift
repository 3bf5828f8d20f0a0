import ArgumentParsing
import LogDiagnosis
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

    @OptionGroup("Output") var output: ReportOutputOptions<DiagnosisFormat>

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
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func run() async throws -> ExitCode {
        let example = "fastctl diagnose /logs"
        // A web.config can be examined without logs.
        let hasLogs = !inputs.isEmpty || configs.paths.isEmpty
        let reader = hasLogs ? try reading.reader(of: inputs, events, example: example) : nil
        let run = DiagnosisCommandRun(
            outputs: output.outputs(color),
            quiet: output.quiet,
            detail: explains ? .full : .page,
            normal: try normal.map { try NormalFailures.read($0) },
            farm: try farm.facts(),
            gates: gates
        )
        return try await run.print(reader, rules: try rules.ruleSet(), configPaths: configs.paths)
    }
}

/// A run of rules that writes the results in all requested forms and ends with one exit code.
private struct DiagnosisCommandRun {
    let outputs: ReportOutputs<DiagnosisFormat>
    let quiet: QuietOptions
    let detail: FindingDetail
    let normal: NormalFailures?
    let farm: FarmFacts?
    let gates: DiagnosisGates

    /// Examines logs, if there are any, and the web.config files below these paths.
    func print(_ reader: LogReader?, rules: RuleSet, configPaths: [String]) async throws -> ExitCode {
        let configs = try ConfigFiles(configPaths)
        var reader = reader
        try reader?.findLogs()
        try outputs.check(inputs: (reader?.files() ?? []) + configs.sources.map(\.path))
        Interruption.leaveAtOnce(saying: "interrupted; no report was written")
        let (clock, now) = (ContinuousClock(), ProcessEnvironment.now)
        let start = clock.now
        var diagnosis = Diagnosis(rules: rules, configs: configs.read, refusedConfigs: configs.refused)
        diagnosis.normal = normal
        diagnosis.farm = farm
        let needsRequests = outputs.all.contains { $0.form == .sarif }
        let (report, requests) = try await onOwnThread { [reader, diagnosis] in
            Result {
                let report = try diagnosis.report(on: reader)
                return (report, needsRequests ? try Self.requests(of: report, in: reader) : [:])
            }
        }.get()

        var circumstances = DiagnosisCircumstances()
        circumstances.failOn = gates.failOn.severity
        circumstances.failsOnUnexplained = gates.failsOnUnexplained
        circumstances.requireComplete = gates.requiresComplete
        circumstances.maximumParseErrors = gates.maximumParseErrors.value
        circumstances.hasWindow = reader.map { !$0.window.isAll } ?? false
        circumstances.tellsNotes = outputs.showsText
        circumstances.duration = clock.now - start
        let conclusion = DiagnosisConclusion(report, circumstances)

        var options = DiagnosisOptions(version: Version.number, token: .unguessable)
        options.detail = detail
        options.failOn = gates.failOn.severity
        options.status = conclusion.status
        options.requests = requests
        options.startedAt = now
        options.duration = circumstances.duration
        try outputs.write { [options] output, bytes in
            var options = options
            (options.layout, options.csv) = (output.layout, output.csv)
            DiagnosisRenderer(report, options).append(as: output.form, to: &bytes)
        }
        quiet.say(conclusion.lines, conclusion.status)
        return ExitCode(conclusion.status)
    }

    /// Reads the requests that findings show, whole, where logs can be read again; a pipe cannot.
    private static func requests(of report: DiagnosisReport, in reader: LogReader?) throws -> [String: RequestTrace] {
        guard var reader, try reader.canReadAgain() else { return [:] }
        // What was asked for decides what is a finding, and not what belongs to its request.
        reader.filter = EventFilter()
        let requests = report.requests(maximum: LogReader.maximumTraces).compactMap(CorrelationPattern.init)
        guard !requests.isEmpty else { return [:] }
        let traces = try reader.traces(of: requests).traces
        return Dictionary(traces.map { ($0.correlation, $0) }) { first, _ in first }
    }
}

extension String {
    /// A word that no log can predict.
    static var unguessable: String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
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
