/// A duration as a person reads it: `0.2 s`, `3.4 s`, `12 min 5 s`.
public struct ShortDuration: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let tenths = seconds * 10 + attoseconds / 100_000_000_000_000_000
        switch tenths {
        case ..<600: description = "\(tenths / 10).\(tenths % 10) s"
        case ..<36000: description = "\(tenths / 600) min \(tenths / 10 % 60) s"
        default: description = "\(tenths / 36000) h \(tenths / 600 % 60) min"
        }
    }
}

extension Duration {
    /// Seconds with three decimals, as the machine formats have them.
    var secondsText: String {
        let (seconds, attoseconds) = components
        let milliseconds = String(attoseconds / 1_000_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: 3 - milliseconds.count) + milliseconds
    }
}
