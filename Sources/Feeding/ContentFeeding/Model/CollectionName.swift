/// The name of a collection, as the engine knows it (an *index* in OpenSearch, a *core* or *collection* in Solr).
///
/// It goes to the engine unchanged; each engine has rules of its own for it.
public struct CollectionName: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ text: String) { rawValue = text }
    public init(stringLiteral text: String) { rawValue = text }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension CollectionName: CustomStringConvertible {
    public var description: String { rawValue }
}
