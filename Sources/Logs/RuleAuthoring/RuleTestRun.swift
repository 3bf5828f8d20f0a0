package import LogDiagnosis
import ULSLog
import WebConfig
package import YAML

/// The tests of one rule, ready to run on it and on its mutants.
///
/// Logs are rendered and read once, when the run is created.
package struct RuleTestRun: Sendable {
    let rule: Rule
    private let tests: [PreparedTest]
    /// The rules that tests may run alongside the tested one.
    private let others: [RuleID: Rule]
    /// The compiled patterns of the rule and its mutants.
    private let sets = PatternSets()

    /// Creates a run, reading the logs of all tests.
    ///
    /// - Parameters:
    ///   - rule: The tested rule.
    ///   - file: The rule's tests.
    ///   - others: Other rules that tests may run alongside.
    /// - Throws: ``RuleError`` if the tests are those of another rule, or if a test names a rule that does not exist or
    ///   has a log that cannot be read.
    package init(_ rule: Rule, _ file: RuleTestFile, others: [Rule] = []) throws(RuleError) {
        guard rule.id == file.rule else {
            throw RuleError(file: file.file, message: "these tests are for \(file.rule), not for \(rule.id)")
        }
        let known = Dictionary(others.map { ($0.id, $0) }) { first, _ in first }
        var tests: [PreparedTest] = []
        for test in file.tests {
            if let missing = test.with.first(where: { known[$0] == nil || $0 == rule.id }) {
                let message =
                    missing == rule.id ? "leave it out, because the tested rule always runs" : "the rule does not exist"
                throw RuleError(file: file.file, place: test.place, message: "with \(missing): \(message)")
            }
            do {
                tests.append(try PreparedTest(test))
            } catch {
                throw RuleError(file: file.file, place: test.place, message: "\(error)")
            }
        }
        self.rule = rule
        self.tests = tests
        self.others = known
    }

    /// Runs all tests.
    package func results() throws(RuleError) -> [RuleTestResult] {
        var compiled = RuleSets(rule, others: others, sets)
        var results: [RuleTestResult] = []
        for prepared in tests {
            let test = prepared.test
            var differences = prepared.differences(try compiled.rules(with: test.with), of: rule.id)
            var passed = differences.isEmpty
            if test.isKnownGap {
                passed.toggle()
                if !passed { differences = ["this known gap now passes: remove known_gap"] }
            }
            results.append(
                RuleTestResult(name: test.name, place: test.place, passed: passed, differences: differences)
            )
        }
        return results
    }

    /// Whether a test expects a finding in a log without correlations, which distinguishes strict groups from requests.
    var groupsWithoutCorrelation: Bool { tests.contains { $0.test.findsWithoutCorrelation } }

    /// Returns whether any test notices that a rule was changed.
    ///
    /// Known gaps don't count. A rule that cannot be compiled counts as noticed, because loading it fails.
    func notices(_ mutant: Rule) -> Bool {
        var compiled = RuleSets(mutant, others: others, sets)
        return tests.contains { prepared in
            guard !prepared.test.isKnownGap else { return false }
            guard let rules = try? compiled.rules(with: prepared.test.with) else { return true }
            return !prepared.differences(rules, of: mutant.id, onlyJudges: true).isEmpty
        }
    }
}

/// A cache of rules together with those that run alongside them, compiled once for each combination.
private struct RuleSets {
    private let rule: Rule
    private let others: [RuleID: Rule]
    private let sets: PatternSets
    private var ready: [[RuleID]: RuleSet] = [:]

    init(_ rule: Rule, others: [RuleID: Rule], _ sets: PatternSets) {
        self.rule = rule
        self.others = others
        self.sets = sets
    }

    mutating func rules(with ids: [RuleID]) throws(RuleError) -> RuleSet {
        if let known = ready[ids] { return known }
        let rules = try RuleSet([rule] + ids.compactMap { others[$0] }, sets: sets)
        ready[ids] = rules
        return rules
    }
}

/// A test whose log has been read and whose files have been parsed, ready for a rule and its mutants.
private struct PreparedTest: Sendable {
    let test: RuleTest
    let log: RecordedLog?
    let configs: [WebConfigFile]
    let refusedConfigs: [WebConfigError]
    let farm: FarmFacts?

    init(_ test: RuleTest) throws {
        self.test = test
        log = try test.log.map { try RecordedLog.record($0.reader) }
        var configs: [WebConfigFile] = []
        var refused: [WebConfigError] = []
        for (source, xml) in Self.sources(test.configs) {
            do throws(WebConfigError) {
                configs.append(try WebConfigFile(Array(xml.utf8), source: source))
            } catch {
                refused.append(error)
            }
        }
        self.configs = configs
        refusedConfigs = refused
        farm = try test.farm.map { try FarmFacts($0, path: "farm.json") }
    }

    /// Runs rules and returns the differences from the expectation, if any.
    ///
    /// The tests of a rule examine the entire report; those of its mutants examine only the part that rules determine.
    func differences(_ rules: RuleSet, of rule: RuleID, onlyJudges: Bool = false) -> [String] {
        var diagnosis = Diagnosis(rules: rules, configs: configs, refusedConfigs: refusedConfigs)
        diagnosis.showsNoise = true
        diagnosis.farm = farm
        return ExpectationComparison(onlyJudges ? diagnosis.judgement(on: log) : diagnosis.report(on: log), rule: rule)
            .differences(from: test.expectation)
    }

    /// Returns files named `web.config` in folders named after their servers and zones; a duplicate name gets a number.
    private static func sources(_ configs: [TestConfig]) -> [(WebConfigSource, xml: String)] {
        var uses: [String: Int] = [:]
        return configs.map { config in
            var path = [config.server, config.zone].compactMap(\.self).map { "\($0)/" }.joined() + "web.config"
            let use = uses[path, default: 0] + 1
            uses[path] = use
            if use > 1 { path += ".\(use)" }
            return (WebConfigSource(path: path, server: config.server, zone: config.zone), config.xml)
        }
    }
}

/// A comparison, in words, of a report with a test's expectation.
private struct ExpectationComparison {
    private let report: DiagnosisReport
    /// The tested rule.
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

    /// The reason why the rule was not evaluated; `nil` if it was.
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
    /// The rule and its verdict: `FS0101 confirmed`.
    fileprivate var words: String { verdict.map { "\(rule) \($0)" } ?? "\(rule)" }
}

extension Finding {
    /// The rule and its verdict: `FS0101 confirmed`.
    fileprivate var words: String { "\(rule.id) \(verdict)" }

    fileprivate var symptomCounts: [String: Int] {
        Dictionary(symptoms.map { ($0.check, $0.count) }) { first, _ in first }
    }
}

/// The result of a rule's test.
package struct RuleTestResult: Sendable {
    /// The test's name.
    package var name: String
    /// The place of the test in its file.
    package var place: Place
    /// The line of that place.
    package var line: Int { place.line }
    /// Whether the rule has the expected result or, for a known gap, does not have it.
    package var passed: Bool
    /// The differences in readable form, one line each.
    package var differences: [String]
}
