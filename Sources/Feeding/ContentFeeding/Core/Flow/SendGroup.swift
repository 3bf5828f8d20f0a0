/// Operations that travel together as they are: a part of a batch that was refused whole.
struct SendGroup: Sendable {
    var ids: [OperationID]
    /// The refused batch that it is a part of, if one operation of that spoils it.
    var origin: BatchID?
}

/// A batch that is with the engine.
struct SentBatch: Sendable {
    let ids: [OperationID]
    let origin: BatchID?
    /// It asks whether the engine is back.
    let isProbe: Bool
}

/// What is known of the batches that are being searched for the operations that spoil them.
struct SplitTallies: Sendable {
    private var tallies: [BatchID: Tally] = [:]

    private struct Tally {
        let count: Int
        var bad = 0
        /// Parts that wait or are in flight.
        var parts = 0
    }

    /// Halving a batch of no more than this takes longer than sending its operations one by one.
    private static let fewOperations = 8
    /// Above this share of bad operations, halving finds them no sooner.
    private static let largestShare = 0.05

    /// Whether this part of a batch is better sent as single operations than in halves.
    func wantsSingles(_ count: Int, of origin: BatchID?) -> Bool {
        guard count > Self.fewOperations else { return true }
        guard let tally = origin.flatMap({ tallies[$0] }) else { return false }
        return Double(tally.bad) > Self.largestShare * Double(tally.count)
    }

    mutating func add(parts: Int, to origin: BatchID, of count: Int) {
        tallies[origin, default: Tally(count: count)].parts += parts
    }

    mutating func foundBad(in origin: BatchID?) {
        if let origin { tallies[origin]?.bad += 1 }
    }

    /// A part has been dealt with.
    mutating func removePart(of origin: BatchID?) {
        guard let origin, let tally = tallies[origin] else { return }
        if tally.parts <= 1 { tallies[origin] = nil } else { tallies[origin]?.parts -= 1 }
    }

    var isEmpty: Bool { tallies.isEmpty }
}
