public import HTTPClient

/// Why there is no whole reply.
public struct EngineFailure: Error, Sendable {
    public let node: NodeAddress
    public let cause: HTTPFailure

    /// Nothing of the request has left this process.
    public var isNotSent: Bool { cause.delivery == .notSent }

    public init(node: NodeAddress, cause: HTTPFailure) {
        self.node = node
        self.cause = cause
    }
}

extension EngineFailure: CustomStringConvertible {
    public var description: String { "\(node): \(cause.message)" }
}
