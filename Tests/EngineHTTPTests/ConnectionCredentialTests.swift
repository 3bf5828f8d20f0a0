import ContentFeeding
import Foundation
import Glibc
import HTTPClient
import TestSupport
import Testing

@testable import EngineHTTP

/// Credentials on their way to a server that asks for them.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionCredentialTests {
    /// Lets in who brings this header; counts as the `ScriptedServer` does.
    private static func guarded(_ authorization: String) throws -> ScriptedServer {
        try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                let isIn = request.contains("\r\nAuthorization: \(authorization)\r\n")
                client.send("HTTP/1.1 \(isIn ? 200 : 401) Said\r\nContent-Length: 0\r\n\r\n")
            }
        }
    }

    @Test func newCredentialsAreReadOnceAfterARefusal() async throws {
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

    @Test func aHelperIsAskedOncePerRefusal() async throws {
        let server = try Self.guarded("Bearer never")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let log = folder.path("log")
        let connection = try await Connections.connection(to: [Connections.node(server.port)]) {
            $0.credentials = .helper(command: "echo x >>'\(log)'; echo Bearer same")
        }
        let reply = try await connection.send(Connections.batch)
        #expect(reply.status == 401 && server.count.requests == 1)
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "x\nx\n")
        let error = EngineError(.refused(reply, nil))
        #expect(error.code == .permission && error.message.contains("the helper 'echo'"))
        #expect(error.advice == "make the helper print the right ones")
    }

    @Test func wrongCredentialsAreSentTwiceAtMost() async throws {
        let server = try Self.guarded("Bearer never")
        let connection = try await Connections.connection(to: [Connections.node(server.port)]) {
            $0.credentials = .helper(command: "echo Bearer $$")
        }
        #expect(try await connection.send(Connections.batch).status == 401)
        #expect(server.count.requests == 2)
    }

    @Test func credentialsThatAreNotThereEndIt() async throws {
        let error = await #expect(throws: EngineError.self) {
            try await Connections.connection(to: [Connections.closedPort()]) {
                $0.credentials = .file(path: "/nonexistent/file")
            }
        }
        #expect(error?.code == .permission)
    }
}
