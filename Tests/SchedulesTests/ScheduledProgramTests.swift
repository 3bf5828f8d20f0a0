import Foundation
import Glibc
import TestSupport
import Testing
import Threads

@testable import Schedules

struct ScheduledProgramTests {
    private func program(
        _ script: String,
        timeout: Duration? = nil,
        patience: Duration = .seconds(10)
    ) -> ScheduledProgram {
        var program = ScheduledProgram(
            ["/bin/sh", "-c", script, "sh", "two words", "$HOME"],
            environment: ["PATH": "/usr/bin:/bin", "GREETING": "hello"],
            folder: "/tmp",
            timeout: timeout
        )
        program.patience = patience
        return program
    }

    /// Waits until a process has ended: a killed process may need a moment.
    private func ends(_ process: String) async -> Bool {
        for _ in 0..<3_000 where isAlive(process) { try? await Task.sleep(for: .milliseconds(10)) }
        return !isAlive(process)
    }

    private func isAlive(_ process: String) -> Bool {
        guard let number = Int32(process.trimmingCharacters(in: .whitespacesAndNewlines)) else { return false }
        // A process that has ended, but has not been collected by its parent yet, does not count as running.
        guard let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8) else { return false }
        return status.split(separator: ")").last?.split(separator: " ").first != "Z"
    }

    @Test func `A program gets its arguments unchanged, its variables and its folder, and no input`() async {
        let result = await program("echo \"$1|$2|$GREETING|$(pwd)\"; cat; echo bad >&2; exit 3").run()
        #expect(result == .init(ending: .exit(3), output: "two words|$HOME|hello|/tmp\nbad\n"))
    }

    @Test func `A program does not inherit the pipe whose closing ends it`() async {
        let result = await program("readlink /proc/$$/fd/0 /proc/$$/fd/3").run()
        #expect(result == .init(ending: .exit(1), output: "/dev/null\n"))
    }

    @Test func `A program that hangs gets SIGTERM at its time limit, and can shut down cleanly`() async {
        let result = await program("trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done", timeout: .seconds(1))
            .run()
        #expect(result.ending == .timeout && result.output.hasSuffix("bye\n"))
    }

    @Test func `A program that ignores SIGTERM is killed with all processes that it has started`() async {
        let script = "trap '' TERM; sleep 600 & echo $!; while :; do sleep 0.05; done"
        let result = await program(script, timeout: .milliseconds(500), patience: .milliseconds(300)).run()
        #expect(result.ending == .timeout)
        #expect(!result.output.isEmpty)
        #expect(await ends(result.output))
    }

    @Test func `Processes that a program leaves running are ended with it, even if they hold its output open`() async {
        let started = ContinuousClock.now
        let result = await program("sleep 600 & echo $!").run()
        #expect(result.ending == .exit(0) && !result.output.isEmpty)
        #expect(await ends(result.output))
        #expect(ContinuousClock.now - started < .seconds(300))
    }

    @Test func `A program whose task is canceled is stopped`() async {
        let task = Task { await program("sleep 600").run() }
        try? await Task.sleep(for: .milliseconds(200))
        task.cancel()
        #expect(await task.value.ending == .cancelled)
    }

    @Test func `A program that is ended by a signal counts as failed`() async {
        #expect(await program("kill -9 $$").run().ending == .signal(9))
    }

    @Test func `A program that waits for its children has no other children`() async {
        let wait = "import os\ntry: os.wait()\nexcept ChildProcessError: print(1)"
        let result = await program("sleep 0.1 & wait; exec python3 -c '\(wait)'").run()
        #expect(result == .init(ending: .exit(0), output: "1\n"))
    }

    @Test func `A missing folder is an error, and the program is not run`() async {
        var program = program("echo ran")
        program.folder = "/nonexistent"
        let result = await program.run()
        #expect(result.ending == .exit(126))
        #expect(!result.output.contains("ran\n") && result.output.contains("/nonexistent"))
    }

    @Test func `If a program writes megabytes of output, only the last lines are kept`() async {
        let result = await program("yes 0123456789 | head -n 1800000; echo end").run()
        #expect(result.ending == .exit(0))
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == LastLines.maximumLines + 1 && lines.first == "…" && lines.last == "end")
        #expect(lines[1] == "0123456789")
        #expect(result.output.utf8.count <= LastLines.maximumBytes + 10)
    }

    @Test func `A program's output can't control a terminal`() async {
        let result = await program(#"printf 'a\033[31mb\r\n\342\200\256c\tü\000\377'"#).run()
        #expect(result.output == "a\\u{1b}[31mb\n\\u{202e}c\tü\\u{0}\u{FFFD}\n")
    }

    /// The server may be killed at any time; its programs must not continue without it.
    @Test func `A program ends with the process that started it`() async throws {
        let folder = try TemporaryFolder()
        // This process runs the same script as a server would, and is killed.
        let number = folder.path("number")
        let script =
            "import os,socket,subprocess,sys,time\na,b=socket.socketpair()\n"
            + "subprocess.Popen(['/bin/sh','-c',sys.argv[1],'p','/tmp','','','sh','-c','echo $$ > \(number); sleep 600'],"
            + "preexec_fn=lambda:(os.setpgid(0,0),os.dup2(a.fileno(),3),os.set_inheritable(3,True)),close_fds=False)\ntime.sleep(600)\n"
        let parent = try ChildProgram("python3", ["-c", script, ChildGroup.script])
        var process = ""
        for _ in 0..<3_000 where process.isEmpty {
            process = (try? String(contentsOfFile: number, encoding: .utf8)) ?? ""
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(isAlive(process))
        kill(parent.process, SIGKILL)
        _ = parent.wait()
        #expect(await ends(process))
    }

    @Test func `A program is found next to the server, then in PATH, or by its path`() throws {
        let folder = try TemporaryFolder()
        for name in ["own", "plain", "sh"] {
            _ = FileManager.default.createFile(
                atPath: folder.path(name),
                contents: nil,
                attributes: [.posixPermissions: name == "plain" ? 0o644 : 0o755]
            )
        }
        let own = folder.path("")
        func find(_ name: String) -> String? {
            ScheduledProgram.find(name, in: own, besides: own, path: "/nonexistent:/bin")
        }
        #expect(find("own") == "\(own)/own" && find("sh") == "\(own)/sh" && find("cat") == "/bin/cat")
        #expect(find("./own") == "\(own)/./own" && find("/bin/cat") == "/bin/cat")
        #expect(find("plain") == nil && find("none") == nil && find("./none") == nil && find("") == nil)
        #expect(find("/bin") == nil && find("cat\0") == nil)
    }
}
