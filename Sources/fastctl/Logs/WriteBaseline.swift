import ArgumentParsing
import EngineCatalog
import LogDiagnosis
import Redaction
import ReportRendering
import Threads
import ULSLog

/// `logs baseline`: what shows problems in a log that counts as normal.
struct WriteBaseline: Command {
    static let configuration = CommandConfiguration(
        "baseline",
        summary: "Write which problems are normal in a log, to compare later logs with.",
        discussion: """
            Each kind of rows that shows a problem is written with its number of rows, whether a rule explains it or \
            not; what rules call noise is left out. 'fastctl diagnose --normal FILE' then tells only kinds that are not \
            in the file, or of which there are 20 rows or more and at least four times as many an hour. Findings of \
            rules below error whose kinds are all as usual are one line.

            This is not the file of 'fastctl diagnose --write-baseline'. That one has findings that somebody knows, by \
            fingerprint, however often they occur, and no kinds of unexplained rows. This one has how often rows occur \
            on a normal day, and nobody needs to have looked at them.
            """,
        examples: [
            .init("fastctl logs baseline /logs/yesterday >usual.json", "What was normal yesterday"),
            .init("fastctl diagnose --normal usual.json /logs/today", "What is not, today"),
        ]
    )

    @OptionGroup("Output") var quiet: QuietOptions
    @OptionGroup("Rules") var rules: RuleOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs baseline /logs >usual.json")
        var diagnosis = Diagnosis(rules: try rules.ruleSet(else: reading.profile()?.texts(.rules).first))
        diagnosis.describesNormal = true
        // It is for this program, which compares servers by their names.
        let redaction = try redaction.ofRows()
        let run = LogRun(reader: reader, quiet: quiet, progress: reading.progress.style)
        return try await run.print { [diagnosis] reader, bytes in
            var report = try diagnosis.report(on: reader)
            if redaction.applies(toFile: false) {
                var redactor = redaction.redactor
                report = report.redacted(by: &redactor)
            }
            if let normal = report.described { NormalRenderer.append(normal, to: &bytes) }
            return report.logs.map(LogOutcome.init) ?? LogOutcome(limitedTo: 0)
        }
    }
}
