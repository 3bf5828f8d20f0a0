import Glibc
import HTTPService
import TestSupport
import Testing
import Threads

/// Many clients that misbehave at the same time, alongside honest clients, which must still get responses.
@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: OpenFiles.allow(4_000)))
struct ServerAttackTests {
    private func routes(_ router: inout HTTPRouter) {
        router.on(.get, "/") { _ in .text("hello") }
        router.on(.get, "/v1/collections/{collection}/documents/{document}") { request in
            .text("\(try request.parameter("collection"))|\(try request.parameter("document"))")
        }
        router.on(.post, "/") { request in
            var count = 0
            for try await chunk in request.body { count += chunk.count }
            return .text("\(count)")
        }
    }

    /// Sends requests one after another on one connection, expects a response to each, and prints the time taken.
    private static func ask(_ client: Socket, _ count: Int, _ what: String) {
        var times: [Duration] = []
        for _ in 0..<count {
            let start = ContinuousClock.now
            client.send(getRoot.utf8)
            let reply = client.receive(until: "hello")
            times.append(ContinuousClock.now - start)
            guard reply.hasPrefix("HTTP/1.1 200 "), reply.hasSuffix("hello") else {
                Issue.record("\(what): \(reply)")
                return
            }
        }
        times.sort()
        print("\(what): \(count) answers, p99 \(times[count * 99 / 100]), longest \(times[count - 1])")
    }

    // MARK: Slow clients

    private static let slowHead = "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "
    private static let slowBody = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"

    @Test func `A thousand slow heads and bodies do not delay a well-behaved client`() async throws {
        try await withServer {
            // On a slow machine, connections must not time out while others are still being created.
            ($0.limits.connections, $0.limits.headerDeadline, $0.limits.idle) = (1_100, .seconds(120), .seconds(120))
        } routes: {
            routes(&$0)
        } _: { server async throws in
            try await server.client { honest in
                let slow = try (0..<1_000).map { number in
                    let client = try Socket.connected(to: server.port)
                    client.send((number % 2 == 0 ? Self.slowHead : Self.slowBody).utf8)
                    return client
                }
                while server.connections <= slow.count { usleep(1_000) }
                for client in slow { client.send("a".utf8) }
                Self.ask(honest, 300, "beside 1,000 slow clients")
                // The slow clients were connected all the time: none had been disconnected before the honest one
                // finished.
                #expect(slow.count { $0.send("a".utf8) } == slow.count)
                #expect(server.connections == slow.count + 1)
            }
        }
    }

    @Test func `Each of many slow clients is eventually refused`() async throws {
        try await withServer {
            ($0.limits.connections, $0.limits.headerDeadline, $0.limits.bodyRate) = (700, .seconds(1), 1_000_000)
        } routes: {
            routes(&$0)
        } _: { server async throws in
            let refused = try await server.client { _ in
                let slow = try (0..<600).map { number in
                    let client = try Socket.connected(to: server.port)
                    client.send((number % 2 == 0 ? Self.slowHead : Self.slowBody).utf8)
                    return client
                }
                return slow.count { $0.receiveText().hasPrefix("HTTP/1.1 408 ") }
            }
            #expect(refused == 600)
            #expect(try await server.talk(getRootAndClose).hasSuffix("hello"))
        }
    }

    @Test func `Clients that send endless heads are disconnected, while another client is served`() async throws {
        try await withServer(
            routes: { routes(&$0) },
            { server async throws in
                async let ends = withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            try await server.client { client in
                                client.send("GET / HTTP/1.1\r\nHost: x\r\n".utf8)
                                let field = Array("X: \(String(repeating: "a", count: 1_000))\r\n".utf8)
                                // This exceeds the capacity of the kernel's buffers, so it ends only if the server
                                // gives up.
                                var count = 0
                                while count < 200_000, client.send(field) { count += 1 }
                                return count < 200_000
                            }
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                try await server.client { Self.ask($0, 200, "beside 20 endless heads") }
                #expect(try await ends == 20)
            }
        )
    }

    // MARK: Large bodies

    @Test(arguments: [0, 1], [false, true])
    func `A body of 16 MiB is accepted, and a body that is one byte longer is refused`(
        excess: Int,
        isChunked: Bool
    ) async throws {
        try await withServer(
            routes: { routes(&$0) },
            { server async throws in
                let size = 16 << 20
                #expect(ServerLimits().body == size)
                let reply = try await server.client { client in
                    let head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    let body = [UInt8](repeating: 120, count: size + excess)
                    if isChunked {
                        client.send((head + "Transfer-Encoding: chunked\r\n\r\n").utf8)
                        var rest = body[...]
                        while !rest.isEmpty {
                            let piece = rest.prefix(100_000)
                            rest = rest.dropFirst(piece.count)
                            client.send("\(String(piece.count, radix: 16))\r\n".utf8)
                            client.send(piece + Array("\r\n".utf8))
                        }
                        client.send("0\r\n\r\n".utf8)
                    } else {
                        client.send((head + "Content-Length: \(body.count)\r\n\r\n").utf8)
                        client.send(body)
                    }
                    return client.receiveText()
                }
                if excess == 0 {
                    #expect(reply.hasSuffix("\r\n\r\n\(size)"), "\(reply)")
                } else {
                    #expect(reply.hasPrefix("HTTP/1.1 413 ") && reply.contains("bodyTooLarge"), "\(reply)")
                }
            }
        )
    }

