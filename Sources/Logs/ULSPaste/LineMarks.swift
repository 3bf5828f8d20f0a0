import TextKit
import ULSRows

/// Marks around the lines of a pasted log that are not part of the log: marks for quotations, Markdown and code;
/// prefixes of search results, lists and chats; and the quotes around spreadsheet cells.
///
/// A prefix is removed only if a row, a header or a field follows it; from then on, the same kind of prefix is removed
/// from all lines.
struct LineMarks {
    private let limits: PasteLimits
    /// The prefixes that lines of this text have, from left to right.
    private var prefixes: [LinePrefix] = []
    /// Whether lines of this text end with a backslash for a hard line break.
    private var hasHardBreaks = false
    /// Whether references of HTML stand for the characters that separate columns.
    private var hasReferences = false
    /// Whether fields of this text are emphasized, so that other lines may be, too.
    private var hasEmphasis = false
    /// Whether a spreadsheet cell is open.
    private var isInCell = false

    init(limits: PasteLimits) { self.limits = limits }

    /// Returns the part of a line that is part of the log; empty if the line consists only of marks.
    ///
    /// - Parameters:
    ///   - line: The line, without its line end.
    ///   - separator: The separator of cells in the open table; `nil` if no table is open.
    ///   - isWithinRow: Whether the columns of a row continue in the line; if so, the line cannot have a new kind of
    ///     prefix.
    /// - Returns: The text of the line without marks.
    mutating func content(of line: [UInt8], inTableAt separator: UInt8?, isWithinRow: Bool) -> [UInt8] {
        var bytes = withoutReferences(line)
        bytes.removeFirst(Self.quoteMark(of: bytes))
        if CodeMark.isAlone(bytes) { return [] }
        CodeMark.remove(from: &bytes)
        if separator == nil {
            bytes = withoutMarkdown(bytes)
            bytes = withoutCell(bytes)
        }
        bytes = withoutPrefixes(bytes, knownOnly: separator != nil || isWithinRow)
        if separator == UInt8(ascii: "|") { return bytes }
        return SeparatedRow.tabbed(bytes) ?? SeparatedRow.field(bytes) ?? bytes
    }

    /// Returns whether a line begins or ends a block of code, and thus quoted text.
    static func isFence(_ line: [UInt8]) -> Bool { CodeMark.isAlone(Array(line.dropFirst(quoteMark(of: line)))) }

    /// Returns whether a line is a separator between search results: `--`, or the path of the next file.
    func isBetweenResults(_ line: [UInt8]) -> Bool {
        guard prefixes.contains(where: \.isOfSearch) else { return false }
        let content = line[line.trimmed]
        if content.elementsEqual("--".utf8) { return true }
        let isPath = content.dropFirst().starts(with: ":\\".utf8) || content.starts(with: "\\\\".utf8)
        return isPath && content.last == UInt8(ascii: ")") && !prefixes.contains { $0.end(in: line) != nil }
    }

    /// Returns the length of the quotation marks in tickets and mail at the start of a line: one or more `> `.
    private static func quoteMark(of line: [UInt8]) -> Int {
        var end = 0
        while end < line.count, line[end] == UInt8(ascii: ">") {
            end += 1
            if end < line.count, line[end] == 0x20 { end += 1 }
        }
        // Unlike markup, a mark is followed by a blank or is alone on its line.
        return end == line.count || end > 0 && line[end - 1] == 0x20 ? end : 0
    }
}

extension LineMarks {
    private mutating func withoutPrefixes(_ line: [UInt8], knownOnly: Bool) -> [UInt8] {
        if !prefixes.isEmpty, !isWhole(line) {
            var rest = line
            for prefix in prefixes { rest = prefix.stripped(rest) ?? rest }
            if rest.count < line.count { return rest }
        }
        guard !knownOnly, !isWhole(line) else { return line }
        var found: [LinePrefix] = []
        guard let rest = unprefixed(line, &found) else { return line }
        prefixes = found
        return rest
    }

