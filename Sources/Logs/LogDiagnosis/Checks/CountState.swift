import ULSLog
import YAML

/// A count of events or distinct values, in the whole input or in each group.
struct CountState: CheckState {
    private struct Group {
        var count = 0
        var values: Set<ValueHash> = []
        /// The newest instants, as many as are needed, the oldest at `next`; empty if no time window is given.
        var instants: [Int64] = []
        var next = 0
        var newest = Int64.min / 2
        var isSatisfied = false
        var last = Int64.min
        /// The position in order of appearance.
        var born = 0
        /// Some of the events before the group is satisfied.
        var pending: [Sighting] = []
    }

    private let definition: CountDefinition
    private let selector: Int
    private let grouping: Grouping?
    private var all = Group()
    private var groups: [GroupKey: Group] = [:]
    private var satisfied: Set<GroupKey> = []
    /// Whether some satisfied groups are missing from ``satisfied``.
    private var hasForgotten = false
    private var born = 0
    private var tally = Tally()
    /// The count in satisfied groups, or in the whole input.
    private var values = 0
    /// Room for distinct values.
    private let budget: DistinctBudget
    /// Pending sightings that are kept, across all groups.
    private var pendingSightings = 0
    private var hasLostGroups = false
    /// Whether some distinct values were not counted.
    private var hasLostValues = false
    private(set) var reached: [DiagnosisLimit: Int] = [:]

    /// The most events whose text is kept for a group that is not yet satisfied.
    private static let maximumPending = 3
    /// The most such events across all groups.
    private static let maximumSightings = 3000
    /// The most satisfied groups that are remembered.
    private static let maximumSatisfied = 100_000

    init(_ definition: CountDefinition, selector: Int, budget: DistinctBudget = DistinctBudget()) {
        self.budget = budget
        self.definition = definition
        self.selector = selector
        grouping = definition.by
    }

    mutating func take(_ match: borrowing MatchedEvent) {
        guard match.meets(selector) else { return }
        guard let grouping else {
            var group = Group()
            swap(&group, &all)
            count(match, &group)
            swap(&group, &all)
            return
        }
        let key = match.groups[grouping]
        var group = groups.removeValue(forKey: key) ?? newGroup(key, match.event.time)
        count(match, &group)
        if group.isSatisfied, !satisfied.contains(key) {
            if satisfied.count < Self.maximumSatisfied { satisfied.insert(key) } else { hasForgotten = true }
        }
        groups[key] = group
    }

    /// Counts an event in its group.
    private mutating func count(_ match: borrowing MatchedEvent, _ group: inout Group) {
        group.last = match.event.time.instant
        if let distinct = definition.distinct?.value {
            guard let value = Self.value(distinct, of: match) else { return }
            guard !group.values.contains(value) else { return }
            guard budget.take() else {
                reached[.distinctValues, default: 0] += 1
                hasLostValues = true
                if group.isSatisfied { tally.extend(match) } else { hasLostGroups = true }
                return
            }
            group.values.insert(value)
        }
        group.count += 1
        let wasSatisfied = group.isSatisfied
        if !wasSatisfied { group.isSatisfied = isEnough(&group, match) }
        if group.isSatisfied || definition.gte == nil {
            for sighting in group.pending { tally.add([sighting]) }
            pendingSightings -= group.pending.count
            group.pending = []
            tally.add(match)
            // With a time window, only the events within it count.
            values += wasSatisfied ? 1 : group.instants.isEmpty ? group.count : group.instants.count
        } else {
            keep(match, &group)
        }
    }

    /// Keeps an event that may count later, and drops those whose time is over.
    private mutating func keep(_ match: borrowing MatchedEvent, _ group: inout Group) {
        if let within = definition.within {
            let before = group.pending.count
            let instant = match.event.time.instant
            group.pending.removeAll { instant - $0.evidence.time.instant > within.milliseconds }
            pendingSightings -= before - group.pending.count
        }
        guard group.pending.count < Self.maximumPending, pendingSightings < Self.maximumSightings else { return }
        group.pending.append(Sighting(match))
        pendingSightings += 1
    }

    /// Returns whether the newest event reaches the bound.
    private func isEnough(_ group: inout Group, _ match: borrowing MatchedEvent) -> Bool {
        guard let bound = definition.gte else { return false }
        guard let within = definition.within, bound > 1 else { return group.count >= bound }
        let instant = match.event.time.instant
        if match.event.time.hasDate, instant < group.newest - SequenceState.clockStep {
            // The clock was set back, so earlier events are not part of this window.
            group.instants = []
            group.next = 0
        }
        group.newest = instant
        if group.instants.count < bound {
            group.instants.append(instant)
        } else {
            group.instants[group.next] = instant
            group.next = (group.next + 1) % bound
        }
        guard group.instants.count == bound else { return false }
        let oldest = group.instants[group.next % bound]
        return !match.event.time.hasDate || instant - oldest <= within.milliseconds
    }

    private static func value(_ distinct: String, of match: borrowing MatchedEvent) -> ValueHash? {
        switch distinct {
        case "correlation": ValueHash(match.groups.correlation)
        case "request": ValueHash(match.groups.request)
        case "server": match.event.server.map { ValueHash($0) }
        default: match.capture(distinct).map { ValueHash($0) }
        }
    }

    private mutating func newGroup(_ key: GroupKey, _ time: LogTime) -> Group {
        makeRoom(time)
        born += 1
        var group = Group()
        group.born = born
        // The group may have existed before and been forgotten.
        group.isSatisfied = satisfied.contains(key)
        return group
    }

    /// Forgets groups when there are too many: those whose time is over, satisfied ones, and the oldest quarter.
    private mutating func makeRoom(_ time: LogTime) {
        guard groups.count >= DiagnosisLimit.groups.maximum else { return }
        let byAge = groups.sorted { ($0.value.last, $0.value.born) < ($1.value.last, $1.value.born) }
        for (number, (key, group)) in byAge.enumerated() {
            let isOver = definition.within.map { time.hasDate && group.last < time.instant - $0.milliseconds } ?? false
            guard isOver || group.isSatisfied || number < byAge.count / 4 else { continue }
            if !isOver, !group.isSatisfied {
                hasLostGroups = true
                reached[.groups, default: 0] += 1
            }
            budget.giveBack(group.values.count)
            pendingSightings -= group.pending.count
            groups[key] = nil
        }
    }

    func result(_ extent: LogExtent, _ edges: RequestEdges) -> CheckResult {
        var result = CheckResult(.unknown)
        result.tally = tally
        guard extent.isGiven else { return result }
        if let bound = definition.gte, definition.lte == nil {
            let isMet = grouping == nil ? all.isSatisfied || bound == 0 : !satisfied.isEmpty
            result.truth = isMet ? .yes : hasLostGroups || !extent.isComplete ? .unknown : .no
            result.count = values
        } else {
            result.truth = bounded(extent)
            result.count = all.count
        }
        result.isAtLeast = hasLostGroups || hasLostValues || hasForgotten
        if let grouping {
            result.groups = hasForgotten ? nil : satisfied
            result.grouping = grouping
        }
        return result
    }

    /// Judges a bound from above: input that was not read may hold more.
    private func bounded(_ extent: LogExtent) -> Ternary {
        let count = all.count
        if let most = definition.lte ?? definition.eq, count > most { return .no }
        guard extent.isComplete, !extent.hidesRows, !hasLostValues, !hasLostGroups else { return .unknown }
        return Ternary(count >= definition.gte ?? definition.eq ?? 0)
    }
}
