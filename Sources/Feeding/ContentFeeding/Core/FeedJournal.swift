// MARK: Journals

/// The durable record of a feed's progress, for an engine that does not keep progress itself.
///
/// A batch is sent only after the transaction that leases it is durable, and an outcome is announced only after the
/// transaction that settles it is durable.
public protocol FeedJournal: Sendable {
    /// Makes the transaction durable before returning.
    func record(_ transaction: JournalTransaction) async throws(JournalError)

    /// Returns the state that a new run needs to continue the job; `nil` if the job has not recorded anything.
    func state() async throws(JournalError) -> JournalState?
}

/// A failure to write or read the journal.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
    /// Creates an error that names the data that could not be stored, and the reason.
    public init(_ description: String) { self.description = description }
}

/// The contents of one journal commit: one row for the job, and a row for each operation that is being retried.
public struct JournalTransaction: Hashable, Sendable {
    /// The number of a transaction within a run, starting at 1.
    public struct ID: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
    }

    /// The number of the transaction.
    public let id: ID
    /// The progress of the job after the transaction.
    public let progress: FeedProgress
    /// Counts of the input before ``FeedProgress/offset``.
    public let inputBeforeOffset: InputTally
    /// Counts of settled operations by outcome; the next run ignores `accepted` and `open`.
    public let counts: FeedCounts
    /// The highest operation ever sent to the engine; unsettled operations up to and including it may have taken
    /// effect.
    public let leasedThrough: OperationID
    /// The highest accepted operation.
    public let acceptedThrough: OperationID
    /// Rows that were added or changed.
    public let rows: [JournalRow]
    /// Operations whose row is no longer needed.
    public let settledRows: [OperationID]
    /// Outcomes that the status report lists, and outcomes of operations that found no document.
    public let issues: [OperationOutcome]
}

/// An operation that is being retried, or that is settled but still delays the next operation on its document.
public struct JournalRow: Hashable, Sendable {
    /// The operation's ID.
    public let id: OperationID
    /// The operation itself.
    public let operation: ContentOperation
    /// The number of attempts already used.
    public let attempts: Int
    /// The number of times the operation was sent, including attempts that the engine postponed.
    public let sends: Int
    /// Whether a copy of the operation may have taken effect, or may still do so.
    public let mayHaveApplied: Bool
    /// The former name of `mayHaveApplied`.
    @available(*, deprecated, renamed: "mayHaveApplied")
    public var isMaybeApplied: Bool { mayHaveApplied }
    /// Whether the operation is settled; a copy of it may still arrive.
    public let isSettled: Bool

    /// Creates a row for one operation.
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

/// The combined state of all transactions in a journal.
public struct JournalState: Sendable {
    /// The progress of the job.
    public internal(set) var progress: FeedProgress
    /// Counts of the input before the position at which reading continues.
    public internal(set) var inputBeforeOffset: InputTally
    /// Counts of the operations so far.
    public internal(set) var counts: FeedCounts
    /// The last operation that may have been sent.
    public internal(set) var leasedThrough: OperationID
    /// The last operation that was accepted.
    public internal(set) var acceptedThrough: OperationID
    /// The rows of individual operations.
    public internal(set) var rows: [OperationID: JournalRow] = [:]
    /// The earlier run whose operations are all sent again; `nil` if settled operations are skipped.
    public var repeated: RepeatedRun?

    /// Creates the state of a job.
    ///
    /// If its engine keeps the progress, unsettled operations had no effect, so none of them counts as leased.
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

    /// Applies the contents of a transaction to the state.
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

/// An earlier run of a job whose settled operations are sent again, because other clients may have changed the
/// collection since.
public struct RepeatedRun: Hashable, Sendable {
    /// The last operation that the run settled.
    public let through: OperationID
    /// The operations before `through` that the run did not settle.
    public let unsettled: Set<OperationID>
    /// The operations whose documents the run found missing; it removed the documents of the other operations.
    public let missed: Set<OperationID>
    /// The time of the run's last change to its journal, since 1970.
    public let endedAt: Duration

    /// Creates a description of the earlier run.
    public init(
        through: OperationID,
        unsettled: Set<OperationID>,
        missed: Set<OperationID>,
        endedAt: Duration
    ) {
        (self.through, self.unsettled, self.missed, self.endedAt) = (through, unsettled, missed, endedAt)
    }

    /// Returns whether the run had settled an operation.
    public func isSettled(_ id: OperationID) -> Bool { id <= through && !unsettled.contains(id) }