    /// Records the prefixes of a line and returns the part of the log after them; `nil` if there is none.
    private func unprefixed(_ line: [UInt8], _ found: inout [LinePrefix]) -> [UInt8]? {
        guard found.count < Self.mostPrefixes else { return nil }
        for prefix in LinePrefix.allCases {
            guard let rest = prefix.stripped(line) else { continue }
            found.append(prefix)
            if beginsSomething(rest, behind: prefix) { return rest }
            if let inner = unprefixed(rest, &found) { return inner }
            found.removeLast()
        }
        return nil
    }

    /// Returns whether a line is already a complete row, judging by more than a possible prefix.
    private func isWhole(_ line: [UInt8]) -> Bool {
        switch RowGrammar.reading(line, limits: limits) {
        case .row(let head): !head.time.isEmpty || !head.process.isEmpty
        case .unfinished: true
        case .none: ProgramRow(line) != nil
        }
    }

    private func beginsSomething(_ line: [UInt8], behind prefix: LinePrefix) -> Bool {
        let row = SeparatedRow.tabbed(line) ?? line
        switch RowGrammar.reading(row, limits: limits) {
        case .row(let head): return !head.isGuessed
        case .unfinished:
            guard let time = PastedTime(row, at: row.blanks(from: 0, to: row.count).end, to: row.count) else {
                return false
            }
            return time.kind == .dateAndTime && time.end < row.trimmed.upperBound
        case .none: break
        }
        if ProgramRow(line) != nil { return true }
        // A row may be wrapped before its event ID and level, which then look like a prefix.
        if prefix != .column, LevelRow(line)?.isSure == true { return true }
        if TableHeader(separated: line, limits: limits) != nil { return true }
        guard prefix == .list, let key = BlockKey(line)?.column else { return false }
        return !key.isCommon
    }

    /// The maximum number of prefixes before a row, as in a list of quoted search results.
    private static let mostPrefixes = 3
}

extension LineMarks {
    /// Returns a line with the characters that references of HTML stand for, if a row or a header has them in place of
    /// tabs or quotes.
    private mutating func withoutReferences(_ line: [UInt8]) -> [UInt8] {
        let plain = CharacterReference.decoded(line)
        guard plain.count < line.count, !hasReferences else { return plain }
        let marks: [UInt8] = [0x09, UInt8(ascii: "\"")]
        guard marks.contains(where: { mark in plain.count { $0 == mark } > line.count { $0 == mark } }),
            !isColumns(line), isColumns(plain)
        else { return line }
        hasReferences = true
        return plain
    }

    /// Returns whether a line is a row that begins with a time, or a header.
    private func isColumns(_ line: [UInt8]) -> Bool {
        if case .row(let head) = RowGrammar.reading(line, limits: limits) { return !head.time.isEmpty }
        return TableHeader(separated: SeparatedRow.tabbed(line) ?? line, limits: limits) != nil
    }

    /// Returns a line without the emphasis around a field and without the backslash of a hard line break.
    private mutating func withoutMarkdown(_ line: [UInt8]) -> [UInt8] {
        var text = line
        if text.last == UInt8(ascii: "\\") {
            let content = Array(text.dropLast())
            if hasHardBreaks || Self.isHardBreak(behind: content) {
                hasHardBreaks = true
                text = content
            }
        }
        guard let plain = Emphasis.removed(from: text, inPart: true) else { return text }
        if let column = BlockKey(plain)?.column {
            hasEmphasis = hasEmphasis || !column.isCommon
            return plain
        }
        return hasEmphasis ? Emphasis.removed(from: text, inPart: false) ?? text : text
    }

