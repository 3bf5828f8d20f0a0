import ContentFeeding
import JSONText
import JobJournal

/// One push: slices of the queue go through the feeder, and are settled with what the origin made of them.
///
/// The queue itself is the journal: an operation stays queued until the document was read from the origin afterwards. If
/// the process ends in between, the next push finds the document as it wanted it.
struct Push {
    private let copy: any LocalCopy
    private let origin: CopyOrigin
    private let engine: any VersionedEngine
    private let delegate: any ConflictDelegate
    private let options: SyncOptions
    private let job: JobID?
    private let observe: @Sendable (SyncEvent) -> Void
    private let contents: DocumentContents
    private var report = PushReport()
    private var occurrences: [DocumentID: Int] = [:]
    /// How often each document's operation was put onto another version without a conflict.
    private var rebases: [DocumentID: Int] = [:]
    private var nextRecord = OperationID.first

    init(
        _ copy: any LocalCopy,
        _ origin: CopyOrigin,
        _ engine: any VersionedEngine,
        _ delegate: any ConflictDelegate,
        _ options: SyncOptions,
        _ job: JobID?,
        _ observe: @escaping @Sendable (SyncEvent) -> Void
    ) {
        (self.copy, self.origin, self.engine, self.delegate) = (copy, origin, engine, delegate)
        (self.options, self.job, self.observe) = (options, job, observe)
        contents = DocumentContents(origin)
    }

    mutating func run() async throws -> PushReport {
        var last: Int64 = 0
        while report.end == nil {
            let slice = try await copy.queued(after: last, limit: options.slice, maximumBytes: options.sliceBytes)
            guard let end = slice.last?.number else { break }
            occurrences.removeAll()
            rebases.removeAll()
            var rest = slice
            while !rest.isEmpty, report.end == nil {
                let again = Set(try await push(rest))
                rest =
                    again.isEmpty
                    ? []
                    : try await copy.queued(after: last, limit: options.slice, maximumBytes: options.sliceBytes)
                        .filter { $0.number <= end && again.contains($0.documentID) }
            }
            last = end
        }
        report.left = try await copy.status().queued
        return report
    }

    /// Sends operations, and settles what became of them; returns the documents whose operations are to be sent again.
    private mutating func push(_ operations: [QueuedOperation]) async throws -> [DocumentID] {
        var sent = try await send(operations)
        var settled: [PushedOperation] = []
        var conflicts: [(QueuedOperation, VersionedDocument?)] = []
        for (operation, origin) in try await states(of: sent.done) {
            settled.append(PushedOperation(operation, origin))
        }
        var rebased: [PushedOperation] = []
        for (operation, origin) in try await states(of: sent.conflicts) {
            if contents.areEqual(operation.local, origin?.json) {
                // Somebody else made the same change, or we did, and never saw the answer.
                settled.append(PushedOperation(operation, origin))
            } else if isAsPulled(operation, origin) {
                // It was written there again as it was, or changed in keys that are not here: nothing is to be decided.
                let tries = rebases[operation.documentID, default: 0] + 1
                rebases[operation.documentID] = tries
                guard tries <= options.maximumOccurrences else {
                    sent.failed.append((operation, Self.refused(tries)))
                    continue
                }
                rebased.append(PushedOperation(operation, origin))
            } else {
                conflicts.append((operation, origin))
            }
        }
        try await copy.rebase(rebased)
        try await copy.settle(settled)
        report.pushed += settled.count
        for operation in settled { observe(.pushed(operation.operation)) }
        report.failed += sent.failed.count
        for (operation, failure) in sent.failed { observe(.failed(operation, failure)) }
        let again = try await rebased.map(\.operation.documentID) + resolve(conflicts)
        if report.end == nil, let stop = sent.stop { (report.stop, report.end) = (stop.reason, stop.words) }
        return again
    }

    /// Whether the origin has what it had when the document was pulled, or still nothing.
    private func isAsPulled(_ operation: QueuedOperation, _ origin: VersionedDocument?) -> Bool {
        guard operation.pulled != nil else { return operation.based == nil && origin == nil }
        return contents.areEqual(operation.pulled, origin?.json)
    }

    /// Has conflicts decided, one after the other, until one ends the push.
    private mutating func resolve(_ conflicts: [(QueuedOperation, VersionedDocument?)]) async throws -> [DocumentID] {
        var again: [DocumentID] = []
        for (operation, origin) in conflicts {
            let occurrence = occurrences[operation.documentID, default: 0] + 1
            occurrences[operation.documentID] = occurrence
            let conflict = SyncConflict(operation, origin, occurrence: occurrence, contents)
            report.conflicts += 1
            guard occurrence <= options.maximumOccurrences else {
                report.failed += 1
                observe(.failed(operation, Self.restless(occurrence)))
                continue
            }
            let resolution = try await delegate.resolve(conflict)
            let record = conflict.record(nextRecord, resolution)
            nextRecord = nextRecord.next
            try await copy.resolve([ResolvedConflict(conflict, resolution, record: record)], recordedIn: job)
            observe(.conflict(conflict, resolution))
            switch resolution {
            case .client, .document: again.append(operation.documentID)
            case .server: continue
            case .cancel:
                report.end = "a conflict on '\(operation.documentID)' was not decided"
                return []
            }
        }
        return again
    }

