import ContentFeeding
import EngineHTTP
import JSONText

extension OpenSearchCollection: SearchableEngine {
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        guard !ids.isEmpty else { return DocumentPage(documents: [], looked: 0) }
        try mustBeSingle()
        let found: [MultiGetReply.Entry]
        do throws(RequestFailure) {
            found = try await read(ids, upTo: maximumBytes)
        } catch {
            throw await cluster.error(error, about: collection)
        }
        var documents: [StoredDocument] = []
        for (id, entry) in zip(ids, found) {
            switch entry {
            case .found(let document):
                documents.append(StoredDocument(id: id, version: document.version, json: document.json))
            case .absent: continue
            case .foundWithoutSource:
                throw EngineError(
                    .unsupported,
                    "'\(collection)': \(MultiGetReply.withoutSource)",
                    advice: "see _source in \(collection)/_mapping"
                )
            case .failed(let type, let reason): throw unreadable(id, type, reason)
            }
        }
        return DocumentPage(documents: documents, looked: found.count)
    }

    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        guard !ids.isEmpty else { return [] }
        try mustBeSingle()
        var answers: [MultiGetReply.Entry] = []
        var rest = ids[...]
        do throws(RequestFailure) {
            while !rest.isEmpty {
                let slice = rest.prefix(Self.largestSlice)
                answers += try await presence(of: slice)
                rest = rest.dropFirst(slice.count)
            }
        } catch {
            throw await cluster.error(error, about: collection)
        }
        for case (let id, .failed(let type, let reason)) in zip(ids, answers) { throw unreadable(id, type, reason) }
        return answers.map { $0 != .absent }
    }

    /// Returns the error for a document whose shard does not answer; the next time it may.
    private func unreadable(_ id: DocumentID, _ type: String, _ reason: String) -> EngineError {
        EngineError(
            .unreachable,
            "'\(id)' in '\(collection)' could not be read: \(type): \(reason)",
            advice: "see _cluster/health/\(collection)?level=shards, and run the command again"
        )
    }

    /// Counts the live documents, including those that an index without automatic refreshes does not show yet.
    func count() async throws(EngineError) -> Int { try await cluster.liveCount(collection) }

    private func mustBeSingle() throws(EngineError) {
        guard !binding.isSingle else { return }
        throw EngineError(
            .unsupported,
            "'\(collection)' is an alias of several indices, which the engine can't read documents from by their IDs",
            advice: "name one of them: \(binding.indices.sorted().prefix(3).joined(separator: ", "))"
        )
    }
}

extension Cluster {
    /// Counts the documents of a collection that searches see, without nested ones.
    func count(_ name: CollectionName) async throws(EngineError) -> Int {
        let answer = try await ask(EngineRequest(.get, EnginePath(name.rawValue, "_count")), about: name)
        guard let count = answer["count"].int, count >= 0 else {
            throw EngineError(.unusable, "\(target) answers a count of '\(name)' without a number")
        }
        if let failed = answer["_shards"]["failed"].int, failed > 0 {
            throw EngineError(
                .unreachable,
                "\(failed) shards of '\(name)' could not be counted",
                advice: "see _cluster/health/\(name)?level=shards"
            )
        }
        return count
    }
}

extension OpenSearchCollection {
    /// The time for which the engine keeps a search open between two pages.
    static let keepAlive = "5m"

    /// Returns a page of a query's hits, from a state of the index that stays the same for all pages.
    ///
    /// Hits come in the order of the index's files, which costs nothing.
    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        let pager = SearchPager(collection: self, query: query)
        if let cursor { return try await pager.page(at: try SearchPlace(cursor)) }
        guard let start = try await openPointInTime() else { return try await pager.scroll(on: nil) }
        do throws(EngineError) {
            return try await pager.page(at: start)
        } catch {
            // Nobody else knows of the search, so nobody else would close it.
            await cluster.close(start)
            throw error
        }
    }

    func close(_ cursor: SearchCursor) async {
        if let place = try? SearchPlace(cursor) { await cluster.close(place) }
    }

    /// Opens a point in time to search in; `nil` if the engine has none.
    private func openPointInTime() async throws(EngineError) -> SearchPlace? {
        let path = cluster.pointInTimePath(of: collection).with("keep_alive", Self.keepAlive)
        let answer: JSONValue
        do throws(RequestFailure) {
            answer = try await cluster.ask(.reading(path))
        } catch {
            if error.isUnknownRequest { return nil }
            throw await cluster.error(error, about: collection)
        }
        guard let id = answer["pit_id"].text ?? answer["id"].text, !id.isEmpty else { return nil }
        return .pointInTime(id: id, after: nil, size: PageSize.first)
    }
}

