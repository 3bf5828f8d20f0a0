import ContentFeeding
import EngineHTTP
import JSONText

extension OpenSearchCollection: SearchableEngine {
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        guard !ids.isEmpty else { return DocumentPage(documents: [], looked: 0) }
        try mustBeSingle()
        let found: [RevisedDocument?]
        do throws(RequestTrouble) {
            found = try await read(ids, upTo: maximumBytes)
        } catch {
            throw await cluster.error(error, about: collection)
        }
        let documents = zip(ids, found).compactMap { id, document in
            document.map { StoredDocument(id: id, version: $0.version, json: $0.json) }
        }
        return DocumentPage(documents: documents, looked: found.count)
    }

    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        guard !ids.isEmpty else { return [] }
        try mustBeSingle()
        var answers: [Bool] = []
        var rest = ids[...]
        do throws(RequestTrouble) {
            while !rest.isEmpty {
                let slice = rest.prefix(Self.largestSlice)
                answers += try await presence(of: slice)
                rest = rest.dropFirst(slice.count)
            }
        } catch {
            throw await cluster.error(error, about: collection)
        }
        return answers
    }

    /// The live documents, also those that an index without refreshes of its own does not show yet.
    func count() async throws(EngineError) -> Int { try await cluster.liveCount(collection) }

    private func mustBeSingle() throws(EngineError) {
        guard !binding.isSingle else { return }
        throw EngineError(
            .unsupported,
            "'\(collection)' is an alias of several indices, which the engine can't read documents from by their IDs",
            advice: "name one of them: \(binding.indices.sorted().prefix(3).joined(separator: ", "))"
        )
    }
}

extension Cluster {
    /// The documents of a collection that searches see; those inside other documents don't count.
    func count(_ name: CollectionName) async throws(EngineError) -> Int {
        let answer = try await ask(EngineRequest(.get, EnginePath(name.rawValue, "_count")), about: name)
        guard let count = answer["count"].int, count >= 0 else {
            throw EngineError(.unusable, "\(target) answers a count of '\(name)' without a number")
        }
        if let failed = answer["_shards"]["failed"].int, failed > 0 {
            throw EngineError(
                .unreachable,
                "\(failed) shards of '\(name)' could not be counted",
                advice: "see _cluster/health/\(name)?level=shards"
            )
        }
        return count
    }
}
