import LogDiagnosis
import Testing
import ULSLog

/// What a window or a filter hides is not taken for what is not there.
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

    @Test func aWindowThatEndsBeforeWhatIsExpectedDecidesNothing() throws {
        #expect(try report(absence) { _ in } == "passed")
        #expect(try report(absence) { $0.window = try TimeWindow(until: "2026-03-02 10:01:41") } == "not evaluated")
    }

    @Test func aWindowThatBeginsInARequestDecidesNothing() throws {
        #expect(try report(sequence) { $0.window = try TimeWindow(since: "2026-03-02 10:01:41") } == "not evaluated")
    }

    @Test(arguments: ["absence", "sequence", "count"])
    func aFilterThatHidesRowsDecidesNothing(kind: String) throws {
        let checks = ["absence": absence, "sequence": sequence, "count": "{count: {of: b, eq: 0}}"]
        #expect(try report(checks[kind] ?? "") { $0.filter.eventIDs = ["aaaa"] } == "not evaluated")
    }

    @Test func whatIsFoundAllTheSameIsFound() throws {
        #expect(try report("{count: {of: a, gte: 1}}") { $0.filter.eventIDs = ["aaaa"] } == "found")
    }

    @Test func aFilterThatLeavesNothingPassesNothing() throws {
        #expect(try report("{count: {of: a, gte: 1}}") { $0.filter.servers = ["NOPE"] } == "not evaluated")
    }

    @Test func aClockThatIsSetBackMakesNoBurst() throws {
        let rule = try RuleText.rule(
            select: "  a: {event_id: aaaa}",
            check: "  c: {count: {of: a, gte: 3, within: 60s}}"
        )
        let rows = [3600.0, 100, 1900].map { Row($0, "aaaa", "High") }
        #expect(try Diagnosis.report([rule], rows).outcome == "passed")
    }
}
