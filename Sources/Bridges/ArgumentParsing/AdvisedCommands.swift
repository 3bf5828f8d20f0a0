import TextKit

/// A completer of the commands that messages advise, so that a copied command has the same target as the present one.
///
/// The options that the user gave to the present command are inserted into each advised command that has the same
/// options, unless the message already names them: `see 'fastctl jobs list'` becomes
/// `see 'fastctl jobs list --context prod'`. The name of a command without arguments, such as `use 'fastctl add'`, is
/// not changed, nor is the name of its option, such as `use 'fastctl find --plan'`.
package struct AdvisedCommands: Sendable {
    private let program: Program
    /// The names of commands and groups that do not repeat options.
    private let others: [String]
    /// The options of the present command line that advised commands repeat.
    private let repeated: [Repeated]

    /// Creates a completer; `words` are the words of the present command line, and `names` the options that advised
    /// commands repeat, except `others`, for which the options have another purpose.
    package init(
        after words: [String],
        of program: Program,
        repeating names: [String],
        exceptIn others: [String] = []
    ) {
        (self.program, self.others) = (program, others)
        // Most command lines have none of the options, and need not be read twice.
        let mayHaveSome = words.contains { word in names.contains { word.hasPrefix($0) } }
        let line = mayHaveSome ? ReadWords(words, of: program) : nil
        repeated = (line?.options ?? []).compactMap { option in
            // An address that contains a password is refused, and must not be shown.
            guard names.contains(option.definition.displayName), let value = option.value, !value.contains("@") else {
                return nil
            }
            let text = "\(option.definition.displayName) \(CommandLineWords.quoted(value))"
            return Repeated(definition: option.definition, text: text)
        }
    }

    private struct Repeated: Sendable {
        let definition: ArgumentDefinition
        let text: String

        /// Returns whether a command has the option, with the same meaning.
        func belongs(to table: ArgumentTable) -> Bool {
            table.named[definition.displayName]?.definition.help.text == definition.help.text
        }
    }

    /// Returns the message with its commands completed.
    package func completing(_ message: String) -> String {
        guard !repeated.isEmpty else { return message }
        let pieces = message.split(separator: " ", omittingEmptySubsequences: false).map { Piece($0) }
        let name = program.root.configuration.name
        let starts = pieces.indices.filter { pieces[$0].word == name && pieces[$0].closing.isEmpty }
        guard !starts.isEmpty else { return message }
        var parts = pieces.map(\.text)
        for (start, next) in zip(starts, starts.dropFirst() + [pieces.endIndex]) {
            // A command that is quoted as it was typed is not advice.
            if start > 0, pieces[start - 1].text == "options:" { continue }
            let isPiped = start > 0 && pieces[start - 1].text == "|"
            guard let (end, table) = command(in: pieces[start..<next], isPiped: isPiped) else { continue }
            let given = Set(pieces[end..<next].map { String($0.word.prefix { $0 != "=" }) })
            let exclusive = table.declarations.exclusive.filter { !given.isDisjoint(with: $0) }.joined()
            let added = repeated.filter { option in
                let name = option.definition.displayName
                return option.belongs(to: table) && !given.contains(name) && !exclusive.contains(name)
            }
            let last = pieces[end]
            parts[end] = last.opening + ([last.word] + added.map(\.text)).joined(separator: " ") + last.closing
        }
        return parts.joined(separator: " ")
    }

    /// Returns the position of the last word of the name of an advised command, and the command's options; `nil` if
    /// the text only mentions the command.
    ///
    /// A command that reads the output of another one is never only mentioned: both must have the same target.
    private func command(in pieces: ArraySlice<Piece>, isPiped: Bool) -> (end: Int, ArgumentTable)? {
        var path = CommandPath(program)
        var end = pieces.startIndex
        while path.isGroup, end + 1 < pieces.endIndex, pieces[end].closing.isEmpty,
            let next = path.subcommand(pieces[end + 1].word)
        {
            path = path.appending(next)
            end += 1
        }
        guard end > pieces.startIndex, !path.isGroup,
            !others.contains(path.commands[1].configuration.name)
        else { return nil }
        // In quotes, the name of an option is mentioned along with the command: 'find --plan'.
        let isQuoted = pieces[pieces.startIndex].opening.hasSuffix("'")
        let rest = pieces[end..<pieces.endIndex]
        let last = rest.firstIndex { isQuoted ? $0.closing.hasPrefix("'") : !$0.closing.isEmpty } ?? pieces.endIndex - 1
        let isMention = last == end || isQuoted && rest[(end + 1)...last].allSatisfy { $0.word.isDashed }
        return isMention && !isPiped && path.commands.count == 2 ? nil : (end, path.table)
    }

    /// A word of a message, without the punctuation around it.
    private struct Piece {
        let opening: String
        let word: String
        let closing: String

        init(_ text: Substring) {
            let start = text.firstIndex { !"'(".contains($0) } ?? text.endIndex
            let end = text[start...].lastIndex { !"',;:.?!)".contains($0) }.map { text.index(after: $0) } ?? start
            opening = String(text[..<start])
            word = String(text[start..<end])
            closing = String(text[end...])
        }

        var text: String { opening + word + closing }
    }
}

/// The words of a command line, by their meaning.
struct ReadWords {
    let path: CommandPath
    private(set) var options: [(definition: ArgumentDefinition, name: String, value: String?)] = []
    private(set) var arguments: [String] = []

    /// Reads a command line without the program's name; fails if it is not understood.
    init?(_ words: [String], of program: Program) {
        var path = CommandPath(program)
        guard var rest = try? path.descend(words)[...] else { return nil }
        self.path = path
        let table = path.table
        let positional = table.positionals.first?.definition
        while let word = rest.popFirst() {
            guard let reading = try? table.read(word, positional: positional) else { return nil }
            switch reading {
            case .terminator:
                arguments += rest
                rest = []
            case .positional: arguments.append(word)
            case .options(let given):
                options += given.map { option in
                    let value = option.needsValue ? rest.popFirst() : option.value
                    return (option.argument.definition, option.meaning, value)
                }
            }
        }
    }
}
