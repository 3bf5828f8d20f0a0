/// Which patterns stand in the message at hand.
struct PatternHits {
    /// For each pattern, the number of the last message it was in.
    private var seen: [UInt64]
    private var message: UInt64 = 0

    init(count: Int) { seen = Array(repeating: 0, count: count) }

    mutating func begin() { message += 1 }
    mutating func add(_ pattern: Int) { seen[pattern] = message }
    func contains(_ pattern: Int) -> Bool { seen[pattern] == message }
}
