import HTTPClient
import Synchronization
import TestSupport
import Testing
import Threads

/// HTTPS through a proxy: what it learns, and that nothing is sent twice.
@Suite(.timeLimit(.minutes(1)))
struct TunnelTests {
    @Test func aProxyOnTheWayToTLSLearnsTheHostAndNothingElse() async throws {
        let server = try await TLSTests.server()
        defer { server.stop() }
        let log = Log()
        let proxy = try ScriptedServer { [port = server.port] client, _ in
            guard let head = client.nextHead() else { return }
            log.append(head)
            client.tunnel(to: port)
        }
        var configuration = HTTPConfiguration()
        configuration.tls.authorityFile = server.authority
        configuration.proxy = .url(proxy.url)
        configuration.timeLimits.total = .seconds(10)
        let transport = HTTPTransport(configuration)
        var request = HTTPRequest(.get, server.url, headers: [HTTPHeader("X-Secret", "hunter2")])
        for credentials in [HTTPCredentials.bearer(token: "hunter2"), .basic(user: "a", password: "hunter2")] {
            request.credentials = credentials
            let end = await transport.end(of: request)
            #expect(end == "answered 200")
        }
        #expect(!log.heads.isEmpty)
        for head in log.heads {
            #expect(head.hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n"))
            #expect(!head.contains("hunter2") && !head.contains("Authorization") && !head.contains("X-Secret"))
        }
    }
}

private final class Log: Sendable {
    private let content = Mutex<[String]>([])

    var heads: [String] { content.withLock { $0 } }

    func append(_ head: String) { content.withLock { $0.append(head) } }
}
