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

/// A scan of messages for signs of failure, with one set of patterns for all of them.
///
/// For the thread that created it.
final class ProblemScan {
    private var scanner = PatternScanner(ProblemPatterns.set)

    /// Returns the signs in a message.
    func signs(in message: Span<UInt8>) -> ProblemSigns {
        var signs: ProblemSigns = []
        for match in scanner.matches(in: message) { signs.formUnion(ProblemPatterns.sign(of: match.pattern)) }
        return signs
    }
}

/// The patterns of ``ProblemScan``.
private enum ProblemPatterns {
    static let set: PatternSet = {
        do {
            return try PatternSet(expressions.map { $0.pattern } + phrases)
        } catch {
            // The tests compile them.
            fatalError("patterns of failures cannot be compiled: \(error)")
        }
    }()

    static func sign(of pattern: Int) -> ProblemSigns {
        pattern < expressions.count ? expressions[pattern].sign : .phrase
    }

    private static let expressions: [(pattern: Pattern, sign: ProblemSigns)] = [
        (expression("[A-Za-z0-9]Exception(?:[ :'\"\\]),;.\\r\\n]|$)"), .exception),
        (expression("0x8[0-9A-Fa-f]{7}(?:[^0-9A-Fa-f]|$)"), .code),
        (expression("0x[cC]0[0-9A-Fa-f]{6}(?:[^0-9A-Fa-f]|$)"), .code),
        (expression("-214[67][0-9]{6}(?:[^0-9]|$)"), .code),
        (expression("(?:[Ee]rror ?[Cc]ode|LastError|HRESULT|hresult)\\s?[=:]\\s?-?(?:0x)?0*[1-9A-Fa-f]"), .code),
        (expression("(?:[Ee]rror|hr|status)\\s?[:=]?\\s[89cC][0-9A-Fa-f]{7}(?:[^0-9A-Fa-f]|$)"), .code),
        (expression("error CS[0-9]{4}:"), .code),
        (expression("(?:^|[^0-9])0 [Ee]rrors?"), .success),
        (expression("(?:^|[^A-Za-z])(?:[Ss]ucceeded|[Ss]uccessfully|[Pp]assed)(?:[^A-Za-z]|$)"), .success),
    ]

    private static func expression(_ text: String) -> Pattern {
        Pattern(text, .regularExpression, isCaseSensitive: true)
    }

    private static let phrases = FailureCodes.phrases.filter { $0.utf8.count >= 8 }.map { Pattern($0) }
}
