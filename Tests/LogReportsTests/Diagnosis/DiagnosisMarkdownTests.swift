import LogDiagnosis
import ReportKit
import Testing

struct DiagnosisMarkdownTests {
    @Test func `A ticket contains the known facts, with log text only as code`() throws {
        let text = rendered(try DiagnosisFixtures.report(), as: .markdown)
        #expect(
            text.hasPrefix(
                #"""
                # Diagnosis

                7 findings: 1 error, 6 warnings · 12 kinds of rows unexplained · 2 rules found nothing · 2 not evaluated

                ## ERROR FS0101: ASP.NET tracing is on and breaks requests

                `ASP.NET tracing is on (wfe01/web.config:87) and breaks requests.`

                - `31 requests to owssvr.dll (save a list view, SharePoint Designer) could not read wss*.resx`
                - `2 page requests failed because control 'ctl00$hdn' appears twice`
                - verdict `confirmed`, confidence certain, 33 occurrences, 2011-09-26T10:39:40.52 to 11:03:40.52
                - servers `WFE1, WFE2`
                - undecided, because the input is not sufficient: `ajax`

                **What:** ASP.NET collects trace data for every request.

                **Why:** The trace element of web.config is enabled.

                **Impact:** Users cannot save list views.

                **Evidence:**

                ```text
                WFE1-20110926-1030.log:38   begin reading here   correlation 9446a0f0-1577-472e-a8af-a552b1b4cc39
                | 8nca  Application error when access /_layouts/viewedit.aspx
                WFE1-20110926-1030.log:41-44
                | xmnv  Name=Request (POST:http://portal/_vti_bin/owssvr.dll)
                | b9y3  Failed to open the file 'C:\Resources\wss.en-US.resx'…
                wfe01/web.config:87   <trace enabled="true" pageOutput="false" /> (WFE1, Intranet)
                ```

                **Fix:**

                1. Set &lt;trace enabled="false" /&gt; in web.config.
                   - where: each web front end, each zone
                   - effect: recycles the application domain
                   - undo: restore the attribute
                2. Do not copy the resource files; they are there.

                **Verify:** `fastctl diagnose --rule FS0101 /logs`

                **See:**

                - trace Element: <https://learn.microsoft.com/previous-versions/6915t83k>

                ## WARNING FS1048: Search fails

                `Search fails on one.`


                """#
            )
        )
    }

    @Test func `A step whose placeholders were filled in is shown as code`() throws {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048"))
        finding.fix[0].step = "Restart @service."
        report.findings = [finding]
        #expect(rendered(report, as: .markdown).contains("\n1. `Restart @service.`\n"))
    }

    @Test(arguments: [
        ("Ask @admin of #12.", "Ask `@admin` of `#12.`"), ("a*b_c", #"a\*b\_c"#), ("1. first", #"1\. first"#),
        ("- item", #"\- item"#), ("[x](http://a)", "`[x](http://a)`"), ("see www.example.org", "see `www.example.org`"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"), ("2 < 3", "2 &lt; 3"), ("tick ` and |", #"tick \` and \|"#),
    ])
    func `A rule author's prose is shown as plain text`(prose: String, markdown: String) throws {
        var rule = try DiagnosisFixtures.rule("FS1048")
        rule.explanation.what = prose
        var report = DiagnosisReport()
        report.findings = [DiagnosisFixtures.finding(of: rule)]
        #expect(rendered(report, as: .markdown).contains("\n**What:** \(markdown)\n"))
    }

    @Test func `A fence is longer than any run of backticks in it`() throws {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048"))
        finding.evidence = [DiagnosisFixtures.evidence("````` <script>")]
        report.findings = [finding]
        let text = rendered(report, as: .markdown)
        #expect(text.contains("\n``````text\n"))
        #expect(text.contains("\n``````\n"))
    }

    @Test func `At most one mebibyte is written, and omitted parts are counted`() throws {
        var report = try DiagnosisFixtures.report()
        let rule = try DiagnosisFixtures.rule("FS1048")
        var finding = DiagnosisFixtures.finding(of: rule)
        finding.evidence = (1...10).map { DiagnosisFixtures.evidence(String(repeating: "long ", count: 120), line: $0) }
        report.findings = Array(repeating: finding, count: 400)
        let text = rendered(report, as: .markdown)
        #expect(text.utf8.count <= 1 << 20)
        #expect(text.utf8.count > 1_000_000)
        let shown = text.matches(of: /## WARNING FS1048/).count
        #expect(text.contains("\n\(400 - shown) more findings are not shown, because this format is limited to 1 MiB"))
        #expect(text.contains("## Not evaluated"))
    }
}
