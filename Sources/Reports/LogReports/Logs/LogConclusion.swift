package import LogDiagnosis
package import Redaction
import ReportKit
package import TextKit
package import ULSLog

/// The conclusion of reading logs: exit code and final messages, derived together so that they cannot disagree.
///
/// Finding nothing is a valid result, not a failure: the exit code is 0, and the remarks list the times that each
/// server's logs cover. Logs without any event are rejected input, unless a window excluded all events.
package struct LogConclusion: Sendable {
    package let status: ExitStatus
    /// One line that summarizes the run.
    package let sentence: String
    /// Other remarks, one line each, to be printed before the sentence.
    package let remarks: [String]

    /// All lines to print at the end.
    package var lines: [String] { remarks + [sentence] }

    package init(_ outcome: LogOutcome) {
        var statuses: [ExitStatus] = []
        if !outcome.quality.balances { statuses.append(.unbalanced) }
        if outcome.files.contains(where: \.isIncomplete) { statuses.append(.inputRejected) }
        if outcome.holdsNothing || outcome.failsAsEmpty && outcome.emptiness != nil {
            statuses.append(.inputRejected)
        }
        if outcome.isGateClosed { statuses.append(.documentsFailed) }
        status = .first(of: statuses)
        sentence = Self.sentence(on: outcome)
        remarks = Self.remarks(on: outcome)
    }

    private static func remarks(on outcome: LogOutcome) -> [String] {
        var lines = outcome.notes
        if let emptiness = outcome.emptiness {
            // If nothing was found, the times that each server's logs cover follow.
            let showsTimes = outcome.events > 0
            lines.append(emptiness.sentence(coverage: outcome.coverage, files: outcome.files, showsTimes: showsTimes))
        }
        if !outcome.tellsNotes { lines += ReadNotes.lines(files: outcome.files, quality: outcome.quality) }
        if outcome.incomparable > 0 {
            let rows = Quantity(outcome.incomparable, "row was", "rows were")
            lines.append(
                "\(rows) left out: the time is not precise enough to compare with the window; use --tz [SERVER=]ZONE"
            )
        }
        if !outcome.quality.balances {
            lines.append("the line counts do not add up; please report this: it is a bug in this program")
        }
        if let omission = outcome.omission { lines.append(omission) }
        if let gate = outcome.gate, outcome.isGateClosed { lines.append(gate.remark) }
        if let redaction = outcome.redaction { lines.append(RedactionNote.line(about: redaction)) }
        if outcome.events == 0, !outcome.isLimited {
            lines += outcome.coverage.map { CoveragePhrase($0, since: nil, until: nil).phrase.text(TextLayout()) }
            lines += SearchAdvice.lines(for: outcome)
        }
        return lines
    }

    /// Returns `1219 events of 1219 rows in 1 file (0.2 s)`.
    private static func sentence(on outcome: LogOutcome) -> String {
        let duration = "(\(ShortDuration(outcome.duration)))"
        let count = outcome.quality.notUnderstood
        let notUnderstood = count > 0 ? "; \(Quantity(count, "line", "lines")) not understood" : ""
        if outcome.isLimited {
            return "stopped after \(Quantity(outcome.events, "event", "events"))\(notUnderstood) \(duration)"
        }
        return "\(found(by: outcome))\(notUnderstood) \(duration)"
    }

    private static func found(by outcome: LogOutcome) -> String {
        let place = "in \(Quantity(outcome.files.count(where: \.isRead), "file", "files"))"
        if outcome.holdsNothing { return "no events \(place)" }
        if let differences = outcome.differences { return "\(differences) \(place)" }
        if let total = outcome.requests {
            let requests = Quantity(total, "request", "requests")
            if outcome.events == 0 { return "nothing found: none of \(requests) \(place)" }
            return "\(outcome.events) found; \(requests) \(place)"
        }
        // Lines that were skipped were not split into rows.
        let quality = outcome.quality
        let rows =
            quality.passedOver > 0
            ? Quantity(quality.lines, "line", "lines") : Quantity(quality.records, "row", "rows")
        if outcome.events == 0 { return "nothing found: none of \(rows) \(place)" }
        return "\(Quantity(outcome.events, "event", "events")) of \(rows) \(place)"
    }
}

extension LogOutcome {
    /// Whether the failure condition makes the exit code 1.
    var isGateClosed: Bool {
        switch gate {
        case .failIfNone: events == 0
        case .failIfAny: events > 0
        case .failOnNew(let isWorse): isWorse
        case nil: false
        }
    }

    /// Whether the input contains no event at all, for a reason other than a window.
    package var holdsNothing: Bool {
        guard !isLimited, differences == nil, events == 0, quality.records == 0 else { return false }
        return !(hasWindow && files.contains { $0.isSkipped || $0.unreadBytes > 0 || $0.firstTime != nil })
    }
}

