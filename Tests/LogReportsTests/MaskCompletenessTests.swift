import LogReports
import Redaction
import Testing
import WebConfig

@testable import FailureExplanation
@testable import LogDiagnosis
@testable import ULSLog
@testable import ULSRows

/// Redaction does not overlook any text of a report: each is masked, or listed here as a text that does not identify
/// anyone.
struct MaskCompletenessTests {
    private static let canary = #"CONTOSO\zqcanary"#

    /// Texts that redaction leaves unchanged, with the reason.
    private static let ours: [String: String] = [
        "Activity.causes": "words of our tables",
        "Activity.component": "an ID of our tables",
        "Activity.id": "an ID of our tables",
        "Activity.name": "words of our tables",
        "Capture.name": "a rule's name for a part of a message",
        "Check.command": "words of our tables; masked where it has names of the text",
        "Check.text": "words of our tables; masked where it repeats advice of the message",
        "Component.id": "an ID of our tables",
        "Component.name": "words of our tables; masked where it is named after the row",
        "Component.needs": "words of our tables",
        "Component.purpose": "words of our tables",
        "Component.usually": "words of our tables",
        "ConfigAttribute.name": "a name of ASP.NET's schema",
        "ConfigElement.path": "names of ASP.NET's schema",
        "ConfigEvidence.path": "names of ASP.NET's schema",
        "EmptySelection.Condition.words": "our words, without the value",
        "Evidence.correlation": "a GUID",
        "Explanation.usually": "words of our tables",
        "FailureCluster.exception": "a type, and custom code is not looked for",
        "FailureCluster.id": "a hash",
        "FailureCode.causes": "words of our tables",
        "FailureCode.component": "an ID of our tables",
        "FailureCode.meaning": "words of our tables",
        "FailureCode.name": "a name of Windows' headers",
        "FailureFrame.advisedObject": "an ID of our tables",
        "FailureFrame.Class.clause": "words of our tables",
        "FailureFrame.Class.id": "an ID of our tables",
        "FailureFrame.Thing.kind": "an ID of our tables",
        "FailureFrame.Thing.noun": "words of our tables",
        "FailureReading.Statement.text": "words of our tables, and types of Microsoft's",
        "FailureReading.needs": "words of our tables",
        "FailureReading.usually": "words of our tables",
        "FarmFacts.Application.status": "a word of SharePoint's",
        "FarmFacts.Application.type": "a class",
        "FarmFacts.Server.role": "a word of SharePoint's",
        "FarmFacts.Service.status": "a word of SharePoint's",
        "FarmFacts.Service.type": "a class",
        "FarmFacts.Zone.authentication": "a word of SharePoint's",
        "FarmFacts.Zone.zone": "a word of SharePoint's",
        "Finding.fingerprint": "a hash",
        "Finding.undecided": "a rule's name for a verdict",
        "Finding.verdict": "a rule's name for a verdict",
        "FindingBaseline.Entry.fingerprint": "a hash",
        "FindingBaseline.Entry.title": "a rule's title",
        "FixStep.effect": "a rule's words",
        "FixStep.location": "a rule's words",
        "FixStep.undo": "a rule's words",
        "FixStep.verdicts": "a rule's names for verdicts",
        "FoundActivity.Evidence.text": "words of our tables, and types of Microsoft's",
        "FrameAdvice.actors": "IDs of our tables",
        "FrameAdvice.causes": "words of our tables",
        "FrameAdvice.example": "words of our tables",
        "FrameAdvice.components": "IDs of our tables",
        "FrameAdvice.failures": "IDs of our tables",
        "FrameAdvice.id": "an ID of our tables",
        "FrameAdvice.name": "words of our tables",
        "FrameAdvice.objects": "IDs of our tables",
        "FrameAdvice.source": "words of our tables",
        "LogComparison.Failure.exception": "a type, and custom code is not looked for",
        "LogComparison.Failure.id": "a hash",
        "LogPortrait.Kind.exception": "a type, and custom code is not looked for",
        "LogPortrait.Kind.id": "a hash",
        "NormalFailures.Kind.id": "a hash",
        "NormalFailures.byID": "hashes",
        "NormalFailures.others": "hashes",
        "RequestTrace.correlation": "a GUID",
        "RuleID.text": "a rule's ID",
        "SlowReport.Instance.correlation": "a GUID",
        "Suppression.Subject.cluster": "a hash",
        "Symptom.check": "a rule's name for a check",
        "ULSEvent.correlation": "a GUID",
        "WebConfigSource.placePath": "a path below the working folder, for services that place findings by it",
        "WebConfigSource.zone": "a word of SharePoint's",
    ]

