import LogTestSupport
import Testing
import WebConfig
import YAML

@testable import LogDiagnosis

/// A defect in a rule is reported with its place and a suggestion.
struct RuleDecodingTests {
    private func complaint(_ yaml: String) -> String {
        do {
            _ = try Rule(yaml: yaml, file: "FS1999.yaml")
            return "none"
        } catch { return "\(error)" }
    }

    @Test func `A complete rule is decoded`() throws {
        let rule = try RuleText.rule(
            select: "  s: {event_id: 8e26, message|contains|all: [a, b], capture: \"x {name} y\"}",
            check: "  c: {count: {of: s, gte: 2, within: 60s, by: request}, label: \"{count} of {name}\"}"
        )
        let condition = try #require(rule.selectors["s"]?.cases.first?.conditions.first)
        // Not the number 8e+26.
        #expect(condition.field == .eventID && condition.values == ["8e26"])
        #expect(rule.needs == Needs(logs: .required))
    }

    @Test func `An unknown key is refused`() {
        let yaml = RuleText.yaml(check: "  c: {quality: {metric: gaps, gte: 1}}", more: "titel: x")
        #expect(complaint(yaml).contains("unknown key \u{201C}titel\u{201D}; did you mean \u{201C}title\u{201D}?"))
        #expect(complaint(yaml).hasPrefix("FS1999.yaml:8:1:"))
    }

    @Test(
        arguments: [
            ("mesage: x", "unknown field \u{201C}mesage\u{201D}; did you mean \u{201C}message\u{201D}?"),
            ("message|contain: x", "did you mean \u{201C}contains\u{201D}?"),
            ("message|contains|any|all: x", "unknown modifier"),
            ("level|gte|contains: x", "unknown modifier"),
            ("execution_ms: 5", "execution_ms takes gte, lte or exists"),
            ("execution_ms|gte: fast", "gte and lte take a level, or a number for execution_ms"),
            ("message|exists: maybe", "exists takes true or false"),
            ("message|contains: \"\"", "empty text is not a condition"),
            ("event_id: []", "needs a value"),
            ("message|contains|none|all: x", "unknown modifier"),
        ]
    )
    func `A meaningless condition is refused`(condition: String, complaint expected: String) {
        let yaml = RuleText.yaml(select: "  s: {\(condition)}", check: "  c: {count: {of: s, gte: 1}}")
        #expect(complaint(yaml).contains(expected), "\(complaint(yaml))")
    }

    @Test(
        arguments: [
            ("category|re: \"Data.*\"", "re works for message only; use glob for category"),
            ("event_id|re|none: \"a.*\"", "re works for message only; use glob for event_id"),
            ("message|exists: [true, false]", "exists takes one value"),
            ("event_id|all: [tkau, 8nca]", "text cannot equal several values at once"),
            ("level|gte|none: High", "none cannot be combined with gte and lte"),
            ("level|gte: Sever", "there is no level \u{201C}Sever\u{201D}"),
            ("execution_ms|gte: nan", "is not a number to compare with"),
            ("category: \" Database\"", "no column begins with a space"),
            ("message|endswith: \"failed \"", "no column ends with a space"),
            ("area|contains: \"a\\tb\"", "no column contains a tab or a line break"),
        ]
    )
    func `A condition that no row can meet is refused, and the error names its line`(
        condition: String,
        complaint expected: String
    ) {
        let yaml = RuleText.yaml(select: "  s: {\(condition)}", check: "  c: {count: {of: s, gte: 1}}")
        #expect(complaint(yaml).contains(expected), "\(complaint(yaml))")
        #expect(complaint(yaml).hasPrefix("FS1999.yaml:10:"), "\(complaint(yaml))")
    }

    @Test(
        arguments: [
            "message|contains: \" failed \"", "message|startswith: \"failed \"", "message|glob: \"* failed\"",
            "message|re: \" failed$\"", "event_id|all: [tkau, TKAU]", "level|gte|all: [High, Monitorable]",
            "message|contains|none: [a, b]", "execution_ms|lte: 5.5",
        ]
    )
    func `A condition that a row can meet is accepted`(condition: String) {
        let yaml = RuleText.yaml(select: "  s: {\(condition)}", check: "  c: {count: {of: s, gte: 1}}")
        #expect(complaint(yaml) == "none")
    }

    @Test(
        arguments: [
            ("{count: {of: s, gte: 5, lte: 4}}", "no count is at least 5 and at most 4"),
            ("{count: {of: s, gte: 2, by: server, distinct: server}}", "a server has only one server"),
            ("{config: {element: a/b, where: {enabled: {default: \"true\"}}}}", "enabled needs a condition"),
            ("{config: {element: system.web/trace, where: {enabled: {equals: []}}}}", "enabled needs a condition"),
            (
                "{config: {element: system.web/trace, where: {enabled: {exists: false, bool: true}}}}",
                "enabled cannot be missing and have a value"
            ),
            ("{quality: {metric: parse_error_percent, gte: 101}}", "gte must be between 0 and 100"),
            ("{quality: {metric: gaps, gte: -1}}", "gte must be a number, and not negative"),
        ]
    )
    func `A check that is never true is refused, and the error names its line`(
        check: String,
        complaint expected: String
    ) {
        let yaml = RuleText.yaml(select: "  s: {event_id: tkau}", check: "  c: \(check)")
        #expect(complaint(yaml).contains(expected), "\(complaint(yaml))")
        #expect(complaint(yaml).hasPrefix("FS1999.yaml:12:"), "\(complaint(yaml))")
    }

