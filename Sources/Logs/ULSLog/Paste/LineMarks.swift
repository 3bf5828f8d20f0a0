/// What surrounds the lines of a log where they were pasted, and is none of theirs: marks of quotation, of Markdown and
/// of code, prefixes of searches, lists and chats, and the quotes of a spreadsheet's cells.
///
/// A prefix is removed only where what follows it is a row, a header or a field; from then on, further lines lose the
/// same kind of prefix.
struct LineMarks {
    private let limits: PasteLimits
    /// The prefixes that lines of this text have, from left to right.
    private var prefixes: [LinePrefix] = []
    /// Whether lines of this text end with the backslash of a hard line break.
    private var hasHardBreaks = false
    /// Whether fields of this text are emphasized, so that other lines may be.
    private var hasEmphasis = false
    /// Whether the cell of a spreadsheet is open.
    private var isInCell = false

    init(limits: PasteLimits) { self.limits = limits }

    /// Returns what of a line is of the log; nothing if all of it is marks.
    ///
    /// - Parameters:
    ///   - line: The line, without its end.
    ///   - separator: What separates the cells of a table that is open; `nil` if none is.
    ///   - isWithinRow: Whether the columns of a row go on in the line, which then has no prefix that others had not.
    /// - Returns: The line's own text.
    mutating func content(of line: [UInt8], inTableAt separator: UInt8?, isWithinRow: Bool) -> [UInt8] {
        var bytes = line
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

    /// Whether a line begins or ends a block of code, and with it what is quoted.
    static func isFence(_ line: [UInt8]) -> Bool { CodeMark.isAlone(Array(line.dropFirst(quoteMark(of: line)))) }

    /// Whether a line is only what a search writes between its results: `--`, or the path of the next file.
    func isBetweenResults(_ line: [UInt8]) -> Bool {
        guard prefixes.contains(where: \.isOfSearch) else { return false }
        let content = line[line.trimmed]
        if content.elementsEqual("--".utf8) { return true }
        let isPath = content.dropFirst().starts(with: ":\\".utf8) || content.starts(with: "\\\\".utf8)
        return isPath && content.last == UInt8(ascii: ")") && !prefixes.contains { $0.end(in: line) != nil }
    }

    /// Returns the length of the marks with which tickets and mail quote a line: `> `, also several.
    private static func quoteMark(of line: [UInt8]) -> Int {
        var end = 0
        while end < line.count, line[end] == UInt8(ascii: ">") {
            end += 1
            if end < line.count, line[end] == 0x20 { end += 1 }
        }
        // A mark is followed by a blank, or is all there is; markup is neither.
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

    /// Returns what is of the log behind prefixes of a line, and notes these; `nil` if nothing is.
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

    /// Whether a line is a row as it stands, by more than what a prefix could be part of.
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
        // A number and a level are what a row may be wrapped before.
        if prefix != .column, LevelRow(line)?.isSure == true { return true }
        if TableHeader(separated: line, limits: limits) != nil { return true }
        guard prefix == .list, let key = BlockKey(line)?.column else { return false }
        return key != .ignored
    }

    /// The most prefixes before one row, as in a list of quoted search results.
    private static let mostPrefixes = 3
}

extension LineMarks {
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
            hasEmphasis = hasEmphasis || column != .ignored
            return plain
        }
        return hasEmphasis ? Emphasis.removed(from: text, inPart: false) ?? text : text
    }

    /// Whether a backslash behind a text breaks the line, rather than ending a path: behind emphasis, a sentence or the
    /// value of a field.
    private static func isHardBreak(behind text: [UInt8]) -> Bool {
        guard let last = text.last else { return false }
        if let plain = Emphasis.removed(from: text, inPart: true) { return BlockKey(plain)?.column != nil }
        if last == UInt8(ascii: "."), text.count > 1, text[text.count - 2].lowercased.isSmallLetter { return true }
        guard let key = BlockKey(text)?.column, key != .ignored else { return false }
        let word = text[(text.lastIndex(of: 0x20).map { $0 + 1 } ?? 0)...]
        return !word.contains(UInt8(ascii: "\\")) && last != UInt8(ascii: ":")
    }

    /// Returns a row without the quotes with which a spreadsheet copies a cell of several lines or with quotes in it.
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

/// Marks of code in Markdown, trackers and pages: `` ` ``, fences, `{code}`.
private enum CodeMark {
    /// Whether a line is a mark that begins or ends a block of code, and nothing else.
    static func isAlone(_ line: [UInt8]) -> Bool {
        let content = Array(line[line.trimmed])
        if [UInt8(ascii: "`"), UInt8(ascii: "~")].contains(where: { content.starts(with: [$0, $0, $0]) }) {
            return content.dropFirst(3).allSatisfy { $0.lowercased.isSmallLetter || $0 == content[0] }
        }
        guard content.count < 24, content.first == UInt8(ascii: "{"), content.last == UInt8(ascii: "}") else {
            return false
        }
        return words.contains { content.hasPrefix($0, at: 1) }
    }

    /// Removes the marks of code from the beginning of a line, and as many from its end.
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

/// Emphasis of Markdown: `_text_`, `**text**`, `**Name:** value`.
private enum Emphasis {
    /// Returns a line without the emphasis around it, or around the name it begins with; `nil` if there is none.
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

    /// Returns a line whose name is emphasized, with or without its colon, and perhaps its value.
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
