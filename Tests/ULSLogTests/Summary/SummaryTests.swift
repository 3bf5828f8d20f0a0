import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct FilteredSummaryTests {
    private static let one = "11111111-1000-20c1-aeeb-265f213c0068"
    private static let other = "22222222-1000-20c1-aeeb-265f213c0068"

    private func summary(_ rows: [String], filter: EventFilter = EventFilter()) throws -> LogSummary {
        let folder = try TemporaryFolder()
        let path = folder.path("WFE1-20240607-0800.log")
        try (PaddedText.header + rows.joined()).write(toFile: path, atomically: true, encoding: .utf8)
        var reader = LogReader(inputs: [path])
        reader.filter = filter
        return try reader.summary()
    }

    @Test func `A correlation whose first rows are excluded keeps its ID and times`() throws {
        var filter = EventFilter()
        filter.level = ULSLevel("High")
        let rows = [
            PaddedText.row(second: 1, level: "Medium", correlation: Self.one),
            PaddedText.row(second: 2, level: "High", correlation: Self.other),
            PaddedText.row(second: 3, level: "High", correlation: Self.one),
        ]
        let correlations = try summary(rows, filter: filter).correlations
        #expect(correlations.map(\.id.description) == [Self.one, Self.other])
        #expect(correlations.map { $0.firstTime.clock % 60_000 } == [3000, 2000])
        #expect(correlations.map { $0.lastTime.clock % 60_000 } == [3000, 2000])
    }

    @Test func `A level is recognized ignoring case, and an unknown level is kept as written`() throws {
        let levels = ["HIGH", "High", "high", "verboseEX", "Audit", "AUDIT"]
        let summary = try summary(levels.enumerated().map { PaddedText.row(second: $0, level: $1) })
        #expect(summary.levels.map { "\($0.value) \($0.count)" } == ["High 3", "AUDIT 1", "Audit 1", "VerboseEx 1"])
    }

    @Test func `Each file in an archive is reported, and a damaged one has a note`() throws {
        let folder = try TemporaryFolder()
        let text = PaddedText.header + (0..<500).map { PaddedText.row(second: $0 % 60, level: "High") }.joined()
        try text.write(toFile: folder.path("WFE1-20240607-0800.log"), atomically: true, encoding: .utf8)
        let command = "cd '\(folder.path(""))' && tar cf - WFE1-20240607-0800.log | head -c 60000 >a.tar"
        let tar = try #require(popen(command, "r"))
        #expect(pclose(tar) == 0)
        let files = try LogReader(inputs: [folder.path("a.tar")]).summary().files
        #expect(files.count(where: \.isRead) == 1)
        #expect(files.first { !$0.isRead }?.isIncomplete == true)
    }

    @Test(arguments: [1, 63, 64, 65, 129]) func `Rows are counted exactly, however many there are`(count: Int) throws {
        let rows = (0..<count).map {
            PaddedText.row(second: $0 % 60, level: "High", correlation: $0 % 3 == 0 ? Self.one : Self.other)
        }
        let summary = try summary(rows)
        #expect(summary.events == count)
        #expect(summary.levels.map(\.count) == [count])
        #expect(summary.correlations.map(\.count).reduce(0, +) == count)
    }
}

@Suite struct SummaryNumberTests {
    private static let text =
        nativeHeader
        + row("one") { $0.time = "09/26/2011 10:00:00.00" }
        + row("two") { ($0.time, $0.level, $0.eventID) = ("09/26/2011 10:00:30.00", "Unexpected", "tkau") }
        + row("three\n   at A.B()") { ($0.time, $0.correlation) = ("09/26/2011 10:02:00.00", " ") }
        + "\n"
        + row("fo...") { ($0.time, $0.area) = ("09/26/2011 10:02:10.00", "") }
        + row("...ur") { ($0.time, $0.area, $0.mark) = ("09/26/2011 10:02:10.00", "", "*") }
        + row("five") { ($0.time, $0.correlation) = ("09/26/2011 10:03:00.00", NativeRow.elsewhere) }
        + "09/26/2011 10:03:00.00 \tshort\n"

    @Test func `Rows whose time cannot be compared with the window are counted in every report`() throws {
        let log = try ReadLog(row()) { $0.window = try TimeWindow(since: "2011-09-26T08:00Z") }
        #expect(log.report.incomparable == 1)
        #expect(log.summary.incomparable == 1)
    }

