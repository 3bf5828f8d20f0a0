import ContentFeeding
import EngineHTTP
import JSONText
import TextKit

/// A Solr server that has responded, and the facts common to all its collections.
struct SolrInstance: Sendable {
    enum Mode: Hashable {
        /// A standalone Solr server with cores.
        case standalone
        /// A SolrCloud cluster with collections.
        case cloud
        /// An unknown mode, because we lack the permission to read Solr's settings.
        case unknown
    }

    enum Presence: Hashable {
        case present
        case absent
        /// An unknown answer, because Solr does not reveal whether the collection exists.
        case unknown
    }

    /// A kind of commit.
    enum Commit: Hashable {
        /// A commit that makes applied operations visible to searches.
        case soft
        /// A soft commit that also writes the operations to the index.
        case hard
        /// A hard commit that also removes deleted documents by merging.
        case optimizing
    }

    let client: SolrClient
    let mode: Mode
    let options: SolrEngine.Options
    let requestTimeout: Duration
    /// The address, without secrets.
    let target: String
    /// Whether Solr supports sending requests to the leaders.
    var knowsLeaders = false
    /// Whether a node handles requests only for its own cores.
    var answersForOwnCores = false
    /// The receiver of remarks for the user about documents that are read.
    var remark: @Sendable (String) -> Void = { _ in }

    /// Determines from Solr's administration API whether the collection exists, because a 404 can also come from a
    /// proxy.
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
    /// A 404 is trusted if Solr never lists its collections; if the list is only temporarily unavailable, the
    /// collection may exist.
    func isMissing(_ name: CollectionName) async -> Bool {
        switch await presence(of: name) {
        case .present: false
        case .absent: true
        case .unknown: mode == .unknown
        }
    }

    /// Returns the names of all collections that can be fed and, in a cluster, of all aliases.
    func collectionNames() async throws(RequestFailure) -> [String] {
        guard mode == .cloud else { return try await cores().members.map(\.key).sorted() }
        let list = try await client.tree(EnginePath("admin", "collections").with("action", "LIST"))
        return list["collections"].elements.compactMap(\.text).sorted() + (try await aliases()).keys.sorted()
    }

    /// Returns the aliases of a cluster, or of a possible cluster, each with the collections that it refers to.
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

    /// Returns the cores that together contain each document of the collection exactly once: in a cluster, these are
    /// the leaders of its shards.
    func leadingCores(of name: CollectionName) async throws(RequestFailure) -> [String] {
        guard mode == .cloud else { return [name.rawValue] }
        return Self.leadingCores(try await status(of: name))
    }

    /// Returns the status in a cluster of the collection, or of the collections behind an alias.
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

    /// Counts the documents, including those that are not yet visible to searches.
    ///
    /// A read-only user can't make these visible, so only documents visible to searches are counted, and `isLive` is
    /// `false`.
    func committedCount(_ name: CollectionName) async throws(RequestFailure) -> (count: Int, isLive: Bool) {
        var isLive = true
        do {
            try await commit(name, .soft)
        } catch {
            guard error.status == 403 else { throw error }
            isLive = false
        }
        let count = try await count(name)
        return (count, isLive)
    }

    /// Counts the live documents that are visible to searches.
    private func count(_ name: CollectionName) async throws(RequestFailure) -> Int {
        let reply = try await client.ask(
            EnginePath(name.rawValue, "select").with("wt", "json"),
            FormBody([("q", "*:*"), ("rows", "0"), ("defType", "lucene"), ("shards.tolerant", "false")])
        )
        return try reply.found()
    }

    /// Returns the error for a failed request about a collection that is not a batch.
    func error(_ failure: RequestFailure, about name: CollectionName) async -> EngineError {
        guard failure.status == 404 else { return EngineError(failure) }
        if await isMissing(name) { return await missing(name) }
        guard mode == .cloud, answersForOwnCores else { return EngineError(failure) }
        return EngineError(
            .unusable,
            "no node at \(target) has all parts of '\(name)', and since version 10 a Solr node does not query the others",
            advice: "specify all nodes: --target solr+http://A:8983,B:8983/solr"
        )
    }

    /// Returns the error for a missing collection; the advice names the collection that was probably intended.
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
    private(set) var version: String

    /// The oldest supported major version of Solr.
    private static let oldestVersion = 8

    /// Parses the facts; `nil` for a reply that is not from Solr.
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

    /// Whether Solr supports the preference `replica.leader` (SOLR-15472); older versions reject it.
    var knowsLeaders: Bool {
        let parts = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        guard parts.count == 2 else { return false }
        return (parts[0], parts[1]) >= (8, 10)
    }

