/// Suggestions that a shell may offer for one word of an unfinished command line.
struct Completion: Sendable, Equatable {
    /// A possible word, and its meaning.
    struct Candidate: Sendable, Equatable {
        package var word: String
        package var summary: String

        package init(_ word: String, _ summary: String = "") {
            self.word = word
            self.summary = summary
        }
    }

    /// The kind of names that the shell offers in addition to the candidates.
    enum Directive: String, Sendable {
        case words, files, folders
    }

    package var candidates: [Candidate] = []
    package var directive = Directive.words

    /// Returns the possible words at `index` in `words`, which begin after the program's name; the word at `index` may
    /// be partly typed.
    package static func candidates(
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
        let candidates = found.candidates.filter { $0.word.hasScalarPrefix(typed) }
        return Completion(candidates: candidates, directive: found.directive)
    }
}

extension String {
    /// Returns whether the text has a prefix, compared by scalars, as shells do.
    fileprivate func hasScalarPrefix(_ prefix: String) -> Bool { unicodeScalars.starts(with: prefix.unicodeScalars) }
}

/// A source of words that a shell may offer for a value.
///
/// Without a source, a value is completed from its type's candidates.
package struct ArgumentCompletion: Sendable {
    enum Source: Sendable {
        case none
        case files
        case folders
        case commands(withTopics: Bool)
        case values([String])
        case live(@Sendable (CompletionContext) async -> [String])
    }

    let source: Source
    /// Whether the values are names of files or folders.
    var isFile: Bool {
        switch source {
        case .files, .folders: true
        case .none, .commands, .values, .live: false
        }
    }
    /// Whether a value may begin with a label: `WFE1=Europe/Vienna`.
    private(set) var takesLabel = false

    /// No suggestions, not even names of files.
    package static let none = Self(source: .none)
    /// Names of files and folders.
    package static let files = Self(source: .files)
    /// Names of folders.
    package static let folders = Self(source: .folders)
    /// The names of the program's commands, one level for each word.
    package static let commands = Self(source: .commands(withTopics: false))
    /// The names of the program's commands and topics.
    static let commandsAndTopics = Self(source: .commands(withTopics: true))

    /// Returns a fixed list of words.
    package static func values(_ words: [String]) -> Self { Self(source: .values(words)) }

    /// Words determined at the time of completion, such as the names of collections.
    ///
    /// The user is waiting, so the function must be quick, and return nothing rather than fail. It need not filter the
    /// words by the text already typed. Words that are not a ``PlainName`` are not offered.
    package static func live(_ find: @escaping @Sendable (CompletionContext) async -> [String]) -> Self {
        Self(source: .live(find))
    }

    /// The same words, each after the label and the '=' that the user has typed, if any.
    package var afterLabel: Self {
        var copy = self
        copy.takesLabel = true
        return copy
    }
}

/// The information available to a live completion.
package struct CompletionContext: Sendable {
    /// The part of the word typed so far.
    package var prefix: String
    package var environment: [String: String]
    /// The values given so far, by the option's long name or the argument's name: `["--context": ["prod"]]`.
    package var values: [String: [String]]
}

/// Finds the words that may follow those already read.
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

    /// The long names, each with its meaning; short names are not completed, because that would save no typing.
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
        var prefix = prefix
        if definition.completion?.takesLabel == true, case (let label, let value?) = context.prefix.splitAtEquals {
            (prefix, context.prefix) = (prefix + label + "=", value)
        }
        let words: [String]
        switch source {
        case .none: return Completion()
        case .files: return Completion(directive: .files)
        case .folders: return Completion(directive: .folders)
        case .commands(let withTopics):
            var path = CommandPath(reader.path.program)
            let before = context.values[definition.valueName] ?? []
            for word in before {
                if let next = path.subcommand(word) { path = path.appending(next) }
            }
            let topics = withTopics && before.isEmpty ? path.last.configuration.topics : []
            return Completion(candidates: commands(of: path) + topics.map { .init($0.name, $0.summary) })
        case .values(let fixed): words = fixed
        case .live(let find): words = await find(context).filter(PlainName.isPlain)
        }
        return Completion(candidates: words.map { Completion.Candidate(prefix + $0) })
    }
}

/// Reads the words before the cursor, as far as they are valid, to determine the words that may follow.
///
/// An unfinished line is often invalid, so reading never fails.
private struct CompletionReader {
    private(set) var path: CommandPath
    private(set) var table: ArgumentTable
    /// The option whose value comes next.
    private(set) var pending: ArgumentDefinition?
    private(set) var isTerminated = false
    private(set) var given: Set<String> = []
    /// The values given so far, by the documented name.
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

    /// Returns the definition of the option with a name, if any.
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

/// A word as typed into bash, including quotes and backslashes.
struct ShellWord {
    var typed: String

    /// The word as interpreted by the shell, but without expansions; an open quote ends with the word.
    var value: String {
        var value = String.UnicodeScalarView()
        var quote: Unicode.Scalar?
        var rest = typed.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch (scalar, quote) {
            case ("'", nil), ("\"", nil): quote = scalar
            case ("'", "'"), ("\"", "\""): quote = nil
            case ("\\", nil): if let next = rest.popFirst() { value.append(next) }
            case ("\\", "\"") where rest.first.map { "\"\\$`".unicodeScalars.contains($0) } ?? false:
                value.append(rest.removeFirst())
            default: value.append(scalar)
            }
        }
        return String(value)
    }
}

