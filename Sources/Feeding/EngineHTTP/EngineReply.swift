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
    /// Where the credentials came from that went with the request; `nil` where there were none.
    public let credentials: CredentialSource?

    public var isSuccess: Bool { (200...299).contains(status) }

    package init(
        status: Int,
        body: [UInt8] = [],
        from node: NodeAddress,
        mediaType: String = "",
        retryAfter: Duration? = nil,
        location: String? = nil,
        credentials: CredentialSource? = nil
    ) {
        self.status = status
        self.body = body
        self.node = node
        self.mediaType = mediaType
        self.retryAfter = retryAfter
        self.location = location
        self.credentials = credentials
    }
}

extension EngineReply {
    init(_ response: HTTPResponse, from node: NodeAddress, with credentials: CredentialSource?) {
        let type = response.header("content-type") ?? ""
        self.init(
            status: response.status,
            body: response.body,
            from: node,
            mediaType: type.prefix { $0 != ";" && !$0.isWhitespace }.lowercased(),
            // A date, which is the other form, would need two clocks that agree.
            retryAfter: response.header("retry-after").flatMap { UInt32($0) }.map { .seconds(Int($0)) },
            location: response.header("location"),
            credentials: credentials
        )
    }

    /// Whether it speaks of this node and not of the request: a proxy without a server, a server without a cluster.
    var isNodeTrouble: Bool { [502, 503, 504].contains(status) && retryAfter == nil }
}
