/// The store for what a feed must not forget, for an engine that does not keep it itself.
///
/// A batch is sent after the transaction that leases it is durable, and an outcome is announced after the transaction
/// that settles it is.
public protocol FeedJournal: Sendable {
    /// Makes the transaction durable before returning.
    func record(_ transaction: JournalTransaction) async throws(JournalError)

    /// Returns what a new run needs to continue; `nil` for a job that has recorded nothing.
    func state() async throws(JournalError) -> JournalState?
}

/// A failure to write or read the journal.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
    /// Creates an error that says what could not be stored, and why.
    public init(_ description: String) { self.description = description }
}

/// The contents of one journal commit: one row for the job, and rows only for operations that are being retried.
public struct JournalTransaction: Hashable, Sendable {
    /// The number of a transaction within one run, starting at 1.
    public struct ID: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
    }

    /// The number of the transaction.
    public let id: ID
    /// How far the job is after it.
    public let progress: FeedProgress
    /// Counts of the input before ``FeedProgress/offset``.
    public let inputBeforeOffset: InputTally
    /// Settled operations by outcome; `accepted` and `open` mean nothing to the next run.
    public let counts: FeedCounts
    /// The highest operation ever given to the engine: unsettled ones up to here may have taken effect.
    public let leasedThrough: OperationID
    /// The highest accepted operation.
    public let acceptedThrough: OperationID
    /// Rows that are added or changed.
    public let rows: [JournalRow]
    /// Operations whose row is no longer needed.
    public let settledRows: [OperationID]
    /// Outcomes that the status report lists.
    public let issues: [OperationOutcome]
}

/// An operation that is being retried, or that is settled and still holds up the next one on its document.
public struct JournalRow: Hashable, Sendable {
    /// The operation's ID.
    public let id: OperationID
    /// The operation itself.
    public let operation: ContentOperation
    /// How many attempts are used up.
    public let attempts: Int
    /// How often the operation was sent, attempts that the engine put off included.
    public let sends: Int
    /// Whether a copy may have taken effect, or may still do so.
    public let mayHaveApplied: Bool
    /// The former name of `mayHaveApplied`.
    @available(*, deprecated, renamed: "mayHaveApplied")
    public var isMaybeApplied: Bool { mayHaveApplied }
    /// Whether the operation is settled; a copy of it may still arrive.
    public let isSettled: Bool

    /// Creates a row about one operation.
    public init(
        id: OperationID,
        operation: ContentOperation,
        attempts: Int,
        sends: Int,
        mayHaveApplied: Bool,
        isSettled: Bool
    ) {
        self.id = id
        self.operation = operation
        self.attempts = attempts
        self.sends = sends
        self.mayHaveApplied = mayHaveApplied
        self.isSettled = isSettled
    }

    init(
        id: OperationID,
        _ operation: ContentOperation,
        _ entry: OperationWindow.Entry,
        isLeased: Bool = false,
        isSettled: Bool = false
    ) {
        self.id = id
        self.operation = operation
        attempts = Int(entry.attempts)
        sends = Int(entry.sends)
        mayHaveApplied = entry.mayHaveApplied || isLeased
        self.isSettled = isSettled
    }
}

/// The sum of a journal's transactions.
public struct JournalState: Sendable {
    /// How far the job is.
    public internal(set) var progress: FeedProgress
    /// Counts of what was read before the place where the input goes on.
    public internal(set) var inputBeforeOffset: InputTally
    /// Counts of the operations so far.
    public internal(set) var counts: FeedCounts
    /// The last operation that may have been sent.
    public internal(set) var leasedThrough: OperationID
    /// The last operation that was accepted.
    public internal(set) var acceptedThrough: OperationID
    /// What is known of single operations.
    public internal(set) var rows: [OperationID: JournalRow] = [:]

    /// Creates the state of a job; if its engine keeps the progress, unsettled operations had no effect, so that nothing
    /// was leased.
    public init(
        _ progress: FeedProgress,
        counts: FeedCounts,
        inputBeforeOffset: InputTally,
        leasedThrough: OperationID = OperationID(rawValue: 0),
        acceptedThrough: OperationID? = nil,
        rows: [JournalRow] = []
    ) {
        self.progress = progress
        self.counts = counts
        self.inputBeforeOffset = inputBeforeOffset
        self.leasedThrough = leasedThrough
        self.acceptedThrough = acceptedThrough ?? progress.highestSettled ?? OperationID(rawValue: 0)
        for row in rows { self.rows[row.id] = row }
    }

    /// Creates the state after a first transaction.
    public init(_ first: JournalTransaction) {
        progress = first.progress
        inputBeforeOffset = first.inputBeforeOffset
        counts = first.counts
        leasedThrough = first.leasedThrough
        acceptedThrough = first.acceptedThrough
        apply(first)
    }

    /// Adds what a transaction says.
    public mutating func apply(_ transaction: JournalTransaction) {
        progress = transaction.progress
        inputBeforeOffset = transaction.inputBeforeOffset
        counts = transaction.counts
        leasedThrough = transaction.leasedThrough
        acceptedThrough = transaction.acceptedThrough
        for row in transaction.rows { rows[row.id] = row }
        for id in transaction.settledRows { rows[id] = nil }
    }
}

