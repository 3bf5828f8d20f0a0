import ContentFeeding

/// `WebCollection: 119980 removed, 48 missing, 3 failed of 120031 accepted; 1 line rejected (job 01J…, 3.4 s)`.
struct FeedSentence {
    let report: StatusReport
    let kind: ContentOperation.Kind

    var text: String {
        let job = "(job \(report.job), \(ShortDuration(report.duration)))"
        guard report.counts.accepted > 0 else { return "\(report.collection): \(nothing)\(rejected) \(job)" }
        let parts = outcomes.joined(separator: ", ")
        return "\(report.collection): \(parts) of \(report.counts.accepted) accepted\(rejected) \(job)"
    }

    /// The outcome that was asked for is told even when there is none of it.
    private var outcomes: [String] {
        let counts = report.counts
        var parts = Outcome.allCases.filter { counts[$0] > 0 }.map { "\(counts[$0]) \($0.name)" }
        if parts.isEmpty || (kind == .remove && counts[.removed] == 0 && counts[.gone] == 0) {
            parts.insert("0 \(wanted.name)", at: 0)
        }
        if counts.open > 0 { parts.append("\(counts.open) open") }
        return parts
    }

    private var wanted: Outcome {
        switch kind {
        case .add: .added
        case .update: .updated
        case .remove: .removed
        }
    }

    private var nothing: String {
        let isComplete = report.end == .completed
        let subject = kind == .remove ? "IDs" : "documents"
        if report.input.rejected > 0 { return "nothing accepted" }
        return isComplete ? "nothing to do, the input holds no \(subject)" : "nothing accepted"
    }

    private var rejected: String {
        let count = report.input.rejected
        return count == 0 ? "" : "; \(Quantity(count, "line", "lines")) rejected"
    }
}
