import ContentFeeding
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EngineHTTP

/// Signed requests to a server that checks them.
@Suite(.timeLimit(.minutes(1)))
struct SignedConnectionTests {
    private static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

    /// Returns a server that checks each signature with `secret`, and reports its defect.
    private static func checking(_ secret: String = secret, _ head: String = "") throws -> ScriptedServer {
        try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                let problem = SignatureCheck(secret: secret).problem(of: request)
                let body = #"{"message":"\#(problem ?? "right")"}"#
                client.send(
                    "HTTP/1.1 \(problem == nil ? 200 : 403) S\r\n\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
            }
        }
    }

    private static func connection(
        _ server: ScriptedServer,
        path: String = "",
        _ load: @escaping CredentialKeeper.Load
    ) async throws -> EngineConnection {
        let source = CredentialSource.aws(AWSSigning(.instance, region: "eu-central-1"))
        let keeper = try await CredentialKeeper(source, clock: { .now() }, load: load)
        return try await Connections.connection(to: [Connections.node(server.port, path: path)]) {
            $0.credentials = source
            $0.keeper = keeper
        }
    }

    @Test(arguments: [
        EnginePath(), EnginePath("web", "_bulk"), EnginePath("web", "_doc", "a/b ü%2F+?#"),
        EnginePath("a,b", "_search"),
        EnginePath("web", "..", "."), EnginePath("web", "_doc", "100%, *'()~!$&;=@:"),
        EnginePath("web", "_bulk").with("timeout", "50s").with("filter_path", "took,items.*._id").with("q", "a b=ü&+"),
    ])
    func `A server that computes the signature gets the same result`(path: EnginePath) async throws {
        let server = try Self.checking()
        for token in [nil, "TOKEN/+="] {
            let keys = try RequestSignerTests.keys(token: token)
            let connection = try await Self.connection(server, path: "/prefix") { LoadedCredentials(.aws(keys)) }
            for method in [EngineRequest.Method.get, .post, .put, .delete] {
                let body = method == .get ? nil : Array("{\"a\":1}\n".utf8)
                let reply = try await connection.send(EngineRequest(method, path, body: body))
                #expect(reply.status == 200, "\(method) \(path): \(String(decoding: reply.body, as: UTF8.self))")
            }
        }
    }

    @Test func `A different secret produces a different signature`() async throws {
        let server = try Self.checking("other")
        let keys = try RequestSignerTests.keys()
        let connection = try await Self.connection(server) { LoadedCredentials(.aws(keys)) }
        let reply = try await connection.send(Connections.batch)
        #expect(reply.status == 403 && String(decoding: reply.body, as: UTF8.self).contains("another signature"))
        let error = EngineError(.refused(reply, nil))
        #expect(error.code == .permission && error.message.contains("the instance's AWS role"))
    }

    @Test func `Expired keys are read again once for all requests`() async throws {
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                let isNew = request.contains("X-Amz-Security-Token: NEW\r\n")
                let body = isNew ? "{}" : #"{"message":"The security token included in the request is expired"}"#
                client.send("HTTP/1.1 \(isNew ? 200 : 403) S\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
        let reads = ReadCount()
        let (old, new) = (try RequestSignerTests.keys(token: "OLD"), try RequestSignerTests.keys(token: "NEW"))
        let connection = try await Self.connection(server) {
            LoadedCredentials(.aws(reads.next() == 1 ? old : new))
        }
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await connection.send(Connections.batch).status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(reads.value == 2)
    }

    @Test func `A wrong system clock is reported`() async throws {
        let server = try Self.checking("other", "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n")
        let keys = try RequestSignerTests.keys()
        let connection = try await Self.connection(server) { LoadedCredentials(.aws(keys)) }
        let error = EngineError(.refused(try await connection.send(Connections.batch), nil))
        #expect(error.code == .permission && error.message.contains("ahead of the server's"), "\(error)")
        #expect(error.advice?.contains("clock") == true)
    }

    @Test(arguments: ["SECRET/TOKEN=", "plain"])
    func `A token in the text of a refusal is removed`(token: String) async throws {
        let server = try ScriptedServer { client, _ in
            while client.nextRequest() != nil {
                let said = "The Canonical String should have been x-amz-security-token:\(token)"
                let body = #"{"message":"\#(said) \#(said.replacing("/", with: "\\/"))"}"#
                client.send("HTTP/1.1 403 S\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
        let keys = try RequestSignerTests.keys(token: token)
        let connection = try await Self.connection(server) { LoadedCredentials(.aws(keys)) }
        let reply = try await connection.send(Connections.batch)
        let words = EngineError(.refused(reply, nil)).message
        #expect(words.contains("x-amz-security-token:…") && !words.contains(token.prefix(6)), "\(words)")
    }

    @Test func `The region is required`() async throws {
        await #expect(processExitsWith: .success) {
            for name in ["AWS_REGION", "AWS_DEFAULT_REGION", "HOME", "AWS_CONFIG_FILE"] { unsetenv(name) }
            let node = NodeAddress(scheme: .https, host: "search.example.org", port: 443)
            var options = ConnectionOptions()
            options.credentials = .aws(AWSSigning(.environment))
            let without = options
            let error = await #expect(throws: EngineError.self) {
                _ = try await EngineConnection(to: [node], options: without)
            }
            #expect(error?.advice?.contains("--aws-region") == true)
            setenv("AWS_REGION", "us-east-1", 1)
            setenv("AWS_ACCESS_KEY_ID", "A", 1)
            setenv("AWS_SECRET_ACCESS_KEY", "B", 1)
            _ = try await EngineConnection(to: [node], options: without)
        }
    }
}

/// The number of times that a source was read.
final class ReadCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
