import HTTPService
import TestSupport
import Testing
import Threads

@testable import ContentDistributor

/// Damaged requests from a client: none has an effect or a response beyond the client's rights, and the server responds
/// to other clients as before.
@Suite(.timeLimit(.minutes(Int(FuzzRun.seconds ?? 0) / 60 + 2)))
struct DistributorFuzzTests {
    private static let canary = "Zk8canaryQ"

    @Test func `Malformed requests never exceed the client's rights`() async throws {
        let verbs = AccessVerb.allCases
        let live = try await LiveDistributor([
            "Web": Dictionary(uniqueKeysWithValues: verbs.map { ($0, "users") }),
            "Other": Dictionary(uniqueKeysWithValues: verbs.map { ($0, "admins") }),
        ]) {
            $0.sessions = 20
        } server: {
            $0.limits.headerDeadline = .milliseconds(200)
        }
        let (token, administrator) = (try await live.token(.user), try await live.token(.admin))
        let secret = "/v1/collections/Other/documents/secret"
        try await live.client { client in
            let written = try client.send("PUT", secret, "{\"text\":\"\(Self.canary)\"}", token: administrator)
            #expect(written.status == 201)
            #expect(try client.send("GET", secret, token: token).status == 403)
        }
        let requests = Self.requests(token)
        let port = live.server.port
        let problem = try await onOwnThread {
            Result {
                try FuzzRun.problem("HTTP", few: 150) { seed in
                    var mutation = ByteMutation(seed: seed)
                    let client = try Socket.connected(to: port)
                    client.send(mutation.mutated(requests, maximumBytes: 1_500))
                    client.shutDown(.sending)
                    return Self.problem(in: String(decoding: client.receiveAll(), as: UTF8.self))
                }
            }
        }.get()
        #expect(problem == nil)
        try await live.client { client in
            let read = try client.send("GET", secret, token: administrator)
            #expect(read.status == 200 && read.text.contains(Self.canary), "\(read.text)")
        }
        await live.end()
    }

    /// The control: a response with another client's document or with an internal error is detected as a problem.
    @Test func `A response that exceeds the client's rights is detected`() {
        #expect(Self.problem(in: "") == nil)
        #expect(Self.problem(in: "HTTP/1.1 403 Forbidden\r\n\r\n") == nil)
        #expect(Self.problem(in: "HTTP/1.1 200 OK\r\n\r\n{\"text\":\"\(Self.canary)\"}") != nil)
        #expect(Self.problem(in: "HTTP/1.1 500 Internal Server Error\r\n\r\n") != nil)
        #expect(Self.problem(in: "<html>") != nil)
    }

    private static func problem(in answer: String) -> String? {
        guard !answer.contains(canary) else { return "a document of another collection: \(answer)" }
        guard answer.isEmpty || answer.hasPrefix("HTTP/1.") else { return "not HTTP: \(answer.prefix(200))" }
        return answer.hasPrefix("HTTP/1.1 500") ? "an internal error: \(answer)" : nil
    }

    /// Valid requests of a user, some of them for actions that only administrators may perform.
    private static func requests(_ token: String) -> [[UInt8]] {
        let requests = [
            ("PUT", "/v1/collections/Web/documents/a", "application/json", "{\"n\":1,\"t\":\"x\"}"),
            ("PATCH", "/v1/collections/Web/documents/a", "application/json", "{\"n\":{\"$inc\":1}}"),
            ("DELETE", "/v1/collections/Web/documents/a%2Fb?routing=x", "", ""),
            ("GET", "/v1/collections/Web/documents?words=x&limit=5&cursor=0&fields=n", "", ""),
            ("POST", "/v1/collections/Web/documents", "application/json", "{\"n\":2}"),
            (
                "POST", "/v1/collections/Web/lookups", "application/x-ndjson",
                "\"a\"\n{\"id\":\"b\",\"routing\":\"c\"}\n"
            ),
            ("POST", "/v1/collections/Web/sessions?outcomes=all", "application/x-ndjson", ""),
            (
                "PUT", "/v1/sessions/F6KWZ2XERXQ9FTBY/batches/1", "application/x-ndjson",
                "{\"id\":\"a\"}\n{\"remove\":\"b\"}\n"
            ),
            ("GET", "/v1/collections/Other/documents/secret", "", ""),
            ("POST", "/v1/collections/Other/lookups", "application/x-ndjson", "\"secret\"\n"),
            ("GET", "/v1/audit?limit=100&text=secret", "", ""), ("GET", "/metrics", "", ""),
            ("POST", "/v1/tokens", "application/json", "{\"name\":\"x\",\"role\":\"admin\"}"),
            ("GET", "/v1/collections/Other/changes?after=-1", "", ""),
        ]
        return requests.map { method, target, type, body in
            var text =
                "\(method) \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer \(token)\r\n"
            if !type.isEmpty { text += "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n" }
            return Array((text + "\r\n" + body).utf8)
        }
    }
}
