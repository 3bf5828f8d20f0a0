import ContentFeeding
import EngineSQLite
import FeedReports
import ReportKit
import Synchronization
import TestSupport
import Testing
import TextKit

@testable import FeedJobs

struct VerificationTests {
    private func verdict(
        _ scope: VerificationScope,
        _ kind: ContentOperation.Kind,
        present: [DocumentID],
        settled: [(DocumentID, Outcome)],
        end: FeedEnd = .completed,
        interruption: StopReason? = nil
    ) async throws -> (lines: [String], status: TextKit.ExitStatus) {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        try await store.create("web", settings: [])
        let engine = try await store.collection(named: "web")
        let items = present.enumerated().map { index, id in
            let document = Document(id: id, json: Array(#"{"t":"x"}"#.utf8))
            return ContentBatch.Item(id: OperationID(rawValue: UInt64(index + 1)), operation: .add(document))
        }
        _ = await engine.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))

        let place = folder.path("")
        let spill = BufferedOperations.Store(space: SpillSpace(in: place))
        let verification = Verification(
            scope,
            of: kind,
            in: spill,
            PatientLookUp(FeedConfiguration(), SilentObserver()),
            seed: 1
        )
        let outcomes = settled.enumerated().map { index, item in
            OperationOutcome(
                operationID: OperationID(rawValue: UInt64(index + 1)),
                kind: kind,
                documentID: item.0,
                outcome: item.1
            )
        }
        verification.note(.settled(outcomes))
        let account = await verification.account(after: end, engine) { interruption }
        return (account.lines(of: kind), account.status ?? .done)
    }

    @Test func `Documents that are removed, missing or gone must be absent`() async throws {
        let settled: [(DocumentID, Outcome)] = [("A", .removed), ("B", .missing), ("C", .gone), ("D", .failed)]
        let good = try await verdict(.all, .remove, present: ["D"], settled: settled)
        #expect(good.lines == ["verified: 3 documents are absent"])
        #expect(good.status == .done)
        let bad = try await verdict(.all, .remove, present: ["A", "D"], settled: settled)
        #expect(bad.lines.first == "'A' still exists")
        #expect(bad.lines.last?.hasPrefix("not verified: 1 of 3") == true)
        #expect(bad.status == .documentsFailed)
    }

    @Test(arguments: [VerificationScope.all, .sample(100)])
    func `A document of several operations is counted once`(scope: VerificationScope) async throws {
        let settled: [(DocumentID, Outcome)] = [("A", .removed), ("A", .missing), ("B", .removed), ("A", .missing)]
        let good = try await verdict(scope, .remove, present: [], settled: settled)
        #expect(good.lines == ["verified: 2 documents are absent"])
        let bad = try await verdict(scope, .remove, present: ["A"], settled: settled)
        #expect(bad.lines.first == "'A' still exists")
        #expect(bad.lines.count == 2 && bad.lines.last?.hasPrefix("not verified: 1 of 2") == true)
    }

    @Test func `Documents that are added, updated or unchanged must exist`() async throws {
        let settled: [(DocumentID, Outcome)] = [("A", .added), ("B", .updated), ("C", .noop), ("D", .missing)]
        let good = try await verdict(.all, .update, present: ["A", "B", "C"], settled: settled)
        let part = "an update sends only a part of a document, which --verify=content compares"
        let reason = "contents were not compared: \(part)"
        #expect(good.lines == ["verified: 3 documents exist; \(reason)"])
        let bad = try await verdict(.all, .update, present: ["A"], settled: settled)
        #expect(bad.lines.dropLast() == ["'B' does not exist", "'C' does not exist"])
    }

    @Test func `A sample has the requested size, which the last sentence states`() async throws {
        let settled = (0..<5000).map { (DocumentID(stringLiteral: "\($0)"), Outcome.removed) }
        let verdict = try await verdict(.sample(1200), .remove, present: [], settled: settled)
        #expect(verdict.lines == ["verified: 1200 of 5000 documents, chosen at random, are absent"])
    }

    @Test func `Many IDs are stored in a file`() async throws {
        let settled = (0..<50000).map { (DocumentID(stringLiteral: "document-\($0)"), Outcome.removed) }
        let verdict = try await verdict(.all, .remove, present: ["document-49999"], settled: settled)
        #expect(verdict.lines.first == "'document-49999' still exists")
    }

    @Test func `A run that was stopped is not verified`() async throws {
        let verdict = try await verdict(
            .all,
            .remove,
            present: ["A"],
            settled: [("A", .removed)],
            end: .stopped(.interrupted)
        )
        #expect(verdict.lines == ["nothing was verified, because the run did not finish"])
        #expect(verdict.status == .done)
    }

