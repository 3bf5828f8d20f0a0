/// The facts in a log file's name: `SERVER-YYYYMMDD-HHMM.log`, perhaps with a counter and a compression suffix.
///
/// A server's name may contain dashes, so the name is split from its end.
struct LogFileName: Hashable, Sendable {
    /// The server that wrote the file, as written.
    let server: String

    /// The time when the file was begun, on the server's own clock, in milliseconds since 1970-01-01T00:00:00 on that
    /// clock.
    ///
    /// The name gives the minute: rows may be up to a minute later than its first instant, hardly ever earlier.
    let start: Int64

    /// Reads the last component of a path, or of an archive entry's name, whose components may be separated by `\`.
    init?(_ path: some StringProtocol) {
        let name = Self.withoutSuffixes(path.lastPathComponent)
        guard var rest = name else { return nil }
        guard var time = rest.takeLastPart() else { return nil }
        // A counter distinguishes two files of the same minute.
        if time.utf8.count != 4 || rest.lastPart?.utf8.count == 4 {
            guard time.isDigits, let before = rest.takeLastPart() else { return nil }
            time = before
        }
        guard let date = rest.takeLastPart(), !rest.isEmpty, rest.lowercased() != Self.upgrade else { return nil }
        guard let start = Self.start(date: date, time: time) else { return nil }
        server = String(rest)
        self.start = start
    }

    /// The first part of `Upgrade-YYYYMMDD-….log`, which the upgrade writes and which names no server.
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
            let days = CivilDate(year: Int64(date / 10_000), month: date / 100 % 100, day: date % 100)?.days,
            (0..<24).contains(time / 100), (0..<60).contains(time % 100)
        else { return nil }
        return ((days * 24 + Int64(time / 100)) * 60 + Int64(time % 100)) * 60_000
    }
}

extension Substring {
    fileprivate var isDigits: Bool { !isEmpty && utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }

    /// The part after the last dash.
    fileprivate var lastPart: Substring? {
        lastIndex(of: "-").map { self[index(after: $0)...] }
    }

    fileprivate mutating func takeLastPart() -> Substring? {
        guard let dash = lastIndex(of: "-") else { return nil }
        defer { self = self[..<dash] }
        return self[index(after: dash)...]
    }
}

/// The kind of a file in a folder or an archive, judged by its name.
///
/// The service also keeps `.usage` files beside its logs; they hold no rows.
enum LogNameKind {
    case log
    /// A compressed log, or an archive that may hold several.
    case packed
    case other

    init(_ path: some StringProtocol) {
        let name = path.lastPathComponent
        // Hidden files don't count as logs; `._x.log` is what macOS adds to archives.
        if name.hasPrefix(".") {
            self = .other
        } else if Self.hasAny(Self.logSuffixes, name) {
            self = .log
        } else if Self.hasAny(Self.archiveSuffixes, name) {
            self = .packed
        } else if let inner = CompressionSuffix.removed(from: name), Self.hasAny(Self.logSuffixes, inner) {
            self = .packed
        } else {
            self = .other
        }
    }

    var isPacked: Bool { if case .packed = self { true } else { false } }

    private static let logSuffixes = [".log", ".txt", ".csv", ".tsv"]
    private static let archiveSuffixes =
        [".zip", ".7z", ".tar", ".tgz", ".txz", ".tbz2", ".tzst"] + CompressionSuffix.all.map { ".tar" + $0 }

    private static func hasAny(_ suffixes: [String], _ name: Substring) -> Bool {
        suffixes.contains { name.hasSuffix(ignoringCase: $0) }
    }
}

extension StringProtocol {
    /// The part after the last `/` or `\`.
    var lastPathComponent: Substring {
        let name = Substring(self)
        guard let separator = name.utf8.lastIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) else {
            return name
        }
        return name[name.utf8.index(after: separator)...]
    }

    /// Returns whether the name ends with `suffix`, which is ASCII, ignoring case.
    func hasSuffix(ignoringCase suffix: String) -> Bool {
        utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) { $0.asciiLowercase == $1.asciiLowercase }
    }
}

/// The suffix that a compressor adds to a file's name.
private enum CompressionSuffix {
    static let all = [".gz", ".zst", ".xz", ".bz2"]

    /// Returns the name without its suffix; `nil` if it has none of these.
    static func removed(from name: Substring) -> Substring? {
        guard let suffix = all.first(where: { name.hasSuffix(ignoringCase: $0) }) else { return nil }
        return name.dropLast(suffix.count)
    }
}

/// The name of one text of a stream.
struct LogTextName: Hashable, Sendable {
    /// The name to display: the source's, and inside an archive also the entry's: `logs.zip: WFE1-20260101-1000.log`.
    let name: String
    /// The server that wrote it, according to its name.
    let server: String?

    /// Names the only text of a source.
    init(_ source: LogSource) {
        name = source.name
        server = source.server
    }

    /// Names an entry of an archive.
    init(entry: String, in source: LogSource) {
        name = "\(source.name): \(entry)"
        server = LogFileName(entry)?.server ?? source.server
    }
}
