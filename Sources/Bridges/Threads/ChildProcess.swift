import Glibc
import Synchronization

/// A program that this process starts.
package struct ChildProcess: Sendable {
    /// The environment of a program.
    package enum Environment: Sendable {
        /// The environment of this process, with values for variables that are not set in it.
        case ours(defaults: [String: String])
        case only([String: String])
    }

    /// The signals that a program ignores.
    package enum Signals: Sendable {
        /// No signals, whatever the state of our threads.
        case none
        /// The signals that this process ignores.
        case ours
    }

    /// The end of a program.
    package enum Ending: Hashable, Sendable, CustomStringConvertible {
        case status(Int32)
        case signal(Int32)
        /// The program was still running, and was killed.
        case stopped

        /// Reads the status of a process that has ended, as `waitpid` gives it.
        init(status: Int32) {
            let signal = status & 0x7F
            self = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
        }

        package var description: String {
            switch self {
            case .status(let status): "exited with status \(status)"
            case .signal(let signal): "was terminated by signal \(signal)"
            case .stopped: "was stopped"
            }
        }
    }

    /// The number of the process, which no other process has until its end has been collected.
    package let number: Int32

    /// Starts a program with no signal blocked.
    ///
    /// The program is looked up in `PATH` unless its name contains a slash; its arguments begin with the name by which it
    /// is called. Its first descriptors are copies of `files`; without files, it shares ours. A leader begins a process
    /// group of its own; other programs share our terminal and its signals.
    package init(
        _ program: String,
        _ arguments: [String],
        files: [Int32] = [],
        environment: Environment = .ours(defaults: [:]),
        signals: Signals = .none,
        isLeader: Bool = false
    ) throws(SystemRefusal) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // Smaller numbers could be overwritten before they are copied.
        let copies = files.map { fcntl($0, F_DUPFD_CLOEXEC, Int32(files.count)) }
        defer { for copy in copies where copy >= 0 { close(copy) } }
        guard copies.allSatisfy({ $0 >= 0 }) else { throw SystemRefusal(code: errno) }
        for (number, copy) in copies.enumerated() { posix_spawn_file_actions_adddup2(&actions, copy, Int32(number)) }

        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let group = isLeader ? POSIX_SPAWN_SETPGROUP : 0
        let reset = signals == .none ? POSIX_SPAWN_SETSIGDEF : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | group | reset))

        var inherited: [UnsafeMutablePointer<CChar>?] = []
        let own: [String: String]
        switch environment {
        case .only(let values): own = values
        case .ours(let defaults):
            own = defaults.filter { getenv($0.key) == nil }
            while let variable = environ[inherited.count] { inherited.append(variable) }
        }
        let words = arguments.map { strdup($0) }
        let variables = own.map { strdup("\($0)=\($1)") }
        defer { for text in words + variables { free(text) } }
        var number = pid_t(0)
        let code = inheritance.withLock { _ in
            posix_spawnp(&number, program, &actions, &attributes, words + [nil], inherited + variables + [nil])
        }
        guard code == 0 else { throw SystemRefusal(code: code) }
        self.number = number
    }

    /// Waits for the end of the program without collecting it, so that its number stays its own.
    package func waitUntilEnded() {
        var end = siginfo_t()
        while waitid(P_PID, id_t(number), &end, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// Waits for the end of the program, and collects it; `nil` if another thread did.
    package func waitForEnd() -> Ending? {
        var status = Int32(0)
        while waitpid(number, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return Ending(status: status)
    }
}

/// The signals that this process passes on to another one instead of ending.
///
/// A terminal sends its own signals, such as the one of Ctrl-C, to all processes in its foreground group. If both processes
/// belong to it, these signals are not passed on; one that arrives just before ``begin(to:)`` may reach the other twice.
package struct ForwardedSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private static let child = Atomic<pid_t>(0)
    private static let isShared = Atomic(false)
    /// A signal that arrived before the process existed.
    private static let early = Atomic<CInt>(0)
    /// The last signal that arrived.
    private static let last = Atomic<CInt>(0)

    private let former: [(number: CInt, action: sigaction)]

    /// Catches the signals, while an ignored one stays ignored in both processes, as `nohup` intends for SIGHUP.
    ///
    /// `isShared` states whether both processes will share the group in the foreground of a terminal.
    package init(isShared: Bool) {
        Self.isShared.store(isShared, ordering: .sequentiallyConsistent)
        Self.child.store(0, ordering: .sequentiallyConsistent)
        Self.early.store(0, ordering: .sequentiallyConsistent)
        Self.last.store(0, ordering: .sequentiallyConsistent)
        var former: [(number: CInt, action: sigaction)] = []
        for number in Self.numbers {
            var (before, action) = (sigaction(), sigaction())
            guard sigaction(number, nil, &before) == 0, !before.isIgnored else { continue }
            action.__sigaction_handler.sa_sigaction = { number, info, _ in
                let code = errno
                defer { errno = code }
                ForwardedSignals.last.store(number, ordering: .sequentiallyConsistent)
                let isOfTerminal = (info?.pointee.si_code ?? 0) > 0
                let process = ForwardedSignals.child.load(ordering: .sequentiallyConsistent)
                if process == 0 {
                    ForwardedSignals.early.store(number, ordering: .sequentiallyConsistent)
                    ForwardedSignals.sendEarly()
                } else if !(isOfTerminal && ForwardedSignals.isShared.load(ordering: .sequentiallyConsistent)) {
                    kill(process, number)
                }
            }
            action.sa_flags = SA_RESTART | SA_SIGINFO
            sigaction(number, &action, nil)
            former.append((number, before))
        }
        self.former = former
    }

    /// Passes on the signals from now on, and the last one that arrived earlier.
    package func begin(to process: ChildProcess) {
        Self.child.store(process.number, ordering: .sequentiallyConsistent)
        Self.sendEarly()
    }

    /// Passes on the signal that arrived early, once, if the process exists by now.
    private static func sendEarly() {
        let process = child.load(ordering: .sequentiallyConsistent)
        guard process != 0 else { return }
        let signal = early.exchange(0, ordering: .sequentiallyConsistent)
        if signal != 0 { kill(process, signal) }
    }

    /// Restores the former handlers, and returns the last signal that arrived, if any.
    @discardableResult
    package func end() -> CInt? {
        for (number, action) in former {
            var action = action
            sigaction(number, &action, nil)
        }
        let last = Self.last.load(ordering: .sequentiallyConsistent)
        return last == 0 ? nil : last
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

/// Returns the ends of a new pipe, which no ``ChildProcess`` inherits.
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
