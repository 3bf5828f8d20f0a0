import HTTPClient
import JSONText
import TextKit

/// A client of a content distributor, for documents, pages of documents, live changes, and the operator's own
/// endpoints.
///
/// To feed many documents, use the `FeedJobs` library with the target `distributor+https://HOST:PORT`.
///
/// ```swift
/// let events = try DistributorClient("https://search.example:13391", token: token).collection("Events")
/// for try await change in events.changes() { print(change) }
/// ```
public struct DistributorClient: Sendable {
    private let base: String
    private let token: String?
    private let transport: HTTPTransport

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - address: The server's `http` or `https` URL.
    ///   - token: The token, without `Bearer`; `nil` for a client without a token.
    ///   - authorityFile: A PEM file of certificate authorities to trust instead of the system's.
    /// - Throws: A ``DistributorError`` with the code `invalidAddress`.
    public init(_ address: String, token: String? = nil, authorityFile: String? = nil) throws(DistributorError) {
        guard address.hasPrefix("http://") || address.hasPrefix("https://"), !address.contains(where: \.isWhitespace)
        else {
            throw DistributorError(
                "invalidAddress",
                "'\(address)' is not an http or https URL",
                advice: "write it as in http://127.0.0.1:13391"
            )
        }
        base = address.hasSuffix("/") ? String(address.dropLast()) : address
        self.token = token
        var configuration = HTTPConfiguration()
        configuration.tls.authorityFile = authorityFile
        transport = HTTPTransport(configuration)
    }

    /// Returns a collection, without checking whether it exists.
    public func collection(_ name: String) -> ServedCollection { ServedCollection(name: name, client: self) }

    /// Returns the names of the collections that the token may use.
    public func collections() async throws -> [String] {
        let reply = try await send(.get, ServedPath("v1", "collections"))
        return try tree(reply.body)["collections"].elements.compactMap(\.text)
    }

    /// Calls one of the operator's own endpoints, `/v1/api/NAME`.
    ///
    /// - Parameters:
    ///   - name: The name of the endpoint.
    ///   - method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    ///   - query: Unescaped parameters.
    ///   - body: The body, as JSON.
    /// - Returns: The status, which is below 400, and the body of the response.
    /// - Throws: ``DistributorError``.
    public func call(
        _ name: String,
        _ method: String = "GET",
        query: [(name: String, value: String)] = [],
        body: [UInt8]? = nil
    ) async throws -> (status: Int, body: [UInt8]) {
        guard let method = HTTPRequest.Method(rawValue: method) else {
            throw DistributorError("invalidMethod", "'\(method)' is not a method", advice: "use GET or POST")
        }
        var path = ServedPath("v1", "api", name)
        for parameter in query { path.add(parameter.name, parameter.value) }
        let reply = try await send(method, path, body: body)
        return (reply.status, reply.body)
    }

    // MARK: Requests

    fileprivate func send(
        _ method: HTTPRequest.Method,
        _ path: ServedPath,
        headers: [HTTPHeader] = [],
        body: [UInt8]? = nil,
        wait: Duration = .zero
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(method, base + path.text, headers: headers, body: body)
        if body != nil { request.headers.append(HTTPHeader("Content-Type", "application/json")) }
        if let token { request.credentials = .bearer(token: token) }
        var limits = HTTPConfiguration.TimeLimits()
        limits.total += wait
        limits.stall += wait
        request.timeLimits = limits
        let reply: HTTPResponse
        do throws(HTTPFailure) {
            reply = try await transport.send(request)
        } catch {
            try Task.checkCancellation()
            throw DistributorError(
                "noAnswer",
                error.description,
                advice: error.delivery == .notSent ? "send it again" : "read the document before you send it again"
            )
        }
        guard reply.status < 400 else { throw DistributorError(reply) }
        return reply
    }

    fileprivate func tree(_ body: [UInt8]) throws(DistributorError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(body)
        } catch {
            throw .unreadable(error)
        }
    }
}

/// An error reported by the server, or in the connection to it.
public struct DistributorError: Error, Hashable, CustomStringConvertible {
    /// The HTTP status; `nil` if there was no response.
    public let status: Int?
    /// The kind of error, such as `notAllowed`; the server's guide lists all of them.
    public let code: String
    /// A description of the error, in a sentence for people.
    public let message: String
    /// Advice on how to resolve the error.
    public let advice: String?
    /// The ID of the request in the server's log.
    public let requestID: String?
    /// The number of seconds after which the server may accept the request.
    public let retryAfter: Int?
    /// The current document, if a condition on its version was not met and the client may read the document.
    public let current: [UInt8]?

