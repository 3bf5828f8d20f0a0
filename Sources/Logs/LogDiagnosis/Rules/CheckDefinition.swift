public import YAML

/// A named statement about logs, configuration or the farm, which is true, false or unknown.
public struct CheckDefinition: Sendable {
    /// What a check asks.
    public enum Kind: Sendable {
        case count(CountDefinition)
        case sequence(SequenceDefinition)
        case absence(AbsenceDefinition)
        case config(ConfigDefinition)
        case differs(DiffersDefinition)
        case quality(QualityDefinition)
        case farm(FarmCondition)
    }

    /// What the check asks.
    public var kind: Kind
    /// The text of the check as a symptom, when it is true: `{count} requests could not read a file`.
    public var label: String?
}

/// A way to group events that belong together.
public enum Grouping: String, Sendable, Decodable, CaseIterable {
    /// Events with the same correlation; each event without one is its own group.
    case correlation
    /// Events with the same correlation; without one, those with the same server, process, and thread and at most 60
    /// seconds between them; in a paste without those columns, the whole paste.
    case request
    case server
}

/// A check on how many events meet a selector.
public struct CountDefinition: Sendable, Decodable {
    /// The selector whose events are counted.
    public var of: Located<String>
    /// The least that makes it true; `nil` for no such bound.
    public var gte: Int?
    /// The most that leaves it true; `nil` for no such bound.
    public var lte: Int?
    /// The only number that makes it true; `nil` for any.
    public var eq: Int?
    /// The time window that must contain the events; `nil` for the whole input.
    public var within: RuleDuration?
    /// The groups that are counted separately; `nil` to count all events together.
    public var by: Grouping?
    /// Values that are counted instead of events: `correlation`, `request`, `server`, or a capture.
    public var distinct: Located<String>?
}

/// Events that occur in order within one group; others may come between them.
public struct SequenceDefinition: Sendable, Decodable {
    /// Selectors of the steps, in order.
    public var steps: [Located<String>]
    /// What must be the same in all rows.
    public var by: Grouping
    /// The longest time from the first step to the last.
    public var within: RuleDuration?
    /// Selectors that break the sequence.
    public var notBetween: OneOrMany<Located<String>>?

    private enum CodingKeys: String, CodingKey {
        case steps, by, within
        case notBetween = "not_between"
    }
}

/// An event that is not followed by an expected one.
public struct AbsenceDefinition: Sendable, Decodable {
    /// The selector of the row after which something is expected.
    public var after: Located<String>
    /// The selector of what is expected.
    public var expect: Located<String>
    /// What must be the same in both rows.
    public var by: Grouping
    /// How soon it is expected.
    public var within: RuleDuration
}

/// An element of web.config that meets all conditions at once.
public struct ConfigDefinition: Sendable, Decodable {
    /// The path below `configuration`: `system.web/trace`.
    public var element: String
    /// The location: `any` (the default), `none` for outside location elements, or the path of one.
    public var location: String?
    /// Conditions on attributes; `nil` if any element will do.
    public var `where`: YAMLMapping<AttributeCondition>?
}

/// A condition on an attribute.
public struct AttributeCondition: Sendable, Decodable {
    /// The truth value, `true` or `false`, in any case.
    public var bool: Bool?
    /// Texts of which the value must be one, in any case.
    public var equals: OneOrMany<String>?
    /// Whether the attribute must be written.
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
    /// What is measured of the reading.
    public enum Metric: String, Sendable, Decodable, CaseIterable {
        /// The percentage of lines that were not understood.
        case parseErrorPercent = "parse_error_percent"
        /// Message parts whose beginning was not found.
        case orphans
        /// The number of times a clock was set back.
        case clockSteps = "clock_steps"
        /// Silences of a server.
        case gaps
        /// Limits that were reached.
        case limits
    }

    /// What is measured.
    public var metric: Metric
    /// The least that makes it true.
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

    /// The longest time for a request, if a check does not say otherwise: ten minutes.
    public static let request = RuleDuration(milliseconds: 600_000)

    /// The longest time a check may look back: a day.
    static let longest = RuleDuration(milliseconds: 86_400_000)
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
