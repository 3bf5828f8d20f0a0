import CHyperscan

extension Pattern {
    /// The longest pattern, in bytes.
    static let maximumBytes = 4096

    /// The most characters of an expression whose repeats are written out.
    static let maximumCharacters = 2000

    /// The pattern as a regular expression: a literal with every special byte escaped.
    var expression: String {
        switch kind {
        case .regularExpression: text
        case .literal: text.utf8.map { Self.expression(of: $0) }.joined()
        }
    }

    /// No UTF-8 mode: Hyperscan's behaviour on invalid UTF-8 would be undefined, and logs do hold it.
    ///
    /// So letters outside ASCII match in the case in which they are written. One match for each text is enough, and
    /// without that limit a hostile text makes one for each of its bytes.
    var flags: UInt32 {
        UInt32(isCaseSensitive ? 0 : HS_FLAG_CASELESS) | UInt32(HS_FLAG_MULTILINE) | UInt32(HS_FLAG_SINGLEMATCH)
    }

    /// What is wrong with the pattern, of that which Hyperscan would not say, or would not say clearly.
    var refusal: String? {
        if text.isEmpty { return "it is empty, so it would match everything" }
        if text.utf8.count > Self.maximumBytes { return "it is longer than \(Self.maximumBytes) bytes" }
        guard kind == .regularExpression else { return nil }
        // A text of C ends there: the rest would be ignored.
        if text.utf8.contains(0) { return "it holds a NUL; write \\x00" }
        if text.hasPrefix("(*") { return "it begins with '(*'; modes such as (*UTF8) are not allowed" }
        guard ExpressionSize.characters(of: text) <= Self.maximumCharacters else {
            return
                "with its repeats written out it has more than \(Self.maximumCharacters) characters; repeat less often"
        }
        return nil
    }

    private static func expression(of byte: UInt8) -> String {
        let scalar = Unicode.Scalar(byte)
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", " ": return String(scalar)
        default: return "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
