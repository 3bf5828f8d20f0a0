/// Reads whole HTTP/1.1 messages from a socket.
struct FaultStream {
    let socket: Socket
    private var buffer: [UInt8] = []

    init(_ socket: Socket) { self.socket = socket }

    /// Returns the next request; `nil` if the client disconnects before its end.
    mutating func request() -> ProxiedRequest? {
        guard let (line, headers) = head(), let body = body(headers, endsWithConnection: false) else { return nil }
        let words = line.split(separator: " ")
        guard words.count == 3 else { return nil }
        return ProxiedRequest(method: String(words[0]), target: String(words[1]), headers: headers, body: body)
    }

    /// Returns the reply to a request; `nil` if the server disconnects before its end.
    mutating func reply(to request: ProxiedRequest) -> ProxiedReply? {
        while let (line, headers) = head() {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count > 1, let status = Int(words[1]) else { return nil }
            if (100...199).contains(status) { continue }
            var reply = ProxiedReply(status, words.count > 2 ? String(words[2]) : "", headers: headers)
            if request.method == "HEAD" || status == 204 || status == 304 { return reply }
            guard let body = body(headers, endsWithConnection: true) else { return nil }
            reply.body = body
            return reply
        }
        return nil
    }

    private mutating func head() -> (line: String, headers: [ProxiedHeader])? {
        guard let line = line() else { return nil }
        var headers: [ProxiedHeader] = []
        while let text = self.line() {
            if text.isEmpty { return (line, headers) }
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            headers.append(ProxiedHeader(String(parts[0]), String(value)))
        }
        return nil
    }

    private mutating func body(_ headers: [ProxiedHeader], endsWithConnection: Bool) -> [UInt8]? {
        if headers.value(of: "transfer-encoding")?.lowercased() == "chunked" { return chunks() }
        if let length = headers.value(of: "content-length") { return Int(length).flatMap { take($0) } }
        return endsWithConnection ? buffer + socket.receiveAll() : []
    }

    private mutating func chunks() -> [UInt8]? {
        var body: [UInt8] = []
        while let line = line(), let size = Int(line.prefix { $0 != ";" }, radix: 16) {
            if size == 0 {
                while let trailer = self.line(), !trailer.isEmpty {}
                return body
            }
            guard let chunk = take(size), take(2) != nil else { return nil }
            body += chunk
        }
        return nil
    }

    /// Returns the next line, without its line end.
    private mutating func line() -> String? {
        var searched = 0
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                let line = buffer[..<end]
                return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            }
            searched = buffer.count
            guard fill() else { return nil }
        }
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0 else { return nil }
        while buffer.count < count { guard fill() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private mutating func fill() -> Bool {
        guard let bytes = socket.receive() else { return false }
        buffer += bytes
        return true
    }
}

/// A line of a message's head.
public struct ProxiedHeader: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// A complete request on its way through the proxy.
public struct ProxiedRequest: Sendable {
    public var method: String
    /// The path and the query, as sent.
    public var target: String
    public var headers: [ProxiedHeader]
    /// The body, without the framing of chunks.
    public var body: [UInt8]

    /// Compressed replies are not requested from the server, so that replies can be edited.
    var bytes: [UInt8] {
        serialized("\(method) \(target) HTTP/1.1", headers.without("accept-encoding"), body, hasBody: !body.isEmpty)
    }
}

/// A complete reply on its way through the proxy.
public struct ProxiedReply: Sendable {
    public var status: Int
    public var reason: String
    public var headers: [ProxiedHeader]
    /// The body, without the framing of chunks.
    public var body: [UInt8]

    public init(_ status: Int, _ reason: String = "", headers: [ProxiedHeader] = [], body: String = "") {
        (self.status, self.reason, self.headers, self.body) = (status, reason, headers, Array(body.utf8))
    }

    /// The request determines whether there can be a body.
    func bytes(to request: ProxiedRequest) -> (head: [UInt8], body: [UInt8]) {
        let mayHaveBody = request.method != "HEAD" && status != 204 && status != 304
        let line = "HTTP/1.1 \(status) \(reason)"
        return (serialized(line, headers, body, hasBody: mayHaveBody, isBodyAppended: false), mayHaveBody ? body : [])
    }

    /// Whether the server closes the connection after this reply.
    var closes: Bool { headers.value(of: "connection")?.lowercased() == "close" }
}

extension [ProxiedHeader] {
    /// Returns the first value of a header, ignoring the case of its name.
    public func value(of name: String) -> String? {
        first { $0.name.lowercased() == name }?.value
    }

    func without(_ name: String) -> [ProxiedHeader] { filter { $0.name.lowercased() != name } }
}

/// Returns a message with its length instead of chunks.
private func serialized(
    _ line: String,
    _ headers: [ProxiedHeader],
    _ body: [UInt8],
    hasBody: Bool,
    isBodyAppended: Bool = true
) -> [UInt8] {
    var lines = [line]
    // Without a body, the length has a different meaning: it is the length of the reply to a GET.
    let kept = hasBody ? headers.without("content-length") : headers
    lines += kept.without("transfer-encoding").map { "\($0.name): \($0.value)" }
    if hasBody { lines.append("Content-Length: \(body.count)") }
    let head = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    return isBodyAppended ? head + body : head
}
