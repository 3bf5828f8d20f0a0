import ContentFeeding
import EngineHTTP
import JSONText

/// The documents of an index that have certain IDs, found on all its shards.
struct RoutingLookup {
    let cluster: Cluster
    let watch: RoutingWatch

    /// The most IDs in one search.
    private static let pageSize = 1_000
    /// The room on a page for IDs that several documents have.
    private static let spare = 100

    /// Returns the routing of each document that has one of `ids`.
    ///
    /// It is `nil` for a document without a routing. An ID that no document has is not among the keys.
    ///
    /// Searches lag behind writes, so the engine is asked to refresh before a document that is expected is denied, and
    /// before several documents are said to have one ID.
    func routings(
        of ids: [DocumentID],
        isExpected: Bool = true
    ) async throws(RequestFailure) -> [DocumentID: [Routing?]] {
        guard !ids.isEmpty else { return [:] }
        let isFresh = try await watch.refreshOnce(in: cluster)
        var found = try await search(for: ids)
        let doubtful = ids.filter { id in
            guard let routings = found[id] else { return isExpected }
            return routings.count > 1
        }
        guard !isFresh, !doubtful.isEmpty else { return found }
        for id in doubtful { found[id] = nil }
        found.merge(try await freshRoutings(of: doubtful)) { _, new in new }
        return found
    }

    /// Returns the same, after a refresh in any case.
    func freshRoutings(of ids: [DocumentID]) async throws(RequestFailure) -> [DocumentID: [Routing?]] {
        guard !ids.isEmpty else { return [:] }
        try await watch.refresh(in: cluster)
        return try await search(for: ids)
    }

    private func search(for ids: [DocumentID]) async throws(RequestFailure) -> [DocumentID: [Routing?]] {
        var found: [DocumentID: [Routing?]] = [:]
        var rest = Array(Set(ids))[...]
        var size = Self.pageSize
        while !rest.isEmpty {
            let page = rest.prefix(size)
            let limit = page.count + Self.spare
            let hits = try await hits(for: page, limit: limit)
            if hits.count >= limit, page.count > 1 {
                // Many documents share IDs: fewer IDs leave more room for each.
                size = max(1, page.count / 2)
                continue
            }
            for hit in hits { found[hit.id, default: []].append(hit.routing) }
            rest = rest.dropFirst(page.count)
        }
        return found
    }

    private func hits(for ids: ArraySlice<DocumentID>, limit: Int) async throws(RequestFailure) -> [DocumentKey] {
        var path = EnginePath(watch.scope.searching.rawValue, "_search").with("size", "\(limit)")
        path = path.with("allow_partial_search_results", "false")
        path = path.with(
            "filter_path",
            "_shards.total,_shards.successful,timed_out,hits.hits._id,hits.hits._routing"
        )
        let reply: EngineReply
        do throws(RequestFailure) {
            reply = try await cluster.reply(to: .reading(path, Self.body(ids)))
        } catch {
            if error.status == 403 { watch.noteForbidden() }
            throw error
        }
        let answer = try reply.json()
        if let partial = answer.missingShards(in: reply) { throw partial }
        let asked = Set(ids)
        var hits: [DocumentKey] = []
        for hit in answer["hits"]["hits"].elements {
            guard let text = hit["_id"].text, let id = try? DocumentID(text), asked.contains(id) else {
                throw RequestFailure.unreadable(reply, "it names a document that was not asked for")
            }
            hits.append(DocumentKey(id, routing: hit["_routing"].text.flatMap { Routing($0) }))
        }
        return hits
    }

    private static func body(_ ids: ArraySlice<DocumentID>) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("_source", false)
            writer.member("track_total_hits", false)
            writer.object("query") { writer in
                writer.object("ids") { writer in
                    writer.array("values") { writer in for id in ids { writer.value(utf8: id.utf8) } }
                }
            }
        }
        return writer.takeBytes()
    }
}
