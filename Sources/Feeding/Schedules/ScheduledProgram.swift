import Files
import Glibc
import Synchronization
import TextKit
import Threads

/// A program run by a schedule, with its command line, its environment and its time limit.
///
/// The program leads a separate process group, which is ended when the program ends, and also when this process ends
/// for any reason. The command line is not interpreted by a shell.
package struct ScheduledProgram: Sendable {
    /// The program and its arguments; the program is found by ``find(_:in:besides:)``.
    package var command: [String]
    package var environment: [String: String]
    /// The folder in which the program runs.
    package var folder: String
    /// The time after which the program's group receives `SIGTERM`; `nil` for no limit.
    package var timeout: Duration?
    /// The time between `SIGTERM` and `SIGKILL`.
    package var patience = Duration.seconds(10)
    /// The files for the program's standard input and output; `nil` means no input, or output that is combined with
    /// standard error.
    package var input: String?
    package var output: String?
    /// The maximum memory of each of the program's processes, and the maximum size of a file that it writes, in bytes;
    /// `nil` for no limit.
    package var memory: Int?
    package var fileBytes: Int?
    /// A function called on a thread of the run with the data that the program writes to the pipe: its standard error,
    /// and its standard output unless that is written to a file.
    package var note: (@Sendable (ArraySlice<UInt8>) -> Void)?

    package init(_ command: [String], environment: [String: String], folder: String, timeout: Duration?) {
        (self.command, self.environment, self.folder, self.timeout) = (command, environment, folder, timeout)
    }

    /// The result of a run.
    package struct Result: Sendable, Hashable {
        package enum Ending: Sendable, Hashable {
            /// The program exited with this exit code.
            case exit(Int32)
            /// The program was ended by a signal that this process did not send.
            case signal(Int32)
            /// The program exceeded its time limit and was stopped.
            case timeout
            /// The program was stopped because the caller canceled the run.
            case cancelled
            /// The program could not be started.
            case unstarted(String)
        }

        package var ending: Ending
        /// The last lines of the program's output and errors, with unsafe characters escaped.
        package var output: String
    }

    // MARK: Finding programs

    /// Returns the path of a program's executable file; `nil` if there is none.
    ///
    /// A name without a slash is looked up first in the folder of the server's own program, and then in `PATH`; a
    /// relative path is resolved against the folder in which the program will run.
    package static func find(
        _ name: String,
        in folder: String,
        besides own: String?,
        path: String? = getenv("PATH").flatMap { String(validatingCString: $0) }
    ) -> String? {
        guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
        if name.contains("/") {
            let file = name.hasPrefix("/") ? name : "\(folder)/\(name)"
            return isProgram(file) ? file : nil
        }
        let folders = (own.map { [$0] } ?? []) + (path ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
        return folders.map { "\($0)/\(name)" }.first(where: isProgram)
    }

    /// The folder that contains this process's program.
    package static var ownFolder: String? {
        FileLink.target(of: "/proc/self/exe").map { $0.split(separator: "/").dropLast().map { "/\($0)" }.joined() }
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    // MARK: Running

    /// Runs the program until its end; if the task is canceled, the program is stopped as if it had exceeded its time
    /// limit.
    package func run() async -> Result {
        let isCancelled = Flag()
        return await withTaskCancellationHandler {
            await onOwnThread { run(until: isCancelled) }
        } onCancel: {
            isCancelled.value.store(true, ordering: .relaxed)
        }
    }

    private final class Flag: Sendable { let value = Atomic(false) }

    private func run(until isCancelled: Flag) -> Result {
        let (output, group): (Int32, ChildGroup)
        do throws(SystemRefusal) {
            (output, group) = try start()
        } catch {
            return Result(ending: .unstarted(error.description), output: "")
        }
        defer { close(output) }
        var last = LastLines()
        let stop = wait(for: group, isCancelled, reading: output, into: &last)
        // Any processes that the program has left running are ended now.
        let ending: Result.Ending =
            switch group.end() {
            case .status(let code): .exit(code)
            case .signal(let number): .signal(number)
            case .stopped: .signal(SIGKILL)
            }
        return Result(ending: stop ?? ending, output: last.text)
    }

    /// Starts the program; returns our end of the pipe for its output and errors.
    private func start() throws(SystemRefusal) -> (output: Int32, group: ChildGroup) {
        let source = try file(input ?? "/dev/null", O_RDONLY)
        defer { close(source) }
        let pipe = try pipeEnds()
        defer { close(pipe.writer) }
        do throws(SystemRefusal) {
            let drain = try output.map { path throws(SystemRefusal) in try file(path, O_WRONLY | O_CREAT | O_TRUNC) }
            defer { if let drain { close(drain) } }
            let group = try ChildGroup(
                command,
                in: folder,
                environment: environment,
                memory: memory,
                fileBytes: fileBytes,
                streams: (input: source, output: drain ?? pipe.writer, errors: pipe.writer)
            )
            return (pipe.reader, group)
        } catch {
            close(pipe.reader)
            throw error
        }
    }

    private func file(_ path: String, _ flags: Int32) throws(SystemRefusal) -> Int32 {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemRefusal(code: errno) }
        return descriptor
    }

    /// Reads output until the process has ended, and stops the process when its time is up; returns the reason if it
    /// was stopped.
    private func wait(
        for group: ChildGroup,
        _ isCancelled: Flag,
        reading descriptor: Int32,
        into last: inout LastLines
    ) -> Result.Ending? {
        let started = ContinuousClock.now
        var stopped: (reason: Result.Ending, at: ContinuousClock.Instant)?
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var isOpen = true
        while true {
            // The state is checked first, so any output written before the process ended is already in the pipe.
            let hasEnded = group.hasEnded
            let now = ContinuousClock.now
            if let stopped {
                if now - stopped.at >= patience { group.send(signal: SIGKILL) }
            } else if isCancelled.value.load(ordering: .relaxed) || timeout.map({ now - started >= $0 }) == true {
                stopped = (isCancelled.value.load(ordering: .relaxed) ? .cancelled : .timeout, now)
                if !hasEnded { group.send(signal: SIGTERM) }
            }
            var poll = pollfd(fd: isOpen ? descriptor : -1, events: Int16(POLLIN), revents: 0)
            // Output, and the end of output, wake the loop immediately; other conditions are checked several times a
            // second.
            let milliseconds: Int32 = hasEnded ? 0 : isOpen ? 100 : 10
            if Glibc.poll(&poll, 1, milliseconds) > 0 {
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    last.append(buffer[..<count])
                    note?(buffer[..<count])
                } else {
                    isOpen = false
                }
            } else if hasEnded {
                return stopped?.reason
            }
            // A program that has ended may have left a process running that writes forever.
            if hasEnded, !isOpen || now - started > .seconds(1) && stopped != nil { return stopped?.reason }
        }
    }
}

