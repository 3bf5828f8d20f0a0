import Synchronization
import TextPatterns

/// Patterns that some cases look for in messages, compiled separately, because a few patterns are found several times
/// as fast as all of them, and only when a message is first looked at.
final class CasePatternSet: Sendable {
    private let selectors: CompiledSelectors
    /// The number of each pattern in the table of all patterns.
    fileprivate let numbers: [Int]
    private let compiled: Mutex<PatternSet?>

    /// Takes the patterns with these numbers; all of them are known to compile.
    init(_ selectors: CompiledSelectors, _ numbers: [Int]) {
        self.selectors = selectors
        self.numbers = numbers
        compiled = Mutex(nil)
    }

    /// Takes the set of all patterns.
    init(_ selectors: CompiledSelectors) {
        self.selectors = selectors
        numbers = Array(selectors.patterns.indices)
        compiled = Mutex(selectors.allPatterns())
    }

    /// The number of all patterns of all sets.
    fileprivate var count: Int { selectors.patterns.count }

    /// Returns the patterns, compiled once.
    fileprivate func set() -> PatternSet {
        compiled.withLock { compiled in
            if let compiled { return compiled }
            let set = PatternSet(compilingWhenNeeded: numbers.map { selectors.patterns[$0] })
            compiled = set
            return set
        }
    }
}

/// The patterns of the cases that rows may meet: of those that name the rows' event ID, and of the others.
struct CasePatterns: Sendable {
    var named: CasePatternSet?
    var others: CasePatternSet?
}

/// The scanners of one thread: one for each set of patterns, because its working memory is large.
final class MessageScanners {
    fileprivate final class Scanner {
        let patterns: CasePatternSet
        var scanner: PatternScanner

        init(_ patterns: CasePatternSet) {
            self.patterns = patterns
            scanner = PatternScanner(patterns.set())
        }
    }

    private var known: [ObjectIdentifier: Scanner] = [:]

    fileprivate func scanner(of patterns: CasePatternSet) -> Scanner {
        if let scanner = known[ObjectIdentifier(patterns)] { return scanner }
        let scanner = Scanner(patterns)
        known[ObjectIdentifier(patterns)] = scanner
        return scanner
    }
}

/// A scan for the patterns of some cases in one message after another.
final class MessageScan {
    private let patterns: CasePatterns
    private let scanners: MessageScanners
    private lazy var named = patterns.named.map { scanners.scanner(of: $0) }
    private lazy var others = patterns.others.map { scanners.scanner(of: $0) }
    private(set) var hits: PatternHits

    init(_ patterns: CasePatterns, _ scanners: MessageScanners) {
        self.patterns = patterns
        self.scanners = scanners
        hits = PatternHits(count: (patterns.named ?? patterns.others)?.count ?? 0)
    }

    /// Whether there are patterns of cases that name event IDs.
    var hasNamed: Bool { patterns.named != nil }

    /// Finds the patterns in a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - isClear: Whether it is known that the other cases hold for no such message.
    /// - Returns: Whether there are any.
    @discardableResult
    func look(_ message: Span<UInt8>, isClear: Bool = false) -> Bool {
        hits.begin()
        let isNamed = named.map { look(message, $0) } ?? false
        guard !isClear, let others else { return isNamed }
        return look(message, others) || isNamed
    }

    private func look(_ message: Span<UInt8>, _ scanner: MessageScanners.Scanner) -> Bool {
        let matches = scanner.scanner.matches(in: message)
        for match in matches { hits.add(scanner.patterns.numbers[match.pattern]) }
        return !matches.isEmpty
    }
}

/// The patterns found in the current message.
struct PatternHits {
    /// The number of the last message that each pattern was in.
    private var seen: [UInt64]
    private var message: UInt64 = 0

    init(count: Int) { seen = Array(repeating: 0, count: count) }

    fileprivate mutating func begin() { message += 1 }
    fileprivate mutating func add(_ pattern: Int) { seen[pattern] = message }
    func contains(_ pattern: Int) -> Bool { seen[pattern] == message }
}

/// A first look at messages: nearly all hold none of the texts that a case or a sign of failure needs, and one pass tells.
final class MessageGate: Sendable {
    /// What a message may be of interest for.
    struct Interests: OptionSet {
        let rawValue: UInt8

        /// A case may hold for it.
        static let cases = Self(rawValue: 1)
        /// A sign of failure may be in it.
        static let signs = Self(rawValue: 2)
        static let all: Self = [.cases, .signs]
    }

    private let texts: LiteralScan

    /// The fewest bytes of a text: with shorter ones, a pass takes longer.
    private static let minimumText = 7
    private static let maximumTexts = 4000

    /// Creates a gate; fails if there are too many texts.
    ///
    /// - Parameters:
    ///   - texts: the texts that cases need.
    ///   - isMild: whether the rows are milder than High; see ``ProblemScan``.
    init?(_ texts: [[UInt8]], isMild: Bool) {
        guard texts.count <= Self.maximumTexts else { return nil }
        self.texts = LiteralScan(groups: [texts, ProblemScan.texts(isMild: isMild)], isCaseSensitive: false)
    }

    /// Returns the texts, of several lists of which each holds one that a message needs, that tell most; `nil` if all
    /// lists have short ones.
    static func best(of lists: [[[UInt8]]?]) -> [[UInt8]]? {
        let usable = lists.compactMap(\.self).filter { $0.allSatisfy { $0.count >= minimumText } }
        return usable.max { ($0.map(\.count).min() ?? 0) < ($1.map(\.count).min() ?? 0) }
    }

    /// Returns what a message may be of interest for; nothing for nearly all.
    func interests(of message: Span<UInt8>) -> Interests {
        let found = Interests(rawValue: texts.groups(in: message))
        return ProblemScan.hasNumber(message) ? found.union(.signs) : found
    }
}
