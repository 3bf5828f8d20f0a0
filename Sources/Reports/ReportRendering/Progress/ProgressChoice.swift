/// Values of `--progress`: whether and how a command says how far it is.
public enum ProgressChoice: String, Hashable, Sendable, CaseIterable {
    /// A line on a terminal that is drawn again and again; without one, ``plain`` in CI and nothing elsewhere.
    case auto
    /// A line every 30 seconds, unless the user has chosen another interval.
    case plain
    /// An object `fastctl.progress/1` every second, or as often as the user has chosen, and one at the end.
    case json
    case never

    /// How progress is shown.
    public enum Manner: Hashable, Sendable {
        case live, plain, json
    }

    /// Decides how progress is shown.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether standard error is a terminal.
    ///   - sharesTerminal: Whether lines that would get between go to the same terminal all the time.
    ///   - environment: The variables of the process. CI systems set `CI`, `GITHUB_ACTIONS` or `GITLAB_CI`, Azure Pipelines
    ///     `TF_BUILD`, TeamCity `TEAMCITY_VERSION`.
    /// - Returns: `nil` if it is not shown.
    public func manner(
        isTerminal: Bool,
        sharesTerminal: Bool,
        environment: (String) -> String?
    ) -> Manner? {
        switch self {
        case .never: return nil
        case .plain: return .plain
        case .json: return .json
        case .auto: break
        }
        if isTerminal { return sharesTerminal || environment("TERM") == "dumb" ? nil : .live }
        let isCI = Self.variables.contains { name in
            environment(name).map { !["", "0", "false"].contains($0) } ?? false
        }
        return isCI ? .plain : nil
    }

    /// Variables that CI systems set.
    public static let variables = ["CI", "GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "TEAMCITY_VERSION"]
}

/// Whether, how, and how often a command says how far it is.
public struct ProgressStyle: Hashable, Sendable {
    public var choice: ProgressChoice
    /// The time between lines or objects; `nil` for the usual one.
    public var interval: Duration?

    public init(_ choice: ProgressChoice = .auto, every interval: Duration? = nil) {
        self.choice = choice
        self.interval = interval
    }
}
