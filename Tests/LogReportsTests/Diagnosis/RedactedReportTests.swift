import FailureExplanation
import LogDiagnosis
import Redaction
import Testing
import ULSLog
import WebConfig

@testable import LogReports
@testable import ReportKit

struct RedactedReportTests {
    /// Sentences of rules whose examples look like names of a tenant, on purpose.
    private static let examples = ["contoso", "example"]

    @Test func `The built-in rules' own words stay, because they name no person`() throws {
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

    @Test func `A sentence that names a component is quoted without the name in its gap`() throws {
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

    @Test func `A component keeps its name even if an account has the same, unlike words of the text`() throws {
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

    @Test func `A product that is named after its area is masked like any name`() throws {
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

    @Test func `Captures, evidence and configuration lose their names, and the counts stay`() throws {
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

    @Test func `A report shows what was masked, and that nothing was if that was asked for`() throws {
        var report = DiagnosisReport()
        var redactor = Redactor()
        report = report.redacted(by: &redactor)
        let options = DiagnosisOptions(version: "1", token: "t")
        // Where a format has no place for it, standard error says it.
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

    /// Fields that redaction leaves alone: IDs and words of this program, of rules and of the logging product, names of
    /// custom code, which it does not look for, and what a report needs not hold.
    private static let kept: Set<String> = [
        "Capture.name", "ConfigAttribute.name", "ConfigElement.path", "ConfigEvidence.path", "Evidence.correlation",
        "Evidence.eventID", "Evidence.level", "FailureCluster.eventID", "FailureCluster.exception",
        "FailureCluster.id", "FailureReading.needs", "FailureReading.usually", "Finding.fingerprint",
        "Finding.undecided", "Finding.verdict", "FixStep.effect", "FixStep.location", "FixStep.undo",
        "FixStep.verdicts", "LogSummary.Count.value", "NormalFailures.Kind.eventID", "NormalFailures.Kind.id",
        "NormalFailures.byID", "RequestTrace.correlation", "SlowReport.Instance.correlation", "Symptom.check",
        "ULSLevel.word", "WebConfigSource.zone",
    ]

    @Test func `A text of a report is masked unless it is known to be kept, so that no new field is forgotten`() throws
    {
        let canary = #"CONTOSO\zqcanary"#
        var diagnosis = try PageFixtures.diagnosis([canary])
        diagnosis.findings[1].fix[0].step = canary
        diagnosis.findings[0].reading = diagnosis.unexplained[0].explanation
        diagnosis.findings[0].reading?.place = .init(
            component: canary,
            isNamedByRow: true,
            words: canary,
            frame: canary
        )
        diagnosis.unexplained[0].frame = canary
        diagnosis.unexplained[0].servers = [canary]
        diagnosis.unexplained[0].changes = [ClusterChange(.new, canary)]
        diagnosis.described = NormalFailures(
            kinds: [.init(id: "1", eventID: "8nca", template: canary, rows: 1)],
            hours: 1
        )
        diagnosis.logs?.servers = [ServerSpan(server: canary, firstTime: .none, lastTime: .none)]
        var fields = ReportTexts(canary: "zqcanary")
        func check(_ report: some Maskable) {
            var redactor = Redactor()
            fields.add(report, isRedacted: false)
            fields.add(report.redacted(by: &redactor), isRedacted: true)
        }
        check(diagnosis)
        check(PageFixtures.summary([canary]) as LogSummary)
        check(PageFixtures.slow([canary]) as SlowReport)
        var trace: RequestTrace = PageFixtures.trace([canary])
        (trace.user, trace.site) = (canary, canary)
        check([trace])
        #expect(fields.masked.count > 30)
        #expect(fields.shown == Self.kept, "\(fields.shown.symmetricDifference(Self.kept).sorted())")
    }
}

/// The fields of reports that hold texts, found by reflection.
private struct ReportTexts {
    let canary: String
    /// Fields that held the canary, and those that hold it even when they are redacted.
    private var (filled, leaking): (Set<String>, Set<String>) = ([], [])
    private var all: Set<String> = []

    init(canary: String) { self.canary = canary }

    var masked: Set<String> { filled.subtracting(leaking) }
    /// Fields that redaction leaves alone, or that were never filled, so that nothing is known of them.
    var shown: Set<String> { all.subtracting(masked) }

    mutating func add(_ value: Any, as field: String = "", isRedacted: Bool) {
        // A rule is the same in all reports.
        if value is Rule { return }
        // A cast would take every `nil` and every empty array for one of texts.
        let types: [Any.Type] = [String.self, String?.self, [String].self, [String]?.self]
        if types.contains(where: { $0 == type(of: value) }) { all.insert(field) }
        if let text = value as? String {
            guard text.lowercased().contains(canary) else { return }
            if isRedacted { leaking.insert(field) } else { filled.insert(field) }
        }
        let mirror = Mirror(reflecting: value)
        for child in mirror.children {
            switch mirror.displayStyle {
            case .struct, .class, .enum:
                // Without the module, and without the place of a private type, which differs from run to run.
                let type = String(reflecting: mirror.subjectType).split(separator: ".").dropFirst()
                    .filter { !$0.hasPrefix("(") }.joined(separator: ".")
                add(child.value, as: "\(type).\(child.label ?? "")", isRedacted: isRedacted)
            default: add(child.value, as: field, isRedacted: isRedacted)
            }
        }
    }
}
