public import TextKit

/// The report on a feed: its input, the state of its operations, and its errors.
public struct StatusReport: Sendable {
    /// The job to which the operations belong; a feeder without a job uses a random name.
    public var job: JobID
    /// The collection that is fed.
    public var collection: CollectionName
    /// Counts of the operations: the open ones, and the settled ones by outcome.
    public var counts: FeedCounts
    /// Counts of the input that was read; all zero if operations were pushed.
    public var input: InputTally
    /// The first refused records; `input.rejected` counts all of them.
    public var rejections: [InputRejection]
    /// The requested level.
    public var level: CompletionLevel
    /// The level that all settled operations have reached.
    public var reachedLevel: CompletionLevel
    /// The number of document errors so far.
    public var errorCount: Int
    /// The number of document warnings so far.
    public var warningCount: Int
    /// The number of batches sent to the engine, including ``resentBatches``.
    public var sentBatches: Int
    /// The number of batches that contain an operation that had already been sent.
    public var resentBatches: Int
    /// The number of operations in batches whose reply has not arrived.
    public var operationsInFlight: Int
    /// The number of batches whose reply has not arrived; at most ``inFlightLimit``.
    public var batchesInFlight = 0
    /// The maximum number of batches that may be in flight now.
    public var inFlightLimit = 0
    /// The remaining time during which nothing is sent, because the engine requested a pause or is not making progress;
    /// zero if sending is allowed.
    public var pause = Duration.zero
    /// The current standstill, or the one at the end of the feed; `nil` while the feed makes progress.
    public var standstill: Standstill?
    /// The time since the feed began.
    public var duration: Duration
    /// The way the feed ended; `nil` while it runs.
    public var end: FeedEnd?

    /// Whether any operation has an error.
    public var hasDocumentErrors: Bool { errorCount > 0 }
    /// Whether any operation has a warning.
    public var hasDocumentWarnings: Bool { warningCount > 0 }
}

extension StatusReport {
    /// Creates a report with only the given values, to test how an application handles reports.
    ///
    /// All other values describe a feed that has not read or sent anything; they can be set afterward.
    public init(
        collection: CollectionName,
        counts: FeedCounts = FeedCounts(),
        errorCount: Int = 0,
        warningCount: Int = 0,
        level: CompletionLevel = .secured,
        end: FeedEnd? = nil
    ) {
        self.init(
            job: JobID(rawValue: ""),
            collection: collection,
            counts: counts,
            input: InputTally(),
            rejections: [],
            level: level,
            reachedLevel: level,
            errorCount: errorCount,
            warningCount: warningCount,
            sentBatches: 0,
            resentBatches: 0,
            operationsInFlight: 0,
            duration: .zero,
            end: end
        )
    }
}

/// The accumulator from which status reports are created.
///
/// This is a class, because the loop writes to it, and the loop's owner reads from it in the same isolation.
final class StatusAccumulator {
    private let job: JobID
    private let collection: CollectionName
    private let level: CompletionLevel
    private var errorList: IssueList
    private var warningList: IssueList
    private var rejections: [InputRejection] = []
    var end: FeedEnd?

    /// The maximum number of refused records that are kept with their positions.
    private static let maximumRejections = 100

    init(job: JobID, collection: CollectionName, level: CompletionLevel, spill: SpillSpace) {
        self.job = job
        self.collection = collection
        self.level = level
        errorList = IssueList(spill: spill)
        warningList = IssueList(spill: spill)
    }

    /// Adds the event's information about individual documents and records.
    func add(_ event: FeedEvent) throws(SpillError) {
        switch event {
        case .settled(let outcomes):
            for outcome in outcomes {
                guard let issue = outcome.issue else { continue }
                if issue.isError { try errorList.append(outcome) } else { try warningList.append(outcome) }
            }
        case .rejected(let refused): rejections += refused.prefix(Self.maximumRejections - rejections.count)
        case .accepted, .retrying, .flow, .sent: break
        }
    }

    /// Adds the issues of earlier runs of the job.
    ///
    /// If they can't be read or stored, the feed ends before it sends anything.
    func add(
        _ earlier: (_ done: Int) async throws -> [OperationOutcome],
        orStop inbox: FeedInbox,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        do {
            var done = 0
            while true {
                let page = try await earlier(done)
                guard !page.isEmpty else { return }
                done += page.count
                try add(.settled(page))
            }
        } catch {
            inbox.post(.stop(.storage(message: "\(error)")))
        }
    }

    var errors: DocumentIssues<DocumentError> {
        DocumentIssues(errorList.snapshot) { [collection] in DocumentError($0, in: collection) }
    }

    var warnings: DocumentIssues<DocumentWarning> {
        DocumentIssues(warningList.snapshot) { [collection] in DocumentWarning($0, in: collection) }
    }

