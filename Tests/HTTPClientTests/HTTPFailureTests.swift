import Foundation
import HTTPClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FailureTests {
    private let transport = HTTPTransport()

    @Test func `If the connection is refused, the failure reports that nothing was sent`() async throws {
        let port = try Socket.refusingPort()
        let request = HTTPRequest(.post, "http://127.0.0.1:\(port)/", body: [120])
        #expect(await transport.outcome(of: request) == .failed(.connectionRefused, .notSent))
    }

    @Test(arguments: [
        ("", HTTPFailure.Reason.connectionLost),
        ("HTTP/1.1 200 OK\r\nContent-Le", .malformedResponse),
        ("HTTP/1.1 200 OK\r\n\r\nno length, so no end", .malformedResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", .connectionLost),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", .connectionLost),
        ("SSH-2.0-OpenSSH_9.2\r\n", .malformedResponse),
    ])
    func `An incomplete or malformed reply is not accepted`(reply: String, reason: HTTPFailure.Reason) async throws {
        let server = try ScriptedServer.replying(reply)
        let request = HTTPRequest(.post, server.url, body: [120])
        #expect(await transport.outcome(of: request) == .failed(reason, .maybeSent))
        #expect(server.count.requests == 1)
    }

    @Test func `A reply that exceeds a size limit fails`() async throws {
        var configuration = HTTPConfiguration()
        configuration.limits.responseBodyBytes = 1_000
        configuration.limits.responseHeaderBytes = 1_000
        let narrow = HTTPTransport(configuration)
        let filler = String(repeating: "x", count: 1_001)
        let body = try ScriptedServer.replying("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + filler)
        let head = try ScriptedServer.replying("HTTP/1.1 200 OK\r\nX-Filler: \(filler)\r\nContent-Length: 0\r\n\r\n")
        #expect(await narrow.outcome(of: HTTPRequest(.get, body.url)) == .failed(.responseTooLarge, .maybeSent))
        #expect(await narrow.outcome(of: HTTPRequest(.get, head.url)) == .failed(.responseTooLarge, .maybeSent))
    }

    @Test func `A request in flight can be canceled`() async throws {
        let server = try ScriptedServer.silent()
        let sending = Task { await transport.outcome(of: HTTPRequest(.post, server.url, body: [120])) }
        try await server.received(1)
        sending.cancel()
        #expect(await sending.value == .failed(.cancelled, .maybeSent))
        try await server.closed(1)
    }

    @Test func `A canceled task sends no request`() async throws {
        let server = try ScriptedServer.silent()
        let sending = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await transport.outcome(of: HTTPRequest(.post, server.url, body: [120]))
        }
        #expect(await sending.value == .failed(.cancelled, .notSent))
        #expect(server.count.connections == 0)
    }

    /// A request during the shutdown of the transport fails with that reason, exactly once.
    @Test(arguments: 0..<20)
    func `A transport can be closed while it sends`(turn: Int) async throws {
        let server = try ScriptedServer { client, _ in
            while client.nextRequest() != nil { client.answer() }
        }
        let transport = HTTPTransport()
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<50 { group.addTask { await transport.outcome(of: HTTPRequest(.get, server.url)) } }
            if turn.isMultiple(of: 2) { await Task.yield() }
            group.addTask {
                transport.close()
                return .failed(.transportClosed, .notSent)
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 51)
        for outcome in outcomes {
            switch outcome {
            case .answered(200), .failed(.transportClosed, _): break
            default: Issue.record("\(outcome)")
            }
        }
    }

    /// libcurl 7.88 ignores the limits of a transfer that waits for a free connection.
    @Test func `The time limit includes waiting in the queue`() async throws {
        var configuration = HTTPConfiguration()
        configuration.limits.connectionsPerHost = 1
        configuration.timeLimits.total = .milliseconds(200)
        let narrow = HTTPTransport(configuration)
        let server = try ScriptedServer.silent()
        var patience = HTTPConfiguration.TimeLimits()
        // This is longer than any machine takes for the second request; if the limit didn't apply, the request would
        // wait this long.
        patience.total = .seconds(50)
        let long = HTTPRequest(.get, server.url, timeLimits: patience)
        let first = Task { await narrow.outcome(of: long) }
        try await server.received(1)
        let start = ContinuousClock.now
        #expect(await narrow.outcome(of: HTTPRequest(.get, server.url)) == .failed(.timedOut, .notSent))
        #expect(ContinuousClock.now - start < .seconds(40))
        narrow.close()
        #expect(await first.value == .failed(.transportClosed, .maybeSent))
        #expect(await narrow.outcome(of: long) == .failed(.transportClosed, .notSent))
    }
}