/// A journal that lasts as long as the process.
public actor MemoryJournal: FeedJournal {
    private var current: JournalState?

    /// Creates an empty journal.
    public init() {}

    /// Adds a transaction.
    public func record(_ transaction: JournalTransaction) {
        if current == nil {
            current = JournalState(transaction)
        } else {
            current?.apply(transaction)
        }
    }

    /// Returns what the transactions so far say; `nil` if there are none.
    public func state() -> JournalState? { current }
}

/// The contents of the next journal transaction, and what waits for the one under way.
struct JournalBuffer {
    var leases: [ContentBatch] = []
    /// The outcomes as they came, batch by batch, so that none is copied.
    var outcomes: [[OperationOutcome]] = []
    var rows: [OperationID: JournalRow] = [:]
    var settledRows: [OperationID] = []
    var leasedThrough = OperationID(rawValue: 0)
    /// Whether a transaction failed: nothing further is recorded.
    var isBroken = false

    private var underWay: UnderWay?
    private var lastID: UInt64 = 0

    struct UnderWay {
        let id: JournalTransaction.ID
        let leases: [ContentBatch]
        let outcomes: [[OperationOutcome]]
    }

    var isIdle: Bool { underWay == nil && isEmpty }

    private var isEmpty: Bool { leases.isEmpty && outcomes.isEmpty && rows.isEmpty && settledRows.isEmpty }

    /// Whether a transaction can begin: there is something to record, and none is under way.
    fileprivate var isDue: Bool { underWay == nil && !isEmpty }

    /// The lowest operation whose outcome is not durable yet.
    var lowestPending: OperationID? {
        [outcomes, underWay?.outcomes ?? []].joined().joined().map(\.operationID).min()
    }

    mutating func lease(_ batch: ContentBatch) {
        leases.append(batch)
        leasedThrough = max(leasedThrough, batch.items.map(\.id).max() ?? leasedThrough)
    }

    /// Moves everything that waits into a transaction, and returns its ID.
    fileprivate mutating func begin() -> JournalTransaction.ID {
        lastID += 1
        let id = JournalTransaction.ID(rawValue: lastID)
        underWay = UnderWay(id: id, leases: leases, outcomes: outcomes)
        (leases, outcomes, rows, settledRows) = ([], [], [:], [])
        return id
    }

    mutating func end(_ id: JournalTransaction.ID) -> UnderWay? {
        guard underWay?.id == id else { return nil }
        defer { underWay = nil }
        return underWay
    }
}

extension FeederCore {
    /// Records what waits, one transaction at a time, so that a slow disk costs one wait per round rather than three.
    mutating func flushJournal(_ commands: inout [Command]) {
        journal.settledRows += lanes.takeEndedRows()
        guard journal.isDue else { return }
        let progress = progress(assumingSettled: [])
        let rows = journal.rows.values.sorted { $0.id < $1.id }
        let settledRows = journal.settledRows
        let issues = journal.outcomes.flatMap { $0.filter { $0.issue != nil } }
        let leasedThrough = journal.leasedThrough
        let transaction = JournalTransaction(
            id: journal.begin(),
            progress: progress,
            inputBeforeOffset: inputBefore(progress),
            counts: counts,
            leasedThrough: leasedThrough,
            acceptedThrough: max(
                OperationID(rawValue: window.next.rawValue - 1),
                reading.resumed?.acceptedThrough ?? OperationID(rawValue: 0)
            ),
            rows: rows,
            settledRows: settledRows,
            issues: issues
        )
        commands.append(.record(transaction))
    }

    /// Acts on what has become durable.
    mutating func recorded(_ id: JournalTransaction.ID, at now: FeedInstant, _ commands: inout [Command]) {
        guard let done = journal.end(id) else { return }
        commands += done.outcomes.map { .tell(.settled($0)) }
        for batch in done.leases {
            if stopReason == nil {
                commands.append(.send(batch))
            } else {
                takeBack(batch, at: now)
            }
        }
    }

    /// Ends the feed without the journal: outcomes are reported, leased batches are not sent.
    ///
    /// The next run repeats what it does not know about.
    mutating func recordFailed(
        _ id: JournalTransaction.ID,
        _ message: String,
        at now: FeedInstant,
        _ commands: inout [Command]
    ) {
        guard let failed = journal.end(id) else { return }
        journal.isBroken = true
        stopReason = stopReason ?? .storage(message: message)
        commands += (failed.outcomes + journal.outcomes).map { .tell(.settled($0)) }
        for batch in failed.leases + journal.leases { takeBack(batch, at: now) }
        (journal.outcomes, journal.leases) = ([], [])
    }

    /// Undoes a lease: the batch was not sent.
    private mutating func takeBack(_ batch: ContentBatch, at now: FeedInstant) {
        inFlight[batch.id] = nil
        for item in batch.items {
            window.update(item.id) { $0.sends -= 1 }
            makeReady(item.id, at: now)
        }
    }
}
