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
        self.texts = LiteralScan(groups: [texts, ProblemScan.texts(isMild: isMild)], isCaseSensitive: false)
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

/// A search for literal texts, in one or more groups, in messages so short that calling a pattern scanner costs more
/// than scanning.
///
/// One window is chosen from each text; all windows have the same length. A message is tested for grams of four bytes
/// only at regular offsets, spaced so that one gram lies in each window. If a gram occurs in a window, that window is
/// looked up first, and only then the complete text is compared. Building the scan takes a fraction of a millisecond.
final class LiteralScan: Sendable {
    /// A window, in 16 bytes, so that all entries stay in the processor's cache.
    private struct Entry {
        /// The bytes of the window.
        var window: UInt64
        var literal: UInt16
        /// The offset of the window in its text.
        var offset: UInt16
        /// The bit of the literal's group.
        var group: UInt8
    }

    private let literals: [[UInt8]]
    /// The bits of all groups.
    private let groups: UInt8
    private let isCaseSensitive: Bool
    /// The length of a window in bytes.
    private let length: Int
    private let windowMask: UInt64
    private let stride: Int
    /// A bit for each hash of a gram that is in a window.
    private let grams: [UInt64]
    /// A bit for each hash of a window.
    private let windows: [UInt64]
    /// The index at which the entries of each window's hash begin, followed by the number of entries.
    private let heads: [UInt16]
    /// The entries, by hash.
    private let entries: [Entry]

    private static let gramBits = 17
    private static let windowBits = 16
    private static let headMask = 1 << 13 - 1
    private static let gramLength = 4

    /// - Parameters:
    ///   - texts: The literals, at most a few thousand, none shorter than four bytes.
    ///   - isCaseSensitive: Whether ASCII case matters; the case of other letters always does.
    convenience init(_ texts: [[UInt8]], isCaseSensitive: Bool) {
        self.init(groups: [texts], isCaseSensitive: isCaseSensitive)
    }

    /// - Parameters:
    ///   - groups: At most eight groups of literals; a group's number is the position of its bit in the result.
    ///   - isCaseSensitive: Whether ASCII case matters; the case of other letters always does.
    init(groups: [[[UInt8]]], isCaseSensitive: Bool) {
        let texts = groups.flatMap(\.self)
        let bits = groups.enumerated().flatMap { number, texts in texts.map { _ in UInt8(1) << UInt8(number) } }
        self.groups = bits.reduce(0, |)
        literals = isCaseSensitive ? texts : texts.map { $0.map(\.lowercased) }
        self.isCaseSensitive = isCaseSensitive
        let length = literals.reduce(8) { min($0, $1.count) }
        precondition(length >= Self.gramLength, "the text is shorter than one n-gram")
        let stride = length - Self.gramLength + 1
        // Windows are preferred whose grams are rare, both in messages and in the other literals.
        var frequencies = Self.frequencies
        for literal in literals {
            Self.forEachHash(in: literal) { _, hash in frequencies[hash & (frequencies.count - 1)] += 1 }
        }
        var grams = [UInt64](repeating: 0, count: 1 << (Self.gramBits - 6))
        var windows = [UInt64](repeating: 0, count: 1 << (Self.windowBits - 6))
        var placed: [(head: Int, entry: Entry)] = []
        placed.reserveCapacity(literals.count)
        var hashes: [Int] = []
        for (number, literal) in literals.enumerated() {
            hashes.removeAll(keepingCapacity: true)
            var (sum, least, offset): (Int32, Int32, Int) = (0, .max, 0)
            Self.forEachHash(in: literal) { place, hash in
                hashes.append(hash)
                sum += frequencies[hash & (frequencies.count - 1)]
                if place >= stride { sum -= frequencies[hashes[place - stride] & (frequencies.count - 1)] }
                if place >= stride - 1, sum < least { (least, offset) = (sum, place - stride + 1) }
            }
            let window = literal.withUnsafeBytes { Self.window(at: offset, length, in: $0) }
            for hash in hashes[offset..<(offset + stride)] { grams[hash >> 6] |= 1 << UInt64(hash & 63) }
            let hash = Self.hash(window)
            windows[hash >> 6] |= 1 << UInt64(hash & 63)
            let entry = Entry(window: window, literal: UInt16(number), offset: UInt16(offset), group: bits[number])
            placed.append((hash & Self.headMask, entry))
        }
        var heads = [UInt16](repeating: 0, count: Self.headMask + 2)
        for (head, _) in placed { heads[head + 1] += 1 }
        for head in 0...Self.headMask { heads[head + 1] += heads[head] }
        var next = heads
        var entries = placed.map(\.entry)
        for (head, entry) in placed {
            entries[Int(next[head])] = entry
            next[head] += 1
        }
        self.length = length
        windowMask = Self.mask(length)
        self.stride = stride
        self.grams = grams
        self.windows = windows
        self.heads = heads
        self.entries = entries
    }

