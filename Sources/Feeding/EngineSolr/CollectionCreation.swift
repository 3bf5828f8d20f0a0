import ContentFeeding
import EngineHTTP
import Spelling

/// A request to Solr for a new collection.
struct CollectionCreation {
    let path: EnginePath
    /// The config set, if nobody named one, and Solr doesn't say which it has.
    private let guessedConfigSet: String?
    private let name: CollectionName

    /// The time that Solr may take to create or delete a collection.
    static let timeout = Duration.seconds(180)
    /// Solr's own name for the config set that it ships with.
    private static let defaultConfigSet = "_default"
    private static let configSet = "configSet"

    /// Settings for each mode, by Solr's own names; a cluster's can't be set where there is none.
    private static let settings: [SolrInstance.Mode: Set<String>] = [
        .standalone: [configSet],
        .cloud: [
            configSet, "numShards", "replicationFactor", "nrtReplicas", "tlogReplicas", "pullReplicas", "router.name",
            "router.field", "shards", "createNodeSet", "perReplicaState",
        ],
    ]

    /// The longest value of a setting, in bytes.
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
        configSets: [String]
    ) throws(EngineError) {
        for setting in settings { try Self.validate(setting, mode) }
        try Self.refuseOtherRouters(name, settings)
        let configSet = settings.last { $0.name == Self.configSet }?.value ?? Self.only(of: configSets)
        if mode == .cloud, !configSets.contains(configSet) {
            throw EngineError(
                .rejected,
                "there is no config set '\(configSet)' to create the collection '\(name)' with",
                advice: "use one of: \(configSets.sorted().joined(separator: ", "))"
            )
        }
        var path = EnginePath("admin", mode == .cloud ? "collections" : "cores").with("action", "CREATE")
            .with("name", name.rawValue).with("wt", "json")
        path = path.with(mode == .cloud ? "collection.configName" : "configSet", configSet)
        if mode == .cloud {
            // Otherwise, Solr would answer before all replicas are ready, and refuse the first updates.
            path = path.with("waitForFinalState", "true")
            if !settings.contains(where: { ["numShards", "shards"].contains($0.name) }) {
                path = path.with("numShards", "1")
            }
        }
        for setting in settings where setting.name != Self.configSet { path = path.with(setting.name, setting.value) }
        self.path = path
        let isGuessed = mode != .cloud && !settings.contains { $0.name == Self.configSet }
        guessedConfigSet = isGuessed ? configSet : nil
        self.name = name
    }

    /// Returns the error for a request that failed, with advice if the config set is the likely reason.
    func error(_ failure: RequestFailure) -> EngineError {
        let error = EngineError(failure)
        guard let guessedConfigSet, let reason = failure.shownReason,
            ["configuration", "configset", "solrconfig"].contains(where: { reason.lowercased().contains($0) })
        else { return error }
        return EngineError(
            .rejected,
            "there is no config set '\(guessedConfigSet)' to create the collection '\(name)' with: \(reason)",
            advice: """
                name one that lies in this Solr's folder 'configsets': fastctl collections create \(name) --setting \
                configSet=NAME
                """
        )
    }

    /// Refuses a collection whose documents could not be found by their IDs.
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
            advice: "leave out router.name and router.field, or create the collection with Solr's own tools"
        )
    }

    /// Returns the path that deletes a collection with everything that belongs to it.
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
        configSets.count == 1 ? configSets[0] : defaultConfigSet
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
    /// Solr's rules: letters, digits, `.`, `_` and `-`, but no `-` at the beginning.
    ///
    /// A name becomes a file name, with what Solr appends for shards and replicas.
    private static let rules = CollectionNameRules("collection name for Solr", maximumByteCount: 200) { name in
        if name.hasPrefix("-") { return "begins with '-'" }
        // Dots alone are folders, and Solr's own pages are not a collection.
        if ["admin", ".", ".."].contains(name) { return "has another meaning in Solr's addresses" }
        let isPlain = CollectionName(name).isPlain
        return isPlain ? nil : "contains characters other than letters, digits, '-', '_' and '.'"
    }

    func validate() throws(EngineError) { try Self.rules.validate(self) }

    /// Returns advice for when the collection does not exist.
    func advice(among names: [String]) -> String? {
        if let nearest = rawValue.nearest(in: names) { return "did you mean '\(nearest)'?" }
        return Self.rules.flaw(of: self) == nil ? "fastctl collections create \(rawValue)" : nil
    }
}
