import TextKit

extension FeederCore {
    /// Requests input while there is room for it.
    mutating func read(_ commands: inout [Command]) {
        guard !reading.isRequested, !reading.hasEnded, stopReason == nil, hasRoom else { return }
        guard !reading.isPaused || window.count == 0 else { return }
        (reading.isRequested, reading.isPaused) = (true, false)
        commands.append(.read)
    }

    /// Whether the window has room for another chunk.
    var hasRoom: Bool {
        window.count + lanes.idleCount < configuration.windowCount
            && window.byteCount < configuration.windowBytes
            && window.span < 8 * configuration.windowCount
            && ready.count < readAhead
    }

    /// The maximum number of operations that may wait to be sent: enough for every batch in flight to be followed
    /// immediately by another one.
    ///
    /// More would only fill the CPU cache, which the engine may need.
    private var readAhead: Int {
        min(maximumCount, configuration.windowCount) * max(4, flow.limit)
    }

    mutating func accept(_ chunk: OperationChunk, at now: FeedInstant, _ commands: inout [Command]) {
        reading.isRequested = false
        // Input that is not accepted is not counted, because a later run reads it again.
        guard stopReason == nil else { return }
        guard !chunk.isEarlier else { return remember(chunk.operations) }
        reading.isPaused = chunk.precedesPause
        reading.chunks.append(
            .init(first: window.next, offset: reading.offset, digest: reading.digest, inputBefore: input)
        )
        reading.offset = chunk.end
        reading.digest = chunk.digest
        input += chunk.input
        if !chunk.rejections.isEmpty { commands.append(.tell(.rejected(chunk.rejections))) }

        let first = window.next
        var settled: [OperationOutcome] = []
        accept(chunk.operations, at: now, &settled)
        let acceptedThrough = reading.resumed?.acceptedThrough.rawValue ?? 0
        let known = acceptedThrough < first.rawValue ? 0 : Int(acceptedThrough - first.rawValue) + 1
        if known < chunk.operations.count {
            let start = OperationID(rawValue: first.rawValue + UInt64(known))
            commands.append(.tell(.accepted(first: start, operations: chunk.operations[known...])))
        }
        announce(settled, &commands)
        if window.next == first { reading.chunks.removeLast() }
        forgetSettledChunks()
    }

    /// Remembers the removals of an earlier run.
    private mutating func remember(_ operations: [ContentOperation]) {
        let operations = operations.span
        for place in operations.indices where operations[place].kind == .remove {
            let hash = laneHash.hash(of: operations[place].documentID)
            _ = reading.removed.note(laneHash.hash(ofDocumentOf: operations[place], hash))
        }
    }

    /// Accepts pushed operations, which count even after a stop, because they already have their IDs.
    mutating func accept(_ operations: [ContentOperation], at now: FeedInstant, _ commands: inout [Command]) {
        reading.isRequested = false
        let first = window.next
        var settled: [OperationOutcome] = []
        accept(operations, at: now, &settled)
        commands.append(.tell(.accepted(first: first, operations: operations[...])))
        announce(settled, &commands)
    }

    private mutating func accept(
        _ operations: [ContentOperation],
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        // A span borrows an operation where an array would copy it.
        let operations = operations.span
        var hashes: [UInt64] = []
        hashes.reserveCapacity(operations.count)
        for place in operations.indices { hashes.append(laneHash.hash(of: operations[place].documentID)) }
        for place in operations.indices {
            if place + Self.prefetchDistance < hashes.count {
                lanes.prefetch(laneHash.key(of: hashes[place + Self.prefetchDistance]))
                reading.removed.prefetch(hashes[place + Self.prefetchDistance], after: Self.prefetchDistance)
            }
            accept(operations[place], hashes[place], at: now, &settled)
        }
    }

    /// The number of operations ahead for which lanes are prefetched: processing that many takes about as long as a
    /// memory access.
    static let prefetchDistance = 8

