import Foundation
import Testing

@testable import TimeZones
@testable import ULSLog
@testable import ULSRows

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
    func `Summer time in Berlin is applied, with its ambiguous and skipped times`(
        text: String,
        offset: Int32,
        quality: LogTime.Quality
    ) throws {
        let zone = try #require(ZoneFixture.rules(ZoneFixture.berlinFooter))
        #expect(zone.resolve(clock: clock(text)) == LogTime(clock: clock(text), offset: offset, quality: quality))
    }

    @Test(arguments: [
        // In Ireland, the exception is in winter, when clocks are behind standard time.
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
        // Summer time all year.
        ("EST5EDT,0/0,J365/25", "2026-01-01T00:30", -14_400),
        ("EST5EDT,0/0,J365/25", "2026-07-01T00:30", -14_400),
        ("<+0545>-5:45", "2026-07-01T00:30", 20_700),
        ("", "2026-07-01T00:30", 0),
    ])
    func `Yearly rules are applied`(footer: String, text: String, offset: Int32) throws {
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
    func `Invalid footers are refused`(footer: String) {
        #expect(ZoneFixture.rules(footer) == nil)
    }

    @Test func `Recorded changes of the offset take precedence over the yearly rule`() throws {
        let bytes = ZoneFixture.file(
            kinds: [0, 7200, 3600, 3600],
            changes: [(-1000, 1), (1000, 2), (2000, 3)],
            footer: "CET-1"
        )
        let zone = try #require(ZoneFile.rules(named: "x", from: bytes))
        let instants: [Int64] = [-1_000_001, -1_000_000, 999_999, 1_000_000, .max]
        #expect(instants.map { zone.offset(at: $0) } == [0, 7200, 7200, 3600, 3600])
        #expect(zone.resolve(clock: 7_000_000).quality == .ambiguous)
    }

    @Test func `Clock readings are converted back to the same instants`() throws {
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

    @Test(arguments: [Int64.min, .max, 0]) func `Extreme clock readings do not cause a crash`(clock: Int64) throws {
        let zone = try #require(ZoneFixture.rules(ZoneFixture.berlinFooter))
        #expect(zone.resolve(clock: clock).clock == clock)
        _ = zone.offset(at: clock)
    }

    @Test func `A truncated file is refused`() {
        let file = ZoneFixture.file(kinds: [0, 3600], changes: [(5, 1), (9, 0)], footer: ZoneFixture.berlinFooter)
        #expect(ZoneFile.rules(named: "x", from: file) != nil)
        for end in 0..<file.count { #expect(ZoneFile.rules(named: "x", from: Array(file[..<end])) == nil) }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin"), "needs tzdata"))
    func `Damaged files do not cause a crash`() throws {
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
    func `The machine's own files can be read`() throws {
        let berlin = try TimeZoneRules(named: "Europe/Berlin")
        #expect(berlin.resolve(clock: clock("2011-09-26T10:39")).offset == 7200)
        #expect(berlin.resolve(clock: clock("1945-06-15T10:39")).offset == 10_800)
        #expect(
            try TimeZoneRules(named: "America/New_York").resolve(clock: clock("2099-07-01T00:00")).offset == -14_400
        )
    }
}

struct TimeZoneNameTests {
    private func error(_ name: String, folder: String = "/nonexistent") -> TimeZoneError? {
        do throws(TimeZoneError) {
            _ = try TimeZoneRules(named: name, folder: folder)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        ("UTC", 0), ("utc", 0), ("Z", 0), ("GMT", 0), ("+02:00", 7200), ("-0530", -19_800), ("UTC+2", 7200),
        ("GMT-3:30", -12_600), ("+5", 18_000), ("+14", 50_400),
    ])
    func `Fixed offsets do not require a database`(name: String, offset: Int32) throws {
        let zone = try TimeZoneRules(named: name, folder: "/nonexistent")
        #expect(zone.resolve(clock: 0) == LogTime(clock: 0, offset: offset, quality: .exact))
    }

    @Test(arguments: [
        "", "/etc/passwd", "../etc/passwd", "Europe/../Berlin", "Europe//Berlin", "Europe/", ".hidden", "a\u{0}b",
        "Europe\\Berlin", "+15:00", "+02:60", "+123", "-", "local", "localtime", "Zürich",
        String(repeating: "a", count: 65),
    ])
    func `Invalid names are refused`(name: String) {
        #expect(error(name)?.code == .malformedName)
    }

    @Test func `A missing time zone database is reported`() {
        let error = error("Europe/Berlin")
        #expect(error?.code == .noDatabase)
        #expect(error?.message.contains("tzdata") == true)
    }

    @Test func `Names of zones are found in the database`() throws {
        let folder = try ZoneFixture.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let zone = try TimeZoneRules(named: "Europe/Berlin", folder: folder.path)
        #expect(zone.name == "Europe/Berlin")
        #expect(ZoneFolder(path: folder.path).names == ["Europe/Berlin", "Europe/Oslo"])
        #expect(ZoneFolder(path: "/nonexistent").names == [])
        #expect(error("Damaged", folder: folder.path)?.code == .damaged)
        #expect(error("Europe", folder: folder.path)?.code == .unknownName)
        #expect(error("Europe/Berlin/x", folder: folder.path)?.code == .unknownName)
        for name in ["Europe/Berln", "europe/berlin", "Berlin"] {
            #expect(error(name, folder: folder.path)?.message.contains("did you mean 'Europe/Berlin'?") == true)
        }
        #expect(error("Europa/Oslo", folder: folder.path)?.message.contains("'Europe/Oslo'") == true)
        #expect(error("W. Europe Standard Time", folder: folder.path)?.message.contains("Windows") == true)
    }

    @Test func `A file that is too large is refused`() throws {
        let folder = try ZoneFixture.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(count: ZoneFile.longest + 1).write(to: folder.appending(path: "Large"))
        #expect(error("Large", folder: folder.path)?.code == .cannotRead)
    }

    @Test func `A server has its own zone or the default zone`() throws {
        let zones = try ServerZones(["UTC", "wfe1=+02:00", "WFE2=-0530"], folder: "/nonexistent")
        #expect(zones.zone(for: nil)?.name == "UTC")
        #expect(zones.zone(for: "WFE1")?.name == "+02:00")
        #expect(zones.zone(for: "wfe2")?.name == "-0530")
        #expect(zones.zone(for: "APP1")?.name == "UTC")
        #expect(ServerZones().zone(for: "APP1") == nil)
        #expect(try ServerZones(["WFE1=UTC"]).zone(for: "APP1") == nil)
    }

    @Test(arguments: [["UTC", "+01:00"], ["A=UTC", "a=UTC"], ["=UTC"], ["A="], ["A=x=y"], [""]])
    func `Invalid zones of servers are refused`(values: [String]) {
        #expect(throws: TimeZoneError.self) { try ServerZones(values, folder: "/nonexistent") }
    }
}

/// Time zone files written by hand.
enum ZoneFixture {
    static let berlinFooter = "CET-1CEST,M3.5.0,M10.5.0/3"

    /// Returns a file of version 2 or later, with the offsets of its types and the changes between them.
    static func file(
        version: Character = "2",
        kinds: [Int32],
        changes: [(instant: Int64, kind: UInt8)] = [],
        footer: String
    ) -> [UInt8] {
        func number(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.bigEndian) { Array($0) }
        }
        func header(_ counts: [UInt32]) -> [UInt8] {
            Array("TZif\(version)".utf8) + Array(repeating: 0, count: 15) + counts.flatMap { number($0) }
        }
        var bytes = header([0, 0, 0, 0, 1, 1]) + Array(repeating: 0, count: 7)
        bytes += header([0, 0, 0, UInt32(changes.count), UInt32(kinds.count), 1])
        bytes += changes.flatMap { number($0.instant) } + changes.map(\.kind)
        bytes += kinds.flatMap { number($0) + [0, 0] } + [0]
        return bytes + Array("\n\(footer)\n".utf8)
    }

    static func rules(_ footer: String, kinds: [Int32] = [0]) -> TimeZoneRules? {
        ZoneFile.rules(named: footer, from: file(kinds: kinds, footer: footer))
    }

    /// Returns a folder with `Europe/Berlin`, a damaged file and a list of names.
    static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "Europe"),
            withIntermediateDirectories: true
        )
        try Data(file(kinds: [3600], footer: berlinFooter)).write(to: folder.appending(path: "Europe/Berlin"))
        try Data("TZif2".utf8).write(to: folder.appending(path: "Damaged"))
        try Data("# version\nZ Europe/Berlin 1 - CET\nL Europe/Berlin Europe/Oslo\n".utf8)
            .write(to: folder.appending(path: "tzdata.zi"))
        return folder
    }
}