    // MARK: Paths

    /// Paths that another server might read as `/v1/collections/A/documents/x`, or as a path in another collection.
    @Test(arguments: [
        "/v1/collections/A/documents/..", "/v1/collections/A/documents/%2e%2e", "/v1/collections/A/documents/%2E.",
        "/v1/collections/A/documents/.", "/v1/collections/A/../B/documents/x", "/v1/collections/A/documents/",
        "/v1/collections/A/documents/x/", "/v1/collections//documents/x", "//v1/collections/A/documents/x",
        "/v1//collections/A/documents/x", "/v1/./collections/A/documents/x", "/v1/collections/A/documents/x%00",
        "/v1/collections/A%00/documents/x", "/v1/collections/A/documents/%c0%ae%c0%ae",
        "/v1/collections/A/documents/%ff",
        "/v1/collections/A/documents/%", "/v1/collections/A/documents/%2", "/v1/collections/A/documents/%zz",
        "/v1/collections/A/documents/%ed%a0%80", "\\v1\\collections\\A\\documents\\x", "v1/collections/A/documents/x",
        "/V1/collections/A/documents/x", "/v1/collections/A/documents/x\u{7f}", "/v1/collections/A/documents/\u{1}",
        "/v1/collections/A%2fdocuments/x", "/v1/collections%2fA/documents/x", "ftp://x/v1/collections/A/documents/x",
    ])
    func `A request with an ambiguous path reaches no handler`(path: String) async throws {
        try await withServer(
            routes: { routes(&$0) },
            { server async throws in
                let reply = try await server.talk("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(reply.hasPrefix("HTTP/1.1 404 ") || reply.hasPrefix("HTTP/1.1 400 "), "\(reply)")
                #expect(reply.contains("application/problem+json") && !reply.contains("|"), "\(reply)")
            }
        )
    }

    /// Escaped characters are decoded once, and are part of the value, regardless of their meaning.
    @Test(arguments: [
        ("/v1/collections/A/documents/%252e%252e", "A|%2e%2e"), ("/v1/collections/A%2f..%2fB/documents/x", "A/../B|x"),
        ("/v1/collections/A/documents/x%2Fy", "A|x/y"), ("/v1/collections/A/documents/..x", "A|..x"),
        ("/v1/collections/A/documents/x;y", "A|x;y"), ("/v1/collections/A/documents/x%3Fy", "A|x?y"),
        ("/v1/collections/A/documents/x%23y", "A|x#y"), ("/v1/collections/A/documents/x+y", "A|x+y"),
        ("/v1/collections/A/documents/%E2%80%AE", "A|\u{202E}"), ("http://other/v1/collections/A/documents/x", "A|x"),
        ("/%761/collections/A/documents/x", "A|x"),
    ])
    func `A percent escape is decoded only once`(path: String, text: String) async throws {
        try await withServer(
            routes: { routes(&$0) },
            { server async throws in
                let reply = try await server.talk("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(reply.hasPrefix("HTTP/1.1 200 ") && reply.hasSuffix("\r\n\r\n\(text)"), "\(reply)")
            }
        )
    }

    // MARK: Open files

    @Test
    func
        `A server uses all open files that the system allows, and reserves some besides its connections`()
        throws
    {
        var configuration = ServerConfiguration()
        configuration.limits.connections = 10
        configuration.limits.otherFiles = 2_000_000_000
        let error = #expect(throws: ServerStartError.self) { try HTTPServer(configuration, router: HTTPRouter()) }
        #expect(error?.description.hasPrefix("10 connections need 2000000010 open files") == true)
        configuration.limits.otherFiles = 10
        let server = try HTTPServer(configuration, router: HTTPRouter())
        #expect(server.connections == 0)
        let limit = OpenFiles.limit
        #expect(limit.rlim_cur == limit.rlim_max)
    }
}

/// The number of files that this process may have open.
enum OpenFiles {
    static var limit: rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }

    /// Raises the limit, and returns whether the system allows that many files.
    static func allow(_ count: Int) -> Bool {
        var limit = limit
        guard limit.rlim_max >= rlim_t(count) else { return false }
        limit.rlim_cur = limit.rlim_max
        return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    }
}
