import LogTestSupport
import RuleAuthoring
import Testing
import YAML

@testable import LogDiagnosis

struct RuleMutantsTests {
    private static func changes(
        select: String = "  s: {event_id: ab12}\n  t: {event_id: cd34}",
        check: String = "  c: {count: {of: s, gte: 1}}",
        verdicts: String = "  - {id: found, when: c, severity: error, confidence: likely, message: \"found\"}",
        more: String = "",
        withStrictGroups: Bool = false
    ) throws -> [String] {
        let yaml = RuleText.yaml(select: select, check: check, verdicts: verdicts, more: more)
        let rule = try Rule(yaml: yaml, file: "r")
        return RuleMutants(rule, yaml: yaml, withStrictGroups: withStrictGroups).mutants.map(\.change)
    }

    /// Returns the mutations of a check with this definition.
    private static func ofCheck(_ check: String, withStrictGroups: Bool = false) throws -> [String] {
        try changes(check: "  c: {\(check)}", withStrictGroups: withStrictGroups)
            .filter { $0.hasPrefix("check c: ") }.map { String($0.dropFirst(9)) }
    }

    private static func ofSelector(_ selector: String) throws -> [String] {
        try changes(select: "  s: \(selector)")
            .filter { $0.hasPrefix("selector s: ") }.map { String($0.dropFirst(12)) }
    }

