import Foundation
import TestSupport
import Testing
import YAML

@testable import LogDiagnosis

struct RuleLintTests {
    private static let verdict = "  - {id: found, when: c, severity: warning, confidence: likely, message: \"Found.\"}"

    /// What lint says of a rule, without what it says of its tests.
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

    @Test func aRuleThatIsAsItShouldBeIsPassed() throws { #expect(try Self.complaints() == []) }

    @Test func aSelectorWithoutEventIDsNamesLevelsOrACategory() throws {
        let complaints = try Self.complaints(select: "  s: {message|contains: System.IO.IOException}")
        #expect(
            complaints == [
                "FS1999.yaml:10:6: error: selector s names neither event IDs nor levels or a category: it would look "
                    + "at every message"
            ]
        )
        for narrow in ["level: High", "level|gte: High", "category: Database"] {
            #expect(try Self.complaints(select: "  s: {\(narrow), message|contains: a.b}") == [])
        }
        #expect(try Self.complaints(select: "  s: {event_id|startswith: ab, message|contains: a.b}").count == 1)
    }

    @Test(arguments: ["Access denied.", "cannot open", "cannot open file 'x'. Try again", "0x80"])
    func proseIsWarnedOf(text: String) throws {
        let complaints = try Self.complaints(select: "  s: {level: High, message|contains: \"\(text)\"}")
        #expect(complaints.count == 1 && complaints[0].contains("rests on prose"))
    }

    @Test(arguments: [
        "System.IO.IOException", "at Microsoft.SharePoint.SPList.Update(", "owssvr.dll", "SqlException", "(0x80070005)",
    ])
    func whatIsNeverTranslatedIsNoProse(text: String) throws {
        #expect(try Self.complaints(select: "  s: {level: High, message|contains: \"\(text)\"}") == [])
    }

    @Test func namesInExpressionsAreNoProse() throws {
        #expect(try Self.complaints(select: "  s: {level: High, message|re: 'Resources\\\\wss[^.]*\\.resx'}") == [])
    }

    @Test func anExpressionThatDoesNotCompileIsNamedWithTheReason() throws {
        let complaints = try Self.complaints(select: "  s: {event_id: ab12, message|re: '(a'}")
        #expect(complaints.count == 1)
        #expect(complaints[0].hasPrefix("FS1999.yaml:10:23: error: the expression \u{201C}(a\u{201D} cannot be used: "))
    }

    @Test func wordsThatNoRowHasAreWarnedOf() throws {
        let level = try Self.complaints(select: "  s: {event_id: ab12, level: Hihg}")
        #expect(
            level == ["FS1999.yaml:10:23: warning: the service knows no level \u{201C}Hihg\u{201D}; did you mean High?"]
        )
        #expect(try Self.complaints(select: "  s: {event_id: [ab12c3, \"0\", 8311, 8e26]}").count == 1)
    }

    @Test func whatNobodyUsesIsWarnedOf() throws {
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

    @Test func everySelectorCapturesWhatPerNeeds() throws {
        let complaints = try Self.complaints(
            select: "  s: {event_id: ab12, capture: \"x {name}\"}\n  t: {event_id: cd34}",
            check: "  c: {sequence: {steps: [s, t], by: request}}",
            more: "per: name"
        )
        #expect(complaints == ["FS1999.yaml:11:6: error: selector t does not capture name, which per needs"])
    }

    @Test func supersededRulesAreThere() throws {
        let complaints = try Self.complaints(more: "supersedes: [FS1002, FS1999]")
        #expect(
            complaints == [
                "FS1999.yaml:8:14: warning: it supersedes FS1002, which is not there",
                "FS1999.yaml:8:22: warning: it supersedes itself",
            ]
        )
    }

    @Test func anExperimentalRuleWarnsAtMost() throws {
        let complaints = try Self.complaints(
            verdicts: Self.verdict.replacingOccurrences(of: "warning", with: "error"),
            change: { $0.replacingOccurrences(of: "status: test", with: "status: experimental") }
        )
        #expect(complaints.count == 1)
        #expect(complaints[0].contains("error: an experimental rule warns at most; verdict found says error"))
    }

    @Test func aStableRuleSaysWhatAReaderNeeds() throws {
        let complaints = try Self.complaints {
            $0.replacingOccurrences(of: "status: test", with: "status: stable")
        }
        let needs = complaints.compactMap { $0.split(separator: "needs ").last.map { String($0.prefix { $0 != ":" }) } }
        #expect(needs == ["verify", "references", "an impact"])
    }

    @Test func sentencesEndAndHeadingsDont() throws {
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

    @Test func aVerdictWithoutAStepIsWarnedOf() throws {
        let complaints = try Self.complaints(
            verdicts: Self.verdict + "\n" + Self.verdict.replacingOccurrences(of: "found", with: "worse"),
            change: { $0.replacingOccurrences(of: "{step: \"Do it.\"}", with: "{step: \"Do it.\", when: found}") }
        )
        #expect(complaints == ["FS1999.yaml:15:5: warning: no step of the fix is meant for verdict worse"])
    }
}