    /// Accepts one operation.
    ///
    /// It calls methods of parts of the core, never of the core itself: a non-mutating method of a value this large
    /// would be called on a copy.
    private mutating func accept(
        _ operation: consuming ContentOperation,
        _ hash: UInt64,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        let id = window.next
        var entry = OperationWindow.Entry(operation, in: laneHash.key(of: hash))
        let isAgain =
            switch operation.kind {
            case _ where !configuration.reportsDuplicates: false
            case .remove: reading.removed.note(laneHash.hash(ofDocumentOf: operation, hash))
            case .add: reading.added.note(laneHash.hash(ofDocumentOf: operation, hash))
            case .update: false
            }
        if isAgain {
            entry.isDuplicate = true
            input.duplicates += 1
        }
        // `resumed` is not bound as a whole: that would copy it for each operation.
        if let accepted = reading.resumed?.acceptedThrough, id <= accepted,
            let leased = reading.resumed?.leasedThrough
        {
            // The operation is already settled, or was restored from its row, which counts as settled in the progress.
            if reading.resumed?.progress.isSettled(id) == true { return window.skip() }
            entry.mayHaveApplied = id <= leased && reading.resumed?.repeated?.isSettled(id) != true
        }
        counts.accepted += 1
        if window.count == 0 { flow.idled(until: now) }
        if let timeout = configuration.operationTimeout { entry.deadline = now + timeout }
        let failure = limits.refusal(of: operation)
        window.append(operation, entry)
        switch lanes.append(id, entry.lane) {
        case .first:
            if let failure {
                settle(id, .failed, .error(failure), at: now, &settled)
            } else {
                makeReady(id, at: now)
            }
        case .quarantined: break
        case .behind(let before): window.update(before) { $0.next = id }
        }
        if entry.mayHaveApplied { quarantine(entry.lane, at: now) }
    }

    /// Forgets chunks whose operations are all settled.
    mutating func forgetSettledChunks() {
        let lowest = isJournaled ? window.lowestWithoutRow : window.lowest
        var done = 0
        while done + 1 < reading.chunks.count, reading.chunks[done + 1].first <= lowest { done += 1 }
        if done > 0 { reading.chunks.removeFirst(done) }
        if window.count == 0, window.next == lowest, !reading.chunks.isEmpty { reading.chunks.removeAll() }
    }

    /// Resumes where an earlier run ended.
    mutating func restore(_ state: JournalState) {
        counts = state.counts
        counts.accepted = counts.settled + state.rows.values.count { !$0.isSettled }
        input = state.inputBeforeOffset
        reading.offset = state.progress.offset
        reading.digest = state.progress.inputDigest
        reading.resumed = ResumedRun(
            progress: state.progress,
            acceptedThrough: state.acceptedThrough,
            leasedThrough: state.leasedThrough,
            repeated: state.repeated
        )
        journal.leasedThrough = state.leasedThrough
        for row in state.rows.values.sorted(by: { $0.id < $1.id }) {
            if row.isSettled {
                restoreQuarantine(row)
                continue
            }
            var entry = OperationWindow.Entry(row.operation, in: laneHash.key(of: row.operation.documentID))
            entry.attempts = Int32(min(max(0, row.attempts), Self.mostCounted))
            entry.sends = Int32(min(max(0, row.sends), Self.mostCounted))
            entry.mayHaveApplied = row.mayHaveApplied
            entry.hasRow = true
            if let timeout = configuration.operationTimeout { entry.deadline = .start + timeout }
            deadlineCursor = min(deadlineCursor, row.id)
            window.restore(row.operation, entry, as: row.id)
            // Rows refer to different documents, which may share a lane.
            switch lanes.append(row.id, entry.lane) {
            case .first: makeReady(row.id, at: .start)
            case .quarantined: break
            case .behind(let before): window.update(before) { $0.next = row.id }
            }
            if row.mayHaveApplied { quarantine(entry.lane, at: .start) }
        }
        counts.open = window.count
    }

    /// The highest count of attempts or sends that is restored, so counting further can't overflow.
    private static let mostCounted = 1_000_000_000

    private mutating func restoreQuarantine(_ row: JournalRow) {
        let until = FeedInstant.start + quarantineTime
        let lane = laneHash.key(of: row.operation.documentID)
        lanes.restoreQuarantine(lane, row: row.id, until: until)
        timers.insert(.lane(lane), at: until)
    }
}

