import LogDiagnosis

/// Known and suppressed findings, for people: what was decided about them, on a line each.
enum TriagePage {
    /// Maximum number of lines of a kind.
    private static let maximumLines = 50

    /// Adds known findings in one line, and those that are gone.
    static func addKnown(of report: DiagnosisReport, to page: inout Page) {
        let known = Dictionary(grouping: report.known, by: \.rule.id).sorted { $0.key < $1.key }
        guard !known.isEmpty || !report.gone.isEmpty || report.unseenKnown > 0 else { return }
        page.heading("Known")
        if !known.isEmpty {
            let rules = known.map { $0.value.count > 1 ? "\($0.key) (\($0.value.count))" : "\($0.key)" }
            let findings = Quantity(grouped: report.known.count, "finding is", "findings are")
            page.sentence("\(findings) known: \(ReportWords.list(rules, maximum: maximumLines))")
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
