/// The account of a feed: what was read, where each operation is, and what went wrong.
public struct StatusReport: Sendable {
    public internal(set) var job: JobID
    public internal(set) var collection: CollectionName
    public internal(set) var counts: FeedCounts
    public internal(set) var input: InputTally
    /// The first records that were refused; `input.rejected` counts all of them.
    public internal(set) var rejections: [InputRejection]
    /// The level that was asked for.
    public internal(set) var level: CompletionLevel
    /// The level that everything settled has come to.
    public internal(set) var reachedLevel: CompletionLevel
    public internal(set) var errorCount: Int
    public internal(set) var warningCount: Int
    /// Batches given to the engine, and those of them that held an operation sent before.
    public internal(set) var sentBatches: Int
    public internal(set) var resentBatches: Int
    /// Operations that the engine has been given and has not answered.
    public internal(set) var operationsInFlight: Int
    /// Batches that it has been given and has not answered, and the most that there may be now.
    public internal(set) var batchesInFlight = 0
    public internal(set) var inFlightLimit = 0
    /// How much longer nothing is sent, because the engine asked for a pause or does nothing; zero while it is sent to.
    public internal(set) var pause = Duration.zero
    /// The feed's age.
    public internal(set) var duration: Duration
    /// How it ended; `nil` while it runs.
    public internal(set) var end: FeedEnd?

    public var hasDocumentErrors: Bool { errorCount > 0 }
    public var hasDocumentWarnings: Bool { warningCount > 0 }
}

/// Collects what a status report says.
///
/// A class, because the loop writes to it and the loop's owner, in the same isolation, reads from it at any time.
final class StatusLedger {
    private let job: JobID
    private let collection: CollectionName
    private let level: CompletionLevel
    private var errorList: IssueList
    private var warningList: IssueList
    private var rejections: [InputRejection] = []
    var end: FeedEnd?

    /// Refused records that are kept with their places.
    private static let maximumRejections = 100

    init(job: JobID, collection: CollectionName, level: CompletionLevel, spill: SpillLocation) {
        self.job = job
        self.collection = collection
        self.level = level
        errorList = IssueList(spill: spill)
        warningList = IssueList(spill: spill)
    }

    func add(_ outcomes: [OperationOutcome]) throws(SpillError) {
        for outcome in outcomes {
            guard let issue = outcome.issue else { continue }
            if issue.isError { try errorList.append(outcome) } else { try warningList.append(outcome) }
        }
    }

    func add(_ rejections: [InputRejection]) {
        self.rejections += rejections.prefix(Self.maximumRejections - self.rejections.count)
    }

    var errors: DocumentIssues { errorList.snapshot }
    var warnings: DocumentIssues { warningList.snapshot }

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
            duration: seconds,
            end: end
        )
    }
}

/// Where all the accepted operations are.
///
/// ``isBalanced`` is the identity that every report rests on. The two sides are counted apart: outcomes when they
/// happen, open operations by what the feeder still holds.
public struct FeedCounts: Hashable, Sendable {
    public internal(set) var accepted = 0
    public internal(set) var open = 0
    private var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)

    public init() {}

    public subscript(outcome: Outcome) -> Int {
        get { outcomes[outcome.rawValue] }
        set { outcomes[outcome.rawValue] = newValue }
    }

    /// Operations that have an outcome.
    public var settled: Int { outcomes.reduce(0, +) }

    public var isBalanced: Bool { accepted == settled + open }
}

/// Names one call that waits for completion.
public struct BarrierID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// How a feed ended.
public enum FeedEnd: Hashable, Sendable {
    /// The input was read to its end, each operation is settled, and the level is reached.
    case completed
    case stopped(StopReason)
}

/// Why a feed ended early.
public enum StopReason: Hashable, Sendable {
    /// Ctrl-C.
    case interrupted
    /// SIGTERM or SIGHUP.
    case terminated
    /// The engine can't go on.
    case engine(EngineError.Code, message: String)
    /// The input can't be read any further.
    case input(message: String)
    /// The engine has done nothing for this long; `last` is what it failed with last.
    case gaveUp(after: Duration, last: String)
    /// The time for the whole feed is over.
    case deadline(Duration)
    /// So many of the settled operations have an error that going on makes no sense.
    case halted(errors: Int, settled: Int)
    /// What must be written down (errors, a backup, the journal) can't be.
    case storage(message: String)
}
