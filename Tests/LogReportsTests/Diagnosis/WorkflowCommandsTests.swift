import LogDiagnosis
import ReportKit
import Testing

struct DiagnosisGitHubTests {
    @Test func `Findings become annotations, and evidence is written where commands are ignored`() throws {
        #expect(
            rendered(try DiagnosisFixtures.report(), as: .github) == #"""
                ::error file=wfe01/web.config,line=87,endLine=87,title=FS0101 ASP.NET tracing is on and breaks \#
                requests::ASP.NET tracing is on (wfe01/web.config:87) and breaks requests.%0A- 31 requests to \#
                owssvr.dll (save a list view, SharePoint Designer) could not read wss*.resx%0A- 2 page requests \#
                failed because control 'ctl00$hdn' appears twice%0AFix: Set <trace enabled="false" /> in web.config.
                ::warning file=WFE1-20110926-1030.log,line=41,endLine=41,title=FS1048 Search fails::Search fails on \#
                one.%0AFix: Mend it.
                ::warning file=WFE1-20110926-1030.log,line=41,endLine=41,title=FS1048 Search fails::Search fails on \#
                two.%0AFix: Mend it.
                ::warning file=WFE1-20110926-1030.log,line=7,endLine=7,title=unexplained::An operation failed because \#
                the certificate of <name> is not trusted (3 rows of event 8311)
                ::notice title=fastctl::4 more findings and 11 more kinds of unexplained row have no annotation: \#
                see this step's log, or -o json
                ::stop-commands::q7w8e9
                | FS0101 error: ASP.NET tracing is on (wfe01/web.config:87) and breaks requests.
                | WFE1-20110926-1030.log:38   begin reading here   correlation 9446a0f0-1577-472e-a8af-a552b1b4cc39
                |   8nca  Application error when access /_layouts/viewedit.aspx
                | WFE1-20110926-1030.log:41-44
                |   xmnv  Name=Request (POST:http://portal/_vti_bin/owssvr.dll)
                |   b9y3  Failed to open the file 'C:\Resources\wss.en-US.resx'…
                | wfe01/web.config:87   <trace enabled="true" pageOutput="false" /> (WFE1, Intranet)
                | FS1048 warning: Search fails on one.
                | WFE1-20110926-1030.log:41   correlation 9446a0f0-1577-472e-a8af-a552b1b4cc39
                |   abcd  The thing failed
                | FS1048 warning: Search fails on two.
                | WFE1-20110926-1030.log:41   correlation 9446a0f0-1577-472e-a8af-a552b1b4cc39
                |   abcd  The thing failed
                ::q7w8e9::
                7 findings: 1 error, 6 warnings · 12 kinds of rows unexplained · 2 rules found nothing · 2 not evaluated

                """#
        )
    }

    @Test func `A report without findings produces a sentence and no command`() throws {
        var report = DiagnosisReport()
        report.passed = [try DiagnosisFixtures.rule("FS1002")]
        #expect(rendered(report, as: .github) == "no findings · 1 rule found nothing\n")
    }

    @Test(arguments: ["error", "warning", "info"])
    func `At most ten annotations of a kind are written, and the rest are counted`(severity: String) throws {
        var report = DiagnosisReport()
        let finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048", severity: severity))
        report.findings = Array(repeating: finding, count: 15)
        let lines = rendered(report, as: .github).split(separator: "\n")
        let notices = lines.count { $0.hasPrefix("::notice ") }
        let others = lines.count { $0.hasPrefix("::error ") || $0.hasPrefix("::warning ") }
        let isInfo = severity == "info"
        #expect(notices == (isInfo ? 10 : 1))
        #expect(others == (isInfo ? 0 : 10))
        #expect(
            lines.contains(
                "::notice title=fastctl::\(isInfo ? 6 : 5) more findings have no annotation: see this step's log, or -o json"
            )
        )
    }

    @Test func `Characters that a property or a message cannot contain are escaped`() throws {
        var rule = try DiagnosisFixtures.rule("FS1048")
        rule.title = "50%, a:b"
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: rule, "50%\r\n::error::x")
        finding.evidence = []
        finding.fix = []
        report.findings = [finding]
        let first = rendered(report, as: .github).split(separator: "\n").first
        #expect(first == "::warning title=FS1048 50%25%2C a%3Ab::50%25 ↵ ::error::x")
    }
}
