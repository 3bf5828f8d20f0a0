import ContentFeeding
import EngineHTTP
import JSONText

/// The capabilities of an index as the origin of copies.
///
/// Each shard numbers its changes: a document has the sequence number of its last change, which no other document in
/// the shard has. Changes up to the global checkpoint are in every replica that may handle a search.
extension OpenSearchCollection: VersionedEngine {
    func state() async throws(EngineError) -> CollectionState {
        try requireWholeDocuments()
        let path = path(to: "_stats").with("level", "shards").with(
            "filter_path",
            "_shards,indices.*.uuid,indices.*.shards.*.routing.primary,indices.*.shards.*.seq_no,"
                + "indices.*.shards.*.commit.user_data.history_uuid"
        )
        let answer = try await cluster.ask(EngineRequest(.get, path), about: collection)
        let indices = answer["indices"].members
        guard let index = indices.first, indices.count == 1, let uuid = index.value["uuid"].text else {
            if indices.isEmpty { try await requireStarted(ShardResult(answer["_shards"])) }
            throw EngineError(
                .unusable,
                "\(cluster.target) does not report the progress of the shards of '\(collection)'",
                advice: "copy one index, with credentials that may see its statistics (indices:monitor/stats)"
            )
        }
        let parts = index.value["shards"].members.compactMap { shard in Self.part(shard.key, shard.value.elements) }
        if !isEveryShard(parts) {
            try await cluster.requirePrimaries(ShardResult(answer["_shards"]), of: collection, "the statistics")
        }
        return CollectionState(identity: uuid, parts: parts.sorted { $0.name < $1.name })
    }

    /// Throws the reason why no shard has reported its statistics, unless all of them were asked successfully.
    private func requireStarted(_ shards: ShardResult?) async throws(EngineError) {
        guard let shards, !shards.isWhole else { return }
        try await cluster.requirePrimaries(shards, of: collection, "the statistics")
        throw EngineError(
            .unreachable,
            "no shard of '\(collection)' has reported its progress yet, because they have only just started",
            advice: "run the command again"
        )
    }

    /// Parses the statistics of one shard's primary; `nil` if the primary did not respond.
    private static func part(_ name: String, _ copies: [JSONValue]) -> CollectionPart? {
        guard let primary = copies.first(where: { $0["routing"]["primary"].bool == true }),
            let last = primary["seq_no"]["max_seq_no"].int,
            let safe = primary["seq_no"]["global_checkpoint"].int,
            let history = primary["commit"]["user_data"]["history_uuid"].text
        else { return nil }
        return CollectionPart(name: name, history: history, last: Int64(last), readable: Int64(min(safe, last)))
    }

    /// Returns whether these are all the shards of the index; `false` if their number is unknown.
    private func isEveryShard(_ parts: [CollectionPart]) -> Bool {
        let setting = binding.settings.first { $0.name == "index.number_of_shards" }
        return setting.flatMap { Int($0.value) } == parts.count
    }

    /// Throws an error if documents can't be read as they were written, or can't be found by their IDs.
    private func requireWholeDocuments() throws(EngineError) {
        try requireLookUp()
        guard let loss = rules.loss else { return }
        throw EngineError(.unsupported, "a copy of '\(collection)' would be incomplete: \(loss)")
    }

    func settle() async throws(EngineError) { try await cluster.refresh(collection) }

    func changes(
        of query: SearchQuery,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> ChangePage {
        guard place < part.readable else { return ChangePage(documents: [], place: place, isLast: true) }
        let conditions = try await conditions(for: query.fields)
        while true {
            let size = changePages.size
            let reply: SearchReply
            do throws(RequestFailure) {
                reply = try await page(of: query, conditions, in: part, from: place + 1, size: size)
            } catch {
                // The reply may have been too large.
                guard error.isReplyLost, size > PageSize.smallest else {
                    throw await cluster.error(error, about: collection)
                }
                changePages.shrink()
                continue
            }
            try await requireShard(reply, part)
            var documents: [VersionedDocument] = []
            for hit in reply.hits where hit.flaw == nil {
                guard let revision = hit.revision else { throw Self.withoutRevisions }
                documents.append(
                    VersionedDocument(
                        id: hit.document.id,
                        routing: hit.document.routing,
                        version: revision.version,
                        number: hit.document.version,
                        json: hit.document.json
                    )
                )
            }
            changePages.learn(reply.hits.count, bytes: reply.hits.reduce(0) { $0 + $1.document.json.count })
            var page = ChangePage(documents: documents, place: part.readable, isLast: true)
            page.unreadable = reply.hits.compactMap(\.unreadable)
            if let last = reply.hits.last?.revision, reply.hits.count >= size {
                (page.place, page.isLast) = (Int64(last.sequenceNumber), false)
            }
            return page
        }
    }

    private func page(
        of query: SearchQuery,
        _ conditions: [FieldMatch],
        in part: CollectionPart,
        from first: Int64,
        size: Int
    ) async throws(RequestFailure) -> SearchReply {
        let body = JSONWriter.object { writer in
            writer.member("size", size)
            writer.member("seq_no_primary_term", true)
            writer.member("track_total_hits", false)
            writer.array("sort") { writer in
                writer.object { writer in
                    writer.object("_seq_no") { writer in
                        writer.member("order", "asc")
                        // An index that never had a document does not have this field, so the search would fail instead
                        // of returning no documents.
                        writer.member("unmapped_type", "long")
                    }
                }
            }
            SearchBody(query, fields: conditions, asksForVectors: cluster.omitsVectors)
                .write(to: &writer, changedIn: first...part.readable)
        }
        let path = path(to: "_search").with("preference", "_shards:\(part.name)")
            .with("allow_partial_search_results", "false")
        let reply = try await cluster.reply(to: .reading(path, body))
        do throws(JSONError) {
            return try SearchReply(reply.body)
        } catch {
            throw RequestFailure.unreadable(reply, "it is not a page of a search: \(error)")
        }
    }

    /// Throws an error unless the requested shard responded completely, because the engine reports success even if no
    /// shard was searched.
    private func requireShard(_ reply: SearchReply, _ part: CollectionPart) async throws(EngineError) {
        guard !reply.isTimedOut else {
            throw EngineError(.unreachable, "the search of '\(collection)' timed out in the engine")
        }
        try await cluster.requireAll(reply.shards, of: collection, "the search")
        guard reply.shards?.total == 1 else {
            throw EngineError(
                .unreachable,
                "shard \(part.name) of '\(collection)' did not answer the search",
                advice: "see _cluster/health/\(collection)?level=shards, and run the command again"
            )
        }
        guard reply.hasHitWithoutSource else { return }
        throw EngineError(.unsupported, "'\(collection)': \(MultiGetReply.withoutSource)")
    }

    func count(of query: SearchQuery) async throws(EngineError) -> Int? {
        var writer = JSONWriter()
        let conditions = try await conditions(for: query.fields)
        writer.object { SearchBody(query, fields: conditions, asksForVectors: false).writeQuery(to: &$0) }
        let answer = try await cluster.ask(.reading(path(to: "_count"), writer.takeBytes()), about: collection)
        try await cluster.requireAll(ShardResult(answer["_shards"]), of: collection, "the count")
        return answer["count"].int
    }

    static let withoutRevisions = EngineError(
        .unsupported,
        "the engine does not report the revisions of documents, so no copy of them can be kept"
    )
}
