/// A line of a message's head.
public struct ProxiedHeader: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// A request on its way through the proxy, whole.
public struct ProxiedRequest: Sendable {
    public var method: String
    /// The path and the query, as they were sent.
    public var target: String
    public var headers: [ProxiedHeader]
    /// Without chunks.
    public var body: [UInt8]

    /// The server is not asked for compressed replies, so that they can be edited.
    var bytes: [UInt8] {
        serialized("\(method) \(target) HTTP/1.1", headers.without("accept-encoding"), body, hasBody: !body.isEmpty)
    }
}

/// A reply on its way through the proxy, whole.
public struct ProxiedReply: Sendable {
    public var status: Int
    public var reason: String
    public var headers: [ProxiedHeader]
    /// Without chunks.
    public var body: [UInt8]

    public init(_ status: Int, _ reason: String = "", headers: [ProxiedHeader] = [], body: String = "") {
        (self.status, self.reason, self.headers, self.body) = (status, reason, headers, Array(body.utf8))
    }

    /// What belongs to the question decides whether there can be a body.
    func bytes(to request: ProxiedRequest) -> (head: [UInt8], body: [UInt8]) {
        let mayHaveBody = request.method != "HEAD" && status != 204 && status != 304
        let line = "HTTP/1.1 \(status) \(reason)"
        return (
            serialized(line, headers, body, hasBody: mayHaveBody, isBodyAppended: false), mayHaveBody ? body : []
        )
    }

    /// Whether the server ends the connection after it.
    var closes: Bool { headers.value(of: "connection")?.lowercased() == "close" }
}

extension [ProxiedHeader] {
    /// The first value of a header, whatever its case.
    public func value(of name: String) -> String? {
        first { $0.name.lowercased() == name }?.value
    }

    func without(_ name: String) -> [ProxiedHeader] { filter { $0.name.lowercased() != name } }
}

/// A message with its length in place of chunks.
private func serialized(
    _ line: String,
    _ headers: [ProxiedHeader],
    _ body: [UInt8],
    hasBody: Bool,
    isBodyAppended: Bool = true
) -> [UInt8] {
    var lines = [line]
    // Where there is no body, the length says something else: that of a GET's reply.
    let kept = hasBody ? headers.without("content-length") : headers
    lines += kept.without("transfer-encoding").map { "\($0.name): \($0.value)" }
    if hasBody { lines.append("Content-Length: \(body.count)") }
    let head = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    return isBodyAppended ? head + body : head
}