    /// Whether a node handles requests only for its own cores (SOLR-17568).
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

/// The counts and the size of a collection, added up over all its shards.
struct CollectionMeasures: Hashable {
    /// The number of live documents that are visible to searches.
    var documents = 0
    /// The number of deleted documents that have not been removed by merging yet.
    var waiting = 0
    /// The size of the index's last commit, in bytes.
    var bytes = 0
    var shards = 0

    /// Adds a core, given its responses from `/admin/luke` and `/admin/segments`.
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
    /// Returns the sum with a count from a server; sums that are too large are clamped, and negative counts are treated
    /// as 0.
    fileprivate func addingClamped(_ other: Int?) -> Int {
        let (sum, overflow) = addingReportingOverflow(Swift.max(0, other ?? 0))
        return overflow ? .max : sum
    }
}

/// A client of Solr that distinguishes successful replies from all others.
struct SolrClient: Sendable {
    let connection: EngineConnection

    /// A successful reply: both HTTP and Solr report success, and the reply is complete.
    struct Reply {
        let body: [UInt8]
        let header: ReplyHeader?
        let http: EngineReply

        /// Parses the reply as JSON.
        func tree() throws(RequestFailure) -> JSONValue {
            do {
                return try JSONValue(body)
            } catch {
                throw RequestFailure.unreadable(http, "it is not valid JSON: \(error)")
            }
        }

        /// Returns the number of documents that a search found.
        func found() throws(RequestFailure) -> Int {
            guard let count = try tree()["response"]["numFound"].int, count >= 0 else {
                throw RequestFailure.unreadable(http, "Solr does not report how many documents there are")
            }
            return count
        }
    }

    func send(_ request: EngineRequest) async throws(RequestFailure) -> Reply {
        let reply: EngineReply
        do {
            reply = try await connection.send(request)
        } catch {
            throw RequestFailure.noReply(error)
        }
        return try Self.success(reply)
    }

    /// Sends a form in a request that only reads; `isOfCore` indicates that the path is that of a core (see
    /// ``statusElsewhere``).
    func ask(_ path: EnginePath, _ form: FormBody, isOfCore: Bool = false) async throws(RequestFailure) -> Reply {
        var request = EngineRequest(.post, path, body: form.bytes)
        request.contentType = FormBody.contentType
        request.isReading = true
        if isOfCore { request.statusesOfOthers = [Self.statusElsewhere] }
        return try await send(request)
    }

    /// The status of a SolrCloud node's response to a request about a core on another node.
    ///
    /// Up to version 9, a node forwards the request itself; since version 10, the client has to find the right node
    /// itself (SOLR-17568).
    static let statusElsewhere = 404

    /// Sends a `GET` request, and parses the reply as JSON; `isOfCore` indicates that the path is that of a core (see
    /// ``statusElsewhere``).
    func tree(
        _ path: EnginePath,
        timeout: Duration? = nil,
        isOfCore: Bool = false
    ) async throws(RequestFailure) -> JSONValue {
        var request = EngineRequest(.get, path.with("wt", "json"))
        request.timeout = timeout
        if isOfCore { request.statusesOfOthers = [Self.statusElsewhere] }
        return try await send(request).tree()
    }

    private static func success(_ reply: EngineReply) throws(RequestFailure) -> Reply {
        guard reply.isSuccess else { throw RequestFailure.refused(reply, ErrorReply(solr: reply)) }
        let header: ReplyHeader?
        do {
            header = try ReplyHeader.read(reply.body)
        } catch {
            throw RequestFailure.unreadable(reply, "it is not a reply from Solr: \(error)")
        }
        if let header, header.status != 0 {
            throw RequestFailure.unreadable(reply, "Solr reports status \(header.status) in a successful reply")
        }
        if header?.isPartial == true {
            throw RequestFailure.unreadable(reply, "part of the collection did not answer")
        }
        return Reply(body: reply.body, header: header, http: reply)
    }
}

extension RequestFailure {
    /// Whether the reply was too large, or was not HTTP, so requesting less may help.
    var isReplyTooLarge: Bool { isReplyLost && EngineError(self).code == .unusable }

    /// Solr's message in a refusal, unchanged and in full, for comparing its IDs with those of the batch; `nil` if the
    /// reply is not Solr's.
    ///
    /// The reason that is shown is a single line, in which different IDs may look the same.
    var message: String? {
        guard case .refused(let reply, _?) = self, let answer = try? JSONValue(reply.body) else { return nil }
        return answer["error"]["msg"].text ?? ""
    }
}

extension ErrorReply {
    /// Reads Solr's error from an unsuccessful reply; `nil` for a body that is not Solr's, such as a proxy's page.
    init?(solr reply: EngineReply) {
        self.init(status: reply.status, body: reply.body)
    }

