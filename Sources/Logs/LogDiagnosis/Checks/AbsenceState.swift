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
    /// Whether not all groups are in ``missing``.
    private var hasForgotten = false
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
        if let open = waiting[key], open.time.hasDate, time.hasDate,
            time.instant < open.time.instant - SequenceState.clockStep
        {
            // The clock was set back: nobody knows what comes in time.
            waiting[key] = nil
            hasLostGroups = true
        }
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
        guard open.time.hasDate, time.hasDate else { return false }
        return time.instant - open.time.instant > within
    }

    /// What was expected did not come in time.
    private mutating func settle(_ key: GroupKey, _ open: Waiting) {
        waiting[key] = nil
        tally.add([open.sighting])
        if missing.count < DiagnosisLimit.groups.maximum { missing.insert(key) } else { hasForgotten = true }
    }

    /// What waits, the oldest first.
    private var inOrder: [(key: GroupKey, value: Waiting)] {
        waiting.sorted { one, other in
            let (first, second) = (one.value.sighting.evidence.place, other.value.sighting.evidence.place)
            return (one.value.last, first.file, first.line) < (other.value.last, second.file, second.line)
        }
    }

    /// Settles what is over when there are too many, and forgets old ones if that is not enough.
    private mutating func makeRoom(_ time: LogTime) {
        guard waiting.count >= DiagnosisLimit.groups.maximum else { return }
        for (number, (key, open)) in inOrder.enumerated() {
            if isOver(open, at: time) {
                settle(key, open)
            } else if number < DiagnosisLimit.groups.maximum / 4 {
                waiting[key] = nil
                hasLostGroups = true
                reached[.groups, default: 0] += 1
            }
        }
    }

    func result(_ extent: LogExtent, _ edges: RequestEdges) -> CheckResult {
        var result = CheckResult(.unknown)
        result.grouping = grouping
        guard extent.isGiven else { return result }
        var final = self
        var isUndecided = hasLostGroups || !extent.isComplete
        for (key, open) in inOrder {
            if extent.hidesRows || extent.mayBeCut(behind: open.time, by: within, of: open.server) {
                isUndecided = true
            } else {
                final.settle(key, open)
            }
        }
        result.tally = final.tally
        result.count = final.tally.count
        result.groups = final.hasForgotten ? nil : final.missing
        let isMissing = final.tally.count > 0
        // What a filter hides may have come.
        result.truth = isMissing ? (extent.hidesRows ? .unknown : .yes) : isUndecided ? .unknown : .no
        return result
    }
}
