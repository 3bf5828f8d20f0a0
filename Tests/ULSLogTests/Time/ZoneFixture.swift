import Foundation

@testable import ULSLog

/// Files of the time zone database, made by hand.
enum ZoneFixture {
    static let berlinFooter = "CET-1CEST,M3.5.0,M10.5.0/3"

    /// A file of version 2 and later: the offsets of its kinds, and changes to one of them.
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

    /// A folder with `Europe/Berlin`, a damaged file and a list of names.
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

/// Milliseconds of a time that is written like `2011-09-26T10:39:40`.
func clock(_ text: String) -> Int64 { (try? TimeText(text))?.value ?? .min }
