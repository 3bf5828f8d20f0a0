import ContentFeeding
import EngineHTTP
import JSONText
import TextKit

/// The nodes of one engine, and the facts known about the engine.
struct Cluster: Sendable {
    let product: OpenSearchEngine.Product
    private let connection: EngineConnection
    let requestTimeout: Duration
    /// The engine's version; `nil` if we lack the permission to request it.
    var version: EngineVersion?
    /// The largest body that the engine accepts, in bytes.
    var bodyLimit = Self.defaultBodyLimit

    /// The default of `http.max_content_length`, in bytes.
    private static let defaultBodyLimit = 100 << 20

    /// The time limit for the engine to identify itself.
    private static let openingTime = Duration.seconds(10)

    init(_ product: OpenSearchEngine.Product, _ connection: EngineConnection, requestTimeout: Duration) {
        (self.product, self.connection, self.requestTimeout) = (product, connection, requestTimeout)
    }

    /// The engine's name for display.
    private var name: String { Self.name(of: product) }

    static func name(of product: OpenSearchEngine.Product) -> String {
        switch product {
        case .openSearch: "OpenSearch"
        case .elasticsearch: "Elasticsearch"
        }
    }

    var target: String { address(as: product) }

    /// Returns the address of the same nodes for `product`.
    private func address(as product: OpenSearchEngine.Product) -> String {
        guard let first = connection.nodes.first else { return product.rawValue }
        let places = connection.nodes.map { "\($0.host):\($0.port)" }.joined(separator: ",")
        return "\(product.rawValue)+\(first.scheme.rawValue)://\(places)\(first.path)"
    }

    /// The time for which the engine may wait for shards before it responds, which is less than our own time limit.
    var serverTimeout: String { "\(max(1, requestTimeout.components.seconds * 5 / 6))s" }

    /// Sends a request and returns the reply; throws unless the reply reports success.
    func reply(to request: EngineRequest) async throws(RequestFailure) -> EngineReply {
        let reply: EngineReply
        do throws(NoReply) {
            reply = try await connection.send(request)
        } catch {
            throw RequestFailure.noReply(error)
        }
        guard reply.isSuccess else { throw RequestFailure.refused(reply, ErrorReply(in: reply)) }
        return reply
    }

    /// Returns an engine's message without our secrets.
    func cleaned(_ words: String) async -> String { await connection.cleaned(words) }

    /// Sends a request and returns the JSON of a small reply.
    func ask(_ request: EngineRequest) async throws(RequestFailure) -> JSONValue {
        let reply = try await reply(to: request)
        do throws(JSONError) {
            return try JSONValue(reply.body)
        } catch {
            throw RequestFailure.unreadable(reply, "it is not valid JSON: \(error)")
        }
    }

    /// Sends a request about one collection and returns the JSON of a small reply.
    func ask(_ request: EngineRequest, about name: CollectionName) async throws(EngineError) -> JSONValue {
        do throws(RequestFailure) {
            return try await ask(request)
        } catch {
            throw await self.error(error, about: name)
        }
    }

    /// Returns the error for a failed request about one collection.
    ///
    /// A lack of permissions is reported as such, never as a missing collection.
    func error(_ failure: RequestFailure, about name: CollectionName) async -> EngineError {
        if failure.errorReply?.kind == .missingCollection { return await missing(name) }
        return EngineError(failure)
    }

    /// Returns the engine's version; throws if the engine is not the product that the address names.
    ///
    /// Lack of permission to request the version is not an error, because the user may still be allowed to use a
    /// collection; the version is then `nil`.
    func identify() async throws(EngineError) -> EngineVersion? {
        var question = EngineRequest(.get, EnginePath())
        question.timeout = min(requestTimeout, Self.openingTime)
        let answer: JSONValue
        do throws(RequestFailure) {
            answer = try await ask(question)
        } catch {
            if error.status == 403, error.errorReply != nil { return nil }
            if error.status == 404, connection.isServerless { return nil }
            throw EngineError(error)
        }
        return try version(in: answer)
    }