/// Every way a reply can fail to arrive, and the transport's report of it.
///
/// `?` means that the request may have been sent; a number is the status that arrived. `reads` is the number of
/// complete requests that the server has read at the end; it must be 0 if nothing was sent.
@Suite(.timeLimit(.minutes(1)))
struct FailureTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let end: String
        let reads: Int
        var bodyBytes = 1_000
        let script: ScriptedServer.Script
        var testDescription: String { name }

        init(
            _ name: String,
            _ end: String,
            reads: Int,
            bodyBytes: Int = 1_000,
            _ script: @escaping ScriptedServer.Script
        ) {
            (self.name, self.end, self.reads, self.bodyBytes, self.script) = (name, end, reads, bodyBytes, script)
        }

        /// The server reads the whole request, sends this reply, and closes the connection.
        init(_ name: String, saying reply: String, _ end: String) {
            self.init(name, end, reads: 1) { client, _ in if client.nextRequest() != nil { client.send(reply) } }
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\n"
    private static let large = 16 << 20

    private static let rows = [
        Row("reset within the request", "connectionLost?", reads: 0, bodyBytes: large) { client, _ in
            client.receiveSome()
            client.resetOnClose()
        },
        Row("reset after the head", "connectionLost?", reads: 0, bodyBytes: large) { client, _ in
            _ = client.nextHead()
            client.resetOnClose()
        },
        Row("reset after the request", "connectionLost?", reads: 1) { client, _ in
            _ = client.nextRequest()
            client.resetOnClose()
        },
        Row("closed after the request", saying: "", "connectionLost?"),
        Row("half a status line", saying: "HTTP/1.1 2", "connectionLost?"),
        Row("half the headers", saying: head + "Content-Le", "malformedResponse?, 200"),
        Row("half the body", saying: head + "Content-Length: 10\r\n\r\nhalf", "connectionLost?, 200"),
        Row("half the body, reset", "connectionLost?, 200", reads: 1) { client, _ in
            _ = client.nextRequest()
            client.send(head + "Content-Length: 10\r\n\r\nhalf")
            // The client disconnects once it has read the reply; a reset that overtakes the reply would be a different
            // case.
            client.resetOnClose()
        },
        Row("half a chunk", saying: head + "Transfer-Encoding: chunked\r\n\r\n9\r\nhalf", "connectionLost?, 200"),
        Row("no last chunk", saying: head + "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "connectionLost?, 200"),
        Row("bad chunk", saying: head + "Transfer-Encoding: chunked\r\n\r\nzz\r\nhalf\r\n", "connectionLost?, 200"),
        Row("no length, then closed", saying: head + "\r\nall or not?", "malformedResponse?, 200"),
        Row("length too small", saying: head + "Content-Length: 2\r\n\r\nhalf", "answered 200"),
        Row("length negative", saying: head + "Content-Length: -2\r\n\r\nhalf", "malformedResponse?, 200"),
        Row("length a word", saying: head + "Content-Length: two\r\n\r\nhalf", "malformedResponse?, 200"),
        Row(
            "length beyond all numbers",
            saying: head + "Content-Length: 99999999999999999999999\r\n\r\nhalf",
            "malformedResponse?, 200"
        ),
        Row(
            "two lengths, unlike",
            saying: head + "Content-Length: 4\r\nContent-Length: 9\r\n\r\nhalf",
            "connectionLost?, 200"
        ),
        Row(
            "length and chunks",
            saying: head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "answered 200"
        ),
        Row("body too large", saying: head + "Content-Length: 2000000\r\n\r\n" + filler, "responseTooLarge?, 200"),
        Row("a header too large", saying: head + "X-Filler: \(filler)\r\n\r\n", "responseTooLarge?, 200"),
        Row("many headers", saying: head + String(repeating: "X-A: b\r\n", count: 20_000), "responseTooLarge?, 200"),
        Row(
            "bad gzip",
            saying: head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nhalf",
            "malformedResponse?, 200"
        ),
        Row("gzip bomb", "responseTooLarge?, 200", reads: 1) { [bomb = Bomb.bytes] client, _ in
            _ = client.nextRequest()
            client.send(head + "Content-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
            client.send(bomb)
        },
        Row("garbage", saying: "SSH-2.0-OpenSSH_9.2\r\n", "malformedResponse?"),
        Row("HTTP/0.9", saying: "<html>hello</html>", "malformedResponse?"),
        Row("HTTP/3.7", saying: "HTTP/3.7 200 OK\r\nContent-Length: 0\r\n\r\n", "malformedResponse?"),
        Row(
            "redirect",
            saying: "HTTP/1.1 307 Go\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
            "answered 307"
        ),
        Row(
            "100 Continue, then 200",
            saying: "HTTP/1.1 100 Continue\r\n\r\n\(head)Content-Length: 0\r\n\r\n",
            "answered 200"
        ),
        Row("100 Continue without end", "responseTooLarge?, 100", reads: 1) { client, _ in
            _ = client.nextRequest()
            let many = Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_000).utf8)
            for _ in 0..<1_000 { guard client.send(many) else { return } }
        },
        Row("101 Switching, then closed", saying: "HTTP/1.1 101 Switching Protocols\r\n\r\n", "connectionLost?, 101"),
        Row("413 before the body, closed", "answered 413", reads: 0, bodyBytes: large) { client, _ in
            _ = client.nextHead()
            client.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            client.waitForEnd()
        },
        Row("no reply", "timedOut?", reads: 1) { client, _ in while client.nextRequest() != nil {} },
        Row("silence within the reply", "timedOut?, 200", reads: 1) { client, _ in
            _ = client.nextRequest()
            client.send(head + "Content-Length: 10\r\n\r\nhalf")
            client.waitForEnd()
        },
        Row("100 Continue, then silence", "timedOut?, 100", reads: 1) { client, _ in
            _ = client.nextRequest()
            client.send("HTTP/1.1 100 Continue\r\n\r\n")
            client.waitForEnd()
        },
        Row("slow drip", "timedOut?, 200", reads: 1) { client, _ in
            _ = client.nextRequest()
            client.send(head + "Content-Length: 100000\r\n\r\n")
            // A test of the total time: bytes keep arriving, yet the whole reply takes too long.
            while client.send("x".utf8) { usleep(10_000) }
        },
    ]

    private static let filler = String(repeating: "x", count: 1_500_000)

    @Test(arguments: rows)
    func `Each way in which a request can end is reported`(row: Row) async throws {
        let server = try ScriptedServer(row.script)
        var configuration = HTTPConfiguration()
        // Cases that wait for a timeout must not wait long, and no other case may reach its timeout.
        configuration.timeLimits.total = row.end.hasPrefix("timedOut") ? .seconds(1) : .seconds(40)
        configuration.limits.responseBodyBytes = 1_000_000
        let transport = HTTPTransport(configuration)
        let request = HTTPRequest(.post, server.url, body: [UInt8](repeating: 120, count: row.bodyBytes))
        let end = await transport.end(of: request)
        #expect(end == row.end)
        #expect(server.count.requests == row.reads)
        #expect(server.count.connections == 1)
    }

    @Test func `A stalled upload may have arrived`() async throws {
        // The connection is never accepted, so only the kernel buffers the data.
        let listener = try Socket.listening()
        var configuration = HTTPConfiguration()
        configuration.timeLimits.total = .milliseconds(500)
        let body = [UInt8](repeating: 120, count: Self.large)
        let request = HTTPRequest(.post, "http://127.0.0.1:\(listener.port)/", body: body)
        #expect(await HTTPTransport(configuration).end(of: request) == "timedOut?")
    }

    @Test func `A connection that is not accepted times out, and nothing was sent`() async throws {
        let listener = try Socket.listening(backlog: 0)
        let first = try Socket.connected(to: listener.port)
        var configuration = HTTPConfiguration()
        configuration.timeLimits.connect = .milliseconds(200)
        let request = HTTPRequest(.post, "http://127.0.0.1:\(listener.port)/", body: [120])
        #expect(await HTTPTransport(configuration).end(of: request) == "timedOut, not sent")
        first.shutDown()
    }

    @Test func `A host without an address is not found`() async {
        // A label of 64 letters is too long for any DNS query.
        let request = HTTPRequest(.get, "http://\(String(repeating: "a", count: 64)).invalid/")
        #expect(await HTTPTransport().end(of: request) == "hostNotFound, not sent")
    }

    /// libcurl averages the speed over five seconds, so the test takes longer than the limit suggests.
    @Test func `A stalled reply ends before the total limit`() async throws {
        var configuration = HTTPConfiguration()
        configuration.timeLimits.stall = .seconds(1)
        let start = ContinuousClock.now
        let server = try ScriptedServer.silent()
        let request = HTTPRequest(.post, server.url, body: [120])
        #expect(await HTTPTransport(configuration).end(of: request) == "timedOut?")
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test(arguments: [Duration.zero, .milliseconds(-1), .seconds(Int64.max)])
    func `Extreme time limits are clamped`(limit: Duration) async throws {
        let server = try ScriptedServer { client, _ in while client.nextRequest() != nil { client.answer() } }
        var configuration = HTTPConfiguration()
        configuration.timeLimits.stall = limit
        configuration.timeLimits.connect = max(limit, .seconds(1))
        configuration.timeLimits.total = max(limit, .seconds(1))
        #expect(await HTTPTransport(configuration).end(of: HTTPRequest(.get, server.url)) == "answered 200")
    }
}

/// The outcome of a request, in a comparable form.
enum Outcome: Equatable {
    case answered(Int)
    case failed(HTTPFailure.Reason, HTTPFailure.Delivery)
}

extension HTTPTransport {
    func outcome(of request: HTTPRequest) async -> Outcome {
        do throws(HTTPFailure) {
            return .answered(try await send(request).status)
        } catch {
            return .failed(error.reason, error.delivery)
        }
    }

    /// The same in words, with the status that arrived.
    func end(of request: HTTPRequest) async -> String {
        do throws(HTTPFailure) {
            return "answered \(try await send(request).status)"
        } catch {
            let delivery = error.delivery == .notSent ? ", not sent" : "?"
            return "\(error.reason)\(delivery)\(error.status.map { ", \($0)" } ?? "")"
        }
    }
}

extension ScriptedServer {
    /// Returns a server that reads requests and never responds.
    static func silent() throws -> ScriptedServer {
        try ScriptedServer { client, _ in while client.nextRequest() != nil {} }
    }

    /// Returns a server that sends these bytes in response to the first request of each connection, and then closes it.
    static func replying(_ bytes: String) throws -> ScriptedServer {
        try ScriptedServer { client, _ in
            if client.nextRequest() != nil { client.send(bytes) }
        }
    }
}

/// 20 MB of zeros as gzip.
enum Bomb {
    static let bytes: [UInt8] = {
        // Foundation's `Process` is not used, because it reads beyond the end of a buffer if more than a thousand files
        // are open.
        guard let gzip = popen("head -c 20000000 /dev/zero | gzip -1", "re") else { return [] }
        defer { pclose(gzip) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, gzip)
        return Array(bytes[..<count])
    }()
}
