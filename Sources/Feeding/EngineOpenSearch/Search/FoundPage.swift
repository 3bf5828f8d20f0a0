import ContentFeeding
import EngineHTTP
import JSONText

/// One page of a search.
struct FoundPage {
    let collection: OpenSearchCollection
    let query: SearchQuery

    private var cluster: Cluster { collection.cluster }

    /// The page at a place.
    func at(_ place: SearchPlace) async throws(EngineError) -> SearchPage {
        switch place {
        case .pointInTime(let id, let after, let size):
            try await inPointInTime(id, after: after, size: query.includesDocuments ? size : PageSize.range.upperBound)
        case .scroll(let id): try await scroll(on: id)
        }
    }

    /// The page behind `after` in a point in time.
    ///
    /// Where documents of several shards can share a place, a full page may end between two of them: those that share
    /// its last place are left to the next page.
    private func inPointInTime(_ id: String, after: [UInt8]?, size: Int) async throws(EngineError) -> SearchPage {
        let conditions = try await collection.conditions(for: query.fields)
        var asked = size
        var hasShrunk = false
        while true {
            let reply: SearchReply
            do throws(RequestTrouble) {
                let body = body(conditions, pointInTime: id, after: after, size: asked)
                reply = try await self.reply(to: .reading(EnginePath("_search"), body))
            } catch {
                // It may have been more than a reply may weigh.
                guard error.isReplyLost, asked > PageSize.smallest else { throw await failure(error) }
                asked = PageSize.smallest
                hasShrunk = true
                continue
            }
            let name = reply.pointInTime ?? id
            guard reply.hits.count >= asked else {
                await cluster.closePointInTime(name)
                return SearchPage(documents: reply.hits.map(\.document), next: nil)
            }
            guard let last = reply.hits.last?.place else { throw Self.withoutPlaces }
            let hits = last.shared == nil ? reply.hits : reply.hits.filter { $0.place?.shared != last.shared }
            let documents = hits.map(\.document)
            if documents.isEmpty {
                guard asked < PageSize.largest else { throw Self.withoutPlaces }
                // A larger page has just failed: to ask for one again would never end.
                guard !hasShrunk else { throw tooLarge(asked) }
                asked = min(asked * 8, PageSize.largest)
                continue
            }
            let bytes = documents.reduce(0) { $0 + $1.json.count }
            let following = PageSize.next(after: documents.count, bytes: bytes, size: asked)
            let before = last.shared.map { Array("[\($0 - 1)]".utf8) }
            let next = SearchPlace.pointInTime(id: name, after: before ?? last.json, size: following)
            return SearchPage(documents: documents, next: next.cursor)
        }
    }

    private func failure(_ trouble: RequestTrouble) async -> EngineError {
        guard trouble.status == 404, trouble.complaint?.kind == .other else {
            return await cluster.error(trouble, about: collection.collection)
        }
        return EngineError(
            .rejected,
            "the search of '\(collection.collection)' is no longer open: more than "
                + "\(OpenSearchCollection.keepAlive) passed between two pages, or a node was lost",
            advice: "run the command again"
        )
    }

    /// More documents share a place than a page of so many has room for, and a larger page does not come.
    private func tooLarge(_ size: Int) -> EngineError {
        EngineError(
            .unusable,
            "the search of '\(collection.collection)' can't go on: a page of \(size) documents is too small for all "
                + "its shards, and the reply with a larger one was lost or larger than allowed",
            advice: "find only IDs with --ids, or ask for less"
        )
    }

    /// The first page of a scroll, or the next.
    ///
    /// A page that is lost can't be asked for again: the engine has moved on, so nobody asks.
    func scroll(on id: String?) async throws(EngineError) -> SearchPage {
        let request: EngineRequest
        if let id {
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("scroll", OpenSearchCollection.keepAlive)
                writer.member("scroll_id", id)
            }
            request = EngineRequest(.post, EnginePath("_search", "scroll"), body: writer.takeBytes())
        } else {
            let size = query.includesDocuments ? PageSize.first : PageSize.range.upperBound
            let conditions = try await collection.conditions(for: query.fields)
            let path = collection.path(to: "_search").with("scroll", OpenSearchCollection.keepAlive)
            request = EngineRequest(.post, path, body: body(conditions, pointInTime: nil, after: nil, size: size))
        }
        let reply: SearchReply
        do throws(RequestTrouble) {
            reply = try await self.reply(to: request)
        } catch {
            throw await failure(error)
        }
        let documents = reply.hits.map(\.document)
        guard let next = reply.scrollID, !documents.isEmpty else {
            if let id = reply.scrollID ?? id { await cluster.closeScroll(id) }
            return SearchPage(documents: documents, next: nil)
        }
        return SearchPage(documents: documents, next: SearchPlace.scroll(id: next).cursor)
    }

    private func reply(to request: EngineRequest) async throws(RequestTrouble) -> SearchReply {
        let reply = try await cluster.reply(to: request)
        let found: SearchReply
        do throws(JSONError) {
            found = try SearchReply(reply.body)
        } catch {
            throw RequestTrouble(.unreadable(reply, "an answer that is no page of a search: \(error)"))
        }
        // A page without some shards' documents would look like all of them.
        guard found.failedShards == 0, !found.isTimedOut else {
            if let id = found.scrollID { await cluster.closeScroll(id) }
            throw RequestTrouble(.unreadable(reply, "\(found.failedShards) shards did not answer the search"))
        }
        return found
    }

    private func body(_ fields: [FieldCondition], pointInTime: String?, after: [UInt8]?, size: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("size", size)
            writer.array("sort") { writer in writer.object { $0.member("_doc", "asc") } }
            if let pointInTime {
                writer.object("pit") { writer in
                    writer.member("id", pointInTime)
                    writer.member("keep_alive", OpenSearchCollection.keepAlive)
                }
                // Nobody asks how many there are; in a scroll the engine counts all the same.
                writer.member("track_total_hits", false)
                if let after { writer.member("search_after", raw: after) }
            }
            SearchBody(query, fields: fields, asksForVectors: cluster.omitsVectors).write(to: &writer)
        }
        return writer.takeBytes()
    }

    private static let withoutPlaces = EngineError(
        .unsupported,
        "the engine does not tell the places of documents, so a search can't be read page by page"
    )
}
