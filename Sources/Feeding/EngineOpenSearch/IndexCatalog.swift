import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization
import TextKit

extension Cluster {
    /// Returns the open and closed indices, except those whose names begin with a dot, which are the engine's own.
    func indices() async throws(EngineError) -> [IndexRecord] {
        do throws(RequestFailure) {
            return try await records(EnginePath("_cat", "indices")).filter { !$0.name.hasPrefix(".") }
        } catch {
            throw EngineError(error)
        }
    }

    /// Returns the indices with readable fields, without counts; throws `refusal` if no index is readable.
    ///
    /// `refusal` is the engine's refusal to list its indices, and names the missing permission.
    func readableCollections(insteadOf refusal: EngineError) async throws(EngineError) -> [CollectionDescription] {
        // Without names, the request would include the engine's own indices, for which a read-only user has no
        // permission.
        let path = EnginePath("*,-.*", "_field_caps").with("fields", "_id").with("filter_path", "indices")
        let names = try? await ask(EngineRequest(.get, path))["indices"].elements.compactMap(\.text)
            .filter { !$0.hasPrefix(".") }
        guard let names, !names.isEmpty else {
            throw EngineError(
                refusal.code,
                refusal.message,
                advice: "request that permission, or specify a collection: fastctl find --collection NAME",
                cause: refusal
            )
        }
        return names.sorted().map { name in
            var description = CollectionDescription(name: CollectionName(name), documents: nil, waiting: 0, bytes: nil)
            description.flaw = "only collections that these credentials may read are listed; \(refusal.message)"
            return description
        }
    }

    private func records(_ path: EnginePath) async throws(RequestFailure) -> [IndexRecord] {
        let path = path.with("format", "json").with("bytes", "b")
            .with("h", "index,status,health,docs.count,docs.deleted,store.size").with("s", "index")
        return try await ask(EngineRequest(.get, path)).elements.compactMap { line in
            guard let name = line["index"].text else { return nil }
            // The counts and sizes of a red index include only the shards that respond.
            let isRed = line["health"].text == "red"
            let isClosed = line["status"].text == "close" || line["docs.count"].amount == nil
            return IndexRecord(
                name: name,
                documents: isRed ? nil : line["docs.count"].amount,
                deleted: line["docs.deleted"].amount ?? 0,
                bytes: isRed ? nil : line["store.size"].amount,
                status: isRed ? "red" : isClosed ? "close" : nil
            )
        }
    }

    /// Returns the names of data streams with their backing indices, and adds these indices to `records`.
    ///
    /// The result is empty if the engine does not support data streams, or if the user lacks the permission to see
    /// them.
    func dataStreams(into records: inout [String: IndexRecord]) async -> [String: [String]] {
        let path = EnginePath("_data_stream").with("filter_path", "data_streams.name,data_streams.indices.index_name")
        guard let answer = try? await ask(EngineRequest(.get, path)) else { return [:] }
        var streams: [String: [String]] = [:]
        for stream in answer["data_streams"].elements {
            guard let name = stream["name"].text, !name.hasPrefix(".") else { continue }
            streams[name] = stream["indices"].elements.compactMap { $0["index_name"].text }
        }
        guard !streams.isEmpty, let backing = try? await self.records(EnginePath("_cat", "indices", ".ds-*")) else {
            return streams
        }
        for record in backing { records[record.name] = record }
        return streams
    }

    /// Replaces the counts of the engine's own list, which include nested documents, with those of searches.
    ///
    /// The count of an index that these credentials can't search is left unchanged; an incomplete one becomes `nil`.
    func recount(_ records: inout [String: IndexRecord]) async {
        let names = records.values.filter { ($0.documents ?? 0) > 0 }.map(\.name).sorted()
        for start in stride(from: 0, to: names.count, by: Self.recountPage) {
            let page = names[start..<min(start + Self.recountPage, names.count)]
            var body: [UInt8] = []
            for name in page {
                body += JSONWriter.object { $0.member("index", name) } + [0x0A]
                body += #"{"size":0,"track_total_hits":true}"#.utf8 + [0x0A]
            }
            // The status keeps each answer in its place.
            let path = EnginePath("_msearch")
                .with("filter_path", "responses.status,responses.timed_out,responses._shards,responses.hits.total")
            var request = EngineRequest.reading(path, body)
            request.contentType = "application/x-ndjson"
            guard let answers = try? await ask(request)["responses"].elements, answers.count == page.count else {
                return
            }
            for (name, answer) in zip(page, answers) {
                // No shard of a frozen index is searched by default.
                guard answer["status"].int == 200, let shards = ShardResult(answer["_shards"]), shards.total > 0
                else { continue }
                let isWhole = shards.isWhole && answer["timed_out"].bool != true
                records[name]?.documents = isWhole ? answer["hits"]["total"]["value"].amount : nil
            }
        }
    }

