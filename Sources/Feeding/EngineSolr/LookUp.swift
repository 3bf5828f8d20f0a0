import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization
import TextKit

/// A lookup with the real-time get, which sees uncommitted changes.
///
/// In a cluster, the request is sent to the shards' leaders if possible, because they are always up to date.
struct LookUp: Sendable {
    private let client: SolrClient
    private let collection: CollectionName
    private let uniqueKey: String
    /// Whether Solr supports sending requests to the leaders.
    private let asksLeaders: Bool

    init(_ solr: SolrInstance, collection: CollectionName, uniqueKey: String) {
        (client, self.collection, self.uniqueKey) = (solr.client, collection, uniqueKey)
        asksLeaders = solr.knowsLeaders
    }

    /// The part of a document that is requested.
    enum Extent: Hashable {
        /// Only whether the document exists.
        case presence
        /// Whether the document exists, and its version.
        case versions
        /// All fields.
        case documents
    }

    /// The maximum number of IDs in a request for whole documents.
    static let maximumDocuments = 100
    /// The approximate limit of one request, in bytes: by default, Solr accepts forms up to 2 MiB.
    static let maximumBytes = 1 << 20

    /// Finds the documents with one of `ids` that exist.
    func find(
        _ ids: some Collection<DocumentID>,
        _ extent: Extent
    ) async throws(RequestFailure) -> [DocumentID: StoredDocument] {
        try await find(ids, extent, maximumBytes: .max) ?? [:]
    }

    /// Finds the documents with one of `ids` that exist; returns `nil`, without requesting the rest, once their size
    /// exceeds `maximumBytes`.
    func find(
        _ ids: some Collection<DocumentID>,
        _ extent: Extent,
        maximumBytes: Int
    ) async throws(RequestFailure) -> [DocumentID: StoredDocument]? {
        var found: [DocumentID: StoredDocument] = [:]
        var bytes = 0
        var request = Request()
        for id in ids where request.ids.insert(id).inserted {
            request.form.append("id", utf8: id.utf8)
            let isFull = extent == .documents && request.ids.count == Self.maximumDocuments
            if isFull || request.form.bytes.count >= Self.maximumBytes {
                bytes += try await ask(request, extent, &found)
                if bytes > maximumBytes { return nil }
                request = Request()
            }
        }
        if !request.ids.isEmpty { bytes += try await ask(request, extent, &found) }
        return bytes > maximumBytes ? nil : found
    }

    /// A request, and the distinct IDs in it.
    private struct Request {
        var form = FormBody()
        var ids: Set<DocumentID> = []
    }

    /// Adds the documents of one request to `found`, and returns their size in bytes.
    private func ask(
        _ request: Request,
        _ extent: Extent,
        _ found: inout [DocumentID: StoredDocument]
    ) async throws(RequestFailure) -> Int {
        // Without `expandMacros=false`, an ID like `${a}` would be mistaken for a parameter's value. By default, the
        // real-time get omits the header, which distinguishes Solr's own errors from those of a proxy.
        var path = EnginePath(collection.rawValue, "get").with("wt", "json").with("expandMacros", "false")
            .with("omitHeader", "false").with("shards.tolerant", "false").with("fl", fields(extent))
        if asksLeaders { path = path.with("shards.preference", "replica.leader:true") }
        let reply = try await client.ask(path, request.form)
        let documents: [StoredDocument]
        let other: (asked: DocumentID, stored: DocumentID)?
        do {
            let answer = try ReplyDocuments(reply.body, uniqueKey: uniqueKey, wantsJSON: extent == .documents)
            other = answer.otherSpelling(of: request.ids)
            documents = other == nil ? try answer.answering(request.ids) : []
        } catch {
            throw RequestFailure.unreadable(reply.http, "it is not a list of documents from Solr: \(error)")
        }
        if let (asked, stored) = other {
            throw RequestFailure.unanswerable(
                "the key '\(uniqueKey)' is a number, and Solr takes the ID '\(asked)' for '\(stored)'",
                advice: "write the ID as Solr does: \(stored)"
            )
        }
        for document in documents { found[document.id] = document }
        return documents.reduce(0) { $0 + $1.json.count }
    }

