import ULSLog
import YAML

/// Counts events, or different values, of all of the input or of each group.
struct CountState: CheckState {
    private struct Group {
        var count = 0
        var values: Set<String> = []
        /// The newest instants, as many as are needed, the oldest at `next`.
        var instants: [Int64] = []
        var next = 0
        var isSatisfied = false
        var last = Int64.min
        /// Events before it is satisfied, some of them.
        var pending: [Sighting] = []
    }

    private let definition: CountDefinition
    private let selector: Int
    private let grouping: Grouping?
    private var all = Group()
    private var groups: [GroupKey: Group] = [:]
    private var satisfied: Set<GroupKey> = []
    private var tally = Tally()
    /// Values of satisfied groups, or of all.
    private var values = 0
    private var hasLostGroups = false
    private(set) var reached: [DiagnosisLimit: Int] = [:]

    /// Events of a group that is not satisfied yet of which the text is kept.
    private static let maximumPending = 3

    init(_ definition: CountDefinition, selector: Int) {
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
        var group = groups.removeValue(forKey: key) ?? Group()
        if group.count == 0 { makeRoom() }
        count(match, &group)
        if group.isSatisfied { satisfied.insert(key) }
        groups[key] = group
    }

    /// Counts an event in its group.
    private mutating func count(_ match: borrowing MatchedEvent, _ group: inout Group) {
        group.last = match.event.time.instant
        if let distinct = definition.distinct?.value {
            guard let value = Self.value(distinct, of: match) else { return }
            guard group.values.count < DiagnosisLimit.distinctValues.maximum else {
                reached[.distinctValues, default: 0] += 1
                return
            }
            guard group.values.insert(value).inserted else { return }
        }
        group.count += 1
        let wasSatisfied = group.isSatisfied
        if !wasSatisfied { group.isSatisfied = isEnough(&group, match) }
        if group.isSatisfied || definition.gte == nil {
            for sighting in group.pending { tally.add([sighting]) }
            group.pending = []
            tally.add(match)
            values += wasSatisfied ? 1 : group.count
        } else if group.pending.count < Self.maximumPending {
            group.pending.append(Sighting(match))
        }
    }

    /// Whether the newest event fills the bound.
    private func isEnough(_ group: inout Group, _ match: borrowing MatchedEvent) -> Bool {
        guard let bound = definition.gte else { return false }
        guard let within = definition.within, bound > 1 else { return group.count >= bound }
        let instant = match.event.time.instant
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

    private static func value(_ distinct: String, of match: borrowing MatchedEvent) -> String? {
        switch distinct {
        case "correlation": "\(match.groups.correlation)"
        case "request": "\(match.groups.request)"
        case "server": match.event.server
        default: match.capture(distinct)
        }
    }

    /// Forgets old groups when there are too many.
    private mutating func makeRoom() {
        guard groups.count >= DiagnosisLimit.groups.maximum else { return }
        let byAge = groups.sorted { $0.value.last < $1.value.last }
        for (key, group) in byAge.prefix(groups.count / 4) {
            if !group.isSatisfied {
                hasLostGroups = true
                reached[.groups, default: 0] += 1
            }
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
        if let grouping {
            result.groups = satisfied
            result.grouping = grouping
        }
        return result
    }

    /// For bounds from above: more may be in what was not read.
    private func bounded(_ extent: LogExtent) -> Ternary {
        let count = all.count
        if let most = definition.lte ?? definition.eq, count > most { return .no }
        guard extent.isComplete else { return .unknown }
        return Ternary(count >= definition.gte ?? definition.eq ?? 0)
    }
}
