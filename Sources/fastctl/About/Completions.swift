import ArgumentParsing

struct Completions: Command {
    static let configuration = CommandConfiguration(
        "completions",
        group: "About",
        summary: "Print the script that teaches a shell to complete command lines.",
        examples: [
            .init("source <(fastctl completions bash)", "Complete in this shell"),
            .init("fastctl completions fish > ~/.config/fish/completions/fastctl.fish", "Complete in fish, always"),
        ]
    )

    enum Shell: String, CaseIterable, ArgumentValue {
        case bash, zsh, fish
    }

    @Argument("SHELL", help: "bash, zsh or fish")
    var shell: Shell

    func run() async throws -> ExitCode {
        let script =
            switch shell {
            case .bash: CompletionScript.bash("fastctl")
            case .zsh: CompletionScript.zsh("fastctl")
            case .fish: CompletionScript.fish("fastctl")
            }
        CommandContext.current.terminal.print(script)
        return .success
    }
}
