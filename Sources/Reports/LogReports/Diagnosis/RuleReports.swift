import JSONText
package import LogDiagnosis
package import ReportKit
package import RuleAuthoring
import TextKit

/// Lists rules as a table, as `fastctl.ruleEntry/1` objects in an array or one per line, or by their IDs.
package enum RuleListRenderer {
    /// Appends the rules in the given order.
    package static func append(
        _ entries: [RuleLibrary.Entry],
        as form: OutputForm,
        nameEnd: NameEnd = .line,
        csv: CSVStyle = CSVStyle(),
        _ layout: TextLayout,
        to bytes: inout [UInt8]
    ) {
        switch form {
        case .json, .ndjson:
            var list = JSONList(isArray: form == .json)
            for entry in entries { list.append(to: &bytes) { append(entry, to: &$0) } }
            list.end(in: &bytes)
        case .name:
            for entry in entries {
                bytes.append(contentsOf: entry.rule.id.text.utf8)
                bytes.append(nameEnd == .nul ? 0 : 0x0A)
            }
        case .text: page(of: entries).append(to: &bytes, layout)
        case .markdown: page(of: entries).appendMarkdown(to: &bytes)
        case .csv:
            let table = CSVText(
                [
                    "rule", "slug", "title", "revision", "status", "kind", "category", "severity", "logs", "webConfig",
                    "supersedes", "builtIn", "file",
                ],
                csv,
                to: &bytes
            )
            for entry in entries { table.append(fields(of: entry), to: &bytes) }
        default: form.failAsUndeclared()
        }
    }

    private static func fields(of entry: RuleLibrary.Entry) -> [String?] {
        let rule = entry.rule
        return [
            rule.id.text, rule.slug, rule.title, "\(rule.revision)", rule.status.rawValue, rule.kind.rawValue,
            rule.category, rule.worstSeverity?.rawValue, rule.needs.logs?.rawValue, rule.needs.webConfig?.rawValue,
            rule.supersedes.map(\.text).joined(separator: " "), "\(entry.isBuiltIn)", entry.source.name,
        ]
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
        bytes.append(object: "fastctl.ruleEntry/1") { object in
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
    /// The worst severity of the rule's verdicts.
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

/// Shows a rule in readable form, with its tests as examples.
package enum RuleRenderer {
    private static let indent = 12

    /// Appends the rule's description.
    package static func append(_ description: RuleDescription, _ layout: TextLayout, to bytes: inout [UInt8]) {
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

    /// Appends facts, each with a name and a text; a name that is too long gets its own line.
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

/// Complaints about rules: a line for each, `fastctl.ruleComplaint/1` objects, or a table.
package enum ComplaintRenderer {
    package static let forms: [OutputForm] = [.text, .json, .ndjson, .csv]

    package static func append(
        _ complaints: [RuleComplaint],
        as form: OutputForm,
        csv: CSVStyle = CSVStyle(),
        to bytes: inout [UInt8]
    ) {
        switch form {
        case .text:
            for complaint in complaints {
                SafeText.append("\(complaint)", to: &bytes)
                bytes.append(0x0A)
            }
        case .json, .ndjson:
            var list = JSONList(isArray: form == .json)
            for complaint in complaints { list.append(to: &bytes) { append(complaint, to: &$0) } }
            list.end(in: &bytes)
        case .csv:
            let table = CSVText(["severity", "file", "line", "column", "message"], csv, to: &bytes)
            for complaint in complaints {
                table.append(
                    [
                        complaint.severity.rawValue, complaint.file, complaint.line.map { String($0) },
                        complaint.column.map { String($0) }, complaint.message,
                    ],
                    to: &bytes
                )
            }
        default: form.failAsUndeclared()
        }
    }

    private static func append(_ complaint: RuleComplaint, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.ruleComplaint/1") { object in
            object.member("severity", complaint.severity.rawValue)
            object.member("file", complaint.file)
            object.member("line", complaint.line)
            object.member("column", complaint.column)
            object.member("message", complaint.message)
        }
    }
}

/// The results of a rule's tests.
package struct RuleTestOutcome: Sendable {
    package var entry: RuleLibrary.Entry
    package var results: [RuleTestResult]
    /// The report about changes that the tests miss; `nil` if not requested.
    package var mutation: MutationReport?

    package init(entry: RuleLibrary.Entry, results: [RuleTestResult], mutation: MutationReport?) {
        self.entry = entry
        self.results = results
        self.mutation = mutation
    }

    var failures: [RuleTestResult] { results.filter { !$0.passed } }
    /// The name of the file that contains the tests.
    var testFile: String { entry.tests?.name ?? entry.rule.id.text }
}

/// Reports rule test results: a line for each rule, followed by its problems.
package enum RuleTestRenderer {
    package static func append(_ outcome: RuleTestOutcome, to bytes: inout [UInt8]) {
        let (entry, results, failures) = (outcome.entry, outcome.results, outcome.failures)
        var line = "\(entry.rule.id)  \(results.count - failures.count) of \(results.count) tests pass"
        if let mutation = outcome.mutation { line += "  \(mutation.killed) of \(mutation.mutants) mutants killed" }
        bytes.append(contentsOf: "\(line)\n".utf8)
        for failure in failures {
            append("\(outcome.testFile):\(failure.place): \(failure.name)", to: &bytes)
            for difference in failure.differences { append("  \(difference)", to: &bytes) }
        }
        for survivor in outcome.mutation?.survivors ?? [] {
            let place = survivor.place.map { ":\($0)" } ?? ""
            let hint = survivor.isRedundant ? " (no test can: simplify the rule)" : ""
            append("\(entry.source.name)\(place): no test detects: \(survivor.change)\(hint)", to: &bytes)
        }
    }

    /// Reports that a rule has no tests.
    package static func append(withoutTests id: RuleID, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\(id)  has no tests\n".utf8)
    }

    /// Appends a line below a rule's own.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "    ".utf8)
        SafeText.append(text, to: &bytes)
        bytes.append(0x0A)
    }
}

/// `fastctl.ruleTest/1`: the results of a rule's tests.
package enum RuleTestObject {
    /// Appends the object, without a line end; `nil` if the rule has no tests.
    package static func append(_ outcome: RuleTestOutcome?, of id: RuleID, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.ruleTest/1") { object in
            object.member("rule", id.text)
            let survivors = outcome?.mutation?.survivors ?? []
            object.member("passed", outcome.map { $0.failures.isEmpty && survivors.isEmpty } ?? false)
            object.array("tests") { array in
                for result in outcome?.results ?? [] {
                    array.object { object in
                        object.member("name", result.name)
                        object.member("file", outcome?.testFile)
                        object.member("line", result.line)
                        object.member("passed", result.passed)
                        object.member("differences", result.differences)
                    }
                }
            }
            object.member("mutants", outcome?.mutation?.mutants)
            object.array("survivors") { array in
                for survivor in survivors {
                    array.object { object in
                        object.member("change", survivor.change)
                        object.member("line", survivor.line)
                        object.member("redundant", survivor.isRedundant)
                    }
                }
            }
        }
    }
}

/// The results of rules' tests for CI servers: one test case for each test, named after it and its rule.
package enum RuleTestSuite {
    /// Appends the whole file; an outcome is `nil` for a rule without tests, which is a failure.
    package static func append(
        _ outcomes: [(id: RuleID, outcome: RuleTestOutcome?)],
        _ moment: ReportMoment,
        to bytes: inout [UInt8]
    ) {
        let cases = outcomes.flatMap { Self.cases(of: $0.id, $0.outcome) }
        let numbers = " tests=\"\(cases.count)\" failures=\"\(cases.count { $0.failure != nil })\" errors=\"0\""
        let time = " time=\"\(moment.duration.secondsText)\""
        bytes.append(text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" as StaticString)
        bytes.append(text: "<testsuites name=\"fastctl\"\(numbers)\(time)>\n")
        bytes.append(text: "  <testsuite name=\"fastctl.rules\"\(numbers) skipped=\"0\"\(time)")
        if let start = moment.startedAt {
            bytes.append(text: " timestamp=\"\(UTCTimestamp(since1970: start).description.prefix(19))\"")
        }
        bytes.append(text: ">\n" as StaticString)
        for one in cases { append(one, to: &bytes) }
        bytes.append(text: "  </testsuite>\n</testsuites>\n" as StaticString)
    }

    private struct Case {
        var rule: RuleID
        var name: String
        /// The problems, as lines; `nil` if there are none.
        var failure: [String]?
    }

    private static func cases(of id: RuleID, _ outcome: RuleTestOutcome?) -> [Case] {
        guard let outcome else { return [Case(rule: id, name: "has tests", failure: ["\(id) has no tests"])] }
        var cases = outcome.results.map { result in
            let place = "\(outcome.testFile):\(result.place)"
            return Case(rule: id, name: result.name, failure: result.passed ? nil : [place] + result.differences)
        }
        if let mutation = outcome.mutation {
            let survivors = mutation.survivors.map { survivor in
                let place = survivor.place.map { ":\($0)" } ?? ""
                return "\(outcome.entry.source.name)\(place): no test detects: \(survivor.change)"
            }
            cases.append(
                Case(rule: id, name: "tests detect each change", failure: survivors.isEmpty ? nil : survivors)
            )
        }
        return cases
    }

    private static func append(_ one: Case, to bytes: inout [UInt8]) {
        bytes.append(text: "    <testcase classname=\"fastctl.rules.\(one.rule)\" name=\"")
        bytes.append(xml: lineText(one.name, JUnitCase.layout), inAttribute: true)
        bytes.append(text: "\" time=\"0.000\"" as StaticString)
        guard let failure = one.failure else { return bytes.append(text: "/>\n" as StaticString) }
        bytes.append(text: ">\n      <failure type=\"failure\" message=\"" as StaticString)
        bytes.append(xml: lineText(failure.last ?? "", JUnitCase.layout), inAttribute: true)
        bytes.append(text: "\">" as StaticString)
        for line in failure {
            bytes.append(xml: lineText(line, JUnitCase.layout))
            bytes.append(0x0A)
        }
        bytes.append(text: "</failure>\n    </testcase>\n" as StaticString)
    }
}

/// Totals of the tests of several rules.
package struct RuleTestTotals: Sendable {
    private var rules = 0
    private var tests = 0
    private var failures = 0
    private var mutants = 0
    private var survivors = 0
    private let mutates: Bool

    /// - Parameter mutates: Whether the sentence counts changes that the tests miss.
    package init(mutates: Bool) { self.mutates = mutates }

    /// Whether no test fails and no mutant goes unnoticed.
    package var passed: Bool { failures + survivors == 0 }

    /// The totals in one sentence.
    package var sentence: String {
        let tested = "rules: \(rules), tests: \(tests), failed: \(failures)"
        return mutates ? "\(tested); mutants: \(mutants), not detected: \(survivors)" : tested
    }

    package mutating func add(_ outcome: RuleTestOutcome) {
        rules += 1
        tests += outcome.results.count
        failures += outcome.failures.count
        mutants += outcome.mutation?.mutants ?? 0
        survivors += outcome.mutation?.survivors.count ?? 0
    }

    /// Counts a rule without tests, which is a failure.
    package mutating func addWithoutTests() {
        rules += 1
        failures += 1
    }
}