    private func fields(_ extent: Extent) -> String {
        switch extent {
        case .presence: uniqueKey
        case .versions: uniqueKey + ",_version_"
        case .documents: "*"
        }
    }
}

/// The nested documents of a collection, which Solr stores next to each other, as a block with the root's ID in
/// `_root_`.
///
/// Solr removes, replaces and updates whole blocks, by the ID of their root. A request to remove a child reports
/// success, but Solr keeps the child; from then on, the real-time get does not find the child, but searches do.
struct NestedDocuments: Sendable {
    private let client: SolrClient
    private let collection: CollectionName
    private let uniqueKey: String
    /// Whether the schema has `_nest_path_`, which Solr needs to keep named children when their root is updated.
    private var keepsNamedChildren = false

    /// The number of rows to request in addition to one for each ID, because children's IDs need not be unique.
    private static let spareRows = 1_000
    /// The number of searches after which an incomplete list is a failure.
    private static let attempts = 3

    /// The answer to whether a collection may have nested documents.
    enum Answer: Sendable {
        /// The collection may have nested documents.
        case possible(NestedDocuments)
        /// The schema has no `_root_`, so documents can't be nested.
        case impossible
        /// We lack the permission to see the schema or to search documents.
        case unseen
    }

    /// Determines the answer from the schema or, without permission to see the schema, by a search.
    static func answer(
        in collection: CollectionName,
        of solr: SolrInstance,
        uniqueKey: String
    ) async throws(RequestFailure) -> Answer {
        var documents = NestedDocuments(client: solr.client, collection: collection, uniqueKey: uniqueKey)
        do {
            let path = EnginePath(collection.rawValue, "schema", "fields").with("fl", "_root_,_nest_path_")
            let names = try await solr.client.tree(path)["fields"].elements.compactMap { $0["name"].text }
            documents.keepsNamedChildren = names.contains("_nest_path_")
            return names.contains("_root_") ? .possible(documents) : .impossible
        } catch {
            // A user without access to the schema may still be able to search in the field.
            guard error.status == 403 else { throw error }
            guard let isPossible = try await canSearchByRoot(solr.client, collection) else { return .unseen }
            return isPossible ? .possible(documents) : .impossible
        }
    }

    /// Returns whether documents can be found by their `_root_`; `nil` if we lack the permission to search.
    private static func canSearchByRoot(
        _ client: SolrClient,
        _ collection: CollectionName
    ) async throws(RequestFailure) -> Bool? {
        let form = FormBody([("q", "{!term f=_root_ v=0}"), ("defType", "lucene"), ("rows", "0")])
        do {
            _ = try await client.ask(EnginePath(collection.rawValue, "select").with("wt", "json"), form)
            return true
        } catch {
            if error.status == 400, error.errorReply?.reason.contains("_root_") == true { return false }
            if error.status == 403 { return nil }
            throw error
        }
    }

    /// Finds those of the documents denied by the real-time get that are nested in others.
    ///
    /// A search may still show a document that was removed since the last commit, so the documents found are searched
    /// for again after `commit`. Without the permission to commit, the first search counts.
    func parts(
        denied ids: [DocumentID],
        wantsJSON: Bool = false,
        commit: () async throws(RequestFailure) -> Void
    ) async throws(RequestFailure) -> [DocumentID: StoredDocument] {
        let seen = try await parts(among: ids, wantsJSON: wantsJSON)
        if seen.isEmpty { return seen }
        do {
            try await commit()
        } catch {
            guard error.status == 403 else { throw error }
            return seen
        }
        return try await parts(among: ids.filter { seen[$0] != nil }, wantsJSON: wantsJSON)
    }

    /// Finds the documents with one of `ids` that are nested in others, if they are visible to searches.
    ///
    /// A document whose root is among `ids` is not returned, because each operation on the root also applies to it.
    func parts(
        among ids: [DocumentID],
        wantsJSON: Bool = false
    ) async throws(RequestFailure) -> [DocumentID: StoredDocument] {
        var parts: [DocumentID: StoredDocument] = [:]
        for ids in Self.portions(of: ids, maximumCount: wantsJSON ? LookUp.maximumDocuments : .max) {
            let parameters: [(name: String, value: String)] = [
                ("q", "{!bool must=$fastctl.named must_not=$fastctl.blocks cache=false}"),
                ("fl", wantsJSON ? "*" : uniqueKey), ("rows", String(ids.count + Self.spareRows)),
            ]
            for document in try await complete(parameters, about: ids, wantsJSON) { parts[document.id] = document }
        }
        return parts
    }

