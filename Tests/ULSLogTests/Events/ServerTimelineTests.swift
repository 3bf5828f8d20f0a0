import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct ServerSpanTests {
    private static func at(_ time: String, _ change: (inout NativeRow) -> Void = { _ in }) -> String {
        row {
            $0.time = "09/26/2011 \(time)"
            change(&$0)
        }
    }

    private static func read(_ text: String, _ change: (inout LogReader) -> Void = { _ in }) throws -> ReadReport {
        var reader = LogReader(text: Array(text.utf8), name: "WFE1-20110926-1030.log")
        change(&reader)
        return try ChosenReading(reader, TestPrefilter(always: .no)).report
    }

    @Test func `A server's span extends from its oldest to its newest row, even if these are not chosen`() throws {
        let text =
            at("10:39:40.52") + at("10:41:00.00") + at("10:30:00.00")
            + at("10:40:00.00") { $0.process = "w3wp.exe (APP1:0x1790)" }
        let spans = try Self.read(text).servers
        #expect(spans.map(\.server) == ["APP1", "WFE1"])
        #expect(spans.map(\.firstTime.iso8601) == ["2011-09-26T10:40:00.00", "2011-09-26T10:30:00.00"])
        #expect(spans.map(\.lastTime.iso8601) == ["2011-09-26T10:40:00.00", "2011-09-26T10:41:00.00"])
        #expect(spans.map(\.clockSteps) == [0, 1])
    }

    @Test func `All files of a server form one span`() throws {
        let folder = try SourceFolder()
        let paths = [
            try folder.write("WFE1-20110926-1030.log", Self.at("10:39:40.52")),
            try folder.write("WFE2-20110926-1030.log", Self.at("10:39:41.52")),
            try folder.write("WFE1-20110926-1100.log", Self.at("11:00:00.00")),
        ]
        for order in [LogReader.Order.files, .time] {
            let report = try LogReader(inputs: paths).forEachEvent(in: order) { _ in }
            #expect(report.servers.map(\.server) == ["WFE1", "WFE2"])
            #expect(report.servers.map(\.lastTime.iso8601) == ["2011-09-26T11:00:00.00", "2011-09-26T10:39:41.52"])
            #expect(report.gaps.map(\.server) == ["WFE1"])
        }
    }

    @Test func `Rows without a time are in a span without times`() throws {
        let reader = LogReader(text: Array("It failed\n".utf8), name: "a.txt")
        let report = try ChosenReading(reader, TestPrefilter(always: .yes(0))).report
        #expect(report.servers == [ServerSpan(server: nil, firstTime: .none, lastTime: .none)])
    }

    @Test func `Only gaps that touch the window are reported`() throws {
        let text = at("10:00:00.00") + at("10:10:00.00") + at("10:11:00.00") + at("10:30:00.00")
        #expect(try Self.read(text).gaps.map(\.until.iso8601) == ["2011-09-26T10:10:00.00", "2011-09-26T10:30:00.00"])
        let report = try Self.read(text) {
            $0.window = TimeWindow(lower: .init(scale: .clock, value: 1_317_031_860_000), upper: nil)
        }
        #expect(report.gaps.map(\.until.iso8601) == ["2011-09-26T10:30:00.00"])
    }

    @Test func `Rows of other correlations are counted with a prefilter, but not in a search that skips them`()
        throws
    {
        let folder = try SourceFolder()
        let text = Self.at("10:00:00.00") { $0.correlation = NativeRow.elsewhere } + Self.at("10:01:00.00")
        let path = try folder.write("WFE1-20110926-1000.log", text)
        var reader = LogReader(inputs: [path])
        reader.filter.correlations = [try #require(CorrelationPattern(NativeRow.correlation))]
        let chosen = try ChosenReading(reader, TestPrefilter(always: .yes(0)))
        #expect(chosen.events.count == 1)
        #expect(chosen.report.servers.map(\.firstTime.iso8601) == ["2011-09-26T10:00:00.00"])
        #expect(try reader.forEachEvent(in: .time) { _ in }.servers.isEmpty)
    }

    @Test func `Gaps beyond the limit of the list are counted`() throws {
        let count = LogLimit.gaps.maximum + 7
        let text = (0...count).map { number in
            row { $0.time = "09/\(10 + number / 144)/2011 \(10 + number / 12 % 12):\(10 + number % 12 * 4):00.00" }
        }
        let report = try Self.read(text.joined()) { $0.gapMinimum = .seconds(60) }
        #expect(report.gaps.count == LogLimit.gaps.maximum)
        #expect(report.quality.limits == [LimitReached(limit: .gaps, count: 7)])
    }

    private func at(_ time: String, _ change: (inout NativeRow) -> Void = { _ in }) -> String { Self.at(time, change) }
}

struct ServerTimelineTests {
    /// Returns the timeline of a server that wrote in these minutes, combined from several periods.
    private static func timeline(_ stretches: [[Int64]]) -> ServerTimeline? {
        var whole: ServerTimeline?
        for minutes in stretches {
            var part: ServerTimeline?
            for minute in minutes {
                let time = PackedTime(clock: minute * 60_000, offset: 0, quality: .local)
                if part == nil {
                    part = ServerTimeline(server: "WFE1", isUTC: false, first: time, gapMinimum: 300_000)
                }
                part?.add(time)
            }
            guard let part else { continue }
            if whole == nil { whole = part } else { whole?.append(part) }
        }
        return whole
    }

    @Test(arguments: [1, 2, 3, 5, 20])
    func `A clock step is counted once, however the log is divided`(length: Int) throws {
        let minutes: [Int64] = [600, 601, 602, 658, 659, 600, 601, 602, 603, 610]
        let cuts = stride(from: 0, to: minutes.count, by: length).map { start in
            Array(minutes[start..<min(start + length, minutes.count)])
        }
        let timeline = try #require(Self.timeline(cuts))
        #expect(timeline.steps == 1)
        #expect(timeline.gapCount == 2)
        #expect(timeline.newest.instant == 610 * 60_000)
    }
}
