import Foundation
import HTTPService
import TestSupport
import Testing
import Threads

/// The start and the end of a server.
@Suite(.timeLimit(.minutes(1)))
struct ServerLifeTests {
    private func pauseFor(_ time: Duration, _ gate: TestGate) -> RouteHandler {
        { _ in
            gate.arrive()
            try await Task.sleep(for: time)
            return .text("done")
        }
    }

    // MARK: Starting

    @Test func `A server that can't start reports the reason`() async throws {
        try await withServer(
            routes: { _ in },
            { server async throws in
                var taken = ServerConfiguration()
                taken.port = server.port
                var named = ServerConfiguration()
                named.address = "localhost"
                var secret = ServerConfiguration()
                secret.tls = ServerTLSFiles(certificate: "/nonexistent.pem", key: "/nonexistent.key")
                var greedy = ServerConfiguration()
                greedy.limits.connections = 2_000_000_000
                for (configuration, words) in [
                    (taken, "cannot listen on 127.0.0.1 port \(server.port): Address already in use"),
                    (named, "localhost is not a numeric address"),
                    (secret, "cannot read '/nonexistent.pem': No such file or directory"),
                    (greedy, "2000000000 connections need 2000000128 open files"),
                ] {
                    let error = #expect(throws: ServerStartError.self) {
                        try HTTPServer(configuration, router: HTTPRouter())
                    }
                    #expect(error?.description.hasPrefix(words) == true, "\(error?.description ?? "")")
                }
            }
        )
    }

    @Test func `A server is closed when it is released`() async throws {
        let gate = TestGate()
        var router = HTTPRouter()
        router.on(.get, "/", pauseFor(.seconds(60), gate))
        var server: HTTPServer? = try HTTPServer(router: router)
        let port = try #require(server?.port)
        let client = try Socket.connected(to: port)
        client.send(getRoot.utf8)
        await gate.waitForArrivals()
        server = nil
        #expect(await onOwnThread { client.receiveText() } == "")
    }

    // MARK: Ending

    @Test func `During a shutdown, requests finish, endless streams end, and new connections are refused`() async throws
    {
        let gate = TestGate()
        try await withServer(
            routes: { router in
                router.on(.get, "/slow", pauseFor(.seconds(3), gate))
                router.on(.get, "/events") { _ in
                    .stream(contentType: "text/event-stream", isEndless: true) { writer in
                        gate.arrive()
                        while true {
                            try await writer.write(ServerSentEvent(data: "tick").bytes)
                            try await Task.sleep(for: .milliseconds(10))
                        }
                    }
                }
                router.on(.get, "/export") { _ in
                    .stream(contentType: "application/x-ndjson") { writer in
                        gate.arrive()
                        for number in 0..<30 {
                            try await writer.write(Array("\(number)\n".utf8))
                            try await Task.sleep(for: .milliseconds(10))
                        }
                    }
                }
            },
            { server async throws in
                async let slow = server.talk("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
                async let events = server.talk("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
                async let export = server.talk("GET /export HTTP/1.1\r\nHost: x\r\n\r\n")
                await gate.waitForArrivals(3)
                let idle = try Socket.connected(to: server.port)
                #expect(await server.shutDown(within: .seconds(20)) == 0)
                let reply = try await slow
                #expect(reply.hasSuffix("\r\n\r\ndone") && reply.contains("Connection: close\r\n"))
                #expect(try await events.hasSuffix("0\r\n\r\n"))
                #expect(try await export.contains("29\n\r\n0\r\n\r\n"))
                #expect(await onOwnThread { idle.receiveText() } == "")
                #expect(throws: (any Error).self) { try Socket.connected(to: server.port) }
                #expect(await server.shutDown() == 0)
            }
        )
    }

    @Test func `An idle connection closes while a request is still running`() async throws {
        let gate = TestGate()
        try await withServer(
            routes: { router in
                router.on(.get, "/") { _ in .text("hello") }
                router.on(.get, "/slow") { _ in
                    await gate.pass()
                    return .text("done")
                }
            },
            { server async throws in
                let kept = try await server.client { client in
                    client.send(getRoot.utf8)
                    client.receive(until: "hello")
                    return client
                }
                async let slow = server.talk("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
                await gate.waitForArrivals()
                async let broken = server.shutDown(within: .seconds(20))
                #expect(await onOwnThread { kept.receiveText() } == "")
                #expect(server.activeRequests == 1)
                gate.open()
                #expect(try await slow.hasSuffix("done"))
                #expect(await broken == 0)
            }
        )
    }

    @Test func `Requests that do not finish in time are aborted`() async throws {
        let gate = TestGate()
        try await withServer(
            routes: { router in
                router.on(.get, "/slow", pauseFor(.seconds(60), gate))
                router.on(.get, "/export") { _ in
                    .stream(contentType: "application/x-ndjson") { writer in
                        try await writer.write(Array("1\n".utf8))
                        gate.arrive()
                        try await Task.sleep(for: .seconds(60))
                    }
                }
                router.on(.post, "/") { request in
                    gate.arrive()
                    for try await _ in request.body {}
                    return .text("")
                }
            },
            { server async throws in
                async let slow = server.talk("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
                async let export = server.talk("GET /export HTTP/1.1\r\nHost: x\r\n\r\n")
                async let upload = server.talk("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc")
                await gate.waitForArrivals(3)
                let start = ContinuousClock.now
                #expect(await server.shutDown(within: .milliseconds(100)) == 3)
                #expect(ContinuousClock.now - start < .seconds(50))
                #expect(try await slow == "")
                #expect(try await export.hasSuffix("0\r\n\r\n") == false)
                #expect(try await upload == "")
            }
        )
    }

    /// A client whose request gets no response receives nothing at all, and never a partial response.
    @Test(arguments: [1, 2]) func `Under load, every response is complete`(eventLoops: Int) async throws {
        let gate = TestGate()
        let text = String(repeating: "x", count: 20_000)
        try await withServer {
            $0.eventLoops = eventLoops
        } routes: { router in
            router.on(.get, "/") { _ in .text(text) }
            router.on(.post, "/") { .text("\(try await $0.body.collect(upTo: 100_000).count)") }
        } _: { server async throws in
            async let results = withThrowingTaskGroup(of: (whole: Int, broken: [String]).self) { group in
                for number in 0..<16 {
                    group.addTask {
                        try await server.client { client in
                            let body = String(repeating: "y", count: 10_000)
                            let post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n" + body
                            let (request, end) = number % 2 == 0 ? (getRoot, text) : (post, "\r\n\r\n10000")
                            var whole = 0
                            while client.send(request.utf8) {
                                let reply = client.receive(until: end)
                                guard reply.hasSuffix(end) else { return (whole, reply.isEmpty ? [] : [reply]) }
                                whole += 1
                                if whole == 20 { gate.arrive() }
                            }
                            return (whole, [])
                        }
                    }
                }
                var all: (whole: Int, broken: [String]) = (0, [])
                for try await result in group { all = (all.whole + result.whole, all.broken + result.broken) }
                return all
            }
            await gate.waitForArrivals(16)
            #expect(await server.shutDown(within: .seconds(20)) == 0)
            let (whole, broken) = try await results
            #expect(broken == [])
            #expect(whole >= 16 * 20)
        }
    }

    /// The library would terminate the process if a connection were suspended while it stops.
    @Test func `A server closes while requests arrive`() async throws {
        for _ in 0..<5 {
            let gate = TestGate()
            try await withServer(
                routes: { $0.on(.get, "/", pauseFor(.milliseconds(5), gate)) },
                { server async throws in
                    async let ends: Void = withThrowingTaskGroup { group in
                        for _ in 0..<8 {
                            group.addTask {
                                try await server.client { client in
                                    while client.send(getRoot.utf8), client.receive(until: "done").hasSuffix("done") {}
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    await gate.waitForArrivals(20)
                    await server.shutDown(within: .zero)
                    try await ends
                }
            )
        }
    }

    // MARK: TLS

    @Test func `A server can use TLS with PEM files`() async throws {
        let folder = try TemporaryFolder()
        let (certificate, key) = (folder.path("cert.pem"), folder.path("cert.key"))
        try await run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
            ]
        )
        try await withServer {
            $0.tls = ServerTLSFiles(certificate: certificate, key: key)
            $0.limits.body = 1_000_000
        } routes: { router in
            router.on(.get, "/") { .text("secure: \($0.isSecure)") }
            router.on(.post, "/") { .text("\(try await $0.body.collect(upTo: 1_000_000).count)") }
        } _: { server async throws in
            let url = "https://127.0.0.1:\(server.port)/"
            let curl = ["--silent", "--show-error", "--cacert", certificate, url]
            #expect(try await run("curl", curl) == "secure: true")
            let upload = folder.path("upload")
            try Data(repeating: 120, count: 900_000).write(to: URL(filePath: upload))
            #expect(try await run("curl", curl + ["--data-binary", "@\(upload)"]) == "900000")
            await #expect(throws: ProgramFailure.self) { try await run("curl", curl + ["--tls-max", "1.1"]) }
            // Bytes that are not TLS get no response in plain text.
            #expect(try await server.talk(getRoot).contains("HTTP/1.1") == false)
        }
        var wrong = ServerConfiguration()
        wrong.tls = ServerTLSFiles(certificate: key, key: certificate)
        let error = #expect(throws: ServerStartError.self) { try HTTPServer(wrong, router: HTTPRouter()) }
        #expect(error?.description.contains("certificate") == true)
    }

    private struct ProgramFailure: Error { let words: String }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        try await onOwnThread {
            Result {
                let child = try ChildProgram.run(program, arguments)
                guard child.status == 0 else { throw ProgramFailure(words: child.output + child.errors) }
                return child.output
            }
        }.get()
    }
}
