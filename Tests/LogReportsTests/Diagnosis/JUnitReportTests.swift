import Foundation
import LogDiagnosis
import LogReports
import ReportKit
import Testing
import TextKit

struct DiagnosisJUnitTests {
    @Test func `Each rule is a test case: passed, failed, tolerated or skipped`() throws {
        let text = rendered(try DiagnosisFixtures.report(), as: .junit)
        #expect(
            text.hasPrefix(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="fastctl" tests="6" failures="1" errors="0" time="1.204">
                  <testsuite name="fastctl.uls" tests="6" failures="1" errors="0" skipped="2" time="1.204" \
                timestamp="2026-11-21T18:00:00" hostname="ci-7">
                    <testcase classname="fastctl.uls.configuration" name="FS0101 ASP.NET tracing is on and breaks \
                requests" time="0.000">
                      <failure type="error" message="ASP.NET tracing is on (wfe01/web.config:87) and breaks requests.">
                ERROR  FS0101  ASP.NET tracing is on and breaks requests

                """
            )
        )
        #expect(
            text.contains(
                """
                    <testcase classname="fastctl.webconfig.search" name="FS0401 Debugging is on" time="0.000">
                      <skipped message="not evaluated: no web.config was given"/>
                    </testcase>

                """
            )
        )
        #expect(
            text.contains(
                """
                    <testcase classname="fastctl.uls.search" name="FS1002 Something fails" time="0.000"/>
                    <testcase classname="fastctl.uls.search" name="FS1048 Search fails" time="0.000">
                      <system-out>
                WARNING  FS1048  Search fails

                """
            )
        )
        #expect(text.contains("\n4 more findings are not listed\n</system-out>\n"))
    }

    @Test(arguments: [(.warning, 2), (.critical, 0), (nil, 0)] as [(Severity?, Int)])
    func `The threshold determines which findings are failures`(failOn: Severity?, failures: Int) throws {
        var options = DiagnosisFixtures.options
        options.gate.failOn = failOn
        let text = rendered(try DiagnosisFixtures.report(), as: .junit, options)
        #expect(text.contains(#"<testsuites name="fastctl" tests="6" failures="\#(failures)" errors="0""#))
        #expect(text.matches(of: /<failure\b/).count == failures)
    }

    @Test func `Several findings of a rule form one failure that states their number`() throws {
        var options = DiagnosisFixtures.options
        options.gate.failOn = .warning
        let text = rendered(try DiagnosisFixtures.report(), as: .junit, options)
        #expect(text.contains(#"<failure type="warning" message="Search fails on one. (and 5 more)">"#))
    }

    @Test func `A kind that fails the run is a failed case, and all unlisted kinds form another failed case`() throws {
        var options = DiagnosisFixtures.options
        options.gate = DiagnosisGate(failOn: nil, failsOnUnexplained: true)
        let text = rendered(try DiagnosisFixtures.report(), as: .junit, options)
        #expect(text.contains(#"<testsuites name="fastctl" tests="8" failures="2" errors="0""#))
        #expect(
            text.contains(#"classname="fastctl.uls.unexplained" name="unexplained 77665544332211aa 8311 An operation"#)
        )
        #expect(text.contains(#"<failure type="warning" message="11 more kinds, with 10 rows, are not listed">"#))
        options.gate.failsOnUnexplained = false
        #expect(rendered(try DiagnosisFixtures.report(), as: .junit, options).contains(#"tests="6" failures="0""#))
    }

    @Test func `Rejected input is an error, so that the file alone does not look like a pass`()
        throws
    {
        var options = DiagnosisFixtures.options
        options.status = .inputRejected
        options.rejections = ["no row of server 'WFE9': the logs have <WFE1>"]
        var report = DiagnosisReport()
        report.notEvaluated = [NotEvaluated(rule: try DiagnosisFixtures.rule("FS1048"), reason: "no row was examined")]
        let text = rendered(report, as: .junit, options)
        #expect(text.contains(#"<testsuites name="fastctl" tests="2" failures="0" errors="1""#))
        #expect(text.contains(#"tests="2" failures="0" errors="1" skipped="1""#))
        #expect(text.contains(#"<testcase classname="fastctl.uls" name="input" time="0.000">"#))
        #expect(text.contains(#"message="no row of server 'WFE9': the logs have &lt;WFE1&gt;">"#))
        report.refusedConfigs = try DiagnosisFixtures.report().refusedConfigs
        #expect(rendered(report, as: .junit, options).contains("</error>"))
        options.rejections = []
        #expect(rendered(report, as: .junit, options).contains(#"errors="1""#))
        report.refusedConfigs = []
        #expect(rendered(report, as: .junit, options).contains(#"tests="1" failures="0" errors="0""#))
    }

    @Test func `Rejected input is reported as an error in the GitHub and Azure formats`() {
        var options = DiagnosisFixtures.options
        options.rejections = ["no row of server 'WFE9'"]
        let github = rendered(DiagnosisReport(), as: .github, options)
        #expect(github.hasPrefix("::error title=fastctl::no row of server 'WFE9'\n"))
        let azure = rendered(DiagnosisReport(), as: .azure, options)
        #expect(azure.hasPrefix("##vso[task.logissue type=error;code=input-rejected;]no row of server 'WFE9'\n"))
    }

    @Test func `An unknown time and host name are omitted`() throws {
        let options = DiagnosisOptions(version: "1", token: "t")
        let text = rendered(DiagnosisReport(), as: .junit, options)
        #expect(!text.contains("timestamp="))
        #expect(!text.contains("hostname="))
    }

    @Test func `Characters that XML cannot represent are escaped, and no text ends an element early`() throws {
        var report = DiagnosisReport()
        let message = "a\u{1B}[31m\u{0}\u{FFFE}]]></failure>&\"<x>\nb"
        report.findings = [DiagnosisFixtures.finding(of: try DiagnosisFixtures.tracing(), message)]
        let text = rendered(report, as: .junit)
        let expected = #"message="a\u{1B}[31m\u{0}\u{FFFE}]]&gt;&lt;/failure&gt;&amp;&quot;&lt;x&gt; ↵ b""#
        #expect(text.contains(expected))
    }

    @Test func `If a rule has many findings, their text is truncated and the rest are counted`() throws {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048", severity: "error"))
        finding.evidence = (1...10).map { DiagnosisFixtures.evidence(String(repeating: "long ", count: 200), line: $0) }
        report.findings = Array(repeating: finding, count: 20)
        let text = rendered(report, as: .junit)
        #expect(text.utf8.count < 100_000)
        #expect(text.contains("more findings are not shown: -o json lists them all\n"))
    }

    @Test func `In a report that is too long, cases keep their results without text`() throws {
        let report = try DiagnosisFixtures.report()
        let result = try #require(RuleResult.all(of: report).first)
        let text = rendered { JUnitCase(result, DiagnosisGate()).append(to: &$0, isBrief: true) }
        #expect(text.contains(">1 finding: the text is too long for this file; use -o json</failure>"))
    }
}
