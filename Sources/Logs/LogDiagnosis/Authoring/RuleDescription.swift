/// A rule in words, section by section: what `rules show` prints, as text or anything else.
///
/// All texts are the author's, or a test's; whoever prints them cleans them first.
public struct RuleDescription: Sendable, Hashable {
    public var id: RuleID
    public var title: String
    /// Slug, revision, status, category, tags and the like.
    public var identity: [Fact]
    public var sections: [Section]

    /// A part with a heading.
    public struct Section: Sendable, Hashable {
        public var heading: String
        public var blocks: [Block]
    }

    /// What a section is made of.
    public enum Block: Sendable, Hashable {
        case paragraph(String)
        /// Names and what is to be said of them, in order.
        case facts([Fact])
        /// What to do, one after the other.
        case steps([Step])
        case references([Reference])
        case examples([Example])
    }

    /// A name and what is to be said of it.
    public struct Fact: Sendable, Hashable {
        public var name: String
        public var text: String
    }

    /// A step of a fix.
    public struct Step: Sendable, Hashable {
        public var text: String
        /// Where, what else it does, and how to go back.
        public var details: [Fact]
    }

    /// A test, for readers.
    public struct Example: Sendable, Hashable {
        public var name: String
        /// The rows of the log and the files that are given, each on a line.
        public var given: [String]
        /// What the rule says.
        public var outcome: String
    }

    /// - Parameters:
    ///   - rule: what is described.
    ///   - tests: its tests, to be shown as examples; `nil` for none.
    public init(_ rule: Rule, tests: RuleTestFile? = nil) {
        id = rule.id
        title = rule.title
        identity = Self.identity(of: rule)
        sections = Self.meaning(of: rule) + Self.logic(of: rule) + Self.remedy(of: rule)
        if let tests { sections.append(Section(heading: "Examples", blocks: [.examples(Example.all(of: tests))])) }
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
            [("logs", rule.needs.logs), ("a web.config", rule.needs.webConfig)].compactMap { name, need in
                need.map { $0 == .required ? name : "\(name) (optional)" }
            }
        )
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
