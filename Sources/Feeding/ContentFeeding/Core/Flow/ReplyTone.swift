/// What a reply says of the engine, whatever it says of the operations.
struct ReplyTone {
    /// Something got its outcome by it.
    private(set) var settles = false
    /// The engine did not do its work, or nobody knows.
    private(set) var failure: DocumentFailure?
    /// The engine has too much to do, and said so.
    private(set) var putOff: DocumentFailure?
    /// The engine did all of it.
    private(set) var isGood = false

    var isPutOff: Bool { putOff != nil }

    init(of reply: BatchReply, to count: Int) {
        switch reply {
        case .results(let results) where results.count == count: read(results)
        case .results: failure = DocumentFailure(.attemptsExhausted, "the engine's answer does not fit the question")
        case .failed(let failed): read(failed, count)
        }
    }

    private mutating func read(_ results: [OperationResult]) {
        for result in results {
            switch result {
            // Whoever finds that a document has changed does its work.
            case .done, .failed, .outdated: settles = true
            case .notNow(let reason): if putOff == nil { putOff = reason }
            case .unknown(let reason): if failure == nil { failure = reason }
            }
        }
        isGood = putOff == nil && failure == nil
    }

    private mutating func read(_ failed: BatchFailure, _ count: Int) {
        switch failed.kind {
        case .definite, .ambiguous: failure = failed.failure
        case .slowDown: putOff = failed.failure
        case .permanent: settles = true
        // The last one of it fails by that.
        case .split, .tooLarge: settles = count == 1
        case .stop: break
        }
    }
}
