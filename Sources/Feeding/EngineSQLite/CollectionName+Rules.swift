import ContentFeeding

extension CollectionName {
    /// The longest name, in bytes of UTF-8.
    static let maximumByteCount = 128

    /// Checks the rules of this engine: 1 to 128 bytes of UTF-8, not blank at either end, no control character, no `/`.
    ///
    /// Names never become part of SQL, so these rules are for people: a name can be seen, typed and told from another.
    func validate() throws(EngineError) {
        if let flaw {
            throw EngineError(
                .invalidName,
                "'\(rawValue)' can't name a collection: \(flaw)",
                advice: "take letters, digits, '-', '_' and '.', such as WebCollection"
            )
        }
    }

    private var flaw: String? {
        let scalars = rawValue.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return "it is empty" }
        if rawValue.utf8.count > Self.maximumByteCount {
            return "it is \(rawValue.utf8.count) bytes long, and \(Self.maximumByteCount) are allowed"
        }
        if first.properties.isWhitespace || last.properties.isWhitespace { return "it begins or ends with a blank" }
        if scalars.contains(where: { [.control, .lineSeparator, .paragraphSeparator].contains($0.category) }) {
            return "it holds a control character"
        }
        if scalars.contains("/") { return "it holds a '/'" }
        return nil
    }

    /// The name as a word of a shell command.
    var shellWord: String {
        let isPlain = rawValue.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        if isPlain, !rawValue.isEmpty, !rawValue.hasPrefix("-") { return rawValue }
        return "'" + rawValue.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}

extension Unicode.Scalar {
    fileprivate var category: Unicode.GeneralCategory { properties.generalCategory }
}
