import YAML

extension CheckDefinition {
    /// The check with one thing changed.
    ///
    /// - Parameter withStrictGroups: whether tests can tell correlations from requests.
    /// - Returns: each change by itself.
    func variants(withStrictGroups: Bool) -> [Variant<CheckDefinition>] {
        let kinds: [Variant<Kind>] =
            switch kind {
            case .count(let count): count.variants.map { Variant(.count($0.value), $0.change, at: $0.place) }
            case .sequence(let sequence): sequence.variants(withStrictGroups: withStrictGroups)
            case .absence(let absence): absence.variants(withStrictGroups: withStrictGroups)
            case .config(let config): config.variants.map { Variant(.config($0.value), $0.change) }
            case .differs(let differs): differs.variants.map { Variant(.differs($0.value), $0.change) }
            case .quality(let quality): quality.variants.map { Variant(.quality($0.value), $0.change) }
            }
        return kinds.map { $0.lifted(self, \.kind) }
    }
}

extension CountDefinition {
    fileprivate var variants: [Variant<CountDefinition>] {
        var variants: [Variant<CountDefinition>] = []
        for (name, bound) in [("gte", \Self.gte), ("lte", \Self.lte), ("eq", \Self.eq)] {
            guard let value = self[keyPath: bound] else { continue }
            for other in [value - 1, value + 1] where other >= 0 {
                variants.append(Variant(other as Int?, "\(name): \(other)", at: of.place).lifted(self, bound))
            }
        }
        variants += RuleDuration.variants(of: within).map { $0.lifted(self, \.within) }
        if by != nil { variants.append(Variant(Grouping?.none, "without by").lifted(self, \.by)) }
        if let distinct {
            let variant = Variant(Located<String>?.none, "without distinct", at: distinct.place)
            variants.append(variant.lifted(self, \.distinct))
        }
        return variants
    }
}

extension AbsenceDefinition {
    fileprivate func variants(withStrictGroups: Bool) -> [Variant<CheckDefinition.Kind>] {
        let alone = CountDefinition(of: after, gte: 1, by: by)
        var variants = [
            Variant(CheckDefinition.Kind.count(alone), "without expect: \(expect.value)", at: expect.place)
        ]
        for variant in RuleDuration.variants(of: within) {
            guard let within = variant.value else { continue }
            var longer = self
            longer.within = within
            variants.append(Variant(.absence(longer), variant.change, at: after.place))
        }
        variants += by.variants(withStrictGroups: withStrictGroups).map { variant in
            var regrouped = self
            regrouped.by = variant.value
            return Variant(.absence(regrouped), variant.change, at: after.place)
        }
        return variants
    }
}

extension QualityDefinition {
    fileprivate var variants: [Variant<QualityDefinition>] {
        [gte - 1, gte + 1].filter { $0 >= 0 }.map { Variant($0, "gte: \($0)").lifted(self, \.gte) }
    }
}

extension RuleDuration {
    /// No bound in time, and one that is ten times as long.
    static func variants(of duration: RuleDuration?) -> [Variant<RuleDuration?>] {
        guard let duration else { return [] }
        var variants = [Variant(RuleDuration?.none, "without within")]
        let tenfold = RuleDuration(milliseconds: min(duration.milliseconds * 10, longest.milliseconds))
        if tenfold != duration { variants.append(Variant(tenfold, "within ten times as long")) }
        return variants
    }
}

extension Grouping {
    /// Coarser groups, or finer ones.
    func variants(withStrictGroups: Bool) -> [Variant<Grouping>] {
        switch self {
        case .server: [Variant(.request, "by: request")]
        case .correlation: [Variant(.server, "by: server")]
        case .request:
            [Variant(.server, "by: server")] + (withStrictGroups ? [Variant(.correlation, "by: correlation")] : [])
        }
    }
}
