import Testing

@testable import LogDiagnosis

/// Adding a suppression leaves the rest of the file unchanged.
struct SuppressionEditTests {
    private func draft(
        _ rule: String = "FS1003",
        _ change: (inout SuppressionDraft) -> Void = { _ in }
    ) throws -> SuppressionDraft {
        var draft = SuppressionDraft(.rule(try #require(RuleID(rule))), reason: "a: \"b\" # c")
        change(&draft)
        return draft
    }

    @Test func `The first suppression creates the file`() throws {
        let text = try SuppressionFile.adding(
            try draft {
                $0.servers = ["WFE1"]
                $0.owner = "Ann"
                $0.until = CalendarDay("2027-01-31")
            },
            to: nil,
            path: "s.yaml"
        )
        #expect(
            text == """
                # Findings that 'fastctl diagnose' should not report.
                schema: fastctl.suppressions/1
                suppressions:
                  - rule: FS1003
                    match:
                      server: ["WFE1"]
                    reason: "a: \\"b\\" # c"
                    owner: "Ann"
                    until: 2027-01-31

                """
        )
    }

    @Test(arguments: [
        "schema: fastctl.suppressions/1\nsuppressions:\n- rule: FS1001   # mine\n  reason: x\n# the end",
        "schema: fastctl.suppressions/1\nsuppressions:\n      - {rule: FS1001, reason: x}\n",
        "schema: fastctl.suppressions/1\r\nsuppressions:\r\n  - rule: FS1001\r\n    reason: x\r\n",
        "schema: fastctl.suppressions/1\n", "schema: fastctl.suppressions/1\nsuppressions:\n",
        "schema: fastctl.suppressions/1",
    ])
    func `Existing entries are preserved byte for byte`(old: String) throws {
        let before = try SuppressionFile(old, path: "s.yaml").entries.count
        let text = try SuppressionFile.adding(try draft(), to: old, path: "s.yaml")
        #expect(text.utf8.starts(with: old.utf8))
        let entries = try SuppressionFile(text, path: "s.yaml").entries
        #expect(entries.count == before + 1 && entries.last?.reason == "a: \"b\" # c")
        #expect(
            try SuppressionFile(SuppressionFile.adding(try draft("FS1004"), to: text, path: "s.yaml"), path: "s.yaml")
                .entries.count == before + 2
        )
    }

    @Test(arguments: [
        "schema: fastctl.suppressions/1\nsuppressions: [{rule: FS1001, reason: x}]\n",
        "{schema: fastctl.suppressions/1, suppressions: []}\n",
        "suppressions:\n  - {rule: FS1001, reason: x}\nschema: fastctl.suppressions/1\n",
        "schema: fastctl.suppressions/1\nsupressions: []\n",
    ])
    func `A file that an entry cannot be appended to is refused`(old: String) throws {
        #expect(throws: RuleError.self) { try SuppressionFile.adding(try draft(), to: old, path: "s.yaml") }
    }

    @Test func `Entries with the same scope are found, regardless of reason and last day`() throws {
        let old =
            "schema: fastctl.suppressions/1\nsuppressions:\n" + """
                  - {rule: FS1003, reason: x, until: 2020-01-31}
                  - {rule: FS1003, match: {server: WFE1}, reason: x}
                  - {rule: FS1004, reason: x}
                """
        let file = try SuppressionFile(old, path: "s.yaml")
        #expect(file.entries(like: try draft()).map(\.place.line) == [3])
        #expect(file.entries(like: try draft { $0.servers = ["wfe1"] }).map(\.place.line) == [4])
        #expect(file.entries(like: try draft { $0.text = "bob" }).isEmpty)
    }

    @Test func `A suppression that would be refused is not written`() throws {
        #expect(throws: RuleError.self) { try SuppressionFile.adding(try draft("FS9001"), to: nil, path: "s.yaml") }
        #expect(throws: RuleError.self) {
            try SuppressionFile.adding(SuppressionDraft(.cluster("x"), reason: "y"), to: nil, path: "s.yaml")
        }
        #expect(throws: RuleError.self) {
            try SuppressionFile.adding(try draft { $0.reason = " " }, to: nil, path: "s.yaml")
        }
    }
}
