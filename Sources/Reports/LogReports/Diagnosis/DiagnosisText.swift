import LogDiagnosis
import Redaction
import ReportKit
import TextKit
import ULSLog
import WebConfig

/// A diagnosis in readable form: findings with advice, then everything that was not explained, evaluated or read.
final class DiagnosisText {
    private let report: DiagnosisReport
    private let layout: TextLayout
    private let detail: FindingDetail
    private let describedRows: DescribedRows

    /// The maximum number of clusters with their own pages; the others are in a table.
    private static let maximumPages = 5

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        detail = options.detail
        describedRows = options.describedRows
        // This text ends up in the logs of CI jobs as well.
        var safe = options.layout
        safe.neutralizesRunnerCommands = true
        self.layout = safe
    }

    func append(to bytes: inout [UInt8]) {
        if let redaction = report.redaction, !redaction.isApplied {
            RedactionNote.phrase(about: redaction).append(to: &bytes, layout)
            bytes.append(text: "\n\n" as StaticString)
        }
        var previous: Finding?
        for finding in report.findings {
            switch detail {
            case .page: FindingPage(finding, logs: report.logWords).append(layout, to: &bytes)
            case .full: FindingText(finding, after: previous, layout).append(to: &bytes)
            }
            bytes.append(0x0A)
            previous = finding
        }
        let told = report.unexplained.prefix(detail == .full ? .max : Self.maximumPages).prefix(while: \.fillsPage)
        for cluster in told {
            FindingPage(cluster, isFull: detail == .full, logs: report.logWords).append(layout, to: &bytes)
            bytes.append(0x0A)
        }
        let rest = DiagnosisPage.page(of: report, without: told.count, rows: describedRows, layout)
        if !rest.blocks.isEmpty {
            rest.append(to: &bytes, layout)
            bytes.append(0x0A)
        }
        let counts: Phrase = "\(DiagnosisCounts(report).sentence(layout.isUnicode ? " · " : "; "))"
        counts.appendLines(to: &bytes, layout)
    }
}

/// Everything in a diagnosis except its findings, in readable form: for text, Markdown and JUnit.
enum DiagnosisPage {
    /// Returns the page without the first kinds of unexplained rows, which have already been shown.
    static func page(
        of report: DiagnosisReport,
        without told: Int = 0,
        rows: DescribedRows,
        _ layout: TextLayout
    ) -> Page {
        var page = Page()
        if report.findings.isEmpty { page.sentence(nothing(in: report)) }
        rows.add(to: &page, layout)
        TriagePage.addKnown(of: report, to: &page)
        addUnexplained(of: report, without: told, to: &page)
        for sentence in TriagePage.usual(in: report) { page.sentence(sentence) }
        if !report.changes.isEmpty { page.heading("What changed") }
        for change in report.changes.prefix(maximumLines) { page.sentence("\(untrusted: change.text)") }
        addNotEvaluated(of: report, to: &page)
        if !report.refusedConfigs.isEmpty {
            page.heading("Refused web.config files")
            for refused in report.refusedConfigs.prefix(maximumLines) {
                let advice: Phrase = refused.advice.map { "; \(untrusted: $0)" } ?? ""
                page.sentence("\(untrusted: refused.place): \(untrusted: refused.message)\(advice)")
            }
            addRest(of: report.refusedConfigs.count, "file was", "files were", "refused", to: &page)
        }
        let notes = DiagnosisNotes.phrases(of: report)
        if !notes.isEmpty { page.heading("Notes") }
        for note in notes { page.sentence(note) }
        TriagePage.addSuppressed(of: report, to: &page)
        return page
    }

    /// Returns `No rule matched: 24 rules were run on 1,219 rows in 1 file.` or a similar sentence.
    static func nothing(in report: DiagnosisReport) -> Phrase {
        let counts = DiagnosisCounts(report)
        guard counts.rules > 0 else { return "No rules were run." }
        if report.isEmpty, let reason = report.emptiness?.sentence(report.logs) {
            return "Nothing was examined: \(untrusted: reason)"
        }
        let inputs = ReportWords.inputs(of: report)
        let all = Quantity(grouped: counts.rules, "rule", "rules")
        let rules =
            counts.notEvaluated > 0
            ? "\(Quantity(grouped: counts.rules - counts.notEvaluated)) of \(all) could be evaluated"
            : "\(Quantity(grouped: counts.rules, "rule was", "rules were")) run"
        let hidesRows = report.suppressed.contains { $0.finding == nil }
        let hasOthers = !report.known.isEmpty || report.suppressed.contains { $0.finding != nil }
        let unexplained: Phrase =
            report.logs?.lookedAt ?? 0 == 0 || report.unexplainedEvents > 0 || hidesRows
            ? ""
            : " No \(hasOthers ? "other " : "")row shows a problem by its level (Monitorable or worse), an exception, a code or known text."
        return "\(hasOthers ? "No new finding" : "No rule matched"): \(rules) on \(inputs).\(unexplained)"
    }

