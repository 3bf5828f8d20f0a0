import ContentFeeding
import Glibc

/// A command that prints credentials.
struct CredentialHelper {
    let command: String
    /// Time allowed from start to end.
    var timeLimit = Duration.seconds(30)
    /// Whether nobody is waiting any more, so that the helper is stopped.
    var isCancelled: @Sendable () -> Bool = { false }

    /// Interval between checks of `isCancelled` while reading, in milliseconds.
    private static let interval = 50.0

    /// Runs the helper and returns its output.
    ///
    /// It blocks, so the caller provides a separate thread.
    func run() throws(EngineError) -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure("it can't be run: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let start = spawn(writingTo: ends[1])
        close(ends[1])
        guard case .success(let process) = start else {
            throw failure("it can't be run: \(String(cString: strerror(start.code)))")
        }
        let deadline = ContinuousClock.now + timeLimit
        let output = read(ends[0], until: deadline)
        if let output, output.count > CredentialText.maximumByteCount {
            stop(process)
            return output
        }
        let status = output == nil ? nil : end(of: process, until: deadline)
        guard let output, let status else {
            stop(process)
            guard !isCancelled() else {
                throw EngineError(.cancelled, "cancelled before \(CredentialSource.helper(command: command)) ended")
            }
            throw failure("it did not end within \(timeLimit.components.seconds) s and was stopped")
        }
        guard status == 0 else { throw failure("it failed (status \(status >> 8 & 0xFF))") }
        return output
    }

    private enum Start {
        case success(pid_t)
        case failure(Int32)

        var code: Int32 { if case .failure(let code) = self { code } else { 0 } }
    }

    /// Starts the helper with no signal blocked or ignored, whatever our threads do.
    ///
    /// It leads its own process group, so that all of it can be stopped.
    private func spawn(writingTo output: Int32) -> Start {
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
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let words: [UnsafeMutablePointer<CChar>?] = ["/bin/sh", "-c", command].map { (word: String) in strdup(word) }
        defer { for word in words { free(word) } }
        var process = pid_t(0)
        let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, words + [nil], environ)
        return code == 0 ? .success(process) : .failure(code)
    }

    /// Reads the helper's output, or enough of it to exceed the limit; `nil` if that takes too long or is cancelled.
    private func read(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count <= CredentialText.maximumByteCount {
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0, !isCancelled() else { return nil }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, Int32(min(left, Self.interval)) + 1) > 0 else { continue }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count <= 0 { return bytes }
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    /// Waits for the helper to end and returns its `waitpid` status; `nil` if it runs too long or is cancelled.
    private func end(of process: pid_t, until deadline: ContinuousClock.Instant) -> Int32? {
        var status = Int32(0)
        while waitpid(process, &status, WNOHANG) != process {
            guard ContinuousClock.now < deadline, !isCancelled() else { return nil }
            usleep(2_000)
        }
        return status
    }

    private func stop(_ process: pid_t) {
        kill(-process, SIGKILL)
        var status = Int32(0)
        waitpid(process, &status, 0)
    }

    private func failure(_ problem: String) -> EngineError {
        EngineError(
            .permission,
            "can't get credentials from \(CredentialSource.helper(command: command)): \(problem)",
            advice: "run it by hand: it must print \(CredentialText.forms)"
        )
    }
}
