extension FeederCore {
    /// Sends a batch that one of its operations spoils again in parts, until that one is alone.
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

    /// Sends a batch that is too large again in halves of about as many bytes, and keeps later ones smaller.
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

    /// Gives up those whose time has run out, and returns the rest.
    private mutating func inTime(
        _ ids: [OperationID],
        _ failure: DocumentFailure,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) -> [OperationID] {
        for id in ids where isOutOfTime(id) { expire(id, failure, at: now, &settled) }
        return ids.filter { window[$0] != nil }
    }

    /// Where the first half of the bytes ends; there is something on both sides of it.
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

    /// Puts parts before everything else that waits: what is in them has waited longest.
    private mutating func group(_ parts: [[OperationID]], _ origin: BatchID?) {
        for part in parts {
            for id in part { window.update(id) { $0.state = .grouped } }
        }
        groups.insert(contentsOf: parts.map { SendGroup(ids: $0, origin: origin) }, at: 0)
    }
}
