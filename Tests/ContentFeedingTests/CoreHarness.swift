@testable import ContentFeeding

/// A core and its clock, for tests that send single events.
struct CoreHarness {
    var core: FeederCore
    var now = FeedInstant.start

    init(
        _ configuration: FeedConfiguration = FeedConfiguration(),
        capabilities: EngineCapabilities = EngineCapabilities(),
        isJournaled: Bool = false
    ) {
        core = FeederCore(
            configuration: configuration,
            capabilities: capabilities,
            job: JobID(rawValue: "TEST"),
            isJournaled: isJournaled,
            seed: 1
        )
    }

    mutating func handle(_ event: FeederCore.Event, after pause: Duration = .zero) -> [FeederCore.Command] {
        now = now + pause
        return core.handle(event, at: now)
    }

    mutating func remove(_ ids: DocumentID...) -> [FeederCore.Command] {
        handle(.input(OperationChunk(operations: ids.map { .remove($0) })))
    }

    mutating func reply(_ batch: ContentBatch, _ reply: BatchReply) -> [FeederCore.Command] {
        handle(.reply(batch.id, reply))
    }
}

extension [FeederCore.Command] {
    var sent: [ContentBatch] { compactMap { if case .send(let batch) = $0 { batch } else { nil } } }
    var settled: [OperationOutcome] {
        flatMap { command -> [OperationOutcome] in if case .settled(let outcomes) = command { outcomes } else { [] } }
    }
    var wake: FeedInstant? { compactMap { if case .wake(let instant) = $0 { instant } else { nil } }.last }
    var asksForInput: Bool { contains { if case .read = $0 { true } else { false } } }
    var end: FeedEnd? { compactMap { if case .finish(let end) = $0 { end } else { nil } }.last }
    var raises: CompletionLevel? { compactMap { if case .raise(let level) = $0 { level } else { nil } }.last }
    var reached: [BarrierID] { compactMap { if case .reached(let barrier, _) = $0 { barrier } else { nil } } }
    var recorded: JournalTransaction? {
        compactMap { if case .record(let transaction) = $0 { transaction } else { nil } }.last
    }
}

extension ContentBatch {
    var documentIDs: [String] { items.map(\.operation.documentID.text) }
}

extension DocumentFailure {
    static let test = DocumentFailure(.rejectedByEngine, "simulated", disposition: .retryable)
}
