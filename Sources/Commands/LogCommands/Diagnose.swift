import ArgumentParsing
import CommandKit
import Files
package import LogDiagnosis
import LogReports
package import Redaction
import ReportKit
import TextKit
import Threads
package import ULSLog
import WebConfig

struct Diagnose: Command {
    static let configuration = CommandConfiguration(
        "diagnose",
        foreignNames: ["analyze", "analyse", "scan", "doctor"],
        group: "Logs",
        summary: "Report what is wrong, why, and how to fix it.",
        discussion: """
            Rules look for the traces that known failures leave in logs, and cross-check them with web.config if it is \
            given. A finding shows its evidence by file and line, the fix, its side effects and how to undo it.

            Rows that show a problem (by an exception, a code, a known sentence or their level) that no rule explains \
            are grouped by kind, with an interpretation of their text: 'decoded' is certain; 'where' is likely, or \
            possible if only the process suggests it; a 'cause' is possible. They are warnings at most, and fail a run \
            only with '--fail-on-unexplained'. In up to 16 KiB of rows copied with spaces instead of tabs, from a file \
            or a pipe, known sentences count at any level, even outside a row. If nothing is explained in up to 20 \
            rows, they are described, as by 'fastctl explain'.

            '--farm' reads servers, builds, services and addresses from 'farm.json'. The script Get-FarmFacts.ps1 (in \
            share/fastctl, beside the program's bin) writes this file on a server, and changes nothing there. These \
            facts settle causes that logs leave open, and show which servers' logs are missing.

            Several outputs can be requested, one of them on standard output: '-o text -o sarif=fastctl.sarif'. The \
            exit code is 1 if a finding is at or above '--fail-on', regardless of the outputs.

            Known and accepted findings need not fail every run. \(SuppressionFile.standardName) lists rules, or kinds \
            of unexplained rows, each with a reason and a last day. Hidden findings are listed at the end of the \
            report. An expired entry is itself reported as a finding, and so is an entry that suppresses nothing. A \
            baseline is simpler: it contains the fingerprints of all findings from one run.

            '--usual' compares how often each kind of row occurs with its rate in another log. Kinds in its file are \
            summed up in one line, unless they have 20 rows or more, and at least four times as many per hour. So are \
            findings below error if every kind of row behind them is as frequent as usual; these do not fail a run. \
            Findings of severity error are shown in full, and marked if they are usual. Findings based on web.config or \
            farm.json, or on rows that show no problem by themselves, are always reported. Each kind covers all users \
            and servers.

            'What changed' lists each server, process or category that wrote in at least 80% of the five-minute \
            intervals for half an hour or more, and then fell silent for 15 minutes and four times its longest pause \
            (categories: twice that), while others kept writing. It also lists floods: 1,000 rows or more of one kind \
            that make up half of the log, at four times the earlier rate.
            """,
        examples: [
            .init("fastctl diagnose /logs", "Problems, causes and fixes"),
            .init("fastctl diagnose --web-config /inetpub/web.config 'WFE*.log'", "Logs and configuration together"),
            .init("fastctl diagnose --since 2024-03-11 --rule FS0101 /logs", "Check whether it is fixed"),
            .init("fastctl diagnose --profile prod", "The daily check, with a profile from 'fastctl profiles add'"),
            .init("fastctl diagnose --farm farm.json /logs", "With the output of Get-FarmFacts.ps1"),
            .init("fastctl diagnose --usual usual.json /logs", "Only problems that are not usual"),
            .init("fastctl diagnose --baseline known.json /logs", "Only findings that are new since --write-baseline"),
            .init("fastctl diagnose -o github -o junit=junit.xml --fail-on warning logs.zip", "In a workflow"),
        ],
        commonOptions: [
            "--web-config", "--since", "--until", "--correlation", "--rule", "--explain", "--output", "--fail-on",
            "--baseline", "--usual", "--no-redact", "--follow",
        ],
        optionAdvice: [
            "--user": "Use 'fastctl logs requests --user NAME' for the requests of one user",
            "--limit": "Narrow the input with --since, --around, --server or --process",
            "--severity": "--fail-on SEVERITY determines the exit code; the report contains all severities",
            "--ignore": "'fastctl suppress add RULE --reason TEXT' leaves out known findings",
            "--mail": mail, "--email": mail,
            "--max-rows": "Narrow the input with --since, --around, --server or --process",
        ]
    )

