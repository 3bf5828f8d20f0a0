import LogTestSupport
import Testing
import ULSLog
import YAML

@testable import LogDiagnosis

/// Checks discard state that can no longer affect the result, and report the state that they had to drop.
struct LimitTests {
    private static let start = LogTime(clock: 1_772_445_600_000, quality: .local)

    private static func time(_ seconds: Int64) -> LogTime {
        LogTime(clock: start.clock + seconds * 1000, quality: .local)
    }

    /// Returns an event that matches one of two selectors, in the group with this number.
    private static func event(_ selector: Int, _ group: Int, _ seconds: Int64) throws -> MatchedEvent {
        let row = Row(Double(seconds % 3600), "x", "High", "text", nil)
        let recorded = try RecordedLog.record(LogText([row]).reader())
        var event = try #require(recorded.events.first)
        event.time = time(seconds)
        let key = GroupKey.thread(group)
        return MatchedEvent(
            event: event,
            selectors: 1 << UInt64(selector),
            captures: [],
            groups: EventGroups(correlation: key, request: key, server: .server("")),
            firstAbnormal: nil
        )
    }

    private static func sequence(_ within: String) throws -> SequenceState {
        let rule = try RuleText.rule(
            select: "  a: {event_id: a}\n  b: {event_id: b}\n  d: {event_id: d}",
            check: "  c: {sequence: {steps: [a, b, d], by: request, within: \(within)}}"
        )
        guard case .sequence(let definition)? = rule.checks.entries.first?.value.kind else {
            throw RuleError(file: "", message: "no sequence")
        }
        return SequenceState(definition, steps: [0, 1, 2], breakers: [])
    }

    @Test func `Of the earlier requests, only the failing ones are remembered`() {
        let requests = (0..<100_001).map { CorrelationID(high: 1, low: $0) }
        var ledger = RequestLedger()
        let row = ProblemRow(
            eventID: [],
            rank: 3,
            signs: .errors,
            correlation: requests[0],
            time: Self.start,
            server: nil,
            line: 1
        )
        ledger.take(FirstProblem(row, 7), of: requests[0])
        ledger.take(RequestEdges(requests.map { RequestEdge(kind: .end, correlation: $0, time: Self.start) }))
        #expect(ledger.hasEnded(.correlation(requests[0])))
        #expect(!ledger.hasEnded(.correlation(requests[1])))
        #expect(requests.suffix(50_000).allSatisfy { ledger.hasEnded(.correlation($0)) })
    }

    @Test func `Requests that are remembered keep their users and addresses when others are forgotten`() {
        let requests = (0..<150_000).map { CorrelationID(high: 1, low: $0) }
        var ledger = RequestLedger()
        var count = ClusterCount()
        let message: [UInt8] = []
        for (number, request) in requests.enumerated() {
            let name = "Request (GET:http://portal/\(number % 7)?ID=\(number))"
            let user = "contoso\\user\(number % 5)"
            let edges = [
                RequestEdge(kind: .beginning, correlation: request, time: Self.start, name: name),
                RequestEdge(kind: .identity, correlation: request, time: Self.start, name: user),
                RequestEdge(kind: .end, correlation: request, time: Self.start),
            ]
            ledger.take(RequestEdges(edges))
        }
        for request in requests.suffix(35) {
            let row = ProblemRow(
                eventID: [],
                rank: 3,
                signs: .errors,
                correlation: request,
                time: Self.start,
                server: nil,
                line: 1
            )
            count.add(row, NamesInMessage(address: nil, account: nil), message.span)
        }
        #expect(ledger.users(of: count).names.sorted() == (0..<5).map { "contoso\\user\($0)" })
        #expect(ledger.addresses(of: count).names.sorted() == (0..<7).map { "http://portal/\($0)" })
        #expect(!ledger.addresses(of: count).amount.isAtLeast)
    }

    @Test func `Expired groups make room for others`() throws {
        var state = try Self.sequence("1s")
        var event = try Self.event(0, 0, 0)
        for number in 0..<30_000 {
            event.event.time = Self.time(Int64(number))
            event.groups.request = .thread(number)
            state.take(event)
        }
        #expect(state.reached.isEmpty)
    }

