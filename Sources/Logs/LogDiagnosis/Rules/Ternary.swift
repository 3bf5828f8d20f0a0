/// What is known of a statement: Kleene's three values.
public enum Ternary: Sendable, Hashable {
    case no
    /// It could not be looked at, or not to the end.
    case unknown
    case yes
}
