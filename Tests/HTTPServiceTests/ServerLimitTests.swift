import Glibc
import HTTPService
import TestSupport
import Testing
import Threads

/// The limits of a server, one by one.
@Suite(.timeLimit(.minutes(1)))
struct ServerLimitTests {
    private func routes(_ router: inout HTTPRouter) {
        router.on(.get, "/") { _ in .text("hello") }
        router.on(.post, "/") { request in
            var count = 0
            for try await chunk in request.body { count += chunk.count }
            return .text("\(count)")
        }
    }

    // MARK: Sizes

    @Test(arguments: [
        ("GET /\(String(repeating: "a", count: 99)) HTTP/1.1\r\nHost: x", 404, "notFound"),
        ("GET /\(String(repeating: "a", count: 100)) HTTP/1.1\r\nHost: x", 414, "targetTooLong"),
        ("GET /?\(String(repeating: "a", count: 99)) HTTP/1.1\r\nHost: x", 414, "targetTooLong"),
        (
            "GET /\(String(repeating: "?a=b", count: 1))\(String(repeating: "&c=d", count: 24)) HTTP/1.1\r\nHost: x",
            414, ""
        ),
        ("GET /nope HTTP/1.1\r\nHost: x\(String(repeating: "\r\na: b", count: 4))", 404, "notFound"),
        ("GET /nope HTTP/1.1\r\nHost: x\(String(repeating: "\r\na: b", count: 5))", 431, "tooManyHeaderFields"),
    ])
    func `The size of heads is limited`(head: String, status: Int, code: String) async throws {
        try await withServer {
            ($0.limits.target, $0.limits.headerFields) = (100, 6)
        } routes: {
            routes(&$0)
        } _: { server async throws in
            let reply = try await server.talk(head + "\r\nConnection: close\r\n\r\n")
            #expect(reply.hasPrefix("HTTP/1.1 \(status) ") && reply.contains(code))
        }
    }

    @Test func `Responses to requests that reach no handler are also completed`() async throws {
        try await withServer {
            ($0.limits.target, $0.limits.headerDeadline) = (100, .milliseconds(200))
        } routes: {
            routes(&$0)
            $0.complete { response, headers in
                var response = response
                response.headers["X-Seen"] = headers["X-Sent"]
                return response
            }
        } _: { server async throws in
            let rest = " HTTP/1.1\r\nHost: x\r\nX-Sent: here\r\nConnection: close\r\n"
            let long = String(repeating: "a", count: 100)
            for (head, status) in [("GET /", 200), ("GET /nope", 404), ("PUT /", 405), ("GET /\(long)", 414)] {
                let reply = try await server.talk(head + rest + "\r\n")
                #expect(reply.hasPrefix("HTTP/1.1 \(status) ") && reply.contains("X-Seen: here\r\n"), "\(reply)")
            }
            let ambiguous = try await server.talk("GET /" + rest + "Host: y\r\n\r\n")
            #expect(ambiguous.hasPrefix("HTTP/1.1 400 ") && ambiguous.contains("X-Seen: here\r\n"), "\(ambiguous)")
            let slow = try await server.talk("POST /" + rest + "Content-Length: 9\r\n\r\n1234")
            #expect(slow.hasPrefix("HTTP/1.1 408 ") && slow.contains("X-Seen: here\r\n"), "\(slow)")
        }
    }

    @Test func `The library refuses a head that exceeds its memory limit`() async throws {
        try await withServer {
            $0.limits.headerMemory = 4_096
        } routes: {
            routes(&$0)
        } _: { server async throws in
            let long = String(repeating: "a", count: 5_000)
            let field = try await server.talk("GET / HTTP/1.1\r\nHost: x\r\nX: \(long)\r\n\r\n")
            #expect(field.hasPrefix("HTTP/1.1 431 ") || field.hasPrefix("HTTP/1.1 413 "), "\(field)")
            let target = try await server.talk("GET /\(long) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(target.hasPrefix("HTTP/1.1 414 "), "\(target)")
        }
    }

    @Test(arguments: [10, 100_000, 10_000_000])
    func `A body whose declared length is too long is refused, and its sender can read the refusal`(
        size: Int
    ) async throws {
        try await withServer {
            $0.limits.body = 9
        } routes: {
            routes(&$0)
        } _: { server async throws in
            let reply = try await server.client { client in
                client.send("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(size)\r\n\r\n".utf8)
                client.send([UInt8](repeating: 120, count: size))
                return client.receiveText()
            }
            #expect(reply.hasPrefix("HTTP/1.1 413 ") && reply.contains("bodyTooLarge"), "\(reply)")
        }
    }

    @Test func `The size limit for bodies can be changed while the server is running`() async throws {
        try await withServer {
            $0.limits.body = 9
        } routes: {
            routes(&$0)
        } _: { server async throws in
            let post = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\n0123456789"
            for (limit, status) in [(9, 413), (10, 200), (9, 413)] {
                server.maximumBody = limit
                #expect(try await server.talk(post).hasPrefix("HTTP/1.1 \(status) "))
            }
        }
    }

    @Test(arguments: [1, 1_000])
    func `A body of unknown length is refused once it is too long`(chunks: Int) async throws {
        try await withServer {
            $0.limits.body = 9
        } routes: {
            routes(&$0)
        } _: { server async throws in
            let reply = try await server.client { client in
                client.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n".utf8
                )
                let chunk = Array("1000\r\n".utf8) + [UInt8](repeating: 120, count: 4_096) + Array("\r\n".utf8)
                for _ in 0..<chunks { client.send(chunk) }
                client.send("0\r\n\r\n".utf8)
                return client.receiveText()
            }
            #expect(reply.hasPrefix("HTTP/1.1 413 ") && reply.contains("bodyTooLarge"), "\(reply)")
        }
    }

