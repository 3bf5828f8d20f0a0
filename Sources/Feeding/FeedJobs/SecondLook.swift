package import ContentFeeding
import FeedFormats
import Glibc
import JSONText
package import JobJournal
import Synchronization
import TextKit

/// The result of checking again whether a document is still in the state in which an operation left it.
package struct SecondLookFinding: Sendable {
    /// The difference between a document and the state that an operation left.
    package enum Difference: String, Sendable, CaseIterable {
        /// The document was removed, but exists.
        case present
        /// The document was added or updated, but does not exist.
        case gone
        /// The document was added or updated, but has changed since.
        case changed
        /// The document exists, but can't be read; it should have been removed, or it is unknown whether it has
        /// changed.
        case unreadable
    }

    /// The checked operation.
    package let operation: ContentOperation
    /// The difference; `nil` if there is none.
    package let difference: Difference?
    /// The reason why the document can't be read; `nil` if it can be read or does not exist.
    package let flaw: DocumentFailure?

    /// The keys by which a changed document differs; `nil` for any other difference.
    package let keys: KeyDifference?
    /// Whether the update has counters, which are not compared: their values before the update are not known.
    package let hasCounters: Bool

    /// Compares a document, or its absence, with the state that the operation left, by meaning.
    package init(_ operation: ContentOperation, _ answer: VersionAnswer, in capabilities: EngineCapabilities) {
        self.operation = operation
        hasCounters = operation.kind == .update && answer.document != nil && JSONPatch.isCounting(operation.json)
        if case .unreadable(let flawed) = answer {
            (difference, flaw, keys) = (.unreadable, flawed.failure, nil)
            return
        }
        flaw = nil
        let isRemoval = operation.kind == .remove
        guard let document = answer.document, !isRemoval else {
            difference = isRemoval ? (answer.document == nil ? nil : .present) : .gone
            keys = nil
            return
        }
        if let whole = operation.wholeDocument,
            KeyDifference(from: whole, to: document.json, document.id, in: capabilities) == nil
        {
            // The document was added, so the patch was not applied to it.
            (difference, keys) = (nil, nil)
            return
        }
        var compared = operation
        if hasCounters {
            let patch = JSONPatch.withoutCounters(operation.json)
            compared = .update(Document(id: operation.documentID, json: patch, routing: operation.routing))
        }
        let wanted = compared.result(on: document.json)
        let keys =
            wanted == nil
            ? KeyDifference()
            : wanted.flatMap { KeyDifference(from: $0, to: document.json, document.id, in: capabilities) }
        difference = keys == nil ? nil : .changed
        self.keys = keys
    }
}

extension ContentOperation {
    /// Returns one operation with the effect of this one and a later one on the same document; the later one alone if
    /// they can't be combined.
    package func combined(then later: ContentOperation) -> ContentOperation {
        // Whether a dot in the key of an operator leads into an object depends on the engine.
        guard later.kind == .update, kind != .remove, !JSONPatch.hasPaths(later.json) else { return later }
        func document(_ json: [UInt8]) -> Document {
            Document(id: later.documentID, json: json, routing: later.routing)
        }
        if kind == .add { return later.result(on: json).map { .add(document($0)) } ?? later }
        guard let patch = JSONPatch.combined(json, then: later.json) else { return later }
        // The document existed when the later update arrived, so the later whole document was not added.
        let whole = wholeDocument.flatMap { later.result(on: $0) }
        return ContentOperation.update(document(patch)).adding(whole)
    }
}

