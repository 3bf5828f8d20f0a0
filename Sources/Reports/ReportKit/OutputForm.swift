import TextKit

/// A form of output; each command supports some of them.
///
/// A renderer declares its supported forms as `forms`, in the order in which the help lists them, and the command's
/// option accepts only these: `@Option(output: LogEventWriter.forms) var form`.
package enum OutputForm: String, Hashable, Sendable {
    /// Readable text.
    case text
    /// One JSON value.
    case json
    /// One JSON object per line, each written as soon as it is known.
    case ndjson
    /// Names, such as IDs, without other content, as exact bytes, one per line.
    case name
    /// A table, for a spreadsheet.
    case csv
    /// Markdown, for a ticket or a job's summary.
    case markdown
    /// An HTML page in one file.
    case html
    /// Native rows of logs, readable by viewers of these logs and by this program.
    case uls
    /// Test cases, for CI servers.
    case junit
    /// SARIF 2.1.0, for code scanning and editors.
    case sarif
    /// Annotations of a GitHub workflow.
    case github
    /// Issues of an Azure pipeline.
    case azure
    /// GitLab's Code Quality report.
    case codequality
    /// Metrics, for the textfile collector of Prometheus' node exporter.
    case prometheus
    /// A rule's file itself.
    case yaml
    /// Requests for the `_bulk` API of OpenSearch and Elasticsearch.
    case bulk
    /// Data as elasticdump writes it.
    case elasticdump
    /// A message for Solr's update handler.
    case solrXML = "solr-xml"

    /// The forms of items that are fed, found or compared.
    package static let items: [OutputForm] = [.text, .json, .ndjson, .name]
    /// The forms in which other programs read documents.
    package static let documents: [OutputForm] = [.bulk, .elasticdump, .solrXML]
    /// The forms of the result of an action; its text may be written to standard error.
    package static let answer: [OutputForm] = [.text, .json]

    /// Stops the program because a renderer was called with a form that it does not declare.
    package func failAsUndeclared() -> Never { preconditionFailure("form '\(rawValue)' is not declared here") }
}

/// The terminator after each name of `-o name`.
package enum NameEnd: Hashable, Sendable {
    case line
    case nul

    /// Appends a name; returns `false` if the name, written as a line, would be read back as a different name.
    ///
    /// Such a name contains a line end, or begins with a byte-order mark.
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
        "\(Quantity(count, "ID", "IDs")) cannot be written as lines, because of a line break or byte-order mark: use --print0"
    }
}
