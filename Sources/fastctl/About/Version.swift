import ArgumentParsing

struct Version: Command {
    static let configuration = CommandConfiguration("version", group: "About", summary: "Print the version.")

    static let number = "0.1.0"
    static let line = "fastctl \(number)"
    /// As the manual's pages have it.
    static let date = "November 21, 2026"

    func run() async throws -> ExitCode {
        CommandContext.current.terminal.print(Self.line)
        return .success
    }
}
