package import ArgumentParsing
import Files
import Glibc
package import ReportKit
import Synchronization
package import TextKit
import Threads

extension ColorChoice: ArgumentValue {}

extension ValidationError {
    /// Refuses an output file with an empty name, with the name `-`, which means standard output elsewhere but is not
    /// supported here, or with the extension of a compressed file, because the output is plain text.
    package static func requireFile(_ path: String?, of option: String) throws {
        if path == "" { throw ValidationError("\(option) needs a file name") }
        if path == "-" {
            throw ValidationError("\(option) writes to a file, not to standard output; use './-' for a file named '-'")
        }
        if let path, let plain = CompressionSuffix.removed(from: path[...]), !plain.isEmpty {
            let suffix = path.dropFirst(plain.count)
            throw ValidationError("\(option) does not compress: leave '\(suffix)' out of the name '\(path)'")
        }
    }
}

/// The option `--quiet` for commands that do not feed documents.
package struct QuietOptions: OptionSetting {
    package init() {}

    @Flag("--quiet", "-q", help: "Print nothing to standard error if everything succeeds")
    package var isQuiet

    /// Prints lines about a run and its end on standard error, unless it succeeded and output is quiet.
    package func say(_ lines: [String], _ status: ExitStatus = .done) {
        guard !isQuiet || status != .done else { return }
        for line in lines { StandardError.say(line) }
    }
}

extension Option where Value == OutputForm {
    /// The option `--output` of a command that prints one of these forms; text is its default.
    package init(output forms: [OutputForm], help: ArgumentHelp = "The format of the results") {
        self.init(
            wrappedValue: .text,
            "--output",
            "-o",
            value: "FORMAT",
            among: forms,
            foreignNames: [
                "id": .name, "ids": .name, "names": .name, "jsonl": .ndjson, "jsonlines": .ndjson, "table": .text,
                "plain": .text, "wide": .text, "tsv": .csv, "excel": .csv, "md": .markdown, "yml": .yaml,
            ],
            help: help
        ) { word in
            let name = word.prefix { $0 != "=" }
            guard name.count < word.count, forms.contains(where: { $0.rawValue == name }) else { return nil }
            return "a format without a file, because results go to standard output: -o \(name) >FILE"
        }
    }
}

/// Options for the rows of a command that reads, which are printed as they arrive.
package struct RowOptions: ArgumentDeclarations {
    @Option package var form: OutputForm

    @Flag("--print0", help: "With -o name: end each name with a NUL byte")
    package var isNullTerminated

    /// Creates options for one of these forms, one of which is names only.
    package init(_ forms: [OutputForm]) { _form = Option(output: forms) }

    package func validate() throws {
        if isNullTerminated, form != .name { throw ValidationError("--print0 needs -o name") }
    }

    package var nameEnd: NameEnd { isNullTerminated ? .nul : .line }
}

/// Options for the formats of a list, and the destination of each.
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

    /// Prints a list as a table, an array or lines.
    package func print<Entry: ListEntry>(_ entries: [Entry]) throws { try print(entries, isList: true, text: nil) }

    /// Prints one entry; in the text form, each line has a title, and a value that begins at column `indent`.
    package func show<Entry: ListEntry>(_ entry: Entry, lines: [(String, String)], indent: Int) throws {
        try print([entry], isList: false) { bytes in
            for (title, value) in lines {
                let padding = String(repeating: " ", count: max(1, indent - title.count))
                bytes.append(contentsOf: (title + padding + SafeText.escaping(value) + "\n").utf8)
            }
        }
    }

    private func print<Entry: ListEntry>(_ entries: [Entry], isList: Bool, text: ((inout [UInt8]) -> Void)?) throws {
        var unwritable = 0
        try output.outputs().write { output, bytes in
            if output.form == .text, let text { return text(&bytes) }
            unwritable += ListRenderer.append(
                entries,
                as: output.form,
                isList: isList,
                nameEnd: isNullTerminated ? .nul : .line,
                csv: output.csv,
                width: ProcessEnvironment.tableWidth,
                to: &bytes
            )
        }
        guard unwritable > 0 else { return }
        throw Failure(.inputRejected, NameEnd.refusal(of: unwritable), advice: nil)
    }

    /// Prints a note on standard error, unless output is quiet.
    package func note(_ message: String) { output.quiet.say([message]) }
}

extension ProgressStyle: ArgumentValue {
    /// Shorter intervals would add no information.
    private static let shortestInterval = Duration.milliseconds(100)

    package static var candidates: [String] { ProgressChoice.allCases.map(\.rawValue) }

    package var argumentText: String { choice.rawValue + (interval.map { ":" + $0.argumentText } ?? "") }

    package init(argument word: String) throws(ArgumentExpectation) {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let choice = ProgressChoice(rawValue: parts[0]) else {
            throw ArgumentExpectation("one of " + Self.candidates.joined(separator: ", "))
        }
        self.init(choice)
        guard parts.count == 2 else { return }
        guard choice != .never else { throw ArgumentExpectation("'never' without an interval") }
        let interval = try Duration(argument: parts[1])
        guard interval >= Self.shortestInterval else { throw ArgumentExpectation("an interval of at least 100ms") }
        self.interval = interval
    }
}