/// Returns the milliseconds of a time in the form `2011-09-26T10:39:40`.
func clock(_ text: String) -> Int64 { (try? TimeText(text))?.value ?? .min }

@Suite struct TimeZoneRowTests {
    private static func berlin() throws -> ServerZones {
        let folder = try ZoneFixture.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        return try ServerZones(["Europe/Berlin"], folder: folder.path)
    }

    private static func times(_ times: [String]) throws -> ReadLog {
        try ReadLog(times.map { time in row { $0.time = "\(time).00" } }.joined()) { $0.zones = try berlin() }
    }

    @Test func `The zone of a server makes its times exact, in winter and in summer`() throws {
        let log = try Self.times(["01/15/2024 12:00:00", "07/15/2024 12:00:00"])
        #expect(log.times == ["2024-01-15T11:00:00.00Z", "2024-07-15T10:00:00.00Z"])
        #expect(log.events.allSatisfy { $0.time.quality == .exact })
    }

    @Test func `A time that a clock change repeats is ambiguous`() throws {
        let log = try Self.times(["10/27/2024 01:59:59", "10/27/2024 02:30:00", "10/27/2024 03:00:00"])
        #expect(log.events.map(\.time.quality) == [.exact, .ambiguous, .exact])
        // The earlier of the two instants.
        #expect(log.events[1].time.instant == clock("2024-10-27T00:30:00"))
    }

