/// What belongs to the whole run rather than to one command; `CommandContext.current` inside `run()`.
public struct CommandContext: Sendable {
    public var environment: [String: String]
    public var terminal: Program.Terminal
    /// The program whose command runs.
    public var program: Program
    /// `fastctl collections create`.
    public var commandName: String

    public init(program: Program, environment: [String: String], terminal: Program.Terminal, commandName: String) {
        self.program = program
        self.environment = environment
        self.terminal = terminal
        self.commandName = commandName
    }

    /// That of the running command; outside of any, one that prints nothing.
    @TaskLocal public static var current = CommandContext(
        program: Program(HelpCommand.self),
        environment: [:],
        terminal: Program.Terminal(width: 80, print: { _ in }, printError: { _ in }),
        commandName: ""
    )
}
