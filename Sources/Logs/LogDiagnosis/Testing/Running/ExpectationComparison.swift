/// What a report says otherwise than a test expects, in words.
struct ExpectationComparison {
    private let report: DiagnosisReport
    /// The rule that is tested.
    private let rule: RuleID

    init(_ report: DiagnosisReport, rule: RuleID) {
        self.report = report
        self.rule = rule
    }

    func differences(from expectation: TestExpectation) -> [String] {
        switch expectation {
        case .notEvaluated:
            if let found = report.findings.first(where: { $0.rule.id == rule }) {
                return ["expected not evaluated, found \(found.words)"]
            }
            return reasonNotEvaluated == nil ? ["expected not evaluated, found passed"] : []
        case .findings(let expected):
            if let reason = reasonNotEvaluated, !expected.contains(where: { $0.rule == rule }) {
                return ["expected passed, found not evaluated: \(reason)"]
            }
            guard expected.count == report.findings.count else { return [countDifference(expected)] }
            return expected.indices.flatMap { index in
                let head = expected.count == 1 ? "" : "finding \(index + 1): "
                return differences(expected[index], report.findings[index]).map { head + $0 }
            }
        }
    }

    /// Why the rule was not evaluated.
    private var reasonNotEvaluated: String? { report.notEvaluated.first { $0.rule.id == rule }?.reason }

    private func countDifference(_ expected: [ExpectedFinding]) -> String {
        let wanted = expected.isEmpty ? "no finding" : expected.map(\.words).joined(separator: ", ")
        var found = report.findings.map(\.words).joined(separator: ", ")
        if found.isEmpty { found = reasonNotEvaluated.map { "not evaluated: \($0)" } ?? "no finding" }
        return "expected \(wanted), found \(found)"
    }

    private func differences(_ expected: ExpectedFinding, _ found: Finding) -> [String] {
        var lines: [String?] = [
            line("rule", expected.rule, found.rule.id),
            line("verdict", expected.verdict, found.verdict),
            line("severity", expected.severity?.rawValue, found.severity.rawValue),
            line("confidence", expected.confidence?.rawValue, found.confidence.rawValue),
            line("symptoms", expected.symptoms.map(Self.words), Self.words(found.symptomCounts)),
            line("undecided", expected.undecided.map(Self.words), Self.words(found.undecided)),
            line("count", expected.count, found.occurrences),
            line("message", expected.message, found.message),
            line("lead", expected.lead, found.evidence.first { $0.role == .lead }?.eventID ?? "none"),
        ]
        for (name, value) in expected.captures.sorted(by: { $0.key < $1.key }) {
            let capture = found.captures.first { $0.name == name }?.value
            lines.append(line("capture \(name)", value, capture ?? "none"))
        }
        return lines.compactMap(\.self)
    }

    private func line<Value: Equatable>(_ what: String, _ expected: Value?, _ found: Value) -> String? {
        guard let expected, expected != found else { return nil }
        return "\(what): expected \(expected), found \(found)"
    }

    private static func words(_ counts: [String: Int]) -> String {
        words(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
    }

    private static func words(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }
}

extension ExpectedFinding {
    /// What it is, in short: `FS0101 confirmed`.
    fileprivate var words: String { verdict.map { "\(rule) \($0)" } ?? "\(rule)" }
}

extension Finding {
    /// What it is, in short: `FS0101 confirmed`.
    fileprivate var words: String { "\(rule.id) \(verdict)" }

    fileprivate var symptomCounts: [String: Int] {
        Dictionary(symptoms.map { ($0.check, $0.count) }) { first, _ in first }
    }
}
