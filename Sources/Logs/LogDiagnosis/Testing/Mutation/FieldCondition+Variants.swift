import ULSLog

extension FieldCondition {
    /// The condition with one thing changed that a good test can see.
    var variants: [Variant<FieldCondition>] {
        var variants = values.withoutEach(Self.quoted, at: place).map { $0.lifted(self, \.values) }
        if values.count > 1 {
            var flipped = self
            flipped.needsAll.toggle()
            variants.append(Variant(flipped, needsAll ? "any of its values, not all" : "all of its values", at: place))
        }
        if let weaker = weakerComparison {
            var weakened = self
            weakened.comparison = weaker
            variants.append(Variant(weakened, "\(weaker.rawValue) instead of \(comparison.rawValue)", at: place))
        }
        for index in values.indices {
            for other in neighbours(of: values[index]) {
                var moved = self
                moved.values[index] = other
                variants.append(
                    Variant(moved, "\(Self.quoted(other)) instead of \(Self.quoted(values[index]))", at: place)
                )
            }
        }
        return variants.map { Variant($0.value, "\(words): \($0.change)", at: place) }
    }

    /// What it is called: `message|contains`.
    var words: String { "\(field.rawValue)|\(comparison.rawValue)\(needsAll ? "|all" : "")" }

    static func quoted(_ text: String) -> String {
        "\u{201C}\(text.count > 40 ? text.prefix(39) + "\u{2026}" : text[...])\u{201D}"
    }

    /// A comparison that holds of more; only of messages, as no other column says more than one thing.
    private var weakerComparison: Comparison? {
        guard field == .message else { return nil }
        return switch comparison {
        case .equals, .startsWith, .endsWith: .contains
        case .contains, .glob, .expression, .atLeast, .atMost, .exists: nil
        }
    }

    /// The values on both sides of a bound, and the opposite of a truth value.
    private func neighbours(of value: String) -> [String] {
        switch comparison {
        case .exists: return [value == "true" ? "false" : "true"]
        case .atLeast, .atMost:
            if field == .level { return Self.levels(besides: value) }
            guard let number = Int(value), (1..<1 << 40).contains(number) else { return [] }
            return ["\(number - 1)", "\(number + 1)"]
        case .equals, .contains, .startsWith, .endsWith, .glob, .expression: return []
        }
    }

    /// The levels that the service itself gives its trace rows, on both sides of one.
    private static func levels(besides value: String) -> [String] {
        let levels = ["Critical", "Unexpected", "Monitorable", "High", "Medium", "Verbose", "VerboseEx"]
        let rank = ULSLevel(value).rank
        let worse = levels.last { ULSLevel($0).rank < rank }
        let milder = levels.first { ULSLevel($0).rank > rank }
        return [worse, milder].compactMap(\.self)
    }
}
