import TextKit
import ULSLog
import WebConfig
import YAML

/// A finding, or a kind of unexplained rows, that should not be reported, and the reason.
public struct Suppression: Sendable {
    /// The rule or kind that a suppression hides.
    public enum Subject: Sendable, Hashable {
        case rule(RuleID)
        /// A kind of rows that no rule explains, by its ID.
        case cluster(String)
    }

    /// The hidden rule or kind.
    public var subject: Subject
    /// Additional conditions on the finding, which must all hold.
    public var match: SuppressionMatch?
    /// The reason why the finding or kind is not reported.
    public var reason: String
    /// The owner of the suppression; `nil` if none is named.
    public var owner: String?
    /// The last day on which the suppression is in force; `nil` if it never expires.
    public var until: CalendarDay?
    /// The place where the suppression is written.
    public var place: FilePlace

    /// Returns whether the suppression covers a finding, regardless of the day; `expressions` are the file's
    /// expressions that match the finding's message.
    func covers(_ finding: Finding, expressions: Set<Int>) -> Bool {
        guard subject == .rule(finding.rule.id) else { return false }
        let servers = finding.servers + finding.config.compactMap(\.source.server)
        return match?.accepts(finding.message, expressions, servers: servers, finding.captures) ?? true
    }

    /// Returns whether the suppression covers a kind of unexplained rows, regardless of the day.
    func covers(_ cluster: FailureCluster, expressions: Set<Int>) -> Bool {
        guard subject == .cluster(cluster.id) else { return false }
        return match?.accepts(cluster.template, expressions, servers: cluster.servers, []) ?? true
    }

    /// Returns whether the last day of the suppression has passed.
    public func isExpired(on today: CalendarDay) -> Bool { until.map { $0 < today } ?? false }

    /// The subject in words: `FS1003`, `kind 59cf118ae9342bd9`.
    public var subjectText: String {
        switch subject {
        case .rule(let id): id.text
        case .cluster(let id): "kind \(id)"
        }
    }

    /// Returns whether a text is the ID of a kind of rows, as ``FailureCluster/id`` is.
    package static func isKind(_ text: String) -> Bool {
        text.utf8.count == 16 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}

extension Suppression: CustomStringConvertible {
    /// `suppressed until 2027-01-31: known, see ticket 4711 (Operations)`.
    public var description: String {
        let end = until.map { " until \($0)" } ?? ""
        return "suppressed\(end): \(reason)" + (owner.map { " (\($0))" } ?? "")
    }
}

/// The conditions, in addition to its rule, that a finding must meet to be hidden.
public struct SuppressionMatch: Sendable {
    /// The text that the finding's message must contain, ignoring case.
    var text: String?
    /// An expression that must match the message.
    var pattern: String?
    /// The number of ``pattern`` among the expressions of the file.
    var expression: Int?
    /// A list of servers that must include all servers of the finding.
    var servers: [String]
    /// The values that captures must have.
    var captures: [Capture]

    /// Returns whether a message, its servers and its captures meet the conditions.
    ///
    /// A finding on an unlisted server is never hidden, even if it also occurs on a listed one.
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

    /// The identity of the match, which is the same in each run.
    var identity: String {
        let parts = [text ?? "", pattern ?? ""] + servers.map { $0.lowercased() }.sorted()
        return (parts + captures.map { "\($0.name)=\($0.value)" }.sorted()).joined(separator: "\u{0}")
    }
}

/// A file of suppressions: findings that should not be reported again, with reasons.
///
/// ```yaml
/// schema: fastctl.suppressions/1
/// suppressions:
///   - rule: FS1003
///     match: {server: WFE3}
///     reason: the server is replaced next month
///     owner: Operations
///     until: 2027-01-31
/// ```
public struct SuppressionFile: Sendable {
    /// The name of the file that is used by default if it exists in the current folder.
    public static let standardName = "fastctl-suppress.yaml"
    /// The schema of the file.
    public static let schema = "fastctl.suppressions/1"

    /// The path of the file.
    public var path: String
    /// The entries, in the order of the file.
    public private(set) var entries: [Suppression]
    /// The expressions of all entries, which are compiled and limited together.
    private var expressions: MessagePatterns?

    private static let maximumBytes = 1 << 20
    /// The maximum number of entries.
    static let maximumEntries = 1000

    /// Reads a file.
    ///
    /// - Throws: ``RuleError`` with the problem and its place.
    public static func read(_ path: String) throws(RuleError) -> SuppressionFile {
        try SuppressionFile(try CompanionFile(path: path, maximumBytes: maximumBytes).text(), path: path)
    }

