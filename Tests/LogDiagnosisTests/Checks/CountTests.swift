import LogDiagnosis
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

    @Test func reachesItsBoundOrNot() throws {
        #expect(try report("gte: 2", [fail(0), fail(1)]).outcome == "found")
        #expect(try report("gte: 3", [fail(0), fail(1)]).outcome == "passed")
    }

    @Test func allEventsCountThatCame() throws {
        let report = try report("gte: 2", (0..<7).map { fail(Double($0)) })
        #expect(report.findings.first?.occurrences == 7)
        #expect(report.findings.first?.evidence.count == 5)
    }

    @Test func onlyEventsInAWindowCount() throws {
        #expect(try report("gte: 3, within: 10s", [fail(0), fail(8), fail(16), fail(24)]).outcome == "passed")
        #expect(try report("gte: 3, within: 10s", [fail(0), fail(8), fail(16), fail(17)]).outcome == "found")
    }

    @Test func oneEventNeedsNoWindow() throws {
        let report = try report("gte: 1, within: 10s", [fail(0), fail(60), fail(120)])
        #expect(report.findings.first?.occurrences == 3)
    }

    @Test func eachGroupCountsByItself() throws {
        #expect(try report("gte: 2, by: correlation", [fail(0, "A"), fail(1, "B"), fail(2)]).outcome == "passed")
        #expect(try report("gte: 2, by: correlation", [fail(0, "A"), fail(1, "B"), fail(2, "A")]).outcome == "found")
    }

    @Test func rowsWithoutACorrelationAreAGroupEachButMayBeOneRequest() throws {
        #expect(try report("gte: 2, by: correlation", [fail(0), fail(1)]).outcome == "passed")
        #expect(try report("gte: 2, by: request", [fail(0), fail(1)]).outcome == "found")
        #expect(try report("gte: 2, by: request", [fail(0), fail(61)]).outcome == "passed")
    }

    @Test func differentValuesCountOnce() throws {
        let rows = [fail(0, "A", user: "ann"), fail(1, "A", user: "ann"), fail(2, "B", user: "ben")]
        #expect(try report("gte: 2, distinct: user", rows).findings.first?.occurrences == 2)
        #expect(try report("gte: 3, distinct: user", rows).outcome == "passed")
        #expect(try report("gte: 2, distinct: correlation", rows).findings.first?.occurrences == 2)
    }

    @Test func boundsFromAbove() throws {
        #expect(try report("eq: 0", [Row(0, "else")]).outcome == "found")
        #expect(try report("eq: 0", [fail(0)]).outcome == "passed")
        #expect(try report("lte: 1", [fail(0)]).outcome == "found")
        #expect(try report("lte: 1", [fail(0), fail(1)]).outcome == "passed")
    }

    @Test func withoutLogsNothingIsKnown() throws {
        #expect(try report("gte: 1", nil).outcome == "not evaluated")
        #expect(try report("eq: 0", nil).outcome == "not evaluated")
    }
}
