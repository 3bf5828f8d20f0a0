import Foundation
import FoundationXML
import LogDiagnosis
import LogReports
import ReportKit
import Testing
import TextKit
import ULSLog

/// A report has the same content in every form.
struct DiagnosisContractTests {
    private struct Counts: Equatable {
        var errors = 0
        var warnings = 0
        var passed = 0
        var notEvaluated = 0
    }

    private static let expected = Counts(errors: 1, warnings: 6, passed: 2, notEvaluated: 2)

    private func object(_ text: some StringProtocol) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    /// Reads the last sentence, which all human-readable forms contain.
    private func sentence(in text: String) throws -> Counts {
        let pattern =
            /7 findings: (\d+) error, (\d+) warnings · 12 kinds of rows unexplained · (\d+) rules found nothing · (\d+) not evaluated/
        let match = try #require(text.firstMatch(of: pattern))
        return Counts(
            errors: Int(match.1) ?? -1,
            warnings: Int(match.2) ?? -1,
            passed: Int(match.3) ?? -1,
            notEvaluated: Int(match.4) ?? -1
        )
    }

    @Test(arguments: [OutputForm.text, .markdown, .github, .junit])
    func `Human-readable formats all contain the same counts`(format: OutputForm) throws {
        #expect(try sentence(in: rendered(try DiagnosisFixtures.report(), as: format)) == Self.expected)
    }

    @Test(arguments: [OutputForm.text, .markdown, .junit, .json, .ndjson, .sarif, .github])
    func `A count that is a lower bound is marked in every format that shows it`(format: OutputForm) throws {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(
            of: try DiagnosisFixtures.rule("FS1001", severity: "error"),
            "At least 4000000 requests failed."
        )
        finding.occurrences = 4_000_000
        finding.occurrencesAreAtLeast = true
        report.findings = [finding]
        report.limits = [DiagnosisLimitReached(limit: .distinctValues, count: 7)]
        let text = rendered(report, as: format)
        #expect(text.contains("At least 4000000 requests failed."))
        switch format {
        case .json, .ndjson, .sarif: #expect(text.contains("\"occurrencesAreAtLeast\":true"))
        case .github: break
        default: #expect(text.contains("at least 4,000,000 occurrences"))
        }
        // The number always appears together with the words.
        let numbers = text.replacing("At least 4000000", with: "").replacing("at least 4,000,000", with: "")
        #expect(format == .json || format == .ndjson || format == .sarif || !numbers.contains("4000000"))
    }

    @Test(arguments: [OutputForm.text, .markdown, .junit])
    func `If unexplained events exceed the limit, their counts are lower bounds`(format: OutputForm) throws {
        var report = DiagnosisReport()
        let example = DiagnosisFixtures.evidence("odd", eventID: "abcd")
        report.unexplained = [
            FailureCluster(eventID: "abcd", level: ULSLevel("High"), template: "odd", count: 3, example: example)
        ]
        report.unexplainedEvents = 12_345
        report.unexplainedKinds = 10_000
        report.unexplainedIsAtLeast = true
        let text = rendered(report, as: format)
        #expect(text.contains("No rule explains at least 12,345 rows of at least 10,000 kinds"))
        #expect(text.contains("AT LEAST"))
    }

