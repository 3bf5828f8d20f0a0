import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization

extension SolrCollection: SearchableEngine {
    /// The number of documents in the first request, when their sizes are still unknown.
    private static let firstDocuments = 16

    /// Reads documents with all fields that Solr returns, in several requests, so a page of large documents does not
    /// require a large reply.
    ///
    /// Solr returns the fields that the schema declares as `stored` or keeps in `docValues`. A field that is only
    /// indexed can be searched but is not returned, so a copy of a document may be incomplete.
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        if let routerRefusal { throw routerRefusal }
        var page = DocumentPage(documents: [], looked: 0)
        var bytes = 0
        var rest = ids
        var step = Self.firstDocuments
        while !rest.isEmpty, page.looked == 0 || bytes < maximumBytes {
            let found = try await documents(of: rest.prefix(step), step: &step)
            for id in rest.prefix(step) where page.looked == 0 || bytes < maximumBytes {
                page.looked += 1
                guard let document = found[id] else { continue }
                bytes += document.json.count
                page.documents.append(document)
            }
            rest = ids.dropFirst(page.looked)
            step = min(step * 2, LookUp.maximumDocuments)
        }
        return page
    }

    /// Reads documents, or only the first of them if the reply for all of them is too large.
    private func documents(
        of ids: ArraySlice<DocumentID>,
        step: inout Int
    ) async throws(EngineError) -> [DocumentID: StoredDocument] {
        do {
            return try await find(ids, .documents)
        } catch {
            guard error.isReplyTooLarge, ids.count > 1 else { throw await solr.error(error, about: collection) }
        }
        step = 1
        do {
            return try await find(ids.prefix(1), .documents)
        } catch {
            throw await solr.error(error, about: collection)
        }
    }

    /// Finds documents with the real-time get and, if it does not find them, with a search, because the real-time get
    /// is unreliable for nested documents.
    func find(
        _ ids: some Collection<DocumentID>,
        _ extent: LookUp.Extent
    ) async throws(RequestFailure) -> [DocumentID: StoredDocument] {
        var found = try await lookUp.find(ids, extent)
        let denied = ids.filter { found[$0] == nil }
        if let nested, !denied.isEmpty {
            let parts = try await nested.parts(denied: denied, wantsJSON: extent == .documents, commit: showChanges)
            found.merge(parts) { first, _ in first }
        }
        guard extent == .documents else { return found }
        let fed = try await derivedFields.leftOut(of: Array(found.values))
        return Dictionary(fed.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Makes all changes visible to searches.
    func showChanges() async throws(RequestFailure) { try await solr.commit(collection, .soft) }

    func derivedKeys(among keys: [String]) async throws(EngineError) -> Set<String> {
        do {
            return try await derivedFields.targets(among: Set(keys))
        } catch {
            throw await solr.error(error, about: collection)
        }
    }

    func copies(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        try await requireReturnedFields(for: .backup)
        let page = try await get(at: keys, maximumBytes: maximumBytes)
        let children: [DocumentID: Int]
        do {
            children = try await nested?.children(of: page.documents, losesNamed: true) ?? [:]
        } catch {
            throw await solr.error(error, about: collection)
        }
        guard let (id, count) = children.min(by: { $0.key.text < $1.key.text }) else { return page }
        throw EngineError(
            .unsupported,
            "'\(id)' has \(count == 1 ? "a child document" : "\(count) child documents"), which a backup can't contain",
            advice: "run without a backup, or copy such documents with Solr's own tools first"
        )
    }

    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        if let routerRefusal { throw routerRefusal }
        do {
            let found = try await find(ids, .presence)
            return ids.map { found[$0] != nil }
        } catch {
            throw await solr.error(error, about: collection)
        }
    }

    func count() async throws(EngineError) -> Int {
        do {
            let found = try await solr.committedCount(collection)
            if !found.isLive { staleCounts.note() }
            return found.count
        } catch {
            throw await solr.error(error, about: collection)
        }
    }

    func countReservation() async -> String? {
        guard staleCounts.isNoted else { return nil }
        return "as seen by searches: additions and removals since the last commit are not counted, because these "
            + "credentials may not commit to '\(collection)'"
    }

    /// Returns a page of hits in the order of the query's keys and then the unique key.
    ///
    /// Each page shows the state when it is read. A document that exists throughout is on exactly one page, unless a value
    /// that it is sorted by changes meanwhile.
    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        let order = try await sortFields(query.order)
        do {
            guard let search = try await search(query, .after(cursor), order) else {
                return SearchPage(documents: [], next: nil)
            }
            return try await page(search, includesDocuments: query.includesDocuments)
        } catch {
            throw await solr.error(error, about: collection)
        }
    }

    /// Returns a search as parameters for Solr; `nil` if no document can match.
    func search(
        _ query: SearchQuery,
        _ page: SolrQuery.Page,
        _ order: [SortField] = []
    ) async throws(RequestFailure) -> SolrQuery? {
        let fields = try await textFields(for: query, isFirst: page == .after(nil))
        var conditions: [FieldEquality] = []
        for field in query.fields {
            guard let condition = try await solr.condition(field, in: collection) else { return nil }
            conditions.append(condition)
        }
        return SolrQuery(query, textFields: fields, conditions: conditions, uniqueKey: uniqueKey, page, order)
    }

    private func textFields(for query: SearchQuery, isFirst: Bool) async throws(RequestFailure) -> [String] {
        if query.words.isEmpty, query.phrases.isEmpty { return [] }
        if !isFirst, let names = textFieldCache.current { return names }
        let cores = try await solr.leadingCores(of: collection)
        let names = try await solr.textFields(of: collection.rawValue, cores: cores)
        textFieldCache.keep(names)
        return names
    }

    private func page(_ search: SolrQuery, includesDocuments: Bool) async throws(RequestFailure) -> SearchPage {
        let path = EnginePath(collection.rawValue, "select").with("wt", "json")
        let reply = try await solr.client.ask(path, FormBody(search.parameters))
        let found: ReplyDocuments
        do {
            found = try ReplyDocuments(reply.body, uniqueKey: uniqueKey, wantsJSON: search.wantsJSON)
            try found.checkPage(at: search.cursor)
        } catch {
            throw RequestFailure.unreadable(reply.http, "it is not a page of documents from Solr: \(error)")
        }
        let documents = found.documents.filter { search.isMet(by: $0) }
        // A page can be short before the end: in a cluster, documents may vanish between being found and being fetched.
        let isLast = found.nextCursor == search.cursor
        return try await SearchPage(
            documents: includesDocuments
                ? derivedFields.leftOut(of: documents) : documents.map(\.withoutContent),
            next: isLast ? nil : found.nextCursor.map { SearchCursor(rawValue: $0) }
        )
    }
}

