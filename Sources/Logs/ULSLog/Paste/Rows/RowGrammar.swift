/// Reads the columns of a row where blanks stand for tabs.
///
/// A row is `[time] [process (id)] [thread] area category event-id level message`. What is optional may be missing,
/// glued to its neighbour or a placeholder; the event id with a known level word behind it never is.
struct RowGrammar {
    private let text: [UInt8]
    /// Where the text ends, without trailing blanks.
    private let textEnd: Int
    /// Where reading ends.
    private let end: Int
    private var cursor: Int
    private var time = 0..<0
    private var isContinuation = false
    private var process = 0..<0
    private var thread = 0..<0
    /// Whether what was read so far is nothing that prose begins with.
    private var isAnchored = false

    static func reading(_ text: [UInt8], limits: PasteLimits) -> RowReading {
        var grammar = RowGrammar(text, limit: limits.head)
        return grammar.reading()
    }

    private init(_ text: [UInt8], limit: Int) {
        self.text = text
        textEnd = text.trimmed.upperBound
        end = min(textEnd, limit)
        cursor = text.blanks(from: 0, to: end).end
    }

    private var isAtEnd: Bool { text.blanks(from: cursor, to: end).end == end }

    private mutating func reading() -> RowReading {
        let start = cursor
        let found = PastedTime(text, at: cursor, to: end)
        if let found {
            if found.kind == .dateOnly { return .unfinished }
            time = found.range
            isContinuation = found.isContinuation
            isAnchored = found.kind != .placeholder
            cursor = found.end
        }
        if isAtEnd { return isAnchored ? .unfinished : .none }
        guard let isFirstColumn = readProcessAndThread(hasTime: found != nil) else {
            return isAnchored && isLastWord ? .unfinished : .none
        }
        if isAtEnd { return isAnchored || text.trimmed.lowerBound == start && isLoneProcess ? .unfinished : .none }
        return readRest(isFirstColumn: isFirstColumn && found == nil)
    }

    /// Whether one word is left, which may be a process whose id is on the next line.
    private var isLastWord: Bool {
        let start = text.blanks(from: cursor, to: end).end
        return text.blanks(from: text.endOfWord(from: start, to: end), to: end).end == textEnd
    }

    private var isLoneProcess: Bool { !process.isEmpty && process == text.trimmed }

    /// Reads both columns; true if there was none of them, nil if what stands there is neither they nor an area.
    private mutating func readProcessAndThread(hasTime: Bool) -> Bool? {
        let gap = text.blanks(from: cursor, to: end)
        guard let found = PastedProcess(text, at: gap.end, to: end, isBehindTime: hasTime) else {
            guard hasTime, !startsWithArea(gap.end) else { return true }
            guard gap.isWide, !isLastWord else { return nil }
            // A time alone begins prose too: what follows must then look like columns.
            isAnchored = false
            return true
        }
        process = found.range
        cursor = found.end
        let next = text.blanks(from: cursor, to: end)
        if next.end == end {
            isAnchored = isAnchored || found.hasID
            return false
        }
        guard next.end > cursor || text[cursor] == UInt8(ascii: "0") else { return nil }
        if let id = HexadecimalID.thread(text, at: next.end, to: end) {
            thread = id.isPlaceholder ? id.end..<id.end : next.end..<id.end
            cursor = id.end
        } else {
            // "COMException (0x80070005) in …" is prose, and so is "10:39:40 w3wp.exe ended with High load".
            guard startsWithArea(next.end) || (found.hasID ? hasTime || next.isWide : hasTime && next.isWide) else {
                return nil
            }
        }
        isAnchored = isAnchored || found.hasID
        return false
    }

    private func startsWithArea(_ start: Int) -> Bool {
        !KnownAreas.ends(in: text, from: start, to: end).isEmpty
    }

    private func readRest(isFirstColumn: Bool) -> RowReading {
        guard let event = EventColumns(in: text, from: cursor, to: end) else {
            return isAnchored && end == textEnd && end - cursor <= Self.regionLimit ? .unfinished : .none
        }
        let region = cursor..<event.eventID.lowerBound
        guard region.count <= Self.regionLimit, !text.contains(Self.processID, in: region) else { return .none }
        let columns = AreaAndCategory(text, region: region, isFirstColumn: isFirstColumn)
        let hasColumnsBefore = isAnchored || !process.isEmpty
        let isKnown = KnownAreas.ends(in: text, from: columns.area.lowerBound, to: columns.area.upperBound)
            .contains(columns.area.upperBound)
        guard hasColumnsBefore || isPlausible(columns, event, isKnown: isKnown) else { return .none }
        let gap = text.blanks(from: event.level.upperBound, to: text.count)
        return .row(
            RowHead(
                time: time,
                isContinuation: isContinuation,
                process: process,
                thread: thread,
                area: columns.area,
                category: columns.category,
                eventID: event.eventID,
                level: event.level,
                messageStart: gap.end,
                hasWideColumns: event.isWide && gap.isWide,
                isGuessed: !hasColumnsBefore && !isKnown && !columns.isTabbed
            )
        )
    }

    /// Whether a line without time and process begins with an area and a category, and not with prose.
    ///
    /// "SharePoint Server shows Error …" has a known area and what looks like an event id, but no category. An area
    /// that nobody knows needs wide blanks, or an event id that is no word and no number.
    private func isPlausible(_ columns: AreaAndCategory, _ event: EventColumns, isKnown: Bool) -> Bool {
        guard let first = text[columns.category].first, first.isCapital || first.isDigit else { return false }
        if isKnown { return true }
        if event.isWide { return columns.isSure }
        return text[event.eventID].contains(where: \.isDigit) && text[event.eventID].contains(where: \.isSmallLetter)
            && text[columns.area].first?.isCapital == true && columns.category.count <= Self.unknownLimit
    }

    /// Bytes of area, category and the blanks round them, no-break spaces included.
    private static let regionLimit = 320
    /// Bytes of a category whose area is not known.
    private static let unknownLimit = 48
    private static let processID = Array("(0x".utf8)
}
