import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

@Suite(.serialized) struct EventContextTests {
    private struct Handed: Equatable {
        var place: Int
        var isHit: Bool
    }

    /// Rows of randomly alternating requests and threads; some of them are hits.
    private static func log(_ random: inout SeededGenerator, rows: Int) -> String {
        (0..<rows).map { _ in
            row(Int.random(in: 0..<6, using: &random) == 0 ? "a hit" : "other") {
                let request = Int.random(in: 0..<5, using: &random)
                $0.thread = "0x000\(Int.random(in: 0..<2, using: &random))"
                $0.process = Bool.random(using: &random) ? "w3wp.exe (0x1790)" : "OWSTIMER.EXE (0x0A18)"
                $0.correlation = request < 3 ? "0000000\(request)-ab9f-0000-0000-0001deadbeef" : ""
            }
        }.joined()
    }

    private static func origin(of event: ModelEvent) -> String {
        guard event[.correlation].isEmpty else { return event[.correlation] }
        return event[.process] + event[.processID] + event[.threadID]
    }

    @Test func `The context of a hit consists of the neighboring events of the same request`() throws {
        try LogTrials.run(60, "context") { seed in
            var random = SeededGenerator(seed: seed)
            let text = Self.log(&random, rows: 60)
            var reader = LogReader(text: Array((nativeHeader + text).utf8), name: "WFE1-20110926-1039.log")
            let all = try reader.readEvents().events
            reader.filter.contains = ["hit"]
            let reach = ContextReach(
                before: Int.random(in: 0...4, using: &random),
                after: Int.random(in: 0...4, using: &random)
            )
            var handed: [Handed] = []
            let report = try reader.forEachEvent(in: .files, around: reach) { event, isHit in
                handed.append(Handed(place: event.place.line, isHit: isHit))
            }
            var expected: [Handed] = []
            for events in Dictionary(grouping: all, by: Self.origin).values {
                let hits = events.indices.filter { events[$0][.message] == "a hit" }
                for index in events.indices
                where hits.contains(where: { ($0 - reach.before...$0 + reach.after).contains(index) }) {
                    expected.append(Handed(place: events[index].line, isHit: hits.contains(index)))
                }
                // Within each request, they are in order.
                let lines = Set(events.map(\.line))
                let own = handed.filter { lines.contains($0.place) }.map(\.place)
                if own != own.sorted() { return "\(reach): \(own)" }
            }
            if handed.sorted(by: { $0.place < $1.place }) != expected.sorted(by: { $0.place < $1.place }) {
                return "\(reach): \(handed), expected \(expected)"
            }
            let hits = handed.filter(\.isHit).map(\.place)
            if hits != hits.sorted() || report?.events != hits.count { return "hits \(hits)" }
            return nil
        }
    }

    private func read(_ text: String, _ reach: ContextReach, limit: Int? = nil) throws -> (String, ReadReport?) {
        var reader = LogReader(text: Array((nativeHeader + text).utf8), name: "WFE1-20110926-1039.log")
        reader.filter.contains = ["hit"]
        reader.filter.level = ULSLevel("High")
        var shown: [String] = []
        let report = try reader.forEachEvent(in: .time, around: reach, limit: limit) { event, isHit in
            shown.append((isHit ? ">" : "") + event.text(.message))
        }
        return (shown.joined(separator: " "), report)
    }

    @Test func `Context can include events of any level, and only hits count toward the limit`() throws {
        let verbose = ["a", "hit-not", "b", "c", "d"]
        let text = ["a", "hit1", "hit-not", "b", "hit2", "c", "d"].map { name in
            row(name) { $0.level = verbose.contains(name) ? "Verbose" : "High" }
        }.joined()
        #expect(try read(text, ContextReach(before: 1, after: 1)).0 == "a >hit1 hit-not b >hit2 c")
        let limited = try read(text, ContextReach(before: 1, after: 1), limit: 1)
        #expect(limited.0 == "a >hit1 hit-not")
        #expect(limited.1 == nil)
        let all = try read(text, ContextReach(), limit: 5)
        #expect(all.0 == ">hit1 >hit2")
        #expect(all.1?.events == 2)
    }

    @Test func `Memory is limited, and discarded events are counted`() throws {
        var context = EventContext(ContextReach(before: 2), maximumBytes: 40_000, maximumGroups: 1000)
        var handed = 0
        for number in 0..<3000 {
            var event = ULSEvent(
                time: LogTime(clock: Int64(number), quality: .local),
                place: ULSEvent.Place(file: "a", line: number, lineEnd: number),
                columns: [.threadID: "\(number)", .message: "m"]
            )
            event.server = "WFE1"
            context.take(event, isHit: false) { _, _ in handed += 1 }
        }
        #expect(handed == 0)
        #expect(context.forgotten > 2800)
        #expect(context.forgotten < 3000)
    }
}
