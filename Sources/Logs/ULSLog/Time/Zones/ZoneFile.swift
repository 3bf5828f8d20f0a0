/// A file of the time zone database, in the format TZif (RFC 9636), versions 1 to 4.
struct ZoneFile {
    /// The largest file that is read, in bytes; the database's own have less than 4 KiB.
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

        /// How many bytes the block has, with times of `size` bytes.
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
            // The first block is for readers that know version 1 only.
            offset += header.length(size: 4)
            guard let second = self.header() else { return nil }
            header = second
            size = 8
        }
        guard offset + header.length(size: size) <= bytes.count, header.kinds > 0, header.leapSeconds == 0 else {
            return nil
        }
        let kinds = offset + header.changes * (size + 1)
        // Before all changes the first kind holds.
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
            // Many changes are of the name only.
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

    /// What goes on behind the last change: a line of its own, which may be empty.
    private func footer() -> (rule: YearlyRule?, end: Int)? {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\n"),
            let end = bytes[(offset + 1)...].firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        let text = bytes[offset + 1..<end]
        guard !text.isEmpty else { return (nil, end) }
        return YearlyRule(posix: text).map { ($0, end) }
    }

    /// The signed number at a place that is known to be within the file, most significant byte first.
    private func integer(at place: Int, size: Int) -> Int64 {
        var value: Int64 = bytes[place] >= 0x80 ? -1 : 0
        for byte in bytes[place..<place + size] { value = value << 8 | Int64(byte) }
        return value
    }
}
