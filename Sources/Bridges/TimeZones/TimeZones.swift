import Files
import Glibc
import TextKit

/// The offsets of a time zone's clocks at every instant: past, present and future.
public struct TimeZoneRules: Hashable, Sendable {
    /// A time between two changes of the offset, in seconds since 1970-01-01T00:00:00Z.
    package struct Stretch: Equatable {
        package var start: Int64
        /// The first instant after it.
        package var end: Int64
        /// The number of seconds by which the clocks are ahead of UTC.
        package var offset: Int32
    }

    /// The number of instants to which a reading of the zone's clocks may refer: one, two or none.
    package enum ClockReading { case unique, repeated, skipped }

    /// The greatest offset from UTC of any clock, in seconds; see RFC 9636 §3.2.
    package static let greatestOffset: Int64 = 93_600

    /// The names of all zones in the machine's database; empty if it has no list of them.
    package static var names: [String] { ZoneFolder(path: ZoneFolder.standardPath).names }

    /// The name as given.
    public let name: String
    /// The instants of the recorded changes, in ascending order.
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

    /// Returns the offsets for the earliest and the latest instant to which a clock reading may refer.
    package func offsets(ofClock clock: Int64) -> (first: Int32, last: Int32, reading: ClockReading) {
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
        return (found.first, found.last, found.isTwice ? .repeated : .unique)
    }

    /// Returns the time between two changes that contains an instant.
    package func stretch(at instant: Int64) -> Stretch {
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
    /// The longest zone name, in bytes.
    private static let longestName = 64

    /// Creates the zone with this name.
    ///
    /// Accepts names from the IANA database (`Europe/Berlin`), `UTC` and `Z`, and offsets: `+02:00`, `-0530`, `+2`,
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
                    ? "the time zone name is missing: use one like Europe/Berlin or an offset such as +02:00"
                    : "'\(name.prefix(Self.longestName))' is not a time zone: use a name like Europe/Berlin or an"
                        + " offset such as +02:00"
            )
        }
        guard !["local", "localtime"].contains(name.lowercased()) else {
            throw TimeZoneError(
                code: .malformedName,
                message: "'\(name)' is this machine's zone; specify the zone of the server that wrote the logs, like"
                    + " Europe/Berlin"
            )
        }
        self = try ZoneFolder(path: folder).rules(named: name)
    }

    /// Returns whether a name is made up of letters, digits, `_`, `+`, `-` and `.`, in parts separated by slashes;
    /// spaces are allowed because Windows zone names contain them.
    private static func isWellFormed(_ name: String) -> Bool {
        guard (1...longestName).contains(name.utf8.count) else { return false }
        return name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            let isPlain = part.allSatisfy { $0.isLetter || $0.isDigit || "_+-. ".utf8.contains($0) }
            return isPlain && part.first.map { $0 != UInt8(ascii: ".") } ?? false
        }
    }

    /// Returns the offset in seconds if the name is an offset; nil for other names.
    private static func fixedOffset(_ name: String) throws(TimeZoneError) -> Int32? {
        let bytes = Array(name.utf8)
        var start = 0
        for word in ["utc", "gmt", "z"] where bytes.prefix(word.utf8.count).map(\.lowercased).elementsEqual(word.utf8) {
            start = max(start, word.utf8.count)
        }
        if start == bytes.count { return start > 0 ? 0 : nil }
        guard let offset = UTCOffset.parse(bytes[start...]) else {
            guard start == 0, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-") else { return nil }
            throw TimeZoneError(
                code: .malformedName,
                message:
                    "'\(name.prefix(longestName))' is not an offset: use one between -14:00 and +14:00, like +02:00"
            )
        }
        return offset
    }
}

