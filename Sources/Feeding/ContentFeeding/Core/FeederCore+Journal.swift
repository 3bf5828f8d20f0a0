/// What the next transaction of the journal will hold, and what waits for the one that is under way.
struct JournalBuffer {
    var leases: [ContentBatch] = []
    var outcomes: [OperationOutcome] = []
    var rows: [OperationID: JournalRow] = [:]
    var settledRows: [OperationID] = []
    var leasedThrough = OperationID(rawValue: 0)
    /// A transaction failed: nothing further is recorded.
    var isBroken = false

    private(set) var underWay: UnderWay?
    private var lastID: UInt64 = 0

    struct UnderWay {
        let id: JournalTransaction.ID
        let leases: [ContentBatch]
        let outcomes: [OperationOutcome]
    }

    var isIdle: Bool { underWay == nil && isEmpty }

    private var isEmpty: Bool { leases.isEmpty && outcomes.isEmpty && rows.isEmpty && settledRows.isEmpty }

    /// A transaction can begin: there is something to record, and none is under way.
    var isDue: Bool { underWay == nil && !isEmpty }

    /// The lowest operation whose outcome is not durable yet.
    var lowestPending: OperationID? {
        [outcomes, underWay?.outcomes ?? []].joined().map(\.operationID).min()
    }

    mutating func lease(_ batch: ContentBatch) {
        leases.append(batch)
        leasedThrough = max(leasedThrough, batch.items.map(\.id).max() ?? leasedThrough)
    }

    /// Moves everything that waits into a transaction, and returns its ID.
    mutating func begin() -> JournalTransaction.ID {
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
    /// Leases and outcomes go to the journal before they are acted on.
    var isRecording: Bool { isJournaled && !journal.isBroken }

    /// Records what waits, one transaction at a time, so that a slow disk costs one wait a round and not three.
    mutating func flushJournal(_ commands: inout [Command]) {
        guard isRecording, journal.isDue else { return }
        let progress = progress(assumingSettled: [])
        let rows = journal.rows.values.sorted { $0.id < $1.id }
        let settledRows = journal.settledRows
        let issues = journal.outcomes.filter { $0.issue != nil }
        let leasedThrough = journal.leasedThrough
        let transaction = JournalTransaction(
            id: journal.begin(),
            progress: progress,
            inputBeforeOffset: inputBefore(progress),
            counts: counts,
            leasedThrough: leasedThrough,
            acceptedThrough: max(
                OperationID(rawValue: window.next.rawValue - 1),
                reading.earlier?.acceptedThrough ?? OperationID(rawValue: 0)
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
        if !done.outcomes.isEmpty { commands.append(.settled(done.outcomes)) }
        for batch in done.leases {
            if stopReason == nil {
                commands.append(.send(batch))
            } else {
                takeBack(batch, at: now)
            }
        }
    }

    /// Ends the feed without the journal: what happened is told, what was leased is not sent.
    ///
    /// The next run repeats what it does not know of.
    mutating func recordFailed(
        _ id: JournalTransaction.ID,
        _ message: String,
        at now: FeedInstant,
        _ commands: inout [Command]
    ) {
        guard let failed = journal.end(id) else { return }
        journal.isBroken = true
        stopReason = stopReason ?? .storage(message: message)
        let outcomes = failed.outcomes + journal.outcomes
        if !outcomes.isEmpty { commands.append(.settled(outcomes)) }
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
