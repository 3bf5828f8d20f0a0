import Testing
import YAML

@testable import LogDiagnosis

struct RuleTestRunTests {
    /// A rule that is about two events of one request, with a capture.
    static let rule = RuleText.yaml(
        select: """
              begun: {event_id: ab12, message|contains: begin, capture: "begin {what}."}
              failed: {event_id: [cd34, cd35], level: Unexpected}
            """,
        check: """
              both: {sequence: {steps: [begun, failed], by: correlation, within: 60s}, label: "{count} of {what}"}
              on: {config: {element: system.web/trace, where: {enabled: {bool: true, default: false}}}}
            """,
        verdicts: """
              - {id: sure, when: {all: [both, on]}, symptoms: [both], severity: error, confidence: certain, message: "{what} at {on.at}"}
              - {id: maybe, when: both, symptoms: [both], severity: warning, confidence: likely, message: "{what}"}
            """,
        more: "needs: {uls: required, web_config: optional}"
    )

    static func run(_ tests: String, rule: String = rule, others: [Rule] = []) throws -> RuleTestRun {
        let head = "schema: fastctl.rule-tests/1\nrule: FS1999\ntests:\n"
        let file = try RuleTestFile(yaml: head + tests, file: "FS1999.tests.yaml")
        return try RuleTestRun(try Rule(yaml: rule, file: "FS1999.yaml"), file, others: others)
    }

    /// Both events in one request.
    static let rows = """
          uls:
            - {id: ab12, corr: A, msg: begin the list., split: 5}
            - {id: cd34, level: Unexpected, corr: A, msg: failed}

        """

    private static func differences(_ expect: String, rows: String = rows) throws -> [String] {
        let results = try run("- name: n\n" + rows + "  expect: " + expect).results()
        #expect(results.map(\.passed) == results.map(\.differences.isEmpty))
        return results.flatMap(\.differences)
    }

    @Test func whatIsExpectedAndFoundPasses() throws {
        let expect = """
            [{verdict: maybe, severity: warning, confidence: likely, symptoms: {both: 1}, captures: {what: the list},
                undecided: [sure], count: 1, message: the list, rule: FS1999}]
            """
        #expect(try Self.differences(expect) == [])
    }

    @Test func whatIsLeftOutIsNotCompared() throws { #expect(try Self.differences("[{}]") == []) }

    @Test(arguments: [
        ("{verdict: sure}", "verdict: expected sure, found maybe"),
        ("{severity: error}", "severity: expected error, found warning"),
        ("{confidence: certain}", "confidence: expected certain, found likely"),
        ("{symptoms: {both: 2}}", "symptoms: expected both 2, found both 1"),
        ("{symptoms: {}}", "symptoms: expected none, found both 1"),
        ("{captures: {what: it, who: me}}", "capture what: expected it, found the list"),
        ("{undecided: []}", "undecided: expected none, found sure"),
        ("{count: 0}", "count: expected 0, found 1"),
        ("{message: other}", "message: expected other, found the list"),
        ("{lead: ab12}", "lead: expected ab12, found none"),
        ("{rule: FS1998}", "rule: expected FS1998, found FS1999"),
    ])
    func aDifferenceIsALine(expect: String, line: String) throws {
        let differences = try Self.differences("[\(expect)]")
        #expect(differences.first == line)
    }

    @Test func theListOfFindingsIsComplete() throws {
        #expect(try Self.differences("[]") == ["expected no finding, found FS1999 maybe"])
        let two = try Self.differences("[{verdict: sure}, {verdict: maybe}]")
        #expect(two == ["expected FS1999 sure, FS1999 maybe, found FS1999 maybe"])
    }

    @Test func notEvaluatedIsNeitherAFindingNorSilence() throws {
        let found = try Self.differences("not_evaluated")
        #expect(found == ["expected not evaluated, found FS1999 maybe"])
        let passed = try Self.differences("not_evaluated", rows: "  uls: [{id: zzz1, msg: x}]\n")
        #expect(passed == ["expected not evaluated, found passed"])
        #expect(try Self.differences("not_evaluated", rows: "  web_config: <configuration/>\n") == [])
        let silent = try Self.differences("[]", rows: "  web_config: <configuration/>\n")
        #expect(silent == ["expected passed, found not evaluated: no logs were given"])
    }

    @Test func filesOfConfigurationAreGivenAndRefused() throws {
        let on = "'<configuration><system.web><trace enabled=\"true\"/></system.web></configuration>'"
        let given = Self.rows + "  web_config: [{server: WFE1, zone: Default, xml: \(on)}, \(on)]\n"
        let message = "the list at WFE1/Default/web.config:1, web.config:1"
        #expect(try Self.differences("[{verdict: sure, message: '\(message)'}]", rows: given) == [])
        let refused = Self.rows + "  web_config: '<!DOCTYPE x><configuration/>'\n"
        #expect(try Self.differences("[{verdict: maybe, undecided: [sure]}]", rows: refused) == [])
    }

    @Test func aKnownGapMustFail() throws {
        let gap = "  known_gap: true\n  expect: "
        let results = try Self.run("- name: n\n" + Self.rows + gap + "[]").results()
        #expect(results.map(\.passed) == [true])
        let promoted = try Self.run("- name: n\n" + Self.rows + gap + "[{verdict: maybe}]").results()
        #expect(promoted.map(\.passed) == [false])
        #expect(promoted.first?.differences == ["a known gap passes: remove known_gap"])
    }

    @Test func otherRulesRunAlongWhenTheyAreNamed() throws {
        let other = try RuleText.rule(
            "FS1998",
            select: "  s: {event_id: cd34}",
            check: "  c: {count: {of: s, gte: 1}}"
        )
        let tests =
            "- name: n\n  with: FS1998\n" + Self.rows + "  expect: [{rule: FS1998, verdict: found}, {verdict: maybe}]"
        #expect(try Self.run(tests, others: [other]).results().map(\.differences) == [[]])
        #expect(throws: RuleError.self) { try Self.run(tests) }
    }

    @Test func testsOfAnotherRuleAreRefused() throws {
        let file = try RuleTestFile(
            yaml: "schema: fastctl.rule-tests/1\nrule: FS1998\ntests: [{name: n, expect: []}]",
            file: "t"
        )
        let rule = try Rule(yaml: Self.rule, file: "r")
        #expect(throws: RuleError(file: "t", message: "these are tests of FS1998, not of FS1999")) {
            try RuleTestRun(rule, file)
        }
    }
}