    /// Reads the version and checks the product: OpenSearch identifies itself in `version.distribution`; no version of
    /// Elasticsearch has this member.
    ///
    /// In its compatibility mode, OpenSearch identifies itself as Elasticsearch 7.10.2, so both products are accepted
    /// in that case.
    func version(in answer: JSONValue) throws(EngineError) -> EngineVersion? {
        guard let number = answer["version"]["number"].text, answer["cluster_name"] != .null else {
            throw EngineError(
                .unusable,
                "\(target) responds, but is neither OpenSearch nor Elasticsearch",
                advice: "check the host and the port"
            )
        }
        if Self.isInCompatibilityMode(answer) { return product == .openSearch ? Self.oldest : EngineVersion(number) }
        let isOpenSearch = answer["version"]["distribution"].text == "opensearch"
        let found: OpenSearchEngine.Product = isOpenSearch ? .openSearch : .elasticsearch
        guard found == product else {
            throw EngineError(
                .unusable,
                "\(target) is \(Self.name(of: found)) \(number), not \(name)",
                advice: "use --target \(address(as: found))"
            )
        }
        let version = EngineVersion(number)
        if product == .elasticsearch, let version, version < Self.oldestElasticsearch {
            throw EngineError(
                .unusable,
                "\(target) is Elasticsearch \(number), which is too old",
                advice: "use Elasticsearch \(Self.oldestElasticsearch) or newer, or OpenSearch"
            )
        }
        return version
    }

    /// Returns whether OpenSearch may be running with `compatibility.override_main_response_version`, which hides its
    /// name and version, so only other responses distinguish it from Elasticsearch.
    ///
    /// OpenSearch 1 has this setting, and so do later versions at Amazon (opensearch-project/OpenSearch#898,
    /// opensearch-java#573).
    private static func isInCompatibilityMode(_ answer: JSONValue) -> Bool {
        let version = answer["version"]
        guard version["distribution"] == .null, version["number"].text == "7.10.2" else { return false }
        return answer["tagline"].text?.hasPrefix("The OpenSearch Project") == true || version["build_flavor"] == .null
    }

    /// The oldest version that OpenSearch can be if it hides its version.
    private static let oldest = EngineVersion(1, 0)
    /// The oldest supported version: in earlier versions, documents have types, and every request would have to name
    /// the type.
    private static let oldestElasticsearch = EngineVersion(7, 0)

    /// Returns the largest body that the nodes accept, in bytes; `nil` if we lack the permission to request it.
    ///
    /// A wrong guess is harmless: the server refuses a body that is too large with 413, and the feeder then sends
    /// smaller ones.
    func announcedBodyLimit() async -> Int? {
        var question = EngineRequest(
            .get,
            EnginePath("_nodes", "http").with("filter_path", "nodes.*.http.max_content*")
        )
        question.timeout = min(requestTimeout, Self.openingTime)
        guard let answer = try? await ask(question) else { return nil }
        let limits = answer["nodes"].members.compactMap { $0.value["http"]["max_content_length_in_bytes"].int }
        return limits.filter { $0 > 0 }.min()
    }

    /// Determines the indices behind `name` if they are visible; if not, a user with only write permission can still
    /// feed the collection.
    func bindAsSeen(_ name: CollectionName) async throws(EngineError) -> IndexBinding {
        do throws(EngineError) {
            return try await bind(name)
        } catch {
            guard error.code == .permission else { throw error }
            return .unseen
        }
    }

    /// Determines the indices behind `name`, or throws the reason why they can't be determined.
    ///
    /// The settings contain the most details, but a user without access to them may still be allowed to search.
    func bind(_ name: CollectionName) async throws(EngineError) -> IndexBinding {
        try name.validate(for: product)
        let settings: JSONValue
        do throws(RequestFailure) {
            settings = try await ask(
                EngineRequest(.get, EnginePath(name.rawValue, "_settings").with("flat_settings", "true"))
            )
        } catch {
            guard error.status == 403, error.errorReply != nil else { throw await self.error(error, about: name) }
            return try await bindBySearch(name)
        }
        let indices = settings.members.map(\.key)
        guard let first = settings.members.first else { throw await missing(name) }
        var binding = IndexBinding(indices: indices, isAlias: indices != [name.rawValue])
        for index in settings.members { binding.uniqueIDs[index.key] = index.value["settings"]["index.uuid"].text }
        binding.settings = first.value["settings"].members.map {
            CollectionSetting(name: $0.key, value: $0.value.settingText)
        }
        binding.isAsynchronous = settings.members.contains {
            $0.value["settings"]["index.translog.durability"].text?.lowercased() == "async"
        }
        if binding.isAlias { binding.aliasFacts = try await aliasFacts(of: name, isRequired: indices.count > 1) }
        return binding
    }

