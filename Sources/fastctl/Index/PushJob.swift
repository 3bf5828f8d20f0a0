import CollectionSync
import ContentFeeding
import JobJournal
import ReportRendering
import Synchronization

/// The job that a push is kept as: its counts, its conflicts with both versions, and what failed.
///
/// What is still to be sent is in the copy's queue, not in the job: a push that was interrupted is simply run again.
final class PushJob: Sendable {
    let id: JobID
    private let epoch: Int
    private let ledger: JobLedger
    private let state: Mutex<State>

    private struct State {
        var counts: [Outcome: Int] = [:]
        var failures: [OperationOutcome] = []
        /// Whether the job has records of conflicts: those of an interrupted push stay in it.
        var hasRecords: Bool
    }

    /// The most failures that are listed.
    private static let maximumFailures = 10_000

    init(of name: String, _ status: CopyStatus, in ledger: JobLedger) async throws {
        self.ledger = ledger
        let identity = Array("copies push \(name)".utf8)
        let open = try await ledger.jobs().first { $0.job.identity == identity && $0.stage.isUnfinished }
        if let open {
            id = open.job.id
        } else {
            var random = SystemRandomNumberGenerator()
            id = .random(using: &random)
            try await ledger.create(
                JobDescription(
                    id: id,
                    identity: identity,
                    kind: .update,
                    target: status.origin.target,
                    collection: CollectionName(name),
                    words: Array(CommandLine.arguments.dropFirst()),
                    directory: ProcessEnvironment.currentFolder,
                    spool: nil,
                    startedAt: ProcessEnvironment.now
                )
            )
        }
        state = Mutex(State(hasRecords: open != nil))
        epoch = try await ledger.claim(id).epoch
    }

    func note(_ event: SyncEvent) {
        state.withLock { state in
            if case .conflict = event { state.hasRecords = true }
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
            case .conflict: return
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
    func end() async throws {
        let (counts, failures, hasRecords) = state.withLock { ($0.counts, $0.failures, $0.hasRecords) }
        guard !counts.isEmpty || hasRecords else { return try await ledger.remove(id) }
        try await ledger.add(failures, to: id)
        try await ledger.end(id, epoch: epoch, as: .finished, counts: FeedCounts(settled: counts), input: InputTally())
        StandardError.say(
            "see 'fastctl jobs issues \(id)'",
            onlyIf: counts[.superseded] != nil || counts[.failed] != nil
        )
    }
}

extension StandardError {
    fileprivate static func say(_ message: String, onlyIf condition: Bool) {
        if condition { say(message) }
    }
}
