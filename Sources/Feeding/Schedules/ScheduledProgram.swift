import Files
import Glibc
import Synchronization
import TextKit
import Threads

/// A program of a schedule: its words, its surroundings and its time limit.
///
/// It leads a process group of its own, which ends with it, and with this process, however that ends. No shell
/// interprets the words.
package struct ScheduledProgram: Sendable {
    /// The program and its arguments; the program is found by ``find(_:in:besides:)``.
    package var command: [String]
    package var environment: [String: String]
    /// The folder in which it runs.
    package var folder: String
    /// The time after which its group gets `SIGTERM`; `nil` for none.
    package var timeout: Duration?
    /// The time between `SIGTERM` and `SIGKILL`.
    package var patience = Duration.seconds(10)
    /// The files of its standard input and output; `nil` for no input, and for output that is kept with the errors.
    package var input: String?
    package var output: String?
    /// The bytes of memory that each of its processes may take, and those in a file that it writes; `nil` for any number.
    package var memory: Int?
    package var fileBytes: Int?

    package init(_ command: [String], environment: [String: String], folder: String, timeout: Duration?) {
        (self.command, self.environment, self.folder, self.timeout) = (command, environment, folder, timeout)
    }

    /// The result of a run.
    package struct Result: Sendable, Hashable {
        package enum Ending: Sendable, Hashable {
            /// It ended by itself, with this exit code.
            case exit(Int32)
            /// A signal ended it that was not sent from here.
            case signal(Int32)
            /// It exceeded its time, and was stopped.
            case timeout
            /// The caller wanted no more of it, and it was stopped.
            case cancelled
            /// It could not be started.
            case unstarted(String)
        }

        package var ending: Ending
        /// The last lines of its output and its errors, made safe.
        package var output: String
    }

    // MARK: Finding programs

    /// Returns the file of a program; `nil` if there is none that can be run.
    ///
    /// A name without a slash is looked up in a folder first, that of the server's own program, and then in `PATH`; a
    /// relative path starts at the folder in which the program will run.
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

    /// The folder of the program that runs here.
    package static var ownFolder: String? {
        FileLink.target(of: "/proc/self/exe").map { $0.split(separator: "/").dropLast().map { "/\($0)" }.joined() }
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    // MARK: Running

    /// Runs the program until its end; if the task is cancelled, it is stopped like one that exceeds its time.
    package func run() async -> Result {
        let isCancelled = Flag()
        return await withTaskCancellationHandler {
            await onOwnThread { run(until: isCancelled) }
        } onCancel: {
            isCancelled.value.store(true, ordering: .relaxed)
        }
    }

    private final class Flag: Sendable { let value = Atomic(false) }

    /// The script for `/bin/sh`, whose arguments are a folder and the command.
    ///
    /// Descriptor 3 ends with this process, and then the group is ended. The watch is not a child of the command, which may wait for all of its own.
    static let script = """
        (trap '' TERM; (read -r line; kill -s KILL -- "-$$") <&3 >/dev/null 2>&1 &)
        exec 3<&-
        cd -- "$1" || exit 126
        shift
        exec "$@"
        """

    /// The beginning of the script, which sets the limits; `ulimit -f` counts blocks of 512 bytes.
    private var limits: String {
        (memory.map { "ulimit -v \($0 >> 10)\n" } ?? "") + (fileBytes.map { "ulimit -f \($0 >> 9)\n" } ?? "")
    }

    private func run(until isCancelled: Flag) -> Result {
        guard let program = command.first, let output = Pipe(), let life = Pipe(isSocket: true) else {
            return Result(ending: .unstarted(String(cString: strerror(errno))), output: "")
        }
        let process: pid_t
        switch start(program, writingTo: output.writer, livingWith: life.reader) {
        case .success(let started): process = started
        case .failure(let error): return Result(ending: .unstarted(error.reason), output: "")
        }
        output.closeWriter()
        var last = LastLines()
        let stop = wait(for: process, isCancelled, reading: output.reader, into: &last)
        // The process is not reaped yet, so no other group has its number; what it left running ends here.
        kill(-process, SIGKILL)
        var status = Int32(0)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        let ending: Result.Ending = stop ?? (signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal))
        return Result(ending: ending, output: last.text)
    }

    /// Reads output until the process has ended, and asks it to end when its time is over; returns why, if it was asked.
    private func wait(
        for process: pid_t,
        _ isCancelled: Flag,
        reading descriptor: Int32,
        into last: inout LastLines
    ) -> Result.Ending? {
        let started = ContinuousClock.now
        var stopped: (reason: Result.Ending, at: ContinuousClock.Instant)?
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var isOpen = true
        while true {
            // Asked first: output written before the end is then in the pipe.
            let hasEnded = hasEnded(process)
            let now = ContinuousClock.now
            if let stopped {
                if now - stopped.at >= patience { kill(-process, SIGKILL) }
            } else if isCancelled.value.load(ordering: .relaxed) || timeout.map({ now - started >= $0 }) == true {
                stopped = (isCancelled.value.load(ordering: .relaxed) ? .cancelled : .timeout, now)
                if !hasEnded { kill(-process, SIGTERM) }
            }
            var poll = pollfd(fd: isOpen ? descriptor : -1, events: Int16(POLLIN), revents: 0)
            // Output and the end of it wake at once; the rest is looked at some times a second.
            let milliseconds: Int32 = hasEnded ? 0 : isOpen ? 100 : 10
            if Glibc.poll(&poll, 1, milliseconds) > 0 {
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 { last.append(buffer[..<count]) } else { isOpen = false }
            } else if hasEnded {
                return stopped?.reason
            }
            // A program that has ended may have left another that writes for ever.
            if hasEnded, !isOpen || now - started > .seconds(1) && stopped != nil { return stopped?.reason }
        }
    }

    private struct Refusal: Error { var reason: String }

    /// Starts the program with no signal blocked or ignored, and without files of this process.
    private func start(
        _ program: String,
        writingTo output: Int32,
        livingWith life: Int32
    ) -> Swift.Result<pid_t, Refusal> {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input ?? "/dev/null", O_RDONLY, 0)
        if let file = self.output {
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        } else {
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        }
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        posix_spawn_file_actions_adddup2(&actions, life, 3)
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let words = ["/bin/sh", "-c", limits + Self.script, program, folder] + command
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var process = pid_t(0)
        let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, variables)
        return code == 0 ? .success(process) : .failure(Refusal(reason: String(cString: strerror(code))))
    }

    /// Returns whether the process has ended; it stays to be reaped.
    private func hasEnded(_ process: pid_t) -> Bool {
        var end = siginfo_t()
        return waitid(P_PID, id_t(process), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_signo == SIGCHLD
    }
}

