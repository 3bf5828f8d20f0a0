import Glibc
package import TextKit
import Threads

/// Another command of this program in a process of its own, on the same terminal.
package enum CommandProcess {
    /// The end of a command.
    package struct Ending: Sendable {
        /// The exit code; for a signal that asks for the end, the code that stands for it; `nil` after a crash.
        package let code: Int32?
        /// The exit status of a signal that this process received while the command ran; nothing more is to be begun.
        package let interruption: ExitStatus?
    }

    /// Runs a command to its end.
    ///
    /// Each signal to this process reaches the command once, and the command decides how it ends. In the foreground of a
    /// terminal, both processes share a group, to which the terminal sends its signals.
    package static func run(_ words: [String], input: Int32 = STDIN_FILENO) throws(Failure) -> Ending {
        let isShared = isInForeground
        let signals = ForwardedSignals(isShared: isShared)
        let files = input == STDIN_FILENO ? [] : [input, STDOUT_FILENO, STDERR_FILENO]
        let process: ChildProcess
        do {
            process = try ChildProcess(
                "/proc/self/exe",
                ["fastctl"] + words,
                files: files,
                signals: .ours,
                isLeader: !isShared
            )
        } catch {
            signals.end()
            throw Failure(.exhausted, "cannot run the command: \(error)", advice: nil)
        }
        signals.begin(to: process)
        process.waitUntilEnded()
        let signal = signals.end()
        let code: Int32? =
            switch process.waitForEnd() {
            case .status(let code): code
            case .signal(let signal): status(of: signal)?.rawValue
            case .stopped, nil: nil
            }
        return Ending(code: code, interruption: signal.flatMap(status))
    }

    private static func status(of signal: CInt) -> ExitStatus? {
        switch signal {
        case SIGINT: .interrupted
        case SIGTERM, SIGHUP: .terminated
        default: nil
        }
    }

    /// True if this process is in the foreground of a terminal.
    private static var isInForeground: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }
}
