extension Pattern {
    /// The longest text that is in each match, in letters of some case; `nil` if none of at least three bytes is plain
    /// to see in an expression.
    ///
    /// Only what stands outside groups and classes is looked at. Syntax that could give characters another meaning, such
    /// as `(?x)` or `\Q`, has no literal at all.
    public var requiredLiteral: [UInt8]? {
        guard kind == .regularExpression else { return Array(text.utf8) }
        var reader = LiteralReader(text)
        guard reader.read(), reader.longest.count >= 3 else { return nil }
        return reader.longest
    }
}

/// A reading of the literal runs of an expression.
private struct LiteralReader {
    private(set) var longest: [UInt8] = []
    private var run: [UInt8] = []
    private var rest: Substring.UTF8View

    init(_ expression: String) { rest = expression[...].utf8 }

    /// Reads the whole expression; returns false if it has alternatives, or syntax that is not understood.
    mutating func read() -> Bool {
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "|"): return false
            case UInt8(ascii: "("):
                endRun()
                guard skipGroup() else { return false }
            case UInt8(ascii: "["):
                endRun()
                guard skipClass() else { return false }
            case UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "$"): endRun()
            case UInt8(ascii: "?"), UInt8(ascii: "*"):
                // The character before it may be missing.
                _ = run.popLast()
                endRun()
            case UInt8(ascii: "+"): endRun()
            case UInt8(ascii: "{"):
                _ = run.popLast()
                endRun()
                guard skipBounds() else { return false }
            case UInt8(ascii: "\\"):
                guard escape() else { return false }
            default: run.append(byte)
            }
        }
        endRun()
        return true
    }

    private mutating func endRun() {
        if run.count > longest.count { longest = run }
        run.removeAll()
    }

    private mutating func escape() -> Bool {
        guard let byte = rest.popFirst() else { return false }
        switch byte {
        // Classes of characters, and places.
        case UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "s"), UInt8(ascii: "S"), UInt8(ascii: "w"),
            UInt8(ascii: "W"), UInt8(ascii: "b"), UInt8(ascii: "B"):
            endRun()
            return true
        // Other letters and digits: numbers of characters, references, quotations.
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            return false
        default:
            run.append(byte)
            return true
        }
    }

    /// Skips what follows a `(`, to the bracket that closes it.
    private mutating func skipGroup() -> Bool {
        // Other groups that begin so set modes or are comments.
        if rest.first == UInt8(ascii: "?"), !rest.starts(with: "?:".utf8) { return false }
        var depth = 1
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst(), next != UInt8(ascii: "Q") else { return false }
            case UInt8(ascii: "["):
                guard skipClass() else { return false }
            case UInt8(ascii: "("):
                if rest.first == UInt8(ascii: "?"), !rest.starts(with: "?:".utf8) { return false }
                depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if depth == 0 { return true }
            default: break
            }
        }
        return false
    }

    /// Skips what follows a `[`, to the bracket that closes it.
    private mutating func skipClass() -> Bool {
        if rest.first == UInt8(ascii: "^") { rest.removeFirst() }
        // A bracket at the beginning is one of the characters.
        if rest.first == UInt8(ascii: "]") { rest.removeFirst() }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "]"): return true
            // A class with a name, such as [:alpha:], or a bracket.
            case UInt8(ascii: "["): return false
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst(), next != UInt8(ascii: "Q") else { return false }
            default: break
            }
        }
        return false
    }

    /// Skips what follows a `{`, if these are the bounds of a repetition.
    private mutating func skipBounds() -> Bool {
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "}"): return true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ","): break
            default: return false
            }
        }
        return false
    }
}
