import YAML

/// What is concluded when a condition on checks is true.
public struct VerdictDefinition: Sendable, Decodable {
    public var id: String
    public var when: VerdictCondition
    /// Checks that are named with their labels when they are true.
    public var symptoms: [String]?
    public var severity: Severity
    public var confidence: Confidence
    /// What is wrong, in one sentence, with `{capture}`, `{check.at}` and `{count}`.
    public var message: String
}

/// A condition on checks, in Kleene's logic.
public indirect enum VerdictCondition: Sendable, Hashable {
    case check(String)
    case all([VerdictCondition])
    case any([VerdictCondition])
    case not(VerdictCondition)
    /// Whether it is not known.
    case unknown(VerdictCondition)

    /// The names of all checks in it.
    public var checks: [String] {
        switch self {
        case .check(let name): [name]
        case .all(let parts), .any(let parts): parts.flatMap(\.checks)
        case .not(let part), .unknown(let part): part.checks
        }
    }

    /// Whether it holds, where `check` says what is known of a check.
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
        case .list: throw RuleError.Reason("a list of conditions needs all or any before it")
        case .mapping(let keys):
            guard keys.count == 1, let (key, value) = keys.first else {
                throw RuleError.Reason("a condition is a check or one of all, any, not, unknown")
            }
            switch key {
            case "all": self = .all(try Self.parts(value, of: key))
            case "any": self = .any(try Self.parts(value, of: key))
            case "not": self = .not(try VerdictCondition(value))
            case "unknown": self = .unknown(try VerdictCondition(value))
            default:
                throw RuleError.Reason("\u{201C}\(key)\u{201D} is none of all, any, not, unknown")
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

/// What is known of a statement: Kleene's three values.
///
/// They are ordered, so that `and` is the least and `or` the greatest of two.
public enum Ternary: Int, Sendable, Hashable, Comparable {
    case no
    /// It could not be looked at, or not to the end.
    case unknown
    case yes

    public init(_ value: Bool) { self = value ? .yes : .no }

    public var opposite: Ternary {
        switch self {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
