import Foundation
import LogDiagnosis
import LogReports
import ReportKit
import TestSupport
import Testing
import ULSLog
import WebConfig

struct DiagnosisDataTests {
    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    /// Returns the keys of the outermost object, in order.
    private func keys(_ json: some StringProtocol) -> [String] {
        var (depth, keys): (Int, [String]) = (0, [])
        var scalars = Array(json.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            case "\"":
                var text = ""
                while let next = scalars.popFirst(), next != "\"" {
                    text.unicodeScalars.append(next)
                    if next == "\\" { scalars.removeFirst() }
                }
                if depth == 1, scalars.first == ":" { keys.append(text) }
            default: break
            }
        }
        return keys
    }

    @Test func `The report has the keys that scripts rely on, in order`() throws {
        let json = rendered(try DiagnosisFixtures.report(), as: .json)
        #expect(
            keys(json) == [
                "schema", "inputs", "findings", "passed", "notEvaluated", "undecided", "unexplained",
                "unexplainedEvents", "unexplainedKinds", "unexplainedFollowing", "unexplainedIsAtLeast",
                "describedRows", "noiseRows", "noiseRules", "changes", "normalRows", "normalKinds",
                "findingsAreAtLeast",
                "suppressed",
                "suppressions", "gone", "knownNotLookedFor", "quality", "limits", "redaction", "exitCode",
            ]
        )
        #expect(json.hasPrefix(#"{"schema":"fastctl.diagnosis/1","#))
        #expect(json.hasSuffix(#""redaction":null,"exitCode":1}"# + "\n"))
    }

    @Test func `An empty report has the same keys`() throws {
        let full = keys(rendered(try DiagnosisFixtures.report(), as: .json))
        let json = rendered(DiagnosisReport(), as: .json)
        #expect(keys(json) == full)
        #expect(json.contains(#""quality":null"#))
    }

    @Test func `A finding has the keys that scripts rely on`() throws {
        let report = try object(rendered(try DiagnosisFixtures.report(), as: .json))
        let findings = try #require(report["findings"] as? [[String: Any]])
        #expect(findings.count == 3)
        let expected =
            """
            rule slug revision verdict severity confidence title message symptoms captures config farm occurrences \
            occurrencesAreAtLeast servers firstTime lastTime evidence decoded during where mentions needs usually causes checks explain fix verify references fingerprint baseline usual filePlace
            """
        for finding in findings { #expect(Set(finding.keys) == Set(expected.split(separator: " ").map(String.init))) }
        let evidence = try #require(findings[0]["evidence"] as? [[String: Any]])
        let keys = "file line lineEnd time server eventID correlation text truncated"
        #expect(Set(evidence[0].keys) == Set(keys.split(separator: " ").map(String.init)))
    }

    @Test func `Every part of a finding is written`() throws {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS1048", "Search fails"))
        finding.captures = [Capture(name: "name", value: "a\"b")]
        report.findings = [finding]
        #expect(
            rendered(report, as: .json).contains(
                #"""
                "findings":[{"rule":"FS1048","slug":"rule-fs1048","revision":1,"verdict":"found","severity":"warning",\#
                "confidence":"likely","title":"Search fails","message":"It fails.","symptoms":[],\#
                "captures":[{"name":"name","value":"a\"b"}],"config":[],"farm":[],"occurrences":1,"occurrencesAreAtLeast":false,"servers":[],\#
                "firstTime":"2011-09-26T10:39:40.52","lastTime":"2011-09-26T10:39:40.52",\#
                "evidence":[{"file":"WFE1-20110926-1030.log","line":41,"lineEnd":41,\#
                "time":"2011-09-26T10:39:40.561","server":"WFE1","eventID":"abcd",\#
                "correlation":"9446a0f0-1577-472e-a8af-a552b1b4cc39","text":"The thing failed","truncated":false}],\#
                "decoded":[],"during":null,"where":null,"mentions":null,"needs":[],"usually":[],"causes":[],"checks":[],\#
                "explain":{"what":"It fails.","why":"It does.","impact":null},\#
                "fix":[{"step":"Mend it.","where":null,"effect":null,"undo":null}],"verify":null,"references":[],\#
                "fingerprint":"00112233445566778899aabbccddeeff","baseline":null,"usual":false,"filePlace":null}]
                """#
            )
        )
    }

    @Test func `The inputs list every file, with the line and reason if it was refused`() throws {
        let json = rendered(try DiagnosisFixtures.report(), as: .json)
        #expect(
            json.contains(
                #"""
                "webConfigs":[{"path":"wfe01/web.config","server":"WFE1","zone":"Intranet","refused":null},\#
                {"path":"wfe02/web.config","server":"WFE2","zone":null,\#
                "refused":{"reason":"it has a DOCTYPE","line":1,"column":null,"advice":"remove it"}}],"notes":[],"farm":null,"farmNotes":[]}
                """#
            )
        )
    }

    @Test func `Unlisted findings are counted under limits`() throws {
        let json = rendered(try DiagnosisFixtures.report(), as: .json)
        #expect(
            json.contains(
                #"""
                "limits":[{"limit":"groups","count":7,"maximum":20000,"rule":null,"severity":null},\#
                {"limit":"findings","count":4,"maximum":20,"rule":"FS1048","severity":"warning"},\#
                {"limit":"unexplainedKinds","count":11,"maximum":100,"rule":null,"severity":null},\#
                {"limit":"unexplainedEvents","count":10,"maximum":null,"rule":null,"severity":null}]
                """#
            )
        )
    }

    @Test(arguments: DiagnosisRenderer.forms)
    func `No format contains a secret from web.config`(format: OutputForm) throws {
        var report = DiagnosisReport()
        var finding = DiagnosisFixtures.finding(of: try DiagnosisFixtures.rule("FS0401"))
        let secret = ConfigAttribute(name: "decryptionKey", value: "S3CR3T", line: 3, column: 9)
        let element = ConfigElement(
            path: "system.web/machineKey",
            attributes: [secret],
            line: 3,
            column: 1,
            lineEnd: 3,
            columnEnd: 60
        )
        let source = WebConfigSource(path: "web.config")
        finding.config = [
            ConfigEvidence(source: source, element: element, path: element.path, attributes: [secret])
        ]
        report.findings = [finding]
        report.configs = [WebConfigFile(source: source, elements: [element])]
        let text = rendered(report, as: format)
        #expect(!text.contains("S3CR3T"))
        // The other formats do not show attributes at all.
        #expect(text.contains("•••") == ![.codequality, .csv, .prometheus].contains(format))
    }

    @Test func `Each line of ndjson has a schema and a kind, and the summary is last`() throws {
        let lines = rendered(try DiagnosisFixtures.report(), as: .ndjson).split(separator: "\n")
        let objects = try lines.map { try object(String($0)) }
        #expect(objects.allSatisfy { $0["schema"] as? String == "fastctl.diagnosisRecord/1" })
        #expect(
            objects.compactMap { $0["kind"] as? String } == [
                "run", "finding", "finding", "finding", "ruleResult", "ruleResult", "ruleResult", "ruleResult",
                "ruleResult", "ruleResult", "unexplained", "summary",
            ]
        )
        #expect(lines.allSatisfy { keys($0).prefix(2) == ["schema", "kind"] })
        #expect(
            objects.compactMap { $0["result"] as? String }.sorted() == ["found", "found"]
                + ["notEvaluated", "notEvaluated", "passed", "passed"]
        )
    }

    @Test func `The summary of ndjson also counts items that are not listed`() throws {
        let text = rendered(try DiagnosisFixtures.report(), as: .ndjson)
        let summary = try #require(text.split(separator: "\n").last)
        #expect(
            summary.hasPrefix(
                #"""
                {"schema":"fastctl.diagnosisRecord/1","kind":"summary","findings":7,\#
                "severities":{"critical":0,"error":1,"warning":6,"info":0},"passed":2,"notEvaluated":2,\#
                "unexplainedEvents":15,"unexplainedKinds":12,"unexplainedFollowing":2,"unexplainedIsAtLeast":false,"noiseRows":0,\#
                "noiseRules":[],"normalRows":0,"normalKinds":0,"findingsAreAtLeast":false,"quality":{
                """#
            )
        )
        #expect(summary.hasSuffix(#""exitCode":1,"seconds":1.204}"#))
    }
}

/// The forms for other programs, checked against the schemas that their authors publish.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["FASTCTL_SCHEMAS"] != nil,
        "FASTCTL_SCHEMAS does not name the folder with junit-10.xsd and sarif-schema-2.1.0.json"
    )
)
struct DiagnosisSchemaTests {
    private static var reports: [(String, DiagnosisReport)] {
        get throws {
            var hostile = try DiagnosisFixtures.report()
            hostile.findings[0].message = "]]>\u{1B}\u{0}\u{FFFF}<x a=\"1\">&[b](1)"
            hostile.findings[0].evidence[0].place.file = #"C:\logs\a b[1].log"#
            hostile.findings[1].evidence = []
            return [("full", try DiagnosisFixtures.report()), ("hostile", hostile), ("empty", DiagnosisReport())]
        }
    }

    private func schema(_ name: String) throws -> String {
        let folder = try #require(ProcessInfo.processInfo.environment["FASTCTL_SCHEMAS"])
        return folder + "/" + name
    }

    /// Runs a program; returns its output if it failed.
    private func failure(of arguments: [String]) throws -> String? {
        let end = try ChildProgram.run(arguments[0], Array(arguments.dropFirst()))
        return end.status == 0 ? nil : end.output + end.errors
    }

    @Test func `JUnit output is valid in Jenkins`() throws {
        for (name, report) in try Self.reports {
            let folder = try TemporaryFolder()
            let file = folder.path("report.xml")
            try rendered(report, as: .junit).write(toFile: file, atomically: true, encoding: .utf8)
            #expect(
                try failure(of: ["xmllint", "--noout", "--schema", schema("junit-10.xsd"), file]) == nil,
                "\(name)"
            )
        }
    }

    @Test func `SARIF with a request conforms to the standard`() throws {
        var options = DiagnosisFixtures.options
        options.requests = [LogFixtures.trace.correlation: LogFixtures.trace]
        #expect(try rendered(DiagnosisFixtures.report(), as: .sarif, options).contains("threadFlows"))
        #expect(try failure(ofSARIF: rendered(DiagnosisFixtures.report(), as: .sarif, options)) == nil)
    }

    @Test func `SARIF conforms to the standard`() throws {
        for (name, report) in try Self.reports {
            #expect(try failure(ofSARIF: rendered(report, as: .sarif)) == nil, "\(name)")
        }
    }

    private func failure(ofSARIF text: String) throws -> String? {
        let script = """
            import json, sys, jsonschema
            schema, log = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
            validator = jsonschema.validators.validator_for(schema)(schema)
            errors = [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(log)]
            sys.exit("\\n".join(errors) or None)
            """
        let folder = try TemporaryFolder()
        let file = folder.path("report.sarif")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        // Debian's own Python has Debian's jsonschema, regardless of which Python comes first in the path.
        return try failure(of: ["/usr/bin/python3", "-c", script, try schema("sarif-schema-2.1.0.json"), file])
    }
}
