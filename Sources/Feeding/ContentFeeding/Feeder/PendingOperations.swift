/// What was pushed and not yet asked for, and who waits behind it.
struct PendingOperations {
    private(set) var operations: [ContentOperation] = []
    private var byteCount = 0
    var barriers: [(BarrierID, CompletionLevel)] = []
    var isEndPosted = false
    var maximumBytes = 1 << 20

    /// Operations that wait here at the most.
    private static let maximumCount = 1_000

    var isFull: Bool { operations.count >= Self.maximumCount || byteCount >= maximumBytes }

    mutating func append(_ operation: ContentOperation) {
        operations.append(operation)
        byteCount += operation.byteCount
    }

    mutating func takeOperations() -> [ContentOperation] {
        defer {
            operations = []
            byteCount = 0
        }
        return operations
    }

    mutating func takeBarriers() -> [(BarrierID, CompletionLevel)] {
        defer { barriers = [] }
        return barriers
    }
}

/// The suspended callers of a feeder: each is resumed exactly once, with an error or without.
struct FeederWaiters {
    typealias Caller = CheckedContinuation<DocumentFeederError?, Never>

    private var waiting: [BarrierID: Caller] = [:]
    /// Those of them that wait for room, in the order in which they came.
    private var forRoom: [BarrierID] = []
    private var last: UInt64 = 0

    mutating func newBarrier() -> BarrierID {
        last += 1
        return BarrierID(rawValue: last)
    }

    /// A task that was cancelled before it could wait has missed the word of it, so it is told here.
    mutating func add(_ caller: Caller, for barrier: BarrierID, isCancelled: Bool) {
        guard !isCancelled else {
            return caller.resume(
                returning: DocumentFeederError(.cancelled, DocumentFeederError.Code.cancelled.explanation)
            )
        }
        waiting[barrier] = caller
    }

    mutating func addForRoom(_ caller: Caller, as barrier: BarrierID, isCancelled: Bool) {
        forRoom.append(barrier)
        add(caller, for: barrier, isCancelled: isCancelled)
    }

    mutating func resume(_ barrier: BarrierID, _ error: DocumentFeederError?) {
        waiting.removeValue(forKey: barrier)?.resume(returning: error)
    }

    mutating func resumeForRoom() {
        for barrier in forRoom { resume(barrier, nil) }
        forRoom = []
    }

    mutating func resumeAll(_ error: DocumentFeederError?) {
        for caller in waiting.values { caller.resume(returning: error) }
        (waiting, forRoom) = ([:], [])
    }
}