    /// Returns whether a backslash after a text breaks the line rather than ending a path: after emphasis, a sentence
    /// or the value of a field.
    private static func isHardBreak(behind text: [UInt8]) -> Bool {
        guard let last = text.last else { return false }
        if let plain = Emphasis.removed(from: text, inPart: true) { return BlockKey(plain)?.column != nil }
        if last == UInt8(ascii: "."), text.count > 1, text[text.count - 2].lowercased.isLowercase { return true }
        guard let key = BlockKey(text)?.column, !key.isCommon else { return false }
        let word = text[(text.lastIndex(of: 0x20).map { $0 + 1 } ?? 0)...]
        return !word.contains(UInt8(ascii: "\\")) && last != UInt8(ascii: ":")
    }

    /// Returns a row without the quotes that a spreadsheet adds when copying a cell that contains line ends or quotes.
    private mutating func withoutCell(_ line: [UInt8]) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        var text = line
        if text.first == quote {
            let rest = Array(text.dropFirst())
            guard isWhole(rest) else { return line }
            isInCell = true
            text = rest
        }
        guard isInCell else { return line }
        let end = text.trimmed.upperBound
        let quotes = text[..<end].reversed().prefix { $0 == quote }.count
        if !quotes.isMultiple(of: 2) {
            isInCell = false
            text.removeSubrange((end - 1)...)
        }
        var plain: [UInt8] = []
        var index = 0
        while index < text.count {
            plain.append(text[index])
            index += text[index] == quote && index + 1 < text.count && text[index + 1] == quote ? 2 : 1
        }
        return plain
    }
}

/// Marks for code in Markdown, issue trackers and web pages: `` ` ``, fences, `{code}`.
private enum CodeMark {
    /// Returns whether a line consists only of a mark that begins or ends a code block.
    static func isAlone(_ line: [UInt8]) -> Bool {
        let content = Array(line[line.trimmed])
        if [UInt8(ascii: "`"), UInt8(ascii: "~")].contains(where: { content.starts(with: [$0, $0, $0]) }) {
            return content.dropFirst(3).allSatisfy { $0.lowercased.isLowercase || $0 == content[0] }
        }
        guard content.count < 24, content.first == UInt8(ascii: "{"), content.last == UInt8(ascii: "}") else {
            return false
        }
        return words.contains { content.hasPrefix($0, at: 1) }
    }

    /// Removes the marks for code from the beginning of a line, and the same number from its end.
    static func remove(from line: inout [UInt8]) {
        let marks = line.prefix { $0 == UInt8(ascii: "`") }.count
        guard marks > 0 else { return }
        line.removeFirst(marks)
        let end = line.trimmed.upperBound
        guard end >= marks, line[(end - marks)..<end].allSatisfy({ $0 == UInt8(ascii: "`") }) else { return }
        line.removeSubrange((end - marks)...)
    }

    private static let words = ["code", "noformat"].map { Array($0.utf8) }
}

/// Markdown emphasis: `_text_`, `**text**`, `**Name:** value`.
private enum Emphasis {
    /// Returns a line without the emphasis around it or around the name at its beginning; `nil` if there is none.
    static func removed(from line: [UInt8], inPart: Bool) -> [UInt8]? {
        let content = line.trimmed
        guard let mark = line[content].first, mark == UInt8(ascii: "_") || mark == UInt8(ascii: "*") else { return nil }
        let marks = line[content].prefix(3).prefix { $0 == mark }
        let start = marks.endIndex
        guard start < content.upperBound, line.blankWidth(at: start) == 0 else { return nil }
        if inPart, let name = name(in: line, from: start, to: content.upperBound, marks: marks) { return name }
        let end = content.upperBound - marks.count
        guard end > start, line[end..<content.upperBound].elementsEqual(marks) else { return nil }
        return Array(line[start..<end])
    }

    /// Returns a line in which the name is emphasized, with or without its colon, and possibly also the value.
    private static func name(in line: [UInt8], from start: Int, to end: Int, marks: ArraySlice<UInt8>) -> [UInt8]? {
        guard let colon = line[start..<min(end, start + 40)].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let isOutside = line[start..<colon].suffix(marks.count).elementsEqual(marks)
        let isInside = line[(colon + 1)..<end].starts(with: marks)
        guard isOutside || isInside else { return nil }
        let name = line[start..<(isOutside ? colon - marks.count : colon)]
        let value = Array(line[(isOutside ? colon + 1 : colon + 1 + marks.count)..<end])
        return name + [UInt8(ascii: ":")] + (removed(from: value, inPart: false).map { [0x20] + $0 } ?? value)
    }
}

