import Foundation
import LogDiagnosis
import LogReports
import Testing

@testable import ReportKit
@testable import ULSLog
@testable import ULSRows

/// The forms for GitLab, Azure Pipelines, Prometheus and spreadsheets, with text that imitates markup.
struct ServerFormatTests {
    private func report(_ message: String, file: String = "WFE1.log", times: Int = 1) throws -> DiagnosisReport {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS0101"), message)
        finding.evidence[0].place.file = file
        report.findings = Array(repeating: finding, count: times)
        return report
    }

    @Test func `Hostile text cannot add a second command to an Azure issue`() throws {
        let hostile = try report("100 % ]\n##vso[task.setvariable variable=a]b;c\r", file: "a];b:%/x.log")
        let lines = rendered(hostile, as: .azure).split(separator: "\n")
        let issue = try #require(lines.first)
        #expect(
            issue.hasPrefix("##vso[task.logissue type=")
                && issue.contains(
                    "sourcepath=a%5D%3Bb:%AZP25/x.log;linenumber=41;columnnumber=1;code=FS0101;]100 %AZP25 ]"
                )
        )
        let others = lines.dropFirst().joined() + issue.dropFirst("##vso[".count)
        #expect(!others.contains("##vso["), "\(others)")
    }

    @Test func `Similar findings have different fingerprints in GitLab`() throws {
        let text = rendered(try report("It fails.", file: "./a/b.log", times: 3), as: .codequality)
        let issues = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(Set(issues.compactMap { $0["fingerprint"] as? String }).count == 3)
        #expect(issues.allSatisfy { ($0["location"] as? [String: Any])?["path"] as? String == "a/b.log" })
        #expect(rendered(DiagnosisReport(), as: .codequality) == "[]\n")
    }

    @Test func `A cell never becomes a formula, whatever the delimiter`() throws {
        var options = DiagnosisFixtures.options
        options.csv = CSVStyle(delimiter: UInt8(ascii: ";"), beginsWithMark: true)
        let text = rendered(try report("=cmd|'/c calc'!A1;\"x\""), as: .csv, options)
        #expect(text.hasPrefix("\u{FEFF}kind;rule;severity;"))
        #expect(text.contains(";\"\t=cmd|'/c calc'!A1;\"\"x\"\"\";"))
        #expect(text.hasSuffix("\r\n"))
    }

    @Test func `A rule that found nothing has a metric sample, but an unevaluated rule has none`() throws {
        let lines = rendered(try DiagnosisFixtures.report(), as: .prometheus).split(separator: "\n").map(String.init)
        let findings = lines.filter { $0.hasPrefix("fastctl_diagnosis_findings{") }
        #expect(findings.contains { $0.contains("rule=\"FS1048\"") && $0.hasSuffix(" 6") })
        #expect(findings.contains { $0.contains("rule=\"FS1002\"") && $0.hasSuffix(" 0") })
        #expect(!findings.contains { $0.contains("FS0401") })
        #expect(lines.contains("fastctl_diagnosis_rules_not_evaluated 2"))
        #expect(lines.contains("fastctl_diagnosis_run_timestamp_seconds 1795284000.000"))
    }

    @Test func `No character in a label's value can end the value`() {
        var text = PrometheusText("a")
        text.append("b", "It.", [.init(labels: ["x": "1\"} 2\\\r\n# TYPE\"\u{301}"], value: "3")])
        #expect(
            String(decoding: text.bytes, as: UTF8.self)
                == "# HELP a_b It.\n# TYPE a_b gauge\na_b{x=\"1\\\"} 2\\\\\r\\n# TYPE\\\"\u{301}\"} 3\n"
        )
    }

    @Test func `A long request is shortened to a flow that keeps the evidence and the problems`() throws {
        var trace = LogFixtures.trace
        trace.events += (0..<300).map { LogFixtures.event("Row \($0) [x](y)", at: 3000 + Int64($0), line: 100 + $0) }
        trace.roots += (8..<308).map { RequestTrace.Node.event($0) }
        var report = try report("It fails.")
        report.findings[0].evidence[0].correlation = trace.correlation
        report.findings[0].evidence[0].place = trace.events[307].place
        var options = DiagnosisFixtures.options
        options.requests = [trace.correlation: trace]
        let flows = try #require(try flows(report, options))
        let locations = try #require(flows.first?["locations"] as? [[String: Any]])
        #expect(flows.first?["id"] as? String == trace.correlation)
        #expect(locations.count == SARIFFlow.maximumSteps)
        #expect(locations.last?["importance"] as? String == "essential")
        #expect(locations.contains { $0["importance"] as? String == "important" })
        #expect(locations.compactMap { $0["nestingLevel"] as? Int }.max() ?? 0 > 0)
        // Local times are not instants.
        #expect(locations.allSatisfy { $0["executionTimeUtc"] == nil })
        #expect(rendered(report, as: .sarif, options).contains("208 events left out"))
    }

    @Test func `Without a trace, the flow consists of the evidence, if there is more than one row`() throws {
        var report = try report("It fails.")
        #expect(try flows(report, DiagnosisFixtures.options) == nil)
        report.findings[0].evidence.append(DiagnosisFixtures.evidence("And then", line: 44))
        #expect(try flows(report, DiagnosisFixtures.options)?.count == 1)
    }

    private func flows(_ report: DiagnosisReport, _ options: DiagnosisOptions) throws -> [[String: Any]]? {
        let text = rendered(report, as: .sarif, options)
        let log = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let result = try #require((run["results"] as? [[String: Any]])?.first)
        return (result["codeFlows"] as? [[String: Any]])?.first?["threadFlows"] as? [[String: Any]]
    }
}
