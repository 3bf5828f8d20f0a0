extension TimeZoneRules {
    /// No name of a zone is longer, in bytes.
    static let longestName = 64

    /// The zone of a name.
    ///
    /// Names are those of the IANA database (`Europe/Berlin`), `UTC` and `Z`, and offsets: `+02:00`, `-0530`, `+2`,
    /// `UTC+2`. The name of this machine's own zone is none: logs are read far from where they were written.
    public init(named name: String) throws(TimeZoneError) {
        try self.init(named: name, folder: ZoneFolder.standardPath)
    }

    /// The zone of a name, with the time zone database in a folder.
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
                    : "'\(name.prefix(Self.longestName))' is no time zone: give a name like Europe/Berlin or an offset"
                        + " such as +02:00"
            )
        }
        guard !["local", "localtime"].contains(name.lowercased()) else {
            throw TimeZoneError(
                code: .malformedName,
                message: "'\(name)' is the zone of this machine: give the one of the server that wrote the logs, like"
                    + " Europe/Berlin"
            )
        }
        self = try ZoneFolder(path: folder).rules(named: name)
    }

    /// Letters, digits, `_`, `+`, `-` and `.`, in parts between slashes; a blank, for names that Windows has.
    private static func isWellFormed(_ name: String) -> Bool {
        guard (1...longestName).contains(name.utf8.count) else { return false }
        return name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            let isPlain = part.allSatisfy { $0.isScopeLetter || $0.isScopeDigit || "_+-. ".utf8.contains($0) }
            return isPlain && part.first.map { $0 != UInt8(ascii: ".") } ?? false
        }
    }

    /// The offset in seconds of a name that is one; nil for other names.
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
                message: "'\(name.prefix(longestName))' is no offset: give one between -14:00 and +14:00, like +02:00"
            )
        }
        return offset
    }
}

/// What a clock is ahead of UTC, as text.
enum UTCOffset {
    /// No clock is further from UTC, in seconds.
    static let greatest: Int32 = 14 * 3600

    /// The seconds that `+2`, `+02`, `+0230` or `+02:30` says; nil for anything else.
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
