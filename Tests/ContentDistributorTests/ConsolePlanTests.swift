import ConsolePages
import Foundation
import HTTPService
import JSONText
import TestSupport
import Testing

@testable import ContentDistributor

/// Two users with browsers: one plans a removal, the other approves it, and it is applied and undone.
@Suite(.timeLimit(.minutes(2)))
struct ConsolePlanTests {
    /// A browser in which a user has signed in.
    private struct Browser {
        let client: DistributorClient
        let cookie: String
        let csrf: String

        private static let own = [("Sec-Fetch-Site", "same-origin"), ("Origin", "http://x")]
        private static let formType = ("Content-Type", "application/x-www-form-urlencoded")

        init(_ token: String, _ client: DistributorClient) throws {
            self.client = client
            let body = "token=\(token)&next=/console/plans"
            let answer = try client.send(
                "POST",
                "/console/sign-in",
                body,
                token: nil,
                headers: Self.own + [Self.formType]
            )
            cookie = String(try #require(answer.fields["set-cookie"]).prefix { $0 != ";" })
            let page = try client.send("GET", "/console/plans", token: nil, headers: Self.own + [("Cookie", cookie)])
            csrf = String(try #require(page.text.firstMatch(of: /data-csrf="([0-9a-f]{64})"/), "\(page.text)").1)
        }

        func get(_ path: String) throws -> DistributorClient.Answer {
            try client.send("GET", path, token: nil, headers: Self.own + [("Cookie", cookie)])
        }

        func post(_ path: String, _ form: [(String, String)] = []) throws -> DistributorClient.Answer {
            let fields = ([("csrf", csrf)] + form).map { (name: $0.0, value: $0.1) }
            return try client.send(
                "POST",
                path,
                String(ConsolePath.of(query: fields).drop { $0 != "?" }.dropFirst()),
                token: nil,
                headers: Self.own + [Self.formType, ("Cookie", cookie)]
            )
        }

        /// Returns the page of a plan once it contains a text.
        func page(_ path: String, with text: String) throws -> String {
            let end = ContinuousClock.now.advanced(by: .seconds(60))
            while true {
                let page = try get(path)
                if page.text.contains(text) { return page.text }
                try #require(ContinuousClock.now < end && page.status == 200, "\(page.text)")
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
    }

    private static func state(_ word: String) -> String { "<dd><strong role=\"status\">\(word)</strong></dd>" }

    private static func action(_ path: String, _ name: String) -> String { "action=\"\(path)/\(name)\"" }

    /// Starts a server with one rule for all actions on documents.
    private func place(rule: String = "application-key") async throws -> LiveDistributor {
        let console = Console(
            title: "Test",
            isWritable: true,
            lifetime: .seconds(3600),
            identity: nil,
            maximumBody: { 1 << 20 }
        )
        let rules = Dictionary(uniqueKeysWithValues: AccessVerb.allCases.map { ($0, rule) })
        return try await LiveDistributor(["Web": rules], behind: console)
    }

    @Test func `A removal is planned from a search by one person, approved by another, applied and undone`()
        async throws
    {
        let place = try await place()
        let admin = try await place.token(.admin)
        let tokens = (try await place.token(.application), try await place.token(.application))
        try await place.client { client in
            for (id, json) in [("a", #"{"s":"old"}"#), ("b", #"{"s":"old"}"#), ("c", #"{"s":"new"}"#)] {
                let path = "/v1/collections/Web/documents/\(id)"
                #expect(try client.send("PUT", path, json, token: admin).status == 201)
            }
            let (ann, ben) = (try Browser(tokens.0, client), try Browser(tokens.1, client))
            // The search links to the plan for the same query.
            let search = try ann.get("/console/collections/Web?where=s%3Dold")
            let link = try #require(search.text.firstMatch(of: /href="(\/console\/collections\/Web\/plan\?[^"]*)"/)).1
            let form = try ann.get(String(link))
            #expect(form.text.contains("name=\"where\" value=\"s=old\""))
            let made = try ann.post("/console/collections/Web/plan", [("kind", "query"), ("where", "s=old")])
            let path = try #require(made.fields["location"], "\(made.text)")
            let plan = try ann.get(path)
            #expect(plan.text.contains(Self.state("planned")) && plan.text.contains("2 of 2 shown"))
            for id in ["a", "b"] { #expect(plan.text.contains("/console/collections/Web/documents/\(id)\"")) }
            #expect(!plan.text.contains("/documents/c\""))

            // The author can't approve the plan; another person can, once.
            #expect(!plan.text.contains(Self.action(path, "approval")))
            let own = try ann.post(path + "/approval")
            #expect(own.status == 403 && own.text.contains("the author of a plan can&#39;t approve it"))
            #expect(try ben.get("/console/plans").text.contains("href=\"\(path)\""))
            #expect(try ben.get(path).text.contains(Self.action(path, "approval")))
            #expect(try ben.post(path + "/approval").fields["location"] == path)
            let approved = try ann.get(path).text
            #expect(approved.contains(Self.state("approved")) && !approved.contains(Self.action(path, "approval")))
            #expect(try ben.post(path + "/approval").status == 409)

            // The name of the collection is typed; the digest comes from the page.
            let digest = String(try #require(approved.firstMatch(of: /name="digest" value="([0-9a-f]+)"/)).1)
            for wrong in [[("typed", "web"), ("digest", digest)], [("typed", "Web"), ("digest", "0")]] {
                let answer = try ann.post(path + "/application", wrong)
                #expect(answer.status == 409 && answer.text.contains("nothing was changed"), "\(answer.text)")
            }
            #expect(try ann.get("/console/collections/Web/documents/a").status == 200)
            let applied = try ann.post(path + "/application", [("typed", "Web"), ("digest", digest)])
            #expect(applied.status == 303 && applied.fields["location"] == path, "\(applied.text)")
            let after = try ann.page(path, with: Self.state("applied"))
            #expect(after.contains("<dt>removed</dt><dd>2</dd>") && after.contains("2 of 2 operations"))
            #expect(!after.contains("data-refresh") && !after.contains(Self.action(path, "application")))
            #expect(try ann.get("/console/collections/Web/documents/a").status == 404)

            // Documents that have changed since then are kept, and are listed.
            #expect(try client.send("PUT", "/v1/collections/Web/documents/b", "{}", token: admin).status == 201)
            #expect(after.contains(Self.action(path, "undo")))
            #expect(try ben.post(path + "/undo").fields["location"] == path)
            let undone = try ben.page(path, with: Self.state("undone"))
            #expect(undone.contains("Documents left as they are") && !undone.contains(Self.action(path, "undo")))
            #expect(try ann.get("/console/collections/Web/documents/a").status == 200)
            let kept = try client.send("GET", "/v1/collections/Web/documents/b", token: admin)
            #expect(kept.text == "{}")

            // Its author deletes it; others do not see a button for that.
            #expect(!undone.contains(Self.action(path, "removal")))
            #expect(try ann.post(path + "/removal").fields["location"] == "/console/plans")
            #expect(try ann.get(path).status == 404)
        }
        let log = try String(contentsOfFile: place.folder.path("state/audit.log"), encoding: .utf8)
        for action in ["plan to remove", "approve plan", "apply plan: done", "undo plan: done", "delete plan"] {
            #expect(log.contains("\"action\":\"\(action)\""), "\(action)")
        }
        await place.end()
    }

    @Test
    func `An upload shows its effect on each document, and the location of each defect`()
        async throws
    {
        let place = try await place()
        let token = try await place.token(.application)
        try await place.client { client in
            for (id, json) in [("a", #"{"id":"a","n":1}"#), ("b", #"{"id":"b","n":2}"#)] {
                let path = "/v1/collections/Web/documents/\(id)"
                #expect(try client.send("PUT", path, json, token: token).status == 201)
            }
            let browser = try Browser(token, client)
            let documents = "{\"id\":\"a\",\"n\":1}\r\n{\"id\":\"b\",\"n\":3}\r\n{\"id\":\"c\",\"n\":4}\r\n"
            let made = try browser.post("/console/collections/Web/plan", [("kind", "put"), ("documents", documents)])
            let path = try #require(made.fields["location"], "\(made.text)")
            let page = try browser.get(path).text
            for (name, count) in [("added", 1), ("replaced", 1), ("already as they should be", 1), ("removed", 0)] {
                #expect(page.contains("<th scope=\"row\">\(name)</th><td class=\"number\">\(count)</td>"), "\(name)")
            }
            #expect(page.contains("<strong>3</strong>"))
            let wrong = try browser.post(
                "/console/collections/Web/plan",
                [("kind", "put"), ("documents", documents + "{\"id\":\"a\"}")]
            )
            #expect(wrong.status == 400 || wrong.status == 422)
            #expect(wrong.text.contains("occurs twice") && wrong.text.contains("{&quot;id&quot;:&quot;c&quot;"))
        }
        await place.end()
    }

    @Test func `A plan is not shown to a person whose rule does not admit it`() async throws {
        let place = try await place(rule: "user.tenant == document.tenant")
        let (ann, ben) = (try await place.token(.user, ["tenant": "a"]), try await place.token(.user, ["tenant": "b"]))
        try await place.client { client in
            let path = "/v1/collections/Web/documents/a"
            #expect(try client.send("PUT", path, #"{"tenant":"a"}"#, token: ann).status == 201)
            let (own, other) = (try Browser(ann, client), try Browser(ben, client))
            let made = try own.post("/console/collections/Web/plan", [("kind", "ids"), ("ids", "a\r\nz")])
            let plan = try #require(made.fields["location"], "\(made.text)")
            let page = try own.get(plan).text
            #expect(page.contains("<th scope=\"row\">removed</th><td class=\"number\">1</td>"))
            #expect(page.contains("you may not change it</th><td class=\"number\">1</td>"))
            #expect(try other.get(plan).status == 404)
            #expect(try other.post(plan + "/approval").status == 404)
            #expect(!(try other.get("/console/plans").text.contains(plan)))
        }
        await place.end()
    }

    @Test func `A conflict of an offline copy is resolved key by key, and written on the version that was shown`()
        async throws
    {
        let place = try await place()
        let token = try await place.token(.application)
        try await place.client { client in
            let path = "/v1/collections/Web/documents/a"
            #expect(try client.send("PUT", path, #"{"title":"Now","n":1}"#, token: token).status == 201)
            let browser = try Browser(token, client)
            let sides = #"{"here":{"title":"Mine"},"origin":{"title":"Then"}}"#
            let entry = "{\"documentID\":\"a\",\"code\":\"version-conflict\",\"conflict\":\(sides)}"
            let form = [("collection", "Web"), ("file", "[\(entry)]")]
            let page = try browser.post("/console/conflicts", form)
            #expect(page.text.contains("Now") && page.text.contains("Mine"))
            let tag = try #require(page.text.firstMatch(of: /name="tag 0" value="([^"]*)"/), "\(page.text)").1
            let choice = [("tag 0", tag.replacing("&quot;", with: "\"")), ("choice 0 title", "mine")]
            let choices = form + choice.map { ($0.0, String($0.1)) }
            let done = try browser.post("/console/conflicts/choices", choices)
            #expect(done.text.contains("1 documents were written, 0 stay as they are, 0 could not"), "\(done.text)")
            let stored = try client.send("GET", path, token: token)
            #expect(stored.json["title"].text == "Mine" && stored.json["n"].int == 1)
        }
        await place.end()
    }
}
