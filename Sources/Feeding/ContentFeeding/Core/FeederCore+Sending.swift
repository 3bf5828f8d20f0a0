extension FeederCore {
    /// The most operations in a batch.
    var maximumCount: Int {
        min(configuration.batchCount, capabilities.maximumBatchCount, rate?.maximumCount ?? .max)
    }
    private var maximumBytes: Int {
        min(configuration.batchBytes, capabilities.maximumBatchBytes, learnedBytes ?? .max)
    }

    /// Sends batches while there is something worth sending and the engine has a hand free.
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

    /// When the oldest ready operation has waited long enough; `nil` when nothing waits for that.
    var lingerEnd: FeedInstant? {
        guard inFlight.count < throttle.limit, let since = ready.since else { return nil }
        return since + configuration.linger
    }

    private mutating func nextGroup(of count: Int, at now: FeedInstant) -> SendGroup? {
        while let first = groups.first {
            let ids = first.ids.filter { window[$0]?.state == .grouped }
            groups.removeFirst()
            guard !ids.isEmpty else {
                splits.removePart(of: first.origin)
                continue
            }
            guard mayLeave(min(count, ids.count), at: now) else {
                groups.insert(SendGroup(ids: ids, origin: first.origin), at: 0)
                return nil
            }
            guard ids.count > count else { return SendGroup(ids: ids, origin: first.origin) }
            groups.insert(SendGroup(ids: Array(ids[count...]), origin: first.origin), at: 0)
            if let origin = first.origin { splits.add(parts: 1, to: origin, of: ids.count) }
            return SendGroup(ids: Array(ids[..<count]), origin: first.origin)
        }
        guard ready.count > 0 else { return nil }
        let isFull = ready.count >= count || ready.byteCount >= maximumBytes
        let hasLingered = ready.since.map { $0 + configuration.linger <= now } ?? false
        guard isFull || hasLingered || nothingMoreWillCome else { return nil }
        guard mayLeave(min(count, ready.count), at: now) else { return nil }
        return takeReady(count, at: now)
    }

    /// Whether the rate allows so many operations now; else says when.
    private mutating func mayLeave(_ count: Int, at now: FeedInstant) -> Bool {
        guard let start = rate?.start(of: count, at: now), start > now else { return true }
        rateWake = start
        return false
    }

    /// No input can arrive that would fill the batch, or someone waits for what is there.
    private var nothingMoreWillCome: Bool {
        reading.hasEnded || !barriers.isEmpty || (!reading.isRequested && inFlight.isEmpty && !hasRoom)
    }

    private mutating func takeReady(_ count: Int, at now: FeedInstant) -> SendGroup? {
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
        return ids.isEmpty ? nil : SendGroup(ids: ids)
    }

    private mutating func send(
        _ group: SendGroup,
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
                // A crash from here on may come after its effect.
                guard let entry = window[id], entry.hasRow, let operation = window.operation(id) else { continue }
                journal.rows[id] = JournalRow(id: id, operation, entry, isLeased: true)
            }
            journal.lease(batch)
        } else {
            commands.append(.send(batch))
        }
    }

    /// Where the job stands once `batch` is settled, besides what is settled already.
    func progress(assumingSettled batch: [OperationID]) -> FeedProgress {
        let start = (isJournaled ? window.lowestWithoutRow : window.lowest).rawValue
        let last = [window.highestOut, batch.max(), reading.earlier?.progress.highestSettled].compactMap { $0 }.max()
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
        // Everything up to there is settled, so a later run reads on where this one is.
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

    /// What was read before the offset of `progress`.
    func inputBefore(_ progress: FeedProgress) -> InputTally {
        reading.chunks.last { $0.first == progress.firstOperation }?.inputBefore ?? input
    }

    /// Needs no place in the bitmap: it is settled, or has a row of its own.
    private func isOut(_ id: OperationID) -> Bool {
        guard id >= window.next else { return !window.isUnsettled(id, countingRows: !isJournaled) }
        // Not read again yet: what the earlier run knew of it still holds.
        return reading.earlier?.progress.isSettled(id) ?? false
    }
}
