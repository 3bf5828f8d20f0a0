package import JSONText
import Synchronization
import TextKit

// MARK: Requests

/// A request to the server; its body arrives while the handler runs.
package struct ServedRequest: Sendable {
    /// The ID of the request, which is also sent in the response's `X-Request-ID` field.
    package let id: String
    package let method: RequestMethod
    /// The path as sent by the client, including escapes.
    package let path: String
    /// The decoded items of the query; an item without a value has an empty string.
    package let query: [(name: String, value: String)]
    package let headers: HeaderFields
    /// The numeric address of the peer: the client, or the last proxy.
    package let peerAddress: String
    /// Whether the request arrived over TLS.
    package let isSecure: Bool
    package internal(set) var body: RequestBody
    /// The values of the pattern's parameters, decoded.
    package internal(set) var parameters: [String: String] = [:]

    package init(
        _ method: RequestMethod,
        _ path: String,
        query: [(name: String, value: String)] = [],
        headers: HeaderFields = [:],
        body: RequestBody = .empty,
        peerAddress: String = "127.0.0.1",
        isSecure: Bool = false,
        id: String = "0"
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.peerAddress = peerAddress
        self.isSecure = isSecure
        self.body = body
    }

    /// Returns the value of a parameter from the route's pattern.
    package func parameter(_ name: String) throws(ServiceProblem) -> String {
        guard let value = parameters[name] else { throw .internalError }
        return value
    }

    /// Returns the first value of an item in the query.
    package func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns the address of the client behind proxies that the caller trusts.
    ///
    /// Each proxy appends the address of its client to `X-Forwarded-For`, so only entries from trusted proxies count.
    package func clientAddress(trusting isTrusted: (String) -> Bool) -> String {
        var rest = headers.values(of: "X-Forwarded-For").joined(separator: ",").split(separator: ",")
            .map { String($0).trimmingBlanks }
        var address = peerAddress
        while isTrusted(address), let earlier = rest.popLast(), !earlier.isEmpty { address = earlier }
        return address
    }

    /// Returns the same request with a function that receives the size of the body while it arrives, and may refuse the
    /// body by throwing an error.
    package func countingBody(_ count: @escaping @Sendable (Int) throws -> Void) -> ServedRequest {
        guard !body.isEmpty else { return self }
        var request = self
        request.body = body.counted(by: count)
        return request
    }

    /// The host that the client addresses, in lowercase and without the port; empty if the client sends none.
    package var hostName: String {
        let host = (headers["Host"] ?? "").lowercased()
        guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else { return host }
        return String(host[..<colon])
    }

    /// The media type of the body, without its parameters, in lowercase.
    package var mediaType: String? {
        headers["Content-Type"].map { String($0.prefix { $0 != ";" }).trimmingBlanks.lowercased() }
    }
}

/// A request method, compared exactly, as HTTP requires.
package struct RequestMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }

    package static let get = RequestMethod(rawValue: "GET")
    package static let head = RequestMethod(rawValue: "HEAD")
    package static let post = RequestMethod(rawValue: "POST")
    package static let put = RequestMethod(rawValue: "PUT")
    package static let patch = RequestMethod(rawValue: "PATCH")
    package static let delete = RequestMethod(rawValue: "DELETE")
    package static let options = RequestMethod(rawValue: "OPTIONS")
}

/// Header fields in the order in which they were sent; names are case-insensitive.
package struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var fields: [(name: String, value: String)] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// The first value of a field; setting replaces all its values.
    package subscript(name: String) -> String? {
        get { fields.first { $0.name.equalsIgnoringCase(name) }?.value }
        set {
            fields.removeAll { $0.name.equalsIgnoringCase(name) }
            if let newValue { append(name, newValue) }
        }
    }

    package func values(of name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }

    package mutating func append(_ name: String, _ value: String) { fields.append((name, value)) }

    /// Whether all names are tokens and no value contains a line break.
    var areWellFormed: Bool { fields.allSatisfy { $0.name.isHeaderName && $0.value.isHeaderValue } }
}

extension String {
    /// Whether a string is a token (RFC 9110, section 5.6.2).
    var isHeaderName: Bool {
        !isEmpty && utf8.allSatisfy { $0.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    /// Whether a string has no control characters except tabs.
    fileprivate var isHeaderValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 } }

