import ContentFeeding
import Synchronization

/// A collection that is a list in the order of its changes, and that other clients change while one of its pages is
/// read.
final class ListCollection: VersionedEngine {
    private struct Contents {
        var documents: [VersionedDocument] = []
        var last: Int64 = 0
        var pages = 0
        var spoiled: Set<DocumentID> = []
    }

    let collection: CollectionName = "list"
    let capabilities = EngineCapabilities()
    private let contents = Mutex(Contents())
    private let pageCount: Int
    /// Called before each page is read, with its number.
    private let meddle: @Sendable (Int, ListCollection) throws -> Void

    init(pageCount: Int = 4, _ meddle: @escaping @Sendable (Int, ListCollection) throws -> Void = { _, _ in }) {
        (self.pageCount, self.meddle) = (pageCount, meddle)
    }

    func put(_ id: DocumentID, _ json: String) {
        contents.withLock { contents in
            contents.documents.removeAll { $0.id == id }
            contents.last += 1
            let version = DocumentVersion(rawValue: "\(contents.last)")
            contents.documents.append(VersionedDocument(id: id, version: version, json: Array(json.utf8)))
        }
    }

    func drop(_ id: DocumentID) { contents.withLock { $0.documents.removeAll { $0.id == id } } }

    /// Makes a document unreadable.
    func spoil(_ id: DocumentID) { contents.withLock { _ = $0.spoiled.insert(id) } }

    func state() async throws(EngineError) -> CollectionState {
        contents.withLock { contents in
            let part = CollectionPart(name: "all", history: "1", last: contents.last, readable: contents.last)
            return CollectionState(identity: "list", parts: [part], contents: "\(contents.documents.count)")
        }
    }

    func settle() async throws(EngineError) {}

    func changes(
        of query: SearchQuery,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> ChangePage {
        let page = contents.withLock { contents in
            contents.pages += 1
            return contents.pages
        }
        do { try meddle(page, self) } catch { throw EngineError(.unreachable, "\(error)") }
        return contents.withLock { contents in
            let rest = contents.documents.filter { Self.number($0) > place && Self.number($0) <= part.readable }
            let documents = Array(rest.prefix(pageCount))
            let reached = documents.last.map(Self.number) ?? part.readable
            let isLast = documents.count == rest.count
            let readable = documents.filter { !contents.spoiled.contains($0.id) }
            var page = ChangePage(documents: readable, place: reached, isLast: isLast)
            page.unreadable = documents.filter { contents.spoiled.contains($0.id) }.map(Self.flawed)
            return page
        }
    }

    private static func number(_ document: VersionedDocument) -> Int64 { Int64(document.version.rawValue) ?? 0 }

    func count(of query: SearchQuery) async throws(EngineError) -> Int? { contents.withLock { $0.documents.count } }

    func versions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionAnswer] {
        contents.withLock { contents in
            keys.map { key -> VersionAnswer in
                let document = contents.documents.first { $0.id == key.id }
                guard let document, contents.spoiled.contains(key.id) else { return VersionAnswer(document) }
                return .unreadable(Self.flawed(document))
            }
        }
    }

    private static func flawed(_ document: VersionedDocument) -> UnreadableDocument {
        UnreadableDocument(DocumentKey(document.id), bytes: Array("{/**/}".utf8), reason: "a comment")
    }

    // MARK: Not used by a comparison

    func apply(_ batch: ContentBatch) async -> BatchReply { .results([]) }
    func raise(to level: CompletionLevel) async throws(EngineError) {}
    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] { ids.map { _ in false } }
    func count() async throws(EngineError) -> Int { contents.withLock { $0.documents.count } }

    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        DocumentPage(documents: [], looked: ids.count)
    }

    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        SearchPage(documents: [], next: nil)
    }
}