    func report(of core: FeederCore, seconds: Duration) -> StatusReport {
        StatusReport(
            job: job,
            collection: collection,
            counts: core.counts,
            input: core.input,
            rejections: rejections,
            level: level,
            reachedLevel: core.reachedLevel,
            errorCount: errorList.count,
            warningCount: warningList.count,
            sentBatches: core.sentBatches,
            resentBatches: core.resentBatches,
            operationsInFlight: core.operationsInFlight,
            batchesInFlight: core.batchesInFlight,
            inFlightLimit: core.inFlightLimit,
            pause: core.pausedUntil.map { max(.zero, $0.sinceStart - seconds) } ?? .zero,
            standstill: core.standstill(at: FeedInstant(sinceStart: seconds)),
            duration: seconds,
            end: end
        )
    }
}

/// The identifier of one call that waits for completion.
public struct BarrierID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The way a feed ended.
public enum FeedEnd: Hashable, Sendable {
    /// The whole input was read, every operation is settled, and the level is reached.
    case completed
    case stopped(StopReason)
}

/// The reason a feed ended early.
public enum StopReason: Hashable, Sendable {
    /// The user pressed Ctrl-C.
    case interrupted
    /// The process received SIGTERM or SIGHUP.
    case terminated
    /// The engine can't continue.
    case engine(EngineError.Code, message: String)
    /// The input can't be read any further.
    case input(message: String)
    /// The source of the documents, which is an engine or a service itself, can't be read any further.
    case source(EngineError.Code, message: String)
    /// The engine has made no progress for this long; `last` is its last failure.
    case gaveUp(after: Duration, last: String)
    /// The time limit for the whole feed has passed.
    case deadline(Duration)
    /// Too many of the settled operations have errors for the feed to continue.
    case halted(errors: Int, settled: Int)
    /// Data that must be stored (errors, a backup, the journal) can't be written.
    case storage(message: String)
}

/// Counts of all accepted operations: the open ones, and the settled ones by outcome.
///
/// Every report must satisfy ``isBalanced``. The two sides of this equation are counted independently: outcomes as they
/// occur, and open operations as the number that the feeder still holds.
public struct FeedCounts: Hashable, Sendable {
    /// The number of accepted operations.
    public internal(set) var accepted = 0
    /// The number of accepted operations that do not have an outcome yet.
    public internal(set) var open = 0
    /// The number of updated documents that may have been created by an earlier attempt of the same addition.
    ///
    /// The reply to that attempt was lost, so it is unknown whether the documents existed before.
    public package(set) var perhapsAdded = 0
    private var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)

    /// Creates counts that are all zero.
    public init() {}

    /// Creates counts of operations that have an outcome, and of operations that are open.
    public init(settled: [Outcome: Int], open: Int = 0) {
        for (outcome, count) in settled { self[outcome] = count }
        self.open = open
        accepted = self.settled + open
    }

    /// The number of operations with this outcome.
    public package(set) subscript(outcome: Outcome) -> Int {
        get { outcomes[outcome.rawValue] }
        set { outcomes[outcome.rawValue] = newValue }
    }

    /// The number of operations that have an outcome.
    public var settled: Int { outcomes.reduce(0, +) }

    /// Whether every accepted operation is settled or open: always true, unless the feeder has a bug.
    public var isBalanced: Bool { accepted == settled + open }
}

extension FeedCounts {
    /// The number of documents that existed and were removed.
    public var removed: Int { self[.removed] }
    /// The number of operations on documents that did not exist.
    public var missing: Int { self[.missing] }
    /// The number of documents that do not exist now, but may have existed before.
    public var gone: Int { self[.gone] }
    /// The number of documents that were created.
    public var added: Int { self[.added] }
    /// The number of documents that existed and were changed.
    public var updated: Int { self[.updated] }
    /// The number of operations on documents that were already in the requested state.
    public var noop: Int { self[.noop] }
    /// The number of operations that were older than one that the engine already had.
    public var stale: Int { self[.stale] }
    /// The number of operations that were replaced by a later one before they were sent.
    public var superseded: Int { self[.superseded] }
    /// The number of operations that the engine deliberately dropped.
    public var dropped: Int { self[.dropped] }
    /// The number of operations that can't be carried out or have used up their attempts.
    public var failed: Int { self[.failed] }
    /// The number of operations whose time ran out.
    public var expired: Int { self[.expired] }
    /// The number of operations that the user canceled before they were sent.
    public var cancelled: Int { self[.cancelled] }
}

extension ExitStatus {
    /// Creates the status of a command whose feed ended early.
    public init(_ reason: StopReason) {
        self =
            switch reason {
            case .interrupted: .interrupted
            case .terminated: .terminated
            case .engine(let code, _), .source(let code, _): ExitStatus(code)
            case .gaveUp, .deadline, .halted: .incomplete
            case .input, .storage: .inputOutput
            }
    }
}
