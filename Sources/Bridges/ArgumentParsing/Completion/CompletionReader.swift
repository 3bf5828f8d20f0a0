/// Reads the words before the cursor, as far as they make sense, to know what the next one may be.
///
/// A line that is being typed is wrong more often than not, so nothing here fails.
struct CompletionReader {
    private(set) var path: CommandPath
    private(set) var table: ArgumentTable
    /// The option whose value comes next.
    private(set) var pending: ArgumentDefinition?
    private(set) var isTerminated = false
    private(set) var given: Set<String> = []
    /// By the name that documentation uses.
    private(set) var values: [String: [String]] = [:]
    private var positionals: ArraySlice<any DeclaredArgument>
    private var hasArguments = false

    init(_ program: Program, words: some Sequence<String>) {
        path = CommandPath(program)
        table = path.table
        positionals = table.positionals[...]
        for word in words { read(word) }
    }

    var positional: ArgumentDefinition? { positionals.first?.definition }
    /// Whether the next word may name a command.
    var takesCommand: Bool { path.isGroup && !hasArguments && !isTerminated }

    /// What the option of that name takes, if there is one.
    func option(named name: String) -> ArgumentDefinition? { table.named[name]?.definition }

    private mutating func read(_ word: String) {
        if let definition = pending, !word.isDashed || definition.takesNumbers {
            values[definition.displayName, default: []].append(word)
            pending = nil
        } else if takesCommand, !word.isDashed, let command = path.subcommand(word) {
            path = path.appending(command)
            table = path.table
            positionals = table.positionals[...]
        } else {
            readArgument(word)
        }
    }

    private mutating func readArgument(_ word: String) {
        pending = nil
        hasArguments = true
        switch isTerminated ? .positional : try? table.read(word, positional: positional) {
        case .terminator: isTerminated = true
        case .positional:
            guard let definition = positional else { return }
            values[definition.valueName, default: []].append(word)
            if !definition.isRepeating { positionals.removeFirst() }
        case .options(let options):
            for option in options {
                let definition = option.argument.definition
                if !definition.isRepeating { given.formUnion(definition.allNames) }
                if let value = option.value { values[definition.displayName, default: []].append(value) }
                if option.needsValue { pending = definition }
            }
        case nil: break
        }
    }
}

extension CommandPath {
    var table: ArgumentTable { ArgumentTable(of: last.init(), hasVersion: program.version != nil) }
}
