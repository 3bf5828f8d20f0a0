import LogTestSupport
import TestSupport
import Testing
import ULSLog
import WebConfig

@testable import LogDiagnosis

/// Findings hidden by suppressions, findings known from a baseline, and outdated entries.
struct TriageTests {
    private static func rule(_ id: String = "FS1001", _ event: String = "fail") throws -> Rule {
        try RuleText.rule(
            id,
            select: "  s: {event_id: \(event), capture: \"user {user} failed\"}",
            check: "  c: {count: {of: s, gte: 1}}",
            verdicts:
                "  - {id: found, when: c, severity: error, confidence: likely, message: \"{user} failed {count} times\"}",
            more: "per: user"
        )
    }

    private static func suppressions(_ entries: String) throws -> SuppressionFile {
        try SuppressionFile("schema: fastctl.suppressions/1\nsuppressions:\n" + entries, path: "s.yaml")
    }

    private static func rows(_ users: [String], from second: Double = 0) -> [Row] {
        users.enumerated().map { Row(second + Double($0), "fail", "High", "user \($1) failed") }
    }

    private static func report(
        _ users: [String],
        _ entries: String? = nil,
        _ baseline: FindingBaseline? = nil,
        today: String = "2026-03-02",
        rules: [Rule]? = nil,
        change: (inout LogReader) throws -> Void = { _ in }
    ) throws -> DiagnosisReport {
        var diagnosis = Diagnosis(rules: try RuleSet(rules ?? [try rule()]))
        diagnosis.triage.suppressions = try entries.map(suppressions)
        diagnosis.triage.baseline = baseline
        diagnosis.triage.today = CalendarDay(today)
        diagnosis.triage.rules = try Set(["FS1001", "FS1002"].map { try #require(RuleID($0)) })
        var reader = LogText([Row(0, "aaaa")] + rows(users, from: 1)).reader()
        try change(&reader)
        return try diagnosis.report(on: reader)
    }

    /// The effect of an entry on a finding on `ann`, and the verdict on the entry.
    @Test(arguments: [
        ("rule: FS1001", true, ""),
        ("rule: FS1001, until: 2026-03-02", true, ""),
        ("rule: FS1001, until: 2026-03-01", false, "expired"),
        ("rule: FS1001, match: {text: ANN FAILED}", true, ""),
        ("rule: FS1001, match: {text: bob}", false, "stale"),
        ("rule: FS1001, match: {text: bob}, until: 2026-03-01", false, "expired"),
        ("rule: FS1001, match: {regex: '^a.n'}", true, ""),
        ("rule: FS1001, match: {regex: '^b'}", false, "stale"),
        ("rule: FS1001, match: {server: test}", true, ""),
        ("rule: FS1001, match: {server: WFE9}", false, ""),
        ("rule: FS1001, match: {server: [WFE9, test]}", true, ""),
        ("rule: FS1001, match: {captures: {user: ann}}", true, ""),
        ("rule: FS1001, match: {captures: {user: an}}", false, "stale"),
        ("rule: FS1001, match: {text: ann, captures: {user: bob}}", false, "stale"),
        ("rule: FS1002", false, ""),
        ("rule: FS1999", false, "unknown-rule"),
    ])
    func `An entry hides the findings that it covers until it expires`(
        entry: String,
        hides: Bool,
        verdict: String
    ) throws {
        let report = try Self.report(["ann"], "  - {\(entry), reason: known}")
        #expect(report.suppressed.count == (hides ? 1 : 0))
        #expect(report.findings.filter { $0.rule.id.text == "FS1001" }.isEmpty == hides)
        #expect(
            report.findings.filter { $0.rule.id.text == "FS9001" }.map(\.verdict) == (verdict.isEmpty ? [] : [verdict])
        )
        #expect(report.passed.contains { $0.id.text == "FS9001" } == verdict.isEmpty)
    }

    @Test func `A finding on a server that the entry does not name is not hidden`() throws {
        let entries = "  - {rule: FS1001, match: {server: WFE1}, reason: x}"
        let file = try Self.suppressions(entries)
        var finding = try #require(try Self.report(["ann"]).findings.first)
        for (servers, isHidden) in [(["WFE1"], true), (["wfe1"], true), (["WFE1", "WFE2"], false), ([], false)] {
            finding.servers = servers
            #expect(file.entries(covering: finding).isEmpty != isHidden)
        }
    }

    /// A finding that a run could not have seen is never reported as gone, nor its entry as stale.
    @Test func `An entry is not reported as stale if the run could not have found its findings`() throws {
        let entry = "  - {rule: FS1001, match: {text: bob}, reason: x}"
        let bob = try Self.report(["bob"]).baseline
        func isSilent(_ report: DiagnosisReport) -> Bool {
            report.findings.allSatisfy { $0.rule.id.text != "FS9001" } && report.gone.isEmpty && report.unseenKnown == 1
        }
        let whole = try Self.report(["ann"], entry, bob)
        #expect(whole.gone == bob.entries && whole.unseenKnown == 0)
        #expect(whole.findings.contains { $0.verdict == "stale" })
        #expect(
            isSilent(
                try Self.report(["ann"], entry, bob) {
                    $0.window = try TimeWindow(since: "10:00", until: nil, around: nil, now: nil)
                }
            )
        )
        #expect(isSilent(try Self.report(["ann"], entry, bob) { $0.filter.level = ULSLevel("High") }))
        #expect(isSilent(try Self.report(["ann"], entry, bob) { $0.filter.servers = ["TEST"] }))
        // With other rules, or without logs, the entry is not evaluated.
        #expect(isSilent(try Self.report(["ann"], entry, bob, rules: [try Self.rule("FS1002", "other")])))
        var diagnosis = Diagnosis(rules: try RuleSet([try Self.rule()]))
        diagnosis.triage.suppressions = try Self.suppressions(entry)
        diagnosis.triage.baseline = bob
        #expect(isSilent(diagnosis.report(on: nil as RecordedLog?)))
    }

