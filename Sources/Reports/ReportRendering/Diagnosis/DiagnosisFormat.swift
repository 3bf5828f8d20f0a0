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
