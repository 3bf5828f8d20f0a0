public import LogDiagnosis

/// What a diagnosis does not say, and its conclusion needs.
public struct DiagnosisCircumstances: Sendable {
    /// From which severity on a finding is a failure; `nil` for none.
    public var failOn: Severity? = .error
    /// Whether what could not be evaluated is a failure.
    public var requireComplete = false
    /// The share of lines, from 0 to 1, of which more must not be unreadable.
    public var maximumParseErrors = defaultParseErrors
    /// Whether a window or filter was given, which may leave nothing.
    public var hasWindow = false
    /// Whether the results themselves say how the files were read.
    public var tellsNotes = false
    public var duration = Duration.zero

    public init() {}

    /// A hundredth of the lines.
    public static let defaultParseErrors = 0.01
}
