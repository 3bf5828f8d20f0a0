/// An engine's rules for the names of its collections; what all engines refuse is worded here.
package struct CollectionNameRules: Sendable {
    private let kind: String
    private let maximumByteCount: Int
    private let usable: String
    private let flaw: @Sendable (String) -> String?

    /// Creates the rules of an engine.
    ///
    /// `flaw` returns what the engine refuses in a name that is neither empty nor too long, in words that follow `it`;
    /// `nil` if nothing. `kind` is what the engine calls such a name, and `usable` follows `use`.
    package init(
        _ kind: String = "collection name",
        maximumByteCount: Int,
        usable: String = "letters, digits, '-', '_' and '.', as in WebCollection",
        _ flaw: @escaping @Sendable (String) -> String?
    ) {
        (self.kind, self.maximumByteCount, self.usable, self.flaw) = (kind, maximumByteCount, usable, flaw)
    }

    /// Returns what is wrong with a name, as a sentence; `nil` if nothing is.
    package func flaw(of name: CollectionName) -> String? {
        let count = name.rawValue.utf8.count
        if count == 0 { return "it is empty" }
        if count > maximumByteCount { return "it is \(count) bytes long, but at most \(maximumByteCount) are allowed" }
        return flaw(name.rawValue).map { "it \($0)" }
    }

    package func validate(_ name: CollectionName) throws(EngineError) {
        guard let flaw = flaw(of: name) else { return }
        throw EngineError(.invalidName, "'\(name)' is not a valid \(kind): \(flaw)", advice: "use \(usable)")
    }
}

extension CollectionName {
    /// Whether it has only ASCII letters, digits, `_`, `-` and `.`.
    package var isPlain: Bool {
        rawValue.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
    }
}
