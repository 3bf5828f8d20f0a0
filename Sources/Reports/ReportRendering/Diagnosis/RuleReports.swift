import JSONText
public import LogDiagnosis
import TextSafety

/// Lists rules: text for people, `fastctl.rule/1` objects as an array or one per line, or their IDs.
public enum RuleListRenderer {
    /// Appends the rules in the given order.
    public static func append(
        _ entries: [RuleLibrary.Entry],
        as format: OutputFormat,
        nameEnd: NameEnd = .line,
        _ layout: TextLayout,
        to bytes: inout [UInt8]
    ) {
        switch format {
        case .json, .ndjson:
            var list = JSONList(isArray: format == .json)
            for entry in entries { list.append(to: &bytes) { append(entry, to: &$0) } }
            list.end(in: &bytes)
        case .name:
            for entry in entries {
                bytes.append(contentsOf: entry.rule.id.text.utf8)
                bytes.append(nameEnd == .nul ? 0 : 0x0A)
            }
        case .text: page(of: entries).append(to: &bytes, layout)
        }
    }

    private static func page(of entries: [RuleLibrary.Entry]) -> Page {
        var page = Page()
        var table = TextTable(columns: [
            .init(title: "ID"), .init(title: "WORST"), .init(title: "STATUS"), .init(title: "NEEDS"),
            .init(title: "TITLE", minimum: 24),
        ])
        for entry in entries {
            let rule = entry.rule
            table.append([
                "\(rule.id)", "\(rule.kind == .noise ? "noise" : rule.worstSeverity?.rawValue ?? "-")",
                "\(rule.status.rawValue)",
                "\(rule.needs.words)", .untrusted(rule.title),
            ])
        }
        page.table(table)
        return page
    }

    private static func append(_ entry: RuleLibrary.Entry, to bytes: inout [UInt8]) {
        let rule = entry.rule
        bytes.append(object: "fastctl.rule/1") { object in
            DiagnosisObject.writeName(of: rule, to: &object)
            object.member("revision", rule.revision)
            object.member("status", rule.status.rawValue)
            object.member("kind", rule.kind.rawValue)
            object.member("category", rule.category)
            object.member("severity", rule.worstSeverity?.rawValue)
            object.member("logs", rule.needs.logs?.rawValue)
            object.member("webConfig", rule.needs.webConfig?.rawValue)
            object.member("supersedes", rule.supersedes.map(\.text))
            object.member("builtIn", entry.isBuiltIn)
            object.member("file", entry.source.name)
        }
    }
}

extension Rule {
    /// Worst severity of the rule's verdicts.
    var worstSeverity: Severity? { verdicts.map(\.severity).max() }
}

extension Needs {
    /// Inputs by name, optional ones with a question mark: `logs, web.config?`.
    fileprivate var words: String {
        [(logs, "logs"), (webConfig, "web.config")].compactMap { need, name in
            need.map { $0 == .required ? name : "\(name)?" }
        }.joined(separator: ", ")
    }
}

/// Shows a rule to people, with its tests as examples.
public enum RuleRenderer {
    private static let indent = 12

    /// Appends the rule's description.
    public static func append(_ description: RuleDescription, _ layout: TextLayout, to bytes: inout [UInt8]) {
        let id = description.id.text
        bytes.append(label: id, .bold, indent: id.utf8.count + 2, paragraph: description.title, layout)
        append(description.identity, layout, to: &bytes)
        for section in description.sections {
            bytes.append(0x0A)
            bytes.append(.bold, layout) { $0.append(text: section.heading) }
            bytes.append(0x0A)
            for block in section.blocks { append(block, layout, to: &bytes) }
        }
    }

    private static func append(_ block: RuleDescription.Block, _ layout: TextLayout, to bytes: inout [UInt8]) {
        switch block {
        case .paragraph(let text): bytes.append(label: "  ", indent: 2, paragraph: text, layout)
        case .facts(let facts): append(facts, layout, to: &bytes)
        case .steps(let steps):
            for (number, step) in steps.enumerated() {
                bytes.append(label: "  \(number + 1)", indent: 4, paragraph: step.text, layout)
                for detail in step.details {
                    bytes.append(label: "    \(detail.name)", indent: indent, paragraph: detail.text, layout)
                }
            }
        case .references(let references):
            for reference in references {
                bytes.append(label: "  ", indent: 2, paragraph: reference.title, layout)
                if let url = reference.url { bytes.append(label: "    ", indent: 4, paragraph: url, layout) }
            }
        case .examples(let examples):
            for example in examples {
                bytes.append(label: "  ", indent: 2, paragraph: example.name, layout)
                for line in example.given {
                    bytes.append(text: "    | ")
                    bytes.append(line: line, columns: layout.cutWidth.map { $0 - 6 }, layout)
                    bytes.append(0x0A)
                }
                bytes.append(label: "    =", indent: 6, paragraph: example.outcome, layout)
            }
        }
    }

