public import YAML

/// A predicate on one event: one of its cases holds, and of a case all conditions.
public struct Selector: Sendable {
    public var cases: [SelectorCase]
}

/// Conditions that hold together, and what they capture.
public struct SelectorCase: Sendable {
    public var conditions: [FieldCondition]
    /// Templates for parts of the message, as `same ID '{control}' were found`; one that does not fit captures nothing.
    public var captures: [Located<String>]
    public var place: Place

    /// The conditions on one field.
    func conditions(on field: EventField) -> [FieldCondition] { conditions.filter { $0.field == field } }

    /// Whether it names the event IDs that it is about.
    public var namesEventIDs: Bool {
        conditions.contains { $0.field == .eventID && $0.comparison == .equals }
    }
}

/// What an event is asked about.
public enum EventField: String, Sendable, CaseIterable {
    case eventID = "event_id"
    case level
    case area
    case category
    case process
    case server
    case message
    case correlation
    /// The duration that a row says which leaves a scope, in milliseconds.
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
