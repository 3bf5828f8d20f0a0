import YAML

extension RuleDescription.Example {
    /// The most characters of a message that an example shows.
    private static let maximumMessage = 160

    /// The tests of a file, those that `each` makes of one only once.
    static func all(of file: RuleTestFile) -> [RuleDescription.Example] {
        var lines: Set<Int> = []
        return file.tests.filter { lines.insert($0.place.line).inserted }.map { Self($0, of: file.rule) }
    }

    private init(_ test: RuleTest, of rule: RuleID) {
        name = test.name
        given = Self.lines(of: test.log) + test.configs.map(Self.line)
        switch test.expectation {
        case .notEvaluated: outcome = "not evaluated"
        case .findings(let findings) where findings.isEmpty: outcome = "nothing"
        case .findings(let findings):
            outcome = findings.map { finding in
                let words = [finding.rule == rule ? nil : finding.rule.text, finding.verdict ?? "a finding"]
                let severity = finding.severity.map { " (\($0.rawValue))" } ?? ""
                return words.compactMap(\.self).joined(separator: " ") + severity
            }.joined(separator: ", ")
        }
        if test.isKnownGap { outcome += " (a known gap: not yet)" }
    }

    private static func lines(of log: TestLog?) -> [String] {
        switch log {
        case nil: []
        case .paste(let text): text.split(whereSeparator: \.isNewline).map { shortened(String($0)) }
        case .rows(let rows):
            rows.map { row in
                let time = row.time.native.suffix(11)
                return "\(time) \(row.eventID) \(row.level) \(shortened(row.message))"
            }
        }
    }

    private static func line(of config: TestConfig) -> String {
        let label = [config.server, config.zone].compactMap(\.self).joined(separator: "/")
        return (label.isEmpty ? "web.config: " : "web.config of \(label): ") + shortened(config.xml)
    }

    private static func shortened(_ text: String) -> String {
        let line = String(text.map { $0.isNewline ? " " : $0 })
        return line.count > maximumMessage ? line.prefix(maximumMessage - 1) + "\u{2026}" : line
    }
}