/// A script with which a shell completes a program's command lines.
///
/// Each script is a shim that calls the program itself: `PROGRAM __complete SHELL INDEX WORDS...`. The output is the
/// directive (`words`, `files` or `folders`), then one candidate per line, followed by a tab and its meaning except for
/// bash.
package enum CompletionScript {
    /// Returns a script for bash 4.3 or later, to be sourced, or saved as `bash-completion/completions/PROGRAM`.
    package static func bash(_ program: String) -> String {
        let function = functionName(of: program)
        return #"""
            # bash completion for \#(program)
            \#(function)() {
                local -a words=() lines=()
                local i word line rest=${COMP_LINE-}
                # bash also splits at ':', '=' and '@'. Pieces without a space between them are one word.
                for ((i = 0; i <= COMP_CWORD; i++)); do
                    word=${COMP_WORDS[i]-}
                    if ((i > 1)) && [[ $rest != [[:blank:]]* && ($word == [:=@]* || ${COMP_WORDS[i - 1]} == *[:=@]) ]]; then
                        words[${#words[@]} - 1]+=$word
                    else
                        words+=("$word")
                    fi
                    rest=${rest#*"$word"}
                done
                # Only the piece after the last ':', '=' or '@' is replaced.
                local piece=${COMP_WORDS[COMP_CWORD]-}
                [[ -n ${piece//[:=@]/} ]] || piece=
                COMPREPLY=()
                # bash replaces what follows the open quote. Unless it opens the word, nothing is offered.
                local quote='' bare=${piece//\\?/}
                case $piece in
                    \'*) quote=\' bare=${piece#?} ;;
                    \"*) quote=\" bare=${bare#?} ;;
                esac
                [[ $bare != *[\"\']* ]] || return
                local before=${words[${#words[@]} - 1]%"$piece"}
                before=${before//[\\\"\']/}
                mapfile -t lines < <(\#(program) __complete bash $((${#words[@]} - 2)) "${words[@]:1}" 2>/dev/null)
                case ${lines[0]-} in
                    files) compopt -o default 2>/dev/null ;;
                    folders) compopt -o dirnames 2>/dev/null ;;
                esac
                for line in "${lines[@]:1}"; do
                    line=${line#"$before"}
                    case $quote in
                        \') line=${line//\'/\'\\\'\'} ;;
                        \")
                            line=${line//\\/\\\\}
                            line=${line//\"/\\\"}
                            line=${line//\$/\\\$}
                            line=${line//\`/\\\`}
                            line=${line//!/\"\\!\"}
                            ;;
                        *) printf -v line %q "$line" ;;
                    esac
                    COMPREPLY+=("$line")
                done
            }
            complete -F \#(function) \#(program)
            """#
    }

    /// Returns a script to be sourced after `compinit`, or saved in a folder of `fpath` as `_PROGRAM`.
    package static func zsh(_ program: String) -> String {
        let function = functionName(of: program)
        return #"""
            #compdef \#(program)
            # zsh completion for \#(program)
            \#(function)() {
                local -a lines values
                local line word
                lines=("${(@f)$(\#(program) __complete zsh $((CURRENT - 2)) \
                    "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
                case $lines[1] in
                    files) compset -P '--*='; _files; return ;;
                    folders) compset -P '--*='; _files -/; return ;;
                esac
                for line in "${(@)lines[2,-1]}"; do
                    word=${line%%$'\t'*}
                    word=${word//\\/\\\\}
                    word=${word//:/\\:}
                    [[ $line == *$'\t'* ]] && word+=:${line#*$'\t'}
                    values+=("$word")
                done
                _describe value values
            }
            if [[ ${funcstack[1]-} == \#(function) ]]; then
                \#(function) "$@"
            else
                compdef \#(function) \#(program)
            fi
            """#
    }

    /// Returns a script to be sourced, or saved as `fish/completions/PROGRAM.fish`.
    package static func fish(_ program: String) -> String {
        let function = "_" + functionName(of: program)
        return #"""
            # fish completion for \#(program)
            function \#(function)
                set -l words (commandline -opc)
                set -l typed (commandline -ct)
                set -l lines (\#(program) __complete fish (math (count $words) - 1) $words[2..] "$typed" 2>/dev/null)
                set -l option (string match -r -- '^--[^=]*=' "$typed")
                set -l path (string replace -r -- '^--[^=]*=' '' "$typed")
                switch "$lines[1]"
                    case files
                        printf "$option%s\n" (__fish_complete_path "$path")
                    case folders
                        printf "$option%s\n" (__fish_complete_directories "$path")
                    case '*'
                        string join \n -- $lines[2..]
                end
            end
            complete -c \#(program) -f -a '(\#(function))'
            """#
    }

    /// Returns a script for PowerShell, to be added to a profile.
    ///
    /// PowerShell completes file names itself if there are no words.
    package static func powershell(_ program: String) -> String {
        #"""
        # PowerShell completion for \#(program)
        Register-ArgumentCompleter -Native -CommandName '\#(program)' -ScriptBlock {
            param($typed, $line, $cursor)
            $words = @($line.CommandElements | Select-Object -Skip 1 |
                Where-Object { $_.Extent.EndOffset -lt $cursor } |
                ForEach-Object { if ($_.Value -is [string]) { $_.Value } else { $_.Extent.Text } })
            # An empty word would be lost when passed to a program; a missing word means the same.
            $index = $words.Count
            if ($typed) { $words += $typed }
            $lines = @(& '\#(program)' __complete powershell $index @words 2>$null)
            if ($lines.Count -eq 0 -or $lines[0] -ne 'words') { return }
            $lines | Select-Object -Skip 1 | ForEach-Object {
                $word, $meaning = $_ -split "`t", 2
                if (-not $meaning) { $meaning = $word }
                [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $meaning)
            }
        }
        """#
    }

    private static func functionName(of program: String) -> String {
        "_" + String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }
}
