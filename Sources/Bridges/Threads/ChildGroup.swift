import Glibc
import Synchronization

/// A running program that leads a process group, which also includes the processes that it starts.
///
/// The group ends when ``end()`` is called, or when this process ends for any reason: a member of the group waits for
/// the end of a pipe that only this process holds open.
package struct ChildGroup: Sendable {
    /// The end of a group's leader.
    package enum Ending: Hashable, Sendable, CustomStringConvertible {
        case status(Int32)
        case signal(Int32)
        /// The leader was still running, and was killed.
        case stopped

        package var description: String {
            switch self {
            case .status(let status): "exited with status \(status)"
            case .signal(let signal): "was terminated by signal \(signal)"
            case .stopped: "was stopped"
            }
        }
    }

    private let process: pid_t
    private let life: Int32

    /// The script for `/bin/sh`: its first arguments are the folder, the memory in KiB and the size of a file in blocks of
    /// 512 bytes, each empty for none, and descriptor 3 is the pipe that closes when this process ends.
    ///
    /// The process that watches the pipe is not a child of the program, which may wait for all of its children, and it
    /// survives a `SIGTERM` sent to the group.
    package static let script = """
        (trap '' TERM; (read -r line; kill -s KILL -- "-$$") <&3 >/dev/null 2>&1 &)
        exec 3<&-
        if [ -n "$1" ]; then cd -- "$1" || exit 126; fi
        if [ -n "$2" ]; then ulimit -v "$2" || exit 126; fi
        if [ -n "$3" ]; then ulimit -f "$3" || exit 126; fi
        shift 3
        exec "$@"
        """

    /// Starts a program with no signal blocked or ignored, regardless of the signal state of our threads.
    ///
    /// The first word is the program, which is looked up in `PATH`. Without a folder, the program runs in the current
    /// one, and without an environment, it inherits ours; `memory` limits the address space of each process in the
    /// group, and `fileBytes` the size of a file that it writes, both in bytes.
    package init(
        _ words: [String],
        in folder: String? = nil,
        environment: [String: String]? = nil,
        memory: Int? = nil,
        fileBytes: Int? = nil,
        streams: (input: Int32, output: Int32, errors: Int32)
    ) throws(SystemRefusal) {
        let ends = try pipeEnds()
        defer { close(ends.reader) }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        let files = [streams.input, streams.output, streams.errors, ends.reader]
        // Numbers below 4 could be overwritten before they are copied.
        let copies = files.map { fcntl($0, F_DUPFD_CLOEXEC, 4) }
        defer { for copy in copies where copy >= 0 { close(copy) } }
        guard copies.allSatisfy({ $0 >= 0 }) else {
            let code = errno
            close(ends.writer)
            throw SystemRefusal(code: code)
        }
        for (number, copy) in copies.enumerated() { posix_spawn_file_actions_adddup2(&actions, copy, Int32(number)) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let limits = [(memory, 1_024), (fileBytes, 512)].map { limit, unit in limit.map { "\(max(1, $0 / unit))" } ?? ""
        }
        let arguments: [UnsafeMutablePointer<CChar>?] =
            (["/bin/sh", "-c", Self.script, "sh", folder ?? ""] + limits + words).map { strdup($0) }
        let variables: [UnsafeMutablePointer<CChar>?]? = environment?.map { strdup("\($0)=\($1)") }
        defer { for text in arguments + (variables ?? []) { free(text) } }
        var process = pid_t(0)
        let code = inheritance.withLock { _ in
            guard let variables else {
                return posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments + [nil], environ)
            }
            return posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments + [nil], variables + [nil])
        }
        guard code == 0 else {
            close(ends.writer)
            throw SystemRefusal(code: code)
        }
        (self.process, life) = (process, ends.writer)
    }

    /// Whether the leader has ended; it is not reaped yet.
    package var hasEnded: Bool {
        var end = siginfo_t()
        return waitid(P_PID, id_t(process), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_signo == SIGCHLD
    }

    /// Sends a signal to the group; no other group can have its number, because its leader is not reaped yet.
    package func send(signal: CInt) { kill(-process, signal) }

    /// Kills the remaining processes of the group, only once, and returns how its leader ended.
    ///
    /// `patience` is the time given to a leader that is about to exit before it is killed.
    package func end(after patience: Duration = .zero) -> Ending {
        let deadline = ContinuousClock.now + patience
        while !hasEnded, ContinuousClock.now < deadline { usleep(1_000) }
        let hadEnded = hasEnded
        send(signal: SIGKILL)
        var status = Int32(0)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        close(life)
        guard hadEnded else { return .stopped }
        let signal = status & 0x7F
        return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
    }
}

/// An error because the system refused to create a pipe or start a program.
package struct SystemRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's error number.
    package let code: CInt

    package init(code: CInt) { self.code = code }

    package var description: String { String(cString: strerror(code)) }
}

/// A lock that is held while a program starts, and while a descriptor exists that the program would inherit.
private let inheritance = Mutex<Void>(())

/// Returns the ends of a new pipe, which is not inherited by programs that a ``ChildGroup`` starts.
package func pipeEnds() throws(SystemRefusal) -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    let code = inheritance.withLock { _ in
        guard pipe(&ends) == 0 else { return errno }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return 0
    }
    guard code == 0 else { throw SystemRefusal(code: code) }
    return (ends[0], ends[1])
}
