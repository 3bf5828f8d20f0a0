import Spelling
import ULSLog
public import YAML

/// A predicate on one event: true if all conditions of at least one case hold.
public struct Selector: Sendable {
    /// The cases, of which one is enough.
    public var cases: [SelectorCase]
}

/// Conditions that must all hold, and what to capture.
public struct SelectorCase: Sendable {
    /// The conditions, all of which must hold.
    public var conditions: [FieldCondition]
    /// Templates for parts of the message: `same ID '{control}' were found`; one that does not fit captures nothing.
    public var captures: [Located<String>]
    /// Where the case is in its file.
    public var place: Place

    /// Returns the conditions on one field.
    func conditions(on field: EventField) -> [FieldCondition] { conditions.filter { $0.field == field } }

    /// Whether the case names the event IDs that it is about.
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
/// Text comparison ignores ASCII case. A condition that no row can meet is refused when the rule is read.
public struct FieldCondition: Sendable, Hashable {
    /// A way to compare a field with a value.
    public enum Comparison: String, Sendable, CaseIterable {
        case equals
        case contains
        case startsWith = "startswith"
        case endsWith = "endswith"
        /// A pattern: `*` is any text, `?` any byte; nothing else is special.
        case glob
        /// A regular expression without backreferences and lookaround.
        case expression = "re"
        /// At least; for levels, as bad or worse.
        case atLeast = "gte"
        /// At most; for levels, as bad or milder.
        case atMost = "lte"
        /// Whether the field has any text: `true` or `false`.
        case exists
    }

    /// How many of the values must match.
    public enum Quantifier: String, Sendable, CaseIterable {
        case any
        case all
        /// None of them: a list of exceptions, such as rows that look like a failure and are not.
        case none
    }

    /// The field of an event.
    public var field: EventField
    /// How the field is compared.
    public var comparison: Comparison
    /// Whether one value is enough.
    public var quantifier: Quantifier
    /// The values.
    public var values: [String]
    /// Where the condition is in its file.
    public var place: Place

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

    /// Returns why no row can meet the condition, or why every row does; `nil` if it is useful.
    private func futility(_ values: [Located<String>]) -> (message: String, place: Place?)? {
        if comparison == .expression, field != .message {
            return ("re works for message only; use glob for \(field.rawValue)", nil)
        }
        if comparison == .exists, values.count > 1 || quantifier != .any {
            return ("exists takes one value, true or false", nil)
        }
        if comparison == .equals, quantifier == .all, Set(values.map { $0.value.lowercased() }).count > 1 {
            return ("one text cannot equal all of several values; use any, or contains", nil)
        }
        if quantifier == .none, [.atLeast, .atMost].contains(comparison) {
            return ("none does not go with gte and lte; use the opposite bound", nil)
        }
        for value in values {
            if let reason = futility(of: value.value) { return (reason, value.place) }
        }
        return nil
    }

    /// Returns why no row has a text that meets the condition with this value; `nil` if one may.
    private func futility(of value: String) -> String? {
        switch comparison {
        case .atLeast, .atMost:
            if field == .level {
                return ULSLevel(value).isKnown
                    ? nil : "there is no level \u{201C}\(value)\u{201D}; gte and lte need one of the service's own"
            }
            return Double(value)?.isFinite == true ? nil : "\u{201C}\(value)\u{201D} is not a number to compare with"
        case .equals, .startsWith, .endsWith, .contains, .glob:
            if comparison != .endsWith, comparison != .contains, value.first?.isWhitespace == true {
                return "no column begins with a blank; remove it from \u{201C}\(value)\u{201D}"
            }
            if comparison != .startsWith, comparison != .contains, value.last?.isWhitespace == true {
                return "no column ends with a blank; remove it from \u{201C}\(value)\u{201D}"
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
                    throw YAMLError(message: "an empty text is not a condition", place: value.place)
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