    /// Searches until a reply lists every document that it counts: in a cluster, a document that is removed between
    /// being counted and being fetched is counted, but not listed.
    private func complete(
        _ parameters: [(name: String, value: String)],
        about ids: [DocumentID],
        _ wantsJSON: Bool
    ) async throws(RequestFailure) -> [StoredDocument] {
        var rest = Self.attempts
        while true {
            let reply = try await select(parameters, about: ids)
            rest -= 1
            do {
                let page = try ReplyDocuments(reply.body, uniqueKey: uniqueKey, wantsJSON: wantsJSON)
                if rest > 0, let found = page.found, found > page.documents.count { continue }
                try page.checkCount()
                return page.documents
            } catch {
                throw RequestFailure.unreadable(reply.http, "it is not a list of documents from Solr: \(error)")
            }
        }
    }

    /// Counts the children of `documents`, which must be complete; a document without an entry in the result has none.
    ///
    /// If `losesNamed` is `false`, children that Solr keeps when their root is updated are not counted.
    func children(
        of documents: [StoredDocument],
        losesNamed: Bool
    ) async throws(RequestFailure) -> [DocumentID: Int] {
        let keepsNamed = keepsNamedChildren && !losesNamed
        var counts: [DocumentID: Int] = [:]
        for ids in Self.portions(of: documents.map(\.id), maximumCount: .max) {
            let parameters: [(name: String, value: String)] = [
                ("q", "{!bool must=$fastctl.blocks must_not=$fastctl.named cache=false}"), ("rows", "0"),
            ]
            let others = try await select(parameters, about: ids).found()
            // All documents of a block have the same version, so equal versions reveal a child that is itself among the
            // documents.
            guard others > 0 || Self.shareVersions(documents) else { continue }
            try await count(ids, keepsNamed: keepsNamed, &counts)
        }
        // An uncommitted document is returned with its children inside it.
        for document in documents where !keepsNamed && counts[document.id] == nil {
            let nested = Self.nestedCount(document.json)
            if nested > 0 { counts[document.id] = nested }
        }
        return counts
    }

    private static func shareVersions(_ documents: [StoredDocument]) -> Bool {
        let versions = documents.compactMap(\.version)
        return Set(versions).count < documents.count
    }

    /// Counts the children of each of `ids`, with one query for each ID, so it is called only if children exist.
    private func count(
        _ ids: [DocumentID],
        keepsNamed: Bool,
        _ counts: inout [DocumentID: Int]
    ) async throws(RequestFailure) {
        for start in stride(from: 0, to: ids.count, by: LookUp.maximumDocuments) {
            let ids = Array(ids[start..<min(start + LookUp.maximumDocuments, ids.count)])
            var parameters: [(name: String, value: String)] = [
                ("q", "{!bool must=$fastctl.blocks cache=false}"), ("rows", "0"), ("facet", "true"),
            ]
            if keepsNamed { parameters.append(("fq", "-_nest_path_:[* TO *]")) }
            for (index, id) in ids.enumerated() {
                parameters.append(("fastctl.id\(index)", id.text))
                let local = "f=_root_ v=$fastctl.id\(index) key=\(index) cache=false"
                parameters.append(("facet.query", "{!term \(local)}"))
            }
            let reply = try await select(parameters, about: ids)
            for answer in try reply.tree()["facet_counts"]["facet_queries"].members {
                guard let index = Int(answer.key), ids.indices.contains(index), let count = answer.value.int else {
                    throw RequestFailure.unreadable(reply.http, "it does not count the documents of each block")
                }
                // One of the documents counted is the root.
                if count > 1 { counts[ids[index]] = count - 1 }
            }
        }
    }

