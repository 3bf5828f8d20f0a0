/// What kind of value comes next.
public enum JSONKind: String, Hashable, Sendable {
    case object
    case array
    case string
    case number
    case bool
    case null
}

/// A string that a scanner has read: where it stands, not what it says.
public struct JSONStringToken: Hashable, Sendable {
    /// The bytes between the quotes.
    public let range: Range<Int>
    /// True when it holds escapes, so that its bytes are not its text.
    public let hasEscapes: Bool
}

/// A number that a scanner has read.
public struct JSONNumberToken: Hashable, Sendable {
    public let range: Range<Int>
    /// True when it has neither fraction nor exponent.
    public let isInteger: Bool
}
