import Foundation
import LogDiagnosis
import LogReports
import ReportKit
import Testing
import TextKit
import WebConfig

/// The appearance of known and suppressed findings in each form.
struct TriageFormTests {
    private static let suppressions = """
        schema: fastctl.suppressions/1
        suppressions:
          - {rule: FS1048, reason: "known, [see] ::error::", owner: Operations, until: 2027-01-31}
          - {cluster: 00112233445566aa, reason: harmless}
        """

    /// Returns a report with one new, one known and two suppressed findings.
    private static func report() throws -> DiagnosisReport {
        var report = try DiagnosisFixtures.clusters()
        let file = try SuppressionFile(suppressions, path: "s.yaml")
        let search = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048", "Search fails"))
        let known = DiagnosisFixtures.finding(
            of: try DiagnosisFixtures.rule("FS1050", "Timers fail", severity: "error"),
            fingerprint: "0011223344556677"
        )
        report.triage.suppressions = file
        report.triage.baseline = FindingBaseline([
            .init(fingerprint: known.fingerprint, rule: known.rule.id, title: "Timers fail", severity: .error)
        ])
        report.findings = [try DiagnosisFixtures.tracingFinding()]
        report.known = [known]
        report.suppressed = [
            SuppressedFinding(.finding(search), by: file.entries[0]),
            SuppressedFinding(.unexplained(report.unexplained[0]), by: file.entries[1]),
        ]
        report.unexplained = []
        (report.unexplainedEvents, report.unexplainedKinds) = (0, 0)
        report.gone = [.init(fingerprint: "gone", rule: search.rule.id, title: "Search is gone", severity: .warning)]
        report.unseenKnown = 2
        return report
    }