    /// Determines a collection's indices from its fields, which a user with only read permission may request.
    private func bindBySearch(_ name: CollectionName) async throws(EngineError) -> IndexBinding {
        let path = EnginePath(name.rawValue, "_field_caps").with("fields", "_id").with("filter_path", "indices")
        let indices = try await ask(EngineRequest(.get, path), about: name)["indices"].elements.compactMap(\.text)
        // A missing name causes an error; an empty response means that we lack the permission to see the name's
        // indices.
        guard !indices.isEmpty else {
            throw EngineError(
                .permission,
                "the credentials don't allow looking up '\(name)' at \(target)",
                advice: "ask for permission to read its fields (indices:data/read/field_caps*) or its settings"
            )
        }
        var binding = IndexBinding(indices: indices, isAlias: indices != [name.rawValue])
        if binding.isAlias { binding.aliasFacts = (try? await aliasFacts(of: name, isRequired: false)) ?? AliasFacts() }
        return binding
    }

    private func aliasFacts(of alias: CollectionName, isRequired: Bool) async throws(EngineError) -> AliasFacts {
        do throws(RequestFailure) {
            return AliasFacts(try await ask(EngineRequest(.get, EnginePath(alias.rawValue, "_alias"))), of: alias)
        } catch {
            // A data stream is not an alias, and older engines return 404 for it.
            guard isRequired, error.status != 404 else { return AliasFacts() }
            throw await self.error(error, about: alias)
        }
    }
}

extension JSONValue {
    /// The value as text; lists are joined with commas.
    fileprivate var settingText: String {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .null: ""
        case .array(let elements): elements.map(\.settingText).joined(separator: ",")
        case .object(let members): members.map { "\($0.key)=\($0.value.settingText)" }.joined(separator: ",")
        }
    }
}

/// An engine's version, which determines the requests that it supports.
struct EngineVersion: Hashable, Comparable, Sendable {
    private let major: Int
    private let minor: Int

    init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

    /// Parses a version such as `2.19.4`; `nil` for other text.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).prefix(2).map { Int($0) }
        guard parts.count == 2, let major = parts[0], let minor = parts[1], major >= 0, minor >= 0 else { return nil }
        self.init(major, minor)
    }

    static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }
}

extension EngineVersion: CustomStringConvertible {
    var description: String { "\(major).\(minor)" }
}

extension EngineRequest {
    /// Creates a POST request that only reads, so it may be sent again to another node.
    static func reading(_ path: EnginePath, _ body: [UInt8]? = nil) -> EngineRequest {
        var request = EngineRequest(.post, path, body: body)
        request.isReading = true
        return request
    }
}

extension ErrorReply {
    /// Reads the engine's error in a refusal: `{"error":{"type":…,"reason":…},"status":…}`.
    ///
    /// The result is `nil` for any other body, such as a proxy's error page.
    init?(in reply: EngineReply) {
        guard let body = try? JSONValue(reply.body) else { return nil }
        self.init(error: body["error"], status: reply.status)
    }

    init?(error: JSONValue, status: Int) {
        // For an unknown path or a wrong method, the error is a bare sentence.
        if let sentence = error.text {
            let type = Self.type(ofBrief: sentence)
            self.init(Self.kind(of: type ?? "", status), type: type ?? "error", reason: sentence)
            return
        }
        guard let type = error["type"].text else { return nil }
        let (reason, cause) = Self.reasons(of: error)
        self.init(Self.kind(of: type, status), type: type, reason: reason, cause: cause)
    }

