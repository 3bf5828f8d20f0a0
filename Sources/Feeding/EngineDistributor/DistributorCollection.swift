import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization
import TextKit

/// A collection behind a content distributor: fed through the batches of a session, read through the server's
/// documents.
struct DistributorCollection: ContentEngine {
    let collection: CollectionName
    let client: DistributorClient
    let session: DistributorSession
    let capabilities: EngineCapabilities
    private let reservation = LastReservation()

    init(
        collection: CollectionName,
        client: DistributorClient,
        session: DistributorSession,
        capabilities: EngineCapabilities
    ) {
        (self.collection, self.client, self.session) = (collection, client, session)
        self.capabilities = capabilities
    }

    func apply(_ batch: ContentBatch) async -> BatchReply { await session.apply(batch) }

    func raise(to level: CompletionLevel) async throws(EngineError) {
        // Operations with an outcome are secured.
        if level == .live { try await session.raiseToLive() }
    }
}

// MARK: - Reading

extension DistributorCollection: SearchableEngine {
    /// The maximum number of keys in a lookup, and the bytes of keys after which one is sent.
    private static let (maximumKeys, keyBytes) = (1_000, 1 << 20)
    /// The documents on a page of results.
    private static let pageSize = 500

    /// The part of a document that a lookup returns.
    private enum Extent: String {
        case presence = "false"
        case documents = "true"
        /// Documents in a form from which the fed ones can be restored.
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
                    + "distributor keeps deleted ones",
                advice: "use a token that allows it"
            )
        }
        return count
    }

    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        var path = EnginePath("v1", "collections", collection.rawValue, "documents").with("limit", "\(Self.pageSize)")
        for word in query.words { path = path.with("word", word) }
        for phrase in query.phrases { path = path.with("phrase", phrase) }
        for field in query.fields {
            guard !field.name.isEmpty, !field.name.utf8.contains(UInt8(ascii: "=")) else {
                throw EngineError(.unsupported, "a content distributor can't search the field '\(field.name)'")
            }
            path = path.with("where", "\(field.name)=\(field.value)")
        }
        if let expression = query.expression { path = path.with("query", expression) }
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

    /// Looks up the first keys: as many as fit into a request, with their documents fitting into a reply.
    private func lookUp(
        _ keys: ArraySlice<DocumentKey>,
        _ extent: Extent,
        _ maximumBytes: Int
    ) async throws(EngineError) -> LookupPage {
        guard !keys.isEmpty else { return LookupPage(documents: [], answers: []) }
        var body: [UInt8] = []
        var count = 0
        var writer = JSONWriter()
        for key in keys where count < Self.maximumKeys && body.count < Self.keyBytes {
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
        let path = EnginePath("v1", "collections", collection.rawValue, "lookups").with("documents", extent.rawValue)
            .with("bytes", "\(maximumBytes)")
        do throws(RequestFailure) {
            let reply = try await client.send(.lines(.post, path, body))
            let answer = try DocumentsAnswer(reply)
            guard !answer.answers.isEmpty, answer.answers.count <= count else {
                throw RequestFailure.unreadable(reply, "it answers for \(answer.answers.count) of \(count) keys")
            }
            reservation.note(answer.reservation)
            var page = LookupPage(documents: answer.documents, answers: answer.answers)
            page.unreadable = answer.unreadable
            return page
        } catch {
            throw EngineError(error)
        }
    }
}

/// The documents that lookups could not see so far, as the server last reported them.
private final class LastReservation: Sendable {
    private let state = Mutex<String?>(nil)

    var text: String? { state.withLock { $0 } }

    func note(_ text: String?) {
        guard let text else { return }
        state.withLock { $0 = text }
    }
}

/// The documents of a reply, in the bytes in which they were stored.
private struct DocumentsAnswer {
    private(set) var documents: [StoredDocument] = []
    private(set) var unreadable: [UnreadableDocument] = []
    /// Whether each key of a lookup has a document.
    private(set) var answers: [Bool] = []
    /// The start of the next page of a search.
    private(set) var next: String?
    private(set) var reservation: String?

    init(_ reply: EngineReply) throws(RequestFailure) {
        do throws(JSONError) {
            var scanner = JSONScanner(reply.body.span)
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let name = scanner.text(of: key)
                switch (name, try scanner.kind()) {
                case ("documents", .array), ("unreadable", .array), ("unreadableDocuments", .array):
                    try scanner.enterArray()
                    while try scanner.nextElement() { try append(&scanner, of: reply.body) }
                case ("answers", .array):
                    try scanner.enterArray()
                    while try scanner.nextElement() { answers.append(try scanner.bool()) }
                case ("next", .string): next = try scanner.stringText()
                case ("reservation", .string): reservation = try scanner.stringText()
                default: _ = try scanner.skipValue()
                }
            }
            try scanner.end()
        } catch {
            throw .unreadable(reply, "it is not a list of documents: \(error.message)")
        }
    }

    /// Reads a document, or one that the server's engine or this program can't read.
    private mutating func append(_ scanner: inout JSONScanner, of body: [UInt8]) throws(JSONError) {
        let start = scanner.offset
        var (id, routing, version): (String?, String?, Int64?) = (nil, nil, nil)
        var (json, flawed): ([UInt8]?, [UInt8]?) = (nil, nil)
        var reason = "its bytes are unknown"
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            let name = scanner.text(of: key)
            switch (name, try scanner.kind()) {
            case ("id", _): id = try scanner.stringText()
            case ("routing", .string): routing = try scanner.stringText()
            case ("version", .number): version = Int64(try scanner.int())
            case ("bytes", .string): flawed = [UInt8](hexadecimal: try scanner.stringText())
            case ("reason", .string): reason = try scanner.stringText()
            case ("document", _):
                // A document may be nested as deeply as a single one.
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
        let place = routing.flatMap(Routing.init)
        if let json {
            documents.append(StoredDocument(id: document, version: version, routing: place, json: json))
        } else {
            let key = DocumentKey(document, routing: place)
            unreadable.append(UnreadableDocument(key, bytes: flawed ?? [], reason: reason))
        }
    }
}