    /// Fields that are not examined, with the reason.
    private static let passedOver: [String: String] = [
        "DiagnosisReport.baseline": "is only written to a file of its own, with the true names",
        "FindingTriage.baseline": "is only compared with fingerprints",
        "Int64.SIMD16Storage._value": "is a number",
        "ReadReport.activity": "is only counted; what it shows is among the changes",
        "ReadReport.timelines": "is only counted; what it shows is among the gaps",
        "Suppression.match": "is a condition, which no report shows",
        "SuppressionFile.entries": "what hides something is at what it hides",
        "SuppressionFile.expressions": "is a condition, which no report shows",
        "ULSEvent.bytes": "has the columns, which are looked at one by one",
        "ULSEvent.ends": "has no text",
    ]

    @Test func `Every text in a report is masked, or known to contain no name`() throws {
        var texts = ReportTexts(canary: "zqcanary", passingOver: Set(Self.passedOver.keys))
        let diagnosis = try Self.diagnosis()
        texts.look(at: diagnosis)
        let cluster = try #require(diagnosis.unexplained.first)
        texts.look(at: [DiagnosisNews.finding(diagnosis.findings[0], before: .info), .unexplained(cluster)])
        texts.look(at: PageFixtures.summary([Self.canary]) as LogSummary)
        texts.look(at: PageFixtures.slow([Self.canary]) as SlowReport)
        texts.look(at: [Self.trace])
        texts.look(at: Self.requests)
        texts.look(at: Self.comparison)
        texts.look(at: Self.explanations)
        let faults = texts.faults(Set(Self.ours.keys))
        #expect(faults.isEmpty, "\n\(faults.joined(separator: "\n"))")
        #expect(texts.masked.count > 60)
    }

    @Test func `Text that redaction misses is detected in any field`() {
        let canary = Self.canary
        var texts = ReportTexts(canary: "zqcanary", passingOver: ["Forgetful.passed"])
        texts.look(
            at: Forgetful(
                told: canary,
                forgotten: canary,
                absent: nil,
                numbers: [canary: 1],
                kind: .named(canary),
                below: Derived(canary),
                passed: canary
            )
        )
        #expect(texts.masked == ["Forgetful.told"])
        #expect(
            texts.shown == [
                "Base.text", "Forgetful.Kind.named", "Forgetful.absent", "Forgetful.forgotten", "Forgetful.numbers",
            ]
        )
        let faults = texts.faults(["Base.text", "Forgetful.absent", "Forgetful.forgotten", "Forgetful.gone"])
        #expect(
            faults.map { $0.split(separator: " ").first } == [
                "Forgetful.Kind.named", "Forgetful.numbers", "Forgetful.gone", "Forgetful.inner",
            ]
        )
    }
}

