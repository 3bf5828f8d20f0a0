import Glibc
package import TextKit
import Threads

/// Another command of this program in a process of its own, on the same terminal.
package enum CommandProcess {
    /// Runs a command to its end and returns its exit code, or that of the signal that ended it; `nil` if it has none,
    /// as after a crash.
    ///
    /// Ctrl-C reaches both processes, and the command decides how it ends; other signals to this process are passed on.
    package static func run(_ words: [String], input: Int32 = STDIN_FILENO) throws(Failure) -> Int32? {
        let signals = ForwardedSignals()
        defer { signals.end() }
        let files = input == STDIN_FILENO ? [] : [input, STDOUT_FILENO, STDERR_FILENO]
        let process: ChildProcess
        do {
            process = try ChildProcess("/proc/self/exe", ["fastctl"] + words, files: files, signals: .ours)
        } catch {
            throw Failure(.exhausted, "cannot run the command: \(error)", advice: nil)
        }
        signals.begin(to: process)
        switch process.waitForEnd() {
        case .status(let code): return code
        case .signal(SIGINT): return ExitStatus.interrupted.rawValue
        case .signal(SIGTERM), .signal(SIGHUP): return ExitStatus.terminated.rawValue
        case .signal, .stopped, nil: return nil
        }
    }
}
