public import ContentFeeding

/// What a feed came to: the exit code, the last sentence and the way on, from one place, so that they cannot disagree.
public struct FeedConclusion: Sendable {
    public let status: ExitStatus
    /// What happened, in one line.
    public let sentence: String
    /// Why it ended early, and what else there is to say of the run; a line each, to stand before the sentence.
    public let remarks: [String]
    /// The line that takes the work up again, to stand last; `nil` when there is nothing left to do.
    public let resumption: String?

    /// Everything that is said at the end, line by line.
    public var lines: [String] { remarks + [sentence] + [resumption].compactMap(\.self) }

    public init(_ report: StatusReport, _ circumstances: FeedCircumstances) {
        let stop: StopReason? = if case .stopped(let reason) = report.end { reason } else { nil }
        var statuses: [ExitStatus] = []
        if !report.counts.isBalanced { statuses.append(.unbalanced) }
        if let stop { statuses.append(ExitStatus(stop)) }
        if stop == nil, report.end == nil || report.counts.open > 0 { statuses.append(.incomplete) }
        if circumstances.outputFailure != nil { statuses.append(.inputOutput) }
        if report.input.rejected > 0 || circumstances.unwritableNames > 0 { statuses.append(.inputRejected) }
        if report.hasDocumentErrors { statuses.append(.documentsFailed) }
        statuses += [circumstances.verification?.status, circumstances.purgeFailure?.status].compactMap(\.self)
        status = .first(of: statuses)
        sentence = FeedSentence(report: report, kind: circumstances.kind).text
        remarks = Self.remarks(on: report, stop, circumstances)
        resumption = Self.isFinished(report) ? nil : circumstances.resumption
    }

    private static func remarks(
        on report: StatusReport,
        _ stop: StopReason?,
        _ circumstances: FeedCircumstances
    ) -> [String] {
        var lines: [String] = []
        if !report.counts.isBalanced {
            lines.append("the counts do not balance: please report this, with the status report (--report FILE)")
        }
        if let failure = circumstances.outputFailure { lines.append(failure) }
        if circumstances.unwritableNames > 0 {
            lines.append(NameEnd.refusal(of: circumstances.unwritableNames))
        }
        if report.counts[.gone] > 0, circumstances.kind == .remove {
            lines.append("'gone' is absent now; whether it was there before, the engine does not say")
        }
        if let failure = circumstances.purgeFailure { lines.append("not purged: \(failure.sentence)") }
        lines += circumstances.verification?.lines(of: circumstances.kind) ?? []
        if let stop { lines.append("stopped: \(stop.explanation)") }
        if !isFinished(report), circumstances.kind == .remove, report.counts[.removed] + report.counts[.gone] > 0 {
            lines.append("what was removed already is missing the next time, hence --missing ignore")
        }
        return lines
    }

    private static func isFinished(_ report: StatusReport) -> Bool {
        report.end == .completed && report.counts.open == 0
    }
}

extension FeedCircumstances {
    /// The line that takes the work up again.
    ///
    /// Until feeds are durable, that is the same command; removals that were done already must not count as errors then.
    public var resumption: String {
        let again = readsStandardInput ? "run it again with the same input" : "run it again"
        guard kind == .remove else { return "\(again): \(commandLine)" }
        let words = commandLine.setting("--missing", to: "ignore")
        return "\(again): \(words)"
    }
}

extension StopReason {
    var explanation: String {
        switch self {
        case .interrupted: "interrupted; what was in flight has come back"
        case .terminated: "asked to end; what was in flight has come back"
        case .gaveUp(let time, ""): "nothing has succeeded for \(RoundDuration(time))"
        case .gaveUp(let time, let last): "nothing has succeeded for \(RoundDuration(time)) (last: \(last))"
        case .deadline(let time): "the \(RoundDuration(time)) of --deadline are over; what was in flight has come back"
        case .halted(let errors, let settled):
            "\(errors) \(errors == 1 ? "document" : "documents") of \(settled) \(errors == 1 ? "has" : "have") an error, "
                + "and --halt says to stop there"
        case .engine(_, let message), .input(let message), .storage(let message): message
        }
    }
}