    @Test func `An entry hides a kind of unexplained rows by its ID`() throws {
        let rows = [
            Row(0, "zq1a", "Critical", "The frobnicator 17 is gone"),
            Row(1, "zq1a", "Critical", "The frobnicator 18 is gone"),
            Row(2, "zq1b", "Critical", "The widget is gone"),
        ]
        let all = try Diagnosis.report([], rows)
        let id = try #require(all.unexplained.first { $0.eventID == "zq1a" }?.id)
        func report(_ entry: String) throws -> DiagnosisReport {
            var diagnosis = Diagnosis(rules: try RuleSet([]))
            diagnosis.triage.suppressions = try Self.suppressions("  - {\(entry), reason: x}")
            diagnosis.triage.today = CalendarDay("2026-03-02")
            return try diagnosis.report(on: LogText(rows).reader())
        }
        let hidden = try report("cluster: \(id)")
        #expect(hidden.unexplained.map(\.eventID) == ["zq1b"])
        #expect((hidden.unexplainedKinds, hidden.unexplainedEvents) == (1, 1))
        #expect(hidden.suppressed.count == 1 && hidden.findings.isEmpty)
        // If the named kind does not occur, all others are reported; it may be in the next log, so the entry is not
        // stale.
        let other = try report("cluster: 0123456789abcdef")
        #expect((other.unexplainedKinds, other.unexplainedEvents) == (2, 3))
        #expect(other.findings.isEmpty)
        // The last day counts.
        #expect(try report("cluster: \(id), until: 2026-03-02").suppressed.count == 1)
        let expired = try report("cluster: \(id), until: 2026-03-01")
        #expect(expired.unexplainedKinds == 2 && expired.suppressed.isEmpty)
        #expect(expired.findings.map(\.verdict) == ["expired"])
        // Another entry for the same kind still hides it.
        let renewed = try report("cluster: \(id), until: 2026-03-01, reason: y}\n  - {cluster: \(id)")
        #expect(renewed.unexplainedKinds == 1 && renewed.suppressed.count == 1)
        #expect(renewed.findings.map(\.verdict) == ["replaced"])
    }

