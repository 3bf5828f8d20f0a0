import Foundation
import Glibc
import TestSupport
import Testing

/// Every wait of the program, reached with the real binary, ends on a signal from the system or an operator.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(2)))
struct WaitingTests {
    /// The time for a command that has nothing in flight.
    private static let soon = Duration.seconds(2)

    private static func store(in folder: TemporaryFolder) throws {
        let binary = try #require(ChildProgram.fastctl).path
        try #"{"id":"A"}"#.write(toFile: folder.path("a.jsonl"), atomically: false, encoding: .utf8)
        for words in [["collections", "create", "WebCollection"], ["add", "-c", "WebCollection", "a.jsonl"]] {
            let end = try ChildProgram.run(
                binary,
                words,
                in: folder.path(""),
                environment: RunningCommand.environment(folder)
            )
            try #require(end.status == 0, "\(end.errors)")
        }
    }

    /// The waits of a command that has not sent anything yet, or that only reads.
    enum Wait: CaseIterable {
        case inputPipe, namedPipe, logPipe, namedLogPipe, outputPipe, bothOutputs, lockedStore, lockedStoreRead, helper
        case question, silentServer, silentServerRead, slowServer, slowServerRead
    }

    @Test(arguments: Wait.allCases)
    func `A signal ends every wait of a command that has no requests in flight`(wait: Wait) async throws {
        let folder = try TemporaryFolder()
        try Self.store(in: folder)
        let remove = ["remove", "-c", "WebCollection"]
        switch wait {
        case .inputPipe:
            let command = try RunningCommand(remove, in: folder, input: .silentPipe)
            try await Self.check(command) { $0.readsInput }
        case .namedPipe:
            mkfifo(folder.path("ids"), 0o600)
            let command = try RunningCommand(remove + ["--from", folder.path("ids")], in: folder)
            try await Self.check(command) { $0.holds("ids") }
        case .logPipe:
            let command = try RunningCommand(["logs", "show", "-"], in: folder, input: .silentPipe)
            try await Self.check(command) { $0.readsInput }
        case .namedLogPipe:
            mkfifo(folder.path("a.log"), 0o600)
            let command = try RunningCommand(["diagnose", folder.path("a.log")], in: folder)
            try await Self.check(command) { $0.holds("a.log") }
        case .outputPipe, .bothOutputs:
            try Self.log().write(toFile: folder.path("a.log"), atomically: false, encoding: .utf8)
            let command = try RunningCommand(
                ["logs", "show", "a.log"],
                in: folder,
                output: .silentPipe,
                errors: wait == .bothOutputs ? .standardOutput : .file("errors")
            )
            try await Self.check(command) { $0.hasFilledItsPipe }
        case .lockedStore, .lockedStoreRead:
            let lock = try #require(StoreLock(folder.path("data/fastctl/store.sqlite")))
            let words = wait == .lockedStore ? remove + ["A"] : ["exists", "-c", "WebCollection", "A"]
            let command = try RunningCommand(words, in: folder)
            try await Self.check(command) { $0.holds("data/fastctl/store.sqlite") }
            withExtendedLifetime(lock) {}
        case .helper:
            let command = try RunningCommand(
                remove + ["A", "--target", "opensearch+http://127.0.0.1:1"]
                    + ["--credentials-helper", "echo x >\(folder.path("started")); sleep 1000"],
                in: folder
            )
            try await Self.check(command) { $0.hasWritten("started") }
        case .question:
            let terminal = try #require(Terminal())
            let command = try RunningCommand(
                ["collections", "delete", "WebCollection"],
                in: folder,
                input: .terminal(terminal.device),
                errors: .terminal(terminal.device)
            )
            try await Self.check(command) { _ in terminal.text().contains("to continue:") }
        case .silentServer, .silentServerRead, .slowServer, .slowServerRead:
            let server = try ScriptedServer { client, _ in
                guard client.nextRequest() != nil else { return }
                guard [.slowServer, .slowServerRead].contains(wait) else { return client.waitForEnd() }
                client.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                while client.send(" ".utf8) { usleep(100_000) }
            }
            let words = [.silentServer, .slowServer].contains(wait) ? remove : ["find", "-c", "WebCollection"]
            let command = try RunningCommand(
                words + ["A", "--target", "opensearch+http://127.0.0.1:\(server.port)"],
                in: folder
            )
            try await Self.check(command) { _ in server.count.requests > 0 }
        }
    }

    private static func check(
        _ command: RunningCommand,
        _ isThere: @escaping @Sendable (CommandProbe) -> Bool
    ) async throws {
        try await command.reach(isThere)
        let end = try await command.end(by: SIGTERM)
        #expect(end.status == 143, "\(command.text("errors"))")
        #expect(end.duration < soon, "\(command.text("errors"))")
    }