    public var description: String { message + (advice.map { "; \($0)" } ?? "") }

    /// Whether the same request may succeed later.
    public var isTemporary: Bool { status.map { $0 == 429 || $0 >= 500 } ?? (code == "noAnswer") }

    init(_ code: String, _ message: String, advice: String? = nil) {
        (self.code, self.message, self.advice) = (code, message, advice)
        (status, requestID, retryAfter, current) = (nil, nil, nil, nil)
    }

    fileprivate init(_ reply: HTTPResponse) {
        let problem = (try? JSONValue(reply.body)) ?? .null
        status = reply.status
        code = problem["code"].text ?? "status\(reply.status)"
        message = problem["message"].text ?? "the server responded with \(reply.status)"
        advice = problem["advice"].text
        requestID = problem["requestID"].text
        retryAfter = reply.header("Retry-After").flatMap { Int($0) }
        current = try? RawMembers(reply.body.span)["current"].map { Array(reply.body[$0]) }
    }

    fileprivate static func unreadable(_ error: JSONError) -> DistributorError {
        DistributorError("unreadable", "the server's response is not the expected JSON: \(error)")
    }
}

// MARK: - Collections

/// A collection on a server, accessed with the rights of the client's token.
public struct ServedCollection: Sendable {
    /// The name of the collection.
    public let name: String
    fileprivate let client: DistributorClient

    /// Returns a document; `nil` if it does not exist, or if the client may not read it.
    public func document(_ id: String, routing: String? = nil) async throws -> ServedDocument? {
        do {
            let reply = try await client.send(.get, path(id, routing))
            let version = reply.header("ETag").map { String($0.drop { $0 == "\"" }.prefix { $0 != "\"" }) }
            return ServedDocument(id: id, routing: routing, version: version, json: reply.body)
        } catch let error as DistributorError where error.code == "noDocument" {
            return nil
        }
    }

    /// Adds or replaces a document.
    ///
    /// - Parameters:
    ///   - json: The document as a JSON object.
    ///   - id: The document's ID.
    ///   - routing: The document's routing value, if the engine places documents by routing values.
    ///   - condition: The state in which the stored document must be.
    /// - Returns: `true` if the document was added, and `false` if it was replaced.
    /// - Throws: A ``DistributorError``, which has the code `changed` and the current document if the condition is not
    ///   met.
    @discardableResult
    public func put(
        _ json: [UInt8],
        as id: String,
        routing: String? = nil,
        if condition: ServedCondition = .any
    ) async throws -> Bool {
        try await client.send(.put, path(id, routing), headers: condition.headers, body: json).status == 201
    }