/// The option for a command's progress report.
package struct ProgressOptions: OptionSetting {
    package init() {}

    @Option(
        "--progress",
        value: "WHEN[:EVERY]",
        help: """
            Report progress on standard error: auto shows a line on a terminal, and is plain in CI; plain prints a \
            line every 30 s, json an object every second; plain:5s and json:5s set another interval
            """
    )
    package var style = ProgressStyle()
}

/// Options for human-readable text: its colors, its width, and the pager.
package struct TextOptions: OptionSetting {
    package init() {}

    @Option("--color", value: "WHEN", help: "When to color text")
    package var color = ColorChoice.auto

    @Flag("--wide", help: "Do not truncate lines that are wider than the terminal")
    var isWide

    @Flag("--no-pager", help: "Print text directly, without a pager ($FASTCTL_PAGER, $PAGER or less)")
    var isUnpaged

    /// The layout of text on this process's standard output.
    package var layout: TextLayout {
        var layout = TextLayout.standardOutput(color)
        layout.isWide = isWide
        return layout
    }

    /// Returns the pager for text on a terminal; `nil` for other formats, or if no pager is wanted.
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

    /// Returns whether the locale is UTF-8; as in other programs, the first variable that is set decides.
    private static func isUnicode(_ environment: [String: String]) -> Bool {
        let locales = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }
        guard let locale = locales.first(where: { !$0.isEmpty })?.lowercased() else { return false }
        return locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
    }
}

// MARK: Progress

/// The progress display of a command, on standard error, from its beginning to its end.
///
/// A separate thread reads the counts, so the work itself only has to count. Work that ends before the first reading is
/// not shown.
package final class ProgressDisplay: Sendable {
    private let count: @Sendable () -> ProgressCount
    private let manner: ProgressChoice.Manner?
    private let interval: Duration?
    private let state = Mutex(State())

    private struct State {
        var meter = ProgressMeter()
        var isEnded = false
    }

    /// The time at which the first display was created: if a command shows several displays in turn, each of them shows
    /// the total time.
    private static let start = ContinuousClock.now

    /// The interval at which the thread reads the counts.
    private static let tick: UInt32 = 100_000
    /// The time before which nothing is shown, because most commands have ended by then.
    private static let patience = Duration.milliseconds(700)
    private static let plainInterval = Duration.seconds(30)
    private static let jsonInterval = Duration.seconds(1)

    /// Starts showing what `count` returns.
    ///
    /// - Parameters:
    ///   - style: The style that the user has chosen.
    ///   - count: Returns the progress of the command; called on another thread.
    package init(
        _ style: ProgressStyle,
        count: @escaping @Sendable () -> ProgressCount
    ) {
        let environment = ProcessEnvironment.values
        manner = style.choice.manner(
            isTerminal: FileDescriptor.standardError.isTerminal,
            environment: { environment[$0] }
        )
        interval = style.interval
        self.count = count
        _ = Self.start
        guard let manner else { return }
        startThread { [self] in run(manner) }
    }

    /// The time since the command's first display was created.
    package var elapsed: Duration { ContinuousClock.now - Self.start }

    /// Ends the display and removes its line; unless another display follows, this is the last progress report.
    package func finish(isLast: Bool = true) {
        let isFirst = state.withLock { state in
            defer { state.isEnded = true }
            return !state.isEnded
        }
        guard isFirst else { return }
        switch manner {
        case .live: StandardError.clearLine()
        case .json: if isLast { sayObject(isLast: true) }
        case .plain, nil: break
        }
    }

    private func run(_ manner: ProgressChoice.Manner) {
        let interval =
            switch manner {
            case .live: Duration.zero
            case .plain: self.interval ?? Self.plainInterval
            case .json: self.interval ?? Self.jsonInterval
            }
        var due = manner == .live ? Self.patience : elapsed + interval
        while true {
            usleep(Self.tick)
            let time = elapsed
            // The rate is based on the last few seconds, so every reading matters.
            guard let reading = reading(at: time) else { return }
            guard time >= due else { continue }
            switch manner {
            case .live:
                let width = FileDescriptor.standardError.terminalWidth
                let layout = TextLayout(isUnicode: false)
                guard StandardError.showLine(reading.line(columns: width, layout), unless: { self.isEnded }) else {
                    return
                }
            case .plain:
                due = time + interval
                StandardError.say("progress: \(reading.words)")
            case .json:
                due = time + interval
                sayObject(isLast: false)
            }
        }
    }

    private var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Returns the current reading; `nil` if the command has ended.
    private func reading(at time: Duration) -> ProgressReading? {
        let now = count()
        return state.withLock { state in
            state.isEnded ? nil : state.meter.reading(of: now, at: time)
        }
    }

    private func sayObject(isLast: Bool) {
        let (time, now) = (elapsed, count())
        let reading = state.withLock { $0.meter.reading(of: now, at: time) }
        var bytes: [UInt8] = []
        reading.append(to: &bytes, isLast: isLast)
        StandardError.write(String(decoding: bytes, as: UTF8.self))
    }
}
