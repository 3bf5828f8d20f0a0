import WebConfig

/// A finding, or a kind of unexplained rows, that somebody has decided not to be told about, and why.
public struct Suppression: Sendable {
    /// What it hides.
    public enum Subject: Sendable, Hashable {
        case rule(RuleID)
        /// A kind of rows that no rule explains, by its ID.
        case cluster(String)
    }

    /// What is not reported.
    public var subject: Subject
    /// What the finding must be besides; all of it must hold.
    public var match: SuppressionMatch?
    /// Why it is not.
    public var reason: String
    /// Who answers for that; `nil` if nobody is named.
    public var owner: String?
    /// The last day on which it hides anything; `nil` if it always does.
    public var until: CalendarDay?
    /// The place where it is written.
    public var place: FilePlace

    /// Returns whether it hides a finding, on any day; `expressions` are those of the file that match its message.
    func covers(_ finding: Finding, expressions: Set<Int>) -> Bool {
        guard subject == .rule(finding.rule.id) else { return false }
        let servers = finding.servers + finding.config.compactMap(\.source.server)
        return match?.accepts(finding.message, expressions, servers: servers, finding.captures) ?? true
    }

    /// Returns whether it hides a kind of unexplained rows, on any day.
    func covers(_ cluster: FailureCluster, expressions: Set<Int>) -> Bool {
        guard subject == .cluster(cluster.id) else { return false }
        return match?.accepts(cluster.template, expressions, servers: cluster.servers, []) ?? true
    }

    /// Whether its last day is over.
    public func isExpired(on today: CalendarDay) -> Bool { until.map { $0 < today } ?? false }

    /// What it hides, in words: `FS1003`, `kind 59cf118ae9342bd9`.
    public var subjectText: String {
        switch subject {
        case .rule(let id): id.text
        case .cluster(let id): "kind \(id)"
        }
    }
}

extension Suppression: CustomStringConvertible {
    /// `suppressed until 2027-01-31: known, see ticket 4711 (Operations)`.
    public var description: String {
        let end = until.map { " until \($0)" } ?? ""
        return "suppressed\(end): \(reason)" + (owner.map { " (\($0))" } ?? "")
    }
}

/// What a finding must be, besides one of a rule, for a suppression to hide it.
public struct SuppressionMatch: Sendable {
    /// Text that the finding's message must contain, whatever the case.
    var text: String?
    /// An expression that must match the message.
    var pattern: String?
    /// Its number among the expressions of the file.
    var expression: Int?
    /// Servers, of which the finding must be: all of its servers must be among these.
    var servers: [String]
    /// Values that captures must have.
    var captures: [Capture]

    /// Returns whether a message, its servers and its captures are as wanted.
    ///
    /// A finding on a server that is not named is never hidden, even if it is on a named one too.
    func accepts(
        _ message: String,
        _ expressions: Set<Int>,
        servers: [String],
        _ captures: [Capture]
    ) -> Bool {
        if let text, !message.lowercased().contains(text.lowercased()) { return false }
        if let expression, !expressions.contains(expression) { return false }
        if !self.servers.isEmpty {
            let wanted = Set(self.servers.map { $0.lowercased() })
            guard !servers.isEmpty, servers.allSatisfy({ wanted.contains($0.lowercased()) }) else { return false }
        }
        return self.captures.allSatisfy(captures.contains)
    }

    /// What tells it from other matches, the same in each run.
    var identity: String {
        let parts = [text ?? "", pattern ?? ""] + servers.map { $0.lowercased() }.sorted()
        return (parts + captures.map { "\($0.name)=\($0.value)" }.sorted()).joined(separator: "\u{0}")
    }
}