    private static func restless(_ occurrences: Int) -> DocumentFailure {
        DocumentFailure(
            .versionConflict,
            "the origin had changed the document \(occurrences - 1) times before the change made here could be stored",
            disposition: .retryable
        )
    }

    private static func refused(_ tries: Int) -> DocumentFailure {
        DocumentFailure(
            .versionConflict,
            "the origin refused the change \(tries) times as one of an older version, though it has what was pulled",
            disposition: .retryable
        )
    }

    /// What became of operations that were sent.
    private struct Sent {
        var done: [QueuedOperation] = []
        var conflicts: [QueuedOperation] = []
        var failed: [(QueuedOperation, DocumentFailure)] = []
        /// Why the feed ended before everything was sent.
        var stop: (reason: StopReason, words: String)?
    }

    private func send(_ operations: [QueuedOperation]) async throws -> Sent {
        var sent = Sent()
        var feeding: [(queued: QueuedOperation, operation: ContentOperation)] = []
        for queued in operations {
            do throws(JSONError) {
                if let operation = try self.operation(of: queued) {
                    feeding.append((queued, operation))
                } else {
                    // Nothing of it counts at the origin: what is there is noted.
                    sent.done.append(queued)
                }
            } catch {
                sent.failed.append((queued, DocumentFailure(.rejectedByEngine, "it is not one JSON object: \(error)")))
            }
        }
        guard !feeding.isEmpty else { return sent }
        try await copy.lease(feeding.map(\.queued))
        let outcomes = Outcomes()
        let chunk = OperationChunk(operations: feeding.map(\.operation))
        let chunks = AsyncStream<OperationChunk> { stream in
            stream.yield(chunk)
            stream.finish()
        }
        var feed = options.feed
        feed.configuration.missing = .ignore
        let result = await OperationFeed(engine: engine, options: feed).run(chunks) { [observe] event, _ in
            switch event {
            case .settled(let settled): outcomes.add(settled)
            case .flow(let change): observe(.flow(change))
            default: return
            }
        }
        for (place, queued) in feeding.map(\.queued).enumerated() {
            guard let outcome = outcomes[OperationID(rawValue: UInt64(place) + 1)] else { continue }
            switch outcome.outcome {
            case .removed, .gone, .added, .updated, .noop: sent.done.append(queued)
            case .missing where queued.local == nil: sent.done.append(queued)
            case .missing: sent.conflicts.append(queued)
            case .failed where outcome.issue?.failure.isConflict == true: sent.conflicts.append(queued)
            default:
                let failure = outcome.issue?.failure ?? DocumentFailure(.rejectedByEngine, outcome.outcome.name)
                sent.failed.append((queued, failure))
            }
        }
        if case .stopped(let reason)? = result.report.end { sent.stop = (reason, reason.words) }
        return sent
    }

    /// The outcomes of a feed, by operation.
    private final class Outcomes {
        private var outcomes: [OperationID: OperationOutcome] = [:]

        func add(_ settled: [OperationOutcome]) {
            for outcome in settled { outcomes[outcome.operationID] = outcome }
        }

        subscript(id: OperationID) -> OperationOutcome? { outcomes[id] }
    }

    /// Returns what is sent for a queued operation; `nil` if the origin would not notice.
    private func operation(of queued: QueuedOperation) throws(JSONError) -> ContentOperation? {
        guard let local = queued.local else {
            return queued.based.map { .remove(queued.key).only(.unchanged($0)) }
        }
        guard let based = queued.based else {
            return .add(Document(id: queued.documentID, json: local, routing: queued.routing)).only(.absent)
        }
        guard !origin.isWhole else {
            return .add(Document(id: queued.documentID, json: local, routing: queued.routing)).only(.unchanged(based))
        }
        // Of a document that is here in part, only what differs may be written.
        guard let pulled = queued.pulled else {
            return .update(Document(id: queued.documentID, json: local, routing: queued.routing)).only(
                .unchanged(based)
            )
        }
        let patch = try contents.patch(from: pulled, to: local)
        guard patch != Array("{}".utf8) else { return nil }
        return .update(Document(id: queued.documentID, json: patch, routing: queued.routing)).only(.unchanged(based))
    }

    /// Returns each operation with its document as the origin has it now, as far as the copy keeps it.
    private func states(
        of operations: [QueuedOperation]
    ) async throws -> [(QueuedOperation, VersionedDocument?)] {
        guard !operations.isEmpty else { return [] }
        let found = try await engine.versions(at: operations.map(\.key))
        return try zip(operations, found).map { operation, document in
            guard var document else { return (operation, nil) }
            document.json = try contents.projected(document.json)
            return (operation, document)
        }
    }
}

extension StopReason {
    /// The reason as part of a sentence.
    fileprivate var words: String {
        switch self {
        case .interrupted, .terminated: "interrupted"
        case .engine(_, let message), .source(_, let message), .input(let message), .storage(let message): message
        case .gaveUp(let time, let last): "no progress for \(time): \(last)"
        case .deadline(let time): "its time of \(time) has run out"
        case .halted(let errors, let settled): "\(errors) of \(settled) operations failed"
        }
    }
}
