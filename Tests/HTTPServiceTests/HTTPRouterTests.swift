import Foundation
import HTTPService
import Testing

/// The router, tested without a socket.
struct HTTPRouterTests {
    private var router: HTTPRouter {
        var router = HTTPRouter()
        router.on(.get, "/") { _ in .text("root") }
        router.on(.get, "/health", isQuick: true) { _ in .text("ok") }
        router.on(.get, "/sessions/all") { _ in .text("all sessions") }
        router.on(.get, "/sessions/{session}") { .text("session \(try $0.parameter("session"))") }
        router.on(.delete, "/sessions/{session}") { .text("deleted \(try $0.parameter("session"))") }
        router.on(.get, "/sessions/{session}/batches/{batch}") { request in
            .text("\(try request.parameter("session")) \(try request.parameter("batch"))")
        }
        router.on(.post, "/upload", accepting: ["application/json", "text/csv"], maximumBody: 8) { request in
            .text("\(try await request.body.collect(upTo: 100).count)")
        }
        router.on(.get, "/files/{set}/{file...}") { request in
            .text("\(try request.parameter("set")): \(try request.parameter("file"))")
        }
        router.on(.get, "/stream") { _ in
            .stream(contentType: "text/plain") { writer in while true { try await writer.write(Array("tick ".utf8)) } }
        }
        return router
    }

    private func answer(
        _ method: RequestMethod,
        _ path: String,
        headers: HeaderFields = [:],
        body: String = ""
    ) async throws -> (status: Int, text: String, headers: HeaderFields) {
        let request = ServedRequest(method, path, headers: headers, body: .bytes(Array(body.utf8)), id: "r1")
        let response = await router.respond(to: request)
        let bytes = try await response.collectBody(upTo: 1_000)
        return (response.status.code, String(decoding: bytes, as: UTF8.self), response.headers)
    }

    // MARK: Paths and methods

    @Test(arguments: [
        (RequestMethod.get, "/", "root"), (.head, "/health", "ok"), (.get, "/sessions/all", "all sessions"),
        (.get, "/sessions/%61ll", "all sessions"), (.get, "/sessions/1", "session 1"),
        (.delete, "/sessions/1", "deleted 1"),
        (.get, "/sessions/a%2Fb/batches/%C3%A9", "a/b é"), (.get, "/sessions/...", "session ..."),
        (.delete, "/sessions/all", "deleted all"), (.get, "/files/a/b", "a: b"), (.get, "/files/a/", "a: "),
        (.get, "/files/a/b/c%20d/e.f", "a: b/c d/e.f"), (.get, "/files/a/b/", "a: b/"),
    ])
    func `A request is passed to the handler of its path`(
        method: RequestMethod,
        path: String,
        text: String
    ) async throws {
        #expect(try await answer(method, path).text == text)
    }

    @Test(arguments: [
        "", "*", "/nope", "//", "/health/", "//health", "/Health", "/../../etc/passwd", "/sessions/", "/sessions/..",
        "/sessions/%2e%2E", "/sessions/.", "/sessions//batches/1", "/sessions/%00/batches/1", "/sessions/%zz/batches/1",
        "/sessions/%ff/batches/1", "/sessions/1/batches/1/2", "/files/a", "/files/a//b", "/files/a/../b",
        "/files/a/%2e%2e/b",
        "/files/a/b/..", "/files/a/b/.", "/files/a/b%2fc", "/files/a/b%00", "/files/a/b//", "/files/../a", "/files//a",
    ])
    func `Other paths are not found`(path: String) async throws {
        #expect(try await answer(.get, path).status == 404)
    }

    @Test func `The paths of routes are listed in OpenAPI's notation`() {
        #expect(router.paths.map(\.path).contains("/files/{set}/{file}"))
        #expect(router.paths.map(\.path).contains("/sessions/{session}/batches/{batch}"))
        #expect(router.paths.map(\.path).contains("/"))
    }

    @Test func `The response to a wrong method lists the allowed ones`() async throws {
        for (method, path, allow) in [
            (RequestMethod.delete, "/upload", "OPTIONS, POST"), (.post, "/sessions/1", "DELETE, GET, HEAD, OPTIONS"),
            (RequestMethod(rawValue: "get"), "/health", "GET, HEAD, OPTIONS"),
        ] {
            let found = try await answer(method, path)
            #expect(found.status == 405)
            #expect(found.headers["allow"] == allow)
        }
        let options = try await answer(.options, "/sessions/1")
        #expect(options.status == 204)
        #expect(options.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS")
    }

    @Test func `The first middleware handles a request first, and its response last`() async throws {
        var router = HTTPRouter()
        for mark in ["a", "b"] {
            router.use { next in
                { request in
                    var response = try await next(request)
                    response.headers["X-Marks", default: ""] += mark
                    return response
                }
            }
        }
        router.use { _ in { _ in .text("inner") } }
        #expect(await router.respond(to: ServedRequest(.get, "/")).headers["X-Marks"] == "ba")
    }

    // MARK: Bodies

