/// Finds the command that the words name, fills it, runs it, and says how it went.
public struct Program: Sendable {
    let root: any Command.Type
    /// What `--version` prints; without it there is no such option.
    public var version: String?

    public init(_ root: any Command.Type, version: String? = nil) {
        self.root = root
        self.version = version
    }

    /// Where output goes, and how wide it may be.
    public struct Terminal: Sendable {
        public var width: Int
        /// Prints one or more lines of results; adds the line end.
        public var print: @Sendable (String) -> Void
        /// Prints one or more lines for the user; adds the line end.
        public var printError: @Sendable (String) -> Void

        public init(
            width: Int,
            print: @escaping @Sendable (String) -> Void,
            printError: @escaping @Sendable (String) -> Void
        ) {
            self.width = width
            self.print = print
            self.printError = printError
        }
    }

    /// Runs the command that `words` name; usage errors are printed here, all others are the caller's.
    ///
    /// `words` are the command line without the program's name, as from `readWords()`. A `String` is UTF-8: what is not
    /// must be refused before, because repairing it would name another document.
    public func run(_ words: [String], environment: [String: String], terminal: Terminal) async throws -> ExitCode {
        if words.first == "__complete" {
            await complete(words.dropFirst(), environment: environment, terminal: terminal)
            return .success
        }
        var path = CommandPath(self)
        do {
            let rest = try path.descend(words)
            let command = path.last.init()
            let outcome = try CommandParser(command, at: path).parse(rest, environment: environment)
            let isPlainGroup = path.isGroup && rest.isEmpty
            switch outcome {
            case .version: terminal.print(version ?? "")
            case .help: terminal.print(HelpPage(path).rendered(width: terminal.width))
            case .ready where isPlainGroup: terminal.print(HelpPage(path).rendered(width: terminal.width))
            case .ready:
                let context = CommandContext(
                    program: self,
                    environment: environment,
                    terminal: terminal,
                    commandName: path.name
                )
                return try await CommandContext.$current.withValue(context) { try await command.run() }
            }
            return .success
        } catch let error as ArgumentError {
            return report(error.description, of: path, on: terminal)
        } catch let error as ValidationError {
            return report(error.message, of: path, on: terminal)
        }
    }

    func report(_ message: String, of path: CommandPath, on terminal: Terminal) -> ExitCode {
        terminal.printError("\(path.name): \(message)")
        terminal.printError("Try '\(path.name) --help'.")
        return .usage
    }

    /// `SHELL INDEX WORDS...`, as the completion scripts ask; answers with the directive, then one candidate a line.
    private func complete(_ words: ArraySlice<String>, environment: [String: String], terminal: Terminal) async {
        var rest = words
        guard let shell = rest.popFirst(), let index = rest.popFirst().flatMap({ Int($0) }) else { return }
        let completion = await Completion.candidates(
            of: self,
            words: rest.enumerated().map { offset, word in
                // bash hands over what was typed, fish only for the last word, zsh has taken the quotes off.
                let isRaw = shell == "bash" || (shell == "fish" && offset == index)
                return isRaw ? ShellWord(typed: word).value : word
            },
            index: index,
            environment: environment
        )
        terminal.print(completion.directive.rawValue)
        for candidate in completion.candidates {
            let meaning = candidate.summary.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let isBare = shell == "bash" || meaning.isEmpty
            terminal.print(isBare ? candidate.word : "\(candidate.word)\t\(meaning)")
        }
    }
}