    /// The string without leading and trailing spaces and tabs.
    fileprivate var trimmingBlanks: String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let tail = utf8.drop(while: isBlank)
        guard let last = tail.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(self[tail.startIndex...last])
    }

    /// Returns whether two strings are equal, ignoring the case of ASCII letters.
    func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
}

// MARK: Bodies of requests

/// The bytes of a request, chunk by chunk, which can be read once.
///
/// The client can send more only as the handler reads: a slow handler slows the client down, and the server keeps only
/// ``ServerLimits/bodyWindow`` in memory.
package struct RequestBody: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    private let source: any BodySource

    init(source: any BodySource) { self.source = source }

    package static let empty = RequestBody(source: MemorySource([]))

    /// Creates a body from bytes in memory, for tests.
    package static func bytes(_ bytes: some Sequence<UInt8>) -> RequestBody {
        RequestBody(source: MemorySource(Array(bytes)))
    }

    /// The length that the client declared, if any.
    package var declaredLength: Int? { source.declaredLength }

    /// Whether there is no body at all.
    package var isEmpty: Bool { source.declaredLength == 0 }

    /// Returns the same bytes, failing with 413 as soon as there are more than `limit` of them.
    package func limited(to limit: Int) -> RequestBody {
        RequestBody(source: LimitedSource(upstream: source, limit: limit))
    }

    fileprivate func counted(by count: @escaping @Sendable (Int) throws -> Void) -> RequestBody {
        RequestBody(source: CountedSource(upstream: source, count: count))
    }

    /// Reads all bytes, for small bodies.
    package func collect(upTo limit: Int) async throws -> [UInt8] {
        var all: [UInt8] = []
        for try await chunk in limited(to: limit) { all += chunk }
        return all
    }

    package func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: any BodySource
        package func next() async throws -> [UInt8]? { try await source.next() }
    }
}

/// A source of a request's bytes: a connection, or memory in tests.
protocol BodySource: Sendable {
    var declaredLength: Int? { get }
    /// Returns the next chunk, or nil at the end.
    func next() async throws -> [UInt8]?
}

private struct CountedSource: BodySource {
    let upstream: any BodySource
    let count: @Sendable (Int) throws -> Void

    var declaredLength: Int? { upstream.declaredLength }

    func next() async throws -> [UInt8]? {
        guard let chunk = try await upstream.next() else { return nil }
        try count(chunk.count)
        return chunk
    }
}

private final class MemorySource: BodySource {
    let declaredLength: Int?
    private let rest: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) {
        declaredLength = bytes.count
        rest = Mutex(bytes.isEmpty ? nil : bytes)
    }

    func next() async throws -> [UInt8]? { rest.withLock { $0.take() } }
}

/// A source that counts the bytes that pass through it, and fails once there are too many.
private final class LimitedSource: BodySource {
    private let upstream: any BodySource
    private let limit: Int
    private let seen = Mutex(0)

    init(upstream: any BodySource, limit: Int) {
        self.upstream = upstream
        self.limit = limit
    }

    var declaredLength: Int? { upstream.declaredLength }

    func next() async throws -> [UInt8]? {
        if let declaredLength, declaredLength > limit { throw ServiceProblem.bodyTooLarge(limit: limit) }
        guard let chunk = try await upstream.next() else { return nil }
        let total = seen.withLock { seen in
            seen += chunk.count
            return seen
        }
        guard total <= limit else { throw ServiceProblem.bodyTooLarge(limit: limit) }
        return chunk
    }
}

// MARK: Responses

