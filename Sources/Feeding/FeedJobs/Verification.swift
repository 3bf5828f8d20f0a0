package import ContentFeeding
import FeedFormats
import Glibc
import JobJournal
import Synchronization
package import TextKit

/// The check of a feed's documents at its end: removed documents must be absent, updated documents must exist, and
/// added documents must match the documents that were sent; on request, updated ones must have the keys that were sent.
///
/// This is a class, because the feed's observer fills it, and it is queried at the end of the command.
final class Verification {
    private let kind: ContentOperation.Kind
    private let sampleSize: Int?
    private var spilled: SpilledIDs
    private var sample: Sample<DocumentKey>
    /// The expected contents; `nil` if only existence is checked.
    private let sent: SentContents?
    /// Whether contents that can't be compared are an error.
    private let demandsContents: Bool
    /// The last content of each document that is or was in the sample, by the hash of its key; `nil` if it is unknown.
    private var sampleContents: [Int: SentContent?] = [:]
    /// The documents that differ from those sent, by the hashes of their keys; the first of them are stored with their
    /// IDs.
    private var differing: [Int: (id: DocumentID?, difference: ContentDifference)] = [:]
    /// The number of keys of these differences.
    private var differingKeys = 0
    private var failure: SpillError?
    /// The hashes of the keys of all operations.
    private var hashes: RepeatedHashes
    /// The documents of several operations, by the hashes of their keys, which are counted only once.
    private var repeated = RecurringDocuments()
    /// Whether documents were removed among additions, so an added document may have been removed later.
    private var hasRemovals = false
    private var lookUp: PatientLookUp

    /// The maximum number of IDs looked up at once, and the maximum number of their bytes.
    private static let pageCount = 1000
    private static let pageBytes = 256 << 10
    /// The number of bytes of documents read at once, limited because documents may be large.
    private static let documentBytes = 1 << 20
    /// The maximum number of unreadable documents that are listed; all are counted.
    private static let maximumNamed = 100
    /// The maximum number of differing documents counted: their hashes are held in memory.
    private static let maximumDiffering = 1_000_000
    /// The maximum number of keys by which documents differ, if updates are compared; they are held in memory as well.
    private static let maximumDifferingKeys = 16_000_000
    /// The maximum number of documents with several operations that are recognized; they are held in memory as well.
    private static let maximumRepeated = 1_000_000

    init(
        _ scope: VerificationScope,
        of kind: ContentOperation.Kind,
        in store: BufferedOperations.Store,
        _ lookUp: PatientLookUp,
        comparingWith sent: SentContents? = nil,
        seed: UInt64 = .random(in: 0 ... .max)
    ) {
        self.kind = kind
        sampleSize = if case .sample(let size) = scope { size } else { nil }
        spilled = SpilledIDs(in: store)
        hashes = RepeatedHashes(in: store.space)
        self.lookUp = lookUp
        self.sent = sent
        demandsContents = scope == .content
        sample = Sample(of: sampleSize ?? 0, seed: seed)
    }

    /// Records the documents of operations that settled as intended.
    func note(_ event: FeedEvent) {
        guard case .settled(let outcomes) = event, failure == nil else { return }
        for outcome in outcomes {
            let content = sent?.take(outcome.operationID, isAdded: outcome.outcome == .added)
            guard isToVerify(outcome) else { continue }
            if kind != .remove, outcome.kind == .remove {
                hasRemovals = true
                continue
            }
            let key = DocumentKey(outcome.documentID, routing: outcome.routing)
            do throws(SpillError) {
                try hashes.note(Self.hash(of: key))
                if sampleSize == nil { try spilled.append(key, content) } else { offer(key, content) }
            } catch {
                failure = error
                return
            }
        }
    }

    /// Offers a document to the sample; if it is already in the sample, its expected contents are updated.
    private func offer(_ key: DocumentKey, _ content: SentContent?) {
        var isTaken = false
        func taken() -> DocumentKey {
            isTaken = true
            return key.detached()
        }
        sample.offer(taken())
        guard sent != nil else { return }
        let hash = key.hashValue
        if isTaken || sampleContents.keys.contains(hash) { sampleContents.updateValue(content, forKey: hash) }
    }

