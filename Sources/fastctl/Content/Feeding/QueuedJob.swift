import ArgumentParsing
import ContentFeeding
import EngineCatalog
import FeedFormats
import Glibc
import JobJournal
import ReportRendering

/// Work that is accepted while its target may be away: read, checked and kept, to be sent by `fastctl jobs push`.
struct QueuedJob: Sendable {
    private let run: FeedRun

    init(_ run: FeedRun) { self.run = run }

    /// Reads the whole input, and keeps it with a journal of its own.
    func accept() async throws -> ExitCode {
        let shelf = JobShelf.folder(try JobFolder(creating: run.journal.directory))
        let request = JobRequest(run)
        do {
            return try await accept(request, on: shelf)
        } catch {
            unlink(shelf.spool(of: request.newID))
            throw error
        }
    }

    private func accept(_ request: JobRequest, on shelf: JobShelf) async throws -> ExitCode {
        var memory = InputMemory()
        if run.input.comesOnce {
            memory.spool = try InputSpool.create(
                shelf.spool(of: request.newID),
                maximumBytes: run.journal.largestSpool.bytes
            )
        }
        let input = try await run.input.open(for: run.kind, memory)
        var (count, tally, end, digest) = (0, InputTally(), InputOffset.start, [UInt8]())
        for try await chunk in input {
            count += chunk.operations.count
            tally += chunk.input
            (end, digest) = (chunk.end, chunk.digest)
            for rejection in chunk.rejections { StandardError.say("\(rejection)") }
        }
        let kept = try await shelf.create(request.description(spool: memory.spool?.path), stage: .queued)
        try await kept.ledger().queue(kept.id, through: end, digest: digest, accepted: count, tally)
        let operations = Quantity(count, "operation", "operations")
        let rejected = tally.rejected == 0 ? "" : "; \(Quantity(tally.rejected, "line", "lines")) rejected"
        StandardError.say("\(run.collection.name): \(operations) queued\(rejected) (job \(kept.id))")
        StandardError.say("send it with: fastctl jobs push \(kept.id)")
        return ExitCode(tally.rejected > 0 ? .inputRejected : .done)
    }
}
