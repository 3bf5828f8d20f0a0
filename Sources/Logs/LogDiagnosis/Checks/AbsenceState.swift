import ULSLog

/// Looks for events that another one does not follow.
struct AbsenceState: CheckState {
    private struct Waiting {
        var time: LogTime
        var server: String?
        var sighting: Sighting
        var last: Int64
    }

    private let after: Int
    private let expected: Int
    private let grouping: Grouping
    private let within: Int64
    private var waiting: [GroupKey: Waiting] = [:]
    private var missing: Set<GroupKey> = []
    private var tally = Tally()
    private var hasLostGroups = false
    private(set) var reached: [DiagnosisLimit: Int] = [:]

    init(_ definition: AbsenceDefinition, after: Int, expected: Int) {
        self.after = after
        self.expected = expected
        grouping = definition.by
        within = definition.within.milliseconds
    }

    mutating func take(_ match: borrowing MatchedEvent) {
        let key = match.groups[grouping]
        let time = match.event.time
        if let open = waiting[key], isOver(open, at: time) { settle(key, open) }
        if match.meets(expected) { waiting[key] = nil }
        guard match.meets(after), waiting[key] == nil else { return }
        makeRoom(time)
        waiting[key] = Waiting(
            time: time,
            server: match.event.server,
            sighting: Sighting(match),
            last: time.instant
        )
    }

    private func isOver(_ open: Waiting, at time: LogTime) -> Bool {
        open.time.hasDate && time.hasDate && time.instant - open.time.instant > within
    }

    /// What was expected did not come in time.
    private mutating func settle(_ key: GroupKey, _ open: Waiting) {
        waiting[key] = nil
        tally.add([open.sighting])
        if missing.count < DiagnosisLimit.groups.maximum { missing.insert(key) }
    }

    /// Settles what is over when there are too many, and forgets old ones if that is not enough.
    private mutating func makeRoom(_ time: LogTime) {
        guard waiting.count >= DiagnosisLimit.groups.maximum else { return }
        let byAge = waiting.sorted { $0.value.last < $1.value.last }
        for (key, open) in byAge where isOver(open, at: time) { settle(key, open) }
        guard waiting.count >= DiagnosisLimit.groups.maximum else { return }
        for (key, _) in byAge.prefix(waiting.count / 4) {
            waiting[key] = nil
            hasLostGroups = true
            reached[.groups, default: 0] += 1
        }
    }

    func result(_ extent: LogExtent, _ edges: RequestEdges) -> CheckResult {
        var result = CheckResult(.unknown)
        result.grouping = grouping
        guard extent.isGiven else { return result }
        var final = self
        var isUndecided = hasLostGroups || !extent.isComplete
        for (key, open) in waiting.sorted(by: {
            $0.value.sighting.evidence.place.line < $1.value.sighting.evidence.place.line
        }) {
            if extent.mayBeCut(behind: open.time, by: within, of: open.server) {
                isUndecided = true
            } else {
                final.settle(key, open)
            }
        }
        result.tally = final.tally
        result.count = final.tally.count
        result.groups = final.missing
        result.truth = final.tally.count > 0 ? .yes : isUndecided ? .unknown : .no
        return result
    }
}
