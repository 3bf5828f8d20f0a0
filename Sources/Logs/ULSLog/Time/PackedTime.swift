/// A ``LogTime`` in one word, ordered by instant: what tables keep of millions of rows.
struct PackedTime: Hashable, Comparable {
    let rawValue: Int64

    init(rawValue: Int64) { self.rawValue = rawValue }

    /// The instant's place above twelve bits: eight for the offset in quarters of an hour, four for the quality.
    init(clock: Int64, offset: Int32, quality: LogTime.Quality) {
        self.init(clock: clock, lowBits: Self.lowBits(offset: offset, quality: quality), offset: offset)
    }

    @inline(__always)
    init(clock: Int64, lowBits: Int64, offset: Int32) {
        rawValue = (clock &- Int64(offset) &* 1000) &<< 12 | lowBits
    }

    static func lowBits(offset: Int32, quality: LogTime.Quality) -> Int64 {
        ((Int64(offset) / 900 + 128) & 0xFF) << 4 | Int64(Self.qualities.firstIndex(of: quality) ?? 0)
    }

    /// Milliseconds.
    @inline(__always)
    var instant: Int64 { rawValue &>> 12 }

    var time: LogTime {
        let offset = ((rawValue >> 4) & 0xFF) - 128
        let quality = Self.qualities[Int(rawValue & 0xF) % Self.qualities.count]
        return LogTime(clock: instant + offset * 900_000, offset: Int32(offset * 900), quality: quality)
    }

    /// Whether it is more than a time of day.
    @inline(__always)
    var hasDate: Bool { rawValue & 0xF < Self.firstWithoutDate }

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    private static let qualities = LogTime.Quality.allCases
    /// The place of ``LogTime/Quality/timeOnly`` among them; only ``LogTime/Quality/none`` is behind it.
    private static let firstWithoutDate: Int64 = 4
}
