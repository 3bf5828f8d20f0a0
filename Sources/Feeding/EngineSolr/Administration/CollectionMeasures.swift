import ContentFeeding
import EngineHTTP
import JSONText

/// What a collection holds and weighs, over all its shards.
struct CollectionMeasures: Hashable {
    /// Live documents that searches see.
    var documents = 0
    /// Deleted documents that are not merged away.
    var waiting = 0
    /// The size of the index's last commit, in bytes.
    var bytes = 0
    var shards = 0

    /// Adds a core, by its index of `/admin/luke` and its `/admin/segments`.
    mutating func add(luke: JSONValue, segments: JSONValue) {
        shards += 1
        documents = documents.addingClamped(luke["index"]["numDocs"].int)
        waiting = waiting.addingClamped(luke["index"]["deletedDocs"].int)
        for segment in segments["segments"].members.map(\.value) {
            bytes = bytes.addingClamped(segment["sizeInBytes"].int)
        }
    }

    func description(of name: CollectionName) -> CollectionDescription {
        CollectionDescription(
            name: name,
            documents: documents,
            waiting: waiting,
            bytes: bytes,
            settings: [CollectionSetting(name: "numShards", value: String(shards))]
        )
    }
}

extension Int {
    /// The sum with a count that a server gives: hostile numbers end at the largest, and negative ones count nothing.
    fileprivate func addingClamped(_ other: Int?) -> Int {
        let (sum, overflow) = addingReportingOverflow(Swift.max(0, other ?? 0))
        return overflow ? .max : sum
    }
}

extension SolrInstance {
    /// Asks the leader of each shard.
    func measure(_ name: CollectionName) async throws(SolrTrouble) -> CollectionMeasures {
        var measures = CollectionMeasures()
        for core in try await leadingCores(of: name) {
            measures.add(
                luke: try await client.tree(EnginePath(core, "admin", "luke").with("show", "index")),
                segments: try await client.tree(EnginePath(core, "admin", "segments"))
            )
        }
        return measures
    }

    /// How many documents there are, those included that no search has seen yet.
    ///
    /// Who may only read may not make them visible, and is told of those that searches see.
    func committedCount(_ name: CollectionName) async throws(SolrTrouble) -> Int {
        do {
            try await commit(name, .soft)
        } catch {
            guard error.refusal == 403 else { throw error }
        }
        return try await count(name)
    }

    /// The live documents that searches see.
    private func count(_ name: CollectionName) async throws(SolrTrouble) -> Int {
        let reply = try await client.ask(
            EnginePath(name.rawValue, "select").with("wt", "json"),
            FormBody([("q", "*:*"), ("rows", "0"), ("defType", "lucene"), ("shards.tolerant", "false")])
        )
        guard let count = try reply.tree()["response"]["numFound"].int, count >= 0 else {
            throw SolrTrouble(.unreadable(reply.http, "Solr does not say how many documents there are"))
        }
        return count
    }
}
