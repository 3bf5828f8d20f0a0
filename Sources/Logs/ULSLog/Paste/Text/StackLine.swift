/// Lines that a stack trace consists of.
enum StackLine {
    /// Whether the line is a frame, `at Namespace.Type.Method(`, or a mark between frames, `--- End of …` or `--->`.
    static func matches(_ line: [UInt8]) -> Bool {
        let start = line.blanks(from: 0, to: line.count).end
        if marks.contains(where: { line.hasPrefix($0, at: start) }) { return true }
        guard line.hasPrefix(at, at: start) else { return false }
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

    private static let at = Array("at ".utf8)
    /// Not a rule of hyphens, which people put between rows.
    private static let marks = [Array("--- ".utf8), Array("--->".utf8)]
}
