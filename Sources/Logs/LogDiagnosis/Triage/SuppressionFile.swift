import ULSLog
import YAML

/// A file of suppressions: what not to tell again, and why.
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
    /// The name of the file that is looked for in the current folder.
    public static let standardName = "fastctl-suppress.yaml"
    /// The schema of the file.
    public static let schema = "fastctl.suppressions/1"

    /// The path of the file.
    public var path: String
    /// Entries in the order of the file.
    public private(set) var entries: [Suppression]
    /// The expressions of all entries, which are compiled, and limited, together.
    private var expressions: MessagePatterns?

    private static let maximumBytes = 1 << 20
    /// The most entries.
    static let maximumEntries = 1000

    /// Reads a file.
    ///
    /// - Throws: ``RuleError`` with what is wrong, and where.
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
    /// Returns the indexes of the entries that cover a finding, on any day.
    func entries(covering finding: Finding) -> [Int] {
        let matched = expressions?.indexes(matching: finding.message) ?? []
        return entries.indices.filter { entries[$0].covers(finding, expressions: matched) }
    }

    /// Returns the indexes of the entries that cover a kind of unexplained rows, on any day.
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
            throw SuppressionProblem(place: reason.place, message: "the reason is empty: say why it is not to be told")
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
                    message: "\(rule.value) is about a file of your own: correct that file instead"
                )
            }
            return .rule(rule.value)
        case (nil, let cluster?):
            let isID =
                cluster.value.utf8.count == 16 && cluster.value.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
            guard isID else {
                throw SuppressionProblem(
                    place: cluster.place,
                    message:
                        "\u{201C}\(cluster.value.prefix(32))\u{201D} is not the ID of a kind, which has 16 digits and is in -o json"
                )
            }
            return .cluster(cluster.value)
        default: throw SuppressionProblem(message: "name what it hides: either a rule or a cluster")
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
