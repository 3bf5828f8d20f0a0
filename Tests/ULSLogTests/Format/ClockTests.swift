import Testing

@testable import ULSLog

@Suite struct ClockTests {
    private static func summary(
        _ times: [String],
        gap: Int64 = 300_000
    ) throws -> LogSummary {
        try ReadLog(times.map { time in row { $0.time = "09/26/2011 \(time)" } }.joined()) { $0.gapMinimum = gap }
            .summary
    }

    @Test(arguments: [("10:00:02.00", 0), ("10:00:01.99", 1), ("09:00:00.00", 1)])
    func `a clock that is set back by more than two seconds has stepped`(second: String, steps: Int) throws {
        #expect(try Self.summary(["10:00:04.00", second]).quality.clockSteps == steps)
    }

    @Test func `a step counts once, however many rows follow it`() throws {
        let times = ["10:00:00.00", "10:30:00.00", "09:30:00.00", "09:30:01.00", "09:45:00.00", "10:30:01.00"]
        #expect(try Self.summary(times, gap: .max).quality.clockSteps == 1)
    }

    @Test func `steps add up over files of a server, and are each server's own`() throws {
        let folder = try SourceFolder()
        func rows(_ times: String...) -> String {
            times.map { time in row { $0.time = "09/26/2011 \(time)" } }.joined()
        }
        let log = try ReadLog([
            folder.write("WFE1-20110926-1030.log", rows("10:30:00.00", "10:31:00.00")),
            folder.write("WFE2-20110926-1030.log", rows("10:30:05.00", "10:30:06.00")),
            folder.write("WFE1-20110926-1100.log", rows("10:00:00.00", "10:01:00.00")),
        ])
        #expect(log.summary.quality.clockSteps == 1)
    }

    @Test func `silence of five minutes is a gap`() throws {
        let summary = try Self.summary(["10:00:00.00", "10:04:59.99", "10:09:59.99", "10:10:00.00"])
        #expect(summary.gaps.map(\.from.iso8601) == ["2011-09-26T10:04:59.99"])
        #expect(summary.gaps.map(\.until.iso8601) == ["2011-09-26T10:09:59.99"])
    }

    @Test(arguments: [(1000, 2), (60_000, 1), (60_001, 0)]) func `how long silence is a gap can be said`(
        minimum: Int64,
        count: Int
    ) throws {
        #expect(try Self.summary(["10:00:00.00", "10:00:01.00", "10:01:01.00"], gap: minimum).gaps.count == count)
    }

    @Test func `a filter makes no gaps, and hides none`() throws {
        let text = [("10:00", "x"), ("10:04", "y"), ("10:08", "x"), ("10:20", "y"), ("10:24", "x")].map {
            time,
            message in
            row(message) { ($0.time, $0.eventID) = ("09/26/2011 \(time):00.00", message) }
        }
        .joined()
        for summary in [
            try ReadLog(text) { $0.filter.contains = ["x"] }.summary,
            try ReadLog(text) { $0.filter.eventIDs = ["x"] }.summary,
        ] {
            #expect(summary.gaps.map(\.from.iso8601) == ["2011-09-26T10:08:00.00"])
            #expect(summary.gaps.map(\.until.iso8601) == ["2011-09-26T10:20:00.00"])
        }
    }

    @Test(arguments: [("10:00", "10:30", 2), ("11:05", "11:05", 1), ("11:50", "11:59", 0), ("09:00", "09:00", 0)])
    func `a gap is told if it touches the window`(since: String, until: String, count: Int) throws {
        let text = ["09:00", "09:01", "10:00", "10:20", "11:00", "11:30", "11:34", "11:38", "11:42", "11:46", "11:50"]
            .map { time in row { $0.time = "09/26/2011 \(time):00.00" } }.joined()
        let log = try ReadLog(text) {
            $0.gapMinimum = 30 * 60_000
            $0.window = try TimeWindow(since: "2011-09-26T" + since, until: "2011-09-26T" + until)
        }
        #expect(log.summary.gaps.count == count)
    }

    @Test func `steps are told of events as in a summary`() throws {
        let text = ["10:00", "09:00", "09:30", "09:10"].map { time in row { $0.time = "09/26/2011 \(time):00.00" } }
            .joined()
        let log = try ReadLog(text)
        #expect(log.quality.clockSteps == 2)
        #expect(log.summary.quality.clockSteps == 2)
        #expect(try ReadLog(text) { $0.filter.contains = ["nothing"] }.summary.quality.clockSteps == 2)
    }

    @Test func `a gap is between files of one server, and not between servers`() throws {
        let folder = try SourceFolder()
        let paths = [
            try folder.write("WFE1-20110926-1030.log", row { $0.time = "09/26/2011 10:30:00.00" }),
            try folder.write("WFE2-20110926-1130.log", row { $0.time = "09/26/2011 11:30:00.00" }),
            try folder.write("WFE1-20110926-1200.log", row { $0.time = "09/26/2011 12:00:00.00" }),
        ]
        let gaps = try ReadLog(paths).summary.gaps
        #expect(gaps.map(\.server) == ["WFE1"])
        #expect(gaps.first?.until.iso8601 == "2011-09-26T12:00:00.00")
    }
}
