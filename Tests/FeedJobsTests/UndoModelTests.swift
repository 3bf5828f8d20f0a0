import ContentFeeding
import EngineSQLite
import FeedFormats
import Foundation
import JobJournal
import TestSupport
import Testing

@testable import FeedJobs

/// Random jobs, in one process or in several (all except the last are killed), followed by changes by another client,
/// an undo, and an undo of the undo.
struct UndoModelTests {
    private static let rounds = 150

    @Test(arguments: [ContentOperation.Kind.add, .update, .remove])
    func `Only documents that have not changed since are restored`(kind: ContentOperation.Kind) async throws {
        for seed in 0..<UInt64(Self.rounds) {
            let folder = try TemporaryFolder()
            var scene = try await UndoScene(kind, in: folder, seed: seed)
            let before = try await scene.contents()
            try await scene.runJob()
            let after = try await scene.contents()
            try await scene.meddle()
            let now = try await scene.contents()

            let saved = try await scene.saved(by: "JOB")
            let report = try await scene.undo("JOB", as: "UNDO")
            var expected: [DocumentID: String] = [:]
            var foreign = 0
            for id in scene.ids {
                let isTouched = now[id] != after[id]
                expected[id] = isTouched ? now[id] : before[id]
                if isTouched, now[id] != before[id], saved.contains(id) { foreign += 1 }
            }
            let undone = try await scene.contents()
            let story = "seed \(seed): before \(before), after \(after), now \(now), undone \(undone)"
            #expect(undone == expected, "\(story)")
            #expect(report.end == .completed && report.counts[.failed] == foreign, "seed \(seed): \(report.counts)")

            _ = try await scene.undo("UNDO", as: "REDO")
            #expect(try await scene.contents() == now, "seed \(seed), redo")
        }
    }
}

/// A store with a collection of a few documents, and a job on them.
private struct UndoScene {
    let ids = (0..<7).map { DocumentID(stringLiteral: "\($0)") }
    /// Whether the job was completed.
    ///
    /// If not, a document may be in the state in which any of its operations leaves it.
    private var isFinished = false

    private let kind: ContentOperation.Kind
    private let folder: TemporaryFolder
    private let store: SQLiteEngine
    private let engine: any CollectionEngine & VersionedEngine
    private var random: SeededGenerator

    init(_ kind: ContentOperation.Kind, in folder: TemporaryFolder, seed: UInt64) async throws {
        (self.kind, self.folder, random) = (kind, folder, SeededGenerator(seed: seed))
        store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        try await store.create("web", settings: [])
        engine = try #require(try await store.collection(named: "web") as? any CollectionEngine & VersionedEngine)
        let there = ids.filter { _ in Bool.random(using: &random) }
        await apply(there.map { .add(self.document($0)) })
    }

    func contents() async throws -> [DocumentID: String] {
        Dictionary(
            uniqueKeysWithValues: try await engine.get(ids).map { ($0.id, String(decoding: $0.json, as: UTF8.self)) }
        )
    }

    /// Feeds the operations in several runs, each of which except the last is killed with a batch that was backed up
    /// but not sent.
    mutating func runJob() async throws {
        let operations = (0..<Int.random(in: 1...20, using: &random)).map { _ in operation() }
        try await create("JOB", kind)
        var done = 0
        for life in 1...Int.random(in: 1...3, using: &random) {
            let end = life == 3 ? operations.count : Int.random(in: done...operations.count, using: &random)
            let path = folder.path("backup.\(life)")
            let claim = try await store.jobs.claim(JobID(rawValue: "JOB"))
            let backup = try BackupEngine(engine, for: kind, writingTo: path)
            try await store.jobs.note(backup: path, of: claim.id)
            // The input is read again from the position up to which progress is certain.
            let start = Int(claim.state?.progress.offset.byte ?? 0)
            await feed(operations[start..<end], from: start, into: backup, claim)
            done = end
            if end < operations.count {
                let dead = try BackupEngine(DeadCollection(engine), for: kind, writingTo: path + ".dead")
                try await store.jobs.note(backup: path + ".dead", of: claim.id)
                await feed(operations[end...], from: end, into: dead, nil)
            }
        }
        isFinished = done == operations.count
        guard isFinished else { return }
        let claim = try #require(try await store.jobs.jobs().first)
        try await store.jobs.end(
            claim.job.id,
            epoch: claim.epoch,
            as: .finished,
            counts: claim.counts,
            input: claim.input
        )
    }

