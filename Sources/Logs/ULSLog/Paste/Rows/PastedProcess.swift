/// The process column at the start of a row: `w3wp.exe (0x1790)`, `w3wp.exe (SERVER:0x1790)`, or a bare `w3wp.exe`.
struct PastedProcess: Equatable {
    /// As written, but without an id that is a placeholder, `(0xXXXX)` or `(0x00000)`.
    let range: Range<Int>
    let end: Int
    let hasID: Bool

    /// Reads it at `start`; a name of several words is taken only where a time stands before it.
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

    /// The end of the first word, or of what stands before a bracket in it.
    private static func endOfName(_ text: [UInt8], _ start: Int, _ end: Int) -> Int {
        let word = start..<text.endOfWord(from: start, to: end)
        return text[word].firstIndex(of: UInt8(ascii: "(")) ?? word.upperBound
    }

    /// The end of several words before a bracket; nil if they are not what a name has.
    private static func endOfWords(_ text: [UInt8], _ start: Int, _ end: Int) -> Int? {
        guard let open = text[start..<end].firstIndex(of: UInt8(ascii: "(")) else { return nil }
        let name = text.trimmed(start..<open)
        return text[name].contains(where: noName.contains) ? nil : name.upperBound
    }

    /// What times and prose have, and names don't.
    private static let noName = Set(":/,;<>".utf8)

    /// The end of `(0x1790)` or `(SERVER: 0x1790)`, and whether its number is a placeholder.
    private static func id(_ text: [UInt8], at open: Int, to end: Int) -> (end: Int, isPlaceholder: Bool)? {
        guard open < end, text[open] == UInt8(ascii: "(") else { return nil }
        let window = open..<min(end, open + idLimit)
        guard let close = text[window].firstIndex(of: UInt8(ascii: ")")) else { return nil }
        let number = text[(open + 1)..<close].lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? open + 1
        let id = text.trimmed(number..<close)
        guard let isPlaceholder = HexadecimalID.isPlaceholder(text, id) else { return nil }
        return (close + 1, isPlaceholder)
    }

    /// Bytes of a process name; the service cuts it at 31 characters, services append `#name`.
    private static let nameLimit = 96
    /// Bytes of a server's name and a process id in brackets.
    private static let idLimit = 96
    private static let suffix = Array(".exe".utf8)
}
