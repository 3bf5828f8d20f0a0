package import ContentFeeding
package import EngineHTTP
import JSONText
import TextKit

/// Apache Solr: either a standalone server with cores, or a SolrCloud cluster with collections.
package struct SolrEngine: Sendable {
    /// Options for using Solr.
    package struct Options: Hashable, Sendable {
        /// Whether to look up documents before they are removed, because Solr does not report whether they existed.
        ///
        /// Changes by other clients between the look-up and the removal remain undetected. Without look-ups, removals
        /// need one request less for each batch, and their result is `gone`.
        package var checksMissing = true

        package init() {}
    }

    let solr: SolrInstance
    /// The version and the mode, if the user has permission to see them.
    private let facts: InstanceFacts?

    /// The time limit for Solr to identify itself.
    private static let openTimeout = Duration.seconds(10)
    /// The time limit for Solr to merge a collection.
    static let optimizeTimeout = Duration.seconds(6 * 3_600)

    package var target: String { solr.target }
    package var product: String? { facts.map { "Solr \($0.version)" } ?? "Solr" }
    /// The version, if the user has permission to see it.
    var version: String? { facts?.version }

    /// Checks that Solr responds and grants access.
    ///
    /// A user with permission only to read or feed collections can't request Solr's system information. Collections can
    /// then be used, but administration fails with `permission`.
    package static func open(
        at nodes: [NodeAddress],
        options: Options = Options(),
        connection: ConnectionOptions = ConnectionOptions(),
        remark: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(EngineError) -> any CollectionAdministration {
        // The Jetty server included in Solr does not decompress requests.
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
                answersForOwnCores: facts?.answersForOwnCores ?? false,
                remark: remark
            ),
            facts: facts
        )
    }

    /// Returns Solr's description of itself; `nil` if we lack the permission to request it.
    private static func facts(of client: SolrClient, at target: String) async throws(EngineError) -> InstanceFacts? {
        let answer: JSONValue
        do {
            answer = try await client.tree(EnginePath("admin", "info", "system"), timeout: openTimeout)
        } catch {
            if error.status == 403 { return nil }
            // A server responds, but it is not Solr.
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
            "\(target) responds, but is not Solr",
            advice: "Solr's address usually ends in '/solr', as in solr+http://host:8983/solr"
        )
    }
}

