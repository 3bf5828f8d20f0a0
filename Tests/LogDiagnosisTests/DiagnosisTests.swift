import LogDiagnosis
import LogTestSupport
import Testing
import ULSLog

/// The evaluation of rules on events.
struct DiagnosisTests {
    private func rule(
        _ id: String,
        _ event: String,
        more: String = "",
        label: String = "{count} times {user|somebody}"
    ) throws -> Rule {
        try RuleText.rule(
            id,
            select: "  s: {event_id: \(event), capture: \"user {user} failed\"}",
            check: "  c: {count: {of: s, gte: 1}, label: \"\(label)\"}",
            verdicts:
                "  - {id: found, when: c, symptoms: [c], severity: error, confidence: likely, message: \"{count}: {user}\"}",
            more: more
        )
    }

    @Test func `Placeholders in sentences are filled in`() throws {
        let report = try Diagnosis.report([rule("FS1001", "fail")], [Row(0, "fail", "High", "user ann failed")])
        let finding = try #require(report.findings.first)
        #expect(finding.message == "1: ann")
        #expect(finding.symptoms.map(\.text) == ["1 times ann"])
        #expect(finding.captures == [Capture(name: "user", value: "ann")])
    }

    @Test func `A value that was not captured is shown as unknown`() throws {
        let report = try Diagnosis.report(
            [rule("FS1001", "fail")],
            [Row(0, "fail", "High", "Anmeldung fehlgeschlagen")]
        )
        #expect(report.findings.first?.message == "1: (unknown)")
        #expect(report.findings.first?.symptoms.map(\.text) == ["1 times somebody"])
    }

    @Test func `A rule reports one finding for each value`() throws {
        let rows = ["ben", "ann", "ben"].enumerated().map { Row(Double($0), "fail", "High", "user \($1) failed") }
        let findings = try Diagnosis.report([rule("FS1001", "fail", more: "per: user")], rows).findings
        #expect(findings.map(\.message) == ["2: ben", "1: ann"])
        #expect(Set(findings.map(\.fingerprint)).count == 2)
    }

    @Test func `Findings beyond the limit are counted but not listed`() throws {
        let rows = (0..<30).map { Row(Double($0), "fail", "High", "user u\($0) failed") }
        let report = try Diagnosis.report([rule("FS1001", "fail", more: "per: user")], rows)
        #expect(report.findings.count == 20)
        #expect(report.omitted.map(\.count) == [10])
        #expect(report.counts.first { $0.severity == .error }?.count == 30)
    }

    @Test func `Evidence for a rule is not counted by a rule that it supersedes`() throws {
        let special = try RuleText.rule(
            "FS1001",
            select: "  s: {event_id: fail, message|contains: special}",
            check: "  c: {count: {of: s, gte: 1}}",
            more: "supersedes: [FS1002]"
        )
        let general = try rule("FS1002", "fail")
        let both = try Diagnosis.report(
            [special, general],
            [Row(0, "fail", "High", "special"), Row(1, "fail", "High", "x")]
        )
        #expect(both.findings.map(\.rule.id.text) == ["FS1001", "FS1002"])
        #expect(both.findings.last?.occurrences == 1)
        let one = try Diagnosis.report([special, general], [Row(0, "fail", "High", "special")])
        #expect(one.findings.map(\.rule.id.text) == ["FS1001"])
        #expect(one.passed.map(\.id.text) == ["FS1002"])
    }

    @Test func `If a rule finds nothing, its events are counted by the superseded rule`() throws {
        let special = try RuleText.rule(
            "FS1001",
            select: "  s: {event_id: fail}",
            check: "  c: {count: {of: s, gte: 5}}",
            more: "supersedes: [FS1002]"
        )
        let report = try Diagnosis.report([special, rule("FS1002", "fail")], [Row(0, "fail", "High", "x")])
        #expect(report.findings.map(\.rule.id.text) == ["FS1002"])
    }

    @Test func `Rules that supersede each other are refused`() throws {
        let one = try rule("FS1001", "a", more: "supersedes: [FS1002]")
        let other = try rule("FS1002", "b", more: "supersedes: [FS1001]")
        #expect(throws: RuleError.self) { try RuleSet([one, other]) }
        #expect(throws: RuleError.self) { try RuleSet([one, one]) }
    }

    @Test func `Evidence begins with the first problem of the request`() throws {
        let rows = [
            Row(0, "8xqz", "Unexpected", "the cause", "A"), Row(1, "zzzz", "Unexpected", "another request", "B"),
            Row(2, "fail", "Unexpected", "user ann failed", "A"),
        ]
        let report = try Diagnosis.report([rule("FS1001", "fail", more: "lead: first-abnormal")], rows)
        #expect(report.findings.first?.evidence.map(\.eventID) == ["8xqz", "fail"])
        #expect(report.findings.first?.evidence.first?.role == .lead)
    }

