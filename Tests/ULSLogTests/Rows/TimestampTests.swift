import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct TimestampTests {
    @Test func `A native time is in local time, with hundredths of a second`() throws {
        let event = try ReadLog(row()).only()
        #expect(event.time.iso8601 == "2011-09-26T10:39:40.52")
        #expect(event.time.quality == .local)
    }

    @Test(
        arguments: [
            ("09/26/2011 10:39:40.52", "2011-09-26T10:39:40.52"),
            ("09/26/2011 10:39:40,52", "2011-09-26T10:39:40.52"),
            ("9/6/2011 1:39:40.5", "2011-09-06T01:39:40.50"),
            ("09/26/2011 10:39:40.523", "2011-09-26T10:39:40.523"),
            ("09/26/2011 10:39:40.5239999", "2011-09-26T10:39:40.523"),
            ("09/26/2011 10:39:40", "2011-09-26T10:39:40.00"),
            ("02/29/2012 00:00:00.00", "2012-02-29T00:00:00.00"),
            ("12/31/2011 23:59:59.99", "2011-12-31T23:59:59.99"),
            ("01/02/2011 10:39:40.52", "2011-01-02T10:39:40.52"),
        ]
    )
    func `A date is written as month, day and year, and exports vary the digits and separators`(
        written: String,
        expected: String
    ) throws {
        let log = try ReadLog(row { $0.time = written } + row { ($0.time, $0.mark) = (written, "") })
        #expect(log.times == [expected, expected])
        #expect(log.events.allSatisfy { $0.time.quality == .local && !$0.isInferred })
    }

    @Test(
        arguments: [
            "02/30/2011 10:39:40.52", "13/01/2011 10:39:40.52", "00/10/2011 10:39:40.52", "02/29/2011 10:39:40.52",
            "09/26/2011 24:00:00.00", "09/26/2011 10:60:00.00", "09/26/2011 10:39:60.00", "26/09/2011 10:39:40.52",
            "09/26/2011 10:39:4x.52", "09/26/2011 10:39:40.5x", "0x/26/2011 10:39:40.52", "9999999999/1/1 1:1:1",
        ]
    )
    func `A line whose time does not exist does not begin a row`(written: String) throws {
        let log = try ReadLog(row("one") + row("two") { $0.time = written } + row("three"))
        #expect(log.events.count == 2)
        #expect(log.quality.continuations == 1)
        #expect(log.messages[0].hasPrefix("one"))
        #expect(log.messages[1] == "three")
    }

    @Test func `Times in the layout with TimestampUtc are in UTC`() throws {
        let event = try ReadLog(utcHeader + utcRow()).only()
        #expect(event.time.iso8601 == "2021-02-02T07:27:58.07Z")
        #expect(event.time.quality == .exact)
        #expect(event.isUTCLayout)
        #expect(event.text(.process) == "w3wp.exe#DiskCache")
        #expect(event.text(.threadID) == "0x2804")
        #expect(event.text(.eventID) == "b2xyz")
        #expect(event.text(.correlation) == NativeRow.correlation)
    }

    @Test(
        arguments: [
            "2021-02-02 07:27:58.07", "2021-02-02T07:27:58.07", "2021-02-02T07:27:58.07Z", "2021-02-02 07:27:58,07Z",
            "2021-2-2 7:27:58.070",
        ]
    )
    func `A time in UTC can contain T and Z`(written: String) throws {
        let event = try ReadLog(utcRow(time: written)).only()
        #expect(event.time.iso8601 == "2021-02-02T07:27:58.07Z")
    }

    @Test func `Rows with equal times keep the order of the file`() throws {
        let text = (1...40).map { row("\($0)") }.joined()
        let folder = try SourceFolder()
        let log = try ReadLog([folder.write("a.log", text)], in: .time)
        #expect(log.messages == (1...40).map { "\($0)" })
    }
}

@Suite struct MixedLayoutTests {
    @Test func `Each row can have a different layout`() throws {
        let text =
            utcHeader + utcRow("one")
            + row("two") { ($0.time, $0.process) = ("02/02/2021 21:49:00.92", "OWSTIMER.EXE (0x44DC)") }
            + utcRow("three", time: "2021-02-02 07:27:58.03")
        let log = try ReadLog(text)
        #expect(log.messages == ["one", "two", "three"])
        #expect(log.events.map(\.isUTCLayout) == [true, false, true])
        #expect(log.events.map(\.time.quality) == [.exact, .local, .exact])
        #expect(log.texts(.process) == ["w3wp.exe#DiskCache", "OWSTIMER.EXE", "w3wp.exe#DiskCache"])
    }

