import TextKit
import TextPatterns
import ULSRows

/// A search that shows, without parsing, whether a piece of text may contain a wanted record.
enum RecordSieve: Sendable {
    case correlation(CorrelationLiteral)
    case expression(ExpressionSieve)

    /// Creates the sieve for a filter; `nil` if everything must be parsed.
    init?(_ filter: EventFilter) {
        if let literal = CorrelationLiteral(filter) {
            self = .correlation(literal)
        } else if let sieve = filter.patterns?.sieve {
            self = .expression(sieve)
        } else {
            return nil
        }
    }
}

/// A search for rows whose message may match an expression, which examines many rows at once.
///
/// The sieve must find every row whose message matches, and may find others. Therefore, it searches for the expression
/// without the elements that depend on where a message begins or ends. It also searches for marks: non-ASCII bytes,
/// because the expression works on characters, and dots where a message may have been cut, because the expression may
/// match only the joined parts.
struct ExpressionSieve: Sendable {
    fileprivate let set: PatternSet

    /// Creates the sieve for an expression; `nil` if the expression can't be searched for in this way.
    init?(_ expression: String) {
        guard let weakened = WeakExpression(expression),
            let set = try? PatternSet([weakened.pattern])
        else { return nil }
        self.set = set
    }

    /// Returns the expression that is searched for, for use in tests.
    static func pattern(of expression: String) -> String? { WeakExpression(expression)?.pattern.text }
}

extension MessagePatterns {
    /// The sieve of the first wanted expression that has one; a single sieve is enough because all expressions must
    /// match.
    var sieve: ExpressionSieve? { wanted.lazy.compactMap(ExpressionSieve.init).first }
}

/// A sieve's search in successive windows; this is a class because a scanner's working memory cannot be copied.
final class SieveScan {
    private var scanner: PatternScanner
    /// The offsets of the last bytes of the next match and the next mark in the window, once found.
    private var match = -1
    private var mark = -1
    private var rows = RowStartReader()

    init(_ sieve: ExpressionSieve) { scanner = PatternScanner(sieve.set) }

    /// Begins searching a window.
    func begin() { (match, mark) = (-1, -1) }

    /// Finds the next row to be parsed, at or after the row at `start`.
    ///
    /// - Parameters:
    ///   - window: The window.
    ///   - start: The offset at which a row begins.
    ///   - end: The offset at which to stop; it must be the same each time.
    ///   - length: The length of the text in the window.
    /// - Returns: The offset at which the row begins.
    func nextRow(in window: borrowing ByteWindow, from start: Int, to end: Int, length: Int) -> Int {
        if match < start {
            // A match may begin in a row above; the row where it ends is the first that can contain a match.
            match = scanner.firstEnd(in: window.span(start..<end)).map { start + $0 - 1 } ?? end
        }
        if mark < start { mark = window.firstMark(from: start, to: end) }
        // The record that contains it begins at a row above. The last record, which may contain it once more text has
        // been read, also begins above.
        var below = min(match + 1, mark + 1, end)
        while below > start {
            var line = below - 1
            while line > start, window[line - 1] != 0x0A { line -= 1 }
            if rows.read(window, at: line, end: length) != nil { return line }
            below = line
        }
        return start
    }
}

extension ByteWindow {
    /// Returns the first position in `start..<end` of a non-ASCII byte, or of the last of three dots at the end of a
    /// column, with or without blanks between the dots and the end; `end` if there is none.
    ///
    /// Up to 63 bytes after `end` must be readable. An expression would find the same position, but would take several
    /// times as long.
    fileprivate func firstMark(from start: Int, to end: Int) -> Int {
        var offset = start
        var before: UInt64 = 0
        while offset < end {
            let block = part(from: offset, count: 64)
            let dots = block.places(of: UInt8(ascii: "."), 0)
            let third = dots & (dots &<< 1 | before &>> 63) & (dots &<< 2 | before &>> 62)
            if !block.isASCIIBlock(0) || third != 0, let place = mark(third, at: offset, from: start, to: end) {
                return place
            }
            before = dots
            offset &+= 64
        }
        return end
    }

    /// Returns the first mark among 64 bytes, where `third` has a bit for each dot that follows two others.
    @inline(never)
    private func mark(_ third: UInt64, at offset: Int, from start: Int, to end: Int) -> Int? {
        for place in offset..<Swift.min(offset + 64, end) {
            if self[place] >= 0x80 { return place }
            guard third &>> UInt64(place - offset) & 1 != 0 else { continue }
            let isBehindBlank = place - 3 < start || self[place - 3] <= 0x20
            if isBehindBlank || place + 1 >= end || self[place + 1] <= 0x20 { return place }
        }
        return nil
    }
}

/// An expression without the elements that depend on the beginning and end of the text.
private struct WeakExpression {
    /// The pattern to search for in bytes.
    let pattern: Pattern

    /// Creates the weakened expression; `nil` for an expression that depends on characters, or whose syntax is not
    /// supported here.
    init?(_ text: String) {
        var bytes = Array(text.utf8)
        for prefix in ["(?-i)", "(?i)"] where text.hasPrefix(prefix) { bytes.removeFirst(prefix.utf8.count) }
        guard bytes.allSatisfy({ $0 < 0x80 }), let result = Self.weakened(bytes) else { return nil }
        if result.hasAnchors {
            let whole = Pattern(String(decoding: bytes, as: UTF8.self), .regularExpression)
            guard let literal = whole.requiredLiteral else { return nil }
            pattern = Pattern(String(decoding: literal, as: UTF8.self))
        } else {
            pattern = Pattern(String(decoding: result.text, as: UTF8.self), .regularExpression)
        }
    }