    private static let mail =
        "Write the report with -o html=FILE, and let the program that sends your mail send it"

    @OptionGroup("Output") var output = ReportOutputOptions(DiagnosisRenderer.forms)

    @OptionGroup("Text") var text: TextOptions

    @Option(
        "--usual",
        formerly: "--normal",
        value: "FILE",
        completion: .files,
        help: """
            Usual rates, from 'fastctl logs usual'; problems that are not more frequent are summed up in one line, \
            except errors
            """
    )
    var normal: String?

    @Flag(
        "--follow",
        help:
            "Report new findings as logs are written, until Ctrl-C, then report all; starts at the end of the newest logs"
    )
    var follows

    @Flag("--explain", help: "Show each finding in full: meaning, all evidence, all steps")
    var explains

    @OptionGroup("Rules") var rules: RuleOptions
    @OptionGroup("Configuration") var configs: WebConfigOptions
    @OptionGroup("Farm") var farm: FarmOptions
    @OptionGroup("Known findings") var triage: TriageOptions
    @OptionGroup("Exit code") var gates: DiagnosisGates
    @OptionGroup("Redaction") var redaction: RedactionOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func validate() throws {
        if let newBaseline = triage.newBaseline, output.requested.contains(where: { $0.path == newBaseline }) {
            throw ValidationError("two outputs go to the same file")
        }
        if follows, inputs.isEmpty && reading.profileName == nil || inputs.contains("-") {
            throw ValidationError("--follow needs files or folders; a pipe is read to its end")
        }
    }

    func run() async throws -> ExitCode {
        let profile = try profile()
        let subject = try reading.subject(
            of: inputs,
            events,
            configs,
            rules,
            farm,
            profile,
            example: "fastctl diagnose /logs"
        )
        let library = try rules.library(else: subject.ruleFolder)
        let run = DiagnosisCommandRun(
            library: library,
            describesRows: rules.ids.isEmpty,
            outputs: output.outputs(text, isPaged: !follows),
            quiet: output.quiet,
            detail: explains ? .full : .page,
            normal: try (normal ?? profile?.texts(.normal).first).map { try NormalFailures.read($0) },
            farm: subject.farm,
            triage: try triage.triage(of: library, profile),
            newBaseline: triage.newBaseline,
            redaction: try redaction.ofReport(),
            gates: gates,
            conditions: events.conditions,
            progress: reading.progress.style,
            follows: follows,
            inputs: inputs.isEmpty ? profile.map { ["--profile", $0.name] } ?? [] : inputs
        )
        return try await run.print(subject.reader, rules: subject.rules, configPaths: subject.configPaths)
    }

    /// Returns the profile that the command line names or, if there are no inputs on a terminal, that of the current
    /// context.
    private func profile() throws -> LogProfile? {
        if let profile = try reading.profile() { return profile }
        guard inputs.isEmpty, configs.paths.isEmpty, FileDescriptor.standardInput.isTerminal else { return nil }
        guard let (profile, origin) = try LogProfiles.current.profileOfContext() else { return nil }
        StandardError.say("profile '\(profile.name)' (\(origin))")
        return profile
    }
}

/// A run of rules that writes the results in all requested formats and ends with a single exit code.
private struct DiagnosisCommandRun {
    /// All rules, selected or not.
    let library: RuleLibrary
    /// Whether the rows of a short input are described if nothing is found.
    let describesRows: Bool
    let outputs: ReportOutputs
    let quiet: QuietOptions
    let detail: FindingDetail
    let normal: NormalFailures?
    let farm: FarmFacts?
    let triage: FindingTriage
    /// The path at which to write the baseline for later runs.
    let newBaseline: String?
    let redaction: OutputRedaction
    let gates: DiagnosisGates
    /// Conditions on rows.
    let conditions: [RowCondition]
    let progress: ProgressStyle
    /// Whether logs are followed while they are written.
    let follows: Bool
    /// The logs as the command line names them.
    let inputs: [String]

