import TextKit
import ULSLog
public import YAML

/// A predicate on one event: true if all conditions of at least one case hold.
public struct Selector: Sendable {
    /// The alternative cases, one of which is enough.
    public var cases: [SelectorCase]
}

/// Conditions that must all hold, and the parts of the message to capture.
public struct SelectorCase: Sendable {
    /// The conditions that must all hold.
    public var conditions: [FieldCondition]
    /// The templates for parts of the message, `same ID '{control}' were found`; if one without a hole matches, the
    /// message names nothing, and those after it are not tried.
    public var captures: [Located<String>]
    /// The place of the case in its file.
    public var place: Place

    /// Returns the conditions on one field.
    package func conditions(on field: EventField) -> [FieldCondition] { conditions.filter { $0.field == field } }

    /// Whether the case names the event IDs that it matches.
    public var namesEventIDs: Bool {
        conditions.contains { $0.field == .eventID && $0.comparison == .equals && $0.quantifier != .none }
    }
}

/// A field of an event that conditions can test.
public enum EventField: String, Sendable, CaseIterable {
    case eventID = "event_id"
    case level
    case area
    case category
    case process
    case server
    case message
    case correlation
    /// The duration in milliseconds that a row reports when it leaves a scope.
    case executionTime = "execution_ms"
}

extension Selector: Decodable {
    public init(from decoder: any Decoder) throws {
        cases = try OneOrMany<SelectorCase>(from: decoder).values
        if cases.isEmpty { throw RuleError.Reason("a selector needs a condition") }
    }
}

extension SelectorCase: Decodable {
    public init(from decoder: any Decoder) throws {
        let written = try Located<YAMLMapping<OneOrMany<Located<String>>>>(from: decoder)
        place = written.place
        conditions = []
        captures = []
        for entry in written.value.entries {
            if entry.key.value == "capture" {
                captures = entry.value.values
            } else {
                conditions.append(try FieldCondition(key: entry.key, values: entry.value.values))
            }
        }
        if conditions.isEmpty { throw RuleError.Reason("a selector needs a condition") }
    }
}

/// A condition on one field of an event: `message|contains|all: [a, b]`.
///
/// Text comparison ignores ASCII case. A condition that no row can meet is rejected when the rule is read.
public struct FieldCondition: Sendable, Hashable {
    /// A way to compare a field with a value.
    public enum Comparison: String, Sendable, CaseIterable {
        case equals
        case contains
        case startsWith = "startswith"
        case endsWith = "endswith"
        /// A pattern: `*` matches any text and `?` any byte; nothing else is special.
        case glob
        /// A regular expression without backreferences and lookaround.
        case expression = "re"
        /// At least the value; for levels, at least as severe.
        case atLeast = "gte"
        /// At most the value; for levels, at most as severe.
        case atMost = "lte"
        /// Whether the field has any text: `true` or `false`.
        case exists
    }

    /// The number of values that must match: any, all, or none.
    public enum Quantifier: String, Sendable, CaseIterable {
        case any
        case all
        /// None of the values: a list of exceptions, such as rows that look like failures but are not.
        case none
    }

    /// The field of an event.
    public var field: EventField
    /// The comparison of the field.
    public var comparison: Comparison
    /// The number of values that must match.
    public var quantifier: Quantifier
    /// The values.
    public var values: [String]
    /// The place of the condition in its file.
    public var place: Place
}

extension FieldCondition {
    init(key: Located<String>, values: [Located<String>]) throws {
        let parts = key.value.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard let field = EventField(rawValue: parts[0]) else {
            throw Self.unknown(parts[0], "field", EventField.allCases.map(\.rawValue) + ["capture"], key.place)
        }
        self.field = field
        var comparison: Comparison?
        var quantifier: Quantifier?
        for part in parts.dropFirst() {
            if quantifier == nil, let known = Quantifier(rawValue: part) {
                quantifier = known
            } else if comparison == nil, quantifier == nil, part == "in" || part == "equals" {
                comparison = .equals
            } else if comparison == nil, quantifier == nil, let known = Comparison(rawValue: part) {
                comparison = known
            } else {
                let quantifiers = Quantifier.allCases.map(\.rawValue)
                let modifiers = ["in"] + quantifiers + Comparison.allCases.map(\.rawValue)
                throw Self.unknown(part, "modifier", modifiers, key.place)
            }
        }
        self.comparison = comparison ?? .equals
        self.quantifier = quantifier ?? .any
        self.values = values.map(\.value)
        place = key.place
        if values.isEmpty { throw YAMLError(message: "\u{201C}\(key.value)\u{201D} needs a value", place: key.place) }
        try checkValues(values)
        if let refusal = futility(values) { throw YAMLError(message: refusal.message, place: refusal.place ?? place) }
    }

