/// The digits of a wanted correlation, as rows write them: text in which they do not stand need not be parsed.
struct CorrelationLiteral: Sendable {
    private let needle: TextNeedle
    /// For a whole GUID.
    private let guid: GUIDSearch?

    /// `nil` unless there is exactly one correlation to look for.
    init?(_ filter: EventFilter) {
        guard filter.correlations.count == 1, let pattern = filter.correlations.first else { return nil }
        var text = pattern.description
        if text.hasSuffix("…") { text.removeLast() }
        while text.hasSuffix("-") { text.removeLast() }
        needle = TextNeedle(text)
        guid = GUIDSearch(text)
    }

    /// How much of the beginning of a window can be passed over, which ends where a row begins, and how many lines that is.
    func passOver(_ window: borrowing ByteWindow, length: Int) -> (offset: Int, lines: Int) {
        let search = guid?.first(in: window, to: length) ?? first(in: window, to: length)
        let hit = search.index ?? length
        // The record that holds it, or may hold it when more was read, begins at a row above.
        var rows = RowStartReader()
        var end = hit
        while end > 0 {
            var start = end - 1
            while start > 0, window[start - 1] != 0x0A { start -= 1 }
            if start == 0 { return (0, 0) }
            if rows.read(window, at: start, end: length) != nil {
                return (start, search.lineEnds(before: start, in: window))
            }
            end = start
        }
        return (0, 0)
    }

    /// Likewise the first digits of one, which may be too short for that.
    private func first(in window: borrowing ByteWindow, to length: Int) -> GUIDSearch.Result {
        GUIDSearch.Result(index: needle.firstIndex(in: window, from: 0, to: length), lineEnds: 0, offset: 0)
    }
}

extension GUIDSearch.Result {
    /// How many line ends stand before a place.
    fileprivate func lineEnds(before place: Int, in window: borrowing ByteWindow) -> Int {
        place < offset
            ? lineEnds - window.lineEnds(in: place..<offset) : lineEnds + window.lineEnds(in: offset..<place)
    }
}

/// Looks for a whole GUID in a text, and counts the text's lines on the way: to read it once is what takes the time.
///
/// Wherever the GUID stands, one of the words at multiples of 32 bytes lies within it, and is one of its own 32 words.
/// So only these are looked at.
struct GUIDSearch: Sendable {
    /// What a search has come to.
    struct Result {
        /// Where the GUID stands.
        var index: Int?
        /// Line ends before `offset`, which the search had come to.
        var lineEnds: Int
        var offset: Int
    }

    /// From one word that is looked at to the next, in bytes.
    private static let stride = 32
    /// Bytes that are looked at together.
    private static let blockLength = 256
    /// 32 words, and hardly any other, have a mark here.
    private typealias Filter = InlineArray<8192, UInt8>
    /// Bits of a word's place in it.
    private static let filterBits: UInt32 = 13
    /// What makes small letters of capitals; digits and hyphens have it.
    private static let fold: UInt32 = 0x2020_2020

    private let needle: TextNeedle
    private let length: Int
    /// By their place in the GUID.
    private let words: [UInt32]
    private let multiplier: UInt32

    /// `nil` for a text that is shorter than a GUID.
    init?(_ text: String) {
        guard text.utf8.count == CorrelationReader.textLength else { return nil }
        needle = TextNeedle(text)
        length = text.utf8.count
        let bytes = text.utf8.map { UInt32($0) }
        let words = (0..<Self.stride).map { place in
            (0..<4).reduce(0) { $0 | bytes[place + $1] << UInt32($1 * 8) } | Self.fold
        }
        self.words = words
        // Columns are padded with blanks: these must not be taken for a word of it.
        let multipliers: [UInt32] = [0x9E37_79B1, 0x85EB_CA77, 0xC2B2_AE3D, 0x27D4_EB2F]
        multiplier =
            multipliers.first { multiplier in
                !words.contains { Self.place($0, multiplier) == Self.place(Self.fold, multiplier) }
            } ?? multipliers[0]
    }

