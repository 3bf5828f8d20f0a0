import FailureExplanation
import TextKit
import TextPatterns

/// Signs in a message that something failed, which count at any level.
struct ProblemSigns: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let exception = Self(rawValue: 1)
    /// The number of a failure, such as 0x80070005.
    static let code = Self(rawValue: 2)
    /// A sentence that corresponds to a number, such as "Access is denied".
    static let phrase = Self(rawValue: 4)
    /// Words of success, which outweigh everything but an exception: "0 errors", "succeeded".
    static let success = Self(rawValue: 8)

    /// A number of errors, other than 0: "Errors occurred processing 3 message(s)", "2 error(s)".
    static let errors = Self(rawValue: 16)

    /// Whether the row is a problem.
    var areProblem: Bool {
        contains(.exception) || !contains(.success) && !isDisjoint(with: [.code, .phrase, .errors])
    }

    /// The weight of the signs: an exception weighs more than a code, and a code more than a sentence.
    var strength: Int {
        if contains(.exception) { return 3 }
        if contains(.success) { return 0 }
        return contains(.code) ? 2 : isDisjoint(with: [.phrase, .errors]) ? 0 : 1
    }
}

/// A scan of messages for signs of failure.
///
/// Nearly all of a farm's rows are Medium or milder and show none of these signs. In these rows, a few short texts are
/// searched for first; the patterns are searched for only if one of the texts occurs. A scan must be used only on the
/// thread that created it.
final class ProblemScan {
    private let triggers = ProblemPatterns.triggers
    private lazy var texts = ProblemPatterns.texts
    private lazy var expressions = LazyScanner(ProblemPatterns.expressionSet)

    /// This is a class because a lazy property can't hold a noncopyable value.
    private final class LazyScanner {
        var scanner: PatternScanner

        init(_ set: PatternSet) { scanner = PatternScanner(set) }
    }

    /// The mildest rank at which all sentences count: that of High.
    private static let maximumRank = 5

    /// Returns the signs in the message of a row of this rank.
    ///
    /// The type of an exception is a clear sign, so the scan stops there.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - isMild: Whether the row is milder than High, so that only sentences with a trigger are signs.
    /// - Returns: The signs.
    func signs(in message: Span<UInt8>, isMild: Bool) -> ProblemSigns {
        if ExceptionSketch.namesType(message) { return .exception }
        let hasNumber = CodeStart.isIn(message)
        if isMild, !hasNumber, !triggers.isIn(message) { return [] }
        let found = texts.groups(in: message)
        var signs: ProblemSigns = found & ProblemPatterns.sentenceGroup != 0 ? .phrase : []
        guard isMild || hasNumber || !signs.isEmpty || found != 0 && triggers.isIn(message) else { return [] }
        // Expressions take several times as long to search for as texts.
        for match in expressions.scanner.matches(in: message) {
            signs.formUnion(ProblemPatterns.sign(of: match.pattern))
        }
        guard !signs.isEmpty, signs.contains(.success) || OutcomeCounts.mayBeZero(in: message) else { return signs }
        let counts = OutcomeCounts(message.array)
        if counts.areSuccess { signs.insert(.success) } else if counts.findsFailures { signs.remove(.success) }
        return signs
    }

    /// Returns short texts, one of which occurs in every message that shows a sign other than the number of a failure.
    static func texts(isMild: Bool) -> [[UInt8]] {
        (isMild ? ProblemPatterns.triggerTexts : ProblemPatterns.triggerTexts + ProblemPatterns.sentences)
            .map { Array($0.utf8) }
    }

    /// Returns whether a message may contain the number of a failure.
    static func hasNumber(_ message: Span<UInt8>) -> Bool { CodeStart.isIn(message) }

    /// Returns whether only sentences with a trigger are signs in rows of a rank.
    static func isMild(_ rank: Int) -> Bool { rank > maximumRank }
}

/// The patterns of ``ProblemScan``.
private enum ProblemPatterns {
    static let expressionSet = PatternSet(compilingWhenNeeded: expressions.map { $0.pattern })
    /// The triggers and, in a separate group, all sentences.
    static let texts = LiteralScan(
        groups: [triggerTexts, sentences].map { $0.map { Array($0.utf8) } },
        isCaseSensitive: false,
        in: .rows
    )
    static let sentenceGroup: UInt8 = 2
    static let triggers = LiteralScan(
        groups: [triggerTexts.map { Array($0.utf8) }],
        isCaseSensitive: true,
        in: .rows
    )

    /// Short texts: every message that shows an exception, a code that does not begin as ``CodeStart`` requires, or one
    /// of about a third of the sentences contains at least one of them.
    static let triggerTexts = [
        "Exception", "rrorCode", "rror: 8", "rror: 9", "rror: C", "rror: c", "rror code", "rror Code",
        "LastError", "HRESULT", "hresult", "Application error", "error CS",
        // About a third of the failure sentences contain at least one of these words.
        "ailed to ", "ould not ", "Cannot ", "cannot ", "nable to ", "not found", "does not exist", "not have",
        // The most frequent failure sentences; sentences without any of these words count only in rows of High and
        // worse.
        "ccess is denied", "Keyset does not", "Login failed for", "deadlock", "has timed out", "imeout expired",
        "used by another process", "could not be resolved", "actively refused", "ould not load file or",
        "bject reference not set", "permission was denied", "orcibly closed", "underlying connection",
        // The counts of errors in incoming mail, or in a completed job or crawl.
        "rrors occurred", "rror(s)",
    ]

