/// What a shell may offer for one word of an unfinished command line.
public struct Completion: Sendable, Equatable {
    /// One word that may stand there, and what it means.
    public struct Candidate: Sendable, Equatable {
        public var word: String
        public var summary: String

        public init(_ word: String, _ summary: String = "") {
            self.word = word
            self.summary = summary
        }
    }

    /// What the shell offers besides the candidates.
    public enum Directive: String, Sendable {
        case words, files, folders
    }

    public var candidates: [Candidate] = []
    public var directive = Directive.words

    /// What may stand at `index` in `words`, which begin after the program's name; the word there may be half-typed.
    public static func candidates(
        root: any Command.Type,
        words: [String],
        index: Int,
        environment: [String: String] = [:]
    ) async -> Completion {
        await candidates(of: Program(root), words: words, index: index, environment: environment)
    }

    static func candidates(
        of program: Program,
        words: [String],
        index: Int,
        environment: [String: String]
    ) async -> Completion {
        let end = min(max(0, index), words.count)
        let reader = CompletionReader(program, words: words.prefix(end))
        let typed = end < words.count ? words[end] : ""
        let context = CompletionContext(prefix: typed, environment: environment, values: reader.values)
        let found = await CompletionFinder(reader: reader, context: context).find(typed)
        // One candidate stands on one line, and a terminal must not obey it.
        let candidates = found.candidates.filter { $0.word.hasScalarPrefix(typed) && $0.word.isPlain }
        return Completion(candidates: candidates, directive: found.directive)
    }
}

/// Finds what may follow the words that a reader has read.
private struct CompletionFinder {
    var reader: CompletionReader
    var context: CompletionContext

    func find(_ typed: String) async -> Completion {
        if let definition = reader.pending { return await values(of: definition) }
        if reader.isTerminated { return await positional() }
        if typed.utf8.starts(with: "--".utf8), case (let name, let value?) = typed.splitAtEquals {
            guard let definition = reader.option(named: name) else { return Completion() }
            return await values(of: definition, typed: value, after: name + "=")
        }
        if reader.takesCommand, !typed.isDashed, typed != "-" {
            return Completion(candidates: commands(of: reader.path))
        }
        if typed.utf8.first == UInt8(ascii: "-") { return Completion(candidates: options) }
        return await positional()
    }

    private func positional() async -> Completion {
        guard let definition = reader.positional else { return Completion() }
        return await values(of: definition)
    }

    /// The long names, each with its meaning; a short one is typed as fast as it is completed.
    private var options: [Completion.Candidate] {
        reader.table.visibleOptions.flatMap { definition in
            let names = definition.allNames.filter { $0.hasPrefix("--") }
            return (names.isEmpty ? definition.allNames : names)
                .filter { !reader.given.contains($0) }
                .map { Completion.Candidate($0, definition.help.text) }
        }
    }

    private func commands(of path: CommandPath) -> [Completion.Candidate] {
        path.last.configuration.visibleSubcommands.map {
            Completion.Candidate($0.configuration.name, $0.configuration.summary)
        }
    }

    private func values(
        of definition: ArgumentDefinition,
        typed: String? = nil,
        after prefix: String = ""
    ) async -> Completion {
        let source = definition.completion?.source ?? .values(definition.candidates)
        var context = context
        context.prefix = typed ?? context.prefix
        let words: [String]
        switch source {
        case .none: return Completion()
        case .files: return Completion(directive: .files)
        case .folders: return Completion(directive: .folders)
        case .commands:
            var path = CommandPath(reader.path.program)
            for word in context.values[definition.valueName] ?? [] {
                if let next = path.subcommand(word) { path = path.appending(next) }
            }
            return Completion(candidates: commands(of: path))
        case .values(let fixed): words = fixed
        case .live(let find): words = await find(context)
        }
        return Completion(candidates: words.map { Completion.Candidate(prefix + $0) })
    }
}

extension String {
    /// By scalars, as shells compare.
    fileprivate func hasScalarPrefix(_ prefix: String) -> Bool { unicodeScalars.starts(with: prefix.unicodeScalars) }

    /// Without controls, line ends and tabs among them.
    fileprivate var isPlain: Bool {
        unicodeScalars.allSatisfy { ![.control, .lineSeparator].contains($0.properties.generalCategory) }
    }
}
