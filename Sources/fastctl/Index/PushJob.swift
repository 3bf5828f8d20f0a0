import CollectionSync
import ContentFeeding
import JobJournal
import ReportRendering
import Synchronization

/// The job that a push is kept as: its counts, its conflicts with both versions, and what failed.
///
/// What is still to be sent is in the copy's queue, not in the job: a push that was interrupted is simply run again, and
/// goes on with its job. Only whoever has the copy's lock begins or ends it: another push may be running.
final class PushJob: Sendable {
    let id: JobID
    private let copy: any LocalCopy
    private let ledger: JobLedger
    private let description: JobDescription
    /// Whether a push that was interrupted has begun it.
    private let isContinued: Bool
    private let state = Mutex(State())

    private struct State {
        /// The number of the claim; `nil` before the job has begun.
        var epoch: Int?
        var counts: [Outcome: Int] = [:]
        var failures: [OperationOutcome] = []
    }

    /// The most failures that are listed.
    private static let maximumFailures = 10_000

    /// Names the job of the push that was interrupted, or else a new one; `nil` if nothing is queued and none was.
    init?(of copy: any LocalCopy, _ status: CopyStatus, in ledger: JobLedger) async throws {
        (self.copy, self.ledger) = (copy, ledger)
        let identity = Array("copies push \(copy.collection)".utf8)
        let open = try await ledger.jobs().first { $0.job.identity == identity && $0.stage.isUnfinished }
        guard open != nil || status.queued > 0 else { return nil }
        isContinued = open != nil
        var random = SystemRandomNumberGenerator()
        id = open?.job.id ?? .random(using: &random)
        description = JobDescription(
            id: id,
            identity: identity,
            kind: .update,
            target: status.origin.target,
            collection: copy.collection,
            words: Array(CommandLine.arguments.dropFirst()),
            directory: ProcessEnvironment.currentFolder,
            spool: nil,
            startedAt: ProcessEnvironment.now
        )
    }

    /// Begins the job if it has not begun, and returns the number of the claim.
    @discardableResult
    func begin() async throws -> Int {
        if let epoch = state.withLock({ $0.epoch }) { return epoch }
        if !isContinued { try await ledger.create(description) }
        let epoch = try await ledger.claim(id).epoch
        state.withLock { $0.epoch = epoch }
        return epoch
    }

    func note(_ event: SyncEvent) {
        state.withLock { state in
            switch event {
            case .pushed(let operation):
                let outcome: Outcome =
                    switch operation.kind {
                    case .insert: .added
                    case .update: .updated
                    case .remove: .removed
                    }
                state.counts[outcome, default: 0] += 1
            case .conflict(_, .server): state.counts[.superseded, default: 0] += 1
            case .conflict(_, .cancel): state.counts[.failed, default: 0] += 1
            case .conflict, .flow, .pulled: return
            case .failed(let operation, let failure):
                state.counts[.failed, default: 0] += 1
                guard state.failures.count < Self.maximumFailures else { return }
                state.failures.append(
                    OperationOutcome(
                        operationID: OperationID(rawValue: UInt64(operation.number)),
                        kind: operation.kind.operation,
                        documentID: operation.documentID,
                        routing: operation.routing,
                        outcome: .failed,
                        issue: .error(failure)
                    )
                )
            }
        }
    }

    /// Ends the job with what became of the operations; what is left is in the queue.
    ///
    /// An interrupted job with which another process goes on is left to that one.
    func end() async throws {
        let (epoch, counts, failures) = state.withLock { ($0.epoch, $0.counts, $0.failures) }
        guard epoch != nil || isContinued || !counts.isEmpty else { return }
        let lock = epoch == nil && isContinued ? try? copy.lock() : nil
        defer { withExtendedLifetime(lock) {} }
        if epoch == nil, isContinued, lock == nil { return }
        do {
            let epoch = try await begin()
            try await ledger.add(failures, to: id)
            try await ledger.end(
                id,
                epoch: epoch,
                as: .finished,
                counts: FeedCounts(settled: counts),
                input: InputTally()
            )
        } catch let error as JobError where [.superseded, .ended].contains(error.code) {
            // A push that began meanwhile has gone on with it.
        }
        StandardError.say(
            "see 'fastctl jobs issues \(id)'",
            onlyIf: counts[.superseded] != nil || counts[.failed] != nil
        )
    }
}

/// A delegate whose decisions are recorded with a job, which begins with the first of them.
struct RecordedDelegate: ConflictDelegate {
    private let delegate: any ConflictDelegate
    private let job: PushJob

    init(_ delegate: any ConflictDelegate, in job: PushJob) { (self.delegate, self.job) = (delegate, job) }

    func resolve(_ conflict: SyncConflict) async throws -> SyncConflict.Resolution {
        try await job.begin()
        return try await delegate.resolve(conflict)
    }
}

extension StandardError {
    fileprivate static func say(_ message: String, onlyIf condition: Bool) {
        if condition { say(message) }
    }
}
