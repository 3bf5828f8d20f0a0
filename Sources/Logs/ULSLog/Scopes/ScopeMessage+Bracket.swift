extension ScopeMessage {
    /// No label of a value is longer, in bytes: `Execution Time`, `Время выполнения`.
    private static let longestLabel = 64

    /// The bracket that closes the scope's name.
    ///
    /// Names hold brackets of their own, and not always in pairs, as addresses do: what follows a bracket decides. Of
    /// several that fit, the one that also closes the pair is taken, else the first.
    static func closingBracket(in message: Span<UInt8>, from start: Int, isLeaving: Bool) -> Int? {
        var depth = 0
        var firstFit: Int?
        var atEnd: Int?
        for offset in start..<message.count {
            switch message[offset] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                let next = afterFullStop(in: message, behind: offset)
                if next == message.count {
                    if !isLeaving, depth == 0 { return offset }
                    atEnd = offset
                } else if fits(message, behind: offset, next: next, isLeaving: isLeaving) {
                    if depth == 0 { return offset }
                    firstFit = firstFit ?? offset
                }
                depth -= 1
            default: break
            }
        }
        return firstFit ?? atEnd
    }

    /// What follows a bracket, its full stop and blanks.
    private static func afterFullStop(in message: Span<UInt8>, behind bracket: Int) -> Int {
        let next = bracket + 1
        let hasFullStop = next < message.count && message[next] == UInt8(ascii: ".")
        return message.skippingBlanks(from: hasFullStop ? next + 1 : next)
    }

    private static func fits(_ message: Span<UInt8>, behind bracket: Int, next: Int, isLeaving: Bool) -> Bool {
        guard message[next - 1] == 0x20 || message[next - 1] == 0x09 else { return false }
        if !isLeaving, message.reads("parent", at: next) { return true }
        for offset in next..<min(message.count, next + longestLabel) {
            switch message[offset] {
            case UInt8(ascii: "="):
                guard isLeaving, offset + 1 < message.count else { return offset > next }
                let first = message[offset + 1]
                return offset > next && (first.isScopeDigit || first == UInt8(ascii: "-"))
            // None of them is in a label, but all of them in addresses and parameters.
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ";"), UInt8(ascii: "/"), UInt8(ascii: "?"),
                UInt8(ascii: "&"):
                return false
            default: break
            }
        }
        return false
    }
}
