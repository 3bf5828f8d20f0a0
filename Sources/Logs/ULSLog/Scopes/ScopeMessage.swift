/// A row that says that a monitored scope was entered (`nasq`) or left (`b4ly`).
///
/// | version | message |
/// |---|---|
/// | 2010, 2013 | `Entering monitored scope (X)`, also with `. Parent No` or `. Parent=Y` |
/// | 2010, 2013 | `Leaving Monitored Scope (X). Execution Time=145.0229` |
/// | 2016 and later | `Leaving Monitored Scope: (X) Execution Time=153.7; CPU Milliseconds=1; SQL Query Count=0; Parent=Y` |
/// | in other languages | `Leaving Monitored Scope: Tiempo de ejecución=7.0718; …`, `… (X). Время выполнения=1,9594` |
///
/// Offsets are those of the message.
struct ScopeMessage: Equatable {
    /// What happened to the scope.
    enum Kind: Equatable {
        case entering
        /// How long it took, in microseconds; nil when the row doesn't say it in a way we understand.
        case leaving(duration: Int64?)
    }

    var kind: Kind

    /// Where the scope's name stands.
    ///
    /// Nil when the row names no scope: it has no brackets, or it is a template that nobody filled in (`{0}`). The end
    /// of the message where a cut took the closing bracket.
    var name: Range<Int>?

    /// Where the level stands that the writer had chosen, if the service forced the row.
    var originalLevel: Range<Int>?

    /// The message as one of a scope; nil if it is none.
    static func parse(_ message: Span<UInt8>) -> ScopeMessage? {
        var start = message.skippingBlanks(from: 0)
        var originalLevel: Range<Int>?
        guard start < message.count else { return nil }
        if message[start] == UInt8(ascii: "[") {
            guard let mark = ForcedRowMark.parse(message, from: start), mark.end < message.count else { return nil }
            start = mark.end
            originalLevel = mark.originalLevel
        }
        let isLeaving: Bool
        switch message[start] | 0x20 {
        case UInt8(ascii: "e") where message.reads("entering monitored scope", at: start):
            isLeaving = false
            start += 24
        case UInt8(ascii: "l") where message.reads("leaving monitored scope", at: start):
            isLeaving = true
            start += 23
        default: return nil
        }
        if start < message.count {
            // "Entering monitored scopes …" would be a sentence.
            guard !message[start].isScopeLetter else { return nil }
            if message[start] == UInt8(ascii: ":") { start += 1 }
        }
        start = message.skippingBlanks(from: start)

        var name: Range<Int>?
        var behind = start
        if start < message.count, message[start] == UInt8(ascii: "(") {
            let bracket = closingBracket(in: message, from: start + 1, isLeaving: isLeaving)
            let end = bracket ?? endOfCutName(in: message, from: start + 1)
            name = isUsable(message, start + 1..<end) ? start + 1..<end : nil
            behind = bracket.map { $0 + 1 } ?? message.count
        }
        return ScopeMessage(
            kind: isLeaving ? .leaving(duration: ScopeDuration.parse(message, from: behind)) : .entering,
            name: name,
            originalLevel: originalLevel
        )
    }

    /// Where a name ends whose bracket was cut off; the service marks a cut with three dots.
    private static func endOfCutName(in message: Span<UInt8>, from start: Int) -> Int {
        let end = message.endWithoutBlanks(from: start)
        return end - start >= 3 && message.reads("...", at: end - 3) ? end - 3 : end
    }

    /// Not empty, and no placeholder of a template: `{0}`.
    private static func isUsable(_ message: Span<UInt8>, _ name: Range<Int>) -> Bool {
        guard let first = name.first, let last = name.last else { return false }
        guard message[first] == UInt8(ascii: "{"), message[last] == UInt8(ascii: "}"), name.count > 2 else {
            return true
        }
        for offset in first + 1..<last where !message[offset].isScopeDigit { return true }
        return false
    }
}