/// A response from the server: a status, header fields, and a body that is complete or still to be produced.
package struct ServedResponse: Sendable {
    package var status: ResponseStatus
    package var headers: HeaderFields
    package var body: Body

    package enum Body: Sendable {
        case bytes([UInt8])
        /// Bytes compiled into the binary; they are not copied.
        case asset(StaticString)
        /// A producer that runs after the head is sent: returning ends the response, and throwing closes the
        /// connection.
        ///
        /// When the server drains, it lets a finite stream run until the deadline, and ends an endless one immediately.
        case stream(isEndless: Bool, @Sendable (ResponseWriter) async throws -> Void)
    }

    package init(status: ResponseStatus = .ok, headers: HeaderFields = [:], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func text(_ text: String, status: ResponseStatus = .ok) -> ServedResponse {
        bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// Creates a response from an encoded JSON document.
    package static func json(_ document: [UInt8], status: ResponseStatus = .ok) -> ServedResponse {
        bytes(document, contentType: "application/json", status: status)
    }

    /// Creates a response with an object.
    package static func json<Failure: Error>(
        status: ResponseStatus = .ok,
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> ServedResponse {
        json(try JSONWriter.object(members), status: status)
    }

    package static func bytes(_ bytes: [UInt8], contentType: String, status: ResponseStatus = .ok) -> ServedResponse {
        ServedResponse(status: status, headers: ["Content-Type": contentType], body: .bytes(bytes))
    }

    /// Creates a response whose bytes a producer writes while the client reads; a slow client slows the producer down.
    package static func stream(
        contentType: String,
        isEndless: Bool = false,
        _ produce: @escaping @Sendable (ResponseWriter) async throws -> Void
    ) -> ServedResponse {
        ServedResponse(
            headers: ["Content-Type": contentType, "Cache-Control": "no-store"],
            body: .stream(isEndless: isEndless, produce)
        )
    }

    /// Creates a response from server-sent events, which are sent as they occur.
    package static func events<Events: AsyncSequence & Sendable>(_ events: Events) -> ServedResponse
    where Events.Element == ServerSentEvent {
        stream(contentType: "text/event-stream", isEndless: true) { writer in
            for try await event in events { try await writer.write(event.bytes) }
        }
    }

    /// Creates a response from JSON values, one per line (NDJSON).
    package static func lines<Lines: AsyncSequence & Sendable>(_ lines: Lines) -> ServedResponse
    where Lines.Element == [UInt8] {
        stream(contentType: "application/x-ndjson") { writer in
            for try await line in lines { try await writer.write(line + [UInt8(ascii: "\n")]) }
        }
    }

    /// Returns the whole body, for tests without a socket; a stream is cut off after `limit` bytes.
    package func collectBody(upTo limit: Int) async throws -> [UInt8] {
        switch body {
        case .bytes(let bytes): return bytes
        case .asset(let asset): return asset.withUTF8Buffer(Array.init)
        case .stream(_, let produce):
            let sink = CollectingSink(limit: limit)
            do {
                try await produce(ResponseWriter(sink: sink))
            } catch is ConnectionClosed where sink.bytes.count >= limit {}
            return sink.bytes
        }
    }

    /// Passes the body to a closure, in the parts in which it is produced.
    package func forEachPart(_ take: @escaping @Sendable ([UInt8]) async throws -> Void) async throws {
        guard case .stream(_, let produce) = body else { return try await take(collectBody(upTo: .max)) }
        try await produce(ResponseWriter(sink: PassingSink(take: take)))
    }
}

/// The status code of a response; the HTTP library adds the reason phrase.
package struct ResponseStatus: Hashable, Sendable {
    package let code: Int
    package init(_ code: Int) { self.code = code }

    package static let ok = ResponseStatus(200)
    package static let created = ResponseStatus(201)
    package static let accepted = ResponseStatus(202)
    package static let noContent = ResponseStatus(204)
    package static let badRequest = ResponseStatus(400)
    package static let unauthorized = ResponseStatus(401)
    package static let forbidden = ResponseStatus(403)
    package static let notFound = ResponseStatus(404)
    package static let methodNotAllowed = ResponseStatus(405)
    package static let requestTimeout = ResponseStatus(408)
    package static let conflict = ResponseStatus(409)
    package static let contentTooLarge = ResponseStatus(413)
    package static let targetTooLong = ResponseStatus(414)
    package static let unsupportedMediaType = ResponseStatus(415)
    package static let expectationFailed = ResponseStatus(417)
    package static let tooManyRequests = ResponseStatus(429)
    package static let headersTooLarge = ResponseStatus(431)
    package static let internalServerError = ResponseStatus(500)
    package static let serviceUnavailable = ResponseStatus(503)
}

/// The writing end of a streamed response.
package struct ResponseWriter: Sendable {
    private let sink: any ResponseSink

    init(sink: any ResponseSink) { self.sink = sink }

    /// Passes bytes to the connection; waits while the client is slow, and throws once the client has disconnected.
    package func write(_ bytes: [UInt8]) async throws {
        if !bytes.isEmpty { try await sink.write(bytes) }
    }
}

/// The destination of a streamed response: a connection, or memory in tests.
protocol ResponseSink: Sendable {
    func write(_ bytes: [UInt8]) async throws
}

private struct PassingSink: ResponseSink {
    let take: @Sendable ([UInt8]) async throws -> Void

    func write(_ bytes: [UInt8]) async throws { try await take(bytes) }
}

private final class CollectingSink: ResponseSink {
    private let collected = Mutex<[UInt8]>([])
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var bytes: [UInt8] { collected.withLock { $0 } }

    func write(_ bytes: [UInt8]) async throws {
        let total = collected.withLock { collected in
            collected += bytes
            return collected.count
        }
        if total >= limit { throw ConnectionClosed() }
    }
}

/// An event of a `text/event-stream`; one without data is a comment, which keeps the connection alive.
package struct ServerSentEvent: Sendable {
    package var id: String?
    package var name: String?
    package var data: String

    package init(id: String? = nil, name: String? = nil, data: String) {
        self.id = id
        self.name = name
        self.data = data
    }

    /// The encoded event; each line of the data becomes a separate field, and a line end in another field becomes a
    /// space.
    package var bytes: [UInt8] {
        guard id != nil || name != nil || !data.isEmpty else { return Array(":\n\n".utf8) }
        var text = ""
        if let id { text += "id: \(Self.onOneLine(id))\n" }
        if let name { text += "event: \(Self.onOneLine(name))\n" }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: Self.endsLine) {
            text += "data: \(line)\n"
        }
        return Array((text + "\n").utf8)
    }

    private static func endsLine(_ character: Character) -> Bool {
        character == "\n" || character == "\r" || character == "\r\n"
    }

    private static func onOneLine(_ text: String) -> String {
        String(text.map { endsLine($0) || $0 == "\0" ? " " : $0 })
    }
}

// MARK: Errors

/// An error to which the server responds with a status and `application/problem+json`.
///
/// The document has `status`, `code`, `message`, `advice` and `requestID`, as well as `field` and `current` if they are
/// set.
package struct ServiceProblem: Error, Sendable, CustomStringConvertible {
    package let status: ResponseStatus
    /// A stable code for programs.
    package let code: String
    /// A description of the problem, for people to read.
    package let message: String
    /// Advice to the client, for people to read.
    package let advice: String?
    /// The invalid field; `nil` if there is no particular one.
    package var field: String?
    /// The current state as JSON, if it differs from the client's expectation.
    package var current: [UInt8]?
    /// Additional header fields, besides those of every problem.
    package var headers: HeaderFields

    package init(
        _ status: ResponseStatus,
        _ code: String,
        _ message: String,
        advice: String? = nil,
        headers: HeaderFields = [:]
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.advice = advice
        self.headers = headers
    }

    package var description: String { "\(status.code) \(code): \(message)" }

    /// Returns the response to a request.
    package func response(to requestID: String) -> ServedResponse {
        let object = JSONWriter.object { problem in
            problem.member("status", status.code)
            problem.member("code", code)
            problem.member("message", message)
            problem.member("advice", advice)
            problem.member("requestID", requestID)
            if let field { problem.member("field", field) }
            if let current { problem.member("current", foreign: current) }
        }
        var response = ServedResponse.bytes(object, contentType: "application/problem+json", status: status)
        for field in headers.fields { response.headers.append(field.name, field.value) }
        return response
    }

    static let internalError = ServiceProblem(
        .internalServerError,
        "internalError",
        "the server encountered an error",
        advice: "look for the request ID in the server's log"
    )

    static func bodyTooLarge(limit: Int) -> ServiceProblem {
        ServiceProblem(
            .contentTooLarge,
            "bodyTooLarge",
            "the body has more than \(limit) bytes",
            advice: "send it in smaller parts"
        )
    }
}

/// An error because the connection ends: the client has disconnected, or the server closes it.
package struct ConnectionClosed: Error {
    package init() {}
}
