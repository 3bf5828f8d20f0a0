import LogDiagnosis
import LogReports
import ReportKit
import Testing
import TextKit

@testable import ULSLog
@testable import ULSRows

struct DiagnosisConclusionTests {
    /// One error and two warnings, with all input read and everything evaluated.
    private func clean() throws -> DiagnosisReport {
        var report = try DiagnosisFixtures.report()
        report.notEvaluated = []
        report.refusedConfigs = []
        report.omitted = []
        report.limits = []
        report.findings[0].undecided = []
        return report
    }

    private func circumstances(
        _ change: (inout DiagnosisCircumstances) -> Void = { _ in }
    ) -> DiagnosisCircumstances {
        var circumstances = DiagnosisCircumstances()
        circumstances.duration = .milliseconds(240)
        change(&circumstances)
        return circumstances
    }

    @Test func `The last sentence counts findings, rules and events`() throws {
        let conclusion = DiagnosisConclusion(try clean(), circumstances())
        #expect(
            conclusion.lines == [
                "1 finding of severity error or worse (--fail-on)",
                "1 error, 2 warnings by 4 rules on 1,219 rows in 1 file and 1 web.config file; 12 kinds of rows unexplained, not counted (--fail-on-unexplained) (0.2 s)",
            ]
        )
    }

    @Test func `Unexplained rows are not described as uncounted if they make the exit code 1`() throws {
        let conclusion = DiagnosisConclusion(try clean(), circumstances { $0.gate.failsOnUnexplained = true })
        #expect(conclusion.lines.last?.hasSuffix("; 12 kinds of rows unexplained (0.2 s)") == true)
    }

    @Test func `A run without findings succeeds`() throws {
        var report = try clean()
        report.findings = []
        let conclusion = DiagnosisConclusion(report, circumstances())
        #expect(conclusion.status == .done)
        #expect(
            conclusion.lines == [
                "no findings by 2 rules on 1,219 rows in 1 file and 1 web.config file; 12 kinds of rows unexplained, not counted (--fail-on-unexplained) (0.2 s)"
            ]
        )
    }

    @Test(arguments: [(.critical, 0), (.error, 1), (.warning, 1), (.info, 1), (nil, 0)] as [(Severity?, Int32)])
    func `Findings at or above the threshold fail the run`(failOn: Severity?, code: Int32) throws {
        let conclusion = DiagnosisConclusion(try clean(), circumstances { $0.gate.failOn = failOn })
        #expect(conclusion.status.rawValue == code)
    }

    @Test func `Findings that are not listed also count`() throws {
        var report = try clean()
        report.findings = []
        report.omitted = [OmittedFindings(rule: try DiagnosisFixtures.rule("FS1048").id, severity: .error, count: 2)]
        #expect(DiagnosisConclusion(report, circumstances()).status == .documentsFailed)
    }

    @Test func `An unevaluated rule fails the run only on request`() throws {
        var report = try clean()
        report.findings = []
        report.notEvaluated = [
            NotEvaluated(rule: try DiagnosisFixtures.rule("FS0401"), reason: "no web.config was given")
        ]
        #expect(DiagnosisConclusion(report, circumstances()).status == .done)
        let strict = DiagnosisConclusion(report, circumstances { $0.requireComplete = true })
        #expect(strict.status == .notEvaluated)
        #expect(strict.remarks.last == "incomplete, but --require-complete was given: 1 rule not evaluated")
        #expect(strict.sentence.hasPrefix("no findings by 3 rules, 1 not evaluated, on"))
    }

    @Test func `A rule whose input was not given does not make the run incomplete`() throws {
        var report = try clean()
        report.findings = []
        let rule = try #require(RuleLibrary.builtIn().rules.first { $0.id.text == "FS0401" })
        report.notEvaluated = [NotEvaluated(rule: rule, reason: "no web.config was given")]
        report.configs = []
        let strict = DiagnosisConclusion(report, circumstances { $0.requireComplete = true })
        #expect(strict.status == .done)
    }

    @Test func `A run that examined nothing states that first, and fails on request`() throws {
        var report = try clean()
        report.findings = []
        report.emptiness = EmptySelection([.init("of server", "WFE9", isServer: true)])
        let strict = DiagnosisConclusion(report, circumstances { $0.failsIfNone = true })
        #expect(strict.status == .inputRejected)
        #expect(strict.lines.first?.hasPrefix("no row of server 'WFE9'") == true)
        #expect(DiagnosisConclusion(report, circumstances()).status == .done)
        var together = EmptySelection([.init("of server", "A", isServer: true), .init("of category", "B")])
        together.areTogether = true
        #expect(together.sentence(nil) == "no row matches all of these: of server 'A', of category 'B'")
    }

    @Test func `If no rule could be evaluated on the rows, the run does not pass`() throws {
        var report = DiagnosisReport()
        report.logs = try clean().logs
        report.notEvaluated = [
            NotEvaluated(rule: try DiagnosisFixtures.rule("FS1048"), reason: "a filter hides rows that it may need"),
            NotEvaluated(rule: try DiagnosisFixtures.rule("FS1002"), reason: "a filter hides rows that it may need"),
            NotEvaluated(rule: try DiagnosisFixtures.rule("FS0401"), reason: "no web.config was given"),
        ]
        let strict = circumstances { $0.failsIfNone = true }
        let sentence = "no rule could be evaluated, so this is not a pass: a filter hides rows that it may need"
        #expect(DiagnosisConclusion(report, strict).status == .inputRejected)
        #expect(DiagnosisConclusion(report, strict).isOfNothing)
        #expect(!DiagnosisConclusion(report, circumstances()).isOfNothing)
        #expect(DiagnosisConclusion(report, strict).lines.first == sentence)
        #expect(DiagnosisConclusion.rejections(of: report, strict) == [sentence])
        #expect(DiagnosisConclusion(report, circumstances()).status == .done)
        #expect(DiagnosisConclusion.rejections(of: report, circumstances()).isEmpty)
        report.passed = [report.notEvaluated.removeLast().rule]
        #expect(DiagnosisConclusion(report, strict).status == .done)
        #expect(DiagnosisConclusion.rejections(of: report, strict).isEmpty)
    }

    @Test func `Each reason for rejecting the input is a sentence that formats can show`() throws {
        var report = try clean()
        report.emptiness = EmptySelection([.init("of category", "Databse")], isPartial: true)
        report.logs?.quality.notUnderstood = 1000
        let reasons = DiagnosisConclusion.rejections(of: report, circumstances { $0.failsIfNone = true })
        #expect(reasons.count == 3)
        #expect(reasons[0] == "no row of category 'Databse'")
        #expect(reasons[1].hasPrefix("the line counts do not add up"))
        #expect(reasons[2].contains("not understood, more than --max-parse-errors allows"))
    }

    @Test func `An undecided verdict makes the result incomplete`() throws {
        var report = try clean()
        report.findings[0].undecided = ["ajax"]
        let strict = circumstances {
            $0.requireComplete = true
            $0.gate.failOn = nil
        }
        #expect(DiagnosisConclusion(report, strict).status == .notEvaluated)
    }

    @Test func `Findings take precedence over unevaluated rules in the result`() throws {
        let report = try DiagnosisFixtures.report()
        var strict = circumstances { $0.requireComplete = true }
        #expect(DiagnosisConclusion(report, strict).status == .inputRejected)
        var accepted = report
        accepted.refusedConfigs = []
        #expect(DiagnosisConclusion(accepted, strict).status == .documentsFailed)
        strict.gate.failOn = nil
        #expect(DiagnosisConclusion(accepted, strict).status == .notEvaluated)
    }

    @Test(arguments: [(12, 0), (13, 65), (0, 0)] as [(Int, Int32)])
    func `Input with too many lines that were not understood is rejected`(count: Int, code: Int32) throws {
        var report = try clean()
        report.logs?.quality.notUnderstood = count
        report.logs?.quality.records = 1219 - count
        let conclusion = DiagnosisConclusion(report, circumstances { $0.gate.failOn = nil })
        #expect(conclusion.status.rawValue == code)
        let remark = "\(count) of 1,220 lines were not understood, more than --max-parse-errors allows"
        #expect(conclusion.remarks.contains(remark) == (code != 0))
    }

    @Test func `Input with a file that was not read to its end is rejected and incomplete`() throws {
        var report = try clean()
        report.logs?.files[0].isIncomplete = true
        #expect(DiagnosisConclusion(report, circumstances()).status == .inputRejected)
    }

    @Test func `Input with a refused web.config is rejected, and the file is named with the line`() throws {
        var report = try clean()
        report.refusedConfigs = try DiagnosisFixtures.report().refusedConfigs
        let conclusion = DiagnosisConclusion(report, circumstances())
        #expect(conclusion.status == .inputRejected)
        #expect(conclusion.remarks.first == "wfe02/web.config:1: it has a DOCTYPE; remove it")
        let quiet = DiagnosisConclusion(report, circumstances { $0.tellsNotes = true })
        #expect(quiet.remarks == ["1 finding of severity error or worse (--fail-on)"])
    }

    @Test func `Logs without any event are rejected, unless a window excluded the events`() throws {
        var report = try clean()
        report.findings = []
        report.logs = ReadReport()
        report.logs?.files = [SourceReport(name: "letter.txt")]
        #expect(DiagnosisConclusion(report, circumstances()).status == .inputRejected)
        report.logs?.files[0].isSkipped = true
        #expect(DiagnosisConclusion(report, circumstances { $0.hasWindow = true }).status == .done)
    }

    @Test func `Configuration can be checked without a log`() throws {
        var report = try clean()
        report.findings = []
        report.logs = nil
        report.unexplainedKinds = 0
        let conclusion = DiagnosisConclusion(report, circumstances())
        #expect(conclusion.status == .done)
        #expect(conclusion.sentence == "no findings by 2 rules on 1 web.config file (0.2 s)")
    }

    @Test func `Line counts that do not add up are always reported as a bug`() throws {
        var report = try DiagnosisFixtures.report()
        report.logs?.quality.lines = 1
        #expect(DiagnosisConclusion(report, circumstances()).status == .unbalanced)
    }
}
