import ContentFeeding
import EngineHTTP
import JSONText

/// A Solr that answered, and what all its collections have in common.
struct SolrInstance: Sendable {
    enum Mode: Hashable {
        /// A single Solr with cores.
        case standalone
        /// A SolrCloud with collections.
        case cloud
        /// A mode that Solr does not reveal: we may not read its settings.
        case unknown
    }

    enum Presence: Hashable {
        case present
        case absent
        /// A presence that Solr does not reveal.
        case unknown
    }

    /// A kind of commit.
    enum Commit: Hashable {
        /// A commit that makes applied operations visible to searches.
        case soft
        /// The same, also writing them into the index.
        case hard
        /// The same, also merging deleted documents away.
        case optimizing
    }

    let client: SolrClient
    let mode: Mode
    let options: SolrEngine.Options
    let requestTimeout: Duration
    /// The address, without secrets.
    let target: String
    /// Whether Solr can be told to ask the leaders.
    var knowsLeaders = false
    /// Whether a node answers for the cores that it has, and no others.
    var answersForOwnCores = false

    /// Asks Solr's administration whether the collection exists: a 404 can also come from something in between.
    func presence(of name: CollectionName) async -> Presence {
        do {
            switch mode {
            case .unknown: return .unknown
            case .standalone:
                return try await cores(named: name)[name.rawValue].members.isEmpty ? .absent : .present
            case .cloud:
                return try await collectionNames().contains(name.rawValue) ? .present : .absent
            }
        } catch {
            return .unknown
        }
    }

    /// Returns whether a 404 about a collection means that it does not exist.
    ///
    /// A Solr that never says which collections exist is believed; if it only has no answer now, the collection may
    /// exist.
    func isMissing(_ name: CollectionName) async -> Bool {
        switch await presence(of: name) {
        case .present: false
        case .absent: true
        case .unknown: mode == .unknown
        }
    }

    /// Returns all names that can be fed: collections and, in a cluster, aliases.
    func collectionNames() async throws(RequestFailure) -> [String] {
        guard mode == .cloud else { return try await cores().members.map(\.key).sorted() }
        let list = try await client.tree(EnginePath("admin", "collections").with("action", "LIST"))
        return list["collections"].elements.compactMap(\.text).sorted() + (try await aliases()).keys.sorted()
    }

    /// Returns the aliases of a cluster, or of what may be one, each with the collections that it stands for.
    func aliases() async throws(RequestFailure) -> [String: [String]] {
        guard mode != .standalone else { return [:] }
        let answer = try await client.tree(EnginePath("admin", "collections").with("action", "LISTALIASES"))
        return answer["aliases"].members.reduce(into: [:]) { aliases, alias in
            aliases[alias.key] = (alias.value.text ?? "").split(separator: ",").map { String($0) }
        }
    }

    /// Returns the status of a standalone Solr's cores.
    private func cores(named name: CollectionName? = nil) async throws(RequestFailure) -> JSONValue {
        var path = EnginePath("admin", "cores").with("action", "STATUS")
        if let name { path = path.with("core", name.rawValue) }
        return try await client.tree(path)["status"]
    }

    /// Returns the cores that hold the collection, each document once: in a cluster, the leaders of its shards.
    func leadingCores(of name: CollectionName) async throws(RequestFailure) -> [String] {
        guard mode == .cloud else { return [name.rawValue] }
        return Self.leadingCores(try await status(of: name))
    }

    /// Returns what a cluster says of the collection, or of the collections that an alias stands for.
    func status(of name: CollectionName) async throws(RequestFailure) -> JSONValue {
        let path = EnginePath("admin", "collections").with("action", "CLUSTERSTATUS").with("collection", name.rawValue)
        return try await client.tree(path)["cluster"]["collections"]
    }

    static func leadingCores(_ collections: JSONValue) -> [String] {
        var cores: [String] = []
        for collection in collections.members.map(\.value) {
            for shard in collection["shards"].members.map(\.value) where shard["state"].text == "active" {
                for replica in shard["replicas"].members.map(\.value) where replica["leader"].bool == true {
                    if let core = replica["core"].text { cores.append(core) }
                }
            }
        }
        return cores.sorted()
    }

    func commit(_ name: CollectionName, _ commit: Commit) async throws(RequestFailure) {
        var path = EnginePath(name.rawValue, "update").with("wt", "json").with("waitSearcher", "true")
            .with("openSearcher", "true")
        switch commit {
        case .soft: path = path.with("softCommit", "true")
        case .hard: path = path.with("commit", "true")
        case .optimizing: path = path.with("optimize", "true").with("maxSegments", "1")
        }
        var request = EngineRequest(.post, path, body: Array("{}".utf8))
        request.timeout = commit == .optimizing ? SolrEngine.optimizeTimeout : SolrCollection.commitTimeout
        _ = try await client.send(request)
    }

