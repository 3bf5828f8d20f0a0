/// Feeds a collection from a sequence of chunks: the pull face of the feeder.
///
/// It draws a chunk only when there is room for it, so a slow engine slows the input down, and memory stays bounded.
///
/// ```swift
/// let feed = OperationFeed(engine: collection)
/// let report = await feed.run(chunks) { event, report in print(event) }
/// print(report.counts[.removed])
/// ```
public struct OperationFeed: Sendable {
    private let engine: any ContentEngine
    private let options: FeedOptions

    public init(engine: any ContentEngine, options: FeedOptions = FeedOptions()) {
        self.engine = engine
        self.options = options
    }

    /// Feeds all of `chunks`, and returns the account of it.
    ///
    /// A new job has a random name unless it is given one; one that is resumed keeps its own, and goes on from `state`; its chunks begin at the state's `progress.offset`.
    ///
    /// `stops` ends it early: what is in flight comes back, nothing further is sent. `observe` is told of everything,
    /// in the caller's isolation, with the account so far; when it throws, the feed stops with a storage failure.
    public func run<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        job: JobID? = nil,
        resuming state: JournalState? = nil,
        stops: AsyncStream<StopReason> = AsyncStream { $0.finish() },
        observe: @escaping (FeedEvent, StatusReport) throws -> Void = { _, _ in }
    ) async -> FeedResult where Chunks.Element == OperationChunk {
        var loop = FeedLoop(engine: engine, options: options, job: job, resuming: state)
        let (credits, credit) = AsyncStream<Void>.makeStream()
        let inbox = loop.inbox
        let owner = FeedLoop.Owner(read: { credit.yield() }, observe: observe)
        _ = await loop.run(owner) { group in
            group.addTask { await read(chunks, for: credits, into: inbox) }
            group.addTask { for await reason in stops { inbox.post(.stop(reason)) } }
        }
        return FeedResult(report: loop.report, errors: loop.ledger.errors, warnings: loop.ledger.warnings)
    }
}

/// Everything that is known of a feed that has ended.
public struct FeedResult: Sendable {
    public let report: StatusReport
    /// All document errors, in the order of settling.
    public let errors: DocumentIssues
    /// All document warnings, in the order of settling.
    public let warnings: DocumentIssues
}

/// Draws one chunk for each credit.
private func read<Chunks: AsyncSequence>(
    _ chunks: Chunks,
    for credits: AsyncStream<Void>,
    into inbox: FeedInbox
) async where Chunks.Element == OperationChunk {
    var iterator = chunks.makeAsyncIterator()
    for await _ in credits {
        do {
            guard let chunk = try await iterator.next(isolation: #isolation) else {
                inbox.post(.inputEnded)
                return
            }
            inbox.post(.input(chunk))
        } catch {
            inbox.post(.inputFailed("\(error)"))
            return
        }
    }
}

/// A piece of input, read and checked: what a feeder draws at once.
public struct OperationChunk: Sendable {
    public var operations: [ContentOperation]
    /// Where the input goes on after this chunk.
    public var end: InputOffset
    /// What was read for it, and what of that was no operation.
    public var input: InputTally
    /// Records that are no operation, each with its place.
    public var rejections: [InputRejection]

    public init(
        operations: [ContentOperation] = [],
        end: InputOffset = .start,
        input: InputTally = InputTally(),
        rejections: [InputRejection] = []
    ) {
        self.operations = operations
        self.end = end
        self.input = input
        self.rejections = rejections
    }
}

/// Counts what was read.
public struct InputTally: Hashable, Sendable {
    /// Lines, or records where a format has no lines.
    public var lines = 0
    public var blank = 0
    public var rejected = 0
    public var bytes = 0

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
    }
}

/// A record of the input that is no operation: where it stands, and what is wrong with it.
public struct InputRejection: Hashable, Sendable {
    /// A file's name, `standard input` or `argument`.
    public var source: String
    /// From 1.
    public var line: Int
    public var reason: String

    public init(source: String, line: Int, reason: String) {
        self.source = source
        self.line = line
        self.reason = reason
    }
}

extension InputRejection: CustomStringConvertible {
    public var description: String { "\(source):\(line): \(reason)" }
}

/// What an observer of a feed is told, in the order in which it happens.
///
/// Operations and outcomes share memory with those they came with: keep them as ``ContentOperation/detached()`` and
/// ``OperationOutcome/detached()``.
public enum FeedEvent: Sendable {
    /// These were accepted, and have consecutive IDs from `first` on.
    case accepted(first: OperationID, operations: ArraySlice<ContentOperation>)
    /// These records of the input were refused.
    case rejected([InputRejection])
    /// These operations have their outcome.
    case settled([OperationOutcome])
    /// Operations will be sent again after a pause.
    case retrying(count: Int, DocumentFailure, after: Duration)
    /// The way in which batches are sent has changed.
    case flow(FlowChange)
    /// A batch was given to the engine.
    case sent(BatchID, count: Int)
}

/// What surrounds a feed: its clock, its journal, where it spills.
///
/// Everything has a default.
public struct FeedOptions: Sendable {
    public var configuration = FeedConfiguration()
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Keeps what must survive a crash, for an engine that does not keep it itself.
    public var journal: (any FeedJournal)?
    /// Decides the length of pauses.
    public var seed: UInt64
    /// Where errors go that memory should not hold; `nil` for the engine's own disk, else the current folder.
    public var spillDirectory: String?
    /// The most bytes that may be spilled.
    public var maximumSpillBytes = 4 << 30

    public init() {
        var system = SystemRandomNumberGenerator()
        seed = system.next()
    }
}
