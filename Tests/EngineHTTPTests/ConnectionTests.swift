import ContentFeeding
import Foundation
import Glibc
import HTTPClient
import TestSupport
import Testing

@testable import EngineHTTP

@Suite(.timeLimit(.minutes(1)))
struct ConnectionTests {
    /// A closed port of the loopback.
    private static func closedPort() throws -> NodeAddress { try node(Socket.listening().port) }

    private static func node(_ port: UInt16, path: String = "") -> NodeAddress {
        NodeAddress(scheme: .http, host: "127.0.0.1", port: Int(port), path: path)
    }

    private static func server(_ answer: String = "ok") throws -> ScriptedServer {
        try ScriptedServer { client, _ in while client.nextRequest() != nil { client.answer(answer) } }
    }

    private static func connection(
        to nodes: [NodeAddress],
        _ change: (inout ConnectionOptions) -> Void = { _ in }
    ) async throws -> EngineConnection {
        var options = ConnectionOptions()
        options.requestTimeout = .seconds(20)
        change(&options)
        return try await EngineConnection(to: nodes, options: options)
    }

    private static let batch = EngineRequest(.post, EnginePath("_bulk"), body: Array("body".utf8))
    private static let reading = EngineRequest(.get, EnginePath())

    private static func failure(
        of request: EngineRequest,
        on connection: EngineConnection
    ) async -> EngineFailure? {
        do throws(EngineFailure) {
            _ = try await connection.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test func requestsGoToNodesInTurn() async throws {
        let servers = [try Self.server(), try Self.server(), try Self.server()]
        let connection = try await Self.connection(to: servers.map { Self.node($0.port) })
        for _ in 0..<9 { _ = try await connection.send(Self.batch) }
        #expect(servers.map(\.count.requests) == [3, 3, 3])
    }

    @Test func aNodeThatRefusesIsPassedOver() async throws {
        let server = try Self.server()
        let connection = try await Self.connection(to: [Self.closedPort(), Self.node(server.port)])
        for _ in 0..<4 { #expect(try await connection.send(Self.batch).node.port == Int(server.port)) }
        #expect(server.count.requests == 4)
    }

    @Test func whenAllRefuseTheLastIsNamedAndNothingWasSent() async throws {
        let connection = try await Self.connection(to: [Self.closedPort(), Self.closedPort()])
        let failure = try #require(await Self.failure(of: Self.batch, on: connection))
        #expect(failure.isNotSent && failure.cause.reason == .connectionRefused)
    }

    @Test func aBatchThatMayHaveArrivedGoesNowhereElse() async throws {
        let lost = try ScriptedServer { client, _ in _ = client.nextRequest() }
        let other = try Self.server()
        let connection = try await Self.connection(to: [Self.node(lost.port), Self.node(other.port)])
        let failure = try #require(await Self.failure(of: Self.batch, on: connection))
        #expect(!failure.isNotSent && failure.node.port == Int(lost.port))
        #expect(lost.count.requests == 1 && other.count.requests == 0)
        // The next one does: the first node rests.
        #expect(try await connection.send(Self.batch).node.port == Int(other.port))
        #expect(try await connection.send(Self.batch).node.port == Int(other.port))
    }

    @Test func aReadingRequestIsAskedElsewhere() async throws {
        let lost = try ScriptedServer { client, _ in _ = client.nextRequest() }
        let other = try Self.server()
        let connection = try await Self.connection(to: [Self.node(lost.port), Self.node(other.port)])
        #expect(try await connection.send(Self.reading).node.port == Int(other.port))
    }

    @Test func aReadingRequestIsAskedElsewhereWhenANodeHangs() async throws {
        let silent = try ScriptedServer { client, _ in while client.nextRequest() != nil {} }
        let other = try Self.server()
        let connection = try await Self.connection(to: [Self.node(silent.port), Self.node(other.port)])
        var request = Self.reading
        request.timeout = .seconds(2)
        #expect(try await connection.send(request).node.port == Int(other.port))
    }

    @Test(arguments: [502, 503, 504])
    func aNodeWithoutAServerIsPassedOverByReaders(status: Int) async throws {
        let sick = try ScriptedServer { client, _ in
            while client.nextRequest() != nil { client.send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n") }
        }
        let other = try Self.server()
        let nodes = [Self.node(sick.port), Self.node(other.port)]
        #expect(try await Self.connection(to: nodes).send(Self.reading).status == 200)
        #expect(try await Self.connection(to: nodes).send(Self.batch).status == status)
    }

    @Test func aCancelledRequestGoesNowhereElse() async throws {
        let silent = try ScriptedServer { client, _ in while client.nextRequest() != nil {} }
        let other = try Self.server()
        let connection = try await Self.connection(to: [Self.node(silent.port), Self.node(other.port)])
        let sending = Task { await Self.failure(of: Self.reading, on: connection)?.cause.reason }
        while silent.count.requests == 0 { try await Task.sleep(for: .milliseconds(1)) }
        sending.cancel()
        #expect(await sending.value == .cancelled)
        #expect(other.count.requests == 0)
    }

    @Test func aRequestThatLastsTooLongEnds() async throws {
        let silent = try ScriptedServer { client, _ in while client.nextRequest() != nil {} }
        let connection = try await Self.connection(to: [Self.node(silent.port)])
        var request = Self.batch
        request.timeout = .milliseconds(200)
        let failure = try #require(await Self.failure(of: request, on: connection))
        #expect(failure.cause.reason == .timedOut && !failure.isNotSent)
    }

    @Test func aTargetWithoutNodesIsRefused() async throws {
        await #expect(throws: EngineError.self) { try await Self.connection(to: []) }
    }

    @Test func theNodesPathStandsBeforeEveryRequests() async throws {
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() { client.answer(String(request.prefix { $0 != "\r\n" })) }
        }
        let connection = try await Self.connection(to: [Self.node(server.port, path: "/solr")])
        let reply = try await connection.send(EngineRequest(.get, EnginePath("a b").with("q", "c&d")))
        #expect(String(decoding: reply.body, as: UTF8.self) == "GET /solr/a%20b?q=c%26d HTTP/1.1")
    }

    @Test func aRedirectIsNotFollowed() async throws {
        let other = try Self.server()
        let server = try ScriptedServer.replying(
            "HTTP/1.1 307 Go\r\nLocation: \(other.url)\r\nContent-Length: 0\r\n\r\n"
        )
        let connection = try await Self.connection(to: [Self.node(server.port)])
        let reply = try await connection.send(Self.reading)
        #expect(reply.status == 307 && reply.location == other.url && other.count.connections == 0)
    }

    @Test(arguments: [
        ("7", Duration.seconds(7)), ("99999999999", nil), ("-1", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil),
    ])
    func onlySecondsToWaitAreUnderstood(text: String, pause: Duration?) async throws {
        let server = try ScriptedServer.replying("HTTP/1.1 429 No\r\nRetry-After: \(text)\r\nContent-Length: 0\r\n\r\n")
        let connection = try await Self.connection(to: [Self.node(server.port)])
        #expect(try await connection.send(Self.batch).retryAfter == pause)
    }

    // MARK: Credentials

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
        let connection = try await Self.connection(to: [Self.node(server.port)]) {
            $0.credentials = .file(path: path)
        }
        try "Bearer new".write(toFile: path, atomically: false, encoding: .utf8)
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await connection.send(Self.batch).status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(try await connection.send(Self.batch).status == 200)
        #expect(await connection.keeper?.current.number == 1)
    }

    @Test func aHelperIsAskedOncePerRefusal() async throws {
        let server = try Self.guarded("Bearer never")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let log = folder.path("log")
        let connection = try await Self.connection(to: [Self.node(server.port)]) {
            $0.credentials = .helper(command: "echo x >>'\(log)'; echo Bearer same")
        }
        let reply = try await connection.send(Self.batch)
        #expect(reply.status == 401 && server.count.requests == 1)
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "x\nx\n")
        let error = EngineError(.refused(reply, nil))
        #expect(error.code == .permission && error.message.contains("the helper 'echo"))
        #expect(error.advice == "make the helper print the right ones")
    }

    @Test func wrongCredentialsAreSentTwiceAtMost() async throws {
        let server = try Self.guarded("Bearer never")
        let connection = try await Self.connection(to: [Self.node(server.port)]) {
            $0.credentials = .helper(command: "echo Bearer $$")
        }
        #expect(try await connection.send(Self.batch).status == 401)
        #expect(server.count.requests == 2)
    }

    @Test func credentialsThatAreNotThereEndIt() async throws {
        let error = await #expect(throws: EngineError.self) {
            try await Self.connection(to: [Self.closedPort()]) { $0.credentials = .file(path: "/nonexistent/file") }
        }
        #expect(error?.code == .permission)
    }