extension RequestFailure {
    /// Whether the engine does not know the request at all, as may be with an older version.
    fileprivate var isUnknownRequest: Bool {
        guard let status else { return false }
        return [400, 404, 405].contains(status) && errorReply?.kind != .missingCollection
    }
}

extension Cluster {
    /// Returns the path that opens a point in time: OpenSearch has it since 2.4, Elasticsearch since 7.10, except in
    /// its free edition.
    fileprivate func pointInTimePath(of name: CollectionName) -> EnginePath {
        switch product {
        case .openSearch: EnginePath(name.rawValue, "_search", "point_in_time")
        case .elasticsearch: EnginePath(name.rawValue, "_pit")
        }
    }

    /// The time limit for closing a search: the engine forgets it by itself in the end.
    private static let closingTime = Duration.seconds(5)

    /// Closes a search in the engine, even if the current task is cancelled.
    func close(_ place: SearchPlace) async {
        await Task {
            switch place {
            case .pointInTime(let id, _, _): await closePointInTime(id)
            case .scroll(let id): await closeScroll(id)
            }
        }.value
    }

    /// Closes a point in time; if that fails, the engine forgets it after ``OpenSearchCollection/keepAlive``.
    func closePointInTime(_ id: String) async {
        var writer = JSONWriter()
        let path: EnginePath
        switch product {
        case .openSearch:
            path = EnginePath("_search", "point_in_time")
            writer.object { $0.member("pit_id", [id]) }
        case .elasticsearch:
            path = EnginePath("_pit")
            writer.object { $0.member("id", id) }
        }
        await close(path, writer.takeBytes())
    }

    /// Closes a scroll.
    func closeScroll(_ id: String) async {
        var writer = JSONWriter()
        writer.object { $0.member("scroll_id", [id]) }
        await close(EnginePath("_search", "scroll"), writer.takeBytes())
    }

    private func close(_ path: EnginePath, _ body: [UInt8]) async {
        var request = EngineRequest(.delete, path, body: body)
        request.timeout = min(requestTimeout, Self.closingTime)
        _ = try? await reply(to: request)
    }
}

/// A query in the engine's language: a `bool` query whose clauses must all match, and don't score.
///
/// - A word or phrase must occur in one of the index's default fields (`index.query.default_field`, all fields unless
///   someone changed it). It is split into words as each field is: no character in it is an operator.
/// - A field must have exactly the value: analyzed text is compared through its keyword subfield.
/// - An expression is a `query_string` query, with all its operators.
struct SearchBody {
    private let query: SearchQuery
    private let fields: [FieldMatch]
    private let asksForVectors: Bool

    /// Creates a body; `asksForVectors` is for engines that would otherwise leave vectors out.
    init(_ query: SearchQuery, fields: [FieldMatch], asksForVectors: Bool) {
        (self.query, self.fields, self.asksForVectors) = (query, fields, asksForVectors)
    }

    /// Writes the members `query`, `_source` and `version`.
    func write(to writer: inout JSONWriter) {
        if !query.includesDocuments {
            writer.member("_source", false)
        } else if asksForVectors {
            writer.object("_source") { $0.member("exclude_vectors", false) }
        }
        writer.member("version", true)
        writer.object("query") { writer in
            writer.object("bool") { writer in
                writer.array("filter") { writer in
                    for text in query.words + query.phrases { Self.writeOccurrence(of: text, to: &writer) }
                    for field in fields { field.write(to: &writer) }
                    if let expression = query.expression { Self.writeExpression(expression, to: &writer) }
                }
            }
        }
    }