    /// The number of indices that are counted with one request.
    private static let recountPage = 500

    /// Returns the names of aliases, each with its indices.
    func aliases() async throws(EngineError) -> [String: [String]] {
        let path = EnginePath("_cat", "aliases").with("format", "json").with("h", "alias,index")
        do throws(RequestFailure) {
            var aliases: [String: [String]] = [:]
            for line in try await ask(EngineRequest(.get, path)).elements {
                guard let alias = line["alias"].text, let index = line["index"].text, !alias.hasPrefix(".") else {
                    continue
                }
                aliases[alias, default: []].append(index)
            }
            return aliases
        } catch {
            throw EngineError(error)
        }
    }

    /// Returns the error for a missing collection, with the most similar existing name, if we have permission to see
    /// the names.
    func missing(_ name: CollectionName) async -> EngineError {
        var names: [String] = []
        if let indices = try? await indices() { names += indices.map(\.name) }
        if let aliases = try? await aliases() { names += aliases.keys }
        let nearest = name.rawValue.nearest(in: names)
        return EngineError(
            .missingCollection,
            "no index or alias '\(name)' at \(target)",
            advice: nearest.map { "did you mean '\($0)'?" } ?? "create it with: fastctl collections create \(name)"
        )
    }

    func sizes(of name: CollectionName) async throws(EngineError) -> IndexSizes {
        let path = EnginePath(name.rawValue, "_stats", "docs,store,merge")
            .with("filter_path", "_shards,_all.primaries.docs,_all.total.store,_all.total.merges")
        let answer = try await ask(EngineRequest(.get, path), about: name)
        try await requirePrimaries(ShardResult(answer["_shards"]), of: name, "the statistics")
        let all = answer["_all"]
        return IndexSizes(
            deleted: all["primaries"]["docs"]["deleted"].amount ?? 0,
            bytes: all["total"]["store"]["size_in_bytes"].amount,
            merges: all["total"]["merges"]["current"].amount ?? 0
        )
    }

    /// Counts the live documents of a collection, including those that are not yet visible to searches.
    ///
    /// Without the permission to refresh, or if a block on the index prevents the refresh, only documents visible to
    /// searches are counted, and `isLive` is `false`.
    ///
    /// A refresh is unavoidable: the engine's statistics also count only documents visible to searches, and they
    /// include nested documents.
    func liveCount(_ name: CollectionName) async throws(EngineError) -> (count: Int, isLive: Bool) {
        var isLive = true
        do throws(EngineError) {
            try await refresh(name)
        } catch {
            guard [.permission, .rejected].contains(error.code) else { throw error }
            isLive = false
        }
        let count = try await count(name)
        return (count, isLive)
    }
}

/// An entry of the engine's own list of indices.
struct IndexRecord: Hashable, Sendable {
    var name: String
    /// The number of documents visible to searches, including nested ones unless they were recounted; `nil` for an index that is closed or lacks a
    /// shard.
    var documents: Int?
    /// The number of removed or replaced documents that have not been merged away yet.
    var deleted: Int
    /// The size including replicas, in bytes.
    var bytes: Int?
    /// The engine's status `close` or `red`; `nil` for a usable index.
    var status: String?
}

/// The sizes of a collection's indices.
struct IndexSizes: Hashable, Sendable {
    /// The number of removed or replaced documents that have not been merged away yet, not counting replicas.
    var deleted: Int
    /// The size of all primaries and replicas, in bytes.
    var bytes: Int?
    /// The number of running merges.
    var merges: Int
}

