import Testing
import YAML

@testable import LogDiagnosis

struct MutationReportTests {
    private static let positive =
        "- name: positive\n" + RuleTestRunTests.rows
        + "  expect: [{verdict: maybe, severity: warning, confidence: likely, symptoms: {both: 1}, "
        + "captures: {what: the list}, undecided: [sure]}]\n"

    @Test func aPositiveTestAloneLeavesSurvivors() throws {
        let report = try RuleTestRunTests.run(Self.positive).mutate(yaml: RuleTestRunTests.rule)
        let survivors = report.survivors.map(\.change)
        #expect(survivors.contains("selector failed: without level|equals"))
        #expect(survivors.contains("selector failed: event_id|equals: without \u{201C}cd35\u{201D}"))
        #expect(survivors.contains("check both: by: server"))
        #expect(report.killed == report.mutants - survivors.count && report.killed > 0)
        let level = try #require(report.survivors.first { $0.change == "selector failed: without level|equals" })
        let lines = RuleTestRunTests.rule.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[(level.place?.line ?? 1) - 1].contains("failed:") && !level.isRedundant)
    }

    @Test func aNearMissKillsWhatItIsNear() throws {
        let near = """
            - name: NEAR MISS another level
              uls:
                - {id: ab12, corr: A, msg: begin the list.}
                - {id: cd34, level: High, corr: A, msg: failed}
              expect: []
            - name: NEAR MISS two requests
              uls:
                - {id: ab12, corr: A, msg: begin the list.}
                - {id: cd34, level: Unexpected, corr: B, msg: failed}
              expect: []
            """
        let survivors = try RuleTestRunTests.run(Self.positive + near).mutate().survivors.map(\.change)
        #expect(!survivors.contains("selector failed: without level|equals"))
        #expect(!survivors.contains("check both: by: server"))
    }

    @Test func aConditionThatChangesNothingIsCalledRedundant() throws {
        let verdict = "severity: error, confidence: likely, message: m}"
        let rule = RuleText.yaml(
            select: "  s: {event_id: ab12}\n  t: {event_id: cd34}",
            check: "  c: {count: {of: s, gte: 1}}\n  d: {count: {of: t, gte: 1}}",
            verdicts: "  - {id: a, when: {any: [c, {all: [c, d]}]}, \(verdict)"
        )
        let run = try RuleTestRunTests.run(
            "- {name: n, uls: [{id: ab12, msg: m}], expect: [{verdict: a, severity: error, confidence: likely}]}",
            rule: rule
        )
        let survivors = run.mutate(yaml: rule).survivors
        let simpler = try #require(survivors.first { $0.change == "verdict a: without all [c, d]" })
        #expect(simpler.isRedundant)
        // Here a test is missing.
        let silent = try #require(survivors.first { $0.change == "check c: gte: 0" })
        #expect(!silent.isRedundant)
    }

    @Test func aRuleAndTestsThatFitLeaveNone() throws {
        let rule = RuleText.yaml(
            select: "  s: {event_id: ab12}",
            check: "  c: {count: {of: s, gte: 2}}"
        )
        let tests = """
            - name: two
              uls: [{id: ab12, msg: m}, {id: ab12, msg: m}]
              expect: [{verdict: found, severity: error, confidence: likely}]
            - name: NEAR MISS one, and another tag
              uls: [{id: ab12, msg: m}, {id: ab13, msg: m}]
              expect: []
            """
        let report = try RuleTestRunTests.run(tests, rule: rule).mutate(yaml: rule)
        #expect(report.survivors == [] && report.mutants == 7)
    }
}