/// The operations of a job that had their intended effect, read again from its input in pages: one for each document,
/// with the effect of all operations on it.
package struct JobInput: AsyncSequence, Sendable {
    private let job: KeptJob
    private let pending: PendingInput
    private let progress: SecondLookProgress
    private let observer: any FeedObserver

    /// The maximum number of documents on a page, and the maximum number of their bytes in the input.
    private static let pageCount = 500
    /// The maximum number of documents that the input may name several times; they are held in memory.
    private static let mostRepeated = 1_000_000
    /// The maximum number of bytes of their earlier operations, which are combined with the last one; any others are
    /// left out.
    private static let maximumEarlierBytes = 256 << 20
    /// The maximum number of bytes on disk for detecting them.
    private static let maximumSpill = 16 << 30

    /// `pending` is the job's input, in which standard input is replaced by the stored copy.
    package init(
        of job: KeptJob,
        from pending: PendingInput,
        noting progress: SecondLookProgress,
        _ observer: any FeedObserver
    ) throws(JobError) {
        (self.job, self.pending, self.progress, self.observer) = (job, pending, progress, observer)
        guard job.record.stage != .queued else {
            throw JobError(.ended, "job \(job.id) is queued, and has not sent anything yet")
        }
    }

    /// Checks that the input is the one that the job read; for a collection, a difference is detected only while
    /// reading.
    package func check() async throws {
        guard pending.collection == nil else { return }
        let memory = InputMemory(of: job.record.progress, spool: try spool())
        do {
            _ = try await pending.open(for: job.record.job.kind, observer, memory)
        } catch let error as InputError where error.code == .changed {
            throw FeedJobError(
                .inputNotOpened,
                "the input of job \(job.id) can't be read again: \(error); no document was looked up",
                advice: "restore the file as it was"
            )
        }
    }

    /// Returns the stored input from the job's pipe; `nil` if it had no pipe.
    private func spool() throws -> InputSpool? {
        guard let spool = job.record.job.spool else { return nil }
        guard access(spool, F_OK) == 0 else {
            throw FeedJobError(
                .inputNotOpened,
                "the piped input of job \(job.id) was kept only until the job ended, and can't be read again",
                advice: "feed a file, or use --verify, which checks at the end of the run"
            )
        }
        return try InputSpool.open(spool)
    }

    package func makeAsyncIterator() -> Iterator { Iterator(input: self) }

    /// An iterator that reads one page after another.
    package struct Iterator: AsyncIteratorProtocol {
        private let input: JobInput
        private var reading: Reading?
        private var waiting: [ContentOperation] = []

        /// An open input, and the known facts about its operations.
        private struct Reading {
            var chunks: FeedInput.Iterator
            var next = OperationID.first
            let failed: FailedOperationIDs
            /// The last operation on each document that has several.
            let last: [UInt64: OperationID]
            /// The combined effect of the operations before the last one.
            var earlier: [UInt64: ContentOperation] = [:]
            var earlierBytes = 0

            /// Returns the effect of all operations on a document if this is its last one; `nil` for any other.
            ///
            /// An operation that failed or may not have been sent makes the effect of earlier ones uncertain.
            mutating func effect(of operation: ContentOperation, _ id: OperationID, isDone: Bool) -> ContentOperation? {
                let hash = operation.documentHash
                guard let last = self.last[hash] else { return isDone ? operation : nil }
                let before = earlier.removeValue(forKey: hash)
                earlierBytes -= before?.byteCount ?? 0
                guard isDone else { return nil }
                let all = before?.combined(then: operation) ?? operation
                if last == id { return all }
                if all.kind != .remove, last > id, earlierBytes + all.byteCount <= JobInput.maximumEarlierBytes {
                    earlier[hash] = all.detached()
                    earlierBytes += all.byteCount
                }
                return nil
            }
        }

        fileprivate init(input: JobInput) { self.input = input }

        package mutating func next() async throws -> [ContentOperation]? {
            var reading: Reading
            if let known = self.reading { reading = known } else { reading = try await open() }
            // With a second reference, each page would copy the operations that are kept.
            self.reading = nil
            while waiting.count < JobInput.pageCount, let chunk = try await reading.chunks.next() {
                for operation in chunk.operations {
                    defer { reading.next = reading.next.next }
                    let id = reading.next
                    let isDone = input.isSettled(id) && !reading.failed.contains(operation, id)
                    if let all = reading.effect(of: operation, id, isDone: isDone) { waiting.append(all) }
                }
            }
            self.reading = reading
            // By this point, the documents of the previous page have been looked up.
            input.progress.note(checked: Int(clamping: reading.next.rawValue - 1) - waiting.count)
            guard !waiting.isEmpty else { return nil }
            defer { waiting.removeFirst(Swift.min(JobInput.pageCount, waiting.count)) }
            return Array(waiting.prefix(JobInput.pageCount))
        }

        private func open() async throws -> Reading {
            let failed = try await input.failed()
            var hashes = RepeatedHashes(in: SpillSpace(in: ".", maximumBytes: JobInput.maximumSpill))
            var count = 0
            var rest = SecondLookRest()
            for try await chunk in try await input.openChunks() {
                for operation in chunk.operations {
                    try hashes.note(operation.documentHash)
                    count += 1
                    rest.note(input.job.record.fate(of: OperationID(rawValue: UInt64(count))))
                }
                input.progress.note(read: count)
            }
            guard let repeated = try hashes.repeated(limit: JobInput.mostRepeated) else {
                throw FeedJobError(
                    .exhausted,
                    "the input names more than \(JobInput.mostRepeated) documents several times, which is more than can be handled",
                    advice: "'fastctl exists' shows which of its documents exist"
                )
            }
            let last = try await lastOperations(on: repeated, without: failed, after: count)
            input.progress.beginChecking(of: count, rest)
            return Reading(chunks: try await input.openChunks().makeAsyncIterator(), failed: failed, last: last)
        }

        private func lastOperations(
            on repeated: Set<UInt64>,
            without failed: FailedOperationIDs,
            after read: Int
        ) async throws -> [UInt64: OperationID] {
            guard !repeated.isEmpty else { return [:] }
            var last: [UInt64: OperationID] = [:]
            var next = OperationID.first
            for try await chunk in try await input.openChunks() {
                for operation in chunk.operations {
                    let hash = operation.documentHash
                    // An operation that was possibly sent may be the last one on its document.
                    let mayBeDone = [.settled, .unknown].contains(input.job.record.fate(of: next))
                    if repeated.contains(hash), mayBeDone, !failed.contains(operation, next) { last[hash] = next }
                    next = next.next
                }
                input.progress.note(read: read + Int(clamping: next.rawValue - 1))
            }
            return last
        }
    }

    private func isSettled(_ operation: OperationID) -> Bool { job.record.fate(of: operation) == .settled }

    private func openChunks() async throws -> FeedInput {
        try await pending.open(for: job.record.job.kind, observer, InputMemory(spool: spool()))
    }

    private func failed() async throws -> FailedOperationIDs {
        FailedOperationIDs(
            failed: Set(try await job.failedOutcomes().map(\.operationID)),
            missed: try await job.ledger().misses(of: job.id)
        )
    }
}

