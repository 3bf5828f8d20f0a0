import LogDiagnosis
import LogTestSupport
import Testing

struct CountTests {
    private func report(_ check: String, _ rows: [Row]?) throws -> DiagnosisReport {
        let rule = try RuleText.rule(
            select: "  s: {event_id: fail, capture: \"user {user} has\"}",
            check: "  c: {count: {of: s, \(check)}}"
        )
        return try Diagnosis.report([rule], rows)
    }

    private func fail(_ seconds: Double, _ correlation: Character? = nil, user: String = "x") -> Row {
        Row(seconds, "fail", "High", "user \(user) has failed", correlation)
    }

    @Test func `A count is compared with its bound`() throws {
        #expect(try report("gte: 2", [fail(0), fail(1)]).outcome == "found")
        #expect(try report("gte: 3", [fail(0), fail(1)]).outcome == "passed")
    }

    @Test func `Without a window, all events count`() throws {
        let report = try report("gte: 2", (0..<7).map { fail(Double($0)) })
        #expect(report.findings.first?.occurrences == 7)
        #expect(report.findings.first?.evidence.count == 5)
    }

    @Test func `Only events within one window count together`() throws {
        #expect(try report("gte: 3, within: 10s", [fail(0), fail(8), fail(16), fail(24)]).outcome == "passed")
        #expect(try report("gte: 3, within: 10s", [fail(0), fail(8), fail(16), fail(17)]).outcome == "found")
    }

    @Test func `A count of one ignores the window`() throws {
        let report = try report("gte: 1, within: 10s", [fail(0), fail(60), fail(120)])
        #expect(report.findings.first?.occurrences == 3)
    }

    @Test func `Each group is counted separately`() throws {
        #expect(try report("gte: 2, by: correlation", [fail(0, "A"), fail(1, "B"), fail(2)]).outcome == "passed")
        #expect(try report("gte: 2, by: correlation", [fail(0, "A"), fail(1, "B"), fail(2, "A")]).outcome == "found")
    }

    @Test func `Rows without a correlation are separate groups, but can form one request`() throws {
        #expect(try report("gte: 2, by: correlation", [fail(0), fail(1)]).outcome == "passed")
        #expect(try report("gte: 2, by: request", [fail(0), fail(1)]).outcome == "found")
        #expect(try report("gte: 2, by: request", [fail(0), fail(61)]).outcome == "passed")
    }

    @Test func `Each distinct value counts once`() throws {
        let rows = [fail(0, "A", user: "ann"), fail(1, "A", user: "ann"), fail(2, "B", user: "ben")]
        #expect(try report("gte: 2, distinct: user", rows).findings.first?.occurrences == 2)
        #expect(try report("gte: 3, distinct: user", rows).outcome == "passed")
        #expect(try report("gte: 2, distinct: correlation", rows).findings.first?.occurrences == 2)
    }

    @Test func `A count can have an upper or an exact bound`() throws {
        #expect(try report("eq: 0", [Row(0, "else")]).outcome == "found")
        #expect(try report("eq: 0", [fail(0)]).outcome == "passed")
        #expect(try report("lte: 1", [fail(0)]).outcome == "found")
        #expect(try report("lte: 1", [fail(0), fail(1)]).outcome == "passed")
    }

    @Test func `Without logs, a count is not evaluated`() throws {
        #expect(try report("gte: 1", nil).outcome == "not evaluated")
        #expect(try report("eq: 0", nil).outcome == "not evaluated")
    }
}

struct SequenceTests {
    private func report(_ rows: [Row], steps: String = "[a, b, c]", more: String = "") throws -> DiagnosisReport {
        let rule = try RuleText.rule(
            select: """
                  a: {event_id: aaaa}
                  b: {event_id: bbbb}
                  c: {event_id: cccc}
                  x: {event_id: xxxx}
                """,
            check: "  c: {sequence: {steps: \(steps), by: request, within: 60s\(more)}}"
        )
        return try Diagnosis.report([rule], rows)
    }

    private func begin(_ correlation: Character, _ seconds: Double = 0) -> Row {
        Row(seconds, "xmnv", "Medium", "Name=Request (POST:http://w/)", correlation)
    }

    private func end(_ correlation: Character, _ seconds: Double) -> Row {
        Row(
            seconds,
            "b4ly",
            "Medium",
            "Leaving Monitored Scope (Request (POST:http://w/)). Execution Time=41",
            correlation
        )
    }

    @Test func `Other events can occur between the steps`() throws {
        let rows = [
            begin("A"), Row(1, "aaaa", "High", "", "A"), Row(2, "zzzz", "High", "", "A"),
            Row(2, "cccc", "High", "", "B"),
            Row(3, "bbbb", "High", "", "A"), Row(4, "cccc", "High", "", "A"), end("A", 5),
        ]
        let finding = try #require(try report(rows).findings.first)
        #expect(finding.occurrences == 1)
        #expect(finding.evidence.map(\.eventID) == ["aaaa", "bbbb", "cccc"])
    }

    @Test func `A sequence is counted once for each request`() throws {
        let once = [Row(1, "aaaa"), Row(2, "bbbb"), Row(3, "cccc")]
        let rows = "AAB".enumerated().flatMap { number, letter in
            once.map { Row($0.seconds + Double(number * 10), $0.eventID, "High", "", letter) }
        }
        #expect(try report(rows).findings.first?.occurrences == 2)
    }

