/// Where a shell finds the words that may stand for a value.
///
/// Without one, a value completes to its type's candidates.
public struct ArgumentCompletion: Sendable {
    enum Source: Sendable {
        case none
        case files
        case folders
        case commands
        case values([String])
        case live(@Sendable (CompletionContext) async -> [String])
    }

    let source: Source

    /// Nothing to offer, not even files.
    public static let none = Self(source: .none)
    /// Names of files and folders.
    public static let files = Self(source: .files)
    /// Names of folders.
    public static let folders = Self(source: .folders)
    /// The names of the program's commands, one level with each word.
    static let commands = Self(source: .commands)

    /// These words.
    public static func values(_ words: [String]) -> Self { Self(source: .values(words)) }

    /// Words found when the shell asks, such as the names of collections.
    ///
    /// The user waits for them with a finger on the key: be quick, and return nothing rather than fail. They need not
    /// be filtered by what is typed already.
    public static func live(_ find: @escaping @Sendable (CompletionContext) async -> [String]) -> Self {
        Self(source: .live(find))
    }
}

/// What a live completion may look at.
public struct CompletionContext: Sendable {
    /// What is typed of the word so far.
    public var prefix: String
    public var environment: [String: String]
    /// The values given so far, by the long name of the option or the name of the argument: `["--context": ["prod"]]`.
    public var values: [String: [String]]
}
