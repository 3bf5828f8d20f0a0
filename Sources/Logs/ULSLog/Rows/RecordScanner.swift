/// The consumer of the records in a stretch of log.
protocol RecordSink {
    /// Takes a record. The window is valid only during the call.
    mutating func take(_ window: borrowing ByteWindow, _ fields: RowFields)
}

/// A scanner that cuts text into records, and accounts for every line.
///
/// A record is a row and the lines below it that begin neither a row nor a header. The text comes in pieces of any
/// size; the incomplete end of a piece comes again with the next.
struct RecordScanner {
    /// The next step when a piece is used up.
    enum Stop: Equatable {
        /// Call again with the bytes from this offset on, and more.
        case needsMore(from: Int)
        /// A row that belongs to the next unit begins at this offset.
        case atEnd(Int)
    }

    private(set) var quality = ReadQuality()
    private(set) var parser = RowParser()
    private var rowStarts = RowStartReader()
    /// Whether lines are skipped uncounted until the first row, because they belong to the previous unit.
    private var isSeeking: Bool
    /// Whether the rest of a line is skipped: it is too long for a record, or may belong to the previous unit.
    private var isInsideLine: Bool
    private let maximumRecord: Int
    /// The offset of the window, in bytes from the unit's beginning.
    var origin: Int64 = 0

    init(isSeeking: Bool, maximumRecord: Int = LogLimit.rowBytes.maximum) {
        self.isSeeking = isSeeking
        // A unit is read from the byte before it, to see whether a line ends there.
        isInsideLine = isSeeking
        self.maximumRecord = maximumRecord
    }

    /// Whether the text at hand may belong to no record of this unit; then nothing may be skipped.
    var isBetweenRecords: Bool { isSeeking || isInsideLine }

    /// Accounts for the lines of records that were skipped because nobody wants them.
    mutating func passOver(lines: Int) {
        quality.lines += lines
        quality.passedOver += lines
    }

    /// Scans the first `length` bytes of a window; rows at or after `limit` belong to the next unit.
    @inline(__always)
    mutating func scan(
        _ window: borrowing ByteWindow,
        length: Int,
        limit: Int,
        isLast: Bool,
        into sink: inout some RecordSink
    ) -> Stop {
        var start = 0
        var lineEnds = LineEnds()
        var known: RowStart?
        if isInsideLine {
            let end = lineEnds.first(window, from: 0, to: length)
            guard end < length else { return .needsMore(from: length) }
            isInsideLine = false
            start = end &+ 1
        }
        while start < length {
            guard let row = known ?? rowStarts.read(window, at: start, end: length) else {
                let most = max(maximumRecord, HeaderLine.maximumLook)
                let end = lineEnds.first(window, from: start, to: length)
                guard end < length || isLast || length &- start >= most else { break }
                countStray(window, start..<min(end, start &+ most))
                if end == length, !isLast {
                    isInsideLine = true
                    return .needsMore(from: length)
                }
                start = end &+ 1
                continue
            }
            known = nil
            if start >= limit { return .atEnd(start) }
            // The recognized part holds no line end.
            let lineEnd = lineEnds.first(window, from: row.tab, to: length)
            guard lineEnd < length || isLast || length &- start >= maximumRecord else { break }
            // The lines below that belong to it.
            var end = lineEnd
            var lines = 1
            var isTruncated = lineEnd &- start > maximumRecord
            while !isTruncated {
                let below = end &+ 1
                if below >= length {
                    guard isLast else { return .needsMore(from: start) }
                    break
                }
                // Enough of the line below to tell what it is; then enough of the record to tell that it is too long.
                let isEnough = isLast || length &- below >= HeaderLine.maximumLook
                let belowEnd = isEnough ? length : lineEnds.first(window, from: below, to: length)
                if !isEnough, belowEnd == length { return .needsMore(from: start) }
                known = rowStarts.read(window, at: below, end: length)
                if known != nil { break }
                let lineBelow = below..<(isEnough ? lineEnds.first(window, from: below, to: length) : belowEnd)
                if isHeader(window, lineBelow) { break }
                if lineBelow.upperBound == length, !isLast, length &- start <= maximumRecord {
                    return .needsMore(from: start)
                }
                if lineBelow.upperBound &- start > maximumRecord {
                    isTruncated = true
                    break
                }
                end = lineBelow.upperBound
                lines &+= 1
            }
            let extent = RecordExtent(
                start: start,
                lineEnd: lineEnd,
                end: end,
                lineCount: lines,
                isTruncated: isTruncated
            )
            take(window, row, extent, &sink)
            if isTruncated, lineEnd == length, !isLast {
                isInsideLine = true
                return .needsMore(from: length)
            }
            start = end &+ 1
        }
        return .needsMore(from: min(start, length))
    }

