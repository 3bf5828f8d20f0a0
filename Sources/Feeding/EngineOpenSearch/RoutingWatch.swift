import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization
import TextKit

/// The facts known about an index's custom routing: whether documents may be on shards other than those that their IDs
/// determine.
///
/// The facts are determined when first needed, by one search that returns no documents. Concurrent batches share its
/// result.
final class RoutingWatch: Sendable {
    /// How an index places its documents.
    enum Use: Sendable {
        /// All documents visible to searches are placed by their IDs.
        case byID
        /// Some documents have a routing value, or the index requires one.
        case custom
        /// We lack the permission to search, so the placing is unknown.
        case unknown
        /// No document on the responding shards has a routing value, but some shards did not respond.
        case unseen(RequestFailure)
    }

    private struct State {
        var isCustom: Bool
        var isForbidden = false
        /// Whether this run has written documents with a routing value.
        var hasWritten = false
        /// Whether the engine refused a refresh that would make earlier writes visible to searches.
        var isStale = false
        /// The refresh that makes writes from before this run visible to searches.
        var refresh: Task<Result<Void, RequestFailure>, Never>?
        /// The results of the search without a refresh (`false`) and of the search after a refresh (`true`).
        var answers: [Bool: Task<Result<Use, RequestFailure>, Never>] = [:]
    }

    private let state: Mutex<State>
    let scope: RoutingScope

    init(_ scope: RoutingScope) {
        self.scope = scope
        state = Mutex(State(isCustom: scope.isRouted))
    }

    /// Whether documents are known to have their own routing values.
    var isCustom: Bool { state.withLock { $0.isCustom } }

    /// Whether we lack the permission to search for documents on shards other than those that their IDs determine.
    var isForbidden: Bool { state.withLock { $0.isForbidden } }

    /// Whether this run has written documents with a routing value, which searches may not see yet.
    var hasWritten: Bool { state.withLock { $0.hasWritten } }

    /// Records that the index requires a routing value, or that the input provides one.
    func noteCustom(isWritten: Bool = false) {
        state.withLock { state in
            state.isCustom = true
            if isWritten { state.hasWritten = true }
        }
    }

    /// Whether searches may have missed recent writes.
    var isStale: Bool { state.withLock { $0.isStale } }

    /// Records that we lack the permission to search.
    func noteForbidden() { state.withLock { $0.isForbidden = true } }

    /// Makes earlier writes visible to searches; returns whether this call refreshed the index.
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

    /// Makes all writes visible to searches, if we have the permission to refresh.
    func refresh(in cluster: Cluster) async throws(RequestFailure) {
        do throws(RequestFailure) {
            _ = try await cluster.reply(to: EngineRequest(.post, EnginePath(scope.placing.rawValue, "_refresh")))
        } catch {
            // Without the permission to refresh, or if the index is blocked, searches may miss recent writes.
            guard error.status == 403 else { throw error }
            state.withLock { $0.isStale = true }
        }
    }

    /// Determines whether any document of the index has a routing value.
    private func routingUse(in cluster: Cluster, refreshing: Bool) async -> Result<Use, RequestFailure> {
        do throws(RequestFailure) {
            if refreshing { try await refresh(in: cluster) }
            return .success(try await cluster.routingUse(in: scope))
        } catch {
            // A proxy or a role may prevent searches.
            guard let status = error.status, [400, 403, 404, 405].contains(status),
                error.errorReply?.kind != .missingCollection
            else { return .failure(error) }
            return .success(.unknown)
        }
    }

    /// Returns how the index places documents, according to the documents visible to searches.
    func use(in cluster: Cluster) async throws(RequestFailure) -> Use {
        try await answer(in: cluster, refreshing: scope.isSeldomRefreshed)
    }

