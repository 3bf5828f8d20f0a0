import TextPatterns

/// Expressions that a message must match, and others that it must not, compiled.
///
/// The message is that of the whole event, its parts joined and without padding: `^` and `$` are its ends, or those of a
/// line in it. Case does not matter, unless an expression begins with `(?-i)`. A `.` is one character other than a line
/// end.
public struct MessagePatterns: Sendable {
    let set: PatternSet
    /// How many of the patterns, from the first, must match; the others must not.
    let wantedCount: Int
    /// The wanted expressions as written.
    let wanted: [String]

    /// Compiles expressions; all of `wanted` must match, and none of `unwanted`.
    ///
    /// - Throws: A ``MessagePatternError`` that names the expression and the place of the mistake.
    public init(wanted: [String], unwanted: [String] = []) throws(MessagePatternError) {
        let texts = wanted + unwanted
        do {
            set = try PatternSet(texts.map { Pattern($0, .regularExpression, isUnicode: true) })
        } catch {
            throw MessagePatternError(error, in: texts)
        }
        wantedCount = wanted.count
        self.wanted = wanted
    }

    /// Returns the indexes of the expressions, the wanted ones first, that match anywhere in a text.
    public func indexes(matching text: String) -> Set<Int> {
        var scanner = PatternScanner(set)
        return Set(scanner.matches(in: Array(text.utf8).span).map(\.pattern))
    }

    /// Returns the search for texts whose case does not matter; `nil` if there are none, or if they are too long.
    static func folding(_ texts: [String]) -> MessagePatterns? {
        guard !texts.isEmpty, let set = try? PatternSet(texts.map { Pattern($0, isUnicode: true) }) else { return nil }
        return MessagePatterns(set: set, wantedCount: texts.count)
    }

    private init(set: PatternSet, wantedCount: Int) {
        self.set = set
        self.wantedCount = wantedCount
        wanted = []
    }
}

/// A search for patterns in one message after another; each thread needs its own.
///
/// A class, because the working memory of a scanner cannot be copied.
final class MessageSearch {
    private final class Scan {
        var scanner: PatternScanner
        let wantedCount: Int

        init(_ patterns: MessagePatterns) {
            scanner = PatternScanner(patterns.set)
            wantedCount = patterns.wantedCount
        }
    }

    private let scans: [Scan]

    init(_ patterns: [MessagePatterns]) { scans = patterns.map(Scan.init) }

    /// Returns whether a message, which must be valid UTF-8, has what is wanted and nothing that is not.
    func accepts(_ message: Span<UInt8>) -> Bool {
        for scan in scans {
            var count = 0
            for match in scan.scanner.matches(in: message) {
                if match.pattern >= scan.wantedCount { return false }
                count += 1
            }
            if count < scan.wantedCount { return false }
        }
        return true
    }
}

/// The reason why expressions can't be searched for.
public struct MessagePatternError: Error, Sendable, CustomStringConvertible {
    /// The index of the expression at fault, among the wanted and then the unwanted ones, if it is one.
    public var expression: Int?
    /// The mistake, and where in the expression it is.
    public var message: String

    public var description: String { message }

    fileprivate init(_ error: PatternError, in texts: [String]) {
        expression = error.pattern
        message = error.message
        guard let pattern = error.pattern, texts.indices.contains(pattern) else { return }
        message = Self.placed(error.message, in: texts[pattern])
    }

    /// Returns a message with `at index 7`, which counts bytes from 0, as a place that a reader can find.
    private static func placed(_ message: String, in text: String) -> String {
        let mark = " at index "
        guard let place = message.utf8.count > mark.utf8.count ? message.lastRange(of: mark) : nil,
            let index = Int(message[place.upperBound...]), index <= text.utf8.count
        else { return message }
        let start = String(decoding: text.utf8.prefix(index), as: UTF8.self).count
        let rest = String(decoding: text.utf8.dropFirst(index), as: UTF8.self)
        let shown = rest.isEmpty ? "the end" : "'\(rest.prefix(20))\(rest.count > 20 ? "…" : "")'"
        return "\(message[..<place.lowerBound]) at character \(start + 1), \(shown)"
    }
}

extension String {
    /// Returns the last place where a text stands.
    fileprivate func lastRange(of text: String) -> Range<String.Index>? {
        var start = endIndex
        while true {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            guard start > startIndex else { return nil }
            formIndex(before: &start)
        }
    }
}
