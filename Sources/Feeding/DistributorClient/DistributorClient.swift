import HTTPClient
import JSONText
import TextKit

/// A client of a content distributor, for documents, pages of documents, changes as they happen, and the operator's own
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
    ///   - address: the server's `http` or `https` URL.
    ///   - token: the token, without `Bearer`; `nil` for a client that has none.
    ///   - authorityFile: a PEM file of authorities to trust instead of the system's.
    /// - Throws: ``DistributorError`` with the code `invalidAddress`.
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
    ///   - name: the name of the endpoint.
    ///   - method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    ///   - query: unescaped parameters.
    ///   - body: the body, as JSON.
    /// - Returns: the status, which is below 400, and the body of the response.
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

/// An error from the server, or of the connection to it.
public struct DistributorError: Error, Hashable, CustomStringConvertible {
    /// The HTTP status; `nil` if there was no response.
    public let status: Int?
    /// The kind of error, such as `notAllowed`, as the server's guide lists them.
    public let code: String
    /// What went wrong, in a sentence for people.
    public let message: String
    /// Advice to the client.
    public let advice: String?
    /// The ID of the request in the server's log.
    public let requestID: String?
    /// The number of seconds after which the server may accept the request.
    public let retryAfter: Int?
    /// The current document, if a condition on its version was not met and the client may read it.
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

/// A collection behind a server, under the rights of the client's token.
public struct ServedCollection: Sendable {
    /// The name of the collection.
    public let name: String
    fileprivate let client: DistributorClient

    /// Returns a document, or `nil` if there is none that the client may read.
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
    ///   - json: the document, a JSON object.
    ///   - id: its ID.
    ///   - routing: its routing value, if the engine distributes documents by routing.
    ///   - condition: the state that the stored document must be in.
    /// - Returns: whether the document was added, rather than replaced.
    /// - Throws: ``DistributorError``: `changed` with the current document if the condition is not met.
    @discardableResult
    public func put(
        _ json: [UInt8],
        as id: String,
        routing: String? = nil,
        if condition: ServedCondition = .any
    ) async throws -> Bool {
        try await client.send(.put, path(id, routing), headers: condition.headers, body: json).status == 201
    }

    /// Adds a document under an ID that the server generates, and returns this ID.
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
    /// - Returns: `false` if there is no such document that the client may see.
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
    ///   - selection: the documents to find.
    ///   - limit: the maximum number of documents on the page.
    ///   - cursor: the `next` of the previous page.
    /// - Returns: the page, in the engine's order.
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

    /// The documents to find.
    public struct Selection: Sendable, Hashable {
        /// Field values that a document must have.
        public var fields: [String: String]
        /// Words that must all occur.
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
    /// The signal survives failures of the network and restarts of the server: it continues after the last change that
    /// was received. If the server no longer has the changes after that one, the signal contains
    /// ``ServedChange/Kind/reset``: read the list again. The signal fails only with an error that waiting cannot
    /// resolve, such as a revoked token.
    ///
    /// - Parameters:
    ///   - selection: the documents to include; one that no longer matches is reported as removed.
    ///   - place: the ``ServedChange/place`` of the last change that is known.
    /// - Returns: the changes in their order.
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

    /// Returns the place of the newest change: if you get it before you read a list, the changes after it include
    /// everything that the list may lack.
    ///
    /// - Returns: a place for ``changes(_:after:)``.
    /// - Throws: ``DistributorError``.
    public func place() async throws -> String {
        guard let place = try await changes(Selection(), after: nil, wait: 0).place else {
            throw DistributorError("unreadable", "the server did not report the place of the newest change")
        }
        return place
    }

    /// The number of seconds for which a request for changes waits.
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
    /// The document's routing, if it has its own.
    public let routing: String?
    /// The version for ``ServedCondition/unchanged(_:)``; `nil` if the collection reports none.
    public let version: String?
    /// The document, a JSON object.
    public let json: [UInt8]
}

/// The state that a stored document must be in for a write to be carried out.
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
    /// The matching documents that the engine could not read.
    public let unreadable: Int
    /// The cursor for the next page; `nil` if this is the last one.
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

/// A change to a document, as far as the client may see it.
public struct ServedChange: Sendable, Hashable {
    /// The kinds of changes.
    public enum Kind: String, Sendable, Hashable {
        case added
        case updated
        /// The document was removed, no longer matches, or may no longer be read.
        case removed
        /// Changes may be missing: read the list again.
        case reset
    }

    /// The kind of change.
    public let kind: Kind
    /// The place of the change among all changes of its collection.
    public let place: String
    /// The ID of the document; empty for a reset.
    public let id: String
    /// The document's routing, if it has its own.
    public let routing: String?
    /// The version after the change; `nil` if the engine reports none.
    public let version: String?
    /// The document after the change; `nil` if it was removed.
    public let json: [UInt8]?
}

// MARK: - Texts

/// A line in a page of changes.
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

    /// Returns a string; `nil` if there is none, or if it is `null`.
    func text(_ key: String, of json: [UInt8]) throws(JSONError) -> String? {
        guard let range = ranges[key] else { return nil }
        return try JSONValue(Array(json[range])).text
    }
}

/// The path and query of a request, made from unescaped parts.
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
