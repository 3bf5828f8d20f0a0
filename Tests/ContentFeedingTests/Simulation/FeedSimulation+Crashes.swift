@testable import ContentFeeding

extension FeedSimulation {
    /// Forgets everything but the journal and the engine, and starts again from there.
    mutating func crash() {
        guard end == nil else { return }
        crashCount += 1
        // A commit that was under way may have become durable; a batch that was under way may have been applied.
        for entry in agenda where entry.run == run && Bool.random(using: &random) {
            switch entry.what {
            case .commit(let transaction): record(transaction)
            case .transact(let batch): _ = engine.applyWithProgress(batch)
            default: break
            }
        }
        startAgain()
    }

    /// A new run with what the journal, or the engine, knows.
    mutating func startAgain() {
        run += 1
        runStart = now
        (inFlight, inFlightDocuments, openBarriers) = ([:], [:], [:])
        let state = plan.engine == .journaled ? journal : engine.storedState
        readIndex = Int(state?.progress.offset.byte ?? 0)
        if state == nil { (announced, acceptedIDs) = ([:], []) }
        core = FeederCore(
            configuration: configuration,
            capabilities: capabilities,
            job: JobID(rawValue: "SIMULATION"),
            isJournaled: plan.engine == .journaled,
            resuming: state,
            seed: random.next()
        )
        deliver(.timer)
    }
}
