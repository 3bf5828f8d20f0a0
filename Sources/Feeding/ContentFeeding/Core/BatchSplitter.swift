/// The batches that were refused as a whole, on their way to be sent again in parts.
///
/// A batch that one of its operations spoils is halved until that one is alone. Of a batch that is too large, each half
/// gets about as many bytes, and later batches stay smaller.
struct BatchSplitter: Sendable {
    /// The parts that wait, in the order in which they are sent.
    private var waiting: [SubBatch] = []
    /// The batches being searched for the operations that spoil them.
    private var tallies: [BatchID: Tally] = [:]
    /// The most bytes in a batch, learned from one that was too large.
    private var learnedBytes: Int?
    /// The largest operation that the engine accepted, in bytes.
    private var largestTaken = 0

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

    /// The most bytes in a batch, as far as the engine's limit is known.
    var maximumBytes: Int { learnedBytes ?? .max }

    /// Whether no batch is being searched.
    var isIdle: Bool { tallies.isEmpty }

    /// Returns the number of operations in the next part; `nil` if none waits.
    ///
    /// Operations settled meanwhile are dropped.
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

    /// Takes up to `count` operations from the next part, of which there must be one.
    mutating func takeNext(_ count: Int) -> SubBatch {
        let first = waiting.removeFirst()
        guard first.ids.count > count else { return first }
        if let origin = first.origin { add(parts: 1, to: origin, of: first.ids.count) }
        waiting.insert(SubBatch(ids: Array(first.ids[count...]), origin: first.origin), at: 0)
        return SubBatch(ids: Array(first.ids[..<count]), origin: first.origin)
    }

    /// Queues a batch that one of its operations spoils, in halves or one by one.
    ///
    /// `ids` are those of its operations that are sent again.
    mutating func split(_ ids: [OperationID], of sent: SentBatch, as batch: BatchID) {
        let origin = sent.origin ?? batch
        let parts = wantsSingles(ids.count, of: origin) ? ids.map { [$0] } : halves(ids, at: ids.count / 2)
        add(parts: parts.count, to: origin, of: sent.ids.count)
        queue(parts, origin)
    }

    /// Returns whether a part of a batch is better sent as single operations than in halves.
    private func wantsSingles(_ count: Int, of origin: BatchID) -> Bool {
        guard count > Self.fewOperations else { return true }
        guard let tally = tallies[origin] else { return false }
        return Double(tally.bad) > Self.largestShare * Double(tally.count)
    }

    /// Notes that an operation of a batch spoils it.
    mutating func foundBad(in origin: BatchID?) {
        if let origin { tallies[origin]?.bad += 1 }
    }

    /// Notes that the engine accepted an operation of this size.
    mutating func taken(_ byteCount: Int) { largestTaken = max(largestTaken, byteCount) }

    /// Learns from a batch of this size that was too large.
    mutating func learn(tooLarge byteCount: Int) {
        let learned = max(byteCount / 2, largestTaken, 1)
        learnedBytes = min(learnedBytes ?? learned, learned)
    }

    /// Queues a batch that is too large, in halves of about equal size.
    ///
    /// `ids` are those of its operations that are sent again.
    mutating func divide(_ ids: [OperationID], sizes: [Int], of sent: SentBatch) {
        let parts = halves(ids, at: middle(of: sizes))
        if let origin = sent.origin { add(parts: parts.count, to: origin, of: sent.ids.count) }
        queue(parts, sent.origin)
    }

    /// Returns the index at which the first half of the bytes ends; of two or more operations, each side gets at least
    /// one.
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

    /// Queues parts before everything else that waits: their operations have waited longest.
    private mutating func queue(_ parts: [[OperationID]], _ origin: BatchID?) {
        waiting.insert(contentsOf: parts.map { SubBatch(ids: $0, origin: origin) }, at: 0)
    }

    /// Removes a part that has been dealt with.
    mutating func removePart(of origin: BatchID?) {
        guard let origin, let tally = tallies[origin] else { return }
        if tally.parts <= 1 { tallies[origin] = nil } else { tallies[origin]?.parts -= 1 }
    }
}

/// Operations that are sent together as they are: a part of a batch that was refused as a whole.
struct SubBatch: Sendable {
    var ids: [OperationID]
    /// The refused batch that this is a part of, if one of its operations spoils it.
    var origin: BatchID?
}
