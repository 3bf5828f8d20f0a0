import Testing

@testable import ULSLog
@testable import ULSRows

/// A log of six megabytes, with one row per second.
private struct LongLog {
    let text: String
    let rows: Int

    /// - Parameter setBack: The row after which the clock is set back by an hour.
    init(setBack: Int? = nil) {
        let filler = String(repeating: "x", count: 60)
        var text = nativeHeader
        // During the day, when clocks are not changed.
        var clock = 8 * 3600
        var count = 0
        let pattern = row("# \(filler)") { $0.time = "09/26/2011 @" }
        let (before, behind) = (pattern.split(separator: "@")[0], pattern.split(separator: "@")[1])
        let (columns, end) = (behind.split(separator: "#")[0], behind.split(separator: "#")[1])
        while text.utf8.count < 6 << 20 {
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            text += before
            text += "\(two(clock / 3600)):\(two(clock / 60 % 60)):\(two(clock % 60)).00"
            text += columns
            text += "\(count)"
            text += end
            count += 1
            clock += 1
            if count == setBack { clock -= 3600 }
        }
        self.text = text
        rows = count
    }
}

@Suite struct FileSectionTests {
    private static let long = LongLog()

    @Test(arguments: [32 << 20, 1 << 20] as [Int64])
    func `Bisection reads only the part of a long file inside the window, with correct line numbers`(
        unitBytes: Int64
    ) throws {
        let log = try ReadLog(Self.long.text) {
            $0.window = try TimeWindow(since: "2011-09-26T11:00:00", until: "2011-09-26T11:00:59")
            $0.bisects = true
            $0.sizes.unitBytes = unitBytes
        }
        #expect(log.events.count == 60)
        #expect(log.messages.first?.hasPrefix("10800 ") == true)
        #expect(log.lines == Array(10802..<10862))
        #expect(log.quality.lines < Self.long.rows / 4)
        let file = try #require(log.report.files.first)
        #expect(file.unreadBytes > 4 << 20)
        #expect(file.bytes + file.unreadBytes == Self.long.text.utf8.count)
        #expect(log.summary.files.first?.unreadBytes == file.unreadBytes)
    }

    @Test func `Line numbers are correct even if no row at the beginning of the window matches`() throws {
        let log = try ReadLog(Self.long.text) {
            $0.window = try TimeWindow(since: "2011-09-26T09:00:00", until: "2011-09-26T13:00:00")
            $0.bisects = true
            $0.filter.contains = ["17000 x"]
            $0.sizes.unitBytes = 1 << 20
        }
        #expect(log.lines == [17002])
    }

    @Test(
        arguments: [
            (nil, "2011-09-26T08:00:09", 10), ("2011-09-26T08:00:00", "2011-09-26T08:00:00", 1),
            ("2011-09-25", "2011-09-25", 0), ("2011-09-27", nil, 0), ("13:00", "13:00", 1), ("13:00", "13:00:59", 60),
        ] as [(String?, String?, Int)]
    )
    func `A window can be at either end of a file, or beyond it`(since: String?, until: String?, count: Int) throws {
        for bisects in [false, true] {
            let log = try ReadLog(Self.long.text) {
                $0.window = try TimeWindow(since: since, until: until)
                $0.bisects = bisects
            }
            #expect(log.events.count == count)
            #expect(bisects || log.report.files.first?.unreadBytes == 0)
        }
    }

    @Test func `A byte-order mark does not count as a line above the window`() throws {
        let text = String(Self.long.text.dropFirst(nativeHeader.count))
        let log = try ReadLog(bytes: [0xEF, 0xBB, 0xBF] + Array(text.utf8)) {
            $0.window = try TimeWindow(since: "2011-09-26T08:02:00", until: "2011-09-26T08:02:09")
            $0.bisects = true
        }
        #expect(log.lines == Array(121..<131))
    }

    @Test func `If the clock was set back within a file, the whole file is read`() throws {
        let setBack = LongLog(setBack: 14_400)
        let log = try ReadLog(setBack.text) {
            $0.window = try TimeWindow(since: "2011-09-26T11:30:00", until: "2011-09-26T11:30:09")
            $0.bisects = true
        }
        #expect(log.events.count == 20)
        #expect(log.lines == Array(12602..<12612) + Array(16202..<16212))
        #expect(log.quality.lines == setBack.rows + 1)
        #expect(log.report.files.first?.unreadBytes == 0)
    }

    @Test func `A row out of order is found without bisection, and bisection reports the bytes that it did not read`()
        throws
    {
        let lost = row("lost") { $0.time = "09/25/2011 09:00:00.00" }
        let lines = Self.long.text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let text = lines[..<5002].joined(separator: "\r\n") + "\r\n" + lost + lines[5002...].joined(separator: "\r\n")
        let window = try TimeWindow(until: "2011-09-25T09:30")
        let log = try ReadLog(text) { $0.window = window }
        #expect(log.messages == ["lost"])
        #expect(log.lines == [5003])
        let bisected = try ReadLog(text) {
            $0.window = window
            $0.bisects = true
        }
        #expect(bisected.messages == [])
        let file = try #require(bisected.report.files.first)
        #expect(file.unreadBytes > 6 << 20)
        #expect(file.bytes + file.unreadBytes == text.utf8.count)
        #expect(bisected.report.coverage.map(\.firstTime) == [nil])
    }
}

