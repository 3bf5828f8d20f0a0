import LogDiagnosis
import LogReports
import ReportKit
import Testing
import ULSLog
import WebConfig

struct DiagnosisTextTests {
    private func text(
        _ report: DiagnosisReport,
        _ layout: TextLayout = TextLayout(width: 80),
        _ detail: FindingDetail = .full
    ) -> String {
        var options = DiagnosisFixtures.options
        options.layout = layout
        options.detail = detail
        return rendered(report, as: .text, options)
    }

    @Test func `A report states the problem, its cause, the evidence and the fix`() throws {
        #expect(
            text(try DiagnosisFixtures.report()) == #"""
                ERROR  FS0101  ASP.NET tracing is on and breaks requests
                       ASP.NET tracing is on (wfe01/web.config:87) and breaks requests.
                       · 31 requests to owssvr.dll (save a list view, SharePoint Designer) could
                         not read wss*.resx
                       · 2 page requests failed because control 'ctl00$hdn' appears twice
                       verdict confirmed · confidence certain · 33 occurrences ·
                       2011-09-26T10:39:40.52 to 11:03:40.52 · WFE1, WFE2
                       undecided: ajax would take precedence, but the input is insufficient

                  what       ASP.NET collects trace data for every request.
                  why        The trace element of web.config is enabled.
                  impact     Users cannot save list views.
                  evidence   WFE1-20110926-1030.log:38   begin reading here
                             correlation 9446a0f0-1577-472e-a8af-a552b1b4cc39
                             | 8nca  Application error when access /_layouts/viewedit.aspx
                             WFE1-20110926-1030.log:41-44
                             | xmnv  Name=Request (POST:http://portal/_vti_bin/owssvr.dll)
                             | b9y3  Failed to open the file 'C:\Resources\wss.en-US.resx'…
                             wfe01/web.config:87   <trace enabled="true" pageOutput="false" />
                             (WFE1, Intranet)
                  fix     1  Set <trace enabled="false" /> in web.config.
                             where   each web front end, each zone
                             effect  recycles the application domain
                             undo    restore the attribute
                          2  Do not copy the resource files; they are there.
                  verify     fastctl diagnose --rule FS0101 /logs
                  more       fastctl rules show FS0101

                WARNING  FS1048  Search fails
                       Search fails on one.
                       verdict found · confidence likely · 1 occurrence · 2011-09-26T10:39:40.52

                  what       It fails.
                  why        It does.
                  evidence   WFE1-20110926-1030.log:41
                             correlation 9446a0f0-1577-472e-a8af-a552b1b4cc39
                             | abcd  The thing failed
                  fix     1  Mend it.
                  more       fastctl rules show FS1048

                WARNING  FS1048  Search fails
                       Search fails on two.
                       verdict found · confidence likely · 1 occurrence · 2011-09-26T10:39:40.52

                  evidence   WFE1-20110926-1030.log:41
                             correlation 9446a0f0-1577-472e-a8af-a552b1b4cc39
                             | abcd  The thing failed
                  fix        the same as in the finding above
                  more       fastctl rules show FS1048

                Unexplained
                No rule explains 13 rows of 12 kinds that show a problem; 2 more follow them in
                  the same requests
                EVENT ID  LEVEL       COUNT  KIND              EXAMPLE
                  MESSAGE
                8311      Unexpected      3  77665544332211aa  WFE1-20110926-1030.log:7
                  An operation failed because the certificate of <name> is not trusted
                11 more kinds, with 10 rows, are not listed

                Not evaluated
                2 rules: no web.config was given (FS0401, FS0402)

                Refused web.config files
                wfe02/web.config:1: it has a DOCTYPE; remove it

                Notes
                FS1048: 4 more findings are not listed (warning)
                More than 20,000 requests were open in a check, so 7 were abandoned; narrow the
                  window

                7 findings: 1 error, 6 warnings · 12 kinds of rows unexplained · 2 rules found
                  nothing · 2 not evaluated

                """#
        )
    }

    @Test func `A page states the problem, when it began and the steps to take`() throws {
        var report = try DiagnosisFixtures.report()
        report.findings = Array(report.findings.prefix(1))
        report.findings[0].reading = FailureReading()
        report.findings[0].reading?.decoded = ["2 ERROR_FILE_NOT_FOUND: it is not there"]
        report.findings[0].reading?.place = .init(component: "Pages and their controls", .likely)
        #expect(
            text(report, TextLayout(width: 80), .page).hasPrefix(
                #"""
                ERROR  FS0101  ASP.NET tracing is on and breaks requests · 33 occurrences, WFE1,
                          WFE2
                  since    2011-09-26T10:39:40.52 to 11:03:40.52
                  decoded  2 ERROR_FILE_NOT_FOUND: it is not there — certain
                  where    Pages and their controls — likely
                  cause    ASP.NET tracing is on (wfe01/web.config:87) and breaks requests. —
                           certain

                """#
            )
        )
    }

    @Test func `If nothing is decoded, more of the row is shown, and a mere mention is not shown as the location`()
        throws
    {
        var report = try DiagnosisFixtures.clusters()
        report.unexplained[0].explanation = FailureReading()
        report.unexplained[0].explanation.place = .init(component: "Secure Store service", words: "secure store")
        let long = String(repeating: "the secure store is slow ", count: 20)
        report.unexplained[0].example = DiagnosisFixtures.evidence(long, eventID: "8nca", correlation: nil)
        let lines = text(report, TextLayout(width: 80), .page).split(separator: "\n").map(String.init)
        #expect(lines.contains(#"  mentions Secure Store service, by "secure store""#))
        #expect(!lines.contains { $0.hasPrefix("  where") })
        let row = try #require(lines.firstIndex { $0.hasPrefix("  row ") })
        #expect(lines[row].hasSuffix(".log:41 8nca High | the secure store is slow the"), "\(lines[row])")
        // At most 400 characters, in as many lines as needed.
        let told = lines[row...].prefix { !$0.hasPrefix("  kind") }.joined(separator: " ")
        #expect(told.split(separator: "slow", omittingEmptySubsequences: false).count == 17, "\(told)")
        #expect(told.hasSuffix("slow …"))
    }

    @Test func `The page of an unexplained kind has the same lines as a finding, without invented causes`() throws {
        let text = text(try DiagnosisFixtures.clusters(), TextLayout(width: 80), .page)
        #expect(
            text.hasPrefix(
                #"""
                WARNING  UnauthorizedAccessException: Access is denied · 31 rows of 8nca, 9
                  requests, 4 users, WFE2
                  since    2011-09-26T10:39:40.52 (new: not in the first half of the log)
                  decoded  0x80070005 E_ACCESSDENIED: a right is missing — certain
                  where    Secure Store service — likely
                  usually  somebody took the right away
                  do 1     Whether it runs: Get-SPServiceInstance — changes nothing
                  row      WFE1-20110926-1030.log:41  8nca High  Access is denied
                  trace    fastctl logs trace 9446a0f0-1577-472e-a8af-a552b1b4cc39 LOGS
                  kind     00112233445566aa — fastctl suppress add 00112233445566aa --reason
                           TEXT hides it

                No rule matched:
                """#
            )
        )
        #expect(!text.contains("cause"))
    }

    @Test func `A check changes nothing, but advice in the message itself may, so it has no such label`() throws {
        var advice = ReadingCheck("The message itself advises: Activate the feature.")
        advice.isAdvice = true
        var clusters = try DiagnosisFixtures.clusters()
        clusters.unexplained[0].explanation.checks.insert(advice, at: 0)
        var findings = try DiagnosisFixtures.report()
        findings.findings[0].reading = clusters.unexplained[0].explanation
        for (report, labels) in [(clusters, ["do 1 ", "do 2 "]), (findings, ["look ", "look "])] {
            let page = text(report, TextLayout(width: 200), .page).split(separator: "\n")
            let advised = page.first { $0.hasSuffix("The message itself advises: Activate the feature.") }
            let checked = page.first { $0.hasSuffix("Whether it runs: Get-SPServiceInstance — changes nothing") }
            #expect(advised?.hasPrefix("  \(labels[0])") == true && checked?.hasPrefix("  \(labels[1])") == true)
            let html = rendered(report, as: .html)
            #expect(
                html.contains(
                    """
                    <p><bdi>The message itself advises: Activate the feature.</bdi></p><p>Checks that change nothing:</p>
                    <ul class="checks"><li><bdi>Whether it runs</bdi>: <code>\
                    <bdi>Get-SPServiceInstance</bdi></code></li></ul>
                    """
                )
            )
        }
    }

    @Test(arguments: [
        (["/logs"], "/logs"), (["a b.log", "it's"], #"'a b.log' 'it'\''s'"#), ([], "LOGS"), (["-"], "LOGS"),
        (["1", "2", "3", "4"], "LOGS"), (["--profile", "prod"], "--profile prod"),
    ])
    func `The command that traces a request names the logs and can be pasted into a shell`(
        inputs: [String],
        words: String
    ) throws {
        var report = try DiagnosisFixtures.clusters()
        report.inputs = inputs
        let text = text(report, TextLayout(width: 200), .page)
        #expect(text.contains("fastctl logs trace 9446a0f0-1577-472e-a8af-a552b1b4cc39 \(words)\n"))
    }

    @Test(arguments: DiagnosisRenderer.forms.filter { $0 != .prometheus })
    func `Every format except metrics separates a code's meaning from the location`(format: OutputForm) throws {
        let text = rendered(try DiagnosisFixtures.clusters(), as: format)
        #expect(text.contains("E_ACCESSDENIED: a right is missing"))
        #expect(text.contains("Secure Store service"))
        #expect(text.contains("somebody took the right away"))
        #expect(text.lowercased().contains("decoded"))
    }

    @Test func `An empty result shows how much was examined`() throws {
        var report = DiagnosisReport()
        report.logs = DiagnosisFixtures.logs
        report.passed = [try DiagnosisFixtures.rule("FS1002"), try DiagnosisFixtures.rule("FS1061")]
        #expect(
            text(report) == """
                No rule matched: 2 rules were run on 1,219 rows in 1 file. No row shows a
                  problem by its level (Monitorable or worse), an exception, a code or known
                  text.

                no findings · 2 rules found nothing

                """
        )
    }

    @Test func `If no rule matches, unevaluated rules and unexplained rows are still shown`() throws {
        var report = try DiagnosisFixtures.report()
        report.findings = []
        report.omitted = []
        let text = text(report)
        #expect(
            text.hasPrefix(
                """
                No rule matched: 2 of 4 rules could be evaluated on 1,219 rows in 1 file and 1
                  web.config file.

                Unexplained
                No rule explains 13 rows of 12 kinds
                """
            )
        )
        let sentence = "no findings · 12 kinds of rows unexplained · 2 rules found nothing · 2 not\n  evaluated"
        #expect(text.hasSuffix("\n\(sentence)\n"))
    }

    @Test func `Color never carries information that the text lacks`() throws {
        let report = try DiagnosisFixtures.report()
        let colored = text(report, TextLayout(width: 80, isColored: true))
        #expect(colored.contains("\u{1B}[1;31mERROR\u{1B}[0m"))
        let plain = colored.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(plain == text(report))
    }

    @Test func `On an ASCII terminal, dots and bullets are replaced with ASCII characters`() throws {
        let text = text(try DiagnosisFixtures.report(), TextLayout(width: 80, isUnicode: false))
        #expect(!text.contains("·"))
        #expect(text.contains("       * 31 requests"))
    }

    @Test func `Evidence is cut at the edge of a terminal, but complete in a pipe`() throws {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048"))
        let long = String(repeating: "stack ", count: 60)
        finding.evidence = [DiagnosisFixtures.evidence(long + "end")]
        report.findings = [finding]
        let lines = text(report, TextLayout(width: 60)).split(separator: "\n").filter { $0.contains("| ") }
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.count == 60 && $0.hasSuffix("…") })
        #expect(text(report, TextLayout()).contains(long + "end\n"))
    }

    @Test func `Events beyond the tenth are counted`() throws {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048"))
        finding.evidence = (1...13).map { DiagnosisFixtures.evidence("event \($0)", line: $0) }
        report.findings = [finding]
        let text = text(report)
        #expect(text.contains("| b9y3  event 10\n             and 3 more events: -o json lists them all\n"))
        #expect(!text.contains("event 11"))
    }

    @Test func `If an element is missing, the report shows that the default applies`() throws {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS0401"))
        finding.evidence = []
        finding.config = [
            ConfigEvidence(source: .init(path: "web.config"), element: nil, path: "system.web/trace", attributes: [])
        ]
        report.findings = [finding]
        #expect(text(report).contains("  evidence   web.config   no <trace>: the default applies\n"))
    }

    @Test func `A wrapped line never begins with a command`() throws {
        var report = DiagnosisReport()
        let message = String(repeating: "word ", count: 14) + "::error::x ::stop-commands::y"
        report.findings = [DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048"), message)]
        for width in 40...100 {
            let lines = text(report, TextLayout(width: width)).split(separator: "\n")
            #expect(lines.allSatisfy { !$0.drop { $0 == " " }.hasPrefix("::") })
        }
    }

    @Test func `An overlong event ID or correlation is cut`() throws {
        var report = try DiagnosisFixtures.report()
        let long = String(repeating: "x", count: 5000)
        report.unexplained[0].eventID = long
        report.findings[0].evidence[0].eventID = long
        report.findings[0].evidence[0].correlation = long
        #expect(text(report).split(separator: "\n").allSatisfy { $0.count < 200 })
    }
}
