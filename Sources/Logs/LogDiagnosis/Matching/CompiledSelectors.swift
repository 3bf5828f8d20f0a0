import TextPatterns
import ULSLog
import YAML

/// The selectors of all rules, found by event ID first and by text then.
struct CompiledSelectors: Sendable {
    let cases: [CompiledCase]
    /// What cases look for in messages, by number.
    let patterns: [Pattern]
    /// Cases that name event IDs, by event ID in small letters.
    private let byEventID: [[UInt8]: [Int]]
    /// Cases that don't.
    private let others: [Int]

    /// - Parameters:
    ///   - rules: in the order of their numbers.
    ///   - areTrusted: whether it is known that all patterns can be compiled, which takes some time to find out.
    /// - Throws: An expression that can't be.
    init(_ rules: [Rule], areTrusted: Bool = false) throws(RuleError) {
        var table = PatternTable()
        var cases: [CompiledCase] = []
        for (number, rule) in rules.enumerated() {
            for (selector, entry) in rule.selectors.entries.enumerated() {
                for written in entry.value.cases {
                    cases.append(
                        CompiledCase(written, rule: number, selector: selector, id: rule.id, &table)
                    )
                }
            }
        }
        self.cases = cases
        patterns = table.patterns
        if !areTrusted { try table.checkPatterns() }
        var byEventID: [[UInt8]: [Int]] = [:]
        for (number, one) in cases.enumerated() {
            for id in one.eventIDs ?? [] { byEventID[id, default: []].append(number) }
        }
        self.byEventID = byEventID
        others = cases.indices.filter { cases[$0].eventIDs == nil }
    }

    /// The cases that rows with these columns may meet, in order.
    func candidates(_ columns: EventColumns) -> [Int] {
        let named = byEventID[columns.eventID.map(\.folded)] ?? []
        return (named + others).filter { cases[$0].holds(columns) }.sorted()
    }
}

/// A case of a selector, ready for events.
struct CompiledCase: Sendable {
    /// The rule's number in its set, and the selector's in the rule.
    let rule: Int
    let selector: Int
    /// In small letters; `nil` if it doesn't name any.
    let eventIDs: [[UInt8]]?
    let captures: [CaptureTemplate]
    let messages: [MessageTest]

    private let levels: [LevelTest]
    /// Conditions on area, category and odd ones on event IDs.
    private let columns: [(field: EventField, test: TextTest)]
    /// Conditions on what differs from row to row.
    private let others: [(condition: FieldCondition, test: TextTest)]
    /// Whether bytes of a row that is not UTF-8 may be compared as they stand.
    let isASCII: Bool

    init(_ written: SelectorCase, rule: Int, selector: Int, id: RuleID, _ table: inout PatternTable) {
        self.rule = rule
        self.selector = selector
        var eventIDs: [[UInt8]]?
        var levels: [LevelTest] = []
        var columns: [(EventField, TextTest)] = []
        var others: [(FieldCondition, TextTest)] = []
        var messages: [MessageTest] = []
        for condition in written.conditions {
            switch condition.field {
            case .eventID where condition.comparison == .equals && eventIDs == nil && !condition.needsAll:
                eventIDs = condition.values.map { $0.utf8.map(\.folded) }
            case .eventID, .area, .category: columns.append((condition.field, TextTest(condition)))
            case .level: levels.append(LevelTest(condition))
            case .message: messages.append(MessageTest(condition, rule: id, &table))
            case .process, .server, .correlation, .executionTime: others.append((condition, TextTest(condition)))
            }
        }
        self.eventIDs = eventIDs
        self.levels = levels
        self.columns = columns
        self.others = others
        self.messages = messages
        captures = written.captures.compactMap { CaptureTemplate($0.value) }
        isASCII = written.conditions(on: .message).allSatisfy {
            $0.values.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
        }
    }

    /// What it looks for in messages, in the table of all.
    var patterns: [Int] { messages.flatMap(\.patterns) }

    /// Whether area, category, event ID and level are as they must be.
    ///
    /// A bare message has none of them: then a case that names no event ID does not ask for level and category.
    func holds(_ row: EventColumns) -> Bool {
        if let eventIDs, !eventIDs.contains(where: { row.eventID.span.isSame(asFolded: $0) }) { return false }
        if row.isBare, eventIDs == nil { return columns.allSatisfy { $0.field == .category } }
        guard levels.allSatisfy({ $0.holds(row.level.span, rank: row.rank) }) else { return false }
        return columns.allSatisfy { column in
            switch column.field {
            case .area: column.test.holds(row.area.span)
            case .category: column.test.holds(row.category.span)
            default: column.test.holds(row.eventID.span)
            }
        }
    }