    private func isToVerify(_ outcome: OperationOutcome) -> Bool {
        switch outcome.outcome {
        case .removed, .missing, .gone: outcome.kind == .remove
        case .added, .updated, .noop: outcome.kind != .remove
        default: false
        }
    }

    /// Looks up the documents, unless the feed was stopped; `stop` is polled, and a non-`nil` reason ends the check
    /// early.
    func account(
        after end: FeedEnd?,
        _ engine: any CollectionEngine,
        stop: () -> StopReason? = { nil }
    ) async -> VerificationAccount {
        guard end == .completed else { return .notRun }
        guard !hasRemovals else {
            let reason = "the input removes documents too; 'fastctl exists' shows which exist"
            return .brokenOff(.documentsFailed, reason: reason)
        }
        var tally = VerificationAccount.Tally()
        let loss = engine.capabilities.readingLoss
        tally.comparesContents = sent != nil && loss == nil
        tally.demandsContents = demandsContents
        tally.obstacle = kind == .add || sent != nil ? loss : nil
        tally.comparesUpdates = sent?.includesUpdates ?? false
        do {
            if let failure { throw failure }
            tally.documents = sampleSize == nil ? spilled.count : sample.offered
            if let found = try hashes.repeated(limit: Self.maximumRepeated) {
                repeated = RecurringDocuments(found)
                tally.documents -= hashes.repetitions
            }
            if sampleSize != nil {
                for start in stride(from: 0, to: sample.items.count, by: Self.pageCount) {
                    if let reason = stop() { return Self.brokenOff(reason, tally) }
                    let page = sample.items[start..<min(start + Self.pageCount, sample.items.count)]
                    let entries = page.map { SpilledIDs.Entry(key: $0, content: sampleContents[$0.hashValue] ?? nil) }
                    try await check(entries, &tally, engine, stop)
                }
            } else {
                try spilled.finish()
                var reader = SpilledIDs.Reader(spilled)
                while case let entries = try reader.next(Self.pageCount, ofBytes: Self.pageBytes), !entries.isEmpty {
                    if let reason = stop() { return Self.brokenOff(reason, tally) }
                    try await check(entries, &tally, engine, stop)
                    guard differing.count <= Self.maximumDiffering, differingKeys <= Self.maximumDifferingKeys else {
                        return Self.brokenOff(tally)
                    }
                }
            }
            tally.namedDiffering =
                differing.values.compactMap { document in
                    document.id.map {
                        VerificationAccount.DifferingDocument(id: $0, keys: document.difference.names)
                    }
                }.sorted { $0.id < $1.id }
            if tally.differing > 0, let reason = await obstacle(of: engine) { tally.withdrawContents(reason) }
            tally.reservation = await engine.lookupReservation()
            return .done(tally)
        } catch {
            if let reason = stop() { return Self.brokenOff(reason, tally) }
            let failure = Failure(error)
            let advice = failure.advice.map { "; \($0)" } ?? ""
            return .brokenOff(failure.status, reason: failure.message + advice)
        }
    }

    /// Returns the reason why the engine does not return documents as they were sent; `nil` if there is no known
    /// reason.
    ///
    /// For some engines, the reason is known only after they have received the documents.
    private func obstacle(of engine: any CollectionEngine) async -> String? {
        do throws(EngineError) {
            try await engine.check(FeedIntent(kind, isBackedUp: true))
            return nil
        } catch {
            return error.code == .unsupported ? error.message : nil
        }
    }

    private static func brokenOff(_ tally: VerificationAccount.Tally) -> VerificationAccount {
        .brokenOff(
            .documentsFailed,
            reason: "at least \(tally.differing) of the first \(tally.checked) of "
                + "\(Quantity(tally.documents, "document", "documents")) differ from what was fed: the engine stores them "
                + "differently, or they have changed since; see 'fastctl reconcile'"
        )
    }

