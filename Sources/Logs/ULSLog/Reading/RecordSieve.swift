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
/// It must find every row whose message matches, and may find others. So it finds the expression without what depends on
/// where a message begins or ends, and marks: each byte outside ASCII, because the expression works on characters, and
/// dots where a message may have been cut, because the expression may match what the parts have together.
struct ExpressionSieve: Sendable {
    fileprivate let set: PatternSet

    /// Returns `nil` for an expression that can't be searched for in this way.
    init?(_ expression: String) {
        guard let weakened = WeakExpression(expression),
            let set = try? PatternSet([weakened.pattern])
        else { return nil }
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
    /// The last bytes of the next match and of the next mark in the window, once searched for.
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
    /// Returns the first place in `start..<end` of a byte outside ASCII, or of the last of three dots beside the end of a
    /// column, from which blanks may separate them; `end` if there is none.
    ///
    /// Up to 63 bytes after `end` must be readable. An expression would find the same, and take several times as long.
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

    /// Returns the first mark among 64 bytes, in which `third` has a bit for each dot that follows two.
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
            guard let literal = whole.requiredLiteral else { return nil }
            pattern = Pattern(String(decoding: literal, as: UTF8.self))
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
