import ContentFeeding
import Foundation
import JobJournal
import Synchronization
import TestSupport
import Testing

/// The state of a journal after a power cut: any part of the last transaction's writes may be on disk.
///
/// `FASTCTL_SEED` repeats a run.
@Suite(.timeLimit(.minutes(5)))
struct TornJournalTests {
    static let seed =
        ProcessInfo.processInfo.environment["FASTCTL_SEED"].flatMap(UInt64.init) ?? .random(in: 0...UInt64.max)

    @Test(arguments: 0..<10)
    func `A last transaction that was only partly written has no effect`(number: UInt64) async throws {
        let run = try await TornRun(seed: Self.seed &+ number)
        for tear in Tear.allCases {
            let verdict = try await run.resume(after: tear)
            #expect(verdict == .right, "FASTCTL_SEED=\(Self.seed &+ number), \(tear)")
        }
    }

    /// SQLite can't detect that there was a later transaction; the remainder is a complete older state.
    @Test(arguments: 0..<5)
    func `With a journal truncated at any point, all documents are fed, or the damage is reported`(
        number: UInt64
    ) async throws {
        let run = try await TornRun(seed: Self.seed &+ number)
        for tear in [Tear.cut, .flipped] {
            let verdict = try await run.resume(after: tear, anywhere: true)
            #expect(verdict != .wrong, "FASTCTL_SEED=\(Self.seed &+ number), \(tear)")
        }
    }

    /// The control: a disk that loses confirmed data causes removed documents to be reported as missing.
    @Test func `A disk that loses data that it had confirmed is detected`() async throws {
        let run = try await TornRun(seed: 7)
        #expect(try await run.resume(after: .rolledBack) == .falselyMissing)
    }
}

/// The fate of the bytes that the last transaction wrote.
private enum Tear: CaseIterable {
    case whole, cut, flipped, zeroed
    /// All transactions except the first ones are lost.
    case rolledBack

    static let allCases: [Tear] = [.whole, .cut, .flipped, .zeroed]
}

/// The result of a feed that was resumed with a torn journal.
private enum TornVerdict: Equatable {
    case right
    /// Everything is fed and the counts are consistent, but documents that an earlier run removed are reported as
    /// missing.
    case falselyMissing
    /// The journal is reported as damaged, with advice.
    case refused
    case wrong
}

/// A feed that lost power while its journal wrote a transaction.
private struct TornRun {
    let folder: TemporaryFolder
    private let ids = (1...600).map { DocumentID(stringLiteral: "document-\($0)") }
    private let left: Set<DocumentID>
    private let before: JournalFiles
    private let after: JournalFiles
    private let early: JournalFiles
    private let seed: UInt64

    /// Every tenth document does not exist.
    private var absent: Set<DocumentID> { Set(ids.enumerated().filter { $0.offset % 10 == 9 }.map(\.element)) }

    init(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        folder = try TemporaryFolder()
        let shelf = JobShelf.folder(try JobFolder(creating: folder.path("jobs")))
        let kept = try await shelf.create(JobDescription(testing: "TORN"))
        let ledger = try kept.ledger()
        let claim = try await ledger.claim(kept.id)
        let journal = CutJournal(
            JobJournal(claim, in: ledger),
            files: folder.path("jobs"),
            call: Int.random(in: 6...40, using: &random)
        )
        let engine = InMemoryCollection(Set(ids.enumerated().filter { $0.offset % 10 != 9 }.map(\.element)))
        var options = FeedOptions()
        options.configuration.batchCount = 5
        options.configuration.batchesInFlight = .fixed(2)
        options.journal = journal
        let feed = OperationFeed(engine: engine, options: options)
        _ = await feed.run(ChunkList(ids.map { .remove($0) }, resuming: claim), job: claim)
        let copies = try #require(journal.copies)
        (early, before, after) = copies
        left = engine.ids
    }

