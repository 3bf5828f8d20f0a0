import TextKit
import ULSRows

/// A grammar of rows with blanks in place of tabs.
///
/// A row is `[time] [process (id)] [thread] area category event-id level message`. Optional columns may be missing,
/// joined to a neighbor, or placeholders; the event ID, followed by a known level word, is always present.
struct RowGrammar {
    private let text: [UInt8]
    /// The end of the text, without trailing blanks.
    private let textEnd: Int
    /// The end of the part that is read.
    private let end: Int
    private var cursor: Int
    private var time = 0..<0
    private var isContinuation = false
    private var process = 0..<0
    private var thread = 0..<0
    /// Whether the part read so far rules out prose.
    private var isAnchored = false

    /// Returns whether two cells of a line are an event ID and a level.
    static func areEventIDAndLevel(_ id: ArraySlice<UInt8>, _ level: ArraySlice<UInt8>) -> Bool {
        EventIDAndLevel.areCells(id, level)
    }

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

    /// Whether only one word is left, which may be a process whose ID is on the next line.
    private var isLastWord: Bool {
        let start = text.blanks(from: cursor, to: end).end
        return text.blanks(from: text.endOfWord(from: start, to: end), to: end).end == textEnd
    }

    private var isLoneProcess: Bool { !process.isEmpty && process == text.trimmed }