    /// Adds a document with an ID generated by the server, and returns the ID.
    public func insert(_ json: [UInt8]) async throws -> String {
        let reply = try await client.send(.post, ServedPath("v1", "collections", name, "documents"), body: json)
        guard let place = reply.header("Location"), let slash = place.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            throw DistributorError("unreadable", "the server did not report the ID of the new document")
        }
        return String(place[place.utf8.index(after: slash)...])
    }

    /// Merges top-level keys into a document; `null` removes a key.
    public func patch(
        _ json: [UInt8],
        into id: String,
        routing: String? = nil,
        if condition: ServedCondition = .any
    ) async throws {
        _ = try await client.send(.patch, path(id, routing), headers: condition.headers, body: json)
    }

    /// Removes a document.
    ///
    /// - Returns: `false` if the document does not exist, or if the client may not see it.
    @discardableResult
    public func remove(
        _ id: String,
        routing: String? = nil,
        if condition: ServedCondition = .any
    ) async throws -> Bool {
        do {
            _ = try await client.send(.delete, path(id, routing), headers: condition.headers)
            return true
        } catch let error as DistributorError where error.code == "noDocument" {
            return false
        }
    }

    /// Returns a page of the documents that match.
    ///
    /// - Parameters:
    ///   - selection: The documents to find.
    ///   - limit: The maximum number of documents on the page.
    ///   - cursor: The value of `next` in the previous page.
    /// - Returns: The page, in the engine's order.
    /// - Throws: ``DistributorError``.
    public func find(
        _ selection: Selection = Selection(),
        limit: Int = 20,
        after cursor: String? = nil
    ) async throws -> ServedPage {
        var path = ServedPath("v1", "collections", name, "documents")
        selection.add(to: &path)
        path.add("limit", "\(limit)")
        if let cursor { path.add("cursor", cursor) }
        let reply = try await client.send(.get, path)
        do throws(JSONError) {
            return try ServedPage(reply.body)
        } catch {
            throw DistributorError.unreadable(error)
        }
    }

    /// A selection of documents to find.
    public struct Selection: Sendable, Hashable {
        /// The field values that a document must have.
        public var fields: [String: String]
        /// The words that must all occur in a document.
        public var words: String?

        /// Creates a selection; without fields and words, it selects all documents.
        public init(where fields: [String: String] = [:], words: String? = nil) {
            (self.fields, self.words) = (fields, words)
        }

        fileprivate func add(to path: inout ServedPath) {
            if let words { path.add("words", words) }
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) { path.add("where", "\(name)=\(value)") }
        }
    }

    private func path(_ id: String, _ routing: String?) -> ServedPath {
        var path = ServedPath("v1", "collections", name, "documents", id)
        if let routing { path.add("routing", routing) }
        return path
    }

    // MARK: Changes

    /// Returns the changes to the collection from now on, or after an earlier one.
    ///
    /// The signal survives network failures and restarts of the server: it continues after the last change that was
    /// received. If the server no longer has the changes after that one, the signal contains
    /// ``ServedChange/Kind/reset``, which means that the list must be read again. The signal fails only with an error
    /// that waiting can't resolve, such as a revoked token.
    ///
    /// - Parameters:
    ///   - selection: The documents to include; a document that no longer matches is reported as removed.
    ///   - place: The ``ServedChange/place`` of the last change that was received.
    /// - Returns: The changes, in order.
    public func changes(_ selection: Selection = Selection(), after place: String? = nil) -> Signal<ServedChange> {
        Signal { sink in
            var place = place
            var pause = Duration.zero
            while true {
                do {
                    let page = try await changes(selection, after: place, wait: place == nil ? 0 : Self.longestWait)
                    pause = .zero
                    for change in page.changes {
                        try await sink.send(change)
                        place = change.place
                    }
                    place = page.place ?? place
                } catch let error as DistributorError where error.isTemporary {
                    pause =
                        error.retryAfter.map { .seconds($0) } ?? min(max(pause * 2, .milliseconds(100)), .seconds(30))
                    try await Task.sleep(for: pause)
                }
            }
        }
    }

    /// Returns the place of the newest change.
    ///
    /// If the place is requested before a list is read, the changes after it include all changes that the list may
    /// lack.
    ///
    /// - Returns: A place for ``changes(_:after:)``.
    /// - Throws: ``DistributorError``.
    public func place() async throws -> String {
        guard let place = try await changes(Selection(), after: nil, wait: 0).place else {
            throw DistributorError("unreadable", "the server did not report the place of the newest change")
        }
        return place
    }

    /// The number of seconds that a request for changes waits.
    private static let longestWait = 25

    private func changes(
        _ selection: Selection,
        after place: String?,
        wait: Int
    ) async throws -> (changes: [ServedChange], place: String?) {
        var path = ServedPath("v1", "collections", name, "changes")
        selection.add(to: &path)
        path.add("wait", "\(wait)")
        if let place { path.add("after", place) }
        let reply = try await client.send(.get, path, wait: .seconds(wait))
        do throws(JSONError) {
            var changes: [ServedChange] = []
            var last: String?
            for line in reply.body.split(separator: UInt8(ascii: "\n")) {
                let change = try ChangeLine(Array(line))
                if let kind = change.kind { changes.append(change.change(kind)) }
                last = change.event ?? last
            }
            return (changes, last)
        } catch {
            throw DistributorError.unreadable(error)
        }
    }
}

/// A document as stored by the server.
public struct ServedDocument: Sendable, Hashable {
    /// The document's ID.
    public let id: String
    /// The document's routing value; `nil` if it has none.
    public let routing: String?
    /// The version for ``ServedCondition/unchanged(_:)``; `nil` if the collection does not report versions.
    public let version: String?
    /// The document as a JSON object.
    public let json: [UInt8]
}

/// The state in which a stored document must be for a write to be carried out.
public enum ServedCondition: Sendable, Hashable {
    case any
    /// The document does not exist.
    case absent
    /// The document still has this version.
    case unchanged(String)

    fileprivate var headers: [HTTPHeader] {
        switch self {
        case .any: []
        case .absent: [HTTPHeader("If-None-Match", "*")]
        case .unchanged(let version): [HTTPHeader("If-Match", "\"\(version)\"")]
        }
    }
}

