import LogDiagnosis
import Testing

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

    @Test func stepsInOrderWithOthersBetween() throws {
        let rows = [
            begin("A"), Row(1, "aaaa", "High", "", "A"), Row(2, "zzzz", "High", "", "A"),
            Row(2, "cccc", "High", "", "B"),
            Row(3, "bbbb", "High", "", "A"), Row(4, "cccc", "High", "", "A"), end("A", 5),
        ]
        let finding = try #require(try report(rows).findings.first)
        #expect(finding.occurrences == 1)
        #expect(finding.evidence.map(\.eventID) == ["aaaa", "bbbb", "cccc"])
    }

    @Test func eachRequestCountsOnce() throws {
        let once = [Row(1, "aaaa"), Row(2, "bbbb"), Row(3, "cccc")]
        let rows = "AAB".enumerated().flatMap { number, letter in
            once.map { Row($0.seconds + Double(number * 10), $0.eventID, "High", "", letter) }
        }
        #expect(try report(rows).findings.first?.occurrences == 2)
    }

    @Test func theOrderCounts() throws {
        let rows = [
            begin("A"), Row(1, "aaaa", "High", "", "A"), Row(2, "cccc", "High", "", "A"),
            Row(3, "bbbb", "High", "", "A"),
            end("A", 5),
        ]
        #expect(try report(rows).outcome == "passed")
    }

    @Test func aLaterBeginningTakesOver() throws {
        let rows = [
            begin("A"), Row(1, "aaaa", "High", "", "A"), Row(50, "aaaa", "High", "", "A"),
            Row(70, "bbbb", "High", "", "A"),
            Row(100, "cccc", "High", "", "A"), end("A", 101),
        ]
        #expect(try report(rows).outcome == "found")
    }

    @Test func tooFarApart() throws {
        let rows = [
            begin("A"), Row(1, "aaaa", "High", "", "A"), Row(2, "bbbb", "High", "", "A"),
            Row(62, "cccc", "High", "", "A"),
            end("A", 63),
        ]
        #expect(try report(rows).outcome == "passed")
    }

    @Test func twoRequestsDoNotMakeOne() throws {
        let rows = [
            begin("A"), begin("B"), Row(1, "aaaa", "High", "", "A"), Row(2, "bbbb", "High", "", "B"),
            Row(3, "cccc", "High", "", "A"), end("A", 4), end("B", 4),
        ]
        #expect(try report(rows).outcome == "passed")
    }

    @Test func whatMustNotStandBetween() throws {
        let rows = [
            begin("A"), Row(1, "aaaa", "High", "", "A"), Row(2, "xxxx", "High", "", "A"),
            Row(3, "bbbb", "High", "", "A"),
            Row(4, "cccc", "High", "", "A"), end("A", 5),
        ]
        #expect(try report(rows).outcome == "found")
        #expect(try report(rows, more: ", not_between: x").outcome == "passed")
    }

    @Test func oneEventIsOneStep() throws {
        let rule = try RuleText.rule(
            select: "  a: {event_id: aaaa}\n  b: {level: High}",
            check: "  c: {sequence: {steps: [a, b], by: request}}"
        )
        let one = [begin("A"), Row(1, "aaaa", "High", "", "A"), end("A", 2)]
        #expect(try Diagnosis.report([rule], one).outcome == "passed")
        let two = [begin("A"), Row(1, "aaaa", "High", "", "A"), Row(1, "zzzz", "High", "", "A"), end("A", 2)]
        #expect(try Diagnosis.report([rule], two).outcome == "found")
    }

    @Test func aLogThatBeginsInTheMiddleDecidesNothing() throws {
        let rows = [Row(2, "bbbb", "High", "", "A"), Row(4, "cccc", "High", "", "A"), end("A", 5)]
        #expect(try report(rows).outcome == "not evaluated")
    }

    @Test func aRequestWhoseBeginningWasSeenIsNotCut() throws {
        let rows = [begin("A"), Row(2, "bbbb", "High", "", "A"), Row(4, "cccc", "High", "", "A"), end("A", 5)]
        #expect(try report(rows).outcome == "passed")
    }

    @Test func inTheMiddleOfALogNothingIsCut() throws {
        let rows = [
            Row(0, "zzzz"), Row(100, "bbbb", "High", "", "A"), Row(101, "cccc", "High", "", "A"), Row(300, "zzzz"),
        ]
        #expect(try report(rows).outcome == "passed")
    }

    @Test func aLogThatEndsInTheMiddleDecidesNothing() throws {
        let rows = [begin("A"), Row(1, "aaaa", "High", "", "A"), Row(2, "bbbb", "High", "", "A")]
        #expect(try report(rows).outcome == "not evaluated")
        #expect(try report(rows + [end("A", 3)]).outcome == "passed")
        #expect(try report(rows + [Row(100, "zzzz")]).outcome == "passed")
    }

    @Test func aRequestThatHasOnlyBegunIsNoReasonToDoubt() throws {
        #expect(try report([begin("A"), Row(1, "aaaa", "High", "", "A")]).outcome == "passed")
    }
}
