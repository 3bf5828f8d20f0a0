import Foundation
import Testing

@testable import ULSLog

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
    func offsetsNeedNoDatabase(name: String, offset: Int32) throws {
        let zone = try TimeZoneRules(named: name, folder: "/nonexistent")
        #expect(zone.resolve(clock: 0) == LogTime(clock: 0, offset: offset, quality: .exact))
    }

    @Test(arguments: [
        "", "/etc/passwd", "../etc/passwd", "Europe/../Berlin", "Europe//Berlin", "Europe/", ".hidden", "a\u{0}b",
        "Europe\\Berlin", "+15:00", "+02:60", "+123", "-", "local", "localtime", "Zürich",
        String(repeating: "a", count: 65),
    ])
    func namesThatAreNone(name: String) {
        #expect(error(name)?.code == .malformedName)
    }

    @Test func aMachineWithoutTheDatabaseIsTold() {
        let error = error("Europe/Berlin")
        #expect(error?.code == .noDatabase)
        #expect(error?.message.contains("tzdata") == true)
    }

    @Test func names() throws {
        let folder = try ZoneFixture.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let zone = try TimeZoneRules(named: "Europe/Berlin", folder: folder.path)
        #expect(zone.name == "Europe/Berlin")
        #expect(error("Damaged", folder: folder.path)?.code == .damaged)
        #expect(error("Europe", folder: folder.path)?.code == .unknownName)
        #expect(error("Europe/Berlin/x", folder: folder.path)?.code == .unknownName)
        for name in ["Europe/Berln", "europe/berlin", "Berlin"] {
            #expect(error(name, folder: folder.path)?.message.contains("did you mean 'Europe/Berlin'?") == true)
        }
        #expect(error("Europa/Oslo", folder: folder.path)?.message.contains("'Europe/Oslo'") == true)
        #expect(error("W. Europe Standard Time", folder: folder.path)?.message.contains("Windows") == true)
    }

    @Test func aFileThatIsTooLargeIsRefused() throws {
        let folder = try ZoneFixture.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(count: ZoneFile.longest + 1).write(to: folder.appending(path: "Large"))
        #expect(error("Large", folder: folder.path)?.code == .cannotRead)
    }

    @Test func zonesOfServers() throws {
        let zones = try ServerZones(["UTC", "wfe1=+02:00", "WFE2=-0530"], folder: "/nonexistent")
        #expect(zones.zone(for: nil)?.name == "UTC")
        #expect(zones.zone(for: "WFE1")?.name == "+02:00")
        #expect(zones.zone(for: "wfe2")?.name == "-0530")
        #expect(zones.zone(for: "APP1")?.name == "UTC")
        #expect(ServerZones().zone(for: "APP1") == nil)
        #expect(try ServerZones(["WFE1=UTC"]).zone(for: "APP1") == nil)
    }

    @Test(arguments: [["UTC", "+01:00"], ["A=UTC", "a=UTC"], ["=UTC"], ["A="], ["A=x=y"], [""]])
    func serversThatAreNone(values: [String]) {
        #expect(throws: TimeZoneError.self) { try ServerZones(values, folder: "/nonexistent") }
    }
}
