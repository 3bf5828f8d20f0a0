/// `help COMMAND`: every program understands it, and lists it where it names it among its subcommands.
public struct HelpCommand: Command {
    public static let configuration = CommandConfiguration(
        "help",
        group: "About",
        summary: "Show the help of a command."
    )

    @Argument("COMMAND", completion: .commands, help: "The command, as in 'collections create'")
    var words: [String]

    public init() {}

    public func run() async throws -> ExitCode {
        let context = CommandContext.current
        var path = CommandPath(context.program)
        if let word = try path.descend(words).first { throw path.unknownCommand(word) }
        context.terminal.print(HelpPage(path).rendered(width: context.terminal.width))
        return .success
    }
}
