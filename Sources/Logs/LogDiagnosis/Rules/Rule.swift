public import TextKit
import TextPatterns
public import YAML

/// A known failure: its symptoms in logs and configuration, its meaning, and its remedies.
///
/// A rule is data, read from a file `FSnnnn.yaml`; CONTRIBUTING explains how to write one. The schema is closed: an
/// unknown key is an error with its place.
public struct Rule: Sendable {
    /// The name of the rule in reports and suppressions.
    public var id: RuleID
    /// A readable name, which may change: `aspnet-tracing-breaks-requests`.
    public var slug: String
    /// The revision, which increases with every change of meaning.
    public var revision: Int
    /// The maturity of the rule.
    public var status: Status
    /// Whether the rule finds a failure or noise.
    public var kind: Kind
    /// The failure in a few words.
    public var title: String
    /// The group that the rule is listed in.
    public var category: String
    /// The search terms for the rule.
    public var tags: [String]
    /// The inputs that the rule requires.
    public var needs: Needs
    /// The superseded rules, which do not count events that are evidence for a finding of this rule.
    public var supersedes: [RuleID]
    /// The captures by which findings are split, one finding for each combination of values.
    public var per: [String]
    /// The event that a finding's evidence begins with.
    public var lead: Lead?
    /// Named predicates on a single event, in the order of the file.
    public var selectors: YAMLMapping<Selector>
    /// Named checks, in the order of the file.
    public var checks: YAMLMapping<CheckDefinition>
    /// The verdicts in order; the first true one wins.
    public var verdicts: [VerdictDefinition]
    /// The description of the failure, and its cause.
    public var explanation: FindingExplanation
    /// The remedies, step by step.
    public var fix: [FixStep]
    /// The values that `fastctl webconfig fix` writes; `nil` if changing values cannot repair anything.
    public var repair: RepairDefinition?
    /// The steps to verify that the failure is fixed.
    public var verify: String?
    /// The sources of the rule.
    public var references: [Reference]

    /// The maturity of a rule.
    public enum Status: String, Sendable, Decodable, CaseIterable {
        /// The signature has neither been seen in a log nor quoted from a source; findings are warnings at most.
        case experimental
        case test
        case stable
        case deprecated
    }

    /// The meaning of a true verdict of the rule.
    public enum Kind: String, Sendable, Decodable, CaseIterable {
        /// A failure whose cause the rule states.
        case failure
        /// A failure, such as that of a timer job, whose cause may only be given in the text of its rows.
        case symptom
        /// The rows have no significance: they are neither findings nor unexplained.
        case noise
    }

    /// The event that evidence begins with.
    public enum Lead: String, Sendable, Decodable, CaseIterable {
        /// The first row at Monitorable or worse in the same request, because a generic exception is only its
        /// consequence.
        case firstAbnormal = "first-abnormal"
    }

    /// The maximum number of findings listed for one rule with ``per``; the rest are only counted.
    public static let maximumFindings = 20
}

/// The inputs that a rule needs to be evaluated; `nil` for an input that the rule does not read.
public struct Needs: Sendable, Hashable {
    /// The ways that a rule may need an input.
    public enum Need: String, Sendable, Decodable, CaseIterable {
        case required
        case optional
    }

    /// Whether logs are needed; `nil` if they are not used.
    public var logs: Need?
    /// Whether web.config files are needed; `nil` if they are not used.
    public var webConfig: Need?
    /// Whether the farm's facts are needed; `nil` if they are not used.
    public var farm: Need?
}

/// The meaning of a finding, in plain sentences.
public struct FindingExplanation: Sendable, Hashable, Decodable {
    /// The description of the failure.
    public var what: String
    /// The cause of the failure.
    public var why: String
    /// The effect on users; `nil` if it is not known.
    public var impact: String?
}

/// A step of a fix.
public struct FixStep: Sendable, Hashable {
    /// The action.
    public var step: String
    /// The machines or places where the step is performed.
    public var location: String?
    /// A side effect, such as a recycled application pool.
    public var effect: String?
    /// The instructions for undoing the step; `nil` if unnecessary.
    public var undo: String?
    /// The verdicts that the step applies to; empty if it applies to all.
    public var verdicts: [String]
}