/// An offset from UTC as text.
package enum UTCOffset {
    /// The greatest offset from UTC of any clock, in seconds.
    private static let greatest: Int32 = 14 * 3600

    /// Returns the seconds that `+2`, `+02`, `+0230` or `+02:30` denotes; nil for anything else.
    package static func parse(_ text: ArraySlice<UInt8>) -> Int32? {
        guard let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        var digits = Array(text.dropFirst())
        if digits.count == 5 || digits.count == 4, digits[digits.count - 3] == UInt8(ascii: ":") {
            digits.remove(at: digits.count - 3)
        } else if digits.count == 3 {
            return nil
        }
        guard (1...4).contains(digits.count), digits.allSatisfy(\.isDigit) else { return nil }
        let number = digits.reduce(Int32(0)) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
        let (hours, minutes) = digits.count > 2 ? (number / 100, number % 100) : (number, 0)
        let seconds = hours * 3600 + minutes * 60
        guard minutes < 60, seconds <= greatest else { return nil }
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }
}

/// The reason a time zone can't be used.
public struct TimeZoneError: Error, Hashable, Sendable {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped { case malformedName, unknownName, repeated, noDatabase, damaged, cannotRead }
        private let wrapped: Wrapped

        /// The text is neither a possible zone name nor a server with a zone.
        public static let malformedName = Code(wrapped: .malformedName)
        /// No zone has this name.
        public static let unknownName = Code(wrapped: .unknownName)
        /// Two zones for one server.
        public static let repeated = Code(wrapped: .repeated)
        /// The machine has no time zone database.
        public static let noDatabase = Code(wrapped: .noDatabase)
        /// The zone's file is not a time zone file, or is damaged.
        public static let damaged = Code(wrapped: .damaged)
        /// The file of the zone can't be read.
        public static let cannotRead = Code(wrapped: .cannotRead)
    }

    /// The kind of failure.
    public var code: Code
    /// The problem, its location, and the remedy.
    public var message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}

extension TimeZoneError: CustomStringConvertible {
    public var description: String { message }
}

/// A file of the time zone database, in the format TZif (RFC 9636), versions 1 to 4.
struct ZoneFile {
    /// The largest file that is read, in bytes; the files of the database are smaller than 4 KiB.
    static let longest = 1 << 16

    private let bytes: [UInt8]
    private var offset = 0

    /// The counts at the start of a block.
    private struct Header {
        var version: UInt8
        var utcMarks: Int
        var standardMarks: Int
        var leapSeconds: Int
        var changes: Int
        var kinds: Int
        var names: Int

        /// Returns the block's size in bytes if each time takes `size` bytes.
        func length(size: Int) -> Int {
            changes * (size + 1) + kinds * 6 + names + leapSeconds * (size + 4) + standardMarks + utcMarks
        }
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a zone's file; nil if it is damaged or counts leap seconds.
    static func rules(named name: String, from bytes: [UInt8]) -> TimeZoneRules? {
        var file = ZoneFile(bytes)
        return file.rules(named: name)
    }

    private mutating func rules(named name: String) -> TimeZoneRules? {
        guard var header = header() else { return nil }
        var size = 4
        if header.version != 0 {
            // The first block is for readers that support only version 1.
            offset += header.length(size: 4)
            guard let second = self.header() else { return nil }
            header = second
            size = 8
        }
        guard offset + header.length(size: size) <= bytes.count, header.kinds > 0, header.leapSeconds == 0 else {
            return nil
        }
        let kinds = offset + header.changes * (size + 1)
        // The first kind applies before all changes.
        guard let first = ahead(at: kinds) else { return nil }
        var changes: [Int64] = []
        var offsets = [first]
        var last = Int64.min
        for index in 0..<header.changes {
            let time = integer(at: offset + index * size, size: size)
            let kind = Int(bytes[offset + header.changes * size + index])
            guard index == 0 || time > last, kind < header.kinds, let ahead = ahead(at: kinds + kind * 6) else {
                return nil
            }
            last = time
            // Many changes affect only the name.
            guard ahead != offsets.last else { continue }
            changes.append(time)
            offsets.append(ahead)
        }
        offset += header.length(size: size)
        guard size == 8 else { return TimeZoneRules(name: name, changes: changes, offsets: offsets, rule: nil) }
        return footer().map { TimeZoneRules(name: name, changes: changes, offsets: offsets, rule: $0.rule) }
    }

