import LogTestSupport
import TestSupport
import Testing
import ULSLog

@testable import LogDiagnosis

/// Findings of rules whose kinds of rows are in the file of usual failures.
struct UsualFindingsTests {
    private static func rule(_ severity: String = "warning", select: String = "{event_id: zq1a}") throws -> Rule {
        try RuleText.rule(
            "FS1001",
            select: "  s: \(select)",
            check: "  c: {count: {of: s, gte: 1}}",
            verdicts: "  - {id: found, when: c, severity: \(severity), confidence: likely, message: \"found\"}"
        )
    }

    /// Rows of one kind, one per second.
    private static func lost(_ count: Int, _ what: String = "items") -> [Row] {
        (0..<count).map { Row(Double($0), "zq1a", "Unexpected", "Lost \($0) \(what)") }
    }

    private func report(_ rule: Rule, usual: [Row], _ rows: [Row]) throws -> DiagnosisReport {
        var diagnosis = Diagnosis(rules: try RuleSet([rule]))
        diagnosis.describesNormal = true
        diagnosis.normal = try diagnosis.report(on: LogText(usual).reader()).described
        return try diagnosis.report(on: LogText(rows).reader())
    }

    @Test func `A finding below error severity that is based on usual rows is not reported`() throws {
        let report = try report(Self.rule(), usual: Self.lost(3), Self.lost(5))
        #expect(report.findings.isEmpty)
        #expect(report.known.map(\.isUsual) == [true])
        // It can still be known later.
        #expect(report.baseline.entries.count == 1)
        #expect(report.ruleCount == 1)
    }

    @Test func `A usual error is still reported, but marked as usual`() throws {
        let report = try report(Self.rule("error"), usual: Self.lost(3), Self.lost(5))
        #expect(report.findings.map(\.isUsual) == [true])
        #expect(report.known.isEmpty)
    }

    @Test(arguments: [(19, true), (20, false), (400, false)])
    func `A finding is reported if its rows quadruple to at least twenty`(count: Int, isUsual: Bool) throws {
        let report = try report(Self.rule(), usual: Self.lost(5), Self.lost(count))
        #expect(report.findings.isEmpty == isUsual)
        #expect(report.findings.allSatisfy { !$0.isUsual })
    }

    @Test func `A kind is reported if it is not in the file, or if it was rare and has become frequent`() throws {
        let other = Self.lost(1, "widgets of the store")
        #expect(try report(Self.rule(), usual: Self.lost(5), Self.lost(5) + other).findings.count == 1)
        #expect(try report(Self.rule(), usual: Self.lost(5) + other, Self.lost(5) + other).findings.isEmpty)
        let many = Self.lost(30, "widgets of the store")
        #expect(try report(Self.rule(), usual: Self.lost(100) + other, Self.lost(80) + many).findings.count == 1)
    }

    @Test func `A finding based on rows that are not problems is never usual`() throws {
        let rows = [Row(0, "zq1a", "Medium", "All is well")]
        let report = try report(Self.rule(), usual: rows, rows)
        #expect(report.findings.map(\.isUsual) == [false])
    }

    @Test func `Without a file, no finding is usual`() throws {
        let report = try Diagnosis.report([try Self.rule()], Self.lost(3))
        #expect(report.findings.map(\.isUsual) == [false])
    }

    @Test func `The file contains explained rows, but no noise`() throws {
        var diagnosis = Diagnosis(rules: try RuleSet([try Self.rule()]))
        diagnosis.describesNormal = true
        let described = try #require(try diagnosis.report(on: LogText(Self.lost(3)).reader()).described)
        #expect(described.kinds.map(\.rows) == [3])
        #expect(described.portrait?.kinds.map(\.rows) == [3])
    }
}