    /// The frequencies of grams in typical messages, by hash.
    private static let frequencies: [Int32] = {
        var frequencies = [Int32](repeating: 0, count: 1 << 14)
        for text in usual {
            forEachHash(in: Array(text.utf8)) { _, hash in frequencies[hash & (frequencies.count - 1)] += 200 }
        }
        return frequencies
    }()

    /// The typical contents of a farm's rows.
    private static let usual = [
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
    ]

    /// Returns whether one of the texts is in a message.
    func isIn(_ message: Span<UInt8>) -> Bool { groups(in: message, until: groups) != 0 }

    /// Returns the bits of the groups that have a text in the message.
    func groups(in message: Span<UInt8>) -> UInt8 { groups(in: message, until: 0) }

    /// Returns the bits of the groups found: all of them, or only those up to the first group in `last`.
    @inline(__always)
    private func groups(in message: Span<UInt8>, until last: UInt8) -> UInt8 {
        let stride = stride
        return message.withUnsafeBytes { bytes in
            grams.withUnsafeBufferPointer { grams in
                let end = bytes.count - Self.gramLength
                var found: UInt8 = 0
                var offset = 0
                while offset <= end {
                    let hash = Self.hash(Self.gram(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
                    if grams[hash >> 6] & (1 << UInt64(truncatingIfNeeded: hash & 63)) != 0 {
                        found |= groups(around: offset, bytes, besides: found)
                        if found & last != 0 || found == groups { return found }
                    }
                    offset &+= stride
                }
                return found
            }
        }
    }

    /// Returns the groups, other than those already found, whose texts occur around a gram at an offset.
    // This is separate from the loop, which needs all of the processor's registers.
    @inline(never)
    private func groups(around offset: Int, _ bytes: UnsafeRawBufferPointer, besides known: UInt8) -> UInt8 {
        // Here, as at nearly all offsets, words can be read regardless of the gram's place in the window.
        let isInside = offset >= stride && offset &+ 8 <= bytes.count
        var found: UInt8 = 0
        for shift in 0..<stride {
            let start = offset &- shift
            let window: UInt64
            if isInside {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
                window = (word | Self.small) & windowMask
            } else {
                guard start >= 0, start &+ length <= bytes.count else { continue }
                window = Self.window(at: start, length, in: bytes)
            }
            let hash = Self.hash(window)
            guard windows[hash >> 6] & (1 << UInt64(hash & 63)) != 0 else { continue }
            let head = hash & Self.headMask
            for entry in entries[Int(heads[head])..<Int(heads[head + 1])] where entry.window == window {
                let isNew = (known | found) & entry.group == 0
                if isNew, isText(Int(entry.literal), at: start - Int(entry.offset), bytes) { found |= entry.group }
            }
        }
        return found
    }

    private func isText(_ number: Int, at start: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = literals[number].count
        guard start >= 0, count <= bytes.count - start else { return false }
        for index in 0..<count {
            let byte = bytes[start + index]
            guard (isCaseSensitive ? byte : byte.lowercased) == literals[number][index] else { return false }
        }
        return true
    }

    /// Returns the window at an offset, with letters in lowercase, as in a gram.
    @inline(__always)
    private static func window(at offset: Int, _ length: Int, in bytes: UnsafeRawBufferPointer) -> UInt64 {
        var window: UInt64 = 0
        if offset &+ 8 <= bytes.count {
            window = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        } else {
            for index in 0..<length { window |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        }
        return (window | small) & mask(length)
    }

    /// A mask that makes the letters in eight bytes lowercase.
    private static let small: UInt64 = 0x2020_2020_2020_2020

    /// Returns the mask for the bytes of a window in a word.
    private static func mask(_ length: Int) -> UInt64 { .max >> UInt64(truncatingIfNeeded: 64 &- 8 &* length) }

    /// Calls `body` with the offset and the hash of each gram of a text.
    private static func forEachHash(in text: [UInt8], _ body: (_ offset: Int, _ hash: Int) -> Void) {
        guard text.count >= gramLength else { return }
        text.withUnsafeBytes { bytes in
            for offset in 0...(text.count - gramLength) {
                body(offset, hash(gram(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))))
            }
        }
    }

    /// Returns a gram with its letters in lowercase; other bytes may also turn into letters.
    @inline(__always)
    private static func gram(_ bytes: UInt32) -> UInt32 { bytes | 0x2020_2020 }

    @inline(__always)
    private static func hash(_ gram: UInt32) -> Int {
        Int(truncatingIfNeeded: (gram &* 0x9E37_79B1) >> UInt32(32 - gramBits))
    }

    private static func hash(_ window: UInt64) -> Int {
        Int(truncatingIfNeeded: (window &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - windowBits))
    }
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

    private static var size: Int { 1 << 13 }

    /// Returns a key for a message and for the other values on which the fact depends.
    func key(of message: Span<UInt8>, _ other: UInt64) -> UInt64 { seed.mixed(seed.hash(of: message), other) }

    /// Returns a key for a message and for the other values on which the fact depends.
    func key(of message: Span<UInt8>, _ other: Span<UInt8>, _ third: UInt64) -> UInt64 {
        key(of: message, seed.mixed(seed.hash(of: other), third))
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