    @Test func `The steps must occur in order`() throws {
        let rows = [
            begin("A"), Row(1, "aaaa", "High", "", "A"), Row(2, "cccc", "High", "", "A"),
            Row(3, "bbbb", "High", "", "A"),
            end("A", 5),
        ]
        #expect(try report(rows).outcome == "passed")
    }

    @Test func `A later first step replaces an earlier one`() throws {
        let rows = [
            begin("A"), Row(1, "aaaa", "High", "", "A"), Row(50, "aaaa", "High", "", "A"),
            Row(70, "bbbb", "High", "", "A"),
            Row(100, "cccc", "High", "", "A"), end("A", 101),
        ]
        #expect(try report(rows).outcome == "found")
    }

    @Test func `Steps that are too far apart do not count`() throws {
        let rows = [
            begin("A"), Row(1, "aaaa", "High", "", "A"), Row(2, "bbbb", "High", "", "A"),
            Row(62, "cccc", "High", "", "A"),
            end("A", 63),
        ]
        #expect(try report(rows).outcome == "passed")
    }

    @Test func `Steps of two requests do not count as one sequence`() throws {
        let rows = [
            begin("A"), begin("B"), Row(1, "aaaa", "High", "", "A"), Row(2, "bbbb", "High", "", "B"),
            Row(3, "cccc", "High", "", "A"), end("A", 4), end("B", 4),
        ]
        #expect(try report(rows).outcome == "passed")
    }

    @Test func `A forbidden event between the steps breaks the sequence`() throws {
        let rows = [
            begin("A"), Row(1, "aaaa", "High", "", "A"), Row(2, "xxxx", "High", "", "A"),
            Row(3, "bbbb", "High", "", "A"),
            Row(4, "cccc", "High", "", "A"), end("A", 5),
        ]
        #expect(try report(rows).outcome == "found")
        #expect(try report(rows, more: ", not_between: x").outcome == "passed")
    }

    @Test func `One event counts as only one step`() throws {
        let rule = try RuleText.rule(
            select: "  a: {event_id: aaaa}\n  b: {level: High}",
            check: "  c: {sequence: {steps: [a, b], by: request}}"
        )
        let one = [begin("A"), Row(1, "aaaa", "High", "", "A"), end("A", 2)]
        #expect(try Diagnosis.report([rule], one).outcome == "passed")
        let two = [begin("A"), Row(1, "aaaa", "High", "", "A"), Row(1, "zzzz", "High", "", "A"), end("A", 2)]
        #expect(try Diagnosis.report([rule], two).outcome == "found")
    }

    @Test func `If the log begins in the middle of a request, the check is not evaluated`() throws {
        let rows = [Row(2, "bbbb", "High", "", "A"), Row(4, "cccc", "High", "", "A"), end("A", 5)]
        #expect(try report(rows).outcome == "not evaluated")
    }

    @Test func `A request whose beginning is in the log is complete`() throws {
        let rows = [begin("A"), Row(2, "bbbb", "High", "", "A"), Row(4, "cccc", "High", "", "A"), end("A", 5)]
        #expect(try report(rows).outcome == "passed")
    }

    @Test func `A request well inside the log counts as complete`() throws {
        let rows = [
            Row(0, "zzzz"), Row(100, "bbbb", "High", "", "A"), Row(101, "cccc", "High", "", "A"), Row(300, "zzzz"),
        ]
        #expect(try report(rows).outcome == "passed")
    }

    @Test func `If the log ends in the middle of a request, the check is not evaluated`() throws {
        let rows = [begin("A"), Row(1, "aaaa", "High", "", "A"), Row(2, "bbbb", "High", "", "A")]
        #expect(try report(rows).outcome == "not evaluated")
        #expect(try report(rows + [end("A", 3)]).outcome == "passed")
        #expect(try report(rows + [Row(100, "zzzz")]).outcome == "passed")
    }

    @Test func `A request that has only reached its first step does not make the result uncertain`() throws {
        #expect(try report([begin("A"), Row(1, "aaaa", "High", "", "A")]).outcome == "passed")
    }
}

struct AbsenceTests {
    private func report(_ rows: [Row]) throws -> DiagnosisReport {
        let rule = try RuleText.rule(
            select: "  began: {event_id: aaaa}\n  ended: {event_id: bbbb}",
            check: "  c: {absence: {after: began, expect: ended, by: request, within: 60s}}"
        )
        return try Diagnosis.report([rule], rows)
    }

    @Test func `The check passes if the expected event occurs in time`() throws {
        #expect(
            try report([Row(0, "aaaa", "High", "", "A"), Row(50, "bbbb", "High", "", "A"), Row(200, "z")]).outcome
                == "passed"
        )
    }

    @Test func `The check reports an expected event that does not occur`() throws {
        let report = try report([Row(0, "aaaa", "High", "", "A"), Row(10, "bbbb", "High", "", "B"), Row(200, "z")])
        #expect(report.outcome == "found")
        #expect(report.findings.first?.evidence.map(\.eventID) == ["aaaa"])
    }

    @Test func `The check reports an expected event that occurs too late`() throws {
        #expect(
            try report([Row(0, "aaaa", "High", "", "A"), Row(61, "bbbb", "High", "", "A"), Row(200, "z")]).outcome
                == "found"
        )
    }

    @Test func `The check is not evaluated if the expected event could still occur after the log ends`() throws {
        #expect(try report([Row(0, "aaaa", "High", "", "A"), Row(30, "z")]).outcome == "not evaluated")
    }
}
