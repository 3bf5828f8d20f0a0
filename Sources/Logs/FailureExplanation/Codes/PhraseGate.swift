/// Says in one pass that a text holds no phrase: for the millions of rows that have none.
///
/// Compiling the phrases into a set of patterns costs fifty milliseconds; this takes a fraction of one. It looks for the
/// first three words of each phrase, where a word is a run of ASCII letters and digits, so that white space, apostrophes
/// and accents don't matter.
struct PhraseGate: Sendable {
    static let builtIn = PhraseGate(PhraseTable.builtIn.phrases.compactMap(\.parts.first))

    private static let words = 3
    private static let empty: UInt64 = 0xCBF2_9CE4_8422_2325

    private var starts: Set<UInt64> = []
    /// A bit for the lowest 16 bits of each start; most texts get no further.
    private var bits = [UInt64](repeating: 0, count: 1024)

    init(_ beginnings: [[UInt8]]) {
        for beginning in beginnings {
            let runs = beginning.split { !$0.isPlain }.prefix(Self.words)
            let start = runs.map(Self.hash).reduce(0, Self.joined)
            starts.insert(start)
            bits[Int(start & 0xFFFF) >> 6] |= 1 << (start & 63)
        }
    }

    /// `false` is certain; `true` says that the first words of a phrase are there.
    func mayHold(_ text: Span<UInt8>) -> Bool {
        var before: UInt64 = 0
        var last: UInt64 = 0
        var hash = Self.empty
        for position in 0...text.count {
            let byte = position < text.count ? text[position] : 0
            if byte.isPlain {
                hash = (hash ^ UInt64(byte | 0x20)) &* 0x100_0000_01B3
            } else if hash != Self.empty {
                let pair = Self.joined(Self.joined(0, last), hash)
                let three = Self.joined(Self.joined(Self.joined(0, before), last), hash)
                if isStart(Self.joined(0, hash)) || isStart(pair) || isStart(three) { return true }
                (before, last, hash) = (last, hash, Self.empty)
            }
        }
        return false
    }

    private func isStart(_ hash: UInt64) -> Bool {
        bits[Int(hash & 0xFFFF) >> 6] & (1 << (hash & 63)) != 0 && starts.contains(hash)
    }

    private static func hash(_ run: ArraySlice<UInt8>) -> UInt64 {
        run.reduce(empty) { ($0 ^ UInt64($1 | 0x20)) &* 0x100_0000_01B3 }
    }

    private static func joined(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let mixed = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        return mixed ^ (mixed >> 29)
    }
}

extension FailureCodes {
    /// Tells whether a text may hold one of the phrases: `false` is certain.
    ///
    /// It takes two to four nanoseconds for each byte, and a millisecond the first time.
    public static func mayHavePhrase(_ text: Span<UInt8>) -> Bool { PhraseGate.builtIn.mayHold(text) }
}

extension UInt8 {
    /// A letter or digit of ASCII.
    fileprivate var isPlain: Bool { self &- 0x30 <= 9 || (self | 0x20) &- 0x61 <= 25 }
}
