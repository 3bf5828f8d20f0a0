import Glibc

/// A running program that leads a process group, which also includes the processes that it starts.
///
/// The group ends when ``end()`` is called, or when this process ends for any reason: a member of the group waits for
/// the end of a pipe that only this process holds open.
package struct ChildGroup: Sendable {
    /// The end of a group's leader.
    package typealias Ending = ChildProcess.Ending

    private let process: ChildProcess
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
        let limits = [(memory, 1_024), (fileBytes, 512)].map { limit, unit in limit.map { "\(max(1, $0 / unit))" } ?? ""
        }
        do {
            process = try ChildProcess(
                "/bin/sh",
                ["/bin/sh", "-c", Self.script, "sh", folder ?? ""] + limits + words,
                files: [streams.input, streams.output, streams.errors, ends.reader],
                environment: environment.map { .only($0) } ?? .ours(defaults: [:]),
                isLeader: true
            )
        } catch {
            close(ends.writer)
            throw error
        }
        life = ends.writer
    }

    /// Whether the leader has ended; it is not reaped yet.
    package var hasEnded: Bool {
        var end = siginfo_t()
        return waitid(P_PID, id_t(process.number), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_signo == SIGCHLD
    }

    /// Sends a signal to the group; no other group can have its number, because its leader is not reaped yet.
    package func send(signal: CInt) { kill(-process.number, signal) }

    /// Kills the remaining processes of the group, only once, and returns how its leader ended.
    ///
    /// `patience` is the time given to a leader that is about to exit before it is killed.
    package func end(after patience: Duration = .zero) -> Ending {
        let deadline = ContinuousClock.now + patience
        while !hasEnded, ContinuousClock.now < deadline { usleep(1_000) }
        let hadEnded = hasEnded
        send(signal: SIGKILL)
        var status = Int32(0)
        while waitpid(process.number, &status, 0) < 0, errno == EINTR {}
        close(life)
        return hadEnded ? Ending(status: status) : .stopped
    }
}
