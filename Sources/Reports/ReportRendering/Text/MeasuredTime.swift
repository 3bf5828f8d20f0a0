/// A measured time as a person reads it: `0.40 ms`, `153 ms`, `7.07 s`, `2 min 5 s`.
struct MeasuredTime: Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(microseconds: Int64) {
        let sign = microseconds < 0 ? "-" : ""
        let size = microseconds.magnitude
        switch size {
        case ..<10_000: description = "\(sign)\(size / 1000).\(Self.twoDigits(size / 10 % 100)) ms"
        case ..<1_000_000: description = "\(sign)\(size / 1000) ms"
        case ..<60_000_000: description = "\(sign)\(size / 1_000_000).\(Self.twoDigits(size / 10_000 % 100)) s"
        default: description = "\(sign)\(ShortDuration(.seconds(Int64(size / 1_000_000))))"
        }
    }

    init(milliseconds: Int64) {
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        self.init(microseconds: overflow ? (milliseconds < 0 ? .min : .max) : microseconds)
    }

    private static func twoDigits(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