    /// Feeds the rest with a copy of the journal in which the last transaction, or any part of it, is torn.
    func resume(after tear: Tear, anywhere: Bool = false) async throws -> TornVerdict {
        var random = SeededGenerator(seed: seed ^ 0x746F_726E)
        let place = try TemporaryFolder()
        try (tear == .rolledBack ? early : after.torn(tear, since: anywhere ? nil : before, &random))
            .write(to: place.path("jobs"))
        let shelf = JobShelf.folder(try JobFolder(creating: place.path("jobs")))
        let (jobs, unreadable) = await shelf.jobs()
        guard let kept = jobs.first else {
            // Even the transaction that created the job may be lost.
            guard let error = unreadable.first else { return .refused }
            return error.advice != nil && error.message.contains("damaged") ? .refused : .wrong
        }
        let ledger = try kept.ledger()
        let claim = try await ledger.claim(kept.id)
        var options = FeedOptions()
        options.journal = JobJournal(claim, in: ledger)
        let engine = InMemoryCollection(left)
        let result = await OperationFeed(engine: engine, options: options)
            .run(ChunkList(ids.map { .remove($0) }, resuming: claim), job: claim)
        return judge(result, engine)
    }

    private func judge(_ result: FeedResult, _ engine: InMemoryCollection) -> TornVerdict {
        let report = result.report
        var missing: [DocumentID] = []
        guard (try? result.errors.read { missing.append($0.documentID) }) != nil else { return .wrong }
        guard report.end == .completed, report.counts.isBalanced, report.counts.settled == ids.count,
            engine.ids.isEmpty, missing.count == report.counts[.missing], Set(missing).count == missing.count
        else { return .wrong }
        guard absent.isSuperset(of: missing) else { return .falselyMissing }
        return report.counts[.removed] <= ids.count - absent.count ? .right : .wrong
    }
}

/// A journal that loses power during the call with this number; the contents of the disk before and after the call are
/// kept.
private final class CutJournal: FeedJournal {
    private struct State {
        var calls = 0
        var early: JournalFiles?
        var copies: (early: JournalFiles, before: JournalFiles, after: JournalFiles)?
    }

    private let journal: JobJournal
    private let files: String
    private let call: Int
    private let kept = Mutex(State())

    init(_ journal: JobJournal, files: String, call: Int) {
        (self.journal, self.files, self.call) = (journal, files, call)
    }

    var copies: (early: JournalFiles, before: JournalFiles, after: JournalFiles)? { kept.withLock { $0.copies } }

    func record(_ transaction: JournalTransaction) async throws(JournalError) {
        let number = kept.withLock { state in
            state.calls += 1
            return state.calls
        }
        guard number <= call else { throw JournalError("there is no power") }
        let before = JournalFiles(in: files)
        try await journal.record(transaction)
        let after = JournalFiles(in: files)
        kept.withLock { state in
            if number == 3 { state.early = after }
            if number == call { state.copies = (state.early ?? before, before, after) }
        }
        if number == call { throw JournalError("the power is gone") }
    }

    func state() -> JournalState? { journal.state() }
}

/// The files of a journal as stored on disk; the memory that its processes share is lost.
private struct JournalFiles: Sendable {
    private let name: String
    private var database: [UInt8]
    private var log: [UInt8]

    init(in folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        name = names.first { $0.hasSuffix(".sqlite") } ?? ""
        database = Self.bytes("\(folder)/\(name)")
        log = Self.bytes("\(folder)/\(name)-wal")
    }

    private static func bytes(_ path: String) -> [UInt8] {
        (try? Data(contentsOf: URL(filePath: path))).map { Array($0) } ?? []
    }

    /// Tears the bytes that this state has but an earlier one lacks; without an earlier state, any bytes in the log.
    func torn(_ tear: Tear, since before: JournalFiles?, _ random: inout SeededGenerator) -> JournalFiles {
        var torn = self
        // A checkpoint begins after the log is safely on disk, so only the checkpoint's own pages may be torn.
        if let before, before.database != database {
            for page in 0..<min(before.database.count, database.count) / 4096 where Bool.random(using: &random) {
                let bytes = page * 4096..<(page + 1) * 4096
                torn.database.replaceSubrange(bytes, with: before.database[bytes])
            }
            return torn
        }
        let start = before.map { zip($0.log, log).prefix { $0 == $1 }.count } ?? 0
        guard start < log.count, tear != .whole else { return torn }
        let place = Int.random(in: start..<log.count, using: &random)
        switch tear {
        case .cut: torn.log.removeSubrange(place...)
        case .flipped: torn.log[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case .zeroed: for index in place..<log.count { torn.log[index] = 0 }
        case .whole, .rolledBack: break
        }
        return torn
    }

    func write(to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(database).write(to: URL(filePath: "\(folder)/\(name)"))
        try Data(log).write(to: URL(filePath: "\(folder)/\(name)-wal"))
    }
}
