import Testing
import ULSLog
import YAML

@testable import LogDiagnosis

/// Checks forget what cannot matter any more, and say what they had to give up.
struct LimitTests {
    private static let start = LogTime(clock: 1_772_445_600_000, quality: .local)

    private static func time(_ seconds: Int64) -> LogTime {
        LogTime(clock: start.clock + seconds * 1000, quality: .local)
    }

    /// An event of one of two selectors in a group of its own number.
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

    @Test func `Groups whose time is over make room for others`() throws {
        var state = try Self.sequence("1s")
        var event = try Self.event(0, 0, 0)
        for number in 0..<30_000 {
            event.event.time = Self.time(Int64(number))
            event.groups.request = .thread(number)
            state.take(event)
        }
        #expect(state.reached.isEmpty)
    }

    @Test func `Groups that may still come to something are given up and that is said`() throws {
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
        #expect(state.result(extent, RequestEdges(within: 0)).truth == .unknown)
    }

    @Test func `Values beyond the limit are counted as that`() throws {
        let rule = try RuleText.rule(
            select: "  s: {event_id: x, capture: \"user {user} failed\"}",
            check: "  c: {count: {of: s, gte: 10000, distinct: user}}"
        )
        guard case .count(let definition)? = rule.checks.entries.first?.value.kind else { return }
        var state = CountState(definition, selector: 0)
        var event = try Self.event(0, 0, 0)
        for number in 0..<10_500 {
            event.captures = [Capture(name: "user", value: "u\(number)")]
            state.take(event)
        }
        #expect(state.reached[.distinctValues] == 500)
        #expect(state.result(.soFar, RequestEdges(within: 0)).truth == .yes)
    }
}
