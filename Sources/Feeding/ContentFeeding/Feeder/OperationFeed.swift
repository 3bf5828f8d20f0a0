/// A feed from a sequence of chunks into a collection: the pull interface of the feeder.
///
/// It requests a chunk only when there is room for it, so a slow engine slows the input down, and memory stays bounded.
///
/// ```swift
/// let feed = OperationFeed(engine: collection)
/// let report = await feed.run(chunks) { event, report in print(event) }
/// print(report.counts[.removed])
/// ```
public struct OperationFeed: Sendable {
    private let engine: any ContentEngine
    private let options: FeedOptions

    /// Creates a feed into a collection.
    public init(engine: any ContentEngine, options: FeedOptions = FeedOptions()) {
        self.engine = engine
        self.options = options
    }

    /// Feeds all of `chunks`, and returns the result.
    ///
    /// A claimed job continues from its state; its chunks begin at the state's `progress.offset`. Without a claim, the
    /// job gets a random name and can't be resumed.
    ///
    /// `stops` ends the feed early: batches in flight come back, and nothing more is sent. `observe` is called with
    /// every event, in the caller's isolation, and with the report so far; if it throws, the feed stops with a storage
    /// failure.
    public func run<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        job: JobClaim? = nil,
        stops: AsyncStream<StopReason> = AsyncStream { $0.finish() },
        observe: @escaping (FeedEvent, StatusReport) throws -> Void = { _, _ in }
    ) async -> FeedResult where Chunks.Element == OperationChunk {
        var loop = FeedLoop(engine: engine, options: options, job: job)
        let (credits, credit) = AsyncStream<Void>.makeStream()
        let inbox = loop.inbox
        if let job { await loop.status.add(job.earlierIssues, orStop: inbox) }
        let owner = FeedLoop.Owner(read: { credit.yield() }, observe: observe)
        _ = await loop.run(owner) { group in
            group.addTask { await read(chunks, for: credits, into: inbox) }
            group.addTask { for await reason in stops { inbox.post(.stop(reason)) } }
        }
        return FeedResult(report: loop.report, errors: loop.status.errors, warnings: loop.status.warnings)
    }
}

/// The result of a feed that has ended.
public struct FeedResult: Sendable {
    /// The final report.
    public let report: StatusReport
    /// All document errors, in the order in which they were settled.
    public let errors: DocumentIssues<DocumentError>
    /// All document warnings, in the order in which they were settled.
    public let warnings: DocumentIssues<DocumentWarning>
}

/// A piece of input, read and checked: the amount that a feeder requests at once.
public struct OperationChunk: Sendable {
    /// The operations, in the order of the input.
    public var operations: [ContentOperation]
    /// The place where the input continues after this chunk.
    public var end: InputOffset
    /// Counts of what was read for the chunk, and how much of it was not an operation.
    public var input: InputTally
    /// Records that are not operations, each with its place.
    public var rejections: [InputRejection]
    /// A digest of the whole input up to `end`, over all sources; empty if it was not computed.
    public var digest: [UInt8]
    /// Whether an earlier run of the job has read it: its documents are remembered, so that one that is named again is not
    /// called missing, and nothing is fed.
    public var isEarlier = false

    /// Creates a chunk.
    public init(
        operations: [ContentOperation] = [],
        end: InputOffset = .start,
        input: InputTally = InputTally(),
        rejections: [InputRejection] = [],
        digest: [UInt8] = []
    ) {
        self.operations = operations
        self.end = end
        self.input = input
        self.rejections = rejections
        self.digest = digest
    }
}

/// Counts of what was read.
public struct InputTally: Hashable, Sendable {
    /// The number of lines, or of records in a format without lines.
    public var lines = 0
    /// Lines without anything on them.
    public var blank = 0
    /// Records that are no operations.
    public var rejected = 0
    /// The bytes that were read.
    public var bytes = 0
    /// Removals of a document that an earlier one had named, and additions likewise, recognised among the last million
    /// different ones of the run.
    public var duplicates = 0

    /// Creates counts of what was read.
    public init(lines: Int = 0, blank: Int = 0, rejected: Int = 0, bytes: Int = 0) {
        self.lines = lines
        self.blank = blank
        self.rejected = rejected
        self.bytes = bytes
    }

    public static func += (left: inout Self, right: Self) {
        left.lines += right.lines
        left.blank += right.blank
        left.rejected += right.rejected
        left.bytes += right.bytes
        left.duplicates += right.duplicates
    }
}

/// An input record that is not an operation: where it is, and what is wrong with it.
public struct InputRejection: Hashable, Sendable {
    /// A file's name, `standard input` or `argument`.
    public var source: String
    /// The line number, starting at 1; 0 where there are no lines.
    public var line: Int
    /// What is wrong with it, as a sentence.
    public var reason: String

    /// Creates a rejection.
    public init(source: String, line: Int, reason: String) {
        self.source = source
        self.line = line
        self.reason = reason
    }
}

extension InputRejection: CustomStringConvertible {
    public var description: String { line > 0 ? "\(source):\(line): \(reason)" : "\(source): \(reason)" }
}

/// An event reported to the observer of a feed, in the order in which it happens.
///
/// Operations and outcomes share memory with those that arrived with them: keep them as ``ContentOperation/detached()``
/// and ``OperationOutcome/detached()``.
public enum FeedEvent: Sendable {
    /// Operations were accepted, with consecutive IDs from `first` on.
    case accepted(first: OperationID, operations: ArraySlice<ContentOperation>)
    /// Input records were refused.
    case rejected([InputRejection])
    /// Operations were settled.
    case settled([OperationOutcome])
    /// Operations will be sent again after a pause.
    case retrying(count: Int, DocumentFailure, after: Duration)
    /// The way batches are sent has changed.
    case flow(FlowChange)
    /// A batch was sent to the engine.
    case sent(BatchID, count: Int)
}

/// The environment of a feed: its clock, its journal, where it spills.
///
/// Everything has a default.
public struct FeedOptions: Sendable {
    /// How the feed batches, waits and retries.
    public var configuration = FeedConfiguration()
    /// The clock by which the feed waits.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The store for what must survive a crash, for an engine that does not keep it itself.
    public var journal: (any FeedJournal)?
    /// The seed that determines the length of pauses.
    public var seed: UInt64
    /// The folder for errors that memory should not hold; `nil` for the engine's own disk, or else the current folder.
    public var spillDirectory: String?
    /// The most bytes that may be spilled, errors and warnings together.
    public var maximumSpillBytes = 4 << 30
    /// A space that the feed shares with its owner, in place of one of its own with the folder and limit above.
    public var spill: SpillSpace?

    /// Creates the usual options, with a random seed.
    public init() {
        var system = SystemRandomNumberGenerator()
        seed = system.next()
    }
}
