/// A manual page in mdoc.
public struct ManualPage: Sendable {
    /// The file name, such as `fastctl-remove.1`.
    public let fileName: String
    public let text: String

    /// A row of the table of exit codes.
    public struct ExitStatus: Sendable {
        public var code: ExitCode
        public var meaning: String

        public init(_ code: ExitCode, _ meaning: String) {
            self.code = code
            self.meaning = meaning
        }
    }

    /// A row of the program's environment or files: a variable or a path, and its meaning.
    public struct Entry: Sendable {
        public var name: String
        public var meaning: String

        public init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    /// Returns the page of the program, and one for each command that is not hidden.
    ///
    /// The program's page has the variables in `environment` beside those of the options, and the `files`.
    /// `date` is in mdoc's form, `November 21, 2026`. It is a parameter, so that the same source makes the same page.
    /// With a `version`, `--version` is among the options.
    public static func pages(
        of root: any Command.Type,
        version: String? = nil,
        date: String,
        exitStatus: [ExitStatus],
        environment: [Entry] = [],
        files: [Entry] = []
    ) -> [ManualPage] {
        CommandPath(Program(root, version: version)).visibleTree.map { path in
            let isProgram = path.commands.count == 1
            let writer = ManualWriter(
                path: path,
                date: date,
                exitStatus: exitStatus,
                variables: isProgram ? environment : [],
                files: isProgram ? files : []
            )
            return ManualPage(fileName: path.manualName + ".1", text: writer.lines.joined(separator: "\n") + "\n")
        }
    }
}

extension CommandPath {
    /// The name of the page, such as `fastctl-collections-create`.
    var manualName: String { name.replacing(" ", with: "-") }
}

/// Conversions of text to mdoc.
private enum ManualText {
    /// Returns prose, one sentence to a line, as mdoc asks; an empty line begins a paragraph.
    static func prose(_ text: String) -> [String] {
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if paragraph.isEmpty {
                if !lines.isEmpty, lines.last != ".Pp" { lines.append(".Pp") }
                continue
            }
            var sentence: [String] = []
            for word in paragraph.split(separator: " ") {
                // An option is meant to be copied, so its hyphens are minus signs.
                sentence.append(word.contains("--") || word.hasPrefix("-") ? literal(word) : escaped(word))
                if let last = word.last(where: { !"'\")".contains($0) }), ".?!".contains(last) {
                    lines.append(guarded(sentence.joined(separator: " ")))
                    sentence = []
                }
            }
            if !sentence.isEmpty { lines.append(guarded(sentence.joined(separator: " "))) }
        }
        if lines.last == ".Pp" { lines.removeLast() }
        return lines
    }

    /// Returns a line meant to be copied, with every character as it is.
    static func code(_ line: some StringProtocol) -> String { guarded(literal(line)) }

    /// Returns one argument of a macro, escaped so that it is not read as a macro.
    static func argument(_ word: some StringProtocol) -> String {
        let text = (isObeyed(word) ? "\\&" : "") + literal(word).replacing("\"", with: "\\(dq")
        return text.contains(" ") ? "\"\(text)\"" : text
    }

    /// Whether mdoc would read it as a macro, such as `Ar`, or as punctuation, such as a lone `.`.
    private static func isObeyed(_ word: some StringProtocol) -> Bool {
        guard word.count <= 3, let first = word.first, word.count > 1 else {
            return word.allSatisfy { !$0.isLetter && !$0.isNumber }
        }
        return first == "%" || (first.isUppercase && word.dropFirst().allSatisfy(\.isLowercase))
    }

    private static func escaped(_ text: Substring) -> String { String(text).replacing("\\", with: "\\e") }

    private static func literal(_ text: some StringProtocol) -> String {
        text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            default: String(character)
            }
        }
        .joined()
    }

    /// Guards a line that begins with `.` or `'`, which would be a macro.
    private static func guarded(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
}

/// Writes the manual page of one command.
private struct ManualWriter {
    let path: CommandPath
    let date: String
    let exitStatus: [ManualPage.ExitStatus]
    let variables: [ManualPage.Entry]
    let files: [ManualPage.Entry]

    private var configuration: CommandConfiguration { path.last.configuration }
    private var children: [CommandPath] { configuration.visibleSubcommands.map(path.appending) }

    var lines: [String] {
        let table = path.table
        return head + section("SYNOPSIS", synopsis) + section("DESCRIPTION", description(table))
            + section("COMMANDS", commands) + section("OPTIONS", options(table))
            + section("ENVIRONMENT", environment(table)) + section("FILES", list(files.map(row("Pa"))))
            + section("EXIT STATUS", exitCodes)
            + section("EXAMPLES", examples) + section("SEE ALSO", references)
    }

    private var head: [String] {
        let summary =
            configuration.summary.hasSuffix(".") ? configuration.summary.dropLast() : configuration.summary[...]
        return [
            ".Dd " + date,
            // Otherwise groff's header calls every manual one of BSD.
            ".ds doc-volume-operating-system " + path.program.root.configuration.name,
            ".Dt " + path.manualName.uppercased() + " 1",
            ".Os",
            ".Sh NAME",
            ".Nm " + path.manualName,
            ".Nd " + ManualText.code(summary),
        ]
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : [".Sh " + title] + lines
    }

