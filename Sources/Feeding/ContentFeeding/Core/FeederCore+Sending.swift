extension FeederCore {
    /// Sends batches while there is something worth sending and the engine has capacity.
    mutating func sendReady(at now: FeedInstant, _ commands: inout [Command]) {
        switch flow.admission(at: now) {
        case .all:
            if carried.isFull, inFlight.isEmpty { send(SubBatch(ids: []), isProbe: false, at: now, &commands) }
            while inFlight.count < flow.limit {
                guard let next = nextBatch(of: maximumCount, at: now) else { return flow.starved() }
                send(next, isProbe: false, at: now, &commands)
            }
        case .probe:
            if let next = nextBatch(of: 1, at: now) { send(next, isProbe: true, at: now, &commands) }
        case .none: break
        }
    }

    private mutating func nextBatch(of count: Int, at now: FeedInstant) -> SubBatch? {
        if let waiting = splitter.nextCount(in: window) {
            return flow.mayLeave(min(count, waiting), at: now) ? splitter.takeNext(count) : nil
        }
        guard ready.count > 0 else { return nil }
        let isFull = ready.count >= count || ready.byteCount >= maximumBytes
        let hasLingered = ready.since.map { $0 + linger <= now } ?? false
        guard isFull || hasLingered || nothingMoreWillCome else { return nil }
        guard flow.mayLeave(min(count, ready.count), at: now) else { return nil }
        return takeReady(count, at: now)
    }

    /// Whether no further input can fill the batch, or a caller is waiting for the operations that are ready.
    private var nothingMoreWillCome: Bool {
        reading.hasEnded || reading.isPaused || hasBarriers || (!reading.isRequested && inFlight.isEmpty && !hasRoom)
    }

    private mutating func takeReady(_ count: Int, at now: FeedInstant) -> SubBatch? {
        var ids: [OperationID] = []
        ids.reserveCapacity(min(ready.count, count))
        var bytes = 0
        while ids.count < count, let id = ready.first {
            guard let entry = window[id], entry.state == .ready else {
                ready.dropFirst()
                continue
            }
            let size = entry.byteCount
            if !ids.isEmpty, bytes + size > maximumBytes { break }
            bytes += size
            ids.append(id)
            ready.dropFirst()
            ready.left(byteCount: size)
        }
        ready.restartLinger(at: now)
        return ids.isEmpty ? nil : SubBatch(ids: ids)
    }

    /// The maximum number of operations in a batch.
    var maximumCount: Int {
        let count = configuration.batchCount ?? (capabilities.suitableBatchCount * flow.batchSize)
        return min(count, capabilities.maximumBatchCount, flow.maximumCount)
    }

    private var maximumBytes: Int {
        min(configuration.batchBytes ?? suitableBytes, capabilities.maximumBatchBytes, splitter.maximumBytes)
    }

    /// A batch's share of the window, but at least the first batch size: half of the window waits while the other half
    /// is in flight.
    private var suitableBytes: Int {
        let first = FeedConfiguration.firstBatchBytes
        return max(first, min(first * flow.batchSize, configuration.windowBytes / (2 * flow.limit)))
    }

    private mutating func send(
        _ operations: SubBatch,
        isProbe: Bool,
        at now: FeedInstant,
        _ commands: inout [Command]
    ) {
        sentBatches += 1
        let batchID = BatchID(rawValue: UInt64(sentBatches))
        var items: [ContentBatch.Item] = []
        items.reserveCapacity(operations.ids.count)
        var isResent = false
        for id in operations.ids {
            window.update(id) { entry in
                entry.state = .inFlight
                entry.sends += 1
                isResent = isResent || entry.sends > 1
            }
            guard let operation = window.operation(id) else { continue }
            // The condition is added only here: it is the same for all additions, so neither the window nor a journal
            // needs to store it.
            let isConditional = configuration.addsOnlyNew && operation.kind == .add && operation.condition == nil
            items.append(
                .init(
                    id: id,
                    operation: isConditional ? operation.only(.absent) : operation,
                    mayHaveApplied: window[id]?.mayHaveApplied ?? false
                )
            )
        }
        flow.sent(batchID, items.count, isFirst: inFlight.isEmpty, isProbe: isProbe, at: now)
        inFlight[batchID] = SentBatch(
            ids: operations.ids,
            origin: operations.origin,
            isProbe: isProbe,
            carriedThrough: carried.end
        )
        if isResent { resentBatches += 1 }
        let update = keepsProgress ? jobUpdate(settling: operations.ids) : nil
        let batch = ContentBatch(
            id: batchID,
            items: items,
            job: update,
            missing: configuration.missing,
            addsMissing: configuration.addsMissing
        )
        if isJournaled {
            for id in operations.ids {
                // If a crash occurs after this point, the operation may already have taken effect.
                guard let entry = window[id], entry.hasRow, let operation = window.operation(id) else { continue }
                journal.rows[id] = JournalRow(id: id, operation, entry, isLeased: true)
            }
            journal.lease(batch)
        } else {
            commands.append(.send(batch))
        }
    }

    /// Whether batches include the job's progress for the engine to store.
    var keepsProgress: Bool { capabilities.keepsProgress && epoch != nil }

    private func jobUpdate(settling batch: [OperationID]) -> JobUpdate {
        let progress = progress(assumingSettled: batch)
        return JobUpdate(
            progress,
            epoch: epoch,
            inputBeforeOffset: inputBefore(progress),
            settledWithoutEngine: carried.outcomes,
            missing: configuration.missing,
            duplicates: Set(batch.filter { window[$0]?.isDuplicate ?? false }),
            repeated: reading.resumed?.repeated
        )
    }

    /// Returns the progress that the job will have once `batch` is settled in addition to the operations already
    /// settled.
    func progress(assumingSettled batch: [OperationID]) -> FeedProgress {
        let start = (isJournaled ? window.lowestWithoutRow : window.lowest).rawValue
        let last = [window.highestOut, batch.max(), reading.resumed?.progress.highestSettled].compactMap { $0 }.max()
        let end = max((last?.rawValue ?? 0) + 1, start)
        var settled = [Bool](repeating: false, count: Int(end - start))
        for index in settled.indices { settled[index] = isOut(OperationID(rawValue: start + UInt64(index))) }
        for id in batch where id.rawValue >= start { settled[Int(id.rawValue - start)] = true }
        let lowest = settled.firstIndex(of: false) ?? settled.count
        var bits: [UInt8] = []
        if let last = settled.lastIndex(of: true), last > lowest {
            bits = [UInt8](repeating: 0, count: (last - lowest) >> 3 + 1)
            for index in lowest...last where settled[index] {
                bits[(index - lowest) >> 3] |= 1 << ((index - lowest) & 7)
            }
        }
        let lowestID = OperationID(rawValue: start + UInt64(lowest))
        // Everything up to this point is settled, so a later run resumes reading at the current position.
        let isReadThrough = lowestID >= window.next
        let chunk = isReadThrough ? nil : reading.chunks.last { $0.first <= lowestID }
        return FeedProgress(
            job: job,
            offset: chunk?.offset ?? reading.offset,
            inputDigest: chunk?.digest ?? reading.digest,
            sentThrough: mark(after: max(end, lowestID.rawValue, journal.leasedThrough.rawValue + 1)),
            firstOperation: chunk?.first ?? window.next,
            lowestUnsettled: lowestID,
            settled: bits
        )
    }

    /// Returns the position up to which the input was read for the operations before `end`, and for any later ones that
    /// an earlier run sent.
    private func mark(after end: UInt64) -> InputMark {
        let next = reading.chunks.lastIndex { $0.first.rawValue < end }.map { $0 + 1 } ?? 0
        let chunk = next < reading.chunks.count ? reading.chunks[next] : nil
        let mark = InputMark(chunk?.offset ?? reading.offset, digest: chunk?.digest ?? reading.digest)
        guard let earlier = reading.resumed?.progress.sentThrough, earlier.offset > mark.offset else { return mark }
        return earlier
    }

    /// Returns whether the bitmap marks the operation as settled, which includes operations with their own row.
    private func isOut(_ id: OperationID) -> Bool {
        guard id >= window.next else { return !window.isUnsettled(id, countingRows: !isJournaled) }
        // The operation has not been read again yet, so the earlier run's information about it is still valid.
        return reading.resumed?.progress.isSettled(id) ?? false
    }

    /// Returns the counts of the input before the offset of `progress`.
    func inputBefore(_ progress: FeedProgress) -> InputTally {
        reading.chunks.last { $0.first == progress.firstOperation }?.inputBefore ?? input
    }

    /// The time at which the oldest ready operation has waited long enough; `nil` if nothing depends on that time.
    var lingerEnd: FeedInstant? {
        guard inFlight.count < flow.limit, let since = ready.since else { return nil }
        return since + linger
    }

    private var linger: Duration {
        inFlight.isEmpty ? configuration.idleLinger ?? configuration.linger : configuration.linger
    }
}

