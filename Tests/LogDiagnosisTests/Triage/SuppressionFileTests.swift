import Testing

@testable import LogDiagnosis

/// The contents of a suppression file, and the errors for mistakes in it.
struct SuppressionFileTests {
    private func file(_ entries: String) throws -> SuppressionFile {
        try SuppressionFile("schema: fastctl.suppressions/1\nsuppressions:\n" + entries, path: "s.yaml")
    }

    private func problem(_ entries: String) -> String {
        do {
            _ = try file(entries)
            return "accepted"
        } catch { return "\(error)" }
    }

    @Test func `An entry is read with its scope, reason, owner and last day`() throws {
        let entry = try #require(
            try file(
                """
                  - rule: FS1003
                    match: {text: gone, server: [WFE1, WFE2], captures: {user: ann}}
                    reason: it is replaced
                    owner: Operations
                    until: 2027-01-31
                """
            ).entries.first
        )
        #expect(entry.description == "suppressed until 2027-01-31: it is replaced (Operations)")
        #expect(entry.subject == .rule(try #require(RuleID("FS1003"))))
        #expect(entry.place == FilePlace(file: "s.yaml", line: 3, column: 5))
    }

    @Test(arguments: [
        ("  - {rule: FS1003}", "s.yaml:3:5: suppressions.[0]: the key \u{201C}reason\u{201D} is missing"),
        ("  - {rule: FS1003, reason: ' '}", "s.yaml:3:28: the reason is empty; give one"),
        ("  - {reason: x}", "s.yaml:3:5: name a rule or a cluster to hide"),
        (
            "  - {rule: FS1003, cluster: 0123456789abcdef, reason: x}",
            "s.yaml:3:5: name a rule or a cluster to hide"
        ),
        (
            "  - {rule: FS1003, reasn: x}",
            "the key \u{201C}reason\u{201D} is missing; did you misspell it as \u{201C}reasn\u{201D}?"
        ),
        (
            "  - {rule: FS1003, reason: x, until: 2027-02-29}",
            "s.yaml:3:38: suppressions.[0].until: \u{201C}2027-02-29\u{201D} is not a day: write it like 2027-01-31"
        ),
        (
            "  - {rule: FS1003, reason: x, match: {regex: 'a('}}",
            "s.yaml:3:46: Missing close parenthesis for group started at character 2, '('"
        ),
        ("  - {rule: FS1003, reason: x, match: {text: ''}}", "match is empty"),
        ("  - {rule: FS9001, reason: x}", "FS9001 concerns one of your own files; correct that file instead"),
        ("  - {cluster: xyz, reason: x}", "is not the ID of a kind"),
    ])
    func `An error in the file is reported with its line`(entries: String, message: String) {
        #expect(problem(entries).contains(message), "\(problem(entries))")
    }

    @Test(arguments: [
        ("2027-01-31", true), ("2024-02-29", true), ("2023-02-29", false), ("1900-02-29", false), ("2000-02-29", true),
        ("2027-13-01", false), ("2027-00-10", false), ("2027-1-1", false), ("27-01-01", false), ("2027-01-31 ", false),
        ("2027/01/31", false), ("+027-01-31", false), ("2027-04-31", false), ("", false), ("tomorrow", false),
    ])
    func `A day that is not in the calendar is refused`(text: String, isDay: Bool) {
        #expect((CalendarDay(text) != nil) == isDay)
        if isDay { #expect(CalendarDay(text)?.description == text) }
    }
}