/// The correct values for the elements that a check finds.
public struct RepairDefinition: Sendable, Decodable {
    /// The check, which must be a check of web.config.
    public var of: Located<String>
    /// The value of each attribute.
    public var set: YAMLMapping<String>
}

/// The source of a fact.
public struct Reference: Sendable, Hashable, Decodable {
    /// The title of the source.
    public var title: String
    /// The address of the source; `nil` if it has none.
    public var url: String?
}

/// A rule's number, `FS` and four digits, which is never reused for another rule.
///
/// FS0101 is about ASP.NET tracing, FS1nnn about the failure with that number in the catalog, FS04nn about web.config
/// alone, FS90nn about the log and the tool itself, and FS91nn about noise.
public struct RuleID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The ID, such as `FS0101`.
    public let text: String

    /// Creates an ID; `nil` unless the text is `FS` in any case and four digits.
    public init?(_ text: String) {
        let capitals = text.uppercased()
        guard capitals.utf8.count == 6, capitals.hasPrefix("FS"),
            capitals.utf8.dropFirst(2).allSatisfy({ $0 &- UInt8(ascii: "0") < 10 })
        else { return nil }
        self.text = capitals
    }

    public var description: String { text }

    public static func < (one: Self, other: Self) -> Bool { one.text < other.text }
}

extension RuleID: Decodable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let id = RuleID(text), id.text == text else {
            throw RuleError.Reason("\u{201C}\(text)\u{201D} is not a rule ID: use FS and four digits")
        }
        self = id
    }
}

/// The severity of a finding, from mildest to worst.
public enum Severity: String, Sendable, Decodable, CaseIterable, Comparable {
    /// Information that is worth knowing.
    case info
    /// Something will fail, is slow, or is unsafe.
    case warning
    /// Users see failures.
    case error
    /// The service or its data are at risk now.
    case critical

    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The certainty of a finding.
public enum Confidence: String, Sendable, Decodable, CaseIterable {
    /// Something contradicts the finding.
    case possible
    /// Only the signature was found.
    case likely
    /// Logs and configuration agree.
    case certain
}

/// The reason why a rule was rejected, and the place of the error.
public struct RuleError: Error, Sendable, Hashable {
    /// The file, as it was given.
    public var file: String
    /// The line and column, counted from 1; `nil` if the error is about the entire file.
    public var place: Place?
    /// The problem, as a sentence.
    public var message: String

    /// Creates an error about a rule's file.
    public init(file: String, place: Place? = nil, message: String) {
        self.file = file
        self.place = place
        self.message = message
    }

    package init(_ error: YAMLError, file: String) {
        self.init(
            file: file,
            place: error.place,
            message: (error.path.isEmpty ? "" : "\(error.path): ") + error.message
        )
    }

    /// An error to which the decoder adds the place.
    package struct Reason: Error, CustomStringConvertible {
        package var description: String

        package init(_ description: String) { self.description = description }
    }
}

extension RuleError: CustomStringConvertible {
    public var description: String { "\(file)\(place.map { ":\($0)" } ?? ""): \(message)" }
}

extension Rule {
    /// Limits on the size and depth of a rule file.
    package static var limits: YAMLLimits {
        var limits = YAMLLimits()
        limits.bytes = 256 << 10
        limits.depth = 16
        return limits
    }

    /// Reads a rule, and checks that it defines everything it names.
    ///
    /// - Parameters:
    ///   - yaml: The text of the file.
    ///   - file: The name of the file, for errors.
    /// - Throws: ``RuleError`` with the problem and its place.
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
        kind = document.kind ?? .failure
        title = document.title
        category = document.category
        tags = document.tags ?? []
        let needs = document.needs
        self.needs = needs.map { Needs(logs: $0.uls, webConfig: $0.webConfig, farm: $0.farm) } ?? Needs(logs: .required)
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
        repair = document.repair
        verify = document.verify
        references = document.references ?? []
    }
}

