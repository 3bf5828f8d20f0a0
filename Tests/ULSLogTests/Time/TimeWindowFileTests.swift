import Testing

@testable import ULSLog

struct TimeWindowFileTests {
    private func mayOverlap(_ window: TimeWindow, _ from: String, _ to: String?, _ zone: TimeZoneRules? = nil) -> Bool {
        window.mayOverlap(clockFrom: clock(from), clockTo: to.map { clock($0) }, zone: zone)
    }

    @Test func filesByTheirNames() throws {
        let window = try TimeWindow(since: "2026-06-10T10:00", until: "2026-06-10T10:30")
        #expect(mayOverlap(window, "2026-06-10T09:00", "2026-06-10T09:30") == false)
        #expect(mayOverlap(window, "2026-06-10T09:20", "2026-06-10T09:50"))
        #expect(mayOverlap(window, "2026-06-10T10:40", "2026-06-10T11:10"))
        #expect(mayOverlap(window, "2026-06-10T10:50", "2026-06-10T11:10") == false)
        #expect(mayOverlap(window, "2026-06-10T08:00", nil))
        #expect(mayOverlap(window, "2026-06-14T08:00", nil) == false)
        #expect(mayOverlap(.all, "2026-06-14T08:00", nil))
    }

    @Test func anInstantNeedsTheZone() throws {
        let berlin = try #require(ZoneFixture.rules(ZoneFixture.berlinFooter))
        let window = try TimeWindow(since: "2026-06-10T08:00Z", until: "2026-06-10T08:30Z")
        #expect(mayOverlap(window, "2026-01-10T10:00", "2026-01-10T10:30"))
        #expect(mayOverlap(window, "2026-01-10T10:00", "2026-01-10T10:30", berlin) == false)
        #expect(mayOverlap(window, "2026-06-10T10:00", "2026-06-10T10:30", berlin))
        #expect(mayOverlap(window, "2026-06-10T08:00", "2026-06-10T08:30", berlin) == false)
        #expect(window.clockLowerBound(zone: nil) == nil)
        #expect(window.clockLowerBound(zone: berlin) == clock("2026-06-10T10:00"))
        #expect(window.clockLowerBound(zone: .utc) == clock("2026-06-10T08:00"))
    }

    @Test func hoursOfEveryDay() throws {
        let window = try TimeWindow(since: "22:00", until: "02:00")
        #expect(mayOverlap(window, "2026-06-10T10:00", "2026-06-10T10:30") == false)
        #expect(mayOverlap(window, "2026-06-10T21:00", "2026-06-10T21:55"))
        #expect(mayOverlap(window, "2026-06-10T10:00", "2026-06-11T10:30"))
        #expect(mayOverlap(window, "2026-06-10T10:00", nil))
        #expect(window.clockLowerBound(zone: .utc) == nil)
    }

    /// Rows as a server writes them, through the end of summer time, cut into files.
    @Test(arguments: [true, false]) func noFileIsSkippedThatHasARowOfTheWindow(knowsZone: Bool) throws {
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
                // All rows behind the first hit read at least the bound, so bisection can't miss it.
                #expect(rows.drop { $0 != hit }.allSatisfy { $0.clock >= bound })
            }
        }
    }

    @Test(arguments: [Int64.min, .max]) func namesOfFilesSayAnything(clock: Int64) throws {
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