    /// Returns whether the run had removed an operation's document.
    func hasRemoved(_ operation: ContentOperation, _ id: OperationID) -> Bool {
        operation.kind == .remove && isSettled(id) && !missed.contains(id)
    }
}

/// A journal kept in memory, which lasts only as long as the process.
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

    /// Returns the combined state of the transactions so far; `nil` if there are none.
    public func state() -> JournalState? { current }
}

/// The contents of the next journal transaction, and the actions that wait for the current one.
struct JournalBuffer {
    var leases: [ContentBatch] = []
    /// The outcomes, in one array per batch, which avoids copying them.
    var outcomes: [[OperationOutcome]] = []
    var rows: [OperationID: JournalRow] = [:]
    var settledRows: [OperationID] = []
    var leasedThrough = OperationID(rawValue: 0)
    /// Whether a transaction has failed; nothing is recorded after that.
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

    /// Whether a transaction can begin: there is something to record, and no other transaction is in progress.
    fileprivate var isDue: Bool { underWay == nil && !isEmpty }

    /// The lowest operation whose outcome is not durable yet.
    var lowestPending: OperationID? {
        [outcomes, underWay?.outcomes ?? []].joined().joined().map(\.operationID).min()
    }

    mutating func lease(_ batch: ContentBatch) {
        leases.append(batch)
        leasedThrough = max(leasedThrough, batch.items.map(\.id).max() ?? leasedThrough)
    }

