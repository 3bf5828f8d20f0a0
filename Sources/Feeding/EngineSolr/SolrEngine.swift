public import ContentFeeding
public import EngineHTTP
import JSONText

/// Apache Solr at its nodes: a standalone one with cores, or a SolrCloud with collections.
public struct SolrEngine: Sendable {
    /// How Solr is used.
    public struct Options: Hashable, Sendable {
        /// Looks documents up before they are removed, because Solr does not say whether one was there.
        ///
        /// It can't see what somebody else does between the look-up and the removal. Without it a removal is one
        /// request less for each batch, and its outcome is `gone`.
        public var checksMissing = true

        public init() {}
    }

    let solr: SolrInstance

    /// How long Solr may take to say that it is there.
    private static let openTimeout = Duration.seconds(10)
    /// How long Solr may take to merge a collection.
    static let optimizeTimeout = Duration.seconds(6 * 3_600)

    /// Makes sure that Solr is there and lets us in.
    ///
    /// Whoever may only read or feed collections may not ask Solr how it is run: then its collections can be used, and
    /// administration fails with `permission`.
    public static func open(
        at nodes: [NodeAddress],
        options: Options = Options(),
        connection: ConnectionOptions = ConnectionOptions()
    ) async throws(EngineError) -> any CollectionAdministration {
        // Jetty, as Solr brings it along, inflates no requests.
        var connection = connection
        connection.compressesRequests = false
        let client = SolrClient(connection: try await EngineConnection(to: nodes, options: connection))
        let target = nodes.map(\.description).joined(separator: ",")
        let facts = try await facts(of: client, at: target)
        return SolrEngine(
            solr: SolrInstance(
                client: client,
                mode: facts?.mode ?? .unknown,
                options: options,
                requestTimeout: connection.requestTimeout,
                target: target,
                knowsLeaders: facts?.knowsLeaders ?? false
            )
        )
    }

    /// What Solr says of itself; `nil` where we may not ask.
    private static func facts(of client: SolrClient, at target: String) async throws(EngineError) -> InstanceFacts? {
        let answer: JSONValue
        do {
            answer = try await client.tree(EnginePath("admin", "info", "system"), timeout: openTimeout)
        } catch {
            if error.refusal == 403 { return nil }
            // Somebody answers, but not as Solr would.
            if error.refusal == 404 || error.isUnreadable { throw notSolr(target) }
            throw error.error
        }
        guard let facts = InstanceFacts(answer) else { throw notSolr(target) }
        try facts.validate(at: target)
        return facts
    }

    private static func notSolr(_ target: String) -> EngineError {
        EngineError(
            .unusable,
            "\(target) answers, but is not Solr",
            advice: "Solr's address mostly ends in '/solr', as solr+http://host:8983/solr"
        )
    }

    public var target: String { solr.target }
}

extension SolrTrouble {
    fileprivate var isUnreadable: Bool {
        guard case .unreadable = trouble else { return false }
        return true
    }
}

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

extension SolrEngine {
    public func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        try name.validateForUse()
        guard await solr.presence(of: name) != .absent else { throw await solr.missing(name) }
        try await refuseManifoldAlias(name)
        let collection = SolrCollection(collection: name, solr: solr, uniqueKey: try await uniqueKey(of: name))
        // Where Solr does not tell who is there, a question does.
        if solr.mode == .unknown { _ = try await collection.exists(["0"]) }
        return collection
    }

    /// The field that holds the documents' IDs.
    private func uniqueKey(of name: CollectionName) async throws(EngineError) -> String {
        let answer: JSONValue
        do {
            answer = try await solr.client.tree(EnginePath(name.rawValue, "schema", "uniquekey"))
        } catch {
            // Who may feed need not be allowed to see the schema; a wrong guess is refused by Solr.
            guard error.refusal == 403 else { throw await solr.error(error, about: name) }
            return Self.usualUniqueKey
        }
        guard let key = answer["uniqueKey"].text, !key.isEmpty else {
            throw EngineError(
                .unusable,
                "the collection '\(name)' has no unique key, so its documents have no IDs",
                advice: "give its schema a uniqueKey"
            )
        }
        return key
    }

    private static let usualUniqueKey = "id"

    /// What is fed to an alias of several collections goes to the first of them, and is looked up in all.
    private func refuseManifoldAlias(_ name: CollectionName) async throws(EngineError) {
        guard let collections = try await targets(of: name), collections.count > 1 else { return }
        throw EngineError(
            .rejected,
            "'\(name)' stands for several collections: \(collections.joined(separator: ", "))",
            advice: "name one of them"
        )
    }

    /// What an alias stands for; `nil` for a collection.
    private func targets(of name: CollectionName) async throws(EngineError) -> [String]? {
        do {
            return try await solr.aliases()[name.rawValue]
        } catch {
            // Who may feed need not be allowed to see them, and what is no cluster has none: it answers 400.
            guard error.refusal == 403 || solr.mode == .unknown && error.refusal == 400 else { throw error.error }
            return nil
        }
    }
}

extension CollectionName {
    /// A name that can't be one is that of no collection.
    fileprivate func validateForUse() throws(EngineError) {
        do {
            try validate()
        } catch {
            throw EngineError(.missingCollection, "there is no collection '\(rawValue)'", advice: error.message)
        }
    }
}
