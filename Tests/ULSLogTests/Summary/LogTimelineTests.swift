import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

/// A chart counts every row once, regardless of how the rows arrive.
struct LogTimelineTests {
    private func time(_ seconds: Int64) -> PackedTime {
        PackedTime(clock: 1_710_151_380_000 + seconds * 1000, offset: 0, quality: .local)
    }

    @Test func `A timeline's steps range from seconds for a short log to days for a long one`() {
        for (seconds, step): (Int64, Int64) in [
            (60, 1), (400, 5), (1200, 15), (5400, 60), (86_400, 1800), (30 * 86_400, 43_200), (90 * 86_400, 86_400),
        ] {
            var builder = TimelineBuilder()
            for place in 0..<seconds / 10 { builder.add(time(place * 10), rank: 6, server: "A") }
            let timeline = builder.timeline()
            #expect(timeline.step == step * 1000, "\(seconds)")
            #expect(timeline.lanes.map(\.total.total) == [Int(seconds / 10)])
            #expect(timeline.lanes[0].steps.count <= LogTimeline.maximumSteps)
            #expect(timeline.start.instant % timeline.step == 0)
        }
    }

    @Test func `The parts of a timeline can be added in any order`() {
        var state: UInt64 = 7
        func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return (state >> 33) % bound
        }
        let rows = (0..<20_000).map { _ in
            (time(Int64(next(4_000_000))), UInt8(1 + next(9)), ["A", "B", nil][Int(next(3))])
        }
        var whole = TimelineBuilder()
        for row in rows { whole.add(row.0, rank: row.1, server: row.2) }
        var parts = (0..<7).map { _ in TimelineBuilder() }
        for (number, row) in rows.enumerated() { parts[number % 7].add(row.0, rank: row.1, server: row.2) }
        var forward = TimelineBuilder()
        for part in parts { forward.add(part) }
        var backward = TimelineBuilder()
        for part in parts.reversed() { backward.add(part) }
        let timeline = whole.timeline()
        #expect(forward.timeline() == timeline)
        #expect(backward.timeline() == timeline)
        #expect(timeline.lanes.reduce(0) { $0 + $1.total.total } == rows.count)
        for rank in LevelCounts.ranks {
            #expect(timeline.lanes.reduce(0) { $0 + $1.total[rank] } == rows.count { $0.1 == UInt8(rank) })
        }
    }

    @Test func `Servers beyond the limit are counted together`() {
        var builder = TimelineBuilder()
        for number in 0..<200 { builder.add(time(Int64(number)), rank: 2, server: "S\(number)") }
        let timeline = builder.timeline()
        #expect(timeline.hasFoldedServers)
        #expect(timeline.lanes.count <= 65)
        #expect(timeline.lanes.reduce(0) { $0 + $1.total.count(of: 1...3) } == 200)
    }

    @Test(arguments: [1, 3]) func `A summary's timeline counts each split message only once`(jobs: Int) throws {
        let folder = try TemporaryFolder()
        let long = String(repeating: "x", count: 800)
        for server in ["WFE1", "WFE2"] {
            var text = PaddedText.header
            for second in 0..<60 {
                text += PaddedText.row(second: second, level: second % 10 == 3 ? "Unexpected" : "Medium")
            }
            text += PaddedText.row(minute: "06/07/2024 08:01", message: long + "...")
            text += PaddedText.row(minute: "06/07/2024 08:01", message: "..." + long)
            try text.write(toFile: folder.path("\(server)-20240607-0800.log"), atomically: true, encoding: .utf8)
        }
        var reader = LogReader(inputs: [folder.path("")])
        reader.jobs = jobs
        #expect(try reader.summary().timeline == LogTimeline())
        reader.countsLevelsOverTime = true
        let summary = try reader.summary()
        #expect(summary.timeline.lanes.map(\.server) == ["WFE1", "WFE2"])
        #expect(summary.timeline.lanes.reduce(0) { $0 + $1.total.total } == summary.events)
        #expect(summary.timeline.lanes.map { $0.total[2] } == [6, 6])
        #expect(summary.timeline.lanes.map { $0.total[6] } == [55, 55])
        #expect(summary.timeline.start.iso8601 == "2024-06-07T08:00:00.00")
    }
}
