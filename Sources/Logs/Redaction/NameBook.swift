/// Names that structure gave away, to be found wherever else they stand.
struct NameBook: Sendable {
    private struct Entry: Sendable {
        /// The name, ASCII letters in lowercase.
        var bytes: [UInt8]
        var nameClass: NameClass
    }

    /// What was found: its class, and where it ends.
    struct Match {
        var nameClass: NameClass
        var end: Int
        /// The whole name, of which the text may have only the beginning.
        var name: [UInt8]
    }

    private var entries: [Entry] = []
    private var known: Set<[UInt8]> = []
    /// Entries by the digest of their first word, the longest first, and by that of their first bytes.
    private var byFirstWord: [UInt64: [Int]] = [:]
    private var byBeginning: [UInt64: [Int]] = [:]
    /// A bit for each first word: nearly all words are none, and need no look-up.
    private var filter = [UInt64](repeating: 0, count: filterWords)

    private static let filterWords = 1024
    private static let maximumEntries = 50_000
    private static let maximumBytes = 128
    /// The most names with the same first word, because each occurrence of it is compared with all of them.
    private static let maximumSiblings = 200
    /// The bytes of a name that give it away where a text is cut.
    static let beginning = 6

    var isEmpty: Bool { entries.isEmpty }

    /// Adds a name, unless it is a common word, or too short to be told from one.
    mutating func learn(_ name: Span<UInt8>, as nameClass: NameClass) {
        guard (3...Self.maximumBytes).contains(name.count), entries.count < Self.maximumEntries else { return }
        let bytes = name.indices.map { name[$0].folded }
        guard bytes.first?.isWord ?? false, bytes.last?.isWord ?? false, bytes.contains(where: { !$0.isDigit }),
            !known.contains(bytes), !name.isGUID(name.indices)
        else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        guard !CommonWords.contains(text), !Pseudonyms.isPseudonym(text) else { return }
        known.insert(bytes)
        let number = entries.count
        entries.append(Entry(bytes: bytes, nameClass: nameClass))
        let wordEnd = bytes.firstIndex { !$0.isWord } ?? bytes.count
        let hash = Self.hash(bytes.span, 0..<wordEnd)
        filter[Int(truncatingIfNeeded: hash >> 6) & (Self.filterWords - 1)] |= 1 << (hash & 63)
        let others = byFirstWord[hash] ?? []
        guard others.count < Self.maximumSiblings else { return }
        let place = others.firstIndex { entries[$0].bytes.count < bytes.count } ?? others.count
        byFirstWord[hash, default: []].insert(number, at: place)
        guard bytes.count > Self.beginning else { return }
        let beginning = Self.hash(bytes.span, 0..<Self.beginning)
        if byBeginning[beginning, default: []].count < Self.maximumSiblings {
            byBeginning[beginning, default: []].append(number)
        }
    }

    /// Returns the longest name that begins with the word at `word` and ends with a word.
    func match(in text: Span<UInt8>, word: Range<Int>, before limit: Int) -> Match? {
        let hash = Self.hash(text, word)
        guard filter[Int(truncatingIfNeeded: hash >> 6) & (Self.filterWords - 1)] & 1 << (hash & 63) != 0,
            let numbers = byFirstWord[hash]
        else { return nil }
        for number in numbers {
            let entry = entries[number]
            let end = word.lowerBound + entry.bytes.count
            guard end <= limit, end == limit || !text[end].isWord,
                Self.stands(entry.bytes, in: text, at: word.lowerBound)
            else { continue }
            return Match(nameClass: entry.nameClass, end: end, name: entry.bytes)
        }
        return nil
    }

    /// Returns the name whose beginning is all that is left of a text that was cut.
    func cutMatch(in text: Span<UInt8>, from start: Int, before limit: Int) -> Match? {
        guard limit - start >= Self.beginning else { return nil }
        for number in byBeginning[Self.hash(text, start..<start + Self.beginning)] ?? [] {
            let entry = entries[number]
            let count = limit - start
            guard count < entry.bytes.count, Self.stands(entry.bytes[..<count], in: text, at: start) else { continue }
            let beginning = String(decoding: entry.bytes[..<count], as: UTF8.self)
            guard !CommonWords.contains(beginning) else { continue }
            return Match(nameClass: entry.nameClass, end: limit, name: entry.bytes)
        }
        return nil
    }

    private static func stands(_ name: some Collection<UInt8>, in text: Span<UInt8>, at start: Int) -> Bool {
        var offset = start
        for byte in name {
            if text[offset].folded != byte { return false }
            offset += 1
        }
        return true
    }

    /// FNV-1a over ASCII letters in lowercase.
    private static func hash(_ text: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in range { hash = (hash ^ UInt64(text[index].folded)) &* 0x100_0000_01b3 }
        return hash ^ hash >> 29
    }
}
