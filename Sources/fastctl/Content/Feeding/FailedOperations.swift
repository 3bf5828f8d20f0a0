import ContentFeeding
import FeedFormats
import Files
import JobJournal
import ReportRendering

/// The operations of a job that failed or ran out of time, as the input of another.
///
/// A removal is known by its ID; the documents of `add` and `update` are read once more from the job's input.
struct FailedOperations: Sendable {
    private let job: JobID
    private let run: FeedRun

    init(of job: JobID, _ run: FeedRun) {
        self.job = job
        self.run = run
    }

    /// Writes the operations to a file beside the job's journal, and returns that as an input.
    func input() async throws -> PendingInput {
        let shelf = try await shelf()
        guard let kept = await shelf.jobs().jobs.first(where: { $0.id == job }) else {
            throw JobError(.missing, "this target has no job \(job)", advice: "see 'fastctl jobs list'")
        }
        try JobRequest(run).refuseOther(kept.record.job)
        let failed = try await failures(of: kept)
        guard !failed.isEmpty else {
            throw JobError(.ended, "no operation of job \(job) failed", advice: "see 'fastctl jobs issues \(job)'")
        }
        let path = shelf.failedOperations(of: job)
        var input = PendingInput(sources: [.file(path)], format: .jsonLines(), limits: run.input.limits)
        input.dialect.version = run.input.dialect.version.map { VersionMember([Self.version], $0.kind) }
        let file = try AtomicFile(path)
        var bytes: [UInt8] = []
        if run.kind == .remove, run.input.dialect.version == nil {
            for outcome in failed.values.sorted(by: { $0.operationID < $1.operationID }) {
                let key = DocumentKey(outcome.documentID, routing: outcome.routing)
                append(.remove(key), to: &bytes)
            }
        } else {
            try await appendDocuments(of: kept, failed, to: &bytes) { try file.write(&$0) }
        }
        try file.write(&bytes)
        try file.finish()
        return input
    }

    private func shelf() async throws -> JobShelf {
        try JobShelf.of(try await run.target.open(run.collection).store, run.journal)
    }

    private func failures(of kept: KeptJob) async throws -> [OperationID: OperationOutcome] {
        var failed: [OperationID: OperationOutcome] = [:]
        let ledger = try kept.ledger()
        var done = 0
        while true {
            let page = try await ledger.issues(of: kept.id, after: done)
            guard !page.isEmpty else { return failed }
            done += page.count
            for outcome in page where outcome.outcome == .failed || outcome.outcome == .expired {
                failed[outcome.operationID] = outcome
            }
        }
    }

    private func appendDocuments(
        of kept: KeptJob,
        _ failed: [OperationID: OperationOutcome],
        to bytes: inout [UInt8],
        drain: (inout [UInt8]) throws -> Void
    ) async throws {
        let spool = try kept.record.job.spool.map { try InputSpool.open($0) }
        let input = run.input.kept
        // The whole input must be what the job read; then it is read again from its start.
        _ = try await input.open(for: run.kind, InputMemory(of: kept.record.progress, spool: spool))
        var next = OperationID.first
        for try await chunk in try await input.open(for: run.kind, InputMemory(spool: spool)) {
            for operation in chunk.operations {
                if failed[next] != nil { append(operation, to: &bytes) }
                next = next.next
            }
            if bytes.count > 1 << 20 { try drain(&bytes) }
        }
    }

    private func append(_ operation: ContentOperation, to bytes: inout [UInt8]) {
        let version = operation.condition.map { [(name: Self.version, value: $0.version)] } ?? []
        guard operation.kind != .remove else {
            return RemovalObject.append(operation.key, with: version, to: &bytes)
        }
        let document = StoredDocument(
            id: operation.documentID,
            version: nil,
            routing: operation.routing,
            json: operation.json
        )
        DocumentObject.append(document, in: run.collection.engineName, with: version, to: &bytes)
        bytes.append(0x0A)
    }

    /// The member for the version on which an operation depends, as a whole.
    private static let version = "onVersion"
}

extension WriteCondition {
    /// The version as an input gives it; `nil` if there must be no document.
    fileprivate var version: String? {
        switch self {
        case .absent, .contents: nil
        case .unchanged(let version): version.rawValue
        case .olderThan(let version): "\(version)"
        }
    }
}