    @Test func `A zone applies to rows in local time, and does not change rows in UTC`() throws {
        let log = try ReadLog(utcRow() + row { $0.time = "02/02/2021 09:27:58.07" }) {
            $0.zones = try ServerZones(["+02:00"])
        }
        #expect(log.times == ["2021-02-02T07:27:58.07Z", "2021-02-02T07:27:58.07Z"])
    }

    @Test func `Rows slightly out of order keep their order, and do not count as a clock step`() throws {
        let times = ["07:27:58.16", "07:27:58.12", "07:27:57.90", "07:27:58.22"]
        let text = times.map { utcRow($0, time: "2021-02-02 \($0)") }.joined()
        let log = try ReadLog(text)
        #expect(log.messages == times)
        #expect(log.summary.quality.clockSteps == 0)
        #expect(log.summary.firstTime?.iso8601 == "2021-02-02T07:27:57.90Z")
        #expect(log.summary.lastTime?.iso8601 == "2021-02-02T07:27:58.22Z")
    }
}

@Suite struct ClockTests {
    private static func summary(_ times: [String], gap: Duration = .seconds(300)) throws -> LogSummary {
        try ReadLog(times.map { time in row { $0.time = "09/26/2011 \(time)" } }.joined()) { $0.gapMinimum = gap }
            .summary
    }

    @Test(arguments: [("10:00:02.00", 0), ("10:00:01.99", 1), ("09:00:00.00", 1)])
    func `Setting the clock back by more than two seconds counts as a clock step`(second: String, steps: Int) throws {
        #expect(try Self.summary(["10:00:04.00", second]).quality.clockSteps == steps)
    }

    @Test func `A clock step is counted once, however many rows follow it`() throws {
        let times = ["10:00:00.00", "10:30:00.00", "09:30:00.00", "09:30:01.00", "09:45:00.00", "10:30:01.00"]
        #expect(try Self.summary(times, gap: .seconds(Int64.max)).quality.clockSteps == 1)
    }

    @Test func `Clock steps are summed over all files of a server, separately for each server`() throws {
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

    @Test func `A period of five minutes without rows is a gap`() throws {
        let summary = try Self.summary(["10:00:00.00", "10:04:59.99", "10:09:59.99", "10:10:00.00"])
        #expect(summary.gaps.map(\.from.iso8601) == ["2011-09-26T10:04:59.99"])
        #expect(summary.gaps.map(\.until.iso8601) == ["2011-09-26T10:09:59.99"])
    }

    @Test(arguments: [(1000, 2), (60_000, 1), (60_001, 0)]) func `The minimum length of a gap can be chosen`(
        minimum: Int64,
        count: Int
    ) throws {
        let times = ["10:00:00.00", "10:00:01.00", "10:01:01.00"]
        #expect(try Self.summary(times, gap: .milliseconds(minimum)).gaps.count == count)
    }

    @Test func `A filter neither creates nor hides gaps`() throws {
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
    func `A gap is reported if it touches the window`(since: String, until: String, count: Int) throws {
        let text = ["09:00", "09:01", "10:00", "10:20", "11:00", "11:30", "11:34", "11:38", "11:42", "11:46", "11:50"]
            .map { time in row { $0.time = "09/26/2011 \(time):00.00" } }.joined()
        let log = try ReadLog(text) {
            $0.gapMinimum = .seconds(30 * 60)
            $0.window = try TimeWindow(since: "2011-09-26T" + since, until: "2011-09-26T" + until)
        }
        #expect(log.summary.gaps.count == count)
    }

    @Test func `Reading the events and a summary yields the same number of clock steps`() throws {
        let text = ["10:00", "09:00", "09:30", "09:10"].map { time in row { $0.time = "09/26/2011 \(time):00.00" } }
            .joined()
        let log = try ReadLog(text)
        #expect(log.quality.clockSteps == 2)
        #expect(log.summary.quality.clockSteps == 2)
        #expect(try ReadLog(text) { $0.filter.contains = ["nothing"] }.summary.quality.clockSteps == 2)
    }

    @Test func `Gaps are detected between files of one server, but not between servers`() throws {
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
