/// What the name of a log file says: `SERVER-YYYYMMDD-HHMM.log`, with a counter and a compression suffix perhaps.
///
/// The server's name may hold dashes, so the name is split from its end.
struct LogFileName: Hashable, Sendable {
    /// The server that wrote the file, as written.
    let server: String

    /// When the file was begun, on the server's own clock, in milliseconds since 1970-01-01T00:00:00 on that clock.
    ///
    /// It is the minute: rows may be up to a minute later than the first instant of it, hardly ever earlier.
    let start: Int64

    /// Reads the last part of a path, or of an entry's name in an archive, which may have `\` between its parts.
    init?(_ path: some StringProtocol) {
        let name = Self.withoutSuffixes(path.lastPathComponent)
        guard var rest = name else { return nil }
        guard var time = rest.takeLastPart() else { return nil }
        // Two files of the same minute are told apart by a counter.
        if time.utf8.count != 4 || rest.lastPart?.utf8.count == 4 {
            guard time.isDigits, let before = rest.takeLastPart() else { return nil }
            time = before
        }
        guard let date = rest.takeLastPart(), !rest.isEmpty, rest.lowercased() != Self.upgrade else { return nil }
        guard let start = Self.start(date: date, time: time) else { return nil }
        server = String(rest)
        self.start = start
    }

    /// `Upgrade-YYYYMMDD-….log` is written by the upgrade, and names no server.
    private static let upgrade = "upgrade"

    private static func withoutSuffixes(_ name: Substring) -> Substring? {
        let unpacked = CompressionSuffix.removed(from: name) ?? name
        guard unpacked.hasSuffix(ignoringCase: ".log") else { return nil }
        return unpacked.dropLast(".log".count)
    }

    private static func start(date: Substring, time: Substring) -> Int64? {
        guard date.utf8.count == 8, time.utf8.count == 4, date.isDigits, time.isDigits else { return nil }
        guard let date = Int(date), let time = Int(time) else { return nil }
        guard
            let days = CivilDate.days(year: date / 10_000, month: date / 100 % 100, day: date % 100),
            (0..<24).contains(time / 100), (0..<60).contains(time % 100)
        else { return nil }
        return ((days * 24 + Int64(time / 100)) * 60 + Int64(time % 100)) * 60_000
    }
}

extension Substring {
    fileprivate var isDigits: Bool { !isEmpty && utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }

    /// What stands behind the last dash.
    fileprivate var lastPart: Substring? {
        lastIndex(of: "-").map { self[index(after: $0)...] }
    }

    fileprivate mutating func takeLastPart() -> Substring? {
        guard let dash = lastIndex(of: "-") else { return nil }
        defer { self = self[..<dash] }
        return self[index(after: dash)...]
    }
}
