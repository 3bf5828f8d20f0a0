/// The forms that results come in.
public enum OutputFormat: String, Hashable, Sendable, CaseIterable {
    /// For people.
    case text
    /// One JSON value.
    case json
    /// A JSON object a line, as soon as it is known.
    case ndjson
    /// IDs or names only, as exact bytes, one a line.
    case name
}

/// What stands after each name of `-o name`.
public enum NameEnd: Hashable, Sendable {
    case line
    case nul

    /// Appends a name; `false` when as a line it would be read back as another: it holds a line end, or begins with
    /// what looks like a byte-order mark.
    public func append(_ name: String, to bytes: inout [UInt8]) -> Bool { append(utf8: name.utf8.span, to: &bytes) }

    /// The same, of a name in UTF-8.
    public func append(utf8 name: Span<UInt8>, to bytes: inout [UInt8]) -> Bool {
        if self == .line {
            if name.indices.contains(where: { name[$0] == 0x0A || name[$0] == 0x0D }) { return false }
            if name.count >= 3, name[0] == 0xEF, name[1] == 0xBB, name[2] == 0xBF { return false }
        }
        name.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        bytes.append(self == .line ? 0x0A : 0)
        return true
    }

    /// What is said of names that could not be appended.
    public static func refusal(of count: Int) -> String {
        "\(Quantity(count, "ID", "IDs")) cannot be a line of output (a line end in it, or a byte-order mark): give --print0"
    }
}

/// The forms that log results come in.
public enum LogOutputFormat: String, Hashable, Sendable, CaseIterable {
    /// For people.
    case text
    /// One JSON value.
    case json
    /// A JSON object a line.
    case ndjson
    /// A table of events, for a spreadsheet.
    case csv
    /// Native rows, which viewers of such logs and this program read.
    case uls
    /// For a ticket.
    case markdown
}

/// The forms that a diagnosis comes in.
public enum DiagnosisFormat: String, Hashable, Sendable, CaseIterable {
    /// For people.
    case text
    /// One JSON value, `fastctl.diagnosis/1`.
    case json
    /// A JSON object a line, `fastctl.diagnosisRecord/1`.
    case ndjson
    /// For a ticket or a job's summary.
    case markdown
    /// A test case for each rule, for CI servers.
    case junit
    /// For code scanning and editors: SARIF 2.1.0.
    case sarif
    /// Annotations of a GitHub workflow.
    case github
}