    @Test func `The counts of rows and other lines add up to all lines`() throws {
        let quality = try ReadLog(Self.text).quality
        #expect(quality.lines == 10)
        #expect(quality.records == 6)
        #expect(quality.parts == 1)
        #expect(quality.continuations == 1)
        #expect(quality.headers == 1)
        #expect(quality.blank == 1)
        #expect(quality.notUnderstood == 1)
        #expect(quality.passedOver == 0)
        #expect(quality.orphans == 0)
        #expect(quality.inferred == 0)
        #expect(quality.limits.isEmpty)
    }

    @Test func `Events are counted, not rows`() throws {
        let summary = try ReadLog(Self.text).summary
        #expect(summary.records == 6)
        #expect(summary.events == 5)
        #expect(summary.levels.map { "\($0.value) \($0.count)" } == ["Unexpected 1", "High 4"])
        #expect(summary.eventIDs.map { "\($0.value) \($0.count)" } == ["b9y3 4", "tkau 1"])
        #expect(summary.areas.map { "\($0.value) \($0.count)" } == ["SharePoint Foundation 4", " 1"])
        #expect(summary.categories.map { "\($0.value) \($0.count)" } == ["Runtime 5"])
        #expect(summary.firstTime?.iso8601 == "2011-09-26T10:00:00.00")
        #expect(summary.lastTime?.iso8601 == "2011-09-26T10:03:00.00")
    }

    @Test func `Correlations have counts, times and worst levels`() throws {
        let summary = try ReadLog(Self.text).summary
        #expect(summary.correlationCount == 2)
        #expect(summary.correlations.map(\.count) == [3, 1])
        #expect(summary.correlations.map(\.id.description) == [NativeRow.correlation, NativeRow.elsewhere])
        #expect(summary.correlations[0].firstTime.iso8601 == "2011-09-26T10:00:00.00")
        #expect(summary.correlations[0].lastTime.iso8601 == "2011-09-26T10:02:10.00")
        #expect(summary.correlations[0].worstLevel.rank == ULSLevel("Unexpected").rank)
    }

    @Test func `A histogram counts events by minute`() throws {
        let histogram = try ReadLog(Self.text).summary.histogram
        #expect(histogram.start == clock("2011-09-26T10:00:00"))
        #expect(histogram.step == 60_000)
        #expect(histogram.events == [2, 0, 2, 1])
        #expect(histogram.abnormal == [1, 0, 0, 0])
    }

    @Test func `Rows without a date do not extend the time span`() throws {
        let rest = "w3wp.exe (0x1790) 0x0EB8 SharePoint Foundation Runtime tkau Unexpected Failed.\n"
        let dated = "09/26/2011 10:00:00.00 " + rest
        for text in [dated + rest, "10:39:40.52 " + rest + dated, rest + dated + rest] {
            let log = try ReadLog(text)
            #expect(log.summary.firstTime?.iso8601 == "2011-09-26T10:00:00.00")
            #expect(log.summary.lastTime?.iso8601 == "2011-09-26T10:00:00.00")
            #expect(log.summary.histogram.events == [1])
            #expect(log.report.files.map(\.firstTime?.iso8601) == ["2011-09-26T10:00:00.00"])
            #expect(log.report.files.map(\.lastTime?.iso8601) == ["2011-09-26T10:00:00.00"])
        }
    }

    @Test func `If no row has a date, the summary shows times of day`() throws {
        let rest = "w3wp.exe (0x1790) 0x0EB8 SharePoint Foundation Runtime tkau Unexpected Failed.\n"
        let log = try ReadLog("10:39:40.52 " + rest + "10:39:41.52 " + rest)
        #expect(log.summary.firstTime?.iso8601 == "10:39:40.52")
        #expect(log.summary.lastTime?.iso8601 == "10:39:41.52")
        #expect(log.report.files.map(\.firstTime?.iso8601) == ["10:39:40.52"])
        #expect(try ReadLog(rest).summary.firstTime == nil)
    }

    @Test func `A summary with a text filter counts the events that contain the text`() throws {
        let other = row("si...") { $0.eventID = "abcd" } + row("...x") { ($0.eventID, $0.mark) = ("abcd", "*") }
        let summary = try ReadLog(Self.text + other) { $0.filter.contains = ["our"] }.summary
        #expect(summary.events == 1)
        #expect(summary.records == 2)
        #expect(summary.areas.map(\.value) == [""])
        #expect(summary.correlations.map(\.count) == [1])
    }
}