    /// Returns the expression without word boundaries, and whether it contains anchors of the text or of lines.
    private static func weakened(_ bytes: [UInt8]) -> (text: [UInt8], hasAnchors: Bool)? {
        var text: [UInt8] = []
        var hasAnchors = false
        var isInClass = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            switch Unicode.Scalar(byte) {
            case "\\":
                switch Unicode.Scalar(next) {
                case "b" where !isInClass, "B" where !isInClass:
                    // A quantifier must not apply to an omitted element.
                    if index + 2 < bytes.count, "?*+{".utf8.contains(bytes[index + 2]) { return nil }
                case "d", "D", "s", "S", "w", "W", "t", "n", "r", "f", "b": text += [byte, next]
                case "a"..."z", "A"..."Z", "0"..."9", "\0": return nil
                default: text += [byte, next]
                }
                index += 1
            case "[" where !isInClass:
                isInClass = true
                text.append(byte)
                // A bracket at the beginning is a literal character.
                if next == UInt8(ascii: "^") {
                    text.append(next)
                    index += 1
                }
                if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "]") {
                    text.append(UInt8(ascii: "]"))
                    index += 1
                }
            // A named or nested class.
            case "[": return nil
            case "]" where isInClass:
                isInClass = false
                text.append(byte)
            case "^" where !isInClass, "$" where !isInClass:
                hasAnchors = true
                text.append(byte)
            case "(" where !isInClass && next == UInt8(ascii: "?"):
                guard index + 2 < bytes.count, bytes[index + 2] == UInt8(ascii: ":") else { return nil }
                text.append(byte)
            default: text.append(byte)
            }
            index += 1
        }
        return isInClass ? nil : (text, hasAnchors)
    }
}

/// The digits of a wanted correlation, as written in rows; text that does not contain them need not be parsed.
struct CorrelationLiteral: Sendable {
    private let needle: TextNeedle
    /// A faster search, used for a complete GUID.
    private let guid: GUIDSearch?

    /// Creates the literal for a filter; `nil` unless there is exactly one correlation to look for.
    init?(_ filter: EventFilter) {
        guard filter.correlations.count == 1, let pattern = filter.correlations.first else { return nil }
        var text = pattern.description
        if text.hasSuffix("…") { text.removeLast() }
        while text.hasSuffix("-") { text.removeLast() }
        needle = TextNeedle(text)
        guid = GUIDSearch(text)
    }

    /// Returns the numbers of bytes and lines at the beginning of a window that can be skipped; the skipped text ends
    /// where a row begins.
    func passOver(_ window: borrowing ByteWindow, length: Int) -> (offset: Int, lines: Int) {
        let search = guid?.first(in: window, to: length) ?? first(in: window, to: length)
        let hit = search.index ?? length
        // The record that contains it, or may contain it once more text has been read, begins at a row above.
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
    /// Returns the number of line ends before a position.
    fileprivate func lineEnds(before place: Int, in window: borrowing ByteWindow) -> Int {
        place < offset
            ? lineEnds - window.lineEnds(in: place..<offset) : lineEnds + window.lineEnds(in: offset..<place)
    }
}

/// A search for a complete GUID that also counts the lines of the text; most of the time is spent on reading the text,
/// so it is read only once.
///
/// Wherever the GUID is, one of the words at multiples of 32 bytes is inside it and is thus one of the GUID's 32 words,
/// so only the words at these offsets are examined.
struct GUIDSearch: Sendable {
    /// The result of a search.
    struct Result {
        /// The offset of the GUID.
        var index: Int?
        /// The number of line ends before `offset`, at which the search stopped.
        var lineEnds: Int
        var offset: Int
    }

    /// The number of bytes from one examined word to the next.
    private static let stride = 32
    /// The number of bytes examined together.
    private static let blockLength = 256
    /// A table that marks the 32 words and hardly any other words.
    private typealias Filter = InlineArray<8192, UInt8>
    /// The number of bits in a word's index in the filter.
    private static let filterBits: UInt32 = 13
    /// The bits that make capitals lowercase; digits and hyphens already have them.
    private static let fold: UInt32 = 0x2020_2020

    private let needle: TextNeedle
    private let length: Int
    /// The GUID's words, by their position in it.
    private let words: [UInt32]
    private let multiplier: UInt32

    /// Creates a search; `nil` for text whose length is not that of a GUID.
    init?(_ text: String) {
        guard text.utf8.count == CorrelationReader.textLength else { return nil }
        needle = TextNeedle(text)
        length = text.utf8.count
        let bytes = text.utf8.map { UInt32($0) }
        // The closure's type is explicit because the compiler takes seconds to infer it.
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
            // Each lane adds up to sixteen each time, and can count to 255.
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
        return Result(index: needle.firstIndex(in: window, from: rest, to: end), lineEnds: lineEnds, offset: offset)
    }

    /// Returns a nonzero value if the filter contains one of the words in 128 bytes.
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

/// A text to find, ignoring ASCII case.
struct TextNeedle: Sendable {
    private let text: [UInt8]
    /// A mask for each byte: 0x20 for a letter, whose case is ignored, and 0 for anything else.
    private let folds: [UInt8]

    init(_ text: String) {
        self.text = text.utf8.map(\.lowercased)
        folds = self.text.map { $0 &- 0x61 < 26 ? 0x20 : 0 }
    }

    /// Returns the first position in `start..<end` where the entire text occurs.
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
        // Bytes loaded beyond the end are in the window's slack.
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

    /// Returns whether the text occurs at an offset, where there must be room for it.
    fileprivate func stands(in window: borrowing ByteWindow, at offset: Int) -> Bool {
        for index in 0..<text.count where window[offset &+ index] | folds[index] != text[index] { return false }
        return true
    }
}
