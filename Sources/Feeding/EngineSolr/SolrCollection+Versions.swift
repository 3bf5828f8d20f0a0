import ContentFeeding
import EngineHTTP
import JSONText

/// The capabilities of a collection as the origin of copies.
///
/// A shard's leader gives each change a number, the document's `_version_`, which is based on the leader's clock: a
/// time in milliseconds multiplied by 2²⁰, but always greater than the previous number. A removal leaves no document
/// with such a number, so shards are compared by the fingerprint that Solr's replicas use to compare themselves: the
/// number of documents, and a hash over their versions.
///
/// Source: `VersionInfo`, `IndexFingerprint` and `RealTimeGetComponent` of Solr 9.
extension SolrCollection: VersionedEngine {
    /// A generous estimate of the time between the numbering of a change and its storage, as a difference of versions.
    private static let storing: Int64 = 60_000 << 20

    func state() async throws(EngineError) -> CollectionState {
        if let routerRefusal { throw routerRefusal }
        let leaders = try await leaders()
        var parts: [CollectionPart] = []
        var contents: [String] = []
        for (shard, core) in leaders.cores {
            let found = try await fingerprint(of: core)
            let last = found.documents == 0 ? CollectionPart.beginning : found.lastVersion
            let settled = max(CollectionPart.beginning, last - Self.storing)
            parts.append(CollectionPart(name: shard, history: "", last: last, readable: last, settled: settled))
            contents.append("\(shard)=\(found.documents):\(found.hash)")
        }
        return CollectionState(identity: leaders.identity, parts: parts, contents: contents.joined(separator: " "))
    }

    /// The cores that lead the shards of a collection.
    private struct Leaders {
        /// The identity that distinguishes the collection from others with the same name: its creation time, which Solr
        /// 9.10 reports for a cluster's collections; empty if Solr does not report the time.
        let identity: String
        let cores: [(shard: String, core: String)]
    }

    private func leaders() async throws(EngineError) -> Leaders {
        guard solr.mode != .standalone else {
            return Leaders(identity: "", cores: [(collection.rawValue, collection.rawValue)])
        }
        let status: JSONValue
        do {
            status = try await solr.status(of: collection)
        } catch {
            throw await solr.error(error, about: collection)
        }
        guard let found = status.members.first, status.members.count == 1 else {
            throw EngineError(.unusable, "\(solr.target) does not report the shards of '\(collection)'")
        }
        var cores: [(shard: String, core: String)] = []
        // Together, the active shards contain all documents: a shard that was split is inactive, and its parts are not
        // active until the split is complete.
        for shard in found.value["shards"].members where shard.value["state"].text == "active" {
            let leader = shard.value["replicas"].members.map(\.value).first { replica in
                replica["leader"].bool == true && replica["state"].text == "active"
            }
            guard let core = leader?["core"].text else {
                throw EngineError(
                    .unreachable,
                    "shard \(shard.key) of '\(collection)' has no leader, so its contents are unknown",
                    advice: "run the command again when all shards have a leader"
                )
            }
            cores.append((shard.key, core))
        }
        guard !cores.isEmpty else {
            throw EngineError(.unusable, "\(solr.target) lists no active shard of '\(collection)'")
        }
        let identity = found.value["creationTimeMillis"].int.map { "\(found.key) of \($0)" } ?? ""
        return Leaders(identity: identity, cores: cores.sorted { $0.shard < $1.shard })
    }

    /// A fingerprint of a core's documents, including uncommitted ones.
    private struct Fingerprint {
        let documents: Int
        let lastVersion: Int64
        let hash: Int
    }

    private func fingerprint(of core: String) async throws(EngineError) -> Fingerprint {
        let path = EnginePath(core, "get").with("getFingerprint", String(Int64.max)).with("distrib", "false")
            .with("omitHeader", "false")
        let answer: JSONValue
        do {
            answer = try await solr.client.tree(path, isOfCore: true)["fingerprint"]
        } catch {
            throw await solr.error(error, about: collection)
        }
        guard let documents = answer["numDocs"].int, let last = answer["maxVersionEncountered"].int,
            let hash = answer["versionsHash"].int, answer["numVersions"].int == documents
        else { throw withoutVersions }
        return Fingerprint(documents: documents, lastVersion: Int64(last), hash: hash)
    }

    func settle() async throws(EngineError) {
        try await requireReturnedFields(for: .copy)
        do {
            try await solr.commit(collection, .soft)
        } catch {
            throw await solr.error(error, about: collection)
        }
    }