/// A rule as written in its file.
private struct RuleDocument: Decodable {
    private enum Schema: String, Decodable, CaseIterable { case one = "fastctl.rule/1" }

    struct NeedsDocument: Decodable {
        var uls: Needs.Need?
        var webConfig: Needs.Need?
        var farm: Needs.Need?

        enum CodingKeys: String, CodingKey {
            case uls, farm
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

    private var schema: Schema
    var id: RuleID
    var slug: String
    var revision: Int
    var status: Rule.Status
    var kind: Rule.Kind?
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
    var explain: FindingExplanation
    var fix: [FixDocument]
    var repair: RepairDefinition?
    var verify: String?
    var references: [Reference]?
}

/// A check of a rule, primarily that it names only selectors, checks, captures, and verdicts that it defines.
private struct RuleNames {
    struct Problem {
        var place: Place?
        var message: String
    }

    /// The first problem; `nil` if there is none.
    private(set) var firstProblem: Problem?

    private let rule: Rule
    private let selectors: [String]
    private let checks: [String]
    private let captures: Set<String>

    init(_ rule: Rule) {
        self.rule = rule
        selectors = rule.selectors.keys
        checks = rule.checks.keys
        let templates = rule.selectors.entries.flatMap { $0.value.cases.flatMap(\.captures) }
        captures = Set(templates.flatMap { CaptureTemplate($0.value)?.names ?? [] })
        for template in templates where CaptureTemplate(template.value) == nil {
            note(template.place, "\u{201C}\(template.value)\u{201D} is not a capture: write it like text {name} text")
        }
        if rule.revision < 1 { note(nil, "revision must be at least 1") }
        if rule.verdicts.isEmpty { note(nil, "a rule needs a verdict") }
        if rule.selectors.entries.count > 64 { note(nil, "a rule can have at most 64 selectors") }
        checkChecks()
        checkVerdicts()
        if let repair = rule.repair { checkRepair(repair) }
        for name in rule.per where !captures.contains(name) {
            note(nil, unknown(name, "capture", captures.sorted()))
        }
    }

    private mutating func note(_ place: Place?, _ message: String) {
        if firstProblem == nil { firstProblem = Problem(place: place, message: message) }
    }

    private func unknown(_ name: String, _ what: String, _ known: [String]) -> String {
        let hint = name.nearest(in: known).map { "; did you mean \u{201C}\($0)\u{201D}?" } ?? ""
        return "there is no \(what) \u{201C}\(name)\u{201D}\(hint)"
    }

    private mutating func checkChecks() {
        for entry in rule.checks.entries {
            for selector in entry.value.selectors where !selectors.contains(selector.value) {
                note(selector.place, unknown(selector.value, "selector", selectors))
            }
            if case .count(let count) = entry.value.kind { checkCount(count, entry.key) }
            if case .sequence(let sequence) = entry.value.kind, sequence.steps.count < 2 {
                note(entry.key.place, "a sequence needs at least two steps")
            }
            if case .config(let config) = entry.value.kind { checkConfig(config) }
            if case .quality(let quality) = entry.value.kind { checkQuality(quality, entry.key.place) }
            if let label = entry.value.label { checkTemplate(label, entry.key.place) }
        }
    }

    private mutating func checkConfig(_ config: ConfigDefinition) {
        for attribute in config.where?.entries ?? [] {
            let condition = attribute.value
            let name = attribute.key.value
            if condition.bool == nil, condition.equals?.values.isEmpty ?? true, condition.exists == nil {
                note(attribute.key.place, "\(name) needs a condition: bool, equals or exists")
            }
            if condition.exists == false, condition.bool != nil || condition.equals != nil {
                note(attribute.key.place, "\(name) cannot be missing and have a value")
            }
        }
    }

    private mutating func checkRepair(_ repair: RepairDefinition) {
        guard let check = rule.checks[repair.of.value] else {
            return note(repair.of.place, unknown(repair.of.value, "check", checks))
        }
        guard case .config(let config) = check.kind else {
            return note(repair.of.place, "a repair needs a check on config")
        }
        if repair.set.entries.isEmpty { note(repair.of.place, "a repair sets at least one attribute") }
        for value in repair.set.entries {
            let (key, text) = (value.key, value.value)
            guard let condition = config.where?[key.value] else {
                note(key.place, "the check does not examine \(key.value), so its value may be right")
                continue
            }
            if condition.truth(of: text) != .no { note(key.place, "\(key.value)=\"\(text)\" is what the check finds") }
        }
    }

