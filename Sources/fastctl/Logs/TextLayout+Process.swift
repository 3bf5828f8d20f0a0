import ReportRendering

extension TextLayout {
    /// How text is laid out on this process's standard output.
    static func standardOutput(_ color: ColorChoice) -> TextLayout {
        let environment = ProcessEnvironment.values
        let output = FileDescriptor.standardOutput
        return TextLayout(
            width: output.terminalWidth,
            isColored: color.isColored(isTerminal: output.isTerminal) { environment[$0] },
            isUnicode: isUnicode(environment),
            neutralizesRunnerCommands: runnerVariables.contains { environment[$0]?.isEmpty == false }
        )
    }

    /// What the runners of GitHub Actions, Azure Pipelines and TeamCity set.
    private static let runnerVariables = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"]

    /// The first of the variables that is set decides, as in every program.
    private static func isUnicode(_ environment: [String: String]) -> Bool {
        let locales = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }
        guard let locale = locales.first(where: { !$0.isEmpty })?.lowercased() else { return false }
        return locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
    }
}