/// Reports with the canary in each text that can contain a name.
extension MaskCompletenessTests {
    private static func diagnosis() throws -> DiagnosisReport {
        var report = try PageFixtures.diagnosis([canary])
        let decided = try DiagnosisHostileTests.report(canary)
        (report.known, report.suppressed, report.gone) = (decided.known, decided.suppressed, decided.gone)
        report.triage = decided.triage
        report.triage.today = CalendarDay("2027-01-31")
        let id = report.findings[0].rule.id
        report.triage.rules = [id]
        report.omitted = [OmittedFindings(rule: id, severity: .info, count: 1)]
        report.limits = [DiagnosisLimitReached(limit: .groups, count: 1)]
        report.inputs = [canary]
        report.emptiness = EmptySelection([.init("of server", canary, isServer: true), .init("of level", canary)])
        report.findings[1].fix[0].step = canary
        report.findings[0].reading = report.unexplained[0].explanation
        report.findings[0].reading?.activity = .init("running a timer job", .likely)
        report.findings[0].reading?.place = .init(component: canary, isNamedByRow: true, words: canary, frame: canary)
        report.unexplained[0].frame = canary
        report.unexplained[0].servers = [canary]
        report.unexplained[0].changes = [ClusterChange(.new, canary)]
        report.described = NormalFailures(
            kinds: [.init(id: "1", eventID: canary, template: canary, rows: 1)],
            others: ["2": 1],
            hours: 1
        )
        report.described?.portrait = portrait
        report.logs?.servers = [ServerSpan(server: canary, firstTime: .none, lastTime: .none)]
        report.logs?.coverage = [ServerCoverage(server: canary, firstTime: nil, lastTime: nil, files: 1)]
        report.farm = try farm()
        return report
    }

    private static func farm() throws -> FarmFacts {
        let text = """
            {"schema": "fastctl.farm/1", "edition": "enterprise", "build": "16.0.10396.20000",
             "servers": [{"name": "A", "role": "WebFrontEnd", "services": [{"type": "B", "status": "Online"}]}],
             "serviceApplications": [{"name": "C", "type": "D", "status": "Online"}],
             "accounts": [{"name": "E", "uses": ["farm"]}],
             "zones": [{"url": "http://f", "webApplication": "G", "zone": "Default", "authentication": ["ntlm"]}]}
            """
        var farm = try FarmFacts(text, path: canary)
        farm.servers[0].name = canary
        farm.applications?[0].name = canary
        farm.accounts?[0].name = canary
        farm.accounts?[0].uses = [canary]
        farm.zones?[0].url = canary
        farm.zones?[0].webApplication = canary
        return farm
    }

    private static var portrait: LogPortrait {
        var portrait = LogPortrait(
            kinds: [
                .init(
                    id: "1",
                    eventID: canary,
                    template: canary,
                    exception: "System.Exception",
                    level: ULSLevel(canary),
                    rows: 1,
                    events: 1,
                    servers: [canary: 1]
                )
            ],
            servers: [.init(name: canary, hours: 1)]
        )
        portrait.durations = [canary: DurationHistogram()]
        portrait.gaps = [.init(server: canary, from: LogFixtures.time(), until: LogFixtures.time(400_000))]
        portrait.sources = [canary]
        return portrait
    }

    private static var comparison: LogComparison {
        var comparison = LogComparison(portrait, portrait)
        comparison.failures = [
            .init(
                change: .new,
                id: "1",
                eventID: canary,
                template: canary,
                exception: "System.Exception",
                rows: .init(a: 0, b: 1),
                rates: .init(a: 0, b: 1),
                growth: .init(server: canary, rates: .init(a: 0, b: 1))
            )
        ]
        comparison.speeds = [
            .init(
                isSlower: true,
                key: canary,
                counts: .init(a: 1, b: 1),
                p50: .init(a: 1, b: 2),
                p95: .init(a: 1, b: 2)
            )
        ]
        comparison.missing = .init(a: [canary], b: [canary])
        return comparison
    }

    private static var trace: RequestTrace {
        var trace: RequestTrace = PageFixtures.trace([canary])
        (trace.user, trace.site) = (canary, canary)
        return trace
    }

