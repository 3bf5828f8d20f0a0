import ContentFeeding
import EngineSQLite
import JobJournal
import Synchronization
import TestSupport
import Testing

/// Operations with a condition that are sent again because the response was lost.
struct ComparingEngineTests {
    private static let rounds = 300

    @Test func `An operation never conflicts with itself, however many replies are lost`() async throws {
        let store = try await TestStore()
        let versioned = try #require(store.collection as? any VersionedEngine)
        for seed in 0..<UInt64(Self.rounds) {
            var random = SeededGenerator(seed: seed)
            _ = try await store.engine.clear(TestStore.name)
            let ids = (0..<6).map { "\($0)" }
            let keys = ids.map { DocumentKey(DocumentID(stringLiteral: $0)) }
            let there = ids.filter { _ in Bool.random(using: &random) }
            try await store.collection.apply(there.map { .add(document($0, #"{"id":"\#($0)","v":0}"#)) })
            let before = try await versioned.versions(at: keys).map(\.document)
            var operations: [ContentOperation] = []
            var expected: [String: String?] = [:]
            for (id, document) in zip(ids, before) {
                let condition = document.map { WriteCondition.unchanged($0.version) } ?? .absent
                let operation = operation(on: id, ofPresent: document != nil, random: &random)
                operations.append(operation.operation.only(condition))
                expected[id] = operation.leaves
            }
            let lossy = LossyCollection(versioned, losing: Int.random(in: 0...3, using: &random))
            var options = FeedOptions()
            options.configuration.batchCount = Int.random(in: 1...6, using: &random)
            options.configuration.quarantine = .zero
            options.configuration.retry.base = .milliseconds(1)
            options.configuration.retry.maximum = .milliseconds(2)
            let chunks = ChunkList([OperationChunk(operations: operations)])
            let report = await OperationFeed(engine: lossy, options: options).run(chunks).report
            #expect(report.end == .completed && !report.hasDocumentErrors, "seed \(seed): \(report.counts)")
            let left = try await versioned.versions(at: keys).map(\.document)
            for (id, document) in zip(ids, left) {
                #expect(
                    document.map { String(decoding: $0.json, as: UTF8.self) } == expected[id] ?? nil,
                    "seed \(seed)"
                )
            }
        }
    }

    private func operation(
        on id: String,
        ofPresent isThere: Bool,
        random: inout SeededGenerator
    ) -> (operation: ContentOperation, leaves: String?) {
        switch isThere ? Int.random(in: 0..<3, using: &random) : 0 {
        case 0: (.add(document(id, #"{"id":"\#(id)","v":1}"#)), #"{"id":"\#(id)","v":1}"#)
        case 1: (.update(document(id, #"{"v":2}"#)), #"{"id":"\#(id)","v":2}"#)
        default: (.remove(DocumentID(stringLiteral: id)), nil)
        }
    }

    @Test func `A document that another client has written in the meantime is a conflict`() async throws {
        let store = try await TestStore()
        let versioned = try #require(store.collection as? any VersionedEngine)
        try await store.collection.apply([.add(document("A", #"{"v":0}"#)), .add(document("B", #"{"v":0}"#))])
        let found = try await versioned.versions(at: ["A", "B"].map { DocumentKey($0) })
        let versions = try found.map { try #require($0.document).version }
        let lossy = LossyCollection(versioned, losing: 1) {
            try await store.collection.apply([.add(document("A", #"{"v":7}"#)), .add(document("B", #"{"v":7}"#))])
        }
        var options = FeedOptions()
        options.configuration.retry.base = .milliseconds(1)
        let operations = [
            ContentOperation.add(document("A", #"{"v":1}"#)).only(.unchanged(versions[0])),
            ContentOperation.remove("B").only(.unchanged(versions[1])),
        ]
        var failures: [DocumentFailure] = []
        _ = await OperationFeed(engine: lossy, options: options).run(
            ChunkList([OperationChunk(operations: operations)])
        ) {
            event,
            _ in
            if case .settled(let outcomes) = event { failures += outcomes.compactMap { $0.issue?.failure } }
        }
        #expect(failures.map(\.code) == [.versionConflict, .versionConflict])
        #expect(failures.allSatisfy { $0.message.contains("an earlier attempt of this operation may have written it") })
        #expect(try await versioned.get(["A"]).map { String(decoding: $0.json, as: UTF8.self) } == [#"{"v":7}"#])
    }

    /// The operations for which a journal keeps separate rows, and those about which it records only that they were
    /// sent.
    @Test(arguments: [true, false])
    func `A resumed job respects conditions, and recognizes its own writes`(hasRows: Bool) async throws {
        let store = try await TestStore()
        let versioned = try #require(store.collection as? any VersionedEngine)
        try await store.collection.apply(["A", "B"].map { .add(document($0, #"{"v":0}"#)) })
        let versions = try await versioned.versions(at: [DocumentKey("A"), DocumentKey("B")]).map {
            try #require($0.document).version
        }
        let operations = [
            ContentOperation.add(document("A", #"{"v":1}"#)).only(.unchanged(versions[0])),
            .remove("B").only(.unchanged(versions[1])), .add(document("N", #"{"v":1}"#)).only(.absent),
        ]
        let shelf = JobShelf.folder(try JobFolder(creating: store.folder.path("jobs")))
        let kept = try await shelf.create(
            JobDescription(
                id: JobID(rawValue: "RESUMED"),
                identity: [1],
                kind: .add,
                target: "t",
                collection: TestStore.name,
                words: ["add"],
                directory: "/",
                spool: nil,
                startedAt: .zero
            )
        )
        func feed(into engine: any ContentEngine) async throws -> (StatusReport, [DocumentFailure.Code]) {
            var options = FeedOptions()
            options.configuration.retry.base = .milliseconds(1)
            options.configuration.quarantine = .zero
            let ledger = try kept.ledger()
            let claim = try await ledger.claim(kept.id)
            options.journal = JobJournal(claim, in: ledger)
            var codes: [DocumentFailure.Code] = []
            let end = InputOffset(source: 0, byte: 3)
            let chunks = claim.state?.progress.offset == end ? [] : [OperationChunk(operations: operations, end: end)]
            let report = await OperationFeed(engine: engine, options: options).run(ChunkList(chunks), job: claim) {
                event,
                _ in
                if case .settled(let outcomes) = event { codes += outcomes.compactMap { $0.issue?.failure.code } }
            }.report
            return (report, codes)
        }

        let dying = DyingCollection(versioned, answersFirst: hasRows)
        #expect(try await feed(into: dying).0.counts.settled == 0)
        if hasRows {
            // Nothing took effect, and another client was faster.
            let others = ["A", "B", "N"].map { ContentOperation.add(document($0, #"{"by":"others"}"#)) }
            try await store.collection.apply(others)
        }
        let (report, codes) = try await feed(into: DyingCollection(versioned, answersFirst: false, lives: true))
        #expect(report.end == .completed && report.counts.settled == 3)
        let left = try await versioned.get(["A", "B", "N"]).map { String(decoding: $0.json, as: UTF8.self) }
        if hasRows {
            #expect(Set(codes) == [.versionConflict, .alreadyExists] && codes.count == 3)
            #expect(left == [String](repeating: #"{"by":"others"}"#, count: 3))
        } else {
            #expect(codes.isEmpty && report.counts[.updated] == 1 && report.counts[.gone] == 1)
            #expect(report.counts[.added] == 1 && left == [#"{"v":1}"#, #"{"v":1}"#])
        }
    }

    @Test func `The documents' contents determine the action, and the job's counts reflect it`() async throws {
        let store = try await TestStore()
        let versioned = try #require(store.collection as? any VersionedEngine)
        let one = try #require(ContentDigest(of: Array(#"{"v":1}"#.utf8), "any", in: store.collection.capabilities))
        try await store.collection.apply(
            ["left", "other", "before", "left too"].map { id in
                .add(document(id, id == "other" ? #"{"v":9}"# : id == "before" ? #"{"v":0}"# : #"{"v":1}"#))
            }
        )
        let claim = try await store.engine.claim()
        let operations = ["left", "other", "before", "gone"].map {
            ContentOperation.add(document($0, #"{"v":0}"#)).only(.contents([one]))
        }
        let more: [ContentOperation] = [
            .remove("left too").only(.contents([one])), .add(document("restored", "{}")).only(.contents([.none])),
        ]
        let chunks = ChunkList([OperationChunk(operations: operations + more)])
        let engine = ComparingEngine(versioned, reading: versioned)
        let report = await OperationFeed(engine: engine).run(chunks, job: claim).report
        #expect(report.counts[.updated] == 1 && report.counts[.noop] == 1 && report.counts[.failed] == 2)
        #expect(report.counts[.removed] == 1 && report.counts[.added] == 1)
        let kept = try #require(try await store.engine.record(of: claim))
        #expect(Outcome.allCases.allSatisfy { kept.counts[$0] == report.counts[$0] })
        let issues = try await store.engine.jobs.issues(of: claim.id, after: 0)
        #expect(issues.map(\.documentID) == ["other", "gone"])
        #expect(issues.map(\.issue?.failure.code) == [.changedSince, .changedSince])
        #expect(
            try await versioned.get(["left", "other"]).map { String(decoding: $0.json, as: UTF8.self) }.sorted()
                == [#"{"v":0}"#, #"{"v":9}"#]
        )
    }
}

/// A collection that does not keep progress, and disappears after the first batch, which took effect or whose effect is
/// unknown.
private final class DyingCollection: ForwardingEngine {
    private let engine: any VersionedEngine
    private let unclear: Mutex<Bool>
    private let lives: Bool

    /// If `answersFirst` is set, the first batch has no effect, and the reply reports that the effect is unknown; if
    /// `lives` is set, the collection does not disappear.
    init(_ engine: any VersionedEngine, answersFirst: Bool, lives: Bool = false) {
        self.engine = engine
        unclear = Mutex(answersFirst)
        self.lives = lives
    }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        if lives { return await ComparingEngine(engine, reading: engine).apply(batch) }
        let isUnclear = unclear.withLock { unclear in
            defer { unclear = false }
            return unclear
        }
        if isUnclear {
            let failure = DocumentFailure(.attemptsExhausted, "time-out", disposition: .retryable)
            return .results(batch.items.map { _ in .unknown(failure) })
        }
        // A batch that is sent again finds that the collection is gone.
        if batch.items.allSatisfy({ !$0.mayHaveApplied }) { _ = await engine.apply(batch) }
        return .failed(BatchFailure(.stop(.unreachable), DocumentFailure(.rejectedByEngine, "gone")))
    }

    var base: any CollectionEngine { engine }

    var capabilities: EngineCapabilities {
        var capabilities = engine.capabilities
        capabilities.keepsProgress = false
        return capabilities
    }
}

/// A collection whose responses to the first batches are lost after the batches took effect.
private final class LossyCollection: ForwardingVersionedEngine {
    let engine: any VersionedEngine
    private let lost: Mutex<Int>
    private let meddle: @Sendable () async throws -> Void

    /// `meddle` is called when a response is lost.
    init(
        _ engine: any VersionedEngine,
        losing lost: Int,
        _ meddle: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.engine = engine
        self.lost = Mutex(lost)
        self.meddle = meddle
    }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        let reply = await engine.apply(batch)
        let isLost = lost.withLock { lost in
            defer { lost = max(0, lost - 1) }
            return lost > 0
        }
        guard isLost else { return reply }
        try? await meddle()
        return .failed(
            BatchFailure(.ambiguous, DocumentFailure(.attemptsExhausted, "time-out", disposition: .retryable))
        )
    }

    func settle() async throws(EngineError) {}
    func lookupReservation() async -> String? { nil }
}