    static func sign(of pattern: Int) -> ProblemSigns { expressions[pattern].sign }

    /// An expression is searched for only if the literal text that it contains occurs; see ``PatternSet``.
    private static let expressions: [(pattern: Pattern, sign: ProblemSigns)] = [
        (expression("[A-Za-z0-9]Exception(?:[ :'\"\\]),;.\\r\\n]|$)"), .exception),
        (expression("0x8[0-9A-Fa-f]{7}(?:[^0-9A-Fa-f]|$)"), .code),
        (expression("0xc0[0-9A-Fa-f]{6}(?:[^0-9A-Fa-f]|$)"), .code),
        (expression("0xC0[0-9A-Fa-f]{6}(?:[^0-9A-Fa-f]|$)"), .code),
        (expression("-214[67][0-9]{6}(?:[^0-9]|$)"), .code),
        (expression("[Ee]rror ?[Cc]ode" + value), .code),
        (expression("LastError" + value), .code),
        (expression("HRESULT" + value), .code),
        (expression("hresult" + value), .code),
        (expression("rror:? [89cC][0-9A-Fa-f]{7}(?:[^0-9A-Fa-f]|$)"), .code),
        (expression("error CS[0-9]{4}:"), .code),
        (expression("Application error when access"), .phrase),
        (expression("Errors occurred"), .errors),
        (expression("[1-9][0-9,.]* errors occurred"), .errors),
        (expression("[1-9][0-9,.]* [Ee]rror\\(s\\)"), .errors),
        (expression("rrors occurred[a-z: ]*[: ]0(?:[^0-9]|$)"), .success),
        (expression("(?:^|[^A-Za-z])[Ss]ucceeded(?:[^A-Za-z]|$)"), .success),
        (expression("(?:^|[^A-Za-z])[Ss]uccessfully(?:[^A-Za-z]|$)"), .success),
        (expression("(?:^|[^A-Za-z])[Pp]assed(?:[^A-Za-z]|$)"), .success),
    ]

    /// The text after the name of a code: a number other than zero.
    private static let value = "\\s?[=:]\\s?-?(?:0x)?0*[1-9A-Fa-f]"

    private static func expression(_ text: String) -> Pattern {
        let pattern = Pattern(text, .regularExpression, isCaseSensitive: true)
        assert(pattern.requiredLiteral != nil, "it would be searched for in every message")
        return pattern
    }

    static let sentences = FailureCodes.phrases.filter { $0.utf8.count >= 8 }
}

/// The beginnings of failure numbers: `0x8` and `0xC0` in eight digits, `-2147` and `-2146` in ten.
private enum CodeStart {
    /// Returns whether a message contains one of them.
    static func isIn(_ message: Span<UInt8>) -> Bool {
        message.withUnsafeBytes { bytes in
            // `0x` and `-2` are rare; a zero or a minus sign by itself is not.
            BytePair.isAny(of: hexadecimal, negative, in: bytes) { isIn($0, bytes) }
        }
    }

    private static let hexadecimal = BytePair("0", "x")
    private static let negative = BytePair("-", "2")

    /// Returns whether a number begins in a range.
    private static func isIn(_ range: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Bool {
        for index in range {
            switch bytes[index] {
            case UInt8(ascii: "0"):
                guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "x") else { continue }
                if isFailure(bytes[(index + 2)...].prefix(8)) { return true }
            case UInt8(ascii: "-"):
                if isNegativeFailure(bytes[(index + 1)...].prefix(10)) { return true }
            default: continue
            }
        }
        return false
    }

    /// Returns whether these are the eight hexadecimal digits of a failure code.
    private static func isFailure(_ digits: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard digits.count == 8, let first = digits.first else { return false }
        let isKind =
            first == UInt8(ascii: "8")
            || first | 0x20 == UInt8(ascii: "c") && digits[digits.startIndex + 1] == UInt8(ascii: "0")
        return isKind && digits.allSatisfy { $0 &- UInt8(ascii: "0") < 10 || ($0 | 0x20) &- UInt8(ascii: "a") < 6 }
    }

    /// Returns whether these are the ten digits of a failure code written as a negative number.
    private static func isNegativeFailure(_ digits: Slice<UnsafeRawBufferPointer>) -> Bool {
        digits.count == 10 && (digits.starts(with: "2147".utf8) || digits.starts(with: "2146".utf8))
            && digits.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
    }
}

/// The innermost exception of a message and its first custom frame, found quickly.
///
/// The sketch distinguishes kinds of rows while millions of them are read, so it examines only names. The content of a
/// finding comes from a thorough reading of one row.
struct ExceptionSketch {
    /// The full name of the type; `nil` if the message names none.
    private(set) var type: Range<Int>?
    /// The first frame in neither the System nor the Microsoft namespace, or else the first that is not in System.
    private(set) var frame: Range<Int>?

