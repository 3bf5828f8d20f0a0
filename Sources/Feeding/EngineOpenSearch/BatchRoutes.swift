import ContentFeeding
import EngineHTTP

/// Where the documents of a batch lie.
struct BatchRoutes: Sendable {
    /// Where one document lies.
    enum Place: Hashable {
        /// At this routing, or where its ID says.
        case at(Routing?)
        /// On no shard, as far as searches see; a new one goes to this routing.
        case nowhere(Routing?)
        /// At several places: the ID alone names none of them.
        case several([Routing?])
    }

    /// The routings of the documents found, by ID; `nil` if nothing was searched for.
    private let found: [DocumentID: [Routing?]]?
    private let byDefault: Routing?

    /// Documents lie where their IDs say, or where an alias puts all of them.
    static func byID(_ scope: RoutingScope) -> BatchRoutes { BatchRoutes(found: nil, byDefault: scope.byDefault) }

    init(found: [DocumentID: [Routing?]]?, byDefault: Routing?) {
        (self.found, self.byDefault) = (found, byDefault)
    }

    /// Whether documents without a given routing were searched for on all shards.
    var areSought: Bool { found != nil }

    /// Returns where a document lies: where the input says, or else where it was found.
    func place(of id: DocumentID, given routing: Routing?) -> Place {
        if routing != nil { return .at(routing) }
        guard let found else { return .at(byDefault) }
        guard let routings = found[id], let first = routings.first else { return .nowhere(byDefault) }
        return routings.count == 1 ? .at(first) : .several(routings)
    }

    /// Returns the documents to look up for a key: as many as have its ID.
    func keys(for key: DocumentKey) -> [DocumentKey] {
        switch place(of: key.id, given: key.routing) {
        case .at(let routing), .nowhere(let routing): [DocumentKey(key.id, routing: routing)]
        case .several(let routings): routings.map { DocumentKey(key.id, routing: $0) }
        }
    }
}

extension DocumentFailure {
    /// The failure of an operation on an ID that several documents have.
    static func ambiguous(_ routings: [Routing?]) -> DocumentFailure {
        DocumentFailure(
            .rejectedByEngine,
            "\(routings.count) documents have this ID, \(named(routings)); give the routing of the one that is meant"
        )
    }

    /// The failure of an operation on a document that lies elsewhere than the input says.
    static func elsewhere(_ given: Routing?, _ routings: [Routing?]) -> DocumentFailure {
        DocumentFailure(
            .rejectedByEngine,
            "no document with this ID has the routing '\(given?.text ?? "")', but there is one \(named(routings))"
        )
    }

    private static func named(_ routings: [Routing?]) -> String {
        let names = routings.map { $0.map { "'\($0)'" } ?? "none" }.sorted()
        let more = names.count > maximumNamed ? ", …" : ""
        return "with the routing \(names.prefix(maximumNamed).joined(separator: " and "))\(more)"
    }

    private static let maximumNamed = 10
}

extension DocumentFailure {
    /// The failure of an operation without the routing that the index demands.
    static func routingRequired(_ words: String) -> DocumentFailure {
        DocumentFailure(
            .routingRequired,
            "\(words); give the document's routing, in an envelope or with --routing-field or --routing-column"
        )
    }
}

extension DocumentFailure.Code {
    /// The index demands a routing, and neither the input nor the index gives one.
    static let routingRequired = Self(rawValue: "routing-required")
}

extension ErrorReply {
    /// The engine's name for a request without a routing that the index demands.
    static let routingMissing = "routing_missing_exception"
}

extension OpenSearchCollection {
    var lookup: RoutingLookup { RoutingLookup(cluster: cluster, watch: routing) }

    /// Determines where a batch's documents lie: by their IDs, unless documents have routings of their own.
    func routes(of items: [ContentBatch.Item]) async throws(RequestFailure) -> BatchRoutes {
        let items = items.span
        var (isGiven, isAdding, isAsked) = (false, false, false)
        for place in items.indices {
            if items[place].operation.routing != nil { isGiven = true } else { isAsked = true }
            if items[place].operation.kind == .add { isAdding = true }
        }
        if isGiven { routing.noteCustom(isWritten: isAdding) }
        guard isAsked else { return BatchRoutes(found: [:], byDefault: routing.scope.byDefault) }
        // On one shard each document is found by its ID; but one that replaces it would lose its routing.
        let byID = BatchRoutes.byID(routing.scope)
        guard isAdding || routing.isCustom || !routing.scope.isOneShard else { return byID }
        guard case .custom = try await routing.use(in: cluster) else { return byID }
        var ids: [DocumentID] = []
        for place in items.indices where items[place].operation.routing == nil {
            ids.append(items[place].operation.documentID)
        }
        // Most documents to add are not there yet, and this run knows where it has put the others.
        let isExpected = !isAdding || routing.hasWritten
        do throws(RequestFailure) {
            let found = try await lookup.routings(of: ids, isExpected: isExpected)
            return BatchRoutes(found: found, byDefault: routing.scope.byDefault)
        } catch {
            guard routing.isForbidden else { throw error }
            return byID
        }
    }

    /// Checks a reply by which documents are missing: one that is missing where it was looked for may lie elsewhere.
    func confirmed(
        _ reply: BatchReply,
        to batch: ContentBatch,
        _ routes: BatchRoutes
    ) async -> BatchReply {
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
            // Nothing of these was done, and whether they are missing is not known.
            let failure = BatchFailure(error).failure
            for place in absent + unrouted { results[place] = .notNow(failure) }
        }
        return .results(results)
    }

    /// Returns whether documents that are missing at the places of their IDs may lie elsewhere.
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

    /// Applies operations once more, now that documents are known to have routings of their own.
    private func again(_ places: [Int], of batch: ContentBatch, _ results: [OperationResult]) async -> BatchReply {
        let places = places.sorted()
        let part = ContentBatch(id: batch.id, items: places.map { batch.items[$0] }, job: batch.job)
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

    /// Looks for documents that were missing where the input or an earlier search said they are.
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
        // A search may still show what is gone; a lookup does not.
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
