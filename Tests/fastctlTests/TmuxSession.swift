import Foundation
import TestSupport
import Testing

/// A terminal of a fixed size that runs a shell, as a user would.
final class TmuxSession {
    private let folder: TemporaryFolder
    private var socket: String { folder.path("tmux") }

    /// The path of tmux, if it is installed.
    static let program = ["/usr/bin/tmux", "/usr/local/bin/tmux"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Runs the program without inherited files, because its server would keep the file open that `Process` uses to
    /// detect its end.
    private static let script = """
        for file in /proc/self/fd/*; do file=${file##*/}; [ "$file" -le 2 ] || eval "exec $file>&-"; done
        exec "$0" "$@"
        """

    /// Starts a shell in the folder, whose prompt is `$ `.
    init(columns: Int, lines: Int, in folder: TemporaryFolder, environment: [String: String] = [:]) throws {
        self.folder = folder
        let binary = try #require(ChildProgram.fastctl).deletingLastPathComponent().path
        var variables = [
            "PATH": "\(binary):/usr/bin:/bin", "HOME": folder.path(""), "LC_ALL": "C.UTF-8", "PS1": "$ ",
        ]
        variables.merge(environment) { $1 }
        let settings = variables.map { "\($0.key)=\($0.value)" }
        try run(
            ["-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(lines)", "-s", "test"]
                + ["-c", folder.path(""), "env", "-i", "TERM=screen-256color"] + settings + ["/bin/sh"]
        )
    }

    deinit { _ = try? run(["kill-server"]) }

    /// Types a line, including its line end.
    func enter(_ line: String) throws {
        try run(["send-keys", "-t", "test", "-l", line])
        try press("Enter")
    }

    /// Types characters.
    func type(_ text: String) throws { try run(["send-keys", "-t", "test", "-l", text]) }

    /// Presses keys by tmux's names: `Enter`, `Escape`, `C-c`, `Down`.
    func press(_ keys: String...) throws { try run(["send-keys", "-t", "test"] + keys) }

    func resize(columns: Int, lines: Int) throws {
        try run(["resize-window", "-t", "test", "-x", "\(columns)", "-y", "\(lines)"])
    }

    /// Returns the contents of the screen: its lines, without trailing spaces.
    func screen() throws -> String { try run(["capture-pane", "-p", "-t", "test"]) }

    /// Waits until the screen shows a text, and returns the screen; the time limit detects programs that hang.
    @discardableResult
    func wait(
        for text: String,
        without unwanted: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(60)
        var screen = ""
        while .now < deadline {
            screen = try self.screen()
            if screen.contains(text), unwanted.map({ !screen.contains($0) }) ?? true { return screen }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("the screen never showed '\(text)':\n\(screen)", sourceLocation: sourceLocation)
        throw CancellationError()
    }

    @discardableResult
    private func run(_ words: [String]) throws -> String {
        let result = try ChildProgram.run(
            "/bin/bash",
            ["-c", Self.script, try #require(Self.program), "-S", socket] + words,
            in: folder.path(""),
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": folder.path("")]
        )
        return result.output
    }
}
