/// Values that are well-formed but don't go together; thrown by `validate()`, reported like any usage error.
public struct ValidationError: Error, Sendable, CustomStringConvertible {
    public var message: String
    public var description: String { message }

    public init(_ message: String) { self.message = message }
}
