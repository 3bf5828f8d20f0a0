/// What a command is called, and what its help says besides its arguments.
public struct CommandConfiguration: Sendable {
    public var name: String
    /// Other names that work as well.
    public var aliases: [String] = []
    /// One line, for the list of commands.
    public var summary: String
    /// Paragraphs, with an empty line between them.
    public var discussion: String
    public var examples: [Example]
    /// The heading under which the parent's help lists the command; "Commands" without one.
    public var group: String?
    /// Works, but no help, manual or completion tells of it.
    public var isHidden = false
    public var subcommands: [any Command.Type]

    /// A line that a user can copy, and what it does.
    public struct Example: Sendable {
        public var line: String
        public var explanation: String

        public init(_ line: String, _ explanation: String) {
            self.line = line
            self.explanation = explanation
        }
    }

    public init(
        _ name: String,
        aliases: [String] = [],
        group: String? = nil,
        isHidden: Bool = false,
        summary: String,
        discussion: String = "",
        examples: [Example] = [],
        subcommands: [any Command.Type] = []
    ) {
        self.name = name
        self.aliases = aliases
        self.group = group
        self.isHidden = isHidden
        self.summary = summary
        self.discussion = discussion
        self.examples = examples
        self.subcommands = subcommands
    }

    var visibleSubcommands: [any Command.Type] { subcommands.filter { !$0.configuration.isHidden } }

    func answers(to word: String) -> Bool { name == word || aliases.contains(word) }
}
