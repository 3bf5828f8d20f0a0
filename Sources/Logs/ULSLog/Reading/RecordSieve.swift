import TextPatterns

/// What tells, without parsing, that a stretch of text has no wanted record.
enum RecordSieve: Sendable {
    case correlation(CorrelationLiteral)
    case expression(ExpressionSieve)

    /// Returns `nil` if everything must be parsed.
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

/// A search of text, many rows at once, for rows whose message may match an expression.
///
/// It must find every row whose message matches, and may find others. So it takes for a match: the expression without
/// what depends on where a message begins or ends; each byte outside ASCII, because the expression works on characters;
/// and dots where a message may have been cut, because the expression may match what the parts have together.
struct ExpressionSieve: Sendable {
    fileprivate let set: PatternSet

    /// Returns `nil` for an expression that can't be searched for in this way.
    init?(_ expression: String) {
        guard let weakened = WeakExpression(expression), let set = try? PatternSet([weakened.pattern]) else {
            return nil
        }
        self.set = set
    }

    /// The expression that is searched for, for tests.
    static func pattern(of expression: String) -> String? { WeakExpression(expression)?.pattern.text }
}

extension MessagePatterns {
    /// The sieve of the first wanted expression that has one: all of them must match.
    var sieve: ExpressionSieve? { wanted.lazy.compactMap(ExpressionSieve.init).first }
}

/// A search by a sieve in one window after another; a class, because a scanner's working memory cannot be copied.
final class SieveScan {
    private var scanner: PatternScanner
    /// The next places of each kind in the window, once searched for.
    private var match = -1
    private var mark = -1
    private var rows = RowStartReader()

    init(_ sieve: ExpressionSieve) { scanner = PatternScanner(sieve.set) }

    /// Begins a window.
    func begin() { (match, mark) = (-1, -1) }

    /// Finds the next row to be parsed, at or after the row at `start`.
    ///
    /// - Parameters:
    ///   - window: The window.
    ///   - start: Where a row begins.
    ///   - end: How far to search, the same each time.
    ///   - length: The length of the text in the window.
    /// - Returns: Where the row begins.
    func nextRow(in window: borrowing ByteWindow, from start: Int, to end: Int, length: Int) -> Int {
        if match < start {
            // A match may begin in a row above; the row in which it ends is the first that can have one.
            match = scanner.firstEnd(in: window.span(start..<end)).map { start + $0 - 1 } ?? end
        }
        if mark < start { mark = window.firstMark(from: start, to: end) }
        // The record that holds it, or the last one, which may do so once more is read, begins at a row above.
        var below = min(min(match, mark) + 1, end)
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
    /// Returns the first place in `start..<end` that holds a byte outside ASCII, or three dots at the end of a column;
    /// `end` if there is none.
    fileprivate func firstMark(from start: Int, to end: Int) -> Int {
        let dots = SIMD16<UInt8>(repeating: 0x2E)
        let high = SIMD16<UInt8>(repeating: 0x80)
        var offset = start
        while offset < end {
            // The slack has room for the bytes loaded beyond the end.
            let block = part(from: offset, count: 66)
            var found = SIMD16<UInt8>()
            var place = 0
            while place < 64 {
                let text = block.vector(place)
                let other = (text ^ dots) | (block.vector(place &+ 1) ^ dots) | (block.vector(place &+ 2) ^ dots)
                found |= text & high
                found.replace(with: high, where: other .== 0)
                place &+= 16
            }
            let words = unsafe unsafeBitCast(found, to: SIMD2<UInt64>.self)
            if words[0] | words[1] != 0 {
                for place in offset..<Swift.min(offset &+ 64, end) where isMark(place, from: start) { return place }
            }
            offset &+= 64
        }
        return end
    }

    /// Returns whether a place holds a byte outside ASCII, or the first of three dots beside the end of a column.
    private func isMark(_ place: Int, from start: Int) -> Bool {
        if self[place] >= 0x80 { return true }
        guard halfWord(place) & 0x00FF_FFFF == 0x002E_2E2E else { return false }
        // Blanks may stand between the dots and the tab or line end.
        return self[place &+ 3] <= 0x20 || self[place &+ 3] >= 0x80 || place > start && self[place &- 1] <= 0x20
            || place > start && self[place &- 1] >= 0x80
    }
}

/// An expression without what depends on where the text begins and ends.
private struct WeakExpression {
    /// What to search for in bytes.
    let pattern: Pattern

    /// Returns `nil` for an expression that must see characters, or with syntax that is not understood here.
    init?(_ text: String) {
        var bytes = Array(text.utf8)
        for prefix in ["(?-i)", "(?i)"] where text.hasPrefix(prefix) { bytes.removeFirst(prefix.utf8.count) }
        guard bytes.allSatisfy({ $0 < 0x80 }), let result = Self.weakened(bytes) else { return nil }
        if result.hasAnchors {
            let whole = Pattern(String(decoding: bytes, as: UTF8.self), .regularExpression)
            guard let literal = whole.requiredText else { return nil }
            pattern = Pattern(literal)
        } else {
            pattern = Pattern(String(decoding: result.text, as: UTF8.self), .regularExpression)
        }
    }

    /// Returns the expression without word boundaries, and whether it has ends of the text or of lines.
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
                    // Nothing may repeat what is left out.
                    if index + 2 < bytes.count, "?*+{".utf8.contains(bytes[index + 2]) { return nil }
                case "d", "D", "s", "S", "w", "W", "t", "n", "r", "f", "b": text += [byte, next]
                case "a"..."z", "A"..."Z", "0"..."9", "\0": return nil
                default: text += [byte, next]
                }
                index += 1
            case "[" where !isInClass:
                isInClass = true
                text.append(byte)
                // A bracket at the beginning is one of the characters.
                if next == UInt8(ascii: "^") {
                    text.append(next)
                    index += 1
                }
                if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "]") {
                    text.append(UInt8(ascii: "]"))
                    index += 1
                }
            // A class with a name, or one within one.
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
