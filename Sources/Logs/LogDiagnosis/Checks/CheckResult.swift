/// What a check came to.
struct CheckResult: Sendable {
    var truth: Ternary
    /// How many events, groups or values were counted.
    var count = 0
    var tally = Tally()
    /// Elements of web.config that make it true.
    var config: [ConfigEvidence] = []
    /// Groups of which the events are evidence; `nil`: all events of its selectors are.
    var groups: Set<GroupKey>?
    /// How it is grouped, for ``groups``.
    var grouping = Grouping.request

    init(_ truth: Ternary) { self.truth = truth }

    /// Whether an event of its selectors is evidence.
    func isEvidence(_ event: EventGroups) -> Bool {
        guard truth == .yes else { return false }
        return groups?.contains(event[grouping]) ?? true
    }
}

/// A check on logs while events come.
protocol CheckState {
    /// Takes the next event that meets one of its rule's selectors.
    mutating func take(_ match: borrowing MatchedEvent)

    /// What it comes to when no more events come.
    func result(_ extent: LogExtent, _ edges: RequestEdges) -> CheckResult

    /// How often a limit was reached.
    var reached: [DiagnosisLimit: Int] { get }
}
