import FailureExplanation
import Synchronization
import TextKit
import TextPatterns
import ULSLog
import YAML

/// The selectors of all rules, looked up first by event ID and then by text.
struct CompiledSelectors: Sendable {
    let cases: [CompiledCase]
    /// The patterns that cases look for in messages, by number.
    let patterns: [Pattern]
    /// The cache of compiled patterns; `nil` if each user compiles its own.
    private let sets: PatternSets?
    /// The cases that name event IDs, by lowercase event ID.
    private let byEventID: [[UInt8]: [Int]]
    /// The cases that name no event IDs.
    private let others: [Int]
    /// The patterns that those cases look for.
    let patternsOfOthers: [Int]
    /// Texts, at least one of which occurs in every message that meets one of those cases, except for cases without
    /// such texts.
    var textsOfOthers: [[UInt8]] { Array(Set(others.flatMap { cases[$0].neededTexts ?? [] })) }

    /// - Parameters:
    ///   - rules: The rules, in the order of their numbers.
    ///   - areTrusted: Whether all patterns are known to compile; checking them takes some time.
    ///   - sets: Patterns that have already been compiled.
    /// - Throws: ``RuleError`` for an expression that cannot be compiled.
    init(_ rules: [Rule], areTrusted: Bool = false, sets: PatternSets? = nil) throws(RuleError) {
        var table = PatternTable()
        var cases: [CompiledCase] = []
        for (number, rule) in rules.enumerated() {
            for (selector, entry) in rule.selectors.entries.enumerated() {
                for written in entry.value.cases {
                    cases.append(
                        CompiledCase(written, rule: number, selector: selector, rule, &table)
                    )
                }
            }
        }
        self.cases = cases
        patterns = table.patterns
        self.sets = sets
        if !areTrusted { try table.checkPatterns(sets) }
        var byEventID: [[UInt8]: [Int]] = [:]
        for (number, one) in cases.enumerated() {
            for id in one.eventIDs ?? [] { byEventID[id, default: []].append(number) }
        }
        self.byEventID = byEventID
        others = cases.indices.filter { cases[$0].eventIDs == nil }
        patternsOfOthers = Set(others.flatMap { cases[$0].patterns }).sorted()
    }

    /// Returns a set of all patterns, which are all known to compile.
    func allPatterns() -> PatternSet {
        guard let sets else { return PatternSet(compilingWhenNeeded: patterns) }
        do {
            return try sets.set(of: patterns)
        } catch {
            fatalError("patterns of rules cannot be compiled: \(error)")
        }
    }

    /// Returns whether rows with these columns are noise, regardless of their message.
    func isNoise(_ columns: EventColumns) -> Bool { candidates(columns).contains { cases[$0].makesNoise } }

    /// Returns, in order, the cases that rows with these columns may meet.
    func candidates(_ columns: EventColumns) -> [Int] {
        let named = byEventID[columns.eventID.map(\.lowercased)] ?? []
        return (named + others).filter { cases[$0].holds(columns) }.sorted()
    }
}

/// A case of a selector, prepared for events; this is a class because a case is evaluated for each of many rows.
final class CompiledCase: Sendable {
    /// The rule's number in its set, and the selector's in the rule.
    let rule: Int
    let selector: Int
    /// The event IDs in lowercase; `nil` if the case names none.
    let eventIDs: [[UInt8]]?
    let captures: [CaptureTemplate]
    let messages: [MessageTest]
    /// Texts, at least one of which occurs, ignoring case, in every message that meets this case; `nil` if none are
    /// known.
    let neededTexts: [[UInt8]]?

    private let levels: [LevelTest]
    /// The conditions on area and category, and those on event IDs that ``eventIDs`` does not cover.
    private let columns: [(field: EventField, test: TextTest)]
    /// The conditions on columns that differ from row to row.
    private let others: [(condition: FieldCondition, test: TextTest)]
    /// Whether the bytes of a row may be compared unchanged even if the row is not in UTF-8.
    let isASCII: Bool
    /// Whether the case is part of a rule about noise.
    let isNoise: Bool

