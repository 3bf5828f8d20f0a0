/// What follows from area, category, event ID and level of an event.
struct ColumnMeaning: Hashable, Sendable {
    /// The cases that it may meet, in order.
    var candidates: [Int]
    var rank: Int
    /// Whether it is a problem that wants an explanation: Monitorable or worse, and no noise.
    var isAbnormal: Bool
    /// Whether some case looks at the message.
    var looksAtMessage: Bool
    /// Whether each case needs a pattern in the message.
    var needsPattern: Bool

    init(_ columns: EventColumns, _ selectors: CompiledSelectors) {
        candidates = selectors.candidates(columns)
        rank = columns.isBare ? 6 : columns.rank
        isAbnormal = rank <= 3 && !Noise.contains(eventID: columns.eventID)
        needsPattern = candidates.allSatisfy { number in
            selectors.cases[number].messages.contains { !$0.patterns.isEmpty }
        }
        looksAtMessage = candidates.contains { !selectors.cases[$0].messages.isEmpty }
    }
}