    @Test func `Unexplained kinds are sorted by severity, then from rarest to most frequent`() throws {
        let rows = [
            Row(0, "fail", "Unexpected", "user ann failed"), Row(1, "aaaa", "Unexpected", "Cannot open 'x' (12)"),
            Row(2, "aaaa", "Unexpected", "Cannot open 'y' (345)"), Row(3, "bbbb", "Critical", "Out of memory"),
            Row(4, "cccc", "Monitorable", "Odd"), Row(5, "dddd", "High", "not that bad"),
            Row(6, "7v48", "Unexpected", "noise"),
        ]
        let noise = try rule("FS9101", "7v48", more: "kind: noise")
        let report = try Diagnosis.report([rule("FS1001", "fail"), noise], rows)
        #expect(report.findings.map(\.rule.id.text) == ["FS1001"])
        #expect(report.passed.isEmpty)
        #expect(report.unexplained.map(\.eventID) == ["bbbb", "aaaa", "cccc"])
        #expect(report.unexplained.map(\.count) == [1, 2, 1])
        #expect(report.unexplained[1].template == "Cannot open '…' (#)")
        #expect(report.unexplainedEvents == 4)
    }

    @Test func `A fingerprint does not depend on the events`() throws {
        let one = try Diagnosis.report([rule("FS1001", "fail")], [Row(0, "fail", "High", "user ann failed")])
        let other = try Diagnosis.report([rule("FS1001", "fail")], [Row(9, "fail", "High", "user ben failed", "A")])
        #expect(one.findings.first?.fingerprint == other.findings.first?.fingerprint)
    }

    @Test func `A split message is matched as a whole`() throws {
        let rule = try RuleText.rule(
            select: "  s: {level: Unexpected, message|contains: NullReferenceException}",
            check: "  c: {count: {of: s, gte: 1}}"
        )
        let head = Row(0, "tkau", "Unexpected", "System.NullRefere...", "A")
        let other = Row(0, "zzzz", "Medium", "between", "B")
        var tail = Row(0, "tkau", "Unexpected", "...nceException: Object reference not set", "A")
        tail.seconds = 0
        var text = LogText([head, other, tail]).text
        let mark = text.ranges(of: "03/02/2026 10:00:00.00 ").last
        if let mark { text.replaceSubrange(mark, with: "03/02/2026 10:00:00.00*") }
        let reader = LogReader(text: Array(text.utf8), name: "TEST-20260302-1000.log")
        #expect(try Diagnosis(rules: RuleSet([rule])).report(on: reader).outcome == "found")
    }

    @Test func `Reading a log and replaying its recording produce the same report`() throws {
        let rules = [try rule("FS1001", "fail"), try rule("FS1002", "aaaa", more: "lead: first-abnormal")]
        let rows = (0..<300).map { number in
            Row(
                Double(number),
                ["fail", "aaaa", "bbbb", "xmnv"][number % 4],
                ["High", "Unexpected", "Medium"][number % 3],
                "user u\(number % 7) failed",
                ["A", "B", nil][number % 3]
            )
        }
        let diagnosis = Diagnosis(rules: try RuleSet(rules))
        let read = try diagnosis.report(on: LogText(rows).reader())
        let recorded = diagnosis.report(on: try RecordedLog.record(LogText(rows).reader()))
        #expect(read.findings.map(\.message) == recorded.findings.map(\.message))
        #expect(read.findings.map(\.evidence) == recorded.findings.map(\.evidence))
        #expect(read.unexplained == recorded.unexplained)
    }
}

extension DiagnosisTests {
    @Test func `A contradicted finding does not claim events that other findings could count`() throws {
        let doubtful = try RuleText.rule(
            "FS1001",
            select: "  s: {event_id: fail}",
            check: "  c: {count: {of: s, gte: 1}}",
            verdicts: "  - {id: doubtful, when: c, severity: warning, confidence: possible, message: m}",
            more: "supersedes: [FS1002]"
        )
        let other = try RuleText.rule(
            "FS1002",
            select: "  s: {event_id: fail}",
            check: "  c: {count: {of: s, gte: 1}}"
        )
        let report = try Diagnosis.report([doubtful, other], [Row(0, "fail", "High", "x")])
        #expect(report.findings.map(\.rule.id.text) == ["FS1002", "FS1001"])
    }

    @Test func `A finding counts the events of its cause, but not those of its other symptoms`() throws {
        let rule = try RuleText.rule(
            select: "  s: {event_id: fail}\n  t: {event_id: also}",
            check: "  c: {count: {of: s, gte: 1}}\n  d: {count: {of: t, gte: 1}}",
            verdicts: "  - {id: v, when: c, symptoms: [c, d], severity: error, confidence: likely, message: m}"
        )
        let finding = try #require(
            try Diagnosis.report([rule], [Row(0, "fail", "High", "x"), Row(1, "also", "High", "y")]).findings.first
        )
        #expect(finding.occurrences == 1)
        #expect(finding.symptoms.map(\.count) == [1, 1])
    }
}

/// Rows hidden by a window or a filter are not treated as absent.
struct HiddenRowsTests {
    private static let rows = [
        Row(0, "zzzz"), Row(100, "aaaa", "High", "", "A"), Row(103, "bbbb", "High", "", "A"), Row(1000, "zzzz"),
    ]

