import ULSLog

extension LimitReached {
    /// What the limit is, how often it was reached and what that means for the result.
    var sentence: String {
        let times = Quantity(count, "time", "times")
        return "limit reached \(times): \(limit.meaning)"
    }
}

extension LogLimit {
    fileprivate var meaning: String {
        switch self {
        case .rowBytes: "a row has at most \(maximum) bytes, the rest of it was not understood"
        case .messageBytes: "a message has at most \(maximum) bytes, the rest of it was cut"
        case .openParts: "\(maximum) split messages may wait for their next part, the oldest was closed"
        case .openCorrelations: "\(maximum) correlations are counted at a time, one that comes back counts again"
        case .columns: "\(maximum) areas, categories, event IDs and levels are told apart"
        case .processes: "\(maximum) processes are told apart"
        case .scopes: "\(maximum) scopes are told apart, others are counted together"
        case .gaps: "\(maximum) gaps are listed"
        case .traceEvents: "a trace has at most \(maximum) events"
        }
    }
}
