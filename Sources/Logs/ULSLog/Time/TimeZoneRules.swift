/// The offsets of a time zone's clocks at every instant: past, present and future.
public struct TimeZoneRules: Hashable, Sendable {
    /// A time between two changes of the offset, in seconds since 1970-01-01T00:00:00Z.
    struct Stretch: Equatable {
        var start: Int64
        /// The first instant after it.
        var end: Int64
        /// Seconds by which the clocks are ahead of UTC.
        var offset: Int32
    }

    /// The greatest offset from UTC of any clock, in seconds; see RFC 9636 §3.2.
    static let greatestOffset: Int64 = 93_600

    /// The name as given.
    public let name: String
    /// Instants of the recorded changes, in ascending order.
    private let changes: [Int64]
    /// The offset before the first change, and the offset after each change.
    private let offsets: [Int32]
    /// The rule after the last recorded change; nil to keep the last offset.
    private let rule: POSIXTimeZoneRule?

    /// Creates rules; `offsets` has one element more than `changes`, which ascend.
    init(name: String, changes: [Int64], offsets: [Int32], rule: POSIXTimeZoneRule?) {
        self.name = name
        self.changes = changes
        self.offsets = offsets
        self.rule = rule
    }

    /// Creates a zone whose clocks never change.
    init(name: String, fixedOffset: Int32) {
        self.init(name: name, changes: [], offsets: [fixedOffset], rule: nil)
    }

    /// Coordinated Universal Time.
    public static let utc = TimeZoneRules(name: "UTC", fixedOffset: 0)

    /// Returns the seconds by which the clocks are ahead of UTC at an instant.
    ///
    /// The instant is in milliseconds since 1970-01-01T00:00:00Z.
    public func offset(at instant: Int64) -> Int32 { stretch(at: instant.flooredQuotient(by: 1000)).offset }

    /// Returns the meaning of a clock reading of this zone, in milliseconds since 1970-01-01T00:00:00 on that clock.
    ///
    /// A reading that a change repeats gets the offset of the earlier instant; one that a change skips gets the offset
    /// that was in force before.
    public func resolve(clock: Int64) -> LogTime {
        let found = offsets(ofClock: clock)
        return LogTime(clock: clock, offset: found.first, quality: found.quality)
    }

    /// Returns the offsets with which a clock reading means the earliest and the latest possible instant.
    func offsets(ofClock clock: Int64) -> (first: Int32, last: Int32, quality: LogTime.Quality) {
        let reading = clock.flooredQuotient(by: 1000)
        var stretch = stretch(at: reading - Self.greatestOffset)
        var before = stretch.offset
        var found: (first: Int32, last: Int32, isTwice: Bool)?
        while true {
            let instant = reading - Int64(stretch.offset)
            if instant >= stretch.end {
                before = stretch.offset
            } else if instant >= stretch.start {
                found = (found?.first ?? stretch.offset, stretch.offset, found != nil)
            }
            guard stretch.end <= reading + Self.greatestOffset else { break }
            stretch = self.stretch(at: stretch.end)
        }
        guard let found else { return (before, before, .skipped) }
        return (found.first, found.last, found.isTwice ? .ambiguous : .exact)
    }

    /// Returns the time between two changes that contains an instant.
    func stretch(at instant: Int64) -> Stretch {
        if let rule, instant >= changes.last ?? .min {
            var stretch = rule.stretch(at: instant)
            stretch.start = max(stretch.start, changes.last ?? .min)
            return stretch
        }
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= instant { low = middle + 1 } else { high = middle }
        }
        return Stretch(
            start: low == 0 ? .min : changes[low - 1],
            end: low == changes.count ? .max : changes[low],
            offset: offsets[low]
        )
    }
}

extension TimeZoneRules {
    /// Most bytes of a zone's name.
    private static let longestName = 64

    /// Creates the zone with this name.
    ///
    /// Names are those of the IANA database (`Europe/Berlin`), `UTC` and `Z`, and offsets: `+02:00`, `-0530`, `+2`,
    /// `UTC+2`. The name of this machine's own zone is not accepted: logs are read far from where they were written.
    public init(named name: String) throws(TimeZoneError) {
        try self.init(named: name, folder: ZoneFolder.standardPath)
    }

    /// Creates the zone with this name from the time zone database in a folder.
    public init(named name: String, folder: String) throws(TimeZoneError) {
        if let fixed = try Self.fixedOffset(name) {
            self.init(name: name, fixedOffset: fixed)
            return
        }
        guard Self.isWellFormed(name) else {
            throw TimeZoneError(
                code: .malformedName,
                message: name.isEmpty
                    ? "the name of a time zone is missing: give one like Europe/Berlin or an offset such as +02:00"
                    : "'\(name.prefix(Self.longestName))' is not a time zone: give a name like Europe/Berlin or an"
                        + " offset such as +02:00"
            )
        }
        guard !["local", "localtime"].contains(name.lowercased()) else {
            throw TimeZoneError(
                code: .malformedName,
                message: "'\(name)' is the zone of this machine: give that of the server that wrote the logs, like"
                    + " Europe/Berlin"
            )
        }
        self = try ZoneFolder(path: folder).rules(named: name)
    }

