import ULSLog

/// A search for events that are not followed by an expected one.
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
    /// Whether some groups are not in ``missing``.
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
            // The clock was set back, so nobody knows what comes in time.
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

    /// Counts a waiting event whose expected event did not come in time.
    private mutating func settle(_ key: GroupKey, _ open: Waiting) {
        waiting[key] = nil
        tally.add([open.sighting])
        if missing.count < DiagnosisLimit.groups.maximum { missing.insert(key) } else { hasForgotten = true }
    }

    /// Waiting events, oldest first.
    private var inOrder: [(key: GroupKey, value: Waiting)] {
        waiting.sorted { one, other in
            let (first, second) = (one.value.sighting.evidence.place, other.value.sighting.evidence.place)
            return (one.value.last, first.file, first.line) < (other.value.last, second.file, second.line)
        }
    }

    /// Settles events whose time is over when too many wait, and forgets others among the oldest quarter.
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
        result.isAtLeast = final.hasLostGroups
        result.groups = final.hasForgotten ? nil : final.missing
        let isMissing = final.tally.count > 0
        // The expected event may be hidden by a filter.
        result.truth = isMissing ? (extent.hidesRows ? .unknown : .yes) : isUndecided ? .unknown : .no
        return result
    }
}
