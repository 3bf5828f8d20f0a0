import Glibc
import HTTPClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RequestTests {
    private let transport = HTTPTransport()

    @Test(arguments: [
        ("X-A", "b\r\nX-Evil: 1"), ("X-A", "b\nX-Evil: 1"), ("X-A", "b\0c"), ("X-A\r\nX-Evil", "1"), ("X A", "b"),
        ("X:A", "b"), ("", "b"),
    ])
    func `Headers that contain line breaks are refused`(name: String, value: String) async throws {
        let server = try ScriptedServer.silent()
        let request = HTTPRequest(.post, server.url, headers: [HTTPHeader(name, value)], body: [120])
        #expect(await transport.outcome(of: request) == .failed(.invalidRequest, .notSent))
        #expect(server.count.connections == 0)
    }

    @Test func `Request headers arrive unchanged`() async throws {
        let (requests, arrival) = AsyncStream.makeStream(of: String.self)
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                arrival.yield(request)
                client.answer()
            }
        }
        let headers = [HTTPHeader("X-Empty", ""), HTTPHeader("X-Text", "é, \"b\"")]
        let request = HTTPRequest(.put, server.url + "a%2Fb", headers: headers, body: Array("body".utf8))
        #expect(await transport.outcome(of: request) == .answered(200))
        let received = try #require(await requests.first { _ in true })
        #expect(received.hasPrefix("PUT /a%2Fb HTTP/1.1\r\n") && received.hasSuffix("\r\n\r\nbody"))
        #expect(received.contains("\r\nX-Empty:\r\nX-Text: é, \"b\"\r\n"))
        #expect(!received.contains("Expect"))
    }

    @Test(arguments: [(HTTPRequest.Method.post, true), (.put, true), (.get, false), (.delete, false)])
    func `A POST or PUT without content declares its length`(method: HTTPRequest.Method, says: Bool) async throws {
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() { client.answer(request) }
        }
        let reply = try await transport.send(HTTPRequest(method, server.url))
        let request = String(decoding: reply.body, as: UTF8.self)
        #expect(request.hasPrefix("\(method.rawValue) / HTTP/1.1\r\n"))
        #expect(request.contains("\r\nContent-Length: 0\r\n") == says)
        #expect(!request.contains("Content-Type") && !request.contains("Transfer-Encoding"))
    }

    @Test(arguments: ["Content-Length:2", "Content-Length: \t2 \t", "Content-Length:  2  "])
    func `Spaces around a length are ignored`(header: String) async throws {
        let server = try ScriptedServer.replying("HTTP/1.1 200 OK\r\n\(header)\r\n\r\nok")
        let reply = try await transport.send(HTTPRequest(.get, server.url))
        #expect(reply.header("content-length") == "2" && reply.body == Array("ok".utf8))
    }

    @Test(arguments: [
        "", "nonsense://127.0.0.1/", "ftp://127.0.0.1/", "file:///etc/passwd", "http://user:secret@127.0.0.1/",
        "http://127.0.0.1:99999/",
    ])
    func `Invalid URLs are refused`(url: String) async {
        #expect(await transport.outcome(of: HTTPRequest(.get, url)) == .failed(.invalidRequest, .notSent))
    }

    @Test(arguments: [
        HTTPCredentials.basic(user: "admin", password: "secret"), .bearer(token: "secret"), .apiKey("secret"),
    ])
    func `Credentials are not printed`(credentials: HTTPCredentials) {
        var configuration = HTTPConfiguration()
        configuration.credentials = credentials
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!"\(credentials) \(String(reflecting: configuration)) \(dumped)".contains("secret"))
    }

    @Test(arguments: [
        (HTTPCredentials.basic(user: "a", password: "b:c"), "Basic YTpiOmM="), (.bearer(token: "t"), "Bearer t"),
        (.apiKey("k"), "ApiKey k"),
    ])
    func `A request can have its own credentials`(credentials: HTTPCredentials, header: String) async throws {
        let (requests, arrival) = AsyncStream.makeStream(of: String.self)
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                arrival.yield(request)
                client.answer()
            }
        }
        var configuration = HTTPConfiguration()
        configuration.credentials = .bearer(token: "stale")
        let transport = HTTPTransport(configuration)
        var request = HTTPRequest(.post, server.url, body: [120])
        request.credentials = credentials
        #expect(await transport.outcome(of: request) == .answered(200))
        let received = try #require(await requests.first { _ in true })
        #expect(received.contains("\r\nAuthorization: \(header)\r\n") && !received.contains("stale"))
    }

    @Test func `No more connections are opened than allowed`() async throws {
        let server = try ScriptedServer { client, _ in while client.nextRequest() != nil { client.answer() } }
        var configuration = HTTPConfiguration()
        configuration.limits.connectionsPerHost = 2
        let transport = HTTPTransport(configuration)
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask { #expect(await transport.outcome(of: HTTPRequest(.get, server.url)) == .answered(200)) }
            }
        }
        #expect(server.count.requests == 50 && server.count.connections <= 2)
    }

    @Test(arguments: [true, false])
    func `Compressed replies are requested`(asks: Bool) async throws {
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                client.answer(request.contains("Accept-Encoding: gzip") ? "asks" : "no")
            }
        }
        var request = HTTPRequest(.get, server.url)
        request.acceptsGzip = asks
        #expect(String(decoding: try await transport.send(request).body, as: UTF8.self) == (asks ? "asks" : "no"))
    }

    @Test func `A proxy that refuses to connect is identified as such`() async throws {
        let proxy = try ScriptedServer.replying("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
        var request = HTTPRequest(.post, "https://127.0.0.1:1/", headers: [HTTPHeader("X-Secret", "1")], body: [120])
        request.proxy = .url(proxy.url)
        #expect(await transport.outcome(of: request) == .failed(.proxyRefused(status: 407), .notSent))
    }

    /// This runs in a separate process, because all tests share the environment.
    @Test func `The environment's proxy is used only if requested`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try Socket.refusingPort()
            setenv("http_proxy", "http://127.0.0.1:\(proxy)", 1)
            let server = try ScriptedServer { client, _ in while client.nextRequest() != nil { client.answer() } }
            let request = HTTPRequest(.get, server.url)
            #expect(await HTTPTransport().outcome(of: request) == .answered(200))
            var configuration = HTTPConfiguration()
            configuration.proxy = .environment
            let obedient = HTTPTransport(configuration)
            #expect(await obedient.outcome(of: request) == .failed(.connectionRefused, .notSent))
        }
    }
}

/// Any output of a server results in a value: a reply, or a failure that indicates whether the request was sent.
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
    func `Any reply is handled without a crash`(seed: UInt64) async throws {
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
