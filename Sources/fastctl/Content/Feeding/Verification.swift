import ContentFeeding
import FeedFormats
import FeedReports
import Glibc
import JobJournal
import ReportKit
import Synchronization

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
            let failure = CommandFailure(error)
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

/// The operations of a job that settled as intended, read once more from its input, in pages; of several on one
/// document, the last.
struct JobInput: AsyncSequence, Sendable {
    private let job: KeptJob
    private let pending: PendingInput
    private let progress: SecondLookProgress

    /// The most documents on a page, and their bytes in the input.
    private static let pageCount = 500
    /// The most documents that the input may name several times: they are held in memory.
    private static let mostRepeated = 1_000_000
    /// The most bytes on disk for finding them.
    private static let maximumSpill = 16 << 30

    init(of origin: JobOrigin, noting progress: SecondLookProgress) throws {
        job = origin.job
        self.progress = progress
        guard let command = origin.command else {
            throw CommandFailure(
                .inputNotOpened,
                "job \(job.id) took back another one, which tells more: look at that one again",
                advice: nil
            )
        }
        guard job.record.stage != .queued else {
            throw JobError(.ended, "the job \(job.id) is queued, and has done nothing yet")
        }
        pending = try command.keptInput()
    }

    /// Makes sure that the input is what the job read; a collection tells only while it is read.
    func check() async throws {
        guard pending.collection == nil else { return }
        let memory = InputMemory(of: job.record.progress, spool: try spool())
        do {
            _ = try await pending.open(for: job.record.job.kind, memory)
        } catch let error as InputError where error.code == .changed {
            throw CommandFailure(
                .inputNotOpened,
                "the input of job \(job.id) can't be read again: \(error); nothing was looked up",
                advice: "put the file back as it was"
            )
        }
    }

    /// What was kept of the job's pipe; `nil` if it had none.
    private func spool() throws -> InputSpool? {
        guard let spool = job.record.job.spool else { return nil }
        guard access(spool, F_OK) == 0 else {
            throw CommandFailure(
                .inputNotOpened,
                "what came through the pipe of job \(job.id) was kept until the job had ended, and can't be read again",
                advice: "feed a file, or use --verify, which looks at the end of the run"
            )
        }
        return try InputSpool.open(spool)
    }

    func makeAsyncIterator() -> Iterator { Iterator(input: self) }

    /// Reads page after page.
    struct Iterator: AsyncIteratorProtocol {
        private let input: JobInput
        private var reading: Reading?
        private var waiting: [ContentOperation] = []

        /// An input that is open, and what is known of its operations.
        private struct Reading {
            var chunks: FeedInput.Iterator
            var next = OperationID.first
            /// Operations that failed, or had nothing to change.
            let failed: Set<OperationID>
            /// The last operation on each document that has several.
            let last: [UInt64: OperationID]
        }

        fileprivate init(input: JobInput) { self.input = input }

