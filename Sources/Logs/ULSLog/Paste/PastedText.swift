/// A run of blanks.
struct BlankRun {
    /// The offset of what follows.
    let end: Int
    /// Whether it separates columns: it has a tab, or two or more blanks.
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
            // A no-break space cut in two by `end` is not a blank; otherwise, a word would never end.
            let width = blankWidth(at: index)
            if width > 0, index + width <= end { break }
            index += 1
        }
        return index
    }

    /// Returns `range` without the blanks and line feeds at both ends.
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

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isSmallLetter: Bool { (0x61...0x7A).contains(self) }
    var isCapital: Bool { (0x41...0x5A).contains(self) }
    var isHexadecimal: Bool { isDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }
    var lowercased: UInt8 { isCapital ? self + 0x20 : self }
}

/// The shape of a GUID: 36 characters, hexadecimal digits in groups of 8, 4, 4, 4 and 12.
enum GUIDShape {
    static let length = 36

    /// Returns whether `bytes` are the beginning of a GUID, or all of one.
    private static func isBeginning(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count <= length else { return false }
        for (offset, byte) in bytes.enumerated() {
            let isHyphen = offset == 8 || offset == 13 || offset == 18 || offset == 23
            guard isHyphen ? byte == UInt8(ascii: "-") : byte.isHexadecimal else { return false }
        }
        return true
    }

    static func isWhole(_ bytes: some Collection<UInt8>) -> Bool { bytes.count == length && isBeginning(bytes) }

    /// Returns whether a line break cut a GUID: `head` ends with the beginning of one, at least its first group and
    /// hyphen, and `tail` begins with the rest, or is another piece of it.
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
    /// Returns whether a word may begin at `index`: it is the first, or a blank precedes it.
    func isBoundary(before index: Int) -> Bool {
        guard index > 0 else { return true }
        return [0x20, 0x09, 0x0A].contains(self[index - 1])
            || (index > 1 && self[index - 1] == 0xA0 && self[index - 2] == 0xC2)
    }
}

/// Text whose lines were broken by the program that wrote them, or by a page that wrapped them.
///
/// A line end is kept if its line is part of a stack trace or of what a debugger shows, or follows one or a blank line:
/// there it belongs to the text. Anywhere else it counts as wrapping and becomes one blank, or nothing inside a GUID.
/// Nothing else is changed, except for blanks at the ends of lines.
struct JoinedText {
    private(set) var bytes: [UInt8] = []
    /// The offset of the last line.
    private(set) var lastLineStart = 0
    /// Whether text was left out because it exceeds the limit.
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
        // Indentation after a kept line end is text as well.
        extend(by: keepsLineEnd ? line[..<content.upperBound] : line[content])
    }

    /// Appends another text behind a blank line.
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
        guard word < line.count, line[word].isSmallLetter || line[word].isCapital || line[word] == UInt8(ascii: "_")
        else {
            return false
        }
        // "at the end." is prose, and so is "at C:\folder\file.txt".
        let name = line[word..<line.endOfWord(from: word, to: line.count)]
        let method = name.prefix { $0 != UInt8(ascii: "(") }
        guard !method.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "/") }) else { return false }
        return method.count < name.count || method.dropLast().contains(UInt8(ascii: "."))
    }

    /// Returns whether a line goes on with an exception's text although no frame is in it: `Server stack trace:`,
    /// `Exception rethrown at [0]:`, `at [0]:`.
    static func goesOn(_ line: [UInt8]) -> Bool {
        let start = line.blanks(from: 0, to: line.count).end
        return remoteMarks.contains { line.hasPrefix($0, at: start) }
    }

    /// Whether a line is a frame as error pages show it, without a first word: `   Ns.Type.Method(Object sender) +258`.
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
    /// The marks between frames, unlike a rule of hyphens, which people put between rows.
    private static let marks = [Array("--- ".utf8), Array("--->".utf8)]
    /// The marks of calls to another server.
    private static let remoteMarks = ["Server stack trace:", "Exception rethrown at [", "at [0]:"].map {
        Array($0.utf8)
    }
}

/// The lines with which a debugger shows what an exception holds: `  Message=…`, `  StackTrace:`.
enum DebuggerLine {
    /// Returns whether a line is the name of a property, indented, and an equals sign or a colon; or what Visual Studio
    /// adds to the name of an exception.
    static func matches(_ line: [UInt8]) -> Bool {
        let start = line.blanks(from: 0, to: line.count).end
        if line.hasPrefix(additional, at: start) { return true }
        guard start > 0 else { return false }
        let name = line[start...].prefix(longest).prefix { $0.lowercased.isSmallLetter }
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
