import TextPatterns
import ULSLog
import YAML

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