    @Test func `Mutants drop a condition and each of its values`() throws {
        #expect(
            try Self.ofSelector("{event_id: [a1, b2], message|contains|all: [x, y]}") == [
                "without event_id|equals", "event_id|equals: without \u{201C}a1\u{201D}",
                "event_id|equals: without \u{201C}b2\u{201D}", "event_id|equals: all of its values",
                "without message|contains|all", "message|contains|all: without \u{201C}x\u{201D}",
                "message|contains|all: without \u{201C}y\u{201D}",
                "message|contains|all: any of its values, not all",
            ]
        )
    }

    @Test func `Mutants compare text more loosely and shift bounds`() throws {
        let changes = try Self.ofSelector(
            "{message|startswith: x, level|gte: Monitorable, execution_ms|gte: \"5000\", correlation|exists: true}"
        )
        #expect(changes.contains("message|startswith: contains instead of startswith"))
        #expect(changes.contains("level|gte: \u{201C}Unexpected\u{201D} instead of \u{201C}Monitorable\u{201D}"))
        #expect(changes.contains("level|gte: \u{201C}High\u{201D} instead of \u{201C}Monitorable\u{201D}"))
        #expect(changes.contains("execution_ms|gte: \u{201C}4999\u{201D} instead of \u{201C}5000\u{201D}"))
        #expect(changes.contains("execution_ms|gte: \u{201C}5001\u{201D} instead of \u{201C}5000\u{201D}"))
        #expect(changes.contains("correlation|exists: \u{201C}false\u{201D} instead of \u{201C}true\u{201D}"))
    }

    @Test func `Mutants drop one of several cases, or a capture`() throws {
        let changes = try Self.ofSelector("[{event_id: a1, capture: \"x {y}\"}, {event_id: b2}]")
        #expect(
            changes == [
                "without case 1", "case 1: without event_id|equals",
                "case 1: without capture \u{201C}x {y}\u{201D}", "without case 2", "case 2: without event_id|equals",
            ]
        )
    }

    @Test(arguments: [
        ("count: {of: s, gte: 2}", ["gte: 1", "gte: 3"]),
        ("count: {of: s, eq: 0}", ["eq: 1"]),
        ("count: {of: s, lte: 1}", ["lte: 0", "lte: 2"]),
        (
            "count: {of: s, gte: 1, within: 10s, by: server}",
            ["gte: 0", "gte: 2", "without within", "within ten times as long", "without by"]
        ),
        (
            "count: {of: s, gte: 1, by: server, distinct: correlation}",
            ["gte: 0", "gte: 2", "without by", "without distinct"]
        ),
        (
            "sequence: {steps: [s, t], by: correlation, within: 10s, not_between: [s]}",
            [
                "without step s", "without step t", "t before s", "without not_between s", "without within",
                "within ten times as long", "by: server",
            ]
        ),
        ("sequence: {steps: [s, s], by: server}", ["without step s", "without step s", "by: request"]),
        (
            "absence: {after: s, expect: t, by: request, within: 1m}",
            ["without expect: t", "within ten times as long", "by: server"]
        ),
        (
            "config: {element: e, where: {a: {bool: true, default: false}}}",
            ["without a", "a: bool: false", "a: default: true", "location: none"]
        ),
        (
            "config: {element: e, location: none, where: {a: {bool: true, default: true}, b: {exists: false}}}",
            [
                "without a", "a: bool: false", "a: default: false", "a: default: none", "without b",
                "b: exists: true", "location: any",
            ]
        ),
        (
            "config: {element: e, location: x, where: {a: {equals: [p, q], default: Q}}}",
            [
                "without a", "a: equals without \u{201C}p\u{201D}", "a: equals without \u{201C}q\u{201D}",
                "a: default: none", "location: any",
            ]
        ),
        (
            "config: {element: e, where: {a: {equals: p, default: q}}}",
            ["without a", "a: default: p", "location: none"]
        ),
        ("differs: {element: e, attribute: a, default: x}", ["without default"]),
        ("differs: {element: e, attribute: a}", []),
        ("quality: {metric: orphans, gte: 5}", ["gte: 4.0", "gte: 6.0"]),
    ])
    func `Mutants change each part of a check`(check: String, changes: [String]) throws {
        #expect(try Self.ofCheck(check) == changes)
    }

    @Test func `Mutants group by correlation instead of by request only if tests can detect it`() throws {
        let check = "sequence: {steps: [s, t], by: request}"
        #expect(try Self.ofCheck(check).contains("by: correlation") == false)
        #expect(try Self.ofCheck(check, withStrictGroups: true).contains("by: correlation"))
    }

    @Test func `Mutants change each part of a verdict`() throws {
        let changes = try Self.changes(
            check: "  c: {count: {of: s, gte: 1}}\n  d: {count: {of: t, gte: 1}}",
            verdicts:
                "  - {id: v, when: {all: [c, {not: {any: [c, d]}}, {unknown: d}]}, symptoms: [c], severity: critical, "
                + "confidence: certain, message: m}"
        ).filter { $0.hasPrefix("verdict v: ") }.map { String($0.dropFirst(11)) }
        #expect(
            changes == [
                "without c", "not c", "without not any [c, d]", "without not", "without c", "not c", "without d",
                "not d", "all instead of any", "without unknown d", "without unknown", "not unknown",
                "any instead of all", "severity: info", "confidence: possible", "without symptom c",
            ]
        )
    }

    @Test func `Mutants drop verdicts and swap neighboring ones`() throws {
        let changes = try Self.changes(
            check: "  c: {count: {of: s, gte: 1}}\n  d: {count: {of: t, gte: 1}}",
            verdicts: """
                  - {id: a, when: c, severity: error, confidence: likely, message: m}
                  - {id: b, when: d, severity: error, confidence: likely, message: m}
                """
        )
        #expect(changes.contains("without verdict a") && changes.contains("without verdict b"))
        #expect(changes.contains("verdict b before a"))
    }

    @Test func `Mutants do not swap verdicts if only one of them can hold`() throws {
        let changes = try Self.changes(
            check: """
                  c: {count: {of: s, gte: 1}}
                  on: {config: {element: e, where: {a: {bool: true}}}}
                  wide: {config: {element: e, where: {a: {bool: true}, b: {bool: true}}}}
                """,
            verdicts: """
                  - {id: a, when: wide, severity: error, confidence: likely, message: m}
                  - {id: b, when: {all: [c, {not: on}, {not: {unknown: c}}, {not: {unknown: on}}]}, severity: error,
                     confidence: likely, message: m}
                """
        )
        // In the first order, nothing is undecided before the second check; the requirement on one element implies the
        // other.
        #expect(!changes.contains("verdict b before a"))
    }

    @Test func `Mutants drop keys that apply to the whole rule`() throws {
        let changes = try Self.changes(
            select: "  s: {event_id: ab12, capture: \"x {p} y {q}\"}",
            more: "supersedes: [FS1002, FS1018]\nper: [p, q]\nlead: first-abnormal"
        )
        #expect(
            Array(changes.suffix(5)) == [
                "without per p", "without per q", "without supersedes FS1002", "without supersedes FS1018",
                "without lead",
            ]
        )
    }

    @Test func `Every mutant has a position in the rule file`() throws {
        let rule = try Rule(yaml: RuleTestRunTests.rule, file: "r")
        let mutants = RuleMutants(rule, yaml: RuleTestRunTests.rule, withStrictGroups: true).mutants
        let lines = RuleTestRunTests.rule.split(separator: "\n", omittingEmptySubsequences: false)
        for mutant in mutants {
            let place = try #require(mutant.place, "\(mutant.change)")
            let line = lines[place.line - 1]
            #expect(place.column <= line.count + 1)
            if mutant.change.hasPrefix("verdict sure") { #expect(line.contains("id: sure")) }
            if mutant.change.hasPrefix("selector failed") { #expect(line.contains("failed:")) }
        }
    }
}

struct MutationReportTests {
    private static let positive =
        "- name: positive\n" + RuleTestRunTests.rows
        + "  expect: [{verdict: maybe, severity: warning, confidence: likely, symptoms: {both: 1}, "
        + "captures: {what: the list}, undecided: [sure]}]\n"

    @Test func `A single positive test leaves survivors`() throws {
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

    @Test func `Near-miss tests kill the mutants that they target`() throws {
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

    @Test func `A condition that has no effect is reported as redundant`() throws {
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

    @Test func `A rule with thorough tests leaves no survivors`() throws {
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