    /// Appends facts, each a name and its text; a name that is too long gets its own line.
    private static func append(_ facts: [RuleDescription.Fact], _ layout: TextLayout, to bytes: inout [UInt8]) {
        for fact in facts {
            // Names come from the rule's author and are made safe like paragraphs.
            let name = Paragraph.lines(of: fact.name, columns: .max, layout).first ?? ""
            let isLong = name.count > indent - 4
            if isLong { bytes.append(label: "  ", indent: 2, paragraph: name, layout) }
            bytes.append(label: isLong ? "" : "  \(name)", indent: indent, paragraph: fact.text, layout)
        }
    }
}

/// The results of a rule's tests.
public struct RuleTestOutcome: Sendable {
    public var entry: RuleLibrary.Entry
    public var results: [RuleTestResult]
    /// Report about changes that the tests miss; `nil` if not requested.
    public var mutation: MutationReport?

    public init(entry: RuleLibrary.Entry, results: [RuleTestResult], mutation: MutationReport?) {
        self.entry = entry
        self.results = results
        self.mutation = mutation
    }

    var failures: [RuleTestResult] { results.filter { !$0.passed } }
}

/// Reports rule test results: a line for each rule, followed by what is wrong.
public enum RuleTestRenderer {
    public static func append(_ outcome: RuleTestOutcome, to bytes: inout [UInt8]) {
        let (entry, results, failures) = (outcome.entry, outcome.results, outcome.failures)
        var line = "\(entry.rule.id)  \(results.count - failures.count) of \(results.count) tests pass"
        if let mutation = outcome.mutation { line += "  \(mutation.killed) of \(mutation.mutants) mutants killed" }
        bytes.append(contentsOf: "\(line)\n".utf8)
        for failure in failures {
            append("\(entry.tests?.name ?? "\(entry.rule.id)"):\(failure.place): \(failure.name)", to: &bytes)
            for difference in failure.differences { append("  \(difference)", to: &bytes) }
        }
        for survivor in outcome.mutation?.survivors ?? [] {
            let place = survivor.place.map { ":\($0)" } ?? ""
            let hint = survivor.isRedundant ? " (no test can: simplify the rule)" : ""
            append("\(entry.source.name)\(place): no test notices: \(survivor.change)\(hint)", to: &bytes)
        }
    }

    /// Reports that a rule has no tests.
    public static func append(withoutTests id: RuleID, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\(id)  has no tests\n".utf8)
    }

    /// Appends a line below a rule's own.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "    ".utf8)
        SafeText.append(text, to: &bytes)
        bytes.append(0x0A)
    }
}

/// Totals of the tests of several rules.
public struct RuleTestTotals: Sendable {
    private var rules = 0
    private var tests = 0
    private var failures = 0
    private var mutants = 0
    private var survivors = 0
    private let mutates: Bool

    /// - Parameter mutates: Whether the sentence counts changes that the tests miss.
    public init(mutates: Bool) { self.mutates = mutates }

    /// Whether no test fails and no mutant goes unnoticed.
    public var passed: Bool { failures + survivors == 0 }

    /// The totals in one sentence.
    public var sentence: String {
        let tested = "rules: \(rules), tests: \(tests), failed: \(failures)"
        return mutates ? "\(tested); mutants: \(mutants), not noticed: \(survivors)" : tested
    }

    public mutating func add(_ outcome: RuleTestOutcome) {
        rules += 1
        tests += outcome.results.count
        failures += outcome.failures.count
        mutants += outcome.mutation?.mutants ?? 0
        survivors += outcome.mutation?.survivors.count ?? 0
    }

    /// Counts a rule without tests, which is a failure.
    public mutating func addWithoutTests() {
        rules += 1
        failures += 1
    }
}
