import ContentFeeding
import Foundation
import Glibc
import HTTPClient
import TestSupport
import Testing
import Threads

@testable import EngineHTTP

@Suite(.timeLimit(.minutes(1)))
struct CredentialTests {
    private static let source = CredentialSource.file(path: "/etc/secret")

    @Test(arguments: [
        ("admin:Admin-pass-1\n", HTTPCredentials.basic(user: "admin", password: "Admin-pass-1")),
        ("admin: a:b ü \r\n", .basic(user: "admin", password: " a:b ü ")),
        ("Bearer eyJ.x-y_z=\n", .bearer(token: "eyJ.x-y_z=")), ("bearer t", .bearer(token: "t")),
        ("ApiKey VnVhQ2Z==", .apiKey("VnVhQ2Z==")), ("APIKEY k", .apiKey("k")),
        ("Bearer:x", .basic(user: "Bearer", password: "x")),
    ])
    func `Three forms of credentials are recognized`(text: String, credentials: HTTPCredentials) throws {
        #expect(try CredentialText.credentials(Array(text.utf8), from: Self.source).proof == .sent(credentials))
    }

    @Test(arguments: [
        Array("".utf8), Array("\n".utf8), Array("hunter2".utf8), Array(":hunter2".utf8), Array("admin:".utf8),
        Array("a:hunter2\nb:c".utf8), Array("a:hunter2\u{0}x".utf8), Array("a:hunter2\u{85}x".utf8),
        Array("Bearer ".utf8), Array("Bearer hunter2 x".utf8), Array("ApiKey hunter2\u{e9}".utf8),
        Array("a:hunter2".utf8) + [0xFF], Array("a:hunter2".utf8) + [UInt8](repeating: 120, count: 16 << 10),
    ])
    func `Credentials in any other form are refused and not quoted`(bytes: [UInt8]) throws {
        let error = try #require(throws: EngineError.self) {
            try CredentialText.credentials(bytes, from: Self.source)
        }
        #expect(error.code == .permission && error.message.contains("'/etc/secret'"))
        #expect(error.advice?.contains("user:password") == true)
        #expect(!"\(error)\(error.advice ?? "")".contains("hunter2"))
    }

    @Test(arguments: [
        "Bearer t\nexpires: 2026-11-23T15:00:00Z\n", "Bearer t\r\nExpires: 2026-11-23T16:00:00+01:00\r\n",
    ])
    func `Credentials may state their expiry`(text: String) throws {
        let found = try CredentialText.credentials(Array(text.utf8), from: Self.source)
        #expect(found.proof == .sent(.bearer(token: "t")) && found.end?.stamp == "20261123T150000Z")
    }

    @Test(arguments: ["Bearer hunter2\nexpires: soon", "Bearer hunter2\nexpires: 2026-11-23T15:00:00Z\nx"])
    func `An expiry that is not a time is refused`(text: String) throws {
        let error = try #require(throws: EngineError.self) {
            try CredentialText.credentials(Array(text.utf8), from: Self.source)
        }
        #expect(error.code == .permission && error.advice?.contains("expires: 2026") == true)
        #expect(!error.message.contains("hunter2"))
    }

    @Test(arguments: [0o600, 0o400])
    func `Credentials are read from a private file`(mode: Int) async throws {
        let (folder, path) = try Self.file("admin:secret\n", mode: mode)
        defer { folder.remove() }
        #expect(
            try await CredentialSource.file(path: path).load().proof == .sent(.basic(user: "admin", password: "secret"))
        )
    }

    @Test(arguments: [0o644, 0o604, 0o602, 0o660])
    func `A file that others can read is refused`(mode: Int) async throws {
        let (folder, path) = try Self.file("admin:secret\n", mode: mode)
        defer { folder.remove() }
        let error = await Self.error(of: .file(path: path))
        #expect(error?.code == .permission && error?.advice?.contains("chmod 600 '\(path)'") == true)
        #expect(error?.message.contains(path) == true && error?.message.contains("secret\n") == false)
    }

    @Test(arguments: ["/nonexistent/file", "/", "/dev/zero"])
    func `Anything but a regular file is refused`(path: String) async throws {
        let error = await Self.error(of: .file(path: path))
        #expect(error?.code == .permission && error?.message.contains(path) == true && error?.advice != nil)
    }

    @Test func `A credential file that is too large is not read completely`() async throws {
        let (folder, path) = try Self.file("", mode: 0o600)
        defer { folder.remove() }
        truncate(path, 1 << 40)
        #expect(await Self.error(of: .file(path: path))?.message.contains("longer than 16384 bytes") == true)
    }

    @Test func `Credentials are read from an environment variable`() async throws {
        await #expect(processExitsWith: .success) {
            setenv("SOME_SECRET", "Bearer t", 1)
            let found = try await CredentialSource.environment(variable: "SOME_SECRET").load()
            #expect(found.proof == .sent(.bearer(token: "t")))
            #expect(await Self.error(of: .environment(variable: "OTHER"))?.message.contains("OTHER") == true)
        }
    }

    @Test(arguments: [
        ("echo Bearer t", HTTPCredentials.bearer(token: "t")), ("cat; echo a:b", .basic(user: "a", password: "b")),
        ("echo warning >&2; printf 'a:b'", .basic(user: "a", password: "b")),
    ])
    func `Credentials are read from the output of a helper`(command: String, credentials: HTTPCredentials) async throws
    {
        #expect(try await CredentialSource.helper(command: command).load().proof == .sent(credentials))
    }

    @Test(arguments: [
        ("echo a:secret; exit 3", "failed (status 3)"), ("kill -9 $$", "terminated by signal 9"),
        ("exit 0", "are empty"),
        ("yes a:secret", "longer than 16384 bytes"), ("/nonexistent/helper", "failed (status 127)"),
    ])
    func `The error for a failed helper names the helper`(command: String, words: String) async throws {
        let error = await Self.error(of: .helper(command: command))
        #expect(error?.code == .permission)
        let name = command.prefix { $0 != " " }
        #expect(error?.message.contains(words) == true && error?.message.contains("the helper '\(name)'") == true)
    }

    @Test(arguments: ["sleep 600", "echo a:b; exec >&-; sleep 600", "sleep 600 & wait"])
    func `A helper that does not end is stopped`(command: String) async throws {
        let start = ContinuousClock.now
        let helper = CredentialHelper(command: command, timeLimit: .milliseconds(200))
        let error = await onOwnThread { () -> String in
            do { _ = try helper.run() } catch { return "\(error)" }
            return ""
        }
        #expect(error.contains("did not finish within"))
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test(.timeLimit(.minutes(1)))
    func `A process that a helper leaves running does not delay it, and ends with the helper`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("process")
        // The child holds the helper's standard output open.
        let command = "sleep 600 & echo $! >'\(path)'; echo a:b"
        let start = ContinuousClock.now
        let found = try await CredentialSource.helper(command: command).load()
        #expect(found.proof == .sent(.basic(user: "a", password: "b")))
        #expect(ContinuousClock.now - start < .seconds(20))
        let child = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
        while Self.isRunning(child) { await Task.yield() }
    }

    /// Returns whether a process is running, rather than merely unreaped.
    private static func isRunning(_ process: String) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status.map { !$0.contains(") Z ") } ?? false
    }

    @Test func `A helper is ended when no caller is waiting for it anymore`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("process")
        let task = Task {
            try await CredentialSource.helper(command: "echo $$ >'\(path)'; mv '\(path)' '\(path).id'; sleep 25").load()
        }
        var process: pid_t?
        while process == nil {
            await Task.yield()
            let text = try? String(contentsOfFile: path + ".id", encoding: .utf8)
            process = text.flatMap { pid_t($0.trimmingCharacters(in: .newlines)) }
        }
        task.cancel()
        let error = await #expect(throws: EngineError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(kill(try #require(process), 0) == -1 && errno == ESRCH)
    }

    @Test func `Credentials that were read once are not read again`() async throws {
        let (folder, path) = try Self.file("admin:hunter2\n", mode: 0o600)
        defer { folder.remove() }
        var options = ConnectionOptions()
        options.credentials = .file(path: path)
        try await options.loadCredentials()
        try FileManager.default.removeItem(atPath: path)
        let node = NodeAddress(scheme: .http, host: "127.0.0.1", port: 1)
        let connection = try await EngineConnection(to: [node], options: options)
        #expect(await connection.keeper?.current.proof == .sent(.basic(user: "admin", password: "hunter2")))
        options.credentials = .environment(variable: "NOT_SET_ANYWHERE")
        let others = options
        await #expect(throws: EngineError.self) { _ = try await EngineConnection(to: [node], options: others) }
    }

    @Test func `The description of a credential source contains only its location`() {
        #expect("\(CredentialSource.file(path: "/a"))" == "the file '/a'")
        #expect("\(CredentialSource.environment(variable: "A"))" == "the variable A")
        #expect("\(CredentialSource.helper(command: "pass show x"))" == "the helper 'pass'")
        #expect("\(CredentialSource.helper(command: "TOKEN=hunter2 vault"))" == "the helper 'TOKEN'")
    }

    @Test func `A connection does not print secrets`() async throws {
        let (folder, path) = try Self.file("admin:hunter2\n", mode: 0o600)
        defer { folder.remove() }
        var options = ConnectionOptions()
        options.credentials = .file(path: path)
        options.proxy = .url("http://me:hunter2@proxy.invalid:1/")
        let connection = try await EngineConnection(
            to: [NodeAddress(scheme: .http, host: "127.0.0.1", port: 1)],
            options: options
        )
        var dumped = ""
        dump(connection, to: &dumped)
        dump(options, to: &dumped)
        let version = await connection.keeper?.current
        dump(version, to: &dumped)
        #expect(!"\(dumped)\(connection)\(options)\(String(reflecting: version))".contains("hunter2"))
    }

    static func file(_ text: String, mode: Int) throws -> (TemporaryFolder, String) {
        let folder = try TemporaryFolder()
        let path = folder.path("credentials")
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, mode_t(mode))
        return (folder, path)
    }

    private static func error(of source: CredentialSource) async -> EngineError? {
        do throws(EngineError) {
            _ = try await source.load()
            return nil
        } catch {
            return error
        }
    }
}