    private func report(_ check: String, change: (inout LogReader) throws -> Void) throws -> String {
        let rule = try RuleText.rule(select: "  a: {event_id: aaaa}\n  b: {event_id: bbbb}", check: "  c: \(check)")
        var reader = LogText(Self.rows).reader()
        try change(&reader)
        return try Diagnosis(rules: RuleSet([rule])).report(on: reader).outcome
    }

    private let absence = "{absence: {after: a, expect: b, by: correlation, within: 60s}}"
    private let sequence = "{sequence: {steps: [a, b], by: correlation, within: 60s}}"

    @Test func `A check is not evaluated if the window ends before the expected event`() throws {
        #expect(try report(absence) { _ in } == "passed")
        #expect(try report(absence) { $0.window = try TimeWindow(until: "2026-03-02 10:01:41") } == "not evaluated")
    }

    @Test func `A check is not evaluated if the window begins within a request`() throws {
        #expect(try report(sequence) { $0.window = try TimeWindow(since: "2026-03-02 10:01:41") } == "not evaluated")
    }

    @Test(arguments: ["absence", "sequence", "count"])
    func `A check is not evaluated if a filter hides rows`(kind: String) throws {
        let checks = ["absence": absence, "sequence": sequence, "count": "{count: {of: b, eq: 0}}"]
        #expect(try report(checks[kind] ?? "") { $0.filter.eventIDs = ["aaaa"] } == "not evaluated")
    }

    @Test func `A finding is reported even if a filter hides rows`() throws {
        #expect(try report("{count: {of: a, gte: 1}}") { $0.filter.eventIDs = ["aaaa"] } == "found")
    }

    @Test func `If a filter leaves no rows, no rule passes`() throws {
        #expect(try report("{count: {of: a, gte: 1}}") { $0.filter.servers = ["NOPE"] } == "not evaluated")
    }

    @Test func `While a log is being read, the absence of rows is not yet a finding`() throws {
        func findings(_ check: String) throws -> [Int] {
            let rule = try RuleText.rule(select: "  a: {event_id: aaaa}\n  b: {event_id: bbbb}", check: "  c: \(check)")
            let soFar = FindingsSoFar(isAlwaysWanted: true)
            let reader = LogText(Self.rows.filter { $0.eventID != "bbbb" }).reader()
            let report = try Diagnosis(rules: RuleSet([rule])).report(on: reader, soFar: soFar)
            return [soFar.findings().count, report.findings.count]
        }
        #expect(try findings("{count: {of: a, gte: 1}}") == [1, 1])
        #expect(try findings("{count: {of: b, eq: 0}}") == [0, 1])
        #expect(try findings(absence) == [0, 1])
    }

    @Test func `Setting the clock back does not create a burst`() throws {
        let rule = try RuleText.rule(
            select: "  a: {event_id: aaaa}",
            check: "  c: {count: {of: a, gte: 3, within: 60s}}"
        )
        let rows = [3600.0, 100, 1900].map { Row($0, "aaaa", "High") }
        #expect(try Diagnosis.report([rule], rows).outcome == "passed")
    }
}

/// Rules that are given as texts instead of a folder.
struct RuleTextsTests {
    private func yaml(_ id: String, slug: String = "s") -> String {
        RuleText.yaml(id, select: "  s: {event_id: fail}", check: "  c: {count: {of: s, gte: 1}}")
    }

    @Test func `A rule given as a string can be run`() throws {
        let rules = try RuleSet(yaml: yaml("FS5002"), yaml("FS5001"))
        #expect(rules.rules.map(\.id.text) == ["FS5001", "FS5002"])
        let log = [Row(0, "fail", "High", "it failed")]
        #expect(try Diagnosis.report(rules.rules, log).findings.map(\.rule.id.text).sorted() == ["FS5001", "FS5002"])
    }

    @Test func `An error in a rule's text is reported with its line`() throws {
        #expect(#expect(throws: RuleError.self) { try RuleSet(yaml: "id: [") }?.file == "rule")
        let same = #expect(throws: RuleError.self) { try RuleSet(yaml: yaml("FS5001"), yaml("FS5001")) }
        #expect(same?.message.contains("FS5001") == true)
        // The program's own IDs are already in use.
        #expect(throws: RuleError.self) { try RuleSet(yaml: yaml("FS9001")) }
        #expect(throws: RuleError.self) { try RuleSet(yaml: String(repeating: "#", count: 257 << 10)) }
    }

    @Test func `The list of built-in rule names matches the rules`() throws {
        #expect(try RuleLibrary.builtInIDs.sorted() == RuleLibrary.builtIn().rules.map(\.id))
    }

    @Test func `A rule given as text replaces the built-in one`() throws {
        var library = try RuleLibrary.builtIn()
        let count = library.entries.count
        let id = try #require(library.rules.first?.id)
        try library.add(yaml: yaml(id.text))
        #expect(library.entries.count == count && library[id]?.isBuiltIn == false && library[id]?.tests == nil)
        try library.add(yaml: yaml("FS5001"))
        #expect(library.entries.count == count + 1)
    }
}
