/// Fills a command's properties from words.
struct CommandParser {
    enum Outcome { case ready, help, version }

    private let path: CommandPath
    private let table: ArgumentTable

    init(_ command: any Command, at path: CommandPath) {
        self.path = path
        table = ArgumentTable(of: command, hasVersion: path.program.version != nil)
    }

    /// Fills the properties from `words`, and from `environment` where a word is not given.
    ///
    /// Stops at a wish for help or the version, whatever else is wrong.
    func parse(_ words: [String], environment: [String: String]) throws -> Outcome {
        if let wish = plainWish(words) { return wish }
        var rest = words[...]
        var positionals = table.positionals[...]
        var isTerminated = false
        while let word = rest.popFirst() {
            switch isTerminated ? .positional : try read(word, positional: positionals.first?.definition) {
            case .terminator: isTerminated = true
            case .positional: try take(word, &positionals)
            case .options(let options):
                for option in options { try take(option, &rest) }
                if table.standard.isHelpWanted { return .help }
                if table.standard.isVersionWanted { return .version }
            }
        }
        try checkExclusive(\.displayName)
        try takeEnvironment(environment)
        try checkExclusive { $0.environmentName ?? $0.displayName }
        for argument in table.declarations.all where argument.definition.isRequired && !argument.isGiven {
            throw ArgumentError.missing(argument.definition)
        }
        try table.declarations.validate()
        return .ready
    }

    /// Someone who asks for help may have got the rest of the line wrong.
    private func plainWish(_ words: [String]) -> Outcome? {
        for word in words.prefix(while: { $0 != "--" }) {
            for definition in table.standardDefinitions where definition.names.contains(word) {
                return definition.displayName == "--version" ? .version : .help
            }
        }
        return nil
    }

    private func read(
        _ word: String,
        positional: ArgumentDefinition?
    ) throws(ArgumentError) -> ArgumentTable.Reading {
        do throws(ArgumentTable.UnknownOption) {
            return try table.read(word, positional: positional)
        } catch {
            throw path.unknownOption(error, of: table)
        }
    }

    private func take(
        _ word: String,
        _ positionals: inout ArraySlice<any DeclaredArgument>
    ) throws(ArgumentError) {
        guard let argument = positionals.first else {
            let advice = table.positionals.isEmpty ? "'\(path.name)' takes options only" : nil
            throw ArgumentError("unexpected argument \(word.quoted)", advice: advice)
        }
        try give(word, as: argument.definition.valueName, to: argument)
        if !argument.definition.isRepeating { positionals.removeFirst() }
    }

    private func take(
        _ option: ArgumentTable.GivenOption,
        _ rest: inout ArraySlice<String>
    ) throws(ArgumentError) {
        let definition = option.argument.definition
        if definition.kind == .flag {
            if option.value != nil { throw .flagWithValue(option.name) }
        } else if option.argument.isGiven, !definition.isRepeating {
            throw .repeated(definition.displayName)
        }
        var value = option.value
        if option.needsValue {
            guard let next = rest.popFirst() else { throw .missingValue(definition, before: nil) }
            // '-c --dry-run' has lost its name: taking the option for the name would also lose the dry run.
            guard !next.isDashed || (definition.takesNumbers && next.isNegativeNumber) else {
                throw .missingValue(definition, before: next)
            }
            value = next
        }
        try give(value, as: option.name, to: option.argument)
    }

    private func give(
        _ value: String?,
        as name: String,
        to argument: any DeclaredArgument,
        from variable: String? = nil
    ) throws(ArgumentError) {
        do throws(ArgumentExpectation) {
            try argument.take(value, as: name)
        } catch {
            throw .badValue(value ?? "", of: argument.definition, variable: variable, expected: error.text)
        }
    }

    /// What the command line gives also decides against what it excludes.
    private func takeEnvironment(_ environment: [String: String]) throws(ArgumentError) {
        let given = givenNames
        let excluded = table.declarations.exclusive.filter { !given.isDisjoint(with: $0) }.flatMap(\.self)
        for argument in table.declarations.all where !argument.isGiven {
            guard let name = argument.definition.environmentName, let value = environment[name], !value.isEmpty,
                Set(argument.definition.names).isDisjoint(with: excluded)
            else { continue }
            try give(value, as: argument.definition.displayName, to: argument, from: name)
        }
    }

    private func checkExclusive(_ name: (ArgumentDefinition) -> String) throws(ArgumentError) {
        for set in table.declarations.exclusive {
            let both = table.declarations.all.filter { argument in
                argument.isGiven && argument.definition.names.contains(where: set.contains)
            }
            if both.count > 1 { throw .exclusive(both.map { name($0.definition) }) }
        }
    }

    private var givenNames: Set<String> {
        Set(table.declarations.all.filter(\.isGiven).flatMap(\.definition.names))
    }
}
