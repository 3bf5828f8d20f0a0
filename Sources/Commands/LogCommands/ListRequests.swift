package import ArgumentParsing
import CommandKit
package import LogDiagnosis
import LogReports
import Redaction
import ReportKit
import TextKit
package import ULSLog

/// `logs requests`: lists the requests that failed or were slow.
struct ListRequests: Command {
    static let configuration = CommandConfiguration(
        "requests",
        summary: "List requests: failed ones, slow ones, or one user's.",
        discussion: """
            A request has failed if one of its rows shows a problem: its level is Monitorable or worse, or its message \
            contains an exception, an error code or words that indicate failure. Known noise does not count, and \
            neither does a message that reports success, unless it contains an exception.

            Failed requests are listed with the worst first: by level, then exceptions before codes before words, then \
            by number of rows. With '--slow' or another order, all requests are listed. Each correlation is a request. \
            Rows without a correlation are listed only if they show a failure, together with the rows of their thread \
            within a minute.
            """,
        examples: [
            .init("fastctl logs requests --since 11:00 --until 12:00 /logs", "Failed requests within one hour"),
            .init("fastctl logs requests --slow 5s --url /sites/a /logs", "Slow requests (5 s or more) of one site"),
            .init("fastctl logs requests --sort time --user ann /logs", "All requests by one user"),
            .init("fastctl logs requests --fail-if-any /logs", "For a script: exit code 1 if a request failed"),
        ],
        commonOptions: ["--failed", "--slow", "--user", "--url", "--since", "--until", "--top", "--sort", "--output"]
    )

    @OptionGroup("Output") var output = ReportOutputOptions(RequestRenderer.forms)

    @Option("--top", value: "N", help: "List at most this many (default: 20 as text, else 1000)")
    var top: Int?

    @OptionGroup("Text") var text: TextOptions

    @Option("--sort", value: "ORDER", help: "The order: worst first, slowest first, or by time")
    var order: RequestQuery.Order?

    @Flag("--failed", help: "Only failed requests, in any order")
    var onlyFailed

    @Option("--slow", value: "DURATION", help: "Only requests that took at least this long, the slowest first")
    var slow: Duration?

    @Option(
        "--url",
        value: "TEXT",
        completion: ArgumentCompletion.none,
        help: "Only requests with this text in their address or job name; ignores case"
    )
    var url: String?