    /// Hands over the record of a row, without the blank lines below it.
    // A separate function, because the optimizer gives up on one that does all the work for a row.
    @inline(never)
    private mutating func take(
        _ window: borrowing ByteWindow,
        _ row: RowStart,
        _ extent: RecordExtent,
        _ sink: inout some RecordSink
    ) {
        isSeeking = false
        guard extent.lineCount == 1, !extent.isTruncated else { return takeAny(window, row, extent, &sink) }
        let end = window[extent.end &- 1] == 0x0D ? extent.end &- 1 : extent.end
        guard
            let fields = parser.parsePadded(
                window,
                row,
                from: extent.start,
                to: end,
                line: quality.lines,
                position: origin &+ Int64(extent.start)
            )
        else { return takeAny(window, row, extent, &sink) }
        quality.lines &+= 1
        quality.records &+= 1
        sink.take(window, fields)
    }

    /// Hands over a record of any layout and any number of lines.
    @inline(never)
    private mutating func takeAny(
        _ window: borrowing ByteWindow,
        _ row: RowStart,
        _ extent: RecordExtent,
        _ sink: inout some RecordSink
    ) {
        let start = extent.start
        let lineCount = extent.lineCount
        var end = extent.isTruncated ? min(extent.end, start &+ maximumRecord) : extent.end
        var own = lineCount
        if lineCount > 1 { own &-= trimBlankLines(window, from: extent.lineEnd, to: &end) }
        if end > start, window[end &- 1] == 0x0D { end &-= 1 }
        var fields = RowFields(start: start, end: end, line: quality.lines, lineCount: own)
        fields.position = origin &+ Int64(start)
        quality.lines &+= lineCount
        quality.blank &+= lineCount &- own
        if extent.isTruncated { quality.reach(.rowBytes) }
        if parser.parse(window, row, lineEnd: min(extent.lineEnd, end), into: &fields) {
            quality.records &+= 1
            quality.continuations &+= own &- 1
            sink.take(window, fields)
        } else {
            quality.notUnderstood &+= own
        }
    }

    /// Removes blank lines from the end of a record, and returns how many.
    @inline(never)
    private func trimBlankLines(_ window: borrowing ByteWindow, from lineEnd: Int, to end: inout Int) -> Int {
        var count = 0
        while end > lineEnd {
            var start = end
            while start > lineEnd, window[start - 1] != 0x0A { start -= 1 }
            guard start > lineEnd, window.isBlank(start..<end) else { return count }
            end = start - 1
            count += 1
        }
        return count
    }

    /// Accounts for a line above the first row or below a truncated record.
    private mutating func countStray(_ window: borrowing ByteWindow, _ line: Range<Int>) {
        guard !isSeeking else { return }
        quality.lines += 1
        if window.isBlank(line) {
            quality.blank += 1
        } else if isHeader(window, line) {
            quality.headers += 1
        } else {
            quality.notUnderstood += 1
        }
    }

    /// Returns whether a line names the columns: `Timestamp` or `TimestampUtc` and a tab, perhaps after a byte-order
    /// mark.
    @inline(__always)
    private func isHeader(_ window: borrowing ByteWindow, _ line: Range<Int>) -> Bool {
        let first = window[line.lowerBound]
        guard first == 0x54 || first == 0xEF || first == 0x74 else { return false }
        return HeaderLine.isHeader(window, line)
    }
}

/// The extent of a record in its window; its first physical line ends at `lineEnd`.
private struct RecordExtent {
    var start: Int
    var lineEnd: Int
    var end: Int
    var lineCount: Int
    var isTruncated: Bool
}
