import ContentFeeding
import EngineHTTP
import JSONText
import Spelling

extension Cluster {
    /// Returns the open and closed indices, except those whose names begin with a dot, which are the engine's own.
    func indices() async throws(EngineError) -> [IndexRecord] {
        do throws(RequestFailure) {
            return try await records(EnginePath("_cat", "indices")).filter { !$0.name.hasPrefix(".") }
        } catch {
            throw EngineError(error)
        }
    }

    /// Returns the indices whose fields we may read, without counts; throws `refusal` if there are none.
    ///
    /// `refusal` is the engine's for its list of indices, and names the right that is missing.
    func readableCollections(insteadOf refusal: EngineError) async throws(EngineError) -> [CollectionDescription] {
        // Without names the request is about the engine's own indices too, which a reader may not ask for.
        let path = EnginePath("*,-.*", "_field_caps").with("fields", "_id").with("filter_path", "indices")
        let names = try? await ask(EngineRequest(.get, path))["indices"].elements.compactMap(\.text)
            .filter { !$0.hasPrefix(".") }
        guard let names, !names.isEmpty else {
            throw EngineError(
                refusal.code,
                refusal.message,
                advice: "ask for that right, or name a collection: fastctl find --collection NAME",
                cause: refusal
            )
        }
        return names.sorted().map { name in
            var description = CollectionDescription(name: CollectionName(name), documents: nil, waiting: 0, bytes: nil)
            description.flaw = "only what these credentials may read is listed; \(refusal.message)"
            return description
        }
    }

    private func records(_ path: EnginePath) async throws(RequestFailure) -> [IndexRecord] {
        let path = path.with("format", "json").with("bytes", "b")
            .with("h", "index,status,health,docs.count,docs.deleted,store.size").with("s", "index")
        return try await ask(EngineRequest(.get, path)).elements.compactMap { line in
            guard let name = line["index"].text else { return nil }
            // What a red index counts and weighs is that of the shards that answer.
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

    /// Returns the names of data streams, each with its backing indices, which are added to `records`.
    ///
    /// An engine without data streams has none, nor has a user who may not see them.
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

    /// Returns the error for a missing collection, with the nearest existing name, as far as we may know.
    func missing(_ name: CollectionName) async -> EngineError {
        var names: [String] = []
        if let indices = try? await indices() { names += indices.map(\.name) }
        if let aliases = try? await aliases() { names += aliases.keys }
        let nearest = name.rawValue.nearest(in: names)
        return EngineError(
            .missingCollection,
            "there is no index or alias '\(name)' at \(target)",
            advice: nearest.map { "did you mean '\($0)'?" } ?? "fastctl collections create \(name)"
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

    /// Counts the live documents of a collection, including those that searches don't see yet.
    ///
    /// Without the right to refresh, or if a block on the index forbids it, only documents that searches see are
    /// counted: `isLive` is `false` then.
    ///
    /// There is no count that needs no refresh: statistics tell what searches see too, and count nested documents.
    func liveCount(_ name: CollectionName) async throws(EngineError) -> (count: Int, isLive: Bool) {
        var isLive = true
        do throws(EngineError) {
            try await refresh(name)
        } catch {
            guard [.permission, .rejected].contains(error.code) else { throw error }
            isLive = false
        }
        return (try await count(name), isLive)
    }
}

/// A line of the engine's own list of indices.
struct IndexRecord: Hashable, Sendable {
    var name: String
    /// Documents that searches see, including nested ones; `nil` for an index that is closed or lacks a shard.
    var documents: Int?
    /// Documents removed or replaced, and not yet merged.
    var deleted: Int
    /// The size with copies, in bytes.
    var bytes: Int?
    /// `close` or `red`, in the engine's words; `nil` for an index that can be used.
    var status: String?
}

/// The space that a collection takes.
struct IndexSizes: Hashable, Sendable {
    /// Documents removed or replaced, and not yet merged, without copies.
    var deleted: Int
    /// The size of all copies, in bytes.
    var bytes: Int?
    /// Running merges.
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

    /// Checks the name against the engine's rules for indices and aliases, so that none is taken for a pattern or a
    /// list.
    func validate(for product: OpenSearchEngine.Product) throws(EngineError) {
        try Self.rules.validate(self)
        let lower = rawValue.lowercased()
        guard lower.utf8.elementsEqual(rawValue.utf8) else {
            throw EngineError(
                .invalidName,
                "'\(rawValue)' is not a valid index name: \(Cluster.name(of: product)) requires lower case",
                advice: "use '\(lower)', or map the name to it in a context"
            )
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isVisible: Bool { !properties.isWhitespace && properties.generalCategory != .control }
}
