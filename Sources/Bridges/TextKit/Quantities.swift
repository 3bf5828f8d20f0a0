/// A human-readable count, with or without its noun.
package struct Quantity: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Creates a count in plain digits, with its noun: `1 line`, `2000 lines`.
    package init(_ count: Int, _ one: String, _ several: String) {
        description = "\(count) \(count == 1 ? one : several)"
    }

    /// Creates a count with separators: `1,234,567`.
    package init(grouped count: Int) {
        let digits = Array(String(count.magnitude))
        var text = count < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        description = text
    }

    /// Creates a count with separators and its noun: `1 event`, `1,234 events`, `at least 1,234 events`.
    package init(grouped count: Int, _ one: String, _ several: String, isAtLeast: Bool = false) {
        description = "\(Self(grouped: count, isAtLeast: isAtLeast)) \(count == 1 ? one : several)"
    }

    /// Creates a count with separators, `1,234` or `at least 1,234`.
    package init(grouped count: Int, isAtLeast: Bool) {
        description = (isAtLeast ? "at least " : "") + Self(grouped: count).description
    }
}

/// A human-readable size: `512 B`, `1.5 MiB`.
package struct ShortByteCount: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ bytes: Int) {
        var (rest, unit) = (bytes * 10, "B")
        for next in ["KiB", "MiB", "GiB", "TiB"] where rest >= 10240 { (rest, unit) = (rest / 1024, next) }
        description = unit == "B" || rest >= 1000 ? "\(rest / 10) \(unit)" : "\(rest / 10).\(rest % 10) \(unit)"
    }
}

/// A human-readable duration, as brief as its purpose allows.
package struct ShortDuration: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Creates the words for elapsed time: `0.2 s`, `3.4 s`, `12 min 5 s`.
    package init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let tenths = seconds * 10 + attoseconds / 100_000_000_000_000_000
        switch tenths {
        case ..<600: description = "\(tenths / 10).\(tenths % 10) s"
        case ..<36000: description = "\(tenths / 600) min \(tenths / 10 % 60) s"
        default: description = "\(tenths / 36000) h \(tenths / 600 % 60) min"
        }
    }

    /// Creates the words for a measured time, which may be very short: `0.40 ms`, `153 ms`, `7.07 s`, `2 min 5 s`, `2
    /// h`.
    package init(measured duration: Duration) {
        let sign = duration < .zero ? "-" : ""
        let (seconds, attoseconds) = (duration < .zero ? .zero - duration : duration).components
        let microseconds = attoseconds / 1_000_000_000_000
        switch (seconds, microseconds) {
        case (0, ..<10_000):
            description = "\(sign)\(microseconds / 1000).\((microseconds / 10 % 100).padded(to: 2)) ms"
        case (0, _): description = "\(sign)\(microseconds / 1000) ms"
        case (..<60, _): description = "\(sign)\(seconds).\((microseconds / 10_000).padded(to: 2)) s"
        default:
            let text = Self(.seconds(seconds)).description
            let isWhole = text.hasSuffix(" min 0 s") || text.hasSuffix(" h 0 min")
            description = sign + (isWhole ? String(text.dropLast(text.hasSuffix(" s") ? 4 : 6)) : text)
        }
    }

    /// Creates the words for a time that the user chose, exact and without zero parts: `15 min`, `1 h 30 min`, `0.25
    /// s`.
    package init(chosen duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min")].filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }
        let rest = seconds % 60
        if milliseconds != 0 {
            var decimals = milliseconds.padded(to: 3)
            while decimals.hasSuffix("0") { decimals.removeLast() }
            description = (parts + ["\(rest).\(decimals) s"]).joined(separator: " ")
        } else if rest != 0 || parts.isEmpty {
            description = (parts + ["\(rest) s"]).joined(separator: " ")
        } else {
            description = parts.joined(separator: " ")
        }
    }
}

extension Duration {
    /// The seconds with three decimals, for machine-readable formats.
    package var secondsText: String {
        let (seconds, attoseconds) = components
        return "\(seconds)." + (attoseconds / 1_000_000_000_000_000).padded(to: 3)
    }
}
