import LogDiagnosis
import ULSLog

/// A finding on a page: what it says, what it rests on, what it means.
struct FindingCard {
    private let finding: Finding
    private let number: Int
    private var rule: Rule { finding.rule }

    /// The most events, elements and symptoms; the data formats have all.
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
        facts.append(("How sure", "\(finding.confidence.rawValue) (verdict \(untrusted: finding.verdict))"))
        if !finding.undecided.isEmpty {
            let verdicts = ReportWords.list(finding.undecided, maximum: 8)
            facts.append(("Open", "\(untrusted: verdicts) would come first, but the input does not say enough"))
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
        page.details("What it means") { page in
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
                page.text(" says more. Fingerprint ")
                page.code(finding.fingerprint)
            }
        }
    }
}

/// What no rule explains, on a page: all kinds in a table, and those whose text says more.
struct UnexplainedPart {
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
        table.orderName = "what says most"
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
            ("Server", cluster.servers), ("Who", cluster.userNames), ("Addresses", cluster.addressNames),
        ] where !names.isEmpty {
            facts.append((name, "\(untrusted: ReportWords.list(names, maximum: ReportWords.maximumServers))"))
        }
        facts += cluster.explanation.facts
        return facts
    }
}

extension FailureReading {
    /// What the text says by itself, how sure that is, and what such failures mostly come from.
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
    /// Writes what to look at; the commands only read.
    fileprivate mutating func checks(_ checks: [ReadingCheck]) {
        guard !checks.isEmpty else { return }
        paragraph("Look at this; it changes nothing:")
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

    /// Writes a row of a log that something rests on.
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
