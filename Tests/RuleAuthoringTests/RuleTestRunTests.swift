import LogTestSupport
import RuleAuthoring
import Testing
import ULSLog
import YAML

@testable import LogDiagnosis

struct RuleTestRunTests {
    /// A rule about two events of one request, with a capture.
    static let rule = RuleText.yaml(
        select: """
              begun: {event_id: ab12, message|contains: begin, capture: "begin {what}."}
              failed: {event_id: [cd34, cd35], level: Unexpected}
            """,
        check: """
              both: {sequence: {steps: [begun, failed], by: correlation, within: 60s}, label: "{count} of {what}"}
              on: {config: {element: system.web/trace, where: {enabled: {bool: true, default: false}}}}
            """,
        verdicts: """
              - {id: sure, when: {all: [both, on]}, symptoms: [both], severity: error, confidence: certain, message: "{what} at {on.at}"}
              - {id: maybe, when: both, symptoms: [both], severity: warning, confidence: likely, message: "{what}"}
            """,
        more: "needs: {uls: required, web_config: optional}"
    )

    static func run(_ tests: String, rule: String = rule, others: [Rule] = []) throws -> RuleTestRun {
        let head = "schema: fastctl.rule-tests/1\nrule: FS1999\ntests:\n"
        let file = try RuleTestFile(yaml: head + tests, file: "FS1999.tests.yaml")
        return try RuleTestRun(try Rule(yaml: rule, file: "FS1999.yaml"), file, others: others)
    }

    /// Both events in one request.
    static let rows = """
          uls:
            - {id: ab12, corr: A, msg: begin the list., split: 5}
            - {id: cd34, level: Unexpected, corr: A, msg: failed}

        """

    private static func differences(_ expect: String, rows: String = rows) throws -> [String] {
        let results = try run("- name: n\n" + rows + "  expect: " + expect).results()
        #expect(results.map(\.passed) == results.map(\.differences.isEmpty))
        return results.flatMap(\.differences)
    }

    @Test func `A test passes if the finding matches the expectation`() throws {
        let expect = """
            [{verdict: maybe, severity: warning, confidence: likely, symptoms: {both: 1}, captures: {what: the list},
                undecided: [sure], count: 1, message: the list, rule: FS1999}]
            """
        #expect(try Self.differences(expect) == [])
    }

    @Test func `Omitted properties are not compared`() throws { #expect(try Self.differences("[{}]") == []) }

    @Test(arguments: [
        ("{verdict: sure}", "verdict: expected sure, found maybe"),
        ("{severity: error}", "severity: expected error, found warning"),
        ("{confidence: certain}", "confidence: expected certain, found likely"),
        ("{symptoms: {both: 2}}", "symptoms: expected both 2, found both 1"),
        ("{symptoms: {}}", "symptoms: expected none, found both 1"),
        ("{captures: {what: it, who: me}}", "capture what: expected it, found the list"),
        ("{undecided: []}", "undecided: expected none, found sure"),
        ("{count: 0}", "count: expected 0, found 1"),
        ("{message: other}", "message: expected other, found the list"),
        ("{lead: ab12}", "lead: expected ab12, found none"),
        ("{rule: FS1998}", "rule: expected FS1998, found FS1999"),
    ])
    func `Each difference is reported in one line`(expect: String, line: String) throws {
        let differences = try Self.differences("[\(expect)]")
        #expect(differences.first == line)
    }

    @Test func `The list of expected findings must be complete`() throws {
        #expect(try Self.differences("[]") == ["expected no finding, found FS1999 maybe"])
        let two = try Self.differences("[{verdict: sure}, {verdict: maybe}]")
        #expect(two == ["expected FS1999 sure, FS1999 maybe, found FS1999 maybe"])
    }

    @Test func `A result of not evaluated differs from findings and from passed`() throws {
        let found = try Self.differences("not_evaluated")
        #expect(found == ["expected not evaluated, found FS1999 maybe"])
        let passed = try Self.differences("not_evaluated", rows: "  uls: [{id: zzz1, msg: x}]\n")
        #expect(passed == ["expected not evaluated, found passed"])
        #expect(try Self.differences("not_evaluated", rows: "  web_config: <configuration/>\n") == [])
        let silent = try Self.differences("[]", rows: "  web_config: <configuration/>\n")
        #expect(silent == ["expected passed, found not evaluated: no logs were given"])
    }

    @Test func `A test can provide configuration files, including ones that are refused`() throws {
        let on = "'<configuration><system.web><trace enabled=\"true\"/></system.web></configuration>'"
        let given = Self.rows + "  web_config: [{server: TEST, zone: Default, xml: \(on)}, \(on)]\n"
        let message = "the list at TEST/Default/web.config:1, web.config:1"
        #expect(try Self.differences("[{verdict: sure, message: '\(message)'}]", rows: given) == [])
        let refused = Self.rows + "  web_config: '<!DOCTYPE x><configuration/>'\n"
        #expect(try Self.differences("[{verdict: maybe, undecided: [sure]}]", rows: refused) == [])
    }

    @Test func `A test marked as a known gap must fail`() throws {
        let gap = "  known_gap: true\n  expect: "
        let results = try Self.run("- name: n\n" + Self.rows + gap + "[]").results()
        #expect(results.map(\.passed) == [true])
        let promoted = try Self.run("- name: n\n" + Self.rows + gap + "[{verdict: maybe}]").results()
        #expect(promoted.map(\.passed) == [false])
        #expect(promoted.first?.differences == ["this known gap now passes: remove known_gap"])
    }

    @Test func `Other rules also run if the test names them`() throws {
        let other = try RuleText.rule(
            "FS1998",
            select: "  s: {event_id: cd34}",
            check: "  c: {count: {of: s, gte: 1}}"
        )
        let tests =
            "- name: n\n  with: FS1998\n" + Self.rows + "  expect: [{rule: FS1998, verdict: found}, {verdict: maybe}]"
        #expect(try Self.run(tests, others: [other]).results().map(\.differences) == [[]])
        #expect(throws: RuleError.self) { try Self.run(tests) }
    }

    @Test func `Tests of another rule are refused`() throws {
        let file = try RuleTestFile(
            yaml: "schema: fastctl.rule-tests/1\nrule: FS1998\ntests: [{name: n, expect: []}]",
            file: "t"
        )
        let rule = try Rule(yaml: Self.rule, file: "r")
        #expect(throws: RuleError(file: "t", message: "these tests are for FS1998, not for FS1999")) {
            try RuleTestRun(rule, file)
        }
    }
}