    @Test func `A client that keeps sending a refused body is disconnected`() async throws {
        try await withServer {
            ($0.limits.body, $0.limits.headerDeadline) = (9, .milliseconds(300))
        } routes: {
            routes(&$0)
        } _: { server async throws in
            let isLeft = try await server.client { client in
                client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
                let chunk = Array("1000\r\n".utf8) + [UInt8](repeating: 120, count: 4_096) + Array("\r\n".utf8)
                while client.send(chunk) {}
                return true
            }
            #expect(isLeft)
        }
    }

    // MARK: Numbers

    @Test(arguments: [false, true])
    func `The number of connections is limited`(isOfAddress: Bool) async throws {
        try await withServer {
            if isOfAddress { $0.limits.connectionsPerAddress = 2 } else { $0.limits.connections = 2 }
        } routes: {
            routes(&$0)
        } _: { server async throws in
            let held = try await onOwnThread { [port = server.port] in
                Result {
                    try (0..<2).map { _ in
                        let client = try Socket.connected(to: port)
                        client.send(getRoot.utf8)
                        #expect(client.receive(until: "hello").hasSuffix("hello"))
                        return client
                    }
                }
            }.get()
            if isOfAddress { #expect(try await server.talk(getRootAndClose) == "") }
            async let third = server.talk(getRootAndClose)
            if isOfAddress { #expect(try await third == "") }
            for client in held { client.close() }
            if !isOfAddress { #expect(try await third.hasSuffix("hello")) }
        }
    }

    // MARK: Times

    @Test func `A head that arrives too slowly is refused`() async throws {
        try await withServer {
            $0.limits.headerDeadline = .milliseconds(400)
        } routes: {
            routes(&$0)
        } _: { server async throws in
            let start = ContinuousClock.now
            let reply = try await server.client { client in
                client.send("GET / HTTP/1.1\r\nHost: x\r\n".utf8)
                startThread { for _ in 0..<3_000 where client.send("a".utf8) { pause(.milliseconds(20)) } }
                return client.receiveText()
            }
            #expect(reply.hasPrefix("HTTP/1.1 408 ") && reply.contains("\"code\":\"tooSlow\""), "\(reply)")
            // Otherwise, the client would keep sending for a minute.
            #expect(ContinuousClock.now - start < .seconds(50))
        }
    }

    @Test func `A body that arrives too slowly is refused`() async throws {
        let records = RecordList()
        try await withServer {
            ($0.limits.headerDeadline, $0.limits.bodyRate, $0.observer) = (.milliseconds(400), 100_000, records.add)
        } routes: {
            routes(&$0)
        } _: { server async throws in
            let reply = try await server.client { client in
                client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n".utf8)
                startThread { for _ in 0..<3_000 where client.send("a".utf8) { pause(.milliseconds(20)) } }
                return client.receiveText()
            }
            #expect(reply.hasPrefix("HTTP/1.1 408 ") && reply.contains("\"requestID\":\"test-1\""), "\(reply)")
            let record = try await records.next()
            #expect(record.status == .requestTimeout && !record.isComplete)
        }
    }

    @Test func `A body may take longer while the server is not keeping up`() async throws {
        try await withServer {
            ($0.limits.headerDeadline, $0.limits.bodyRate) = (.milliseconds(200), 1_000_000_000)
            $0.limits.bodyWindow = 1_000
        } routes: { router in
            router.on(.post, "/") { request in
                var count = 0
                for try await chunk in request.body {
                    if count == 0 { try await Task.sleep(for: .milliseconds(800)) }
                    count += chunk.count
                }
                return .text("\(count)")
            }
        } _: { server async throws in
            let body = String(repeating: "x", count: 1_000_000)
            let reply = try await server.talk(
                "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n\(body)"
            )
            #expect(reply.hasSuffix("\r\n\r\n1000000"), "\(reply)")
        }
    }

    @Test func `A client that does not read its response is disconnected`() async throws {
        let (endings, ending) = AsyncStream.makeStream(of: Void.self)
        try await withServer {
            ($0.limits.idle, $0.limits.headerDeadline) = (.seconds(1), .seconds(1))
        } routes: { router in
            router.on(.get, "/") { _ in
                .stream(contentType: "text/plain") { writer in
                    defer { ending.finish() }
                    while true { try await writer.write([UInt8](repeating: 120, count: 65_536)) }
                }
            }
        } _: { server in
            let client = try Socket.connected(to: server.port)
            client.send(getRoot.utf8)
            for await _ in endings {}
            client.close()
        }
    }

    @Test func `An idle connection is closed, but a silent stream is not`() async throws {
        let (events, source) = AsyncStream.makeStream(of: ServerSentEvent.self)
        try await withServer {
            ($0.limits.idle, $0.limits.headerDeadline) = (.seconds(1), .seconds(1))
        } routes: { router in
            routes(&router)
            router.on(.get, "/events") { _ in .events(events) }
        } _: { server async throws in
            async let stream = server.talk("GET /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let reply = try await server.talk(getRoot)
            #expect(reply.hasSuffix("hello"))
            try await Task.sleep(for: .milliseconds(1_200))
            source.yield(ServerSentEvent(data: "late"))
            source.finish()
            #expect(try await stream.contains("data: late\n\n"))
        }
    }
}

private func pause(_ time: Duration) { usleep(UInt32(time / .microseconds(1))) }
