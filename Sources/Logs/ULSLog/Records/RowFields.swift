/// Where the columns of one record stand in its window, and what of them is already understood.
///
/// Small, because one is made for each row.
struct RowFields {
    /// The first byte of the record, and the one behind its last physical line.
    @Offset var start: Int
    @Offset var end: Int
    /// The tabs behind the first seven columns.
    @Offset var timeEnd: Int
    @Offset var processEnd: Int
    @Offset var threadEnd: Int
    @Offset var areaEnd: Int
    @Offset var categoryEnd: Int
    @Offset var eventEnd: Int
    @Offset var levelEnd: Int
    /// Behind the message, blanks not yet trimmed.
    @Offset var messageEnd: Int
    /// The number of the process column, and that of area to level, in the parser's tables.
    @Offset var process: Int
    @Offset var columns: Int

    var correlation = CorrelationID.none
    /// The correlation's number with the parser; 0 is none.
    @Offset var correlationNumber: Int
    /// Milliseconds on the row's clock.
    var clock: Int64 = 0
    /// The first physical line's number within the unit, from 0.
    var line: Int
    /// Physical lines.
    @Offset var lineCount: Int
    var isUTC = false
    /// Whether the time is followed by a `*`.
    var isMarked = false
    var isInferred = false
    /// The quality of a time that has no date, or of none.
    var poorTime: LogTime.Quality?

    /// Whether its message was joined already, and its dots mean nothing.
    var isJoined = false
    /// Where the record begins, in bytes from the unit's beginning.
    var position: Int64 = 0

    init(start: Int = 0, end: Int = 0, line: Int = 0, lineCount: Int = 1) {
        self.line = line
        self.start = start
        self.end = end
        self.lineCount = lineCount
    }

    var message: Range<Int> { levelEnd &+ 1..<max(levelEnd &+ 1, messageEnd) }
    var hasCorrelation: Bool { correlationNumber != 0 }
}

/// An offset in a window, or another small number, in four bytes.
@propertyWrapper
struct Offset {
    private var value: UInt32 = 0

    @inline(__always)
    var wrappedValue: Int {
        get { Int(value) }
        set { value = UInt32(truncatingIfNeeded: newValue) }
    }
}
