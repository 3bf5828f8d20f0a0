/// Finds what may follow the words that a reader has read.
struct CompletionFinder {
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
