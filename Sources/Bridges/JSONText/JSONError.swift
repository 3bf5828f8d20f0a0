/// Why bytes are not JSON, or not the JSON that was asked for.
public struct JSONError: Error, Hashable, Sendable {
    /// Where it was noticed, in bytes from the start.
    public let offset: Int
    /// What is wrong there.
    public let message: String

    public init(offset: Int, message: String) {
        self.offset = offset
        self.message = message
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String { "\(message) at byte \(offset + 1)" }
}
