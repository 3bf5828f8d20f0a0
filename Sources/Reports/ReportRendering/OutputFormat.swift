/// The forms that results come in.
public enum OutputFormat: String, Hashable, Sendable, CaseIterable {
    /// For people.
    case text
    /// One JSON value.
    case json
    /// A JSON object a line, as soon as it is known.
    case ndjson
    /// IDs or names only, as exact bytes, one a line.
    case name
}

/// What stands after each name of `-o name`.
public enum NameEnd: Hashable, Sendable {
    case line
    case nul

    /// Appends a name; `false` when it holds a line end and so would be two.
    public func append(_ name: String, to bytes: inout [UInt8]) -> Bool {
        if self == .line, name.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) { return false }
        bytes.append(contentsOf: name.utf8)
        bytes.append(self == .line ? 0x0A : 0)
        return true
    }
}
