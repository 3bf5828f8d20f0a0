import ContentFeeding
import EngineSQLite
import FeedFormats
import Foundation
import JobJournal
import Synchronization
import TestSupport
import Testing

@testable import FeedJobs

/// The stages of a feed: what each leaves behind when it fails, and when a job ends.
@Suite struct FeedPlanTests {
    private struct Broken: Error {}

    /// A store with documents, and plans for it.
    private struct Fixture {
        let folder: TemporaryFolder
        let path: String

        init(_ ids: [String]) async throws {
            folder = try TemporaryFolder()
            path = folder.path("store.sqlite")
            let store = try await SQLiteEngine.create(path: path)
            try await store.create("Pages", settings: [])
            let feeder = DocumentFeeder(engine: try await store.collection(named: "Pages"))
            for id in ids { try await feeder.addDocument(Document(id: DocumentID(id), ["id": id])) }
            await feeder.close()
        }

        func plan(removing ids: [String], _ observer: any FeedObserver = SilentObserver()) throws -> FeedPlan {
            let target = try OpenableTarget("sqlite:" + path, observer)
            return FeedPlan(.remove, PendingInput(ids: ids), at: target, in: target.collection("Pages"))
        }

        func jobs() async throws -> [KeptJob] {
            try await JobShelf.existing(of: SQLiteEngine.open(path: path)).jobs().jobs
        }

        /// Carries a plan out to its end.
        @discardableResult
        func run(_ plan: FeedPlan) async throws -> StatusReport {
            let sent = try await plan.prepare().send()
            _ = try await sent.conclude()
            return sent.result.report
        }

        func count() async throws -> Int {
            try await SQLiteEngine.open(path: path).collection(named: "Pages").count()
        }
    }

    /// Remarks, as an observer got them.
    private final class Remarks: FeedObserver {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }

