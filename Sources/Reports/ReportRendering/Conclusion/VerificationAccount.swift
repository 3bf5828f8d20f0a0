public import ContentFeeding

/// What came of reading a feed's documents again at its end (`--verify`).
public enum VerificationAccount: Hashable, Sendable {
    /// The run was stopped, so nothing was looked up.
    case notRun
    /// Not everything could be looked up; why, and what to do next.
    case brokenOff(ExitStatus, reason: String)
    case done(Tally)

    /// How many documents were looked up, and which are not as they should be.
    public struct Tally: Hashable, Sendable {
        /// Those that settled as they were meant to.
        public var documents = 0
        /// Those that were looked up: all, or a sample.
        public var checked = 0
        /// Those of them that are there and should be absent, or the other way round.
        public var wrong = 0
        /// The first of the wrong ones.
        public var named: [DocumentID] = []

        public init() {}
    }

    /// What it adds to the exit code.
    var status: ExitStatus? {
        switch self {
        case .notRun: nil
        case .brokenOff(let status, _): status
        case .done(let tally): tally.wrong > 0 ? .documentsFailed : nil
        }
    }

    /// What is said of it, a line each.
    func lines(of kind: ContentOperation.Kind) -> [String] {
        switch self {
        case .notRun: ["nothing was verified, because the run has not come to its end"]
        case .brokenOff(_, let reason): ["not verified: \(reason)"]
        case .done(let tally): tally.lines(isRemoval: kind == .remove)
        }
    }
}

extension VerificationAccount.Tally {
    fileprivate func lines(isRemoval: Bool) -> [String] {
        let verb = checked == 1 ? "is" : "are"
        guard wrong > 0 else {
            if documents == 0 { return ["nothing to verify: no document settled as it was meant to"] }
            let all = Quantity(documents, "document", "documents")
            let subject = checked == documents ? "\(all)" : "\(checked) of \(all), by chance,"
            return ["verified: \(subject) \(verb) \(isRemoval ? "absent" : "there")"]
        }
        let place = isRemoval ? "still there" : "not there"
        let advice =
            isRemoval ? "not removed, or added again by somebody else" : "not written, or removed by somebody else"
        return named.map { "'\($0)' is \(place)" }
            + ["not verified: \(wrong) of \(checked) \(wrong == 1 ? "is" : "are") \(place): \(advice)"]
    }
}