    /// Returns the documents in the job's backups.
    func saved(by job: String) async throws -> Set<DocumentID> {
        let record = try #require(try await store.jobs.jobs().first { $0.job.id.rawValue == job })
        let text = try record.backups.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        return Set(text.matches(of: /"(?:id|remove)":"(.)"/).map { DocumentID(stringLiteral: String($0.1)) })
    }

    private func feed(
        _ operations: ArraySlice<ContentOperation>,
        from start: Int,
        into engine: any ContentEngine,
        _ claim: JobClaim?
    ) async {
        var options = FeedOptions()
        options.configuration.batchCount = 3
        let chunk = OperationChunk(
            operations: Array(operations),
            end: InputOffset(source: 0, byte: UInt64(start + operations.count))
        )
        _ = await OperationFeed(engine: engine, options: options).run(ChunkList([chunk]), job: claim)
    }

    /// Changes, removes and adds documents on behalf of another client.
    mutating func meddle() async throws {
        for id in ids where Int.random(in: 0..<4, using: &random) == 0 {
            guard isFinished else {
                await apply([.add(Document(id: id, json: Array(#"{"by":"somebody else"}"#.utf8)))])
                continue
            }
            await apply([Bool.random(using: &random) ? .remove(id) : .add(document(id))])
        }
    }

    /// Undoes a job, as a separate job.
    func undo(_ job: String, as name: String) async throws -> StatusReport {
        let record = try #require(try await store.jobs.jobs().first { $0.job.id.rawValue == job })
        let states = try await SavedStates(of: record, failed: [], in: engine)
        #expect(states.flaws.isEmpty)
        try await create(name, .add)
        let claim = try await store.jobs.claim(JobID(rawValue: name))
        let path = folder.path("backup.\(name)")
        let backup = try BackupEngine(engine, for: .add, writingTo: path)
        try await store.jobs.note(backup: path, of: claim.id)
        let input = try await states.open(InputMemory(), keepsRouting: true, SilentObserver())
        let feed = OperationFeed(engine: backup)
        let report = await feed.run(input, job: claim).report
        #expect(report.counts.accepted == states.operationCount)
        return report
    }

    private func create(_ name: String, _ kind: ContentOperation.Kind) async throws {
        try await store.jobs.create(
            JobDescription(
                id: JobID(rawValue: name),
                identity: Array(name.utf8),
                kind: kind,
                target: store.target,
                collection: "web",
                words: ["add"],
                directory: "/",
                spool: nil,
                startedAt: .zero
            )
        )
    }

    private mutating func operation() -> ContentOperation {
        let id = ids[Int.random(in: 0..<ids.count, using: &random)]
        return switch kind {
        case .remove: .remove(id)
        case .add: Int.random(in: 0..<3, using: &random) == 0 ? .remove(id) : .add(document(id))
        case .update: Int.random(in: 0..<4, using: &random) == 0 ? .remove(id) : .update(document(id))
        }
    }

    private mutating func document(_ id: DocumentID) -> Document {
        let key = ["v", "w"][Int.random(in: 0..<2, using: &random)]
        return Document(id: id, json: Array(#"{"\#(key)":\#(Int.random(in: 0..<3, using: &random))}"#.utf8))
    }

    private func apply(_ operations: [ContentOperation]) async {
        let items = operations.enumerated().map {
            ContentBatch.Item(id: OperationID(rawValue: UInt64($0) + 1), operation: $1)
        }
        _ = await engine.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
    }
}

/// A collection that can be read, but refuses all writes.
private struct DeadCollection: ForwardingEngine {
    let base: any CollectionEngine

    init(_ base: any CollectionEngine) { self.base = base }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        .failed(BatchFailure(.stop(.unreachable), DocumentFailure(.rejectedByEngine, "gone")))
    }

    func raise(to level: CompletionLevel) async throws(EngineError) {}
}
