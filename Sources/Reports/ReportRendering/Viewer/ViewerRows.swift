public import ULSLog

/// The rows that the viewer shows, any of which can be asked for.
public protocol ViewerRows {
    /// How many there are by now.
    var count: Int { get }
    /// Whether no more are being looked for.
    var isComplete: Bool { get }
    /// The part of the logs that was looked at, in percent.
    var percent: Int { get }
    /// Returns these rows, which exist; `nil` for one that is no longer in its file.
    func events(_ rows: Range<Int>) -> [ULSEvent?]
    /// Returns the next row at Monitorable or worse after a row, or the previous one before it.
    func problem(from row: Int, isForward: Bool) -> Int?
    /// Returns the first row at an instant or after it; the number of rows if there is none.
    func firstRow(atOrAfter instant: Int64) -> Int
    func instant(ofRow row: Int) -> Int64?
}

/// What the viewer shows of the logs.
public struct ViewerFilter: Hashable, Sendable {
    /// A text that the message must have, without regard to case; empty for any message.
    public var text = ""
    /// This level and worse; `nil` for all.
    public var level: ULSLevel?

    public init() {}

    /// In words: `High and worse, with “timeout”`; `nil` if everything is shown.
    var words: String? {
        let level = level.map { "\($0.word) and worse" }
        let text = text.isEmpty ? nil : "with '\(text)'"
        let words = [level, text].compactMap(\.self).joined(separator: ", ")
        return words.isEmpty ? nil : words
    }
}

/// A time that somebody types, and the rows it means.
enum ViewerTime {
    /// Returns the instant, in milliseconds since 1970, that `11:03`, `11:03:02.5` or `2024-03-11 11:03` means beside a
    /// row of this time; `nil` if it is no time.
    static func instant(_ text: String, beside time: LogTime) -> Int64? {
        let words = text.split { $0 == " " || $0 == "T" }
        guard let clock = words.last.flatMap({ milliseconds($0) }) else { return nil }
        let day: Int64
        switch words.count {
        case 1: day = time.clock - modulo(time.clock, dayLength)
        case 2:
            guard let first = Self.day(words[0]) else { return nil }
            day = first * dayLength
        default: return nil
        }
        return day + clock - Int64(time.offset) * 1000
    }

    private static let dayLength: Int64 = 86_400_000

    private static func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }

    /// Milliseconds since midnight.
    private static func milliseconds(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, let hour = number(parts[0], below: 24), let minute = number(parts[1], below: 60)
        else { return nil }
        var value = (hour * 60 + minute) * 60_000
        guard parts.count == 3 else { return value }
        let seconds = parts[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let second = number(seconds[0], below: 60) else { return nil }
        value += second * 1000
        guard seconds.count == 2 else { return value }
        let digits = seconds[1].prefix(3)
        guard !digits.isEmpty, let fraction = number(digits, below: 1000) else { return nil }
        return value + [100, 10, 1][digits.count - 1] * fraction
    }

    /// Days since 1970 of `YYYY-MM-DD`.
    private static func day(_ text: Substring) -> Int64? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, let year = number(parts[0], below: 10_000),
            let month = number(parts[1], below: 13), let day = number(parts[2], below: 32), month > 0, day > 0
        else { return nil }
        // Counted from March, so that the leap day is the last of its year (Howard Hinnant's days_from_civil).
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func number(_ text: Substring, below limit: Int64) -> Int64? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let value = Int64(text), value < limit else { return nil }
        return value
    }
}