extension StoredDocument {
    fileprivate var withoutContent: StoredDocument {
        StoredDocument(id: id, version: version, json: Array("{}".utf8))
    }
}

/// A search as parameters for Solr.
///
/// Words and values are never parsed as query syntax: they are quoted, or passed in separate parameters. A user's
/// `expression` is the whole query, and is passed unchanged.
struct SolrQuery {
    /// The page sizes, with documents and with IDs only.
    private static let documentsPerPage = 500
    private static let idsPerPage = 5_000
    /// Solr's cursor for the first page.
    private static let start = "*"

    /// The requested part of the hits.
    enum Page: Hashable {
        /// A page of all hits, in the requested order, or in that of their IDs.
        case after(SearchCursor?)
        /// The first hits with these versions, in the order of versions.
        case written(ClosedRange<Int64>, size: Int)
        /// The number of hits only.
        case count
    }

    let parameters: [(name: String, value: String)]
    /// The cursor at the beginning of the page; Solr returns the same cursor if no hits follow it.
    fileprivate let cursor: String
    /// Whether the documents are needed, even if only to compare their values.
    fileprivate let wantsJSON: Bool
    private let conditions: [FieldEquality]

    /// Whether hits must be filtered by their contents.
    var isApproximate: Bool { conditions.contains(where: \.isTokenized) }

    /// Returns whether a hit meets all conditions.
    func isMet(by hit: StoredDocument) -> Bool { conditions.allSatisfy { $0.holds(in: hit.json) } }

    /// Creates a search; `nil` if no document can match because the query has words, but the collection has no text
    /// fields.
    init?(
        _ query: SearchQuery,
        textFields: [String],
        conditions: [FieldEquality],
        uniqueKey: String,
        _ page: Page,
        _ order: [SortField] = []
    ) {
        self.conditions = conditions
        wantsJSON = query.includesDocuments || conditions.contains(where: \.isTokenized)
        let expression = query.expression ?? ""
        var parameters = [
            ("q", expression.isEmpty ? "*:*" : expression), ("defType", "lucene"), ("shards.tolerant", "false"),
            ("expandMacros", "false"),
        ]
        switch page {
        case .after(let place):
            cursor = place?.rawValue ?? Self.start
            let rows = wantsJSON ? Self.documentsPerPage : Self.idsPerPage
            parameters += SortField.parameters(order, uniqueKey: uniqueKey)
            parameters += [("cursorMark", cursor), ("rows", String(rows)), ("fl", wantsJSON ? "*" : uniqueKey)]
        case .written(let versions, let size):
            cursor = ""
            parameters += [
                ("fq", "{!lucene cache=false}_version_:[\(versions.lowerBound) TO \(versions.upperBound)]"),
                ("sort", "_version_ asc"), ("rows", String(size)), ("fl", "*,_version_"),
            ]
        case .count:
            cursor = ""
            parameters.append(("rows", "0"))
        }
        let terms = query.words + query.phrases
        if !terms.isEmpty, textFields.isEmpty { return nil }
        for term in terms { parameters.append(("fq", Self.filter(term, in: textFields))) }
        for (index, condition) in conditions.enumerated() {
            let name = Self.localParameter(condition.name)
            // A tokenized field is searched for the value's words in order; afterwards, the hits are compared with the
            // whole value.
            let parser = condition.isTokenized ? "field" : "term"
            parameters.append(("fq", "{!\(parser) f=\(name) cache=false v=$fastctl.field\(index)}"))
            parameters.append(("fastctl.field\(index)", condition.value))
        }
        self.parameters = parameters
    }