    /// Returns how the index places documents, refreshing it first, because a document that was not found may be too
    /// new to be visible to searches.
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
            // Forget the result, because all shards may respond next time.
            case .success(.unseen), .failure: state.answers[refreshing] = nil
            }
        }
        return try result.get()
    }
}

/// The names used to write and search a collection's documents, and the routing value that an alias adds.
struct RoutingScope: Hashable, Sendable {
    /// The name for requests that write or look up documents; an alias with a routing value would refuse any other
    /// routing value.
    let placing: CollectionName
    /// The name for searches; an alias with a routing value shows only its part of the index.
    let searching: CollectionName
    /// The routing value that an alias gives to documents written through it.
    var byDefault: Routing?
    /// Whether an alias has a routing value, for writing or searching.
    var isRouted = false
    /// Whether all documents are on one shard, so each is found by its ID.
    var isOneShard = false
    /// Whether documents may become visible to searches much more than a second after they were written.
    var isSeldomRefreshed = false

    /// Creates the scope of a collection without its own routing value.
    init(_ name: CollectionName, _ binding: IndexBinding) {
        placing = name
        // If there are several indices, only the one that receives additions is used.
        searching = binding.isSingle ? name : binding.aliasFacts.writeIndex.map { CollectionName($0) } ?? name
        let settings = binding.settings
        isOneShard = binding.isSingle && settings["index.number_of_shards"] == "1"
        isSeldomRefreshed = !["1s", nil].contains(settings["index.refresh_interval"])
    }

    /// Creates the scope of an alias with a routing value, which refers to one index.
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
    /// Returns the names and the routing value for requests about the documents of `name`.
    ///
    /// If we lack the permission to see an alias, requests use its name, and the engine itself adds the routing value.
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

    /// Searches for documents with a routing value, and returns how the index places documents.
    fileprivate func routingUse(in scope: RoutingScope) async throws(RequestFailure) -> RoutingWatch.Use {
        let path = EnginePath(scope.searching.rawValue, "_search").with("size", "0").with("terminate_after", "1")
            .with("filter_path", "_shards.total,_shards.successful,timed_out,hits.total")
        let query = Array(#"{"track_total_hits":1,"query":{"exists":{"field":"_routing"}}}"#.utf8)
        let reply = try await reply(to: .reading(path, query))
        let answer = try reply.json()
        guard let total = answer["hits"]["total"]["value"].int ?? answer["hits"]["total"].int else {
            throw RequestFailure.unreadable(reply, "it does not count documents with a routing value")
        }
        if total > 0 { return .custom }
        if let partial = answer.missingShards(in: reply) { return .unseen(partial) }
        return .byID
    }
}

extension EngineReply {
    /// Parses the body of a small reply as JSON.
    func json() throws(RequestFailure) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(body)
        } catch {
            throw RequestFailure.unreadable(self, "it is not valid JSON: \(error)")
        }
    }
}

extension JSONValue {
    /// Returns the failure of a search if some shards did not respond; `nil` if all did.
    func missingShards(in reply: EngineReply) -> RequestFailure? {
        let (total, successful) = (self["_shards"]["total"].int, self["_shards"]["successful"].int)
        guard let total, let successful, successful >= total, self["timed_out"].bool != true else {
            let count = (total ?? 1) - (successful ?? 0)
            return .unreadable(reply, "\(Quantity(count, "shard", "shards")) did not answer the search")
        }
        return nil
    }
}

/// A search for documents by ID on all shards of an index.
struct RoutingLookup {
    let cluster: Cluster
    let watch: RoutingWatch

    /// The maximum number of IDs in one search.
    private static let pageSize = 1_000
    /// The number of additional hits requested on a page, because several documents may have the same ID.
    private static let spare = 100

