import ULSLog
import YAML

/// A count of events or distinct values, in the entire input or in each group.
struct CountState: CheckState {
    private struct Group {
        var count = 0
        var values: Set<ValueHash> = []
        /// The newest instants, as many as needed, with the oldest at `next`; empty if there is no time window.
        var instants: [Int64] = []
        var next = 0
        var newest = Int64.min / 2
        var isSatisfied = false
        var last = Int64.min
        /// The group's position in order of appearance.
        var born = 0
        /// Some of the events seen before the group was satisfied.
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
    /// The count in satisfied groups, or in the entire input.
    private var values = 0
    /// The budget for distinct values.
    private let budget: DistinctBudget
    /// The number of pending events that are kept, across all groups.
    private var pendingSightings = 0
    private var hasLostGroups = false
    /// Whether some distinct values were not counted.
    private var hasLostValues = false
    private(set) var reached: [DiagnosisLimit: Int] = [:]

    /// The maximum number of events whose text is kept for a group that is not yet satisfied.
    private static let maximumPending = 3
    /// The maximum number of pending events across all groups.
    private static let maximumSightings = 3000
    /// The maximum number of satisfied groups that are remembered.
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

    /// Keeps an event that may count later, and drops those outside the time window.
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
            // The clock was set back, so earlier events are outside this window.
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

    /// Forgets groups when there are too many: expired ones, satisfied ones, and the oldest quarter.
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

    func result(_ extent: LogExtent, _ requests: RequestLedger) -> CheckResult {
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

    /// Evaluates an upper bound, for which input that was not read matters: it may contain more events.
    private func bounded(_ extent: LogExtent) -> Ternary {
        let count = all.count
        if let most = definition.lte ?? definition.eq, count > most { return .no }
        guard extent.isComplete, !extent.hidesRows, !hasLostValues, !hasLostGroups else { return .unknown }
        return Ternary(count >= definition.gte ?? definition.eq ?? 0)
    }
}

/// A search for events that follow one another within one group.
///
/// For each step, only the newest chain that reached it is kept, because the latest start leaves the most time for the
/// events that follow.
struct SequenceState: CheckState {
    private struct Chain {
        var start: LogTime
        var server: String?
        var sightings: [Sighting]
    }

    private struct Group {
        /// The newest chain that has reached each step except the last.
        var chains: [Chain?]
        /// A chain that begins with a later step because its actual beginning was not seen.
        var beheaded: Chain?
        var last: Int64
        /// The group's position in order of appearance.
        var born: Int
    }

    private let steps: [Int]
    private let breakers: [Int]
    private let grouping: Grouping
    private let within: Int64
    private var groups: [GroupKey: Group] = [:]
    /// The completed groups; each counts once.
    private var completed: Set<GroupKey> = []
    /// The budget for completed groups.
    private let budget: DistinctBudget
    /// True if some completed groups were not counted because they may already have been counted.
    private var hasLostCompleted = false
    private var born = 0
    private var tally = Tally()
    /// For each server, the earliest chain without its beginning among the forgotten groups.
    private var beheaded: [String?: (key: GroupKey, chain: Chain)] = [:]
    private var hasLostGroups = false
    private(set) var reached: [DiagnosisLimit: Int] = [:]

    init(
        _ definition: SequenceDefinition,
        steps: [Int],
        breakers: [Int],
        budget: DistinctBudget = DistinctBudget()
    ) {
        self.budget = budget
        self.steps = steps
        self.breakers = breakers
        grouping = definition.by
        within = (definition.within ?? .request).milliseconds
    }

    mutating func take(_ match: borrowing MatchedEvent) {
        let key = match.groups[grouping]
        let isStep = steps.contains { match.meets($0) }
        let breaks = breakers.contains { match.meets($0) }
        guard isStep || breaks, !completed.contains(key) else { return }
        guard var group = groups.removeValue(forKey: key) ?? (isStep ? newGroup(match.event.time) : nil) else { return }
        group.last = match.event.time.instant
        if breaks {
            for step in group.chains.indices { group.chains[step] = nil }
            group.beheaded = nil
        }
        if isStep, let chain = completedChain(&group, match) {
            if budget.take() {
                completed.insert(key)
                tally.add(chain.sightings)
            } else {
                hasLostCompleted = true
                reached[.distinctValues, default: 0] += 1
                tally.extend(match)
            }
        } else if group.beheaded != nil || group.chains.contains(where: { $0 != nil }) {
            groups[key] = group
        }
    }

    /// Adds an event to the chains, and returns the chain that has reached the last step, if any.
    private func completedChain(_ group: inout Group, _ match: borrowing MatchedEvent) -> Chain? {
        let time = match.event.time
        // Start with the last step, so that an event counts as only one step.
        for step in steps.indices.reversed() where match.meets(steps[step]) {
            guard step > 0 else {
                group.chains[0] = Chain(start: time, server: match.event.server, sightings: [Sighting(match)])
                continue
            }
            guard var chain = group.chains[step - 1], isWithin(chain.start, time) else {
                if group.beheaded == nil, group.chains[0] == nil {
                    group.beheaded = Chain(start: time, server: match.event.server, sightings: [])
                }
                continue
            }
            chain.sightings.append(Sighting(match))
            if step == steps.count - 1 { return chain }
            group.chains[step] = chain
        }
        return nil
    }

    private func isWithin(_ start: LogTime, _ time: LogTime) -> Bool {
        guard start.hasDate, time.hasDate else { return true }
        return (-Self.clockStep...within).contains(time.instant - start.instant)
    }

