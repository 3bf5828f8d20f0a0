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