    @Test(arguments: [
        ("application/json", "12345678", 200), ("Text/CSV ; charset=utf-8", "1", 200), ("text/plain", "1", 415),
        (nil, "1", 415), ("text/plain", "", 200), ("application/json", "123456789", 413),
    ])
    func `A body must have the type and the size that its route allows`(
        type: String?,
        body: String,
        status: Int
    ) async throws {
        var headers: HeaderFields = [:]
        headers["content-type"] = type
        let found = try await answer(.post, "/upload", headers: headers, body: body)
        #expect(found.status == status)
        if status == 415 { #expect(found.headers["Accept"] == "application/json, text/csv") }
    }

    @Test func `A streamed response can be tested without a socket`() async throws {
        let response = await router.respond(to: ServedRequest(.get, "/stream"))
        #expect(try await response.collectBody(upTo: 10) == Array("tick tick ".utf8))
    }

    @Test func `An event has one data line for each line of its data`() {
        let event = ServerSentEvent(id: "1\n2", name: "a\r\nb", data: "one\ntwo\r\nthree\rfour")
        let text = "id: 1 2\nevent: a b\ndata: one\ndata: two\ndata: three\ndata: four\n\n"
        #expect(String(decoding: event.bytes, as: UTF8.self) == text)
        #expect(ServerSentEvent(data: "").bytes == Array(":\n\n".utf8))
    }

    @Test func `Streamed values are sent one per line`() async throws {
        let values = AsyncStream { continuation in
            for value in ["{}", "[1]"] { continuation.yield(Array(value.utf8)) }
            continuation.finish()
        }
        let response = ServedResponse.lines(values)
        #expect(response.headers["Content-Type"] == "application/x-ndjson")
        #expect(try await response.collectBody(upTo: 100) == Array("{}\n[1]\n".utf8))
    }

    // MARK: Problems

    private struct Problem: Decodable, Equatable {
        let status: Int
        let code: String
        let message: String
        let advice: String?
        let requestID: String
    }

    @Test func `A problem is valid JSON with any message`() async throws {
        let message = "a \"b\" \\ /é\u{0}\n\u{1F}"
        var router = HTTPRouter()
        router.on(.get, "/") { _ in throw ServiceProblem(.conflict, "taken", message, headers: ["X-Other": "1"]) }
        let response = await router.respond(to: ServedRequest(.get, "/", id: "r1"))
        #expect(response.headers["Content-Type"] == "application/problem+json")
        #expect(response.headers["X-Other"] == "1")
        let bytes = try await response.collectBody(upTo: 1_000)
        let problem = try JSONDecoder().decode(Problem.self, from: Data(bytes))
        #expect(problem == Problem(status: 409, code: "taken", message: message, advice: nil, requestID: "r1"))
    }

    @Test func `A problem names its field and contains the current state, if there are any`() async throws {
        var problem = ServiceProblem(.conflict, "changed", "changed")
        problem.field = "a\"b"
        problem.current = Array("{\"a\": [1]}".utf8)
        let bytes = try await problem.response(to: "r1").collectBody(upTo: 1_000)
        let tail = ",\"requestID\":\"r1\",\"field\":\"a\\\"b\",\"current\":{\"a\": [1]}}"
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(tail))
    }

    @Test func `The server's internal errors are not revealed to a client`() async throws {
        struct Secret: Error {}
        var router = HTTPRouter()
        router.on(.get, "/error") { _ in throw Secret() }
        router.on(.get, "/split") { _ in ServedResponse(headers: ["Location": "/\r\nSet-Cookie: a=b"]) }
        router.on(.get, "/split-error") { _ in
            throw ServiceProblem(.conflict, "taken", "taken", headers: ["X: y\r\n": "1"])
        }
        for path in ["/error", "/split", "/split-error"] {
            let response = await router.respond(to: ServedRequest(.get, path))
            #expect(response.status.code == 500)
            let text = String(decoding: try await response.collectBody(upTo: 1_000), as: UTF8.self)
            #expect(text.contains(#""code":"internalError""#) && !text.contains("Secret"))
            #expect(response.headers["Location"] == nil)
        }
    }

    // MARK: Addresses

    @Test(arguments: [
        ("10.0.0.1", ["198.51.100.7, 10.0.0.2"], "198.51.100.7"), ("10.0.0.1", [], "10.0.0.1"),
        ("203.0.113.9", ["198.51.100.7"], "203.0.113.9"),
        ("10.0.0.1", ["1.2.3.4, 198.51.100.7", "10.0.0.2"], "198.51.100.7"),
        ("10.0.0.1", ["10.0.0.3,10.0.0.2"], "10.0.0.3"), ("10.0.0.1", ["198.51.100.7,"], "198.51.100.7"),
    ])
    func `Only trusted proxies determine the client's address`(peer: String, fields: [String], address: String) {
        var headers: HeaderFields = [:]
        for field in fields { headers.append("X-Forwarded-For", field) }
        let request = ServedRequest(.get, "/", headers: headers, peerAddress: peer)
        #expect(request.clientAddress { $0.hasPrefix("10.") } == address)
    }
}

extension HeaderFields {
    fileprivate subscript(name: String, default value: String) -> String {
        get { self[name] ?? value }
        set { self[name] = newValue }
    }
}
