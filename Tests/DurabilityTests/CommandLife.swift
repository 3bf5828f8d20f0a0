import Foundation
import Glibc
import TestSupport
import Testing
import Threads

/// One run of the binary against a server; the run may be killed or stopped midway.
final class CommandLife: Sendable {
    private let program: ChildProgram
    private let folder: TemporaryFolder
    private let name: String

    /// Starts the command in the folder, where its outputs are files named after it.
    ///
    /// If `script` is given, a shell runs it instead; the command is in `"$0" "$@"`.
    init(_ words: [String], as name: String, in folder: TemporaryFolder, script: String? = nil) throws {
        (self.folder, self.name) = (folder, name)
        let binary = try #require(ChildProgram.fastctl).path
        let (output, errors) = (Self.file(folder.path(name + ".out")), Self.file(folder.path(name + ".err")))
        defer { for file in [output, errors] { close(file) } }
        program = try ChildProgram(
            script == nil ? binary : "/bin/bash",
            script.map { ["-c", $0, binary] + words } ?? words,
            in: folder.path(""),
            environment: Self.environment(folder),
            output: output,
            errors: errors
        )
    }

    var process: Int32 { program.process }

    /// Returns the script of a command that reads a file through a pipe.
    static func pipe(from file: String) -> String { #"exec "$0" "$@" < <(cat '\#(file)' 2>&-)"# }

    static func environment(_ folder: TemporaryFolder) -> [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": folder.path(""), "LC_ALL": "C.UTF-8", "TERM": "dumb",
            "XDG_DATA_HOME": folder.path("data"), "XDG_STATE_HOME": folder.path("state"),
        ]
    }

    private static func file(_ path: String) -> Int32 { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }

    var output: String { folder.text(name + ".out") }
    var errors: String { folder.text(name + ".err") }

    /// Whether the command is still running.
    var isRunning: Bool { state.map { $0 != "Z" && $0 != "X" } ?? false }

    /// The system's letter for the command's state, such as `T` for stopped; `nil` if it has ended.
    var state: Character? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
        return text.split(separator: ") ").last?.first
    }

    func send(_ signal: Int32) { _ = Glibc.kill(process, signal) }

    /// Returns once `isMet` is true, the command has ended, or the time is up; returns whether `isMet` was true.
    ///
    /// A separate thread polls, because the condition depends on another process.
    @discardableResult
    func wait(within limit: Duration = .seconds(60), until isMet: @escaping @Sendable () -> Bool) async -> Bool {
        await onOwnThread { [self] in
            let end = ContinuousClock.now + limit
            while ContinuousClock.now < end {
                if isMet() { return true }
                if !isRunning { return isMet() }
                usleep(1_000)
            }
            return false
        }
    }

    /// Kills the command after this time, unless it has already ended.
    func kill(after pause: Duration) async {
        await wait(within: pause) { false }
        send(SIGKILL)
    }

    /// Returns the command's exit code once it has ended; 128 plus the signal's number if a signal ended it.
    func status() async -> Int32 { await onOwnThread { self.program.wait() } }
}

extension TemporaryFolder {
    func text(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
    }

    /// Returns the files in one of its folders.
    func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path(folder))) ?? []).sorted()
    }
}
