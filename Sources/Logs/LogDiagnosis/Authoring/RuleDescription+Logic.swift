import YAML

extension RuleDescription {
    /// What the rule looks for, and what it concludes.
    static func logic(of rule: Rule) -> [Section] {
        var sections: [Section] = []
        func add(_ heading: String, _ facts: [Fact]) {
            if !facts.isEmpty { sections.append(Section(heading: heading, blocks: [.facts(facts)])) }
        }
        add("Looks for", rule.selectors.entries.map { Fact(name: $0.key.value, text: $0.value.words) })
        add("Checks", rule.checks.entries.map { Fact(name: $0.key.value, text: $0.value.words) })
        add(
            "Verdicts, the first that holds",
            rule.verdicts.map { verdict in
                let grade = "\(verdict.severity.rawValue), \(verdict.confidence.rawValue)"
                return Fact(name: verdict.id, text: "\(grade), if \(verdict.when.words): \(verdict.message)")
            }
        )
        return sections
    }
}

extension Selector {
    /// In words: `event ID is b9y3 or b9y9; message contains “resx”`.
    var words: String { cases.map(\.words).joined(separator: " — or ") }
}

extension SelectorCase {
    fileprivate var words: String {
        let captures = captures.map { "captures \u{201C}\($0.value)\u{201D}" }
        return (conditions.map(\.sentence) + captures).joined(separator: "; ")
    }
}

extension FieldCondition {
    /// In words: `message contains “a” and “b”`.
    fileprivate var sentence: String {
        let list = values.map { comparison == .equals ? $0 : "\u{201C}\($0)\u{201D}" }
            .joined(separator: needsAll ? " and " : " or ")
        let name = field.rawValue.replacing("_", with: " ").replacing("id", with: "ID")
        switch comparison {
        case .equals: return "\(name) is \(list)"
        case .contains: return "\(name) contains \(list)"
        case .startsWith: return "\(name) begins with \(list)"
        case .endsWith: return "\(name) ends with \(list)"
        case .glob: return "\(name) is like \(list)"
        case .expression: return "\(name) matches \(list)"
        case .exists: return "\(name) is \(values.first == "true" ? "there" : "missing")"
        case .atLeast:
            let bound = values.joined(separator: " or ")
            return field == .level ? "level is \(bound) or worse" : "\(name) is at least \(bound)"
        case .atMost:
            let bound = values.joined(separator: " or ")
            return field == .level ? "level is \(bound) or milder" : "\(name) is at most \(bound)"
        }
    }
}

extension CheckDefinition {
    /// In words: `a, then b, in one request, within 60 s`.
    var words: String {
        switch kind {
        case .count(let count): count.words
        case .sequence(let sequence): sequence.words
        case .absence(let absence):
            "\(absence.after.value), and no \(absence.expect.value) within \(absence.within.words), \(absence.by.words)"
        case .config(let config): config.words
        case .differs(let differs):
            "\(differs.attribute) of \(differs.element) is not the same on all servers"
                + (differs.default.map { "; \($0) if not written" } ?? "")
        case .quality(let quality):
            "\(quality.metric.rawValue.replacing("_", with: " ")): \(quality.gte) or more"
        }
    }
}

extension CountDefinition {
    fileprivate var words: String {
        let bounds = [gte.map { "\($0) or more" }, lte.map { "\($0) or fewer" }, eq.map { "exactly \($0)" }]
            .compactMap(\.self).joined(separator: ", ")
        var parts = ["\(bounds) of \(of.value)"]
        if let distinct { parts.append("each \(distinct.value) counted once") }
        if let within { parts.append("within \(within.words)") }
        if let by { parts.append(by.words) }
        return parts.joined(separator: ", ")
    }
}

extension SequenceDefinition {
    fileprivate var words: String {
        var parts = [steps.map(\.value).joined(separator: ", then "), by.words]
        if let within { parts.append("within \(within.words)") }
        if let notBetween { parts.append("without \(notBetween.values.map(\.value).joined(separator: " or "))") }
        return parts.joined(separator: ", ")
    }
}

extension ConfigDefinition {
    fileprivate var words: String {
        let attributes = (self.where?.entries ?? []).map { "\($0.key.value) \($0.value.words)" }
        let place =
            switch location ?? "any" {
            case "any": ""
            case "none": ", outside of location elements"
            case let path: ", in the location \(path)"
            }
        return "web.config has \(element)"
            + (attributes.isEmpty ? "" : " where \(attributes.joined(separator: " and "))") + place
    }
}

extension AttributeCondition {
    fileprivate var words: String {
        var parts: [String] = []
        if let bool { parts.append("is \(bool)") }
        if let equals { parts.append("is \(equals.values.joined(separator: " or "))") }
        if let exists { parts.append(exists ? "is written" : "is not written") }
        if let value = `default` { parts.append("(\(value) if not written)") }
        return parts.joined(separator: " ")
    }
}

extension Grouping {
    fileprivate var words: String {
        switch self {
        case .correlation: "in one correlation"
        case .request: "in one request"
        case .server: "on one server"
        }
    }
}

extension RuleDuration {
    /// As it may be written: `60s`.
    var words: String {
        for (unit, length) in [("h", 3_600_000), ("m", 60_000), ("s", 1000)] as [(String, Int64)]
        where milliseconds % length == 0 && milliseconds > length {
            return "\(milliseconds / length) \(unit == "m" ? "min" : unit)"
        }
        return milliseconds == 1000 ? "1 s" : "\(milliseconds) ms"
    }
}
