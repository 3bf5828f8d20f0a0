import TextKit
import ULSRows

/// The time at the start of a line, or a placeholder for a time.
struct PastedTime: Equatable {
    enum Kind {
        case dateAndTime
        case timeOnly
        /// A date whose time is on the next line.
        case dateOnly
        /// A placeholder: `<Date> <Time>`, `DateTime`, `xx/xx/xxxx xx:xx:xx`.
        case placeholder
    }

    let kind: Kind
    /// The time as written; empty for a placeholder.
    let range: Range<Int>
    /// The offset after the time and the `*`, if any.
    let end: Int
    let isContinuation: Bool

    init?(_ text: [UInt8], at start: Int, to end: Int) {
        var scanner = TimeScanner(text: text, index: start, end: end)
        if scanner.date() {
            let dateEnd = scanner.index
            if dateEnd == end {
                self.init(kind: .dateOnly, start..<end, end: end)
                return
            }
            if text[dateEnd] == UInt8(ascii: "T") { scanner.index += 1 } else { scanner.blanks() }
            guard scanner.index > dateEnd, scanner.time() else { return nil }
            self.init(kind: scanner.isMasked ? .placeholder : .dateAndTime, start..<scanner.index, end: end, in: text)
        } else if scanner.time() {
            self.init(kind: scanner.isMasked ? .placeholder : .timeOnly, start..<scanner.index, end: end, in: text)
        } else {
            guard let placeholderEnd = PlaceholderTime.end(in: text, from: start, to: end) else { return nil }
            var time = TimeScanner(text: text, index: text.blanks(from: placeholderEnd, to: end).end, end: end)
            let timeStart = time.index
            guard time.time() else {
                self.init(kind: .placeholder, start..<start, end: placeholderEnd)
                return
            }
            self.init(kind: time.isMasked ? .placeholder : .timeOnly, timeStart..<time.index, end: end, in: text)
        }
    }

    /// Returns `text` unchanged, or empty text if it is a placeholder for a time.
    static func withoutPlaceholder(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let text = Array(text)
        guard let time = PastedTime(text, at: 0, to: text.count), time.kind == .placeholder else { return text }
        return []
    }

    private init(kind: Kind, _ range: Range<Int>, end: Int) {
        self.kind = kind
        self.range = kind == .placeholder ? range.lowerBound..<range.lowerBound : range
        self.end = end
        isContinuation = false
    }

    /// Creates a time that ends at the end of a word or at the `*` of a continuation; nil for anything else.
    private init?(kind: Kind, _ range: Range<Int>, end: Int, in text: [UInt8]) {
        let next = range.upperBound
        isContinuation = next < end && text[next] == UInt8(ascii: "*")
        guard next == end || isContinuation || text.blankWidth(at: next) > 0 else { return nil }
        self.kind = kind
        self.range = kind == .placeholder ? range.lowerBound..<range.lowerBound : range
        self.end = isContinuation ? next + 1 : next
    }
}

/// A scanner of dates and times of day that reads digit by digit.
///
/// Letters may take the place of digits (`xx/xx/xxxx`, `MM/dd/yyyy`), because pasted text is often masked.
private struct TimeScanner {
    let text: [UInt8]
    var index: Int
    let end: Int
    /// Whether a letter was in the place of a digit.
    private(set) var isMasked = false

    init(text: [UInt8], index: Int, end: Int) {
        self.text = text
        self.index = index
        self.end = end
    }