    /// Moves everything that is waiting into a transaction, and returns its ID.
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
    /// Records everything that is waiting, in one transaction at a time, so each round waits for a slow disk once
    /// rather than three times.
    mutating func flushJournal(_ commands: inout [Command]) {
        journal.settledRows += lanes.takeEndedRows()
        guard journal.isDue else { return }
        let progress = progress(assumingSettled: [])
        let rows = journal.rows.values.sorted { $0.id < $1.id }
        let settledRows = journal.settledRows
        let issues = journal.outcomes.flatMap { $0.filter { $0.issue != nil || $0.outcome == .missing } }
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

    /// Carries out the actions that waited for a transaction that has become durable.
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

    /// Ends the feed after a failure of the journal: outcomes are reported, but leased batches are not sent.
    ///
    /// The next run repeats operations whose outcomes were not recorded.
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

// MARK: Stored state of a job

/// A process's right to work on a job, and the state left by earlier processes.
///
/// Another process may take over a job: each claim raises its epoch, and writes with an older epoch have no effect.
public struct JobClaim: Sendable {
    /// The job's name.
    public let id: JobID
    /// The number of this run of the job; a process with a higher number has taken over the job.
    public let epoch: Int
    /// The state left by earlier runs; `nil` for a new job.
    public let state: JournalState?
    /// Returns the next page of errors and warnings of earlier runs after the first `done`; an empty array at the end.
    public let earlierIssues: @Sendable (_ done: Int) async throws -> [OperationOutcome]

    /// Creates a claim of a job.
    public init(
        id: JobID,
        epoch: Int,
        state: JournalState? = nil,
        earlierIssues: @escaping @Sendable (_ done: Int) async throws -> [OperationOutcome] = { _ in [] }
    ) {
        self.id = id
        self.epoch = epoch
        self.state = state
        self.earlierIssues = earlierIssues
    }
}

/// A batch's contribution to its job's progress, for an engine that stores it together with the batch's effects.
public struct JobUpdate: Hashable, Sendable {
    /// The claim's epoch; `nil` for an unclaimed job, which the first batch creates.
    public let epoch: Int?
    /// The job's progress once the whole batch is settled; the engine stores its union with the stored progress.
    public private(set) var progress: FeedProgress
    /// Counts of the input before ``FeedProgress/offset``.
    public let inputBeforeOffset: InputTally
    /// Operations that were settled without the engine and not yet included in an earlier batch.
    public private(set) var settledWithoutEngine: [OperationOutcome]
    /// The rule for documents that do not exist.
    private let missing: MissingPolicy
    /// Operations in the batch on documents that an earlier operation has already removed or added.
    private let duplicates: Set<OperationID>
    /// The earlier run whose operations are sent again.
    private let repeated: RepeatedRun?
    /// Operations in the batch that are carried out in place of others.
    private var standIns: [OperationID: OperationStandIn] = [:]

    /// Creates a batch's contribution to its job.
    public init(
        _ progress: FeedProgress,
        epoch: Int? = nil,
        inputBeforeOffset: InputTally = InputTally(),
        settledWithoutEngine: [OperationOutcome] = [],
        missing: MissingPolicy = .error,
        duplicates: Set<OperationID> = [],
        repeated: RepeatedRun? = nil
    ) {
        self.progress = progress
        self.epoch = epoch
        self.inputBeforeOffset = inputBeforeOffset
        self.settledWithoutEngine = settledWithoutEngine
        self.missing = missing
        self.duplicates = duplicates
        self.repeated = repeated
    }

    /// Returns the update with the outcomes of the batch's own operations that were settled before the engine receives
    /// it, and with the operations that are carried out in place of others.
    package func adding(
        _ outcomes: [OperationOutcome],
        _ standIns: [OperationID: OperationStandIn] = [:]
    ) -> JobUpdate {
        var update = self
        update.settledWithoutEngine += outcomes
        update.standIns.merge(standIns) { $1 }
        return update
    }

    /// Returns the update with its progress replaced, for a feed whose input adds to the progress.
    public func replacing(_ progress: FeedProgress) -> JobUpdate {
        var update = self
        update.progress = progress
        return update
    }

    /// Returns the outcome that the feeder will report for an operation with this result; `nil` if the operation stays
    /// open.
    public func outcome(of item: ContentBatch.Item, _ result: OperationResult) -> OperationOutcome? {
        let standIn = standIns[item.id]
        let operation = standIn?.original ?? item.operation
        let settled: (outcome: Outcome, issue: DocumentIssue?)
        switch standIn?.result(result) ?? result {
        case .done(let outcome):
            let isDuplicate = duplicates.contains(item.id)
            settled = outcome.reported(
                missing,
                isDuplicate: isDuplicate,
                wasRemoved: !isDuplicate && repeated?.hasRemoved(operation, item.id) ?? false
            )
        case .failed(let failure): settled = (.failed, .error(failure))
        case .notNow, .outdated, .unknown: return nil
        }
        return OperationOutcome(
            operationID: item.id,
            kind: operation.kind,
            documentID: operation.documentID,
            routing: operation.routing,
            outcome: settled.outcome,
            issue: settled.issue
        )
    }
}

extension MissingPolicy {
    /// Returns the issue to report for a document that does not exist.
    ///
    /// If the input merely names a document twice, the second occurrence is only a warning.
    func issue(isDuplicate: Bool) -> DocumentIssue? {
        if self != .ignore, isDuplicate { return .warning(.duplicateInInput) }
        return switch self {
        case .error: .missingError
        case .warn: .missingWarning
        case .ignore: nil
        }
    }
}

extension FeedProgress {
    /// Returns progress in which every operation that is settled in either value is settled.
    ///
    /// Progress never moves backward, even if an old batch arrives late.
    public func union(_ other: FeedProgress) -> FeedProgress {
        var union = firstOperation < other.firstOperation ? other : self
        // The position is the same, but the other progress has a digest.
        if offset == other.offset, inputDigest.count < other.inputDigest.count { union.inputDigest = other.inputDigest }
        let marks = [sentThrough, other.sentThrough].compactMap { $0 }.filter { $0.offset > union.offset }
        union.sentThrough = marks.max { $0.offset < $1.offset }
        let lowest = max(lowestUnsettled, other.lowestUnsettled)
        let end = max(bitEnd, other.bitEnd)
        union.lowestUnsettled = lowest
        union.settled = []
        guard end > lowest.rawValue else { return union }
        // Operations settled from the old limit onward move below the new one.
        let open = (lowest.rawValue..<end).first { !isSettled($0) && !other.isSettled($0) } ?? end
        union.lowestUnsettled = OperationID(rawValue: open)
        union.settled = [UInt8](repeating: 0, count: Int((end - open + 7) / 8))
        for number in open..<end where isSettled(number) || other.isSettled(number) {
            union.settled[Int(number - open) >> 3] |= 1 << UInt8((number - open) & 7)
        }
        while union.settled.last == 0 { union.settled.removeLast() }
        return union
    }

    /// The number after the last operation that the bitmap covers.
    private var bitEnd: UInt64 { lowestUnsettled.rawValue + UInt64(settled.count * 8) }

    private func isSettled(_ number: UInt64) -> Bool { isSettled(OperationID(rawValue: number)) }
}

/// A job's progress, in constant space: the state that a resumed job needs in addition to its input.
///
/// Operations before ``lowestUnsettled`` are settled; for later ones, ``settled`` has a bit each. Reading the input
/// again from ``offset`` yields the operations starting with ``firstOperation``.
public struct FeedProgress: Hashable, Sendable {
    /// The job.
    public var job: JobID
    /// The position in the input at which ``firstOperation`` begins.
    public var offset: InputOffset
    /// The digest of the input before ``offset``, taken from the chunk that ends there; empty if it was not computed.
    public var inputDigest: [UInt8]
    /// The position up to which the input was read for the last operation that is settled or may have been carried out.
    ///
    /// Such operations are identified by number, so the input must be unchanged before this position. `nil` if none of
    /// them comes after ``offset``, or if the position is unknown, as for a job begun by an earlier version.
    public var sentThrough: InputMark?
    /// The ID of the first operation read from ``offset``; at most ``lowestUnsettled``.
    public var firstOperation: OperationID
    /// The first operation that is not settled.
    public var lowestUnsettled: OperationID
    /// Bit `i` is set when operation `lowestUnsettled + i` is settled; least significant bit first, without trailing
    /// zero bytes.
    public var settled: [UInt8]

    /// Creates the progress of a job.
    public init(
        job: JobID,
        offset: InputOffset = .start,
        inputDigest: [UInt8] = [],
        sentThrough: InputMark? = nil,
        firstOperation: OperationID = .first,
        lowestUnsettled: OperationID = .first,
        settled: [UInt8] = []
    ) {
        self.job = job
        self.offset = offset
        self.inputDigest = inputDigest
        self.sentThrough = sentThrough.flatMap { $0.offset > offset ? $0 : nil }
        self.firstOperation = firstOperation
        self.lowestUnsettled = lowestUnsettled
        self.settled = settled
    }

    /// The number of settled operations.
    public var settledCount: Int {
        Int(lowestUnsettled.rawValue - 1) + settled.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// The highest operation known to be settled; `nil` if there is none.
    public var highestSettled: OperationID? {
        guard let last = settled.lastIndex(where: { $0 != 0 }) else {
            return lowestUnsettled == .first ? nil : OperationID(rawValue: lowestUnsettled.rawValue - 1)
        }
        let bit = UInt64(last * 8 + 7 - settled[last].leadingZeroBitCount)
        return OperationID(rawValue: lowestUnsettled.rawValue + bit)
    }

    /// The operations before ``highestSettled`` that are not settled.
    public var gaps: [OperationID] {
        guard let last = highestSettled, last > lowestUnsettled else { return [] }
        return (lowestUnsettled.rawValue..<last.rawValue).map { OperationID(rawValue: $0) }.filter { !isSettled($0) }
    }

    /// Returns whether an operation is settled.
    public func isSettled(_ id: OperationID) -> Bool {
        guard id >= lowestUnsettled else { return true }
        let index = Int(clamping: id.rawValue - lowestUnsettled.rawValue)
        return index >> 3 < settled.count && settled[index >> 3] & (1 << (index & 7)) != 0
    }
}

/// A position in a job's input: the source, and the number of bytes into it.
public struct InputOffset: Hashable, Comparable, Sendable {
    /// The number of the source: a file, a pipe, or the command's arguments.
    public var source: Int
    /// The number of bytes of the source before this position.
    public var byte: UInt64

    /// Creates a position.
    public init(source: Int, byte: UInt64) {
        self.source = source
        self.byte = byte
    }

    /// The beginning of the first source.
    public static let start = InputOffset(source: 0, byte: 0)

    public static func < (left: Self, right: Self) -> Bool {
        (left.source, left.byte) < (right.source, right.byte)
    }
}

/// A position in a job's input, with a digest to check that everything before it is unchanged.
public struct InputMark: Hashable, Sendable {
    /// The position, at the end of a chunk.
    public var offset: InputOffset
    /// The digest of the input before the position, taken from the chunk.
    public var digest: [UInt8]

    /// Creates a mark.
    public init(_ offset: InputOffset, digest: [UInt8]) {
        (self.offset, self.digest) = (offset, digest)
    }
}

/// The name of a job: letters and digits, unique without coordination.
public struct JobID: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The number of characters of a random name.
    package static let length = 16

    /// Returns a name of 80 random bits: 16 letters and digits of Crockford's base 32.
    public static func random(using generator: inout some RandomNumberGenerator) -> JobID {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        return JobID(rawValue: String((0..<length).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] }))
    }
}

extension JobID: CustomStringConvertible {
    public var description: String { rawValue }
}
