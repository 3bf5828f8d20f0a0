/// What is known of a statement: Kleene's three values.
///
/// They are ordered, so that `and` is the least and `or` the greatest of two.
public enum Ternary: Int, Sendable, Hashable, Comparable {
    case no
    /// It could not be looked at, or not to the end.
    case unknown
    case yes

    public init(_ value: Bool) { self = value ? .yes : .no }

    public var opposite: Ternary {
        switch self {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