    /// Reads the text of a file.
    public init(_ text: String, path: String) throws(RuleError) {
        let document: SuppressionDocument = try CompanionFile(path: path, maximumBytes: Self.maximumBytes).decode(text)
        let written = document.suppressions ?? []
        guard written.count <= Self.maximumEntries else {
            throw RuleError(
                file: path,
                message: "it has \(written.count) entries; at most \(Self.maximumEntries) are read"
            )
        }
        self.path = path
        entries = []
        var texts: [Located<String>] = []
        for entry in written {
            do throws(SuppressionProblem) {
                entries.append(try entry.value.suppression(in: path, at: entry.place, expression: texts.count))
            } catch {
                throw RuleError(file: path, place: error.place ?? entry.place, message: error.message)
            }
            if let text = entry.value.match?.regex { texts.append(text) }
        }
        guard !texts.isEmpty else { return }
        do throws(MessagePatternError) {
            expressions = try MessagePatterns(wanted: texts.map(\.value))
        } catch {
            throw RuleError(file: path, place: error.expression.map { texts[$0].place }, message: error.message)
        }
    }
}

extension SuppressionFile {
    /// Returns the indices of the entries that cover a finding, regardless of the day.
    func entries(covering finding: Finding) -> [Int] {
        let matched = expressions?.indexes(matching: finding.message) ?? []
        return entries.indices.filter { entries[$0].covers(finding, expressions: matched) }
    }

    /// Returns the indices of the entries that cover a kind of unexplained rows, regardless of the day.
    func entries(covering cluster: FailureCluster) -> [Int] {
        let matched = expressions?.indexes(matching: cluster.template) ?? []
        return entries.indices.filter { entries[$0].covers(cluster, expressions: matched) }
    }
}

/// A file of suppressions, as written.
private struct SuppressionDocument: Decodable {
    private enum Schema: String, Decodable, CaseIterable { case one = "fastctl.suppressions/1" }

    struct Entry: Decodable {
        var rule: Located<RuleID>?
        var cluster: Located<String>?
        var match: Match?
        var reason: Located<String>
        var owner: String?
        var until: CalendarDay?
    }

    struct Match: Decodable {
        var text: String?
        var regex: Located<String>?
        var server: OneOrMany<String>?
        var captures: YAMLMapping<String>?
    }

    private var schema: Schema
    var suppressions: [Located<Entry>]?
}

private struct SuppressionProblem: Error {
    var place: Place?
    var message: String
}

extension SuppressionDocument.Entry {
    fileprivate func suppression(
        in path: String,
        at place: Place,
        expression: Int
    ) throws(SuppressionProblem) -> Suppression {
        guard !reason.value.allSatisfy(\.isWhitespace) else {
            throw SuppressionProblem(place: reason.place, message: "the reason is empty; give one")
        }
        let match = match?.meaning(expression: expression)
        if let match, match.text == nil, match.expression == nil, match.servers.isEmpty, match.captures.isEmpty {
            throw SuppressionProblem(
                message: "the match is empty: name text, regex, server or captures, or leave it out"
            )
        }
        return Suppression(
            subject: try subject(),
            match: match,
            reason: reason.value,
            owner: owner.flatMap { $0.isEmpty ? nil : $0 },
            until: until,
            place: FilePlace(file: path, line: place.line, column: place.column)
        )
    }

    private func subject() throws(SuppressionProblem) -> Suppression.Subject {
        switch (rule, cluster) {
        case (let rule?, nil):
            if ProgramRule.allIDs.contains(rule.value) {
                throw SuppressionProblem(
                    place: rule.place,
                    message: "\(rule.value) concerns one of your own files; correct that file instead"
                )
            }
            return .rule(rule.value)
        case (nil, let cluster?):
            guard Suppression.isKind(cluster.value) else {
                throw SuppressionProblem(
                    place: cluster.place,
                    message:
                        "\u{201C}\(cluster.value.prefix(32))\u{201D} is not the ID of a kind; IDs have 16 digits and are shown by -o json"
                )
            }
            return .cluster(cluster.value)
        default: throw SuppressionProblem(message: "name a rule or a cluster to hide")
        }
    }
}

extension SuppressionDocument.Match {
    fileprivate func meaning(expression: Int) -> SuppressionMatch {
        SuppressionMatch(
            text: text.flatMap { $0.isEmpty ? nil : $0 },
            pattern: regex?.value,
            expression: regex == nil ? nil : expression,
            servers: server?.values ?? [],
            captures: captures?.entries.map { Capture(name: $0.key.value, value: $0.value) } ?? []
        )
    }
}

/// A suppression to be written: its subject, reason, owner, and last day.
public struct SuppressionDraft: Sendable {
    /// The rule or kind to hide.
    public var subject: Suppression.Subject
    /// The servers that the suppression applies to; empty if it applies to all.
    public var servers: [String]
    /// The text that the finding's message must contain; `nil` for any message.
    public var text: String?
    /// The reason why the finding or kind should not be reported.
    public var reason: String
    /// The owner of the suppression; `nil` if none is named.
    public var owner: String?
    /// The last day on which the suppression is in force; `nil` if it never expires.
    public var until: CalendarDay?

