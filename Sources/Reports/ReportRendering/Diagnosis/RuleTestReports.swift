import JSONText
public import LogDiagnosis
import TextSafety

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
    /// The name of the file that has the tests.
    var testFile: String { entry.tests?.name ?? entry.rule.id.text }
}

/// Reports rule test results: a line for each rule, followed by what is wrong.
public enum RuleTestRenderer {
    public static func append(_ outcome: RuleTestOutcome, to bytes: inout [UInt8]) {
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

/// `fastctl.ruleTest/1`: the results of a rule's tests.
public enum RuleTestObject {
    /// Appends the object, without a line end; `nil` if the rule has no tests.
    public static func append(_ outcome: RuleTestOutcome?, of id: RuleID, to bytes: inout [UInt8]) {
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
public enum RuleTestSuite {
    /// Appends the whole file; an outcome is `nil` for a rule without tests, which is a failure.
    public static func append(
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
        /// What is wrong, in lines; `nil` if nothing is.
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
                return "\(outcome.entry.source.name)\(place): no test notices: \(survivor.change)"
            }
            cases.append(
                Case(rule: id, name: "tests notice each change", failure: survivors.isEmpty ? nil : survivors)
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
