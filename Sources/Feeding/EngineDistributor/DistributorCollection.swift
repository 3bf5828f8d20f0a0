import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization
import TextKit

/// A collection on a content distributor, which is fed through the batches of a session, and read through the server's
/// requests for documents.
struct DistributorCollection: ContentEngine {
    let collection: CollectionName
    let client: DistributorConnection
    let session: DistributorSession
    let capabilities: EngineCapabilities
    /// Whether the server reports the versions of this collection's documents.
    private let reportsVersions: Bool
    private let reservation = LastReservation()

    init(
        collection: CollectionName,
        client: DistributorConnection,
        session: DistributorSession,
        capabilities: EngineCapabilities,
        reportsVersions: Bool
    ) {
        (self.collection, self.client, self.session) = (collection, client, session)
        (self.capabilities, self.reportsVersions) = (capabilities, reportsVersions)
    }

    var versions: (any VersionedEngine)? { reportsVersions ? self : nil }

    func check(_ intent: FeedIntent) async throws(EngineError) {
        guard intent.addsMissing else { return }
        throw EngineError(
            .unsupported,
            "an update through a content distributor does not add documents that do not exist",
            advice: "use 'fastctl add' for the whole documents"
        )
    }

    func apply(_ batch: ContentBatch) async -> BatchReply { await session.apply(batch) }

    func raise(to level: CompletionLevel) async throws(EngineError) {
        // Operations with an outcome are secured.
        if level == .live { try await session.raiseToLive() }
    }
}

// MARK: - Reading

extension DistributorCollection: SearchableEngine {
    /// The maximum number of keys in a lookup, and the number of bytes of keys after which the lookup is sent.
    private static let (maximumKeys, keyBytes) = (1_000, 1 << 20)
    /// The number of documents on a page of results.
    private static let pageSize = 500

