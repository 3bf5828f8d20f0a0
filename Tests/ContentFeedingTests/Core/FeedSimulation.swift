import Testing

@testable import ContentFeeding

/// Runs a ``FeederCore`` against a ``SimulatedEngine`` in simulated time, crashes it from time to time, and checks the
/// promises G1–G4 and G6 after every event.
struct FeedSimulation {
    struct Plan: Sendable {
        var operations = 300
        var documents = 20
        /// The percentage of batches with a failure.
        var trouble = 30
        /// The number of events out of a thousand that end in a crash.
        var crashes = 3
        var engine = EngineKind.journaled
        var operationTimeout: Duration?
        var usesBarriers = false
        var isInputSlow = false
        /// The time for which the engine is unavailable, in each period of three times that length; `nil` for never.
        var outage: Duration?
        /// The time after which the feed gives up, to be resumed later.
        var giveUpAfter: Duration?
        /// The number of events out of a thousand that end in an external stop, followed by a new run.
        var stops = 0
        /// The number of bits of a lane's key that are used; with few bits, documents share lanes.
        var laneMask = UInt32.max
        /// Whether the feeder is given the time within which a lost copy may still take effect.
        var quarantines = true
        /// The calls of the journal that end in a crash, in addition to those of `crashes`.
        var journalCrash: JournalCrash?
    }

    /// A crash at a call of the journal.
    struct JournalCrash: Sendable {
        enum Moment: Sendable, CaseIterable {
            /// Before the transaction is durable.
            case before
            /// When the transaction is durable, but not yet reported.
            case after
            /// After the transaction is reported as durable although it is not, which never happens on a reliable disk.
            case lied
        }

        let moment: Moment
        /// The number of the first such call, counted from 1 over all runs.
        let call: Int
        /// The number of calls from one crash to the next; `nil` for a single crash.
        var period: Int?

        func happens(at number: Int) -> Bool {
            number == call || number > call && period.map { (number - call) % $0 == 0 } ?? false
        }
    }

    enum EngineKind: Sendable, CaseIterable {
        /// The journal stores all state that must survive.
        case journaled
        /// The engine stores progress with each batch.
        case keepsProgress
        /// No state survives, so such a feed is never resumed.
        case plain
    }

    /// The scheduled events.
    enum Happening {
        case deliver(FeederCore.Event)
        /// A late copy of an operation takes effect.
        case zombie(ContentBatch.Item)
        case commit(JournalTransaction)
        case transact(ContentBatch)
    }

    struct Appointment {
        let at: FeedInstant
        let order: Int
        let run: Int
        let what: Happening

        var rank: (FeedInstant, Int) { (at, order) }
    }

    let plan: Plan
    let operations: [ContentOperation]
    let configuration: FeedConfiguration
    let capabilities: EngineCapabilities
    var random: SplitMix64
    var core: FeederCore
    var engine = SimulatedEngine()
    var journal: JournalState?
    var agenda: [Appointment] = []
    var now = FeedInstant.start
    /// The start of the current run, which is time zero for its core.
    var runStart = FeedInstant.start
    var run = 0
    var order = 0
    var readIndex = 0
    var announced: [OperationID: OperationOutcome] = [:]
    var acceptedIDs: Set<OperationID> = []
    /// The time at which each operation was accepted.
    var acceptedAt: [OperationID: FeedInstant] = [:]
    var inFlightDocuments: [DocumentID: BatchID] = [:]
    var inFlight: [BatchID: [DocumentID]] = [:]
    var openBarriers: [BarrierID: OperationID] = [:]
    var lastBarrier: UInt64 = 0
    private(set) var eventCount = 0
    private(set) var journalCalls = 0
    var crashCount = 0
    /// The number of times the feed gave up.
    private(set) var surrenderCount = 0
    private(set) var end: FeedEnd?
    var violations: [String] = []

    static let quarantine = Duration.seconds(60)

