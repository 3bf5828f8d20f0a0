import YAML

extension SequenceDefinition {
    /// The sequence with one thing changed.
    func variants(withStrictGroups: Bool) -> [Variant<SequenceDefinition>] {
        var variants: [Variant<SequenceDefinition>] = []
        for index in steps.indices {
            var shorter = self
            shorter.steps.remove(at: index)
            variants.append(Variant(shorter, "without step \(steps[index].value)", at: steps[index].place))
        }
        for index in steps.indices.dropLast() where steps[index].value != steps[index + 1].value {
            var swapped = self
            swapped.steps.swapAt(index, index + 1)
            let change = "\(steps[index + 1].value) before \(steps[index].value)"
            variants.append(Variant(swapped, change, at: steps[index].place))
        }
        if let breakers = not_between?.values {
            for index in breakers.indices {
                var shorter = breakers
                let dropped = shorter.remove(at: index)
                var looser = self
                looser.not_between = shorter.isEmpty ? nil : OneOrMany(shorter)
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
