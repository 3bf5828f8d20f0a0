public import ContentFeeding
public import EngineHTTP
import JSONText

/// Apache Solr: a standalone one with cores, or a SolrCloud with collections.
public struct SolrEngine: Sendable {
    /// Options for using Solr.
    public struct Options: Hashable, Sendable {
        /// Whether to look documents up before they are removed, because Solr does not say whether they existed.
        ///
        /// A look-up can't see what somebody else does between it and the removal. Without one, removals need one
        /// request less for each batch, and their outcome is `gone`.
        public var checksMissing = true

        public init() {}
    }

    let solr: SolrInstance

    /// The time that Solr may take to identify itself.
    private static let openTimeout = Duration.seconds(10)
    /// The time that Solr may take to merge a collection.
    static let optimizeTimeout = Duration.seconds(6 * 3_600)

    public var target: String { solr.target }

    /// Checks that Solr answers and lets us in.
    ///
    /// A user who may only read or feed collections may not ask Solr how it is run: then its collections can be used,
    /// and administration fails with `permission`.
    public static func open(
        at nodes: [NodeAddress],
        options: Options = Options(),
        connection: ConnectionOptions = ConnectionOptions()
    ) async throws(EngineError) -> any CollectionAdministration {
        // The Jetty that Solr ships with does not inflate requests.
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
                knowsLeaders: facts?.knowsLeaders ?? false,
                answersForOwnCores: facts?.answersForOwnCores ?? false
            )
        )
    }

    /// Returns Solr's description of itself; `nil` if we may not ask.
    private static func facts(of client: SolrClient, at target: String) async throws(EngineError) -> InstanceFacts? {
        let answer: JSONValue
        do {
            answer = try await client.tree(EnginePath("admin", "info", "system"), timeout: openTimeout)
        } catch {
            if error.status == 403 { return nil }
            // Somebody answers, but not as Solr would.
            if error.status == 404 { throw notSolr(target) }
            if case .unreadable = error { throw notSolr(target) }
            throw EngineError(error)
        }
        guard let facts = InstanceFacts(answer) else { throw notSolr(target) }
        try facts.validate(at: target)
        return facts
    }

    private static func notSolr(_ target: String) -> EngineError {
        EngineError(
            .unusable,
            "\(target) answers, but is not Solr",
            advice: "Solr's address usually ends in '/solr', as in solr+http://host:8983/solr"
        )
    }
}

extension SolrEngine: CollectionAdministration {
    public func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        try name.validateForUse()
        guard await solr.presence(of: name) != .absent else { throw await solr.missing(name) }
        try await refuseAliasOfSeveral(name)
        let collection = try await bind(name, uniqueKey: try await uniqueKey(of: name))
        guard solr.mode == .unknown else { return collection }
        // If Solr does not say which collections exist, a look-up shows it.
        do {
            _ = try await collection.exists(["0"])
        } catch {
            // Who may not look up may still feed, and learns by the first batch whether the collection exists.
            guard error.code == .permission else { throw error }
        }
        return collection
    }

    private func bind(_ name: CollectionName, uniqueKey: String) async throws(EngineError) -> SolrCollection {
        do {
            return SolrCollection(
                collection: name,
                solr: solr,
                uniqueKey: uniqueKey,
                router: try await solr.router(of: name),
                nested: try await NestedDocuments.answer(in: name, of: solr, uniqueKey: uniqueKey)
            )
        } catch {
            throw await solr.error(error, about: name)
        }
    }

    public func list() async throws(EngineError) -> [CollectionDescription] {
        let names: [String]
        do {
            names = try await solr.collectionNames()
        } catch {
            throw EngineError(error)
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
            throw EngineError(.collectionExists, "the collection '\(name)' already exists")
        }
        let creation = try CollectionCreation(name, settings, mode: solr.mode, configSets: try await configSets())
        do {
            _ = try await solr.client.send(creation.request)
        } catch {
            throw creation.error(error)
        }
    }

    public func clear(_ name: CollectionName) async throws(EngineError) -> Int {
        try await require(name)
        try await refuseAliasOfSeveral(name)
        let count = try await committedCount(of: name)
        let path = EnginePath(name.rawValue, "update").with("wt", "json").with("commit", "true")
        do {
            _ = try await solr.client.send(EngineRequest(.post, path, body: Array(#"{"delete":{"query":"*:*"}}"#.utf8)))
        } catch {
            throw await solr.error(error, about: name)
        }
        return count
    }

    public func delete(_ name: CollectionName) async throws(EngineError) -> Int? {
        try await require(name)
        if let collections = try await targets(of: name) {
            throw EngineError(
                .rejected,
                "'\(name)' is an alias of \(collections.joined(separator: ", ")), not a collection",
                advice: "name the collection to delete"
            )
        }
        // A broken collection has no count, but can be deleted all the same.
        let count = try? await committedCount(of: name)
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
            return try await solr.committedCount(name).count
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
            throw EngineError(error)
        }
    }

    /// Returns the name of the field that holds the documents' IDs.
    private func uniqueKey(of name: CollectionName) async throws(EngineError) -> String {
        let answer: JSONValue
        do {
            answer = try await solr.client.tree(EnginePath(name.rawValue, "schema", "uniquekey"))
        } catch {
            // A user who may feed may not be allowed to see the schema; Solr refuses a wrong guess.
            guard error.status == 403 else { throw await solr.error(error, about: name) }
            return Self.usualUniqueKey
        }
        guard let key = answer["uniqueKey"].text, !key.isEmpty else {
            throw EngineError(
                .unusable,
                "the collection '\(name)' has no unique key, so its documents have no IDs",
                advice: "define a uniqueKey in its schema"
            )
        }
        return key
    }

    private static let usualUniqueKey = "id"

    /// Refuses an alias of several collections: documents fed to it go to the first of them, and are looked up in all.
    private func refuseAliasOfSeveral(_ name: CollectionName) async throws(EngineError) {
        guard let collections = try await targets(of: name), collections.count > 1 else { return }
        throw EngineError(
            .rejected,
            "'\(name)' is an alias of several collections: \(collections.joined(separator: ", "))",
            advice: "name one of them"
        )
    }

    /// Returns what an alias stands for; `nil` for a collection.
    private func targets(of name: CollectionName) async throws(EngineError) -> [String]? {
        do {
            return try await solr.aliases()[name.rawValue]
        } catch {
            // A user who may feed may not be allowed to see aliases; outside a cluster there are none, and the answer
            // is 400.
            guard error.status == 403 || solr.mode == .unknown && error.status == 400 else { throw EngineError(error) }
            return nil
        }
    }
}

extension CollectionName {
    /// Checks the name; no collection has an invalid one.
    fileprivate func validateForUse() throws(EngineError) {
        do {
            try validate()
        } catch {
            throw EngineError(.missingCollection, "there is no collection '\(rawValue)'", advice: error.message)
        }
    }
}