    /// Searches for the documents with `ids`, and for all documents in their blocks.
    private func select(
        _ parameters: [(name: String, value: String)],
        about ids: [DocumentID]
    ) async throws(RequestFailure) -> SolrClient.Reply {
        var form = FormBody(parameters)
        let key = SolrQuery.localParameter(uniqueKey)
        // IDs never contain a NUL.
        let terms = "separator=$fastctl.separator v=$fastctl.ids"
        for (name, value) in [
            ("defType", "lucene"), ("expandMacros", "false"), ("shards.tolerant", "false"),
            ("fastctl.separator", "\0"), ("fastctl.named", "{!terms f=\(key) \(terms)}"),
            ("fastctl.blocks", "{!terms f=_root_ \(terms)}"),
        ] {
            form.append(name, utf8: value.utf8.span)
        }
        var list: [UInt8] = []
        for id in ids {
            if !list.isEmpty { list.append(0) }
            let bytes = id.utf8
            for place in bytes.indices { list.append(bytes[place]) }
        }
        form.append("fastctl.ids", utf8: list.span)
        return try await client.ask(EnginePath(collection.rawValue, "select").with("wt", "json"), form)
    }

    /// Divides the distinct IDs into portions that each fit into a form.
    private static func portions(of ids: [DocumentID], maximumCount: Int) -> [[DocumentID]] {
        var portions: [[DocumentID]] = []
        var portion: [DocumentID] = []
        var seen: Set<DocumentID> = []
        var bytes = 0
        for id in ids where seen.insert(id).inserted {
            if portion.count == maximumCount || bytes > LookUp.maximumBytes {
                portions.append(portion)
                (portion, bytes) = ([], 0)
            }
            portion.append(id)
            bytes += id.byteCount + 1
        }
        return portion.isEmpty ? portions : portions + [portion]
    }

    /// Counts the objects nested in a document's members.
    static func nestedCount(_ json: [UInt8]) -> Int {
        // Nearly all documents have a single opening brace.
        guard json.count(where: { $0 == UInt8(ascii: "{") }) > 1, let document = try? JSONValue(json) else { return 0 }
        return document.members.reduce(0) { count, member in
            switch member.value {
            case .object: count + 1
            case .array(let elements): count + elements.count { if case .object = $0 { true } else { false } }
            default: count
            }
        }
    }
}

extension DocumentFailure {
    /// The failure of an operation on a document that is nested in another one.
    static let partOfAnother = DocumentFailure(
        .rejectedByEngine,
        """
        it is a child inside another document (its _root_ is not its ID), and Solr removes and changes only whole \
        documents: remove or replace the document that contains it
        """
    )

    /// Returns the failure of an update that would delete children.
    static func losesChildren(_ count: Int) -> DocumentFailure {
        DocumentFailure(
            .rejectedByEngine,
            """
            Solr would delete its \(count == 1 ? "child document" : "\(count) child documents") with an update, because \
            they have no _nest_path_: replace the whole document with Solr's own tools
            """
        )
    }
}

/// The fields of documents that Solr can't return, because they are neither stored nor in `docValues` that Solr
/// returns.
///
/// When a document is partially updated, Solr reindexes the rest of it from the fields that it can return, and a copy
/// contains only these fields. Targets of `copyField` are irrelevant, because they are filled from their sources again
/// (see ``DerivedFields``).
final class UnreturnedFields: Sendable {
    /// The purpose of reading a document.
    enum Purpose: Hashable {
        case update
        case backup
        case copy
    }

    private let solr: SolrInstance
    private let collection: CollectionName
    private let approved = Mutex<Set<Purpose>>([])

    init(in collection: CollectionName, of solr: SolrInstance) { (self.collection, self.solr) = (collection, solr) }

    /// Returns the reason why documents can't be read completely; `nil` if they can be.
    ///
    /// The answer is cached.
    func refusal(of purpose: Purpose) async throws(RequestFailure) -> EngineError? {
        if approved.withLock({ $0.contains(purpose) }) { return nil }
        guard let name = try await firstName(for: purpose) else {
            approved.withLock { _ = $0.insert(purpose) }
            return nil
        }
        let field = "the field '\(name)' of '\(collection)' is not stored, so "
        let advice = "store it in the schema and index the documents again, or "
        switch purpose {
        case .update:
            return EngineError(
                .unsupported,
                field + "Solr would erase it when it updates a document",
                advice: advice + "feed whole documents: fastctl add"
            )
        case .backup:
            return EngineError(
                .unsupported,
                field + "a backup would lack it",
                advice: advice + "run without a backup"
            )
        case .copy:
            return EngineError(
                .unsupported,
                field + "a copy would lack it, and pushing the copy would erase it",
                advice: advice + "change documents at the origin: fastctl update"
            )
        }
    }