    /// Rows of a native log, more than fit in a pipe.
    private static func log() -> String {
        (0..<4_000).map { "03/11/2024 11:03:00.20 \tw3wp.exe (0x1790)\t0x0EB8\tA\tB\t8e26\tMedium\tRow \($0)\t\r\n" }
            .joined()
    }

    @Test func `A signal to a command of several contexts ends the one that runs and begins no other`() async throws {
        let folder = try TemporaryFolder()
        let server = try ScriptedServer { client, _ in
            guard client.nextRequest() != nil else { return }
            client.waitForEnd()
        }
        for name in ["a", "b"] {
            let words = ["contexts", "add", name, "--target", "opensearch+http://127.0.0.1:\(server.port)"]
            let end = try ChildProgram.run(
                try #require(ChildProgram.fastctl).path,
                words,
                in: folder.path(""),
                environment: RunningCommand.environment(folder)
            )
            try #require(end.status == 0, "\(end.errors)")
        }
        let command = try RunningCommand(["find", "-c", "web", "--context", "a,b"], in: folder)
        try await Self.check(command) { _ in server.count.requests > 0 }
        #expect(command.text("errors").contains("a: exit code 143") && command.text("errors").contains("b: not begun"))
        #expect(server.count.requests == 1)
    }

    @Test func `A reply in flight is awaited as long as a request may take`() async throws {
        let folder = try TemporaryFolder()
        let server = try ScriptedOpenSearch { line, _ in
            line.contains("_bulk") ? ("", ScriptedOpenSearch.Ending.staysSilent) : nil
        }
        let command = try RunningCommand(
            ["remove", "-c", "web", "A", "--target", "opensearch+http://127.0.0.1:\(server.port)"]
                + ["--request-timeout", "3s"],
            in: folder
        )
        try await command.reach { _ in !server.requests("_bulk").isEmpty }
        let end = try await command.end(by: SIGTERM)
        #expect(end.status == 143)
        #expect(end.duration < .seconds(13))
        #expect(command.text("errors").contains("1 operation in flight"))
    }

    /// The limit on a clean end: ten seconds after the last activity, regardless of the cause of the delay.
    @Test func `An orderly exit is limited in time if the output is not read`() async throws {
        let folder = try TemporaryFolder()
        try Self.store(in: folder)
        let ids = (0..<50_000).map { "document-\($0)\n" }.joined()
        try ids.write(toFile: folder.path("ids"), atomically: false, encoding: .utf8)
        let command = try RunningCommand(
            ["remove", "-c", "WebCollection", "--from", "ids", "--busy-timeout", "10ms", "--missing", "ignore"],
            in: folder,
            output: .silentPipe
        )
        try await command.reach { $0.hasFilledItsPipe }
        let end = try await command.end(by: SIGTERM)
        #expect(end.status == 143)
        #expect(end.duration > .seconds(9) && end.duration < .seconds(15))
        #expect(command.text("errors").contains("stopped, because finishing cleanly took too long"))
        #expect(command.text("errors").contains("run it again"))
    }

    @Test func `A hangup signal that the parent process ignores does not end a feed`() async throws {
        let folder = try TemporaryFolder()
        try Self.store(in: folder)
        let command = try RunningCommand(
            ["remove", "-c", "WebCollection"],
            in: folder,
            input: .silentPipe,
            through: #"trap '' HUP; exec "$0" "$@""#
        )
        try await command.reach { $0.readsInput }
        // A second signal would end it immediately, with the exit code of the first signal: 143.
        command.send(SIGHUP)
        let end = try await command.end(by: SIGINT)
        #expect(end.status == 130)
        #expect(!command.text("errors").contains("stopped at once"))
    }

    @Test func `A command waits a limited time for settings that another process is changing`() async throws {
        let folder = try TemporaryFolder()
        let settings = folder.path(".config/fastctl")
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        let holder = open(settings, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(holder) }
        #expect(flock(holder, LOCK_EX) == 0)
        let command = try RunningCommand(["contexts", "add", "web", "--target", "solr+http://localhost:1"], in: folder)
        #expect(try await command.status() == 75)
        #expect(command.text("errors").contains("another process has been changing the settings"))
    }

    @Test func `A pipe in place of a certificate file is refused`() throws {
        let folder = try TemporaryFolder()
        mkfifo(folder.path("ca.pem"), 0o600)
        let end = try ChildProgram.run(
            try #require(ChildProgram.fastctl).path,
            ["find", "-c", "web", "x", "--target", "solr+https://127.0.0.1:1", "--ca-file", folder.path("ca.pem")],
            in: folder.path(""),
            environment: RunningCommand.environment(folder)
        )
        #expect(end.status == 78)
        #expect(end.errors.contains("it is a pipe or a device"))
    }
}

/// The lock of a process that writes to a store, as seen by all other processes.
private final class StoreLock {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        // SQLite's locks are on these bytes.
        var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 1 << 30, l_len: 512, l_pid: 0)
        guard fcntl(descriptor, F_SETLK, &lock) == 0 else { return nil }
    }

    deinit { close(descriptor) }
}
