@testable import ContentFeeding

/// An engine whose every whim comes from a seed: it loses requests and replies, answers late, and lets copies of a
/// request take effect long after its client gave it up.
struct SimulatedEngine {
    /// Which documents are there.
    private(set) var present: Set<DocumentID> = []
    /// The last operation that took effect on each document.
    private(set) var lastApplied: [DocumentID: OperationID] = [:]
    /// Removals that found their document.
    private(set) var effective: Set<OperationID> = []
    /// How often each operation took effect.
    private(set) var applications: [OperationID: Int] = [:]
    /// What a transactional engine stores with the batch.
    private(set) var storedProgress: FeedProgress?
    private(set) var tally = FeedCounts()
    /// All operations that any batch's progress called settled.
    private(set) var stored: Set<UInt64> = []
    /// Operations that took effect after a later one on the same document: must stay empty.
    private(set) var overtaken: [OperationID] = []

    mutating func put(_ id: DocumentID) { present.insert(id) }

    /// Lets one operation happen, and says what an honest engine would answer.
    mutating func apply(_ item: ContentBatch.Item) -> OperationResult {
        let document = item.operation.documentID
        if let last = lastApplied[document], last > item.id { overtaken.append(item.id) }
        lastApplied[document] = max(lastApplied[document] ?? item.id, item.id)
        applications[item.id, default: 0] += 1
        let wasPresent = present.contains(document)
        switch item.operation.kind {
        case .remove:
            present.remove(document)
            if wasPresent { effective.insert(item.id) }
            return .done(wasPresent ? .removed : .missing)
        case .add:
            present.insert(document)
            return .done(wasPresent ? .updated : .added)
        case .update:
            return .done(wasPresent ? .updated : .missing)
        }
    }

    /// Applies a batch and its progress as one.
    mutating func applyWithProgress(_ batch: ContentBatch) -> [OperationResult] {
        let results = batch.items.map { apply($0) }
        for case .done(let outcome) in results { tally[outcome] += 1 }
        guard let progress = batch.progress else { return results }
        stored.formUnion((1...progress.lastNamed).filter { progress.isSettled(OperationID(rawValue: $0)) })
        if progress.firstOperation >= storedProgress?.firstOperation ?? .first { storedProgress = progress }
        return results
    }
}

extension FeedProgress {
    /// The last operation that it says anything of.
    fileprivate var lastNamed: UInt64 { max(lowestUnsettled.rawValue + UInt64(settled.count * 8), 1) }
}

extension SimulatedEngine {
    /// The stored progress as the state to resume from.
    var storedState: JournalState? {
        guard var progress = storedProgress else { return nil }
        let lowest = (1...).first { !stored.contains($0) } ?? 1
        progress.lowestUnsettled = OperationID(rawValue: lowest)
        let ahead = stored.filter { $0 > lowest }
        progress.settled = [UInt8](repeating: 0, count: Int(((ahead.max() ?? lowest) - lowest) >> 3) + 1)
        for number in ahead { progress.settled[Int(number - lowest) >> 3] |= 1 << UInt8((number - lowest) & 7) }
        // What the engine did not settle, the feeder gave up.
        var counts = tally
        counts[.failed] += stored.count - tally.settled
        return JournalState(progress, counts: counts, inputBeforeOffset: InputTally(lines: Int(progress.offset.byte)))
    }
}
