import Synchronization
import TextKit
import TextPatterns
import ULSLog

/// The patterns that some cases look for in messages.
///
/// They are compiled separately, because searching for a few patterns is several times as fast as searching for all of
/// them; compilation is delayed until the first message is examined.
final class CasePatternSet: Sendable {
    private let selectors: CompiledSelectors
    /// The number of each pattern in the table of all patterns.
    fileprivate let numbers: [Int]
    private let compiled: Mutex<PatternSet?>

    /// Creates a set of the patterns with these numbers, which are all known to compile.
    init(_ selectors: CompiledSelectors, _ numbers: [Int]) {
        self.selectors = selectors
        self.numbers = numbers
        compiled = Mutex(nil)
    }

    /// Creates a set of all patterns.
    init(_ selectors: CompiledSelectors) {
        self.selectors = selectors
        numbers = Array(selectors.patterns.indices)
        compiled = Mutex(selectors.allPatterns())
    }

    /// The number of patterns in all sets together.
    fileprivate var count: Int { selectors.patterns.count }

    /// Returns the patterns, which are compiled on the first call.
    fileprivate func set() -> PatternSet {
        compiled.withLock { compiled in
            if let compiled { return compiled }
            let set = PatternSet(compilingWhenNeeded: numbers.map { selectors.patterns[$0] })
            compiled = set
            return set
        }
    }
}

/// The patterns of the cases that rows may meet: one set for the cases that name the rows' event ID, and one for the
/// others.
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
    ///   - isClear: Whether the other cases are known not to hold for this message.
    /// - Returns: Whether the message contains any of the patterns.
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
    /// The number of the last message in which each pattern was found.
    private var seen: [UInt64]
    private var message: UInt64 = 0

    init(count: Int) { seen = Array(repeating: 0, count: count) }

    fileprivate mutating func begin() { message += 1 }
    fileprivate mutating func add(_ pattern: Int) { seen[pattern] = message }
    func contains(_ pattern: Int) -> Bool { seen[pattern] == message }
}

/// A quick check that determines in one pass whether a message lacks the texts that a case or a sign of failure
/// requires, as nearly all messages do.
final class MessageGate: Sendable {
    /// The reasons why a message may be of interest.
    struct Interests: OptionSet {
        let rawValue: UInt8

        /// A case may hold for the message.
        static let cases = Self(rawValue: 1)
        /// The message may contain a sign of failure.
        static let signs = Self(rawValue: 2)
        static let all: Self = [.cases, .signs]
    }

    private let texts: LiteralScan
    /// The texts that cases require, and the kind of rows that the gate was created for.
    private let needed: [[UInt8]]
    private let isMild: Bool

    /// The most recent gates of this process: a program that diagnoses one log after another with the same rules
    /// creates them only once, because creating them takes longer than examining a short log.
    private static let last = Mutex<[MessageGate]>([])
    private static let maximumLast = 4

    /// Returns a gate for these texts and rows, reusing that of an earlier diagnosis if possible.
    static func with(_ texts: [[UInt8]], isMild: Bool) -> MessageGate? {
        if let gate = last.withLock({ $0.first { $0.isMild == isMild && $0.needed == texts } }) { return gate }
        guard let gate = MessageGate(texts, isMild: isMild) else { return nil }
        last.withLock { $0 = [gate] + $0.prefix(maximumLast - 1) }
        return gate
    }

    /// The minimum length of a text, in bytes; shorter texts make a pass take longer.
    private static let minimumText = 7
    private static let maximumTexts = 4000

    /// Creates a gate; fails if there are too many texts.
    ///
    /// - Parameters:
    ///   - texts: The texts that cases require.
    ///   - isMild: Whether the rows are milder than High; see ``ProblemScan``.
    init?(_ texts: [[UInt8]], isMild: Bool) {
        guard texts.count <= Self.maximumTexts else { return nil }
        needed = texts
        self.isMild = isMild
        self.texts = LiteralScan(groups: [texts, ProblemScan.texts(isMild: isMild)], isCaseSensitive: false, in: .rows)
    }

    /// Returns the most distinctive of several lists, where a message must contain one text from each list; `nil` if
    /// every list contains short texts.
    static func best(of lists: [[[UInt8]]?]) -> [[UInt8]]? {
        let usable = lists.compactMap(\.self).filter { $0.allSatisfy { $0.count >= minimumText } }
        return usable.max { ($0.map(\.count).min() ?? 0) < ($1.map(\.count).min() ?? 0) }
    }