    /// The part of a document that a lookup returns.
    private enum Extent: String {
        case presence = "false"
        case documents = "true"
        /// The documents in a form from which the fed documents can be restored.
        case copies = "whole"
    }

    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        let page = try await lookUp(ids.map { DocumentKey($0) }[...], .documents, maximumBytes)
        return DocumentPage(documents: page.documents, looked: page.answers.count)
    }

    func get(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        try await lookUp(keys, .documents, maximumBytes)
    }

    func copies(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        try await lookUp(keys, .copies, maximumBytes)
    }

    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        try await exists(at: ids.map { DocumentKey($0) })
    }

    func exists(at keys: [DocumentKey]) async throws(EngineError) -> [Bool] {
        var answers: [Bool] = []
        while answers.count < keys.count {
            answers += try await lookUp(keys[answers.count...], .presence, .max).answers
        }
        return answers
    }

    func lookupReservation() async -> String? { reservation.text }

    func count() async throws(EngineError) -> Int {
        let facts: JSONValue
        do {
            facts = try await client.facts(of: collection, isCounted: true)
        } catch {
            throw EngineError(error)
        }
        guard let count = facts["documents"].int else {
            throw EngineError(
                .permission,
                "the documents of '\(collection)' can't be counted: the token does not allow reading every one, or the "
                    + "distributor keeps deleted documents",
                advice: "use a token that allows it"
            )
        }
        return count
    }

    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        var path = try path(to: "documents", for: query).with("limit", "\(Self.pageSize)")
        if let first = query.order.first {
            if !capabilities.sortsAndCounts { try refuseOrder(of: query) }
            let text = SortKey.text(of: query.order)
            // A name may end like a direction, or contain the character between keys.
            guard SortKey.order(text) == query.order else {
                let keys = "'\(first.name)' and the keys after it"
                throw EngineError(.unsupported, "a content distributor can't sort by \(keys)")
            }
            path = path.with("sort", text)
        }
        if !query.includesDocuments { path = path.with("documents", "false") }
        if let cursor { path = path.with("cursor", cursor.rawValue) }
        do {
            let reply = try await client.send(EngineRequest(.get, path))
            let answer = try DocumentsAnswer(reply)
            var page = SearchPage(documents: answer.documents, next: answer.next.map(SearchCursor.init(rawValue:)))
            page.unreadable = answer.unreadable
            return page
        } catch {
            throw EngineError(error)
        }
    }

    func facets(_ keys: [FacetKey], of query: SearchQuery) async throws(EngineError) -> FacetCounts {
        guard capabilities.sortsAndCounts else { throw cannotCount }
        var path = try path(to: "documents", for: query).with("limit", "0")
        for key in keys { path = path.with("facet", key.text) }
        do throws(RequestFailure) {
            let reply = try await client.send(EngineRequest(.get, path))
            guard let answer = try? JSONValue(reply.body), let found = answer["found"].amount else {
                throw RequestFailure.unreadable(reply, "it has no counts")
            }
            let facets = zip(keys, answer["facets"].elements).compactMap { Facet($1, key: $0.name) }
            guard facets.count == keys.count else {
                throw RequestFailure.unreadable(reply, "it lacks the counts of some values")
            }
            return FacetCounts(documents: found, facets: facets)
        } catch {
            throw EngineError(error)
        }
    }

    /// Returns the path of a request about the documents that match a query.
    private func path(to request: String, for query: SearchQuery) throws(EngineError) -> EnginePath {
        var path = EnginePath("v1", "collections", collection.rawValue, request)
        for word in query.words { path = path.with("word", word) }
        for phrase in query.phrases { path = path.with("phrase", phrase) }
        for field in query.fields {
            guard !field.name.isEmpty, !field.name.utf8.contains(UInt8(ascii: "=")) else {
                throw EngineError(.unsupported, "a content distributor can't search the field '\(field.name)'")
            }
            path = path.with("where", "\(field.name)=\(field.value)")
        }
        if let expression = query.expression { path = path.with("query", expression) }
        return path
    }

    /// Looks up as many of the first keys as fit into a request and whose documents fit into a reply.
    private func lookUp(
        _ keys: ArraySlice<DocumentKey>,
        _ extent: Extent,
        _ maximumBytes: Int
    ) async throws(EngineError) -> LookupPage {
        guard !keys.isEmpty else { return LookupPage(documents: [], answers: []) }
        let (body, count) = Self.body(of: keys)
        let path = EnginePath("v1", "collections", collection.rawValue, "lookups").with("documents", extent.rawValue)
            .with("bytes", "\(maximumBytes)")
        do throws(RequestFailure) {
            let reply = try await client.send(.lines(.post, path, body))
            let answer = try DocumentsAnswer(reply)
            guard !answer.answers.isEmpty, answer.answers.count <= count else {
                throw RequestFailure.unreadable(reply, "it covers \(answer.answers.count) of \(count) keys")
            }
            reservation.note(answer.reservation)
            var page = LookupPage(documents: answer.documents, answers: answer.answers)
            page.unreadable = answer.unreadable
            return page
        } catch {
            throw EngineError(error)
        }
    }

    /// Returns as many of the first keys as fit into one lookup, one per line, and their number.
    private static func body(of keys: ArraySlice<DocumentKey>) -> (body: [UInt8], count: Int) {
        var body: [UInt8] = []
        var count = 0
        var writer = JSONWriter()
        for key in keys where count < maximumKeys && body.count < keyBytes {
            writer.reset()
            writer.object { object in
                object.key("id")
                object.value(utf8: key.id.utf8)
                if let routing = key.routing { object.member("routing", routing.text) }
            }
            writer.endLine()
            body += writer.bytes
            count += 1
        }
        return (body, count)
    }
}

// MARK: - Versions

