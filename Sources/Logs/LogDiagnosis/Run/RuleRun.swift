import ULSLog

/// One rule while events come.
struct RuleRun {
    /// An event that waits until it is known whether it is evidence of a finding that supersedes the rule.
    private struct Held {
        var match: MatchedEvent
        /// Selectors of superseding rules that the event meets.
        var claims: [RuleMatch]
    }

    let rule: Rule
    /// The numbers of the rules that supersede it.
    let superseders: [Int]
    private var states: [[String]: RuleState] = [:]
    private var held: [Held] = []
    private(set) var reached: [DiagnosisLimit: Int] = [:]
    /// Whether there were more values of `per` captures than are told apart.
    private var hasDropped = false

    /// Values of `per` captures that are told apart.
    private static let maximumValues = 200
    /// Bytes of a message that are kept while the event waits.
    private static let maximumHeldMessage = 2048

    init(_ rule: Rule, superseders: [Int]) {
        self.rule = rule
        self.superseders = superseders
    }

    /// Whether so many events wait that they must be settled.
    var isFull: Bool { held.count >= DiagnosisLimit.supersededEvents.maximum }

    /// Takes an event; `matches` are the selectors of all rules that it meets.
    mutating func take(_ match: consuming MatchedEvent, _ matches: [RuleMatch]) {
        guard !superseders.isEmpty else { return count(match) }
        // All of them wait, so that they are counted in their order.
        let claims = matches.filter { superseders.contains($0.rule) }
        _ = match.event.truncateMessage(to: Self.maximumHeldMessage)
        held.append(Held(match: match, claims: claims))
    }

    /// Counts the events that wait, but for those that are evidence of a superseding rule.
    mutating func settle(_ outcome: (Int) -> RuleOutcome) {
        guard !held.isEmpty else { return }
        let outcomes = superseders.reduce(into: [:]) { $0[$1] = outcome($1) }
        let waiting = held
        held = []
        for one in waiting {
            let isTaken = one.claims.contains { claim in
                outcomes[claim.rule]?.isEvidence(claim, one.match.groups) ?? false
            }
            if !isTaken { count(one.match) }
        }
    }

    /// Says that events had to be settled before the end.
    mutating func noteEarlySettlement() { reached[.supersededEvents, default: 0] += 1 }

    private mutating func count(_ match: borrowing MatchedEvent) {
        let values = rule.per.map { match.capture($0) ?? "" }
        if states[values] == nil, states.count >= Self.maximumValues {
            reached[.distinctValues, default: 0] += 1
            hasDropped = true
            return
        }
        states[values, default: RuleState(rule)].take(match)
    }

    /// What the rule comes to.
    func outcome(_ circumstances: Circumstances) -> RuleOutcome {
        let seen = states.isEmpty ? [rule.per.map { _ in "" }: RuleState(rule)] : states
        let judgements = seen.map { values, state in
            (values: values, judgement: RuleJudgement(rule, state, circumstances))
        }
        let inOrder = judgements.sorted { $0.values.lexicographicallyPrecedes($1.values) }
        return RuleOutcome(inOrder, rule, hasDropped: hasDropped, circumstances)
    }

    /// How often limits were reached.
    var limits: [DiagnosisLimit: Int] {
        states.values.reduce(into: reached) { $0.merge($1.reached, uniquingKeysWith: +) }
    }
}
