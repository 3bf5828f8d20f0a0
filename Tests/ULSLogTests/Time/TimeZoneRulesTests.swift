import Foundation
import Testing

@testable import ULSLog

struct TimeZoneRulesTests {
    @Test(arguments: [
        ("2026-01-15T12:00", 3600, LogTime.Quality.exact),
        ("2026-07-15T12:00", 7200, .exact),
        ("2026-03-29T01:59:59", 3600, .exact),
        ("2026-03-29T02:00", 3600, .skipped),
        ("2026-03-29T02:59:59", 3600, .skipped),
        ("2026-03-29T03:00", 7200, .exact),
        ("2026-10-25T01:59:59", 7200, .exact),
        ("2026-10-25T02:00", 7200, .ambiguous),
        ("2026-10-25T02:59:59.99", 7200, .ambiguous),
        ("2026-10-25T03:00", 3600, .exact),
    ])
    func berlin(text: String, offset: Int32, quality: LogTime.Quality) throws {
        let zone = try #require(ZoneFixture.rules(ZoneFixture.berlinFooter))
        #expect(zone.resolve(clock: clock(text)) == LogTime(clock: clock(text), offset: offset, quality: quality))
    }

    @Test(arguments: [
        // Ireland: what is called summer is winter, and behind.
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-15T12:00", 0),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-15T12:00", 3600),
        // South of the equator.
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-15T12:00", 39_600),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-15T12:00", 36_000),
        // Half an hour.
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-01-15T12:00", 39_600),
        // Hours before midnight.
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-28T23:30", -3600),
        // Days without and with 29 February.
        ("AAA0BBB,J60/0,J300", "2028-03-01T00:30", 0),
        ("AAA0BBB,J60/0,J300", "2028-03-01T02:30", 3600),
        ("AAA0BBB,59/0,300", "2028-02-29T02:30", 3600),
        ("AAA0BBB,59/0,300", "2027-02-28T23:30", 0),
        // Summer all year.
        ("EST5EDT,0/0,J365/25", "2026-01-01T00:30", -14_400),
        ("EST5EDT,0/0,J365/25", "2026-07-01T00:30", -14_400),
        ("<+0545>-5:45", "2026-07-01T00:30", 20_700),
        ("", "2026-07-01T00:30", 0),
    ])
    func yearlyRules(footer: String, text: String, offset: Int32) throws {
        let zone = try #require(ZoneFixture.rules(footer))
        let instant = clock(text) - Int64(offset) * 1000
        #expect(zone.offset(at: instant) == offset || zone.resolve(clock: clock(text)).quality == .skipped)
        #expect(
            zone.resolve(clock: clock(text)).offset == offset || zone.resolve(clock: clock(text)).quality == .skipped
        )
    }

    @Test(arguments: [
        "A0", "CET", "CET-25", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
        "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J5", "CET-1CEST,366,5", "CET-1CEST,M3.5.0/168,M10.5.0", "<+03",
        "CET-1CEST,M3.5.0,M10.5.0/3 ", "CET-99999999999999999999",
    ])
    func footersThatAreNone(footer: String) {
        #expect(ZoneFixture.rules(footer) == nil)
    }

    @Test func recordedChangesComeBeforeTheRule() throws {
        let bytes = ZoneFixture.file(
            kinds: [0, 7200, 3600, 3600],
            changes: [(-1000, 1), (1000, 2), (2000, 3)],
            footer: "CET-1"
        )
        let zone = try #require(ZoneFile.rules(named: "x", from: bytes))
        #expect(zone.offset(at: -1_000_001) == 0)
        #expect(zone.offset(at: -1_000_000) == 7200)
        #expect(zone.offset(at: 999_999) == 7200)
        #expect(zone.offset(at: 1_000_000) == 3600)
        #expect(zone.offset(at: .max) == 3600)
        #expect(zone.resolve(clock: 7_000_000).quality == .ambiguous)
    }

    @Test func readingsMeanWhatInstantsSay() throws {
        for footer in [ZoneFixture.berlinFooter, "IST-1GMT0,M10.5.0,M3.5.0/1", "EST5EDT,M3.2.0,M11.1.0"] {
            let zone = try #require(ZoneFixture.rules(footer))
            for instant in stride(from: clock("2026-01-01T00:00"), to: clock("2027-01-02T00:00"), by: 1_234_567) {
                let offset = zone.offset(at: instant)
                let time = zone.resolve(clock: instant + Int64(offset) * 1000)
                #expect(time.quality == .exact ? time.instant == instant : time.quality == .ambiguous)
                #expect(time.instant <= instant)
            }
        }
    }

    @Test(arguments: [Int64.min, .max, 0]) func extremeReadingsAreNoDanger(clock: Int64) throws {
        let zone = try #require(ZoneFixture.rules(ZoneFixture.berlinFooter))
        #expect(zone.resolve(clock: clock).clock == clock)
        _ = zone.offset(at: clock)
    }

    @Test func noPartOfAFileIsAFile() {
        let file = ZoneFixture.file(kinds: [0, 3600], changes: [(5, 1), (9, 0)], footer: ZoneFixture.berlinFooter)
        #expect(ZoneFile.rules(named: "x", from: file) != nil)
        for end in 0..<file.count { #expect(ZoneFile.rules(named: "x", from: Array(file[..<end])) == nil) }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin"), "needs tzdata"))
    func damagedFilesAreNoDanger() throws {
        let file = try Array(Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")))
        for end in 0..<file.count { #expect(ZoneFile.rules(named: "x", from: Array(file[..<end])) == nil) }
        for _ in 0..<5000 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...8) {
                damaged[Int.random(in: damaged.indices)] = .random(in: 0...255)
            }
            guard let zone = ZoneFile.rules(named: "x", from: damaged) else { continue }
            for clock in [Int64.min, -2_000_000_000_000, 0, 1_790_000_000_000, .max] { _ = zone.resolve(clock: clock) }
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin"), "needs tzdata"))
    func theMachinesOwnFiles() throws {
        let berlin = try TimeZoneRules(named: "Europe/Berlin")
        #expect(berlin.resolve(clock: clock("2011-09-26T10:39")).offset == 7200)
        #expect(berlin.resolve(clock: clock("1945-06-15T10:39")).offset == 10_800)
        #expect(
            try TimeZoneRules(named: "America/New_York").resolve(clock: clock("2099-07-01T00:00")).offset == -14_400
        )
    }
}