    /// Returns the routing value of each document that has one of `ids`.
    ///
    /// The routing value is `nil` for a document without one. IDs without a document are omitted from the result.
    ///
    /// Searches lag behind writes, so the index is refreshed before an expected document is reported as missing, and
    /// before several documents are reported to have the same ID.
    func routings(
        of ids: [DocumentID],
        isExpected: Bool = true
    ) async throws(RequestFailure) -> [DocumentID: [Routing?]] {
        guard !ids.isEmpty else { return [:] }
        let isFresh = try await watch.refreshOnce(in: cluster)
        var found = try await search(for: ids)
        let doubtful = ids.filter { id in
            guard let routings = found[id] else { return isExpected }
            return routings.count > 1
        }
        guard !isFresh, !doubtful.isEmpty else { return found }
        for id in doubtful { found[id] = nil }
        found.merge(try await freshRoutings(of: doubtful)) { _, new in new }
        return found
    }

    /// Returns the same result as ``routings(of:isExpected:)``, but always after a refresh.
    func freshRoutings(of ids: [DocumentID]) async throws(RequestFailure) -> [DocumentID: [Routing?]] {
        guard !ids.isEmpty else { return [:] }
        try await watch.refresh(in: cluster)
        return try await search(for: ids)
    }

    private func search(for ids: [DocumentID]) async throws(RequestFailure) -> [DocumentID: [Routing?]] {
        var found: [DocumentID: [Routing?]] = [:]
        var rest = Array(Set(ids))[...]
        var size = Self.pageSize
        while !rest.isEmpty {
            let page = rest.prefix(size)
            let limit = page.count + Self.spare
            let hits = try await hits(for: page, limit: limit)
            if hits.count >= limit, page.count > 1 {
                // Many documents share IDs: request fewer IDs, to leave room for more documents per ID.
                size = max(1, page.count / 2)
                continue
            }
            for hit in hits { found[hit.id, default: []].append(hit.routing) }
            rest = rest.dropFirst(page.count)
        }
        return found
    }

    private func hits(for ids: ArraySlice<DocumentID>, limit: Int) async throws(RequestFailure) -> [DocumentKey] {
        var path = EnginePath(watch.scope.searching.rawValue, "_search").with("size", "\(limit)")
        path = path.with("allow_partial_search_results", "false")
        path = path.with("filter_path", "_shards.total,_shards.successful,timed_out,hits.hits._id,hits.hits._routing")
        let reply: EngineReply
        do throws(RequestFailure) {
            reply = try await cluster.reply(to: .reading(path, Self.body(ids)))
        } catch {
            if error.status == 403 { watch.noteForbidden() }
            throw error
        }
        let answer = try reply.json()
        if let partial = answer.missingShards(in: reply) { throw partial }
        let asked = Set(ids)
        var hits: [DocumentKey] = []
        for hit in answer["hits"]["hits"].elements {
            guard let text = hit["_id"].text, let id = try? DocumentID(text), asked.contains(id) else {
                throw RequestFailure.unreadable(reply, "it contains a document that was not requested")
            }
            hits.append(DocumentKey(id, routing: hit["_routing"].text.flatMap { Routing($0) }))
        }
        return hits
    }

    private static func body(_ ids: ArraySlice<DocumentID>) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("_source", false)
            writer.member("track_total_hits", false)
            writer.object("query") { writer in
                writer.object("ids") { writer in
                    writer.array("values") { writer in for id in ids { writer.value(utf8: id.utf8) } }
                }
            }
        }
    }
}

/// The places of a batch's documents.
struct BatchRoutes: Sendable {
    /// The place of one document.
    enum Place: Hashable {
        /// On the shard determined by this routing value or, if it is `nil`, by the ID.
        case at(Routing?)
        /// On no shard, according to searches; a new document gets this routing value.
        case nowhere(Routing?)
        /// At several places, so the ID alone is ambiguous.
        case several([Routing?])
    }

    /// The routing values of the documents found, by ID; `nil` if no search was needed.
    private let found: [DocumentID: [Routing?]]?
    private let byDefault: Routing?

