import Glibc
import ReportKit
import Synchronization
import TextKit
import Threads

/// The command that shows long text page by page, chosen as in git.
package struct PagerCommand: Hashable, Sendable {
    /// The variable that names the pager; `nil` for the default pager.
    let variable: String?
    let words: String

    /// Returns the pager for an environment: `FASTCTL_PAGER`, `PAGER` or, by default, `less`; `nil` if it is `cat` or
    /// empty, or if the terminal can't move its cursor.
    package init?(environment: [String: String]) {
        let variable = ["FASTCTL_PAGER", "PAGER"].first { environment[$0] != nil }
        let words = variable.flatMap { environment[$0] } ?? "less"
        guard !words.allSatisfy(\.isWhitespace), words != "cat" else { return nil }
        if variable == nil, ["", "dumb"].contains(environment["TERM"] ?? "") { return nil }
        (self.variable, self.words) = (variable, words)
    }

    /// The program and its arguments; if the command contains anything other than plain words, the shell runs it.
    fileprivate var arguments: [String] {
        if isForShell { return ["/bin/sh", "-c", words] }
        return words.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    fileprivate var isForShell: Bool { words.contains { Self.shellSigns.contains($0) } }

    /// The characters with a special meaning in the shell, as in git's `prepare_shell_cmd`, except white space.
    private static let shellSigns = Set("|&;<>()$`\\\"'*?[#~=%\n")

    /// Default settings for `less` and `lv`: exit immediately if the text fits on the screen, keep colors, and leave
    /// the text on the screen.
    fileprivate static let settings = ["LESS": "FRX", "LV": "-c"]
}

/// A running pager, which reads a command's output; further messages wait until it has exited.
///
/// Ctrl-C is sent to both processes: the command ends its output, and exits when the user leaves the pager.
package final class Pager: Sendable {
    /// The pipe that the pager reads.
    let input: FileDescriptor
    private let command: PagerCommand
    private let process: ChildProcess
    /// Whether the output is complete, so that only the pager handles Ctrl-C.
    private let isComplete = Atomic(false)
    private let isInterrupted = Atomic(false)

    /// The shell's exit status for a program that does not exist.
    private static let notFound: Int32 = 127

    private static let shown = Mutex<Pager?>(nil)

    /// Starts the pager on the terminal of standard output; `nil` if it can't be started.
    static func start(_ command: PagerCommand) -> Pager? {
        guard let ends = try? pipeEnds() else { return nil }
        defer { close(ends.reader) }
        let words = command.arguments
        let process = try? ChildProcess(
            words.first ?? "",
            words,
            files: [ends.reader, STDOUT_FILENO, STDERR_FILENO],
            environment: .ours(defaults: PagerCommand.settings)
        )
        guard let process else {
            close(ends.writer)
            return nil
        }
        let pager = Pager(command, input: FileDescriptor(number: ends.writer), process: process)
        shown.withLock { $0 = pager }
        pager.watchSignals()
        return pager
    }

    private init(_ command: PagerCommand, input: FileDescriptor, process: ChildProcess) {
        self.command = command
        self.input = input
        self.process = process
    }

    /// Ends the output of the current pager, if any, and waits until the user leaves the pager.
    package static func finish() { shown.withLock { $0 }?.finish() }

    func finish() {
        guard !isComplete.exchange(true, ordering: .sequentiallyConsistent) else { return }
        endInput()
        let status = process.waitForEnd()
        if status == .status(Self.notFound), command.isForShell {
            let variable = command.variable ?? "PAGER"
            StandardError.say(
                "the pager '\(command.words)' ($\(variable)) cannot be run; use --no-pager to print without it"
            )
        }
        // The thread that received the signal determines how the process ends.
        while isInterrupted.load(ordering: .sequentiallyConsistent) { pause() }
    }

    private func watchSignals() {
        guard let signals = SignalQueue(catching: [SIGINT, SIGTERM, SIGHUP]) else { return }
        startThread { [self] in
            while let signal = signals.next() {
                if signal == SIGINT, isComplete.load(ordering: .sequentiallyConsistent) { continue }
                isInterrupted.store(true, ordering: .sequentiallyConsistent)
                endInput()
                _ = process.waitForEnd()
                StandardError.sayInPassing("interrupted")
                _exit((signal == SIGINT ? ExitStatus.interrupted : .terminated).rawValue)
            }
        }
    }

    /// Closes the pipe by replacing its descriptor, because another thread may be about to write to it.
    private func endInput() {
        let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
        if nothing >= 0 {
            _ = dup2(nothing, input.number)
            close(nothing)
        }
    }
}

/// Shows a manual page on a terminal, formatted by a program of the system.
package enum ManualReader {
    /// A program that formats the source on its standard input.
    private struct Formatter {
        let words: [String]
        let settings: [String: String]

        /// Returns the possible formatters; the first one that works is used.
        static func all(width: Int) -> [Formatter] {
            let columns = "\(width)"
            return [
                // Bold words are kept for the pager.
                Formatter(
                    words: ["man", "-P", "cat", "-l", "-"],
                    settings: ["MANWIDTH": columns, "MAN_KEEP_FORMATTING": "1"]
                ),
                Formatter(words: ["mandoc", "-T", "locale", "-O", "width=\(columns)"], settings: [:]),
            ]
        }
    }

    /// Shows the page; returns `false` if no program can format it.
    package static func show(_ source: String, through pager: PagerCommand?) throws -> Bool {
        for formatter in Formatter.all(width: ProcessEnvironment.width - 2) {
            guard var page = format(source, by: formatter) else { continue }
            try StandardOutput.print(&page, through: pager)
            return true
        }
        return false
    }

    /// Returns the formatted page; `nil` if the program does not exist or fails.
    private static func format(_ source: String, by formatter: Formatter) -> [UInt8]? {
        guard let input = tmpfile(), let output = tmpfile() else { return nil }
        defer {
            fclose(input)
            fclose(output)
        }
        var bytes = Array(source.utf8)
        guard FileDescriptor(number: fileno(input)).write(&bytes) == nil, lseek(fileno(input), 0, SEEK_SET) == 0,
            let nothing = fopen("/dev/null", "we")
        else { return nil }
        defer { fclose(nothing) }
        let process = try? ChildProcess(
            formatter.words[0],
            formatter.words,
            files: [fileno(input), fileno(output), fileno(nothing)],
            environment: .ours(defaults: formatter.settings)
        )
        guard process?.waitForEnd() == .status(0) else { return nil }
        var size = stat()
        guard fstat(fileno(output), &size) == 0, size.st_size > 0, size.st_size <= maximumSize else { return nil }
        var page = [UInt8](repeating: 0, count: Int(size.st_size))
        let count = pread(fileno(output), &page, page.count, 0)
        return count == page.count ? page : nil
    }

    /// The maximum size of a page in bytes, which no page reaches.
    private static let maximumSize = 16 << 20
}
