import LogDiagnosis
import LogReports
import ReportKit
import TextKit
import ULSLog
import WebConfig

/// Rules and reports made for these tests.
enum DiagnosisFixtures {
    /// Returns a rule with all parts that a report can show.
    static func tracing() throws -> Rule {
        try Rule(
            yaml: """
                schema: fastctl.rule/1
                id: FS0101
                slug: aspnet-tracing-breaks-requests
                revision: 3
                status: stable
                title: ASP.NET tracing is on and breaks requests
                category: configuration
                tags: [sharepoint, aspnet]
                needs: {uls: optional, web_config: optional}
                select:
                  failed: {event_id: b9y3}
                check:
                  failed: {count: {of: failed, gte: 1}}
                verdicts:
                  - {id: confirmed, when: failed, severity: error, confidence: certain, message: Tracing breaks requests.}
                  - {id: latent, when: failed, severity: warning, confidence: likely, message: Tracing is on.}
                explain:
                  what: ASP.NET collects trace data for every request.
                  why: The trace element of web.config is enabled.
                  impact: Users cannot save list views.
                fix:
                  - step: Set <trace enabled="false" /> in web.config.
                    where: each web front end, each zone
                    effect: recycles the application domain
                    undo: restore the attribute
                  - {step: Do not copy the resource files; they are there.}
                verify: fastctl diagnose --rule FS0101 /logs
                references:
                  - {title: trace Element, url: "https://learn.microsoft.com/previous-versions/6915t83k"}
                """,
            file: "FS0101.yaml"
        )
    }

    /// A rule with only the required keys.
    static func rule(
        _ id: String,
        _ title: String = "Something fails",
        category: String = "search",
        severity: String = "warning",
        needs: String = "{uls: required}"
    ) throws -> Rule {
        try Rule(
            yaml: """
                schema: fastctl.rule/1
                id: \(id)
                slug: rule-\(id.lowercased())
                revision: 1
                status: stable
                title: \(title)
                category: \(category)
                needs: \(needs)
                select:
                  failed: {event_id: abcd}
                check:
                  failed: {count: {of: failed, gte: 1}}
                verdicts:
                  - {id: found, when: failed, severity: \(severity), confidence: likely, message: It fails.}
                explain: {what: It fails., why: It does.}
                fix:
                  - {step: Mend it.}
                """,
            file: "\(id).yaml"
        )
    }

    static func finding(
        of rule: Rule,
        _ message: String = "It fails.",
        fingerprint: String = "00112233445566778899aabbccddeeff"
    ) -> Finding {
        var finding = Finding(rule: rule, verdict: rule.verdicts[0], message: message, fingerprint: fingerprint)
        finding.occurrences = 1
        finding.firstTime = LogFixtures.time()
        finding.lastTime = LogFixtures.time()
        finding.evidence = [evidence("The thing failed", eventID: "abcd")]
        finding.fix = rule.fix
        return finding
    }

    /// Returns a report on one kind of rows that no rule explains.
    static func clusters() throws -> DiagnosisReport {
        var report = DiagnosisReport()
        report.logs = logs
        var cluster = FailureCluster(
            eventID: "8nca",
            level: ULSLevel("High"),
            template: "Access is denied",
            count: 31,
            example: evidence("Access is denied", eventID: "8nca")
        )
        cluster.id = "00112233445566aa"
        cluster.exception = "System.UnauthorizedAccessException"
        cluster.requests = Amount(9)
        cluster.users = Amount(4)
        cluster.servers = ["WFE2"]
        cluster.firstTime = LogFixtures.time()
        cluster.lastTime = LogFixtures.time()
        cluster.severity = .warning
        cluster.changes = [ClusterChange(.new, "new: not in the first half of the log")]
        cluster.explanation.headline = "UnauthorizedAccessException: Access is denied"
        cluster.explanation.decoded = ["0x80070005 E_ACCESSDENIED: a right is missing"]
        cluster.explanation.usually = ["somebody took the right away"]
        cluster.explanation.place = .init(component: "Secure Store service", .likely)
        cluster.explanation.checks = [ReadingCheck("Whether it runs", command: "Get-SPServiceInstance")]
        report.unexplained = [cluster]
        report.unexplainedEvents = 31
        report.unexplainedKinds = 1
        report.passed = [try rule("FS1002")]
        return report
    }

    static func evidence(
        _ text: String,
        role: Evidence.Role = .match,
        line: Int = 41,
        lineEnd: Int? = nil,
        eventID: String = "b9y3",
        correlation: String? = "9446a0f0-1577-472e-a8af-a552b1b4cc39",
        isTruncated: Bool = false
    ) -> Evidence {
        Evidence(
            role: role,
            place: .init(file: "WFE1-20110926-1030.log", line: line, lineEnd: lineEnd ?? line),
            time: LogFixtures.time(Int64(line)),
            server: "WFE1",
            eventID: eventID,
            level: "High",
            category: "General",
            correlation: correlation,
            text: text,
            isTruncated: isTruncated
        )
    }