    /// Returns whether a name is made up of letters, digits, `_`, `+`, `-` and `.`, in parts between slashes; blanks
    /// occur in Windows' names.
    private static func isWellFormed(_ name: String) -> Bool {
        guard (1...longestName).contains(name.utf8.count) else { return false }
        return name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            let isPlain = part.allSatisfy { $0.isScopeLetter || $0.isScopeDigit || "_+-. ".utf8.contains($0) }
            return isPlain && part.first.map { $0 != UInt8(ascii: ".") } ?? false
        }
    }

    /// Returns the offset in seconds of a name that is one; nil for other names.
    private static func fixedOffset(_ name: String) throws(TimeZoneError) -> Int32? {
        let bytes = Array(name.utf8)
        let span = bytes.span
        var start = 0
        for word in ["utc", "gmt", "z"] where span.reads(word, at: 0) { start = max(start, word.utf8.count) }
        if start == bytes.count { return start > 0 ? 0 : nil }
        guard let offset = UTCOffset.parse(bytes[start...]) else {
            guard start == 0, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-") else { return nil }
            throw TimeZoneError(
                code: .malformedName,
                message:
                    "'\(name.prefix(longestName))' is not an offset: give one between -14:00 and +14:00, like +02:00"
            )
        }
        return offset
    }
}

/// An offset from UTC as text.
enum UTCOffset {
    /// The greatest offset from UTC of any clock, in seconds.
    private static let greatest: Int32 = 14 * 3600

    /// Returns the seconds that `+2`, `+02`, `+0230` or `+02:30` stands for; nil for anything else.
    static func parse(_ text: ArraySlice<UInt8>) -> Int32? {
        guard let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        var digits = Array(text.dropFirst())
        if digits.count == 5 || digits.count == 4, digits[digits.count - 3] == UInt8(ascii: ":") {
            digits.remove(at: digits.count - 3)
        } else if digits.count == 3 {
            return nil
        }
        guard (1...4).contains(digits.count), digits.allSatisfy(\.isScopeDigit) else { return nil }
        let number = digits.reduce(Int32(0)) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
        let (hours, minutes) = digits.count > 2 ? (number / 100, number % 100) : (number, 0)
        let seconds = hours * 3600 + minutes * 60
        guard minutes < 60, seconds <= greatest else { return nil }
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }
}

/// Time zones by server: the values of `--tz [SERVER=]ZONE`, given as often as needed.
public struct ServerZones: Hashable, Sendable {
    /// The zone of servers that were not named.
    public private(set) var `default`: TimeZoneRules?
    /// Zones by the server's name in lowercase.
    private var zones: [String: TimeZoneRules] = [:]

    /// Creates zones in which no server's zone is known.
    public init() {}

    /// Reads `ZONE` or `SERVER=ZONE`, each server at most once.
    public init(_ values: [String], folder: String? = nil) throws(TimeZoneError) {
        let folder = folder ?? ZoneFolder.standardPath
        for value in values {
            guard let sign = value.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                guard self.default == nil else {
                    throw TimeZoneError(
                        code: .repeated,
                        message:
                            "there are two time zones for all servers, the second is '\(value)': name its server, like"
                            + " WFE1=Europe/Berlin"
                    )
                }
                self.default = try TimeZoneRules(named: value, folder: folder)
                continue
            }
            let server = String(value[..<sign])
            guard !server.isEmpty else {
                throw TimeZoneError(
                    code: .malformedName,
                    message: "'\(value)' does not name a server: write it like WFE1=Europe/Berlin"
                )
            }
            guard zones[Self.folded(server)] == nil else {
                throw TimeZoneError(
                    code: .repeated,
                    message: "there are two time zones for the server '\(server)': give only one"
                )
            }
            zones[Self.folded(server)] = try TimeZoneRules(
                named: String(value[value.utf8.index(after: sign)...]),
                folder: folder
            )
        }
    }

    /// Returns the zone of a server's clock, nil if unknown; names are compared without regard to ASCII case.
    public func zone(for server: String?) -> TimeZoneRules? {
        guard let server, !zones.isEmpty else { return self.default }
        return zones[Self.folded(server)] ?? self.default
    }

    private static func folded(_ server: String) -> String {
        String(decoding: server.utf8.map(\.asciiLowercase), as: UTF8.self)
    }
}

/// The reason why a time zone can't be used.
public struct TimeZoneError: Error, Hashable, Sendable {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped { case malformedName, unknownName, repeated, noDatabase, damaged, cannotRead }
        private let wrapped: Wrapped

        /// The text can't be the name of a zone, nor a server and a zone.
        public static let malformedName = Code(wrapped: .malformedName)
        /// No zone has this name.
        public static let unknownName = Code(wrapped: .unknownName)
        /// Two zones for one server.
        public static let repeated = Code(wrapped: .repeated)
        /// The machine has no time zone database.
        public static let noDatabase = Code(wrapped: .noDatabase)
        /// The zone's file is not one, or is damaged.
        public static let damaged = Code(wrapped: .damaged)
        /// The file of the zone can't be read.
        public static let cannotRead = Code(wrapped: .cannotRead)
    }

    /// The kind of failure.
    public var code: Code
    /// The mistake, where it is, and what to do.
    public var message: String
}

extension TimeZoneError: CustomStringConvertible {
    public var description: String { message }
}
