/// The digits of a wanted correlation as rows write them: text that does not contain them need not be parsed.
struct CorrelationLiteral: Sendable {
    private let needle: TextNeedle
    /// A faster search, for a whole GUID.
    private let guid: GUIDSearch?

    /// Returns `nil` unless there is exactly one correlation to look for.
    init?(_ filter: EventFilter) {
        guard filter.correlations.count == 1, let pattern = filter.correlations.first else { return nil }
        var text = pattern.description
        if text.hasSuffix("…") { text.removeLast() }
        while text.hasSuffix("-") { text.removeLast() }
        needle = TextNeedle(text)
        guid = GUIDSearch(text)
    }

    /// Returns how many bytes and lines at the beginning of a window can be passed over; they end where a row begins.
    func passOver(_ window: borrowing ByteWindow, length: Int) -> (offset: Int, lines: Int) {
        let search = guid?.first(in: window, to: length) ?? first(in: window, to: length)
        let hit = search.index ?? length
        // The record that holds it, or may hold it once more is read, begins at a row above.
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

    /// Searches for the first digits of a correlation, which may be too short for a `GUIDSearch`.
    private func first(in window: borrowing ByteWindow, to length: Int) -> GUIDSearch.Result {
        GUIDSearch.Result(index: needle.firstIndex(in: window, from: 0, to: length), lineEnds: 0, offset: 0)
    }
}

extension GUIDSearch.Result {
    /// Returns the number of line ends before a place.
    fileprivate func lineEnds(before place: Int, in window: borrowing ByteWindow) -> Int {
        place < offset
            ? lineEnds - window.lineEnds(in: place..<offset) : lineEnds + window.lineEnds(in: offset..<place)
    }
}

/// A search for a whole GUID in a text that also counts the text's lines: reading it once is what takes the time.
///
/// Wherever the GUID is, one of the words at multiples of 32 bytes lies within it and is one of its own 32 words, so
/// only these are examined.
struct GUIDSearch: Sendable {
    /// The outcome of a search.
    struct Result {
        /// Offset of the GUID.
        var index: Int?
        /// Line ends before `offset`, up to which the search got.
        var lineEnds: Int
        var offset: Int
    }

    /// Bytes from one examined word to the next.
    private static let stride = 32
    /// Bytes examined together.
    private static let blockLength = 256
    /// A table with marks for the 32 words and hardly any others.
    private typealias Filter = InlineArray<8192, UInt8>
    /// Bits of a word's place in the filter.
    private static let filterBits: UInt32 = 13
    /// Bits that make capitals lowercase; digits and hyphens have them already.
    private static let fold: UInt32 = 0x2020_2020

    private let needle: TextNeedle
    private let length: Int
    /// The GUID's words, by their place in it.
    private let words: [UInt32]
    private let multiplier: UInt32

    /// Returns `nil` for a text that is not as long as a GUID.
    init?(_ text: String) {
        guard text.utf8.count == CorrelationReader.textLength else { return nil }
        needle = TextNeedle(text)
        length = text.utf8.count
        let bytes = text.utf8.map { UInt32($0) }
        // Typed, because the compiler takes seconds to find the types of such an expression.
        let words = (0..<Self.stride).map { (place: Int) -> UInt32 in
            var word = Self.fold
            for offset in 0..<4 { word |= bytes[place + offset] << UInt32(offset * 8) }
            return word
        }
        self.words = words
        // Columns are padded with blanks, which must not count as a word of the GUID.
        let multipliers: [UInt32] = [0x9E37_79B1, 0x85EB_CA77, 0xC2B2_AE3D, 0x27D4_EB2F]
        multiplier =
            multipliers.first { multiplier in
                !words.contains { Self.place($0, multiplier) == Self.place(Self.fold, multiplier) }
            } ?? multipliers[0]
    }

    /// Searches for the GUID in the first `end` bytes of a window.
    func first(in window: borrowing ByteWindow, to end: Int) -> Result {
        var filter = Filter(repeating: 0)
        for word in words { filter[Self.place(word, multiplier)] = 1 }
        var offset = 0
        var lineEnds = 0
        while offset <= end &- Self.blockLength {
            var sums = SIMD16<UInt8>()
            // A lane counts sixteen at a time, up to 255.
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

    /// Returns a nonzero value if the filter has one of the words in 128 bytes.
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

    /// Returns the offset of the GUID if one of its words is examined in the block at `offset`.
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

/// A text to find without regard to ASCII case.
struct TextNeedle: Sendable {
    private let text: [UInt8]
    /// 0x20 for a letter, whose case is ignored; 0 for anything else.
    private let folds: [UInt8]

    init(_ text: String) {
        self.text = text.utf8.map(\.asciiLowercase)
        folds = self.text.map { $0 &- 0x61 < 26 ? 0x20 : 0 }
    }

    /// Returns the first place in `start..<end` where the whole text occurs.
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
        // Bytes loaded beyond the end are the window's slack.
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

    /// Returns whether the text is at an offset, where there must be room for it.
    fileprivate func stands(in window: borrowing ByteWindow, at offset: Int) -> Bool {
        for index in 0..<text.count where window[offset &+ index] | folds[index] != text[index] { return false }
        return true
    }
}
