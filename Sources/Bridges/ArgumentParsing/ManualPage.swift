import TextKit

/// A manual page in mdoc.
package struct ManualPage: Sendable {
    /// The file name, such as `fastctl-remove.1`.
    package let fileName: String
    package let text: String

    /// A row of the table of exit codes.
    package struct ExitStatus: Sendable {
        package var code: ExitCode
        package var meaning: String

        package init(_ code: ExitCode, _ meaning: String) {
            self.code = code
            self.meaning = meaning
        }
    }

    /// A row of the program's environment or files: a variable or a path, and its meaning.
    package struct Entry: Sendable {
        package var name: String
        package var meaning: String

        package init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    /// Returns the page of the program, and one for each command that is not hidden.
    ///
    /// The program's page lists the variables in `environment` in addition to those of the options, and the `files`.
    /// `date` is in mdoc's form, `November 21, 2026`. It is a parameter, so that the same source always yields the same
    /// page. If there is a `version`, `--version` is listed among the options.
    package static func pages(
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
    /// Returns prose with one sentence per line, as recommended for mdoc; an empty line begins a paragraph.
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

    /// Returns a line meant to be copied, with every character kept unchanged.
    static func code(_ line: some StringProtocol) -> String { guarded(literal(line)) }

    /// Returns one argument of a macro, escaped so that it is not interpreted as a macro itself.
    static func argument(_ word: some StringProtocol) -> String {
        let text = (isObeyed(word) ? "\\&" : "") + literal(word).replacing("\"", with: "\\(dq")
        return text.contains(" ") ? "\"\(text)\"" : text
    }

    /// Returns whether mdoc would interpret the word as a macro, such as `Ar`, or as punctuation, such as a lone `.`.
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

    /// Escapes a line that begins with `.` or `'`, which would otherwise be a macro.
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
            // Otherwise, groff's header would describe every manual page as part of BSD.
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
        let groups = table.declarations.sections.flatMap { group in
            let options = list(of: group.arguments.filter { !$0.isPositional })
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

    /// References to the parent command and the subcommands.
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

    /// The help as sentences, without environment variables, which have their own section.
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

/// The help page that `--help` prints for one command, and its short form, which `-h` prints.
struct HelpPage {
    private let path: CommandPath
    private let configuration: CommandConfiguration
    private let table: ArgumentTable

    private struct Row {
        var term: String
        var text: String
    }

    init(_ path: CommandPath) {
        self.path = path
        configuration = path.last.configuration
        table = ArgumentTable(of: path.last.init(), hasVersion: path.program.version != nil)
    }

    func rendered(width: Int, isShort: Bool = false) -> String {
        guard !isShort || configuration.commonOptions.isEmpty else { return renderedShort(width: width) }
        var lines = wrapped(configuration.summary, width: width) + [""] + usage(width: width)
        if !configuration.aliases.isEmpty {
            lines += wrapped("Also called: " + configuration.aliases.joined(separator: ", "), width: width)
        }
        if !configuration.discussion.isEmpty { lines += [""] + wrapped(configuration.discussion, width: width) }
        for sections in [commandSections, argumentSections] {
            let column = column(of: sections.flatMap(\.rows), width: width)
            for section in sections where !section.rows.isEmpty {
                lines += ["", section.title + ":"] + render(section.rows, column: column, width: width)
            }
        }
        if !configuration.examples.isEmpty { lines += ["", "Examples:"] + examples(width: width) }
        if !configuration.topics.isEmpty {
            lines += ["", "Help topics:"]
            let rows = configuration.topics.map { Row(term: $0.name, text: $0.summary) }
            lines += render(rows, column: column(of: rows, width: width), width: width)
        }
        if path.isGroup {
            lines += [""] + wrapped("See '\(path.name) COMMAND --help' for help on one command.", width: width)
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the page with the command's common options and two examples.
    private func renderedShort(width: Int) -> String {
        let own = table.declarations.visible.filter(\.isPositional)
        let common = configuration.commonOptions.map { name in
            guard let argument = table.named[name] else { preconditionFailure("\(name) is common but not declared") }
            return argument.definition
        }
        let sections = [("Arguments", own.map(row)), ("Common options", common.map(row))]
        let column = column(of: sections.flatMap(\.1), width: width)
        var lines = wrapped(configuration.summary, width: width) + [""] + usage(width: width)
        for (title, rows) in sections where !rows.isEmpty {
            lines += ["", title + ":"] + render(rows, column: column, width: width)
        }
        lines += ["", "Examples:"] + examples(width: width, limit: 2)
        let rest = table.visibleOptions.count - common.count
        return (lines + [""] + wrapped("'\(path.name) --help' shows \(rest) more options.", width: width))
            .joined(separator: "\n")
    }

    private func usage(width: Int) -> [String] {
        let label = "Usage: "
        // A line must not break at the spaces inside an argument.
        let words = ([path.name] + path.usageWords).map { $0.replacing(" ", with: "\u{A0}") }
        let lines = wrapped(words.joined(separator: " "), width: width - label.count)
        return lines.enumerated().map { index, line in
            (index == 0 ? label : String(repeating: " ", count: label.count)) + line.replacing("\u{A0}", with: " ")
        }
    }

    /// The command sections, one for each heading, in the order of their first occurrence among the subcommands.
    private var commandSections: [(title: String, rows: [Row])] {
        var sections: [(title: String, rows: [Row])] = []
        for command in configuration.visibleSubcommands.map({ $0.configuration }) {
            let title = command.group ?? "Commands"
            let index = sections.firstIndex { $0.title == title } ?? sections.endIndex
            if index == sections.endIndex { sections.append((title, [])) }
            sections[index].rows.append(Row(term: command.name, text: command.summary))
        }
        return sections
    }

    private var argumentSections: [(title: String, rows: [Row])] {
        let own = table.declarations.own.map(\.definition).filter(\.isVisible)
        let options = own.filter { !$0.isPositional } + table.standardDefinitions
        let groups = table.declarations.sections.map { ($0.title, $0.arguments.map(row)) }
        return [("Arguments", own.filter(\.isPositional).map(row)), ("Options", options.map(row))] + groups
    }

    private func row(_ definition: ArgumentDefinition) -> Row {
        let names = definition.namesInOrder.joined(separator: ", ")
        // Aligns the long names.
        let term = definition.isPositional ? definition.valueName : (names.hasPrefix("--") ? "    " : "") + names
        let notes = definition.notes.joined(separator: "; ")
        return Row(
            term: term + definition.valueSuffix,
            text: definition.help.text + (notes.isEmpty ? "" : " (\(notes))")
        )
    }

    /// Returns the column at which descriptions begin: after the longest term that is not too long.
    private func column(of rows: [Row], width: Int) -> Int {
        rows.map(\.term.count).filter { $0 <= min(26, width / 2 - 4) }.max().map { $0 + 4 } ?? 6
    }

    private func render(_ rows: [Row], column: Int, width: Int) -> [String] {
        let indent = String(repeating: " ", count: column)
        return rows.flatMap { row in
            var text = wrapped(row.text, width: max(20, width - column))
            let term = "  " + row.term
            guard term.count + 2 <= column, !text.isEmpty else { return [term] + text.map { indent + $0 } }
            let first = term + String(repeating: " ", count: column - term.count) + text.removeFirst()
            return [first] + text.map { indent + $0 }
        }
    }

    /// Returns the examples; a line that can be copied is never broken.
    private func examples(width: Int, limit: Int = .max) -> [String] {
        configuration.examples.prefix(limit).flatMap { example in
            ["  " + example.line] + wrapped(example.explanation, width: width - 6).map { "      " + $0 }
        }
    }
}

extension ArgumentDefinition {
    /// Notes about the value, each a few words long.
    var notes: [String] {
        var notes: [String] = []
        if !candidates.isEmpty { notes.append("one of " + candidates.joined(separator: ", ")) }
        if let bareText { notes.append("\(bareText) if no value is given") }
        if let defaultText, !defaultText.isEmpty { notes.append("default: " + defaultText) }
        if let environmentName { notes.append("or set $" + environmentName) }
        return notes
    }
}

extension CommandPath {
    /// The words that follow the command's name in its usage line.
    fileprivate var usageWords: [String] {
        let arguments = Declarations(of: last.init()).visible
        let required = arguments.filter { $0.isRequired && !$0.isPositional }
        let options = arguments.count { !$0.isPositional } > required.count ? ["[options]"] : []
        return options + required.map(\.usage) + arguments.filter(\.isPositional).map(\.usage)
            + (isGroup ? ["COMMAND"] : [])
    }
}

/// Breaks `text` at spaces into lines of at most `width` characters; an empty line is kept.
func wrapped(_ text: String, width: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
        var lines: [String] = []
        for word in paragraph.split(separator: " ") {
            if let line = lines.last, line.count + 1 + word.count <= width {
                lines[lines.count - 1] = line + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.isEmpty && !text.isEmpty ? [""] : lines
    }
}
