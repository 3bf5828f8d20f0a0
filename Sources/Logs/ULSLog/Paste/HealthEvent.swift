/// An event of ASP.NET's health monitoring, pasted without the record of Windows that it is the description of: `Event
/// code: 3005`, `Event message: …`, and sections of indented fields, with blank lines between them.
enum HealthEvent {
    /// Returns whether a line, or a text, begins such an event.
    static func begins(_ line: [UInt8]) -> Bool {
        let start = line.blanks(from: 0, to: line.count).end
        guard line.hasPrefix(key, at: start) else { return false }
        let code = line.blanks(from: start + key.count, to: line.count).end
        let end = line[code...].prefix { $0.isDigit }.endIndex
        // ASP.NET's own have four digits, those that programs define six.
        return 4...6 ~= end - code && (end == line.count || line[end] <= 0x20)
    }

    /// Returns whether a line behind a blank one is of the event above: the title of a section, a field, or a frame.
    static func goesOn(_ line: [UInt8]) -> Bool {
        guard !begins(line) else { return false }
        if StackLine.matches(line) { return true }
        let start = line.blanks(from: 0, to: line.count).end
        let window = start..<min(line.count, start + longestKey)
        guard let colon = line[window].firstIndex(of: UInt8(ascii: ":")) else { return false }
        let key = line[start..<colon].map(\.lowercased)
        return key.hasPrefix(event) || key.suffix(information.count) == information[...] || sections.contains(key)
            || start > 0 && key.allSatisfy { $0.isSmallLetter || $0 == 0x20 }
    }

    /// Returns the time of an event, if a line has it.
    static func time(in line: [UInt8]) -> ArraySlice<UInt8>? {
        let start = line.blanks(from: 0, to: line.count).end
        guard line.hasPrefix(timeKey, at: start) else { return nil }
        let value = line.trimmed(start + timeKey.count..<line.count)
        guard let time = PastedTime(line, at: value.lowerBound, to: value.upperBound), time.kind == .dateAndTime else {
            return nil
        }
        return line[time.range]
    }

    private static let key = Array("Event code:".utf8)
    private static let timeKey = Array("Event time:".utf8)
    private static let event = Array("event ".utf8)
    private static let information = Array(" information".utf8)
    private static let sections = Set(["custom event details", "stack trace"].map { Array($0.utf8) })
    private static let longestKey = 40
}
