/// One command of a program.
///
/// Its options, flags and arguments are declared once, as properties. Parsing, help, completions and manual pages all
/// read that one declaration.
///
/// ```swift
/// struct Remove: Command {
///     static let configuration = CommandConfiguration("remove", summary: "Remove documents by ID")
///     @Option("--collection", "-c", value: "NAME", help: "Remove from this collection") var collection: String
///     @Flag("--dry-run", "-n", help: "Show what would be removed") var isDryRun
///     @Argument("ID", help: "IDs to remove; without any they are read from standard input") var ids: [String]
///     func run() async throws -> ExitCode { … }
/// }
/// ```
public protocol Command: ArgumentDeclarations {
    static var configuration: CommandConfiguration { get }
    /// Does the work; everything declared has its value by now.
    ///
    /// What belongs to the whole run (the environment, the terminal) is in `CommandContext.current`.
    func run() async throws -> ExitCode
}

/// A command that only holds others, as `fastctl collections` does; without a word of its own it prints its help.
public protocol CommandGroup: Command {}

extension CommandGroup {
    public func run() async throws -> ExitCode {
        throw ArgumentError("missing COMMAND", advice: "Name what to do")
    }
}

/// A type whose properties are options, flags and arguments.
public protocol ArgumentDeclarations: SendableMetatype {
    /// Sets of options of which one at most may be given, by name: `[["--context", "--target"]]`.
    ///
    /// An option that excludes one given on the command line is not read from the environment either.
    static var exclusive: [[String]] { get }
    init()
    /// Refuses values that don't go together, by a `ValidationError`; called before `run()`.
    func validate() throws
}

extension ArgumentDeclarations {
    public static var exclusive: [[String]] { [] }
    public func validate() throws {}
}
