import Spelling

/// A path from the program to one of its commands: `fastctl collections create`.
struct CommandPath {
    let program: Program
    private(set) var commands: [any Command.Type]

    init(_ program: Program) {
        self.program = program
        commands = [program.root]
    }

    var last: any Command.Type { commands[commands.count - 1] }
    var isGroup: Bool { !last.configuration.subcommands.isEmpty }
    var name: String { commands.map { $0.configuration.name }.joined(separator: " ") }
    /// This path and those below it, except for hidden commands.
    var visibleTree: [CommandPath] {
        [self] + last.configuration.visibleSubcommands.flatMap { appending($0).visibleTree }
    }

    var parent: CommandPath {
        var path = self
        path.commands.removeLast()
        return path
    }

    func appending(_ command: any Command.Type) -> CommandPath {
        var path = self
        path.commands.append(command)
        return path
    }

    /// Follows the words that name commands; returns the remaining words.
    mutating func descend(_ words: [String]) throws(ArgumentError) -> [String] {
        var rest = words[...]
        while isGroup, let word = rest.first, !word.isDashed {
            guard let next = subcommand(word) else { throw unknownCommand(word) }
            commands.append(next)
            rest.removeFirst()
        }
        return Array(rest)
    }

    func subcommand(_ word: String) -> (any Command.Type)? {
        let declared = last.configuration.subcommands.first { $0.configuration.answers(to: word) }
        return declared ?? (commands.count == 1 && word == "help" ? HelpCommand.self : nil)
    }

    fileprivate func unknownCommand(_ word: String) -> ArgumentError {
        if let command = foreign(word, below: self) ?? foreign(word, below: CommandPath(program)) {
            return ArgumentError("unknown command \(word.quoted)", suggestion: command.name)
        }
        let names = last.configuration.visibleSubcommands.flatMap { [$0.configuration.name] + $0.configuration.aliases }
        if let name = word.nearest(in: names) {
            return ArgumentError("unknown command \(word.quoted)", suggestion: name)
        }
        // 'create' may be meant for 'collections create'.
        let deeper = CommandPath(program).visibleTree.filter { $0.last.configuration.answers(to: word) }.map(\.name)
        let advice = deeper.isEmpty ? nil : "Did you mean '\(deeper.prefix(3).joined(separator: "' or '"))'?"
        return ArgumentError("unknown command \(word.quoted)", advice: advice)
    }

    /// Returns the first command that other programs call so.
    private func foreign(_ word: String, below path: CommandPath) -> CommandPath? {
        path.visibleTree.dropFirst().first { $0.last.configuration.foreignNames.contains(word) }
    }

    /// Returns an error that names the command the option belongs to, if another has it, before it guesses at a
    /// misspelling.
    func unknownOption(_ option: ArgumentTable.UnknownOption, of table: ArgumentTable) -> ArgumentError {
        let message = "unknown option \(option.name.quoted)"
        let owners = CommandPath(program).visibleTree.filter { path in
            path.name != name && path.options.contains { $0.allNames.contains(option.name) }
        }
        if let owner = owners.first {
            let isBelow = owner.name.hasPrefix(name + " ")
            let others = owners.count > 1 ? " and others" : ""
            let place = isBelow ? "; put it after the command" : ""
            return ArgumentError(message, advice: "It is an option of '\(owner.name)'\(others)\(place)")
        }
        if let name = option.word.nearest(in: table.visibleOptions.flatMap(\.allNames)) {
            return ArgumentError(message, suggestion: name)
        }
        let mayBeValue = !table.positionals.isEmpty && !option.isLongName
        let advice = "To pass a value that begins with '-', put '--' before it"
        return ArgumentError(message, advice: mayBeValue ? advice : nil)
    }

    private var options: [ArgumentDefinition] {
        Declarations(of: last.init()).visible.filter { !$0.isPositional }
    }
}

/// The command `help COMMAND`, which every program understands, and lists if it names it among its subcommands.
public struct HelpCommand: Command {
    public static let configuration = CommandConfiguration(
        "help",
        group: "About",
        summary: "Show help for a command."
    )

    @Argument("COMMAND", completion: .commands, help: "The command, as in 'collections create'")
    var words: [String]

    public init() {}

    public func run() async throws -> ExitCode {
        let context = CommandContext.current
        var path = CommandPath(context.program)
        if let word = try path.descend(words).first { throw path.unknownCommand(word) }
        context.terminal.printPage(HelpPage(path).rendered(width: context.terminal.width))
        return .success
    }
}