    /// Whether rows whose columns meet the conditions are noise, regardless of their message.
    var makesNoise: Bool { isNoise && messages.isEmpty && others.isEmpty }

    init(_ written: SelectorCase, rule: Int, selector: Int, _ owner: Rule, _ table: inout PatternTable) {
        self.rule = rule
        isNoise = owner.kind == .noise
        self.selector = selector
        var eventIDs: [[UInt8]]?
        var levels: [LevelTest] = []
        var columns: [(EventField, TextTest)] = []
        var others: [(FieldCondition, TextTest)] = []
        var messages: [MessageTest] = []
        for condition in written.conditions {
            switch condition.field {
            case .eventID where condition.comparison == .equals && eventIDs == nil && condition.quantifier == .any:
                eventIDs = condition.values.map { $0.utf8.map(\.lowercased) }
            case .eventID, .area, .category: columns.append((condition.field, TextTest(condition)))
            case .level: levels.append(LevelTest(condition))
            case .message: messages.append(MessageTest(condition, rule: owner.id, &table))
            case .process, .server, .correlation, .executionTime: others.append((condition, TextTest(condition)))
            }
        }
        self.eventIDs = eventIDs
        self.levels = levels
        self.columns = columns
        self.others = others
        self.messages = messages
        neededTexts = MessageGate.best(of: messages.map { $0.neededTexts(among: table.patterns) })
        captures = written.captures.compactMap { CaptureTemplate($0.value) }
        isASCII = written.conditions(on: .message).allSatisfy {
            $0.values.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
        }
    }

    /// The patterns that the case looks for in messages, as numbers in the table of all patterns.
    var patterns: [Int] { messages.flatMap(\.patterns) }

    /// Returns whether area, category, event ID, and level meet the conditions.
    ///
    /// An excerpt has none of these columns; for an excerpt, a case that names no event ID ignores the category, and
    /// also the level if the level is unknown or the message is decisive. An event that is quoted by its ID may lack a
    /// level and a category.
    func holds(_ row: EventColumns) -> Bool {
        if let eventIDs, !eventIDs.contains(where: { row.eventID.span.isSame(asFolded: $0) }) { return false }
        if row.isExcerpt, eventIDs == nil, row.isBare || !messages.isEmpty {
            return columns.allSatisfy { $0.field == .category }
        }
        guard row.isBare || levels.allSatisfy({ $0.holds(row.level.span, rank: row.rank) }) else { return false }
        return columns.allSatisfy { column in
            switch column.field {
            case .area: column.test.holds(row.area.span)
            case .category: row.isBare && row.category.isEmpty || column.test.holds(row.category.span)
            default: column.test.holds(row.eventID.span)
            }
        }
    }

    /// Returns whether all conditions on the message hold.
    func holds(message: Span<UInt8>, _ hits: PatternHits) -> Bool {
        for test in messages where !test.holds(message, hits) { return false }
        return true
    }

    /// Returns whether the conditions on process, server, correlation, and execution time hold.
    func holdsOtherwise(_ event: borrowing ULSEvent) -> Bool {
        for (condition, test) in others {
            let holds =
                switch condition.field {
                case .process: test.holds(event[.process])
                case .correlation: test.holds(event[.correlation])
                case .server: test.holds((event.server ?? "").utf8.span)
                default: Self.holds(condition, event.scopeMilliseconds)
                }
            guard holds else { return false }
        }
        return true
    }

    private static func holds(_ condition: FieldCondition, _ milliseconds: Double?) -> Bool {
        if condition.comparison == .exists { return (milliseconds != nil) == (condition.values.first == "true") }
        guard let milliseconds else { return false }
        let bounds = condition.values.compactMap { Double($0) }
        let meets = { (bound: Double) in
            condition.comparison == .atLeast ? milliseconds >= bound : milliseconds <= bound
        }
        return condition.quantifier == .all ? bounds.allSatisfy(meets) : bounds.contains(where: meets)
    }
}

