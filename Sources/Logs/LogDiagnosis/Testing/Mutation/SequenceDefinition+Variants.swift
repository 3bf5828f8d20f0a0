import YAML

extension SequenceDefinition {
    /// The sequence with one thing changed.
    ///
    /// - Parameter withStrictGroups: whether tests can tell correlations from requests.
    /// - Returns: each change by itself.
    func variants(withStrictGroups: Bool) -> [Variant<CheckDefinition.Kind>] {
        withoutSteps
            + changes(withStrictGroups: withStrictGroups).map { Variant(.sequence($0.value), $0.change, at: $0.place) }
    }

    /// Each step dropped; what is left of two is a count of the groups that have the other.
    private var withoutSteps: [Variant<CheckDefinition.Kind>] {
        steps.indices.map { index in
            var shorter = self
            shorter.steps.remove(at: index)
            var kind = CheckDefinition.Kind.sequence(shorter)
            if shorter.steps.count == 1, let left = shorter.steps.first {
                let group = Located(by.rawValue, at: left.place)
                kind = .count(CountDefinition(of: left, gte: 1, distinct: group))
            }
            return Variant(kind, "without step \(steps[index].value)", at: steps[index].place)
        }
    }

    private func changes(withStrictGroups: Bool) -> [Variant<SequenceDefinition>] {
        var variants: [Variant<SequenceDefinition>] = []
        for index in steps.indices.dropLast() where steps[index].value != steps[index + 1].value {
            var swapped = self
            swapped.steps.swapAt(index, index + 1)
            let change = "\(steps[index + 1].value) before \(steps[index].value)"
            variants.append(Variant(swapped, change, at: steps[index].place))
        }
        if let breakers = notBetween?.values {
            for index in breakers.indices {
                var shorter = breakers
                let dropped = shorter.remove(at: index)
                var looser = self
                looser.notBetween = shorter.isEmpty ? nil : OneOrMany(shorter)
                variants.append(Variant(looser, "without not_between \(dropped.value)", at: dropped.place))
            }
        }
        let place = steps.first?.place
        variants += RuleDuration.variants(of: within).map { Variant($0.value, $0.change, at: place) }
            .map { $0.lifted(self, \.within) }
        variants += by.variants(withStrictGroups: withStrictGroups).map { Variant($0.value, $0.change, at: place) }
            .map { $0.lifted(self, \.by) }
        return variants
    }
}