extension CollectionName {
    private static let rules = CollectionNameRules(
        "index name",
        maximumByteCount: 255,
        usable: "lowercase letters, digits, '-', '_' and '.', as in webcollection"
    ) { name in
        if name == "." || name == ".." { return "consists only of dots" }
        let start = name.unicodeScalars.first
        if let start, "-_+".unicodeScalars.contains(start) { return "begins with '\(start)'" }
        let forbidden = name.unicodeScalars.first { #"\/*?"<>|,#:"#.unicodeScalars.contains($0) || !$0.isVisible }
        guard let forbidden else { return nil }
        return forbidden.isVisible ? "contains '\(forbidden)'" : "contains a space or a control character"
    }

    /// Checks the name against the engine's rules for aliases, which may have uppercase letters.
    func validateAsAlias() throws(EngineError) { try Self.rules.validate(self) }

    /// Checks the name against the engine's rules for indices and aliases, so it can't be mistaken for a pattern or a
    /// list.
    func validate(for product: OpenSearchEngine.Product) throws(EngineError) {
        try Self.rules.validate(self)
        let lower = rawValue.lowercased()
        guard lower.utf8.elementsEqual(rawValue.utf8) else {
            throw EngineError(
                .invalidName,
                "'\(rawValue)' is not a valid index name: \(Cluster.name(of: product)) requires lowercase",
                advice: "use '\(lower)', or map the name to it in a context"
            )
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isVisible: Bool { !properties.isWhitespace && properties.generalCategory != .control }
}

/// The indices that a collection's name refers to in the engine, and their properties.
struct IndexBinding: Hashable, Sendable {
    /// The indices behind the name: the index with that name, those of an alias, or those of a data stream.
    var indices: [String]
    var isAlias: Bool
    /// The facts known about the alias.
    var aliasFacts = AliasFacts()
    /// The unique ID of each index, if we have permission to see it.
    var uniqueIDs: [String: String] = [:]
    /// Whether the engine responds before a batch is safe on disk.
    var isAsynchronous = false
    /// The settings of the first index, if we have permission to see them.
    var settings: [CollectionSetting] = []
    /// Whether the indices behind the name are visible; if not, all the properties above are unknown.
    var isSeen = true

    /// The binding of a collection for a user who has only write permission.
    static let unseen = {
        var binding = IndexBinding(indices: [], isAlias: false)
        binding.isSeen = false
        return binding
    }()

    /// Whether a document can be in only one index, as required to remove, update and read it by its ID.
    ///
    /// If the indices are not visible, the engine itself rejects a name that refers to several indices.
    var isSingle: Bool { !isSeen || indices.count == 1 && !isDataStream }

    /// Whether the name refers to a data stream, or to an alias of a data stream.
    var isDataStream: Bool { isAlias && indices.contains(where: Self.isBackingIndex) }

    var identity: IndexIdentity {
        IndexIdentity(
            indices: Dictionary(indices.map { ($0, uniqueIDs[$0]) }) { first, _ in first },
            writeIndex: aliasFacts.writeIndex
        )
    }

    /// Returns whether an index belongs to a data stream, judging by the name that the engine gives it.
    private static func isBackingIndex(_ name: String) -> Bool { name.hasPrefix(".ds-") }

    /// Returns the reason why documents can't be looked up by their IDs through the name `collection`, with advice;
    /// `nil` if they can.
    ///
    /// `ignoringFilter` indicates that the user accepts that requests by ID bypass an alias's filter.
    func obstacle(to collection: CollectionName, ignoringFilter: Bool) -> (reason: String, advice: String)? {
        let some = indices.sorted().suffix(3).joined(separator: ", ")
        if isDataStream {
            return (
                "'\(collection)' is a data stream, whose documents are in its backing indices",
                "specify the backing index that contains them: \(some)"
            )
        }
        if indices.count > 1 {
            return (
                "'\(collection)' is an alias of \(indices.count) indices, which the engine can't search by ID",
                "specify one of them: \(indices.sorted().prefix(3).joined(separator: ", "))"
            )
        }
        guard aliasFacts.isFiltered, !ignoringFilter else { return nil }
        return (
            "'\(collection)' is an alias with a filter, which requests by ID bypass: any document of \(some) could be reached",
            "specify the index, or use --ignore-alias-filter"
        )
    }

    /// Returns the reason why an addition can't be sent to the name; `nil` if it can.
    func obstacleToAdditions(to collection: CollectionName, ignoringFilter: Bool) -> String? {
        if isDataStream || !isAlias && Self.isBackingIndex(collection.rawValue) {
            return "'\(collection)' belongs to a data stream, which does not accept additions; add to a separate "
                + "index, or feed the stream with a tool that only creates documents"
        }
        if indices.count > 1, aliasFacts.writeIndex == nil {
            return "'\(collection)' is an alias of \(indices.count) indices, none of which is its write index; "
                + "feed one of them by name"
        }
        guard aliasFacts.isFiltered, !ignoringFilter else { return nil }
        return "'\(collection)' is an alias with a filter, which does not apply to additions; specify the index, "
            + "or use --ignore-alias-filter"
    }
}

/// The engine's facts about an alias.
struct AliasFacts: Hashable, Sendable {
    /// The index that receives additions, if there are several indices; `nil` if no index does, or if there is only
    /// one.
    var writeIndex: String?
    /// Whether only some of the documents are visible to searches through the alias.
    var isFiltered = false

    init() {}

    /// Parses the engine's response about `alias`.
    init(_ answer: JSONValue, of alias: CollectionName) {
        let entries = answer.members.map { (index: $0.key, facts: $0.value["aliases"][alias.rawValue]) }
        if entries.count > 1 { writeIndex = entries.first { $0.facts["is_write_index"].bool == true }?.index }
        isFiltered = entries.contains { $0.facts["filter"] != .null }
    }
}

/// The index that a collection's name referred to when the job began, and whether the name still refers to it.
///
/// An alias can be rolled over, an index can be deleted and created again, and a pipeline can send documents to another
/// index. A response is then about documents other than the requested ones, and a document's absence from the other
/// index does not make it missing.
final class IndexOrigin: Sendable {
    private struct State {
        var identity: IndexIdentity
        /// The reason why nothing more can be sent: the name now refers to another index.
        var change: BatchFailure?
        var checked = ContinuousClock.now
    }

    private let name: CollectionName
    private let isSingle: Bool
    /// Whether the index can be determined only from responses.
    private let isUnseen: Bool
    private let state: Mutex<State>

    /// The time for which an index is assumed to be unchanged while documents are only added to it.
    private static let trust = Duration.seconds(1)

    init(of name: CollectionName, _ binding: IndexBinding) {
        self.name = name
        isSingle = binding.isSingle
        isUnseen = !binding.isSeen
        state = Mutex(State(identity: binding.identity))
    }

    /// The index that handles requests to the name; `nil` if it is not visible.
    var index: String? { state.withLock { $0.identity.answering } }

    /// Records which index handles requests, taken from a response, if that can't be determined otherwise.
    func learn(from answer: () throws(JSONError) -> String?) throws(JSONError) {
        guard isUnseen, index == nil, let found = try answer() else { return }
        state.withLock { if $0.identity.indices.isEmpty { $0.identity.indices[found] = .some(nil) } }
    }

    /// The reason why nothing more can be sent; `nil` while the name refers to the same index.
    var change: BatchFailure? { state.withLock { $0.change } }

    /// Returns the answers about our documents; in case of doubt, the indices behind the name are checked first.
    func confirmed(_ answers: [ItemAnswer?], in cluster: Cluster) async -> [ItemAnswer?] {
        let needs = answers.reduce(into: BatchDoubts()) { $0.add($1) }
        let isOld = state.withLock { ContinuousClock.now - $0.checked > Self.trust }
        let isDue = needs.isElsewhere || needs.isMissing || needs.isNew && isOld
        guard isDue else { return answers }
        await check(in: cluster, insisting: needs.isElsewhere)
        let (index, change) = state.withLock { ($0.identity.answering, $0.change) }
        return answers.map { answer in
            switch answer {
            case .elsewhere(let other, let inner)?:
                if let change { return .halt(change) }
                return other == index ? inner : inner.rerouted(to: other, insteadOf: index)
            case .absentSinceRecently?, .result(.done(.missing))?: return change.map { .halt($0) } ?? answer
            default: return answer
            }
        }
    }

    /// Checks the indices behind the name, and returns the reason why nothing more can be sent, if any.
    func changeNow(in cluster: Cluster) async -> BatchFailure? {
        await check(in: cluster, insisting: false)
        return change
    }

    /// Checks the indices behind the name; `insisting` indicates that a response came from a different index, so that
    /// an unknown result is a reason to stop.
    private func check(in cluster: Cluster, insisting: Bool) async {
        let found: IndexIdentity
        do throws(RequestFailure) {
            found = try await cluster.identity(of: name, withWriteIndex: !isSingle)
        } catch {
            if error.errorReply?.kind == .missingCollection {
                stop(.missingCollection, "the index of '\(name)' was deleted during the run")
            } else if insisting {
                stop(.collectionChanged, "an index other than '\(index ?? "")' answered for '\(name)'")
            }
            return
        }
        state.withLock { state in
            let old = state.identity
            state.checked = .now
            // Additions continue, because they never went to the older indices of this alias.
            if !isSingle, found.answering != nil {
                state.identity = found
                return
            }
            guard let words = old.change(to: found, of: name) else { return }
            state.change = state.change ?? Self.failure(.collectionChanged, words)
        }
    }

    private func stop(_ code: EngineError.Code, _ words: String) {
        state.withLock { $0.change = $0.change ?? Self.failure(code, words) }
    }

    private static func failure(_ code: EngineError.Code, _ words: String) -> BatchFailure {
        let message = "\(words); the last operations may have been applied there: check it, then run the command again"
        return BatchFailure(.stop(code), DocumentFailure(.rejectedByEngine, message, disposition: .operatorAction))
    }
}

/// The doubts that the answers to a batch raise.
private struct BatchDoubts {
    var isElsewhere = false
    var isMissing = false
    var isNew = false

    mutating func add(_ answer: ItemAnswer?) {
        switch answer {
        case .elsewhere?: isElsewhere = true
        case .absentSinceRecently?, .result(.done(.missing))?: isMissing = true
        case .result(.done(.added))?: isNew = true
        default: break
        }
    }
}

/// The indices behind a name, each with its own unique ID, which changes when an index is created again.
struct IndexIdentity: Hashable, Sendable {
    /// The unique ID of each index; `nil` if we lack the permission to see it.
    var indices: [String: String?]
    /// The index that receives additions, if there are several indices.
    var writeIndex: String?

    /// The index that handles requests; `nil` if it is unknown.
    var answering: String? { indices.count == 1 ? indices.keys.first : writeIndex }

    /// Returns a description of the change from this identity to a newer one; `nil` if nothing has changed.
    fileprivate func change(to new: IndexIdentity, of name: CollectionName) -> String? {
        let (before, after) = (indices.keys.sorted(), new.indices.keys.sorted())
        guard before == after else {
            return "'\(name)' pointed at \(before.listed) when the run started, and now points at \(after.listed)"
        }
        let isRenewed = indices.contains { index, id in
            guard let id, let now = new.indices[index] ?? nil else { return false }
            return id != now
        }
        return isRenewed ? "'\(name)' was deleted and created again during the run" : nil
    }
}

extension [String] {
    fileprivate var listed: String {
        prefix(3).map { "'\($0)'" }.joined(separator: ", ") + (count > 3 ? ", …" : "")
    }
}

extension ItemAnswer {
    /// Returns the interpretation of an answer from an index that the name does not refer to.
    fileprivate func rerouted(to other: String, insteadOf index: String?) -> ItemAnswer {
        let expected = index.map { " instead of '\($0)'" } ?? ""
        if case .result(.done(let outcome)) = self, outcome == .added || outcome == .updated {
            let words = "stored in '\(other)'\(expected): an ingest pipeline sends it there"
            return .result(.failed(DocumentFailure(.rejectedByEngine, words)))
        }
        let words = "'\(other)' answered\(expected)"
        return .result(.unknown(DocumentFailure(.attemptsExhausted, words, disposition: .retryable)))
    }
}

extension Cluster {
    /// Returns the current identity of a name.
    fileprivate func identity(
        of name: CollectionName,
        withWriteIndex: Bool
    ) async throws(RequestFailure) -> IndexIdentity {
        let path = EnginePath(name.rawValue, "_settings").with("filter_path", "*.settings.index.uuid,error,status")
        let answer = try await ask(EngineRequest(.get, path))
        var identity = IndexIdentity(indices: [:], writeIndex: nil)
        for index in answer.members { identity.indices[index.key] = index.value["settings"]["index"]["uuid"].text }
        guard withWriteIndex else { return identity }
        let aliases = try await ask(EngineRequest(.get, EnginePath(name.rawValue, "_alias")))
        identity.writeIndex = AliasFacts(aliases, of: name).writeIndex
        return identity
    }
}