    private static var requests: RequestReport {
        var report = RequestReport()
        let problem = RequestProblem(
            time: LogFixtures.time(),
            server: canary,
            eventID: canary,
            text: canary,
            file: canary,
            line: 1,
            rows: 1,
            rank: 2,
            strength: 1
        )
        report.requests = [
            LoggedRequest(
                correlation: nil,
                writer: canary,
                name: canary,
                user: canary,
                server: canary,
                firstTime: LogFixtures.time(),
                lastTime: LogFixtures.time(),
                microseconds: 1,
                rows: 1,
                level: ULSLevel(canary),
                problem: problem
            )
        ]
        return report
    }

    /// An explanation for each kind of evidence.
    private static var explanations: [ExplainedFailure] {
        let component = Component(
            id: "secure-store",
            name: "Secure Store service",
            purpose: "keeps credentials",
            needs: ["the master key"],
            checks: [Check("Whether it runs", command: "Get-SPServiceInstance")],
            usually: ["refused": "no right"],
            isGeneric: false
        )
        let activity = Activity(
            id: "timer-job",
            name: "running a timer job",
            component: "timer",
            causes: ["the service is off"],
            checks: [],
            isGeneric: true
        )
        let evidence: [FoundComponent.Evidence] = [
            .frame(canary), .exceptionType(canary), .category(canary), .message(canary), .text(canary),
            .process(canary),
        ]
        return evidence.map { evidence in
            var explanation = Explanation(of: "Access is denied. (Exception from HRESULT: 0x80070005)")
            explanation.place = FoundComponent(component: component, evidence: evidence)
            explanation.activity = FoundActivity(
                activity: activity,
                evidence: .text("timer job"),
                outer: activity,
                isOfFailure: true,
                isSpecific: false
            )
            explanation.foreignFrame = StackFrame(canary)
            explanation.causes = [canary]
            let text = FailureFrame.Slot(value: canary, evidence: canary, certainty: .likely)
            let thing = FailureFrame.Thing(kind: "list", noun: "the list", name: canary)
            explanation.frame.object = .init(value: thing, evidence: canary, certainty: .likely)
            (explanation.frame.actor, explanation.frame.thrower) = (explanation.frame.object, explanation.frame.object)
            explanation.frame.failure = .init(
                value: .init(id: "refused", clause: "access was refused", isVague: false),
                evidence: canary,
                certainty: .likely
            )
            (explanation.frame.operation, explanation.frame.innermost) = (text, text)
            (explanation.frame.component, explanation.frame.remedy) = (text, text)
            (explanation.frame.statement, explanation.frame.ownWords) = (canary, canary)
            explanation.frame.reason = canary
            explanation.frame.advice = [FrameAdvice(id: "advice", name: "a list is refused", checks: component.checks)]
            explanation.chains = [
                ExceptionChain(
                    links: [.init(type: canary, message: canary, hresult: nil, frames: [StackFrame(canary)])],
                    range: 0..<1,
                    isShortened: false
                )
            ]
            var failure = ExplainedFailure(asked: canary, explanation: explanation)
            // Only one of the explanations is about a row.
            if case .frame = evidence { failure.row = trace.events.last.map { .init($0) } }
            return failure
        }
    }
}

/// A report with texts that are not masked.
private struct Forgetful: Maskable {
    enum Kind { case named(String) }
    struct Inner { var text = "" }

    var told: String
    var forgotten: String
    var absent: String?
    var numbers: [String: Int]
    var kind: Kind
    var below: Base
    var passed: String
    var inner: [Inner] = []

    mutating func mask(by mask: inout Redactor) { told.mask(by: &mask) }
}

private class Base {
    let text: String
    init(_ text: String) { self.text = text }
}

private final class Derived: Base {}