    private static func brokenOff(_ reason: StopReason, _ tally: VerificationAccount.Tally) -> VerificationAccount {
        .brokenOff(
            ExitStatus(reason),
            reason: "interrupted after \(tally.checked) of \(Quantity(tally.documents, "document", "documents")), "
                + "\(tally.wrong + tally.differing) of them not as expected; all operations are done"
        )
    }

    private func check(
        _ entries: [SpilledIDs.Entry],
        _ tally: inout VerificationAccount.Tally,
        _ engine: any CollectionEngine,
        _ stop: () -> StopReason?
    ) async throws {
        guard tally.comparesContents else {
            let keys = entries.map(\.key)
            let answers = try await lookUp.answer(
                to: { () throws(EngineError) in try await engine.exists(at: keys) },
                unless: { stop() != nil }
            )
            guard answers.count == keys.count else { throw EngineError(answers: answers.count, of: keys.count) }
            for (key, isThere) in zip(keys, answers) {
                let isFirst = note(key, isThere: isThere, &tally)
                if isFirst, isThere, kind != .remove { tally.uncompared += 1 }
            }
            return
        }
        var rest = entries[...]
        while !rest.isEmpty {
            let keys = rest.map(\.key)
            let page = try await lookUp.answer(
                to: { () throws(EngineError) in
                    try await engine.get(at: keys[...], maximumBytes: Self.documentBytes)
                },
                unless: { stop() != nil }
            )
            try page.check(against: rest.count)
            let documents = Dictionary(grouping: page.documents, by: \.id)
            for (entry, isThere) in zip(rest, page.answers) {
                _ = note(entry.key, isThere: isThere, &tally)
                var difference: ContentDifference?
                if isThere, let sent, let content = entry.content {
                    let found = documents[entry.key.id] ?? []
                    difference = try await sent.difference(of: found, from: content, in: engine)
                }
                note(entry, isThere: isThere, difference)
                if isThere { tally.uncompared += repeated.uncomparedChange(Self.hash(of: entry.key), entry.content) }
            }
            rest = rest.dropFirst(page.answers.count)
            tally.differing = differing.count
        }
    }

    private static func hash(of key: DocumentKey) -> UInt64 { UInt64(bitPattern: Int64(key.hashValue)) }

    /// Counts a document, unless it was counted for an earlier operation; returns whether it was not.
    private func note(_ key: DocumentKey, isThere: Bool, _ tally: inout VerificationAccount.Tally) -> Bool {
        guard repeated.isFirst(Self.hash(of: key)) else { return false }
        tally.checked += 1
        guard isThere == (kind == .remove) else { return true }
        tally.wrong += 1
        if tally.wrong <= Self.maximumNamed { tally.named.append(key.id) }
        return true
    }

    /// Records how a document differs from the one that was sent, if it does; if it was sent several times, the last
    /// operation on each key counts.
    private func note(_ entry: SpilledIDs.Entry, isThere: Bool, _ difference: ContentDifference?) {
        let hash = entry.key.hashValue
        let earlier = differing[hash]
        var all = difference
        if isThere, let sent, let content = entry.content, let earlier,
            let rest = sent.rest(of: earlier.difference, after: content)
        {
            all = difference?.joined(with: rest) ?? rest
        }
        differingKeys += (all?.keys.count ?? 0) - (earlier?.difference.keys.count ?? 0)
        guard let current = all else {
            differing[hash] = nil
            return
        }
        // A document that is already named stays so, with its newest difference.
        let isNamed = earlier.map { $0.id != nil } ?? (differing.count < Self.maximumNamed)
        differing[hash] = (id: isNamed ? entry.key.id : nil, difference: isNamed ? current : current.unnamed)
    }
}

/// The documents of several operations, which are recognized by the hashes of their keys.
private struct RecurringDocuments {
    private let hashes: Set<UInt64>
    private var seen: Set<UInt64> = []
    /// The documents that have contents that were not compared.
    private var uncompared: Set<UInt64> = []

