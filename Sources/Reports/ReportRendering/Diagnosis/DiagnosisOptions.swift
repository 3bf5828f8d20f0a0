public import LogDiagnosis

/// What the forms of a diagnosis say besides what was found.
///
/// All of it is given, clock and randomness too: the same report and options make the same bytes.
public struct DiagnosisOptions: Sendable {
    /// For ``DiagnosisFormat/text``; the other forms have a layout of their own.
    public var layout = TextLayout()
    /// From which severity on a finding is a failure; `nil` for none.
    public var failOn: Severity? = .error
    /// The exit code, from ``DiagnosisConclusion``.
    public var status = ExitStatus.done
    /// The version of this program.
    public var version: String
    /// When the run began, counted from 1970; `nil` where it is not to be told.
    public var startedAt: Duration?
    public var duration = Duration.zero
    /// The machine that the diagnosis ran on.
    public var host: String?
    /// A word that nobody can guess: until a GitHub runner reads it again, it obeys no commands.
    public var token: String

    public init(version: String, token: String) {
        self.version = version
        self.token = token
    }
}