extension DistributorCollection: VersionedEngine {
    func state() async throws(EngineError) -> CollectionState {
        let path = EnginePath("v1", "collections", collection.rawValue, "state")
        do throws(RequestFailure) {
            let reply = try await client.send(EngineRequest(.get, path))
            guard let answer = try? JSONValue(reply.body), let state = CollectionState(answer) else {
                throw RequestFailure.unreadable(reply, "it does not describe the history of a collection")
            }
            return state
        } catch {
            throw EngineError(error)
        }
    }

    func settle() async throws(EngineError) {
        let path = EnginePath("v1", "collections", collection.rawValue, "state").with("settle", "true")
        do {
            _ = try await client.send(EngineRequest(.get, path))
        } catch {
            throw EngineError(error)
        }
    }

    func changes(
        of query: SearchQuery,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> ChangePage {
        let path = try path(to: "changes", for: query).with("part", part.name).with("through", "\(part.readable)")
            .with("after", "\(place)")
        do throws(RequestFailure) {
            let reply = try await client.send(EngineRequest(.get, path))
            let answer = try DocumentsAnswer(reply)
            guard let place = answer.place, let isLast = answer.isLast else {
                throw RequestFailure.unreadable(reply, "it is not a page of changes")
            }
            var page = ChangePage(documents: answer.versions.compactMap(\.document), place: place, isLast: isLast)
            page.unreadable = answer.versions.compactMap { version in
                if case .unreadable(let document) = version { document } else { nil }
            }
            return page
        } catch {
            throw EngineError(error)
        }
    }

    func count(of query: SearchQuery) async throws(EngineError) -> Int? {
        let path = try path(to: "state", for: query).with("count", "true")
        do {
            return try await client.tree(EngineRequest(.get, path))["count"].int
        } catch {
            throw EngineError(error)
        }
    }

    func versions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionAnswer] {
        let path = EnginePath("v1", "collections", collection.rawValue, "lookups").with("versions", "true")
        var answers: [VersionAnswer] = []
        while answers.count < keys.count {
            let (body, count) = Self.body(of: keys[answers.count...])
            do throws(RequestFailure) {
                let reply = try await client.send(.lines(.post, path, body))
                let found = try DocumentsAnswer(reply).versions
                guard !found.isEmpty, found.count <= count else {
                    throw RequestFailure.unreadable(reply, "it covers \(found.count) of \(count) keys")
                }
                answers += found
            } catch {
                throw EngineError(error)
            }
        }
        return answers
    }
}

extension CollectionState {
    /// Parses the server's description of a collection's history; `nil` if it is invalid.
    fileprivate init?(_ answer: JSONValue) {
        guard answer["kind"].text == "state", let identity = answer["identity"].text,
            case .array(let described) = answer["parts"]
        else { return nil }
        var parts: [CollectionPart] = []
        for part in described {
            guard let name = part["name"].text, let history = part["history"].text, let last = part["last"].int,
                let readable = part["readable"].int
            else { return nil }
            parts.append(
                CollectionPart(
                    name: name,
                    history: history,
                    last: Int64(last),
                    readable: Int64(readable),
                    settled: part["settled"].int.map(Int64.init) ?? .max
                )
            )
            for stretch in part["stretches"].elements {
                guard let name = stretch["name"].text, let start = stretch["start"].int else { return nil }
                parts[parts.count - 1].stretches.append(CollectionPart.Stretch(name: name, start: Int64(start)))
            }
        }
        self.init(identity: identity, parts: parts, contents: answer["contents"].text)
    }
}

/// The documents that lookups have missed, as last reported by the server.
private final class LastReservation: Sendable {
    private let state = Mutex<String?>(nil)

    var text: String? { state.withLock { $0 } }

    func note(_ text: String?) {
        guard let text else { return }
        state.withLock { $0 = text }
    }
}

