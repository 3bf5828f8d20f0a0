import LogTestSupport
import RuleAuthoring
import Testing
import YAML

@testable import LogDiagnosis

struct RuleDescriptionTests {
    private static func facts(_ description: RuleDescription, _ heading: String) -> [String] {
        guard let section = description.sections.first(where: { $0.heading.hasPrefix(heading) }),
            case .facts(let facts) = section.blocks.first
        else { return [] }
        return facts.map { "\($0.name): \($0.text)" }
    }

    private static func describe(select: String, check: String) throws -> RuleDescription {
        let verdict =
            "  - {id: v, when: {not: {any: [c, {unknown: c}]}}, severity: error, confidence: likely, message: M.}"
        return RuleDescription(try RuleText.rule(select: select, check: check, verdicts: verdict))
    }

    @Test func `The sections are in reading order`() throws {
        let run = try Rule(yaml: RuleTestRunTests.rule, file: "r")
        let tests = try RuleTestFile(
            yaml: "schema: fastctl.rule-tests/1\nrule: FS1999\ntests: [{name: n, expect: []}]",
            file: "t"
        )
        let description = RuleDescription(run, tests: tests)
        #expect(
            description.sections.map(\.heading) == [
                "What", "Why", "Looks for", "Checks", "Verdicts (the first that applies wins)", "Fix", "Examples",
            ]
        )
        #expect(description.identity.map(\.name) == ["slug", "revision", "status", "category", "needs"])
        #expect(description.identity.last?.text == "logs, a web.config (optional)")
    }

    @Test func `A selector is described in words`() throws {
        let description = try Self.describe(
            select: """
                  s:
                    - {event_id: [a1b2, 8311], message|contains|all: [x, y], capture: "to {name}"}
                    - {level|gte: High, execution_ms|gte: "500", correlation|exists: false, message|re: "a+"}
                """,
            check: "  c: {count: {of: s, gte: 1}}"
        )
        #expect(
            Self.facts(description, "Looks for") == [
                "s: event ID is a1b2 or 8311; message contains \u{201C}x\u{201D} and \u{201C}y\u{201D}; captures "
                    + "\u{201C}to {name}\u{201D} — or level is High or worse; execution ms is at least 500; correlation "
                    + "is missing; message matches \u{201C}a+\u{201D}"
            ]
        )
        #expect(Self.facts(description, "Verdicts") == ["v: error, likely, if not any [c, unknown c]: M."])
    }

    @Test(arguments: [
        (
            "count: {of: s, gte: 2, by: server, distinct: request}",
            "2 or more of s, each request counted once, on one server"
        ),
        ("count: {of: s, eq: 0}", "exactly 0 of s"),
        (
            "sequence: {steps: [s, t], by: request, within: 10m, not_between: t}",
            "s, then t, in one request, within 10 min, without t"
        ),
        (
            "absence: {after: s, expect: t, by: correlation, within: 500ms}",
            "s, and no t within 500 ms, in one correlation"
        ),
        (
            "config: {element: a/b, location: none, where: {x: {bool: true, default: false}, y: {equals: [p, q]}}}",
            "web.config has a/b where x is true (false if not set) and y is p or q, outside location elements"
        ),
        ("differs: {element: a/b, attribute: x}", "x of a/b is not the same on all servers"),
        ("quality: {metric: clock_steps, gte: 3}", "clock steps: 3.0 or more"),
    ])
    func `A check is described in words`(check: String, words: String) throws {
        let description = try Self.describe(
            select: "  s: {event_id: a1}\n  t: {event_id: a2}",
            check: "  c: {\(check)}"
        )
        #expect(Self.facts(description, "Checks") == ["c: " + words])
    }

    @Test func `Each test appears once as an example`() throws {
        let tests = try RuleTestFile(
            yaml: """
                schema: fastctl.rule-tests/1
                rule: FS1999
                tests:
                  - name: any tag
                    each: {tag: [ab12, cd34]}
                    uls: [{id: <tag>, level: High, msg: "a\\nb"}]
                    web_config: {server: WFE1, xml: <configuration/>}
                    expect: [{verdict: found, severity: error}, {rule: FS1002, verdict: v}]
                  - {name: none, paste: "x\\ny", expect: []}
                """,
            file: "t"
        )
        let rule = try RuleText.rule(select: "  s: {event_id: a1}", check: "  c: {count: {of: s, gte: 1}}")
        guard case .examples(let examples) = RuleDescription(rule, tests: tests).sections.last?.blocks.first else {
            Issue.record("no examples")
            return
        }
        #expect(
            examples == [
                RuleDescription.Example(
                    name: "any tag (tag: ab12)",
                    given: ["10:00:00.00 ab12 High a b", "web.config of WFE1: <configuration/>"],
                    outcome: "found (error), FS1002 v"
                ),
                RuleDescription.Example(name: "none", given: ["x", "y"], outcome: "nothing"),
            ]
        )
    }
}
