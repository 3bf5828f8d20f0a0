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