    @Test func `In text, known findings share one line, and each suppressed finding has its own`() throws {
        let text = rendered(try Self.report(), as: .text)
        #expect(text.contains("\nKnown\n1 finding is known: FS1050\nGone: FS1048 Search is gone (gone)\n"))
        #expect(text.contains("2 known findings cannot be seen in this input, and may or may not be gone"))
        let end = try #require(text.components(separatedBy: "\nSuppressed\n").last)
        #expect(
            end.hasPrefix(
                """
                FS1048 Search fails: suppressed until 2027-01-31: known, [see] ::error:: (Operations)
                UnauthorizedAccessException: Access is denied (kind 00112233445566aa, 31 rows of 8nca): suppressed: harmless

                """
            )
        )
        #expect(text.hasSuffix("1 finding: 1 error · 1 known · 2 suppressed · 1 rule found nothing\n"))
        #expect(!text.contains("Timers fail"))
    }

    @Test func `Known and suppressed findings are counted in the conclusion, but do not fail the run`() throws {
        var report = try Self.report()
        let conclusion = DiagnosisConclusion(report, DiagnosisCircumstances())
        #expect(conclusion.sentence.hasPrefix("1 error (1 known, 2 suppressed) by 4 rules on "))
        #expect(conclusion.status == .documentsFailed)
        report.findings = []
        #expect(DiagnosisConclusion(report, DiagnosisCircumstances()).status == .done)
        var circumstances = DiagnosisCircumstances()
        circumstances.gate.failsOnUnexplained = true
        #expect(DiagnosisConclusion(report, circumstances).status == .done)
    }

    @Test func `JSON lists new and known findings, and suppressed ones with their reasons`() throws {
        let text = rendered(try Self.report(), as: .json)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.map { $0["baseline"] as? String } == ["new", "known"])
        let suppressed = try #require(object["suppressed"] as? [[String: Any]])
        #expect((suppressed[0]["finding"] as? [String: Any])?["rule"] as? String == "FS1048")
        #expect((suppressed[1]["unexplained"] as? [String: Any])?["id"] as? String == "00112233445566aa")
        let reason = try #require(suppressed[0]["suppression"] as? [String: Any])
        #expect(reason["until"] as? String == "2027-01-31" && reason["owner"] as? String == "Operations")
        #expect((object["gone"] as? [[String: Any]])?.map { $0["fingerprint"] as? String } == ["gone"])
        #expect(object["knownNotLookedFor"] as? Int == 2)
    }

    /// Returns a report with a warning and an error that are both no more frequent than usual.
    private static func usual() throws -> DiagnosisReport {
        var report = try DiagnosisFixtures.report()
        var warning = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1051", "Timers are late"))
        var error = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1052", "Jobs fail", severity: "error"))
        (warning.isUsual, error.isUsual) = (true, true)
        (report.findings, report.known, report.omitted) = ([error], [warning], [])
        return report
    }

    @Test(arguments: [OutputForm.text, .html, .markdown, .junit])
    func `Usual findings share one line, but usual errors are reported`(format: OutputForm) throws {
        let text = rendered(try Self.usual(), as: format)
        #expect(text.contains("1 finding is as usual (--usual): FS1051"))
        #expect(text.contains("Jobs fail"))
        #expect(text.contains("none of its kinds of rows is more frequent than usual"))
        if format == .text {
            #expect(!text.contains("Timers are late") && !text.contains("Known"))
            #expect(text.contains("\n1 finding: 1 error · 1 as usual · 12 kinds of rows unexplained · "))
        }
    }

    @Test func `Data formats mark usual findings, and have no baseline state without a baseline`() throws {
        let object = try JSONSerialization.jsonObject(with: Data(rendered(try Self.usual(), as: .json).utf8))
        let findings = try #require((object as? [String: Any])?["findings"] as? [[String: Any]])
        #expect(findings.map { $0["usual"] as? Bool } == [true, true])
        #expect(findings.allSatisfy { $0["baseline"] is NSNull })
        let records = rendered(try Self.usual(), as: .ndjson)
        #expect(records.contains("\"known\":0,\"usual\":1,"))
        let sarif = rendered(try Self.usual(), as: .sarif)
        #expect(sarif.matches(of: /"baselineState":"unchanged"/).count == 2)
        let conclusion = DiagnosisConclusion(try Self.usual(), DiagnosisCircumstances())
        #expect(conclusion.sentence.hasPrefix("1 error (1 as usual) by "))
    }

    @Test func `JUnit skips a rule whose findings are suppressed, and tolerates known ones`() throws {
        let text = rendered(try Self.report(), as: .junit)
        #expect(text.contains("tests=\"4\" failures=\"1\""))
        #expect(text.contains("skipped=\"1\""))
        #expect(
            text.contains("<skipped message=\"suppressed until 2027-01-31: known, [see] ::error:: (Operations)\"/>")
        )
        #expect(text.contains("name=\"FS1050 Timers fail\" time=\"0.000\">\n      <system-out>"))
    }

    @Test func `In SARIF, each result states whether it is suppressed and whether it is known`() throws {
        let text = rendered(try Self.report(), as: .sarif)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let run = try #require((object["runs"] as? [[String: Any]])?.first)
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.map { $0["ruleId"] as? String } == ["FS0101", "FS1050", "FS1048", "unexplained"])
        #expect(results.map { $0["baselineState"] as? String } == ["new", "unchanged", "new", "new"])
        let suppressions = results.map { $0["suppressions"] as? [[String: String]] }
        #expect(suppressions.map { $0?.count } == [0, 0, 1, 1])
        #expect(suppressions[3]?.first == ["kind": "external", "justification": "suppressed: harmless"])
        // The rules of all results are described.
        #expect(results.prefix(3).allSatisfy { $0["ruleIndex"] != nil })
    }

    @Test func `Suppressed and known findings produce no annotations in a workflow`() throws {
        let text = rendered(try Self.report(), as: .github)
        #expect(text.components(separatedBy: "\n").count { $0.hasPrefix("::error") } == 1)
        #expect(!text.contains("Search fails") && !text.contains("Timers fail"))
        #expect(text.contains("1 known · 2 suppressed"))
    }

    @Test(arguments: [OutputForm.text, .markdown, .json, .ndjson, .junit, .sarif, .github])
    func `Without suppressions or a baseline, no format mentions them`(format: OutputForm) throws {
        let text = rendered(try DiagnosisFixtures.report(), as: format)
        for word in ["baselineState", "\"suppressions\":[", "Suppressed", "Known", " known", " suppressed"] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    @Test func `A written baseline is read back unchanged`() throws {
        let baseline = FindingBaseline([
            .init(
                fingerprint: "b",
                rule: try #require(RuleID("FS1050")),
                title: "Ti\"tle",
                severity: .error,
                servers: ["WFE1", "WFE2"]
            ),
            .init(fingerprint: "a", rule: try #require(RuleID("FS1048")), title: "Title", severity: .warning),
        ])
        let text = rendered { BaselineRenderer.append(baseline, to: &$0) }
        #expect(text.split(separator: "\n").count == 4)
        let path = NSTemporaryDirectory() + "/baseline-\(UUID().uuidString).json"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try FindingBaseline.read(path) == baseline)
    }
}