/// The operations of a job that did not have their intended effect.
private struct FailedOperationIDs {
    /// Operations with an error or a warning.
    let failed: Set<OperationID>
    /// Operations that found no document, which was ignored on request.
    let missed: Set<OperationID>

    /// Returns whether an operation failed; a removal that found nothing still had its intended effect.
    func contains(_ operation: ContentOperation, _ id: OperationID) -> Bool {
        failed.contains(id) || operation.kind != .remove && missed.contains(id)
    }
}

/// The progress of a second check, which first reads the input to determine the last operation on each document.
package final class SecondLookProgress: Sendable {
    package init() {}

    private struct State {
        var read = 0
        var checked = 0
        var operations: Int?
        var differences = 0
        var rest = SecondLookRest()
    }

    private let state = Mutex(State())

    fileprivate func note(read count: Int) { state.withLock { $0.read = count } }
    fileprivate func beginChecking(of operations: Int, _ rest: SecondLookRest) {
        state.withLock { ($0.operations, $0.rest) = (operations, rest) }
    }

    /// Records how many operations were checked or skipped.
    fileprivate func note(checked count: Int) { state.withLock { $0.checked = count } }

    /// The counts of operations that are not checked.
    package var rest: SecondLookRest { state.withLock { $0.rest } }

    package func note(differences count: Int) { state.withLock { $0.differences = count } }

    /// The number of operations read (or looked up, once all have been read), the total, if known, and the number of
    /// differences.
    package var count: (items: Int, total: Int?, differences: Int) {
        state.withLock { state in
            (state.operations == nil ? state.read : state.checked, state.operations, state.differences)
        }
    }
}

extension KeptJob {
    /// Returns the outcomes of operations that did not have their intended effect.
    package func failedOutcomes() async throws -> [OperationOutcome] {
        try await issues { !$0.leavesWhatWasAsked }
    }

    /// Returns the outcomes with an error or a warning that `isIncluded` accepts.
    func issues(where isIncluded: (OperationOutcome) -> Bool = { _ in true }) async throws -> [OperationOutcome] {
        var included: [OperationOutcome] = []
        for try await page in try ledger().issuePages(of: id) { included += page.filter(isIncluded) }
        return included
    }
}