// MARK: - Output

/// The last lines of an output of any length.
package struct LastLines: Sendable {
    /// The maximum number of bytes and the maximum number of lines that are kept.
    package static let maximumBytes = 8 << 10
    package static let maximumLines = 40

    private var bytes: [UInt8] = []
    private var isCut = false

    package init() {}

    package mutating func append(_ more: ArraySlice<UInt8>) {
        bytes += more
        // The buffer is truncated rarely, so each byte is moved at most a few times.
        if bytes.count > 16 * Self.maximumBytes { cut() }
    }

    private mutating func cut() {
        guard bytes.count > Self.maximumBytes else { return }
        bytes.removeFirst(bytes.count - Self.maximumBytes)
        isCut = true
    }

    /// The lines, with characters that control a terminal or the direction of text escaped; a missing beginning is
    /// shown as `…`.
    package var text: String {
        var kept = self
        kept.cut()
        var lines = String(decoding: kept.bytes, as: UTF8.self).unicodeScalars.split(
            omittingEmptySubsequences: false,
            whereSeparator: { $0 == "\n" }
        )
        if lines.last?.isEmpty == true { lines.removeLast() }
        let isShortened = kept.isCut || lines.count > Self.maximumLines
        var text = isShortened ? "…\n" : ""
        // The first line of truncated text may be incomplete.
        for line in lines.dropFirst(kept.isCut && lines.count > 1 ? 1 : 0).suffix(Self.maximumLines) {
            for scalar in line { text.append(safe: scalar) }
            text += "\n"
        }
        return text
    }
}

extension String {
    /// Appends a character; a character that controls a terminal or the direction of text is appended as an escape.
    fileprivate mutating func append(safe scalar: Unicode.Scalar) {
        switch scalar.properties.generalCategory {
        case .control where scalar == "\t": unicodeScalars.append(scalar)
        case .control where scalar == "\r": break
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
            self += "\\u{\(String(scalar.value, radix: 16))}"
        default: unicodeScalars.append(scalar)
        }
    }
}
