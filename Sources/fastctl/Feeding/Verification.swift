import ContentFeeding
import ReportRendering

/// Reads the documents of a feed again at its end: what was removed must be absent, what was fed must be there.
///
/// A class, because the feed's observer fills it and the end of the command asks it.
final class Verification {
    /// What came of it.
    struct Verdict: Sendable {
        /// What is said of it, a line each.
        let lines: [String]
        let status: ExitStatus
    }

    private let kind: ContentOperation.Kind
    private let sampleSize: Int?
    private var spilled: SpilledIDs
    private var sample: Sample<DocumentID>
    private var failure: SpillError?

    /// So many IDs are looked up at once, and of so many bytes.
    private static let pageCount = 1000
    private static let pageBytes = 256 << 10
    /// So many are named; all are counted.
    private static let maximumNamed = 100

    init(
        _ scope: VerificationScope,
        of kind: ContentOperation.Kind,
        in store: HeldOperations.Store,
        seed: UInt64 = .random(in: 0 ... .max)
    ) {
        self.kind = kind
        sampleSize = if case .sample(let size) = scope { size } else { nil }
        spilled = SpilledIDs(in: store)
        sample = Sample(of: sampleSize ?? 0, seed: seed)
    }

    /// Remembers what has settled as it was meant to.
    func note(_ event: FeedEvent) {
        guard case .settled(let outcomes) = event, failure == nil else { return }
        for outcome in outcomes where isToVerify(outcome.outcome) {
            guard sampleSize == nil else {
                sample.offer(outcome.documentID)
                continue
            }
            do throws(SpillError) {
                try spilled.append(outcome.documentID)
            } catch {
                failure = error
                return
            }
        }
    }

    private func isToVerify(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .removed, .missing, .gone: kind == .remove
        case .added, .updated, .noop: kind != .remove
        default: false
        }
    }

    /// Looks them up; of a feed that was stopped nothing is said.
    func verdict(after end: FeedEnd?, _ engine: any SearchableEngine) async -> Verdict {
        guard end == .completed else {
            return Verdict(lines: ["nothing was verified, because the run has not come to its end"], status: .done)
        }
        do {
            if let failure { throw failure }
            var tally = Tally(isRemoval: kind == .remove)
            if sampleSize != nil {
                try await check(sample.items, &tally, engine)
            } else {
                try spilled.finish()
                var reader = SpilledIDs.Reader(spilled)
                while true {
                    let ids = try reader.next(Self.pageCount, ofBytes: Self.pageBytes)
                    if ids.isEmpty { break }
                    try await check(ids, &tally, engine)
                }
            }
            return tally.verdict(of: sampleSize == nil ? spilled.count : sample.offered)
        } catch {
            let failure = CommandFailure(error)
            return Verdict(lines: ["not verified: \(failure.message)"], status: failure.status)
        }
    }

    private func check(_ ids: [DocumentID], _ tally: inout Tally, _ engine: any SearchableEngine) async throws {
        for start in stride(from: 0, to: ids.count, by: Self.pageCount) {
            let page = Array(ids[start..<min(start + Self.pageCount, ids.count)])
            let answers = try await engine.exists(page)
            guard answers.count == page.count else {
                throw EngineError(.unusable, "the engine answered for \(answers.count) of \(page.count) IDs")
            }
            for (id, isThere) in zip(page, answers) { tally.note(id, isThere: isThere) }
        }
    }
}

extension Verification {
    /// Counts what was looked up, and names what is not as it should be.
    private struct Tally {
        let isRemoval: Bool
        private var checked = 0
        private var wrong = 0
        private var named: [String] = []

        init(isRemoval: Bool) { self.isRemoval = isRemoval }

        mutating func note(_ id: DocumentID, isThere: Bool) {
            checked += 1
            guard isThere == isRemoval else { return }
            wrong += 1
            if wrong <= maximumNamed { named.append("'\(id)' is \(isRemoval ? "still there" : "not there")") }
        }

        func verdict(of total: Int) -> Verdict {
            let documents = Quantity(total, "document", "documents")
            let subject = checked == total ? "\(documents)" : "\(checked) of \(documents), by chance,"
            let verb = checked == 1 && total == 1 ? "is" : "are"
            if wrong == 0 {
                return Verdict(
                    lines: ["verified: \(subject) \(verb) \(isRemoval ? "absent" : "there")"],
                    status: .done
                )
            }
            let advice =
                isRemoval
                ? "not removed, or added again by somebody else" : "not written, or removed by somebody else"
            let sentence =
                "not verified: \(wrong) of \(checked) \(isRemoval ? "are still" : "are not") there: \(advice)"
            return Verdict(lines: named + [sentence], status: .documentsFailed)
        }
    }
}
