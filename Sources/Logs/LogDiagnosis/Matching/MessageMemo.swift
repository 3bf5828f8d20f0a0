import ULSLog

/// What was found out about messages: failures are logged again and again in the same words.
///
/// Its size is fixed, and a message takes another one's place. It knows messages by their hash, which differs in each
/// process, so no log can be written whose messages are taken for each other.
struct MessageMemo<Fact: Sendable>: Sendable {
    /// By the lowest bits of the key; none before the first fact, and key 0 where nothing is known.
    private var entries: [(key: UInt64, fact: Fact)] = []
    private let seed = HashSeed()

    private static var size: Int { 1 << 13 }

    /// Returns a key for a message and what else the fact depends on.
    func key(of message: Span<UInt8>, _ other: UInt64) -> UInt64 { seed.mixed(seed.hash(of: message), other) }

    /// Returns a key for a message and what else the fact depends on.
    func key(of message: Span<UInt8>, _ other: Span<UInt8>, _ third: UInt64) -> UInt64 {
        key(of: message, seed.mixed(seed.hash(of: other), third))
    }

    /// Returns the fact known by a key.
    subscript(key: UInt64) -> Fact? {
        guard key != 0, !entries.isEmpty else { return nil }
        let entry = entries[Int(key & UInt64(Self.size - 1))]
        return entry.key == key ? entry.fact : nil
    }

    /// Remembers a fact.
    mutating func note(_ fact: Fact, by key: UInt64) {
        if entries.isEmpty { entries = Array(repeating: (0, fact), count: Self.size) }
        entries[Int(key & UInt64(Self.size - 1))] = (key, fact)
    }
}
