import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization

/// What is known of an index's custom routing: whether documents may lie elsewhere than their IDs say.
///
/// It is asked for when it first matters, with one search that returns no document. Batches that run at the same time
/// share the answer.
final class RoutingWatch: Sendable {
    /// How an index places its documents.
    enum Use: Sendable {
        /// No document that a search sees has a routing of its own.
        case byID
        /// Some documents have one, or the index demands one.
        case custom
        /// We may not search.
        case unknown
        /// No document on the shards that answered has one; others did not answer.
        case unseen(RequestFailure)
    }

    private struct State {
        var isCustom: Bool
        var isForbidden = false
        /// Whether this run has written documents with a routing.
        var hasWritten = false
        /// Whether the engine refused to show searches what was written before this run.
        var isStale = false
        /// The refresh that shows searches what was written before this run.
        var refresh: Task<Result<Void, RequestFailure>, Never>?
        /// The first answer, and the one after a refresh.
        var answers: [Bool: Task<Result<Use, RequestFailure>, Never>] = [:]
    }

    private let state: Mutex<State>
    let scope: RoutingScope

    init(_ scope: RoutingScope) {
        self.scope = scope
        state = Mutex(State(isCustom: scope.isRouted))
    }

    /// Whether documents are known to have routings of their own.
    var isCustom: Bool { state.withLock { $0.isCustom } }

    /// Whether we may not search for documents outside the places that their IDs give.
    var isForbidden: Bool { state.withLock { $0.isForbidden } }

    /// Whether this run has written documents with a routing, which searches may not see yet.
    var hasWritten: Bool { state.withLock { $0.hasWritten } }

    /// Records that the index demands a routing, or that the input gives one.
    func noteCustom(isWritten: Bool = false) {
        state.withLock { state in
            state.isCustom = true
            if isWritten { state.hasWritten = true }
        }
    }

    /// Whether searches were asked that may not see what was written a moment before.
    var isStale: Bool { state.withLock { $0.isStale } }

    /// Records that we may not search.
    func noteForbidden() { state.withLock { $0.isForbidden = true } }

    /// Shows searches what was written before this run; returns whether that happened just now.
    func refreshOnce(in cluster: Cluster) async throws(RequestFailure) -> Bool {
        let (task, isFirst) = state.withLock { state in
            if let task = state.refresh { return (task, false) }
            let task = Task { () -> Result<Void, RequestFailure> in
                do throws(RequestFailure) {
                    return .success(try await self.refresh(in: cluster))
                } catch {
                    return .failure(error)
                }
            }
            state.refresh = task
            return (task, true)
        }
        let result = await task.value
        if case .failure = result { state.withLock { $0.refresh = nil } }
        try result.get()
        return isFirst
    }

    /// Makes all that was written visible to searches, as far as we may.
    func refresh(in cluster: Cluster) async throws(RequestFailure) {
        do throws(RequestFailure) {
            _ = try await cluster.reply(to: EngineRequest(.post, EnginePath(scope.placing.rawValue, "_refresh")))
        } catch {
            // Without the right to refresh, or with a block on the index, searches see what they see.
            guard error.status == 403 else { throw error }
            state.withLock { $0.isStale = true }
        }
    }

    /// Asks how the index places its documents: whether any has a routing.
    private func routingUse(in cluster: Cluster, refreshing: Bool) async -> Result<Use, RequestFailure> {
        do throws(RequestFailure) {
            if refreshing { try await refresh(in: cluster) }
            return .success(try await cluster.routingUse(in: scope))
        } catch {
            // A proxy or a role that lets no search through.
            guard let status = error.status, [400, 403, 404, 405].contains(status),
                error.errorReply?.kind != .missingCollection
            else { return .failure(error) }
            return .success(.unknown)
        }
    }

    /// Returns how the index places documents, as far as searches see it.
    func use(in cluster: Cluster) async throws(RequestFailure) -> Use {
        try await answer(in: cluster, refreshing: scope.isSeldomRefreshed)
    }

    /// Returns how the index places documents, now that one was not found: a routed one may be too new for searches.
    func useAfterRefresh(in cluster: Cluster) async throws(RequestFailure) -> Use {
        try await answer(in: cluster, refreshing: true)
    }