/// The documents in a reply, with their bytes as stored.
private struct DocumentsAnswer {
    private(set) var documents: [StoredDocument] = []
    private(set) var unreadable: [UnreadableDocument] = []
    /// Whether each key of a lookup has a document.
    private(set) var answers: [Bool] = []
    /// The position at which the next page of a search starts.
    private(set) var next: String?
    private(set) var reservation: String?
    /// The documents in a lookup of versions, or on a page of changes.
    private(set) var versions: [VersionAnswer] = []
    /// The position in the history at which a page of changes ends; the next property is whether the page is the last.
    private(set) var place: Int64?
    private(set) var isLast: Bool?

    init(_ reply: EngineReply) throws(RequestFailure) {
        do throws(JSONError) {
            var scanner = JSONScanner(reply.body.span)
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let name = scanner.text(of: key)
                switch (name, try scanner.kind()) {
                case ("documents", .array), ("unreadable", .array), ("unreadableDocuments", .array):
                    try scanner.enterArray()
                    while try scanner.nextElement() {
                        let entry = try Entry(&scanner, of: reply.body)
                        if let document = entry.stored {
                            documents.append(document)
                        } else {
                            unreadable.append(entry.unreadable)
                        }
                    }
                case ("versions", .array):
                    try scanner.enterArray()
                    while try scanner.nextElement() {
                        if try scanner.kind() == .null {
                            _ = try scanner.skipValue()
                            versions.append(.absent)
                        } else {
                            versions.append(try Entry(&scanner, of: reply.body).version)
                        }
                    }
                case ("answers", .array):
                    try scanner.enterArray()
                    while try scanner.nextElement() { answers.append(try scanner.bool()) }
                case ("next", .string): next = try scanner.stringText()
                case ("reservation", .string): reservation = try scanner.stringText()
                case ("place", .number): place = Int64(try scanner.int())
                case ("isLast", .bool): isLast = try scanner.bool()
                default: _ = try scanner.skipValue()
                }
            }
            try scanner.end()
        } catch {
            throw .unreadable(reply, "it is not a list of documents: \(error.message)")
        }
    }

    /// A document in a list, or one that can't be read by the server's engine or by this client.
    private struct Entry {
        private let key: DocumentKey
        /// The version as a number, or in the engine's own format.
        private var number: Int64?
        private var revision: String?
        private var json: [UInt8]?
        private var flawed: [UInt8]?
        private var reason = "its bytes are unknown"

        init(_ scanner: inout JSONScanner, of body: [UInt8]) throws(JSONError) {
            let start = scanner.offset
            var (id, routing): (String?, String?) = (nil, nil)
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let name = scanner.text(of: key)
                switch (name, try scanner.kind()) {
                case ("id", _): id = try scanner.stringText()
                case ("routing", .string): routing = try scanner.stringText()
                case ("version", .number), ("number", .number): number = Int64(try scanner.int())
                case ("version", .string): revision = try scanner.stringText()
                case ("bytes", .string): flawed = [UInt8](hexadecimal: try scanner.stringText())
                case ("reason", .string): reason = try scanner.stringText()
                case ("document", _):
                    // The document's own depth is counted from zero, without the nesting of the reply.
                    let (range, flaw) = try scanner.skipKeptObject()
                    if let flaw {
                        (flawed, reason) = (Array(body[range]), "\(flaw)")
                    } else {
                        json = Array(body[range])
                    }
                default: _ = try scanner.skipValue()
                }
            }
            guard let id, let document = try? DocumentID(id) else {
                throw JSONError(offset: start, message: "a document without an ID")
            }
            key = DocumentKey(document, routing: routing.flatMap(Routing.init))
        }

        var stored: StoredDocument? {
            json.map { StoredDocument(id: key.id, version: number, routing: key.routing, json: $0) }
        }

        var unreadable: UnreadableDocument { UnreadableDocument(key, bytes: flawed ?? [], reason: reason) }

        var version: VersionAnswer {
            guard let json else { return .unreadable(unreadable) }
            let version = revision.map(DocumentVersion.init(rawValue:)) ?? .unknown
            return .found(
                VersionedDocument(id: key.id, routing: key.routing, version: version, number: number, json: json)
            )
        }
    }
}
