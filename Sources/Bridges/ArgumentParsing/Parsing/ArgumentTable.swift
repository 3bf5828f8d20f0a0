/// The arguments of one command by name and place, and how a word is read in their light.
///
/// Words are taken apart by bytes and scalars: a combining mark after a `-` or `=` must not hide it.
struct ArgumentTable {
    /// What one word is.
    enum Reading {
        case terminator
        case positional
        case options([GivenOption])
    }

    /// An option as one word gives it; `-nq` gives two.
    struct GivenOption {
        var argument: any DeclaredArgument
        /// As it was written, apart from the value.
        var name: String
        var value: String?
        var needsValue: Bool { argument.definition.kind == .option && value == nil }
    }

    struct UnknownOption: Error {
        var name: String
        /// The whole word, if it looks like a long option with a single dash.
        var word: String
    }

    let declarations: Declarations
    let standard: StandardOptions
    /// Those of the standard options that the command does not declare itself.
    let standardDefinitions: [ArgumentDefinition]
    let named: [String: any DeclaredArgument]
    let positionals: [any DeclaredArgument]

    init(of command: any Command, hasVersion: Bool) {
        declarations = Declarations(of: command)
        standard = StandardOptions()
        var named: [String: any DeclaredArgument] = [:]
        for argument in declarations.all {
            for name in argument.definition.allNames {
                precondition(name.isOptionName, "\(name) is no name for an option")
                precondition(named.updateValue(argument, forKey: name) == nil, "\(name) is declared twice")
            }
        }
        for name in declarations.exclusive.joined() {
            precondition(named[name] != nil, "\(name) excludes others but is not declared")
        }
        var standardDefinitions: [ArgumentDefinition] = []
        for argument in standard.arguments(hasVersion: hasVersion) {
            var definition = argument.definition
            definition.names.removeAll { named[$0] != nil }
            for name in definition.names { named[name] = argument }
            if !definition.names.isEmpty { standardDefinitions.append(definition) }
        }
        self.named = named
        self.standardDefinitions = standardDefinitions
        positionals = declarations.all.filter(\.definition.isPositional)
        precondition(
            positionals.dropLast().allSatisfy { !$0.definition.isRepeating },
            "an argument follows one that takes all that are left"
        )
    }

    /// Every option there is help for.
    var visibleOptions: [ArgumentDefinition] {
        declarations.visible.filter { !$0.isPositional } + standardDefinitions
    }

    /// Reads a word that stands before any `--`.
    func read(_ word: String, positional: ArgumentDefinition?) throws(UnknownOption) -> Reading {
        guard word.isDashed else { return .positional }
        if word == "--" { return .terminator }
        let isNumber = word.isNegativeNumber && named[String(word.prefix(2))] == nil
        if isNumber, positional?.takesNumbers == true { return .positional }
        return .options(try word.utf8.starts(with: "--".utf8) ? [readLong(word)] : readShort(word))
    }

    private func readLong(_ word: String) throws(UnknownOption) -> GivenOption {
        let (name, value) = word.splitAtEquals
        guard let argument = named[name] else { throw UnknownOption(name: name, word: name) }
        return GivenOption(argument: argument, name: name, value: value)
    }

    private func readShort(_ word: String) throws(UnknownOption) -> [GivenOption] {
        // '-collection Web' would be '-c ollection', and Web a document.
        let long = "-" + word.splitAtEquals.name
        if named[word] == nil, let name = named.keys.first(where: { $0.lowercased() == long.lowercased() }) {
            throw UnknownOption(name: word, word: name)
        }
        var given: [GivenOption] = []
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            guard let argument = named[name] else { throw UnknownOption(name: name, word: long) }
            switch argument.definition.kind {
            case .option where !letters.isEmpty:
                return given + [GivenOption(argument: argument, name: name, value: String(letters))]
            case .optionalValue where letters.first == "=":
                return given + [GivenOption(argument: argument, name: name, value: String(letters.dropFirst()))]
            default: given.append(GivenOption(argument: argument, name: name))
            }
        }
        return given
    }
}

extension String {
    /// Begins with `-` and is more than that.
    var isDashed: Bool { utf8.first == UInt8(ascii: "-") && utf8.count > 1 }

    /// `-c` or `--collection`.
    fileprivate var isOptionName: Bool {
        hasPrefix("--") ? unicodeScalars.count > 2 && !contains("=") : isDashed && unicodeScalars.count == 2
    }

    var isNegativeNumber: Bool {
        guard isDashed, let second = utf8.dropFirst().first else { return false }
        return (UInt8(ascii: "0")...UInt8(ascii: "9") ~= second || second == UInt8(ascii: ".")) && Double(self) != nil
    }

    /// `--name=value` as its two halves.
    var splitAtEquals: (name: String, value: String?) {
        guard let index = utf8.firstIndex(of: UInt8(ascii: "=")) else { return (self, nil) }
        return (String(self[..<index]), String(self[utf8.index(after: index)...]))
    }
}
