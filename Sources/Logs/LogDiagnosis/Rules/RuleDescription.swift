import TextKit
import YAML

/// A description of a rule, section by section, which `rules show` prints as text or in another format.
///
/// All texts are from the rule's author or from a test, so clean them before printing.
public struct RuleDescription: Sendable, Hashable {
    /// The rule's ID.
    public var id: RuleID
    /// The failure in a few words.
    public var title: String
    /// The slug, revision, status, category, tags and so on.
    public var identity: [Fact]
    /// The parts of the description, in order.
    public var sections: [Section]

    /// A section with a heading.
    public struct Section: Sendable, Hashable {
        /// The heading.
        public var heading: String
        /// The contents of the section.
        public var blocks: [Block]

        package init(heading: String, blocks: [Block]) {
            self.heading = heading
            self.blocks = blocks
        }
    }

    /// A part of a section.
    public enum Block: Sendable, Hashable {
        case paragraph(String)
        /// Names and their texts, in order.
        case facts([Fact])
        /// Steps to take, in order.
        case steps([Step])
        case references([Reference])
        case examples([Example])
    }

    /// A name and its text.
    public struct Fact: Sendable, Hashable {
        /// The subject of the fact.
        public var name: String
        /// The fact.
        public var text: String
    }

    /// A step of a fix.
    public struct Step: Sendable, Hashable {
        /// The action.
        public var text: String
        /// The verdicts that the step applies to, its location and effect, and how to undo it.
        public var details: [Fact]
    }

    /// A test, shown as an example.
    public struct Example: Sendable, Hashable {
        /// The subject of the example.
        public var name: String
        /// The given log rows and files, one per line.
        public var given: [String]
        /// The outcome that the test expects.
        public var outcome: String

        package init(name: String, given: [String], outcome: String) {
            self.name = name
            self.given = given
            self.outcome = outcome
        }
    }

    /// Describes a rule.
    public init(_ rule: Rule) {
        id = rule.id
        title = rule.title
        identity = Self.identity(of: rule)
        sections = Self.meaning(of: rule) + Self.logic(of: rule) + Self.remedy(of: rule)
    }

    private static func identity(of rule: Rule) -> [Fact] {
        var facts = [
            Fact(name: "slug", text: rule.slug), Fact(name: "revision", text: "\(rule.revision)"),
            Fact(name: "status", text: rule.status.rawValue), Fact(name: "category", text: rule.category),
        ]
        func add(_ name: String, _ texts: [String]) {
            if !texts.isEmpty { facts.append(Fact(name: name, text: texts.joined(separator: ", "))) }
        }
        add("tags", rule.tags)
        add(
            "needs",
            [("logs", rule.needs.logs), ("a web.config", rule.needs.webConfig), ("a farm.json", rule.needs.farm)]
                .compactMap { name, need in
                    need.map { $0 == .required ? name : "\(name) (optional)" }
                }
        )
        if rule.kind != .failure { add("kind", [rule.kind.rawValue]) }
        add("supersedes", rule.supersedes.map(\.text))
        add("one finding for each", rule.per)
        return facts
    }

    private static func meaning(of rule: Rule) -> [Section] {
        var sections = [
            Section(heading: "What", blocks: [.paragraph(rule.explanation.what)]),
            Section(heading: "Why", blocks: [.paragraph(rule.explanation.why)]),
        ]
        if let impact = rule.explanation.impact {
            sections.append(Section(heading: "Impact", blocks: [.paragraph(impact)]))
        }
        return sections
    }

    private static func remedy(of rule: Rule) -> [Section] {
        var sections = [Section(heading: "Fix", blocks: [.steps(rule.fix.map(Step.init))])]
        if let verify = rule.verify { sections.append(Section(heading: "Verify", blocks: [.paragraph(verify)])) }
        if !rule.references.isEmpty {
            sections.append(Section(heading: "References", blocks: [.references(rule.references)]))
        }
        return sections
    }
}

extension RuleDescription.Step {
    fileprivate init(_ step: FixStep) {
        text = step.step
        details = [
            ("for", step.verdicts.isEmpty ? nil : step.verdicts.joined(separator: ", ")), ("where", step.location),
            ("effect", step.effect), ("undo", step.undo),
        ].compactMap { name, text in text.map { RuleDescription.Fact(name: name, text: $0) } }
    }
}