    private static func writeOccurrence(of text: String, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.object("multi_match") { writer in
                writer.member("query", text)
                writer.member("type", "phrase")
                writer.member("lenient", true)
            }
        }
    }

    private static func writeExpression(_ expression: String, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.object("query_string") { writer in
                writer.member("query", expression)
                writer.member("default_operator", "AND")
            }
        }
    }
}

/// A field that must have a value, named as the engine compares whole values.
struct FieldMatch: Hashable, Sendable {
    let name: String
    let value: String

    /// Writes a `match` query: it compares whole values in every field but text, and finds nothing in a number or date
    /// field if the value is not one.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.object("match") { writer in
                writer.object(name) { writer in
                    writer.member("query", value)
                    writer.member("lenient", true)
                }
            }
        }
    }
}

/// The place where a search continues: the contents of a cursor.
///
/// A point in time is a fixed state of the index, and is asked for the documents after a place in it: such a request
/// can be repeated. A scroll, for engines without points in time, moves on with each request.
enum SearchPlace: Hashable, Sendable {
    /// `after` holds the sort values to continue after, a JSON array; `size` is the number of documents to ask for.
    case pointInTime(id: String, after: [UInt8]?, size: Int)
    case scroll(id: String)

    var cursor: SearchCursor {
        switch self {
        case .pointInTime(let id, let after, let size):
            SearchCursor(rawValue: "pit:\(size):\(String(decoding: after ?? [], as: UTF8.self)):\(id)")
        case .scroll(let id): SearchCursor(rawValue: "scroll:\(id)")
        }
    }

    init(_ cursor: SearchCursor) throws(EngineError) {
        let text = cursor.rawValue
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        if parts.count == 3, parts[0] == "pit", let size = Int(parts[1]), PageSize.range.contains(size),
            let (after, id) = Self.placeAndName(in: Array(parts[2].utf8))
        {
            self = .pointInTime(id: id, after: after, size: size)
        } else if text.hasPrefix("scroll:"), text.utf8.count > 7 {
            self = .scroll(id: String(text.dropFirst(7)))
        } else {
            throw EngineError(.rejected, "'\(text.prefix(80))' is no cursor of this engine")
        }
    }

    /// Splits `[7,12]:NAME`; a place may contain colons, so it ends where the array ends.
    private static func placeAndName(in text: [UInt8]) -> (after: [UInt8]?, id: String)? {
        var (after, rest) = ([UInt8]?.none, text[...])
        if text.first == UInt8(ascii: "[") {
            var scanner = JSONScanner(text.span)
            guard let range = try? scanner.skipValue(), range.count > 2 else { return nil }
            after = Array(text[range])
            rest = text[range.upperBound...]
        }
        guard rest.first == UInt8(ascii: ":"), rest.count > 1 else { return nil }
        return (after, String(decoding: rest.dropFirst(), as: UTF8.self))
    }
}

/// Page sizes, in documents.
enum PageSize {
    static let range = 1...1_000
    /// The size after a page that may have been too large for a reply.
    static let smallest = 16
    /// The size for when more shards share a place than fit on a page; the engine allows no more.
    static let largest = 10_000
    /// The size of a first page with documents, while nothing is known of how large they are.
    static let first = 100
    /// The approximate target size of a page, in bytes.
    private static let bytes = 8 << 20

    /// Returns the size of the page after one of `count` documents with `bytes`.
    static func next(after count: Int, bytes: Int, size: Int) -> Int {
        guard count > 0 else { return size }
        let fitting = Self.bytes / max(1, bytes / count)
        return min(max(min(fitting, size * 4), smallest), range.upperBound)
    }
}

/// A document's place in the order of a search.
struct HitPlace: Hashable, Sendable {
    /// The sort values as the engine wrote them, an array: the next page is requested with them.
    let json: [UInt8]
    /// The place in its shard, if the engine reports only that: documents of several shards can share it.
    ///
    /// Since 7.12, Elasticsearch adds a value that no other document has.
    let shared: Int?

    /// Reads a hit's sort values; `nil` if there are none.
    init?(_ json: [UInt8]) {
        guard let values = try? JSONValue(json).elements, let first = values.first else { return nil }
        if values.count == 1 {
            guard let place = first.int, place >= 0 else { return nil }
            shared = place
        } else {
            shared = nil
        }
        self.json = json
    }
}
