import ContentFeeding
import EngineHTTP
import JSONText
import TextKit

extension OpenSearchCollection: SearchableEngine {
    /// The time for which the engine keeps a search open while it waits for the next request.
    static let keepAlive = "5m"

    /// Returns the error for a document whose shard does not respond, or refuses this user; a retry may succeed.
    func unreadable(_ id: DocumentID, _ type: String, _ reason: String) -> EngineError {
        guard type != "security_exception" else {
            return EngineError(
                .permission,
                "reading '\(id)' in '\(collection)' is not permitted: \(type): \(reason)",
                advice: "ask for permission to read it, or use other credentials"
            )
        }
        return EngineError(
            .unreachable,
            "'\(id)' in '\(collection)' could not be read: \(type): \(reason)",
            advice: "see _cluster/health/\(collection)?level=shards, and run the command again"
        )
    }

    func requireLookUp() throws(EngineError) {
        guard let (reason, advice) = binding.obstacle(to: collection, ignoringFilter: options.ignoresAliasFilter) else {
            return
        }
        throw EngineError(.unsupported, reason, advice: advice)
    }

    /// Counts the live documents, including those that are not yet visible because the index has no automatic
    /// refreshes.
    func count() async throws(EngineError) -> Int {
        let found = try await cluster.liveCount(collection)
        if !found.isLive { staleCounts.note() }
        return found.count
    }

    func countReservation() async -> String? {
        guard staleCounts.isNoted else { return nil }
        return
            "as seen by searches: recent additions and removals may not be in the count, because the engine "
            + "refused to refresh '\(collection)'"
    }

    /// Returns a page of a query's hits; all pages are from the same snapshot of the index.
    ///
    /// Without a sort order, hits are in the order of the index's files, which requires no sorting.
    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        let pager = SearchPager(collection: self, query: query)
        if let cursor { return try await pager.page(at: try SearchPlace(cursor)) }
        guard let start = try await openPointInTime() else { return try await pager.scroll(on: nil) }
        do throws(EngineError) {
            return try await pager.page(at: start)
        } catch {
            // The caller has no cursor for this search, so it must be closed here.
            await cluster.close(start)
            throw error
        }
    }

    func facets(_ keys: [FacetKey], of query: SearchQuery) async throws(EngineError) -> FacetCounts {
        try await SearchPager(collection: self, query: query).facets(keys)
    }

    func close(_ cursor: SearchCursor) async {
        if let place = try? SearchPlace(cursor) { await cluster.close(place) }
    }

    /// Opens a point in time to search in; returns `nil` if the engine does not support them.
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

    /// Returns the field name to use for comparing each field's whole values.
    ///
    /// Text is split into words, so `title=brown` would find every title that contains the word. The keyword subfield
    /// is used instead: `title.keyword` if the engine created the mapping automatically.
    func conditions(for fields: [SearchQuery.Field]) async throws(EngineError) -> [FieldMatch] {
        var conditions: [FieldMatch] = []
        for field in fields {
            guard !field.name.isEmpty else { throw EngineError(.rejected, "a field without a name can't have a value") }
            conditions.append(FieldMatch(name: try await comparableName(of: field), value: field.value))
        }
        return conditions
    }

    private func comparableName(of field: SearchQuery.Field) async throws(EngineError) -> String {
        let name = field.name
        let path = path(to: "_field_caps").with("fields", "\(name),\(name).*").with("ignore_unavailable", "true")
        let known = try await cluster.ask(EngineRequest(.get, path), about: collection)["fields"]
        let types = known[name].members.map(\.key)
        guard types.contains("text") || types.contains("match_only_text") else { return name }
        let subfields = known.members.filter { $0.key.hasPrefix(name + ".") && $0.value["keyword"] != .null }.map(\.key)
        if let subfield = subfields.contains(name + ".keyword") ? name + ".keyword" : subfields.min() {
            return subfield
        }
        throw EngineError(
            .unsupported,
            "the field '\(name)' of '\(collection)' is text without a keyword subfield, "
                + "so its whole value can't be compared",
            advice: "search for words in it with the engine's query language: --query '\(name):\"WORDS\"'"
        )
    }
}

