import WebConfig

/// Findings that are known, by their fingerprints, to tell new ones from them.
public struct FindingBaseline: Sendable, Hashable {
    /// A known finding.
    ///
    /// What its message says is left out: it may name users and addresses, and the file is kept.
    public struct Entry: Sendable, Hashable {
        /// What tells the finding from others in every run.
        public var fingerprint: String
        /// The rule that found it.
        public var rule: RuleID
        /// The failure in a few words.
        public var title: String
        /// Its severity then: a finding that has become worse is new.
        public var severity: Severity
        /// Servers that it was on: without them in the input, nobody knows whether it is gone.
        public var servers: [String]

        /// Creates an entry.
        public init(fingerprint: String, rule: RuleID, title: String, severity: Severity, servers: [String] = []) {
            self.fingerprint = fingerprint
            self.rule = rule
            self.title = title
            self.severity = severity
            self.servers = servers
        }

        init(_ finding: Finding) {
            self.init(
                fingerprint: finding.fingerprint,
                rule: finding.rule.id,
                title: finding.rule.title,
                severity: finding.severity,
                servers: Set(finding.servers + finding.config.compactMap(\.source.server)).sorted()
            )
        }
    }

    /// Entries by rule and fingerprint, each fingerprint once.
    public let entries: [Entry]
    private let severities: [String: Severity]

    /// Creates a baseline of findings.
    public init(_ entries: [Entry]) {
        // The same fingerprint twice, as of two verdicts, is known at its worst.
        let worst = Dictionary(entries.map { ($0.fingerprint, $0) }) { $0.severity >= $1.severity ? $0 : $1 }
        self.entries = worst.values.sorted { ($0.rule, $0.fingerprint) < ($1.rule, $1.fingerprint) }
        severities = worst.mapValues(\.severity)
    }

    /// Returns whether a finding is known, and no worse than it was.
    public func knows(_ finding: Finding) -> Bool {
        severities[finding.fingerprint].map { finding.severity <= $0 } ?? false
    }
}

extension FindingBaseline {
    /// The first member of the file.
    public static let schema = "fastctl.baseline/1"
    private static let maximumBytes = 16 << 20
    /// Enough for 16 MB of findings, each with the servers it names.
    private static let maximumValues = 1_000_000

    private struct Document: Decodable {
        struct Entry: Decodable {
            var fingerprint: String
            var rule: RuleID
            var title: String
            var severity: Severity
            var servers: [String]?
        }

        var schema: String
        var findings: [Entry]
    }

    /// Reads a file that `diagnose --write-baseline` has written.
    ///
    /// - Throws: ``RuleError`` with what is wrong, and where.
    public static func read(_ path: String) throws(RuleError) -> FindingBaseline {
        let file = CompanionFile(path: path, maximumBytes: maximumBytes, maximumValues: maximumValues)
        let document: Document = try file.decode(try file.text())
        guard document.schema == schema else {
            throw RuleError(
                file: path,
                message: "it is not a baseline of findings: write one with 'fastctl diagnose --write-baseline'"
            )
        }
        return FindingBaseline(
            document.findings.map {
                Entry(
                    fingerprint: $0.fingerprint,
                    rule: $0.rule,
                    title: $0.title,
                    severity: $0.severity,
                    servers: $0.servers ?? []
                )
            }
        )
    }
}