    /// Returns the routes of documents that are placed by their IDs, or by a routing value that an alias gives to all
    /// of them.
    static func byID(_ scope: RoutingScope) -> BatchRoutes { BatchRoutes(found: nil, byDefault: scope.byDefault) }

    init(found: [DocumentID: [Routing?]]?, byDefault: Routing?) {
        (self.found, self.byDefault) = (found, byDefault)
    }

    /// Whether documents without a given routing value were searched for on all shards.
    var areSought: Bool { found != nil }

    /// Whether a search found a document with this ID.
    func isFound(_ id: DocumentID) -> Bool { found?[id] != nil }

    /// Returns the same routes, but with another search's results for `ids`.
    func replacing(_ routings: [DocumentID: [Routing?]], of ids: [DocumentID]) -> BatchRoutes {
        var all = found ?? [:]
        for id in ids { all[id] = routings[id] }
        return BatchRoutes(found: all, byDefault: byDefault)
    }

    /// Returns the place of a document: the place given by the input, or otherwise the place where the document was
    /// found.
    func place(of id: DocumentID, given routing: Routing?) -> Place {
        if routing != nil { return .at(routing) }
        guard let found else { return .at(byDefault) }
        guard let routings = found[id], let first = routings.first else { return .nowhere(byDefault) }
        return routings.count == 1 ? .at(first) : .several(routings)
    }

    /// Returns the keys to look up for a key: one for each known routing value of its ID.
    func keys(for key: DocumentKey) -> [DocumentKey] {
        switch place(of: key.id, given: key.routing) {
        case .at(let routing), .nowhere(let routing): [DocumentKey(key.id, routing: routing)]
        case .several(let routings): routings.map { DocumentKey(key.id, routing: $0) }
        }
    }
}

extension DocumentFailure {
    /// Returns the failure of an operation without a routing value, although the index requires one.
    static func routingRequired(_ words: String) -> DocumentFailure {
        DocumentFailure(
            .routingRequired,
            "\(words); specify the document's routing in an envelope, or with --routing-field or --routing-column"
        )
    }
}

extension DocumentFailure.Code {
    /// The code of a failure because the index requires a routing value, but neither the input nor the index provides
    /// one.
    static let routingRequired = Self(rawValue: "routing-required")
}

extension ErrorReply {
    /// The engine's error type for a request without a routing value, although the index requires one.
    static let routingMissing = "routing_missing_exception"
}

extension OpenSearchCollection {
    var lookup: RoutingLookup { RoutingLookup(cluster: cluster, watch: routing) }

    /// Determines the places of a batch's documents from their IDs, unless documents have their own routing values.
    func routes(of items: [ContentBatch.Item]) async throws(RequestFailure) -> BatchRoutes {
        let items = items.span
        var (isGiven, isAdding, isAsked) = (false, false, false)
        for place in items.indices {
            if items[place].operation.routing != nil { isGiven = true } else { isAsked = true }
            if items[place].operation.kind == .add { isAdding = true }
        }
        if isGiven { routing.noteCustom(isWritten: isAdding) }
        guard isAsked else { return BatchRoutes(found: [:], byDefault: routing.scope.byDefault) }
        // On a single shard, each document is found by its ID, but a replacement would lose its routing value.
        let byID = BatchRoutes.byID(routing.scope)
        guard isAdding || routing.isCustom || !routing.scope.isOneShard else { return byID }
        guard case .custom = try await routing.use(in: cluster) else { return byID }
        var ids: [DocumentID] = []
        for place in items.indices where items[place].operation.routing == nil {
            ids.append(items[place].operation.documentID)
        }
        // When documents are added, most do not exist yet, so a refresh is worthwhile only if this run has written
        // routed documents.
        let isExpected = !isAdding || routing.hasWritten
        do throws(RequestFailure) {
            let found = try await lookup.routings(of: ids, isExpected: isExpected)
            return BatchRoutes(found: found, byDefault: routing.scope.byDefault)
        } catch {
            guard routing.isForbidden else { throw error }
            return byID
        }
    }

