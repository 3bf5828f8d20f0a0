package import ArgumentParsing
import Files
package import ReportKit
package import TextKit

extension ColorChoice: ArgumentValue {}

extension ValidationError {
    /// Refuses a file to write without a name; `-` too, which means standard output elsewhere, and here nothing.
    package static func requireFile(_ path: String?, of option: String) throws {
        if path == "" { throw ValidationError("\(option) needs the name of a file") }
        if path == "-" {
            throw ValidationError("\(option) writes to a file, not to standard output; './-' is a file of that name")
        }
    }
}

/// An option for commands that only read.
package struct QuietOptions: OptionSetting {
    package init() {}

    @Flag("--quiet", "-q", help: "Say nothing on standard error if all went well")
    package var isQuiet

    /// Says lines about a run and its end on standard error, unless it went well and that is not to be told.
    package func say(_ lines: [String], _ status: ExitStatus = .done) {
        guard !isQuiet || status != .done else { return }
        for line in lines { StandardError.say(line) }
    }
}

extension Option where Value == OutputForm {
    /// The option `--output` of a command that prints one of these forms; text is its default.
    package init(output forms: [OutputForm], help: ArgumentHelp = "The format of the results") {
        self.init(wrappedValue: .text, "--output", "-o", value: "FORMAT", among: forms, help: help)
    }
}

/// Options for a reading command's rows, which are printed as they come.
package struct RowOptions: ArgumentDeclarations {
    @Option package var form: OutputForm

    @Flag("--print0", help: "With -o name: end each name with a NUL byte")
    package var isNullTerminated

    /// Creates options for one of these forms, of which one is names only.
    package init(_ forms: [OutputForm]) { _form = Option(output: forms) }

    package func validate() throws {
        if isNullTerminated, form != .name { throw ValidationError("--print0 needs -o name") }
    }

    package var nameEnd: NameEnd { isNullTerminated ? .nul : .line }
}

/// Options for the formats of a list, and for where each of them goes.
package struct ListOptions: OptionSetting {
    package init() {}

    @OptionGroup("Output") private var output = ReportOutputOptions(ListRenderer.forms)

    @Flag("--print0", help: "With -o name: end each name with a NUL byte")
    private var isNullTerminated

    package func validate() throws {
        if isNullTerminated, !output.requested.contains(where: { $0.form == .name }) {
            throw ValidationError("--print0 needs -o name")
        }
    }

    /// Checks, before anything is opened, that the files can be created.
    package func check() throws { try output.outputs().check(inputs: []) }

    /// Prints a list: a table, an array, lines.
    package func print<Entry: ListEntry>(_ entries: [Entry]) throws { try print(entries, isList: true, text: nil) }

    /// Prints one entry: as text in lines of a title and a value, which begins at the column `indent`.
    package func show<Entry: ListEntry>(_ entry: Entry, lines: [(String, String)], indent: Int) throws {
        try print([entry], isList: false) { bytes in
            for (title, value) in lines {
                let padding = String(repeating: " ", count: max(1, indent - title.count))
                bytes.append(contentsOf: (title + padding + SafeText.escaping(value) + "\n").utf8)
            }
        }
    }

    private func print<Entry: ListEntry>(
        _ entries: [Entry],
        isList: Bool,
        text: ((inout [UInt8]) -> Void)?
    ) throws {
        var unwritable = 0
        try output.outputs().write { output, bytes in
            if output.form == .text, let text { return text(&bytes) }
            unwritable += ListRenderer.append(
                entries,
                as: output.form,
                isList: isList,
                nameEnd: isNullTerminated ? .nul : .line,
                csv: output.csv,
                width: ProcessEnvironment.width,
                to: &bytes
            )
        }
        guard unwritable > 0 else { return }
        throw Failure(.inputRejected, NameEnd.refusal(of: unwritable), advice: nil)
    }

    /// Says a note on standard error, unless it is not wanted.
    package func note(_ message: String) { output.quiet.say([message]) }
}

extension ProgressChoice: ArgumentValue {}

/// The options for how a command says how far it is.
package struct ProgressOptions: OptionSetting {
    package init() {}

    @Option(
        "--progress",
        value: "WHEN",
        help: """
            Say on standard error how far the command is: auto is a line on a terminal, and plain in CI; plain is a line \
            every 30 s, json an object every second
            """
    )
    package var choice = ProgressChoice.auto

    @Option("--stats-interval", value: "DURATION", help: "With plain or json: say so this often")
    package var interval: Duration?

    /// More often than this, nothing new would be said.
    private static let shortestInterval = Duration.milliseconds(100)

    package func validate() throws {
        if let interval, interval < Self.shortestInterval {
            throw ValidationError("--stats-interval must be at least 100ms")
        }
    }

    package var style: ProgressStyle { ProgressStyle(choice, every: interval) }
}

/// Options for text that people read: its colors, its width, and the pager.
package struct TextOptions: OptionSetting {
    package init() {}

    @Option("--color", value: "WHEN", help: "When to color text")
    package var color = ColorChoice.auto

    @Flag("--wide", help: "Cut nothing at the edge of the terminal, however long")
    var isWide

    @Flag("--no-pager", help: "Print text at once, not through a pager ($FASTCTL_PAGER, $PAGER or less)")
    var isUnpaged

    /// The layout of text on this process's standard output.
    package var layout: TextLayout {
        var layout = TextLayout.standardOutput(color)
        layout.isWide = isWide
        return layout
    }

    /// The pager for text on a terminal; `nil` for other formats, and where none is wanted.
    package func pager(for isText: Bool) -> PagerCommand? {
        guard isText, !isUnpaged, FileDescriptor.standardOutput.isTerminal else { return nil }
        return PagerCommand(environment: ProcessEnvironment.values)
    }
}

extension TextLayout {
    /// Returns the layout of text on this process's standard output.
    package static func standardOutput(_ color: ColorChoice) -> TextLayout {
        let environment = ProcessEnvironment.values
        let output = FileDescriptor.standardOutput
        return TextLayout(
            width: output.isTerminal ? ProcessEnvironment.columns ?? output.terminalWidth : nil,
            isColored: color.isColored(isTerminal: output.isTerminal) { environment[$0] },
            isUnicode: isUnicode(environment),
            neutralizesRunnerCommands: runnerVariables.contains { environment[$0]?.isEmpty == false }
        )
    }

    /// Variables set by the runners of GitHub Actions, Azure Pipelines and TeamCity.
    private static let runnerVariables = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"]

    /// Returns whether the locale is UTF-8; the first variable that is set decides, as in every program.
    private static func isUnicode(_ environment: [String: String]) -> Bool {
        let locales = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }
        guard let locale = locales.first(where: { !$0.isEmpty })?.lowercased() else { return false }
        return locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
    }
}