/// The texts of reports, found by reflection, and whether redaction masks them.
private struct ReportTexts {
    private let canary: String
    private let passingOver: Set<String>
    /// All texts by the type and the name of their field, those that contained the canary, and those that still contain
    /// it after redaction.
    private var (all, filled, leaking): (Set<String>, Set<String>, Set<String>) = ([], [], [])
    private var passed: Set<String> = []
    /// Types that were examined, and types with a field that could hold values but has none.
    private var types: Set<String> = []
    private var absent: [String: String] = [:]

    init(canary: String, passingOver: Set<String>) {
        self.canary = canary
        self.passingOver = passingOver
    }

    var masked: Set<String> { filled.subtracting(leaking) }
    /// Texts that redaction leaves unchanged, and texts that were never filled, about which nothing is known.
    var shown: Set<String> { all.subtracting(masked) }

    /// Returns instructions for the author of a field, in sentences; `ours` lists the texts that may be shown.
    func faults(_ ours: Set<String>) -> [String] {
        shown.subtracting(ours).sorted().map {
            "\($0) may hold a name: mask it in Sources/Reports/LogReports/Redaction and fill it in this file, or list it "
                + "among 'ours' with the reason why it names nobody"
        }
            + ours.subtracting(shown).sorted().map { "\($0) is masked, or is not there: remove it from 'ours'" }
            + absent.filter { !types.contains($0.key) }.values.sorted().map {
                "\($0) is empty, and nothing else shows whether what it may hold has texts: fill it in this file"
            } + passingOver.subtracting(passed).sorted().map { "\($0) is not there: remove it from 'passedOver'" }
    }

    /// Examines a report before and after redaction.
    mutating func look(at report: some Maskable) {
        var redactor = Redactor()
        add(report, isRedacted: false)
        add(report.redacted(by: &redactor), isRedacted: true)
    }

    private mutating func add(_ value: Any, as field: String = "", isRedacted: Bool) {
        // A cast would succeed for every `nil` and every empty array, regardless of its type.
        let texts: [Any.Type] = [String.self, String?.self, [String].self, [String]?.self]
        if texts.contains(where: { $0 == type(of: value) }) { all.insert(field) }
        if let text = value as? String {
            guard text.lowercased().contains(canary) else { return }
            if isRedacted { leaking.insert(field) } else { filled.insert(field) }
            return
        }
        if let event = value as? ULSEvent {
            for column in ULSEvent.Column.allCases {
                add(event.text(column), as: "ULSEvent.\(column)", isRedacted: isRedacted)
            }
        }
        add(Mirror(reflecting: value), as: field, isRedacted: isRedacted)
    }

    private mutating func add(_ mirror: Mirror, as field: String, isRedacted: Bool) {
        let type = String(reflecting: mirror.subjectType)
        switch mirror.displayStyle {
        case .struct, .class, .enum:
            types.insert(type)
            // A rule is the same in all reports.
            if mirror.subjectType == Rule.self { return }
            for child in mirror.children {
                let name = "\(Self.name(type)).\(child.label ?? "")"
                if passingOver.contains(name) {
                    passed.insert(name)
                } else {
                    add(child.value, as: name, isRedacted: isRedacted)
                }
            }
            if let above = mirror.superclassMirror { add(above, as: field, isRedacted: isRedacted) }
        default:
            if mirror.children.isEmpty { for element in Self.elements(type) { absent[element] = field } }
            for child in mirror.children { add(child.value, as: field, isRedacted: isRedacted) }
        }
    }

    /// Returns the name of a type without its module and its generic arguments, and without the location of a private
    /// type, which differs from run to run.
    private static func name(_ type: String) -> String {
        type.prefix { $0 != "<" }.split(separator: ".").dropFirst().filter { !$0.hasPrefix("(") }
            .joined(separator: ".")
    }

    /// Returns the types that an optional or a collection may hold, except those of the standard library.
    private static func elements(_ type: String) -> [String] {
        type.split { "<>,".contains($0) }.map { $0.drop { $0 == " " } }
            .filter { !$0.isEmpty && !$0.hasPrefix("Swift.") }.map(String.init)
    }
}
