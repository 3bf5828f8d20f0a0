import YAML

/// A conclusion that is drawn when a condition on checks is true.
public struct VerdictDefinition: Sendable, Decodable {
    /// The verdict's name in its rule.
    public var id: String
    /// When it is given.
    public var when: VerdictCondition
    /// Checks that are listed with their labels when they are true.
    public var symptoms: [String]?
    /// How bad it is.
    public var severity: Severity
    /// How sure the rule is.
    public var confidence: Confidence
    /// A sentence that says what is wrong, with the placeholders `{capture}`, `{check.at}`, and `{count}`.
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

    /// Returns whether the condition holds; `check` returns what is known about a check.
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
        case .list: throw RuleError.Reason("put all or any before a list of conditions")
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

/// A truth value: one of Kleene's three.
///
/// The values are ordered so that `and` is the lesser and `or` the greater of two.
public enum Ternary: Int, Sendable, Hashable, Comparable {
    case no
    /// The statement could not be checked, or not completely.
    case unknown
    case yes

    /// Creates a value that is known.
    public init(_ value: Bool) { self = value ? .yes : .no }

    /// True for false, false for true; what is unknown stays so.
    public var opposite: Ternary {
        switch self {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