    @Test(arguments: [
        ("rule: FS1001", "replaced"), ("rule: FS1001, until: 2026-03-02", "replaced"),
        ("rule: FS1001, until: 2026-02-01", "expired"), ("rule: FS1001, match: {text: bob}", "expired"),
    ])
    func `An expired entry is only informational if another entry hides the same findings`(
        entry: String,
        verdict: String
    ) throws {
        let entries = "  - {rule: FS1001, reason: x, until: 2026-03-01}\n  - {\(entry), reason: y}"
        let found = try Self.report(["ann"], entries).findings.first { finding in
            finding.rule.id.text == "FS9001" && finding.captures.contains { $0.value == "2026-03-01" }
        }
        #expect(found?.verdict == verdict)
        #expect(found?.severity == (verdict == "replaced" ? .info : .warning))
    }

    @Test func `A known finding stays known even if it occurs more often or elsewhere`() throws {
        let baseline = try Self.report(["ann"]).baseline
        let report = try Self.report(["bob", "ann", "bob", "ann", "ann"], nil, baseline)
        #expect(report.known.map(\.message) == ["ann failed 3 times"])
        #expect(report.findings.map(\.message) == ["bob failed 2 times"])
        #expect(report.gone.isEmpty && report.unseenKnown == 0)
    }

    @Test func `A known finding is not reported as gone if its server is missing from the input`() throws {
        let found = try Self.report(["ann"]).baseline
        #expect(found.entries.map(\.servers) == [["TEST"]])
        for (server, isGone) in [("TEST", true), ("test", true), ("WFE9", false)] {
            let known = FindingBaseline(
                found.entries.map { entry in
                    var entry = entry
                    entry.servers = [server]
                    return entry
                }
            )
            let report = try Self.report([], nil, known)
            #expect(report.gone.count == (isGone ? 1 : 0) && report.unseenKnown == (isGone ? 0 : 1))
        }
    }

    @Test func `A known finding that has become worse is new`() throws {
        let found = try Self.report(["ann"]).baseline
        let milder = FindingBaseline(
            found.entries.map { entry in
                var entry = entry
                entry.severity = .warning
                return entry
            }
        )
        #expect(try Self.report(["ann"], nil, milder).known.isEmpty)
        #expect(try Self.report(["ann"], nil, found).findings.isEmpty)
    }

    @Test func `Suppressed and known findings do not use up the limit for new ones`() throws {
        let users = (10..<60).map { "u\($0)" }
        let all = try Self.report(users)
        #expect(all.findings.count == Rule.maximumFindings && all.omitted.map(\.count) == [30])
        #expect(all.baseline.entries.count == 50)
        let report = try Self.report(users, "  - {rule: FS1001, match: {regex: 'u[1-4]'}, reason: x}")
        #expect(report.findings.count == 10 && report.omitted.isEmpty && report.suppressed.count == 40)
        #expect(try Self.report(users, nil, all.baseline).known.count == 50)
    }

    @Test func `Every finding is new, known or suppressed`() throws {
        for seed in 0..<UInt64(40) {
            var random = SeededGenerator(seed: seed)
            let names = (0..<40).map { "u\($0)" }
            let users = (0..<Int.random(in: 0...60, using: &random)).compactMap { _ in
                names.randomElement(using: &random)
            }
            let known = names.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            let hidden = names.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            let entries = hidden.map { "  - {rule: FS1001, match: {captures: {user: \($0)}}, reason: x}" }
            let baseline = try Self.report(known).baseline
            let report = try Self.report(users, entries.joined(separator: "\n"), baseline)
            let told =
                report.findings.count { $0.rule.id.text == "FS1001" } + report.omitted.reduce(0) { $0 + $1.count }
            let here = Set(users)
            #expect(told + report.known.count + report.suppressed.count == here.count, "seed \(seed)")
            #expect(report.suppressed.count == here.intersection(hidden).count)
            #expect(report.known.count == here.intersection(known).subtracting(hidden).count)
            #expect(report.gone.count == Set(known).subtracting(users).count)
            let stale = report.findings.count { $0.verdict == "stale" }
            #expect(stale == Set(hidden).subtracting(users).count)
            #expect(report.ruleCount == 2)
        }
    }
}