    init(_ hashes: Set<UInt64> = []) { self.hashes = hashes }

    /// Returns whether the document has not been seen before.
    mutating func isFirst(_ hash: UInt64) -> Bool { !hashes.contains(hash) || seen.insert(hash).inserted }

    /// Returns the change in the number of documents with contents that were not compared, after one operation, whose
    /// content is `nil` if it was not compared.
    ///
    /// A whole document replaces what earlier operations wrote; an update does not.
    mutating func uncomparedChange(_ hash: UInt64, _ content: SentContent?) -> Int {
        guard hashes.contains(hash) else { return content == nil ? 1 : 0 }
        guard let content else { return uncompared.insert(hash).inserted ? 1 : 0 }
        return !content.isPart && uncompared.remove(hash) != nil ? -1 : 0
    }
}

/// A uniform random sample of items from a sequence of unknown length.
struct Sample<Item> {
    private(set) var items: [Item] = []
    /// The number of items offered.
    private(set) var offered = 0
    private let size: Int
    private var random: SplitMix64

    init(of size: Int, seed: UInt64) {
        self.size = size
        random = SplitMix64(seed: seed)
    }

    /// Offers an item, which may enter the sample, possibly replacing another one.
    ///
    /// An item that does not enter the sample is not created.
    mutating func offer(_ item: @autoclosure () -> Item) {
        offered += 1
        if items.count < size {
            items.append(item())
        } else {
            let place = Int.random(in: 0..<offered, using: &random)
            if place < size { items[place] = item() }
        }
    }
}

/// The result of reading a feed's documents again at its end (`--verify`).
package enum VerificationAccount: Hashable, Sendable {
    /// No documents were looked up, because the run was stopped.
    case notRun
    /// The verification was interrupted; the reason includes advice.
    case brokenOff(ExitStatus, reason: String)
    case done(Tally)

    /// A document that differs from the one that was sent.
    package struct DifferingDocument: Hashable, Sendable {
        package let id: DocumentID
        /// The keys by which it differs; empty if it can't be read.
        package let keys: KeyDifference

        package init(id: DocumentID, keys: KeyDifference) { (self.id, self.keys) = (id, keys) }
    }

    /// The number of documents that were looked up, and the number of documents in a wrong state.
    package struct Tally: Hashable, Sendable {
        /// The number of documents whose operations settled as intended; if a very large number of documents have
        /// several operations, the number of these operations.
        package var documents = 0
        /// The number of documents that were looked up, which may be all or a sample.
        package var checked = 0
        /// The number of checked documents that exist but should be absent, or vice versa.
        package var wrong = 0
        /// The IDs of the first of these documents.
        package var named: [DocumentID] = []
        /// Whether contents were compared.
        package var comparesContents = false
        /// Whether contents that were not compared are an error.
        package var demandsContents = false
        /// Whether the keys that updates send were compared.
        package var comparesUpdates = false
        /// The number of checked documents that exist, but whose contents were not compared: updated documents, or all
        /// documents.
        package var uncompared = 0
        /// The number of checked documents that are not proven to be as they were sent.
        package var unproven: Int { wrong + differing + (demandsContents ? uncompared : 0) }
        /// The reason why the engine does not return documents as they were sent, if known.
        package var obstacle: String?
        /// The number of checked documents that exist, but differ from the documents that were sent.
        package var differing = 0
        /// Some of these documents.
        package var namedDiffering: [DifferingDocument] = []
        /// A description of the places that were not searched, as part of a sentence; `nil` if all were searched.
        package var reservation: String?

        package init() {}

        /// Discards the comparison of contents, because the engine does not return documents as they were sent.
        fileprivate mutating func withdrawContents(_ obstacle: String) {
            (comparesContents, self.obstacle) = (false, obstacle)
            (differing, namedDiffering) = (0, [])
            uncompared = checked - wrong
        }
    }
}