/// The logs that tests describe, as the reader returns them.
struct TestLogTests {
    private static func log(_ rows: String) throws -> TestLog {
        let head = "schema: fastctl.rule-tests/1\nrule: FS0101\ntests:\n- {name: n, expect: [], uls: ["
        return try #require(try RuleTestFile(yaml: head + rows + "]}", file: "t").tests.first?.log)
    }

    private static func events(_ log: TestLog) throws -> [ULSEvent] {
        var events: [ULSEvent] = []
        _ = try log.reader.forEachEvent(in: .files) { events.append(copy $0) }
        return events
    }

    @Test func `A row described in a test is read back unchanged`() throws {
        let events = try Self.events(
            try Self.log(
                "{t: '2025-11-30 09:08:07.06', id: 8e26, level: VerboseEx, area: Area, category: Some Category, corr: A, "
                    + "msg: the message, process: OWSTIMER.EXE, pid: \"0x2\", thread: \"0x3\", server: WFE1}"
            )
        )
        let event = try #require(events.first)
        #expect(events.count == 1 && event.time.iso8601 == "2025-11-30T09:08:07.06" && event.server == "WFE1")
        let columns = ULSEvent.Column.allCases.map { event.text($0) }
        #expect(
            columns == [
                "OWSTIMER.EXE", "0x2", "0x3", "Area", "Some Category", "8e26", "VerboseEx", "the message",
                TestCorrelation.guid("A"),
            ]
        )
    }

    @Test func `Rows without a server belong to the file's server`() throws {
        let events = try Self.events(try Self.log("{msg: a}, {msg: b}"))
        #expect(events.map(\.server) == ["TEST", "TEST"])
        #expect(events.map { $0.text(.correlation) } == ["", ""])
    }

    @Test(arguments: [1, 7, 60, 689])
    func `The parts of a split message are joined again`(split: Int) throws {
        let message = String(repeating: "at Microsoft.Contoso.Run() ends... ", count: 20) + "Microsoft."
        let log = try Self.log("{id: b9y3, corr: A, msg: '\(message)', split: \(split)}, {id: next, msg: behind}")
        let events = try Self.events(log).filter { $0.text(.eventID) != "zzzz" }
        #expect(events.map { $0.text(.message) } == [message, "behind"])
        #expect(events.first?.parts == (message.count + split - 1) / split)
    }

    @Test func `A message is split the way the logging service splits it`() throws {
        let long = try Self.log("{id: b9y3, msg: '\(String(repeating: "x", count: 801))'}")
        #expect(try Self.events(long).first?.parts == 2)
        let short = try Self.log("{id: b9y3, msg: '\(String(repeating: "x", count: 800))'}")
        #expect(try Self.events(short).first?.parts == 1)
    }

    @Test func `A correlation ID depends only on the word in the test`() {
        #expect(TestCorrelation.guid("A") == TestCorrelation.guid("A"))
        #expect(TestCorrelation.guid("A") != TestCorrelation.guid("B"))
        let own = "d5512f59-0000-4000-8000-00155d0a0640"
        #expect(TestCorrelation.guid(own) == own)
    }

    @Test func `A paste is used unchanged`() throws {
        let log = TestLog.paste("8e26 High Failed to look up something\n")
        #expect(log.text == "8e26 High Failed to look up something\n")
        #expect(try Self.events(log).map(\.server) == [nil])
    }
}
