public import ContentFeeding
import EngineHTTP
import JSONText

extension SolrEngine: CollectionAdministration {
    public func list() async throws(EngineError) -> [CollectionDescription] {
        let names: [String]
        do {
            names = try await solr.collectionNames()
        } catch {
            throw error.error
        }
        var descriptions: [CollectionDescription] = []
        for name in names { descriptions.append(try await describe(CollectionName(name))) }
        return descriptions
    }

    public func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription {
        try await require(name)
        return try await describe(name)
    }

    public func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError) {
        try name.validate()
        guard await solr.presence(of: name) != .present else {
            throw EngineError(.collectionExists, "the collection '\(name)' is there already")
        }
        let creation = try CollectionCreation(name, settings, mode: solr.mode, configSets: try await configSets())
        do {
            _ = try await solr.client.send(creation.request)
        } catch {
            throw error.error
        }
    }

    public func clear(_ name: CollectionName) async throws(EngineError) -> Int {
        try await require(name)
        try await refuseManifoldAlias(name)
        let count = try await committedCount(of: name)
        let path = EnginePath(name.rawValue, "update").with("wt", "json").with("commit", "true")
        do {
            _ = try await solr.client.send(EngineRequest(.post, path, body: Array(#"{"delete":{"query":"*:*"}}"#.utf8)))
        } catch {
            throw await solr.error(error, about: name)
        }
        return count
    }

    public func delete(_ name: CollectionName) async throws(EngineError) -> Int {
        try await require(name)
        if let collections = try await targets(of: name) {
            throw EngineError(
                .rejected,
                "'\(name)' is no collection but an alias of \(collections.joined(separator: ", "))",
                advice: "name the collection that is to be deleted"
            )
        }
        // One that is broken has no count, and can be deleted all the same.
        let count = (try? await committedCount(of: name)) ?? 0
        var request = EngineRequest(.get, CollectionCreation.deletion(of: name, mode: solr.mode))
        request.isReading = false
        request.timeout = CollectionCreation.timeout
        do {
            _ = try await solr.client.send(request)
        } catch {
            throw await solr.error(error, about: name)
        }
        return count
    }

    public func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport {
        do {
            try await solr.commit(name, .hard)
            let before = try await solr.measure(name)
            progress(0, before.documents)
            try await solr.commit(name, .optimizing)
            let after = try await solr.measure(name)
            progress(after.documents, after.documents)
            return OptimizationReport(
                merged: max(0, before.waiting - after.waiting),
                bytesBefore: before.bytes,
                bytesAfter: after.bytes
            )
        } catch {
            throw await solr.error(error, about: name)
        }
    }

    private func describe(_ name: CollectionName) async throws(EngineError) -> CollectionDescription {
        do {
            return try await solr.measure(name).description(of: name)
        } catch {
            throw await solr.error(error, about: name)
        }
    }

    private func require(_ name: CollectionName) async throws(EngineError) {
        guard await solr.presence(of: name) != .absent else { throw await solr.missing(name) }
    }

    private func committedCount(of name: CollectionName) async throws(EngineError) -> Int {
        do {
            return try await solr.committedCount(name)
        } catch {
            throw await solr.error(error, about: name)
        }
    }

    private func configSets() async throws(EngineError) -> [String] {
        guard solr.mode == .cloud else { return [] }
        do {
            let answer = try await solr.client.tree(EnginePath("admin", "configs").with("action", "LIST"))
            return answer["configSets"].elements.compactMap(\.text)
        } catch {
            throw error.error
        }
    }
}