    @Test func `An interrupted lookup reports its progress`() async throws {
        let verdict = try await verdict(
            .all,
            .remove,
            present: [],
            settled: [("A", .removed)],
            interruption: .interrupted
        )
        #expect(verdict.lines.first?.hasPrefix("not verified: interrupted after 0 of 1 document") == true)
        #expect(verdict.status == .interrupted)
    }

    /// Sends documents to an engine that keeps them, changes some of them in the engine, and verifies.
    private func contentVerdict(
        _ scope: VerificationScope,
        sent: [(DocumentID, String)],
        updated patches: [(DocumentID, String)] = [],
        upserts: [ContentOperation] = [],
        changedTo changes: [(DocumentID, String)],
        removed: [DocumentID] = [],
        reading: (any CollectionEngine) -> any CollectionEngine = { $0 }
    ) async throws -> (lines: [String], status: TextKit.ExitStatus) {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        try await store.create("web", settings: [])
        let engine = try await store.collection(named: "web")
        let contents = SentContents(for: engine.capabilities, includingUpdates: scope == .content)
        let verification = Verification(
            scope,
            of: .add,
            in: BufferedOperations.Store(space: SpillSpace(in: folder.path(""))),
            PatientLookUp(FeedConfiguration(), SilentObserver()),
            comparingWith: contents,
            seed: 1
        )
        let wrapped = BatchPreparingEngine(engine) { contents.noting($0) }
        let fed =
            sent.map { ContentOperation.add(Document(id: $0.0, json: Array($0.1.utf8))) }
            + patches.map { ContentOperation.update(Document(id: $0.0, json: Array($0.1.utf8))) } + upserts
        for (index, operation) in fed.enumerated() {
            let id = OperationID(rawValue: UInt64(index + 1))
            let batch = ContentBatch(
                id: BatchID(rawValue: id.rawValue),
                items: [.init(id: id, operation: operation)],
                addsMissing: !upserts.isEmpty
            )
            guard case .results(let results) = await wrapped.apply(batch), case .done(let outcome)? = results.first
            else {
                continue
            }
            let settled = OperationOutcome(
                operationID: id,
                kind: operation.kind,
                documentID: operation.documentID,
                outcome: outcome
            )
            verification.note(.settled([settled]))
        }
        let operations =
            changes.map { ContentOperation.add(Document(id: $0.0, json: Array($0.1.utf8))) }
            + removed.map { ContentOperation.remove($0) }
        for operation in operations {
            _ = await engine.apply(
                ContentBatch(id: BatchID(rawValue: 99), items: [.init(id: .first, operation: operation)])
            )
        }
        let account = await verification.account(after: .completed, reading(engine))
        return (account.lines(of: .add), account.status ?? .done)
    }

    private static let scopes: [VerificationScope] = [.all, .sample(100)]