    init(_ plan: Plan, seed: UInt64) {
        self.plan = plan
        random = SplitMix64(seed: seed)
        var configuration = FeedConfiguration()
        let sizesBatches = Bool.random(using: &random)
        configuration.batchCount = sizesBatches ? nil : Int.random(in: 1...20, using: &random)
        configuration.windowCount = Int.random(in: 5...80, using: &random)
        configuration.windowBytes = Bool.random(using: &random) ? 400 : 1 << 20
        configuration.batchBytes = sizesBatches ? nil : Bool.random(using: &random) ? 60 : 1 << 20
        configuration.batchesInFlight =
            Bool.random(using: &random) ? .adaptive : .fixed(Int.random(in: 1...4, using: &random))
        configuration.retry.attempts = Int.random(in: 3...12, using: &random)
        configuration.operationTimeout = plan.operationTimeout
        configuration.giveUpAfter = plan.giveUpAfter
        configuration.laneMask = plan.laneMask
        if Bool.random(using: &random) { configuration.rate = OperationRate(Int.random(in: 20...500, using: &random)) }
        configuration.level = Bool.random(using: &random) ? .live : .secured
        self.configuration = configuration
        var capabilities = EngineCapabilities()
        capabilities.suitableBatchCount = Int.random(in: 1...4, using: &random)
        capabilities.quarantine = plan.quarantines ? Self.quarantine : .zero
        if plan.engine == .keepsProgress {
            capabilities.keepsProgress = true
            capabilities.isTransactional = true
            capabilities.maximumBatchesInFlight = 2
            capabilities.hasFence = true
        }
        self.capabilities = capabilities
        var made: [ContentOperation] = []
        for _ in 0..<plan.operations {
            let number = Int.random(in: 0..<plan.documents, using: &random)
            let id = DocumentID(stringLiteral: "document-\(number)")
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6: made.append(.remove(id))
            case 6..<9: made.append(.add(Document(id: id, json: Array("{}".utf8))))
            default: made.append(.update(Document(id: id, json: Array("{}".utf8))))
            }
        }
        operations = made
        for number in 0..<plan.documents where Bool.random(using: &random) {
            engine.put(DocumentID(stringLiteral: "document-\(number)"))
        }
        core = FeederCore(
            configuration: configuration,
            capabilities: capabilities,
            job: JobID(rawValue: "SIMULATION"),
            epoch: 1,
            isJournaled: plan.engine == .journaled,
            seed: random.next()
        )
    }

    /// Runs to the end of the feed, and until the last late copy has had its effect.
    mutating func runToEnd() {
        deliver(.timer)
        while end == nil, violations.isEmpty {
            guard let next = nextHappening() else {
                violations.append("nothing will happen any more, and the feed is not finished")
                return
            }
            happen(next)
            if eventCount > 200_000 { violations.append("the feed does not come to an end") }
            if isToBeTakenUp {
                if end != .stopped(.interrupted) { surrenderCount += 1 }
                end = nil
                startAgain()
            } else if Int.random(in: 0..<1000, using: &random) < plan.stops {
                schedule(.deliver(.stop(.interrupted)), after: .zero)
            }
            if plan.engine != .plain, Int.random(in: 0..<1000, using: &random) < plan.crashes { crash() }
        }
        while let next = nextHappening() {
            if case .zombie(let item) = next { _ = engine.apply(item) }
        }
        checkEnd()
    }

    private var isToBeTakenUp: Bool {
        switch end {
        case .stopped(.interrupted), .stopped(.gaveUp): true
        default: false
        }
    }

    mutating func schedule(_ what: Happening, after delay: Duration) {
        order += 1
        agenda.append(Appointment(at: now + delay, order: order, run: run, what: what))
    }

    mutating func nextHappening() -> Happening? {
        while let index = agenda.indices.min(by: { agenda[$0].rank < agenda[$1].rank }) {
            let next = agenda.remove(at: index)
            // Events for a crashed run are lost, except for batches on their way to the engine.
            if next.run != run, case .zombie = next.what {} else if next.run != run { continue }
            now = max(now, next.at)
            return next.what
        }
        return nil
    }

    mutating func happen(_ what: Happening) {
        switch what {
        case .deliver(let event): deliver(event)
        case .zombie(let item): _ = engine.apply(item)
        case .commit(let transaction): commit(transaction)
        case .transact(let batch): transact(batch)
        }
        for id in engine.overtaken { violations.append("operation \(id) took effect after a later one") }
    }

    private mutating func commit(_ transaction: JournalTransaction) {
        let crash = nextCrash()
        if crash == nil || crash == .after { record(transaction) }
        if crash == nil || crash == .lied { deliver(.recorded(transaction.id)) }
        if crash != nil { crashNow() }
    }

    /// For an engine that keeps progress, a batch is the journal's transaction as well.
    private mutating func transact(_ batch: ContentBatch) {
        let crash = nextCrash()
        let results = crash == .before ? [] : engine.applyWithProgress(batch)
        if crash == nil { deliver(.reply(batch.id, .results(results))) } else { crashNow() }
    }

    /// Counts a call of the journal; returns the kind of crash in which it ends, if any.
    private mutating func nextCrash() -> JournalCrash.Moment? {
        journalCalls += 1
        return plan.journalCrash.flatMap { $0.happens(at: journalCalls) ? $0.moment : nil }
    }

    private mutating func crashNow() {
        guard end == nil else { return }
        crashCount += 1
        startAgain()
    }

    mutating func record(_ transaction: JournalTransaction) {
        if journal == nil { journal = JournalState(transaction) } else { journal?.apply(transaction) }
    }

    mutating func deliver(_ event: FeederCore.Event) {
        eventCount += 1
        if case .reply(let batch, _) = event {
            for document in inFlight.removeValue(forKey: batch) ?? [] { inFlightDocuments[document] = nil }
        }
        let commands = core.handle(event, at: FeedInstant(sinceStart: now - runStart))
        for command in commands { execute(command) }
        checkInvariants()
        if plan.usesBarriers, end == nil, Int.random(in: 0..<50, using: &random) == 0 { addBarrier() }
    }

    mutating func addBarrier() {
        lastBarrier += 1
        let barrier = BarrierID(rawValue: lastBarrier)
        openBarriers[barrier] = acceptedIDs.max() ?? OperationID(rawValue: 0)
        schedule(.deliver(.barrier(barrier, Bool.random(using: &random) ? .live : .secured)), after: .zero)
    }

    mutating func execute(_ command: FeederCore.Command) {
        switch command {
        case .read: read()
        case .send(let batch): send(batch)
        case .record(let transaction): schedule(.commit(transaction), after: .milliseconds(1))
        case .raise: schedule(.deliver(.raised(nil)), after: .milliseconds(5))
        case .wake(let instant):
            // Only the last request counts: a timer that was requested earlier never fires.
            agenda.removeAll { if case .deliver(.timer) = $0.what { $0.run == run } else { false } }
            schedule(.deliver(.timer), after: instant - FeedInstant(sinceStart: now - runStart))
        case .tell(.accepted(let first, let operations)):
            for offset in operations.indices.map({ $0 - operations.startIndex }) {
                let id = OperationID(rawValue: first.rawValue + UInt64(offset))
                acceptedIDs.insert(id)
                acceptedAt[id] = now
            }
        case .tell(.settled(let outcomes)): announce(outcomes)
        case .reached(let barrier, _): checkReached(barrier)
        case .finish(let end): self.end = end
        case .tell: break
        }
    }

    mutating func read() {
        guard readIndex < operations.count else { return schedule(.deliver(.inputEnded), after: .zero) }
        let upper = min(operations.count, readIndex + Int.random(in: 1...30, using: &random))
        let chunk = OperationChunk(
            operations: Array(operations[readIndex..<upper]),
            end: InputOffset(source: 0, byte: UInt64(upper)),
            input: InputTally(lines: upper - readIndex)
        )
        readIndex = upper
        let isSlow = plan.isInputSlow || Int.random(in: 0..<4, using: &random) == 0
        let pause = isSlow ? 300 : 1
        schedule(.deliver(.input(chunk)), after: .milliseconds(pause))
    }

    mutating func announce(_ outcomes: [OperationOutcome]) {
        for outcome in outcomes {
            // A failure that no later batch has sent to the engine is lost in a crash, so the operation is retried.
            let before = announced.updateValue(outcome, forKey: outcome.operationID)
            if let before, plan.engine != .keepsProgress || before.outcome != .failed {
                violations.append("operation \(outcome.operationID) was announced twice")
            }
            // There are no other clients: a document was removed by an operation that is reported as `removed` or
            // `gone`, in this run or before a crash.
            if outcome.outcome == .missing, outcome.kind == .remove,
                engine.effective.contains(outcome.operationID)
            {
                violations.append("operation \(outcome.operationID) removed its document and is called missing")
            }
        }
    }

    mutating func send(_ batch: ContentBatch) {
        if batch.items.count > configuration.batchCount ?? (8 * capabilities.suitableBatchCount) {
            violations.append("a batch is too long")
        }
        if batch.items.count > 1, batch.byteCount > configuration.batchBytes ?? (8 << 20) {
            violations.append("a batch is too large")
        }
        for item in batch.items {
            let document = item.operation.documentID
            if inFlightDocuments.updateValue(batch.id, forKey: document) != nil {
                violations.append("two operations on \(document) are in flight")
            }
        }
        checkDeadlines(of: batch)
        checkProbe(batch)
        inFlight[batch.id] = batch.items.map(\.operation.documentID)
        if isInOutage { return fail(batch) }
        guard Int.random(in: 0..<100, using: &random) < plan.trouble else { return answer(batch) }
        if plan.engine == .keepsProgress {
            transactionalTrouble(batch)
        } else {
            trouble(batch)
        }
    }

    mutating func answer(_ batch: ContentBatch) {
        let delay = Duration.milliseconds(Int.random(in: 1...50, using: &random))
        if plan.engine == .keepsProgress { return schedule(.transact(batch), after: delay) }
        let results = batch.items.map { engine.apply($0) }
        schedule(.deliver(.reply(batch.id, .results(results))), after: delay)
    }
}
