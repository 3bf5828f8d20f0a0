import LogDiagnosis
import Neighbors
import ReportKit
import TextKit
import ULSLog
import WebConfig

/// A diagnosis as a page, with the problems and steps first, then the evidence, then the limits of the examination.
final class DiagnosisHTML {
    let report: DiagnosisReport
    let options: DiagnosisOptions

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    /// The maximum number of bytes of a finding's message in the overview.
    private static let longestMessage = 500
    /// The command that prints everything that does not fit on the page.
    static let command = "fastctl diagnose -o json"

    func append(to bytes: inout [UInt8]) {
        let ends = PageWords.ends(
            of: report.logs?.files.flatMap { [$0.firstTime, $0.lastTime].compactMap(\.self) } ?? []
        )
        var document = HTMLDocument(title: "Diagnosis" + PageWords.window(ends.first, ends.last)) { [self] page in
            writeVerdict(to: &page)
            page.facts(facts)
            page.redaction(report.redaction)
        }
        if !report.findings.isEmpty {
            document.section("findings", "Problems", share: 3, writeOverview)
            document.section("steps", "Steps to take", share: 4, DiagnosisSteps(report).write)
        }
        if let logs = report.logs {
            document.section("timeline", "Timeline", share: 5) { [self] page in
                TimelineCharts(logs.timeline, noun: .row, marks: marks).write(to: &page)
            }
        }
        if !report.findings.isEmpty {
            document.section("evidence", "Evidence", share: 16) { [self] page in
                let left = page.items(report.findings.enumerated().map(\.self)) { page, finding in
                    FindingCard(finding.element, number: finding.offset + 1).write(to: &page)
                }
                page.rest(left, "finding", "findings", command: Self.command)
            }
        }
        if report.unexplainedEvents > 0 {
            document.section("unexplained", "Unexplained problems", share: 6, UnexplainedPart(report).write)
        }
        let usual = TriagePage.usual(in: report)
        if !usual.isEmpty {
            document.section("usual", "As usual", share: 1) { page in
                for sentence in usual { page.paragraph(sentence) }
            }
        }
        if !report.changes.isEmpty {
            document.section("changes", "Changes", share: 1) { [self] page in
                let left = page.list(report.changes) { "\(untrusted: $0.text)" }
                page.rest(left, "change", "changes", command: Self.command)
            }
        }
        if !report.configs.isEmpty || !report.refusedConfigs.isEmpty {
            document.section("configuration", "Configuration", share: 3, writeConfiguration)
        }
        document.section("limits", "Basis and limits", share: 3, writeLimits)
        document.section("rules", "The rules", share: 2, writeRules)
        document.append(to: &bytes)
    }

    // MARK: Head

    private func writeVerdict(to page: inout HTMLWriter) {
        let (verdict, style) = verdict
        page.element("p", ["class": "verdict \(style)"]) { page in page.element("strong") { $0.text(verdict) } }
        page.lineEnd()
        if report.findings.isEmpty { page.paragraph(DiagnosisPage.nothing(in: report), class: "lead") }
        if !options.describedRows.rows.isEmpty || options.describedRows.noise > 0 {
            page.excerpt(String(decoding: options.describedRows.text(TextLayout()), as: UTF8.self))
        }
        let unseen = DiagnosisFacts(report, DiagnosisCircumstances()).incompleteness
        if !unseen.isEmpty {
            page.paragraph("The diagnosis is incomplete: \(unseen.joined(separator: ", ")).", class: "lead")
        }
    }

    /// A one-sentence summary, and its style.
    private var verdict: (sentence: Phrase, style: String) {
        let words = DiagnosisCounts(report).severityWords
        switch report.findings.first?.severity {
        case .critical, .error: return ("Something is broken: \(words).", "error")
        case .warning: return ("Something needs attention: \(words).", "warning")
        case .info: return ("Nothing is known to be broken: \(words).", "info")
        case nil where report.unexplainedEvents > 0:
            let kinds = Quantity(
                grouped: report.unexplainedKinds,
                "kind of row shows",
                "kinds of rows show",
                isAtLeast: report.unexplainedIsAtLeast
            )
            return ("No known failure was found, but \(kinds) a problem that no rule explains.", "warning")
        case nil where DiagnosisCounts(report).passed == 0: return ("Nothing could be evaluated.", "warning")
        case nil: return ("No known failure was found.", "good")
        }
    }

