import Foundation
import TestSupport
import Testing

@testable import LogDiagnosis

/// What lint says of a rule's tests.
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

    @Test func aRuleWithoutTestsIsWarnedOf() throws {
        #expect(try Self.complaints(nil) == ["FS1999.yaml: warning: there are no tests: FS1999.tests.yaml"])
    }

    @Test func whatTestsDoNotShowIsNamed() throws {
        let complaints = try Self.complaints("- {name: n, uls: [{id: ab12, msg: m}], expect: [{verdict: first}]}")
        #expect(
            complaints == [
                "FS1999.tests.yaml: warning: no test expects verdict second",
                "FS1999.tests.yaml: warning: 2 selectors have only 0 tests that are called NEAR MISS",
                "FS1999.tests.yaml: warning: no test shows a clean pass: call it PASS, and expect []",
                "FS1999.tests.yaml: warning: no test expects not_evaluated",
            ]
        )
    }

    @Test func testsThatShowAllArePassed() throws {
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

    @Test func oneTestWithManyValuesIsOneNearMiss() throws {
        let complaints = try Self.complaints(
            "- {name: NEAR MISS <x>, each: {x: [a, b, c]}, uls: [{id: zzzz, msg: <x>}], expect: []}"
        )
        #expect(complaints.contains { $0.contains("have only 1 tests") })
    }

    @Test func testsThatCannotBeReadAreAnError() throws {
        let complaints = try Self.complaints("- {name: n}")
        #expect(complaints.count == 1 && complaints[0].hasPrefix("FS1999.tests.yaml:4:3: error: "))
    }

    @Test func everyFileOfAFolderIsLookedAt() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
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