/// A batch in flight.
struct SentBatch: Sendable {
    let ids: [OperationID]
    let origin: BatchID?
    /// Whether the batch is a probe of whether the engine is available again.
    let isProbe: Bool
    /// The end of the range of carried outcomes that the batch contains.
    var carriedThrough = 0
}

/// Outcomes of operations that were settled without the engine, which stores them with the next batch that takes
/// effect.
///
/// Every batch contains all of them until a reply to such a batch has arrived; the engine ignores those that it has
/// already stored.
struct CarriedOutcomes: Sendable {
    private(set) var outcomes: [OperationOutcome] = []
    private var forgotten = 0

    /// The number of outcomes at which a batch without operations is sent to store them.
    private static let most = 1000

    /// The total number of outcomes carried so far.
    var end: Int { forgotten + outcomes.count }

    var isFull: Bool { outcomes.count >= Self.most }

    mutating func add(_ settled: [OperationOutcome]) {
        for outcome in settled { outcomes.append(outcome.detached()) }
    }

    mutating func forget(through end: Int) {
        guard end > forgotten else { return }
        outcomes.removeFirst(end - forgotten)
        forgotten = end
    }
}

/// The batches that were refused as a whole and are sent again in parts.
///
/// If one operation makes a batch fail, the batch is halved until that operation is isolated. A batch that is too large
/// is split into two halves of about equal size, and later batches stay smaller.
struct BatchSplitter: Sendable {
    /// The waiting parts, in the order in which they are sent.
    private var waiting: [SubBatch] = []
    /// The batches being searched for the operations that make them fail.
    private var tallies: [BatchID: Tally] = [:]
    /// The maximum number of bytes in a batch, learned from one that was too large.
    private var learnedBytes: Int?
    /// The largest operation that the engine accepted, in bytes.
    private var largestTaken = 0