    static let element = ConfigElement(
        path: "system.web/trace",
        attributes: [
            ConfigAttribute(name: "enabled", value: "true", line: 87, column: 12),
            ConfigAttribute(name: "pageOutput", value: "false", line: 87, column: 27),
        ],
        line: 87,
        column: 5,
        lineEnd: 87,
        columnEnd: 45
    )

    static let config = ConfigEvidence(
        source: WebConfigSource(path: "wfe01/web.config", server: "WFE1", zone: "Intranet"),
        element: element,
        path: "system.web/trace",
        attributes: element.attributes
    )

    /// Returns the finding with all parts that a report can show.
    static func tracingFinding() throws -> Finding {
        var finding = finding(
            of: try tracing(),
            "ASP.NET tracing is on (wfe01/web.config:87) and breaks requests.",
            fingerprint: "6f1c0b1d9a3e4c526f1c0b1d9a3e4c52"
        )
        finding.symptoms = [
            Symptom(
                check: "owssvr",
                text: "31 requests to owssvr.dll (save a list view, SharePoint Designer) could not read wss*.resx",
                count: 31
            ),
            Symptom(
                check: "thrown",
                text: "2 page requests failed because control 'ctl00$hdn' appears twice",
                count: 2
            ),
        ]
        finding.captures = [Capture(name: "control_id", value: "ctl00$hdn")]
        finding.config = [config]
        finding.occurrences = 33
        finding.servers = ["WFE1", "WFE2"]
        finding.lastTime = LogFixtures.time(1_440_000)
        finding.evidence = [
            evidence("Application error when access /_layouts/viewedit.aspx", role: .lead, line: 38, eventID: "8nca"),
            evidence("Name=Request (POST:http://portal/_vti_bin/owssvr.dll)", eventID: "xmnv"),
            evidence(
                #"Failed to open the file 'C:\Resources\wss.en-US.resx'"#,
                line: 42,
                lineEnd: 44,
                isTruncated: true
            ),
        ]
        finding.undecided = ["ajax"]
        return finding
    }

    static var logs: ReadReport {
        var logs = ReadReport()
        var file = SourceReport(name: "WFE1-20110926-1030.log", server: "WFE1")
        file.bytes = 200_000
        file.records = 1219
        file.firstTime = LogFixtures.time()
        file.lastTime = LogFixtures.time(1_440_000)
        logs.files = [file]
        logs.events = 1219
        logs.lookedAt = 1219
        logs.quality.lines = 1220
        logs.quality.records = 1219
        logs.quality.headers = 1
        return logs
    }

    /// Returns a report with an example of everything.
    static func report() throws -> DiagnosisReport {
        var report = DiagnosisReport()
        let search = try rule("FS1048", "Search fails")
        report.findings = [
            try tracingFinding(), finding(of: search, "Search fails on one."),
            finding(of: search, "Search fails on two."),
        ]
        report.omitted = [OmittedFindings(rule: search.id, severity: .warning, count: 4)]
        report.passed = [try rule("FS1002"), try rule("FS1061")]
        report.notEvaluated = [
            NotEvaluated(
                rule: try rule("FS0401", "Debugging is on", needs: "{web_config: required}"),
                reason: "no web.config was given"
            ),
            NotEvaluated(rule: try rule("FS0402", "Errors are shown"), reason: "no web.config was given"),
        ]
        var certificate = FailureCluster(
            eventID: "8311",
            level: ULSLevel("Unexpected"),
            template: "An operation failed because the certificate of <name> is not trusted",
            count: 3,
            example: evidence("An operation failed", line: 7, eventID: "8311", correlation: nil)
        )
        certificate.id = "77665544332211aa"
        certificate.severity = .warning
        report.unexplained = [certificate]
        report.unexplainedEvents = 15
        report.unexplainedKinds = 12
        report.unexplainedFollowing = 2
        report.logs = logs
        report.configs = [WebConfigFile(source: config.source, elements: [element])]
        report.refusedConfigs = [
            WebConfigError(
                code: .refused,
                source: WebConfigSource(path: "wfe02/web.config", server: "WFE2"),
                line: 1,
                message: "it has a DOCTYPE",
                advice: "remove it"
            )
        ]
        report.limits = [DiagnosisLimitReached(limit: .groups, count: 7)]
        return report
    }

    static var options: DiagnosisOptions {
        var options = DiagnosisOptions(version: "1.2.3", token: "q7w8e9")
        options.status = .documentsFailed
        options.startedAt = .seconds(1_795_284_000)
        options.duration = .milliseconds(1204)
        options.host = "ci-7"
        return options
    }
}

/// Returns a report in one of the forms.
func rendered(
    _ report: DiagnosisReport,
    as format: OutputForm,
    _ options: DiagnosisOptions = DiagnosisFixtures.options
) -> String {
    rendered { DiagnosisRenderer(report, options).append(as: format, to: &$0) }
}
