import ContentFeeding
import FeedingTestKit
import JobJournal

/// Feeds with a journal: a run that was stopped resumes where it stopped, and one report covers both runs.
///
/// Usage: `ResumeJob FOLDER`
@main
struct ResumeJob {
    static func main() async throws {
        let shelf = JobShelf.folder(try JobFolder(creating: CommandLine.arguments[1]))
        let kept = try await shelf.create(
            JobDescription(
                id: JobID(rawValue: "NIGHTLY"),
                identity: Array("nightly removal".utf8),
                kind: .remove,
                target: "memory:",
                collection: "WebCollection",
                words: [],
                directory: "/",
                spool: nil,
                startedAt: .zero
            )
        )
        let ids: [DocumentID] = ["ID1", "ID2", "ID3"]
        // The engine fails in the first run, and no part of the batch takes effect.
        let full = BatchFailure(.stop(.diskFull), DocumentFailure(.rejectedByEngine, "the disk is full"))
        let engine = InMemoryCollection(ids, script: [.failed(full)])
        for run in 1...2 {
            let ledger = try kept.ledger()
            let claim = try await ledger.claim(kept.id)
            var options = FeedOptions()
            options.journal = JobJournal(claim, in: ledger)
            let done = Int(claim.state?.progress.offset.byte ?? 0)
            let feed = OperationFeed(engine: engine, options: options)
            let report = await feed.run(chunks(ids, from: done), job: claim).report
            print("run \(run): \(report.counts.removed) removed, \(report.counts.open) open")
        }
    }

    /// The input after a position, which here is the number of IDs before it.
    static func chunks(_ ids: [DocumentID], from done: Int) -> AsyncStream<OperationChunk> {
        AsyncStream { stream in
            let end = InputOffset(source: 0, byte: UInt64(ids.count))
            stream.yield(OperationChunk(operations: ids[done...].map { .remove($0) }, end: end))
            stream.finish()
        }
    }
}
