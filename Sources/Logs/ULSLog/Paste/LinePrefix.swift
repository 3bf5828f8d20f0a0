/// What stands before a line of a log where it was pasted: the mark of a list or a table, the place of a search result,
/// the number of a line, or the time and the sender of a chat.
enum LinePrefix: CaseIterable {
    /// `Line 38348: `, as editors show what they found, in whatever language.
    case numberedWord
    /// `WFE1.log:12:`, `WFE1.log-13-`, or `WFE1.log:`, as `grep`, `findstr` and `Select-String` do.
    case place
    /// `12:` or `12-`, as they do for one file.
    case number
    /// A number and blanks, as listings have them.
    case column
    /// `- `, `* `, `1. `, and bullets.
    case list
    /// `| `, which a table of Markdown also has at the end of a line.
    case table
    /// `[10:30 AM] Name: ` or `10:30 AM `.
    case chat

    /// Whether each line has such a prefix, so that one without is not of the log.
    var isOfSearch: Bool { self == .numberedWord || isOfPlace }

    private var isOfPlace: Bool { self == .place || self == .number }

    /// Returns the offset of what follows the prefix; `nil` if the line has no such prefix.
    func end(in line: [UInt8]) -> Int? {
        let start = line.blanks(from: 0, to: line.count).end
        let scanner = PrefixScanner(line)
        let end =
            switch self {
            case .numberedWord: scanner.numberedWord(start)
            case .place: scanner.place(start)
            case .number: scanner.number(start)
            case .column: scanner.column(start)
            case .list: scanner.list(start)
            case .table: scanner.mark(start, [UInt8(ascii: "|")])
            case .chat: scanner.chat(start)
            }
        // Further blanks are the line's own.
        return end.map { $0 < line.count && !isOfPlace && self != .column && line[$0] == 0x20 ? $0 + 1 : $0 }
    }

    /// Returns the line without the prefix; `nil` if it has no such prefix.
    func stripped(_ line: [UInt8]) -> [UInt8]? {
        guard let end = end(in: line) else { return nil }
        let content = line.trimmed.upperBound
        guard self == .table, content > end, line[content - 1] == UInt8(ascii: "|") else { return Array(line[end...]) }
        return Array(line[end..<(content - 1)])
    }
}

/// A scanner of prefixes: each function returns the end of one, or `nil` if there is none.
private struct PrefixScanner {
    let line: [UInt8]

    /// The longest path before the number of a line, and the longest name of a sender, in bytes.
    private static let pathLimit = 260
    private static let nameLimit = 60

    init(_ line: [UInt8]) { self.line = line }

    func numberedWord(_ start: Int) -> Int? {
        let word = line.endOfWord(from: start, to: min(line.count, start + 24))
        guard word > start, line[start..<word].allSatisfy({ $0.lowercased.isSmallLetter || $0 >= 0x80 }) else {
            return nil
        }
        let number = line.blanks(from: word, to: line.count).end
        let end = endOfDigits(number)
        return number > word && end > number ? mark(end, [UInt8(ascii: ":")]) : nil
    }

    func place(_ start: Int) -> Int? {
        var index = start
        let limit = min(line.count, start + Self.pathLimit)
        while let dot = line[index..<limit].firstIndex(of: UInt8(ascii: ".")) {
            index = dot + 1
            let end = line[index...].prefix(5).prefix { $0.lowercased.isSmallLetter || $0.isDigit }.endIndex
            guard dot > start, line[dot - 1] > 0x20, end > index, end < line.count, Self.separators.contains(line[end])
            else { continue }
            // `a.log:11:03:01.15` is a time, `a.log:12:11:03:01.15` a number and a time.
            let isTime = PastedTime(line, at: end + 1, to: line.count) != nil
            if !isTime, let number = number(end + 1), line[number - 1] == line[end] { return number }
            if line[end] == UInt8(ascii: ":") { return end + 1 }
        }
        return nil
    }

    /// Reads `12:`, `12-`, and `12:5:` with a column.
    func number(_ start: Int) -> Int? {
        let end = endOfDigits(start)
        guard end > start, end < line.count, Self.separators.contains(line[end]) else { return nil }
        let column = endOfDigits(end + 1)
        let hasColumn = column > end + 1 && column < line.count && line[column] == UInt8(ascii: ":")
        guard hasColumn, line[end] == UInt8(ascii: ":"), endOfDigits(column + 1) == column + 1 else { return end + 1 }
        return column + 1
    }

    func column(_ start: Int) -> Int? {
        let end = endOfDigits(start)
        guard end > start else { return nil }
        let blanks = line.blanks(from: end, to: line.count)
        // Numbers that are aligned to the right may have one.
        return blanks.isWide || start > 0 && blanks.end > end ? end + 1 : nil
    }

    func list(_ start: Int) -> Int? {
        let digits = endOfDigits(start)
        if digits > start {
            guard digits - start <= 3, let end = mark(digits, [UInt8(ascii: "."), UInt8(ascii: ")")]) else {
                return nil
            }
            return hasBlank(end) ? end : nil
        }
        if let bullet = Self.bullets.first(where: { line.hasPrefix($0, at: start) }) {
            return hasBlank(start + bullet.count) ? start + bullet.count : nil
        }
        return nil
    }

    func chat(_ start: Int) -> Int? {
        var end = start
        if start < line.count, line[start] == UInt8(ascii: "[") {
            let window = start..<min(line.count, start + 40)
            guard let close = line[window].firstIndex(of: UInt8(ascii: "]")),
                line[start..<close].contains(UInt8(ascii: ":")),
                line[start..<close].contains(where: \.isDigit)
            else { return nil }
            end = close + 1
        } else {
            let hours = endOfDigits(start)
            guard 1...2 ~= hours - start, hours < line.count, line[hours] == UInt8(ascii: ":") else { return nil }
            end = endOfDigits(hours + 1)
            guard end == hours + 3 else { return nil }
            let half = line.blanks(from: end, to: line.count).end
            let word = line[half..<line.endOfWord(from: half, to: line.count)].map(\.lowercased)
            if word == Array("am".utf8) || word == Array("pm".utf8) { end = half + 2 }
        }
        guard hasBlank(end) else { return nil }
        let name = line.blanks(from: end, to: line.count).end
        let window = name..<min(line.count, name + Self.nameLimit)
        guard let colon = line[window].firstIndex(of: UInt8(ascii: ":")), hasBlank(colon + 1),
            line[name..<colon].allSatisfy({ !$0.isDigit && !Self.noName.contains($0) })
        else { return end }
        return colon + 1
    }

    /// Reads one of some characters.
    func mark(_ index: Int, _ marks: [UInt8]) -> Int? {
        index < line.count && marks.contains(line[index]) ? index + 1 : nil
    }

    private func endOfDigits(_ start: Int) -> Int {
        guard start <= line.count else { return start }
        return line[start...].prefix(9).prefix(while: \.isDigit).endIndex
    }

    private func hasBlank(_ index: Int) -> Bool { index < line.count && line.blankWidth(at: index) > 0 }

    private static let separators = Array(":-".utf8)
    private static let noName = Set("/\\()[]|".utf8)
    private static let bullets = ["-", "*", "+", "\u{2022}", "\u{2013}", "\u{B7}", "\u{25CF}", "\u{25E6}"]
        .map { Array($0.utf8) }
}