    @Option(
        "--user",
        value: "TEXT",
        completion: ArgumentCompletion.none,
        help: "Only requests by users with this text in their name; ignores case"
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

    /// The maximum number of requests that are listed, because all of them are kept in memory.
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
        var run = LogRun(reader: reader, quiet: output.quiet, progress: reading.progress.style, gate: gates.gate)
        // Rows without a request also pass the filter.
        (run.conditions, run.countsRows) = (RowCondition.servers(servers) + times.conditions, false)
        return try await run.report(to: outputs) { reader in
            let report = try survey.report(on: reader, query)
            let forms = RedactedForms(report, redaction)
            let shown = forms.report(toFile: outputs.areFiles)
            var outcome = LogOutcome(shown, query, namesOnly: outputs.contains(.name))
            outcome.redaction = forms.note(toFile: outputs.areFiles)
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
    // If this is inlined into an async function, the error that it throws makes the optimizer crash (Swift 6.3).
    @inline(never)
    func ruleSet() throws -> RuleSet { try library().ruleSet() }
}

extension RequestQuery.Order: ArgumentValue {}

/// `logs compare`: shows the differences between two logs, or between two periods of one log.
struct CompareLogs: Command {
    static let configuration = CommandConfiguration(
        "compare",
        foreignNames: ["diff"],
        summary: "Compare two logs or periods: new and gone failures, slower requests.",
        discussion: """
            A and B are files, folders, globs or archives, or files from 'fastctl logs usual' (FILE.json). With '--a' \
            and '--b', they are two periods in the same logs: TIME..TIME, with times as in '--since' and the end \
            excluded, or a day such as yesterday. A period without a day is refused if the logs contain it on several \
            days. An end without a day is on the day of the start.

            Each kind of failure is counted per 1,000 requests if both logs contain at least 200, or else per server \
            and hour, on servers that are in both. Differences that may be due to chance (more often than once in \
            10,000 kinds) are not reported: in logs of equal length, 13 rows of a kind in one and none in the other \
            may be due to chance, but 14 are not. A kind is 'more' if its rate is at least twice as high, 'fewer' if \
            it is at most half as high, and 'new' or 'gone' if one log has none at all. A server is named if it \
            accounts for at least 80% of an increase.

            Requests that occur at least 20 times in both logs are reported as slower if their median or 95th \
            percentile is at least 50% and at least 10 ms higher. Periods in which a server wrote nothing do not count \
            as hours.
            """,
        examples: [
            .init("fastctl logs compare --a 09:00..10:00 --b 10:00..10:15 /logs", "Changes that came with an incident"),
            .init("fastctl logs compare --a yesterday --b today /logs", "Compare today with yesterday"),
            .init("fastctl logs compare usual.json /logs --fail-on-new", "For a script: exit code 1 on new failures"),
        ],
        commonOptions: ["--a", "--b", "--fail-on-new", "--server", "--output"],
        optionAdvice: [
            "--since": "Name two periods: --a 09:00..10:00 --b 10:00..10:15",
            "--until": "Name two periods: --a 09:00..10:00 --b 10:00..10:15",
        ]
    )

    @Option("--a", value: "TIME..TIME", completion: ArgumentCompletion.none, help: "The period that counts as A")
    var a: LogPeriod?

    @Option("--b", value: "TIME..TIME", completion: ArgumentCompletion.none, help: "The period that counts as B")
    var b: LogPeriod?

    @OptionGroup("Output") var output = ReportOutputOptions(ComparisonRenderer.forms)
    @OptionGroup("Text") var text: TextOptions

    @Option(
        "--server",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "Only rows from this server; may be repeated"
    )
    var servers: [String]

    @Flag("--fail-on-new", help: "Exit with code 1 if there are new kinds of failures, or slower requests")
    var failsOnNew

    @OptionGroup("Rules") var rules: RuleFolderOptions
    @OptionGroup("Reading") var reading: LogReadingOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Argument("INPUT", completion: .files, help: "A and B; with --a and --b, the logs that contain both periods")
    var inputs: [String]

    func validate() throws {
        if (a == nil) != (b == nil) { throw ValidationError("--a and --b need each other: specify both periods") }
        if a == nil, inputs.count != 2 {
            throw ValidationError(
                "specify two logs to compare, A and B, or two periods of the same logs with --a and --b"
            )
        }
        let pipes = inputs.count { $0 == "-" }
        let hasInputs = !inputs.isEmpty || reading.profileName != nil
        if a != nil && (!hasInputs || pipes > 0) || pipes > 1 {
            if a != nil, !hasInputs {
                throw ValidationError("--a and --b are periods: specify the logs that contain them, or two logs")
            }
            throw ValidationError("standard input can be read only once; specify files")
        }
        _ = try (a?.window("--a"), b?.window("--b"))
    }

    func run() async throws -> ExitCode {
        let survey = try RequestSurvey(rules: rules.ruleSet())
        let sides = try [side(a, 0, "--a"), side(b, 1, "--b")]
        let (outputs, failsOnNew, redaction) = (output.outputs(text), failsOnNew, try redaction.ofReport())
        let conditions = RowCondition.servers(servers)
        try outputs.check(inputs: sides.flatMap { try $0.reader?.files() ?? [$0.name] })
        let run = LogRun(reader: LogReader(inputs: []), quiet: output.quiet, progress: ProgressStyle(.never))
        return try await run.report(to: outputs) { _ in
            var outcome = LogOutcome(events: 0, files: [], quality: ReadQuality())
            var absences: [[EmptySelection.Condition]] = []
            let portraits = try sides.map { side in
                guard let reader = side.reader else { return try side.baseline() }
                let (portrait, read) = try survey.portrait(of: reader)
                let empty = try reader.emptiness(of: FilteredReading(read), under: conditions + side.conditions)
                guard read.lookedAt > 0 else { throw side.failure(read, empty, redaction) }
                if let failure = side.repetition(in: portrait) { throw failure }
                absences.append(empty?.conditions ?? [])
                outcome.add(read)
                return portrait
            }
            // A server may occur on only one side.
            let absent = conditions.map(\.condition).filter { condition in
                !absences.isEmpty && absences.allSatisfy { $0.contains(condition) }
            }
            if !absent.isEmpty { outcome.emptiness = EmptySelection(absent, isPartial: true) }
            let comparison = LogComparison(portraits[0], portraits[1])
            outcome.differences = ComparisonRenderer.counts(comparison)
            if failsOnNew { outcome.gate = .failOnNew(comparison.isWorse) }
            let names = sides.map(\.name)
            let forms = RedactedForms(NamedComparison(comparison: comparison, names: names), redaction)
            outcome.redaction = forms.note(toFile: outputs.areFiles)
            return LogReport(outcome) { output, bytes in
                let shown = forms.report(toFile: output.isFile)
                ComparisonRenderer.append(
                    shown.comparison,
                    a: shown.names[0],
                    b: shown.names[1],
                    as: output.form,
                    layout: output.layout,
                    to: &bytes
                )
            }
        }
    }

    private func side(_ period: LogPeriod?, _ number: Int, _ option: String) throws -> Side {
        guard let period else {
            let input = inputs[number]
            if input.hasSuffix(".json") { return Side(name: input) }
            return Side(name: input, reader: try reader(of: [input], .all))
        }
        let reader = try reader(of: inputs, period.window(option))
        return Side(name: period.text, option: option, period: period, reader: reader)
    }

    private func reader(of inputs: [String], _ window: TimeWindow) throws -> LogReader {
        var reader = try reading.reader(
            of: inputs,
            LogTimeOptions(),
            profile: reading.profile(),
            example: "fastctl logs compare A.log B.log"
        )
        reader.window = window
        reader.filter.servers = servers
        return reader
    }
}

/// A comparison with the names of its two sides.
private struct NamedComparison: Sendable, Maskable {
    var comparison: LogComparison
    var names: [String]

    mutating func mask(by mask: inout Redactor) {
        comparison.mask(by: &mask)
        names = names.map { mask.path($0) }
    }
}

/// One of the two sides of a comparison.
private struct Side: Sendable {
    let name: String
    /// The option that names the side; `nil` for an input.
    var option: String?
    /// The period; `nil` for an entire input.
    var period: LogPeriod?
    /// The reader of its logs; `nil` for a file that `logs usual` wrote.
    var reader: LogReader?

    /// Reads the file that `logs usual` wrote.
    func baseline() throws -> LogPortrait {
        guard let portrait = try NormalFailures.read(name).portrait else {
            throw Failure(
                .inputRejected,
                "\(name) was written by an older version, and does not contain all failures",
                advice: "write it again: fastctl logs usual"
            )
        }
        return portrait
    }

    /// The period as a condition on rows, if there is one.
    var conditions: [RowCondition] {
        guard let window = reader?.window, !window.isAll else { return [] }
        return [RowCondition(condition: .init("in the period \(name)", nil)) { $0.window = window }]
    }

    /// Returns the error for a period that occurs on several days of the logs, whose hours and requests would be added
    /// up; `nil` if it occurs on only one day.
    func repetition(in log: LogPortrait) -> Failure? {
        guard let period, let option, let first = log.firstTime, let last = log.lastTime,
            let days = reader?.window.beginnings(around: first, last), days.first != days.last,
            let day = days.first.isoDate, let lastDay = days.last.isoDate
        else { return nil }
        return Failure(
            .usage,
            "\(option) \(name) occurs in these logs on several days, from \(day) to \(lastDay)",
            advice: "specify a day: \(option) '\(period.text(beginningOn: days.last))'"
        )
    }

    /// Returns the error for logs without rows, which can't be compared.
    func failure(_ read: ReadReport, _ reason: EmptySelection?, _ redaction: OutputRedaction) -> Failure {
        var redactor = redaction.applies(toFile: false) ? redaction.redactor : nil
        if let reason, reason.conditions.contains(where: \.isServer) {
            return Failure(
                .inputRejected,
                "\(name): \(reason.sentence(redactor.masked(read)))",
                advice: "a comparison needs rows on both sides"
            )
        }
        let times = read.coverage.compactMap { cover -> String? in
            guard let first = cover.firstTime?.iso8601, let last = cover.lastTime?.iso8601 else { return nil }
            let server = cover.server.map { redactor?.name($0, as: .host) ?? $0 } ?? "an unknown server"
            return "\(server) from \(first) to \(last)"
        }
        let covered = times.isEmpty ? "" : "; the logs cover \(times.prefix(5).joined(separator: ", "))"
        return Failure(
            .inputRejected,
            "\(name) contains no rows\(covered)",
            advice: "a comparison needs rows on both sides"
        )
    }
}

/// A period: `09:00..10:00`, `yesterday`, `2024-03-11..`.
package struct LogPeriod: ArgumentValue {
    let text: String

    package init(argument word: String) throws(ArgumentExpectation) {
        text = word
        guard !word.isEmpty, word != ".." else { throw ArgumentExpectation("TIME..TIME, or a day") }
    }

    package var argumentText: String { text }

    /// The text before the two dots and the text after them; without dots, both are the whole text.
    private var ends: (since: String, until: String) {
        let bytes = Array(text.utf8)
        guard let place = bytes.indices.dropLast().first(where: { bytes[$0] == 0x2E && bytes[$0 + 1] == 0x2E }) else {
            return (text, text)
        }
        return (
            String(decoding: bytes[..<place], as: UTF8.self), String(decoding: bytes[(place + 2)...], as: UTF8.self)
        )
    }

    /// Returns a period given as times of day with dates added, beginning on the date of `beginning`.
    package func text(beginningOn beginning: LogTime) -> String {
        let (since, until) = ends
        let spansMidnight = !until.isEmpty && (try? window("").spansMidnight) == true
        let end = spansMidnight ? LogTime(clock: beginning.clock + 86_400_000, quality: .local) : beginning
        return [(since, beginning), (until, end)].map { time, day in
            "\(day.isoDate ?? "") \(time)".split(separator: " ").joined(separator: " ")
        }
        .joined(separator: "..")
    }

    /// Returns the window; a day alone means the whole day.
    package func window(_ option: String) throws -> TimeWindow {
        let (since, until) = ends
        do {
            return try TimeWindow(
                since: since.isEmpty ? nil : since,
                until: until.isEmpty ? nil : until,
                now: .now,
                excludesEnd: true
            )
        } catch {
            throw ValidationError("\(option): \(error.message)")
        }
    }
}

extension LogOutcome {
    /// Adds the report on another reading.
    fileprivate mutating func add(_ read: ReadReport) {
        events += read.lookedAt
        // Two periods of one log come from the same files and the same lines.
        let numbers = Dictionary(files.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        var isSame = false
        for file in read.files {
            if let number = numbers[file.name] {
                isSame = isSame || file.isRead && files[number].isRead
                if !files[number].isRead || file.bytes > files[number].bytes { files[number] = file }
            } else {
                files.append(file)
            }
        }
        if !isSame { quality += read.quality } else if read.quality.lines > quality.lines { quality = read.quality }
        incomparable += read.incomparable
        notes += read.notes.filter { !notes.contains($0) }
    }
}
