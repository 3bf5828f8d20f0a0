import ContentFeeding

extension CollectionName {
    /// The longest name of an index, in bytes of UTF-8.
    static let maximumByteCount = 255

    /// Checks the engine's rules for names of indices and aliases, so that none is taken for a pattern or a list.
    func validate(for product: OpenSearchEngine.Product) throws(EngineError) {
        let engine = Cluster.name(of: product)
        if let flaw {
            throw EngineError(
                .invalidName,
                "'\(rawValue)' is no name of an index: \(flaw)",
                advice: "\(engine) wants lower case, digits, '-', '_' and '.', such as webcollection"
            )
        }
        let lower = rawValue.lowercased()
        guard lower.utf8.elementsEqual(rawValue.utf8) else {
            throw EngineError(
                .invalidName,
                "'\(rawValue)' is no name of an index: \(engine) wants lower case",
                advice: "use '\(lower)', or map the name to it in a context"
            )
        }
    }

    private var flaw: String? {
        if rawValue.isEmpty { return "it is empty" }
        if rawValue.utf8.count > Self.maximumByteCount {
            return "it is \(rawValue.utf8.count) bytes long, and \(Self.maximumByteCount) are allowed"
        }
        if rawValue == "." || rawValue == ".." { return "it is only dots" }
        if let first = rawValue.unicodeScalars.first, "-_+".unicodeScalars.contains(first) {
            return "it begins with '\(first)'"
        }
        let forbidden = rawValue.unicodeScalars.first {
            #"\/*?"<>|,#:"#.unicodeScalars.contains($0) || $0.properties.isWhitespace
                || $0.properties.generalCategory == .control
        }
        guard let forbidden else { return nil }
        let isVisible = !forbidden.properties.isWhitespace && forbidden.properties.generalCategory != .control
        return isVisible ? "it holds '\(forbidden)'" : "it holds a blank or a control character"
    }
}