    func changes(
        of query: SearchQuery,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> ChangePage {
        guard place < part.readable else { return ChangePage(documents: [], place: place, isLast: true) }
        // The leader is determined again for each page, because the current leader of a shard has all of its documents.
        guard let core = try await leaders().cores.first(where: { $0.shard == part.name })?.core else {
            throw EngineError(.unreachable, "shard \(part.name) of '\(collection)' is gone")
        }
        let size = changePages.size
        let search: SolrQuery
        let hits: [StoredDocument]
        do throws(RequestFailure) {
            let found = try await self.search(query, .written(place + 1...part.readable, size: size))
            guard let found else { return ChangePage(documents: [], place: part.readable, isLast: true) }
            search = found
            hits = try await firstHits(of: search, in: core, size: size)
        } catch {
            guard error.isReplyTooLarge, size > PageSize.smallest else {
                throw await solr.error(error, about: collection)
            }
            changePages.shrink()
            return try await changes(of: query, in: part, after: place)
        }
        try await refuseBlocks(hits)
        let fed: [StoredDocument]
        do {
            fed = try await derivedFields.leftOut(of: hits.filter { search.isMet(by: $0) })
        } catch {
            throw await solr.error(error, about: collection)
        }
        let documents = try versions(of: fed)
        guard let last = hits.last?.version, hits.count == size else {
            return ChangePage(documents: documents, place: part.readable, isLast: true)
        }
        return ChangePage(documents: documents, place: last, isLast: false)
    }

    private func firstHits(
        of search: SolrQuery,
        in core: String,
        size: Int
    ) async throws(RequestFailure) -> [StoredDocument] {
        let path = EnginePath(core, "select").with("wt", "json").with("distrib", "false")
        let reply = try await solr.client.ask(path, FormBody(search.parameters), isOfCore: true)
        do {
            let found = try ReplyDocuments(reply.body, uniqueKey: uniqueKey, wantsJSON: true)
            try found.checkFirstPage(of: size)
            changePages.learn(found.documents.count, bytes: reply.body.count)
            return found.documents
        } catch {
            throw RequestFailure.unreadable(reply.http, "it is not a page of documents from Solr: \(error)")
        }
    }

    /// Throws an error if documents are nested, because a copy would store them separately.
    private func refuseBlocks(_ hits: [StoredDocument]) async throws(EngineError) {
        guard let nested else { return }
        let ids: Set<DocumentID>
        do {
            let parts = try await nested.parts(among: hits.map(\.id))
            ids = Set(parts.keys).union(try await nested.children(of: hits, losesNamed: true).keys)
        } catch {
            throw await solr.error(error, about: collection)
        }
        guard let id = ids.min() else { return }
        throw EngineError(
            .unsupported,
            "'\(id)' in '\(collection)' has child documents or is one, which a copy can't contain",
            advice: "copy only documents without children, with --query"
        )
    }

    func count(of query: SearchQuery) async throws(EngineError) -> Int? {
        do throws(RequestFailure) {
            guard let search = try await search(query, .count) else { return 0 }
            guard !search.isApproximate else { return nil }
            let path = EnginePath(collection.rawValue, "select").with("wt", "json")
            return try await solr.client.ask(path, FormBody(search.parameters)).found()
        } catch {
            throw await solr.error(error, about: collection)
        }
    }

    func versions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionAnswer] {
        if let routerRefusal { throw routerRefusal }
        let found: [DocumentID: StoredDocument]
        do {
            found = try await find(keys.map(\.id), .documents)
        } catch {
            throw await solr.error(error, about: collection)
        }
        let versions = try versions(of: Array(found.values))
        let byID = Dictionary(versions.map { ($0.id, $0) }) { $1 }
        return keys.map { VersionAnswer(byID[$0.id]) }
    }

    private func versions(of documents: [StoredDocument]) throws(EngineError) -> [VersionedDocument] {
        try documents.map { document throws(EngineError) in
            guard let version = document.version else { throw withoutVersions }
            return VersionedDocument(
                id: document.id,
                version: DocumentVersion(rawValue: String(version)),
                json: document.json
            )
        }
    }

    private var withoutVersions: EngineError {
        EngineError(
            .unsupported,
            "Solr does not report the versions of the documents of '\(collection)', so no copy of them can be kept",
            advice: "add a field _version_ with docValues to its schema, and an update log to its configuration"
        )
    }
}
