import Glibc
package import TextKit
import Threads

/// Another command of this program in a process of its own, on the same terminal.
package enum CommandProcess {
    /// Runs a command to its end and returns its exit code; `nil` if a signal ended it.
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
        return process.waitForEnd()
    }
}
