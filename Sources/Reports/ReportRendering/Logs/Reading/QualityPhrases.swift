import ULSLog

extension ReadNotes {
    /// What matters of the account of the lines, in plain words, with what to do.
    static func phrases(about quality: ReadQuality) -> [Phrase] {
        var phrases: [Phrase] = []
        if quality.notUnderstood > 0 {
            let lines = GroupedNumber.of(quality.lines, "line was", "lines were")
            phrases.append(
                """
                \(GroupedNumber(quality.notUnderstood)) of \(lines) not understood and are in no event: \
                fastctl logs --explain-parse FILE:LINE shows how a line is read
                """
            )
        }
        if quality.orphans > 0 {
            let messages = GroupedNumber.of(quality.orphans, "message begins", "messages begin")
            phrases.append("\(messages) before what was read: give the file before it too")
        }
        if quality.clockSteps > 0 {
            let times = quality.clockSteps == 1 ? "once" : "\(GroupedNumber(quality.clockSteps)) times"
            phrases.append(
                "A server's clock was set back \(times): times around it mislead, the order in each file does not"
            )
        }
        if quality.inferred > 0 {
            let rows = GroupedNumber.of(quality.inferred, "row has", "rows have")
            phrases.append(
                "\(rows) no columns; what they are was inferred and may be wrong: prefer the file to a paste"
            )
        }
        return phrases + quality.limits.map(phrase(about:))
    }

    private static func phrase(about reached: LimitReached) -> Phrase {
        let maximum = GroupedNumber(reached.limit.maximum)
        let times = GroupedNumber(reached.count)
        return switch reached.limit {
        case .rowBytes: "Rows longer than \(ShortByteCount(reached.limit.maximum)) (\(times)) were cut"
        case .messageBytes: "Messages longer than \(ShortByteCount(reached.limit.maximum)) (\(times)) were cut"
        case .openParts:
            "More than \(maximum) split messages were open at a time: \(times) were closed early, narrow the window"
        case .openCorrelations:
            "More than \(maximum) requests were open at a time: \(times) may be counted twice, narrow the window"
        case .columns:
            "More than \(maximum) kinds of events: \(times) are not told apart, narrow with --category or --level"
        case .processes: "More than \(maximum) processes: \(times) are not told apart, narrow with --server"
        case .scopes: "More than \(maximum) different scopes: \(times) are counted together, narrow the window"
        case .gaps: "Only \(maximum) gaps are listed, \(times) more are not: raise --gap"
        case .traceEvents: "A trace has at most \(maximum) events, \(times) more are not shown: narrow the window"
        }
    }
}