    /// The maximum number of bytes of a message that are examined.
    private static let maximum = 8192

    init(_ message: Span<UInt8>) {
        let end = min(message.count, Self.maximum)
        var isInner = false
        var fallback: Range<Int>?
        var index = 0
        while index < end {
            switch message[index] {
            case UInt8(ascii: "E") where message.hasText("Exception", at: index):
                // A name after an ellipsis is incomplete, because it began in another part of the message.
                if let name = Self.typeName(message, around: index, to: end),
                    message[name.lowerBound] != UInt8(ascii: ".")
                {
                    let follows = Self.followsArrow(message, name.lowerBound)
                    if Self.isWrapper(message, name) {
                        if type == nil { type = name }
                    } else if follows || !isInner {
                        if follows || type == nil || type.map({ Self.isWrapper(message, $0) }) == true { type = name }
                        isInner = true
                    }
                }
                index += 9
            case 0x20:
                guard let start = Self.frameStart(message, at: index) else {
                    index += 1
                    continue
                }
                if let name = Self.frameName(message, from: start, to: end), frame == nil {
                    if !message.hasText("System.", at: start) {
                        if !message.hasText("Microsoft.", at: start) {
                            frame = name
                        } else if fallback == nil {
                            fallback = name
                        }
                    }
                }
                index = start
            default: index += 1
            }
        }
        if frame == nil { frame = fallback }
    }

    /// Returns whether a message unambiguously names the type of an exception.
    static func namesType(_ message: Span<UInt8>) -> Bool {
        let end = min(message.count, maximum)
        return message.withUnsafeBytes { bytes in
            BytePair.isAny(of: word, word, in: bytes) { places in
                places.contains { isType(message, at: $0, to: end) }
            }
        }
    }

    private static let word = BytePair("E", "x")

    /// Returns whether a type's name ends with the word at `index`.
    private static func isType(_ message: Span<UInt8>, at index: Int, to end: Int) -> Bool {
        guard message.hasText("Exception", at: index), typeName(message, around: index, to: end) != nil else {
            return false
        }
        switch message[index - 1] {
        case UInt8(ascii: "_"), UInt8(ascii: "+"): return false
        default: break
        }
        guard index + 9 < message.count else { return true }
        return switch message[index + 9] {
        case UInt8(ascii: " "), UInt8(ascii: ":"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "]"),
            UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "."), 0x0D, 0x0A:
            true
        default: false
        }
    }

    /// Returns the name of the type that ends with the word at `index`.
    private static func typeName(_ message: Span<UInt8>, around index: Int, to end: Int) -> Range<Int>? {
        let after = index + 9
        guard after <= end else { return nil }
        if after < end {
            let next = message[after]
            // A method, such as HandleException(, is not a type, nor is a longer word.
            guard !isNamePart(next) || next == UInt8(ascii: "."), next != UInt8(ascii: "(") else { return nil }
            if next == UInt8(ascii: "."), after + 1 < end, isNamePart(message[after + 1]) { return nil }
        }
        var start = index
        while start > 0, index - start < 200, isNamePart(message[start - 1]) { start -= 1 }
        // The word by itself does not name a type.
        return start < index && message[index - 1] != UInt8(ascii: ".") ? start..<after : nil
    }

    /// Returns where a frame begins if ` at `, the German ` bei ` or the French ` à ` is at `index`.
    private static func frameStart(_ message: Span<UInt8>, at index: Int) -> Int? {
        guard index + 1 < message.count else { return nil }
        switch message[index + 1] {
        case UInt8(ascii: "a"): return message.hasText(" at ", at: index) ? index + 4 : nil
        case UInt8(ascii: "b"): return message.hasText(" bei ", at: index) ? index + 5 : nil
        case 0xC3: return message.hasText(" à ", at: index) ? index + 4 : nil
        default: return nil
        }
    }

    private static func frameName(_ message: Span<UInt8>, from start: Int, to end: Int) -> Range<Int>? {
        var index = start
        var hasDot = false
        while index < end, index - start < 300 {
            let byte = message[index]
            if byte == UInt8(ascii: "(") { return hasDot ? start..<index : nil }
            guard
                isNamePart(byte) || byte == UInt8(ascii: "`") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
            else { return nil }
            if byte == UInt8(ascii: ".") { hasDot = true }
            index += 1
        }
        return nil
    }

    private static func followsArrow(_ message: Span<UInt8>, _ start: Int) -> Bool {
        message.hasText("-> ", at: start - 3)
    }

    private static func isWrapper(_ message: Span<UInt8>, _ name: Range<Int>) -> Bool {
        wrappers.contains { message.hasText($0, at: name.upperBound - $0.utf8CodeUnitCount) }
    }

    /// The exceptions that only wrap another exception.
    private static let wrappers: [StaticString] = [
        "HttpUnhandledException", "TargetInvocationException", "TypeInitializationException", "AggregateException",
        "HttpException",
    ]

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+")
    }
}
