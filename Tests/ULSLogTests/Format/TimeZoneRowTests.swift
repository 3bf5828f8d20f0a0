import Foundation
import Testing

@testable import ULSLog

@Suite struct TimeZoneRowTests {
    private static func berlin() throws -> ServerZones {
        try ServerZones(["Europe/Berlin"], folder: ZoneFixture.folder().path)
    }

    private static func times(_ times: [String]) throws -> ReadLog {
        try ReadLog(times.map { time in row { $0.time = "\(time).00" } }.joined()) { $0.zones = try berlin() }
    }

    @Test func `the zone of a server makes its times exact, in winter and in summer`() throws {
        let log = try Self.times(["01/15/2024 12:00:00", "07/15/2024 12:00:00"])
        #expect(log.times == ["2024-01-15T11:00:00.00Z", "2024-07-15T10:00:00.00Z"])
        #expect(log.events.allSatisfy { $0.time.quality == .exact })
    }

    @Test func `a time that a clock change repeats is ambiguous`() throws {
        let log = try Self.times(["10/27/2024 01:59:59", "10/27/2024 02:30:00", "10/27/2024 03:00:00"])
        #expect(log.events.map(\.time.quality) == [.exact, .ambiguous, .exact])
        // The earlier of the two instants.
        #expect(log.events[1].time.instant == clock("2024-10-27T00:30:00"))
    }

    @Test func `a time that a clock change skips does not exist`() throws {
        let log = try Self.times(["03/31/2024 01:59:59", "03/31/2024 02:30:00", "03/31/2024 03:00:00"])
        #expect(log.events.map(\.time.quality) == [.exact, .skipped, .exact])
    }

    @Test func `servers in two zones merge by UTC`() throws {
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

    @Test func `a merged file has a zone for each server in it`() throws {
        let text =
            row { ($0.process, $0.time) = ("w3wp.exe (BERLIN:0x0001)", "01/15/2024 12:00:00.00") }
            + row { ($0.process, $0.time) = ("w3wp.exe (LONDON:0x0001)", "01/15/2024 11:00:00.00") }
        let log = try ReadLog(text) { $0.zones = try ServerZones(["BERLIN=+01:00", "LONDON=Z"]) }
        #expect(log.times == ["2024-01-15T11:00:00.00Z", "2024-01-15T11:00:00.00Z"])
    }
}