    private var synopsis: [String] {
        let arguments = path.table.declarations.visible
        let ordered = arguments.filter { !$0.isPositional } + arguments.filter(\.isPositional)
        return [".Nm " + ManualText.argument(path.name)]
            + ordered.map { definition in
                let body = definition.macro(names: definition.isPositional ? [] : [definition.displayName])
                return definition.isRequired ? "." + body : ".Op " + body
            } + (children.isEmpty ? [] : [".Ar COMMAND"])
    }

    private func description(_ table: ArgumentTable) -> [String] {
        let summary = configuration.summary
        let text = configuration.discussion.isEmpty ? summary : configuration.discussion
        let aliases =
            configuration.aliases.isEmpty
            ? "" : "\n\nAlso called " + configuration.aliases.joined(separator: ", ") + "."
        let positionals = table.declarations.visible.filter(\.isPositional)
        return ManualText.prose(text + aliases) + list(positionals.map { ($0.macro(names: []), $0.manualText) })
    }

    private var commands: [String] {
        var groups: [(title: String, children: [CommandPath])] = []
        for child in children {
            let title = child.last.configuration.group ?? ""
            let index = groups.firstIndex { $0.title == title } ?? groups.endIndex
            if index == groups.endIndex { groups.append((title, [])) }
            groups[index].children.append(child)
        }
        return groups.flatMap { group in
            (group.title.isEmpty ? [] : [".Ss " + ManualText.argument(group.title)])
                + list(group.children.map { ("Xr \($0.manualName) 1", $0.last.configuration.summary) })
        }
    }

    private func options(_ table: ArgumentTable) -> [String] {
        let own = table.declarations.own.map(\.definition).filter { $0.isVisible && !$0.isPositional }
        let groups = table.declarations.groups.flatMap { group in
            let options = list(of: group.declarations.visible.filter { !$0.isPositional })
            return options.isEmpty ? [] : [".Ss " + ManualText.argument(group.title)] + options
        }
        return list(of: own + table.standardDefinitions) + groups
    }

    private func list(of options: [ArgumentDefinition]) -> [String] {
        list(options.map { ($0.macro(names: $0.namesInOrder), $0.manualText) })
    }

    /// Returns the environment variables of the command; the program's own page lists those of all commands.
    private func environment(_ table: ArgumentTable) -> [String] {
        var seen: Set<String> = []
        let tables = path.commands.count == 1 ? path.visibleTree.map(\.table) : [table]
        let definitions = tables.flatMap(\.declarations.visible)
        let ofOptions = definitions.filter { seen.insert($0.environmentName ?? "").inserted }.compactMap { definition in
            definition.environmentName.map {
                ManualPage.Entry($0, "Used if \(definition.displayName) is not given.")
            }
        }
        return list((ofOptions + variables).map(row("Ev")))
    }

    private func row(_ macro: String) -> (ManualPage.Entry) -> (term: String, text: String) {
        { ("\(macro) " + ManualText.argument($0.name), $0.meaning) }
    }

    private var exitCodes: [String] { list(exitStatus.map { ("\($0.code.rawValue)", $0.meaning) }) }

    private var examples: [String] {
        var lines: [String] = []
        for example in configuration.examples {
            let text = ManualText.prose(example.explanation.followed(by: ":"))
            if !lines.isEmpty, !text.isEmpty { lines.append(".Pp") }
            lines += text
            let code = example.line.split(separator: "\n", omittingEmptySubsequences: false)
            lines += [".Bd -literal -offset indent"] + code.map { ManualText.code($0) } + [".Ed"]
        }
        return lines
    }

    /// References to the commands above and below.
    private var references: [String] {
        let parent = path.commands.count > 1 ? [path.parent.manualName] : []
        let names = (parent + children.map(\.manualName)).sorted()
        return names.enumerated().map { ".Xr \($1) 1" + ($0 == names.count - 1 ? "" : " ,") }
    }

    private func list(_ rows: [(term: String, text: String)]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let items = rows.flatMap { [".It " + $0.term] + ManualText.prose($0.text) }
        return [".Bl -tag -width Ds"] + items + [".El"]
    }
}

extension ArgumentDefinition {
    /// Returns the macro without its dot, such as `Fl c , Fl -collection Ar NAME`.
    fileprivate func macro(names: [String]) -> String {
        let flags = names.map { "Fl " + ManualText.argument($0.dropFirst()) }.joined(separator: " , ")
        let value = "Ar " + ManualText.argument(valueName)
        let body =
            switch kind {
            case .positional: value
            case .flag: flags
            case .option: flags + " " + value
            case .optionalValue: flags + " Ns Op = Ns " + value
            }
        return isRepeating ? body + " ..." : body
    }

    /// The help as sentences; environment variables have their own section.
    fileprivate var manualText: String {
        let variable = environmentName.map { "or set $" + $0 }
        let notes = notes.filter { $0 != variable }.joined(separator: "; ")
        return (help.text + (notes.isEmpty ? "" : " (\(notes))")).followed(by: ".")
    }
}

extension String {
    /// Returns the text ending with `mark`, unless it is empty or already has an ending mark.
    fileprivate func followed(by mark: String) -> String {
        guard let last, !".:!?".contains(last) else { return self }
        return self + mark
    }
}
