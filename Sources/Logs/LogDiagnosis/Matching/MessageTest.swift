import TextPatterns

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
