import FailureExplanation
import TextPatterns

/// What in a message says that something failed, whatever the level of its row.
struct ProblemSigns: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let exception = Self(rawValue: 1)
    /// A number of a failure, such as 0x80070005.
    static let code = Self(rawValue: 2)
    /// A sentence that stands for a number, such as "Access is denied".
    static let phrase = Self(rawValue: 4)
    /// Words of success, which outweigh everything but an exception: "0 errors", "succeeded".
    static let success = Self(rawValue: 8)

    /// Whether the row is a problem.
    var areProblem: Bool {
        contains(.exception) || !contains(.success) && !isDisjoint(with: [.code, .phrase])
    }

    /// How much a sign tells: an exception more than a code, a code more than a sentence.
    var strength: Int {
        contains(.exception) ? 3 : contains(.success) ? 0 : contains(.code) ? 2 : contains(.phrase) ? 1 : 0
    }
}

/// A scan of messages for signs of failure.
///
/// Nearly all rows of a farm are Medium or milder and show none. So in these a few short texts are looked for first, and
/// all patterns only where one of them occurs. For the thread that created it.
final class ProblemScan {
    private let triggers = ProblemPatterns.triggers
    private lazy var phrases = ProblemPatterns.phrases
    private lazy var expressions = LazyScanner(ProblemPatterns.expressionSet)

    /// A class, because a lazy property cannot hold what cannot be copied.
    private final class LazyScanner {
        var scanner: PatternScanner

        init(_ set: PatternSet) { scanner = PatternScanner(set) }
    }

    /// The mildest rank at which all sentences count, that of High.
    private static let maximumRank = 5

    /// Returns the signs in the message of a row of this rank.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - isMild: Whether its row is milder than High, so that only the usual sentences are signs.
    /// - Returns: The signs.
    func signs(in message: Span<UInt8>, isMild: Bool) -> ProblemSigns {
        let isTriggered = CodeStart.isIn(message) || triggers.isIn(message)
        if isMild, !isTriggered { return [] }
        var signs: ProblemSigns = phrases.isIn(message) ? .phrase : []
        // Expressions take several times as long as sentences.
        guard isTriggered || !signs.isEmpty else { return [] }
        for match in expressions.scanner.matches(in: message) {
            signs.formUnion(ProblemPatterns.sign(of: match.pattern))
        }
        return signs
    }

    /// Whether only the usual sentences are signs in rows of a rank.
    static func isMild(_ rank: Int) -> Bool { rank > maximumRank }
}

/// The patterns of ``ProblemScan``.
private enum ProblemPatterns {
    static let expressionSet = set(of: expressions.map { $0.pattern })
    static let phrases = LiteralScan(sentences, isCaseSensitive: false, sample: sentences)

    /// Short texts of which one is in every message that shows an exception, a code that does not begin as
    /// ``CodeStart`` says, or one of the usual sentences.
    static let triggers = LiteralScan(
        [
            "Exception", "rrorCode", "rror: 8", "rror: 9", "rror: C", "rror: c", "rror code", "rror Code",
            "LastError", "HRESULT", "hresult", "Application error", "error CS",
            // The sentences that farms fail with most; others count in rows of High and worse.
            "ccess is denied", "Keyset does not", "Login failed for", "deadlock", "has timed out", "imeout expired",
            "used by another process", "could not be resolved", "actively refused", "ould not load file or",
            "bject reference not set", "permission was denied", "orcibly closed", "underlying connection",
        ],
        isCaseSensitive: true,
        sample: sentences
    )

    private static func set(of patterns: [Pattern]) -> PatternSet {
        do {
            return try PatternSet(patterns)
        } catch {
            // The tests compile them.
            fatalError("patterns of failures cannot be compiled: \(error)")
        }
    }

    static func sign(of pattern: Int) -> ProblemSigns { expressions[pattern].sign }

    private static let expressions: [(pattern: Pattern, sign: ProblemSigns)] = [
        (expression("[A-Za-z0-9]Exception(?:[ :'\"\\]),;.\\r\\n]|$)"), .exception),
        (expression("0x8[0-9A-Fa-f]{7}(?:[^0-9A-Fa-f]|$)"), .code),
        (expression("0x[cC]0[0-9A-Fa-f]{6}(?:[^0-9A-Fa-f]|$)"), .code),
        (expression("-214[67][0-9]{6}(?:[^0-9]|$)"), .code),
        (expression("(?:[Ee]rror ?[Cc]ode|LastError|HRESULT|hresult)\\s?[=:]\\s?-?(?:0x)?0*[1-9A-Fa-f]"), .code),
        (expression("rror:? [89cC][0-9A-Fa-f]{7}(?:[^0-9A-Fa-f]|$)"), .code),
        (expression("error CS[0-9]{4}:"), .code),
        (expression("Application error when access"), .phrase),
        (expression("(?:^|[^0-9])0 [Ee]rrors?"), .success),
        (expression("(?:^|[^A-Za-z])(?:[Ss]ucceeded|[Ss]uccessfully|[Pp]assed)(?:[^A-Za-z]|$)"), .success),
    ]

    private static func expression(_ text: String) -> Pattern {
        Pattern(text, .regularExpression, isCaseSensitive: true)
    }

    private static let sentences = FailureCodes.phrases.filter { $0.utf8.count >= 8 }
}

/// The beginnings of numbers of failures: `0x8`, `0xC0`, `-2147`, `-2146`.
private enum CodeStart {
    /// Returns whether one is in a message.
    static func isIn(_ message: Span<UInt8>) -> Bool {
        message.withUnsafeBytes { bytes in
            var offset = 0
            // Eight bytes at a time: few have an x or a minus.
            while offset &+ 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                if mayHold(x, word) || mayHold(minus, word), isIn(offset..<(offset &+ 8), bytes) { return true }
                offset &+= 8
            }
            return isIn(offset..<bytes.count, bytes)
        }
    }

    private static let x = UInt8(ascii: "x")
    private static let minus = UInt8(ascii: "-")

    /// Whether a byte is among eight; sometimes true where only a similar one is.
    @inline(__always)
    private static func mayHold(_ byte: UInt8, _ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let zeros = word ^ (ones &* UInt64(byte))
        return (zeros &- ones) & ~zeros & (ones &<< 7) != 0
    }

    /// Returns whether the `x` or the minus of a number stands in a range.
    private static func isIn(_ range: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Bool {
        for index in range {
            if bytes[index] == x {
                guard index > 0, bytes[index - 1] == UInt8(ascii: "0"), index + 1 < bytes.count else { continue }
                if bytes[index + 1] == UInt8(ascii: "8") { return true }
                if bytes[index + 1] | 0x20 == UInt8(ascii: "c"), index + 2 < bytes.count,
                    bytes[index + 2] == UInt8(ascii: "0")
                {
                    return true
                }
            } else if bytes[index] == minus, index + 4 < bytes.count {
                let isNumber =
                    bytes[index + 1] == UInt8(ascii: "2") && bytes[index + 2] == UInt8(ascii: "1")
                    && bytes[index + 3] == UInt8(ascii: "4")
                if isNumber, bytes[index + 4] == UInt8(ascii: "7") || bytes[index + 4] == UInt8(ascii: "6") {
                    return true
                }
            }
        }
        return false
    }
}
