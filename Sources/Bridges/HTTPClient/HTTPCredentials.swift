/// What proves who we are.
///
/// It goes only to the URL's own host, and never into a log.
public struct HTTPCredentials: Hashable, Sendable {
    enum Kind: Hashable {
        case basic(user: String, password: String)
        case bearer(token: String)
        case apiKey(String)
    }

    let kind: Kind

    public static func basic(user: String, password: String) -> Self {
        Self(kind: .basic(user: user, password: password))
    }
    public static func bearer(token: String) -> Self { Self(kind: .bearer(token: token)) }
    public static func apiKey(_ key: String) -> Self { Self(kind: .apiKey(key)) }
}

/// Nothing that prints a value prints a secret.
extension HTTPCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(credentials)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
