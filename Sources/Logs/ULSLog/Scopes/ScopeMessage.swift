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
        if let plain = plainLeaving(message) ?? plainEntering(message) { return plain }
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

    /// The form that nearly all rows of 2010 and 2013 have, told from its end: `… (X). Execution Time=145.0229`.
    private static func plainLeaving(_ message: Span<UInt8>) -> ScopeMessage? {
        let start = 25
        guard message.count > start + 18, message.beginsScope(0x2067_6E69_7661_656C, 0x6572_6F74_696E_6F6D),
            message[start - 1] == UInt8(ascii: "(")
        else { return nil }
        let equals = message.numberStart(above: start) - 1
        let bracket = equals - 17
        guard bracket > start, message[equals] == UInt8(ascii: "="), message[bracket] == UInt8(ascii: ")"),
            // `. Execution Time`
            message.word(at: bracket + 1) == 0x7475_6365_7845_202E,
            message.word(at: bracket + 9) == 0x656D_6954_206E_6F69, isUsable(message, start..<bracket)
        else { return nil }
        return ScopeMessage(
            kind: .leaving(duration: ScopeDuration.parse(message, from: equals)),
            name: start..<bracket
        )
    }

    /// Likewise `Entering Monitored Scope (X)`, with nothing behind it, and no bracket in X but at its end.
    private static func plainEntering(_ message: Span<UInt8>) -> ScopeMessage? {
        let start = 26
        let bracket = message.count - 1
        guard bracket > start, message.beginsScope(0x676E_6972_6574_6E65, 0x726F_7469_6E6F_6D20),
            message[start - 1] == UInt8(ascii: "("), message[bracket] == UInt8(ascii: ")"),
            isUsable(message, start..<bracket),
            let first = message.firstIndex(of: UInt8(ascii: ")"), from: start), first >= bracket - 1
        else { return nil }
        return ScopeMessage(kind: .entering, name: start..<bracket)
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