    @Test func `JSON contains the same counts as the other formats`() throws {
        let report = try object(rendered(try DiagnosisFixtures.report(), as: .json))
        var counts = Counts()
        for finding in try #require(report["findings"] as? [[String: Any]]) {
            if finding["severity"] as? String == "error" { counts.errors += 1 } else { counts.warnings += 1 }
        }
        for limit in try #require(report["limits"] as? [[String: Any]]) where limit["limit"] as? String == "findings" {
            counts.warnings += limit["count"] as? Int ?? 0
        }
        counts.passed = (report["passed"] as? [Any])?.count ?? -1
        counts.notEvaluated = (report["notEvaluated"] as? [Any])?.count ?? -1
        #expect(counts == Self.expected)
    }

    @Test func `JSON Lines contains the same counts as the other formats`() throws {
        let lines = rendered(try DiagnosisFixtures.report(), as: .ndjson).split(separator: "\n")
        let summary = try object(try #require(lines.last))
        let severities = try #require(summary["severities"] as? [String: Int])
        let counts = Counts(
            errors: severities["error"] ?? -1,
            warnings: severities["warning"] ?? -1,
            passed: summary["passed"] as? Int ?? -1,
            notEvaluated: summary["notEvaluated"] as? Int ?? -1
        )
        #expect(counts == Self.expected)
        let results = try lines.map { try object($0) }.filter { $0["kind"] as? String == "ruleResult" }
        #expect(results.compactMap { $0["findings"] as? Int }.reduce(0, +) == 7)
    }

    @Test(arguments: [OutputForm.sarif, .github, .azure, .codequality, .junit])
    func `In every format, a kind of unexplained rows is an error only if it fails the run`(
        format: OutputForm
    ) throws {
        var report = try DiagnosisFixtures.clusters()
        report.unexplained[0].severity = .warning
        for fails in [false, true] {
            var circumstances = DiagnosisCircumstances()
            circumstances.gate.failsOnUnexplained = fails
            var options = DiagnosisFixtures.options
            options.gate = circumstances.gate
            let text = rendered(report, as: format, options)
            let marks = [#""level":"error""#, "::error ", "type=error", #""severity":"critical""#, #"failures="1""#]
            #expect(marks.contains { text.contains($0) } == fails)
            #expect((DiagnosisConclusion(report, circumstances).status == .documentsFailed) == fails)
        }
    }

    @Test(arguments: [OutputForm.sarif, .github, .azure, .codequality, .csv])
    func `Even compact formats list checks`(format: OutputForm) throws {
        let text = rendered(try DiagnosisFixtures.clusters(), as: format)
        #expect(text.contains("Whether it runs: Get-SPServiceInstance"))
    }

    @Test(arguments: [OutputForm.text, .markdown, .html, .json, .ndjson, .junit, .sarif, .azure, .codequality, .csv])
    func `Every format contains all listed kinds, even those whose text adds no information`(format: OutputForm) throws
    {
        var report = try DiagnosisFixtures.clusters()
        let kind = report.unexplained[0]
        report.unexplained += (1...40).map { number in
            var other = FailureCluster(
                eventID: "zq1a",
                level: ULSLevel("Critical"),
                template: "Stopped number \(number);",
                count: 2,
                example: kind.example
            )
            (other.id, other.severity) = ("00000000000000\(number + 10)", .warning)
            return other
        }
        (report.unexplainedKinds, report.unexplainedEvents) = (41, 111)
        var options = DiagnosisFixtures.options
        options.layout.isWide = true
        let text = rendered(report, as: format, options)
        for number in 1...40 { #expect(text.contains("Stopped number \(number);")) }
        #expect(!text.contains("not listed"))
    }

    @Test func `SARIF contains the same counts as the other formats`() throws {
        let log = try object(rendered(try DiagnosisFixtures.report(), as: .sarif))
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let levels = (run["results"] as? [[String: Any]])?.compactMap { $0["level"] as? String }
        #expect(levels == ["error", "warning", "warning", "warning"])
        let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
        let notifications = try #require(invocation["toolExecutionNotifications"] as? [[String: Any]])
        let kinds = notifications.compactMap { ($0["descriptor"] as? [String: Any])?["id"] as? String }
        #expect(kinds.count { $0 == "not-evaluated" } == 2)
        #expect(invocation["exitCode"] as? Int == 1)
    }

    @Test func `JUnit counts rules`() throws {
        let document = try XMLDocument(data: Data(rendered(try DiagnosisFixtures.report(), as: .junit).utf8))
        let cases = try document.nodes(forXPath: "//testcase")
        let suite = try #require(try document.nodes(forXPath: "//testsuite").first as? XMLElement)
        #expect(cases.count == 6)
        #expect(suite.attribute(forName: "tests")?.stringValue == "6")
        #expect(try document.nodes(forXPath: "//failure").count == 1)
        #expect(try document.nodes(forXPath: "//skipped").count == 2)
        let names = cases.compactMap { ($0 as? XMLElement)?.attribute(forName: "name")?.stringValue }
        #expect(Set(names).count == 6)
    }

    @Test func `Annotations and omitted annotations add up to the same counts as in the other formats`() throws {
        let text = rendered(try DiagnosisFixtures.report(), as: .github)
        let lines = text.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("::error ") } == 1)
        #expect(lines.count { $0.hasPrefix("::warning ") } == 3)
        #expect(text.contains("::4 more findings and 11 more kinds"))
    }

    @Test(arguments: DiagnosisRenderer.forms)
    func `The same report produces the same bytes`(format: OutputForm) throws {
        let first = rendered(try DiagnosisFixtures.report(), as: format)
        #expect(try (0..<5).allSatisfy { _ in rendered(try DiagnosisFixtures.report(), as: format) == first })
    }

    @Test(arguments: DiagnosisRenderer.forms)
    func `The exit code, the closing sentence and the formats agree`(format: OutputForm) throws {
        let report = try DiagnosisFixtures.report()
        let conclusion = DiagnosisConclusion(report, DiagnosisCircumstances())
        var options = DiagnosisFixtures.options
        options.status = conclusion.status
        #expect(conclusion.sentence.hasPrefix("1 error, 6 warnings by 6 rules, 2 not evaluated, on 1,219 rows"))
        let text = rendered(report, as: format, options)
        if [.json, .ndjson, .sarif].contains(format) {
            #expect(text.contains("\"exitCode\":\(conclusion.status.rawValue)"))
        }
    }
}