struct TimeWindowFileTests {
    private func mayOverlap(_ window: TimeWindow, _ from: String, _ to: String?, _ zone: TimeZoneRules? = nil) -> Bool {
        window.mayOverlap(clockFrom: clock(from), clockTo: to.map { clock($0) }, zone: zone)
    }

    @Test func `Files are selected by the times in their names`() throws {
        let window = try TimeWindow(since: "2026-06-10T10:00", until: "2026-06-10T10:30")
        #expect(mayOverlap(window, "2026-06-10T08:20", "2026-06-10T08:50") == false)
        #expect(mayOverlap(window, "2026-06-10T08:30", "2026-06-10T09:00"))
        #expect(mayOverlap(window, "2026-06-10T11:30", "2026-06-10T12:10"))
        #expect(mayOverlap(window, "2026-06-10T11:40", "2026-06-10T12:10") == false)
        #expect(mayOverlap(window, "2026-06-10T08:00", nil))
        #expect(mayOverlap(window, "2026-06-14T08:00", nil) == false)
        #expect(mayOverlap(.all, "2026-06-14T08:00", nil))
    }

    @Test func `A window given as instants excludes a file only if the zone is known`() throws {
        let berlin = try #require(ZoneFixture.rules(ZoneFixture.berlinFooter))
        let window = try TimeWindow(since: "2026-06-10T08:00Z", until: "2026-06-10T08:30Z")
        #expect(mayOverlap(window, "2026-01-10T10:00", "2026-01-10T10:30"))
        #expect(mayOverlap(window, "2026-01-10T10:00", "2026-01-10T10:30", berlin) == false)
        #expect(mayOverlap(window, "2026-06-10T10:00", "2026-06-10T10:30", berlin))
        #expect(mayOverlap(window, "2026-06-10T08:00", "2026-06-10T08:30", berlin) == false)
        #expect(mayOverlap(window, "2026-06-10T08:00", "2026-06-10T09:00", berlin))
        #expect(window.clockLowerBound(zone: nil) == nil)
        #expect(window.clockLowerBound(zone: berlin) == clock("2026-06-10T10:00"))
        #expect(window.clockLowerBound(zone: .utc) == clock("2026-06-10T08:00"))
    }

    @Test func `A window can cover the same hours of every day`() throws {
        let window = try TimeWindow(since: "22:00", until: "02:00")
        #expect(mayOverlap(window, "2026-06-10T10:00", "2026-06-10T10:30") == false)
        #expect(mayOverlap(window, "2026-06-10T20:00", "2026-06-10T21:05"))
        #expect(mayOverlap(window, "2026-06-10T20:00", "2026-06-10T20:55") == false)
        #expect(mayOverlap(window, "2026-06-10T10:00", "2026-06-11T10:30"))
        #expect(mayOverlap(window, "2026-06-10T10:00", nil))
        #expect(window.clockLowerBound(zone: .utc) == nil)
    }

    /// Rows as a server writes them, through the end of summer time, cut into files.
    @Test(arguments: [true, false]) func `A file with a row in the window is never skipped`(knowsZone: Bool) throws {
        let berlin = try #require(ZoneFixture.rules(ZoneFixture.berlinFooter))
        let zone = knowsZone ? berlin : nil
        let start = clock("2026-10-24T22:00")
        func row(_ minute: Int) -> LogTime {
            let instant = start + Int64(minute) * 60_000
            let offset = berlin.offset(at: instant)
            return LogTime(clock: instant + Int64(offset) * 1000, offset: offset, quality: .exact)
        }
        for text in ["2026-10-25T02:40", "2026-10-25T02:05", "2026-10-25T03:10", "2026-10-25T00:40Z", "02:30"] {
            let window = try TimeWindow(around: text + "±3m")
            for (first, length) in (0..<400).flatMap({ first in [5, 30, 90].map { (first, $0) } }) {
                let rows = (first..<first + length).map { row($0) }
                let hits = rows.filter { window.contains($0) == .inside }
                guard let hit = hits.first else { continue }
                let (from, to) = (row(first).clock, row(first + length).clock)
                #expect(window.mayOverlap(clockFrom: from, clockTo: to, zone: zone))
                #expect(window.mayOverlap(clockFrom: from, clockTo: nil, zone: zone))
                guard let bound = window.clockLowerBound(zone: zone) else { continue }
                // All rows after the first hit have at least the time of the bound, so bisection can't miss it.
                #expect(rows.drop { $0 != hit }.allSatisfy { $0.clock >= bound })
            }
        }
    }

    @Test(arguments: [Int64.min, .max]) func `Extreme times in file names do not cause a crash`(clock: Int64) throws {
        for text in ["2026-10-25T02:40", "2026-10-25T00:40Z", "02:30"] {
            let window = try TimeWindow(around: text)
            for zone in [nil, TimeZoneRules.utc, ZoneFixture.rules(ZoneFixture.berlinFooter)] {
                _ = window.mayOverlap(clockFrom: clock, clockTo: nil, zone: zone)
                _ = window.mayOverlap(clockFrom: clock, clockTo: .max, zone: zone)
                _ = window.mayOverlap(clockFrom: 0, clockTo: clock, zone: zone)
            }
        }
    }
}