/// A page of documents.
public struct ServedPage: Sendable, Hashable {
    /// The documents, in the engine's order.
    public let documents: [ServedDocument]
    /// The number of matching documents that the engine could not read.
    public let unreadable: Int
    /// The cursor for the next page; `nil` if this page is the last.
    public let next: String?

    fileprivate init(_ body: [UInt8]) throws(JSONError) {
        let members = try RawMembers(body.span)
        var documents: [ServedDocument] = []
        if let range = members["documents"] {
            let array = Array(body[range])
            var scanner = JSONScanner(array.span)
            try scanner.enterArray()
            while try scanner.nextElement() {
                let entry = Array(array[try scanner.skipValue()])
                let members = try RawMembers(entry.span)
                documents.append(
                    ServedDocument(
                        id: try members.text("id", of: entry) ?? "",
                        routing: try members.text("routing", of: entry),
                        version: try members.text("version", of: entry),
                        json: members["document"].map { Array(entry[$0]) } ?? []
                    )
                )
            }
        }
        self.documents = documents
        unreadable =
            try members["unreadable"].map { (range) throws(JSONError) in try JSONValue(Array(body[range])).int ?? 0 }
            ?? 0
        next = try members.text("next", of: body)
    }
}

/// A change to a document, in the form that the client may see.
public struct ServedChange: Sendable, Hashable {
    /// The kinds of changes.
    public enum Kind: String, Sendable, Hashable {
        case added
        case updated
        /// The document was removed, no longer matches, or may no longer be read by the client.
        case removed
        /// Changes may be missing, so the list must be read again.
        case reset
    }

    /// The kind of change.
    public let kind: Kind
    /// The place of the change among all changes of its collection.
    public let place: String
    /// The ID of the document; empty for a reset.
    public let id: String
    /// The document's routing value; `nil` if it has none.
    public let routing: String?
    /// The version after the change; `nil` if the engine does not report versions.
    public let version: String?
    /// The document after the change; `nil` if it was removed.
    public let json: [UInt8]?
}

// MARK: - Texts

/// A line on a page of changes.
private struct ChangeLine {
    let kind: ServedChange.Kind?
    let event: String?
    private let id: String
    private let routing: String?
    private let version: String?
    private let json: [UInt8]?

    init(_ line: [UInt8]) throws(JSONError) {
        let members = try RawMembers(line.span)
        kind = try members.text("kind", of: line).flatMap(ServedChange.Kind.init)
        event = try members.text("event", of: line)
        id = try members.text("id", of: line) ?? ""
        routing = try members.text("routing", of: line)
        version = try members.text("version", of: line)
        let document = members["document"].map { Array(line[$0]) }
        json = document == Array("null".utf8) ? nil : document
    }

    func change(_ kind: ServedChange.Kind) -> ServedChange {
        ServedChange(kind: kind, place: event ?? "", id: id, routing: routing, version: version, json: json)
    }
}

/// The ranges of the values in an object, whose notation is preserved.
private struct RawMembers {
    private var ranges: [String: Range<Int>] = [:]

    init(_ json: Span<UInt8>) throws(JSONError) {
        var scanner = JSONScanner(json)
        try scanner.enterObject()
        while let key = try scanner.nextKey() { ranges[scanner.text(of: key)] = try scanner.skipValue() }
        try scanner.end()
    }

    subscript(key: String) -> Range<Int>? { ranges[key] }

    /// Returns a string; `nil` if it is missing or `null`.
    func text(_ key: String, of json: [UInt8]) throws(JSONError) -> String? {
        guard let range = ranges[key] else { return nil }
        return try JSONValue(Array(json[range])).text
    }
}

/// The path and query of a request, built from unescaped parts.
private struct ServedPath {
    private(set) var text = ""
    private var hasQuery = false

    init(_ segments: String...) {
        for segment in segments {
            // A segment consisting only of dots would refer to another level of the path.
            let isDots = segment == "." || segment == ".."
            text += "/" + Percent.encoded(segment.utf8) { $0 == UInt8(ascii: ".") ? !isDots : $0.isUnreserved }
        }
    }

    mutating func add(_ name: String, _ value: String) {
        text += (hasQuery ? "&" : "?") + Percent.encoded(name.utf8) { $0.isUnreserved }
        text += "=" + Percent.encoded(value.utf8) { $0.isUnreserved }
        hasQuery = true
    }
}