    /// Returns the reason why no row can meet the condition, or why every row meets it; `nil` if the condition is
    /// useful.
    private func futility(_ values: [Located<String>]) -> (message: String, place: Place?)? {
        if comparison == .expression, field != .message {
            return ("re works for message only; use glob for \(field.rawValue)", nil)
        }
        if comparison == .exists, values.count > 1 || quantifier != .any {
            return ("exists takes one value, true or false", nil)
        }
        if comparison == .equals, quantifier == .all, Set(values.map { $0.value.lowercased() }).count > 1 {
            return ("text cannot equal several values at once; use any, or contains", nil)
        }
        if quantifier == .none, [.atLeast, .atMost].contains(comparison) {
            return ("none cannot be combined with gte and lte; use the opposite bound", nil)
        }
        for value in values {
            if let reason = futility(of: value.value) { return (reason, value.place) }
        }
        return nil
    }

    /// Returns the reason why no row can meet the condition with this value; `nil` if a row can.
    private func futility(of value: String) -> String? {
        switch comparison {
        case .atLeast, .atMost:
            if field == .level {
                return ULSLevel(value).isKnown
                    ? nil : "there is no level \u{201C}\(value)\u{201D}; gte and lte need one that the service defines"
            }
            return Double(value)?.isFinite == true ? nil : "\u{201C}\(value)\u{201D} is not a number to compare with"
        case .equals, .startsWith, .endsWith, .contains, .glob:
            if comparison != .endsWith, comparison != .contains, value.first?.isWhitespace == true {
                return "no column begins with a space; remove it from \u{201C}\(value)\u{201D}"
            }
            if comparison != .startsWith, comparison != .contains, value.last?.isWhitespace == true {
                return "no column ends with a space; remove it from \u{201C}\(value)\u{201D}"
            }
            if field != .message, value.unicodeScalars.contains(where: { $0.value < 0x20 }) {
                return "no column contains a tab or a line break"
            }
            return nil
        case .expression, .exists: return nil
        }
    }

    private func checkValues(_ values: [Located<String>]) throws {
        for value in values {
            switch comparison {
            case .exists where !["true", "false"].contains(value.value):
                throw YAMLError(message: "exists takes true or false", place: value.place)
            case .atLeast, .atMost:
                if field == .level { continue }
                guard field == .executionTime, Double(value.value) != nil else {
                    throw YAMLError(
                        message: "gte and lte take a level, or a number for execution_ms",
                        place: value.place
                    )
                }
            case .equals, .contains, .startsWith, .endsWith, .glob, .expression:
                if field == .executionTime {
                    throw YAMLError(message: "execution_ms takes gte, lte or exists", place: value.place)
                }
                if value.value.isEmpty {
                    throw YAMLError(message: "empty text is not a condition", place: value.place)
                }
            case .exists: continue
            }
        }
    }

    private static func unknown(_ text: String, _ what: String, _ known: [String], _ place: Place) -> YAMLError {
        let hint =
            text.nearest(in: known).map { "did you mean \u{201C}\($0)\u{201D}?" }
            ?? "use one of \(known.joined(separator: ", "))"
        return YAMLError(message: "unknown \(what) \u{201C}\(text)\u{201D}; \(hint)", place: place)
    }
}

/// A named statement about logs, configuration or the farm, which is true, false or unknown.
public struct CheckDefinition: Sendable {
    /// The kinds of checks.
    public enum Kind: Sendable {
        case count(CountDefinition)
        case sequence(SequenceDefinition)
        case absence(AbsenceDefinition)
        case config(ConfigDefinition)
        case differs(DiffersDefinition)
        case quality(QualityDefinition)
        case farm(FarmCondition)
    }

    /// The kind of the check.
    public var kind: Kind
    /// The text that describes the check as a symptom if it is true: `{count} requests could not read a file`.
    public var label: String?
}

/// A way to group related events.
public enum Grouping: String, Sendable, Decodable, CaseIterable {
    /// Events with the same correlation; each event without a correlation is a separate group.
    case correlation
    /// Events with the same correlation; without one, events with the same server, process, and thread that are at most
    /// 60 seconds apart; in a paste without these columns, the entire paste.
    case request
    case server
}

