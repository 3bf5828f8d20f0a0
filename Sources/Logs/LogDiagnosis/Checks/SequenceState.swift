import ULSLog
import YAML

/// A search for events that follow one another within one group.
///
/// For each step, only the newest chain that reached it is kept, because later events fit best with a later beginning.
struct SequenceState: CheckState {
    private struct Chain {
        var start: LogTime
        var server: String?
        var sightings: [Sighting]
    }

    private struct Group {
        /// The newest chain that has reached each step except the last.
        var chains: [Chain?]
        /// A later step whose beginning was not seen.
        var beheaded: Chain?
        var last: Int64
        /// The position in order of appearance.
        var born: Int
    }

    private let steps: [Int]
    private let breakers: [Int]
    private let grouping: Grouping
    private let within: Int64
    private var groups: [GroupKey: Group] = [:]
    /// Completed groups: each counts once.
    private var completed: Set<GroupKey> = []
    /// Room for completed groups.
    private let budget: DistinctBudget
    /// Whether completed groups were not counted, because they may have been already.
    private var hasLostCompleted = false
    private var born = 0
    private var tally = Tally()
    /// The earliest later step without its beginning for each server, from groups that were forgotten.
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

    /// Adds an event to the chains; returns the one that has reached the last step, if there is one.
    private func completedChain(_ group: inout Group, _ match: borrowing MatchedEvent) -> Chain? {
        let time = match.event.time
        // Go from the last step down, so that an event counts as one step only.
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

    /// Forgets groups when there are too many: those whose time is over, and the oldest quarter.
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
    /// Milliseconds by which a row may be older than one above it, as happens with rows of several threads.
    static let clockStep: Int64 = 2000

    func result(_ extent: LogExtent, _ edges: RequestEdges) -> CheckResult {
        var result = CheckResult(.unknown)
        result.tally = tally
        result.count = tally.count
        result.isAtLeast = hasLostCompleted || hasLostGroups
        // If some are not known, all events that meet the selectors count as evidence, not as something new.
        result.groups = hasLostCompleted ? nil : completed
        result.grouping = grouping
        guard extent.isGiven else { return result }
        if tally.count > 0 {
            result.truth = .yes
        } else if !extent.isComplete || hasLostGroups || groups.contains(where: { isCut($0, $1, extent, edges) })
            || beheaded.values.contains(where: { isBeheaded($0.chain, $0.key, extent, edges) })
        {
            result.truth = .unknown
        } else {
            result.truth = .no
        }
        return result
    }

    private func isBeheaded(_ later: Chain, _ key: GroupKey, _ extent: LogExtent, _ edges: RequestEdges) -> Bool {
        !edges.hasBegun(key) && extent.mayBeCut(before: later.start, by: within, of: later.server)
    }

    /// Returns whether the missing steps may have been written where nothing was read.
    private func isCut(_ key: GroupKey, _ group: Group, _ extent: LogExtent, _ edges: RequestEdges) -> Bool {
        if let later = group.beheaded, isBeheaded(later, key, extent, edges) { return true }
        guard !edges.hasEnded(key) else { return false }
        // A sequence that has only begun is a plain no, or every log of a busy farm would be undecided.
        return group.chains.dropFirst().contains { chain in
            chain.map { extent.mayBeCut(behind: $0.start, by: within, of: $0.server) } ?? false
        }
    }
}