    private func ahead(at place: Int) -> Int32? {
        let ahead = integer(at: place, size: 4)
        return ahead.magnitude <= TimeZoneRules.greatestOffset ? Int32(ahead) : nil
    }

    private mutating func header() -> Header? {
        guard bytes.count - offset >= 44, bytes[offset..<offset + 4].elementsEqual("TZif".utf8) else { return nil }
        let counts = (0..<6).map { Int(UInt32(truncatingIfNeeded: integer(at: offset + 20 + $0 * 4, size: 4))) }
        let version = bytes[offset + 4]
        offset += 44
        let header = Header(
            version: version,
            utcMarks: counts[0],
            standardMarks: counts[1],
            leapSeconds: counts[2],
            changes: counts[3],
            kinds: counts[4],
            names: counts[5]
        )
        return header.length(size: 4) <= bytes.count - offset ? header : nil
    }

    /// Reads the rule after the last change: a separate line, which may be empty.
    private func footer() -> (rule: POSIXTimeZoneRule?, end: Int)? {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\n"),
            let end = bytes[(offset + 1)...].firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        let text = bytes[offset + 1..<end]
        guard !text.isEmpty else { return (nil, end) }
        return POSIXTimeZoneRule(posix: text).map { ($0, end) }
    }

    /// Returns the signed big-endian number at a position known to be within the file.
    private func integer(at place: Int, size: Int) -> Int64 {
        var value: Int64 = bytes[place] >= 0x80 ? -1 : 0
        for byte in bytes[place..<place + size] { value = value << 8 | Int64(byte) }
        return value
    }
}

/// The folder of the machine's time zone database.
package struct ZoneFolder {
    /// The folder in which the package `tzdata` installs the database.
    package static let standardPath = "/usr/share/zoneinfo"
    /// The maximum size of the list of names, in bytes.
    private static let longestList = 1 << 20

    var path: String

    /// Returns the zone with a name that is known to be well formed.
    func rules(named name: String) throws(TimeZoneError) -> TimeZoneRules {
        let bytes: [UInt8]
        switch Self.read(path + "/" + name, longest: ZoneFile.longest) {
        case .content(let content): bytes = content
        case .missing: throw missing(name)
        case .failure(let reason):
            throw TimeZoneError(code: .cannotRead, message: "cannot read the time zone '\(name)': \(reason)")
        }
        guard let rules = ZoneFile.rules(named: name, from: bytes) else {
            throw TimeZoneError(
                code: .damaged,
                message: "'\(path)/\(name)' is not a time zone file, or is damaged: reinstall the package tzdata, or"
                    + " use an offset such as +02:00"
            )
        }
        return rules
    }

    private func missing(_ name: String) -> TimeZoneError {
        guard unsafe access(path, F_OK) == 0 else {
            return TimeZoneError(
                code: .noDatabase,
                message: "there are no time zones in '\(path)': install the package tzdata, or use an offset such as"
                    + " +02:00"
            )
        }
        let advice =
            if name.lowercased().hasSuffix("standard time") {
                "Windows names are not supported here: use one like Europe/Berlin or an offset such as +02:00"
            } else if let nearest = nearest(to: name) {
                "did you mean '\(nearest)'?"
            } else {
                "use a name like Europe/Berlin or an offset such as +02:00"
            }
        return TimeZoneError(code: .unknownName, message: "there is no time zone '\(name)': \(advice)")
    }

    /// The zones of cities by their names in other languages, if those names are more similar to the name of another
    /// zone.
    private static let englishCities = [
        "wien": "Europe/Vienna", "vienne": "Europe/Vienna", "rom": "Europe/Rome", "roma": "Europe/Rome",
        "mailand": "Europe/Rome", "prag": "Europe/Prague", "warschau": "Europe/Warsaw", "moskau": "Europe/Moscow",
        "lissabon": "Europe/Lisbon", "kopenhagen": "Europe/Copenhagen", "zuerich": "Europe/Zurich",
        "zürich": "Europe/Zurich", "genf": "Europe/Zurich", "athen": "Europe/Athens", "londres": "Europe/London",
        "bruessel": "Europe/Brussels", "brüssel": "Europe/Brussels", "münchen": "Europe/Berlin",
    ]

    /// The names of all zones, if the folder has a list of them.
    var names: [String] {
        guard case .content(let list) = Self.read(path + "/tzdata.zi", longest: Self.longestList) else { return [] }
        var names: [String] = []
        for line in list.split(separator: UInt8(ascii: "\n")) {
            // `Z name …` is a zone, `L target name` another name for a zone.
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
            guard let kind = words.first, kind.elementsEqual("Z".utf8) || kind.elementsEqual("L".utf8) else {
                continue
            }
            let place = kind.elementsEqual("Z".utf8) ? 1 : 2
            if words.count > place { names.append(String(decoding: words[place], as: UTF8.self)) }
        }
        return names
    }

    /// Returns a similar name, or the name of the zone whose city is given.
    private func nearest(to name: String) -> String? {
        let names = names
        guard !names.isEmpty else { return nil }
        if let english = Self.englishCities[name.lowercased().split(separator: "/").last.map(String.init) ?? ""] {
            return english
        }
        let city = "/" + name.lowercased()
        return names.first { $0.lowercased().hasSuffix(city) } ?? name.nearest(in: names)
    }

    private enum Content {
        case content([UInt8])
        case missing
        case failure(String)
    }

    private static func read(_ path: String, longest: Int) -> Content {
        do throws(FileError) {
            return .content(try SmallFile.read(path, maximum: longest))
        } catch {
            switch error.reason {
            case .folder, .special: return .missing
            case .tooLarge: return .failure("the file is larger than \(longest) bytes")
            default: return error.isMissing ? .missing : .failure("\(error.reason)")
            }
        }
    }
}

/// A yearly change of a zone's clocks, as POSIX writes it in `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct POSIXTimeZoneRule: Hashable {
    /// The moment in a year at which clocks change.
    struct Change: Hashable {
        /// The day of the change.
        enum Day: Hashable {
            /// `Jn`: from 1 to 365; February 29 does not count.
            case withoutLeapDay(Int64)
            /// `n`: from 0 to 365.
            case withLeapDay(Int64)
            /// `Mm.w.d`: the weekday, from Sunday = 0, in week 1 to 5 of the month; 5 is the last one.
            case weekday(Int64, week: Int64, month: Int)
        }