extension RuleDescription {
    /// Returns the sections about the rule's conditions and conclusions.
    static func logic(of rule: Rule) -> [Section] {
        var sections: [Section] = []
        func add(_ heading: String, _ facts: [Fact]) {
            if !facts.isEmpty { sections.append(Section(heading: heading, blocks: [.facts(facts)])) }
        }
        add("Looks for", rule.selectors.entries.map { Fact(name: $0.key.value, text: $0.value.words) })
        add("Checks", rule.checks.entries.map { Fact(name: $0.key.value, text: $0.value.words) })
        add(
            "Verdicts (the first that applies wins)",
            rule.verdicts.map { verdict in
                let grade = "\(verdict.severity.rawValue), \(verdict.confidence.rawValue)"
                return Fact(name: verdict.id, text: "\(grade), if \(verdict.when.words): \(verdict.message)")
            }
        )
        return sections
    }
}

extension Selector {
    /// The selector in words: `event ID is b9y3 or b9y9; message contains “resx”`.
    var words: String { cases.map(\.words).joined(separator: " — or ") }
}

extension SelectorCase {
    fileprivate var words: String {
        let captures = captures.map { "captures \u{201C}\($0.value)\u{201D}" }
        return (conditions.map(\.sentence) + captures).joined(separator: "; ")
    }
}

extension FieldCondition {
    /// The condition in words: `message contains “a” and “b”`.
    fileprivate var sentence: String {
        let all = values.map { comparison == .equals ? $0 : "\u{201C}\($0)\u{201D}" }
        let conjunction = quantifier == .all ? " and " : " or "
        let list = (quantifier == .none ? "none of " : "") + all.joined(separator: conjunction)
        let name = field.rawValue.replacing("_", with: " ").replacing("id", with: "ID")
        switch comparison {
        case .equals: return "\(name) is \(list)"
        case .contains: return "\(name) contains \(list)"
        case .startsWith: return "\(name) begins with \(list)"
        case .endsWith: return "\(name) ends with \(list)"
        case .glob: return "\(name) is like \(list)"
        case .expression: return "\(name) matches \(list)"
        case .exists: return "\(name) is \(values.first == "true" ? "present" : "missing")"
        case .atLeast:
            let bound = values.joined(separator: " or ")
            return field == .level ? "level is \(bound) or worse" : "\(name) is at least \(bound)"
        case .atMost:
            let bound = values.joined(separator: " or ")
            return field == .level ? "level is \(bound) or less severe" : "\(name) is at most \(bound)"
        }
    }
}

extension CheckDefinition {
    /// The check in words: `a, then b, in one request, within 60 s`.
    var words: String {
        switch kind {
        case .count(let count): count.words
        case .sequence(let sequence): sequence.words
        case .absence(let absence):
            "\(absence.after.value), and no \(absence.expect.value) within \(absence.within.words), \(absence.by.words)"
        case .config(let config): config.words
        case .differs(let differs):
            "\(differs.attribute) of \(differs.element) is not the same on all servers"
                + (differs.default.map { "; \($0) if not set" } ?? "")
        case .quality(let quality):
            "\(quality.metric.rawValue.replacing("_", with: " ")): \(quality.gte) or more"
        case .farm(let condition): "in farm.json, \(condition.words)"
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
            case "none": ", outside location elements"
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
        if let exists { parts.append(exists ? "is set" : "is not set") }
        if let value = `default` { parts.append("(\(value) if not set)") }
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
    /// The duration in words: `60 s`.
    var words: String {
        // From a list of units, the optimizer makes different instructions in builds of the same source.
        if let hours = multiple(of: 3_600_000) { return "\(hours) h" }
        if let minutes = multiple(of: 60_000) { return "\(minutes) min" }
        if let seconds = multiple(of: 1000) { return "\(seconds) s" }
        return milliseconds == 1000 ? "1 s" : "\(milliseconds) ms"
    }

    /// Returns the number of units in the duration, if it is several of them and nothing else.
    private func multiple(of length: Int64) -> Int64? {
        milliseconds % length == 0 && milliseconds > length ? milliseconds / length : nil
    }
}

extension VerdictCondition {
    /// The condition in words: `any [owssvr, not trace_on]`.
    package var words: String {
        switch self {
        case .check(let name): name
        case .all(let parts): "all [\(parts.map(\.words).joined(separator: ", "))]"
        case .any(let parts): "any [\(parts.map(\.words).joined(separator: ", "))]"
        case .not(let part): "not \(part.words)"
        case .unknown(let part): "unknown \(part.words)"
        }
    }
}
