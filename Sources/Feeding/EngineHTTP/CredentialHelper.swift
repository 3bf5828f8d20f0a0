import ContentFeeding
import Glibc

/// A command that prints credentials.
///
/// It leads a process group. The group ends with the helper, and with this process however that ends: a member of the
/// group waits for the end of a pipe that only this process holds open.
struct CredentialHelper {
    let command: String
    /// Time allowed from start to end.
    var timeLimit = Duration.seconds(30)
    /// What it must print, in words.
    var expectation = CredentialText.forms
    /// Whether nobody is waiting any more, so that the helper is stopped.
    var isCancelled: @Sendable () -> Bool = { false }

    /// Interval between checks of `isCancelled` and of the helper's end while reading, in milliseconds.
    private static let interval = 50.0

    /// What `/bin/sh` runs; the command is its first argument, and descriptor 3 the pipe that ends with us.
    private static let script = """
        (read -r line; kill -s KILL -- "-$$") <&3 >/dev/null &
        exec 3<&-
        exec /bin/sh -c "$1"
        """

    /// Runs the helper and returns its output; what it leaves running is ended.
    ///
    /// It blocks, so the caller provides a separate thread.
    func run() throws(EngineError) -> [UInt8] {
        guard let output = Pipe(), let life = Pipe() else { throw unstarted(errno) }
        let process = try start(writingTo: output.writer, livingWith: life.reader)
        output.closeWriter()
        let (bytes, ending) = read(output.reader, from: process, until: .now + timeLimit)
        // The process is not yet reaped, so no other group has its number.
        kill(-process, SIGKILL)
        var status = Int32(0)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        switch ending {
        case .cancelled:
            throw EngineError(.cancelled, "cancelled before \(CredentialSource.helper(command: command)) ended")
        case .late: throw failure("it did not end within \(timeLimit.components.seconds) s and was stopped")
        case .tooLong: return bytes
        case .ended: break
        }
        let signal = status & 0x7F
        guard signal == 0 else { throw failure("signal \(signal) ended it") }
        guard status == 0 else { throw failure("it failed (status \(status >> 8 & 0xFF))") }
        return bytes
    }

    /// Starts the helper with no signal blocked or ignored, whatever our threads do.
    private func start(writingTo output: Int32, livingWith life: Int32) throws(EngineError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // Our standard input is a list of IDs.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, life, 3)
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let words = ["/bin/sh", "-c", Self.script, "sh", command]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var process = pid_t(0)
        let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments + [nil], environ)
        guard code == 0 else { throw unstarted(code) }
        return process
    }

    private enum Ending { case ended, late, cancelled, tooLong }

    /// Reads the helper's output until the helper ends, or enough of it to exceed the limit.
    ///
    /// The output of what the helper leaves running doesn't count: that may hold the pipe open for ever.
    private func read(
        _ descriptor: Int32,
        from process: pid_t,
        until deadline: ContinuousClock.Instant
    ) -> ([UInt8], Ending) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var isOpen = true
        while bytes.count <= CredentialText.maximumByteCount {
            // Asked first: what it wrote before its end is then in the pipe.
            let hasEnded = hasEnded(process)
            let left = (deadline - .now) / .milliseconds(1)
            if isCancelled() { return (bytes, .cancelled) }
            guard left > 0 else { return (bytes, .late) }
            guard isOpen else {
                if hasEnded { return (bytes, .ended) }
                usleep(2_000)
                continue
            }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, hasEnded ? 0 : Int32(min(left, Self.interval)) + 1) > 0 else {
                if hasEnded { return (bytes, .ended) }
                continue
            }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 { bytes += buffer.prefix(count) } else { isOpen = false }
        }
        return (bytes, .tooLong)
    }

    /// Returns whether the process has ended; it stays to be reaped.
    private func hasEnded(_ process: pid_t) -> Bool {
        var end = siginfo_t()
        return waitid(P_PID, id_t(process), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_signo == SIGCHLD
    }

    private func unstarted(_ code: Int32) -> EngineError {
        failure("it can't be run: \(String(cString: strerror(code)))")
    }

    private func failure(_ problem: String) -> EngineError {
        EngineError(
            .permission,
            "can't get credentials from \(CredentialSource.helper(command: command)): \(problem)",
            advice: "run it by hand: it must print \(expectation)"
        )
    }
}

/// A pipe that closes when it goes away, and that no other process inherits by accident.
private final class Pipe {
    let reader: Int32
    private(set) var writer: Int32

    /// `nil`, with `errno` set, if the system gives none.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
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