    /// Returns a filter for the term, as a phrase, in any of the fields.
    ///
    /// Each field splits the phrase in the same way as its text. If a phrase has no words, Solr omits the clause; the
    /// last clause, which matches no document, then prevents the filter from matching all of them.
    private static func filter(_ term: String, in fields: [String]) -> String {
        let phrase = quoted(term)
        let clauses = fields.map { "\(escaped($0)):\(phrase)" } + ["(*:* -*:*)"]
        return "{!lucene q.op=OR cache=false}" + clauses.joined(separator: " ")
    }

    /// Quotes a phrase for the query language: inside quotes, only quotes and backslashes are special.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// Escapes a field's name for the query language.
    static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            let isPlain = scalar == "_" || scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
            if !isPlain { escaped.unicodeScalars.append("\\") }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }

    /// Quotes a value for use inside `{!…}`.
    static func localParameter(_ text: String) -> String {
        var quoted = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "'"
    }
}

/// A condition that a field has exactly this value.
struct FieldEquality: Hashable {
    var name: String
    var value: String
    /// Whether Solr matches only words of the field, so the values in hits must be compared with the whole value.
    var isTokenized: Bool

    /// Returns whether a hit has the value in the field, either alone or in a list.
    func holds(in json: [UInt8]) -> Bool {
        guard isTokenized else { return true }
        return (try? JSONStrings.field(name, of: json.span, equals: value, by: .listed)) ?? false
    }
}

extension SolrInstance {
    /// Returns the condition, adapted to the schema's definition of its field; `nil` if the schema has no such field,
    /// so no document can match.
    fileprivate func condition(
        _ field: SearchQuery.Field,
        in collection: CollectionName
    ) async throws(RequestFailure) -> FieldEquality? {
        guard let description = try await self.field(field.name, of: collection) else { return nil }
        return FieldEquality(name: field.name, value: field.value, isTokenized: description["tokenized"].bool ?? true)
    }

    /// Returns the schema's description of a field; `nil` if no such field exists, so no document has it.
    func field(_ name: String, of collection: CollectionName) async throws(RequestFailure) -> JSONValue? {
        let path = EnginePath(collection.rawValue, "schema", "fields", name).with("includeDynamic", "true")
            .with("showDefaults", "true")
        do {
            return try await client.tree(path)["field"]
        } catch {
            // A 404 from Solr itself means that no such field exists; a 404 from another server is a failure.
            guard error.status == 404, error.errorReply != nil else { throw error }
            return nil
        }
    }

    fileprivate func textFields(of collection: String, cores: [String]) async throws(RequestFailure) -> [String] {
        let types = try await client.tree(EnginePath(collection, "schema", "fieldtypes"))
        var indexes: [JSONValue] = []
        for core in cores {
            indexes.append(
                try await client.tree(EnginePath(core, "admin", "luke").with("numTerms", "0"), isOfCore: true)
            )
        }
        return TextFields.names(fieldTypes: types, cores: indexes)
    }
}

/// The fields of a collection to search for words: text and string fields that at least one document has.
enum TextFields {
    /// Determines the fields' names from Solr's field types and the fields in each core's index.
    static func names(fieldTypes: JSONValue, cores: [JSONValue]) -> [String] {
        let textTypes = Set(
            fieldTypes["fieldTypes"].elements.compactMap { type in
                isText(type["class"].text ?? "") ? type["name"].text : nil
            }
        )
        var names: Set<String> = []
        for core in cores {
            for member in core["fields"].members where !ReplyDocuments.internalFields.contains(member.key) {
                // The first of Solr's flags means that the field is indexed.
                guard let type = member.value["type"].text, textTypes.contains(type),
                    member.value["schema"].text?.utf8.first == UInt8(ascii: "I")
                else { continue }
                names.insert(member.key)
            }
        }
        return names.sorted()
    }

    /// Returns whether a class is a text or string field, such as `solr.TextField`,
    /// `org.apache.solr.schema.SortableTextField` or `solr.StrField`.
    private static func isText(_ className: String) -> Bool {
        className.hasSuffix("TextField") || className.hasSuffix("StrField")
    }
}

/// A cache of the text fields at the beginning of a search, for its later pages.
final class TextFieldCache: Sendable {
    private let names = Mutex<[String]?>(nil)

    fileprivate var current: [String]? { names.withLock { $0 } }

    fileprivate func keep(_ fields: [String]) { names.withLock { $0 = fields } }
}