    init?(status: Int, body: [UInt8]) {
        guard let answer = try? JSONValue(body), answer["responseHeader"] != .null else { return nil }
        let error = answer["error"]
        guard error != .null else { return nil }
        let reason = Self.reasonOfCommand(error) ?? error["msg"].text ?? error["trace"].text ?? "no reason given"
        let type = Self.rootClass(error["metadata"].elements) ?? "error"
        self.init(Kind(status: status), type: type, reason: Self.line(reason))
    }

    /// Returns the reason why a command of the Schema API failed; the message only reports that one did.
    private static func reasonOfCommand(_ error: JSONValue) -> String? {
        error["details"].elements.lazy.compactMap { $0["errorMessages"].elements.first?.text }.first
    }

    /// Returns the root class in `metadata`, a list of alternating names and values, without the package name; if there
    /// are several, returns the last one.
    private static func rootClass(_ metadata: [JSONValue]) -> String? {
        guard let key = metadata.dropLast().lastIndex(where: { $0.text == "root-error-class" }) else { return nil }
        return metadata[key + 1].text?.split(separator: ".").last.map { String($0) }
    }

    /// Converts a reason to a single line.
    ///
    /// A node that forwards another node's message wraps it in its own, but only the original message is helpful.
    private static func line(_ reason: String) -> String {
        (quoted(in: reason[...]) ?? reason[...]).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Returns another node's message that a message quotes; `nil` if it quotes none.
    static func quoted(in message: Substring) -> Substring? {
        message.firstRange(of: "Remote error message: ").map { message[$0.upperBound...] }
    }
}

extension String {
    /// Returns the first range of `other`, compared by bytes.
    fileprivate func range(of other: String) -> Range<Index>? {
        utf8.firstRange(of: other.utf8)
    }
}

/// The body of a form: parameters that are too long or too sensitive for a URL.
///
/// Solr splits its `ids` parameter at commas, but accepts any number of `id` parameters, so commas in IDs need no
/// special treatment.
struct FormBody {
    fileprivate static let contentType = "application/x-www-form-urlencoded"

    private(set) var bytes: [UInt8] = []

    init(_ parameters: [(name: String, value: String)] = []) {
        for (name, value) in parameters { append(name, value) }
    }

    private mutating func append(_ name: String, _ value: String) { append(name, utf8: value.utf8.span) }

    mutating func append(_ name: String, utf8 value: Span<UInt8>) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        append(escaping: name.utf8.span)
        bytes.append(UInt8(ascii: "="))
        append(escaping: value)
    }

    /// Appends text, escaping all but RFC 3986's unreserved characters.
    private mutating func append(escaping text: Span<UInt8>) {
        for place in text.indices {
            let byte = text[place]
            if byte.isUnreserved { bytes.append(byte) } else { Percent.append(escaped: byte, to: &bytes) }
        }
    }
}

/// The way a cluster distributes the documents of a collection to its shards.
struct CollectionRouter: Hashable {
    /// The name of the default router, which hashes IDs.
    static let compositeID = "compositeId"

    var name: String
    /// The field that determines the shard instead of the ID.
    var field: String?

    /// Reads the router of the only collection in a cluster's status; `nil` if the collection has no router.
    init?(_ collections: JSONValue) {
        let router = collections.members.first?.value["router"] ?? .null
        guard let name = router["name"].text ?? router.text else { return nil }
        self.init(name: name, field: router["field"].text)
    }

    init(name: String, field: String?) { (self.name, self.field) = (name, field) }

    /// Returns the reason why documents can't be fed or looked up by their IDs; `nil` if they can.
    ///
    /// Solr checks only the shard where a document with the ID would normally be, so with other routers, it misses
    /// existing documents, and reports removals that never happened.
    func refusal(of collection: CollectionName, uniqueKey: String?) -> EngineError? {
        let hashesKey = field == nil || field == uniqueKey
        guard name == "implicit" || !hashesKey else { return nil }
        let rule = hashesKey ? "the router '\(name)'" : "the field '\(field ?? "")' (router.field)"
        return EngineError(
            .unsupported,
            "the documents of '\(collection)' are spread over its shards by \(rule), so their IDs don't determine their shards",
            advice: """
                use a collection with the router '\(Self.compositeID)' and no router.field, or Solr's own tools with \
                _route_; 'fastctl find' can search this one
                """
        )
    }
}

extension SolrInstance {
    /// Returns the router of a collection; `nil` if the router is unknown, or if the collection is not distributed.
    func router(of name: CollectionName) async throws(RequestFailure) -> CollectionRouter? {
        guard mode != .standalone else { return nil }
        do {
            return CollectionRouter(try await status(of: name))
        } catch {
            // A user with permission to feed may lack the permission to see the router; outside a cluster, the response
            // is 400.
            guard error.status == 403 || mode == .unknown && error.status == 400 else { throw error }
            return nil
        }
    }
}
