import HTTPClient
import Synchronization
import TestSupport
import Testing
import Threads

/// Other tests rely on the proxy, so each fault is observed on both sides of it.
@Suite(.timeLimit(.minutes(1)))
struct FaultProxyTests {
    private static let json = #"{"items":[1,2,3]}"#

    /// Responds to every request with the same JSON, alternately in chunks and whole, and keeps connections open.
    private static func server() throws -> ScriptedServer {
        try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                if request.hasPrefix("HEAD") {
                    client.send("HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n")
                } else if request.contains("chunked") {
                    client.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                    for byte in Self.json { client.send("1;x=y\r\n\(byte)\r\n") }
                    client.send("0\r\nTrailer: 1\r\n\r\n")
                } else {
                    client.answer(Self.json)
                }
            }
        }
    }

    private static func post(_ proxy: FaultProxy, _ path: String = "/_bulk") -> HTTPRequest {
        HTTPRequest(.post, proxy.url + path, body: Array("body".utf8))
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let fault: Fault
        let outcome: Outcome
        let requests: Int
        let seen: FaultProxy.Record.Seen
        var testDescription: String { fault.name }

        init(_ fault: Fault, _ outcome: Outcome, _ requests: Int, _ seen: FaultProxy.Record.Seen) {
            (self.fault, self.outcome, self.requests, self.seen) = (fault, outcome, requests, seen)
        }
    }

    private static let lost = Outcome.failed(.connectionLost, .maybeSent)
    private static let page = "<html><title>502 Bad Gateway</title></html>"

    @Test(arguments: [
        Row(.pass, .answered(200), 1, .whole),
        Row(.resetBeforeServer, lost, 0, .nothing),
        Row(.resetWithinRequest(after: 5), lost, 0, .part),
        Row(.resetAfterServer, lost, 1, .whole),
        Row(.deliverLate(after: .milliseconds(20)), lost, 1, .whole),
        Row(.delayRequest(.milliseconds(20)), .answered(200), 1, .whole),
        Row(.stallReply(.milliseconds(20)), .answered(200), 1, .whole),
        Row(.truncateReply(after: 5), lost, 1, .whole),
        Row(.breakReply(after: 5), lost, 1, .whole),
        Row(.dripReply(bytes: 9, every: .milliseconds(1)), .answered(200), 1, .whole),
        Row(.edit(.droppingLast()), .answered(200), 1, .whole),
        Row(.answer(.page(502)), .answered(502), 0, .nothing),
        Row(.answer(.throttled(retryAfter: 3)), .answered(429), 0, .nothing),
        Row(.answerAfterServer(.page(502)), .answered(502), 1, .whole),
        Row(.answer(.redirect(to: "http://elsewhere/")), .answered(307), 0, .nothing),
        Row(.raw(Array("SSH-2.0\r\n".utf8)), .failed(.malformedResponse, .maybeSent), 0, .nothing),
    ])
    func aFaultIsWhatItSays(row: Row) async throws {
        let server = try Self.server()
        let proxy = try FaultProxy(upstream: server.port, plan: .always(row.fault))
        defer { proxy.stop() }
        #expect(await HTTPTransport().outcome(of: Self.post(proxy)) == row.outcome)
        try await proxy.isIdle(within: .seconds(10))
        #expect(server.count.requests == row.requests)
        #expect(proxy.records.map(\.seen) == [row.seen])
        #expect(proxy.records.first?.serverStatus == (row.requests == 0 ? nil : 200))
    }

    @Test func `On one connection, faults occur in the planned order`() async throws {
        let server = try Self.server()
        let plan = FaultPlan.sequence([.pass, .answer(.throttled())], on: .path("_bulk", method: "POST"))
        let proxy = try FaultProxy(upstream: server.port, plan: plan)
        defer { proxy.stop() }
        let transport = HTTPTransport()
        var statuses: [Int] = []
        for _ in 0..<3 {
            statuses.append(try await transport.send(Self.post(proxy)).status)
            statuses.append(try await transport.send(HTTPRequest(.get, proxy.url + "/_bulk")).status)
        }
        #expect(statuses == [200, 200, 429, 200, 200, 200])
        #expect(server.count.connections == 1 && server.count.requests == 5)
    }

    @Test(arguments: ["/plain", "/chunked"], [HTTPRequest.Method.get, .head, .post])
    func `The server's reply is passed on unchanged`(path: String, method: HTTPRequest.Method) async throws {
        let server = try Self.server()
        let proxy = try FaultProxy(before: server.url)
        defer { proxy.stop() }
        let transport = HTTPTransport()
        for _ in 0..<2 {
            let reply = try await transport.send(HTTPRequest(method, proxy.url + path))
            #expect(reply.status == 200)
            #expect(String(decoding: reply.body, as: UTF8.self) == (method == .head ? "" : Self.json))
        }
    }

    @Test(arguments: [
        (ReplyEdit.droppingLast(), "[1,2]"), (.repeatingLast(), "[1,2,3,3]"), (.swappingEnds(), "[3,2,1]"),
        (.droppingLast(of: "absent"), "[1,2,3]"),
    ])
    func `The results in a reply can be edited`(edit: ReplyEdit, items: String) async throws {
        let server = try Self.server()
        let proxy = try FaultProxy(upstream: server.port, plan: .always(.edit(edit)))
        defer { proxy.stop() }
        let reply = try await HTTPTransport().send(Self.post(proxy, "/chunked"))
        #expect(String(decoding: reply.body, as: UTF8.self) == #"{"items":\#(items)}"#)
    }

    @Test func `Replies of two requests are swapped`() async throws {
        let server = try ScriptedServer { client, _ in
            while let request = client.nextRequest() { client.answer(String(request.dropFirst(6).prefix(1))) }
        }
        let proxy = try FaultProxy(upstream: server.port, plan: .always(.swapReplies))
        defer { proxy.stop() }
        let transport = HTTPTransport()
        async let first = transport.send(Self.post(proxy, "/a"))
        async let second = transport.send(Self.post(proxy, "/b"))
        #expect(String(decoding: try await first.body, as: UTF8.self) == "b")
        #expect(String(decoding: try await second.body, as: UTF8.self) == "a")
    }

    @Test func `The same requests are affected for the same seed`() {
        func names(_ seed: UInt64) -> [String] {
            let plan = FaultPlan.sometimes([.resetBeforeServer, .resetAfterServer], percent: 20, seed: seed)
            return (0..<1_000).map { plan.fault($0).name }
        }
        #expect(names(1) == names(1) && names(1) != names(2))
        #expect((150...250).contains(names(1).count { $0 != "pass" }))
        #expect(Set(names(1)).count == 3)
    }

    @Test func `A stopped proxy refuses connections`() async throws {
        let server = try Self.server()
        let proxy = try FaultProxy(upstream: server.port, plan: .always(.stallReply(.seconds(600))))
        async let stalled = HTTPTransport().outcome(of: Self.post(proxy))
        try await server.received(1)
        proxy.stop()
        #expect(await stalled == Self.lost)
        #expect(await HTTPTransport().outcome(of: Self.post(proxy)) == .failed(.connectionRefused, .notSent))
    }
}