    /// Reads `09/26/2011`, `26.9.2011` or `2021-02-02`.
    mutating func date() -> Bool {
        let start = index
        let first = digits(1...4)
        guard first > 0, first != 3,
            let separator = byte(in: [UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: ".")]),
            digits(1...2) > 0, byte(in: [separator]) != nil
        else { return fail(start) }
        return digits(first == 4 ? 1...2 : 4...4) > 0 || fail(start)
    }

    /// Reads `10:39:40.52`, `9:05:03 AM` or `07:27:58Z`.
    mutating func time() -> Bool {
        let start = index
        let colon = UInt8(ascii: ":")
        guard digits(1...2) > 0, byte(in: [colon]) != nil, digits(2...2) > 0, byte(in: [colon]) != nil,
            digits(2...2) > 0
        else { return fail(start) }
        if byte(in: [UInt8(ascii: "."), UInt8(ascii: ",")]) != nil {
            guard digits(1...7) > 0 else { return fail(start) }
        }
        if byte(in: [UInt8(ascii: "Z")]) == nil { halfOfDay() }
        return true
    }

    mutating func blanks() { index = text.blanks(from: index, to: end).end }

    private mutating func halfOfDay() {
        let start = text.blanks(from: index, to: end).end
        guard start > index, start + 2 <= end, start + 2 == end || text.blankWidth(at: start + 2) > 0,
            [UInt8(ascii: "a"), UInt8(ascii: "p")].contains(text[start].lowercased),
            text[start + 1].lowercased == UInt8(ascii: "m")
        else { return }
        index = start + 2
    }

    private mutating func fail(_ start: Int) -> Bool {
        index = start
        isMasked = false
        return false
    }

    private mutating func byte(in bytes: [UInt8]) -> UInt8? {
        guard index < end, bytes.contains(text[index]) else { return nil }
        index += 1
        return text[index - 1]
    }

    /// Reads digits up to the upper bound and returns their number; 0 if there are fewer than the lower bound.
    private mutating func digits(_ allowed: ClosedRange<Int>) -> Int {
        var found = 0
        while index < end, found < allowed.upperBound,
            text[index].isDigit || Self.masks.contains(text[index].lowercased)
        {
            isMasked = isMasked || !text[index].isDigit
            index += 1
            found += 1
        }
        return found < allowed.lowerBound ? 0 : found
    }

    private static let masks = Set("xmdyhsf".utf8)
}

/// A placeholder for a time: `<Date> <Time>`, `<Date and Time>`, `<mm/dd/yyyy> <hh:min:sec>`, `DateTime`, `Date Time`.
private enum PlaceholderTime {
    /// Returns the end of the placeholder at `start`; nil if there is none.
    static func end(in text: [UInt8], from start: Int, to end: Int) -> Int? {
        if let first = bracketed(text, start, end) {
            let second = text.blanks(from: first, to: end).end
            return bracketed(text, second, end) ?? first
        }
        let wordEnd = text.endOfWord(from: start, to: end)
        let word = text[start..<wordEnd].prefix(12).map(\.lowercased)
        if words.contains(word) { return wordEnd }
        guard word == Array("date".utf8) else { return nil }
        let second = text.blanks(from: wordEnd, to: end).end
        let secondEnd = text.endOfWord(from: second, to: end)
        return text[second..<secondEnd].prefix(12).map(\.lowercased) == Array("time".utf8) ? secondEnd : nil
    }

    /// Returns the end of a bracketed text (`<…>`, `[…]` or `{…}`) that mentions a date or time or shows its format.
    private static func bracketed(_ text: [UInt8], _ start: Int, _ end: Int) -> Int? {
        guard start < end, let close = brackets[text[start]] else { return nil }
        let window = (start + 1)..<min(end, start + 26)
        guard let closing = text[window].firstIndex(of: close) else { return nil }
        let inside = (start + 1)..<closing
        let isNamed = ["date", "time"].contains { text.contains(Array($0.utf8), in: inside) }
        guard isNamed || isForm(text[inside].map(\.lowercased)) else { return nil }
        return closing + 1
    }

    /// Returns whether a text is the format of a date or a time: `mm/dd/yyyy`, `hh:min:sec.msec`.
    private static func isForm(_ text: [UInt8]) -> Bool {
        let parts = text.split(omittingEmptySubsequences: false) { signs.contains($0) }
        return parts.count >= 3 && parts.allSatisfy { formWords.contains(Array($0)) }
    }

