extension FeederCore {
    /// The most operations in a batch.
    var maximumCount: Int {
        min(configuration.batchCount, capabilities.maximumBatchCount, rate?.maximumCount ?? .max)
    }
    private var maximumBytes: Int {
        min(configuration.batchBytes, capabilities.maximumBatchBytes, learnedBytes ?? .max)
    }

    /// Sends batches while there is something worth sending and the engine has capacity.
    mutating func sendReady(at now: FeedInstant, _ commands: inout [Command]) {
        rateWake = nil
        guard throttle.pausedUntil == nil else { return }
        switch breaker.admission(at: now) {
        case .all:
            while inFlight.count < throttle.limit {
                guard let group = nextGroup(of: maximumCount, at: now) else { return throttle.starved() }
                send(group, isProbe: false, at: now, &commands)
            }
        case .probe:
            if let group = nextGroup(of: 1, at: now) { send(group, isProbe: true, at: now, &commands) }
        case .none: break
        }
    }

    /// The time at which the oldest ready operation has waited long enough; `nil` if nothing waits for that.
    var lingerEnd: FeedInstant? {
        guard inFlight.count < throttle.limit, let since = ready.since else { return nil }
        return since + configuration.linger
    }

    private mutating func nextGroup(of count: Int, at now: FeedInstant) -> SubBatch? {
        while let first = groups.first {
            let ids = first.ids.filter { window[$0]?.state == .grouped }
            groups.removeFirst()
            guard !ids.isEmpty else {
                splits.removePart(of: first.origin)
                continue
            }
            guard mayLeave(min(count, ids.count), at: now) else {
                groups.insert(SubBatch(ids: ids, origin: first.origin), at: 0)
                return nil
            }
            guard ids.count > count else { return SubBatch(ids: ids, origin: first.origin) }
            groups.insert(SubBatch(ids: Array(ids[count...]), origin: first.origin), at: 0)
            if let origin = first.origin { splits.add(parts: 1, to: origin, of: ids.count) }
            return SubBatch(ids: Array(ids[..<count]), origin: first.origin)
        }
        guard ready.count > 0 else { return nil }
        let isFull = ready.count >= count || ready.byteCount >= maximumBytes
        let hasLingered = ready.since.map { $0 + configuration.linger <= now } ?? false
        guard isFull || hasLingered || nothingMoreWillCome else { return nil }
        guard mayLeave(min(count, ready.count), at: now) else { return nil }
        return takeReady(count, at: now)
    }

    /// Returns whether the rate allows this many operations now; if not, notes when it does.
    private mutating func mayLeave(_ count: Int, at now: FeedInstant) -> Bool {
        guard let start = rate?.start(of: count, at: now), start > now else { return true }
        rateWake = start
        return false
    }

    /// Whether no input can arrive that would fill the batch, or someone waits for the ready operations.
    private var nothingMoreWillCome: Bool {
        reading.hasEnded || !barriers.isEmpty || (!reading.isRequested && inFlight.isEmpty && !hasRoom)
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

    private mutating func send(
        _ group: SubBatch,
        isProbe: Bool,
        at now: FeedInstant,
        _ commands: inout [Command]
    ) {
        lastBatch += 1
        let batchID = BatchID(rawValue: lastBatch)
        var items: [ContentBatch.Item] = []
        items.reserveCapacity(group.ids.count)
        var isResent = false
        for id in group.ids {
            window.update(id) { entry in
                entry.state = .inFlight
                entry.sends += 1
                isResent = isResent || entry.sends > 1
            }
            if let operation = window.operation(id) { items.append(.init(id: id, operation: operation)) }
        }
        if inFlight.isEmpty { breaker.began(at: now) }
        if isProbe { breaker.probed(with: batchID) }
        rate?.take(items.count, at: now)
        inFlight[batchID] = SentBatch(ids: group.ids, origin: group.origin, isProbe: isProbe)
        sentBatches += 1
        if isResent { resentBatches += 1 }
        let progress = capabilities.keepsProgress ? progress(assumingSettled: group.ids) : nil
        let batch = ContentBatch(id: batchID, items: items, progress: progress)
        if isJournaled {
            for id in group.ids {
                // A crash from here on may come after the operation has taken effect.
                guard let entry = window[id], entry.hasRow, let operation = window.operation(id) else { continue }
                journal.rows[id] = JournalRow(id: id, operation, entry, isLeased: true)
            }
            journal.lease(batch)
        } else {
            commands.append(.send(batch))
        }
    }

    /// Returns the job's progress once `batch` is settled, in addition to what is settled already.
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
        // Everything up to that point is settled, so a later run continues reading where this one is.
        let isReadThrough = lowestID >= window.next
        let chunk = isReadThrough ? nil : reading.chunks.last { $0.first <= lowestID }
        return FeedProgress(
            job: job,
            offset: chunk?.offset ?? reading.offset,
            firstOperation: chunk?.first ?? window.next,
            lowestUnsettled: lowestID,
            settled: bits
        )
    }