/// A condition on a text, in a form that is ready to test.
struct TextTest: Sendable {
    private let comparison: FieldCondition.Comparison
    private let quantifier: FieldCondition.Quantifier
    /// The values in lowercase.
    private let values: [[UInt8]]

    init(_ condition: FieldCondition) {
        comparison = condition.comparison
        quantifier = condition.quantifier
        values = condition.values.map { $0.utf8.map(\.lowercased) }
    }

    /// Returns whether a text meets the condition.
    func holds(_ text: Span<UInt8>) -> Bool {
        let needsAll = quantifier == .all
        for value in values where holds(text, value) != needsAll { return quantifier == .any }
        return quantifier != .any
    }

    private func holds(_ text: Span<UInt8>, _ value: [UInt8]) -> Bool {
        switch comparison {
        case .equals: text.isSame(asFolded: value)
        case .contains: text.contains(folded: value)
        case .startsWith: text.begins(withFolded: value)
        case .endsWith: text.ends(withFolded: value)
        case .glob: text.matches(foldedGlob: value)
        case .exists: (text.count > 0) == (value.first == UInt8(ascii: "t"))
        // Expressions are searched for by the pattern set, and only in messages; bounds apply to numbers and levels.
        case .expression, .atLeast, .atMost: false
        }
    }
}

/// A condition on an event's level.
private struct LevelTest: Sendable {
    private let text: TextTest
    private let bound: (isAtLeast: Bool, rank: Int)?

    init(_ condition: FieldCondition) {
        text = TextTest(condition)
        let ranks = condition.values.map { ULSLevel($0).rank }
        bound =
            switch condition.comparison {
            // At least as severe as one of the values: compare with the mildest.
            case .atLeast: (true, condition.quantifier == .all ? ranks.min() ?? 0 : ranks.max() ?? 0)
            case .atMost: (false, condition.quantifier == .all ? ranks.max() ?? 0 : ranks.min() ?? 0)
            default: nil
            }
    }

    func holds(_ word: Span<UInt8>, rank: Int) -> Bool {
        guard let bound else { return text.holds(word) }
        return bound.isAtLeast ? rank <= bound.rank : rank >= bound.rank
    }
}

/// A condition on an event's message.
enum MessageTest: Sendable {
    /// Patterns, as numbers in the rule set's table.
    case patterns([Int], FieldCondition.Quantifier)
    case text(TextTest)

    init(_ condition: FieldCondition, rule: RuleID, _ table: inout PatternTable) {
        let kind: Pattern.Kind
        switch condition.comparison {
        case .contains: kind = .literal
        case .expression: kind = .regularExpression
        default:
            self = .text(TextTest(condition))
            return
        }
        let numbers = condition.values.map { value in
            table.number(of: Pattern(value, kind), rule: rule, place: condition.place)
        }
        self = .patterns(numbers, condition.quantifier)
    }

    /// The patterns that the test looks for.
    var patterns: [Int] {
        if case .patterns(let numbers, _) = self { numbers } else { [] }
    }

    /// Returns texts, at least one of which occurs in every message that passes the test; `nil` if none are known.
    func neededTexts(among patterns: [Pattern]) -> [[UInt8]]? {
        guard case .patterns(let numbers, let quantifier) = self, quantifier != .none else { return nil }
        let texts = numbers.map { patterns[$0].requiredLiteral }
        if quantifier == .all { return texts.compactMap(\.self).max { $0.count < $1.count }.map { [$0] } }
        return texts.contains(nil) ? nil : texts.compactMap(\.self)
    }

    /// Whether the test fails for a message that matches no pattern.
    var needsPattern: Bool {
        if case .patterns(_, let quantifier) = self { quantifier != .none } else { false }
    }

    func holds(_ message: Span<UInt8>, _ hits: PatternHits) -> Bool {
        switch self {
        case .patterns(let numbers, .all): numbers.allSatisfy { hits.contains($0) }
        case .patterns(let numbers, .any): numbers.contains { hits.contains($0) }
        case .patterns(let numbers, .none): !numbers.contains { hits.contains($0) }
        case .text(let test): test.holds(message)
        }
    }
}

