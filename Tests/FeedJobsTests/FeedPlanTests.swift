import ContentFeeding
import FeedFormats
import FeedJobs
import Foundation
import JobJournal
import Synchronization
import TestSupport
import Testing

/// Feeds from the plan to the conclusion, into an embedded store.
struct FeedPlanTests {
    private let scene: FeedScene

    init() async throws { scene = try await FeedScene(["A", "B", "C"]) }

    // MARK: Guards

    @Test(arguments: [RemovalLimit.count(1), .percent(50)])
    func `If there are more removals than the limit allows, the feed is refused and nothing is sent`(
        limit: RemovalLimit
    ) async throws {
        var plan = scene.removal(of: ["A", "B"])
        plan.limit = limit
        await #expect { try await plan.prepare() } throws: { ($0 as? FeedJobError)?.code == .refused }
        #expect(try await scene.contents().keys.sorted() == ["A", "B", "C"])
        #expect(try await scene.jobs().isEmpty)
    }

    @Test(arguments: ["A  Title\nC  Two  blanks\n", "B\nA  Title\n", "# x\nA  Title\n"])
    func `The text output of find is refused as a list of IDs, and leaves no job`(text: String) async throws {
        let plan = try scene.removal(ofLines: text)
        await #expect { try await plan.prepare() } throws: { ($0 as? FeedJobError)?.code == .inputRejected }
        #expect(try await scene.contents().count == 3)
        #expect(try await scene.jobs().isEmpty)
    }

    @Test(arguments: [("A  B\nB\n", 2), ("A  B\nA  Title\nB\n", 2), ("X  Title\nA\n", 1), ("  A\nA \nA\n", 1)])
    func `An ID with two spaces is accepted if a document has it, or if none has the text before the spaces`(
        text: String,
        removed: Int
    ) async throws {
        try await scene.fill(["A  B"], with: #""v":0"#)
        #expect(try await scene.run(scene.removal(ofLines: text)).counts[.removed] == removed)
    }

    @Test func `Removals up to the limit are sent`() async throws {
        var plan = scene.removal(of: ["A", "B"])
        plan.limit = .count(2)
        #expect(try await scene.run(plan).counts[.removed] == 2)
        #expect(try await scene.contents().keys.sorted() == ["C"])
    }

    @Test func `If a requirement throws, no job remains, and nothing is sent`() async throws {
        var plan = scene.removal(of: ["A"])
        plan.requirement = { _, isResumed in
            #expect(!isResumed)
            throw Refusal()
        }
        await #expect(throws: Refusal.self) { try await plan.prepare() }
        #expect(try await scene.contents().count == 3)
        #expect(try await scene.jobs().isEmpty)
    }

    @Test func `If a requirement throws when a job is resumed, the job is unchanged`() async throws {
        await #expect(throws: Refusal.self) { try await scene.run(scene.removal(of: ["A"])) { throw Refusal() } }
        let before = try await scene.jobs()

        var plan = scene.removal(of: ["A"])
        plan.requirement = { _, isResumed in
            #expect(isResumed)
            throw Refusal()
        }
        await #expect(throws: Refusal.self) { try await plan.prepare() }
        let after = try await scene.jobs()
        #expect(after.map(\.job.id) == before.map(\.job.id))
        #expect(after.map(\.stage) == [.open] && after.map(\.counts) == before.map(\.counts))
    }

    @Test(arguments: ["there.jsonl", "no-such-folder/backup.jsonl"])
    func `A backup that can't be created leaves no job, and nothing is sent`(name: String) async throws {
        try "mine\n".write(toFile: scene.path("there.jsonl"), atomically: true, encoding: .utf8)
        var plan = scene.removal(of: ["A"])
        plan.backup = scene.path(name)
        let feed = try await plan.prepare()
        await #expect { try await feed.send() } throws: { ($0 as? FeedJobError)?.code == .outputNotCreated }
        #expect(try await scene.contents().count == 3)
        #expect(try await scene.jobs().isEmpty)
        #expect(try String(contentsOfFile: scene.path("there.jsonl"), encoding: .utf8) == "mine\n")
    }

    // MARK: The end of a job

    @Test func `A job is unfinished until its report has been created`() async throws {
        let report = try await scene.run(scene.removal(of: ["A", "B"])) {
            let stages = try await scene.jobs().map(\.stage)
            #expect(stages == [.open])
        }
        #expect(report.counts[.removed] == 2)
        #expect(try await scene.jobs().map(\.stage) == [.finished])
    }

    @Test func `If a report throws, the next run continues the job, and sends no operation again`() async throws {
        let plan = scene.removal(of: ["A", "B"])
        await #expect(throws: Refusal.self) { try await scene.run(plan) { throw Refusal() } }
        let unfinished = try #require(try await scene.jobs().first)
        #expect(unfinished.stage == .open)

        let report = try await scene.run(plan)
        let remark = "resuming job \(unfinished.job.id): 2 operations were settled, the last on "
        #expect(scene.remarks().count == 1 && scene.remarks().first?.hasPrefix(remark) == true)
        #expect(report.job == unfinished.job.id)
        // There is one report for both runs: if the operations were sent again, the documents would be missing.
        #expect(report.counts[.removed] == 2 && report.counts[.missing] == 0 && report.sentBatches == 0)
        #expect(try await scene.jobs().map(\.stage) == [.finished])
    }

    @Test func `A job keeps its command line exactly as typed`() async throws {
        var plan = scene.removal(of: ["A"])
        plan.backup = scene.path("bk.jsonl")
        plan.words = ["fastctl", "remove", "A", "--backup", scene.path("bk.jsonl")]
        try await scene.run(plan)
        #expect(try await scene.jobs().map(\.job.words) == [Array(plan.words.dropFirst())])
    }

    @Test(arguments: [
        (["A", "-q", "--backup", "b"], false), (["-q", "A", "--restart", "--backup", "b"], false),
        (["-q", "A", "--backup", "b.2"], false), (["-q", "A", "--backup=b"], true), (["A", "--backup", "b"], true),
        (["-q", "A", "--backup", "c"], true),
    ])
    func `When a job is resumed, only changed options cause a remark`(words: [String], isOther: Bool) async throws {
        var plan = scene.removal(of: ["A", "B"])
        plan.comparable = { $0.sorted() }
        plan.words = ["fastctl", "remove", "-q", "A", "--backup", "b"]
        await #expect(throws: Refusal.self) { try await scene.run(plan) { throw Refusal() } }
        plan.words = ["fastctl", "remove"] + words
        try await scene.run(plan)
        #expect(
            scene.remarks().contains("it was started with different options: fastctl remove -q A --backup b") == isOther
        )
    }