    private mutating func newGroup(_ time: LogTime) -> Group {
        makeRoom(time)
        born += 1
        return Group(chains: Array(repeating: nil, count: max(1, steps.count - 1)), last: .min, born: born)
    }

    /// Forgets groups when there are too many: expired ones, and the oldest quarter.
    private mutating func makeRoom(_ time: LogTime) {
        guard groups.count >= DiagnosisLimit.groups.maximum else { return }
        let byAge = groups.sorted { ($0.value.last, $0.value.born) < ($1.value.last, $1.value.born) }
        for (number, (key, group)) in byAge.enumerated() {
            let isOver = time.hasDate && group.last < time.instant - within
            guard isOver || number < byAge.count / 4 else { continue }
            if !isOver, group.chains.dropFirst().contains(where: { $0 != nil }) {
                hasLostGroups = true
                reached[.groups, default: 0] += 1
            }
            if let chain = group.beheaded { remember(chain, key) }
            groups[key] = nil
        }
    }

    private mutating func remember(_ chain: Chain, _ key: GroupKey) {
        if let known = beheaded[chain.server], known.chain.start.instant <= chain.start.instant { return }
        if beheaded.count < Self.maximumServers || beheaded[chain.server] != nil {
            beheaded[chain.server] = (key, chain)
        }
    }

    private static let maximumServers = 1000
    /// The maximum number of milliseconds by which a row may be older than a row above it, as happens with several
    /// threads.
    static let clockStep: Int64 = 2000

    func result(_ extent: LogExtent, _ requests: RequestLedger) -> CheckResult {
        var result = CheckResult(.unknown)
        result.tally = tally
        result.count = tally.count
        result.isAtLeast = hasLostCompleted || hasLostGroups
        // If some groups are unknown, all events that meet the selectors are treated as evidence, so that they are not
        // reported as new.
        result.groups = hasLostCompleted ? nil : completed
        result.grouping = grouping
        guard extent.isGiven else { return result }
        if tally.count > 0 {
            result.truth = .yes
        } else if !extent.isComplete || hasLostGroups || groups.contains(where: { isCut($0, $1, extent, requests) })
            || beheaded.values.contains(where: { isBeheaded($0.chain, $0.key, extent, requests) })
        {
            result.truth = .unknown
        } else {
            result.truth = .no
        }
        return result
    }

    private func isBeheaded(_ later: Chain, _ key: GroupKey, _ extent: LogExtent, _ requests: RequestLedger) -> Bool {
        !requests.hasBegun(key) && extent.mayBeCut(before: later.start, by: within, of: later.server)
    }

    /// Returns whether the missing steps may be in a part of the log that was not read.
    private func isCut(_ key: GroupKey, _ group: Group, _ extent: LogExtent, _ requests: RequestLedger) -> Bool {
        if let later = group.beheaded, isBeheaded(later, key, extent, requests) { return true }
        guard !requests.hasEnded(key) else { return false }
        // A sequence that has only begun counts as not found; otherwise, every log of a busy farm would be undecided.
        return group.chains.dropFirst().contains { chain in
            chain.map { extent.mayBeCut(behind: $0.start, by: within, of: $0.server) } ?? false
        }
    }
}

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
            // The clock was set back, so it is unknown which rows arrived in time.
            waiting[key] = nil
            hasLostGroups = true
        }
        if match.meets(expected) { waiting[key] = nil }
        guard match.meets(after), waiting[key] == nil else { return }
        makeRoom(time)
        waiting[key] = Waiting(time: time, server: match.event.server, sighting: Sighting(match), last: time.instant)
    }

    private func isOver(_ open: Waiting, at time: LogTime) -> Bool {
        guard open.time.hasDate, time.hasDate else { return false }
        return time.instant - open.time.instant > within
    }

    /// Counts a waiting event whose expected event did not arrive in time.
    private mutating func settle(_ key: GroupKey, _ open: Waiting) {
        waiting[key] = nil
        tally.add([open.sighting])
        if missing.count < DiagnosisLimit.groups.maximum { missing.insert(key) } else { hasForgotten = true }
    }

    /// The waiting events, oldest first.
    private var inOrder: [(key: GroupKey, value: Waiting)] {
        waiting.sorted { one, other in
            let (first, second) = (one.value.sighting.evidence.place, other.value.sighting.evidence.place)
            return (one.value.last, first.file, first.line) < (other.value.last, second.file, second.line)
        }
    }

    /// Settles the events whose time has expired if too many are waiting, and forgets the rest of the oldest quarter.
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

    func result(_ extent: LogExtent, _ requests: RequestLedger) -> CheckResult {
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

/// The number of distinct values that the checks of a run may still remember.
///
/// This is a class because all checks of a run share the remaining number.
final class DistinctBudget {
    /// The number of additional values that there is room for.
    private(set) var left: Int

    init(_ maximum: Int = DiagnosisLimit.distinctValues.maximum) { left = maximum }

    /// Reserves room for a value; returns false if there is none.
    func take() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }

    func giveBack(_ count: Int) { left += count }

    /// Restores the remaining number to its value before a trial.
    func restore(_ count: Int) { left = count }
}

/// A 16-byte hash of a value, so that a million values take little memory; in practice, different values never have the
/// same hash.
struct ValueHash: Hashable {
    private let bits: UInt128

    init(_ value: some Hashable) {
        bits = UInt128(Self.half(value, 0)) << 64 | UInt128(Self.half(value, 1))
    }

    private static func half(_ value: some Hashable, _ seed: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(value)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
