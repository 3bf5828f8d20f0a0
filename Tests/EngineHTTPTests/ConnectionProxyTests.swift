import ContentFeeding
import Foundation
import Glibc
import HTTPClient
import TestSupport
import Testing

@testable import EngineHTTP

/// What lies on the way to a server: proxies and compression.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionProxyTests {
    @Test func theEnvironmentsProxyIsUsedButNotForThisMachine() async throws {
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
    func largeBodiesAreCompressedOnTheirWay(size: Int, isCompressed: Bool) async throws {
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

    @Test func whoInflatesNothingIsSentNothingCompressed() async throws {
        let far = NodeAddress(scheme: .http, host: "far.invalid", port: 8983, path: "/solr")
        let request = EngineRequest(.post, EnginePath("update"), body: [UInt8](repeating: 120, count: 9_000))
        for inflates in [true, false] {
            let connection = try await Connections.connection(to: [far]) { $0.compressesRequests = inflates }
            let sent = connection.httpRequest(request, to: far, timeLimits: HTTPConfiguration.TimeLimits())
            #expect(sent.headers.contains(HTTPHeader("Content-Encoding", "gzip")) == inflates)
            #expect((sent.body == request.body) == !inflates)
        }
    }

    @Test func nothingIsCompressedOnThisMachine() async throws {
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