/// An engine's limits on a single operation.
package struct OperationLimits {
    private let maximumIDBytes: Int
    private let maximumBytes: Int
    private let takesRouting: Bool
    private let takesExternalVersions: Bool
    private let comparesContents: Bool

    package init(of capabilities: EngineCapabilities) {
        maximumIDBytes = capabilities.maximumIDBytes
        maximumBytes = capabilities.maximumBatchBytes
        takesRouting = capabilities.takesRouting
        takesExternalVersions = capabilities.takesExternalVersions
        comparesContents = capabilities.comparesContents
    }

    /// Returns the reason why the engine can't accept the operation at all; `nil` if it can.
    package func refusal(of operation: borrowing ContentOperation) -> DocumentFailure? {
        let (idBytes, bytes) = (operation.documentID.byteCount, operation.byteCount)
        if idBytes > maximumIDBytes {
            return DocumentFailure(
                .idTooLong,
                "the ID has \(idBytes) bytes; this engine accepts at most \(maximumIDBytes)"
            )
        }
        if !takesRouting, let routing = operation.routing { return .routingUnknown(routing) }
        if !takesExternalVersions, case .olderThan? = operation.condition {
            return DocumentFailure(.rejectedByEngine, "this engine does not support external versions")
        }
        if !comparesContents, case .contents? = operation.condition {
            return DocumentFailure(.rejectedByEngine, "this engine does not compare contents")
        }
        if bytes > maximumBytes {
            return DocumentFailure(
                .documentTooLarge,
                "the document has \(bytes) bytes; this engine accepts at most \(maximumBytes)"
            )
        }
        return nil
    }
}

/// The most recent documents of an input: up to a million distinct ones, in at most 20 MB.
///
/// It stores 64-bit hashes instead of IDs: in a feed of a billion documents, a collision occurs with a probability of
/// about 1 in 20,000. It would only affect the wording of a warning.
package struct RecentDocuments {
    /// The hashes in order of arrival; once there are ``capacity`` of them, the next one replaces the oldest.
    private var hashes: [UInt64] = []
    private var oldest = 0
    /// The same hashes as a table with open addressing; 0 is a free slot.
    ///
    /// The table contains the hashes themselves, because a search goes through neighboring slots, which are in the same
    /// cache line.
    private var table = [UInt64](repeating: 0, count: 64)

    /// The number of distinct documents remembered, at 8 bytes each, plus 8 bytes for each of ``mostPlaces``.
    let capacity: Int

    private static let mostPlaces = 1_500_000

    package init(capacity: Int = 1_000_000) { self.capacity = min(max(1, capacity), 1_000_000) }

    /// Prefetches the memory for a hash that will be noted after `distance` others: its slot, and the slot of the hash
    /// that it replaces.
    func prefetch(_ hash: UInt64, after distance: Int) {
        table.prefetch(home(of: hash))
        guard hashes.count == capacity, oldest + distance < capacity else { return }
        table.prefetch(home(of: hashes[oldest + distance]))
    }

    /// Returns whether a document is remembered.
    package func contains(_ hash: UInt64) -> Bool {
        let hash = max(1, hash)
        var place = home(of: hash)
        while table[place] != 0 {
            if table[place] == hash { return true }
            place = following(place)
        }
        return false
    }

    /// Remembers a document, and returns whether it was already remembered.
    package mutating func note(_ hash: UInt64) -> Bool {
        let hash = max(1, hash)
        var place = home(of: hash)
        while table[place] != 0 {
            if table[place] == hash { return true }
            place = following(place)
        }
        if hashes.count < capacity {
            if 2 * hashes.count >= table.count, table.count < Self.mostPlaces {
                grow()
                place = freePlace(for: hash)
            }
            hashes.append(hash)
            table[place] = hash
        } else {
            forget(hashes[oldest])
            // A moved entry may have left a free slot that is closer to the hash's own slot.
            table[freePlace(for: hash)] = hash
            hashes[oldest] = hash
            oldest = oldest + 1 == capacity ? 0 : oldest + 1
        }
        return false
    }

    /// The slot at which the search for a hash begins.
    private func home(of hash: UInt64) -> Int { Int(hash.multipliedFullWidth(by: UInt64(table.count)).high) }

    private func following(_ place: Int) -> Int { place + 1 == table.count ? 0 : place + 1 }

    private func freePlace(for hash: UInt64) -> Int {
        var place = home(of: hash)
        while table[place] != 0 { place = following(place) }
        return place
    }

    /// Removes a hash from the table, and moves up subsequent hashes that were displaced.
    private mutating func forget(_ hash: UInt64) {
        var hole = home(of: hash)
        while table[hole] != hash { hole = following(hole) }
        var next = following(hole)
        while table[next] != 0 {
            let home = home(of: table[next])
            if distance(from: home, to: next) >= distance(from: hole, to: next) {
                table[hole] = table[next]
                hole = next
            }
            next = following(next)
        }
        table[hole] = 0
    }

    private func distance(from start: Int, to end: Int) -> Int {
        end >= start ? end - start : end - start + table.count
    }

    private mutating func grow() {
        table = [UInt64](repeating: 0, count: min(2 * table.count, Self.mostPlaces))
        for hash in hashes { table[freePlace(for: hash)] = hash }
    }
}