    /// Measures a collection at the leader of each shard.
    func measure(_ name: CollectionName) async throws(RequestFailure) -> CollectionMeasures {
        var measures = CollectionMeasures()
        for core in try await leadingCores(of: name) {
            measures.add(
                luke: try await client.tree(EnginePath(core, "admin", "luke").with("show", "index"), isOfCore: true),
                segments: try await client.tree(EnginePath(core, "admin", "segments"), isOfCore: true)
            )
        }
        return measures
    }

    /// Counts the documents, including those that searches don't see yet.
    ///
    /// A user who may only read can't make those visible, and gets the count that searches see: `isLive` is `false` then.
    func committedCount(_ name: CollectionName) async throws(RequestFailure) -> (count: Int, isLive: Bool) {
        var isLive = true
        do {
            try await commit(name, .soft)
        } catch {
            guard error.status == 403 else { throw error }
            isLive = false
        }
        return (try await count(name), isLive)
    }

    /// Counts the live documents that searches see.
    private func count(_ name: CollectionName) async throws(RequestFailure) -> Int {
        let reply = try await client.ask(
            EnginePath(name.rawValue, "select").with("wt", "json"),
            FormBody([("q", "*:*"), ("rows", "0"), ("defType", "lucene"), ("shards.tolerant", "false")])
        )
        return try reply.found()
    }

    /// Returns the error for a failure with a collection, outside of batches.
    func error(_ failure: RequestFailure, about name: CollectionName) async -> EngineError {
        guard failure.status == 404 else { return EngineError(failure) }
        if await isMissing(name) { return await missing(name) }
        guard mode == .cloud, answersForOwnCores else { return EngineError(failure) }
        return EngineError(
            .unusable,
            "no node at \(target) has each part of '\(name)', and since version 10 a node of Solr does not ask the others",
            advice: "name all nodes: --target solr+http://A:8983,B:8983/solr"
        )
    }

    /// Returns the error for a missing collection; the advice names the one that was probably meant.
    func missing(_ name: CollectionName) async -> EngineError {
        let names = (try? await collectionNames()) ?? []
        return EngineError(
            .missingCollection,
            "there is no collection '\(name)' at \(target)",
            advice: name.advice(among: names)
        )
    }
}

/// Solr's description of itself at `/admin/info/system`.
struct InstanceFacts: Hashable {
    var mode: SolrInstance.Mode
    /// The version, such as `9.10.1`.
    private var version: String

    /// The oldest supported major version of Solr.
    private static let oldestVersion = 8

    /// Reads the facts; `nil` for a reply that is not Solr's.
    init?(_ tree: JSONValue) {
        guard let version = tree["lucene"]["solr-spec-version"].text, tree["responseHeader"] != .null else {
            return nil
        }
        self.version = version
        switch tree["mode"].text {
        case "std": mode = .standalone
        case "solrcloud": mode = .cloud
        default: return nil
        }
    }

    /// Whether Solr knows the preference `replica.leader` (SOLR-15472); older versions refuse what they don't know.
    var knowsLeaders: Bool {
        let parts = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        guard parts.count == 2 else { return false }
        return (parts[0], parts[1]) >= (8, 10)
    }

    /// Whether a node answers only for cores of its own (SOLR-17568).
    var answersForOwnCores: Bool { major >= 10 }

    private var major: Int { version.split(separator: ".").first.flatMap { Int($0) } ?? 0 }

    /// Checks that Solr is new enough.
    func validate(at target: String) throws(EngineError) {
        guard major < Self.oldestVersion else { return }
        throw EngineError(
            .unusable,
            "\(target) is Solr \(version), which is too old",
            advice: "use Solr \(Self.oldestVersion) or newer"
        )
    }
}

/// The counts and the size of a collection, over all its shards.
struct CollectionMeasures: Hashable {
    /// Live documents that searches see.
    var documents = 0
    /// Deleted documents not yet merged away.
    var waiting = 0
    /// The size of the index's last commit, in bytes.
    var bytes = 0
    var shards = 0

    /// Adds a core, given its index from `/admin/luke` and its `/admin/segments`.
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
    /// Adds a server's count: hostile numbers are clamped to the largest, and negative ones count as 0.
    fileprivate func addingClamped(_ other: Int?) -> Int {
        let (sum, overflow) = addingReportingOverflow(Swift.max(0, other ?? 0))
        return overflow ? .max : sum
    }
}
