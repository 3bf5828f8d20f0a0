import ContentFeeding
import Foundation
import Glibc
import HTTPClient
import TestSupport
import Testing

@testable import EngineHTTP

@Suite(.timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test func `Requests are sent to the nodes in turn`() async throws {
        let servers = [try Connections.server(), try Connections.server(), try Connections.server()]
        let connection = try await Connections.connection(to: servers.map { Connections.node($0.port) })
        for _ in 0..<9 { _ = try await connection.send(Connections.batch) }
        #expect(servers.map(\.count.requests) == [3, 3, 3])
    }

    @Test func `A node that refuses connections is skipped`() async throws {
        let server = try Connections.server()
        let connection = try await Connections.connection(to: [Connections.closedPort(), Connections.node(server.port)])
        for _ in 0..<4 { #expect(try await connection.send(Connections.batch).node.port == Int(server.port)) }
        #expect(server.count.requests == 4)
    }

    @Test func `If all nodes refuse, the error names the last one, and nothing was sent`() async throws {
        let connection = try await Connections.connection(to: [Connections.closedPort(), Connections.closedPort()])
        let failure = try #require(await Connections.failure(of: Connections.batch, on: connection))
        #expect(failure.isNotSent && failure.cause.reason == .connectionRefused)
    }

    @Test func `A batch that may have arrived is not sent to another node`() async throws {
        let lost = try ScriptedServer { client, _ in _ = client.nextRequest() }
        let other = try Connections.server()
        let connection = try await Connections.connection(to: [
            Connections.node(lost.port), Connections.node(other.port),
        ])
        let failure = try #require(await Connections.failure(of: Connections.batch, on: connection))
        #expect(!failure.isNotSent && failure.node.port == Int(lost.port))
        #expect(lost.count.requests == 1 && other.count.requests == 0)
        // The next request is sent to this node, because nodes take turns.
        #expect(try await connection.send(Connections.batch).node.port == Int(other.port))
    }

    @Test func `A read request is sent to another node`() async throws {
        let lost = try ScriptedServer { client, _ in _ = client.nextRequest() }
        let other = try Connections.server()
        let connection = try await Connections.connection(to: [
            Connections.node(lost.port), Connections.node(other.port),
        ])
        #expect(try await connection.send(Connections.reading).node.port == Int(other.port))
    }

    @Test func `A node's answer that it can't serve a request is kept if no other node can be reached`() async throws {
        let busy = try ScriptedServer { client, _ in
            while client.nextRequest() != nil { client.send("HTTP/1.1 503 Red\r\nContent-Length: 3\r\n\r\nred") }
        }
        let connection = try await Connections.connection(to: [Connections.node(busy.port), Connections.closedPort()])
        let reply = try await connection.send(Connections.reading)
        #expect(reply.status == 503 && reply.node.port == Int(busy.port) && busy.count.requests == 1)
    }

    @Test func `A read request is sent to another node if the first node hangs`() async throws {
        let silent = try ScriptedServer { client, _ in while client.nextRequest() != nil {} }
        let other = try Connections.server()
        let connection = try await Connections.connection(to: [
            Connections.node(silent.port), Connections.node(other.port),
        ])
        var request = Connections.reading
        request.timeout = .seconds(6)
        #expect(try await connection.send(request).node.port == Int(other.port))
    }

    @Test(arguments: [502, 503, 504])
    func `Read requests skip a proxy without a server`(status: Int) async throws {
        let sick = try ScriptedServer { client, _ in
            while client.nextRequest() != nil { client.send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n") }
        }
        let other = try Connections.server()
        let nodes = [Connections.node(sick.port), Connections.node(other.port)]
        #expect(try await Connections.connection(to: nodes).send(Connections.reading).status == 200)
        #expect(try await Connections.connection(to: nodes).send(Connections.batch).status == status)
    }

    @Test func `A canceled request is not sent to another node`() async throws {
        let silent = try ScriptedServer { client, _ in while client.nextRequest() != nil {} }
        let other = try Connections.server()
        let connection = try await Connections.connection(to: [
            Connections.node(silent.port), Connections.node(other.port),
        ])
        let sending = Task { await Connections.failure(of: Connections.reading, on: connection)?.cause.reason }
        try await silent.received(1)
        sending.cancel()
        #expect(await sending.value == .cancelled)
        #expect(other.count.requests == 0)
    }

    @Test func `A request that takes too long is aborted`() async throws {
        let silent = try ScriptedServer { client, _ in while client.nextRequest() != nil {} }
        let connection = try await Connections.connection(to: [Connections.node(silent.port)])
        var request = Connections.batch
        request.timeout = .milliseconds(200)
        let failure = try #require(await Connections.failure(of: request, on: connection))
        #expect(failure.cause.reason == .timedOut && !failure.isNotSent)
    }

    @Test func `A target without nodes is refused`() async throws {
        await #expect(throws: EngineError.self) { try await Connections.connection(to: []) }
    }

    @Test func `The node's path is prepended to the path of every request`() async throws {
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() { client.answer(String(request.prefix { $0 != "\r\n" })) }
        }
        let connection = try await Connections.connection(to: [Connections.node(server.port, path: "/solr")])
        let reply = try await connection.send(EngineRequest(.get, EnginePath("a b").with("q", "c&d")))
        #expect(String(decoding: reply.body, as: UTF8.self) == "GET /solr/a%20b?q=c%26d HTTP/1.1")
    }

    @Test func `A redirect is not followed`() async throws {
        let other = try Connections.server()
        let server = try ScriptedServer.replying(
            "HTTP/1.1 307 Go\r\nLocation: \(other.url)\r\nContent-Length: 0\r\n\r\n"
        )
        let connection = try await Connections.connection(to: [Connections.node(server.port)])
        let reply = try await connection.send(Connections.reading)
        #expect(reply.status == 307 && reply.location == other.url && other.count.connections == 0)
    }

    @Test(arguments: [
        ("7", Duration.seconds(7)), ("99999999999", nil), ("-1", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil),
    ])
    func `Only a Retry-After header in seconds is respected`(text: String, pause: Duration?) async throws {
        let server = try ScriptedServer.replying("HTTP/1.1 429 No\r\nRetry-After: \(text)\r\nContent-Length: 0\r\n\r\n")
        let connection = try await Connections.connection(to: [Connections.node(server.port)])
        #expect(try await connection.send(Connections.batch).retryAfter == pause)
    }
}

/// Proxies and compression between client and server.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionProxyTests {
    @Test func `The environment's proxy is used, but not for the local machine`() async throws {
        await #expect(processExitsWith: .success) {
            let proxy = try ScriptedServer { client, _ in
                while let request = client.nextRequest() { client.answer(String(request.prefix { $0 != "\r\n" })) }
            }
            setenv("http_proxy", proxy.url, 1)
            setenv("no_proxy", "spared.invalid", 1)
            let far = NodeAddress(scheme: .http, host: "far.invalid", port: 9200)
            let reply = try await Connections.connection(to: [far]).send(Connections.reading)
            #expect(String(decoding: reply.body, as: UTF8.self) == "GET http://far.invalid:9200/ HTTP/1.1")
            let server = try Connections.server("near")
            let near = try await Connections.connection(to: [Connections.node(server.port)]).send(Connections.reading)
            #expect(String(decoding: near.body, as: UTF8.self) == "near")
            let direct = try await Connections.connection(to: [far]) { $0.proxy = .none }
            #expect(await Connections.failure(of: Connections.reading, on: direct)?.isNotSent == true)
            let spared = try await Connections.connection(to: [
                NodeAddress(scheme: .http, host: "spared.invalid", port: 9200)
            ])
            #expect(await Connections.failure(of: Connections.reading, on: spared)?.isNotSent == true)
            #expect(proxy.count.requests == 1)
        }
    }

    @Test(arguments: [(1_023, false), (1_024, true)])
    func `Large request bodies are compressed`(size: Int, isCompressed: Bool) async throws {
        let (requests, arrival) = AsyncStream.makeStream(of: String.self)
        let proxy = try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                arrival.yield(request)
                client.answer()
            }
        }
        let far = NodeAddress(scheme: .http, host: "far.invalid", port: 9200)
        let connection = try await Connections.connection(to: [far]) { $0.proxy = .url(proxy.url) }
        _ = try await connection.send(EngineRequest(.post, EnginePath(), body: [UInt8](repeating: 120, count: size)))
        let request = try #require(await requests.first { _ in true })
        #expect(request.contains("Content-Encoding: gzip") == isCompressed)
        #expect(request.contains("Accept-Encoding: gzip"))
    }

    @Test func `A server that can't decompress receives no compressed request`() async throws {
        let far = NodeAddress(scheme: .http, host: "far.invalid", port: 8983, path: "/solr")
        let request = EngineRequest(.post, EnginePath("update"), body: [UInt8](repeating: 120, count: 9_000))
        for inflates in [true, false] {
            let connection = try await Connections.connection(to: [far]) { $0.compressesRequests = inflates }
            let sent = connection.httpRequest(request, to: far, timeLimits: HTTPConfiguration.TimeLimits())
            #expect(sent.headers.contains(HTTPHeader("Content-Encoding", "gzip")) == inflates)
            #expect((sent.body == request.body) == !inflates)
        }
    }

    @Test func `Requests to a server on the local machine are not compressed`() async throws {
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() { client.answer(request.contains("gzip") ? "gzip" : "plain") }
        }
        let connection = try await Connections.connection(to: [Connections.node(server.port)])
        let reply = try await connection.send(
            EngineRequest(.post, EnginePath(), body: [UInt8](repeating: 120, count: 9_000))
        )
        #expect(String(decoding: reply.body, as: UTF8.self) == "plain")
    }
}