    @Test(
        arguments: [
            ("{count: {of: t, gte: 1}}", "there is no selector \u{201C}t\u{201D}"),
            ("{count: {of: sel}}", "a count needs gte, lte or eq"),
            ("{count: {of: sel, lte: 1, within: 5s}}", "'within' works only with 'gte'"),
            ("{count: {of: sel, gte: 20000}}", "a bound must be between 0 and 10000"),
            ("{count: {of: sel, gte: 1, distinct: host}}", "there is no capture \u{201C}host\u{201D}"),
            ("{count: {of: sel, gte: 1, within: 5 weeks}}", "is not a duration"),
            ("{sequence: {steps: [sel], by: request}}", "a sequence needs at least two steps"),
            ("{sequence: {steps: [sel, sel], by: thread}}", "not one of correlation, request, server"),
            ("{label: x}", "a check must be one of"),
            ("{count: {of: sel, gte: 1}, quality: {metric: gaps, gte: 1}}", "a check must be one of"),
            ("{count: {of: sel, gte: 1}, label: \"{oops\"}", "a brace is not closed"),
            ("{count: {of: sel, gte: 1}, label: \"{oops}\"}", "there is no capture or check \u{201C}oops\u{201D}"),
        ]
    )
    func `A meaningless check is refused`(check: String, complaint expected: String) {
        let yaml = RuleText.yaml(select: "  sel: {event_id: x}", check: "  c: \(check)")
        #expect(complaint(yaml).contains(expected), "\(complaint(yaml))")
    }

    @Test(
        arguments: [
            ("{of: d, set: {enabled: \"false\"}}", "there is no check \u{201C}d\u{201D}"),
            ("{of: q, set: {enabled: \"false\"}}", "a repair needs a check on config"),
            ("{of: c, set: {}}", "a repair sets at least one attribute"),
            ("{of: c, set: {mode: \"Off\"}}", "the check does not examine mode"),
            ("{of: c, set: {enabled: \"TRUE\"}}", "is what the check finds"),
            ("{of: c, set: {enabled: maybe}}", "is what the check finds"),
            ("{of: c, set: {enabled: \"false\"}}", "none"),
        ]
    )
    func `A meaningless repair is refused`(repair: String, complaint expected: String) {
        let check = "  c: {config: {element: system.web/trace, where: {enabled: {bool: true}}}}"
        let yaml = RuleText.yaml(
            check: check + "\n  q: {quality: {metric: gaps, gte: 1}}",
            more: "needs: {web_config: required}\nrepair: \(repair)"
        )
        #expect(complaint(yaml).contains(expected), "\(complaint(yaml))")
    }

    @Test func `A repair of a value that is only a default fails with an error`() throws {
        let check = "  c: {config: {element: a/b, where: {on: {bool: true, default: \"true\"}}}}"
        let rule = try RuleText.rule(check: check, more: "repair: {of: c, set: {on: \"false\"}}")
        let source = WebConfigSource(path: "web.config")
        let file = try WebConfigFile(Array("<configuration><a><b/></a></configuration>".utf8), source: source)
        let error = #expect(throws: WebConfigError.self) { try rule.changes(in: file) }
        #expect(error?.line == 1 && error?.message.hasPrefix("on is not set here") == true)
    }

    @Test(
        arguments: [
            ("when: d", "there is no check \u{201C}d\u{201D}"),
            ("when: [c]", "put 'all' or 'any' before a list of conditions"),
            ("when: {none: [c]}", "\u{201C}none\u{201D} is not one of all, any, not, unknown"),
            ("when: {all: []}", "all needs a list of conditions"),
            ("when: {all: [c], any: [c]}", "a condition must be a check or one of"),
        ]
    )
    func `A meaningless verdict is refused`(when: String, complaint expected: String) {
        let yaml = RuleText.yaml(
            check: "  c: {quality: {metric: gaps, gte: 1}}",
            verdicts: "  - {id: v, \(when), severity: error, confidence: likely, message: m}"
        )
        #expect(complaint(yaml).contains(expected), "\(complaint(yaml))")
    }

    @Test(arguments: ["FS12", "fs0101", "XX0101", "FS01011"])
    func `An invalid rule ID is refused`(id: String) {
        let yaml = RuleText.yaml(id, check: "  c: {quality: {metric: gaps, gte: 1}}")
        #expect(complaint(yaml).contains("is not a rule ID"))
    }

    @Test func `An error names the expression that cannot be compiled`() throws {
        let rule = try RuleText.rule(
            select: "  s: {event_id: x, message|re: \"(a)\\\\1\"}",
            check: "  c: {count: {of: s, gte: 1}}"
        )
        #expect(throws: RuleError.self) { try RuleSet([rule]) }
    }
}

struct VerdictConditionTests {
    private static let values: [Ternary] = [.no, .unknown, .yes]

    private func truth(_ condition: VerdictCondition, _ a: Ternary, _ b: Ternary = .no) -> Ternary {
        condition.holds { $0 == "a" ? a : b }
    }

    @Test(arguments: values, values)
    func `An all condition yields the minimum, and an any condition yields the maximum`(a: Ternary, b: Ternary) {
        #expect(truth(.all([.check("a"), .check("b")]), a, b) == min(a, b))
        #expect(truth(.any([.check("a"), .check("b")]), a, b) == max(a, b))
    }

    @Test func `The negation of unknown is unknown`() {
        #expect(Self.values.map { truth(.not(.check("a")), $0) } == [.yes, .unknown, .no])
    }

    @Test func `An unknown condition is always true or false`() {
        #expect(Self.values.map { truth(.unknown(.check("a")), $0) } == [.no, .yes, .no])
    }
}
