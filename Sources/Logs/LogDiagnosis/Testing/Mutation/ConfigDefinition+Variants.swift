import YAML

extension ConfigDefinition {
    /// The check of a web.config with one thing changed.
    var variants: [Variant<ConfigDefinition>] {
        var variants: [Variant<ConfigDefinition>] = []
        let attributes = self.where?.entries ?? []
        for index in attributes.indices {
            let attribute = attributes[index]
            var others = attributes
            others.remove(at: index)
            variants.append(changed(others, "without \(attribute.key.value)", at: attribute.key.place))
            for variant in attribute.value.variants {
                var entries = attributes
                entries[index].value = variant.value
                variants.append(changed(entries, "\(attribute.key.value): \(variant.change)", at: attribute.key.place))
            }
        }
        let elsewhere = ["any", nil].contains(location) ? "none" : "any"
        variants.append(Variant(elsewhere as String?, "location: \(elsewhere)").lifted(self, \.location))
        return variants
    }

    private func changed(
        _ attributes: [YAMLMapping<AttributeCondition>.Entry],
        _ change: String,
        at place: Place
    ) -> Variant<ConfigDefinition> {
        var config = self
        config.where = attributes.isEmpty ? nil : YAMLMapping(entries: attributes)
        return Variant(config, change, at: place)
    }
}

extension AttributeCondition {
    fileprivate var variants: [Variant<AttributeCondition>] {
        var variants: [Variant<AttributeCondition>] = []
        if let bool { variants.append(Variant(!bool as Bool?, "bool: \(!bool)").lifted(self, \.bool)) }
        if let exists { variants.append(Variant(!exists as Bool?, "exists: \(!exists)").lifted(self, \.exists)) }
        if let equals {
            variants += equals.values.withoutEach(FieldCondition.quoted).map {
                Variant(OneOrMany($0.value) as OneOrMany<String>?, "equals \($0.change)").lifted(self, \.equals)
            }
        }
        variants += defaults.map { Variant($0, "default: \($0 ?? "none")").lifted(self, \.default) }
        return variants
    }

    /// Defaults that say the opposite; that none is known says it only if the default meets the condition.
    private var defaults: [String?] {
        guard let value = `default` else { return [] }
        if let bool {
            let word = value.lowercased()
            let opposite = word == "true" ? "false" : "true"
            return word == "\(bool)" ? [opposite, nil] : [opposite]
        }
        guard let equals else { return [] }
        if equals.values.contains(where: { $0.lowercased() == value.lowercased() }) { return [nil] }
        return equals.values.first.map { [$0] } ?? []
    }
}

extension DiffersDefinition {
    /// The comparison of servers with one thing changed.
    var variants: [Variant<DiffersDefinition>] {
        `default` == nil ? [] : [Variant(String?.none, "without default").lifted(self, \.default)]
    }
}