/// Text before a pasted line of a log: the mark of a list or a table, the place of a search result, a line number, or
/// the time and sender of a chat message.
enum LinePrefix: CaseIterable {
    /// `Line 38348: `, as in the search results of editors, in any language.
    case numberedWord
    /// `WFE1.log:12:`, `WFE1.log-13-`, or `WFE1.log:`, as printed by `grep`, `findstr` and `Select-String`.
    case place
    /// `12:` or `12-`, as printed by the same programs for a single file.
    case number
    /// A number and blanks, as in listings.
    case column
    /// `- `, `* `, `1. `, and bullets.
    case list
    /// `| `, which also ends the lines of a Markdown table.
    case table
    /// `[10:30 AM] Name: ` or `10:30 AM `.
    case chat

    /// Whether every line of the log has this kind of prefix, so that a line without it is not part of the log.
    var isOfSearch: Bool { self == .numberedWord || isOfPlace }

    private var isOfPlace: Bool { self == .place || self == .number }

    /// Returns the offset at which the prefix ends; `nil` if the line does not have it.
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
        // Additional blanks are part of the line.
        return end.map { $0 < line.count && !isOfPlace && self != .column && line[$0] == 0x20 ? $0 + 1 : $0 }
    }

    /// Returns the line without the prefix; `nil` if the line does not have it.
    func stripped(_ line: [UInt8]) -> [UInt8]? {
        guard let end = end(in: line) else { return nil }
        let content = line.trimmed.upperBound
        guard self == .table, content > end, line[content - 1] == UInt8(ascii: "|") else { return Array(line[end...]) }
        return Array(line[end..<(content - 1)])
    }
}

/// A scanner of prefixes; each function returns the end of a prefix, or `nil` if there is none.
private struct PrefixScanner {
    let line: [UInt8]

    /// The maximum lengths, in bytes, of a path before a line number and of a sender's name.
    private static let pathLimit = 260
    private static let nameLimit = 60

    init(_ line: [UInt8]) { self.line = line }

