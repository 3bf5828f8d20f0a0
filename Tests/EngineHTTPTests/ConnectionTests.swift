import ContentFeeding
import Foundation
import Glibc
import HTTPClient
import TestSupport
import Testing

@testable import EngineHTTP

@Suite(.timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test func requestsGoToNodesInTurn() async throws {
        let servers = [try Connections.server(), try Connections.server(), try Connections.server()]
        let connection = try await Connections.connection(to: servers.map { Connections.node($0.port) })
        for _ in 0..<9 { _ = try await connection.send(Connections.batch) }
        #expect(servers.map(\.count.requests) == [3, 3, 3])
    }

    @Test func aNodeThatRefusesIsPassedOver() async throws {
        let server = try Connections.server()
        let connection = try await Connections.connection(to: [Connections.closedPort(), Connections.node(server.port)])
        for _ in 0..<4 { #expect(try await connection.send(Connections.batch).node.port == Int(server.port)) }
        #expect(server.count.requests == 4)
    }

    @Test func whenAllRefuseTheLastIsNamedAndNothingWasSent() async throws {
        let connection = try await Connections.connection(to: [Connections.closedPort(), Connections.closedPort()])
        let failure = try #require(await Connections.failure(of: Connections.batch, on: connection))
        #expect(failure.isNotSent && failure.cause.reason == .connectionRefused)
    }

    @Test func aBatchThatMayHaveArrivedGoesNowhereElse() async throws {
        let lost = try ScriptedServer { client, _ in _ = client.nextRequest() }
        let other = try Connections.server()
        let connection = try await Connections.connection(to: [
            Connections.node(lost.port), Connections.node(other.port),
        ])
        let failure = try #require(await Connections.failure(of: Connections.batch, on: connection))
        #expect(!failure.isNotSent && failure.node.port == Int(lost.port))
        #expect(lost.count.requests == 1 && other.count.requests == 0)
        // The next one does, in turn.
        #expect(try await connection.send(Connections.batch).node.port == Int(other.port))
    }

    @Test func aReadingRequestIsAskedElsewhere() async throws {
        let lost = try ScriptedServer { client, _ in _ = client.nextRequest() }
        let other = try Connections.server()
        let connection = try await Connections.connection(to: [
            Connections.node(lost.port), Connections.node(other.port),
        ])
        #expect(try await connection.send(Connections.reading).node.port == Int(other.port))
    }

    @Test func aReadingRequestIsAskedElsewhereWhenANodeHangs() async throws {
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
    func aNodeWithoutAServerIsPassedOverByReaders(status: Int) async throws {
        let sick = try ScriptedServer { client, _ in
            while client.nextRequest() != nil { client.send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n") }
        }
        let other = try Connections.server()
        let nodes = [Connections.node(sick.port), Connections.node(other.port)]
        #expect(try await Connections.connection(to: nodes).send(Connections.reading).status == 200)
        #expect(try await Connections.connection(to: nodes).send(Connections.batch).status == status)
    }

    @Test func aCancelledRequestGoesNowhereElse() async throws {
        let silent = try ScriptedServer { client, _ in while client.nextRequest() != nil {} }
        let other = try Connections.server()
        let connection = try await Connections.connection(to: [
            Connections.node(silent.port), Connections.node(other.port),
        ])
        let sending = Task { await Connections.failure(of: Connections.reading, on: connection)?.cause.reason }
        while silent.count.requests == 0 { try await Task.sleep(for: .milliseconds(1)) }
        sending.cancel()
        #expect(await sending.value == .cancelled)
        #expect(other.count.requests == 0)
    }

    @Test func aRequestThatLastsTooLongEnds() async throws {
        let silent = try ScriptedServer { client, _ in while client.nextRequest() != nil {} }
        let connection = try await Connections.connection(to: [Connections.node(silent.port)])
        var request = Connections.batch
        request.timeout = .milliseconds(200)
        let failure = try #require(await Connections.failure(of: request, on: connection))
        #expect(failure.cause.reason == .timedOut && !failure.isNotSent)
    }

    @Test func aTargetWithoutNodesIsRefused() async throws {
        await #expect(throws: EngineError.self) { try await Connections.connection(to: []) }
    }

    @Test func theNodesPathStandsBeforeEveryRequests() async throws {
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() { client.answer(String(request.prefix { $0 != "\r\n" })) }
        }
        let connection = try await Connections.connection(to: [Connections.node(server.port, path: "/solr")])
        let reply = try await connection.send(EngineRequest(.get, EnginePath("a b").with("q", "c&d")))
        #expect(String(decoding: reply.body, as: UTF8.self) == "GET /solr/a%20b?q=c%26d HTTP/1.1")
    }

    @Test func aRedirectIsNotFollowed() async throws {
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
    func onlySecondsToWaitAreUnderstood(text: String, pause: Duration?) async throws {
        let server = try ScriptedServer.replying("HTTP/1.1 429 No\r\nRetry-After: \(text)\r\nContent-Length: 0\r\n\r\n")
        let connection = try await Connections.connection(to: [Connections.node(server.port)])
        #expect(try await connection.send(Connections.batch).retryAfter == pause)
    }
}
