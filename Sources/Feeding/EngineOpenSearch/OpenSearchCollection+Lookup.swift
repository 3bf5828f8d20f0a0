import ContentFeeding
import EngineHTTP

/// Lookups by ID: at the places that IDs and routings give, and where documents have routings of their own that the
/// caller does not know, wherever a search finds them.
extension OpenSearchCollection {
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        let page = try await get(at: ids.map { DocumentKey($0) }[...], maximumBytes: maximumBytes)
        return DocumentPage(documents: page.documents, looked: page.answers.count)
    }

    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        try await exists(at: ids.map { DocumentKey($0) })
    }

    func get(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        guard !keys.isEmpty else { return LookupPage(documents: [], answers: []) }
        try requireLookUp()
        let keys = Array(keys.prefix(Self.largestSlice))
        let entries: [KeyEntries]
        do throws(RequestFailure) {
            let routes = try await self.routes(of: keys)
            var found = try await self.entries(of: keys, routes ?? .byID(routing.scope), upTo: maximumBytes)
            // A document that is not where its ID says may lie elsewhere.
            if routes == nil, let routes = try await self.routes(ofMissed: found.filter(\.isMissed)) {
                found = try await self.entries(of: keys, routes, upTo: maximumBytes)
            }
            entries = found
        } catch {
            throw await cluster.error(error, about: collection)
        }
        var page = LookupPage(documents: [], answers: [])
        for entry in entries {
            let documents = try documents(of: entry)
            page.documents += documents
            page.answers.append(!documents.isEmpty)
        }
        return page
    }

    func exists(at keys: [DocumentKey]) async throws(EngineError) -> [Bool] {
        guard !keys.isEmpty else { return [] }
        try requireLookUp()
        var answers: [Bool] = []
        var rest = keys[...]
        while !rest.isEmpty {
            let slice = Array(rest.prefix(Self.largestSlice))
            let found: [KeyEntries]
            do throws(RequestFailure) {
                found = try await presence(ofEach: slice)
            } catch {
                throw await cluster.error(error, about: collection)
            }
            for entry in found {
                try check(entry)
                answers.append(!entry.isMissed)
            }
            rest = rest.dropFirst(slice.count)
        }
        return answers
    }

    func lookupReservation() async -> String? {
        guard !routing.scope.isOneShard else { return nil }
        if routing.isStale, !routing.isForbidden {
            return
                "where searches show them; a document with a routing of its own that was written a moment before may "
                + "have been overlooked, because the engine refused to refresh '\(collection)'"
        }
        guard routing.isForbidden else { return nil }
        return "where their IDs place them; documents with a routing of their own were not looked for, because these "
            + "credentials may not search '\(collection)'"
    }

    /// Returns which of `keys` a lookup finds at their places.
    func present(_ keys: [DocumentKey]) async throws(RequestFailure) -> Set<DocumentKey> {
        guard !keys.isEmpty else { return [] }
        return Set(zip(keys, try await presence(of: keys[...])).filter { $0.1.isThere }.map(\.0))
    }

    private func presence(ofEach keys: [DocumentKey]) async throws(RequestFailure) -> [KeyEntries] {
        let places = keys.map { DocumentKey($0.id, routing: $0.routing ?? routing.scope.byDefault) }
        var found = zip(keys, try await presence(of: places[...])).map { KeyEntries(key: $0, entries: [$1]) }
        let missed = found.indices.filter { found[$0].isMissed }
        guard let routes = try await routes(ofMissed: missed.map { found[$0] }) else { return found }
        let others = missed.flatMap { routes.keys(for: keys[$0]) }
        let there = try await present(others)
        for place in missed where routes.keys(for: keys[place]).contains(where: there.contains) {
            found[place].entries = [.foundWithoutSource]
        }
        return found
    }

    /// Reads the documents of the first of `keys`: of each all that have its ID, or none.
    private func entries(
        of keys: [DocumentKey],
        _ routes: BatchRoutes,
        upTo maximumBytes: Int
    ) async throws(RequestFailure) -> [KeyEntries] {
        let places = keys.map { routes.keys(for: $0) }
        let all = places.flatMap(\.self)
        var found = try await read(all[...], upTo: maximumBytes)
        var entries: [KeyEntries] = []
        var start = 0
        for (key, place) in zip(keys, places) where start < found.count {
            let end = start + place.count
            if end > found.count { found += try await read(all[found.count..<end], upTo: .max) }
            entries.append(KeyEntries(key: key, entries: Array(found[start..<end])))
            start = end
        }
        return entries
    }

    /// Searches for documents whose routing is not known; `nil` if each lies where its ID says.
    private func routes(of keys: [DocumentKey]) async throws(RequestFailure) -> BatchRoutes? {
        guard keys.contains(where: { $0.routing == nil }) else { return nil }
        guard routing.isCustom || !routing.scope.isOneShard, case .custom = try await routing.use(in: cluster) else {
            return nil
        }
        return try await searched(keys)
    }

    /// Searches for documents that were not found where their IDs say; `nil` if there is nowhere else to look.
    private func routes(ofMissed missed: [KeyEntries]) async throws(RequestFailure) -> BatchRoutes? {
        guard missed.contains(where: { $0.key.routing == nil }) else { return nil }
        let isDemanded = missed.contains { $0.entries.contains(where: \.needsRouting) }
        guard try await isWorthAnotherLook(isDemanded: isDemanded) else { return nil }
        return try await searched(missed.map(\.key))
    }

    private func searched(_ keys: [DocumentKey]) async throws(RequestFailure) -> BatchRoutes? {
        let ids = keys.filter { $0.routing == nil }.map(\.id)
        do throws(RequestFailure) {
            return BatchRoutes(found: try await lookup.routings(of: ids), byDefault: routing.scope.byDefault)
        } catch {
            guard routing.isForbidden else { throw error }
            return nil
        }
    }

    private func documents(of found: KeyEntries) throws(EngineError) -> [StoredDocument] {
        try check(found)
        var documents: [StoredDocument] = []
        for entry in found.entries {
            switch entry {
            case .found(let document):
                documents.append(
                    StoredDocument(
                        id: found.key.id,
                        version: document.version,
                        routing: document.routing,
                        json: document.json
                    )
                )
            case .foundWithoutSource:
                throw EngineError(
                    .unsupported,
                    "'\(collection)': \(MultiGetReply.withoutSource)",
                    advice: "see _source in \(collection)/_mapping"
                )
            case .absent, .failed: continue
            }
        }
        return documents
    }

    /// Throws if a document could not be looked up; one without a routing that the index demands is absent.
    private func check(_ found: KeyEntries) throws(EngineError) {
        for case .failed(let type, let reason) in found.entries where type != ErrorReply.routingMissing {
            throw unreadable(found.key.id, type, reason)
        }
    }
}

/// What was found for one key: an entry for each place where its document may lie.
private struct KeyEntries {
    let key: DocumentKey
    var entries: [MultiGetReply.Entry]

    /// Whether there is no document at any of the places.
    var isMissed: Bool { entries.allSatisfy { $0 == .absent || $0.needsRouting } }
}

extension MultiGetReply.Entry {
    /// Whether the engine can't look the document up without its routing.
    fileprivate var needsRouting: Bool {
        if case .failed(ErrorReply.routingMissing, _) = self { true } else { false }
    }

    fileprivate var isThere: Bool {
        switch self {
        case .found, .foundWithoutSource: true
        case .absent, .failed: false
        }
    }
}