    func numberedWord(_ start: Int) -> Int? {
        let word = line.endOfWord(from: start, to: min(line.count, start + 24))
        guard word > start, line[start..<word].allSatisfy({ $0.lowercased.isLowercase || $0 >= 0x80 }) else {
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
            let end = line[index...].prefix(5).prefix { $0.lowercased.isLowercase || $0.isDigit }.endIndex
            guard dot > start, line[dot - 1] > 0x20, end > index, end < line.count, Self.separators.contains(line[end])
            else { continue }
            // `a.log:11:03:01.15` contains a time, and `a.log:12:11:03:01.15` a number and a time.
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
        // Right-aligned numbers may be followed by a single blank.
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

    /// Reads one of several characters.
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

/// A row whose columns are separated by hyphens or bars, as in tickets and handwritten text:
/// `w3wp.exe - Area - Category - tag - Level - text`, `Area|Category|tag|Level|text`.
enum SeparatedRow {
    /// The maximum number of bytes before the message.
    private static let maximum = 400
    private static let hyphen = Array(" - ".utf8)
    private static let bar = Array("|".utf8)

    /// Returns the line with tabs in place of the marks between its columns; `nil` for any other line.
    static func tabbed(_ line: [UInt8]) -> [UInt8]? {
        // A bar only separates columns; a hyphen may also separate parts of sentences.
        tabbed(line, at: hyphen, leastColumns: 3) ?? tabbed(line, at: bar, leastColumns: 2)
    }

    /// Returns the name and the value of a field, with a colon between them, from a line of a two-column table: `|
    /// Level | Error |`; `nil` for any other line.
    static func field(_ line: [UInt8]) -> [UInt8]? {
        let cells = line.prefix(maximum).split(separator: bar[0]).map(Array.init).filter { !$0.trimmed.isEmpty }
        let bars = line.prefix(maximum).count { $0 == bar[0] }
        guard 1...2 ~= cells.count, 2...3 ~= bars, line.count <= maximum else { return nil }
        let name = cells[0][cells[0].trimmed]
        guard PasteColumn(name: name) != nil, cells.count == 1 || PasteColumn(name: cells[1][cells[1].trimmed]) == nil
        else { return nil }
        return name + [UInt8(ascii: ":"), 0x20] + (cells.count == 2 ? cells[1][cells[1].trimmed] : [])
    }

    /// Returns the line with tabs in place of `separator`, if at least some columns precede its level.
    private static func tabbed(_ line: [UInt8], at separator: [UInt8], leastColumns: Int) -> [UInt8]? {
        var ends: [Int] = []
        var starts = [0]
        var index = 0
        while index + separator.count <= min(line.count, maximum) {
            if line.hasPrefix(separator, at: index) {
                ends.append(index)
                index += separator.count
                starts.append(index)
            } else {
                index += 1
            }
        }
        for level in ends.indices where level >= leastColumns {
            let cells = [level - 1, level].map { line[line.trimmed(starts[$0]..<ends[$0])] }
            guard RowGrammar.areEventIDAndLevel(cells[0], cells[1]) else { continue }
            var text: [UInt8] = []
            for cell in 0...level { text += line[line.trimmed(starts[cell]..<ends[cell])] + [0x09] }
            return text + message(line, from: starts[level + 1], separator)
        }
        return nil
    }

    /// Returns the text after the level, with a tab before the correlation if it is a separate column.
    private static func message(_ line: [UInt8], from start: Int, _ separator: [UInt8]) -> ArraySlice<UInt8> {
        let end = line.trimmed(start..<line.count).upperBound
        let last = max(start, end - GUIDShape.length)
        let before = line.trimmed(start..<last).upperBound
        guard separator == bar, before > start, line[before - 1] == UInt8(ascii: "|"),
            GUIDShape.isWhole(line[last..<end])
        else { return line[start...] }
        return line[start..<(before - 1)] + [0x09] + line[last..<end]
    }
}

extension [UInt8] {
    /// Replaces typographic quotes and dashes added by a web site with the plain characters of log rows: `‘x’` becomes
    /// `'x'`, and `—>` the arrow before an inner exception.
    mutating func undoTypography() {
        guard let first = firstIndex(of: Typography.lead) else { return }
        var index = first
        var end = first
        while index < count {
            let (text, length) = Typography.plain(self, at: index)
            if let text {
                for byte in text {
                    self[end] = byte
                    end += 1
                }
            } else {
                self[end] = self[index]
                end += 1
            }
            index += length
        }
        removeLast(count - end)
    }
}

private enum Typography {
    /// The first byte of all these signs.
    static let lead: UInt8 = 0xE2
    private static let (apostrophe, quote, arrow) = (Array("'".utf8), Array("\"".utf8), Array("--->".utf8))

    /// Returns the replacement for a typographic sign, which is never longer than the sign itself; `nil` for any other
    /// byte.
    static func plain(_ text: [UInt8], at index: Int) -> (text: [UInt8]?, length: Int) {
        guard text[index] == lead, index + 2 < text.count, text[index + 1] == 0x80 else { return (nil, 1) }
        switch text[index + 2] {
        case 0x98, 0x99: return (apostrophe, 3)
        case 0x9C, 0x9D: return (quote, 3)
        // Web sites turn two or three hyphens into one dash.
        case 0x93...0x94 where index + 3 < text.count && text[index + 3] == UInt8(ascii: ">"): return (arrow, 4)
        default: return (nil, 1)
        }
    }
}