        func remark(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test func `A feed that ran to its end has removed what was asked, and its job is finished`() async throws {
        let fixture = try await Fixture(["a", "b", "c"])
        defer { fixture.folder.remove() }
        let sent = try await fixture.plan(removing: ["a", "b", "x"]).prepare().send()
        _ = try await sent.conclude()
        #expect(sent.result.report.counts[.removed] == 2)
        #expect(sent.result.report.counts[.missing] == 1)
        #expect(try await fixture.count() == 1)
        #expect(try await fixture.jobs().map(\.record.stage) == [.finished])
    }

    @Test func `A limit refuses before anything is sent, and leaves no job`() async throws {
        let fixture = try await Fixture(["a", "b", "c"])
        defer { fixture.folder.remove() }
        var plan = try fixture.plan(removing: ["a", "b"])
        plan.limit = .percent(50)
        let error = await #expect(throws: FeedJobError.self) { _ = try await plan.prepare() }
        #expect(error?.code == .refused)
        #expect(try await fixture.count() == 3)
        #expect(try await fixture.jobs().isEmpty)
    }

    @Test func `A requirement that fails leaves no job, and hears that nothing was sent before`() async throws {
        let fixture = try await Fixture(["a"])
        defer { fixture.folder.remove() }
        var plan = try fixture.plan(removing: ["a"])
        let resumed = Mutex<[Bool]>([])
        let noted = { @Sendable (isResumed: Bool) in resumed.withLock { $0.append(isResumed) } }
        plan.requirement = { _, isResumed in
            noted(isResumed)
            throw Broken()
        }
        await #expect(throws: Broken.self) { _ = try await plan.prepare() }
        #expect(resumed.withLock { $0 } == [false])
        #expect(try await fixture.jobs().isEmpty)
    }

    @Test func `A backup that can't be created leaves no job, and nothing is removed`() async throws {
        let fixture = try await Fixture(["a"])
        defer { fixture.folder.remove() }
        var plan = try fixture.plan(removing: ["a"])
        plan.backup = fixture.folder.path("missing/backup.jsonl")
        let feed = try await plan.prepare()
        let error = await #expect(throws: FeedJobError.self) { _ = try await feed.send() }
        #expect(error?.code == .outputNotCreated)
        #expect(try await fixture.count() == 1)
        #expect(try await fixture.jobs().isEmpty)
    }

    @Test func `A job ends only after its report; if that fails, the next run goes on with it`() async throws {
        let fixture = try await Fixture(["a", "b"])
        defer { fixture.folder.remove() }
        // A job is locked as long as its feed is held.
        let job = try await withoutReport(fixture.plan(removing: ["a", "b"]))
        #expect(try await fixture.jobs().map(\.record.stage) == [.open])

        let remarks = Remarks()
        let again = try await fixture.plan(removing: ["a", "b"], remarks).prepare().send()
        _ = try await again.conclude()
        #expect(remarks.all.contains { $0.hasPrefix("resuming job ") })
        #expect(again.result.report.job == job)
        #expect(again.result.report.counts[.removed] == 2)
        #expect(again.result.report.counts[.missing] == 0)
        #expect(try await fixture.jobs().map(\.record.stage) == [.finished])
    }

    /// Runs a plan whose report fails, and returns its job.
    private func withoutReport(_ plan: FeedPlan) async throws -> JobID {
        let sent = try await plan.prepare().send()
        await #expect(throws: Broken.self) { _ = try await sent.conclude(report: { _ in throw Broken() }) }
        return sent.result.report.job
    }

    @Test func `A job that was backed up is taken back; what has changed since stays`() async throws {
        let fixture = try await Fixture(["a", "b"])
        defer { fixture.folder.remove() }
        var plan = try fixture.plan(removing: ["a", "b"])
        plan.isAlwaysBackedUp = true
        let sent = try await plan.prepare().send()
        _ = try await sent.conclude()
        let feeder = DocumentFeeder(
            engine: try await SQLiteEngine.open(path: fixture.path).collection(named: "Pages")
        )
        try await feeder.addDocument(Document(id: "b", ["id": "b", "by": "somebody else"]))
        await feeder.close()

        let undo = try await FeedPlan.undoing(sent.result.report.job, at: plan.target, in: plan.collection)
        let undone = try await undo.prepare().send()
        _ = try await undone.conclude()
        #expect(undone.result.report.counts[.added] == 1)
        #expect(undone.result.report.errorCount == 1)
        let documents = try await SQLiteEngine.open(path: fixture.path).collection(named: "Pages").get(["a", "b"])
        #expect(documents.map { String(decoding: $0.json, as: UTF8.self).contains("somebody") } == [false, true])
    }

    @Test func `A job without a failed operation can't be retried`() async throws {
        let fixture = try await Fixture(["a"])
        defer { fixture.folder.remove() }
        let sent = try await fixture.plan(removing: ["a"]).prepare().send()
        _ = try await sent.conclude()
        var plan = try fixture.plan(removing: ["a"])
        plan.jobs.retried = sent.result.report.job
        let error = await #expect(throws: JobError.self) { _ = try await plan.prepare() }
        #expect(error?.code == .ended)
    }

    @Test func `The input of a retry is what failed, with its documents`() async throws {
        let fixture = try await Fixture(["a"])
        defer { fixture.folder.remove() }
        let input = fixture.folder.path("input.jsonl")
        try #"{"id":"a","v":1}\#n{"id":"b","v":2}\#n"#.write(toFile: input, atomically: true, encoding: .utf8)
        let removal = try fixture.plan(removing: ["a"])
        let documents = PendingInput(sources: [.file(input)], format: .jsonLines())
        var plan = FeedPlan(.add, documents, at: removal.target, in: removal.collection)
        plan.options.configuration.addsOnlyNew = true
        let first = try await fixture.run(plan)
        #expect(first.counts[.failed] == 1 && first.counts[.added] == 1)

        #expect(try await fixture.run(removal).counts[.removed] == 1)
        plan.jobs.retried = first.job
        let second = try await fixture.run(plan)
        #expect(second.job != first.job && second.counts.accepted == 1 && second.counts[.added] == 1)
        let engine = try await SQLiteEngine.open(path: fixture.path).collection(named: "Pages")
        #expect(try await engine.get(["a"]).map { String(decoding: $0.json, as: UTF8.self) } == [#"{"id":"a","v":1}"#])
    }

    @Test func `A requirement that fails when a job is resumed leaves the job as it was`() async throws {
        let fixture = try await Fixture(["a"])
        defer { fixture.folder.remove() }
        var plan = try fixture.plan(removing: ["a"])
        let job = try await withoutReport(plan)
        let before = try await fixture.jobs().map(\.record.counts)

        plan.requirement = { _, isResumed in
            #expect(isResumed)
            throw Broken()
        }
        await #expect(throws: Broken.self) { _ = try await plan.prepare() }
        let after = try await fixture.jobs()
        #expect(after.map(\.id) == [job] && after.map(\.record.stage) == [.open])
        #expect(after.map(\.record.counts) == before)
    }

    @Test func `A file is never overwritten by a backup`() async throws {
        let fixture = try await Fixture(["a"])
        defer { fixture.folder.remove() }
        var plan = try fixture.plan(removing: ["a"])
        let path = fixture.folder.path("backup.jsonl")
        try "mine".write(toFile: path, atomically: true, encoding: .utf8)
        plan.backup = path
        let feed = try await plan.prepare()
        let error = await #expect(throws: FeedJobError.self) { _ = try await feed.send() }
        #expect(error?.code == .outputNotCreated)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        #expect(try await fixture.count() == 1)
        #expect(try await fixture.jobs().isEmpty)
    }

    /// The comparison is around the backup.
    @Test func `A document that undo leaves alone is not in the backup of the undo`() async throws {
        let fixture = try await Fixture(["a", "b"])
        defer { fixture.folder.remove() }
        var plan = try fixture.plan(removing: ["a", "b"])
        plan.isAlwaysBackedUp = true
        let job = try await fixture.run(plan).job
        let engine = try await SQLiteEngine.open(path: fixture.path).collection(named: "Pages")
        let feeder = DocumentFeeder(engine: engine)
        try await feeder.addDocument(Document(id: "b", ["by": "somebody else"]))
        await feeder.close()

        let undone = try await FeedPlan.undoing(job, at: plan.target, in: plan.collection).prepare().send()
        _ = try await undone.conclude()
        let saved = try String(contentsOfFile: #require(undone.feed.backup), encoding: .utf8)
        #expect(saved.contains(#""a""#) && !saved.contains(#""b""#))
    }

    @Test func `Undo refuses a job whose backup is gone, unless a part is enough`() async throws {
        let fixture = try await Fixture(["a"])
        defer { fixture.folder.remove() }
        var plan = try fixture.plan(removing: ["a"])
        let path = fixture.folder.path("backup.jsonl")
        plan.backup = path
        let job = try await fixture.run(plan).job
        try FileManager.default.removeItem(atPath: path)
        let (target, collection) = (plan.target, plan.collection)
        let error = await #expect(throws: FeedJobError.self) {
            _ = try await FeedPlan.undoing(job, at: target, in: collection)
        }
        #expect(error?.code == .inputNotOpened)
        let part = try await FeedPlan.undoing(job, at: target, in: collection, isPartial: true)
        #expect(try await fixture.run(part).counts.accepted == 0)
    }

    @Test func `A queued feed is sent when its job is resumed`() async throws {
        let fixture = try await Fixture(["a"])
        defer { fixture.folder.remove() }
        var plan = try fixture.plan(removing: ["a", "x"])
        plan.jobs.folder = fixture.folder.path("jobs")
        let queued = try await plan.queue()
        #expect(queued.operations == 2 && queued.rejected == 0)
        #expect(try await fixture.count() == 1)

        plan.jobs.job = queued.job
        let report = try await fixture.run(plan)
        #expect(report.job == queued.job && report.counts[.removed] == 1 && report.counts[.missing] == 1)
    }

    @Test func `A run that is to keep nothing leaves no job`() async throws {
        let fixture = try await Fixture(["a"])
        defer { fixture.folder.remove() }
        var plan = try fixture.plan(removing: ["a"])
        plan.jobs.isOff = true
        #expect(try await fixture.run(plan).counts[.removed] == 1)
        #expect(try await fixture.jobs().isEmpty)
    }
}