    /// Whether all conditions on the message hold.
    func holds(message: Span<UInt8>, _ hits: PatternHits) -> Bool {
        for test in messages where !test.holds(message, hits) { return false }
        return true
    }

    /// Whether the conditions hold on process, server, correlation and execution time.
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
        return condition.needsAll ? bounds.allSatisfy(meets) : bounds.contains(where: meets)
    }
}

/// A condition on a text, ready to be tested.
struct TextTest: Sendable {
    private let comparison: FieldCondition.Comparison
    private let needsAll: Bool
    /// In small letters.
    private let values: [[UInt8]]

    init(_ condition: FieldCondition) {
        comparison = condition.comparison
        needsAll = condition.needsAll
        values = condition.values.map { $0.utf8.map(\.folded) }
    }

    /// Whether a text meets it.
    func holds(_ text: Span<UInt8>) -> Bool {
        for value in values where holds(text, value) != needsAll { return !needsAll }
        return needsAll
    }

    private func holds(_ text: Span<UInt8>, _ value: [UInt8]) -> Bool {
        switch comparison {
        case .equals: text.isSame(asFolded: value)
        case .contains: text.contains(folded: value)
        case .startsWith: text.begins(withFolded: value)
        case .endsWith: text.ends(withFolded: value)
        case .glob: text.matches(foldedGlob: value)
        case .exists: (text.count > 0) == (value.first == UInt8(ascii: "t"))
        // Expressions are looked for by the pattern set, bounds are of numbers and levels.
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
            // As bad or worse than one of them: than the mildest.
            case .atLeast: (true, condition.needsAll ? ranks.min() ?? 0 : ranks.max() ?? 0)
            case .atMost: (false, condition.needsAll ? ranks.max() ?? 0 : ranks.min() ?? 0)
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
    /// Patterns of the rule set's table.
    case patterns([Int], needsAll: Bool)
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
        self = .patterns(numbers, needsAll: condition.needsAll)
    }

    /// The patterns that it needs.
    var patterns: [Int] {
        if case .patterns(let numbers, _) = self { numbers } else { [] }
    }

    func holds(_ message: Span<UInt8>, _ hits: PatternHits) -> Bool {
        switch self {
        case .patterns(let numbers, needsAll: true): numbers.allSatisfy { hits.contains($0) }
        case .patterns(let numbers, needsAll: false): numbers.contains { hits.contains($0) }
        case .text(let test): test.holds(message)
        }
    }
}

/// All texts and expressions that rules look for in messages, each once.
struct PatternTable {
    private(set) var patterns: [Pattern] = []
    private var numbers: [Pattern: Int] = [:]
    /// Where a pattern was written first, for errors.
    private var origins: [(rule: RuleID, place: Place)] = []

    /// The number of a pattern.
    mutating func number(of pattern: Pattern, rule: RuleID, place: Place) -> Int {
        if let known = numbers[pattern] { return known }
        numbers[pattern] = patterns.count
        patterns.append(pattern)
        origins.append((rule, place))
        return patterns.count - 1
    }

    /// Refuses patterns that can't be compiled.
    func checkPatterns() throws(RuleError) {
        do throws(PatternError) {
            _ = try PatternSet(patterns)
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

extension UInt8 {
    /// A capital of ASCII as its small letter.
    @inline(__always)
    var folded: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}

extension Span<UInt8> {
    /// Whether it is the same text, which is given in small letters.
    func isSame(asFolded text: [UInt8]) -> Bool { count == text.count && hasFolded(text, at: 0) }

    /// Whether it begins with a text in small letters.
    fileprivate func begins(withFolded text: [UInt8]) -> Bool { count >= text.count && hasFolded(text, at: 0) }

    /// Whether it ends with a text in small letters.
    fileprivate func ends(withFolded text: [UInt8]) -> Bool {
        count >= text.count && hasFolded(text, at: count - text.count)
    }

    /// Whether a text in small letters stands in it.
    func contains(folded text: [UInt8]) -> Bool {
        guard count >= text.count else { return false }
        for start in 0...(count - text.count) where hasFolded(text, at: start) { return true }
        return false
    }

    private func hasFolded(_ text: [UInt8], at start: Int) -> Bool {
        for index in text.indices where self[start + index].folded != text[index] { return false }
        return true
    }

    /// Whether it matches a pattern in small letters, in which `*` is any text and `?` any byte.
    ///
    /// It takes time in proportion to the product of the lengths at most.
    func matches(foldedGlob pattern: [UInt8]) -> Bool {
        var (at, here) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while here < count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                star = (at, here)
                at += 1
            } else if at < pattern.count, pattern[at] == UInt8(ascii: "?") || pattern[at] == self[here].folded {
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

    /// The text; bytes that are none become U+FFFD.
    var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    /// A copy.
    var array: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