    /// Creates a draft for all servers that never expires.
    public init(_ subject: Suppression.Subject, reason: String) {
        self.subject = subject
        self.reason = reason
        servers = []
    }

    /// Returns the lines of the draft, as a list item.
    fileprivate func lines(indentation: Int) -> [String] {
        var lines: [String] = []
        switch subject {
        case .rule(let id): lines.append("rule: \(id)")
        case .cluster(let id): lines.append("cluster: \(id.yamlQuoted)")
        }
        if !servers.isEmpty || text != nil { lines.append("match:") }
        if let text { lines.append("  text: \(text.yamlQuoted)") }
        if !servers.isEmpty { lines.append("  server: [\(servers.map(\.yamlQuoted).joined(separator: ", "))]") }
        lines.append("reason: \(reason.yamlQuoted)")
        if let owner { lines.append("owner: \(owner.yamlQuoted)") }
        if let until { lines.append("until: \(until)") }
        let margin = String(repeating: " ", count: indentation)
        return lines.enumerated().map { margin + ($0 == 0 ? "- " : "  ") + $1 }
    }

    /// The contents, for comparison with the entry that is read back.
    fileprivate var meaning: [String] {
        ["\(subject)", reason, owner ?? "", until?.description ?? "", matchIdentity]
    }

    /// The identity of the match; empty if it covers all findings of its rule or kind.
    fileprivate var matchIdentity: String {
        guard !servers.isEmpty || text != nil else { return "" }
        var match = SuppressionMatch(servers: servers, captures: [])
        match.text = text
        return match.identity
    }
}

extension Suppression {
    fileprivate var meaning: [String] {
        ["\(subject)", reason, owner ?? "", until?.description ?? "", match?.identity ?? ""]
    }
}

extension SuppressionFile {
    /// Returns the entries with the same scope as a draft: the same rule or kind, servers and text.
    public func entries(like draft: SuppressionDraft) -> [Suppression] {
        entries.filter { $0.subject == draft.subject && ($0.match?.identity ?? "") == draft.matchIdentity }
    }

    /// Returns the text of a file with a suppression added at its end; everything else remains unchanged.
    ///
    /// - Parameters:
    ///   - draft: The suppression to add.
    ///   - text: The file's text; `nil` for a new file.
    ///   - path: The file's path, for errors.
    /// - Returns: The new text.
    /// - Throws: ``RuleError`` if the file has errors, or if its form makes it unsafe to add anything.
    public static func adding(_ draft: SuppressionDraft, to text: String?, path: String) throws(RuleError) -> String {
        let old = try text.map { text throws(RuleError) in try SuppressionFile(text, path: path) }
        var new = text ?? "# Findings that 'fastctl diagnose' should not report.\nschema: \(schema)\nsuppressions:\n"
        let lineEnd = new.utf8.contains(0x0D) ? "\r\n" : "\n"
        if new.utf8.last != 0x0A { new += lineEnd }
        // The dash is two columns to the left of the first key.
        let indentation = max(0, (old?.entries.last?.place.column).map { $0 - 3 } ?? 2)
        if let old, old.entries.isEmpty, !new.utf8.split(separator: 0x0A).contains(where: { $0.starts(with: key.utf8) })
        {
            new += key + lineEnd
        }
        new += draft.lines(indentation: indentation).map { $0 + lineEnd }.joined()
        let wanted = (old?.entries ?? []).map(\.meaning) + [draft.meaning]
        guard let read = try? SuppressionFile(new, path: path), read.entries.map(\.meaning) == wanted else {
            // An invalid entry causes its own error.
            let alone = "schema: \(schema)\n\(key)\n" + draft.lines(indentation: 2).map { $0 + "\n" }.joined()
            _ = try SuppressionFile(alone, path: path)
            throw RuleError(
                file: path,
                message:
                    "this command cannot add to a file in this form, and did not change it; edit it by hand"
            )
        }
        return new
    }

    private static let key = "suppressions:"
}

/// A calendar day, without a time zone: `2027-01-31`.
public struct CalendarDay: Sendable, Hashable, Comparable {
    /// The year.
    public let year: Int
    /// The month, from 1.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int

    /// Creates a day; `nil` if the calendar does not have it.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), CivilDate(year: Int64(year), month: month, day: day) != nil
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads a day written as `YYYY-MM-DD`; `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 0x2D || $0.isDigit }) else {
            return nil
        }
        let numbers = parts.compactMap { Int(Substring($0)) }
        guard numbers.count == 3 else { return nil }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    public static func < (one: Self, other: Self) -> Bool {
        (one.year, one.month, one.day) < (other.year, other.month, other.day)
    }
}

extension CalendarDay: CustomStringConvertible {
    public var description: String {
        "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
    }
}

extension CalendarDay: Decodable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let day = CalendarDay(text) else {
            throw RuleError.Reason("\u{201C}\(text.prefix(32))\u{201D} is not a day: write it like 2027-01-31")
        }
        self = day
    }
}
