import Foundation
import LogTestSupport
import RuleAuthoring
import TestSupport
import Testing
import YAML

@testable import LogDiagnosis

struct RuleLintTests {
    private static let verdict = "  - {id: found, when: c, severity: warning, confidence: likely, message: \"Found.\"}"

    /// Lint's complaints about a rule, without those about its tests.
    private static func complaints(
        select: String = "  s: {event_id: ab12}",
        check: String = "  c: {count: {of: s, gte: 1}}",
        verdicts: String = verdict,
        more: String = "",
        change: (String) -> String = { $0 }
    ) throws -> [String] {
        let yaml = RuleText.yaml(select: select, check: check, verdicts: verdicts, more: more)
        var library = RuleLibrary()
        try library.add([RuleFile(name: "FS1999.yaml", text: change(yaml))])
        return RuleLint(library).complaints().map(\.description).filter { !$0.contains("there are no tests") }
    }

    @Test func `Lint has no complaints about a correct rule`() throws { #expect(try Self.complaints() == []) }

    @Test func `A selector without event IDs must name levels or a category`() throws {
        let complaints = try Self.complaints(select: "  s: {message|contains: System.IO.IOException}")
        #expect(
            complaints == [
                "FS1999.yaml:10:6: error: selector s has no event ID, level or category: it would have to "
                    + "examine every message"
            ]
        )
        for narrow in ["level: High", "level|gte: High", "category: Database"] {
            #expect(try Self.complaints(select: "  s: {\(narrow), message|contains: a.b}") == [])
        }
        #expect(try Self.complaints(select: "  s: {event_id|startswith: ab, message|contains: a.b}").count == 1)
    }

    @Test(arguments: ["Access denied.", "cannot open", "cannot open file 'x'. Try again", "0x80"])
    func `A condition that relies on prose causes a warning`(text: String) throws {
        let complaints = try Self.complaints(select: "  s: {level: High, message|contains: \"\(text)\"}")
        #expect(complaints.count == 1 && complaints[0].contains("relies on prose"))
    }

    @Test(arguments: [
        "System.IO.IOException", "at Microsoft.SharePoint.SPList.Update(", "owssvr.dll", "SqlException", "(0x80070005)",
    ])
    func whatIsNeverTranslatedIsNoProse(text: String) throws {
        #expect(try Self.complaints(select: "  s: {level: High, message|contains: \"\(text)\"}") == [])
    }

    @Test func `Names in expressions do not count as prose`() throws {
        #expect(try Self.complaints(select: "  s: {level: High, message|re: 'Resources\\\\wss[^.]*\\.resx'}") == [])
    }

    @Test func `An expression that does not compile is reported with the reason`() throws {
        let complaints = try Self.complaints(select: "  s: {event_id: ab12, message|re: '(a'}")
        #expect(complaints.count == 1)
        #expect(complaints[0].hasPrefix("FS1999.yaml:10:23: error: the expression \u{201C}(a\u{201D} cannot be used: "))
    }

    @Test func `Words that do not occur in any row cause a warning`() throws {
        let level = try Self.complaints(select: "  s: {event_id: ab12, level: Hihg}")
        #expect(
            level == [
                "FS1999.yaml:10:23: warning: the service does not use the level \u{201C}Hihg\u{201D}; "
                    + "did you mean High?"
            ]
        )
        #expect(try Self.complaints(select: "  s: {event_id: [ab12c3, \"0\", 8311, 8e26]}").count == 1)
    }

    @Test func `Unused captures, selectors and checks cause a warning`() throws {
        let complaints = try Self.complaints(
            select: "  s: {event_id: ab12, capture: \"x {name}\"}\n  t: {event_id: cd34}",
            check: "  c: {count: {of: s, gte: 1}}\n  d: {count: {of: s, gte: 2}}"
        )
        #expect(
            complaints == [
                "FS1999.yaml:10:32: warning: no sentence, per or distinct uses capture name",
                "FS1999.yaml:11:3: warning: no check uses selector t",
                "FS1999.yaml:14:3: warning: no verdict uses check d",
            ]
        )
    }

    @Test func `A capture without a name is only useful before another one`() throws {
        let written = { (captures: String) in "  s: {event_id: ab12, capture: [\(captures)]}" }
        let check = "  c: {count: {of: s, gte: 1, distinct: name}}"
        #expect(try Self.complaints(select: written("\"none\", \"x {name}\""), check: check) == [])
        #expect(
            try Self.complaints(select: written("\"x {name}\", \"none\""), check: check) == [
                "FS1999.yaml:10:45: warning: the last capture has no {name}, so it changes nothing"
            ]
        )
    }

    @Test func `Every selector must capture the values that the key per needs`() throws {
        let complaints = try Self.complaints(
            select: "  s: {event_id: ab12, capture: \"x {name}\"}\n  t: {event_id: cd34}",
            check: "  c: {sequence: {steps: [s, t], by: request}}",
            more: "per: name"
        )
        #expect(complaints == ["FS1999.yaml:11:6: error: selector t does not capture name, which per needs"])
    }

    @Test func `Superseded rules must exist`() throws {
        let complaints = try Self.complaints(more: "supersedes: [FS1002, FS1999]")
        #expect(
            complaints == [
                "FS1999.yaml:8:14: warning: it supersedes FS1002, which does not exist",
                "FS1999.yaml:8:22: warning: it supersedes itself",
            ]
        )
    }

    @Test func `An experimental rule can only warn`() throws {
        let complaints = try Self.complaints(
            verdicts: Self.verdict.replacingOccurrences(of: "warning", with: "error"),
            change: { $0.replacingOccurrences(of: "status: test", with: "status: experimental") }
        )
        #expect(complaints.count == 1)
        #expect(complaints[0].contains("error: an experimental rule can only warn; verdict found has severity error"))
    }

    @Test func `A stable rule must have all the parts that a reader needs`() throws {
        let complaints = try Self.complaints {
            $0.replacingOccurrences(of: "status: test", with: "status: stable")
        }
        let needs = complaints.compactMap { $0.split(separator: "needs ").last.map { String($0.prefix { $0 != ":" }) } }
        #expect(needs == ["verify", "references", "an impact"])
    }

    @Test func `Sentences must end with a period, but headings must not`() throws {
        let complaints = try Self.complaints(
            verdicts: "  - {id: found, when: c, severity: warning, confidence: likely, message: \"found\"}",
            change: {
                $0.replacingOccurrences(of: "title: A test", with: "title: A test.")
                    .replacingOccurrences(of: "slug: a-test", with: "slug: A_test")
                    .replacingOccurrences(of: "Do it.", with: "Do it")
            }
        )
        #expect(complaints.map { $0.split(separator: ":")[1] } == ["3", "6", "14", "17"])
    }

    @Test func `A verdict without a step causes a warning`() throws {
        let complaints = try Self.complaints(
            verdicts: Self.verdict + "\n" + Self.verdict.replacingOccurrences(of: "found", with: "worse"),
            change: { $0.replacingOccurrences(of: "{step: \"Do it.\"}", with: "{step: \"Do it.\", when: found}") }
        )
        #expect(complaints == ["FS1999.yaml:15:5: warning: no step in fix is for verdict worse"])
    }
}

