import YAML

/// A suppression to be written: what it hides, why, whose it is, and how long.
public struct SuppressionDraft: Sendable {
    /// What is not to be reported.
    public var subject: Suppression.Subject
    /// The servers that it is about; empty for all.
    public var servers: [String]
    /// Text that the finding's message must contain; `nil` for any message.
    public var text: String?
    /// Why it is not to be reported.
    public var reason: String
    /// Who answers for that; `nil` if nobody is named.
    public var owner: String?
    /// The last day on which it holds; `nil` for always.
    public var until: CalendarDay?

    /// Creates a draft for all servers and for always.
    public init(_ subject: Suppression.Subject, reason: String) {
        self.subject = subject
        self.reason = reason
        servers = []
    }

    /// Its lines, as an item of a list.
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

    /// What it says, for comparing it with what is read back.
    fileprivate var meaning: [String] {
        ["\(subject)", reason, owner ?? "", until?.description ?? "", matchIdentity]
    }

    /// What tells its match from others; empty if it is about all findings of its rule or kind.
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
    /// Returns the entries that are about the same as a draft: the same rule or kind, servers and text.
    public func entries(like draft: SuppressionDraft) -> [Suppression] {
        entries.filter { $0.subject == draft.subject && ($0.match?.identity ?? "") == draft.matchIdentity }
    }

    /// Returns the text of a file with one more suppression at its end; everything else stays as it is.
    ///
    /// - Parameters:
    ///   - draft: what to add.
    ///   - text: the file's text; `nil` for a new file.
    ///   - path: its path, for errors.
    /// - Returns: The new text.
    /// - Throws: ``RuleError`` if the file has mistakes, or a form to which nothing can be added safely.
    public static func adding(_ draft: SuppressionDraft, to text: String?, path: String) throws(RuleError) -> String {
        let old = try text.map { text throws(RuleError) in try SuppressionFile(text, path: path) }
        var new = text ?? "# What 'fastctl diagnose' here does not tell, and why.\nschema: \(schema)\nsuppressions:\n"
        let lineEnd = new.utf8.contains(0x0D) ? "\r\n" : "\n"
        if new.utf8.last != 0x0A { new += lineEnd }
        // The dash is two columns before the first key.
        let indentation = max(0, (old?.entries.last?.place.column).map { $0 - 3 } ?? 2)
        if let old, old.entries.isEmpty, !new.utf8.split(separator: 0x0A).contains(where: { $0.starts(with: key.utf8) })
        {
            new += key + lineEnd
        }
        new += draft.lines(indentation: indentation).map { $0 + lineEnd }.joined()
        let wanted = (old?.entries ?? []).map(\.meaning) + [draft.meaning]
        guard let read = try? SuppressionFile(new, path: path), read.entries.map(\.meaning) == wanted else {
            // An entry that is wrong by itself says so.
            let alone = "schema: \(schema)\n\(key)\n" + draft.lines(indentation: 2).map { $0 + "\n" }.joined()
            _ = try SuppressionFile(alone, path: path)
            throw RuleError(
                file: path,
                message:
                    "it is written in a form that this command cannot add to; it was left unchanged: edit it by hand"
            )
        }
        return new
    }

    private static let key = "suppressions:"
}
