import ContentFeeding
import Foundation
import Glibc
import HTTPService
import JSONText
import TestSupport
import Testing
import Threads

@testable import ContentDistributor

/// Clients that exceed the bounds of a distributor harm neither the distributor nor the clients that respect them.
@Suite(.timeLimit(.minutes(5)))
struct MisbehavingClientTests {
    private static let path = "/v1/collections/Web/documents"

    private static func place(
        _ rule: String = "application-key",
        limits: (inout DistributorLimits) -> Void = { _ in }
    ) async throws -> LiveDistributor {
        let rules = Dictionary(uniqueKeysWithValues: AccessVerb.allCases.map { ($0, rule) })
        return try await LiveDistributor(["Web": rules]) {
            // Each session needs some open files, and the machine may allow only a few.
            $0.sessions = 50
            limits(&$0)
        } server: {
            // On a slow machine, idle clients must not time out while the others are being created.
            ($0.limits.headerDeadline, $0.limits.idle) = (.seconds(120), .seconds(120))
        }
    }

    private static func session(_ client: DistributorClient, _ token: String) throws -> String {
        let answer = try client.send("POST", "/v1/collections/Web/sessions", "", token: token)
        return try #require(answer.json["session"].text, "\(answer.text)")
    }

    // MARK: Many at once

    /// Whether the system allows both ends of 2,000 connections.
    private static var hasFiles: Bool {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0, limit.rlim_max >= 6_000 else { return false }
        limit.rlim_cur = limit.rlim_max
        return setrlimit(resource, &limit) == 0
    }