/// Lint's complaints about a rule's tests.
struct TestLintTests {
    private static let verdicts = """
          - {id: first, when: c, severity: warning, confidence: likely, message: "Found."}
          - {id: second, when: d, severity: warning, confidence: likely, message: "Found."}
        """

    private static func files(_ tests: String?) -> [RuleFile] {
        let rule = RuleText.yaml(
            select: "  s: {event_id: ab12}\n  t: {event_id: cd34}",
            check: "  c: {count: {of: s, gte: 1}}\n  d: {count: {of: t, gte: 1}}",
            verdicts: verdicts
        )
        let head = "schema: fastctl.rule-tests/1\nrule: FS1999\ntests:\n"
        return [RuleFile(name: "FS1999.yaml", text: rule)]
            + (tests.map { [RuleFile(name: "FS1999.tests.yaml", text: head + $0)] } ?? [])
    }

    private static func complaints(_ tests: String?) throws -> [String] {
        var library = RuleLibrary()
        try library.add(files(tests))
        return RuleLint(library).complaints().map(\.description)
    }

    @Test func `A rule without tests causes a warning`() throws {
        #expect(try Self.complaints(nil) == ["FS1999.yaml: warning: there are no tests: add FS1999.tests.yaml"])
    }

    @Test func `Parts not covered by tests are reported`() throws {
        let complaints = try Self.complaints("- {name: n, uls: [{id: ab12, msg: m}], expect: [{verdict: first}]}")
        #expect(
            complaints == [
                "FS1999.tests.yaml: warning: no test expects verdict second",
                "FS1999.tests.yaml: warning: 0 tests are named NEAR MISS, but 2 are needed: one for each selector",
                "FS1999.tests.yaml: warning: no test shows a clean pass: add one named PASS that expects []",
                "FS1999.tests.yaml: warning: no test expects not_evaluated",
            ]
        )
    }

    @Test func `Lint has no complaints about complete tests`() throws {
        let complaints = try Self.complaints(
            """
            - {name: one, uls: [{id: ab12, msg: m}], expect: [{verdict: first}]}
            - {name: two, uls: [{id: cd34, msg: m}], expect: [{verdict: second}]}
            - {name: NEAR MISS one, uls: [{id: ab13, msg: m}], expect: []}
            - {name: NEAR MISS two, uls: [{id: cd33, msg: m}], expect: []}
            - {name: PASS, uls: [{id: b4ly, msg: m}], expect: []}
            - {name: NOT EVALUATED, web_config: <configuration/>, expect: not_evaluated}
            """
        )
        #expect(complaints == [])
    }

    @Test func `A near-miss test with many values counts once`() throws {
        let complaints = try Self.complaints(
            "- {name: NEAR MISS <x>, each: {x: [a, b, c]}, uls: [{id: zzzz, msg: <x>}], expect: []}"
        )
        #expect(complaints.contains { $0.contains("1 test is named NEAR MISS, but") })
    }

    @Test func `Tests that cannot be read cause an error`() throws {
        let complaints = try Self.complaints("- {name: n}")
        #expect(complaints.count == 1 && complaints[0].hasPrefix("FS1999.tests.yaml:4:3: error: "))
    }

    @Test func `Every file in a folder is checked`() throws {
        let folder = try TemporaryFolder()
        for file in Self.files("- {name: n}") {
            try Data(file.text.utf8).write(to: URL(filePath: folder.path(file.name)))
        }
        try Data("schema: fastctl.rule/2\n".utf8).write(to: URL(filePath: folder.path("FS1998.yaml")))
        try Data("x: [".utf8).write(to: URL(filePath: folder.path("FS1997.yaml")))
        let complaints = try RuleLint.complaints(folder: folder.path(""))
        #expect(
            complaints.map { $0.file.split(separator: "/").last } == [
                "FS1997.yaml", "FS1998.yaml", "FS1999.tests.yaml",
            ]
        )
        #expect(complaints.allSatisfy { $0.severity == .error && $0.place != nil })
    }
}