    // MARK: Proxies and compression

    @Test func theEnvironmentsProxyIsUsedButNotForThisMachine() async throws {
        await #expect(processExitsWith: .success) {
            let proxy = try ScriptedServer { client, _ in
                while let request = client.nextRequest() { client.answer(String(request.prefix { $0 != "\r\n" })) }
            }
            setenv("http_proxy", proxy.url, 1)
            setenv("no_proxy", "spared.invalid", 1)
            let far = NodeAddress(scheme: .http, host: "far.invalid", port: 9200)
            let reply = try await Self.connection(to: [far]).send(Self.reading)
            #expect(String(decoding: reply.body, as: UTF8.self) == "GET http://far.invalid:9200/ HTTP/1.1")
            let server = try Self.server("near")
            let near = try await Self.connection(to: [Self.node(server.port)]).send(Self.reading)
            #expect(String(decoding: near.body, as: UTF8.self) == "near")
            let direct = try await Self.connection(to: [far]) { $0.proxy = .none }
            #expect(await Self.failure(of: Self.reading, on: direct)?.isNotSent == true)
            let spared = try await Self.connection(to: [NodeAddress(scheme: .http, host: "spared.invalid", port: 9200)])
            #expect(await Self.failure(of: Self.reading, on: spared)?.isNotSent == true)
            #expect(proxy.count.requests == 1)
        }
    }

    @Test(arguments: [(1_023, false), (1_024, true)])
    func largeBodiesAreCompressedOnTheirWay(size: Int, isCompressed: Bool) async throws {
        let (requests, arrival) = AsyncStream.makeStream(of: String.self)
        let proxy = try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                arrival.yield(request)
                client.answer()
            }
        }
        let far = NodeAddress(scheme: .http, host: "far.invalid", port: 9200)
        let connection = try await Self.connection(to: [far]) { $0.proxy = .url(proxy.url) }
        _ = try await connection.send(EngineRequest(.post, EnginePath(), body: [UInt8](repeating: 120, count: size)))
        let request = try #require(await requests.first { _ in true })
        #expect(request.contains("Content-Encoding: gzip") == isCompressed)
        #expect(request.contains("Accept-Encoding: gzip"))
    }

    @Test func nothingIsCompressedOnThisMachine() async throws {
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() { client.answer(request.contains("gzip") ? "gzip" : "plain") }
        }
        let connection = try await Self.connection(to: [Self.node(server.port)])
        let reply = try await connection.send(
            EngineRequest(.post, EnginePath(), body: [UInt8](repeating: 120, count: 9_000))
        )
        #expect(String(decoding: reply.body, as: UTF8.self) == "plain")
    }
}

extension ScriptedServer {
    /// A server that answers the first request of each connection with these bytes, and closes.
    static func replying(_ bytes: String) throws -> ScriptedServer {
        try ScriptedServer { client, _ in
            if client.nextRequest() != nil { client.send(bytes) }
        }
    }
}