    /// Examines logs, if there are any, and the web.config files below these paths.
    func print(_ reader: LogReader?, rules: RuleSet, configPaths: [String]) async throws -> ExitCode {
        let configs = try ConfigFiles(configPaths)
        var reader = reader
        reader?.countsLevelsOverTime = outputs.contains(.html)
        try reader?.findLogs()
        try outputs.check(
            inputs: (reader?.files() ?? []) + configs.sources.map(\.path),
            others: [newBaseline].compactMap(\.self)
        )
        var diagnosis = Diagnosis(rules: rules, configs: configs.read, refusedConfigs: configs.refused)
        diagnosis.normal = normal
        diagnosis.farm = farm
        diagnosis.triage = triage
        let clock = RunClock()
        var found = try await found(by: diagnosis, in: reader)
        found.report.inputs = inputs
        let concluded = ConcludedDiagnosis(found, redaction, circumstances(of: reader), detail, clock, outputs)
        try concluded.write { DiagnosisRenderer($0, $1).append(as: $2, to: &$3) }
        let conclusion = concluded.conclusion
        if let newBaseline {
            if conclusion.isOfNothing {
                quiet.say(["\(newBaseline): not written, because no input for it was examined"], conclusion.status)
            } else {
                try writeBaseline(of: found.report, to: newBaseline)
            }
        }
        quiet.say(conclusion.lines, conclusion.status)
        return ExitCode(conclusion.status)
    }

    /// Returns the findings, after reading the logs once, or following them until the user stops the run.
    private func found(by diagnosis: Diagnosis, in reader: LogReader?) async throws -> DiagnosedLogs {
        if follows, let reader {
            let following = DiagnosisFollowing(
                diagnosis: diagnosis,
                tellsOnStandardOutput: outputs.showsText,
                redactor: redaction.applies(toFile: false) ? redaction.redactor : nil,
                layout: outputs.layout
            )
            return DiagnosedLogs(report: try await following.report(on: reader))
        }
        let soFar = FindingsSoFar()
        var reader = reader
        var display: ReadProgressDisplay?
        if var counting = reader {
            display = ReadProgressDisplay(progress, of: &counting, soFar)
            reader = counting
        }
        defer { display?.finish() }
        if !follows { Interruption.leaveAtOnce(saying: "interrupted; no report was written") }
        let needsRequests = outputs.contains(.sarif)
        // A user who selects rules asks about them, not about the rows.
        let again = describesRows ? try reader?.shortReader() : nil
        return try await onOwnThread { [reader] in
            Result {
                let report = try diagnosis.report(on: reader, soFar: soFar)
                let requests = needsRequests ? try Self.requests(of: report, in: reader) : []
                var found = DiagnosedLogs(report: report, requests: requests)
                found.report.emptiness = try reader?.emptiness(of: report, under: conditions)
                if let again, report.isSilent(on: PastedRows.maximumDescribed) {
                    found.describedRows = try describedRows(again, hasKinds: report.unexplainedEvents > 0)
                }
                return found
            }
        }.get()
    }

    /// Describes the rows of a short input in which nothing was explained: all of them, or if some are listed as
    /// unexplained, those with a cause.
    private func describedRows(_ reader: LogReader, hasKinds: Bool) throws -> DescribedRows {
        var rows = PastedRows(maximum: PastedRows.maximumDescribed)
        try rows.read(reader, noise: RowRules(library), needsID: false)
        let found = rows.finished
        let described = found.failures.isEmpty ? rows.quiet : found.failures
        return DescribedRows(
            hasKinds ? described.filter(\.hasCause) : described,
            noise: found.noise,
            noiseRules: found.noiseRules
        )
    }

    private func circumstances(of reader: LogReader?) -> DiagnosisCircumstances {
        var circumstances = DiagnosisCircumstances()
        circumstances.gate = DiagnosisGate(
            failOn: gates.failOn.severity,
            failsOnUnexplained: gates.failsOnUnexplained
        )
        circumstances.requireComplete = gates.requiresComplete
        circumstances.failsIfNone = gates.failsIfNone ?? !follows
        circumstances.maximumParseErrors = gates.maximumParseErrors.value
        circumstances.hasWindow = reader.map { !$0.window.isAll } ?? false
        return circumstances
    }

