public import YAML

/// What is known of one failure: how it shows in logs and configuration, what it means, and what helps.
///
/// A rule is data, read from a file `FSnnnn.yaml`; CONTRIBUTING shows how one is made. The schema is closed: a key that
/// is not known is an error with its place.
public struct Rule: Sendable {
    public var id: RuleID
    /// A name for people, which may change: `aspnet-tracing-breaks-requests`.
    public var slug: String
    /// Counts up with every change of meaning.
    public var revision: Int
    public var status: Status
    public var title: String
    public var category: String
    public var tags: [String]
    public var needs: Needs
    /// Rules that do not count the events that are evidence of a finding of this one.
    public var supersedes: [RuleID]
    /// Captures that make one finding for each of their values.
    public var per: [String]
    /// What evidence of a finding begins with.
    public var lead: Lead?
    /// Named predicates on one event, in the order of the file.
    public var selectors: YAMLMapping<Selector>
    /// Named checks, in the order of the file.
    public var checks: YAMLMapping<CheckDefinition>
    /// The first that is true wins.
    public var verdicts: [VerdictDefinition]
    public var explanation: Explanation
    public var fix: [FixStep]
    /// How to see that it is cured.
    public var verify: String?
    public var references: [Reference]

    /// How far the rule can be trusted.
    public enum Status: String, Sendable, Decodable, CaseIterable {
        /// Its signature was not seen in a log nor quoted from a source: a warning at most.
        case experimental
        case test
        case stable
        case deprecated
    }

    /// What evidence begins with.
    public enum Lead: String, Sendable, Decodable, CaseIterable {
        /// The first row at Monitorable or worse of the same request: a generic exception only follows from it.
        case firstAbnormal = "first-abnormal"
    }

    /// At most so many findings of one rule with ``per``; the rest are counted.
    public static let maximumFindings = 20
}

/// What a rule must be given to be evaluated; `nil` for what it does not look at.
public struct Needs: Sendable, Hashable {
    public enum Need: String, Sendable, Decodable, CaseIterable {
        case required
        case optional
    }

    public var logs: Need?
    public var webConfig: Need?
}

/// What a finding means, in plain sentences.
public struct Explanation: Sendable, Hashable, Decodable {
    public var what: String
    public var why: String
    public var impact: String?
}

/// One step of a remedy.
public struct FixStep: Sendable, Hashable {
    public var step: String
    /// On which machines or in which places.
    public var location: String?
    /// What else it does, such as a recycled application pool.
    public var effect: String?
    public var undo: String?
    /// The verdicts for which it is meant; empty for all.
    public var verdicts: [String]
}

/// Where a fact comes from.
public struct Reference: Sendable, Hashable, Decodable {
    public var title: String
    public var url: String?
}

/// The number of a rule: `FS` and four digits, never used again for another rule.
///
/// FS0101 is ASP.NET tracing; FS1nnn has the number of the failure in the catalogue; FS04nn looks at web.config alone;
/// FS90nn is about the log and the tool itself.
public struct RuleID: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let text: String

    /// `nil` unless it is `FS` and four digits; small letters are taken for capitals.
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
            throw RuleError.Reason("\u{201C}\(text)\u{201D} is no rule ID: FS and four digits")
        }
        self = id
    }
}

/// How bad a finding is.
public enum Severity: String, Sendable, Decodable, CaseIterable, Comparable {
    /// Worth knowing.
    case info
    /// It will fail, is slow or unsafe.
    case warning
    /// Users see failures.
    case error
    /// The service or data are at risk now.
    case critical

    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// How sure a finding is.
public enum Confidence: String, Sendable, Decodable, CaseIterable {
    /// Something speaks against it.
    case possible
    /// The signature only.
    case likely
    /// Logs and configuration agree.
    case certain
}

/// Why a rule was refused, and where.
public struct RuleError: Error, Sendable, Hashable {
    /// The file, as it was given.
    public var file: String
    /// Line and column, from 1; `nil` when it is about the whole file.
    public var place: Place?
    public var message: String

    public init(file: String, place: Place? = nil, message: String) {
        self.file = file
        self.place = place
        self.message = message
    }

    init(_ error: YAMLError, file: String) {
        self.init(
            file: file,
            place: error.place,
            message: (error.path.isEmpty ? "" : "\(error.path): ") + error.message
        )
    }

    /// A failure whose place the decoder knows.
    struct Reason: Error, CustomStringConvertible {
        var description: String

        init(_ description: String) { self.description = description }
    }
}

extension RuleError: CustomStringConvertible {
    public var description: String { "\(file)\(place.map { ":\($0)" } ?? ""): \(message)" }
}