    /// Another client has restored a document that the interrupted run had removed, so the run's own feed is not the
    /// last.
    @Test(arguments: [true, false])
    func `A job that a later job overtook is sent again, and the documents that it removed are not missing`(
        keepsJob: Bool
    ) async throws {
        let plan = scene.removal(of: ["A", "B", "nowhere"])
        await #expect(throws: Refusal.self) { try await scene.run(plan) { throw Refusal() } }
        var other = scene.removal(of: ["C"])
        other.jobs.isOff = !keepsJob
        try await scene.run(other)
        try await scene.fill(["A"], with: #""v":1"#)

        await #expect(throws: Refusal.self) { try await scene.run(plan) { throw Refusal() } }
        #expect(scene.remarks().contains { $0.contains("sent again, because another job fed 'web' later") })
        #expect(try await scene.contents().isEmpty)
        // The next run takes both into account.
        try await scene.fill(["A"], with: #""v":2"#)
        try await scene.run(other)
        let report = try await scene.run(plan)
        #expect(report.counts[.removed] == 1 && report.counts[.gone] == 1 && report.counts[.missing] == 1)
        #expect(report.warningCount + report.errorCount == 1)
        #expect(try await scene.contents().isEmpty)
        #expect(try await scene.jobs().filter { $0.job.id == report.job }.map(\.stage) == [.finished])
    }

    @Test func `Settled operations are skipped if the user requests it`() async throws {
        var plan = scene.removal(of: ["A", "B"])
        await #expect(throws: Refusal.self) { try await scene.run(plan) { throw Refusal() } }
        try await scene.run(scene.removal(of: ["C"]))
        try await scene.fill(["A"], with: #""v":1"#)
        plan.jobs.isResuming = true
        #expect(try await scene.run(plan).sentBatches == 0)
        #expect(try await scene.contents().keys.sorted() == ["A"])
    }

    @Test func `A resumed run saves its backup next to the earlier run's backup`() async throws {
        var plan = scene.removal(of: ["A", "B"])
        plan.backup = scene.path("saved.jsonl")
        await #expect(throws: Refusal.self) { try await scene.run(plan) { throw Refusal() } }
        try await scene.run(scene.removal(of: ["C"]))
        try await scene.fill(["A"], with: #""v":1"#)
        let job = try await scene.run(plan).job
        let backups = try await scene.jobs().first { $0.job.id == job }?.backups ?? []
        #expect(backups == [scene.path("saved.jsonl"), scene.path("saved.jsonl.2")])
        try await scene.run(scene.undoing(job))
        #expect(try await scene.contents()["A"]?.contains(#""v":1"#) == true)
        #expect(try await scene.contents()["B"] != nil)
    }

    @Test(arguments: [false, true])
    func `A resumed job keeps its backup, even if the run does not name one`(isGone: Bool) async throws {
        let before = try await scene.contents()
        var plan = scene.removal(of: ["A", "B"])
        plan.backup = scene.path("kept.jsonl")
        await #expect(throws: Refusal.self) { try await scene.run(plan) { throw Refusal() } }
        try await scene.run(scene.removal(of: ["C"]))
        try await scene.fill(["A"], with: #""v":1"#)
        if isGone { try FileManager.default.removeItem(atPath: scene.path("kept.jsonl")) }
        plan.backup = nil
        let job = try await scene.run(plan).job
        let next = scene.path("kept.jsonl.2")
        #expect(scene.remarks().contains("the job's backup continues in '\(next)'"))
        #expect(try await scene.jobs().first { $0.job.id == job }?.backups == [scene.path("kept.jsonl"), next])
        #expect(try String(contentsOfFile: next, encoding: .utf8).contains(#""v":1"#))
        guard !isGone else {
            await #expect(throws: FeedJobError.self) { try await scene.undoing(job) }
            return
        }
        try await scene.run(scene.undoing(job))
        #expect(try await scene.contents()["A"]?.contains(#""v":1"#) == true)
        #expect(try await scene.contents()["B"] == before["B"])
    }

    /// Otherwise, the undo would read the new file twice, and not miss the states in the old one.
    @Test(arguments: [true, false])
    func `A resumed run does not use the name of an earlier backup that is gone`(isNamed: Bool) async throws {
        let (first, second) = (scene.path("moved.jsonl"), scene.path("moved.jsonl.2"))
        var plan = scene.removal(of: ["A", "B"])
        plan.backup = first
        await #expect(throws: Refusal.self) { try await scene.run(plan) { throw Refusal() } }
        await #expect(throws: Refusal.self) { try await scene.run(plan) { throw Refusal() } }
        for path in [first, second] { try FileManager.default.removeItem(atPath: path) }
        if !isNamed { plan.backup = nil }
        let job = try await scene.run(plan).job
        let backups = try await scene.jobs().first { $0.job.id == job }?.backups
        #expect(backups == [first, second, scene.path("moved.jsonl.3")])
        await #expect(throws: FeedJobError.self) { try await scene.undoing(job) }
    }

    @Test func `Failed records do not overwrite a backup of an earlier run`() async throws {
        var plan = scene.removal(of: ["A", "B"])
        plan.backup = scene.path("earlier.jsonl")
        await #expect(throws: Refusal.self) { try await scene.run(plan) { throw Refusal() } }
        try await scene.run(scene.removal(of: ["C"]))
        let saved = try String(contentsOfFile: scene.path("earlier.jsonl"), encoding: .utf8)
        plan.backup = nil
        plan.failedRecords = scene.path("earlier.jsonl")
        await #expect { try await scene.run(plan) } throws: { error in
            (error as? FeedJobError)?.message.contains("already has other contents") == true
        }
        #expect(try String(contentsOfFile: scene.path("earlier.jsonl"), encoding: .utf8) == saved)
        plan.failedRecords = scene.path("failed.txt")
        try await scene.run(plan)
    }

    @Test func `A job that begins again has no backup of the job before it`() async throws {
        var plan = scene.removal(of: ["A", "B"])
        plan.backup = scene.path("first.jsonl")
        await #expect(throws: Refusal.self) { try await scene.run(plan) { throw Refusal() } }
        plan.backup = nil
        plan.jobs.isRestarting = true
        let job = try await scene.run(plan).job
        #expect(try await scene.jobs().first { $0.job.id == job }?.backups == [])
    }

    @Test func `A run without a journal leaves no job`() async throws {
        var plan = scene.removal(of: ["A"])
        plan.jobs.isOff = true
        #expect(try await scene.run(plan).counts[.removed] == 1)
        #expect(try await scene.jobs().isEmpty)
    }

    @Test func `A finished job is not resumed, and the same plan starts a new job`() async throws {
        let plan = scene.removal(of: ["A"])
        let first = try await scene.run(plan).job
        let second = try await scene.run(plan)
        #expect(second.job != first && second.counts[.missing] == 1)
    }

    // MARK: Other inputs

    @Test func `A queued feed is sent when its job is resumed`() async throws {
        var plan = scene.removal(of: ["A", "FAKEID"])
        plan.jobs.folder = scene.path("jobs")
        let queued = try await plan.queue()
        #expect(queued.operations == 2 && queued.rejected == 0)
        #expect(try await scene.contents().count == 3)

        plan.jobs.job = queued.job
        let report = try await scene.run(plan)
        #expect(report.job == queued.job && report.counts[.removed] == 1 && report.counts[.missing] == 1)
    }

    @Test(arguments: [[0x43, 0x0A], [0xFF], [0x0A, 0x0A]] as [[UInt8]])
    func `Only the operations that were queued are sent`(more: [UInt8]) async throws {
        let ids = scene.path("ids")
        let queuedLines = Array("A\nB\n".utf8)
        func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: ids)) }
        try write(queuedLines)
        var plan = scene.plan(.remove, PendingInput(sources: [.file(ids)], format: .lines()))
        plan.jobs.folder = scene.path("jobs")
        let queued = try await plan.queue()
        plan.jobs.job = queued.job
        try write(queuedLines + more)
        // Blank lines are not operations.
        guard more != [0x0A, 0x0A] else {
            #expect(try await scene.run(plan).counts[.removed] == 2)
            return
        }
        await #expect {
            try await plan.prepare()
        } throws: { error in
            guard let error = error as? FeedJobError else { return false }
            return error.code == .inputRejected && error.message.contains("2 operations were queued")
        }
        #expect(try await scene.contents().keys.sorted() == ["A", "B", "C"])
        try write(queuedLines)
        #expect(try await scene.run(plan).counts[.removed] == 2)
    }

