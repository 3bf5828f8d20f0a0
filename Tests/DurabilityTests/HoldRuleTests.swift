import ContentFeeding
import EngineHTTP
import EngineOpenSearch
import JobJournal
import TestSupport
import Testing

/// The rule that holds an operation back while a copy of an earlier operation on the same document may still arrive,
/// and the control, which shows the effect on the same server without the rule.
@Suite(.timeLimit(.minutes(5)))
struct HoldRuleTests {
    private static let documents = 20
    private static let versions = 6

    @Test func `Held operations are never overtaken, even when a process loses the job`() async throws {
        let session = try await HeldSession(holding: .milliseconds(2_500), seed: 1)
        let overtaken = try await session.run(takeovers: 4)
        #expect(overtaken.isEmpty, "\(overtaken)")
    }

    @Test func `Without the hold rule, late copies overtake later operations`() async throws {
        // Whether a late copy overtakes depends on the scheduling of processes: it does not happen in every session.
        for seed in UInt64(1)...6 {
            let overtaken = try await HeldSession(holding: .zero, seed: seed).run(takeovers: 4)
            guard let first = overtaken.first else { continue }
            return print("overtaken without the rule: \(overtaken.count) documents, such as \(first)")
        }
        Issue.record("six sessions without an overtaken document: the network of this test does not test the rule")
    }

    /// A job with several versions of each document, which new claimants take over from each other, over a network that
    /// delays and repeats requests.
    private struct HeldSession {
        private let server: DocumentServer
        private let proxy: FaultProxy
        private let engine: any CollectionEngine
        private let folder: TemporaryFolder
        private let ledger: JobLedger
        private let id: JobID
        private let holding: Duration

        init(holding: Duration, seed: UInt64) async throws {
            self.holding = holding
            server = try DocumentServer()
            proxy = try FaultProxy(
                upstream: server.port,
                plan: FaultPlan(on: .path("_bulk", method: "POST")) { number in
                    var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
                    let late = Duration.milliseconds(Int.random(in: 700...1_500, using: &random))
                    return switch Int.random(in: 0..<100, using: &random) {
                    case 0..<35: .deliverLate(after: late)
                    case 35..<45: .delayRequest(late + .milliseconds(500))
                    default: .delayRequest(.milliseconds(5))
                    }
                }
            )
            folder = try TemporaryFolder()
            var options = ConnectionOptions()
            options.requestTimeout = .milliseconds(500)
            let node = NodeAddress(scheme: .http, host: "127.0.0.1", port: Int(proxy.port))
            engine = try await OpenSearchEngine.open(.openSearch, at: [node], options: options)
                .collection(named: "web")
            let shelf = JobShelf.folder(try JobFolder(creating: folder.path("jobs")))
            let kept = try await shelf.create(JobDescription(testing: "HELD", kind: .add))
            (ledger, id) = (try kept.ledger(), kept.id)
        }

        /// Feeds to the end; returns the documents for which an earlier version arrived after a later one.
        func run(takeovers: Int) async throws -> [String] {
            defer { proxy.stop() }
            var reports: [StatusReport] = []
            try await withThrowingTaskGroup(of: StatusReport.self) { group in
                // No claimant finishes before the last one has taken over, because an ended job can't be claimed.
                let (lastHasClaimed, signal) = AsyncStream<Never>.makeStream()
                let last = Task { for await _ in lastHasClaimed {} }
                defer { signal.finish() }
                for number in 0...takeovers {
                    let claim = try await ledger.claim(id)
                    if number == takeovers { signal.finish() }
                    group.addTask { await feed(claim, endingAfter: last) }
                    // The next claimant takes over once this one has sent something, perhaps before a response has
                    // arrived.
                    let sent = proxy.records.count
                    if number < takeovers { try await proxy.records(moreThan: sent + 3, within: .seconds(5)) }
                }
                for try await report in group { reports.append(report) }
            }
            try await proxy.isIdle(within: .seconds(20))
            let completed = reports.filter { $0.end == .completed }
            #expect(completed.count == 1, "only the last claimant comes to the end")
            #expect(completed.first?.counts.settled == HoldRuleTests.documents * HoldRuleTests.versions)
            return Dictionary(grouping: server.deeds, by: \.document).compactMap { document, deeds in
                let versions = deeds.compactMap(\.version)
                return versions == versions.sorted() ? nil : "\(document): \(versions)"
            }
        }

        private func feed(_ claim: JobClaim, endingAfter last: Task<Void, Never>) async -> StatusReport {
            var options = FeedOptions()
            options.configuration.quarantine = holding
            options.configuration.batchCount = 10
            options.configuration.retry.attempts = 100
            options.configuration.retry.maximum = .milliseconds(200)
            options.journal = JobJournal(claim, in: ledger)
            let all = (0..<HoldRuleTests.versions).flatMap { version in
                (0..<HoldRuleTests.documents).map { number in
                    let id = DocumentID(stringLiteral: "document-\(number)")
                    return ContentOperation.add(Document(id: id, json: Array(#"{"v":\#(version + 1)}"#.utf8)))
                }
            }
            let operations = OperationFeed(engine: engine, options: options)
            let input = OpenInput(chunks: ChunkList(all, resuming: claim), endingAfter: last)
            return await operations.run(input, job: claim).report
        }
    }
}

/// Chunks that do not end before a task does.
private struct OpenInput: AsyncSequence, Sendable {
    let chunks: ChunkList
    let endingAfter: Task<Void, Never>

    struct AsyncIterator: AsyncIteratorProtocol {
        var chunks: ChunkList.Iterator
        let endingAfter: Task<Void, Never>

        mutating func next() async -> OperationChunk? {
            if let chunk = await chunks.next() { return chunk }
            await endingAfter.value
            return nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(chunks: chunks.makeAsyncIterator(), endingAfter: endingAfter)
    }
}

extension JobDescription {
    /// A job that exists only in a test.
    init(testing name: String, kind: ContentOperation.Kind = .remove, startedAt: Duration = .seconds(1_700_000_000)) {
        self.init(
            id: JobID(rawValue: name),
            identity: [1, 2, 3, 4, 5, 6, 7, 8, 9],
            kind: kind,
            target: "opensearch+http://localhost:9200",
            collection: "web",
            words: [],
            directory: "/",
            spool: nil,
            startedAt: startedAt
        )
    }
}

extension ChunkList {
    /// Operations from the position at which a claim's progress begins, a few at a time.
    init(_ operations: [ContentOperation], resuming claim: JobClaim, perChunk size: Int = 50) {
        let first = Int(claim.state?.progress.offset.byte ?? 0)
        self.init(
            stride(from: first, to: operations.count, by: size).map { start in
                let upper = Swift.min(start + size, operations.count)
                return OperationChunk(
                    operations: Array(operations[start..<upper]),
                    end: InputOffset(source: 0, byte: UInt64(upper)),
                    input: InputTally(lines: upper - start)
                )
            }
        )
    }
}