extension RequestFailure {
    /// Whether the engine does not support the request at all, as may be the case for older versions.
    fileprivate var isUnknownRequest: Bool {
        guard let status else { return false }
        return [400, 404, 405].contains(status) && errorReply?.kind != .missingCollection
    }
}

extension Cluster {
    /// Returns the path that opens a point in time: OpenSearch supports points in time since 2.4, and Elasticsearch
    /// since 7.10, except in its free edition.
    ///
    /// By default, Elasticsearch opens a point in time only if all shards are available.
    fileprivate func pointInTimePath(of name: CollectionName) -> EnginePath {
        switch product {
        case .openSearch:
            EnginePath(name.rawValue, "_search", "point_in_time").with("allow_partial_pit_creation", "false")
        case .elasticsearch: EnginePath(name.rawValue, "_pit")
        }
    }

    /// The time limit for closing a search, which is short because the engine eventually discards unclosed searches.
    private static let closingTime = Duration.seconds(5)

    /// Closes a search in the engine, even if the current task is canceled.
    func close(_ place: SearchPlace) async {
        await Task {
            switch place {
            case .pointInTime(let id, _, _): await closePointInTime(id)
            case .scroll(let id): await closeScroll(id)
            }
        }.value
    }

    /// Closes a point in time; if that fails, the engine discards it after ``OpenSearchCollection/keepAlive``.
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
        let json = JSONWriter.object { $0.member("scroll_id", [id]) }
        await close(EnginePath("_search", "scroll"), json)
    }

    private func close(_ path: EnginePath, _ body: [UInt8]) async {
        var request = EngineRequest(.delete, path, body: body)
        request.timeout = min(requestTimeout, Self.closingTime)
        _ = try? await reply(to: request)
    }
}

/// A query in the engine's language: a `bool` query whose clauses must all match, and do not affect scores.
///
/// - A word or phrase must occur in one of the index's default fields (`index.query.default_field`, by default all
///   fields). It is split into words in the same way as each field's text, and no character in it is an operator.
/// - A field must have exactly the given value; analyzed text is compared through its keyword subfield.
/// - An expression is a `query_string` query, with all its operators.
struct SearchBody {
    private let query: SearchQuery
    private let fields: [FieldMatch]
    private let asksForVectors: Bool

    /// Creates a body; `asksForVectors` must be set for engines that would otherwise omit vectors.
    init(_ query: SearchQuery, fields: [FieldMatch], asksForVectors: Bool) {
        (self.query, self.fields, self.asksForVectors) = (query, fields, asksForVectors)
    }

    /// Writes the members `query`, `_source` and `version`.
    func write(to writer: inout JSONWriter, changedIn range: ClosedRange<Int64>? = nil) {
        if !query.includesDocuments {
            writer.member("_source", false)
        } else if asksForVectors {
            writer.object("_source") { $0.member("exclude_vectors", false) }
        }
        writer.member("version", true)
        writeQuery(to: &writer, changedIn: range)
    }