/// Credentials sent to a server that requires them.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionCredentialTests {
    /// Accepts requests with this header, and counts them as `ScriptedServer` does.
    private static func guarded(_ authorization: String) throws -> ScriptedServer {
        try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                let isIn = request.contains("\r\nAuthorization: \(authorization)\r\n")
                client.send("HTTP/1.1 \(isIn ? 200 : 401) Said\r\nContent-Length: 0\r\n\r\n")
            }
        }
    }

    @Test func `New credentials are read once after a refusal`() async throws {
        let server = try Self.guarded("Bearer new")
        let (folder, path) = try CredentialTests.file("Bearer old", mode: 0o600)
        defer { folder.remove() }
        let connection = try await Connections.connection(to: [Connections.node(server.port)]) {
            $0.credentials = .file(path: path)
        }
        try "Bearer new".write(toFile: path, atomically: false, encoding: .utf8)
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await connection.send(Connections.batch).status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(try await connection.send(Connections.batch).status == 200)
        #expect(await connection.keeper?.current.number == 1)
    }

    @Test func `A helper is run once per refusal`() async throws {
        let server = try Self.guarded("Bearer never")
        let folder = try TemporaryFolder()
        let log = folder.path("log")
        let connection = try await Connections.connection(to: [Connections.node(server.port)]) {
            $0.credentials = .helper(command: "echo x >>'\(log)'; echo Bearer same")
        }
        let reply = try await connection.send(Connections.batch)
        #expect(reply.status == 401 && server.count.requests == 1)
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "x\nx\n")
        let error = EngineError(.refused(reply, nil))
        #expect(error.code == .permission && error.message.contains("the helper 'echo'"))
        #expect(error.advice == "make the helper print the correct credentials")
    }

    @Test func `Wrong credentials are sent at most twice`() async throws {
        let server = try Self.guarded("Bearer never")
        let connection = try await Connections.connection(to: [Connections.node(server.port)]) {
            $0.credentials = .helper(command: "echo Bearer $$")
        }
        #expect(try await connection.send(Connections.batch).status == 401)
        #expect(server.count.requests == 2)
    }

    @Test func `If the credentials can't be read, the request fails`() async throws {
        let error = await #expect(throws: EngineError.self) {
            try await Connections.connection(to: [Connections.closedPort()]) {
                $0.credentials = .file(path: "/nonexistent/file")
            }
        }
        #expect(error?.code == .permission)
    }
}