    /// Checks a reply that reports missing documents, because a document that is missing at one place may be at
    /// another.
    func confirmed(_ reply: BatchReply, to batch: ContentBatch, _ routes: BatchRoutes) async -> BatchReply {
        guard case .results(var results) = reply, results.count == batch.items.count else { return reply }
        var (absent, unrouted): ([Int], [Int]) = ([], [])
        for place in results.indices {
            switch results[place] {
            case .done(.missing), .done(.gone): absent.append(place)
            case .failed(let failure) where failure.code == .routingRequired: unrouted.append(place)
            default: break
            }
        }
        guard !absent.isEmpty || !unrouted.isEmpty else { return reply }
        do throws(RequestFailure) {
            if routes.areSought {
                for place in unrouted where batch.items[place].operation.kind != .add {
                    results[place] = .done(.missing)
                }
                try await confirm(absent, batch.items, routes, &results)
            } else if try await isWorthAnotherLook(isDemanded: !unrouted.isEmpty) {
                return await again(absent + unrouted, of: batch, results)
            }
        } catch {
            if routing.isForbidden { return .results(results) }
            // None of these operations was carried out, and it is unknown whether the documents are missing.
            let failure = BatchFailure(error).failure
            for place in absent + unrouted { results[place] = .notNow(failure) }
        }
        return .results(results)
    }

    /// Returns whether documents that are missing at the places determined by their IDs may be at other places.
    func isWorthAnotherLook(isDemanded: Bool) async throws(RequestFailure) -> Bool {
        if routing.isForbidden { return false }
        if isDemanded { routing.noteCustom() }
        if routing.isCustom { return true }
        if routing.scope.isOneShard { return false }
        switch try await routing.useAfterRefresh(in: cluster) {
        case .custom: return true
        case .byID, .unknown: return false
        case .unseen(let failure): throw failure
        }
    }

    /// Applies operations again, after documents turned out to have their own routing values.
    private func again(_ places: [Int], of batch: ContentBatch, _ results: [OperationResult]) async -> BatchReply {
        let places = places.sorted()
        let items = places.map { batch.items[$0] }
        let part = batch.replacing(items, job: batch.job)
        var results = results
        switch await apply(part) {
        case .results(let found): for (place, result) in zip(places, found) { results[place] = result }
        case .failed(let failure):
            let result: OperationResult =
                switch failure.kind {
                case .ambiguous, .split(mayHaveApplied: true): .unknown(failure.failure)
                default: .notNow(failure.failure)
                }
            for place in places { results[place] = result }
        }
        return .results(results)
    }

    /// Searches for documents that were missing at the place given by the input or an earlier search.
    private func confirm(
        _ absent: [Int],
        _ items: [ContentBatch.Item],
        _ routes: BatchRoutes,
        _ results: inout [OperationResult]
    ) async throws(RequestFailure) {
        let suspects = absent.filter { place in
            let operation = items[place].operation
            if case .at = routes.place(of: operation.documentID, given: operation.routing) { return true }
            return false
        }
        let routings = try await lookup.freshRoutings(of: suspects.map { items[$0].operation.documentID })
        let keys = suspects.flatMap { place in
            let id = items[place].operation.documentID
            return (routings[id] ?? []).map { DocumentKey(id, routing: $0) }
        }
        // A search may still return documents that have been removed, but a lookup does not.
        let there = try await present(keys)
        for place in suspects {
            let operation = items[place].operation
            let found = (routings[operation.documentID] ?? []).filter {
                there.contains(DocumentKey(operation.documentID, routing: $0))
            }
            guard !found.isEmpty else { continue }
            let failure = DocumentFailure.elsewhere(operation.routing, found)
            results[place] = operation.routing == nil ? .outdated(failure) : .failed(failure)
        }
    }
}