extension SolrEngine: CollectionAdministration {
    package func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        try name.validateForUse()
        guard await solr.presence(of: name) != .absent else { throw await solr.missing(name) }
        try await refuseAliasOfSeveral(name)
        let collection = try await bind(name, uniqueKey: try await uniqueKey(of: name))
        guard solr.mode == .unknown else { return collection }
        // If Solr does not list its collections, a look-up shows whether this one exists.
        do {
            _ = try await collection.exists(["0"])
        } catch {
            // A user without the permission to look up documents may still be able to feed; the first batch shows
            // whether the collection exists.
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

    package func list() async throws(EngineError) -> [CollectionDescription] {
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

    package func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription {
        try await require(name)
        return try await describe(name)
    }

    package func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError) {
        try name.validate()
        guard await solr.presence(of: name) != .present else {
            throw EngineError(
                .collectionExists,
                "the collection '\(name)' already exists",
                advice: "see its contents: fastctl collections show \(name)"
            )
        }
        let creation = try CollectionCreation(name, settings, mode: solr.mode, configSets: try await configSets())
        do {
            _ = try await solr.client.send(creation.request)
        } catch {
            throw creation.error(error)
        }
    }

    package func clear(_ name: CollectionName) async throws(EngineError) -> Int {
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

    package func delete(_ name: CollectionName) async throws(EngineError) -> Int? {
        try await require(name)
        if let collections = try await targets(of: name) {
            throw EngineError(
                .rejected,
                "'\(name)' is an alias of \(collections.joined(separator: ", ")), not a collection",
                advice: "specify the collection to delete"
            )
        }
        // A damaged collection has no count, but can still be deleted.
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

    package func optimize(
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

    func configSets() async throws(EngineError) -> [String] {
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
            // A user with permission to feed may lack the permission to see the schema; the name is then guessed, and
            // Solr refuses a wrong guess.
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

    /// Refuses an alias of several collections, because documents fed to it would be added to the first collection, but
    /// looked up in all of them.
    private func refuseAliasOfSeveral(_ name: CollectionName) async throws(EngineError) {
        guard let collections = try await targets(of: name), collections.count > 1 else { return }
        throw EngineError(
            .rejected,
            "'\(name)' is an alias of several collections: \(collections.joined(separator: ", "))",
            advice: "specify one of them"
        )
    }

    /// Returns the collections that an alias refers to; `nil` if the name is that of a collection.
    private func targets(of name: CollectionName) async throws(EngineError) -> [String]? {
        do {
            return try await solr.aliases()[name.rawValue]
        } catch {
            // A user with permission to feed may lack the permission to see aliases; outside a cluster, aliases don't
            // exist, and the response is 400.
            guard error.status == 403 || solr.mode == .unknown && error.status == 400 else { throw EngineError(error) }
            return nil
        }
    }
}

extension CollectionName {
    /// Checks the name, because no collection has an invalid name.
    fileprivate func validateForUse() throws(EngineError) {
        do {
            try validate()
        } catch {
            throw EngineError(.missingCollection, "there is no collection '\(rawValue)'", advice: error.message)
        }
    }
}

/// The aliases of a SolrCloud's collections, which are stored in a single ZooKeeper node, so each change is atomic.
extension SolrEngine: AliasAdministration {
    package func aliases() async throws(EngineError) -> [CollectionAlias] {
        do {
            return try await solr.aliases().sorted { $0.key < $1.key }.map { name, collections in
                CollectionAlias(name: CollectionName(name), collections: collections.map { CollectionName($0) })
            }
        } catch {
            throw EngineError(error)
        }
    }

    package func point(
        _ alias: CollectionName,
        to collection: CollectionName
    ) async throws(EngineError) -> [CollectionName] {
        try alias.validate()
        guard solr.mode != .standalone else {
            throw EngineError(.unsupported, "\(solr.target) is not SolrCloud, and only SolrCloud has aliases")
        }
        let answer: JSONValue
        let collections: [String]
        do {
            let path = EnginePath("admin", "collections")
            answer = try await solr.client.tree(path.with("action", "LISTALIASES"))
            let list = try await solr.client.tree(path.with("action", "LIST"))
            collections = list["collections"].elements.compactMap(\.text)
        } catch {
            throw EngineError(error)
        }
        guard collections.contains(collection.rawValue) else { throw await solr.missing(collection) }
        guard !collections.contains(alias.rawValue) else {
            throw EngineError(.collectionExists, "'\(alias)' is a collection, so it can't be an alias")
        }
        guard answer["properties"][alias.rawValue].members.isEmpty else {
            throw EngineError(
                .rejected,
                "'\(alias)' has its own properties, such as a rule that routes documents, which would be lost",
                advice: "change it with Solr's own tools: CREATEALIAS"
            )
        }
        var request = EngineRequest(
            .get,
            EnginePath("admin", "collections").with("action", "CREATEALIAS").with("name", alias.rawValue)
                .with("collections", collection.rawValue).with("wt", "json")
        )
        request.isReading = false
        request.timeout = CollectionCreation.timeout
        do {
            _ = try await solr.client.send(request)
        } catch {
            throw EngineError(error)
        }
        return (answer["aliases"][alias.rawValue].text ?? "").split(separator: ",").map { CollectionName(String($0)) }
    }
}

/// A request to Solr for a new collection.
struct CollectionCreation {
    let path: EnginePath
    /// The config set of the collection.
    let configSet: String
    /// The config set to assume if none was named and Solr does not list its config sets.
    private let guessedConfigSet: String?
    private let name: CollectionName

    /// The time limit for Solr to create or delete a collection.
    static let timeout = Duration.seconds(180)
    /// The name of the config set that is included in Solr.
    static let defaultConfigSet = "_default"
    /// The setting that names the config set.
    static let configSet = "configSet"
    /// The end of the name of a config set that belongs to one collection; Solr deletes it with the collection.
    static let generatedSuffix = ".AUTOCREATED"

    /// The settings available in each mode, under Solr's own names; some exist only in a cluster.
    private static let settings: [SolrInstance.Mode: Set<String>] = [
        .standalone: [configSet],
        .cloud: [
            configSet, "numShards", "replicationFactor", "nrtReplicas", "tlogReplicas", "pullReplicas", "router.name",
            "router.field", "shards", "createNodeSet", "perReplicaState",
        ],
    ]

    /// The maximum length of a setting's value, in bytes.
    private static let maximumValueByteCount = 1_000

    var request: EngineRequest {
        var request = EngineRequest(.get, path)
        request.isReading = false
        request.timeout = Self.timeout
        return request
    }

    init(
        _ name: CollectionName,
        _ settings: [CollectionSetting],
        mode: SolrInstance.Mode,
        configSets: [String],
        copiesDefault: Bool = false
    ) throws(EngineError) {
        for setting in settings { try Self.validate(setting, mode) }
        try Self.refuseOtherRouters(name, settings)
        let configSet = settings.last { $0.name == Self.configSet }?.value ?? Self.only(of: configSets)
        if mode == .cloud, !configSets.contains(configSet) {
            throw EngineError(
                .rejected,
                "there is no config set '\(configSet)' for the new collection '\(name)'",
                advice: "use one of: \(configSets.sorted().joined(separator: ", "))"
            )
        }
        var path = EnginePath("admin", mode == .cloud ? "collections" : "cores").with("action", "CREATE")
            .with("name", name.rawValue).with("wt", "json")
        // A SolrCloud in which no config set is named copies the default one for the collection.
        if !copiesDefault { path = path.with(mode == .cloud ? "collection.configName" : "configSet", configSet) }
        if mode == .cloud {
            // Otherwise, Solr would respond before all replicas are ready, and refuse the first updates.
            path = path.with("waitForFinalState", "true")
            if !settings.contains(where: { ["numShards", "shards"].contains($0.name) }) {
                path = path.with("numShards", "1")
            }
        }
        for setting in settings where setting.name != Self.configSet { path = path.with(setting.name, setting.value) }
        self.path = path
        self.configSet = configSet
        let isGuessed = mode != .cloud && !settings.contains { $0.name == Self.configSet }
        guessedConfigSet = isGuessed ? configSet : nil
        self.name = name
    }

    /// Returns the error for a request that failed, with advice if the config set is the likely cause.
    func error(_ failure: RequestFailure) -> EngineError {
        let error = EngineError(failure)
        guard let guessedConfigSet, let reason = failure.shownReason,
            ["configuration", "configset", "solrconfig"].contains(where: { reason.lowercased().contains($0) })
        else { return error }
        return EngineError(
            .rejected,
            "there is no config set '\(guessedConfigSet)' for the new collection '\(name)': \(reason)",
            advice: """
                specify one from the folder 'configsets' of this Solr: fastctl collections create \(name) --setting \
                configSet=NAME
                """
        )
    }

    /// Refuses a router that would make it impossible to find documents by their IDs.
    private static func refuseOtherRouters(
        _ collection: CollectionName,
        _ settings: [CollectionSetting]
    ) throws(EngineError) {
        let router = CollectionRouter(
            name: settings.last { $0.name == "router.name" }?.value ?? CollectionRouter.compositeID,
            field: settings.last { $0.name == "router.field" }?.value
        )
        guard let refusal = router.refusal(of: collection, uniqueKey: nil) else { return }
        throw EngineError(
            .unsupported,
            refusal.message,
            advice: "omit router.name and router.field, or create the collection with Solr's own tools"
        )
    }

    /// Returns the path that deletes a collection, including its files.
    static func deletion(of name: CollectionName, mode: SolrInstance.Mode) -> EnginePath {
        if mode == .cloud {
            return EnginePath("admin", "collections").with("action", "DELETE").with("name", name.rawValue)
                .with("wt", "json")
        }
        return EnginePath("admin", "cores").with("action", "UNLOAD").with("core", name.rawValue)
            .with("deleteInstanceDir", "true").with("deleteDataDir", "true").with("deleteIndex", "true")
            .with("wt", "json")
    }

    private static func only(of configSets: [String]) -> String {
        let shared = configSets.filter { !$0.hasSuffix(generatedSuffix) }
        return shared.count == 1 ? shared[0] : defaultConfigSet
    }

    private static func validate(_ setting: CollectionSetting, _ mode: SolrInstance.Mode) throws(EngineError) {
        let known = settings[mode] ?? settings[.cloud] ?? []
        guard known.contains(setting.name) else {
            let nearest = setting.name.nearest(in: known).map { "did you mean '\($0)'?" }
            throw EngineError(
                .rejected,
                "collections of this Solr have no setting '\(setting.name)'",
                advice: nearest ?? "use one of: \(known.sorted().joined(separator: ", "))"
            )
        }
        let value = setting.value.utf8
        guard !value.isEmpty, value.count <= maximumValueByteCount, value.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw EngineError(.rejected, "'\(setting.value)' is not a valid value for the setting '\(setting.name)'")
        }
    }
}

extension CollectionName {
    /// Solr's rules for names: letters, digits, `.`, `_` and `-`, but no `-` at the beginning.
    ///
    /// The name becomes part of file names, and Solr appends suffixes for shards and replicas to it.
    private static let rules = CollectionNameRules("collection name for Solr", maximumByteCount: 200) { name in
        if name.hasPrefix("-") { return "begins with '-'" }
        // The names `.` and `..` are folders, and `admin` is reserved for Solr's own pages.
        if ["admin", ".", ".."].contains(name) { return "is reserved in Solr's addresses" }
        let isPlain = CollectionName(name).isPlain
        return isPlain ? nil : "contains characters other than letters, digits, '-', '_' and '.'"
    }

    func validate() throws(EngineError) { try Self.rules.validate(self) }

    /// Returns advice for the case that the collection does not exist.
    func advice(among names: [String]) -> String? {
        if let nearest = rawValue.nearest(in: names) { return "did you mean '\(nearest)'?" }
        return Self.rules.flaw(of: self) == nil ? "create it with: fastctl collections create \(rawValue)" : nil
    }
}
