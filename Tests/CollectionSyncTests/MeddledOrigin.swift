import CollectionSync
import ContentFeeding
import Synchronization
import TestSupport

/// An origin in which an event occurs during one of the requests of a pull or push.
final class MeddledOrigin: ForwardingVersionedEngine {
    /// A request to the origin, with the number of previous requests of the same kind.
    enum Request: Hashable, Sendable {
        case state(Int)
        case changes(Int)
        case listing(Int)
        case versions(Int)
        case apply(Int)
    }

    /// Whether the name may refer to another collection at any time.
    final class History: Sendable {
        let name = Mutex<String?>(nil)
    }

    let engine: any VersionedEngine
    private let meddle: @Sendable (Request) async throws -> Void
    private let asked = Mutex<[String: Int]>([:])
    /// The history of each part, instead of the origin's own history.
    private let history: History
    /// Whether the origin behaves like a Solr core: it has no identity, and the changes in `late` appear late.
    private let isVague: Bool
    /// The versions that don't appear yet.
    let late = Mutex<Set<String>>([])
    /// The number of latest changes that can't be read yet.
    let unreplicated = Mutex<Int64>(0)
    /// The documents that can't be read.
    let unreadable = Mutex<Set<DocumentID>>([])
    /// Whether conditional operations are refused even if the document was not changed.
    private let refusesAll: Bool
    /// The positions after which changes were requested.
    let places = Mutex<[Int64]>([])

    /// `meddle` is called before each request is carried out; if it throws, the request fails.
    init(
        _ engine: any CollectionEngine,
        refusesAll: Bool = false,
        isVague: Bool = false,
        history: History = History(),
        _ meddle: @escaping @Sendable (Request) async throws -> Void = { _ in }
    ) throws {
        guard let versioned = engine as? any VersionedEngine else { throw EngineError(.unsupported, "no origin") }
        (self.engine, self.refusesAll, self.history, self.meddle) = (versioned, refusesAll, history, meddle)
        self.isVague = isVague
    }

    var applied: Int { asked.withLock { $0["apply", default: 0] } }

    private func number(_ name: String) -> Int {
        asked.withLock { asked in
            asked[name, default: 0] += 1
            return asked[name, default: 0]
        }
    }

    private func pass(_ request: Request) async throws(EngineError) {
        do {
            try await meddle(request)
        } catch let error as EngineError {
            throw error
        } catch {
            throw EngineError(.unusable, "\(error)")
        }
    }

    func state() async throws(EngineError) -> CollectionState {
        try await pass(.state(number("state")))
        var state = try await engine.state()
        if isVague {
            let count = try await engine.count() - late.withLock { $0.count }
            (state.identity, state.contents) = ("", String(count))
            for place in state.parts.indices {
                let last = count == 0 ? CollectionPart.beginning : state.parts[place].last
                (state.parts[place].last, state.parts[place].readable) = (last, last)
                state.parts[place].settled = max(CollectionPart.beginning, last - 3)
            }
        }
        let hidden = unreplicated.withLock { $0 }
        if hidden > 0 { for place in state.parts.indices { state.parts[place].readable -= hidden } }
        guard let history = history.name.withLock({ $0 }) else { return state }
        for place in state.parts.indices { state.parts[place].history = history }
        return state
    }

    func changes(
        of query: SearchQuery,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> ChangePage {
        places.withLock { $0.append(place) }
        try await pass(.changes(number("changes")))
        var page = try await engine.changes(of: query, in: part, after: place)
        let flawed = unreadable.withLock { $0 }
        page.unreadable = page.documents.filter { flawed.contains($0.id) }.map { Self.flawed($0.id) }
        page.documents.removeAll { flawed.contains($0.id) }
        page.documents.removeAll { document in late.withLock { $0.contains(document.version.rawValue) } }
        return page
    }

    func versions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionAnswer] {
        try await pass(.versions(number("versions")))
        let flawed = unreadable.withLock { $0 }
        return try await engine.versions(at: keys).map { answer -> VersionAnswer in
            guard let document = answer.document, flawed.contains(document.id) else { return answer }
            return .unreadable(Self.flawed(document.id))
        }
    }

    private static func flawed(_ id: DocumentID) -> UnreadableDocument {
        UnreadableDocument(DocumentKey(id), bytes: Array("{/**/}".utf8), reason: "a comment")
    }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        try? await pass(.apply(number("apply")))
        guard refusesAll else { return await engine.apply(batch) }
        return .results(batch.items.map { _ in .failed(.versionConflict("412 Precondition Failed")) })
    }

    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        if !query.includesDocuments { try await pass(.listing(number("listing"))) }
        return try await engine.find(query, after: cursor)
    }
}