    private static func addUnexplained(of report: DiagnosisReport, without told: Int, to page: inout Page) {
        let isTold = report.unexplained.count <= told && report.unexplainedFollowing == 0
        guard !isTold || report.unexplainedEvents > 0 && told == 0 else { return }
        let isAtLeast = report.unexplainedIsAtLeast
        let own = report.unexplainedEvents - report.unexplainedFollowing
        let events = Quantity(grouped: own, "row", "rows", isAtLeast: isAtLeast)
        let kinds = Quantity(grouped: report.unexplainedKinds, "kind", "kinds", isAtLeast: isAtLeast)
        page.heading("Unexplained")
        page.sentence(
            """
            No rule explains \(events) of \(kinds) that show a problem\
            \(told > 0 ? "; \(Quantity(grouped: told)) shown above" : "")\
            \(following(in: report))
            """
        )
        var table = TextTable(columns: [
            .init(title: "EVENT ID"), .init(title: "LEVEL"),
            .init(title: isAtLeast ? "AT LEAST" : "COUNT", alignment: .right),
            .init(title: "KIND"), .init(title: "EXAMPLE", minimum: 16), .init(title: "MESSAGE", minimum: 24),
        ])
        for kind in report.unexplained.dropFirst(told) {
            table.append([
                .untrusted(short(kind.eventID)), .untrusted(short(kind.level.word), kind.level.style),
                .count(kind.count), "\(kind.id)",
                .untrusted("\(kind.example.place.file):\(kind.example.place.line)"),
                .untrusted(kind.template),
            ])
        }
        page.table(table)
        let rest = UnlistedKinds(report)
        if !rest.isNone { page.sentence("\(rest.sentence)") }
    }

    /// Returns the number of rows that are not part of any kind, so that the totals add up.
    static func following(in report: DiagnosisReport) -> String {
        let count = report.unexplainedFollowing
        guard count > 0 else { return "" }
        return "; \(Quantity(grouped: count)) more \(count == 1 ? "follows" : "follow") them in the same requests"
    }

    /// Returns a shortened word for a column that is never cut; returns `nil` if the word is empty.
    private static func short(_ word: String) -> String? { word.isEmpty ? nil : String(word.prefix(16)) }

    private static func addNotEvaluated(of report: DiagnosisReport, to page: inout Page) {
        // The first sentence already explains why no row was examined.
        let groups = report.isEmpty ? [] : NotEvaluatedGroup.groups(of: report.notEvaluated)
        guard !groups.isEmpty else { return }
        page.heading("Not evaluated")
        for group in groups.prefix(maximumLines) {
            let rules = Quantity(grouped: group.rules.count, "rule", "rules")
            let ids = ReportWords.list(group.rules.map(\.id.text), maximum: maximumIDs)
            page.sentence("\(rules): \(untrusted: group.reason) (\(ids))")
        }
        addRest(of: groups.count, "reason is", "reasons are", "in -o json", to: &page)
    }

    private static func addRest(
        of count: Int,
        _ one: String,
        _ several: String,
        _ what: String,
        to page: inout Page
    ) {
        guard count > maximumLines else { return }
        page.sentence("\(Quantity(grouped: count - maximumLines, "more \(one)", "more \(several)")) \(what)")
    }

    /// The maximum number of lines in a section.
    private static let maximumLines = 20
    /// The maximum number of rule IDs on a line.
    private static let maximumIDs = 40
}

/// Notes about how a diagnosis was made, as sentences for its readers.
enum DiagnosisNotes {
    static func phrases(of report: DiagnosisReport) -> [Phrase] {
        warnings(of: report) + [report.redaction.map(RedactionNote.phrase(about:))].compactMap(\.self)
    }

    /// Notes that may require action, which excludes the note that the report is redacted.
    static func warnings(of report: DiagnosisReport) -> [Phrase] {
        var phrases: [Phrase] = report.omitted.map { omitted in
            let findings = Quantity(
                grouped: omitted.count,
                "more finding is",
                "more findings are",
                isAtLeast: omitted.isAtLeast
            )
            return "\(omitted.rule.text): \(findings) not listed (\(omitted.severity.rawValue))"
        }
        phrases += report.limits.map(phrase(about:))
        phrases += report.farmNotes.map { "\(untrusted: $0)" }
        guard let logs = report.logs else { return phrases }
        phrases += logs.notes.prefix(ReadNotes.maximumFiles).map { "\(untrusted: $0)" }
        return phrases + ReadNotes.phrases(about: logs.files) + ReadNotes.phrases(about: logs.quality)
    }