        var day: Day
        /// The time of the change in seconds since midnight, on the clock in force before it; may be negative, or days
        /// away.
        var time: Int64
    }

    /// The part of the year with another offset.
    struct DaylightTime: Hashable {
        var offset: Int32
        var start: Change
        var end: Change
    }

    /// Seconds ahead of UTC, in standard time.
    var offset: Int32
    /// The part of the year with another offset.
    ///
    /// Ireland's standard time is in summer, so this part may be in winter, with the clocks set back.
    var daylightTime: DaylightTime?

    /// Returns the time between two changes that contains an instant.
    func stretch(at instant: Int64) -> TimeZoneRules.Stretch {
        guard let daylightTime else { return TimeZoneRules.Stretch(start: .min, end: .max, offset: offset) }
        let year = CivilDate(days: instant.flooredQuotient(by: 86_400)).year
        var changes: [(instant: Int64, order: Int64, offset: Int32)] = []
        // A change may be a week outside its year, so two years on either side are considered.
        for year in year - 2...year + 2 {
            changes.append((daylightTime.start.seconds(in: year) - Int64(offset), 2 * year, daylightTime.offset))
            changes.append((daylightTime.end.seconds(in: year) - Int64(daylightTime.offset), 2 * year + 1, offset))
        }
        // Year-round summer time is written as an end and a start at the same instant; the later year's start wins.
        changes.sort { ($0.instant, $0.order) < ($1.instant, $1.order) }
        var stretch = TimeZoneRules.Stretch(start: .min, end: .max, offset: offset)
        for change in changes {
            if change.instant > instant {
                stretch.end = change.instant
                break
            }
            stretch.start = change.instant
            stretch.offset = change.offset
        }
        return stretch
    }
}