    @Test func `A time that a clock change skips does not exist`() throws {
        let log = try Self.times(["03/31/2024 01:59:59", "03/31/2024 02:30:00", "03/31/2024 03:00:00"])
        #expect(log.events.map(\.time.quality) == [.exact, .skipped, .exact])
    }

    @Test func `Rows of servers in two zones are merged by UTC`() throws {
        let folder = try SourceFolder()
        func rows(_ name: String, _ times: [String]) -> String {
            times.map { time in row("\(name) \(time)") { $0.time = "01/15/2024 \(time).00" } }.joined()
        }
        let paths = [
            try folder.write("BERLIN-20240115-1200.log", rows("BERLIN", ["12:00:00", "12:00:02", "12:00:05"])),
            try folder.write("LONDON-20240115-1100.log", rows("LONDON", ["11:00:01", "11:00:03", "11:00:04"])),
        ]
        let log = try ReadLog(paths, in: .time) { $0.zones = try ServerZones(["BERLIN=+01:00", "london=+00:00"]) }
        #expect(
            log.messages == [
                "BERLIN 12:00:00", "LONDON 11:00:01", "BERLIN 12:00:02", "LONDON 11:00:03", "LONDON 11:00:04",
                "BERLIN 12:00:05",
            ]
        )
    }

    @Test func `Each server in a merged file has its own zone`() throws {
        let text =
            row { ($0.process, $0.time) = ("w3wp.exe (BERLIN:0x0001)", "01/15/2024 12:00:00.00") }
            + row { ($0.process, $0.time) = ("w3wp.exe (LONDON:0x0001)", "01/15/2024 11:00:00.00") }
        let log = try ReadLog(text) { $0.zones = try ServerZones(["BERLIN=+01:00", "LONDON=Z"]) }
        #expect(log.times == ["2024-01-15T11:00:00.00Z", "2024-01-15T11:00:00.00Z"])
    }
}