    private static let signs = Set("/:.-".utf8)
    private static let formWords = Set(
        ["m", "mm", "mon", "d", "dd", "yy", "yyyy", "h", "hh", "min", "s", "ss", "sec", "ms", "msec", "fff", "ff"]
            .map { Array($0.utf8) }
    )
    private static let words = ["datetime", "date/time", "timestamp"].map { Array($0.utf8) }
    private static let brackets: [UInt8: UInt8] = [
        UInt8(ascii: "<"): UInt8(ascii: ">"), UInt8(ascii: "["): UInt8(ascii: "]"),
        UInt8(ascii: "{"): UInt8(ascii: "}"),
    ]
}

/// The process column at the start of a row: `w3wp.exe (0x1790)`, `w3wp.exe (SERVER:0x1790)`, or a bare `w3wp.exe`.
struct PastedProcess: Equatable {
    /// The process as written, but without a placeholder ID, `(0xXXXX)` or `(0x00000)`.
    let range: Range<Int>
    let end: Int
    let hasID: Bool

    /// Reads the process at `start`; a name with several words is accepted only after a time.
    init?(_ text: [UInt8], at start: Int, to end: Int, isBehindTime: Bool) {
        let window = min(end, start + Self.nameLimit)
        guard start < window, text[start] != UInt8(ascii: "(") else { return nil }
        var nameEnd = Self.endOfName(text, start, window)
        let isProgram = nameEnd - start > 4 && text.contains(Self.suffix, in: (nameEnd - 4)..<nameEnd)
        if isBehindTime, !isProgram {
            nameEnd = Self.endOfWords(text, start, window) ?? nameEnd
        }
        let open = text.blanks(from: nameEnd, to: end).end
        if let (close, isPlaceholder) = Self.id(text, at: open, to: end) {
            range = start..<(isPlaceholder ? nameEnd : close)
            self.end = close
            hasID = true
        } else {
            guard isProgram else { return nil }
            range = start..<nameEnd
            self.end = nameEnd
            hasID = false
        }
    }

    /// Returns the end of the first word, or of its part before a parenthesis.
    private static func endOfName(_ text: [UInt8], _ start: Int, _ end: Int) -> Int {
        let word = start..<text.endOfWord(from: start, to: end)
        return text[word].firstIndex(of: UInt8(ascii: "(")) ?? word.upperBound
    }

    /// Returns the end of several words before a parenthesis; nil if the words can't be a name.
    private static func endOfWords(_ text: [UInt8], _ start: Int, _ end: Int) -> Int? {
        guard let open = text[start..<end].firstIndex(of: UInt8(ascii: "(")) else { return nil }
        let name = text.trimmed(start..<open)
        return text[name].contains(where: noName.contains) ? nil : name.upperBound
    }

    /// The characters that occur in times and prose, but not in names.
    private static let noName = Set(":/,;<>".utf8)

    /// Returns the end of `(0x1790)` or `(SERVER: 0x1790)`, and whether its number is a placeholder.
    private static func id(_ text: [UInt8], at open: Int, to end: Int) -> (end: Int, isPlaceholder: Bool)? {
        guard open < end, text[open] == UInt8(ascii: "(") else { return nil }
        let window = open..<min(end, open + idLimit)
        guard let close = text[window].firstIndex(of: UInt8(ascii: ")")) else { return nil }
        let number = text[(open + 1)..<close].lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? open + 1
        let id = text.trimmed(number..<close)
        guard let isPlaceholder = HexadecimalID.isPlaceholder(text, id) else { return nil }
        return (close + 1, isPlaceholder)
    }

    /// The maximum length of a process name, in bytes; the logging service truncates names to 31 characters, and
    /// services append `#name`.
    private static let nameLimit = 96
    /// The maximum length of a server name and process ID in parentheses, in bytes.
    private static let idLimit = 96
    private static let suffix = Array(".exe".utf8)
}

/// Process and thread IDs: `0x` and hexadecimal digits, or a placeholder for the digits.
enum HexadecimalID {
    /// Returns whether `range` is a placeholder ID (`0xXXXX`, `0x0000`); nil if it is not an ID at all.
    fileprivate static func isPlaceholder(_ text: [UInt8], _ range: Range<Int>) -> Bool? {
        guard (3...18).contains(range.count), text.hasPrefix(prefix, at: range.lowerBound) else { return nil }
        let digits = text[(range.lowerBound + 2)..<range.upperBound]
        guard digits.allSatisfy({ $0.isHexadecimal || masks.contains($0) }) else { return nil }
        return digits.contains { masks.contains($0) } || digits.allSatisfy { $0 == UInt8(ascii: "0") }
    }