    @Test func `Groups dropped before they had a result make the result unknown`() throws {
        var state = try Self.sequence("24h")
        var (first, second) = (try Self.event(0, 0, 0), try Self.event(1, 0, 1))
        for number in 0..<21_000 {
            first.groups.request = .thread(number)
            second.groups.request = .thread(number)
            state.take(first)
            state.take(second)
        }
        #expect(state.reached[.groups] ?? 0 > 0)
        let extent = LogExtent.soFar
        #expect(state.result(extent, RequestLedger()).truth == .unknown)
    }

    private static func count(_ bound: String) throws -> CountDefinition {
        let rule = try RuleText.rule(
            select: "  s: {event_id: x, capture: \"user {user} failed\"}",
            check: "  c: {count: {of: s, \(bound), distinct: user}}"
        )
        guard case .count(let definition)? = rule.checks.entries.first?.value.kind else {
            throw RuleError(file: "", message: "no count")
        }
        return definition
    }

    private static func take(_ users: Range<Int>, _ state: inout CountState) throws {
        var event = try event(0, 0, 0)
        for number in users {
            event.captures = [Capture(name: "user", value: "u\(number)")]
            event.event.time = time(Int64(number))
            state.take(event)
        }
    }

    @Test func `Distinct values are counted exactly far beyond ten thousand`() throws {
        #expect(DiagnosisLimit.distinctValues.maximum >= 1_000_000)
        var state = CountState(try Self.count("gte: 1"), selector: 0)
        try Self.take(0..<60_000, &state)
        try Self.take(30_000..<40_000, &state)
        let result = state.result(.soFar, RequestLedger())
        #expect(result.count == 60_000)
        #expect(!result.isAtLeast)
        #expect(state.reached.isEmpty)
    }

    @Test func `If there are more values than the limit, the count is a lower bound`() throws {
        var state = CountState(try Self.count("gte: 1"), selector: 0, budget: DistinctBudget(100))
        try Self.take(0..<150, &state)
        // Known values remain known.
        try Self.take(0..<100, &state)
        #expect(state.reached[.distinctValues] == 50)
        let result = state.result(.soFar, RequestLedger())
        #expect(result.truth == .yes)
        #expect(result.count == 100)
        #expect(result.isAtLeast)
        #expect(result.tally.last == Self.time(149))
    }

    @Test func `An upper bound is unknown if values were not counted`() throws {
        var state = CountState(try Self.count("lte: 120"), selector: 0, budget: DistinctBudget(100))
        try Self.take(0..<150, &state)
        #expect(state.result(.soFar, RequestLedger()).truth == .unknown)
    }

    @Test func `A completed group counts once, regardless of the number of groups`() throws {
        let definition = try RuleText.rule(
            select: "  a: {event_id: a}\n  b: {event_id: b}",
            check: "  c: {sequence: {steps: [a, b], by: request, within: 24h}}"
        )
        guard case .sequence(let sequence)? = definition.checks.entries.first?.value.kind else { return }
        var state = SequenceState(sequence, steps: [0, 1], breakers: [])
        var (first, second) = (try Self.event(0, 0, 0), try Self.event(1, 0, 1))
        for _ in 0..<2 {
            for number in 0..<45_000 {
                first.groups.request = .thread(number)
                second.groups.request = .thread(number)
                state.take(first)
                state.take(second)
            }
        }
        let result = state.result(.soFar, RequestLedger())
        #expect(result.count == 45_000)
        #expect(!result.isAtLeast)
    }

    @Test func `A finding marks a count that is a lower bound`() throws {
        let rule = try RuleText.rule(
            select: "  s: {event_id: x}",
            check: "  c: {count: {of: s, distinct: request, gte: 1}, label: \"in {count} request(s)\"}",
            verdicts:
                "  - {id: found, when: c, symptoms: [c], severity: error, confidence: likely, message: \"{count} failed\"}"
        )
        let rows = (0..<9).map { Row(Double($0), "x", "High", "text", Character("\($0)")) }
        let log = try RecordedLog.record(LogText(rows).reader())
        var run = DiagnosisRun(Diagnosis(rules: try RuleSet([rule])), distinctValues: 5)
        for event in log.events { run.take(event) }
        let finding = try #require(run.finish(log.report).findings.first)
        #expect(finding.message == "At least 5 failed")
        #expect(finding.symptoms.map(\.text) == ["in at least 5 requests"])
        #expect(finding.symptoms.map(\.isAtLeast) == [true])
        #expect(finding.occurrences == 5)
        #expect(finding.occurrencesAreAtLeast)
    }
}
