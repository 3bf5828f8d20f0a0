import Foundation
import HTTPService
import Synchronization
import TestSupport
import Testing
import Threads

/// Requests and responses on real connections.
@Suite(.timeLimit(.minutes(1)))
struct HTTPServerTests {
    // MARK: Heads

    @Test(arguments: [1, 3]) func `A connection is kept for several requests`(eventLoops: Int) async throws {
        try await withServer {
            $0.eventLoops = eventLoops
        } routes: { router in
            router.on(.get, "/") { .text("hello \($0.id)") }
        } _: { server async throws in
            let reply = try await server.talk(getRoot + getRoot + getRootAndClose)
            #expect(reply.components(separatedBy: "HTTP/1.1 200 OK\r\n").count == 4)
            #expect(reply.contains("X-Request-ID: test-2\r\n") && reply.contains("hello test-2"))
            #expect(reply.contains("Connection: close\r\n") && reply.hasSuffix("hello test-3"))
        }
    }

    @Test func `A handler receives the request as it was sent`() async throws {
        try await withServer(
            routes: { router in
                router.on(.get, "/a b/{name}") { request in
                    let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
                    let accept = request.headers.values(of: "ACCEPT").joined(separator: ";")
                    let name = try request.parameter("name")
                    return .text(
                        "\(request.path) \(name) \(query) \(accept) \(request.peerAddress) \(request.isSecure)"
                    )
                }
            },
            { server async throws in
                let reply = try await server.talk(
                    "GET http://elsewhere/a%20b/c%2Fd?x=1+2&y=%C3%A9%26&z&x= HTTP/1.1\r\nHost: x\r\n"
                        + "Accept: a\r\naccept: b\r\nConnection: close\r\n\r\n"
                )
                #expect(reply.hasSuffix("\r\n\r\n/a%20b/c%2Fd c/d x=1 2;y=é&;z=;x= a;b 127.0.0.1 false"))
            }
        )
    }

    @Test func `A handler can't set the framing of its response`() async throws {
        try await withServer(
            routes: { router in
                router.on(.get, "/") { request in
                    let fields: HeaderFields = [
                        "Content-Length": "1", "transfer-encoding": "chunked", "Connection": "keep-alive",
                        "X-Empty": "",
                        "Date": "Thu, 01 Jan 1970 00:00:00 GMT", "X-Two": "1", "x-two": "2",
                    ]
                    return ServedResponse(headers: fields, body: .bytes(Array("hello".utf8)))
                }
                router.on(.get, "/close") { _ in ServedResponse(headers: ["Connection": "close"]) }
            },
            { server async throws in
                let reply = try await server.talk(getRoot + "GET /close HTTP/1.1\r\nHost: x\r\n\r\n" + getRoot)
                let replies = reply.components(separatedBy: "HTTP/1.1 200 OK\r\n")
                #expect(replies.count == 3 && replies[1].contains("\r\n\r\nhello"))
                #expect(replies[1].contains("Content-Length: 5\r\n") && !replies[1].contains("chunked"))
                #expect(replies[1].contains("X-Two: 1\r\n") && replies[1].contains("x-two: 2\r\n"))
            }
        )
    }