    /// Returns the reasons why a message may be of interest; nearly all messages have none.
    func interests(of message: Span<UInt8>) -> Interests {
        let found = Interests(rawValue: texts.groups(in: message))
        return ProblemScan.hasNumber(message) ? found.union(.signs) : found
    }
}

extension TypicalTexts {
    /// The typical contents of a farm's rows.
    static let rows = TypicalTexts([
        "Entering Monitored Scope (Request (GET:https://portal:443/sites/team/_layouts/15/start.aspx?ID=1)). Parent None",
        "Leaving Monitored Scope (Request (POST:http://portal:80/_vti_bin/client.svc/ProcessQuery)). Execution Time=12.3",
        "Name=Request (GET:https://portal:443/_api/web/lists/SitePages/Home.aspx?Source=)", "Name=Timer Job ",
        "Non-OAuth request. IsAuthenticated=True, UserIdentityName=0#.w|contoso, ClaimsCount=", "Site=/sites/",
        "Micro Trace Tags: 0 nasq,1 agb9s,3 b4ly", "Updating SPPersistedObject Status: Online, Parent: SPFarm Name=",
        "Application Authentication Pipeline took ", "SharePoint database connection content web service application",
        "Sql Ring buffer status eventsPerSec = ,processingTime=", "Getting Error Message for Exception System.",
        "permission request user profile template workflow library document property feature response invalid missing",
        "token provider module handler error from with without because loaded service server group scope connection",
        "session timeout expired loading created deleted updated started completed failed skipped returned finished",
    ])
}

/// A cache of results for messages, because failures are logged repeatedly in the same words.
///
/// The cache has a fixed size, so a new message may replace an earlier one. Messages are identified by a hash that
/// differs in each process, so no log can be crafted to make one message pass for another.
struct MessageMemo<Fact: Sendable>: Sendable {
    /// The entries by the lowest bits of the key; the array is empty before the first fact, and key 0 marks an unused
    /// entry.
    private var entries: [(key: UInt64, fact: Fact)] = []
    private let seed = HashSeed()

    private static var size: Int { 1 << 15 }

    /// Returns the hash of a message, which is the same in all memos.
    func hash(of message: Span<UInt8>) -> UInt64 { seed.hash(of: message) }

    /// Returns a key for the hash of a message and for the other values on which the fact depends.
    func key(_ hash: UInt64, _ other: UInt64) -> UInt64 { seed.mixed(hash, other) }

    /// Returns a key for the hash of a message and for the other values on which the fact depends.
    func key(_ hash: UInt64, _ other: Span<UInt8>, _ third: UInt64) -> UInt64 {
        key(hash, seed.mixed(seed.hash(of: other), third))
    }

    /// Returns the fact stored for a key.
    subscript(key: UInt64) -> Fact? {
        guard key != 0, !entries.isEmpty else { return nil }
        let entry = entries[Int(key & UInt64(Self.size - 1))]
        return entry.key == key ? entry.fact : nil
    }

    /// Stores a fact.
    mutating func note(_ fact: Fact, by key: UInt64) {
        if entries.isEmpty { entries = Array(repeating: (0, fact), count: Self.size) }
        entries[Int(key & UInt64(Self.size - 1))] = (key, fact)
    }
}

/// A ``MessageMemo`` of facts in one byte, which stays in the processor's cache although it holds more messages.
struct ByteMemo: Sendable {
    /// The entries, each with the fact in its lowest byte and the rest of the key above it; 0 marks an unused entry.
    ///
    /// The place of an entry contains the lowest bits of the key, so all bits of the key are compared.
    private var entries: [UInt64] = []

    private static let size = 1 << 16

    /// Returns the fact stored for a key of a ``MessageMemo``.
    subscript(key: UInt64) -> UInt8? {
        guard key >> 8 != 0, !entries.isEmpty else { return nil }
        let entry = entries[Int(key & UInt64(Self.size - 1))]
        return entry >> 8 == key >> 8 ? UInt8(truncatingIfNeeded: entry) : nil
    }

    /// Stores a fact.
    mutating func note(_ fact: UInt8, by key: UInt64) {
        if entries.isEmpty { entries = Array(repeating: 0, count: Self.size) }
        entries[Int(key & UInt64(Self.size - 1))] = key & ~0xFF | UInt64(fact)
    }
}