    /// Writes the member `query`; `range` is a range of sequence numbers, which are specific to a single shard.
    func writeQuery(to writer: inout JSONWriter, changedIn range: ClosedRange<Int64>? = nil) {
        writer.object("query") { writer in
            writer.object("bool") { writer in
                writer.array("filter") { writer in
                    if let range {
                        writer.object { writer in
                            writer.object("range") { writer in
                                writer.object("_seq_no") { writer in
                                    writer.member("gte", range.lowerBound)
                                    writer.member("lte", range.upperBound)
                                }
                            }
                        }
                    }
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

/// A field that must have a value, with the field name that the engine uses to compare whole values.
struct FieldMatch: Hashable, Sendable {
    let name: String
    let value: String

    /// Writes a `match` query, which compares whole values in all fields except text, and matches no document if the
    /// field is numeric or a date and the value is not.
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

/// A search that is fetched page by page.
struct SearchPager {
    let collection: OpenSearchCollection
    let query: SearchQuery

    private var cluster: Cluster { collection.cluster }

    /// Fetches the page at a position.
    func page(at place: SearchPlace) async throws(EngineError) -> SearchPage {
        switch place {
        case .pointInTime(let id, let after, let size):
            try await inPointInTime(id, after: after, size: query.includesDocuments ? size : PageSize.range.upperBound)
        case .scroll(let id): try await scroll(on: id)
        }
    }

    /// Fetches the page after `after` in a point in time.
    ///
    /// If documents of several shards can share a position, a full page may end between two of them, so the documents
    /// at the last position are left for the next page.
    private func inPointInTime(_ id: String, after: [UInt8]?, size: Int) async throws(EngineError) -> SearchPage {
        let conditions = try await collection.conditions(for: query.fields)
        let order = try await collection.sortFields(query.order)
        var asked = size
        var hasShrunk = false
        while true {
            let reply: SearchReply
            do throws(RequestFailure) {
                let body = body(conditions, order, pointInTime: id, after: after, size: asked)
                let path = EnginePath("_search").with("allow_partial_search_results", "false")
                reply = try await self.reply(to: .reading(path, body))
            } catch {
                // The reply may have been too large.
                guard error.isReplyLost, asked > PageSize.smallest else { throw await failure(error) }
                asked = PageSize.smallest
                hasShrunk = true
                continue
            }
            try await requireWhole(reply)
            let name = reply.pointInTime ?? id
            guard reply.hits.count >= asked else {
                await cluster.closePointInTime(name)
                return SearchPage(reply.hits, next: nil)
            }
            guard let last = reply.hits.last?.place, last.count > query.order.count else { throw Self.withoutPlaces }
            // Without a tiebreaker added by the engine, the last sort value is the position in a shard.
            let isShared = last.count == query.order.count + 1
            let hits = isShared ? reply.hits.filter { $0.place?.json != last.json } : reply.hits
            if hits.isEmpty {
                guard asked < PageSize.largest else { throw Self.withoutPlaces }
                // A larger page has just failed: requesting one again would cause an infinite loop.
                guard !hasShrunk else { throw tooLarge(asked) }
                asked = min(asked * 8, PageSize.largest)
                continue
            }
            let bytes = hits.reduce(0) { $0 + $1.document.json.count }
            let following = PageSize.next(after: hits.count, bytes: bytes, size: asked)
            let before = last.shared.map { Array("[\($0 - 1)]".utf8) }
            let next = SearchPlace.pointInTime(id: name, after: before ?? hits.last?.place?.json, size: following)
            return SearchPage(hits, next: next.cursor)
        }
    }

    private func failure(_ failure: RequestFailure) async -> EngineError {
        guard failure.status == 404, failure.errorReply?.kind == .other else {
            return await cluster.error(failure, about: collection.collection)
        }
        return EngineError(
            .rejected,
            "the search of '\(collection.collection)' is no longer open: more than "
                + "\(OpenSearchCollection.keepAlive) passed between two pages, or a node was lost",
            advice: "run the command again"
        )
    }

    /// Returns the error for more documents at one position than fit on a page of `size`, if requesting a larger page
    /// has failed.
    private func tooLarge(_ size: Int) -> EngineError {
        EngineError(
            .unusable,
            "the search of '\(collection.collection)' can't continue: a page of \(size) documents is too small for all "
                + "its shards, and the reply with a larger one was lost or larger than allowed",
            advice: "find only IDs, with --ids, or request less"
        )
    }

    /// Fetches the first page of a scroll if `id` is `nil`, and the next page otherwise.
    ///
    /// A lost page is not requested again, because the engine has already advanced to the next one.
    func scroll(on id: String?) async throws(EngineError) -> SearchPage {
        let request: EngineRequest
        if let id {
            let body = JSONWriter.object { writer in
                writer.member("scroll", OpenSearchCollection.keepAlive)
                writer.member("scroll_id", id)
            }
            request = EngineRequest(.post, EnginePath("_search", "scroll"), body: body)
        } else {
            let size = query.includesDocuments ? PageSize.first : PageSize.range.upperBound
            let conditions = try await collection.conditions(for: query.fields)
            let order = try await collection.sortFields(query.order)
            let path = collection.path(to: "_search").with("scroll", OpenSearchCollection.keepAlive)
                .with("allow_partial_search_results", "false")
            request = EngineRequest(
                .post,
                path,
                body: body(conditions, order, pointInTime: nil, after: nil, size: size)
            )
        }
        let reply: SearchReply
        do throws(RequestFailure) {
            reply = try await self.reply(to: request)
        } catch {
            throw await failure(error)
        }
        do throws(EngineError) {
            try await requireWhole(reply)
        } catch {
            if let id = reply.scrollID { await cluster.closeScroll(id) }
            throw error
        }
        guard let next = reply.scrollID, !reply.hits.isEmpty else {
            if let id = reply.scrollID ?? id { await cluster.closeScroll(id) }
            return SearchPage(reply.hits, next: nil)
        }
        return SearchPage(reply.hits, next: SearchPlace.scroll(id: next).cursor)
    }

    /// Counts the values of keys in all documents that the query matches.
    func facets(_ keys: [FacetKey]) async throws(EngineError) -> FacetCounts {
        let conditions = try await collection.conditions(for: query.fields)
        let names = try await collection.valueFields(keys.map(\.name), to: "counted")
        let json = JSONWriter.object { writer in
            writer.member("size", 0)
            writer.member("track_total_hits", true)
            SearchBody(query, fields: conditions, asksForVectors: false).writeQuery(to: &writer)
            FacetAnswer.writeAggregations(of: keys, named: names, to: &writer)
        }
        let path = collection.path(to: "_search").with("allow_partial_search_results", "false")
        let body: [UInt8]
        let reply: SearchReply
        do throws(RequestFailure) {
            (body, reply) = try await answer(to: EngineRequest(.post, path, body: json))
        } catch {
            throw await failure(error)
        }
        try await requireWhole(reply)
        guard let answer = (try? JSONValue(body)).flatMap({ FacetAnswer($0, to: keys, named: names) }) else {
            throw EngineError(
                .unusable,
                "the engine's reply has no counts for '\(collection.collection)'",
                advice: "run the command without --facet"
            )
        }
        return await collection.markingIgnored(answer.counts, named: names)
    }

    private func reply(to request: EngineRequest) async throws(RequestFailure) -> SearchReply {
        try await answer(to: request).reply
    }

    private func answer(
        to request: EngineRequest
    ) async throws(RequestFailure) -> (body: [UInt8], reply: SearchReply) {
        let reply = try await cluster.reply(to: request)
        do throws(JSONError) {
            return (reply.body, try SearchReply(reply.body))
        } catch {
            throw RequestFailure.unreadable(reply, "it is not a page of a search: \(error)")
        }
    }

    /// Throws an error unless the page has the documents of all shards, because an incomplete page looks the same as a
    /// complete one.
    private func requireWhole(_ reply: SearchReply) async throws(EngineError) {
        let name = collection.collection
        guard !reply.isTimedOut else {
            throw EngineError(
                .unreachable,
                "the search of '\(name)' timed out in the engine, so its page lacks documents",
                advice: "run the command again when the engine is less busy"
            )
        }
        try await cluster.requireAll(reply.shards, of: name, "the search")
        guard query.includesDocuments, reply.hasHitWithoutSource else { return }
        throw EngineError(
            .unsupported,
            "'\(name)': \(MultiGetReply.withoutSource)",
            advice: "find only IDs, with --ids"
        )
    }

    private func body(
        _ fields: [FieldMatch],
        _ order: [SortKey],
        pointInTime: String?,
        after: [UInt8]?,
        size: Int
    ) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("size", size)
            writer.array("sort") { writer in
                for key in order { key.write(to: &writer) }
                writer.object { $0.member("_doc", "asc") }
            }
            if let pointInTime {
                writer.object("pit") { writer in
                    writer.member("id", pointInTime)
                    writer.member("keep_alive", OpenSearchCollection.keepAlive)
                }
                // The total is not needed; in a scroll, counting it can't be disabled.
                writer.member("track_total_hits", false)
                if let after { writer.member("search_after", raw: after) }
            }
            SearchBody(query, fields: fields, asksForVectors: cluster.omitsVectors).write(to: &writer)
        }
    }

    private static let withoutPlaces = EngineError(
        .unsupported,
        "the engine does not report the positions of documents, so a search can't be read page by page"
    )
}

/// The position at which a search continues, as encoded in a cursor.
///
/// A point in time is a snapshot of the index, which returns the documents after any position in it, so a request can
/// be repeated. A scroll, for engines without points in time, advances with each request.
enum SearchPlace: Hashable, Sendable {
    /// A point in time; `after` holds the sort values to continue after, as a JSON array, and `size` is the number of
    /// documents to request.
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
            throw EngineError(.rejected, "'\(text.prefix(80))' is not a cursor of this engine")
        }
    }

    /// Splits text such as `[7,12]:NAME`; a position may contain colons, so it ends where the array ends.
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

/// The engine's reply with a page of a search.
struct SearchReply {
    struct Hit {
        let document: StoredDocument
        /// The reason why the document's bytes are not valid JSON; `nil` if they are valid.
        let flaw: JSONError?
        /// The position in the order of the hits.
        let place: HitPlace?
        /// The revision, if it was requested.
        let revision: Revision?

        var unreadable: UnreadableDocument? {
            flaw.map { flaw in
                UnreadableDocument(
                    DocumentKey(document.id, routing: document.routing),
                    bytes: document.json,
                    reason: "\(flaw)"
                )
            }
        }
    }

    var hits: [Hit] = []
    var scrollID: String?
    /// The ID of the point in time, which the engine may change with each page.
    var pointInTime: String?
    /// The shards whose documents are in the page.
    private(set) var shards: ShardResult?
    private(set) var isTimedOut = false
    /// Whether a hit lacks its document.
    fileprivate(set) var hasHitWithoutSource = false

    init(_ body: [UInt8]) throws(JSONError) {
        var scanner = JSONScanner(body.span)
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            switch scanner.text(of: key) {
            case "_scroll_id": scrollID = try scanner.stringText()
            case "pit_id": pointInTime = try scanner.stringText()
            case "timed_out": isTimedOut = try scanner.bool()
            case "_shards":
                let place = try scanner.skipValue()
                shards = ShardResult(try JSONValue(Array(body[place])))
            case "hits": try scanner.hits(in: body, into: &self)
            default: try scanner.skipValue()
            }
        }
        try scanner.end()
    }
}

extension JSONScanner {
    fileprivate mutating func hits(in body: [UInt8], into reply: inout SearchReply) throws(JSONError) {
        try enterObject()
        while let key = try nextKey() {
            guard isEqual(key, "hits") else {
                try skipValue()
                continue
            }
            try enterArray()
            while try nextElement() { reply.hits.append(try hit(in: body, &reply.hasHitWithoutSource)) }
        }
    }

    private mutating func hit(in body: [UInt8], _ lacksSource: inout Bool) throws(JSONError) -> SearchReply.Hit {
        let start = offset
        let hit = try hit()
        guard let id = hit.id.flatMap({ try? DocumentID(text(of: $0)) }) else {
            throw JSONError(offset: start, message: "a hit without an ID")
        }
        if hit.source == nil { lacksSource = true }
        let json = hit.source.map { Array(body[$0]) } ?? Array("{}".utf8)
        let document = StoredDocument(id: id, version: hit.version, routing: hit.routing, json: json)
        return SearchReply.Hit(
            document: document,
            flaw: hit.flaw,
            place: hit.sort.flatMap { HitPlace(Array(body[$0])) },
            revision: hit.revision
        )
    }
}

extension SearchPage {
    /// Creates a page of hits, with unreadable documents listed separately.
    fileprivate init(_ hits: [SearchReply.Hit], next: SearchCursor?) {
        self.init(documents: hits.filter { $0.flaw == nil }.map(\.document), next: next)
        unreadable = hits.compactMap(\.unreadable)
    }
}

/// A document's position in the order of a search.
struct HitPlace: Hashable, Sendable {
    /// The sort values as the engine wrote them: a JSON array, which is sent in the request for the next page.
    let json: [UInt8]
    /// The position in the document's shard, if the engine returns no unique value; documents of several shards can
    /// share this position.
    ///
    /// Since 7.12, Elasticsearch adds a value that is unique to the document.
    let shared: Int?
    /// The number of sort values.
    let count: Int

    /// Parses a hit's sort values; returns `nil` if the array is empty or invalid.
    init?(_ json: [UInt8]) {
        guard let values = try? JSONValue(json).elements, let first = values.first else { return nil }
        if values.count == 1 {
            guard let place = first.int, place >= 0 else { return nil }
            shared = place
        } else {
            shared = nil
        }
        (self.json, count) = (json, values.count)
    }
}