    @Test func `Unless its handler opts out, a response is neither cached nor interpreted as a different type`()
        async throws
    {
        try await withServer(
            routes: { router in
                router.on(.get, "/") { _ in .text("hello") }
                router.on(.get, "/kept") { _ in
                    ServedResponse(headers: ["cache-control": "no-cache", "X-Content-Type-Options": "nosniff"])
                }
            },
            { server async throws in
                for path in ["/", "/kept", "/none"] {
                    let reply = try await server.talk("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                        .lowercased()
                    let caching = path == "/kept" ? "no-cache" : "no-store"
                    #expect(reply.split(separator: "cache-control: ").count == 2, "\(reply)")
                    #expect(reply.contains("\r\ncache-control: \(caching)\r\n"), "\(reply)")
                    #expect(reply.split(separator: "x-content-type-options: nosniff\r\n").count == 2, "\(reply)")
                }
            }
        )
    }

    @Test func `The response to HEAD has the length and no body`() async throws {
        try await withServer(
            routes: { router in
                router.on(.get, "/") { _ in .text("hello") }
                router.on(.get, "/stream") { _ in .stream(contentType: "text/plain") { _ in Issue.record("it ran") } }
            },
            { server async throws in
                let reply = try await server.talk("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(reply.contains("Content-Length: 5\r\n") && reply.hasSuffix("\r\n\r\n"))
                let stream = try await server.talk("HEAD /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(stream.hasPrefix("HTTP/1.1 200") && stream.hasSuffix("\r\n\r\n"))
            }
        )
    }

    @Test(arguments: [
        "Content-Length: 2\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 2",
        "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2\r\nContent-Length: 2",
        "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: xchunked", "Transfer-Encoding : chunked", "Content-Length : 2", "Content-Length: +2",
        "Content-Length: 0x2", "Content-Length: 2, 2", "Content-Length: -1",
        "Content-Length: 99999999999999999999", "Host: y", "Authorization: a\r\nAuthorization: b",
        "X: a\rContent-Length: 2", "X y: 1", "X[]: 1",
    ])
    func `A request that two parsers might read differently is refused`(fields: String) async throws {
        try await withServer(
            routes: { router in router.on(.post, "/") { _ in .text("reached") } },
            { server async throws in
                let reply = try await server.talk("POST / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n0\r\n\r\n" + getRoot)
                // The library itself refuses a length that exceeds the range of numbers.
                #expect(reply.hasPrefix("HTTP/1.1 400 ") || reply.hasPrefix("HTTP/1.1 413 ") && fields.contains("99"))
                #expect(!reply.contains("reached") && !reply.contains("200 OK"))
            }
        )
    }

    @Test(arguments: [
        ("POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked", 400, "ambiguousRequest"),
        ("GET / HTTP/1.1", 400, "missingHost"), ("GET /a b HTTP/1.1\r\nHost: x", 400, "malformedTarget"),
        ("GET /a\u{7f} HTTP/1.1\r\nHost: x", 400, "malformedTarget"),
        ("GET x HTTP/1.1\r\nHost: x", 400, "malformedTarget"),
        ("CONNECT a:1 HTTP/1.1\r\nHost: x", 400, "malformedTarget"),
        ("GET * HTTP/1.1\r\nHost: x", 400, "malformedTarget"),
        ("GET /?a=%zz HTTP/1.1\r\nHost: x", 400, "malformedQuery"),
        ("GET /?%ff HTTP/1.1\r\nHost: x", 400, "malformedQuery"),
        ("GET / HTTP/1.1\r\nHost: x\r\nExpect: tea", 417, "unknownExpectation"),
    ])
    func `An invalid head is refused`(head: String, status: Int, code: String) async throws {
        try await withServer(
            routes: { router in router.on(.get, "/") { _ in .text("reached") } },
            { server async throws in
                let reply = try await server.talk(head + "\r\n\r\n" + getRoot)
                #expect(reply.hasPrefix("HTTP/1.1 \(status) ") && reply.contains("\r\nConnection: close\r\n"))
                #expect(reply.contains("application/problem+json") && reply.contains("\"code\":\"\(code)\""))
                #expect(reply.contains("\"requestID\":\"test-1\"") && !reply.contains("reached"))
            }
        )
    }

    // MARK: Uploads

    private func countBytes(_ router: inout HTTPRouter) {
        router.on(.post, "/count") { request in
            var count = 0
            for try await chunk in request.body { count += chunk.count }
            return .text("\(count) of \(request.body.declaredLength.map { "\($0)" } ?? "unknown")")
        }
    }

    @Test func `An upload arrives completely`() async throws {
        try await withServer(
            routes: countBytes,
            { server async throws in
                let head = "POST /count HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                let body = String(repeating: "x", count: 3_000_000)
                let known = try await server.talk(head + "Content-Length: 3000000\r\n\r\n" + body)
                #expect(known.hasSuffix("\r\n\r\n3000000 of 3000000"))
                let chunked = try await server.talk(
                    head + "Transfer-Encoding: Chunked\r\n\r\n2DC6C0\r\n\(body)\r\n1;x=y\r\nz\r\n0\r\n\r\n"
                )
                #expect(chunked.hasSuffix("\r\n\r\n3000001 of unknown"))
            }
        )
    }

    @Test func `A handler that does not read a body slows down the client`() async throws {
        let gate = TestGate()
        let size = 64 * 1_024 * 1_024
        try await withServer {
            $0.limits.body = size
        } routes: { router in
            router.on(.post, "/") { request in
                var count = 0
                for try await chunk in request.body {
                    if count == 0 { await gate.pass() }
                    count += chunk.count
                }
                return .text("\(count)")
            }
        } _: { server async throws in
            let sent = Counter()
            async let reply = server.client { client in
                client.send("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(size)\r\n\r\n".utf8)
                let piece = [UInt8](repeating: 120, count: 65_536)
                while sent.count < size, client.send(piece) { sent.add(piece.count) }
                return client.receiveText()
            }
            await gate.waitForArrivals()
            // The kernel's buffers hold a few megabytes.
            #expect(try await settled { sent.count } < size / 2)
            gate.open()
            #expect(try await reply.hasSuffix("\r\n\r\n\(size)"))
        }
    }

    @Test func `A client that waits for 100 Continue gets it when the handler reads the body`() async throws {
        let gate = TestGate()
        try await withServer {
            $0.limits.body = 10
        } routes: { router in
            router.on(.post, "/") { request in
                await gate.pass()
                return .text("\(try await request.body.collect(upTo: 10).count)")
            }
        } _: { server async throws in
            let head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: "
            async let reply = server.client { client in
                client.send((head + "3\r\n\r\n").utf8)
                let word = client.receive(until: "\r\n\r\n")
                client.send("abc".utf8)
                return word + client.receiveText()
            }
            await gate.waitForArrivals()
            gate.open()
            let text = try await reply
            #expect(text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK") && text.hasSuffix("\r\n\r\n3"))
            let refused = try await server.talk(head + "11\r\n\r\n")
            #expect(refused.hasPrefix("HTTP/1.1 413 ") && refused.contains("bodyTooLarge"))
        }
    }

    @Test func `A body that the handler does not read does not end the connection`() async throws {
        try await withServer(
            routes: { router in router.on(.get, "/") { _ in .text("hello") } },
            { server async throws in
                let body = String(repeating: "x", count: 100_000)
                let reply = try await server.talk(
                    "POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n\(body)"
                        + "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
                        + getRootAndClose
                )
                #expect(reply.hasPrefix("HTTP/1.1 404 ") && reply.contains("HTTP/1.1 405 ") && reply.hasSuffix("hello"))
            }
        )
    }

    // MARK: Downloads

    @Test func `A client that does not read slows down the handler, and disconnects`() async throws {
        let written = Counter()
        let (endings, ending) = AsyncStream.makeStream(of: String.self)
        try await withServer(
            routes: { router in
                router.on(.get, "/") { _ in
                    .stream(contentType: "application/octet-stream") { writer in
                        let piece = [UInt8](repeating: 120, count: 65_536)
                        do {
                            while true {
                                try await writer.write(piece)
                                written.add(piece.count)
                            }
                        } catch {
                            ending.yield("ended")
                            throw error
                        }
                    }
                }
            },
            { server async throws in
                let client = try Socket.connected(to: server.port)
                client.send(getRoot.utf8)
                #expect(try await settled { written.count } < 32 * 1_024 * 1_024)
                let before = written.count
                _ = await onOwnThread { client.receive(until: String(repeating: "x", count: 1_000)) }
                #expect(before > 0)
                client.close()
                for await word in endings.prefix(1) { #expect(word == "ended") }
            }
        )
    }

    @Test func `Events arrive as they occur`() async throws {
        let (events, source) = AsyncStream.makeStream(of: ServerSentEvent.self)
        try await withServer(
            routes: { router in router.on(.get, "/") { _ in .events(events) } },
            { server async throws in
                let reply = try await server.client { client in
                    client.send(getRootAndClose.utf8)
                    source.yield(ServerSentEvent(data: "one"))
                    var text = client.receive(until: "data: one\n\n")
                    source.yield(ServerSentEvent(data: "two"))
                    text += client.receive(until: "data: two\n\n")
                    source.finish()
                    return text + client.receiveText()
                }
                #expect(reply.contains("Content-Type: text/event-stream\r\n") && reply.hasSuffix("0\r\n\r\n"))
            }
        )
    }

    @Test(arguments: ["1.1", "1.0"])
    func `The events of an endless stream arrive whole and in order, even if the client falls behind`(
        version: String
    ) async throws {
        // Both longer and shorter than the amount that a socket accepts at once.
        let pieces = (0..<400).map { number in
            [UInt8](repeating: UInt8(number % 251), count: number % 10 == 9 ? number * 7_919 % 90_000 + 1 : number + 1)
        }
        try await withServer(
            routes: { router in
                router.on(.get, "/") { _ in
                    .stream(contentType: "text/event-stream", isEndless: true) { writer in
                        for (number, piece) in pieces.enumerated() {
                            try await writer.write(piece)
                            // The event loop has sent it by then, so the next one can bypass the event loop.
                            if number % 4 == 0 { try await Task.sleep(for: .milliseconds(1)) }
                        }
                    }
                }
            },
            { server async throws in
                let reply = try await server.client { client in
                    client.send("GET / HTTP/\(version)\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
                    var (all, parts): ([UInt8], Int) = ([], 0)
                    while let bytes = client.receive(upTo: 4_000) {
                        all += bytes
                        parts += 1
                        if parts % 50 == 0 { usleep(2_000) }
                    }
                    return all
                }
                let head = try #require(reply.firstRange(of: Array("\r\n\r\n".utf8)))
                let body = Array(reply[head.upperBound...])
                let sent = version == "1.1" ? try Self.joinedChunks(body) : body
                #expect(sent == pieces.flatMap(\.self))
            }
        )
    }

    /// Returns the bytes of a body in chunks, the last of which must be empty.
    private static func joinedChunks(_ body: [UInt8]) throws -> [UInt8] {
        var (bytes, rest): ([UInt8], ArraySlice<UInt8>) = ([], body[...])
        let lineEnd = Array("\r\n".utf8)
        while true {
            let line = try #require(rest.firstRange(of: lineEnd))
            let count = try #require(Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16))
            let end = line.upperBound + count
            try #require(rest.endIndex >= end + 2 && rest[end..<end + 2].elementsEqual(lineEnd))
            bytes += rest[line.upperBound..<end]
            rest = rest[(end + 2)...]
            if count == 0 {
                #expect(rest.isEmpty)
                return bytes
            }
        }
    }

    @Test func `A stream that fails is aborted, not ended`() async throws {
        struct Broken: Error {}
        let records = RecordList()
        try await withServer {
            $0.observer = records.add
        } routes: { router in
            router.on(.get, "/") { _ in
                .stream(contentType: "text/plain") { writer in
                    try await writer.write(Array("half".utf8))
                    throw Broken()
                }
            }
        } _: { server async throws in
            let reply = try await server.talk(getRoot)
            #expect(reply.contains("half") && !reply.contains("0\r\n\r\n"))
            let record = try await records.next()
            #expect(!record.isComplete && record.failure == "Broken()" && record.status == .ok && record.bytesSent == 4)
        }
    }

    // MARK: The client leaves

    @Test func `A handler is notified that its client has disconnected`() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let (left, leaving) = AsyncStream.makeStream(of: Void.self)
        let records = RecordList()
        try await withServer {
            $0.observer = records.add
        } routes: { router in
            router.on(.get, "/") { _ in
                arrival.yield()
                do { try await Task.sleep(for: .seconds(60)) } catch { leaving.finish() }
                return .text("late")
            }
        } _: { server async throws in
            let client = try Socket.connected(to: server.port)
            client.send(getRoot.utf8)
            for await _ in arrivals.prefix(1) {}
            client.close()
            for await _ in left {}
            let record = try await records.next()
            #expect(record.status == nil && !record.isComplete && record.path == "/" && record.method == .get)
        }
    }

    @Test func `A handler that reads the body is notified that its client has disconnected`() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        try await withServer(
            routes: { router in
                router.on(.post, "/") { request in
                    do {
                        for try await _ in request.body {}
                        end.yield(false)
                    } catch {
                        end.yield(error is ConnectionClosed || error is CancellationError)
                    }
                    return .text("")
                }
            },
            { server async throws in
                let client = try Socket.connected(to: server.port)
                client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc".utf8)
                client.close()
                for await isError in ends.prefix(1) { #expect(isError) }
            }
        )
    }

    @Test func `Clients that disconnect immediately leave no resources in use`() async throws {
        try await withServer(
            routes: countBytes,
            { server async throws in
                try await onOwnThread { [port = server.port] in
                    Result {
                        let starts = [
                            "", "GET", "GET / HTTP/1.1\r\nHost", getRoot,
                            "POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na",
                            "POST /count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
                        ]
                        for number in 0..<300 {
                            let client = try Socket.connected(to: port)
                            if number % 2 == 0 { client.resetOnClose() }
                            client.send(starts[number % starts.count].utf8)
                            client.close()
                        }
                    }
                }.get()
                while server.connections > 0 || server.activeRequests > 0 {
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(try await server.talk(getRootAndClose).hasPrefix("HTTP/1.1 404 "))
            }
        )
    }

    @Test(arguments: 1...4) func `Invalid requests do not disturb the server`(seed: UInt64) async throws {
        try await withServer {
            $0.limits.headerDeadline = .milliseconds(200)
        } routes: {
            countBytes(&$0)
        } _: { server async throws in
            try await onOwnThread { [port = server.port] in
                Result {
                    var random = SeededNumbers(state: seed)
                    for _ in 0..<60 {
                        let client = try Socket.connected(to: port)
                        client.send(almostRequest(&random))
                        client.shutDown(.sending)
                        _ = client.receiveAll()
                    }
                }
            }.get()
            let body = "POST /count HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc"
            #expect(try await server.talk(body).hasSuffix("3 of 3"))
        }
    }

    // MARK: Records

    @Test func `Every request is recorded once it has ended`() async throws {
        let records = RecordList()
        try await withServer {
            $0.observer = records.add
        } routes: { router in
            router.on(.post, "/") { .text("\(try await $0.body.collect(upTo: 10).count)") }
        } _: { server async throws in
            _ = try await server.talk("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc")
            let record = try await records.next()
            #expect(record.requestID == "test-1" && record.status == .ok && record.isComplete && record.failure == nil)
            #expect(record.bytesReceived == 3 && record.bytesSent == 1 && record.duration > .zero)
            _ = try await server.talk("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n")
            #expect(try await records.next().status == .badRequest)
        }
    }
}

/// Creates a request with a few wrong bytes, or without its end.
private func almostRequest(_ random: inout SeededNumbers) -> [UInt8] {
    let requests = [
        "POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde", getRoot,
        "POST /count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
        "GET http://x/count?a=b&c=%20 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n",
    ]
    var bytes = Array((requests.randomElement(using: &random) ?? getRoot).utf8)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes.removeLast(bytes.count - max(1, place))
        case 1, 2, 3: bytes.insert(Array("\r\n :%0".utf8).randomElement(using: &random) ?? 0, at: place)
        default: bytes[place] = UInt8.random(in: 0...255, using: &random)
        }
    }
    return bytes
}

/// Random numbers that are the same in each run.
private struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ (state >> 33)) &* 0xff51_afd7_ed55_8ccd
    }
}

final class Counter: Sendable {
    private let value = Atomic(0)
    var count: Int { value.load(ordering: .relaxed) }
    func add(_ number: Int) { value.add(number, ordering: .relaxed) }
}

/// The records of a server, in order.
final class RecordList: Sendable {
    private let list = Mutex<[ExchangeRecord]>([])

    var add: @Sendable (ExchangeRecord) -> Void {
        { [self] record in list.withLock { $0.append(record) } }
    }

    /// Waits for the first record that has not been returned yet.
    func next() async throws -> ExchangeRecord {
        while true {
            if let record = list.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return record }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
