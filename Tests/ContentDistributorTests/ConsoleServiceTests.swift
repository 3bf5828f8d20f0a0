import ConsolePages
import Foundation
import HTTPService
import JSONText
import TestSupport
import Testing

@testable import ContentDistributor

/// The console in front of a server, through real connections.
@Suite(.timeLimit(.minutes(2)))
struct ConsoleServiceTests {
    private func console(isWritable: Bool = true) -> Console {
        Console(
            title: "Test",
            isWritable: isWritable,
            lifetime: .seconds(3600),
            identity: nil,
            maximumBody: { 1 << 20 }
        )
    }

    private static let own = [("Sec-Fetch-Site", "same-origin"), ("Origin", "http://x")]

    @Test func `A user signs in, sees only the documents that the user's rule admits, and edits one`() async throws {
        let rule = "user.tenant == document.tenant"
        let rules: [AccessVerb: String] = [.read: rule, .insert: rule, .update: rule, .delete: rule]
        let place = try await LiveDistributor(["Web": rules], behind: console())
        let (admin, ann) = (try await place.token(.admin), try await place.token(.user, ["tenant": "a"]))
        let path = "/console/collections/Web/documents/a1"
        try await place.client { client in
            for (id, tenant) in [("a1", "a"), ("b1", "b")] {
                let json = #"{"tenant":"\#(tenant)","title":"<i>\#(id)</i>"}"#
                let answer = try client.send("PUT", "/v1/collections/Web/documents/\(id)", json, token: admin)
                #expect(answer.status == 201)
            }
            let (cookie, csrf) = try Self.signIn(ann, client)
            let list = try client.send("GET", "/console/collections/Web", token: nil, headers: Self.own + [cookie])
            #expect(list.status == 200)
            #expect(list.text.contains("&lt;i&gt;a1&lt;/i&gt;") && !list.text.contains("b1&lt;"), "\(list.text)")
            let other = try client.send(
                "GET",
                "/console/collections/Web/documents/b1",
                token: nil,
                headers: Self.own + [cookie]
            )
            #expect(other.status == 404)
            let page = try client.send("GET", path, token: nil, headers: Self.own + [cookie])
            let tag = try #require(page.text.firstMatch(of: /name="tag" value="([^"]*)"/)).1
                .replacing("&quot;", with: "%22")
            let json = "%7B%22tenant%22:%22a%22,%22title%22:%22new%22%7D"
            let form = "csrf=\(csrf)&tag=\(tag)&json=\(json)"
            let fields = Self.own + [cookie, ("Content-Type", "application/x-www-form-urlencoded")]
            let saved = try client.send("POST", path, form, token: nil, headers: fields)
            #expect(saved.status == 303, "\(saved.text)")
            let stored = try client.send("GET", "/v1/collections/Web/documents/a1", token: admin)
            #expect(stored.json["title"].text == "new")
            // The page that was opened earlier now shows an old version.
            let late = try client.send("POST", path, form, token: nil, headers: fields)
            #expect(late.status == 409)
        }
        let lines = try String(contentsOfFile: place.folder.path("state/audit.log"), encoding: .utf8)
        // The administrator's write, and the user's two writes, of which one was refused.
        #expect(
            lines.split(separator: "\n").count { $0.contains("\"subject\":\"a1\"") && $0.contains("test (") } == 3,
            "\(lines)"
        )
        await place.end()
    }

    @Test func `A script can use the API with the cookie, and can write only if the console can`() async throws {
        let place = try await LiveDistributor(["Web": [:]], behind: console(isWritable: false))
        let admin = try await place.token(.admin)
        try await place.client { client in
            let (cookie, csrf) = try Self.signIn(admin, client)
            let names = try client.send("GET", "/v1/collections", token: nil, headers: Self.own + [cookie])
            #expect(names.json["collections"].elements.compactMap(\.text) == ["Web"])
            let fields = Self.own + [cookie, ("X-CSRF-Token", csrf)]
            let path = "/v1/collections/Web/documents/a"
            let put = try client.send("PUT", path, "{}", token: nil, headers: fields)
            #expect(put.status == 403 && put.json["code"].text == "readOnly")
            #expect(try client.send("PUT", path, "{}", token: admin).status == 201)
        }
        await place.end()
    }

    /// Signs in, and returns the cookie's header field and the session's token.
    private static func signIn(_ token: String, _ client: DistributorClient) throws -> ((String, String), String) {
        let answer = try client.send(
            "POST",
            "/console/sign-in",
            "token=\(token)&next=/console/collections",
            token: nil,
            headers: own + [("Content-Type", "application/x-www-form-urlencoded")]
        )
        #expect(answer.status == 303, "\(answer.text)")
        let cookie = ("Cookie", String(try #require(answer.fields["set-cookie"]).prefix { $0 != ";" }))
        let page = try client.send("GET", "/console/collections", token: nil, headers: own + [cookie])
        let csrf = try #require(page.text.firstMatch(of: /data-csrf="([0-9a-f]{64})"/), "\(page.text)").1
        return (cookie, String(csrf))
    }
}
