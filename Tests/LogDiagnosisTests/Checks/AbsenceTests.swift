import LogDiagnosis
import Testing

struct AbsenceTests {
    private func report(_ rows: [Row]) throws -> DiagnosisReport {
        let rule = try RuleText.rule(
            select: "  began: {event_id: aaaa}\n  ended: {event_id: bbbb}",
            check: "  c: {absence: {after: began, expect: ended, by: request, within: 60s}}"
        )
        return try Diagnosis.report([rule], rows)
    }

    @Test func whatIsExpectedComes() throws {
        #expect(
            try report([Row(0, "aaaa", "High", "", "A"), Row(50, "bbbb", "High", "", "A"), Row(200, "z")]).outcome
                == "passed"
        )
    }

    @Test func itDoesNotCome() throws {
        let report = try report([Row(0, "aaaa", "High", "", "A"), Row(10, "bbbb", "High", "", "B"), Row(200, "z")])
        #expect(report.outcome == "found")
        #expect(report.findings.first?.evidence.map(\.eventID) == ["aaaa"])
    }

    @Test func itComesTooLate() throws {
        #expect(
            try report([Row(0, "aaaa", "High", "", "A"), Row(61, "bbbb", "High", "", "A"), Row(200, "z")]).outcome
                == "found"
        )
    }

    @Test func itMayStillComeBehindTheEndOfTheLog() throws {
        #expect(try report([Row(0, "aaaa", "High", "", "A"), Row(30, "z")]).outcome == "not evaluated")
    }
}