    @Test(.enabled(if: hasFiles))
    func `A thousand idle clients and a thousand session followers do not delay a well-behaved client`() async throws {
        let place = try await Self.place()
        let token = try await place.token(.application)
        let server = place.server
        try await place.client { honest in
            #expect(try honest.send("PUT", Self.path + "/a", "{\"n\":1}", token: token).status == 201)
            let session = try Self.session(honest, token)
            let idle = try (0..<1_000).map { _ in try Socket.connected(to: server.port) }
            let followers = try (0..<1_000).map { number in
                let socket = try Socket.connected(to: server.port)
                let accept = number % 2 == 0 ? "Accept: text/event-stream\r\n" : ""
                socket.send(
                    "GET /v1/sessions/\(session)/outcomes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\(accept)\r\n"
                        .utf8
                )
                return socket
            }
            // All of them are connected before the honest client sends its request.
            for follower in followers { #expect(Self.receive(until: "\"hasEnded\":false", from: follower)) }
            func ask(_ what: String) throws {
                var times: [Duration] = []
                for _ in 0..<300 {
                    let start = ContinuousClock.now
                    let answer = try honest.send("GET", Self.path + "/a", token: token)
                    times.append(ContinuousClock.now - start)
                    try #require(answer.status == 200 && answer.text == "{\"n\":1}", "\(what): \(answer.text)")
                }
                times.sort()
                print("\(what): 300 reads, p99 \(times[297]), longest \(times[299])")
            }
            try ask("beside 1,000 idle and 1,000 following clients")
            #expect(server.connections == 2_001)
            // Now all of them have something to do.
            let batch = (0..<20).map { "\"none-\($0)\"" }.joined(separator: "\n")
            let answer = try honest.send(
                "PUT",
                "/v1/sessions/\(session)/batches/1?operation=remove",
                batch,
                token: token
            )
            #expect(answer.status == 202)
            try ask("while 1,000 clients get 20 errors each")
            for follower in followers {
                #expect(Self.receive(until: "\"number\":20,", from: follower))
            }
            // A client that disconnects does not affect the others.
            for follower in followers.prefix(500) { follower.close() }
            _ = try honest.send("DELETE", "/v1/sessions/\(session)", token: token)
            for follower in followers.suffix(500) {
                #expect(Self.receive(until: "\"hasEnded\":true", from: follower))
            }
            for socket in idle { socket.close() }
            try ask("after all of them")
        }
        await place.end()
    }

    private static func receive(until text: String, from socket: Socket) -> Bool {
        let wanted = Array(text.utf8)
        var all: [UInt8] = []
        while let bytes = socket.receive() {
            let from = max(0, all.count - wanted.count)
            all += bytes
            if all.indices.dropFirst(from).contains(where: { all[$0...].starts(with: wanted) }) { return true }
        }
        return false
    }

    @Test func `Only the allowed number of clients can follow a session, until one of them leaves`() async throws {
        let place = try await Self.place { $0.streams = 3 }
        let token = try await place.token(.application)
        let server = place.server
        try await place.client { client in
            let session = try Self.session(client, token)
            let target = "/v1/sessions/\(session)/outcomes"
            let request = "GET \(target) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n"
            let followers = try (0..<3).map { _ in
                let socket = try Socket.connected(to: server.port)
                socket.send(request.utf8)
                return socket
            }
            for follower in followers { #expect(Self.receive(until: "progress", from: follower)) }
            let refused = try client.send("GET", target, token: token)
            #expect(refused.status == 429 && refused.text.contains("'streams'") && refused.fields["retry-after"] != nil)
            // The server detects this at its next check, and closes its side.
            followers[0].shutDown(.sending)
            while followers[0].receive() != nil {}
            // The stream returns its slot as soon as its task has ended.
            let next = try Socket.connected(to: server.port)
            var isServed = false
            while !isServed {
                next.send(request.utf8)
                let answer = next.receive() ?? []
                isServed = String(decoding: answer, as: UTF8.self).contains("HTTP/1.1 200 ")
            }
        }
        await place.end()
    }

    // MARK: Tokens

    @Test func `Text that is not a token is never accepted as a token`() async throws {
        let place = try await Self.place()
        let (token, admin) = (try await place.token(.application), try await place.token(.admin))
        try await place.client { client in
            #expect(try client.send("PUT", Self.path + "/a", "{\"n\":1}", token: token).status == 201)
            var random = SplitMix64(seed: 43)
            var words = [
                "", " ", "x", "fcd_", String(token.dropLast()), token + "0", token.uppercased(), token + " ",
                " " + token,
                token + "," + admin, "Bearer " + token, "fcd_" + String(repeating: "0", count: 64),
                String(repeating: "x", count: 7_000), "\u{E9}\u{FE}", "fcd_\u{1F511}", token + "\u{E9}", "%66cd_0",
                "null",
                "' OR 1=1 --", token.replacing("fcd_", with: ""),
            ]
            for _ in 0..<500 {
                // One digit of a real token is changed.
                var letters = Array(token)
                let place = Int.random(in: 4..<letters.count, using: &random)
                letters[place] = letters[place] == "0" ? "1" : "0"
                words.append(String(letters))
                let count = Int.random(in: 1...90, using: &random)
                words.append(
                    String(
                        (0..<count).map { _ in Character(Unicode.Scalar(UInt8.random(in: 33...126, using: &random))) }
                    )
                )
            }
            for word in words {
                let answer = try client.send("PUT", Self.path + "/a", "{\"n\":2}", token: word)
                #expect(answer.status == 401 && answer.json["code"].text == "invalidToken", "\(word)")
                #expect(answer.fields["www-authenticate"] != nil && !answer.text.contains(String(token.suffix(20))))
            }
            for header in [token, "Basic \(token)", "bearer", "Bearer\t\(token)", "Digest \(token)"] {
                let headers = [("Authorization", header)]
                let answer = try client.send("PUT", Self.path + "/a", "{\"n\":2}", token: nil, headers: headers)
                #expect(answer.status == 401, "\(header)")
            }
            #expect(try client.send("GET", Self.path + "/a", token: token).text == "{\"n\":1}")
        }
        // A server that used the first of two headers, behind a proxy that checked the second, would be deceived.
        try await place.client { client in
            let headers = [("Authorization", "Bearer \(admin)")]
            let answer = try client.send("PUT", Self.path + "/a", "{\"n\":2}", token: token, headers: headers)
            #expect(answer.status == 400 && answer.json["code"].text == "ambiguousRequest")
        }
        await place.end()
    }

    // MARK: Bounds

    @Test func `The length of IDs and the depth of documents are limited, in a request and in a batch`() async throws {
        let place = try await Self.place { ($0.idBytes, $0.depth) = (10, 3) }
        let token = try await place.token(.application)
        try await place.client { client in
            let session = try Self.session(client, token)
            let (longest, tooLong) = ("0123456789", "0123456789a")
            let (deepest, tooDeep) = ("{\"a\":{\"b\":[1]}}", "{\"a\":{\"b\":[[1]]}}")
            #expect(try client.send("PUT", "\(Self.path)/\(longest)", deepest, token: token).status == 201)
            let id = try client.send("PUT", "\(Self.path)/\(tooLong)", deepest, token: token)
            #expect(id.status == 422 && id.text.contains("10 bytes"), "\(id.text)")
            let depth = try client.send("PUT", "\(Self.path)/a", tooDeep, token: token)
            #expect(depth.status == 400 && depth.text.contains("nested deeper than 3 levels"), "\(depth.text)")
            let target = "/v1/sessions/\(session)/batches/1"
            for (line, words) in [
                ("{\"id\":\"\(tooLong)\"}", "line 2"), ("{\"id\":\"a\",\"a\":{\"b\":[[1]]}}", "deeper than 3 levels"),
            ] {
                let answer = try client.send("PUT", target, "{\"id\":\"good\"}\n\(line)\n", token: token)
                #expect(answer.status == 422 && answer.text.contains(words), "\(answer.text)")
            }
            #expect(try client.send("GET", "\(Self.path)/good", token: token).status == 404)
            let good = "{\"id\":\"good\",\"a\":{\"b\":[1]}}\n"
            #expect(try client.send("PUT", target, good, token: token).status == 202)
        }
        await place.end()
    }

    @Test func `The documents and the bytes on a page are limited`() async throws {
        let place = try await Self.place { ($0.page, $0.body) = (30, 1_000) }
        let token = try await place.token(.application)
        try await place.client { client in
            let text = String(repeating: "x", count: 280)
            for number in 0..<25 {
                let answer = try client.send("PUT", "\(Self.path)/d\(number)", "{\"t\":\"\(text)\"}", token: token)
                #expect(answer.status == 201)
            }
            let refused = try client.send("GET", Self.path + "?limit=31", token: token)
            #expect(refused.status == 422 && refused.text.contains("1 to 30"))
            var (found, cursor, pages): (Set<String>, String?, Int) = ([], nil, 0)
            repeat {
                let next = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try client.send("GET", Self.path + "?limit=30" + next, token: token)
                try #require(page.status == 200, "\(page.text)")
                let ids = page.json["documents"].elements.compactMap { $0["id"].text }
                #expect(ids.count <= 4)
                found.formUnion(ids)
                cursor = page.json["next"].text
                pages += 1
            } while cursor != nil && pages < 30
            #expect(found.count == 25 && pages >= 7)
        }
        await place.end()
    }

    @Test func `The total size of all request bodies is limited, and its count returns to zero`() async throws {
        let place = try await Self.place { $0.receivingBytes = 100_000 }
        let token = try await place.token(.application)
        let server = place.server
        try await place.client { client in
            let body = "{\"t\":\"\(String(repeating: "x", count: 60_000))\"}"
            // Twenty bodies, one after another, never add up.
            for number in 0..<20 {
                #expect(try client.send("PUT", "\(Self.path)/d\(number)", body, token: token).status == 201)
            }
            let head = "PUT \(Self.path)/half HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
            let half = try Socket.connected(to: server.port)
            half.send("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body.prefix(59_000))".utf8)
            while place.receivingBytes < 59_000 { sched_yield() }
            let refused = try client.send("PUT", "\(Self.path)/e", body, token: token)
            #expect(refused.status == 429)
            #expect(refused.text.contains("'receiving-bytes'") && refused.fields["retry-after"] != nil)
            half.send(body.utf8.dropFirst(59_000))
            #expect(try DistributorClient(half).answer().status == 201)
            #expect(try client.send("PUT", "\(Self.path)/f", body, token: token).status == 201)
        }
        await place.end()
    }

    @Test func `A client with waiting batches does not delay other clients`() async throws {
        let store = try await WaitingStore()
        #expect(try await store.waits(of: "greedy (1)") == 0)
        for number in 1...3 { try await store.accept(number, of: "greedy (1)") }
        #expect(try await store.waits(of: "greedy (1)") == 300)
        #expect(try await store.waits(of: "modest (2)") == 0)
        try await store.release(through: 2, of: "greedy (1)")
        #expect(try await store.waits(of: "greedy (1)") == 100)

        let place = try await Self.place { $0.clientWaitingBytes = 1 }
        let (greedy, modest) = (try await place.token(.application), try await place.token(.application))
        try await place.client { client in
            for token in [greedy, modest] {
                let session = try Self.session(client, token)
                let target = "/v1/sessions/\(session)/batches/"
                #expect(try client.send("PUT", target + "1", "{\"id\":\"a\"}", token: token).status == 202)
                // The body of a batch is kept until the job no longer needs it.
                let more = try client.send("PUT", target + "2", "{\"id\":\"b\"}", token: token)
                #expect(more.status == 429 && more.text.contains("'client-waiting-bytes'"), "\(more.text)")
            }
        }
        await place.end()
    }

    /// A store whose batches are never fed, with a session for each client.
    private struct WaitingStore {
        let folder: TemporaryFolder
        let store: BatchStore

        init() async throws {
            folder = try TemporaryFolder()
            store = try BatchStore(path: folder.path("sessions.sqlite"))
            for owner in ["greedy (1)", "modest (2)"] {
                try await store.create(
                    BatchStore.Session(
                        id: owner,
                        collection: CollectionName(rawValue: "Web"),
                        owner: owner,
                        missing: .error,
                        job: nil,
                        lastBatch: 0,
                        operations: 0,
                        isClosed: false
                    )
                )
            }
        }

        func waits(of owner: String) async throws -> Int { try await store.waitingBytes(of: owner) }

        func accept(_ number: Int, of owner: String) async throws {
            let body = [UInt8](repeating: 120, count: 100)
            let batch = BatchStore.Batch(number: UInt64(number), kind: .add, first: 0, count: 1, body: body)
            let answer = try await store.accept(batch, of: owner, digest: [UInt8(number)])
            #expect(answer == .accepted(first: UInt64(number), count: 1, isRepeated: false))
        }

        func release(through number: UInt64, of owner: String) async throws {
            try await store.release(through: number, of: owner)
        }
    }
}
