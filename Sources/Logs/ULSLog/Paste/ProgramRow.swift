/// A row of the logs that programs beside the logging service write, with a level in capitals.
///
/// - The configuration wizard: `11/02/2026 10:00:00  8  ERR      text`.
/// - Upgrades, before they logged as the service does: `[STSADM] [SPUpgradeSession] [ERROR] [11/2/2026 10:00:00 AM]: text`.
/// - The nodes of FAST Search: `[2026-11-02 10:00:00] ERROR : text`, and others: `2026-11-02 10:00:00.000 [ERROR] text`.
///
/// A date, a time and such a level in these places are nothing that prose begins with.
struct ProgramRow {
    let head: RowHead
    /// The level as the service writes it: its readers know no `WRN`.
    let level: [UInt8]

    /// Reads a line; `nil` if it is no such row.
    init?(_ line: [UInt8]) {
        let start = line.blanks(from: 0, to: line.count).end
        guard start < line.count else { return nil }
        if line[start] == UInt8(ascii: "[") {
            self.init(bracketed: line, at: start)
        } else {
            guard line[start].isDigit else { return nil }
            let end = min(line.count, start + Self.longestHead)
            guard let time = PastedTime(line, at: start, to: end), time.kind == .dateAndTime, !time.isContinuation,
                let next = line.next(time.end)
            else { return nil }
            self.init(line, time: time.range, at: Self.thread(line, at: next) ?? next)
        }
    }

    /// Reads `[a] [b] [LEVEL] [time]: text` or `[time] LEVEL : text`.
    private init?(bracketed line: [UInt8], at start: Int) {
        var names: [Range<Int>] = []
        var index = start
        while names.count < Self.mostNames, let inside = line.bracket(at: index),
            let next = line.next(inside.upperBound + 1)
        {
            if names.isEmpty, let time = Self.time(line, inside) {
                self.init(line, time: time, at: next)
                return
            }
            if let level = Self.level(line[inside]), let place = line.bracket(at: next),
                let time = Self.time(line, place)
            {
                self.init(line, names: names, level: inside, word: level, time: time, end: place.upperBound + 1)
                return
            }
            names.append(inside)
            index = next
        }
        return nil
    }

    /// Reads a level, with or without brackets, and the message behind it.
    private init?(_ line: [UInt8], time: Range<Int>, at index: Int) {
        let inside = line.bracket(at: index)
        let word = inside ?? index..<line.endOfWord(from: index, to: min(line.count, index + Self.longestLevel))
        let range = inside == nil && line[word].last == UInt8(ascii: ":") ? word.lowerBound..<word.upperBound - 1 : word
        guard let level = Self.level(line[range]) else { return nil }
        let end = inside == nil ? range.upperBound : range.upperBound + 1
        self.init(line, names: [], level: range, word: level, time: time, end: end)
    }

    private init?(
        _ line: [UInt8],
        names: [Range<Int>],
        level: Range<Int>,
        word: String,
        time: Range<Int>,
        end: Int
    ) {
        guard end == line.count || line.blankWidth(at: end) > 0 || line[end] == UInt8(ascii: ":") else { return nil }
        var message = line.blanks(from: end, to: line.count).end
        // FAST Search has a colon between two blanks, upgrades one behind the bracket.
        let isColon = message < line.count && line[message] == UInt8(ascii: ":")
        if isColon, message == end || message + 1 == line.count || line.blankWidth(at: message + 1) > 0 {
            message = line.blanks(from: message + 1, to: line.count).end
        }
        var head = RowHead(level: level, messageStart: message)
        head.time = time
        // The program is named only before a part of it.
        if names.count > 1 { head.process = names[0] }
        if let part = names.last { head.category = part }
        head.isGuessed = false
        self.head = head
        self.level = Array(word.utf8)
    }

    /// Returns the start of what follows the number of a thread, `8` or `[8]`; `nil` if there is none.
    private static func thread(_ line: [UInt8], at index: Int) -> Int? {
        let inside = line.bracket(at: index)
        let word = inside ?? index..<line.endOfWord(from: index, to: min(line.count, index + longestLevel))
        guard !word.isEmpty, line[word].allSatisfy(\.isDigit) else { return nil }
        return line.next(inside == nil ? word.upperBound : word.upperBound + 1)
    }

    private static func time(_ line: [UInt8], _ inside: Range<Int>) -> Range<Int>? {
        guard let time = PastedTime(line, at: inside.lowerBound, to: inside.upperBound), time.kind == .dateAndTime,
            time.end == inside.upperBound, !time.isContinuation
        else { return nil }
        return time.range
    }

    private static func level(_ word: ArraySlice<UInt8>) -> String? { levels[Array(word)] }

    private static let longestHead = 64
    private static let longestLevel = 16
    private static let mostNames = 4
    private static let levels: [[UInt8]: String] = {
        let words: KeyValuePairs<String, [String]> = [
            "Critical": ["FATAL", "CRITICAL"],
            "Error": ["ERR", "ERROR"],
            "Warning": ["WRN", "WARN", "WARNING"],
            "Information": ["INF", "INFO", "INFORMATION"],
            "Verbose": ["DBG", "DEBUG", "VERBOSE", "TRACE"],
        ]
        var levels: [[UInt8]: String] = [:]
        for (level, all) in words {
            for word in all { levels[Array(word.utf8)] = level }
        }
        return levels
    }()
}

extension [UInt8] {
    /// Returns what stands in the square brackets that open at `index`; `nil` if none do, or too much does.
    fileprivate func bracket(at index: Int) -> Range<Int>? {
        guard index < count, self[index] == UInt8(ascii: "[") else { return nil }
        let window = (index + 1)..<Swift.min(count, index + 80)
        guard let close = self[window].firstIndex(of: UInt8(ascii: "]")), close > index + 1 else { return nil }
        return (index + 1)..<close
    }

    /// Returns the start of what follows `index` behind blanks; `nil` if nothing does, or no blank precedes it.
    fileprivate func next(_ index: Int) -> Int? {
        let blanks = blanks(from: index, to: count)
        return blanks.end > index && blanks.end < count ? blanks.end : nil
    }
}