    /// Writes the findings as the baseline for later runs, and reports if the baseline may be incomplete.
    private func writeBaseline(of report: DiagnosisReport, to path: String) throws {
        var bytes: [UInt8] = []
        BaselineRenderer.append(report.baseline, to: &bytes)
        try AtomicFile.write(bytes, to: path)
        let findings = Quantity(report.baseline.entries.count, "finding", "findings")
        let isWhole = !report.findingsAreAtLeast && report.logs?.files.contains(where: \.isIncomplete) != true
        let rest = isWhole ? "" : "; there may be more that were not seen, or not distinguished"
        quiet.say(["\(path): \(findings) as the baseline\(rest)"])
    }

    /// Reads the complete requests that findings show, if the logs can be read again, unlike a pipe.
    private static func requests(of report: DiagnosisReport, in reader: LogReader?) throws -> [RequestTrace] {
        guard var reader, try reader.canReadAgain() else { return [] }
        reader.progress = nil
        // The conditions apply to the findings, not to the rows of their requests.
        reader.filter = EventFilter()
        let requests = report.requests(maximum: LogReader.maximumTraces).compactMap(CorrelationPattern.init)
        return requests.isEmpty ? [] : try reader.traces(of: requests).traces
    }
}

/// A diagnosis that is complete, with its conclusion and its reports.
struct ConcludedDiagnosis {
    let conclusion: DiagnosisConclusion
    private let forms: RedactedForms<DiagnosedLogs>
    private let circumstances: DiagnosisCircumstances
    private let options: DiagnosisOptions
    private let outputs: ReportOutputs

    /// Concludes a diagnosis, and completes the circumstances with the duration by `clock` and the kind of `outputs`.
    init(
        _ found: DiagnosedLogs,
        _ redaction: OutputRedaction,
        _ circumstances: DiagnosisCircumstances,
        _ detail: FindingDetail,
        _ clock: RunClock,
        _ outputs: ReportOutputs
    ) {
        self.outputs = outputs
        forms = RedactedForms(found, redaction)
        let moment = clock.moment
        var circumstances = circumstances
        circumstances.tellsNotes = outputs.showsText
        circumstances.duration = moment.duration
        self.circumstances = circumstances
        var said = forms.report(toFile: outputs.areFiles).report
        said.redaction = forms.note(toFile: outputs.areFiles)
        // The command line need not be redacted on the terminal where it was typed.
        said.emptiness = found.report.emptiness
        conclusion = DiagnosisConclusion(said, circumstances)
        var options = DiagnosisOptions(version: ProgramVersion.number, token: .unguessable)
        options.detail = detail
        options.gate = circumstances.gate
        options.status = conclusion.status
        options.startedAt = moment.startedAt
        options.duration = moment.duration
        self.options = options
    }

    /// Writes the report in all requested formats with a function that appends it in one of them.
    func write(_ append: (DiagnosisReport, DiagnosisOptions, OutputForm, inout [UInt8]) -> Void) throws {
        try outputs.write { output, bytes in
            var (shown, options) = (forms.report(toFile: output.isFile), options)
            (options.layout, options.csv) = (output.layout, output.csv)
            options.requests = shown.requestsByCorrelation
            options.describedRows = shown.describedRows
            shown.report.redaction = forms.note(toFile: output.isFile)
            options.rejections = DiagnosisConclusion.rejections(of: shown.report, circumstances)
            append(shown.report, options, output.form, &bytes)
        }
    }
}

extension String {
    /// A word that the contents of a log cannot predict.
    static var unguessable: String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

/// A diagnosis, with the requests shown in findings.
package struct DiagnosedLogs: Sendable, Maskable {
    package var report: DiagnosisReport
    package var requests: [RequestTrace]
    /// The rows of a short input in which nothing was found.
    var describedRows = DescribedRows()

    package init(report: DiagnosisReport, requests: [RequestTrace] = []) {
        (self.report, self.requests) = (report, requests)
    }

    var requestsByCorrelation: [String: RequestTrace] {
        Dictionary(requests.map { ($0.correlation, $0) }) { first, _ in first }
    }

    package mutating func mask(by mask: inout Redactor) {
        // The requests are masked first, so that their pseudonyms and counts precede those of the report, and each
        // value is counted once.
        requests.mask(by: &mask)
        describedRows.mask(by: &mask)
        report.mask(by: &mask)
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
    /// A file that can't be opened stops the command; a file that can't be interpreted reliably is refused on its own.
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