/// The code that tests of connections have in common.
enum Connections {
    /// Returns a closed port of the loopback interface.
    static func closedPort() throws -> NodeAddress { try node(Socket.refusingPort()) }

    static func node(_ port: UInt16, path: String = "") -> NodeAddress {
        NodeAddress(scheme: .http, host: "127.0.0.1", port: Int(port), path: path)
    }

    static func server(_ answer: String = "ok") throws -> ScriptedServer {
        try ScriptedServer { client, _ in while client.nextRequest() != nil { client.answer(answer) } }
    }

    static func connection(
        to nodes: [NodeAddress],
        _ change: (inout ConnectionOptions) -> Void = { _ in }
    ) async throws -> EngineConnection {
        var options = ConnectionOptions()
        options.requestTimeout = .seconds(20)
        change(&options)
        return try await EngineConnection(to: nodes, options: options)
    }

    static let batch = EngineRequest(.post, EnginePath("_bulk"), body: Array("body".utf8))
    static let reading = EngineRequest(.get, EnginePath())

    static func failure(of request: EngineRequest, on connection: EngineConnection) async -> NoReply? {
        do throws(NoReply) {
            _ = try await connection.send(request)
            return nil
        } catch {
            return error
        }
    }
}

extension ScriptedServer {
    /// Returns a server that sends these bytes in response to the first request of each connection, and then closes it.
    static func replying(_ bytes: String) throws -> ScriptedServer {
        try ScriptedServer { client, _ in
            if client.nextRequest() != nil { client.send(bytes) }
        }
    }
}

struct EnginePathTests {
    @Test(arguments: [
        (EnginePath(), "/"), (EnginePath("_bulk"), "/_bulk"),
        (EnginePath("a/b ü%", "x?y#z"), "/a%2Fb%20%C3%BC%25/x%3Fy%23z"), (EnginePath("..", "."), "/%2E%2E/%2E"),
        (EnginePath("a.b"), "/a.b"),
        (EnginePath("a").with("q", "x&y=z").with("f", "b,c"), "/a?q=x%26y%3Dz&f=b,c"),
    ])
    func `Characters in names can't change the structure of a path`(path: EnginePath, text: String) {
        #expect(path.description == text)
    }
}