    /// Returns the end of the thread ID at `start`, and whether it is a placeholder; nil if there is none.
    ///
    /// The area may follow without a space, as in `0x1988Windows SharePoint Services`, and may begin with a hexadecimal
    /// digit, as in `0x12C4Excel`. IDs use capitals and have at least four digits, whereas an area continues in
    /// lowercase.
    static func thread(_ text: [UInt8], at start: Int, to end: Int) -> (end: Int, isPlaceholder: Bool)? {
        let wordEnd = text.endOfWord(from: start, to: end)
        if let isPlaceholder = isPlaceholder(text, start..<wordEnd) { return (wordEnd, isPlaceholder) }
        guard text.hasPrefix(prefix, at: start) else { return nil }
        var cut = start + 2
        while cut < wordEnd, text[cut].isDigit || (text[cut].isHexadecimal && text[cut].isUppercase) { cut += 1 }
        if cut < wordEnd, text[cut].isLowercase, text[cut - 1].isUppercase { cut -= 1 }
        guard cut < wordEnd, text[cut].isUppercase, cut - start >= 6 else { return nil }
        return isPlaceholder(text, start..<cut).map { (cut, $0) }
    }

    private static let prefix = Array("0x".utf8)
    private static let masks = Set("Xx.?#*".utf8)
}

/// A run of blanks.
struct BlankRun {
    /// The offset after the blanks.
    let end: Int
    /// Whether the blanks separate columns: there is a tab, or at least two blanks.
    let isWide: Bool
}

extension [UInt8] {
    /// Returns the length of the blank at `index`, in bytes; 0 if there is none.
    ///
    /// A blank is a space, a tab, a carriage return or a no-break space (U+00A0, two bytes of UTF-8), which some
    /// viewers use as padding.
    func blankWidth(at index: Int) -> Int {
        switch self[index] {
        case 0x20, 0x09, 0x0D: 1
        case 0xC2 where index + 1 < count && self[index + 1] == 0xA0: 2
        default: 0
        }
    }

    /// Returns the blanks from `start` on.
    func blanks(from start: Int, to end: Int) -> BlankRun {
        var (index, characters, hasTab) = (start, 0, false)
        while index < end {
            let width = blankWidth(at: index)
            guard width > 0, index + width <= end else { break }
            hasTab = hasTab || self[index] == 0x09
            characters += 1
            index += width
        }
        return BlankRun(end: index, isWide: hasTab || characters > 1)
    }

    /// Returns the end of the word that begins at `start`.
    func endOfWord(from start: Int, to end: Int) -> Int {
        var index = start
        while index < end {
            // A no-break space that `end` cuts in two is not a blank; otherwise, a word would never end.
            let width = blankWidth(at: index)
            if width > 0, index + width <= end { break }
            index += 1
        }
        return index
    }

    /// Returns `range` without leading and trailing blanks and line feeds.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end {
            let width = self[start] == 0x0A ? 1 : blankWidth(at: start)
            guard width > 0, start + width <= end else { break }
            start += width
        }
        while end > start {
            if [0x20, 0x09, 0x0D, 0x0A].contains(self[end - 1]) {
                end -= 1
            } else if end - start > 1, self[end - 1] == 0xA0, self[end - 2] == 0xC2 {
                end -= 2
            } else {
                break
            }
        }
        return start..<end
    }

    var trimmed: Range<Int> { trimmed(indices) }

    func hasPrefix(_ prefix: [UInt8], at index: Int = 0) -> Bool {
        index + prefix.count <= count && self[index..<(index + prefix.count)].elementsEqual(prefix)
    }

    /// Returns whether `part`, given in lowercase, occurs in `range`, ignoring case.
    func contains(_ part: [UInt8], in range: Range<Int>) -> Bool {
        guard range.count >= part.count else { return false }
        return (range.lowerBound...(range.upperBound - part.count)).contains { start in
            part.indices.allSatisfy { self[start + $0].lowercased == part[$0] }
        }
    }
}

