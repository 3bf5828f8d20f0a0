extension VerdictCondition {
    /// The condition with one thing changed, and the keys that lead to what was.
    var variants: [(condition: VerdictCondition, change: String, path: [String])] {
        switch self {
        case .check(let name): [(.not(self), "not \(name)", [])]
        case .all(let parts):
            Self.variants(of: parts, key: "all", make: VerdictCondition.all)
                + (parts.count > 1 ? [(.any(parts), "any instead of all", [])] : [])
        case .any(let parts):
            Self.variants(of: parts, key: "any", make: VerdictCondition.any)
                + (parts.count > 1 ? [(.all(parts), "all instead of any", [])] : [])
        case .not(let part):
            [(part, "without not", [])] + part.innerVariants.map { (.not($0.condition), $0.change, ["not"] + $0.path) }
        case .unknown(let part):
            [(part, "without unknown", []), (.not(self), "not unknown", [])]
                + part.innerVariants.map { (.unknown($0.condition), $0.change, ["unknown"] + $0.path) }
        }
    }

    /// The variants of what is below: a check has none that its operator has not.
    private var innerVariants: [(condition: VerdictCondition, change: String, path: [String])] {
        if case .check = self { [] } else { variants }
    }

    private static func variants(
        of parts: [VerdictCondition],
        key: String,
        make: ([VerdictCondition]) -> VerdictCondition
    ) -> [(condition: VerdictCondition, change: String, path: [String])] {
        var variants: [(condition: VerdictCondition, change: String, path: [String])] = []
        for index in parts.indices {
            func replaced(by other: VerdictCondition) -> VerdictCondition {
                var changed = parts
                changed[index] = other
                return make(changed)
            }
            let path = [key, "\(index)"]
            let name = parts[index].words
            if parts.count > 1 {
                var shorter = parts
                shorter.remove(at: index)
                variants.append((make(shorter), "without \(name)", path))
            }
            if case .all = parts[index] { variants.append((replaced(by: .not(parts[index])), "not \(name)", path)) }
            if case .any = parts[index] { variants.append((replaced(by: .not(parts[index])), "not \(name)", path)) }
            variants += parts[index].variants.map { (replaced(by: $0.condition), $0.change, path + $0.path) }
        }
        return variants
    }

    /// As it is written: `any [owssvr, not trace_on]`.
    var words: String {
        switch self {
        case .check(let name): name
        case .all(let parts): "all [\(parts.map(\.words).joined(separator: ", "))]"
        case .any(let parts): "any [\(parts.map(\.words).joined(separator: ", "))]"
        case .not(let part): "not \(part.words)"
        case .unknown(let part): "unknown \(part.words)"
        }
    }
}