    @Test func `A retried job's input is its failed operations, with their documents`() async throws {
        let input = scene.path("input.jsonl")
        try #"{"id":"A","v":1}\#n{"id":"D","v":2}\#n"#.write(toFile: input, atomically: true, encoding: .utf8)
        var plan = scene.plan(.add, PendingInput(sources: [.file(input)], format: .jsonLines()))
        plan.options.configuration.addsOnlyNew = true
        let first = try await scene.run(plan)
        #expect(first.counts[.failed] == 1 && first.counts[.added] == 1)

        #expect(try await scene.run(scene.removal(of: ["A"])).counts[.removed] == 1)
        plan.jobs.retried = first.job
        let second = try await scene.run(plan)
        #expect(second.job != first.job && second.counts.accepted == 1 && second.counts[.added] == 1)
        #expect(try await scene.contents()["A"] == #"{"id":"A","v":1}"#)
    }

    @Test func `A retry whose input is gone names the job and the file`() async throws {
        let input = scene.path("gone.jsonl")
        try #"{"id":"A","v":1}\#n"#.write(toFile: input, atomically: true, encoding: .utf8)
        var plan = scene.plan(.add, PendingInput(sources: [.file(input)], format: .jsonLines()))
        plan.options.configuration.addsOnlyNew = true
        plan.jobs.retried = try await scene.run(plan).job
        try FileManager.default.removeItem(atPath: input)
        await #expect {
            try await plan.prepare()
        } throws: {
            ($0 as? FeedJobError)?.message.contains("read its documents from '\(input)', which is gone") == true
        }
    }

    @Test func `A file of failed records that is removed because nothing failed is named`() async throws {
        var plan = scene.removal(of: ["A", "FAKEID"])
        plan.failedRecords = scene.path("again.txt")
        try await scene.run(plan)
        plan.input = PendingInput(ids: ["B"])
        try await scene.run(plan)
        let remark = "no record failed, so the older file \(scene.path("again.txt")) was removed"
        #expect(scene.remarks().contains(remark) && !FileManager.default.fileExists(atPath: scene.path("again.txt")))
    }

    @Test func `A job without a failed operation can't be retried`() async throws {
        var plan = scene.removal(of: ["A"])
        plan.jobs.retried = try await scene.run(plan).job
        await #expect { try await plan.prepare() } throws: { ($0 as? JobError)?.code == .ended }
    }

    // MARK: Documents that are found

    @Test func `A document that is found but has no answer is never left out`() async throws {
        let engine = try #require(try await scene.engine().versions)
        var found: [String] = []
        try await engine.forEachFound(SearchQuery()) { page in found += page.map(\.key.id.text) }
        #expect(found.sorted() == ["A", "B", "C"])
        await #expect(throws: EngineError.self) {
            try await SilentEngine(engine: engine).forEachFound(SearchQuery()) { _ in }
        }
    }

    // MARK: Backup and undo

    @Test func `Undo restores each document, and verification confirms it`() async throws {
        let before = try await scene.contents()
        var plan = scene.removal(of: ["A", "B"])
        plan.isAlwaysBackedUp = true
        plan.verification = .all
        let sent = try await plan.prepare().send()
        #expect(try await sent.conclude().unverifiedDocuments == 0)
        #expect(try await scene.contents().keys.sorted() == ["C"])

        var undo = try await scene.undoing(sent.result.report.job)
        undo.verification = .all
        let undone = try await undo.prepare().send()
        #expect(try await undone.conclude().unverifiedDocuments == 0)
        #expect(undone.result.report.counts[.added] == 2)
        #expect(try await scene.contents() == before)
    }

    @Test func `The backup of a removal that can't be resumed is recorded, and can be undone`() async throws {
        let before = try await scene.contents()
        var plan = scene.removal(of: ["A", "B"])
        plan.findsFirst = true
        plan.backup = scene.path("found.jsonl")
        let sent = try await plan.prepare().send()
        let early = try #require(try await scene.jobs().first)
        #expect(early.stage == .cancelled && early.backups == [scene.path("found.jsonl")])
        let job = try #require(try await sent.conclude().recordedJob)
        let record = try #require(try await scene.jobs().first { $0.job.id == job })
        #expect(record.stage == .finished && record.counts[.removed] == 2)
        #expect(record.seals[scene.path("found.jsonl")]?.lines == 2)
        try await scene.run(scene.undoing(job))
        #expect(try await scene.contents() == before)
    }

    @Test func `A removal that finds no documents, or has no backup or journal, is not recorded`() async throws {
        for (ids, backup, isOff) in [([], "none.jsonl", false), (["A"], nil, false), (["B"], "off.jsonl", true)] {
            var plan = scene.removal(of: ids)
            plan.findsFirst = true
            plan.backup = backup.map { scene.path($0) }
            plan.jobs.isOff = isOff
            _ = try await plan.prepare().send().conclude()
            #expect(try await scene.jobs().isEmpty, "\(ids)")
        }
    }

    @Test func `A job whose documents were found by a search is not retried`() async throws {
        var plan = scene.removal(of: ["A"])
        plan.findsFirst = true
        plan.jobs.retried = JobID(rawValue: "K7Z3VQ8M1T5R9XBC")
        await #expect { try await plan.prepare() } throws: { ($0 as? FeedJobError)?.code == .usage }
    }

    /// The comparison wraps the backup: refused operations are not backed up.
    @Test func `A document that has changed since is neither restored nor backed up`() async throws {
        var plan = scene.removal(of: ["A", "B"])
        plan.isAlwaysBackedUp = true
        let job = try await scene.run(plan).job
        try await scene.fill(["A"], with: #""by":"somebody else""#)

        let undone = try await scene.undoing(job).prepare().send()
        _ = try await undone.conclude()
        #expect(undone.result.report.counts[.failed] == 1 && undone.result.report.counts[.added] == 1)
        #expect(try await scene.contents()["A"] == #"{"id":"A","by":"somebody else"}"#)
        let saved = try String(contentsOfFile: #require(undone.feed.backup), encoding: .utf8)
        #expect(saved.contains(#""B""#) && !saved.contains(#""A""#))
    }

    @Test func `Undo refuses a job whose backup is gone, unless a partial undo is requested`() async throws {
        var plan = scene.removal(of: ["A"])
        plan.backup = scene.path("gone.jsonl")
        let job = try await scene.run(plan).job
        try FileManager.default.removeItem(atPath: scene.path("gone.jsonl"))
        await #expect { try await scene.undoing(job) } throws: { ($0 as? FeedJobError)?.code == .inputNotOpened }
        #expect(try await scene.run(scene.undoing(job, isPartial: true)).counts.accepted == 0)
    }
}

/// A store with a collection of documents, and plans for it.
private struct FeedScene {
    private let folder: TemporaryFolder
    private let target: OpenableTarget
    private let heard = Remarks()

    init(_ ids: [String]) async throws {
        folder = try TemporaryFolder()
        target = try OpenableTarget(
            "sqlite:" + folder.path("store.sqlite"),
            RemarkPrinter { [heard] line in heard.lines.withLock { $0.append(line) } }
        )
        try await target.create().create("web", settings: [])
        try await fill(ids, with: #""v":0"#)
    }

    func path(_ name: String) -> String { folder.path(name) }

    /// Returns the remarks received so far.
    func remarks() -> [String] { heard.lines.withLock { $0 } }

    func plan(_ kind: ContentOperation.Kind, _ input: PendingInput) -> FeedPlan {
        FeedPlan(kind, input, at: target, in: target.collection("web"))
    }

    func removal(of ids: [String]) -> FeedPlan { plan(.remove, PendingInput(ids: ids)) }

    /// Returns the removal of the IDs in a file with this text.
    func removal(ofLines text: String) throws -> FeedPlan {
        try text.write(toFile: path("ids.txt"), atomically: true, encoding: .utf8)
        return plan(.remove, PendingInput(sources: [.file(path("ids.txt"))], format: .lines()))
    }

    func undoing(_ job: JobID, isPartial: Bool = false) async throws -> FeedPlan {
        try await .undoing(job, at: target, in: target.collection("web"), isPartial: isPartial)
    }

    /// Carries out a plan; `report` is called before its job ends.
    @discardableResult
    func run(_ plan: FeedPlan, report: () async throws -> Void = {}) async throws -> StatusReport {
        let sent = try await plan.prepare().send()
        let aftermath = try await sent.conclude { _ in try await report() }
        #expect(aftermath.failedRecordsFailure == nil)
        return sent.result.report
    }

    /// Adds or replaces documents on behalf of another client.
    func fill(_ ids: [String], with member: String) async throws {
        let feeder = DocumentFeeder(engine: try await target.open(target.collection("web")).engine)
        for id in ids {
            try await feeder.addDocument(Document(id: DocumentID(id), json: Array(#"{"id":"\#(id)",\#(member)}"#.utf8)))
        }
        #expect(await feeder.close().errorCount == 0)
    }

    /// Returns the engine of the collection.
    func engine() async throws -> any CollectionEngine { try await target.open(target.collection("web")).engine }

    /// Returns the existing documents.
    func contents() async throws -> [String: String] {
        let engine = try await engine()
        let ids = try ["A", "B", "C", "D"].map { try DocumentID($0) }
        return Dictionary(
            uniqueKeysWithValues: try await engine.get(ids).map {
                ($0.id.text, String(decoding: $0.json, as: UTF8.self))
            }
        )
    }

    /// Returns the jobs that the store keeps, newest first.
    func jobs() async throws -> [JobRecord] {
        let (jobs, unreadable) = await (try JobShelf.existing(of: target.open())).jobs()
        #expect(unreadable.isEmpty)
        return jobs.map(\.record)
    }
}

private final class Remarks: Sendable {
    let lines = Mutex<[String]>([])
}

private struct Refusal: Error {}

/// An engine that leaves out the last of several answers.
private struct SilentEngine: ForwardingVersionedEngine {
    let engine: any VersionedEngine

    func versions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionAnswer] {
        try await engine.versions(at: keys).dropLast()
    }
}