    /// Returns the counts of the input before the offset of `progress`.
    func inputBefore(_ progress: FeedProgress) -> InputTally {
        reading.chunks.last { $0.first == progress.firstOperation }?.inputBefore ?? input
    }

    /// Returns whether the bitmap marks the operation as settled: it is, or it has a row of its own.
    private func isOut(_ id: OperationID) -> Bool {
        guard id >= window.next else { return !window.isUnsettled(id, countingRows: !isJournaled) }
        // Not read again yet: what the earlier run knew about it still holds.
        return reading.resumed?.progress.isSettled(id) ?? false
    }
}

extension FeederCore {
    /// Splits a batch that one of its operations spoils, to be sent again in parts until that one is alone.
    mutating func split(
        _ sent: SentBatch,
        as batch: BatchID,
        _ failure: DocumentFailure,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        guard sent.ids.count > 1 else {
            splits.foundBad(in: sent.origin)
            for id in sent.ids { settle(id, .failed, .error(failure), at: now, &settled) }
            return
        }
        let ids = inTime(sent.ids, failure, at: now, &settled)
        let origin = sent.origin ?? batch
        let isInSingles = splits.wantsSingles(ids.count, of: origin)
        let parts = isInSingles ? ids.map { [$0] } : halves(ids, at: ids.count / 2)
        splits.add(parts: parts.count, to: origin, of: sent.ids.count)
        group(parts, origin)
    }

    /// Splits a batch that is too large, to be sent again in halves of about equal size, and keeps later ones smaller.
    mutating func divide(
        _ sent: SentBatch,
        _ failure: DocumentFailure,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        guard sent.ids.count > 1 else {
            let failure = DocumentFailure(.documentTooLarge, failure.message, disposition: failure.disposition)
            for id in sent.ids { settle(id, .failed, .error(failure), at: now, &settled) }
            return
        }
        let sizes = sent.ids.map { window[$0]?.byteCount ?? 0 }
        let learned = max(sizes.reduce(0, +) / 2, largestTaken, 1)
        learnedBytes = min(learnedBytes ?? learned, learned)
        let ids = inTime(sent.ids, failure, at: now, &settled)
        let parts = halves(ids, at: middle(of: ids))
        if let origin = sent.origin { splits.add(parts: parts.count, to: origin, of: sent.ids.count) }
        group(parts, sent.origin)
    }

    /// Expires operations whose time has run out, and returns the rest.
    private mutating func inTime(
        _ ids: [OperationID],
        _ failure: DocumentFailure,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) -> [OperationID] {
        for id in ids where isOutOfTime(id) { expire(id, failure, at: now, &settled) }
        return ids.filter { window[$0] != nil }
    }

    /// Returns the index at which the first half of the bytes ends; of two or more operations, each side gets at least
    /// one.
    private func middle(of ids: [OperationID]) -> Int {
        let sizes = ids.map { window[$0]?.byteCount ?? 0 }
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

    /// Queues parts before everything else that waits: their operations have waited longest.
    private mutating func group(_ parts: [[OperationID]], _ origin: BatchID?) {
        for part in parts {
            for id in part { window.update(id) { $0.state = .grouped } }
        }
        groups.insert(contentsOf: parts.map { SubBatch(ids: $0, origin: origin) }, at: 0)
    }
}

/// Operations that are sent together as they are: a part of a batch that was refused as a whole.
struct SubBatch: Sendable {
    var ids: [OperationID]
    /// The refused batch that the group is a part of, if one of its operations spoils it.
    var origin: BatchID?
}

/// A batch in flight.
struct SentBatch: Sendable {
    let ids: [OperationID]
    let origin: BatchID?
    /// Whether the batch probes if the engine is back.
    let isProbe: Bool
}

/// Tallies of the batches being searched for the operations that spoil them.
struct SplitTallies: Sendable {
    private var tallies: [BatchID: Tally] = [:]

    private struct Tally {
        let count: Int
        var bad = 0
        /// Parts that wait or are in flight.
        var parts = 0
    }

    /// The largest part that is not worth halving, because sending its operations one by one is faster.
    private static let fewOperations = 8
    /// The share of bad operations above which halving finds them no sooner.
    private static let largestShare = 0.05

    /// Returns whether a part of a batch is better sent as single operations than in halves.
    fileprivate func wantsSingles(_ count: Int, of origin: BatchID?) -> Bool {
        guard count > Self.fewOperations else { return true }
        guard let tally = origin.flatMap({ tallies[$0] }) else { return false }
        return Double(tally.bad) > Self.largestShare * Double(tally.count)
    }

    mutating func add(parts: Int, to origin: BatchID, of count: Int) {
        tallies[origin, default: Tally(count: count)].parts += parts
    }

    fileprivate mutating func foundBad(in origin: BatchID?) {
        if let origin { tallies[origin]?.bad += 1 }
    }

    /// Removes a part that has been dealt with.
    mutating func removePart(of origin: BatchID?) {
        guard let origin, let tally = tallies[origin] else { return }
        if tally.parts <= 1 { tallies[origin] = nil } else { tallies[origin]?.parts -= 1 }
    }

    var isEmpty: Bool { tallies.isEmpty }
}