extension OperationOutcome {
    /// Whether the document is in the requested state after the operation.
    fileprivate var leavesWhatWasAsked: Bool {
        switch outcome {
        case .removed, .gone, .added, .updated, .noop: true
        case .missing: kind == .remove
        case .stale, .superseded, .dropped, .failed, .expired, .cancelled: false
        }
    }
}

/// A detector of the hashes that occur more than once among a very large number of hashes.
///
/// If there are more than a few million hashes, they are stored on disk and processed in parts.
struct RepeatedHashes {
    private let space: SpillSpace
    private let most: Int
    private var hashes: [UInt64] = []
    private var file: SpillFile?
    private var written = 0
    /// The number of hashes that occurred before, as counted by ``repeated(limit:)``.
    private(set) var repetitions = 0

    private static let width = MemoryLayout<UInt64>.size
    private static let pieceBytes = 1 << 20

    /// Creates a detector that holds at most `most` hashes in memory.
    init(in space: SpillSpace, most: Int = 4_000_000) { (self.space, self.most) = (space, most) }

    mutating func note(_ hash: UInt64) throws(SpillError) {
        hashes.append(hash)
        if hashes.count >= most { try spill() }
    }

    private mutating func spill() throws(SpillError) {
        let file: SpillFile
        if let open = self.file { file = open } else { file = try SpillFile(in: space) }
        self.file = file
        var bytes: [UInt8] = []
        bytes.reserveCapacity(hashes.count * Self.width)
        for hash in hashes { withUnsafeBytes(of: hash) { bytes.append(contentsOf: $0) } }
        try file.write(bytes, at: written)
        written += bytes.count
        hashes.removeAll(keepingCapacity: true)
    }

    /// Returns the hashes that occur more than once; `nil` if there are more than `limit`.
    mutating func repeated(limit: Int) throws -> Set<UInt64>? {
        var repeated: Set<UInt64> = []
        repetitions = 0
        guard let file else {
            repetitions = Self.addRepeated(of: &hashes, to: &repeated)
            return repeated.count > limit ? nil : repeated
        }
        try spill()
        let parts = UInt64(written / Self.width / most + 1)
        for part in 0..<parts {
            var own: [UInt64] = []
            var offset = 0
            while offset < written {
                let piece = try file.read(at: offset, count: min(Self.pieceBytes, written - offset))
                let whole = piece.count - piece.count % Self.width
                guard whole > 0 else { throw SpillError("a file of hashes in \(space.directory) has been truncated") }
                piece.withUnsafeBytes { bytes in
                    for place in stride(from: 0, to: whole, by: Self.width) {
                        let hash = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                        if hash % parts == part { own.append(hash) }
                    }
                }
                offset += whole
            }
            repetitions += Self.addRepeated(of: &own, to: &repeated)
            guard repeated.count <= limit else { return nil }
        }
        return repeated
    }

    /// Adds the hashes that occur more than once, and returns the number of repetitions.
    private static func addRepeated(of hashes: inout [UInt64], to repeated: inout Set<UInt64>) -> Int {
        hashes.sort()
        var repetitions = 0
        for (hash, next) in zip(hashes, hashes.dropFirst()) where hash == next {
            repeated.insert(hash)
            repetitions += 1
        }
        return repetitions
    }
}

/// The counts of operations in a job's input that have no outcome and thus can't be checked.
package struct SecondLookRest: Hashable, Sendable {
    private var counts: [JobRecord.Fate: Int] = [:]

    /// Creates counts of zero.
    package init() {}

    /// Counts an operation unless it has settled.
    package mutating func note(_ fate: JobRecord.Fate) {
        if fate != .settled { counts[fate, default: 0] += 1 }
    }

    /// Whether the job itself is unfinished.
    package var isOfJob: Bool { counts[.unsent] != nil || counts[.unknown] != nil }

    /// The counts, worded as the end of a sentence; empty if all counts are zero.
    package var words: String {
        let parts = [
            words(.unsent, "operation was not sent", "operations were not sent"),
            words(
                .unknown,
                "operation may have been sent, but was not answered",
                "operations may have been sent, but were not answered"
            ),
            words(.later, "operation was added to the input later", "operations were added to the input later"),
        ]
        return parts.compactMap { $0.map { "; \($0)" } }.joined()
    }

    private func words(_ fate: JobRecord.Fate, _ one: String, _ several: String) -> String? {
        counts[fate].map { "\(Quantity($0, one, several))" }
    }
}
