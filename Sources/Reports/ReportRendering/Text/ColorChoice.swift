/// Whether output is colored: what `--color` takes.
public enum ColorChoice: String, Hashable, Sendable, CaseIterable {
    /// On a terminal, unless the environment says otherwise.
    case auto
    case always
    case never

    /// Decides, the strongest first: the option, `NO_COLOR`, a dumb terminal, `CLICOLOR_FORCE` and `FORCE_COLOR`, and
    /// whether the output is a terminal.
    ///
    /// Sources: no-color.org (present and not empty) and bixense.com/clicolors; `0` does not force.
    public func isColored(isTerminal: Bool, environment: (String) -> String?) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .auto: break
        }
        if let refusal = environment("NO_COLOR"), !refusal.isEmpty { return false }
        if environment("TERM") == "dumb" { return false }
        for name in ["CLICOLOR_FORCE", "FORCE_COLOR"] {
            if let force = environment(name), !["", "0", "false"].contains(force) { return true }
        }
        return isTerminal
    }
}
