import ContentFeeding
import EngineHTTP
import JSONText

/// Documents inside documents, which Solr keeps beside each other, as a block with the root's ID in `_root_`.
///
/// Solr removes, replaces and changes whole blocks, by the ID of their root. When it is told to remove a child, it
/// reports success and keeps the child; its real-time get denies the child from then on, and searches still find it.
struct NestedDocuments: Sendable {
    private let client: SolrClient
    private let collection: CollectionName
    private let uniqueKey: String
    /// Whether the schema has `_nest_path_`, with which Solr keeps named children when their root is updated.
    private var keepsNamedChildren = false

    /// Rows beyond one for each ID: IDs of children need not be unique.
    private static let spareRows = 1_000

    /// Whether a collection has documents inside others.
    enum Answer: Sendable {
        /// It may have, and these know them.
        case possible(NestedDocuments)
        /// The schema has no `_root_`, so no document can be in another.
        case impossible
        /// We may see neither the schema nor documents.
        case unseen
    }

    /// Asks the schema, or who may not see it, a search.
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
            // Who may not see the schema may still search by it.
            guard error.status == 403 else { throw error }
            guard let isPossible = try await canSearchByRoot(solr.client, collection) else { return .unseen }
            return isPossible ? .possible(documents) : .impossible
        }
    }

    /// Whether documents can be searched by `_root_`; `nil` if we may not search.
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

    /// Finds the documents of `ids` that are inside others, as far as searches see them.
    ///
    /// One whose root is among `ids` is not found: whatever is done to the root is done to it.
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
            let reply = try await select(parameters, about: ids)
            do {
                let page = try ReplyDocuments(reply.body, uniqueKey: uniqueKey, wantsJSON: wantsJSON)
                try page.checkCount()
                for document in page.documents { parts[document.id] = document }
            } catch {
                throw RequestFailure.unreadable(reply.http, "it is not a list of documents from Solr: \(error)")
            }
        }
        return parts
    }

    /// Counts the children of `documents`, each read whole; without an entry, a document has none.
    ///
    /// With `losesNamed` false, children that Solr keeps in an update of their root don't count.
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
            // The documents of a block have the same version, so none of them is missed because it is itself named.
            guard others > 0 || Self.shareVersions(documents) else { continue }
            try await count(ids, keepsNamed: keepsNamed, &counts)
        }
        // A document that is not committed yet comes with its children in it.
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

    /// Counts the children of each of `ids`: one query for each, so only when there are some.
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
                // One of them is the root.
                if count > 1 { counts[ids[index]] = count - 1 }
            }
        }
    }

    /// Asks about `ids`: the documents of that name, and those in their blocks.
    private func select(
        _ parameters: [(name: String, value: String)],
        about ids: [DocumentID]
    ) async throws(RequestFailure) -> SolrClient.Reply {
        var form = FormBody(parameters)
        let key = SolrQuery.localParameter(uniqueKey)
        // No ID holds a NUL.
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

    /// Divides IDs, each of them once, so that a form holds them.
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

    /// Counts the objects in a document's members.
    static func nestedCount(_ json: [UInt8]) -> Int {
        // Nearly all documents have one brace.
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
    /// The failure of an operation on a document that is inside another.
    static let partOfAnother = DocumentFailure(
        .rejectedByEngine,
        """
        it is a child inside another document (its _root_ is not its ID), and Solr removes and changes only whole ones: \
        remove or replace the document that contains it
        """
    )

    /// The failure of an update that would delete children.
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