/// The shape of a GUID: 36 characters, with hexadecimal digits in groups of 8, 4, 4, 4 and 12.
enum GUIDShape {
    static let length = 36

    /// Returns whether `bytes` are the beginning of a GUID, or a complete one.
    private static func isBeginning(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count <= length else { return false }
        for (offset, byte) in bytes.enumerated() {
            let isHyphen = offset == 8 || offset == 13 || offset == 18 || offset == 23
            guard isHyphen ? byte == UInt8(ascii: "-") : byte.isHexadecimal else { return false }
        }
        return true
    }

    static func isWhole(_ bytes: some Collection<UInt8>) -> Bool { bytes.count == length && isBeginning(bytes) }

    /// Returns whether a line break divides a GUID: `head` ends with the beginning of a GUID, at least its first group
    /// and hyphen, and `tail` begins with the rest or is another piece of it.
    fileprivate static func isCut(between head: [UInt8], and tail: [UInt8]) -> Bool {
        var start = head.count
        while start > 0, head.count - start < length, head[start - 1].isGUIDCharacter { start -= 1 }
        let end = tail.prefix(length).firstIndex { !$0.isGUIDCharacter } ?? min(tail.count, length)
        guard head.count - start > 8, end > 0 else { return false }
        guard start == 0 || head.isBoundary(before: start) else { return false }
        let joined = head[start...] + tail[..<end]
        if joined.count == length, end < tail.count, tail[end].isGUIDCharacter { return false }
        return isWhole(joined) || (end == tail.count && joined.last == UInt8(ascii: "-") && isBeginning(joined))
    }
}

extension UInt8 {
    fileprivate var isGUIDCharacter: Bool { isHexadecimal || self == UInt8(ascii: "-") }
}

extension [UInt8] {
    /// Returns whether a word may begin at `index`, because it is the first word or a blank precedes it.
    func isBoundary(before index: Int) -> Bool {
        guard index > 0 else { return true }
        return [0x20, 0x09, 0x0A].contains(self[index - 1])
            || (index > 1 && self[index - 1] == 0xA0 && self[index - 2] == 0xC2)
    }
}

/// Text whose lines were broken by the program that wrote them, or by a page that wrapped them.
///
/// A line end is kept as part of the text if its line is in a stack trace or a debugger's output, or follows such a
/// line or a blank line. Anywhere else, it counts as wrapping and becomes a single blank, or is removed inside a GUID.
/// Nothing else is changed, except for blanks at the ends of lines.
struct JoinedText {
    private(set) var bytes: [UInt8] = []
    /// The offset of the last line.
    private(set) var lastLineStart = 0
    /// Whether text was left out because it exceeded the limit.
    private(set) var wasCut = false

    private let limit: Int
    private var hasStack = false

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func append(_ line: [UInt8], isBehindBlank: Bool = false) {
        let content = line.trimmed
        guard !content.isEmpty else { return }
        let isStack = StackLine.matches(line) || DebuggerLine.matches(line)
        let keepsLineEnd = isStack || hasStack || isBehindBlank
        hasStack = hasStack || isStack
        guard !bytes.isEmpty else { return extend(by: line[content]) }
        if GUIDShape.isCut(between: bytes, and: Array(line[content].prefix(GUIDShape.length + 1))) {
            return extend(by: line[content])
        }
        extend(by: [keepsLineEnd ? 0x0A : 0x20])
        lastLineStart = bytes.count
        // Indentation after a kept line end is also part of the text.
        extend(by: keepsLineEnd ? line[..<content.upperBound] : line[content])
    }

    /// Appends another text after a blank line.
    mutating func append(paragraph other: JoinedText) {
        hasStack = hasStack || other.hasStack
        wasCut = wasCut || other.wasCut
        extend(by: [0x0A])
        lastLineStart = bytes.count + other.lastLineStart
        extend(by: other.bytes[...])
    }

