import YAML

extension Rule {
    /// What a rule file may cost.
    static var limits: YAMLLimits {
        var limits = YAMLLimits()
        limits.bytes = 256 << 10
        limits.depth = 16
        return limits
    }

    /// Reads a rule, and checks that it names nothing that it does not define.
    ///
    /// - Parameters:
    ///   - yaml: the text of the file.
    ///   - file: its name, for errors.
    /// - Throws: What is wrong with it, and where.
    public init(yaml: String, file: String) throws(RuleError) {
        let document: RuleDocument
        do throws(YAMLError) {
            document = try YAMLDecoder(limits: Self.limits).decode(from: yaml)
        } catch {
            throw RuleError(error, file: file)
        }
        self.init(document)
        if let problem = RuleNames(self).firstProblem {
            throw RuleError(file: file, place: problem.place, message: problem.message)
        }
    }

    private init(_ document: RuleDocument) {
        id = document.id
        slug = document.slug
        revision = document.revision
        status = document.status
        title = document.title
        category = document.category
        tags = document.tags ?? []
        let needs = document.needs
        self.needs = needs.map { Needs(logs: $0.uls, webConfig: $0.webConfig) } ?? Needs(logs: .required)
        supersedes = document.supersedes ?? []
        per = document.per?.values ?? []
        lead = document.lead
        selectors = document.select ?? YAMLMapping()
        checks = document.check
        verdicts = document.verdicts
        explanation = document.explain
        fix = document.fix.map {
            FixStep(
                step: $0.step,
                location: $0.where,
                effect: $0.effect,
                undo: $0.undo,
                verdicts: $0.when?.values ?? []
            )
        }
        verify = document.verify
        references = document.references ?? []
    }
}

/// A rule as it is written.
private struct RuleDocument: Decodable {
    enum Schema: String, Decodable, CaseIterable { case one = "fastctl.rule/1" }

    struct NeedsDocument: Decodable {
        var uls: Needs.Need?
        var webConfig: Needs.Need?

        enum CodingKeys: String, CodingKey {
            case uls
            case webConfig = "web_config"
        }
    }

    struct FixDocument: Decodable {
        var step: String
        var `where`: String?
        var effect: String?
        var undo: String?
        var when: OneOrMany<String>?
    }

    var schema: Schema
    var id: RuleID
    var slug: String
    var revision: Int
    var status: Rule.Status
    var title: String
    var category: String
    var tags: [String]?
    var needs: NeedsDocument?
    var supersedes: [RuleID]?
    var per: OneOrMany<String>?
    var lead: Rule.Lead?
    var select: YAMLMapping<Selector>?
    var check: YAMLMapping<CheckDefinition>
    var verdicts: [VerdictDefinition]
    var explain: Explanation
    var fix: [FixDocument]
    var verify: String?
    var references: [Reference]?
}
