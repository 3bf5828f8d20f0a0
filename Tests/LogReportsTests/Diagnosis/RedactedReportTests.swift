import FailureExplanation
import LogDiagnosis
import LogReports
import Redaction
import Testing
import ULSLog
import WebConfig

@testable import ReportKit

struct RedactedReportTests {
    /// Sentences from rules whose examples deliberately look like a tenant's names.
    private static let examples = ["contoso", "example"]

    @Test func `The wording of built-in rules is not masked, because it names no one`() throws {
        for rule in try RuleLibrary.builtIn().rules {
            let sentences = rule.verdicts.map(\.message) + rule.fix.map(\.step) + [rule.title]
            // Placeholders are filled in before anything is masked.
            for sentence in sentences.map({ $0.replacing(/{[a-z_.]+(\|[^}]*)?}/, with: "") })
            where !Self.examples.contains(where: sentence.lowercased().contains) {
                var redactor = Redactor()
                redactor.learn(sentence)
                #expect(redactor.text(sentence) == sentence, "\(rule.id)")
            }
        }
    }

    @Test func `A quoted sentence that identifies a component is shown with its account name masked`() throws {
        let text = #"[AzureCP] Error while getting groups for user 'i:0#.w|contoso\annsmith' from tenant 'x'"#
        let failure = ExplainedFailure(asked: text, explanation: Explanation(of: text))
        guard case .message(let quoted) = failure.explanation?.place?.evidence else {
            Issue.record("no sentence names the component")
            return
        }
        #expect(quoted.contains("annsmith"))
        var redactor = Redactor()
        let masked = try #require([failure].redacted(by: &redactor).first?.explanation?.place)
        #expect(masked.component.id == "ldapcp" || masked.component.id == "cloud-claims")
        guard case .message(let shown) = masked.evidence else { return #expect(Bool(false), "\(masked.evidence)") }
        #expect(!shown.contains("annsmith") && shown.contains("from tenant"))
    }

    @Test func `A sentence that repeats the words of a text is masked`() throws {
        let text = #"This feature is not supported on sites that CONTOSO\annsmith has locked"#
        let failure = ExplainedFailure(asked: text, explanation: Explanation(of: text))
        #expect(failure.explanation?.frame.sentence == text + ".")
        var redactor = Redactor()
        let sentence = try #require([failure].redacted(by: &redactor).first?.explanation?.frame.sentence)
        #expect(sentence.hasPrefix("This feature is not supported") && !sentence.contains("annsmith"))
    }

    @Test func `A component keeps its name even if it contains an account's name, but quoted words are masked`() throws
    {
        var report = try DiagnosisFixtures.clusters()
        report.unexplained[0].userNames = [#"CONTOSO\keys"#]
        report.unexplained[0].explanation.place = .init(
            component: "Private keys and encryption",
            words: "the ring of keys",
            frame: "Contoso.Keys.Open"
        )
        var redactor = Redactor()
        let place = try #require(report.redacted(by: &redactor).unexplained.first?.explanation.place)
        #expect(place.component == "Private keys and encryption")
        #expect(place.words == "the ring of user-1")
        #expect(place.frame?.contains("Keys") == false)
    }

    @Test func `A product named after its area is masked like any other name`() throws {
        let text = "Cannot reach https://sp01.contoso.local/sites/x: 0x80070005"
        let explanation = Explanation(of: text, area: "sp01.contoso.local")
        #expect(explanation.place?.component.name.contains("contoso") == true)
        var report = try DiagnosisFixtures.clusters()
        report.unexplained[0].explanation.place = .init(
            component: try #require(explanation.place?.component.name),
            isNamedByRow: true,
            .likely
        )
        report.unexplained[0].addressNames = ["https://sp01.contoso.local/sites/x"]
        var redactor = Redactor()
        let place = report.redacted(by: &redactor).unexplained.first?.explanation.place
        #expect(place?.component?.hasSuffix(", a product that is not part of SharePoint") == true)
        #expect(place?.component?.contains("contoso") == false)
        let failure = ExplainedFailure(asked: text, explanation: explanation)
        let masked = [failure].redacted(by: &redactor).first?.explanation?.place
        #expect(masked?.component.name.contains("contoso") == false)
    }

    @Test(arguments: [
        ("WFE1/web.config", "WFE1/web.config"), ("/srv/WFE1/web.config", "srv/host-1/web.config"),
        ("../WFE1/web.config", "../host-1/web.config"),
    ])
    func `A web.config below the working folder keeps its true path in formats for services`(
        path: String,
        place: String
    ) throws {
        let rule = try #require(RuleLibrary.builtIn().rules.first)
        var finding = Finding(
            rule: rule,
            verdict: try #require(rule.verdicts.first),
            message: "tracing is on (\(path):7)",
            fingerprint: "f"
        )
        let source = WebConfigSource(path: path, server: "WFE1")
        let element = ConfigElement(
            path: "system.web/trace",
            attributes: [],
            line: 7,
            column: 1,
            lineEnd: 7,
            columnEnd: 1
        )
        finding.config = [ConfigEvidence(source: source, element: element, path: element.path, attributes: [])]
        var report = DiagnosisReport()
        report.findings = [finding]
        var redactor = Redactor()
        let masked = report.redacted(by: &redactor)
        for form in [OutputForm.github, .azure, .sarif, .codequality] {
            let text = rendered(masked, as: form)
            #expect(text.contains(place), "\(form)")
            #expect(text.contains("WFE1") == (place == path), "\(form)")
        }
        for form in [OutputForm.text, .json, .csv, .markdown, .junit] {
            #expect(!rendered(masked, as: form).contains("WFE1"), "\(form)")
        }
    }

    @Test func `The findings of an explanation are masked even if the question is a code`() throws {
        let rule = try #require(RuleLibrary.builtIn().rules.first)
        let verdict = try #require(rule.verdicts.first)
        var failure = ExplainedFailure(asked: "18456", codes: FailureCodes.lookUp("18456"))
        failure.findings = [
            Finding(rule: rule, verdict: verdict, message: #"CONTOSO\annsmith is refused"#, fingerprint: "f")
        ]
        var redactor = Redactor()
        let masked = try #require([failure].redacted(by: &redactor).first)
        #expect(masked.asked == "18456" && masked.findings.first?.message.contains("annsmith") == false)
    }

    @Test func `Names in captures, evidence and configuration are masked, but counts are kept`() throws {
        let rule = try #require(RuleLibrary.builtIn().rules.first)
        var report = DiagnosisReport()
        var finding = Finding(
            rule: rule,
            verdict: try #require(rule.verdicts.first),
            message: "ann has no right on WFE1",
            fingerprint: "f"
        )
        finding.captures = [Capture(name: "user", value: #"CONTOSO\anna"#), Capture(name: "host", value: "WFE1")]
        finding.message = "anna has no right on WFE1"
        finding.servers = ["WFE1"]
        finding.occurrences = 3
        finding.evidence = [
            Evidence(
                place: ULSEvent.Place(file: "/logs/WFE1-20240311-1003.log", line: 7, lineEnd: 7),
                time: LogTime(clock: 0, quality: .local),
                server: "WFE1",
                eventID: "g220",
                level: "High",
                text: "Password=hunter2 for annA"
            )
        ]
        let source = WebConfigSource(path: "WFE1/web.config", server: "WFE1")
        let element = ConfigElement(
            path: "appSettings/add",
            location: "sites/hr",
            attributes: [
                ConfigAttribute(name: "key", value: "MailPassword", line: 1, column: 1),
                ConfigAttribute(name: "value", value: "hunter2", line: 1, column: 1),
            ],
            line: 1,
            column: 1,
            lineEnd: 1,
            columnEnd: 1
        )
        report.configs = [WebConfigFile(source: source, elements: [element])]
        report.findings = [finding]
        var redactor = Redactor()
        let redacted = report.redacted(by: &redactor)
        let masked = try #require(redacted.findings.first)
        #expect(masked.captures.map(\.value) == [#"domain-1\user-1"#, "host-1"])
        #expect(masked.message == "user-1 has no right on host-1")
        #expect(masked.evidence.first?.text == "Password=*** for user-1")
        #expect(masked.evidence.first?.place.file == "/logs/host-1-20240311-1003.log")
        #expect(masked.servers == ["host-1"])
        #expect(masked.occurrences == 3)
        #expect(masked.fingerprint == finding.fingerprint)
        #expect(redacted.configs.first?.source.path == "host-1/web.config")
        #expect(redacted.configs.first?.elements.first?.location == "sites/path-1")
        #expect(redacted.configs.first?.elements.first?.attributes.map(\.value) == ["MailPassword", "***"])
        #expect(redacted.redaction?.secrets == 2)
    }

    private static func row(_ thread: String, _ eventID: String, _ level: String) -> ULSEvent {
        ULSEvent(
            time: LogFixtures.time(),
            place: .init(file: "a.log", line: 1, lineEnd: 1),
            columns: [.processID: thread, .threadID: thread, .eventID: eventID, .level: level, .message: "x"]
        )
    }

    @Test func `Secrets and names in the thread, event ID and level columns are masked`() {
        let secret = "Password=hunter2"
        var redactor = Redactor()
        let rows = [Self.row(#"CONTOSO\annsmith"#, secret, "Bearer zqTok4AbC9dEf0"), Self.row("annsmith", "8nca", "")]
        let masked = rows.redacted(by: &redactor)
        #expect(masked[0].text(.threadID) == #"domain-1\user-1"# && masked[0].text(.processID) == #"domain-1\user-1"#)
        #expect(masked[0].text(.eventID) == "Password=***")
        #expect(masked[0].text(.level) == "Bearer ***")
        #expect(masked[1].text(.threadID) == "user-1")
        var report = DiagnosisReport()
        let event = DiagnosisFixtures.evidence("x", eventID: secret)
        report.unexplained = [
            FailureCluster(eventID: secret, level: ULSLevel(secret), template: "x", count: 1, example: event)
        ]
        report.unexplained[0].example.level = secret
        let cluster = report.redacted(by: &redactor).unexplained[0]
        #expect(cluster.eventID == "Password=***" && cluster.level.word == "Password=***")
        #expect(cluster.example.eventID == "Password=***" && cluster.example.level == "Password=***")
    }

    @Test(arguments: [
        ("0x1A2B", "8nca", "Unexpected"), ("0x1a2b3c4d", "b4ly", "VerboseEx"), ("4711", "8311", "High"),
        ("", "0000", ""), ("0x0EB8", "aeh57", "Debug"), ("0x1", "1234567890", "errorcritical"),
    ])
    func `Ordinary threads, event IDs and levels are kept`(thread: String, eventID: String, level: String) {
        // Known names do not change these sentences.
        var redactor = Redactor()
        for name in ["8nca", "b4ly", "aeh57", "4711", "Unexpected", "VerboseEx"] { redactor.learn(name, as: .user) }
        let row = Self.row(thread, eventID, level)
        #expect(row == [row].redacted(by: &redactor)[0])
        #expect(redactor.summary.values == 0)
    }

    @Test func `A name that one template leaves out is masked in another template that contains it`() {
        let templates = ["Claim <account> was refused", "Nothing but names: ANNSMITH and sqlfarm01,#"]
        var portrait = LogPortrait(
            kinds: templates.map {
                .init(id: $0, eventID: "8nca", template: $0, exception: nil, rows: 1, events: 1, servers: [:])
            },
            servers: []
        )
        var normal = NormalFailures(
            kinds: templates.map { .init(id: $0, eventID: "8nca", template: $0, rows: 1) },
            hours: 1
        )
        normal.portrait = portrait
        var redactor = Redactor()
        #expect(normal.redacted(by: &redactor).kinds.contains { $0.template == templates[1] })
        portrait.sources = [
            #"Claim i:0#.w|contoso\annsmith was refused"#, "Nothing but names: ANNSMITH and sqlfarm01,1433",
        ]
        normal.portrait = portrait
        redactor = Redactor()
        let masked = normal.redacted(by: &redactor)
        let shown = "Nothing but names: user-1 and host-1,#"
        #expect(masked.kinds.contains { $0.template == shown } && masked.kinds.contains { $0.template == templates[0] })
        #expect(masked.portrait?.kinds.contains { $0.template == shown } == true)
        #expect(masked.portrait?.sources.isEmpty == true)
        // Values that are not shown are not counted.
        #expect(redactor.summary.values == 4)
    }

    @Test func `A folder in a note is masked like the same folder in the name of a file`() {
        var report = ReadReport()
        report.files = [SourceReport(name: "/srv/logs/home/jroe/WFE1-20110926-1030.log", server: "WFE1")]
        report.notes = ["'WFE1.md' in '/srv/logs/home/jroe' does not have a log name and is not read"]
        var redactor = Redactor()
        let masked = report.redacted(by: &redactor)
        #expect(masked.files.map(\.name) == ["/srv/logs/home/user-1/host-1-20110926-1030.log"])
        #expect(masked.notes == ["'host-1.md' in '/srv/logs/home/user-1' does not have a log name and is not read"])
        report.files = []
        redactor = Redactor()
        #expect(report.redacted(by: &redactor).notes.first?.contains("jroe") == false)
    }

    @Test func `A report states how much was masked, or that masking was turned off`() throws {
        var report = DiagnosisReport()
        var redactor = Redactor()
        report = report.redacted(by: &redactor)
        let options = DiagnosisOptions(version: "1", token: "t")
        // If a format has no place for the sentence, it appears on standard error.
        for format in DiagnosisRenderer.forms where ![.azure, .codequality, .csv, .prometheus].contains(format) {
            var bytes: [UInt8] = []
            DiagnosisRenderer(report, options).append(as: format, to: &bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("Redacted: 0 values") || text.contains(#""applied":true"#), "\(format)")
            report.redaction = .off
            bytes = []
            DiagnosisRenderer(report, options).append(as: format, to: &bytes)
            let open = String(decoding: bytes, as: UTF8.self)
            #expect(open.contains("Not redacted (--no-redact)") || open.contains(#""applied":false"#), "\(format)")
            report.redaction = redactor.summary
        }
    }
}
