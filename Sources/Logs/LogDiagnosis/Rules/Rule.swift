public import YAML

/// A known failure: how it shows in logs and configuration, what it means, and what helps.
///
/// A rule is data, read from a file `FSnnnn.yaml`; CONTRIBUTING shows how to write one. The schema is closed: an
/// unknown key is an error with its place.
public struct Rule: Sendable {
    /// What the rule is called in reports and suppressions.
    public var id: RuleID
    /// A readable name, which may change: `aspnet-tracing-breaks-requests`.
    public var slug: String
    /// The revision, which goes up with every change of meaning.
    public var revision: Int
    /// How well the rule is proven.
    public var status: Status
    /// Whether it finds a failure, or noise.
    public var kind: Kind
    /// The failure in a few words.
    public var title: String
    /// The group in which the rule is listed.
    public var category: String
    /// Words to find the rule by.
    public var tags: [String]
    /// What the rule can't do without.
    public var needs: Needs
    /// Rules that do not count events that are evidence for a finding of this rule.
    public var supersedes: [RuleID]
    /// Captures that split findings: one for each combination of their values.
    public var per: [String]
    /// The event that a finding's evidence begins with.
    public var lead: Lead?
    /// Named predicates on one event, in the order of the file.
    public var selectors: YAMLMapping<Selector>
    /// Named checks, in the order of the file.
    public var checks: YAMLMapping<CheckDefinition>
    /// Verdicts, of which the first true one wins.
    public var verdicts: [VerdictDefinition]
    /// What the failure is, and why it happens.
    public var explanation: Explanation
    /// What to do about it, step by step.
    public var fix: [FixStep]
    /// What `fastctl webconfig fix` writes; `nil` if nothing can be repaired by changing values.
    public var repair: RepairDefinition?
    /// Steps to verify that the failure is fixed.
    public var verify: String?
    /// Sources.
    public var references: [Reference]

    /// The degree to which a rule can be trusted.
    public enum Status: String, Sendable, Decodable, CaseIterable {
        /// The signature was neither seen in a log nor quoted from a source: a warning at most.
        case experimental
        case test
        case stable
        case deprecated
    }

    /// What a true verdict of the rule means.
    public enum Kind: String, Sendable, Decodable, CaseIterable {
        /// Something fails, for a reason that the rule tells.
        case failure
        /// Something fails, such as a timer job, for a reason that only the text of its rows may tell.
        case symptom
        /// Its rows mean nothing by themselves: they are neither findings nor unexplained.
        case noise
    }

    /// The event that evidence begins with.
    public enum Lead: String, Sendable, Decodable, CaseIterable {
        /// The first row at Monitorable or worse of the same request: a generic exception only follows from it.
        case firstAbnormal = "first-abnormal"
    }

    /// The most findings listed for one rule with ``per``; the rest are only counted.
    public static let maximumFindings = 20
}

/// Inputs that a rule needs to be evaluated; `nil` for an input that it does not read.
public struct Needs: Sendable, Hashable {
    /// How much a rule needs an input.
    public enum Need: String, Sendable, Decodable, CaseIterable {
        case required
        case optional
    }

    /// Whether logs are needed; `nil` if they don't matter.
    public var logs: Need?
    /// Whether web.config files are needed; `nil` if they don't matter.
    public var webConfig: Need?
    /// Whether the farm's facts are needed; `nil` if they don't matter.
    public var farm: Need?
}

/// The meaning of a finding, in plain sentences.
public struct Explanation: Sendable, Hashable, Decodable {
    /// What happened.
    public var what: String
    /// Why it happens.
    public var why: String
    /// What users notice; `nil` if nothing is known of that.
    public var impact: String?
}

/// A step of a fix.
public struct FixStep: Sendable, Hashable {
    /// What to do.
    public var step: String
    /// The machines or places where the step is done.
    public var location: String?
    /// A side effect, such as a recycled application pool.
    public var effect: String?
    /// How to undo it; `nil` if nothing has to be.
    public var undo: String?
    /// The verdicts that the step applies to; empty for all.
    public var verdicts: [String]
}

/// Values that are right in the elements that a check finds.
public struct RepairDefinition: Sendable, Decodable {
    /// The check, one on a web.config.
    public var of: Located<String>
    /// The value of each attribute.
    public var set: YAMLMapping<String>
}

/// The source of a fact.
public struct Reference: Sendable, Hashable, Decodable {
    /// The title of the source.
    public var title: String
    /// Its address; `nil` for a source that has none.
    public var url: String?
}

/// A rule's number: `FS` and four digits, never reused for another rule.
///
/// FS0101 is ASP.NET tracing; FS1nnn has the number of the failure in the catalog; FS04nn examines only web.config;
/// FS90nn is about the log and the tool itself; FS91nn is noise.
public struct RuleID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The ID, as `FS0101`.
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
    /// Worth knowing.
    case info
    /// Something will fail, is slow, or is unsafe.
    case warning
    /// Users see failures.
    case error
    /// The service or data are at risk now.
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

/// The reason a rule was refused, and the place.
public struct RuleError: Error, Sendable, Hashable {
    /// The file, as it was given.
    public var file: String
    /// Line and column, counted from 1; `nil` if the error is about the whole file.
    public var place: Place?
    /// What is wrong, as a sentence.
    public var message: String

    /// Creates an error about a rule's file.
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
