import LogDiagnosis

extension Severity {
    /// The word for so many findings: `error`, `errors`.
    func noun(of count: Int) -> String {
        switch self {
        case .error, .warning: count == 1 ? rawValue : rawValue + "s"
        case .info, .critical: rawValue
        }
    }

    /// The worse, the louder.
    var style: TerminalStyle {
        switch self {
        case .critical, .error: .boldRed
        case .warning: .boldYellow
        case .info: .cyan
        }
    }
}
