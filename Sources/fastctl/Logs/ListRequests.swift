public import ArgumentParsing
public import LogDiagnosis
import Redaction
import ReportRendering
import ULSLog

/// `logs requests`: which requests failed, or were slow.
struct ListRequests: Command {
    static let configuration = CommandConfiguration(
        "requests",
        summary: "List requests: failed ones first, slow ones, one user's.",
        discussion: """
            A request has failed if one of its rows shows a problem: its level is Monitorable or worse, or its message \
            holds an exception, an error code or words of failure. Rows that are known to be noise do not count, and \
            neither does a message that says it succeeded, unless it holds an exception.

            Failed requests are listed, the worst first: by level, then exceptions before codes before words, then by \
            the number of rows. With '--slow' or another order, all requests are. A request is one correlation. Rows \
            without one are listed only if they fail, together with those of their thread within a minute.
            """,
        examples: [
            .init("fastctl logs requests --since 11:00 --until 12:00 /logs", "What failed within one hour"),
            .init("fastctl logs requests --slow 5s --url /sites/a /logs", "What took at least 5 s there"),
            .init("fastctl logs requests --sort time --user ann /logs", "Everything that one user did"),
            .init("fastctl logs requests --fail-if-any /logs", "For a script: exit code 1 if a request failed"),
        ]
    )

    @OptionGroup("Output") var output: ReportOutputOptions<RequestFormat>

    @Option("--top", value: "N", help: "List at most this many (default: 20 as text, else 1000)")
    var top: Int?

    @OptionGroup("Text") var text: TextOptions

    @Option("--sort", value: "ORDER", help: "The worst first, the slowest first, or by time")
    var order: RequestQuery.Order?

    @Flag("--failed", help: "Only failed requests, whatever the order")
    var onlyFailed

    @Option("--slow", value: "DURATION", help: "Only requests that took at least this long, the slowest first")
    var slow: Duration?

    @Option(
        "--url",
        value: "TEXT",
        completion: ArgumentCompletion.none,
        help: "Only requests with this text in their address, or in a job's name, whatever the case of its letters"
    )
    var url: String?

    @Option(
        "--user",
        value: "TEXT",
        completion: ArgumentCompletion.none,
        help: "Only requests of users with this text in their name, whatever the case of its letters"
    )
    var user: String?

    @OptionGroup("Times") var times: LogTimeOptions

    @Option(
        "--server",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "Only rows from this server; may be repeated"
    )
    var servers: [String]

    @OptionGroup("Rules") var rules: RuleFolderOptions
    @OptionGroup("Exit code") var gates: LogGateOptions
    @OptionGroup("Reading") var reading: LogReadingOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives; '-' is standard input")
    var inputs: [String]

    /// The most requests that are listed: they are all in memory.
    private static let maximumTop = 100_000

    func validate() throws {
        if let top, !(1...Self.maximumTop).contains(top) {
            throw ValidationError("--top must be between 1 and \(Self.maximumTop)")
        }
        if let slow, slow <= .zero { throw ValidationError("--slow must be longer than 0") }
    }

    func run() async throws -> ExitCode {
        var reader = try reading.reader(
            of: inputs,
            times,
            profile: reading.profile(),
            example: "fastctl logs requests WFE1-20240311-1003.log"
        )
        reader.filter.servers = servers
        let survey = try RequestSurvey(rules: rules.ruleSet())
        let (query, outputs, redaction) = (query, output.outputs(text), try redaction.ofReport())
        let run = LogRun(reader: reader, quiet: output.quiet, progress: reading.progress.style, gate: gates.gate)
        return try await run.report(to: outputs) { reader in
            let report = try survey.report(on: reader, query)
            let forms = RedactedForms(report, redaction) { $0.redacted(by: &$1) }
            let goesToFiles = !outputs.all.contains { $0.path == nil }
            let shown = forms.report(toFile: goesToFiles)
            var outcome = LogOutcome(shown, query, namesOnly: outputs.contains(.name))
            outcome.redaction = forms.note(toFile: goesToFiles)
            return LogReport(outcome) { output, bytes in
                try RequestRenderer.append(
                    forms.report(toFile: output.isFile),
                    query,
                    as: output.form,
                    layout: output.layout,
                    csv: output.csv,
                    to: &bytes,
                    drain: output.drain
                )
            }
        }
    }

    private var query: RequestQuery {
        var query = RequestQuery(
            order: order ?? (slow == nil ? .failed : .slow),
            limit: top ?? (output.outputs().contains(.text) ? 20 : 1000)
        )
        query.onlyFailed = onlyFailed || query.order == .failed
        query.minimumDuration = slow
        query.url = url
        query.user = user
        return query
    }
}

extension RuleFolderOptions {
    /// Returns all rules, ready to run.
    // Inlined into an async function, its error makes the optimizer crash (Swift 6.3).
    @inline(never)
    func ruleSet() throws -> RuleSet { try library().ruleSet() }
}

extension RequestQuery.Order: ArgumentValue {}