    /// Returns the type of a one-line error: for `IndexNotFoundException[no such index [web]]`, it is
    /// `index_not_found_exception`.
    ///
    /// Nodes with `http.detailed_errors.enabled: false` return only this line, as Elasticsearch does up to version 8.
    private static func type(ofBrief sentence: String) -> String? {
        let name = sentence.utf8.prefix { $0 != UInt8(ascii: "[") }
        let isName = name.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "z")).contains($0) }
        guard isName, name.count < sentence.utf8.count, name.count < 100,
            String(decoding: name, as: UTF8.self).hasSuffix("Exception")
        else { return nil }
        return String(decoding: name, as: UTF8.self).reduce(into: "") { type, letter in
            if letter.isUppercase, !type.isEmpty { type += "_" }
            type += letter.lowercased()
        }
    }

    /// Returns the reason for an error, followed by the reasons of those causes that add information.
    static func reason(of error: JSONValue) -> String {
        let (reason, cause) = reasons(of: error)
        return words(reason, cause: cause)
    }

    /// Returns the reason for an error with the causes that add information, and separately its root cause; `nil` if
    /// that is the reason itself, or a part of it.
    ///
    /// `search_phase_execution_exception`, `mapper_parsing_exception` and similar errors hide their causes.
    static func reasons(of error: JSONValue) -> (reason: String, cause: String?) {
        var chain = [error, error["root_cause"].elements.first ?? .null]
        var cause = error["caused_by"]
        while cause != .null {
            chain.append(cause)
            cause = cause["caused_by"]
        }
        let texts = chain.compactMap { $0["reason"].text.map(withoutSources) }.filter { !$0.isEmpty }
        guard let root = texts.last else { return ("no reason given", nil) }
        var reasons: [String] = []
        for text in texts.dropLast() where !root.contains(text) && !reasons.contains(where: { $0.contains(text) }) {
            reasons.append(text)
        }
        let shown = reasons.prefix(longestChain).map {
            $0.count > longestPart ? $0.prefix(longestPart) + "…" : $0
        }.joined(separator: ": ")
        if shown.isEmpty { return (root, nil) }
        return shown.contains(root) ? (shown, nil) : (shown, root)
    }

    /// The maximum number of errors whose reasons are given, besides the root cause.
    private static let longestChain = 7
    /// The maximum number of characters in each of these reasons, so that a long reason that quotes a document does not
    /// hide its cause.
    private static let longestPart = 200

    /// Classifies a failure by the engine's name for it, or by the status if the name is unknown.
    static func kind(of type: String, _ status: Int) -> Kind {
        switch type {
        case "es_rejected_execution_exception", "rejected_execution_exception",
            "opensearch_rejected_execution_exception", "circuit_breaking_exception",
            "too_many_requests_exception":
            .throttled
        case "cluster_block_exception": status == 503 ? .other : .blocked
        case "index_closed_exception": .closed
        case "index_not_found_exception": .missingCollection
        case "version_conflict_engine_exception": .conflict
        case "security_exception", "authorization_exception": .forbidden
        default: Kind(status: status)
        }
    }
}

/// The shards that contributed to a response, as counted by its member `_shards`.
///
/// A shard without a live copy is not listed as a failure: only `successful` reveals that its documents are missing
/// from the response. Incomplete responses are not accepted.
struct ShardResult: Hashable, Sendable {
    let total: Int
    let successful: Int
    let failed: Int
    /// The engine's reason for the first failure.
    let reason: String?

    /// Reads `_shards`; `nil` if the member is missing, and the responding shards are therefore unknown.
    init?(_ value: JSONValue) {
        guard let total = value["total"].int, let successful = value["successful"].int else { return nil }
        (self.total, self.successful) = (total, successful)
        failed = value["failed"].int ?? 0
        let reason = value["failures"].elements.first?["reason"]
        self.reason = reason.flatMap { reason in
            reason.text.map(ErrorReply.withoutSources) ?? (reason == .null ? nil : ErrorReply.reason(of: reason))
        }
    }

    /// Whether all shards responded.
    var isWhole: Bool { failed == 0 && successful >= total }

    /// The number of shards that did not respond.
    fileprivate var absent: Int { max(failed, total - successful) }
}

extension Cluster {
    /// Throws an error unless one copy of each shard responded, as required for a search or a count.
    ///
    /// `action` is inserted after `did not answer` in the message, for example `the count`.
    func requireAll(_ shards: ShardResult?, of name: CollectionName, _ action: String) async throws(EngineError) {
        guard shards?.isWhole != true else { return }
        throw await partial(shards, shardsWithoutPrimary(of: name), of: name, action)
    }