    private func firstName(for purpose: Purpose) async throws(RequestFailure) -> String? {
        let schema = try await schema()
        if let schema, schema.isComplete { return nil }
        if purpose != .update {
            // Commit first, because a copy, unlike an update, also loses fields of uncommitted documents.
            do {
                try await solr.commit(collection, .soft)
            } catch {
                guard error.status == 403 else { throw error }
            }
        }
        var names = schema?.names ?? []
        for core in try await solr.leadingCores(of: collection) {
            let path = EnginePath(core, "admin", "luke").with("numTerms", "0")
            for field in try await solr.client.tree(path, isOfCore: true)["fields"].members {
                let isUnreturned = schema?.isUnreturned(field) ?? FieldRules.seemsUnreturned(field)
                if isUnreturned { names.insert(field.key) }
            }
        }
        for name in names.sorted() {
            let isLost = try await isUsed(name)
            if isLost { return name }
        }
        return nil
    }

    /// Returns the schema's rules; `nil` if we lack the permission to see them.
    private func schema() async throws(RequestFailure) -> FieldRules? {
        let (name, client) = (collection.rawValue, solr.client)
        do {
            return FieldRules(
                fields: try await client.tree(EnginePath(name, "schema", "fields").with("showDefaults", "true")),
                dynamic: try await client.tree(
                    EnginePath(name, "schema", "dynamicfields").with("showDefaults", "true")
                ),
                copies: try await client.tree(EnginePath(name, "schema", "copyfields"))
            )
        } catch {
            guard error.status == 403 else { throw error }
            return nil
        }
    }

    /// Returns whether any document visible to searches has the field.
    private func isUsed(_ name: String) async throws(RequestFailure) -> Bool {
        let form = FormBody([
            ("q", "\(SolrQuery.escaped(name)):[* TO *]"), ("defType", "lucene"), ("rows", "0"),
            ("shards.tolerant", "false"), ("expandMacros", "false"),
        ])
        let path = EnginePath(collection.rawValue, "select").with("wt", "json")
        return try await solr.client.ask(path, form).found() > 0
    }
}

/// The fields of a schema that Solr indexes, but does not return.
struct FieldRules: Hashable {
    /// The names of fields.
    private(set) var names: Set<String> = []
    /// The patterns of dynamic fields, such as `*_t`.
    private var patterns: Set<String> = []
    private let copies: CopyRules

    init(fields: JSONValue, dynamic: JSONValue, copies: JSONValue) {
        self.copies = CopyRules(copies)
        names = Set(Self.unreturned(fields["fields"]).filter { !self.copies.isTarget($0) })
        patterns = Set(Self.unreturned(dynamic["dynamicFields"]).filter { !self.copies.isTarget($0) })
    }

    /// Whether every field is returned.
    var isComplete: Bool { names.isEmpty && patterns.isEmpty }

    /// Returns whether a field of an index is not returned, according to `/admin/luke`.
    func isUnreturned(_ field: JSONValue.Member) -> Bool {
        guard let pattern = field.value["dynamicBase"].text else { return names.contains(field.key) }
        return patterns.contains(pattern) && !copies.isTarget(field.key)
    }

    /// Returns whether a field of an index is apparently not returned, judging without the schema.
    ///
    /// The field's flags begin with `I` for indexed, and contain `S` for stored and `D` for `docValues`.
    static func seemsUnreturned(_ field: JSONValue.Member) -> Bool {
        let flags = field.value["schema"].text ?? ""
        guard !ReplyDocuments.internalFields.contains(field.key) else { return false }
        return flags.utf8.first == UInt8(ascii: "I") && !flags.contains("S") && !flags.contains("D")
    }

    private static func unreturned(_ fields: JSONValue) -> [String] {
        fields.elements.compactMap { field in
            guard let name = field["name"].text, !ReplyDocuments.internalFields.contains(name) else { return nil }
            let hasValues = field["docValues"].bool == true
            let comesBack = field["stored"].bool == true || hasValues && field["useDocValuesAsStored"].bool != false
            return !comesBack && (hasValues || field["indexed"].bool == true) ? name : nil
        }
    }
}
