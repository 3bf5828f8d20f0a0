/// When a row of a test was written, on the server's clock.
public struct TestTime: Sendable, Hashable {
    /// As the service writes it: `03/02/2026`.
    private var date: String
    /// Hundredths of a second since midnight.
    private var hundredths: Int

    /// The time of a first row that does not say it.
    static let first = TestTime(date: "03/02/2026", hundredths: 10 * hour)

    private static let hour = 360_000

    private init(date: String, hundredths: Int) {
        self.date = date
        self.hundredths = hundredths
    }

    /// Reads `10:00:00.00`, which is on 2 March 2026, or `2026-03-02 10:00:00.00`; the hundredths may be missing.
    init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let clock = parts.last, parts.count <= 2 else { return nil }
        date = Self.first.date
        if parts.count == 2 {
            let numbers = Self.numbers(parts[0], separator: "-", widths: [4, 2, 2])
            guard let numbers, 1...12 ~= numbers[1], 1...31 ~= numbers[2] else { return nil }
            let digits = parts[0].split(separator: "-")
            date = "\(digits[1])/\(digits[2])/\(digits[0])"
        }
        let halves = clock.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = halves.count == 2 ? Self.numbers(halves[1], separator: ".", widths: [2])?[0] : 0
        guard halves.count <= 2, let fraction,
            let numbers = Self.numbers(halves[0], separator: ":", widths: [2, 2, 2]), numbers[0] < 24, numbers[1] < 60,
            numbers[2] < 60
        else { return nil }
        hundredths = numbers[0] * Self.hour + numbers[1] * 6000 + numbers[2] * 100 + fraction
    }

    /// A second later, or the last moment of the day.
    var aSecondLater: TestTime { TestTime(date: date, hundredths: min(hundredths + 100, 24 * Self.hour - 1)) }

    /// As the service writes it: `03/02/2026 10:00:00.00`.
    var native: String {
        let numbers = [hundredths / Self.hour, hundredths / 6000 % 60, hundredths / 100 % 60, hundredths % 100]
        let digits = numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(date) \(digits[0]):\(digits[1]):\(digits[2]).\(digits[3])"
    }

    /// Numbers of fixed widths.
    private static func numbers(_ text: Substring, separator: Character, widths: [Int]) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == widths, parts.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else {
            return nil
        }
        return parts.compactMap { Int($0) }
    }
}
