/// Where the columns of one record stand in its window, and what of them is already understood.
struct RowFields {
    /// The first byte of the record, and the one behind its last physical line.
    var start = 0
    var end = 0
    /// The tabs behind the first seven columns.
    var timeEnd = 0
    var processEnd = 0
    var threadEnd = 0
    var areaEnd = 0
    var categoryEnd = 0
    var eventEnd = 0
    var levelEnd = 0
    /// Behind the message, blanks not yet trimmed.
    var messageEnd = 0
    var correlation = CorrelationID.none

    /// Milliseconds on the row's clock.
    var clock: Int64 = 0
    var isUTC = false
    /// Whether the time is followed by a `*`.
    var isMarked = false
    /// The quality of a time that has no date, or of none.
    var poorTime: LogTime.Quality?
    var isInferred = false

    /// The number of the process column, and that of area to level, in the parser's tables.
    var process = 0
    var columns = 0

    /// Where the record begins, in bytes from the unit's beginning.
    var position: Int64 = 0
    /// Whether its message was joined already, and its dots mean nothing.
    var isJoined = false

    /// Physical lines: the first one's number within the unit, from 0, and how many there are.
    var line = 0
    var lineCount = 1

    var message: Range<Int> { levelEnd &+ 1..<max(levelEnd &+ 1, messageEnd) }
    var hasCorrelation: Bool { correlation.high | correlation.low != 0 }
}
