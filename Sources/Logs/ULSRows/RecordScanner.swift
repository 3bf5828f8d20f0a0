import TextKit

/// The consumer of the records in a stretch of log.
package protocol RecordSink {
    /// Takes a record; the window is valid only during the call.
    mutating func take(_ window: borrowing ByteWindow, _ fields: RowFields)
}

/// A scanner that divides text into records and accounts for every line.
///
/// A record is a row and the lines below it that begin neither a row nor a header. The text arrives in pieces of any
/// size; the incomplete end of a piece is passed again as part of the next piece.
package struct RecordScanner {
    /// The next step after a piece has been consumed.
    package enum Stop: Equatable {
        /// The scanner must be called again with the bytes from this offset on, followed by more text.
        case needsMore(from: Int)
        /// A row in the next unit begins at this offset.
        case atEnd(Int)
    }

    package private(set) var quality = ReadQuality()
    package private(set) var parser = RowParser()
    private var rowStarts = RowStartReader()
    /// Whether lines are skipped without being counted until the first row, because they are part of the previous unit.
    private var isSeeking: Bool
    /// Whether the rest of a line is skipped, because it is too long for a record or may be part of the previous unit.
    private var isInsideLine: Bool
    private let maximumRecord: Int
    /// The offset of the window, in bytes from the unit's beginning.
    package var origin: Int64 = 0

    package init(isSeeking: Bool, maximumRecord: Int = LogLimit.rowBytes.maximum) {
        self.isSeeking = isSeeking
        // Reading begins at the byte before a unit to determine whether a line ends there.
        isInsideLine = isSeeking
        self.maximumRecord = maximumRecord
    }

    /// Whether the current text may be outside this unit's records; if so, nothing may be skipped.
    package var isBetweenRecords: Bool { isSeeking || isInsideLine }

    /// Accounts for the lines of records that were skipped because they are not wanted.
    package mutating func passOver(lines: Int) {
        quality.lines += lines
        quality.passedOver += lines
    }

    /// Scans the first `length` bytes of a window; rows at or after `limit` are part of the next unit.
    @inline(__always)
    package mutating func scan(
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
            // The recognized part contains no line end.
            let lineEnd = lineEnds.first(window, from: row.tab, to: length)
            guard lineEnd < length || isLast || length &- start >= maximumRecord else { break }
            // Include the lines below that are part of the record.
            var end = lineEnd
            var lines = 1
            var isTruncated = lineEnd &- start > maximumRecord
            while !isTruncated {
                let below = end &+ 1
                if below >= length {
                    guard isLast else { return .needsMore(from: start) }
                    break
                }
                // This is enough of the line below to identify it, plus enough of the record to detect that it is too
                // long.
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

    /// Delivers the record of a row, without the blank lines below it.
    // This is a separate function because the optimizer gives up on a function that does all the work for a row.
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

    /// Delivers a record of any layout and any number of lines.
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

    /// Removes blank lines from the end of a record, and returns their number.
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

    /// Returns whether a line names the columns: `Timestamp` or `TimestampUtc` and a tab, possibly after a byte-order
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

/// The first column of a row: its time, and whether the row continues another.
package struct RowStart {
    /// The number of milliseconds since 1970 on the row's clock.
    package var clock: Int64
    /// The offset of the tab after the time.
    package var tab: Int
    /// Whether the layout is the one with `TimestampUtc`.
    package var isUTC: Bool
    /// Whether a `*` marks the row as continuing a message.
    var isMarked: Bool
}

/// A reader that recognizes rows by their first column, and reads the time in it.
///
/// Many rows share a minute, so the time of the minute is kept, and only the seconds are read again.
package struct RowStartReader {
    /// The text and the time of the last minute read; initially `01/01/1970 00:00`.
    private var minuteLow: UInt64 = 0x3931_2F31_302F_3130
    private var minuteHigh: UInt64 = 0x3030_3A30_3020_3037
    private var minute: Int64 = 0

    package init() {}

    /// Returns the start of a row at `start`, if any; the text ends at `end`.
    @inline(__always)
    package mutating func read(_ window: borrowing ByteWindow, at start: Int, end: Int) -> RowStart? {
        let row = window.part(from: start, count: 32)
        let low = row.word(0)
        // Nearly all rows have the same minute as the previous row, and no `*`.
        if low == minuteLow, row.word(8) == minuteHigh, end &- start >= 23 {
            let tail = row.word(16)
            if tail & 0xFFFF_0000_FF00_00FF == 0x0920_0000_2E00_003A, let time = Self.seconds(tail) {
                return RowStart(clock: minute &+ time, tab: start &+ 23, isUTC: false, isMarked: false)
            }
        }
        guard (low & 0xFF) &- 0x30 <= 9 else {
            // Files with byte-order marks may have been concatenated.
            return low & 0xFF_FFFF == 0xBF_BBEF ? readAnyForm(window, at: start &+ 3, end: end) : nil
        }
        return readElse(window, at: start, end: end)
    }

    @inline(never)
    private mutating func readElse(_ window: borrowing ByteWindow, at start: Int, end: Int) -> RowStart? {
        let row = window.part(from: start, count: 32)
        let low = row.word(0)
        if low & 0x0000_FF00_00FF_0000 == 0x0000_2F00_002F_0000, end &- start >= 23,
            let native = readNative(row, at: start, low)
        {
            return native
        }
        return readAnyForm(window, at: start, end: end)
    }

    /// Reads `MM/dd/yyyy HH:mm:ss.ff`, optionally a blank or a `*`, and a tab: the form that the service writes.
    private mutating func readNative(_ row: borrowing ByteWindow, at start: Int, _ low: UInt64) -> RowStart? {
        let high = row.word(8)
        // ":ss.ff" and the bytes that follow.
        let tail = row.word(16)
        guard tail & 0x0000_0000_FF00_00FF == 0x0000_0000_2E00_003A else { return nil }
        let mark = UInt8(truncatingIfNeeded: tail &>> 48)
        guard mark == 0x20 || mark == 0x2A || mark == 0x09 else { return nil }
        guard mark == 0x09 || row[23] == 0x09 else { return nil }
        guard let time = Self.seconds(tail) else { return nil }
        if low != minuteLow || high != minuteHigh {
            guard let read = Self.minute(row) else { return nil }
            minute = read
            minuteLow = low
            minuteHigh = high
        }
        let tab = mark == 0x09 ? start &+ 22 : start &+ 23
        return RowStart(clock: minute &+ time, tab: tab, isUTC: false, isMarked: mark == 0x2A)
    }

    /// Returns the milliseconds of `:ss.ff`, if the digits are in their expected positions.
    @inline(__always)
    private static func seconds(_ tail: UInt64) -> Int64? {
        // Digits are now 0 to 9, and any other character is greater.
        let digits = (tail ^ 0x0000_3030_0030_3000) & 0x0000_FFFF_00FF_FF00
        guard (digits &+ 0x0000_7676_0076_7600 | digits) & 0x0000_8080_0080_8000 == 0 else { return nil }
        let seconds = Int64((digits &>> 8) & 0xF) &* 10 &+ Int64((digits &>> 16) & 0xF)
        let hundredths = Int64((digits &>> 32) & 0xF) &* 10 &+ Int64((digits &>> 40) & 0xF)
        guard seconds < 60 else { return nil }
        return seconds &* 1000 &+ hundredths &* 10
    }

    /// Returns the time of `MM/dd/yyyy HH:mm`, if it is valid.
    @inline(never)
    private static func minute(_ row: borrowing ByteWindow) -> Int64? {
        var text = TimestampText(row, from: 0, to: 16)
        guard let date = text.usDate(), text.skip(0x20), let time = text.hourAndMinute(), text.offset == 16 else {
            return nil
        }
        return date + time
    }

    @inline(never)
    private func readAnyForm(_ window: borrowing ByteWindow, at start: Int, end: Int) -> RowStart? {
        var text = TimestampText(window, from: start, to: min(end, start + TimestampText.maximumLength))
        guard let (clock, isUTC) = text.timestamp() else { return nil }
        text.skipBlanks()
        let isMarked = text.skip(0x2A)
        text.skipBlanks()
        guard text.skip(0x09) else { return nil }
        return RowStart(clock: clock, tab: text.offset - 1, isUTC: isUTC, isMarked: isMarked)
    }
}

/// The line that names the columns.
package enum HeaderLine {
    /// The number of bytes within which the first column of a header or row ends.
    static let maximumLook = 64

    /// Returns whether a line is a header, with `Timestamp` or `TimestampUtc` as the name of its first column.
    package static func isHeader(_ window: borrowing ByteWindow, _ line: Range<Int>) -> Bool {
        var line = line
        if line.count > 3, window[line.lowerBound] == 0xEF, window[line.lowerBound + 1] == 0xBB,
            window[line.lowerBound + 2] == 0xBF
        {
            line = line.lowerBound + 3..<line.upperBound
        }
        let end = min(line.upperBound, line.lowerBound + maximumLook - 3)
        let tab = window.firstTab(from: line.lowerBound, to: end)
        guard tab < end else { return false }
        let name = window.trimmed(line.lowerBound..<tab)
        return window.equals(name, "timestamp") || window.equals(name, "timestamputc")
    }
}

extension ByteWindow {
    /// Returns whether a range equals `lowercase`, ignoring ASCII case.
    func equals(_ range: Range<Int>, _ lowercase: StaticString) -> Bool {
        guard range.count == lowercase.utf8CodeUnitCount else { return false }
        return lowercase.withUTF8Buffer { text in
            var index = 0
            for offset in range {
                let byte = self[offset]
                let isUpper = byte &- 0x41 < 26
                guard unsafe (isUpper ? byte | 0x20 : byte) == text[index] else { return false }
                index += 1
            }
            return true
        }
    }
}
