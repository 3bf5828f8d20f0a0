import ContentFeeding
import FeedFormats
import Glibc
import JobJournal
import ReportRendering
import Synchronization

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