/// A check on how many events meet a selector.
public struct CountDefinition: Sendable, Decodable {
    /// The selector whose events are counted.
    public var of: Located<String>
    /// The minimum number for which the check is true; `nil` if there is no lower bound.
    public var gte: Int?
    /// The maximum number for which the check is true; `nil` if there is no upper bound.
    public var lte: Int?
    /// The exact number for which the check is true; `nil` if no exact number is required.
    public var eq: Int?
    /// The time window that must contain the events; `nil` for the entire input.
    public var within: RuleDuration?
    /// The groups that are counted separately; `nil` to count all events together.
    public var by: Grouping?
    /// The values that are counted instead of events: `correlation`, `request`, `server`, or a capture.
    public var distinct: Located<String>?

    package init(of: Located<String>, gte: Int, by: Grouping? = nil, distinct: Located<String>? = nil) {
        (self.of, self.gte, self.by, self.distinct) = (of, gte, by, distinct)
    }
}

/// Events that occur in order within one group; others may come between them.
public struct SequenceDefinition: Sendable, Decodable {
    /// The selectors of the steps, in order.
    public var steps: [Located<String>]
    /// The property that must be the same in all rows.
    public var by: Grouping
    /// The maximum time from the first step to the last.
    public var within: RuleDuration?
    /// The selectors whose events break the sequence.
    public var notBetween: OneOrMany<Located<String>>?

    private enum CodingKeys: String, CodingKey {
        case steps, by, within
        case notBetween = "not_between"
    }
}

/// An event that is not followed by an expected event.
public struct AbsenceDefinition: Sendable, Decodable {
    /// The selector of the row that must be followed by the expected row.
    public var after: Located<String>
    /// The selector of the expected row.
    public var expect: Located<String>
    /// The property that must be the same in both rows.
    public var by: Grouping
    /// The time within which the expected row must follow.
    public var within: RuleDuration
}

/// A web.config element that meets all conditions at once.
public struct ConfigDefinition: Sendable, Decodable {
    /// The path below `configuration`: `system.web/trace`.
    public var element: String
    /// The location: `any` (the default), `none` (outside of any location element), or the path of a location element.
    public var location: String?
    /// The conditions on attributes; `nil` if every element qualifies.
    public var `where`: YAMLMapping<AttributeCondition>?
}

/// A condition on an attribute.
public struct AttributeCondition: Sendable, Decodable {
    /// The truth value, `true` or `false`, in any case.
    public var bool: Bool?
    /// The accepted values, ignoring case.
    public var equals: OneOrMany<String>?
    /// Whether the attribute must be present.
    public var exists: Bool?
    /// The documented value when the attribute is not written.
    public var `default`: String?
}

/// An attribute that differs between servers.
public struct DiffersDefinition: Sendable, Decodable {
    /// The path of the element.
    public var element: String
    /// The attribute that should be the same everywhere.
    public var attribute: String
    /// The documented value when the attribute is not written.
    public var `default`: String?
}

/// A check on the quality of the log itself.
public struct QualityDefinition: Sendable, Decodable {
    /// A measure of the quality of reading.
    public enum Metric: String, Sendable, Decodable, CaseIterable {
        /// The percentage of lines that were not understood.
        case parseErrorPercent = "parse_error_percent"
        /// The number of message parts whose beginning was not found.
        case orphans
        /// The number of times a clock was set back.
        case clockSteps = "clock_steps"
        /// The number of gaps during which a server wrote nothing.
        case gaps
        /// The number of limits that were reached.
        case limits
    }

    /// The measure.
    public var metric: Metric
    /// The minimum for which the check is true.
    public var gte: Double
}

extension CheckDefinition: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case count, sequence, absence, config, differs, quality, farm, label
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var kinds: [Kind] = []
        if let count = try container.decodeIfPresent(CountDefinition.self, forKey: .count) {
            kinds.append(.count(count))
        }
        if let sequence = try container.decodeIfPresent(SequenceDefinition.self, forKey: .sequence) {
            kinds.append(.sequence(sequence))
        }
        if let absence = try container.decodeIfPresent(AbsenceDefinition.self, forKey: .absence) {
            kinds.append(.absence(absence))
        }
        if let config = try container.decodeIfPresent(ConfigDefinition.self, forKey: .config) {
            kinds.append(.config(config))
        }
        if let differs = try container.decodeIfPresent(DiffersDefinition.self, forKey: .differs) {
            kinds.append(.differs(differs))
        }
        if let quality = try container.decodeIfPresent(QualityDefinition.self, forKey: .quality) {
            kinds.append(.quality(quality))
        }
        if let farm = try container.decodeIfPresent(FarmCondition.self, forKey: .farm) {
            kinds.append(.farm(farm))
        }
        label = try container.decodeIfPresent(String.self, forKey: .label)
        guard kinds.count == 1, let kind = kinds.first else {
            throw RuleError.Reason("a check must be one of count, sequence, absence, config, differs, quality, farm")
        }
        self.kind = kind
    }
}

