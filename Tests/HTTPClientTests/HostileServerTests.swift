import HTTPClient
import TestSupport
import Testing

/// A server that says anything at all gets a value for it: an answer or a failure that says what was sent.
@Suite(.timeLimit(.minutes(1)))
struct HostileServerTests {
    private static let parts = [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/2 200\r\n", "HTTP/1.1 999 X\r\n",
        "HTTP/1.1 -1 X\r\n",
        "Content-Length: 5\r\n", "Content-Length: 99999999999999999999\r\n", "Content-Length: -1\r\n",
        "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Content-Encoding: gzip\r\n",
        "Connection: close\r\n", ": nameless\r\n", "nameless\r\n", " folded\r\n", "\r\n", "\n", "\0", "5\r\nhello\r\n",
        "0\r\n\r\n", "ffffffffffffffff\r\n", "hello", "Retry-After: 9\r\n", "Location: \u{1}\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
    ]

    @Test(arguments: 0..<100 as Range<UInt64>)
    func noReplyIsTooStrange(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...8, using: &generator)
        let opening = Bool.random(using: &generator) ? Self.parts[0] : ""
        let reply = opening + (0..<count).compactMap { _ in Self.parts.randomElement(using: &generator) }.joined()
        let server = try ScriptedServer { client, _ in
            if client.nextRequest() != nil { client.send(reply) }
        }
        var configuration = HTTPConfiguration()
        configuration.timeLimits.total = .seconds(20)
        switch await HTTPTransport(configuration).outcome(of: HTTPRequest(.post, server.url, body: [120])) {
        case .answered(let status): #expect((200...599).contains(status))
        case .failed(let reason, let delivery):
            #expect(delivery == .maybeSent && reason != .timedOut && reason != .cancelled)
        }
        #expect(server.count.requests == 1)
    }
}
