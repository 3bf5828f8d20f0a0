package import ContentFeeding
import FeedFormats
import Glibc
import JobJournal
import Synchronization
package import TextKit

/// A second look at a feed's documents at its end: removed ones must be absent, fed ones must exist.
///
/// A class, because the feed's observer fills it and the end of the command queries it.
final class Verification {
    private let kind: ContentOperation.Kind
    private let sampleSize: Int?
    private var spilled: SpilledIDs
    private var sample: Sample<DocumentKey>
    private var failure: SpillError?
    /// Whether documents were removed among additions: what was added may have been removed later.
    private var hasRemovals = false
    private var lookUp: PatientLookUp

    /// The most IDs looked up at once, and their bytes.
    private static let pageCount = 1000
    private static let pageBytes = 256 << 10
    /// The most documents named; all are counted.
    private static let maximumNamed = 100

    init(
        _ scope: VerificationScope,
        of kind: ContentOperation.Kind,
        in store: BufferedOperations.Store,
        _ lookUp: PatientLookUp,
        seed: UInt64 = .random(in: 0 ... .max)
    ) {
        self.kind = kind
        sampleSize = if case .sample(let size) = scope { size } else { nil }
        spilled = SpilledIDs(in: store)
        self.lookUp = lookUp
        sample = Sample(of: sampleSize ?? 0, seed: seed)
    }

    /// Records documents that settled as intended.
    func note(_ event: FeedEvent) {
        guard case .settled(let outcomes) = event, failure == nil else { return }
        for outcome in outcomes where isToVerify(outcome) {
            if kind != .remove, outcome.kind == .remove {
                hasRemovals = true
                continue
            }
            let key = DocumentKey(outcome.documentID, routing: outcome.routing)
            guard sampleSize == nil else {
                sample.offer(key.detached())
                continue
            }
            do throws(SpillError) {
                try spilled.append(key)
            } catch {
                failure = error
                return
            }
        }
    }

    private func isToVerify(_ outcome: OperationOutcome) -> Bool {
        switch outcome.outcome {
        case .removed, .missing, .gone: outcome.kind == .remove
        case .added, .updated, .noop: outcome.kind != .remove
        default: false
        }
    }

    /// Looks the documents up, unless the feed was stopped; `stop` is polled, and a reason ends the check early.
    func account(
        after end: FeedEnd?,
        _ engine: any SearchableEngine,
        stop: () -> StopReason? = { nil }
    ) async -> VerificationAccount {
        guard end == .completed else { return .notRun }
        guard !hasRemovals else {
            let reason = "the input removes documents too; 'fastctl exists' says which exist"
            return .brokenOff(.documentsFailed, reason: reason)
        }
        var tally = VerificationAccount.Tally()
        do {
            if let failure { throw failure }
            tally.documents = sampleSize == nil ? spilled.count : sample.offered
            if sampleSize != nil {
                for start in stride(from: 0, to: sample.items.count, by: Self.pageCount) {
                    if let reason = stop() { return Self.brokenOff(reason, tally) }
                    let page = sample.items[start..<min(start + Self.pageCount, sample.items.count)]
                    try await check(Array(page), &tally, engine, stop)
                }
            } else {
                try spilled.finish()
                var reader = SpilledIDs.Reader(spilled)
                while case let ids = try reader.next(Self.pageCount, ofBytes: Self.pageBytes), !ids.isEmpty {
                    if let reason = stop() { return Self.brokenOff(reason, tally) }
                    try await check(ids, &tally, engine, stop)
                }
            }
            tally.reservation = await engine.lookupReservation()
            return .done(tally)
        } catch {
            if let reason = stop() { return Self.brokenOff(reason, tally) }
            let failure = Failure(error)
            let advice = failure.advice.map { "; \($0)" } ?? ""
            return .brokenOff(failure.status, reason: failure.message + advice)
        }
    }

    private static func brokenOff(_ reason: StopReason, _ tally: VerificationAccount.Tally) -> VerificationAccount {
        .brokenOff(
            ExitStatus(reason),
            reason: "interrupted after \(tally.checked) of \(Quantity(tally.documents, "document", "documents")), "
                + "\(tally.wrong) of them not as expected; all operations are done"
        )
    }

    private func check(
        _ keys: [DocumentKey],
        _ tally: inout VerificationAccount.Tally,
        _ engine: any SearchableEngine,
        _ stop: () -> StopReason?
    ) async throws {
        let answers = try await lookUp.answer(
            to: { () throws(EngineError) in try await engine.exists(at: keys) },
            unless: { stop() != nil }
        )
        guard answers.count == keys.count else {
            throw EngineError(.unusable, "the engine answered for \(answers.count) of \(keys.count) IDs")
        }
        for (key, isThere) in zip(keys, answers) {
            tally.checked += 1
            guard isThere == (kind == .remove) else { continue }
            tally.wrong += 1
            if tally.wrong <= Self.maximumNamed { tally.named.append(key.id) }
        }
    }
}

/// A uniform random sample of items whose number is not known in advance.
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

    /// Offers an item, which may enter the sample, perhaps in place of another.
    ///
    /// An item that does not enter is not created.
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

/// Result of reading a feed's documents again at its end (`--verify`).
package enum VerificationAccount: Hashable, Sendable {
    /// Nothing was looked up, because the run was stopped.
    case notRun
    /// Verification that could not finish; the reason says why, and what to do next.
    case brokenOff(ExitStatus, reason: String)
    case done(Tally)

    /// Numbers of documents looked up and of those that are not as they should be.
    package struct Tally: Hashable, Sendable {
        /// Documents that settled as intended.
        package var documents = 0
        /// Documents that were looked up: all, or a sample.
        package var checked = 0
        /// Checked documents that exist and should be absent, or vice versa.
        package var wrong = 0
        /// IDs of the first wrong documents.
        package var named: [DocumentID] = []
        /// Where documents were not looked for, in words that continue the sentence; `nil` if that was everywhere.
        package var reservation: String?

        package init() {}
    }
}
