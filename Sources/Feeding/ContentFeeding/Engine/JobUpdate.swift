/// A process's right to work on a job, and what earlier ones left behind.
///
/// A job may change hands: who claims it raises its epoch, and what a process with an older one still sends has no
/// effect.
public struct JobClaim: Sendable {
    /// The job's name.
    public let id: JobID
    /// The number of this run of the job: whoever has a higher one has taken the job over.
    public let epoch: Int
    /// The state left by earlier runs; `nil` for a new job.
    public let state: JournalState?
    /// Returns the errors and warnings of earlier runs after the first so many, a page at a time; none at the end.
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

/// What a batch adds to its job, for an engine that stores it with the batch's effects.
public struct JobUpdate: Hashable, Sendable {
    /// The claim's epoch; `nil` for a job that nobody has claimed, which the first batch creates.
    public let epoch: Int?
    /// The job's progress once the whole batch is settled; the engine stores the union with what it has.
    public let progress: FeedProgress
    /// Counts of the input before ``FeedProgress/offset``.
    public let inputBeforeOffset: InputTally
    /// Operations that were settled without the engine, and that no earlier batch has carried.
    public let settledWithoutEngine: [OperationOutcome]
    /// The rule for documents that do not exist.
    private let missing: MissingPolicy
    /// Operations of the batch that name a document again that an earlier one has removed, or added.
    private let duplicates: Set<OperationID>

    /// Creates what a batch adds to its job.
    public init(
        _ progress: FeedProgress,
        epoch: Int? = nil,
        inputBeforeOffset: InputTally = InputTally(),
        settledWithoutEngine: [OperationOutcome] = [],
        missing: MissingPolicy = .error,
        duplicates: Set<OperationID> = []
    ) {
        self.progress = progress
        self.epoch = epoch
        self.inputBeforeOffset = inputBeforeOffset
        self.settledWithoutEngine = settledWithoutEngine
        self.missing = missing
        self.duplicates = duplicates
    }

    /// Returns the update with outcomes of the batch's own operations that are settled before the engine has it.
    func adding(_ outcomes: [OperationOutcome]) -> JobUpdate {
        guard !outcomes.isEmpty else { return self }
        return JobUpdate(
            progress,
            epoch: epoch,
            inputBeforeOffset: inputBeforeOffset,
            settledWithoutEngine: settledWithoutEngine + outcomes,
            missing: missing,
            duplicates: duplicates
        )
    }

    /// Returns the update with another progress, as that of a feed whose input adds to it.
    public func replacing(_ progress: FeedProgress) -> JobUpdate {
        JobUpdate(
            progress,
            epoch: epoch,
            inputBeforeOffset: inputBeforeOffset,
            settledWithoutEngine: settledWithoutEngine,
            missing: missing,
            duplicates: duplicates
        )
    }

    /// Returns the outcome that the feeder will report for an operation with this result; `nil` if it stays open.
    public func outcome(of item: ContentBatch.Item, _ result: OperationResult) -> OperationOutcome? {
        let settled: (Outcome, DocumentIssue?)
        switch result {
        case .done(.missing): settled = (.missing, missing.issue(isDuplicate: duplicates.contains(item.id)))
        case .done(let outcome):
            let isAgain = [.updated, .noop].contains(outcome) && duplicates.contains(item.id)
            settled = (outcome, isAgain ? .warning(.duplicateInInput) : nil)
        case .failed(let failure): settled = (.failed, .error(failure))
        case .notNow, .outdated, .unknown: return nil
        }
        return OperationOutcome(
            operationID: item.id,
            kind: item.operation.kind,
            documentID: item.operation.documentID,
            routing: item.operation.routing,
            outcome: settled.0,
            issue: settled.1
        )
    }
}

extension MissingPolicy {
    /// Returns the issue of a document that does not exist.
    ///
    /// An input that names a document twice is not mistaken about the document: the second time is a warning.
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
    /// Returns progress with everything that is settled in either.
    ///
    /// Progress never goes back, even if an old batch comes late.
    public func union(_ other: FeedProgress) -> FeedProgress {
        var union = firstOperation < other.firstOperation ? other : self
        // The place is the same, and more was noted of what was read behind it.
        if offset == other.offset, inputDigest.count < other.inputDigest.count { union.inputDigest = other.inputDigest }
        let marks = [sentThrough, other.sentThrough].compactMap { $0 }.filter { $0.offset > union.offset }
        union.sentThrough = marks.max { $0.offset < $1.offset }
        let lowest = max(lowestUnsettled, other.lowestUnsettled)
        let end = max(bitEnd, other.bitEnd)
        union.lowestUnsettled = lowest
        union.settled = []
        guard end > lowest.rawValue else { return union }
        // Operations settled from the old border onward move below it.
        let open = (lowest.rawValue..<end).first { !isSettled($0) && !other.isSettled($0) } ?? end
        union.lowestUnsettled = OperationID(rawValue: open)
        union.settled = [UInt8](repeating: 0, count: Int((end - open + 7) / 8))
        for number in open..<end where isSettled(number) || other.isSettled(number) {
            union.settled[Int(number - open) >> 3] |= 1 << UInt8((number - open) & 7)
        }
        while union.settled.last == 0 { union.settled.removeLast() }
        return union
    }

    /// One more than the last operation that the bitmap covers.
    private var bitEnd: UInt64 { lowestUnsettled.rawValue + UInt64(settled.count * 8) }

    private func isSettled(_ number: UInt64) -> Bool { isSettled(OperationID(rawValue: number)) }
}

/// A job's progress, in constant space: what a resumed job needs besides its input.
///
/// Operations before ``lowestUnsettled`` are settled; for later ones, ``settled`` says which are. Reading the input
/// again from ``offset`` yields the operations from ``firstOperation`` on.
public struct FeedProgress: Hashable, Sendable {
    /// The job.
    public var job: JobID
    /// The place in the input where ``firstOperation`` begins.
    public var offset: InputOffset
    /// The digest of the input before ``offset``, as the chunk had it that ends there; empty if it was not computed.
    public var inputDigest: [UInt8]
    /// The place up to which the input was read for the last operation that is settled, or may have been carried out.
    ///
    /// Such operations are known by their numbers: an input that differs before this place is another one. `nil` if
    /// none of them comes after ``offset``, or if nobody knows, as of a job that an earlier version began.
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

    /// Returns whether an operation has its outcome.
    public func isSettled(_ id: OperationID) -> Bool {
        guard id >= lowestUnsettled else { return true }
        let index = Int(clamping: id.rawValue - lowestUnsettled.rawValue)
        return index >> 3 < settled.count && settled[index >> 3] & (1 << (index & 7)) != 0
    }
}

/// A place in a job's input: the source, and the number of bytes into it.
public struct InputOffset: Hashable, Comparable, Sendable {
    /// The number of the source: a file, a pipe, the arguments.
    public var source: Int
    /// The bytes of the source before this place.
    public var byte: UInt64

    /// Creates a place.
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

/// A place in a job's input, and what tells whether all that comes before it is still the same.
public struct InputMark: Hashable, Sendable {
    /// The place, at the end of a chunk.
    public var offset: InputOffset
    /// The digest of the input before it, as the chunk had it.
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

    /// Returns a name of 80 random bits: 16 letters and digits of Crockford's base 32.
    public static func random(using generator: inout some RandomNumberGenerator) -> JobID {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        return JobID(rawValue: String((0..<16).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] }))
    }
}

extension JobID: CustomStringConvertible {
    public var description: String { rawValue }
}
