import CollectionSync
import ContentFeeding
import JobJournal
import Synchronization

/// A process that ends during one of the calls to its store.
final class MortalCopy: LocalCopy {
    enum Death: Hashable, Sendable {
        case beforeSettling
        case afterSettling
        case beforeAbsorbing(Int)
        case afterAbsorbing(Int)
    }

    struct Died: Error {}

    private let copy: any LocalCopy
    private let death = Mutex<Death?>(nil)
    private let pages = Mutex(0)

    init(_ copy: any LocalCopy) { self.copy = copy }

    var collection: CollectionName { copy.collection }

    func die(at death: Death?) {
        self.death.withLock { $0 = death }
        pages.withLock { $0 = 0 }
    }

    private func dies(_ place: Death) throws(EngineError) {
        guard death.withLock({ $0 == place }) else { return }
        throw EngineError(.cancelled, "died")
    }

    func lock() throws(JobError) -> JobLock { try copy.lock() }
    func status() async throws(EngineError) -> CopyStatus { try await copy.status() }

    func queued(after number: Int64, limit: Int, maximumBytes: Int) async throws(EngineError) -> [QueuedOperation] {
        try await copy.queued(after: number, limit: limit, maximumBytes: maximumBytes)
    }

    func absorb(_ documents: [OriginDocument], _ bookmark: CopyBookmark?) async throws(EngineError) -> CopyChanges {
        let page = pages.withLock { pages in
            pages += 1
            return pages
        }
        try dies(.beforeAbsorbing(page))
        let changes = try await copy.absorb(documents, bookmark)
        try dies(.afterAbsorbing(page))
        return changes
    }

    func lease(_ operations: [QueuedOperation]) async throws(EngineError) { try await copy.lease(operations) }

    func settle(_ pushed: [PushedOperation]) async throws(EngineError) {
        try dies(.beforeSettling)
        try await copy.settle(pushed)
        try dies(.afterSettling)
    }

    func rebase(_ operations: [PushedOperation]) async throws(EngineError) { try await copy.rebase(operations) }

    func resolve(_ conflicts: [ResolvedConflict], recordedIn job: JobID?) async throws(EngineError) {
        try await copy.resolve(conflicts, recordedIn: job)
    }

    func discard(_ ids: [DocumentID]?) async throws(EngineError) -> [DocumentID] { try await copy.discard(ids) }

    func mark(_ documents: [DocumentKey], listing: Int64) async throws(EngineError) -> [DocumentKey] {
        try await copy.mark(documents, listing: listing)
    }

    func sweep(listing: Int64, limit: Int) async throws(EngineError) -> Int {
        try await copy.sweep(listing: listing, limit: limit)
    }

    func beginListing() async throws(EngineError) -> Int64 { try await copy.beginListing() }
    func note(_ bookmark: CopyBookmark) async throws(EngineError) { try await copy.note(bookmark) }
    func forgetVersions() async throws(EngineError) { try await copy.forgetVersions() }
    func empty() async throws(EngineError) -> Int { try await copy.empty() }
}