    /// Throws an error unless each shard's primary responded, as required for a refresh or statistics, which are sent
    /// to all copies.
    ///
    /// A replica without a node, as in any index with replicas on a single-node cluster, also counts as absent, so the
    /// health of the shards is checked instead.
    func requirePrimaries(
        _ shards: ShardResult?,
        of name: CollectionName,
        _ action: String
    ) async throws(EngineError) {
        guard shards?.isWhole != true else { return }
        let absent = await shardsWithoutPrimary(of: name)
        if let shards, shards.failed == 0 {
            if let absent {
                if absent.isEmpty { return }
            } else if try await counts(name).shards?.isWhole == true {
                // If the user lacks the permission to see the health, it is sufficient that each shard is counted.
                return
            }
        }
        throw await partial(shards, absent, of: name, action)
    }

    /// Sends a request that goes to all copies of a collection's shards.
    ///
    /// The health is requested first, because the engine would wait one minute for a shard that has no primary.
    func askPrimaries(_ request: EngineRequest, of name: CollectionName, _ action: String) async throws(EngineError) {
        if let absent = await shardsWithoutPrimary(of: name), !absent.isEmpty {
            throw EngineError(
                .unreachable,
                "\(action) can't reach all shards of '\(name)': \(Self.absence(of: absent))",
                advice: Self.advice(name)
            )
        }
        let answer = try await ask(request, about: name)
        try await requirePrimaries(ShardResult(answer["_shards"]), of: name, action)
    }

    /// Makes everything applied so far visible to searches.
    func refresh(_ name: CollectionName) async throws(EngineError) {
        try await askPrimaries(EngineRequest(.post, EnginePath(name.rawValue, "_refresh")), of: name, "the refresh")
    }

    /// Counts the documents of a collection that are visible to searches, without nested documents.
    func count(_ name: CollectionName) async throws(EngineError) -> Int {
        let answer = try await counts(name)
        guard let count = answer.count, count >= 0 else {
            throw EngineError(.unusable, "\(target) returned no number for the document count of '\(name)'")
        }
        try await requireAll(answer.shards, of: name, "the count")
        return count
    }

    private func counts(_ name: CollectionName) async throws(EngineError) -> (count: Int?, shards: ShardResult?) {
        let answer = try await ask(EngineRequest(.get, EnginePath(name.rawValue, "_count")), about: name)
        return (answer["count"].int, ShardResult(answer["_shards"]))
    }

    private func partial(
        _ shards: ShardResult?,
        _ absent: [String]?,
        of name: CollectionName,
        _ action: String
    ) async -> EngineError {
        guard let shards else {
            return EngineError(
                .unusable,
                "\(target) does not report which shards of '\(name)' answered \(action)",
                advice: "check for a proxy that changes its replies"
            )
        }
        var words = "\(shards.absent) of \(shards.total) shards of '\(name)' did not answer \(action)"
        if let absent, !absent.isEmpty {
            words += ": \(Self.absence(of: absent))"
        } else if let reason = shards.reason {
            words += ": \(await cleaned(reason))"
        }
        return EngineError(.unreachable, words, advice: Self.advice(name))
    }

    private static func absence(of shards: [String]) -> String {
        let some = shards.prefix(3).joined(separator: ", ") + (shards.count > 3 ? ", …" : "")
        return "\(some) \(shards.count == 1 ? "has" : "have") no live copy"
    }

    private static func advice(_ name: CollectionName) -> String {
        "see _cluster/health/\(name)?level=shards, restart its nodes, and run the command again"
    }

    /// Returns the shards that have no active primary, such as `web[1]`; `nil` if we lack the permission to see them.
    ///
    /// The engine would wait half a minute for an index that does not exist, unless the request forbids it.
    private func shardsWithoutPrimary(of name: CollectionName) async -> [String]? {
        let path = EnginePath("_cluster", "health", name.rawValue).with("level", "shards").with("timeout", "0s")
            .with("filter_path", "status,indices.*.shards.*.primary_active")
        guard let answer = try? await ask(EngineRequest(.get, path)), answer["status"] != .null else { return nil }
        return answer["indices"].members.flatMap { index in
            index.value["shards"].members.filter { $0.value["primary_active"].bool != true }
                .map { "\(index.key)[\($0.key)]" }
        }
        .sorted()
    }
}
