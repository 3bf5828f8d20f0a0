/// A row whose columns are set apart by hyphens or bars, as people and tickets write it: `w3wp.exe - Area - Category -
/// tag - Level - text`, `Area|Category|tag|Level|text`.
enum SeparatedRow {
    /// The most bytes before the message.
    private static let maximum = 400
    private static let hyphen = Array(" - ".utf8)
    private static let bar = Array("|".utf8)

    /// Returns the line with tabs for the marks between its columns; `nil` if it is no such row.
    static func tabbed(_ line: [UInt8]) -> [UInt8]? {
        // A bar sets nothing else apart, a hyphen also parts of sentences.
        tabbed(line, at: hyphen, leastColumns: 3) ?? tabbed(line, at: bar, leastColumns: 2)
    }

    /// Returns the name of a field and its value with a colon between them, of a line of a table with two columns: `| Level |
    /// Error |`; `nil` if it is no such line.
    static func field(_ line: [UInt8]) -> [UInt8]? {
        let cells = line.prefix(maximum).split(separator: bar[0]).map(Array.init).filter { !$0.trimmed.isEmpty }
        let bars = line.prefix(maximum).count { $0 == bar[0] }
        guard 1...2 ~= cells.count, 2...3 ~= bars, line.count <= maximum else { return nil }
        let name = cells[0][cells[0].trimmed]
        guard PasteColumn(name: name) != nil, cells.count == 1 || PasteColumn(name: cells[1][cells[1].trimmed]) == nil
        else { return nil }
        return name + [UInt8(ascii: ":"), 0x20] + (cells.count == 2 ? cells[1][cells[1].trimmed] : [])
    }

    /// Returns the line with tabs for `separator`, if at least some columns precede its level.
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

    /// Returns what follows the level, with a tab before the correlation, if it is a column of its own.
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