/// The parts of the outcome of reading logs that the conclusion depends on.
package struct LogOutcome: Sendable {
    /// The number of requested events.
    package var events: Int
    package var files: [SourceReport]
    package var quality: ReadQuality
    /// The times that each server's opened logs cover.
    package var coverage: [ServerCoverage]
    /// The number of rows whose times do not show whether they are in the window.
    package var incomparable = 0
    /// Notes about inputs that were skipped.
    package var notes: [String] = []
    /// Whether a window was given, which may leave no events.
    package var hasWindow = false
    /// The number of milliseconds before now at which the window begins; `nil` if it is not relative to now.
    package var reachFromNow: Int64?
    /// The texts that messages were required to contain.
    package var texts: [String] = []
    /// Whether reading stopped at `--limit`, so that the rest was not read.
    package var isLimited = false
    /// Whether the results already show how the files were read.
    package var tellsNotes = false
    /// A remark about anything that the output omits, such as events that its format cannot represent.
    package var omission: String?
    /// The summary of masked values, if the results do not contain it.
    package var redaction: RedactionSummary?
    package var duration = Duration.zero
    /// The number of requests read, if requests were searched for; in this case, ``events`` counts the requests found.
    package var requests: Int?
    package var gate: LogGate?
    /// The result of a comparison, in words.
    package var differences: String?
    /// The conditions that no row meets, or the values that do not occur in any row.
    package var emptiness: EmptySelection?
    /// Whether the run fails if no row meets the conditions.
    package var failsAsEmpty = false

    package init(
        events: Int,
        files: [SourceReport],
        quality: ReadQuality,
        coverage: [ServerCoverage]? = nil
    ) {
        self.events = events
        self.files = files
        self.quality = quality
        self.coverage = coverage ?? ServerCoverage.of(files)
    }
}

extension LogOutcome {
    package init(_ report: ReadReport) {
        self.init(events: report.events, files: report.files, quality: report.quality, coverage: report.coverage)
        incomparable = report.incomparable
        notes = report.notes
    }

    package init(_ summary: LogSummary) {
        self.init(events: summary.events, files: summary.files, quality: summary.quality)
        incomparable = summary.incomparable
        notes = summary.notes
    }

    package init(_ report: SlowReport) {
        self.init(events: report.events, files: report.files, quality: report.quality)
        incomparable = report.incomparable
        notes = report.notes
    }

    /// Creates the outcome of a reading that stopped after a number of events.
    package init(limitedTo events: Int) {
        self.init(events: events, files: [], quality: ReadQuality())
        isLimited = true
    }
}

/// A condition under which a search or a comparison makes the exit code 1.
package enum LogGate: Hashable, Sendable {
    case failIfNone
    case failIfAny
    /// Whether there are new kinds of failure or slower requests.
    case failOnNew(Bool)

    fileprivate var remark: String {
        switch self {
        case .failIfNone: "exit code 1: nothing was found (--fail-if-none)"
        case .failIfAny: "exit code 1: something was found (--fail-if-any)"
        case .failOnNew: "exit code 1: there are new kinds of failure or slower requests (--fail-on-new)"
        }
    }
}

/// Advice for a search that found nothing, perhaps because the query does not express the user's intention.
private enum SearchAdvice {
    static func lines(for outcome: LogOutcome) -> [String] {
        let literal = outcome.texts.filter(looksLikeExpression).map {
            "--contains '\($0)' searches for exactly this text; for a regular expression, use --match '\($0)'"
        }
        return [timeAdvice(for: outcome)].compactMap(\.self) + literal
    }

    /// Returns a remark on the end of the logs, if the window is relative to now and begins after the logs end.
    private static func timeAdvice(for outcome: LogOutcome) -> String? {
        guard let reach = outcome.reachFromNow,
            let last = outcome.coverage.compactMap(\.lastTime).filter(\.hasDate).max(by: { $0.instant < $1.instant }),
            let end = last.iso8601
        else { return nil }
        var start = last
        start.clock -= reach
        guard let since = start.iso8601 else { return nil }
        return "--since counts from now, but the logs end at \(end); to count from their end, use --since \(since)"
    }

    /// Returns whether a text is written like a regular expression: `a.*b`, `\d`, `^a`, `a$`, `a|b`, `[0-9]+`, `(?:a)`.
    static func looksLikeExpression(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, let last = bytes.last, bytes.count > 1 else { return false }
        if first == UInt8(ascii: "^") || last == UInt8(ascii: "$") { return true }
        if bytes.dropFirst().dropLast().contains(UInt8(ascii: "|")) { return true }
        return zip(bytes, bytes.dropFirst()).contains { one, next in
            switch (Unicode.Scalar(one), Unicode.Scalar(next)) {
            case (".", "*"), (".", "+"), (".", "?"), ("]", "*"), ("]", "+"), ("]", "{"), ("(", "?"), (")", "?"),
                (")", "*"), (")", "+"):
                true
            case ("\\", let letter): "dDsSwWbB.()[]{}|?*+^$".unicodeScalars.contains(letter)
            default: false
            }
        }
    }
}
