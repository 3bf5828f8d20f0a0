import ULSLog

/// Advice for a search that found nothing, where the question may not have been what was meant.
enum SearchAdvice {
    static func lines(for outcome: LogOutcome) -> [String] {
        let literal = outcome.texts.filter(looksLikeExpression).map {
            "--contains '\($0)' searches for exactly this text: for a regular expression, use --match '\($0)'"
        }
        return [timeAdvice(for: outcome)].compactMap(\.self) + literal
    }

    /// Says when the logs end, if the window counts from now and begins after that.
    private static func timeAdvice(for outcome: LogOutcome) -> String? {
        guard let reach = outcome.reachFromNow,
            let last = outcome.coverage.compactMap(\.lastTime).filter(\.hasDate).max(by: { $0.instant < $1.instant }),
            let end = last.iso8601
        else { return nil }
        var start = last
        start.clock -= reach
        guard let since = start.iso8601 else { return nil }
        return "--since counts from now, but the logs end at \(end): for as long before their end, use --since \(since)"
    }

    /// Returns whether a text is written like a regular expression: `a.*b`, `\d`, `^a`, `a$`, `a|b`, `[0-9]+`, `(?:a)`.
    static func looksLikeExpression(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, let last = bytes.last, bytes.count > 1 else { return false }
        if first == UInt8(ascii: "^") || last == UInt8(ascii: "$") { return true }
        if bytes.dropFirst().dropLast().contains(UInt8(ascii: "|")) { return true }
        return zip(bytes, bytes.dropFirst()).contains { one, next in
            switch (Unicode.Scalar(one), Unicode.Scalar(next)) {
            case (".", "*"), (".", "+"), (".", "?"), ("]", "*"), ("]", "+"), ("]", "{"), ("(", "?"), (")", "?"),
                (")", "*"), (")", "+"):
                true
            case ("\\", let letter): "dDsSwWbB.()[]{}|?*+^$".unicodeScalars.contains(letter)
            default: false
            }
        }
    }
}
