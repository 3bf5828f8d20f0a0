import HTTPClient

/// A whole reply of a node, whatever its status.
public struct EngineReply: Sendable {
    public let status: Int
    public let body: [UInt8]
    /// Who answered.
    public let node: NodeAddress
    /// How long the server asks to wait.
    public let retryAfter: Duration?
    /// The media type without its parameters, in lower case; empty where there is none.
    public let mediaType: String
    /// Where a redirect points to.
    public let location: String?

    public var isSuccess: Bool { (200...299).contains(status) }

    init(_ response: HTTPResponse, from node: NodeAddress) {
        status = response.status
        body = response.body
        self.node = node
        let type = response.header("content-type") ?? ""
        mediaType = type.prefix { $0 != ";" && !$0.isWhitespace }.lowercased()
        location = response.header("location")
        // A date, which is the other form, would need two clocks that agree.
        retryAfter = response.header("retry-after").flatMap { UInt32($0) }.map { .seconds(Int($0)) }
    }
}
