/// A duration that someone chose, without parts that are zero: `15 min`, `1 h 30 min`, `0.25 s`.
struct RoundDuration: Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min")].filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }
        let rest = seconds % 60
        if milliseconds != 0 {
            let digits = String(milliseconds)
            var decimals = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
            while decimals.hasSuffix("0") { decimals.removeLast() }
            description = (parts + ["\(rest).\(decimals) s"]).joined(separator: " ")
        } else if rest != 0 || parts.isEmpty {
            description = (parts + ["\(rest) s"]).joined(separator: " ")
        } else {
            description = parts.joined(separator: " ")
        }
    }
}
