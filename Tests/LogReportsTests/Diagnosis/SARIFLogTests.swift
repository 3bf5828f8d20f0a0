import Foundation
import LogDiagnosis
import LogReports
import Testing
import TextKit
import WebConfig

@testable import ReportKit

struct DiagnosisSARIFTests {
    private func run(_ report: DiagnosisReport) throws -> [String: Any] {
        let text = rendered(report, as: .sarif)
        let log = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        return try #require((log["runs"] as? [[String: Any]])?.first)
    }

    private func results(_ report: DiagnosisReport) throws -> [[String: Any]] {
        try #require(try run(report)["results"] as? [[String: Any]])
    }

    private func notifications(_ report: DiagnosisReport) throws -> [String] {
        let invocations = try #require(try run(report)["invocations"] as? [[String: Any]])
        let notifications = try #require(invocations.first?["toolExecutionNotifications"] as? [[String: Any]])
        return notifications.compactMap { ($0["message"] as? [String: Any])?["text"] as? String }
    }

    @Test func `A finding is a result located where it can be fixed`() throws {
        let text = rendered(try DiagnosisFixtures.report(), as: .sarif)
        #expect(
            text.contains(
                #"""
                "results":[{"ruleId":"FS0101","ruleIndex":0,"level":"error","kind":"fail","message":{"text":\#
                "ASP.NET tracing is on (wfe01/web.config:87) and breaks requests.\n\#
                - 31 requests to owssvr.dll (save a list view, SharePoint Designer) could not read wss*.resx\n\#
                - 2 page requests failed because control 'ctl00$hdn' appears twice"},\#
                "locations":[{"physicalLocation":{"artifactLocation":{"uri":"wfe01/web.config"},\#
                "region":{"startLine":87,"startColumn":5,"endLine":87,"endColumn":46}}}],"relatedLocations":[{"id":1,\#
                "message":{"text":"8nca Application error when access /_layouts/viewedit.aspx"},"physicalLocation":\#
                {"artifactLocation":{"uri":"WFE1-20110926-1030.log"},"region":{"startLine":38,"startColumn":1,\#
                "endLine":38,"endColumn":2}}},
                """#
            )
        )
        #expect(
            text.contains(#""partialFingerprints":{"primaryLocationLineHash":"6f1c0b1d9a3e4c526f1c0b1d9a3e4c52:1"}"#)
        )
        #expect(text.contains(#""automationDetails":{"id":"fastctl/uls/"}"#))
    }

    @Test func `Every rule that was run is described`() throws {
        let tool = try #require(try run(try DiagnosisFixtures.report())["tool"] as? [String: Any])
        let driver = try #require(tool["driver"] as? [String: Any])
        let rules = try #require(driver["rules"] as? [[String: Any]])
        #expect(
            rules.compactMap { $0["id"] as? String } == [
                "FS0101", "FS0401", "FS0402", "FS1002", "FS1048", "FS1061", "unexplained",
            ]
        )
        for rule in rules {
            for key in ["shortDescription", "fullDescription", "help"] {
                let text = try #require((rule[key] as? [String: Any])?["text"] as? String)
                #expect(!text.isEmpty && (key != "fullDescription" || text.count <= 1024))
            }
        }
    }

    @Test func `Unevaluated rules, undecided rules and refused input are notifications`() throws {
        #expect(
            try notifications(try DiagnosisFixtures.report()) == [
                "FS0401 was not evaluated: no web.config was given",
                "FS0402 was not evaluated: no web.config was given", "FS0101 is undecided: ajax",
                "wfe02/web.config:1: it has a DOCTYPE; remove it",
                "FS1048: 4 more findings are not listed (warning)",
                "More than 20,000 requests were open in a check, so 7 were abandoned; narrow the window",
            ]
        )
    }

    @Test(arguments: [
        ("wfe01/web.config", "wfe01/web.config"), (#"C:\logs\a b.log"#, "C%3A/logs/a%20b.log"),
        ("/var/log/x.log", "var/log/x.log"), ("./a.log", "a.log"), ("ü%?#.log", "%C3%BC%25%3F%23.log"),
        ("-", "-"), ("", "-"), ("a\u{1}.log", "a%01.log"), ("logs.zip/WFE1.log", "logs.zip/WFE1.log"),
    ])
    func `A path is converted to a relative URI`(path: String, uri: String) {
        #expect(SARIFLocation.relativeURI(of: path) == uri)
    }

    @Test func `Brackets in a message do not form a link`() throws {
        var report = DiagnosisReport()
        let message = "see [here](1) [x]"
        report.findings = [DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048"), message)]
        let text = (try results(report).first?["message"] as? [String: Any])?["text"] as? String
        #expect(text == #"see \[here\](1) \[x\]"#)
    }

    @Test func `A finding about all logs is located at the start of the first log`() throws {
        var report = DiagnosisReport()
        report.logs = DiagnosisFixtures.logs
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS9001"))
        finding.evidence = []
        report.findings = [finding]
        let text = rendered(report, as: .sarif)
        let place = #"{"artifactLocation":{"uri":"WFE1-20110926-1030.log"},"region":{"startLine":1,"startColumn":1,"#
        #expect(text.contains(place + #""endLine":1,"endColumn":2}}"#))
    }

    @Test func `Results beyond GitHub's limit are omitted, with a note in the file`() throws {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048"))
        finding.evidence = []
        report.findings = Array(repeating: finding, count: 5003)
        #expect(try results(report).count == 5000)
        #expect(try notifications(report).last?.hasPrefix("3 findings are not in this file") == true)
    }

    @Test func `A file that would be too large is truncated, with notes about the omissions`() throws {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048"))
        finding.evidence = (1...120).map { DiagnosisFixtures.evidence(String(repeating: "x", count: 600), line: $0) }
        report.findings = Array(repeating: finding, count: 200)
        let text = rendered(report, as: .sarif)
        #expect(text.utf8.count < 10_000_000)
        let count = text.matches(of: /"ruleId"/).count
        #expect(count < 200 && count > 50)
        #expect(text.contains("\(200 - count) findings are not in this file"))
        #expect(text.contains("200 findings have more than 100 locations; only the first ones are in this file"))
    }

    @Test func `A long description is truncated to GitHub's limit`() throws {
        var rule = try DiagnosisFixtures.rule("FS1048")
        rule.explanation.what = String(repeating: "é👍 ", count: 900)
        rule.tags = (1...30).map { "tag\($0)" }
        var report = DiagnosisReport()
        report.passed = [rule]
        let tool = try #require(try run(report)["tool"] as? [String: Any])
        let described = try #require(((tool["driver"] as? [String: Any])?["rules"] as? [[String: Any]])?.first)
        let text = try #require((described["fullDescription"] as? [String: Any])?["text"] as? String)
        #expect(text.utf16.count <= 1024 && text.hasSuffix("…"))
        #expect(((described["properties"] as? [String: Any])?["tags"] as? [String])?.count == 10)
    }

    @Test func `Rejected input marks the run as failed, but findings do not`() throws {
        var options = DiagnosisFixtures.options
        #expect(rendered(DiagnosisReport(), as: .sarif, options).contains(#""executionSuccessful":true,"exitCode":1"#))
        options.status = .inputRejected
        #expect(
            rendered(DiagnosisReport(), as: .sarif, options).contains(#""executionSuccessful":false,"exitCode":65"#)
        )
        options.rejections = ["no row of server 'WFE9'"]
        #expect(
            rendered(DiagnosisReport(), as: .sarif, options).contains(
                #"{"descriptor":{"id":"input-rejected"},"level":"error","message":{"text":"no row of server 'WFE9'"}}"#
            )
        )
    }

    @Test(arguments: [(5, 3, 4, 5), (Int.max, .max, .max, .max), (0, -1, 0, -7), (1, 90, 2, 3), (7, 9, 7, 2)])
    func `Unusual positions are turned into valid locations`(
        line: Int,
        column: Int,
        lineEnd: Int,
        columnEnd: Int
    ) throws {
        var config = DiagnosisFixtures.config
        config.element?.line = line
        config.element?.column = column
        config.element?.lineEnd = lineEnd
        config.element?.columnEnd = columnEnd
        let place = FindingPlace(config)
        #expect(place.line >= 1 && place.column >= 1 && place.columnEnd >= 1 && place.lineEnd >= place.line)
        #expect(place.lineEnd > place.line || place.columnEnd >= place.column)
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS0401"))
        finding.config = [config]
        report.findings = [finding]
        for format in DiagnosisRenderer.forms { #expect(!rendered(report, as: format).isEmpty) }
    }
}