/// A request is sent at most once, although libcurl itself repeats a request if a reused connection dies before the
/// reply.
///
/// The server's count is decisive, so other versions of libcurl are also checked wherever they are used.
@Suite(.timeLimit(.minutes(1)))
struct ResendTests {
    private static let requests: [(HTTPRequest.Method, [UInt8]?)] = [
        (.post, [UInt8](repeating: 120, count: 1_000)), (.post, []), (.put, [120]), (.delete, nil), (.get, nil),
    ]

    @Test(arguments: requests)
    func `A request that the server has read is not sent again`(method: HTTPRequest.Method, body: [UInt8]?) async throws
    {
        let server = try ScriptedServer { client, _ in
            guard client.nextRequest() != nil else { return }
            client.answer()
            _ = client.nextRequest()
        }
        let transport = HTTPTransport()
        let request = HTTPRequest(method, server.url, body: body)
        #expect(await transport.outcome(of: request) == .answered(200))
        #expect(await transport.outcome(of: request) == .failed(.connectionLost, .maybeSent))
        #expect(server.count.requests == 2)
    }

    /// By default, libcurl 7.88 sends nearly all of these requests twice.
    @Test(arguments: [[UInt8](repeating: 120, count: 1_000), []])
    func `None of many requests is sent twice`(body: [UInt8]) async throws {
        let server = try ScriptedServer { client, _ in
            guard client.nextRequest() != nil else { return }
            client.answer()
            _ = client.nextRequest()
        }
        let transport = HTTPTransport()
        let request = HTTPRequest(.post, server.url, body: body)
        let ends = await withTaskGroup { group in
            for _ in 0..<400 { group.addTask { await transport.outcome(of: request) } }
            return await group.reduce(into: [Outcome]()) { $0.append($1) }
        }
        let lost = ends.count { $0 == .failed(.connectionLost, .maybeSent) }
        #expect(ends.count { $0 == .answered(200) } + lost == 400)
        #expect(server.count.requests == 400 && lost > 0)
    }

    @Test func `An idle connection that was reset is replaced`() async throws {
        let server = try ScriptedServer { client, number in
            while client.nextRequest() != nil {
                client.answer()
                if number == 0 { return client.resetOnClose() }
            }
        }
        let transport = HTTPTransport()
        let request = HTTPRequest(.post, server.url, body: [120])
        #expect(await transport.outcome(of: request) == .answered(200))
        try await server.closed(1)
        #expect(await transport.outcome(of: request) == .answered(200))
        #expect(server.count.connections == 2 && server.count.requests == 2)
    }

    @Test func `A connection is kept open for further requests`() async throws {
        let server = try ScriptedServer { client, _ in while client.nextRequest() != nil { client.answer() } }
        let transport = HTTPTransport()
        for _ in 0..<20 { #expect(await transport.outcome(of: HTTPRequest(.get, server.url)) == .answered(200)) }
        #expect(server.count.connections == 1 && server.count.requests == 20)
    }
}