/// All texts and expressions that rules look for in messages, without duplicates.
struct PatternTable {
    private(set) var patterns: [Pattern] = []
    private var numbers: [Pattern: Int] = [:]
    /// The place where each pattern first occurs, for use in errors.
    private var origins: [(rule: RuleID, place: Place)] = []

    /// Returns the number of a pattern, adding it if it is new.
    mutating func number(of pattern: Pattern, rule: RuleID, place: Place) -> Int {
        if let known = numbers[pattern] { return known }
        numbers[pattern] = patterns.count
        patterns.append(pattern)
        origins.append((rule, place))
        return patterns.count - 1
    }

    /// Throws an error if a pattern cannot be compiled.
    func checkPatterns(_ sets: PatternSets?) throws(RuleError) {
        do throws(PatternError) {
            _ = try (sets ?? PatternSets()).set(of: patterns)
        } catch {
            let origin = error.pattern.map { origins[$0] }
            throw RuleError(
                file: origin.map { "\($0.rule).yaml" } ?? "rules",
                place: origin?.place,
                message: error.message
            )
        }
    }
}

/// Compiled sets of patterns, each compiled only once, because the mutants of a rule largely share the same patterns.
package final class PatternSets: Sendable {
    private let known = Mutex<[[Pattern]: PatternSet]>([:])
    /// The maximum number of sets that are kept; when it is exceeded, all are discarded.
    private static let maximumKnown = 32

    package init() {}

    func set(of patterns: [Pattern]) throws(PatternError) -> PatternSet {
        if let set = known.withLock({ $0[patterns] }) { return set }
        let set = try PatternSet(patterns)
        known.withLock { known in
            if known.count >= Self.maximumKnown { known.removeAll() }
            known[patterns] = set
        }
        return set
    }
}

extension Span<UInt8> {
    /// Returns whether the bytes equal a text in lowercase, ignoring ASCII case.
    func isSame(asFolded text: [UInt8]) -> Bool { count == text.count && hasFolded(text, at: 0) }

    /// Returns whether the bytes begin with a text in lowercase, ignoring ASCII case.
    fileprivate func begins(withFolded text: [UInt8]) -> Bool { count >= text.count && hasFolded(text, at: 0) }

    /// Returns whether the bytes end with a text in lowercase, ignoring ASCII case.
    fileprivate func ends(withFolded text: [UInt8]) -> Bool {
        count >= text.count && hasFolded(text, at: count - text.count)
    }

    /// Returns whether the bytes contain a text in lowercase, ignoring ASCII case.
    func contains(folded text: [UInt8]) -> Bool {
        guard count >= text.count else { return false }
        for start in 0...(count - text.count) where hasFolded(text, at: start) { return true }
        return false
    }

    private func hasFolded(_ text: [UInt8], at start: Int) -> Bool {
        for index in text.indices where self[start + index].lowercased != text[index] { return false }
        return true
    }

    /// Returns whether the bytes match a lowercase pattern, where `*` matches any text and `?` matches any byte.
    ///
    /// The time is at most proportional to the product of the two lengths.
    func matches(foldedGlob pattern: [UInt8]) -> Bool {
        var (at, here) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while here < count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                star = (at, here)
                at += 1
            } else if at < pattern.count, pattern[at] == UInt8(ascii: "?") || pattern[at] == self[here].lowercased {
                at += 1
                here += 1
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                (at, here) = (last.pattern + 1, last.text + 1)
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// The bytes as text; invalid UTF-8 becomes U+FFFD.
    var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    /// A copy of the bytes.
    var array: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}

/// The facts that follow from an event's area, category, event ID, and level.
struct ColumnMeaning: Hashable, Sendable {
    /// The cases that the event may meet, in order.
    var candidates: [Int]
    var rank: Int
    /// The criterion for whether the event is a problem.
    var problem: Problem
    /// Whether any case examines the message.
    var looksAtMessage: Bool
    /// Whether every case needs a pattern in the message.
    var needsPattern: Bool