    private mutating func extend(by part: ArraySlice<UInt8>) {
        let room = limit - bytes.count
        if part.count > room { wasCut = true }
        bytes.append(contentsOf: part.prefix(max(0, room)))
    }
}

/// The lines of a stack trace.
enum StackLine {
    /// Returns whether the line is a frame, `at Namespace.Type.Method(`, or a mark between frames, `--- End of …` or
    /// `--->`.
    static func matches(_ line: [UInt8]) -> Bool {
        let start = line.blanks(from: 0, to: line.count).end
        if marks.contains(where: { line.hasPrefix($0, at: start) }) { return true }
        guard line.hasPrefix(at, at: start) else { return start > 0 && isErrorPageFrame(line, from: start) }
        let word = start + at.count
        guard word < line.count, line[word].isLowercase || line[word].isUppercase || line[word] == UInt8(ascii: "_")
        else {
            return false
        }
        // "at the end." is prose, and so is "at C:\folder\file.txt".
        let name = line[word..<line.endOfWord(from: word, to: line.count)]
        let method = name.prefix { $0 != UInt8(ascii: "(") }
        guard !method.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "/") }) else { return false }
        return method.count < name.count || method.dropLast().contains(UInt8(ascii: "."))
    }

    /// Returns whether a line continues an exception's text although it contains no frame: `Server stack trace:`,
    /// `Exception rethrown at [0]:`, `at [0]:`.
    static func goesOn(_ line: [UInt8]) -> Bool {
        let start = line.blanks(from: 0, to: line.count).end
        return remoteMarks.contains { line.hasPrefix($0, at: start) }
    }

    /// Returns whether a line is a frame in the format of error pages, without an introductory word: `
    /// Ns.Type.Method(Object sender) +258`.
    private static func isErrorPageFrame(_ line: [UInt8], from start: Int) -> Bool {
        let end = line.trimmed.upperBound
        var sign = end
        while sign > start, line[sign - 1].isDigit { sign -= 1 }
        guard sign < end, sign - start > 4, line[sign - 1] == UInt8(ascii: "+"), line[sign - 2] == 0x20,
            line[sign - 3] == UInt8(ascii: ")"), let open = line[start..<sign].firstIndex(of: UInt8(ascii: "("))
        else { return false }
        return line[start..<open].contains(UInt8(ascii: ".")) && !line[start..<open].contains(0x20)
    }

    private static let at = Array("at ".utf8)
    /// The marks between frames, as opposed to a rule of hyphens between rows.
    private static let marks = [Array("--- ".utf8), Array("--->".utf8)]
    /// The marks of calls to another server.
    private static let remoteMarks = ["Server stack trace:", "Exception rethrown at [", "at [0]:"].map {
        Array($0.utf8)
    }
}

/// The lines in which a debugger shows the properties of an exception: `  Message=…`, `  StackTrace:`.
enum DebuggerLine {
    /// Returns whether a line is an indented property name followed by an equals sign or a colon, or text that Visual
    /// Studio adds to the name of an exception.
    static func matches(_ line: [UInt8]) -> Bool {
        let start = line.blanks(from: 0, to: line.count).end
        if line.hasPrefix(additional, at: start) { return true }
        guard start > 0 else { return false }
        let name = line[start...].prefix(longest).prefix { $0.lowercased.isLowercase }
        guard name.endIndex < line.count,
            line[name.endIndex] == UInt8(ascii: "=") || line[name.endIndex] == UInt8(ascii: ":")
        else { return false }
        return line[name.endIndex] == UInt8(ascii: "=") ? values.contains(Array(name)) : texts.contains(Array(name))
    }

    private static let additional = Array("Additional information: ".utf8)
    private static let longest = 20
    private static let values = Set(
        [
            "Message", "Source", "HResult", "ErrorCode", "ParamName", "FileName", "FusionLog", "TypeName", "ObjectName",
            "LineNumber", "LinePosition", "Number", "Procedure", "Server", "State", "Class", "NativeErrorCode",
        ].map { Array($0.utf8) }
    )
    private static let texts = Set(["StackTrace", "InnerException"].map { Array($0.utf8) })
}