    private var facts: [(name: String, value: Phrase)] {
        var facts: [(name: String, value: Phrase)] = [("Examined", "\(ReportWords.inputs(of: report))")]
        if let logs = report.logs {
            let names = Set(logs.files.compactMap(\.server)).sorted()
            if !names.isEmpty {
                facts.append(
                    (
                        names.count == 1 ? "Server" : "Servers",
                        "\(untrusted: ReportWords.list(names, maximum: ReportWords.maximumServers))"
                    )
                )
            }
            let ends = PageWords.ends(of: logs.files.flatMap { [$0.firstTime, $0.lastTime].compactMap(\.self) })
            if let span = ReportWords.span(ends.first, ends.last) {
                facts.append(("Window", "\(span)\(ends.first?.quality == .exact ? "" : ", the servers' local time")"))
            }
        }
        facts.append(("Rules", "\(DiagnosisCounts(report).sentence())"))
        return facts
    }

    // MARK: Overview

    private func writeOverview(to page: inout HTMLWriter) {
        var left = 0
        page.element("ol", ["class": "overview"]) { page in
            left = page.items(report.findings.enumerated().map(\.self)) { page, finding in
                let (number, finding) = (finding.offset + 1, finding.element)
                page.element("li") { page in
                    page.severity(finding.severity)
                    page.text(" ")
                    page.link(to: "finding-\(number)") { $0.text(untrusted: finding.rule.title) }
                    page.text(". ")
                    // The complete message is on the finding's card.
                    page.text(untrusted: finding.message, maximum: Self.longestMessage)
                    page.element("span", ["class": "remark"]) { page in
                        var facts = ["confidence \(finding.confidence.rawValue)"]
                        if finding.occurrences > 0 { facts.append(finding.occurrencesText) }
                        if let span = ReportWords.span(finding.firstTime, finding.lastTime) { facts.append(span) }
                        page.text(" (\(facts.joined(separator: ", ")))")
                    }
                }
                page.lineEnd()
            }
        }
        page.lineEnd()
        page.rest(left, "finding", "findings", command: Self.command)
        for omitted in report.omitted {
            let more = Quantity(
                grouped: omitted.count,
                "more finding is",
                "more findings are",
                isAtLeast: omitted.isAtLeast
            )
            page.paragraph("\(omitted.rule.text): \(more) not listed (\(omitted.severity.rawValue)).", class: "rest")
        }
    }

    /// Marks on the timeline: beginnings of findings, silent sources, restarts and configuration changes.
    private var marks: [TimelineCharts.Mark] {
        let findings = report.findings.enumerated().prefix(8).compactMap { number, finding -> TimelineCharts.Mark? in
            guard let time = finding.firstTime else { return nil }
            let server = finding.servers.count == 1 ? finding.servers.first : nil
            return .init(
                time: time,
                server: server,
                words: "begins: \(untrusted: finding.rule.title) (\(finding.rule.id))"
            )
        }
        let changes = report.changes.filter { $0.kind != .unended }.map {
            TimelineCharts.Mark(time: $0.time, server: $0.server, words: "\(untrusted: $0.text)")
        }
        let marks = report.marks.map {
            TimelineCharts.Mark(time: $0.time, server: $0.server, words: "\(untrusted: $0.text)")
        }
        return findings + changes + marks
    }
}

extension DiagnosisHTML {
    // MARK: Configuration

    private func writeConfiguration(to page: inout HTMLWriter) {
        if !report.configs.isEmpty {
            let comparison = ConfigComparison(report.configs)
            let groups = comparison.groups.prefix(ReportWords.maximumServers)
            let titles = groups.map { ConfigMatrix.title(of: $0.files.map(\.source)) }
            var table = HTMLTable(
                "Settings of \(Quantity(grouped: report.configs.count, "web.config file", "web.config files"))",
                [.init(title: "Setting"), .init(title: "Location")]
                    + titles.map { .init(title: "\(untrusted: $0)", isWide: true) }
                    + (titles.count > 1 ? [.init(title: "Same?")] : [])
            )
            for row in comparison.rows {
                let values = row.values.prefix(titles.count).map { value -> HTMLTable.Cell in
                    guard let value else { return .phrase("–") }
                    let note = value.line.map { ", line \($0)" } ?? ""
                    return .phrase("\(untrusted: value.value)\(value.isWritten ? note : " (default)")")
                }
                var cells: [HTMLTable.Cell] = [.phrase("\(row.setting.name)"), .untrusted(row.location)]
                cells += values
                if titles.count > 1 { cells.append(.phrase(row.differs ? "differs" : "same")) }
                table.append(cells, style: row.differs ? "differs" : nil)
            }
            table.nouns = ("setting", "settings")
            page.table(table)
            page.rest(comparison.groups.count - titles.count, "column", "columns", command: Self.command)
            page.details("Files") { page in
                let left = page.list(report.configs) { WebConfigRenderer.title(of: $0.source) }
                page.rest(left, "file", "files", command: Self.command)
            }
        }
        guard !report.refusedConfigs.isEmpty else { return }
        page.paragraph("Refused files, whose settings are unknown:")
        let left = page.list(report.refusedConfigs) { refused in
            let advice: Phrase = refused.advice.map { "; \(untrusted: $0)" } ?? ""
            return "\(untrusted: refused.place): \(untrusted: refused.message)\(advice)"
        }
        page.rest(left, "file was refused", "files were refused", command: Self.command)
    }

    // MARK: Limits and rules

    private func writeLimits(to page: inout HTMLWriter) {
        let notes =
            report.limits.map(DiagnosisNotes.phrase(about:)) + report.farmNotes.map { "\(untrusted: $0)" as Phrase }
        let left = page.list(notes) { $0 }
        page.rest(left, "note", "notes", command: Self.command)
        guard let logs = report.logs else { return page.paragraph("No logs were given.") }
        if !logs.gaps.isEmpty {
            var table = HTMLTable(
                "Periods in which a server wrote nothing",
                [
                    .init(title: "Server"), .init(title: "From"), .init(title: "Until"),
                    .init(title: "Length", isNumber: true),
                ]
            )
            for gap in logs.gaps.prefix(Self.maximumGaps) {
                let length = gap.until.milliseconds(since: gap.from)
                table.append([
                    .untrusted(gap.server), .phrase("\(gap.from.iso8601 ?? "–")"),
                    .phrase("\(gap.until.iso8601 ?? "–")"),
                    .phrase("\(length.map { "\(ShortDuration(measured: .milliseconds($0)))" } ?? "–")"),
                ])
            }
            table.omitted = max(0, logs.gaps.count - Self.maximumGaps)
            table.nouns = ("gap", "gaps")
            table.command = "fastctl logs summary -o json"
            page.table(table)
        }
        page.readNotes(logs.files, logs.quality, notes: logs.notes)
    }

    private func writeRules(to page: inout HTMLWriter) {
        page.paragraph("\(DiagnosisCounts(report).sentence()).")
        let groups = report.isEmpty ? [] : NotEvaluatedGroup.groups(of: report.notEvaluated)
        if !groups.isEmpty {
            page.paragraph("These rules were not evaluated, so the failures that they look for may be present:")
            let left = page.list(groups) { group in
                let ids = ReportWords.list(group.rules.map(\.id.text), maximum: 40)
                return "\(Quantity(grouped: group.rules.count, "rule", "rules")): \(untrusted: group.reason) (\(ids))"
            }
            page.rest(left, "reason", "reasons", command: Self.command)
        }
        if !report.passed.isEmpty {
            page.details("\(Quantity(grouped: report.passed.count, "rule", "rules")) that found nothing") { page in
                let left = page.list(report.passed) { "\($0.id) \(untrusted: $0.title)" }
                page.rest(left, "rule", "rules", command: Self.command)
            }
        }
        page.facts([("Exit code", "\(options.status.rawValue)"), ("Version", "fastctl \(options.version)")])
    }

    private static let maximumGaps = 20
}

/// The steps of all findings, each listed once with the findings that require it.
private struct DiagnosisSteps {
    private struct Step {
        let step: FixStep
        var findings: [Int]
    }

    private var steps: [Step] = []
    private let findings: [Finding]

    init(_ report: DiagnosisReport) {
        findings = report.findings
        var places: [[String?]: Int] = [:]
        for (number, finding) in report.findings.enumerated() {
            for step in finding.fix {
                let key = [step.step, step.location]
                if let place = places[key] {
                    steps[place].findings.append(number)
                } else {
                    places[key] = steps.count
                    steps.append(Step(step: step, findings: [number]))
                }
            }
        }
    }

    func write(to page: inout HTMLWriter) {
        guard !steps.isEmpty else { return page.paragraph("The rules suggest no steps.") }
        var left = 0
        page.element("ol", ["class": "steps"]) { page in
            left = page.items(steps) { page, step in
                page.element("li") { page in
                    page.element("p") { page in
                        page.text(untrusted: step.step.step)
                        page.text(" ")
                        page.element("span", ["class": "remark"]) { page in
                            page.text("for ")
                            for (place, number) in step.findings.prefix(Self.maximumFindings).enumerated() {
                                if place > 0 { page.text(", ") }
                                page.link(to: "finding-\(number + 1)") { $0.text("finding \(number + 1)") }
                            }
                            let rest = step.findings.count - Self.maximumFindings
                            if rest > 0 { page.text(" and \(Quantity(grouped: rest)) more") }
                        }
                    }
                    page.facts(facts(of: step.step))
                }
                page.lineEnd()
            }
        }
        page.lineEnd()
        page.rest(left, "step", "steps", command: DiagnosisHTML.command)
        let checks = verifications
        guard !checks.isEmpty else { return }
        page.paragraph("Afterward, check whether the steps helped:")
        _ = page.list(checks) { "\(untrusted: $0)" }
    }

    private func facts(of step: FixStep) -> [(name: String, value: Phrase)] {
        [("Where", step.location), ("Effect", step.effect), ("Undo", step.undo)].compactMap { name, text in
            text.map { (name: name, value: "\(untrusted: $0)") }
        }
    }

    /// The instructions for verifying the fix, each listed once.
    private var verifications: [String] {
        var seen: Set<String> = []
        return findings.compactMap(\.rule.verify).filter { seen.insert($0).inserted }
    }

    private static let maximumFindings = 8
}

extension HTMLWriter {
    /// Writes a list of sentences and returns the number of sentences that did not fit.
    mutating func list<Items: Collection>(_ items: Items, _ phrase: (Items.Element) -> Phrase) -> Int {
        guard !items.isEmpty else { return 0 }
        var left = 0
        element("ul") { page in
            left = page.items(items) { page, item in
                page.element("li") { $0.text(phrase(item)) }
                page.lineEnd()
            }
        }
        lineEnd()
        return left
    }

    /// Writes a severity as a word on a background in its color.
    mutating func severity(_ severity: Severity) {
        element("span", ["class": "severity \(severity.rawValue)"]) { $0.text(severity.rawValue) }
    }
}

/// A finding on a page: message, evidence, meaning.
private final class FindingCard {
    private let finding: Finding
    private let number: Int
    private var rule: Rule { finding.rule }

    /// The maximum number each of events, elements and symptoms; the data formats contain all of them.
    private static let maximumEvidence = 5
    private static let maximumSymptoms = 20

    init(_ finding: Finding, number: Int) {
        self.finding = finding
        self.number = number
    }

    func write(to page: inout HTMLWriter) {
        page.section("finding-\(number)", class: "card \(finding.severity.rawValue)") { page in
            page.severity(finding.severity)
            page.text(" \(number). ")
            page.text(untrusted: rule.title)
        } _: { page in
            page.paragraph("\(untrusted: finding.message)")
            let left = page.list(finding.symptoms.prefix(Self.maximumSymptoms)) { "\(untrusted: $0.text)" }
            page.rest(
                left + max(0, finding.symptoms.count - Self.maximumSymptoms),
                "symptom",
                "symptoms",
                command: DiagnosisHTML.command
            )
            page.facts(facts)
            page.checks(finding.reading?.checks ?? [])
            writeEvidence(to: &page)
            writeExplanation(to: &page)
        }
    }

    private var facts: [(name: String, value: Phrase)] {
        var facts: [(name: String, value: Phrase)] = []
        if let span = ReportWords.span(finding.firstTime, finding.lastTime) { facts.append(("Since", "\(span)")) }
        if finding.occurrences > 0 { facts.append(("How often", "\(finding.occurrencesText)")) }
        if finding.isUsual { facts.append(("Normal", "\(FindingPage.usual)")) }
        if !finding.servers.isEmpty {
            let names = ReportWords.list(finding.servers, maximum: ReportWords.maximumServers)
            facts.append((finding.servers.count == 1 ? "Server" : "Servers", "\(untrusted: names)"))
        }
        facts.append(("Confidence", "\(finding.confidence.rawValue) (verdict \(untrusted: finding.verdict))"))
        if !finding.undecided.isEmpty {
            let verdicts = ReportWords.list(finding.undecided, maximum: 8)
            facts.append(("Open", "\(untrusted: verdicts) would take precedence, but the input is insufficient"))
        }
        facts += finding.reading?.facts ?? []
        for sentence in finding.farm { facts.append(("Farm", "\(untrusted: sentence)")) }
        return facts
    }

    private func writeEvidence(to page: inout HTMLWriter) {
        for event in finding.evidence.prefix(Self.maximumEvidence) { page.evidence(event) }
        page.rest(finding.evidence.count - Self.maximumEvidence, "row", "rows", command: DiagnosisHTML.command)
        for config in finding.config.prefix(Self.maximumEvidence) {
            page.element("div", ["class": "evidence"]) { page in
                page.element("p", ["class": "remark"]) { page in
                    page.code(config.at)
                    if let owner = config.owner {
                        page.text(" of ")
                        page.text(untrusted: owner)
                    }
                }
                page.excerpt(config.text)
            }
            page.lineEnd()
        }
        page.rest(finding.config.count - Self.maximumEvidence, "element", "elements", command: DiagnosisHTML.command)
    }

    private func writeExplanation(to page: inout HTMLWriter) {
        page.details("Meaning") { page in
            page.paragraph("\(untrusted: rule.explanation.what)")
            page.paragraph("\(untrusted: rule.explanation.why)")
            if let impact = rule.explanation.impact { page.paragraph("\(untrusted: impact)") }
            if !rule.references.isEmpty {
                page.element("ul") { page in
                    for reference in rule.references.prefix(Self.maximumSymptoms) {
                        page.element("li") { $0.reference(reference.title, reference.url) }
                    }
                }
            }
            page.element("p", ["class": "remark"]) { page in
                page.code("fastctl rules show \(rule.id)")
                page.text(" shows the whole rule. Fingerprint ")
                page.code(finding.fingerprint)
            }
        }
    }
}

/// Unexplained rows on a page: all kinds in a table, and those with an interpretation.
private final class UnexplainedPart {
    private let report: DiagnosisReport

    init(_ report: DiagnosisReport) { self.report = report }

    func write(to page: inout HTMLWriter) {
        let isAtLeast = report.unexplainedIsAtLeast
        let own = report.unexplainedEvents - report.unexplainedFollowing
        let rows = Quantity(grouped: own, "row", "rows", isAtLeast: isAtLeast)
        let kinds = Quantity(grouped: report.unexplainedKinds, "kind", "kinds", isAtLeast: isAtLeast)
        let following = DiagnosisPage.following(in: report)
        page.paragraph(
            "\(rows) of \(kinds) show a problem that no rule explains\(following). They are warnings at most."
        )
        page.table(table)
        let told = report.unexplained.enumerated().filter { $0.element.fillsPage }
        let left = page.items(told) { page, cluster in write(cluster.element, cluster.offset + 1, to: &page) }
        page.rest(left, "kind", "kinds", command: DiagnosisHTML.command)
    }

    private var table: HTMLTable {
        var table = HTMLTable(
            "Kinds of rows that no rule explains",
            [
                .init(title: report.unexplainedIsAtLeast ? "Rows, at least" : "Rows", isNumber: true),
                .init(title: "Level"),
                .init(title: "Event"), .init(title: "Message", isWide: true), .init(title: "First"),
                .init(title: "Example"),
            ]
        )
        for (number, kind) in report.unexplained.enumerated() {
            table.append(
                [
                    .count(kind.count), .phrase("\(untrusted: kind.level.word)", kind.level.style.name),
                    .code(kind.eventID),
                    HTMLTable.Cell(
                        content: { page in
                            guard kind.fillsPage else { return page.text(untrusted: kind.headline) }
                            page.link(to: "kind-\(number + 1)") { $0.text(untrusted: kind.headline) }
                        },
                        style: nil
                    ),
                    .phrase("\(kind.firstTime?.iso8601 ?? "–")"),
                    .place("\(kind.example.place.file):\(kind.example.place.line)"),
                ]
            )
        }
        table.orderName = "most informative"
        table.order("most rows", by: report.unexplained.map(\.count))
        table.order("newest", by: report.unexplained.map { $0.firstTime?.instant ?? .min })
        table.omitted = report.unexplainedKinds - report.unexplained.count
        table.nouns = ("kind", "kinds")
        return table
    }

    private func write(_ cluster: FailureCluster, _ number: Int, to page: inout HTMLWriter) {
        page.section("kind-\(number)", class: "card \(cluster.severity.rawValue)") { page in
            page.severity(cluster.severity)
            page.text(" ")
            page.text(untrusted: cluster.headline)
        } _: { page in
            page.facts(facts(of: cluster))
            page.checks(cluster.explanation.checks)
            page.evidence(cluster.example)
        }
    }

    private func facts(of cluster: FailureCluster) -> [(name: String, value: Phrase)] {
        var facts: [(name: String, value: Phrase)] = []
        if let span = ReportWords.span(cluster.firstTime, cluster.lastTime) { facts.append(("Since", "\(span)")) }
        for change in cluster.changes { facts.append(("Unusual", "\(untrusted: change.text)")) }
        var amounts = ["\(Quantity(grouped: cluster.count, "row", "rows"))"]
        if cluster.requests.count > 0 { amounts.append(cluster.requests.words("request", "requests")) }
        if cluster.users.count > 0 { amounts.append(cluster.users.words("user", "users")) }
        facts.append(("How often", "\(amounts.joined(separator: ", "))"))
        facts.append(("Kind", "\(cluster.id)"))
        for (name, names) in [
            ("Server", cluster.servers), ("Users", cluster.userNames), ("Addresses", cluster.addressNames),
        ] where !names.isEmpty {
            facts.append((name, "\(untrusted: ReportWords.list(names, maximum: ReportWords.maximumServers))"))
        }
        facts += cluster.explanation.facts
        for neighbor in cluster.looksLike { facts.append(("Similar (possible)", "\(untrusted: neighbor.sentence)")) }
        return facts
    }
}

extension FailureReading {
    /// The interpretation of the text, with confidences, and usual causes of such failures.
    fileprivate var facts: [(name: String, value: Phrase)] {
        var facts = statements.map { statement in
            let name = statement.name.prefix(1).uppercased() + statement.name.dropFirst()
            let value: Phrase = "\(untrusted: statement.text)"
            return (name: statement.confidence.map { "\(name) (\($0.rawValue))" } ?? name, value: value)
        }
        if !needs.isEmpty { facts.append(("Needs", "\(needs.joined(separator: "; "))")) }
        for cause in usually { facts.append(("Usually", "\(cause)")) }
        for cause in causes { facts.append(("Cause (possible)", "\(untrusted: cause)")) }
        return facts
    }
}

extension HTMLWriter {
    /// Writes the advice of the text itself, and the recommended checks, whose commands change nothing.
    fileprivate mutating func checks(_ all: [ReadingCheck]) {
        for advice in all where advice.isAdvice { element("p") { $0.text(untrusted: advice.text) } }
        let checks = all.filter { !$0.isAdvice }
        guard !checks.isEmpty else { return }
        paragraph("Checks that change nothing:")
        element("ul", ["class": "checks"]) { page in
            for check in checks {
                page.element("li") { page in
                    page.text(untrusted: check.text)
                    guard let command = check.command else { return }
                    page.text(": ")
                    page.code(command)
                }
            }
        }
        lineEnd()
    }

    /// Writes a log row that serves as evidence.
    mutating func evidence(_ event: Evidence) {
        element("div", ["class": "evidence"]) { page in
            page.element("p", ["class": "remark"]) { page in
                if event.role == .lead { page.element("strong") { $0.text("Begin reading here. ") } }
                if let time = event.time.iso8601 { page.text("\(time) ") }
                if let server = event.server {
                    page.text(untrusted: server)
                    page.text(" ")
                }
                for word in [event.level, event.eventID, event.category] where !word.isEmpty {
                    page.text(untrusted: word)
                    page.text(" ")
                }
                page.code("\(event.place.file):\(event.place.line)")
                if let correlation = event.correlation {
                    page.text(" request ")
                    page.code(correlation)
                }
            }
            page.excerpt(event.text, isTruncated: event.isTruncated)
        }
        lineEnd()
    }
}
