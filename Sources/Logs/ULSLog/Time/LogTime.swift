/// When a row was written, as far as the row says it.
public struct LogTime: Hashable, Sendable {
    /// The clock reading as written, in milliseconds since 1970-01-01T00:00:00 on that clock.
    ///
    /// For ``Quality/timeOnly`` the milliseconds since midnight. Zero for ``Quality/none``.
    public var clock: Int64

    /// What that clock is ahead of UTC, in seconds; zero where nobody said.
    public var offset: Int32

    public var quality: Quality

    public init(clock: Int64, offset: Int32 = 0, quality: Quality) {
        self.clock = clock
        self.offset = offset
        self.quality = quality
    }

    /// The row has no time.
    public static let none = LogTime(clock: 0, quality: .none)

    /// What rows are ordered by: UTC where it is known, else the clock reading as it stands.
    ///
    /// A reading that a clock change repeats is ordered as the earlier of the two instants, one that it skips as if the
    /// clock had not changed.
    public var instant: Int64 { clock &- Int64(offset) * 1000 }

    /// Whether it is more than a time of day.
    public var hasDate: Bool { quality != .none && quality != .timeOnly }

    /// What is known of a time.
    public enum Quality: String, Sendable, CaseIterable {
        /// UTC is known: the row says it, or the server's zone was given.
        case exact
        /// A local time of a zone that nobody named.
        case local
        /// A local time that a clock change repeats: it may mean two instants.
        case ambiguous
        /// A local time that a clock change skips: no such instant.
        case skipped
        /// A time of day without a date, in a paste.
        case timeOnly
        /// No time at all.
        case none
    }
}