    /// Reads the process and thread columns; returns true if neither is present, and nil if the text is neither one of
    /// them nor an area.
    private mutating func readProcessAndThread(hasTime: Bool) -> Bool? {
        let gap = text.blanks(from: cursor, to: end)
        guard let found = PastedProcess(text, at: gap.end, to: end, isBehindTime: hasTime) else {
            guard hasTime, !startsWithArea(gap.end) else { return true }
            guard gap.isWide, !isLastWord else { return nil }
            // Prose may also begin with a time, so the text that follows must look like columns.
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
            // "COMException (0x80070005) in …" is prose, as is "10:39:40 w3wp.exe ended with High load".
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
        guard let event = EventIDAndLevel(in: text, from: cursor, to: end) else {
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

    /// Returns whether a line without a time and process begins with an area and a category rather than with prose.
    ///
    /// "SharePoint Server shows Error …" has a known area and a word that looks like an event ID, but no category. An
    /// unknown area needs wide blanks, or an event ID that is neither a word nor a number.
    private func isPlausible(_ columns: AreaAndCategory, _ event: EventIDAndLevel, isKnown: Bool) -> Bool {
        guard let first = text[columns.category].first, first.isUppercase || first.isDigit else { return false }
        if isKnown { return true }
        if event.isWide { return columns.isSure }
        return text[event.eventID].contains(where: \.isDigit) && text[event.eventID].contains(where: \.isLowercase)
            && text[columns.area].first?.isUppercase == true && columns.category.count <= Self.unknownLimit
    }

    /// The maximum number of bytes in the area, the category and the blanks around them, including no-break spaces.
    private static let regionLimit = 320
    /// The maximum number of bytes in a category whose area is unknown.
    private static let unknownLimit = 48
    private static let processID = Array("(0x".utf8)
}

/// The columns that precede the message of a row, as ranges of the row's text.
struct RowHead: Equatable {
    var time = 0..<0
    var isContinuation = false
    var process = 0..<0
    var thread = 0..<0
    var area = 0..<0
    var category = 0..<0
    var eventID = 0..<0
    var level: Range<Int>
    var messageStart: Int
    /// Whether wide blanks separate the last columns, so that a single blank does not.
    var hasWideColumns = false
    /// Whether only an event ID and a level suggest a row: there is no time, process or known area, and no tabs
    /// separate area and category.
    var isGuessed = true

    /// The number of tabs before the message.
    private static let tabs = 7

    /// Returns a record with these columns.
    func record(_ text: [UInt8], line: Int) -> PastedRecord {
        var record = PastedRecord(shape: .row, line: line)
        // As the service writes it: nothing was inferred.
        if text.prefix(messageStart).count(where: { $0 == 0x09 }) >= Self.tabs { record.isInferred = false }
        record.time = Array(text[time])
        record.isContinuation = isContinuation
        record.process = Array(text[process])
        record.thread = Array(text[thread])
        record.area = Array(text[area])
        record.category = Array(text[category])
        record.eventID = Array(text[eventID])
        record.level = Array(text[level])
        return record
    }
}

/// The result of reading a text as a row.
enum RowReading: Equatable {
    case row(RowHead)
    /// A text that begins like a row and ends before the level; the next line may contain the rest.
    case unfinished
    case none
}

/// An event ID and the level after it, a pair that occurs in every row but not in prose.
private struct EventIDAndLevel: Equatable {
    var eventID: Range<Int>
    var level: Range<Int>
    /// Whether the blanks between them are wide.
    var isWide: Bool

    /// Finds the first pair at or after `start`.
    init?(in text: [UInt8], from start: Int, to end: Int) {
        var index = text.blanks(from: start, to: end).end
        while index < end {
            let wordEnd = text.endOfWord(from: index, to: end)
            let blanks = text.blanks(from: wordEnd, to: end)
            if Self.isEventID(text[index..<wordEnd]) {
                let levelEnd = text.endOfWord(from: blanks.end, to: end)
                if Self.levels.contains(Array(text[blanks.end..<levelEnd])) {
                    eventID = index..<wordEnd
                    level = blanks.end..<levelEnd
                    isWide = blanks.isWide
                    return
                }
            } else if let cut = Self.gluedLevel(text, index..<wordEnd) {
                eventID = index..<cut
                level = cut..<wordEnd
                isWide = false
                return
            }
            index = blanks.end
        }
        return nil
    }

    /// Returns whether a word is 4 or 5 characters of `a`–`z` and `0`–`9`, or up to 5 digits.
    private static func isEventID(_ word: ArraySlice<UInt8>) -> Bool {
        guard (1...5).contains(word.count) else { return false }
        if word.allSatisfy(\.isDigit) { return true }
        return word.count > 3 && word.allSatisfy { $0.isDigit || $0.isLowercase }
    }

    /// Returns the start of the level in a word that contains both columns, such as `8xqzMedium`.
    private static func gluedLevel(_ text: [UInt8], _ word: Range<Int>) -> Int? {
        let beginning = text[word.lowerBound..<min(word.upperBound, word.lowerBound + 6)]
        guard let cut = beginning.firstIndex(where: \.isUppercase) else { return nil }
        let eventID = text[word.lowerBound..<cut]
        guard isEventID(eventID), eventID.contains(where: \.isDigit) else { return nil }
        return levels.contains(Array(text[cut..<word.upperBound])) ? cut : nil
    }

    /// The levels of the service, and those of upgrade logs (`…-error.log`), which are in capitals.
    private static let levels = Set(
        (ULSLevel.knownWords + ["ERROR", "WARNING", "INFO", "DEBUG"]).map { Array($0.utf8) }
    )

    /// Returns whether two cells of a line are an event ID and a level.
    static func areCells(_ id: ArraySlice<UInt8>, _ level: ArraySlice<UInt8>) -> Bool {
        isEventID(id) && levels.contains(Array(level))
    }
}

/// The two columns before the event ID, separated from each other.
private struct AreaAndCategory: Equatable {
    var area: Range<Int>
    var category: Range<Int>
    /// Whether the separation is more than a guess, because there are tabs, wide blanks, or a known area.
    var isSure: Bool
    /// Whether tabs separated the columns.
    var isTabbed = false

    /// Separates the columns in `region`, which extends from the previous column to the event ID.
    ///
    /// Tabs are the best evidence, followed by wide blanks, if they result in exactly two columns, and by the longest
    /// known area that leaves a category. An unknown area is taken to be one word; a lone word is the category, because
    /// an unregistered category has no area.
    init(_ text: [UInt8], region: Range<Int>, isFirstColumn: Bool) {
        let whole = text.trimmed(region)
        let tabbed = Self.tabbed(text, region, isFirstColumn: isFirstColumn)
        for cells in [tabbed, Self.wide(text, whole)] where cells.count == 2 {
            self.init(area: cells[0], category: cells[1], isSure: true)
            isTabbed = tabbed.count == 2
            return
        }
        let ends = KnownAreas.ends(in: text, from: whole.lowerBound, to: whole.upperBound)
        if let end = ends.first(where: { $0 < whole.upperBound }) ?? ends.first {
            self.init(area: whole.lowerBound..<end, category: text.trimmed(end..<whole.upperBound), isSure: true)
            return
        }
        if isFirstColumn, tabbed.count == 1 {
            // `Category<tab>tag<tab>Level`: text from the beginning of a line to a tab is one column.
            self.init(area: whole.lowerBound..<whole.lowerBound, category: whole, isSure: true)
            isTabbed = true
            return
        }
        let word = text.endOfWord(from: whole.lowerBound, to: whole.upperBound)
        let rest = text.trimmed(word..<whole.upperBound)
        let start = whole.lowerBound
        self =
            rest.isEmpty
            ? Self(area: start..<start, category: whole, isSure: false)
            : Self(area: start..<word, category: rest, isSure: false)
    }

    private init(area: Range<Int>, category: Range<Int>, isSure: Bool) {
        self.area = area
        self.category = category
        self.isSure = isSure
    }

    private static func tabbed(_ text: [UInt8], _ region: Range<Int>, isFirstColumn: Bool) -> [Range<Int>] {
        guard text[region].contains(0x09) else { return [] }
        var cells: [Range<Int>] = []
        var start = region.lowerBound
        for index in region where text[index] == 0x09 {
            cells.append(text.trimmed(start..<index))
            start = index + 1
        }
        cells.append(text.trimmed(start..<region.upperBound))
        // Text before the first tab and after the last is part of the neighboring columns.
        if !isFirstColumn, cells.first?.isEmpty == true { cells.removeFirst() }
        if cells.last?.isEmpty == true { cells.removeLast() }
        return cells
    }

    private static func wide(_ text: [UInt8], _ whole: Range<Int>) -> [Range<Int>] {
        var cells: [Range<Int>] = []
        var (start, index) = (whole.lowerBound, whole.lowerBound)
        while index < whole.upperBound {
            let word = text.endOfWord(from: index, to: whole.upperBound)
            let blanks = text.blanks(from: word, to: whole.upperBound)
            if blanks.isWide || blanks.end == whole.upperBound {
                cells.append(start..<word)
                start = blanks.end
            }
            index = blanks.end
        }
        return cells
    }
}

/// The areas that SharePoint and related products write.
///
/// If blanks replace the tabs, nothing else shows where an area ends and a category begins. Source: the areas that
/// `Get-SPLogLevel` lists from SharePoint 2010 to 2019, those of Windows SharePoint Services 3.0 and of Office Online
/// Server, and common third-party products.
private enum KnownAreas {
    private static let names = [
        "Access Services", "Access Services 2010", "AzureCP", "Business Connectivity Services", "DistributedCache",
        "Document Conversions", "Document Management Server", "Education", "EntraCP", "Excel Online",
        "Excel Services Application",
        "Hosted Office Online", "Hosted Services Infrastructure", "InfoPath Forms Services", "LDAPCP",
        "Office Automation Services", "Office Server", "Office Services Infrastructure", "Office Web Apps",
        "Patterns and Practices", "PerformancePoint Service", "PowerPivot Service", "Project Server",
        "SPO Diagnostics", "SQL Server Reporting Services", "SSAS Mid-Tier Service", "Search", "Secure Store Service",
        "Services Infrastructure", "SharePoint Express", "SharePoint Foundation", "SharePoint Foundation Search",
        "SharePoint Foundation Upgrade",
        "SharePoint Portal Server", "SharePoint Server", "SharePoint Server Search",
        "SharePoint Translation Services", "Unified Logging Service", "Unknown", "Visio Graphics Service",
        "Web Content Management", "Windows SharePoint Services", "Word Automation Services", "eApproval",
    ]

    /// The names, longest first: `SharePoint Server Search` is not `SharePoint Server` with a category `Search …`.
    private static let longestFirst = names.map { Array($0.utf8) }.sorted { $0.count > $1.count }

    /// Returns the ends of the areas that may begin at `start` in `text`, longest first; each is followed by a blank or
    /// the end.
    static func ends(in text: [UInt8], from start: Int, to end: Int) -> [Int] {
        longestFirst.compactMap { name in
            let nameEnd = start + name.count
            guard nameEnd <= end, text.hasPrefix(name, at: start) else { return nil }
            return nameEnd == end || text.blankWidth(at: nameEnd) > 0 ? nameEnd : nil
        }
    }
}

/// A row from which only the level and message were copied: `Verbose<tab>[Provider] Loading …`.
struct LevelRow {
    let level: Range<Int>
    let messageStart: Int
    /// Whether the text can't be the beginning of a sentence, because a tab, two blanks or a bracket follows the level.
    let isSure: Bool

    /// Reads a line; `nil` if it does not begin with a level, in the service's spelling, and a message.
    init?(_ line: [UInt8]) {
        let start = line.blanks(from: 0, to: line.count).end
        let end = line.endOfWord(from: start, to: min(line.count, start + Self.longest))
        guard Self.levels.contains(Array(line[start..<end])) else { return nil }
        let gap = line.blanks(from: end, to: line.count)
        let message = line.trimmed(gap.end..<line.count)
        // Additional tabs indicate the columns of some other table.
        guard gap.end > end, !message.isEmpty, !line[message].contains(0x09) else { return nil }
        // `Exception type: …` and `Exception message: …` are fields.
        let word = line.endOfWord(from: gap.end, to: message.upperBound)
        guard gap.isWide || !line[gap.end].isLowercase || line[word - 1] != UInt8(ascii: ":") else { return nil }
        level = start..<end
        messageStart = gap.end
        let isBracket = line[gap.end] == UInt8(ascii: "[") || line[gap.end] == UInt8(ascii: "{")
        isSure = (gap.isWide || isBracket) && word < message.upperBound
    }

    var head: RowHead { RowHead(level: level, messageStart: messageStart) }

    private static let levels = Set(ULSLevel.knownWords.map { Array($0.utf8) })
    private static let longest = 16
}