    /// Looks for it in the first `end` bytes of a window.
    func first(in window: borrowing ByteWindow, to end: Int) -> Result {
        var filter = Filter(repeating: 0)
        for word in words { filter[Self.place(word, multiplier)] = 1 }
        var offset = 0
        var lineEnds = 0
        while offset <= end &- Self.blockLength {
            var sums = SIMD16<UInt8>()
            // A lane counts sixteen at a time, and to 255 at most.
            let stop = min(end &- Self.blockLength &+ 1, offset &+ 15 &* Self.blockLength)
            while offset < stop {
                let block = window.part(from: offset, count: Self.blockLength)
                let front = marks(block.part(from: 0, count: 128), filter)
                let back = marks(block.part(from: 128, count: 128), filter)
                if front | back != 0, let index = index(in: window, near: offset, to: end, filter) {
                    return Result(index: index, lineEnds: lineEnds &+ sums.sum, offset: offset)
                }
                sums &-= block.lineEndMarks(0) &+ block.lineEndMarks(64)
                sums &-= block.lineEndMarks(128) &+ block.lineEndMarks(192)
                offset &+= Self.blockLength
            }
            lineEnds &+= sums.sum
        }
        let rest = max(0, offset &- length)
        return Result(
            index: needle.firstIndex(in: window, from: rest, to: end),
            lineEnds: lineEnds,
            offset: offset
        )
    }

    /// Not zero if the filter has one of the words in 128 bytes.
    @inline(__always)
    private func marks(_ block: borrowing ByteWindow, _ filter: borrowing Filter) -> UInt8 {
        let first = filter[place(block, 0)] | filter[place(block, 32)]
        return first | filter[place(block, 64)] | filter[place(block, 96)]
    }

    @inline(__always)
    private func place(_ block: borrowing ByteWindow, _ offset: Int) -> Int {
        Self.place(block.halfWord(offset) | Self.fold, multiplier)
    }

    @inline(__always)
    private static func place(_ word: UInt32, _ multiplier: UInt32) -> Int {
        Int(truncatingIfNeeded: (word &* multiplier) &>> (32 &- filterBits))
    }

    /// Where it stands so that a word of it is looked at in the block at `offset`.
    @inline(never)
    private func index(
        in window: borrowing ByteWindow,
        near offset: Int,
        to end: Int,
        _ filter: borrowing Filter
    ) -> Int? {
        for place in Swift.stride(from: offset, to: offset &+ Self.blockLength, by: Self.stride) {
            let word = window.halfWord(place) | Self.fold
            guard filter[Self.place(word, multiplier)] != 0 else { continue }
            for index in words.indices.reversed() where words[index] == word {
                let start = place &- index
                guard start >= 0, start &+ length <= end else { continue }
                if needle.stands(in: window, at: start) { return start }
            }
        }
        return nil
    }
}

/// A text to be found without regard to ASCII case.
struct TextNeedle: Sendable {
    private let text: [UInt8]
    /// 0x20 for a letter, whose case is ignored; 0 for anything else.
    private let folds: [UInt8]

    init(_ text: String) {
        self.text = text.utf8.map(\.asciiLowercase)
        folds = self.text.map { $0 &- 0x61 < 26 ? 0x20 : 0 }
    }

    /// The first place in `start..<end` where it stands wholly.
    func firstIndex(in window: borrowing ByteWindow, from start: Int, to end: Int) -> Int? {
        guard let first = text.first, let last = text.last else { return start }
        let distance = text.count &- 1
        guard end &- start > distance else { return nil }
        let bound = end &- distance
        let firstVector = SIMD16(repeating: first)
        let lastVector = SIMD16(repeating: last)
        let firstFold = SIMD16(repeating: folds[0])
        let lastFold = SIMD16(repeating: folds[distance])
        var offset = start
        // What is loaded beyond the end is the window's slack.
        let loaded = 64 &+ distance
        while offset < bound {
            guard offset &+ loaded <= end &+ ByteWindow.slack else { break }
            if window.part(from: offset, count: loaded).mayHold(
                firstVector,
                lastVector,
                distance: distance,
                folds: (firstFold, lastFold)
            ) {
                for candidate in offset..<Swift.min(offset &+ 64, bound) where stands(in: window, at: candidate) {
                    return candidate
                }
            }
            offset &+= 64
        }
        while offset < bound {
            if stands(in: window, at: offset) { return offset }
            offset &+= 1
        }
        return nil
    }

    /// Whether it stands at an offset, where there must be room for it.
    fileprivate func stands(in window: borrowing ByteWindow, at offset: Int) -> Bool {
        for index in 0..<text.count where window[offset &+ index] | folds[index] != text[index] { return false }
        return true
    }
}
