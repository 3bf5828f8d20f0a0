/// A row of which only the level and the message were copied: `Verbose<tab>[Provider] Loading …`.
struct LevelRow {
    let level: Range<Int>
    let messageStart: Int
    /// Whether no sentence begins so: a tab, two blanks or a bracket follows the level.
    let isSure: Bool

    /// Reads a line; `nil` if it does not begin with a level, written as the service does, and a message.
    init?(_ line: [UInt8]) {
        let start = line.blanks(from: 0, to: line.count).end
        let end = line.endOfWord(from: start, to: min(line.count, start + Self.longest))
        guard Self.levels.contains(Array(line[start..<end])) else { return nil }
        let gap = line.blanks(from: end, to: line.count)
        let message = line.trimmed(gap.end..<line.count)
        // Further tabs are columns of some other table.
        guard gap.end > end, !message.isEmpty, !line[message].contains(0x09) else { return nil }
        level = start..<end
        messageStart = gap.end
        let isBracket = line[gap.end] == UInt8(ascii: "[") || line[gap.end] == UInt8(ascii: "{")
        isSure = (gap.isWide || isBracket) && line.endOfWord(from: gap.end, to: message.upperBound) < message.upperBound
    }

    var head: RowHead { RowHead(level: level, messageStart: messageStart) }

    private static let levels = Set(ULSLevel.knownWords.map { Array($0.utf8) })
    private static let longest = 16
}