    private mutating func checkQuality(_ quality: QualityDefinition, _ place: Place) {
        let isPercentage = quality.metric == .parseErrorPercent
        if !quality.gte.isFinite || quality.gte < 0 || isPercentage && quality.gte > 100 {
            note(place, isPercentage ? "gte must be between 0 and 100" : "gte must be a number, and not negative")
        }
    }

    private mutating func checkCount(_ count: CountDefinition, _ key: Located<String>) {
        let bounds = [count.gte, count.lte, count.eq].compactMap(\.self)
        if bounds.isEmpty { note(key.place, "a count needs gte, lte or eq") }
        if bounds.contains(where: { $0 < 0 || $0 > 10_000 }) { note(key.place, "a bound must be between 0 and 10000") }
        if count.within != nil, count.lte != nil || count.eq != nil {
            note(key.place, "'within' works only with 'gte', because some window always contains fewer events")
        }
        if count.by != nil, count.lte != nil || count.eq != nil {
            note(key.place, "'by' works only with 'gte', because groups without events are not seen")
        }
        if let least = count.gte, let most = count.lte, least > most {
            note(key.place, "no count is at least \(least) and at most \(most)")
        }
        if let by = count.by, by.rawValue == count.distinct?.value, count.gte ?? 0 > 1 {
            note(key.place, "a \(by.rawValue) has only one \(by.rawValue): remove 'by', or count something else")
        }
        if count.eq != nil, bounds.count > 1 { note(key.place, "eq cannot be combined with gte or lte") }
        if count.within != nil, count.distinct != nil { note(key.place, "distinct and within cannot be combined") }
        if let distinct = count.distinct,
            !["correlation", "request", "server"].contains(distinct.value), !captures.contains(distinct.value)
        {
            let known = ["correlation", "request", "server"] + captures.sorted()
            note(distinct.place, unknown(distinct.value, "capture", known))
        }
    }

    private mutating func checkVerdicts() {
        var ids: Set<String> = []
        for verdict in rule.verdicts {
            if !ids.insert(verdict.id).inserted { note(nil, "two verdicts have the ID \u{201C}\(verdict.id)\u{201D}") }
            for check in verdict.when.checks + (verdict.symptoms ?? []) where !checks.contains(check) {
                note(nil, "verdict \(verdict.id): " + unknown(check, "check", checks))
            }
            checkTemplate(verdict.message, nil)
        }
        for step in rule.fix {
            checkTemplate(step.step, nil)
            for verdict in step.verdicts where !ids.contains(verdict) {
                note(nil, "fix: " + unknown(verdict, "verdict", ids.sorted()))
            }
        }
    }

    private mutating func checkTemplate(_ text: String, _ place: Place?) {
        guard let template = MessageTemplate(text) else {
            note(place, "a brace is not closed in \u{201C}\(text)\u{201D}")
            return
        }
        for name in template.names where name != "count" && !captures.contains(name) {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            if parts.count == 2, parts[1] == "at" || parts[1] == "count", checks.contains(String(parts[0])) { continue }
            let known = ["count"] + captures.sorted() + checks.flatMap { ["\($0).at", "\($0).count"] }
            note(place, unknown(name, "capture or check", known))
        }
    }
}

extension CheckDefinition {
    /// The selectors that the check names.
    public var selectors: [Located<String>] {
        switch kind {
        case .count(let count): [count.of]
        case .sequence(let sequence): sequence.steps + (sequence.notBetween?.values ?? [])
        case .absence(let absence): [absence.after, absence.expect]
        case .config, .differs, .quality, .farm: []
        }
    }
}

// MARK: - Failures

extension RuleError: AdvisedError {
    /// The error as a message with an exit status.
    public var failure: Failure {
        Failure(.configuration, description, advice: nil)
    }
}