        mutating func next() async throws -> [ContentOperation]? {
            var reading: Reading
            if let known = self.reading { reading = known } else { reading = try await open() }
            while waiting.count < JobInput.pageCount, let chunk = try await reading.chunks.next() {
                for operation in chunk.operations {
                    defer { reading.next = reading.next.next }
                    guard input.isSettled(reading.next), !reading.failed.contains(reading.next) else { continue }
                    if let last = reading.last[Self.hash(of: operation)], last != reading.next { continue }
                    waiting.append(operation)
                }
            }
            self.reading = reading
            // What the page before had is looked up by now.
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
                    try hashes.note(Self.hash(of: operation))
                    count += 1
                    rest.note(input.job.record.fate(of: OperationID(rawValue: UInt64(count))))
                }
                input.progress.note(read: count)
            }
            guard let repeated = try hashes.repeated(limit: JobInput.mostRepeated) else {
                throw CommandFailure(
                    .exhausted,
                    "the input names more than \(JobInput.mostRepeated) documents several times, which is more than can "
                        + "be sorted out",
                    advice: "'fastctl exists' says which of its documents exist"
                )
            }
            let last = try await lastOperations(on: repeated, without: failed, after: count)
            input.progress.beginChecking(of: count, rest)
            return Reading(chunks: try await input.openChunks().makeAsyncIterator(), failed: failed, last: last)
        }

        private func lastOperations(
            on repeated: Set<UInt64>,
            without failed: Set<OperationID>,
            after read: Int
        ) async throws -> [UInt64: OperationID] {
            guard !repeated.isEmpty else { return [:] }
            var last: [UInt64: OperationID] = [:]
            var next = OperationID.first
            for try await chunk in try await input.openChunks() {
                for operation in chunk.operations {
                    let hash = Self.hash(of: operation)
                    // What nobody knows to be sent or not may have been the last.
                    let mayBeDone = [.settled, .unknown].contains(input.job.record.fate(of: next))
                    if repeated.contains(hash), mayBeDone, !failed.contains(next) { last[hash] = next }
                    next = next.next
                }
                input.progress.note(read: read + Int(clamping: next.rawValue - 1))
            }
            return last
        }

        private static func hash(of operation: ContentOperation) -> UInt64 {
            UInt64(bitPattern: Int64(operation.key.hashValue))
        }
    }

    private func isSettled(_ operation: OperationID) -> Bool { job.record.fate(of: operation) == .settled }

    private func openChunks() async throws -> FeedInput {
        try await pending.open(for: job.record.job.kind, InputMemory(spool: spool()))
    }

    private func failed() async throws -> Set<OperationID> {
        Set(try await job.failedOutcomes().map(\.operationID))
    }
}

/// How far a second look is: the input is read first, to know which operation on a document is the last.
final class SecondLookProgress: Sendable {
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

    /// Notes how many operations were looked at, or passed over.
    fileprivate func note(checked count: Int) { state.withLock { $0.checked = count } }

    /// The operations at which nobody looks.
    var rest: SecondLookRest { state.withLock { $0.rest } }

    func note(differences count: Int) { state.withLock { $0.differences = count } }

    var count: ProgressCount {
        state.withLock { state in
            var count = ProgressCount(of: state.operations == nil ? .read : .checked)
            count.items = state.operations == nil ? state.read : state.checked
            count.totalItems = state.operations
            count.errors = state.differences
            return count
        }
    }
}

extension KeptJob {
    /// The outcomes of operations that did not leave what they were to leave.
    func failedOutcomes() async throws -> [OperationOutcome] {
        var failed: [OperationOutcome] = []
        let ledger = try ledger()
        var done = 0
        while true {
            let page = try await ledger.issues(of: id, after: done)
            guard !page.isEmpty else { return failed }
            done += page.count
            failed += page.filter { !$0.leavesWhatWasAsked }
        }
    }
}

extension OperationOutcome {
    /// Whether the document is afterwards what the operation asks for.
    fileprivate var leavesWhatWasAsked: Bool {
        switch outcome {
        case .removed, .gone, .added, .updated, .noop: true
        case .missing: kind == .remove
        case .stale, .superseded, .dropped, .failed, .expired, .cancelled: false
        }
    }
}

/// Finds out which of very many hashes occur more than once.
///
/// Beyond a few million, they are on disk, and are looked at a part at a time.
struct RepeatedHashes {
    private let space: SpillSpace
    private let most: Int
    private var hashes: [UInt64] = []
    private var file: SpillFile?
    private var written = 0

    private static let width = MemoryLayout<UInt64>.size
    private static let pieceBytes = 1 << 20

    /// Keeps at most `most` hashes in memory.
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
        guard let file else {
            Self.addRepeated(of: &hashes, to: &repeated)
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
            Self.addRepeated(of: &own, to: &repeated)
            guard repeated.count <= limit else { return nil }
        }
        return repeated
    }

    private static func addRepeated(of hashes: inout [UInt64], to repeated: inout Set<UInt64>) {
        hashes.sort()
        for (hash, next) in zip(hashes, hashes.dropFirst()) where hash == next { repeated.insert(hash) }
    }
}