/// A length of time in a rule: `500ms`, `60s`, `10m`, `2h`.
public struct RuleDuration: Sendable, Hashable {
    /// The duration in milliseconds.
    public var milliseconds: Int64

    /// Creates a duration.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The default maximum duration of a request: ten minutes.
    public static let request = RuleDuration(milliseconds: 600_000)

    /// The maximum time that a check may look back: one day.
    package static let longest = RuleDuration(milliseconds: 86_400_000)
}

extension RuleDuration: Decodable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let digits = text.prefix { $0.isNumber }
        let units: [Substring: Int64] = ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000]
        guard let count = Int64(digits), let unit = units[text.dropFirst(digits.count)], count > 0,
            count <= Self.longest.milliseconds / unit
        else {
            throw RuleError.Reason(
                "\u{201C}\(text)\u{201D} is not a duration up to 24h: write it like 500ms, 60s or 2h"
            )
        }
        milliseconds = count * unit
    }
}

/// A conclusion that is drawn if a condition on checks is true.
public struct VerdictDefinition: Sendable, Decodable {
    /// The verdict's name in its rule.
    public var id: String
    /// The condition for giving the verdict.
    public var when: VerdictCondition
    /// The checks that are listed with their labels if they are true.
    public var symptoms: [String]?
    /// The severity.
    public var severity: Severity
    /// The confidence.
    public var confidence: Confidence
    /// A sentence that describes the problem, with the placeholders `{capture}`, `{check.at}`, and `{count}`.
    public var message: String
}

/// A condition on checks, in Kleene's three-valued logic.
public indirect enum VerdictCondition: Sendable, Hashable {
    case check(String)
    case all([VerdictCondition])
    case any([VerdictCondition])
    case not(VerdictCondition)
    /// True if the inner condition is unknown.
    case unknown(VerdictCondition)

    /// The names of all checks in the condition.
    public var checks: [String] {
        switch self {
        case .check(let name): [name]
        case .all(let parts), .any(let parts): parts.flatMap(\.checks)
        case .not(let part), .unknown(let part): part.checks
        }
    }

    /// Returns whether the condition holds; `check` returns the truth value of a check.
    public func holds(_ check: (String) -> Ternary) -> Ternary {
        switch self {
        case .check(let name): return check(name)
        case .all(let parts): return parts.reduce(.yes) { min($0, $1.holds(check)) }
        case .any(let parts): return parts.reduce(.no) { max($0, $1.holds(check)) }
        case .not(let part): return part.holds(check).opposite
        case .unknown(let part): return part.holds(check) == .unknown ? .yes : .no
        }
    }
}

extension VerdictCondition: Decodable {
    public init(from decoder: any Decoder) throws { try self.init(YAMLValue(from: decoder)) }

    private init(_ value: YAMLValue) throws {
        switch value {
        case .text(let name): self = .check(name)
        case .list: throw RuleError.Reason("put 'all' or 'any' before a list of conditions")
        case .mapping(let keys):
            guard keys.count == 1, let (key, value) = keys.first else {
                throw RuleError.Reason("a condition must be a check or one of all, any, not, unknown")
            }
            switch key {
            case "all": self = .all(try Self.parts(value, of: key))
            case "any": self = .any(try Self.parts(value, of: key))
            case "not": self = .not(try VerdictCondition(value))
            case "unknown": self = .unknown(try VerdictCondition(value))
            default:
                throw RuleError.Reason("\u{201C}\(key)\u{201D} is not one of all, any, not, unknown")
            }
        }
    }

    private static func parts(_ value: YAMLValue, of key: String) throws -> [VerdictCondition] {
        guard case .list(let items) = value, !items.isEmpty else {
            throw RuleError.Reason("\(key) needs a list of conditions")
        }
        return try items.map { try VerdictCondition($0) }
    }
}

/// One of Kleene's three truth values.
///
/// The values are ordered so that `and` is the lesser and `or` the greater of two.
public enum Ternary: Int, Sendable, Hashable, Comparable {
    case no
    /// The statement could not be checked, or could only be checked in part.
    case unknown
    case yes

    /// Creates a known value.
    public init(_ value: Bool) { self = value ? .yes : .no }

    /// The opposite value: false for true, and true for false; unknown stays unknown.
    public var opposite: Ternary {
        switch self {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
