import ContentFeeding
import Glibc
import JobJournal

/// Feeds removals to an engine that does nothing, so that only the core and the journal take time.
///
/// Usage: `null-engine COUNT [FOLDER]`; the journal is in the folder, and there is none without it.
@main
struct NullEngine {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let count = arguments.first.flatMap(Int.init) else {
            print("usage: null-engine COUNT [FOLDER]")
            exit(64)
        }
        let engine = Engine()
        var options = FeedOptions()
        var claim: JobClaim?
        if let folder = arguments.dropFirst().first {
            let shelf = JobShelf.folder(try JobFolder(creating: folder))
            let kept = try await shelf.create(Self.job(in: engine.collection))
            let ledger = try kept.ledger()
            let claimed = try await ledger.claim(kept.id)
            options.journal = JobJournal(claimed, in: ledger)
            claim = claimed
        }
        let result = await OperationFeed(engine: engine, options: options).run(Removals(count: count), job: claim)
        print("\(result.report.counts[.removed]) removed")
        exit(result.report.counts[.removed] == count ? 0 : 1)
    }

    private static func job(in collection: CollectionName) -> JobDescription {
        var system = SystemRandomNumberGenerator()
        return JobDescription(
            id: .random(using: &system),
            identity: [],
            kind: .remove,
            target: "null",
            collection: collection,
            words: [],
            directory: "/",
            spool: nil,
            startedAt: .zero
        )
    }
}

/// An engine that immediately reports that everything is removed.
private struct Engine: ContentEngine {
    let collection = CollectionName(rawValue: "Bench")
    let capabilities = EngineCapabilities()

    func apply(_ batch: ContentBatch) async -> BatchReply {
        .results([OperationResult](repeating: .done(.removed), count: batch.items.count))
    }

    func raise(to level: CompletionLevel) async throws(EngineError) {}
}

/// The removals of documents whose IDs are numbers, in chunks as the reader makes them: their IDs share memory.
private struct Removals: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = OperationChunk

    let count: Int
    private var next = 1

    init(count: Int) { self.count = count }

    func makeAsyncIterator() -> Removals { self }

    mutating func next() async throws -> OperationChunk? {
        guard next <= count else { return nil }
        let numbers = next..<Swift.min(next + 1000, count + 1)
        next = numbers.upperBound
        let ids = DocumentIDPages()
        let operations = try numbers.map { ContentOperation.remove(try ids.id(utf8: "item-\($0)".utf8.span)) }
        return OperationChunk(operations: operations, end: InputOffset(source: 0, byte: UInt64(next)))
    }
}
