import TextKit

/// Output formats of commands that feed, find or list.
package enum OutputFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// One JSON value.
    case json
    /// One JSON object per line, as soon as it is known.
    case ndjson
    /// IDs or names only, as exact bytes, one per line.
    case name
}

/// Terminator after each name of `-o name`.
package enum NameEnd: Hashable, Sendable {
    case line
    case nul

    /// Appends a name; returns `false` if, as a line, it would be read back as another name.
    ///
    /// Such a name holds a line end, or begins with a byte-order mark.
    package func append(_ name: String, to bytes: inout [UInt8]) -> Bool { append(utf8: name.utf8.span, to: &bytes) }

    /// Appends a name given in UTF-8, with the same result.
    package func append(utf8 name: Span<UInt8>, to bytes: inout [UInt8]) -> Bool {
        if self == .line {
            if name.indices.contains(where: { name[$0] == 0x0A || name[$0] == 0x0D }) { return false }
            if name.count >= 3, name[0] == 0xEF, name[1] == 0xBB, name[2] == 0xBF { return false }
        }
        name.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        bytes.append(self == .line ? 0x0A : 0)
        return true
    }

    /// Returns the message about names that could not be appended.
    package static func refusal(of count: Int) -> String {
        "\(Quantity(count, "ID", "IDs")) cannot be a line of output (it has a line break or a byte-order mark): use --print0"
    }
}

/// Output formats of lists: of collections, contexts, rules, jobs, copies.
package enum ListFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// One JSON array.
    case json
    /// One JSON object per line.
    case ndjson
    /// Names only, as exact bytes, one per line.
    case name
    /// A table, for a spreadsheet.
    case csv
    /// A table in Markdown, for a ticket.
    case markdown
}

/// Output formats of documents.
package enum DocumentFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// One JSON array.
    case json
    /// One JSON object per line.
    case ndjson
    /// IDs only, as exact bytes, one per line.
    case name
    /// A table, for a spreadsheet; documents are JSON in its last column.
    case csv
}

/// Output formats of a summary of logs, or of slow requests.
package enum ReportFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// A page for people, in one file.
    case html
    /// Markdown for a ticket.
    case markdown
    /// One JSON object.
    case json
    /// The same JSON object, on one line.
    case ndjson
    /// A table, for a spreadsheet.
    case csv
    /// Metrics, for the textfile collector of Prometheus' node exporter.
    case prometheus
}

/// Output formats of the check of web.config files.
package enum WebConfigFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// Markdown for a ticket or a job's summary.
    case markdown
    /// One JSON object, `fastctl.webConfig/1`.
    case json
    /// The same JSON object, on one line.
    case ndjson
    /// The settings as a table, for a spreadsheet.
    case csv
    /// One test case per rule, for CI servers.
    case junit
    /// SARIF 2.1.0, for code scanning and editors.
    case sarif
    /// Annotations of a GitHub workflow.
    case github
    /// Issues of an Azure pipeline.
    case azure
    /// GitLab's Code Quality report.
    case codequality
}

/// Output formats of the results of rules' tests.
package enum RuleTestFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// One JSON array.
    case json
    /// One JSON object per line.
    case ndjson
    /// One test case per test, for CI servers.
    case junit
}

/// Output formats of complaints about rules.
package enum ComplaintFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// One JSON array.
    case json
    /// One JSON object per line.
    case ndjson
    /// A table, for a spreadsheet.
    case csv
}

/// Output formats of what a command did, where only the fact is to be told.
package enum AnswerFormat: String, Hashable, Sendable, CaseIterable {
    /// A sentence for people, on standard error.
    case text
    /// One JSON object.
    case json
}

/// Output formats of explanations of codes and texts.
package enum ExplanationFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// One JSON array.
    case json
    /// One JSON object per line.
    case ndjson
}

/// Output formats of log events.
package enum LogEventFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// One JSON array.
    case json
    /// One JSON object per line.
    case ndjson
    /// A table, for a spreadsheet.
    case csv
    /// Native rows, readable by viewers of these logs and by this program.
    case uls
}

/// Output formats of lists of requests.
package enum RequestFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// One JSON array.
    case json
    /// One JSON object per line.
    case ndjson
    /// A table, for a spreadsheet.
    case csv
    /// Correlations only, one per line.
    case name
}

/// Output formats of a comparison of logs.
package enum ComparisonFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// Markdown for a ticket.
    case markdown
    /// One JSON object.
    case json
}

/// Output formats of the traces of requests.
package enum LogTraceFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// A page for people, in one file.
    case html
    /// Markdown for a ticket.
    case markdown
    /// One JSON array.
    case json
    /// The events only, one JSON object per line.
    case ndjson
    /// The events only, as a table for a spreadsheet.
    case csv
}

/// Output formats of a diagnosis.
package enum DiagnosisFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people.
    case text
    /// One JSON value, `fastctl.diagnosis/1`.
    case json
    /// One JSON object per line, `fastctl.diagnosisRecord/1`.
    case ndjson
    /// A page for people, in one file.
    case html
    /// Markdown for a ticket or a job's summary.
    case markdown
    /// One test case per rule, for CI servers.
    case junit
    /// SARIF 2.1.0, for code scanning and editors.
    case sarif
    /// Annotations of a GitHub workflow.
    case github
    /// Issues of an Azure pipeline.
    case azure
    /// GitLab's Code Quality report.
    case codequality
    /// The findings as a table, for a spreadsheet.
    case csv
    /// Metrics, for the textfile collector of Prometheus' node exporter.
    case prometheus
}
