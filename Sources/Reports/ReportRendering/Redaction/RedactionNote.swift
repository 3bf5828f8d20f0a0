import JSONText
public import Redaction

/// What a report says of its redaction.
public enum RedactionNote {
    /// Returns the sentence, such as `Redacted: 214 values (12 users, 3 hosts, 2 secrets removed).`, and what is missing.
    static func phrase(about summary: RedactionSummary) -> Phrase {
        guard summary.isApplied else {
            return "Not redacted (--no-redact): names, addresses and secrets are shown as the logs have them."
        }
        var parts = summary.names.map { count in
            let (one, several) = Self.words(for: count.nameClass)
            return Quantity(grouped: count.names, one, several).description
        }
        if summary.secrets > 0 {
            parts.append("\(Quantity(grouped: summary.secrets, "secret", "secrets")) removed")
        }
        if summary.queryValues > 0 {
            parts.append("\(Quantity(grouped: summary.queryValues, "value of a query", "values of queries")) removed")
        }
        let what = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
        let full = summary.isFull ? " There were more names than can be told apart: some share a pseudonym." : ""
        let missing = RedactionSummary.notLookedFor.joined(separator: "; ")
        return """
            Redacted: \(Quantity(grouped: summary.values, "value", "values"))\(what).\(full) Not looked for: \(missing).
            """
    }

    /// Returns the sentence for standard error, or for a format without a place for it.
    public static func line(about summary: RedactionSummary) -> String { phrase(about: summary).text(TextLayout()) }

    /// Appends a page for people with the note: before it if nothing is masked, else after it.
    static func framing(
        _ summary: RedactionSummary?,
        _ layout: TextLayout,
        to bytes: inout [UInt8],
        _ page: (inout [UInt8]) -> Void
    ) {
        guard let summary else { return page(&bytes) }
        if summary.isApplied {
            page(&bytes)
            bytes.append(0x0A)
            phrase(about: summary).append(to: &bytes, layout)
            bytes.append(0x0A)
        } else {
            phrase(about: summary).append(to: &bytes, layout)
            bytes.append(text: "\n\n" as StaticString)
            page(&bytes)
        }
    }

    /// Appends the note, if there is one, below a page in Markdown.
    static func appendMarkdown(_ summary: RedactionSummary?, to bytes: inout [UInt8]) {
        guard let summary else { return }
        bytes.append(0x0A)
        phrase(about: summary).appendMarkdown(to: &bytes)
        bytes.append(0x0A)
    }

    private static func words(for nameClass: NameClass) -> (one: String, several: String) {
        switch nameClass {
        case .user: ("user", "users")
        case .domain: ("domain", "domains")
        case .host: ("host", "hosts")
        case .ip: ("IP address", "IP addresses")
        case .mac: ("MAC address", "MAC addresses")
        case .sid: ("SID", "SIDs")
        case .path: ("part of a path", "parts of paths")
        }
    }
}

extension HTMLWriter {
    /// Writes what was masked; nothing if the report shows everything and nobody asked for that.
    mutating func redaction(_ summary: RedactionSummary?) {
        if let summary { paragraph(RedactionNote.phrase(about: summary), class: "remark") }
    }
}

extension JSONWriter {
    /// Writes what was masked; `null` if the report shows everything and nobody asked for that.
    mutating func member(_ key: String, _ redaction: RedactionSummary?) {
        guard let redaction else { return member(key, nil as String?) }
        object(key) { object in
            object.member("applied", redaction.isApplied)
            object.member("keyed", redaction.isKeyed)
            object.member("values", redaction.values)
            object.object("names") { names in
                for count in redaction.names { names.member(count.nameClass.rawValue, count.names) }
            }
            object.member("secrets", redaction.secrets)
            object.member("queryValues", redaction.queryValues)
            object.member("isAtLeast", redaction.isFull)
            object.member("notLookedFor", redaction.isApplied ? RedactionSummary.notLookedFor : [])
        }
    }
}