    static func phrase(about reached: DiagnosisLimitReached) -> Phrase {
        let maximum = Quantity(grouped: reached.limit.maximum)
        let times = Quantity(grouped: reached.count)
        return switch reached.limit {
        case .groups:
            "More than \(maximum) requests were open in a check, so \(times) were abandoned; narrow the window"
        case .distinctValues:
            """
            Checks count up to \(maximum) different values, such as requests, exactly; \(times) more rows matched, so \
            counts are minimums ("at least"). Narrow the window for exact numbers
            """
        case .findingValues:
            """
            A rule can have up to \(maximum) findings; \(times) more rows matched and are not in any of them. Narrow \
            the window
            """
        case .templates:
            "There are more than \(maximum) kinds of unexplained events; \(times) events are counted together"
        case .supersededEvents:
            """
            More than \(maximum) events were waiting for a more specific rule, so \(times) were decided early, perhaps \
            by a less specific rule
            """
        }
    }
}

extension WebConfigError {
    /// The file, with the line if it is known.
    var place: String { source.path + (line.map { ":\($0)" } ?? "") }
}

/// Known and suppressed findings in readable form: the decision about each of them, on one line.
enum TriagePage {
    /// The maximum number of lines of a kind.
    private static let maximumLines = 50

    /// Adds a line about known findings, and one about findings that are gone.
    static func addKnown(of report: DiagnosisReport, to page: inout Page) {
        let known = report.known.filter { !report.isUsual($0) }
        guard !known.isEmpty || !report.gone.isEmpty || report.unseenKnown > 0 else { return }
        page.heading("Known")
        if !known.isEmpty {
            let findings = Quantity(grouped: known.count, "finding is", "findings are")
            page.sentence("\(findings) known: \(rules(of: known))")
        }
        for entry in report.gone.prefix(maximumLines) {
            page.sentence("Gone: \(entry.rule.text) \(untrusted: entry.title) (\(untrusted: entry.fingerprint))")
        }
        let left = report.gone.count - maximumLines
        if left > 0 { page.sentence("\(Quantity(grouped: left, "more is", "more are")) gone; see -o json") }
        if report.unseenKnown > 0 {
            let findings = Quantity(grouped: report.unseenKnown, "known finding", "known findings")
            page.sentence("\(findings) cannot be seen in this input, and may or may not be gone")
        }
    }

    /// Returns sentences about the failures that are missing from the file of normal failures.
    static func usual(in report: DiagnosisReport) -> [Phrase] {
        var sentences: [Phrase] = []
        if report.normalKinds > 0 {
            let rows = Quantity(grouped: report.normalRows, "row", "rows")
            let kinds = Quantity(grouped: report.normalKinds, "kind", "kinds")
            sentences.append("\(rows) of \(kinds) are not more frequent than usual (--usual).")
        }
        let usual = report.usual
        if !usual.isEmpty {
            let findings = Quantity(grouped: usual.count, "finding is", "findings are")
            sentences.append("\(findings) as usual (--usual): \(rules(of: usual))")
        }
        return sentences
    }

    /// Returns the IDs of the findings' rules, each with its number of findings.
    private static func rules(of findings: [Finding]) -> String {
        let rules = Dictionary(grouping: findings, by: \.rule.id).sorted { $0.key < $1.key }.map { id, findings in
            findings.count > 1 ? "\(id) (\(findings.count))" : "\(id)"
        }
        return ReportWords.list(rules, maximum: maximumLines)
    }

    /// Adds a line for each suppressed finding; similar findings that are hidden by the same entry share a line.
    static func addSuppressed(of report: DiagnosisReport, to page: inout Page) {
        let lines = SuppressedLine.lines(of: report)
        guard !lines.isEmpty else { return }
        page.heading("Suppressed")
        for line in lines.prefix(maximumLines) { page.sentence("\(untrusted: line.text)") }
        let left = lines.count - maximumLines
        if left > 0 { page.sentence("\(Quantity(grouped: left, "more line is", "more lines are")) in -o json") }
    }
}

extension DiagnosisReport {
    /// Findings that are not reported because they are not more frequent than usual, although no baseline contains them.
    var usual: [Finding] { known.filter(isUsual) }

    func isUsual(_ finding: Finding) -> Bool { finding.isUsual && !(triage.baseline?.knows(finding) ?? false) }
}

/// The findings that one suppression hides, on one line: `FS1003 Title: suppressed until 2027-01-31: reason (owner)`.
private struct SuppressedLine {
    private let title: String
    private let suppression: Suppression
    private var count = 1

    private init(_ suppressed: SuppressedFinding) {
        suppression = suppressed.suppression
        title =
            switch suppressed.subject {
            case .finding(let finding): ReportWords.title(of: finding.rule)
            case .unexplained(let cluster): "\(cluster.headline) (kind \(cluster.id), \(cluster.rowsText))"
            }
    }

    var text: String {
        let number = count > 1 ? " (\(Quantity(grouped: count, "finding", "findings")))" : ""
        return "\(title)\(number): \(suppression)"
    }

    static func lines(of report: DiagnosisReport) -> [SuppressedLine] {
        var lines: [SuppressedLine] = []
        for suppressed in report.suppressed {
            let line = SuppressedLine(suppressed)
            if let last = lines.indices.last, lines[last].title == line.title,
                lines[last].suppression.place == line.suppression.place
            {
                lines[last].count += 1
            } else {
                lines.append(line)
            }
        }
        return lines
    }
}