    private func answer(in cluster: Cluster, refreshing: Bool) async throws(RequestFailure) -> Use {
        let (known, task) = state.withLock { state -> (Use?, Task<Result<Use, RequestFailure>, Never>?) in
            if state.isForbidden { return (.unknown, nil) }
            if state.isCustom { return (.custom, nil) }
            if let task = state.answers[refreshing] { return (nil, task) }
            let task = Task { await routingUse(in: cluster, refreshing: refreshing) }
            state.answers[refreshing] = task
            return (nil, task)
        }
        if let known { return known }
        let result = await task?.value ?? .success(.unknown)
        state.withLock { state in
            switch result {
            case .success(.byID): break
            case .success(.custom): state.isCustom = true
            case .success(.unknown): state.isForbidden = true
            // Next time, all shards may answer.
            case .success(.unseen), .failure: state.answers[refreshing] = nil
            }
        }
        return try result.get()
    }
}

/// The names by which a collection's documents are placed and searched, and the routing that an alias adds.
struct RoutingScope: Hashable, Sendable {
    /// The name for requests that place documents: an alias with a routing would refuse any other one.
    let placing: CollectionName
    /// The name for searches: an alias with a routing shows only its part of the index.
    let searching: CollectionName
    /// The routing that an alias gives to what is written through it.
    var byDefault: Routing?
    /// Whether an alias has a routing, for writing or searching.
    var isRouted = false
    /// Whether all documents are on one shard, where each is found by its ID.
    var isOneShard = false
    /// Whether searches may see documents much later than a second after they were written.
    var isSeldomRefreshed = false

    /// Creates the scope of a collection without a routing of its own.
    init(_ name: CollectionName, _ binding: IndexBinding) {
        placing = name
        // Of several indices, only the one that receives additions counts.
        searching = binding.isSingle ? name : binding.aliasFacts.writeIndex.map { CollectionName($0) } ?? name
        let settings = binding.settings
        isOneShard = binding.isSingle && settings["index.number_of_shards"] == "1"
        isSeldomRefreshed = !["1s", nil].contains(settings["index.refresh_interval"])
    }

    /// Creates the scope of an alias with a routing, which leads to one index.
    fileprivate init(alias: CollectionName, of index: String, writing: Routing?) {
        placing = CollectionName(index)
        searching = alias
        byDefault = writing
        isRouted = true
    }
}

extension [CollectionSetting] {
    fileprivate subscript(name: String) -> String? { first { $0.name == name }?.value }
}

extension Cluster {
    /// Returns how requests for the documents of `name` are addressed.
    ///
    /// If we may not see an alias, it is used as it is: the engine adds the routing itself.
    func routingScope(of name: CollectionName, _ binding: IndexBinding) async throws(EngineError) -> RoutingScope {
        let plain = RoutingScope(name, binding)
        guard binding.isAlias, binding.isSingle, let index = binding.indices.first else { return plain }
        let answer: JSONValue
        do throws(RequestFailure) {
            answer = try await ask(EngineRequest(.get, EnginePath("_alias", name.rawValue)))
        } catch {
            guard let status = error.status, [403, 404].contains(status) else {
                throw await self.error(error, about: name)
            }
            return plain
        }
        let alias = answer[index]["aliases"][name.rawValue]
        let writing = alias["index_routing"].text.flatMap { Routing($0) }
        guard writing != nil || alias["search_routing"].text != nil else { return plain }
        return RoutingScope(alias: name, of: index, writing: writing)
    }

    /// Asks whether any document that searches see has a routing.
    fileprivate func routingUse(in scope: RoutingScope) async throws(RequestFailure) -> RoutingWatch.Use {
        let path = EnginePath(scope.searching.rawValue, "_search").with("size", "0").with("terminate_after", "1")
            .with("filter_path", "_shards.total,_shards.successful,timed_out,hits.total")
        let query = Array(#"{"track_total_hits":1,"query":{"exists":{"field":"_routing"}}}"#.utf8)
        let reply = try await reply(to: .reading(path, query))
        let answer = try reply.json()
        guard let total = answer["hits"]["total"]["value"].int ?? answer["hits"]["total"].int else {
            throw RequestFailure.unreadable(reply, "it does not count documents with a routing")
        }
        if total > 0 { return .custom }
        if let partial = answer.missingShards(in: reply) { return .unseen(partial) }
        return .byID
    }
}

extension EngineReply {
    /// Returns the body of a small reply as JSON.
    func json() throws(RequestFailure) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(body)
        } catch {
            throw RequestFailure.unreadable(self, "it is not valid JSON: \(error)")
        }
    }
}

extension JSONValue {
    /// Returns the failure of a search that not all shards answered; `nil` if all did.
    func missingShards(in reply: EngineReply) -> RequestFailure? {
        let (total, successful) = (self["_shards"]["total"].int, self["_shards"]["successful"].int)
        guard let total, let successful, successful >= total, self["timed_out"].bool != true else {
            let count = (total ?? 1) - (successful ?? 0)
            return .unreadable(reply, "\(count) \(count == 1 ? "shard" : "shards") did not answer the search")
        }
        return nil
    }
}