    private struct Tally {
        let count: Int
        var bad = 0
        /// The number of parts that are waiting or in flight.
        var parts = 0
    }

    /// The largest part that is not worth halving, because sending its operations one by one is faster.
    private static let fewOperations = 8
    /// The share of bad operations above which halving does not find them any faster.
    private static let largestShare = 0.05

    /// The maximum number of bytes in a batch, given the known limit of the engine.
    var maximumBytes: Int { learnedBytes ?? .max }

    /// Whether no batch is being searched.
    var isIdle: Bool { tallies.isEmpty }

    /// Returns the number of operations in the next part; `nil` if no part is waiting.
    ///
    /// Operations that were settled in the meantime are dropped.
    mutating func nextCount(in window: OperationWindow) -> Int? {
        while let first = waiting.first {
            let ids = first.ids.filter { window[$0]?.state == .grouped }
            guard ids.isEmpty else {
                waiting[0].ids = ids
                return ids.count
            }
            waiting.removeFirst()
            removePart(of: first.origin)
        }
        return nil
    }

    /// Takes up to `count` operations from the next part; there must be one.
    mutating func takeNext(_ count: Int) -> SubBatch {
        let first = waiting.removeFirst()
        guard first.ids.count > count else { return first }
        if let origin = first.origin { add(parts: 1, to: origin, of: first.ids.count) }
        waiting.insert(SubBatch(ids: Array(first.ids[count...]), origin: first.origin), at: 0)
        return SubBatch(ids: Array(first.ids[..<count]), origin: first.origin)
    }