    @Test(arguments: scopes)
    func `Documents that were added must have the contents that were sent`(scope: VerificationScope) async throws {
        let sent: [(DocumentID, String)] = [("A", #"{"t":"x"}"#), ("B", #"{"t":"y","n":1}"#), ("C", #"{"t":"z"}"#)]
        let good = try await contentVerdict(scope, sent: sent, changedTo: [("B", #"{ "n": 1, "t": "y" }"#)])
        #expect(good.lines == ["verified: 3 documents match what was fed"])
        #expect(good.status == .done)
        let bad = try await contentVerdict(scope, sent: sent, changedTo: [("B", #"{"t":["y","y"]}"#)], removed: ["C"])
        let named = ["'C' does not exist", "'B' differs from what was fed: ~t -n"]
        #expect(bad.lines.filter { $0.hasPrefix("'") } == named)
        #expect(bad.lines.last?.hasPrefix("not verified: 1 of 3 differs from what was fed: ") == true)
        #expect(bad.status == .documentsFailed)
    }

    @Test(arguments: scopes)
    func `If the last operation on a document is an update, only the document's existence is checked`(
        scope: VerificationScope
    ) async throws {
        let sent: [(DocumentID, String)] = [("A", #"{"t":"x"}"#), ("B", #"{"t":"y"}"#)]
        let patches: [(DocumentID, String)] = [("A", #"{"n":1}"#)]
        let reason = "not compared: an update sends only a part of a document, which --verify=content compares"
        let good = try await contentVerdict(scope, sent: sent, updated: patches, changedTo: [])
        #expect(good.lines == ["verified: 2 documents match what was fed; the contents of 1 were \(reason)"])
        let bad = try await contentVerdict(
            scope,
            sent: sent,
            updated: patches,
            changedTo: [("A", #"{"other":0}"#), ("B", #"{"other":0}"#)]
        )
        #expect(bad.lines.filter { $0.hasPrefix("'") } == ["'B' differs from what was fed: +other -t"])
        let gone = try await contentVerdict(scope, sent: sent, updated: patches, changedTo: [], removed: ["A"])
        #expect(gone.lines.first == "'A' does not exist" && gone.status == .documentsFailed)
    }

    /// Some engines report from the beginning that they return less than they were fed; for others, this is detected
    /// only when they return documents.
    @Test(arguments: scopes, [true, false])
    func `Contents that the engine does not return are not compared`(
        scope: VerificationScope,
        knowsBefore: Bool
    ) async throws {
        let sent: [(DocumentID, String)] = [("A", #"{"t":"x"}"#), ("B", #"{"t":"y"}"#)]
        let changes: [(DocumentID, String)] = [("B", #"{"t":"z"}"#)]
        let good = try await contentVerdict(scope, sent: sent, changedTo: changes) {
            ForgetfulEngine(base: $0, knowsBefore: knowsBefore)
        }
        let reason = "contents were not compared: the field 't' is not stored"
        #expect(good.lines == ["verified: 2 documents exist; \(reason)"])
        #expect(good.status == .done)
        let bad = try await contentVerdict(scope, sent: sent, changedTo: changes, removed: ["A"]) {
            ForgetfulEngine(base: $0, knowsBefore: knowsBefore)
        }
        #expect(bad.lines.filter { $0.hasPrefix("'") } == ["'A' does not exist"])
        #expect(bad.status == .documentsFailed)
    }

    @Test(arguments: scopes)
    func `If a document was sent twice, the last operation counts`(scope: VerificationScope) async throws {
        let sent: [(DocumentID, String)] = [("A", #"{"t":"x"}"#), ("B", #"{"t":"y"}"#), ("A", #"{"t":"new"}"#)]
        let good = try await contentVerdict(scope, sent: sent, changedTo: [])
        #expect(good.lines == ["verified: 2 documents match what was fed"])
        let bad = try await contentVerdict(scope, sent: sent, changedTo: [("A", #"{"t":"x"}"#)])
        #expect(bad.lines.first == "'A' differs from what was fed: ~t")
    }

    @Test func `On request, updated documents must have the keys that were sent`() async throws {
        let sent: [(DocumentID, String)] = [("A", #"{"t":"x","n":1,"d":2}"#), ("B", #"{"t":"y"}"#)]
        let patches: [(DocumentID, String)] = [("A", #"{"n":2.0,"at":"2026-11-29T12:00:00Z","d":null}"#)]
        let same: [(DocumentID, String)] = [("A", #"{"t":"x","at":"2026-11-29T13:00+01:00","n":2}"#)]
        let good = try await contentVerdict(.content, sent: sent, updated: patches, changedTo: same)
        #expect(good.lines == ["verified: 2 documents match what was fed"])
        let others: [(DocumentID, String)] = [("A", #"{"n":"2","d":2}"#)]
        let bad = try await contentVerdict(.content, sent: sent, updated: patches, changedTo: others)
        #expect(bad.lines.first == "'A' differs from what was fed: +d ~n -at -t" && bad.status == .documentsFailed)
    }

    @Test func `A later update of other keys does not hide that an earlier one was lost`() async throws {
        let sent: [(DocumentID, String)] = [("A", #"{"t":"x"}"#)]
        let patches: [(DocumentID, String)] = [("A", #"{"a":1,"b":1}"#), ("A", #"{"b":2}"#), ("A", #"{"c":3}"#)]
        let good = try await contentVerdict(.content, sent: sent, updated: patches, changedTo: [])
        #expect(good.lines == ["verified: 1 document matches what was fed"])
        let lost: [(DocumentID, String)] = [("A", #"{"t":"x","b":2,"c":3}"#)]
        let bad = try await contentVerdict(.content, sent: sent, updated: patches, changedTo: lost)
        #expect(bad.lines.first == "'A' differs from what was fed: -a" && bad.status == .documentsFailed)
        #expect(bad.lines.last?.hasPrefix("not verified: 1 of 1 differs") == true)
    }

    @Test func `An update that added its whole document is compared with that document`() async throws {
        func upsert(_ id: DocumentID, _ patch: String, _ whole: String) -> ContentOperation {
            .update(Document(id: id, json: Array(patch.utf8))).adding(Array(whole.utf8))
        }
        let upserts = [
            upsert("A", #"{"n":1}"#, #"{"n":9}"#), upsert("B", #"{"n":1}"#, #"{"t":"new"}"#),
            upsert("C", #"{"n":{"$inc":1}}"#, #"{"n":7}"#),
        ]
        let sent: [(DocumentID, String)] = [("A", #"{"t":"x"}"#)]
        let good = try await contentVerdict(.content, sent: sent, upserts: upserts, changedTo: [])
        #expect(good.lines == ["verified: 3 documents match what was fed"])
        let changes: [(DocumentID, String)] = [("A", #"{"t":"x","n":9}"#), ("B", #"{"n":1}"#)]
        let bad = try await contentVerdict(.content, sent: sent, upserts: upserts, changedTo: changes)
        let named = ["'A' differs from what was fed: ~n", "'B' differs from what was fed: +n -t"]
        #expect(bad.lines.filter { $0.hasPrefix("'") } == named && bad.status == .documentsFailed)
    }

    /// The first update adds the whole document, whose contents are then changed by the others.
    @Test func `An upsert of one document that is repeated is one document`() async throws {
        let counting = ContentOperation.update(Document(id: "A", json: Array(#"{"n":{"$inc":1}}"#.utf8)))
            .adding(Array(#"{"n":1}"#.utf8))
        let upserts = [counting, counting, counting]
        let verdict = try await contentVerdict(.content, sent: [], upserts: upserts, changedTo: [])
        #expect(verdict.lines.first?.hasPrefix("not verified: 1 of 1 exists, but its contents were not") == true)
    }

    @Test func `If contents must be compared, one that can't be compared is an error`() async throws {
        let sent: [(DocumentID, String)] = [("A", #"{"t":"x","n":1}"#), ("B", #"{"t":"y"}"#)]
        let patches: [(DocumentID, String)] = [("A", #"{"n":{"$inc":1}}"#)]
        let computed = try await contentVerdict(.content, sent: sent, updated: patches, changedTo: [])
        let line = "not verified: 1 of 2 exists, but its contents were not compared: an update with operators depends"
        #expect(computed.lines == ["\(line) on the stored document"] && computed.status == .documentsFailed)
        let forgotten = try await contentVerdict(.content, sent: sent, changedTo: []) {
            ForgetfulEngine(base: $0, knowsBefore: true)
        }
        let several = "not verified: 2 of 2 exist, but their contents were not compared: the field 't' is not stored"
        #expect(forgotten.lines == [several] && forgotten.status == .documentsFailed)
    }

    @Test func `Keys that the engine fills itself are not compared`() async throws {
        let sent: [(DocumentID, String)] = [("A", #"{"t":"x","all":"x","n":1}"#), ("B", #"{"all":"y"}"#)]
        let stored: [(DocumentID, String)] = [("A", #"{"t":"x","n":1}"#), ("B", "{}")]
        let verdict = try await contentVerdict(.all, sent: sent, changedTo: stored) { DerivingEngine(base: $0) }
        #expect(verdict.lines.first == "'B' differs from what was fed: -all")
        #expect(verdict.lines.last?.hasPrefix("not verified: 1 of 2 differs") == true)
    }

    @Test func `Few of many keys are named, in alphabetical order, and shortened`() {
        let names = (10..<30).map { "k\($0)" as String? } + [nil, String(repeating: "é", count: 100)]
        let difference = KeyDifference(added: names.reversed(), changed: [String(repeating: "k", count: 41)])
        #expect(difference.added == (10..<18).map { "k\($0)" } && difference.more == 14)
        #expect(difference.changed == [String(repeating: "k", count: 39) + "…"])
        let content = SentContent([.init(key: 1, value: .max), .init(key: .max - 1, value: 0)], isPart: true)
        #expect(SentContent(bytes: ([7] + content.bytes)[1...]) == content && SentContent(bytes: []) == nil)
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func `Each item is equally likely to be in a sample`(seed: UInt64) {
        var hits = [Int](repeating: 0, count: 50)
        for run in 0..<4000 as Range<UInt64> {
            var sample = Sample<Int>(of: 5, seed: seed &* 1_000_003 &+ run)
            for item in 0..<50 { sample.offer(item) }
            #expect(Set(sample.items).count == 5)
            for item in sample.items { hits[item] += 1 }
        }
        // 400 of each are expected, with a standard deviation of 19.
        #expect(hits.allSatisfy { 300...500 ~= $0 }, "\(hits)")
    }
}

/// A lookup that is retried.
struct PatientLookUpTests {
    /// A clock that jumps to the time that a sleeping task is waiting for.
    private final class JumpingClock: Clock, Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        let minimumResolution = Duration.zero

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            time.withLock { $0 = max($0, deadline) }
        }
    }

    private static let silence = EngineError(.unreachable, "no answer")

    /// Looks up until an attempt succeeds, or forever; returns the attempts, the remarks, and the failure.
    private func attempts(
        succeedingAt success: Int?,
        giveUpAfter: Duration? = .seconds(900),
        stoppedAfter: Int = .max,
        failure: EngineError = silence
    ) async -> (attempts: Int, words: [String], failure: EngineError.Code?) {
        var configuration = FeedConfiguration()
        configuration.giveUpAfter = giveUpAfter
        let observer = WordKeeper()
        var lookUp = PatientLookUp(configuration, observer, clock: FeedClock(JumpingClock()))
        var attempts = 0
        do {
            func attempt() throws(EngineError) {
                attempts += 1
                if attempts != success { throw failure }
            }
            try await lookUp.answer(to: attempt, unless: { attempts >= stoppedAfter })
            return (attempts, observer.words, nil)
        } catch {
            return (attempts, observer.words, (error as? EngineError)?.code)
        }
    }

    @Test func `A lookup is repeated silently after a lost reply`() async {
        let result = await attempts(succeedingAt: 3)
        #expect(result.attempts == 3)
        #expect(result.words.isEmpty)
        #expect(result.failure == nil)
    }

    @Test func `The lookup fails if the engine stays silent for too long, and the wait is reported`() async {
        let result = await attempts(succeedingAt: nil, giveUpAfter: .seconds(300))
        #expect(result.failure == .unreachable)
        #expect((7...12).contains(result.words.count))
        #expect(result.words.allSatisfy { $0.hasPrefix("waiting: a look-up has not been answered for ") })
        #expect(result.words.first?.contains("; giving up in 4 min") == true)
    }

    @Test func `A permanent failure is reported without a wait`() async {
        let result = await attempts(succeedingAt: nil, failure: EngineError(.permission, "no rights"))
        #expect(result.attempts == 1)
        #expect(result.failure == .permission)
    }

    @Test func `A user can stop the verification during a wait`() async {
        let result = await attempts(succeedingAt: nil, stoppedAfter: 4)
        #expect(result.attempts == 4)
        #expect(result.failure == .unreachable)
    }
}

/// A random sample, for `--verify=sample:N`.
struct VerificationSampleTests {
    @Test(arguments: [0, 1, 3, 100, 1_000])
    func `An item that is not sampled is not created`(size: Int) {
        var sample = Sample<Int>(of: size, seed: 7)
        var made = 0
        for number in 0..<1_000 {
            let make = { () -> Int in
                made += 1
                return number
            }
            sample.offer(make())
        }
        #expect(sample.offered == 1_000)
        #expect(sample.items.count == min(size, 1_000))
        #expect(Set(sample.items).count == sample.items.count)
        // The n-th item enters with probability size/n: about size × (1 + ln(1,000/size)) in total.
        #expect(made >= size && (size == 1_000 || made < 8 * size + 1))
    }

    @Test func `Each item is equally likely to be sampled`() {
        var taken = [Int](repeating: 0, count: 20)
        for seed in 0..<2_000 {
            var sample = Sample<Int>(of: 5, seed: UInt64(seed))
            for number in taken.indices { sample.offer(number) }
            for number in sample.items { taken[number] += 1 }
        }
        // 500 each; fewer than 400 or more than 600 would be off by five standard deviations.
        #expect(taken.allSatisfy { (400...600).contains($0) })
    }
}

/// An engine that does not return everything that it was fed, and can't make a backup.
private struct ForgetfulEngine: ForwardingEngine {
    let base: any CollectionEngine
    let knowsBefore: Bool

    var capabilities: EngineCapabilities {
        var capabilities = base.capabilities
        if knowsBefore { capabilities.readingLoss = "the field 't' is not stored" }
        return capabilities
    }

    func check(_ intent: FeedIntent) async throws(EngineError) {
        guard intent.isBackedUp else { return }
        throw EngineError(.unsupported, "the field 't' is not stored")
    }
}

/// An engine that fills the key `all` from the key `t`, and does not return it.
private struct DerivingEngine: ForwardingEngine {
    let base: any CollectionEngine

    func derivedKeys(among keys: [String]) async throws(EngineError) -> Set<String> {
        keys.contains("t") ? ["all"] : []
    }
}

/// An observer that records the remarks.
private final class WordKeeper: FeedObserver {
    private let kept = Mutex<[String]>([])

    func remark(_ line: String) { kept.withLock { $0.append(line) } }

    var words: [String] { kept.withLock { $0 } }
}
