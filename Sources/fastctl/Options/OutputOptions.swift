import ArgumentParsing
import FeedReports
import Files
import ReportKit
import Spelling

extension ExplanationFormat: ArgumentValue {}
extension LogEventFormat: ArgumentValue {}
extension AnswerFormat: ArgumentValue {}
extension ColorChoice: ArgumentValue {}

/// Options for what a feed prints, and where.
struct OutputOptions: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The format of the results")
    var format = OutputFormat.text

    @Flag("--print0", help: "With -o name: end each ID with a NUL byte")
    var isNullTerminated

    @Flag("--quiet", "-q", help: "Omit the lines about each item; keep errors and totals")
    var isQuiet

    @Flag("--verbose", "-v", help: "Report on standard error what is sent and retried")
    var isVerbose

    @Option(
        "--report",
        value: "FILE",
        completion: .files,
        help: "Write the status report to this file, whole or not at all: an older one is removed when the run begins"
    )
    var report: String?

    @OptionGroup("Output") var progress: ProgressOptions

    func validate() throws {
        if isNullTerminated, format != .name { throw ValidationError("--print0 needs -o name") }
        try ValidationError.requireFile(report, of: "--report")
    }

    /// Refuses a report that would replace one of the files that the run needs.
    func refuseToOverwrite(_ files: [String]) throws {
        guard let path = report, let identity = FileIdentity(path) else { return }
        guard let other = files.first(where: { FileIdentity($0) == identity }) else { return }
        throw ArgumentError("--report \(path) would overwrite '\(other)', which this run needs; use another file")
    }

    /// Creates the report, and removes the one of an earlier run: it must not pass for this one's, whatever happens.
    func newReport(in directory: String? = nil) throws -> AtomicFile? {
        guard let path = report else { return nil }
        let file = try AtomicFile(path.hasPrefix("/") ? path : (directory.map { $0 + "/" } ?? "") + path)
        try file.removeOlder()
        return file
    }

    var nameEnd: NameEnd { isNullTerminated ? .nul : .line }
    var transcript: FeedTranscript { FeedTranscript(format, isQuiet: isQuiet, nameEnd: nameEnd) }
}

extension ValidationError {
    /// Refuses a file to write without a name; `-` too, which means standard output elsewhere, and here nothing.
    static func requireFile(_ path: String?, of option: String) throws {
        if path == "" { throw ValidationError("\(option) needs the name of a file") }
        if path == "-" {
            throw ValidationError("\(option) writes to a file, not to standard output; './-' is a file of that name")
        }
    }
}

/// An option for commands that only read.
struct QuietOptions: OptionSetting {
    @Flag("--quiet", "-q", help: "Say nothing on standard error if all went well")
    var isQuiet

    /// Says lines about a run and its end on standard error, unless it went well and that is not to be told.
    func say(_ lines: [String], _ status: ExitStatus = .done) {
        guard !isQuiet || status != .done else { return }
        for line in lines { StandardError.say(line) }
    }
}

/// Options for a reading command's rows, which are printed as they come.
struct RowOptions<Form: RowForm>: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The format of the results")
    var format = Form.text

    @Flag("--print0", help: "With -o name: end each name with a NUL byte")
    var isNullTerminated

    func validate() throws {
        if isNullTerminated, format != .name { throw ValidationError("--print0 needs -o name") }
    }

    var nameEnd: NameEnd { isNullTerminated ? .nul : .line }
}

/// The formats of rows, one of which is their names only.
protocol RowForm: ReportForm {
    static var name: Self { get }
}

extension DocumentFormat: RowForm {}
extension OutputFormat: RowForm {}

/// Options for the formats of a list, and for where each of them goes.
struct ListOptions: OptionSetting {
    @OptionGroup("Output") private var output: ReportOutputOptions<ListFormat>

    @Flag("--print0", help: "With -o name: end each name with a NUL byte")
    private var isNullTerminated

    func validate() throws {
        if isNullTerminated, !output.requested.contains(where: { $0.form == .name }) {
            throw ValidationError("--print0 needs -o name")
        }
    }

    /// Checks, before anything is opened, that the files can be created.
    func check() throws { try output.outputs().check(inputs: []) }

    /// Prints a list: a table, an array, lines.
    func print<Entry: ListEntry>(_ entries: [Entry]) throws { try print(entries, isList: true, text: nil) }

    /// Prints one entry: as text in lines of a title and a value, which begins at the column `indent`.
    func show<Entry: ListEntry>(_ entry: Entry, lines: [(String, String)], indent: Int) throws {
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
        throw CommandFailure(.inputRejected, NameEnd.refusal(of: unwritable), advice: nil)
    }

    /// Says a note on standard error, unless it is not wanted.
    func note(_ message: String) { output.quiet.say([message]) }
}

extension ProgressChoice: ArgumentValue {}

/// The options for how a command says how far it is.
struct ProgressOptions: OptionSetting {
    @Option(
        "--progress",
        value: "WHEN",
        help: """
            Say on standard error how far the command is: auto is a line on a terminal, and plain in CI; plain is a line \
            every 30 s, json an object every second
            """
    )
    var choice = ProgressChoice.auto

    @Option("--stats-interval", value: "DURATION", help: "With plain or json: say so this often")
    var interval: Duration?

    /// More often than this, nothing new would be said.
    private static let shortestInterval = Duration.milliseconds(100)

    func validate() throws {
        if let interval, interval < Self.shortestInterval {
            throw ValidationError("--stats-interval must be at least 100ms")
        }
    }

    var style: ProgressStyle { ProgressStyle(choice, every: interval) }
}

/// Options for text that people read: its colors, its width, and the pager.
struct TextOptions: OptionSetting {
    @Option("--color", value: "WHEN", help: "When to color text")
    var color = ColorChoice.auto

    @Flag("--wide", help: "Cut nothing at the edge of the terminal, however long")
    var isWide

    @Flag("--no-pager", help: "Print text at once, not through a pager ($FASTCTL_PAGER, $PAGER or less)")
    var isUnpaged

    /// The layout of text on this process's standard output.
    var layout: TextLayout {
        var layout = TextLayout.standardOutput(color)
        layout.isWide = isWide
        return layout
    }

    /// The pager for text on a terminal; `nil` for other formats, and where none is wanted.
    func pager(for isText: Bool) -> PagerCommand? {
        guard isText, !isUnpaged, FileDescriptor.standardOutput.isTerminal else { return nil }
        return PagerCommand(environment: ProcessEnvironment.values)
    }
}