    /// Queues the operations of a batch that failed because of one of them, in halves or individually.
    ///
    /// `ids` contains the operations of the batch that are sent again.
    mutating func split(_ ids: [OperationID], of sent: SentBatch, as batch: BatchID) {
        let origin = sent.origin ?? batch
        let parts = wantsSingles(ids.count, of: origin) ? ids.map { [$0] } : halves(ids, at: ids.count / 2)
        add(parts: parts.count, to: origin, of: sent.ids.count)
        queue(parts, origin)
    }

    /// Returns whether it is better to send a part of a batch as single operations than in halves.
    private func wantsSingles(_ count: Int, of origin: BatchID) -> Bool {
        guard count > Self.fewOperations else { return true }
        guard let tally = tallies[origin] else { return false }
        return Double(tally.bad) > Self.largestShare * Double(tally.count)
    }

    /// Records that an operation makes its batch fail.
    mutating func foundBad(in origin: BatchID?) {
        if let origin { tallies[origin]?.bad += 1 }
    }

    /// Records that the engine accepted an operation of this size.
    mutating func taken(_ byteCount: Int) { largestTaken = max(largestTaken, byteCount) }

    /// Lowers the size limit after a batch of this size was too large.
    mutating func learn(tooLarge byteCount: Int) {
        let learned = max(byteCount / 2, largestTaken, 1)
        learnedBytes = min(learnedBytes ?? learned, learned)
    }

    /// Queues a batch that is too large as two halves of about equal size.
    ///
    /// `ids` contains the operations of the batch that are sent again.
    mutating func divide(_ ids: [OperationID], sizes: [Int], of sent: SentBatch) {
        let parts = halves(ids, at: middle(of: sizes))
        if let origin = sent.origin { add(parts: parts.count, to: origin, of: sent.ids.count) }
        queue(parts, sent.origin)
    }

    /// Returns the index at which the first half of the bytes ends; if there are at least two operations, each half
    /// gets at least one.
    private func middle(of sizes: [Int]) -> Int {
        let half = sizes.reduce(0, +) / 2
        var (index, bytes) = (0, 0)
        while index < sizes.count - 1, bytes + sizes[index] <= half {
            bytes += sizes[index]
            index += 1
        }
        return max(1, index)
    }

    private func halves(_ ids: [OperationID], at middle: Int) -> [[OperationID]] {
        let middle = min(middle, ids.count)
        return [Array(ids[..<middle]), Array(ids[middle...])].filter { !$0.isEmpty }
    }

    private mutating func add(parts: Int, to origin: BatchID, of count: Int) {
        tallies[origin, default: Tally(count: count)].parts += parts
    }

    /// Queues parts ahead of all other waiting parts, because their operations have waited longest.
    private mutating func queue(_ parts: [[OperationID]], _ origin: BatchID?) {
        waiting.insert(contentsOf: parts.map { SubBatch(ids: $0, origin: origin) }, at: 0)
    }

    /// Removes a part that has been processed.
    mutating func removePart(of origin: BatchID?) {
        guard let origin, let tally = tallies[origin] else { return }
        if tally.parts <= 1 { tallies[origin] = nil } else { tallies[origin]?.parts -= 1 }
    }
}

/// Operations that are sent together: a part of a batch that was refused as a whole.
struct SubBatch: Sendable {
    var ids: [OperationID]
    /// The refused batch to which this part belongs, if one of its operations made it fail.
    var origin: BatchID?
}
