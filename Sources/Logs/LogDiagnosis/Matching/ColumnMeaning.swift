import ULSLog

/// Facts that follow from an event's area, category, event ID, and level.
struct ColumnMeaning: Hashable, Sendable {
    /// The cases that the event may meet, in order.
    var candidates: [Int]
    var rank: Int
    /// What decides whether the event is a problem.
    var problem: Problem
    /// Whether any case examines the message.
    var looksAtMessage: Bool
    /// Whether every case needs a pattern in the message.
    var needsPattern: Bool

    enum Problem: Hashable, Sendable {
        /// It is noise.
        case never
        /// It is one: Monitorable or worse, or of no level at all, which nobody quotes without a reason.
        case byLevel
        /// It is one if its message shows signs of failure.
        case byMessage
    }

    init(_ columns: EventColumns, _ selectors: CompiledSelectors) {
        candidates = selectors.candidates(columns)
        rank = columns.rank
        let isNoise = candidates.contains { selectors.cases[$0].makesNoise }
        problem = isNoise ? .never : rank <= 3 || columns.isBare ? .byLevel : .byMessage
        needsPattern = candidates.allSatisfy { number in
            selectors.cases[number].messages.contains { $0.needsPattern }
        }
        looksAtMessage = candidates.contains { !selectors.cases[$0].messages.isEmpty }
    }
}

/// Columns that a row shares with thousands of others, so that decisions about them are made once.
struct EventColumns: Hashable, Sendable {
    var area: [UInt8]
    var category: [UInt8]
    var eventID: [UInt8]
    var level: [UInt8]

    /// Whether the row has no level: a message alone, or an event that somebody quotes by its ID.
    ///
    /// Logs always have one; and nobody pastes an event because all is well.
    var isBare: Bool { level.isEmpty }

    /// Whether somebody copied no more of the row than its message, and perhaps its level.
    var isExcerpt: Bool { eventID.isEmpty && category.isEmpty }

    var rank: Int { ULSLevel(level.span.text).rank }

    init(area: Span<UInt8>, category: Span<UInt8>, eventID: Span<UInt8>, level: Span<UInt8>) {
        self.area = area.array
        self.category = category.array
        self.eventID = eventID.array
        self.level = level.array
    }

    init(_ event: borrowing ULSEvent) {
        self.init(
            area: event[.area],
            category: event[.category],
            eventID: event[.eventID],
            level: event[.level]
        )
    }
}

/// The meaning of columns, for one thread.
final class ColumnKnowledge {
    let meaning: ColumnMeaning
    let scan: MessageScan
    /// Whether only sentences with one of the usual words are signs of failure.
    let isMild: Bool
    let needsPattern: Bool
    let hasCandidates: Bool
    /// Whether signs of failure matter.
    let mayBeProblem: Bool
    /// What nearly all messages do not pass; `nil` if all must be looked at.
    let gate: MessageGate?
    let passage: Passage

    init(_ meaning: ColumnMeaning, _ scan: MessageScan, _ gate: MessageGate? = nil, isPaste: Bool) {
        self.meaning = meaning
        needsPattern = meaning.needsPattern
        hasCandidates = !meaning.candidates.isEmpty
        mayBeProblem = meaning.problem != .never
        let isMilder = ProblemScan.isMild(meaning.rank)
        isMild = meaning.problem == .byMessage && isMilder && !isPaste
        self.scan = scan
        self.gate = gate
        passage = Passage(
            gate: gate == nil ? .open : isMilder ? .mild : .severe,
            needsAllSigns: isMilder && meaning.problem == .byLevel,
            isEnd: needsPattern && !scan.hasNamed,
            countsByMessage: meaning.problem == .byMessage
        )
    }
}

/// How messages of some columns pass the gate.
///
/// Without references, because it is looked up for each row, and counting references takes as long as the gate.
struct Passage {
    enum Gate {
        /// All messages pass.
        case open
        /// The gate of rows milder than High, or of the others.
        case mild, severe
    }

    let gate: Gate
    /// Whether the gate passes over sentences that are signs here.
    let needsAllSigns: Bool
    /// Whether a message that does not pass is of no interest at all.
    let isEnd: Bool
    let countsByMessage: Bool
}
