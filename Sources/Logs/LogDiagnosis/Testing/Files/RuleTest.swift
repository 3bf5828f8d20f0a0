public import YAML

/// What a rule is given, and what it must say.
public struct RuleTest: Sendable {
    public var name: String
    /// Where it begins in its file.
    public var place: Place
    /// Other rules that run along.
    public var with: [RuleID]
    /// `nil` when no log is given.
    public var log: TestLog?
    public var configs: [TestConfig]
    public var expectation: TestExpectation
    /// Whether it is known to fail, and must: when it passes, it is to be promoted.
    public var isKnownGap: Bool

    /// Whether it shows what is nearly the failure, and is not.
    public var isNearMiss: Bool { name.hasPrefix("NEAR MISS") }

    /// How many bytes it gives a rule to look at.
    var bytes: Int {
        let files = configs.reduce(0) { $0 + $1.xml.utf8.count }
        return switch log {
        case .rows(let rows): rows.reduce(files) { $0 + $1.message.utf8.count }
        case .paste(let text): files + text.utf8.count
        case nil: files
        }
    }

    /// Whether it expects a finding in a log of which no row has a correlation.
    var findsWithoutCorrelation: Bool {
        guard case .findings(let findings) = expectation, !findings.isEmpty else { return false }
        return switch log {
        case .rows(let rows): rows.allSatisfy { $0.correlation == nil }
        case .paste: true
        case nil: false
        }
    }
}

/// A log that a test gives.
public enum TestLog: Sendable, Hashable {
    /// Rows, to be written as the service writes them.
    case rows([TestRow])
    /// A text as somebody pasted it.
    case paste(String)
}

/// An event that a test gives.
public struct TestRow: Sendable, Hashable {
    public var time: TestTime
    public var eventID: String
    public var level: String
    public var area: String
    public var category: String
    public var message: String
    /// A GUID; `nil` for none.
    public var correlation: String?
    public var process: String
    public var processID: String
    public var threadID: String
    /// `nil` where the process column does not say it.
    public var server: String?
    /// The most characters of the message in one row.
    public var split: Int

    /// How many characters of a message the service writes into one row.
    public static let nativeSplit = 800

    /// The most rows that one message is split into.
    public static let maximumParts = 1000
}

/// A web.config that a test gives.
public struct TestConfig: Sendable, Hashable {
    public var server: String?
    public var zone: String?
    public var xml: String
}
