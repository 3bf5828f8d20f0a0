import ContentFeeding
import EngineHTTP
import JSONText

extension OpenSearchCollection: SearchableEngine {
    /// The time for which the engine keeps a search open between two pages.
    static let keepAlive = "5m"

    /// Returns the error for a document whose shard does not answer, or not to everybody; the next time it may.
    func unreadable(_ id: DocumentID, _ type: String, _ reason: String) -> EngineError {
        guard type != "security_exception" else {
            return EngineError(
                .permission,
                "'\(id)' in '\(collection)' may not be read: \(type): \(reason)",
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

    /// Counts the live documents, including those that an index without automatic refreshes does not show yet.
    func count() async throws(EngineError) -> Int {
        let found = try await cluster.liveCount(collection)
        if !found.isLive { staleCounts.note() }
        return found.count
    }

    func countReservation() async -> String? {
        guard staleCounts.isNoted else { return nil }
        return
            "as searches see it: what was added or removed a moment before may not be in the count, because the engine "
            + "refused to refresh '\(collection)'"
    }

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

    /// Determines the name by which each field's whole values can be compared.
    ///
    /// Text is split into words, so `title=brown` would find every title with the word. Its keyword subfield is asked
    /// instead: `title.keyword` if the engine made the mapping itself.
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
    /// Whether the engine does not know the request at all, as may be with an older version.
    fileprivate var isUnknownRequest: Bool {
        guard let status else { return false }
        return [400, 404, 405].contains(status) && errorReply?.kind != .missingCollection
    }
}

extension Cluster {
    /// Returns the path that opens a point in time: OpenSearch has it since 2.4, Elasticsearch since 7.10, except in
    /// its free edition.
    ///
    /// Elasticsearch opens none without all shards unless asked to.
    fileprivate func pointInTimePath(of name: CollectionName) -> EnginePath {
        switch product {
        case .openSearch:
            EnginePath(name.rawValue, "_search", "point_in_time").with("allow_partial_pit_creation", "false")
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
    func write(to writer: inout JSONWriter, changedIn range: ClosedRange<Int64>? = nil) {
        if !query.includesDocuments {
            writer.member("_source", false)
        } else if asksForVectors {
            writer.object("_source") { $0.member("exclude_vectors", false) }
        }
        writer.member("version", true)
        writeQuery(to: &writer, changedIn: range)
    }

    /// Writes the member `query`; `range` is one of sequence numbers, which are those of a single shard.
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