extension POSIXTimeZoneRule.Change {
    /// Returns the seconds from 1970-01-01T00:00:00 to the change, on the clock in force before it.
    func seconds(in year: Int64) -> Int64 {
        let newYear = Self.days(year, 1)
        let days: Int64
        switch day {
        case .withoutLeapDay(let number): days = newYear + number - (CivilDate.isLeap(year) && number >= 60 ? 0 : 1)
        case .withLeapDay(let number): days = newYear + number
        case .weekday(let weekday, let week, let month):
            let first = Self.days(year, month)
            // 1970-01-01 was a Thursday.
            let ahead = (weekday - first - 4).flooredRemainder(by: 7)
            let length = Int64(CivilDate.days(inMonth: month, of: year))
            let offset = ahead + (week - 1) * 7
            days = first + (offset < length ? offset : offset - 7)
        }
        return days * 86_400 + time
    }

    /// Returns the first day of a month.
    private static func days(_ year: Int64, _ month: Int) -> Int64 {
        CivilDate(year: year, month: month, day: 1)?.days ?? 0
    }
}

extension POSIXTimeZoneRule {
    /// Reads a POSIX `TZ` string, with hours up to 167, as RFC 9636 allows; nil if the text is not one.
    ///
    /// A zone with summer time must define the dates when it begins and ends.
    init?(posix text: ArraySlice<UInt8>) {
        var reader = PosixReader(rest: text)
        guard reader.skipName(), let west = reader.time(hours: 24) else { return nil }
        offset = Int32(-west)
        guard !reader.rest.isEmpty else { return }
        guard reader.skipName() else { return nil }
        var ahead = Int64(offset) + 3600
        if reader.rest.first != UInt8(ascii: ",") {
            guard let west = reader.time(hours: 24) else { return nil }
            ahead = -west
        }
        guard let start = reader.change(), let end = reader.change(), reader.rest.isEmpty else { return nil }
        daylightTime = DaylightTime(offset: Int32(ahead), start: start, end: end)
    }
}

private struct PosixReader {
    var rest: ArraySlice<UInt8>

    /// Skips three or more letters, or `<+03>`.
    mutating func skipName() -> Bool {
        if take("<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let name = rest.prefix { $0.isLetter }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    /// Reads `,M3.5.0/2`.
    mutating func change() -> POSIXTimeZoneRule.Change? {
        guard take(",") else { return nil }
        let day: POSIXTimeZoneRule.Change.Day
        if take("M") {
            guard let month = number(1...12), take("."), let week = number(1...5), take("."),
                let weekday = number(0...6)
            else { return nil }
            day = .weekday(weekday, week: week, month: Int(month))
        } else if take("J") {
            guard let number = number(1...365) else { return nil }
            day = .withoutLeapDay(number)
        } else {
            guard let number = number(0...365) else { return nil }
            day = .withLeapDay(number)
        }
        guard take("/") else { return POSIXTimeZoneRule.Change(day: day, time: 7200) }
        return time(hours: 167).map { POSIXTimeZoneRule.Change(day: day, time: $0) }
    }

    /// Reads `[+-]hh[:mm[:ss]]`, in seconds.
    mutating func time(hours: Int64) -> Int64? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hour = number(0...hours) else { return nil }
        var seconds = hour * 3600
        for unit: Int64 in [60, 1] {
            guard take(":") else { break }
            guard let part = number(0...59) else { return nil }
            seconds += part * unit
        }
        return isNegative ? -seconds : seconds
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
        let digits = rest.prefix { $0.isDigit }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        let value = digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        return range.contains(value) ? value : nil
    }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