/// A pipe whose ends no other program inherits.
private final class Pipe {
    let reader: Int32
    private(set) var writer: Int32

    /// Creates a pipe; a socket is one that no program inherits even for a moment, but can't be opened as `/dev/stdout`.
    init?(isSocket: Bool = false) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard (isSocket ? socketpair(AF_UNIX, type, 0, &ends) : pipe(&ends)) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        closeWriter()
    }

    func closeWriter() {
        if writer >= 0 { close(writer) }
        writer = -1
    }
}

// MARK: - Output

/// The last lines of an output of any length.
package struct LastLines: Sendable {
    /// The most bytes and lines that are kept.
    package static let maximumBytes = 8 << 10
    package static let maximumLines = 40

    private var bytes: [UInt8] = []
    private var isCut = false

    package init() {}

    package mutating func append(_ more: ArraySlice<UInt8>) {
        bytes += more
        // Cut rarely, so that each byte is moved a few times at most.
        if bytes.count > 16 * Self.maximumBytes { cut() }
    }

    private mutating func cut() {
        guard bytes.count > Self.maximumBytes else { return }
        bytes.removeFirst(bytes.count - Self.maximumBytes)
        isCut = true
    }

    /// The lines, in which no character controls a terminal or the order of letters; `…` begins a text that lacks its
    /// beginning.
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
        // The first of a cut text is a part of a line.
        for line in lines.dropFirst(kept.isCut && lines.count > 1 ? 1 : 0).suffix(Self.maximumLines) {
            for scalar in line { text.append(safe: scalar) }
            text += "\n"
        }
        return text
    }
}

extension String {
    /// Appends a character, or an escape for one that controls a terminal or the order of letters.
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
