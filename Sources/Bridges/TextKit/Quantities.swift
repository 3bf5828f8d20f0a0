/// A count for people, with or without its noun.
public struct Quantity: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Creates a count in plain digits, with its noun: `1 line`, `2000 lines`.
    public init(_ count: Int, _ one: String, _ several: String) {
        description = "\(count) \(count == 1 ? one : several)"
    }

    /// Creates a count with separators: `1,234,567`.
    public init(grouped count: Int) {
        let digits = Array(String(count.magnitude))
        var text = count < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        description = text
    }

    /// Creates a count with separators and its noun: `1 event`, `1,234 events`, `at least 1,234 events`.
    public init(grouped count: Int, _ one: String, _ several: String, isAtLeast: Bool = false) {
        description = "\(Self(grouped: count, isAtLeast: isAtLeast)) \(count == 1 && !isAtLeast ? one : several)"
    }

    /// Creates a count with separators, `1,234` or `at least 1,234`.
    public init(grouped count: Int, isAtLeast: Bool) {
        description = (isAtLeast ? "at least " : "") + Self(grouped: count).description
    }
}

/// A size for people: `512 B`, `1.5 MiB`.
public struct ShortByteCount: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ bytes: Int) {
        var (rest, unit) = (bytes * 10, "B")
        for next in ["KiB", "MiB", "GiB", "TiB"] where rest >= 10240 { (rest, unit) = (rest / 1024, next) }
        description = unit == "B" || rest >= 1000 ? "\(rest / 10) \(unit)" : "\(rest / 10).\(rest % 10) \(unit)"
    }
}

/// A duration for people, as short as its kind allows.
public struct ShortDuration: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Creates the words for elapsed time: `0.2 s`, `3.4 s`, `12 min 5 s`.
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let tenths = seconds * 10 + attoseconds / 100_000_000_000_000_000
        switch tenths {
        case ..<600: description = "\(tenths / 10).\(tenths % 10) s"
        case ..<36000: description = "\(tenths / 600) min \(tenths / 10 % 60) s"
        default: description = "\(tenths / 36000) h \(tenths / 600 % 60) min"
        }
    }

    /// Creates the words for a measured time, which may be tiny: `0.40 ms`, `153 ms`, `7.07 s`, `2 min 5 s`, `2 h`.
    public init(measured duration: Duration) {
        let sign = duration < .zero ? "-" : ""
        let (seconds, attoseconds) = (duration < .zero ? .zero - duration : duration).components
        let microseconds = attoseconds / 1_000_000_000_000
        switch (seconds, microseconds) {
        case (0, ..<10_000):
            description = "\(sign)\(microseconds / 1000).\(Self.twoDigits(microseconds / 10 % 100)) ms"
        case (0, _): description = "\(sign)\(microseconds / 1000) ms"
        case (..<60, _): description = "\(sign)\(seconds).\(Self.twoDigits(microseconds / 10_000)) s"
        default:
            let text = Self(.seconds(seconds)).description
            let isWhole = text.hasSuffix(" min 0 s") || text.hasSuffix(" h 0 min")
            description = sign + (isWhole ? String(text.dropLast(text.hasSuffix(" s") ? 4 : 6)) : text)
        }
    }

    /// Creates the words for a time that someone chose, exact and without zero parts: `15 min`, `1 h 30 min`, `0.25 s`.
    public init(chosen duration: Duration) {
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

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Duration {
    /// Seconds with three decimals, for the machine formats.
    public var secondsText: String {
        let (seconds, attoseconds) = components
        return "\(seconds)." + (attoseconds / 1_000_000_000_000_000).padded(to: 3)
    }
}
