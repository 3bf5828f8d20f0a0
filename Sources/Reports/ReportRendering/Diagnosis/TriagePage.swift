import LogDiagnosis

/// Known and suppressed findings, for people: what was decided about them, on a line each.
enum TriagePage {
    /// Maximum number of lines of a kind.
    private static let maximumLines = 50

    /// Adds known findings in one line, and those that are gone.
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
        if left > 0 { page.sentence("\(Quantity(grouped: left, "more is", "more are")) gone: see -o json") }
        if report.unseenKnown > 0 {
            let findings = Quantity(grouped: report.unseenKnown, "known finding", "known findings")
            page.sentence("\(findings) could not have been seen in this input: perhaps gone, perhaps not")
        }
    }

    /// Returns what the file of what is normal leaves untold, a sentence each.
    static func usual(in report: DiagnosisReport) -> [Phrase] {
        var sentences: [Phrase] = []
        if report.normalKinds > 0 {
            let rows = Quantity(grouped: report.normalRows, "row", "rows")
            let kinds = Quantity(grouped: report.normalKinds, "kind", "kinds")
            sentences.append("\(rows) of \(kinds) are normal, and as frequent as usual (--normal).")
        }
        let usual = report.usual
        if !usual.isEmpty {
            let findings = Quantity(grouped: usual.count, "finding is", "findings are")
            sentences.append("\(findings) as usual (--normal): \(rules(of: usual))")
        }
        return sentences
    }

    /// The IDs of the rules of findings, with how many there are of each.
    private static func rules(of findings: [Finding]) -> String {
        let rules = Dictionary(grouping: findings, by: \.rule.id).sorted { $0.key < $1.key }.map { id, findings in
            findings.count > 1 ? "\(id) (\(findings.count))" : "\(id)"
        }
        return ReportWords.list(rules, maximum: maximumLines)
    }

    /// Adds a line for each suppressed finding; those that an entry hides alike share a line.
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
    /// Findings that are not told because they are as usual, though no baseline has them.
    var usual: [Finding] { known.filter(isUsual) }

    func isUsual(_ finding: Finding) -> Bool { finding.isUsual && !(triage.baseline?.knows(finding) ?? false) }
}

/// Findings that one suppression hides, in a line: `FS1003 Title: suppressed until 2027-01-31: reason (owner)`.
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