    enum Problem: Hashable, Sendable {
        /// Not a problem: the event is noise.
        case never
        /// A problem: Monitorable or worse, or without a level, as in text that was quoted because of a problem.
        case byLevel
        /// A problem only if the message shows signs of failure.
        case byMessage
    }

    init(_ columns: EventColumns, _ selectors: CompiledSelectors) {
        candidates = selectors.candidates(columns)
        rank = columns.rank
        let isNoise = candidates.contains { selectors.cases[$0].makesNoise }
        problem = isNoise ? .never : rank <= 3 || columns.isBare || columns.isKnown ? .byLevel : .byMessage
        needsPattern = candidates.allSatisfy { number in
            selectors.cases[number].messages.contains { $0.needsPattern }
        }
        looksAtMessage = candidates.contains { !selectors.cases[$0].messages.isEmpty }
    }
}

/// Columns that a row shares with thousands of others, so that decisions about them need to be made only once.
struct EventColumns: Hashable, Sendable {
    var area: [UInt8]
    var category: [UInt8]
    var eventID: [UInt8]
    var level: [UInt8]

    /// Whether the row has no level, because it is only a message, or an event quoted by its ID.
    ///
    /// Rows in logs always have a level, whereas events are usually pasted because of a problem.
    var isBare: Bool { level.isEmpty }

    /// Whether the row is a warning of Windows about a failure that the event ID identifies.
    var isKnown: Bool {
        rank == ULSLevel.warning.rank && !FailureCodes.find(event: eventID.span.text, of: area.span.text).isEmpty
    }

    /// Whether only the message of the row, and perhaps its level, was copied.
    var isExcerpt: Bool { eventID.isEmpty && category.isEmpty }

    var rank: Int { ULSLevel(level.span.text).rank }

    init(area: Span<UInt8>, category: Span<UInt8>, eventID: Span<UInt8>, level: Span<UInt8>) {
        self.area = area.array
        self.category = category.array
        self.eventID = eventID.array
        self.level = level.array
    }

    init(_ event: borrowing ULSEvent) {
        self.init(area: event[.area], category: event[.category], eventID: event[.eventID], level: event[.level])
    }
}

/// The meaning of columns, for use by one thread.
final class ColumnKnowledge {
    let meaning: ColumnMeaning
    let scan: MessageScan
    /// Whether only sentences with a trigger are signs of failure; see ``ProblemScan``.
    let isMild: Bool
    let needsPattern: Bool
    let hasCandidates: Bool
    /// Whether signs of failure matter.
    let mayBeProblem: Bool
    /// The gate that rejects nearly all messages; `nil` if all messages must be examined.
    let gate: MessageGate?
    let passage: Passage

    init(_ meaning: ColumnMeaning, _ scan: MessageScan, _ gate: MessageGate? = nil, isPaste: Bool) {
        self.meaning = meaning
        needsPattern = meaning.needsPattern
        hasCandidates = !meaning.candidates.isEmpty
        mayBeProblem = meaning.problem != .never
        let isMilder = ProblemScan.isMild(meaning.rank)
        isMild = meaning.problem == .byMessage && isMilder && !isPaste
        self.scan = scan
        self.gate = gate
        passage = Passage(
            gate: gate == nil ? .open : isMilder ? .mild : .severe,
            needsAllSigns: isMilder && meaning.problem == .byLevel,
            isEnd: needsPattern && !scan.hasNamed,
            countsByMessage: meaning.problem == .byMessage
        )
    }
}

/// The gate for messages of some columns.
///
/// This type holds no references, because it is looked up for each row, and reference counting would take as long as
/// the gate itself.
struct Passage {
    enum Gate {
        /// All messages pass.
        case open
        /// The gate for rows milder than High, or the gate for all other rows.
        case mild, severe
    }

    let gate: Gate
    /// Whether the gate ignores sentences that are signs here.
    let needsAllSigns: Bool
    /// Whether a message that does not pass is of no interest at all.
    let isEnd: Bool
    let countsByMessage: Bool
}
