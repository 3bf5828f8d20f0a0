public import ContentFeeding

/// What a context may be called.
public enum ContextName {
    /// The longest name, in bytes.
    public static let maximumByteCount = 64

    /// Refuses a name that would be hard to type, or to tell from an option or a path.
    public static func check(_ name: String) throws(EngineError) {
        let isValid =
            !name.isEmpty && name.utf8.count <= maximumByteCount && name.utf8.first != UInt8(ascii: "-")
            && name.utf8.allSatisfy(isPlain)
        guard !isValid else { return }
        throw EngineError(
            .invalidName,
            "'\(name.prefix(maximumByteCount))' is no name of a context",
            advice: "it has letters, digits, '.', '-' and '_', at most \(maximumByteCount) of them, no '-' first"
        )
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: ".-_".utf8.contains(byte)
        }
    }
}
