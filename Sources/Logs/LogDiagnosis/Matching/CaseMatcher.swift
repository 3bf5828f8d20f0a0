import ULSLog

/// What a message is to the rules.
private enum MessageFact: Sendable, Equatable {
    /// A case holds for it.
    case match
    /// No case holds for it, and it shows these signs of failure.
    case signs(ProblemSigns)

    static let mere = Self.signs([])
}

/// What a thread remembers from unit to unit.
struct CaseMemory: Sendable {
    /// What messages are, by their columns' number.
    fileprivate var facts = MessageMemo<MessageFact>()
    fileprivate var sketches = SketchMemo()
}

/// A matcher of messages with the cases of a prefilter, which also counts problems that match none.
struct CaseMatcher: MessageMatcher {
    private let prefilter: RulePrefilter
    private let selectors: CompiledSelectors
    private var known: [ColumnKnowledge?] = []
    private var passages: [Passage?] = []
    private var mildGate: MessageGate?
    private var severeGate: MessageGate?
    private let scanners = MessageScanners()
    private let problems = ProblemScan()
    /// What the message just looked at is.
    private var found = MessageFact.mere
    private var memory: CaseMemory
    private var unexplained: ClusterUnit

    init(
        _ prefilter: RulePrefilter,
        _ selectors: CompiledSelectors,
        _ unexplained: ClusterUnit,
        _ memory: consuming CaseMemory
    ) {
        self.prefilter = prefilter
        self.selectors = selectors
        self.unexplained = unexplained
        self.memory = memory
    }

    mutating func matches(_ message: Span<UInt8>, _ number: Int) -> Bool {
        let passage = passage(number)
        // Else this is the message that was just looked at, because it may matter.
        if !passage.countsByMessage { look(message, number, passage) }
        return found == .match
    }

    mutating func matters(_ message: Span<UInt8>, _ number: Int) -> Bool {
        let passage = passage(number)
        look(message, number, passage)
        return switch found {
        case .match: true
        case .signs(let signs): passage.countsByMessage && signs.areProblem
        }
    }

    /// Finds out what a message is.
    private mutating func look(_ message: Span<UInt8>, _ number: Int, _ passage: Passage) {
        let interests = interests(of: message, passage)
        // Nearly all messages end here.
        found = .mere
        if interests.isEmpty, passage.isEnd { return }
        lookClosely(message, number, interests)
    }

    /// Returns what a message may be of interest for.
    private func interests(of message: Span<UInt8>, _ passage: Passage) -> MessageGate.Interests {
        let found =
            switch passage.gate {
            case .open: nil as MessageGate.Interests?
            case .mild: mildGate?.interests(of: message)
            case .severe: severeGate?.interests(of: message)
            }
        return passage.needsAllSigns ? found?.union(.signs) ?? .all : found ?? .all
    }

    // Apart from the first look, which is for each row.
    @inline(never)
    private mutating func lookClosely(_ message: Span<UInt8>, _ number: Int, _ interests: MessageGate.Interests) {
        let key = memory.facts.key(of: message, UInt64(truncatingIfNeeded: number))
        if let known = memory.facts[key] {
            found = known
            return
        }
        let knowledge = knowledge(number)
        if holdsCase(message, knowledge, isClear: !interests.contains(.cases)) {
            found = .match
        } else if knowledge.mayBeProblem, interests.contains(.signs) {
            found = .signs(problems.signs(in: message, isMild: knowledge.isMild))
        }
        memory.facts.note(found, by: key)
    }

    /// Returns whether a case holds for a message; `isClear` if no case without event IDs does.
    private func holdsCase(_ message: Span<UInt8>, _ knowledge: ColumnKnowledge, isClear: Bool) -> Bool {
        guard knowledge.hasCandidates, !isClear || !knowledge.passage.isEnd else { return false }
        if !knowledge.scan.look(message, isClear: isClear), knowledge.needsPattern { return false }
        for candidate in knowledge.meaning.candidates
        where selectors.cases[candidate].holds(message: message, knowledge.scan.hits) {
            return true
        }
        return false
    }

    mutating func count(_ message: Span<UInt8>, _ number: Int, _ record: CountedRecord) -> Bool {
        guard case .signs(let signs) = found else { return false }
        let row = ProblemRow(
            eventID: record.eventID,
            rank: knowledge(number).meaning.rank,
            signs: signs,
            correlation: record.correlation,
            time: record.time,
            server: record.server,
            line: record.line
        )
        return unexplained.count(row, message, &memory.sketches)
    }

    mutating func see(_ event: consuming ULSEvent) { unexplained.see(event) }

    mutating func tally() -> ClusterUnit? {
        prefilter.keep(memory)
        memory = CaseMemory()
        return unexplained
    }

    private mutating func passage(_ number: Int) -> Passage {
        if number < passages.count, let passage = passages[number] { return passage }
        return knowledge(number).passage
    }

    @inline(never)
    private mutating func knowledge(_ number: Int) -> ColumnKnowledge {
        if number < known.count, let knowledge = known[number] { return knowledge }
        while known.count <= number {
            known.append(nil)
            passages.append(nil)
        }
        let knowledge = prefilter.knowledge(number, scanners)
        known[number] = knowledge
        passages[number] = knowledge.passage
        switch knowledge.passage.gate {
        case .open: break
        case .mild: mildGate = knowledge.gate
        case .severe: severeGate = knowledge.gate
        }
        return knowledge
    }
}
