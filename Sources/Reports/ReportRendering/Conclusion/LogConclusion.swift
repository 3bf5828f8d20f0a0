import ULSLog

/// How reading logs ended: the exit code and what is said last, from one place, so that they cannot disagree.
///
/// What was looked for and is not there is an answer, and no failure: the exit code is 0, and the remarks say which times
/// each server's logs cover. Logs without any event are rejected input, unless a window emptied them.
public struct LogConclusion: Sendable {
    public let status: ExitStatus
    /// What happened, in one line.
    public let sentence: String
    /// What else there is to say, a line each, to stand before the sentence.
    public let remarks: [String]

    /// Everything that is said at the end, line by line.
    public var lines: [String] { remarks + [sentence] }

    public init(_ outcome: LogOutcome) {
        var statuses: [ExitStatus] = []
        if !outcome.quality.balances { statuses.append(.unbalanced) }
        if outcome.files.contains(where: \.isIncomplete) { statuses.append(.inputRejected) }
        if outcome.holdsNothing { statuses.append(.inputRejected) }
        status = .first(of: statuses)
        sentence = LogSentence(outcome: outcome).text
        remarks = Self.remarks(on: outcome)
    }

    private static func remarks(on outcome: LogOutcome) -> [String] {
        var lines = outcome.notes
        if !outcome.tellsNotes { lines += ReadNotes.lines(files: outcome.files, quality: outcome.quality) }
        if outcome.incomparable > 0 {
            let rows = Quantity(outcome.incomparable, "row was", "rows were")
            lines.append(
                "\(rows) left out: too little is known of the time to compare it with the window; give --tz [SERVER=]ZONE"
            )
        }
        if !outcome.quality.balances {
            lines.append("the lines do not add up: please report this, it is a defect of this program")
        }
        if let omission = outcome.omission { lines.append(omission) }
        if outcome.events == 0, !outcome.isLimited {
            lines += outcome.coverage.map { CoveragePhrase($0, since: nil, until: nil).phrase.text(TextLayout()) }
        }
        return lines
    }
}

extension LogOutcome {
    /// Whether there is no event in the input at all, and not because of a window.
    var holdsNothing: Bool {
        guard !isLimited, events == 0, quality.records == 0 else { return false }
        return !(hasWindow && files.contains { $0.isSkipped || $0.firstTime != nil })
    }
}
