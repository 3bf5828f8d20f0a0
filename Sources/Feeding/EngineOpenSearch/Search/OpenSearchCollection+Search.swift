import ContentFeeding
import EngineHTTP
import JSONText

extension OpenSearchCollection: SearchableEngine {
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        guard !ids.isEmpty else { return DocumentPage(documents: [], looked: 0) }
        try mustBeSingle()
        let found: [MultiGetReply.Entry]
        do throws(RequestTrouble) {
            found = try await read(ids, upTo: maximumBytes)
        } catch {
            throw await cluster.error(error, about: collection)
        }
        var documents: [StoredDocument] = []
        for (id, entry) in zip(ids, found) {
            switch entry {
            case .found(let document):
                documents.append(StoredDocument(id: id, version: document.version, json: document.json))
            case .absent: continue
            case .foundWithoutSource:
                throw EngineError(
                    .unsupported,
                    "'\(collection)': \(MultiGetReply.withoutSource)",
                    advice: "see _source in \(collection)/_mapping"
                )
            case .failed(let type, let reason): throw unreadable(id, type, reason)
            }
        }
        return DocumentPage(documents: documents, looked: found.count)
    }

    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        guard !ids.isEmpty else { return [] }
        try mustBeSingle()
        var answers: [MultiGetReply.Entry] = []
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
        for case (let id, .failed(let type, let reason)) in zip(ids, answers) { throw unreadable(id, type, reason) }
        return answers.map { $0 != .absent }
    }

    /// A shard that has the document does not answer; the next time it may.
    private func unreadable(_ id: DocumentID, _ type: String, _ reason: String) -> EngineError {
        EngineError(
            .unreachable,
            "'\(id)' in '\(collection)' could not be read: \(type): \(reason)",
            advice: "see _cluster/health/\(collection)?level=shards, and run the command again"
        )
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
