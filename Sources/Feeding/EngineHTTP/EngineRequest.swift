/// What an engine is asked, at whichever node.
public struct EngineRequest: Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    public var method: Method
    /// Below the node's own path.
    public var path: EnginePath
    public var body: [UInt8]?
    public var contentType = "application/json"
    /// Whether it only reads: it can then be sent again without a thought.
    public var isReading = false
    /// In place of the connection's own limit, for what is slow by nature.
    public var timeout: Duration?

    public init(_ method: Method, _ path: EnginePath, body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.body = body
        isReading = method == .get || method == .head
    }
}
