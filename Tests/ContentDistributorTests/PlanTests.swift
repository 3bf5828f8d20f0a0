import ContentFeeding
import Foundation
import HTTPService
import Hooks
import JSONText
import TestSupport
import Testing

@testable import ContentDistributor
@testable import FeedJobs

/// Plans over the API: made by one user, approved by another, applied, undone, and never exceeding the planned changes.
struct PlanTests {
    private let base = DistributorTests()
    private static let path = "/v1/collections/Web/plans"

    private func server(
        _ place: DistributorTests.Place,
        _ change: (inout DistributorSettings) throws -> Void = { _ in }
    ) async throws -> ContentDistributor {
        var settings = place.settings
        try change(&settings)
        return try await ContentDistributor(settings) { _ in }
    }

    private func send(
        _ method: RequestMethod,
        _ target: String,
        _ body: String = "",
        token: String?,
        to server: ContentDistributor
    ) async throws -> DistributorTests.Answer {
        try await base.send(method, target, body, token: token, to: server)
    }

    private func put(_ documents: [String: String], token: String, to server: ContentDistributor) async throws {
        for (id, json) in documents {
            let answer = try await send(.put, "/v1/collections/Web/documents/\(id)", json, token: token, to: server)
            try #require([201, 204].contains(answer.status), "\(answer.text)")
        }
    }

    private func document(_ id: String, token: String, on server: ContentDistributor) async throws -> String? {
        let answer = try await send(.get, "/v1/collections/Web/documents/\(id)", token: token, to: server)
        return answer.status == 200 ? answer.text : nil
    }

    private func plan(_ body: String, token: String, on server: ContentDistributor) async throws -> JSONValue {
        let answer = try await send(.post, Self.path, body, token: token, to: server)
        try #require(answer.status == 201, "\(answer.text)")
        #expect(answer.headers["Location"] == "/v1/plans/\(answer.json["plan"].text ?? "")")
        return answer.json
    }

    private func apply(
        _ plan: JSONValue,
        token: String,
        on server: ContentDistributor
    ) async throws -> DistributorTests.Answer {
        let body = "{\"collection\":\"Web\",\"digest\":\"\(plan["digest"].text ?? "")\"}"
        return try await send(.post, "/v1/plans/\(plan["plan"].text ?? "")/application", body, token: token, to: server)
    }

    /// Returns a plan once it is in the given state.
    private func plan(
        _ id: String,
        as state: String,
        token: String,
        on server: ContentDistributor
    ) async throws -> JSONValue {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        while true {
            let answer = try await send(.get, "/v1/plans/\(id)", token: token, to: server)
            if answer.json["state"].text == state { return answer.json }
            try #require(ContinuousClock.now < end && answer.status == 200, "\(answer.text)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func counts(_ plan: JSONValue) -> [String: Int] {
        let counts = plan["counts"].members.map { ($0.key, $0.value.int ?? -1) }
        return Dictionary(uniqueKeysWithValues: counts.filter { $0.1 != 0 })
    }

    private func auditLog(_ place: DistributorTests.Place) throws -> String {
        try String(contentsOfFile: place.settings.state + "/audit.log", encoding: .utf8)
    }

    // MARK: From the plan to its undo

    @Test func `A removal is planned by one person, approved by another, applied, and undone`() async throws {
        let place = try await DistributorTests.Place()
        let server = try await server(place) { $0.plans.requiresApproval = true }
        let (author, other) = (try await place.token(.application), try await place.token(.application))
        let documents = ["a": "{\"n\":1}", "b": "{\"n\":2}", "c": "{\"n\":3}"]
        try await put(documents, token: author, to: server)

        let plan = try await plan("{\"remove\":{\"ids\":[\"a\",{\"id\":\"b\"},\"z\"]}}", token: author, on: server)
        let id = try #require(plan["plan"].text)
        #expect(plan["state"].text == "planned" && plan["approvalRequired"].bool == true)
        #expect(counts(plan) == ["remove": 2, "missing": 1])
        #expect(plan["samples"].elements.map { $0["id"].text } == ["a", "b"])
        #expect(plan["samples"].elements.allSatisfy { $0["version"].text != nil && $0["operation"].text == "remove" })
        #expect(try await document("a", token: author, on: server) != nil, "a plan changes nothing")

        func possible(_ token: String) async throws -> [String] {
            let answer = try await send(.get, "/v1/plans/\(id)", token: token, to: server)
            return answer.json["possible"].elements.compactMap(\.text)
        }
        #expect(try await possible(author) == ["delete"])
        #expect(try await possible(other) == ["approve"])
        // Neither an author's approval nor an application without an approval is accepted.
        #expect(try await apply(plan, token: author, on: server).json["code"].text == "notApproved")
        let own = try await send(.post, "/v1/plans/\(id)/approval", token: author, to: server)
        #expect(own.status == 403 && own.json["code"].text == "ownPlan")
        let approved = try await send(.post, "/v1/plans/\(id)/approval", token: other, to: server)
        #expect(approved.status == 200 && approved.json["state"].text == "approved")
        let (name, approver) = (approved.json["author"].text ?? "", approved.json["approver"].text ?? "")
        #expect(name != approver && name.hasPrefix("test (") && approver.hasPrefix("test ("))
        #expect(try await send(.post, "/v1/plans/\(id)/approval", token: other, to: server).status == 409)

        #expect(try await possible(author) == ["apply", "delete"])
        #expect(try await possible(other) == ["apply"])
        #expect(try await apply(plan, token: author, on: server).status == 202)
        let applied = try await self.plan(id, as: "applied", token: author, on: server)
        #expect(try await possible(other) == ["undo"])
        #expect(applied["application"]["outcomes"]["removed"].int == 2 && applied["application"]["errors"].int == 0)
        #expect(try await document("a", token: author, on: server) == nil)
        #expect(try await document("c", token: author, on: server) == documents["c"])
        let backup = place.settings.state + "/plans/\(id).backup.jsonl"
        let rights = try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        #expect(try await apply(plan, token: author, on: server).json["code"].text == "wrongState")

        // Documents that have changed since then are kept.
        try await put(["b": "{\"n\":22}"], token: other, to: server)
        #expect(try await send(.post, "/v1/plans/\(id)/undo", token: other, to: server).status == 202)
        let undone = try await self.plan(id, as: "undone", token: author, on: server)
        #expect(try await document("a", token: author, on: server) == documents["a"])
        #expect(try await document("b", token: author, on: server) == "{\"n\":22}")
        #expect(undone["undo"]["errors"].int == 1)
        #expect(try await possible(author) == ["delete"])
        #expect(undone["undo"]["issues"].elements.map { $0["id"].text } == ["b"])
        #expect(try await send(.post, "/v1/plans/\(id)/undo", token: other, to: server).status == 409)

        let log = try auditLog(place)
        #expect(log.contains("\"subject\":\"plan \(id) by \(name), approved by \(approver)\""))
        for action in ["plan to remove", "approve plan", "apply plan", "apply plan: done", "undo plan: done"] {
            #expect(log.contains("\"action\":\"\(action)\""), "\(action)")
        }
        await server.drain()
    }

    @Test func `A plan changes only documents that have not changed since, and reports the others`() async throws {
        let place = try await DistributorTests.Place()
        let server = try await server(place)
        let token = try await place.token(.application)
        try await put(
            ["a": "{\"id\":\"a\",\"n\":1}", "b": "{\"id\":\"b\",\"n\":2}", "c": "{\"id\":\"c\",\"n\":3}"],
            token: token,
            to: server
        )
        let body = """
            {"put":[{"id":"a","n":10},{"id":"b","n":20},{"id":"c",
            "n":3},{"id":"new","n":4}]}
            """
        let plan = try await plan(body, token: token, on: server)
        let id = try #require(plan["plan"].text)
        #expect(counts(plan) == ["add": 1, "replace": 2, "unchanged": 1])
        #expect(plan["guards"].elements.map { $0["name"].text } == ["max-replace"])
        let all = try await send(.get, "/v1/plans/\(id)/operations?limit=2", token: token, to: server).json
        #expect(all["operations"].elements.map { $0["operation"].text } == ["replace", "replace"])
        let next = try #require(all["next"].text)
        let rest = try await send(.get, "/v1/plans/\(id)/operations?cursor=\(next)", token: token, to: server).json
        #expect(rest["operations"].elements.map { $0["id"].text } == ["new"] && rest["next"] == .null)

        try await put(["b": "{\"id\":\"b\",\"n\":\"mine\"}"], token: token, to: server)
        #expect(try await apply(plan, token: token, on: server).status == 202)
        let applied = try await self.plan(id, as: "applied", token: token, on: server)
        let outcomes = applied["application"]["outcomes"]
        #expect(outcomes["added"].int == 1 && outcomes["updated"].int == 1 && outcomes["failed"].int == 1)
        #expect(applied["application"]["issues"].elements.map { $0["id"].text } == ["b"])
        #expect(try await document("b", token: token, on: server) == "{\"id\":\"b\",\"n\":\"mine\"}")
        #expect(try await document("a", token: token, on: server)?.contains("10") == true)

        #expect(try await send(.post, "/v1/plans/\(id)/undo", token: token, to: server).status == 202)
        _ = try await self.plan(id, as: "undone", token: token, on: server)
        #expect(try await document("a", token: token, on: server) == "{\"id\":\"a\",\"n\":1}")
        #expect(try await document("new", token: token, on: server) == nil)
        await server.drain()
    }

    @Test func `The documents that match a query are planned, and documents added later are not`() async throws {
        let place = try await DistributorTests.Place()
        let server = try await server(place)
        let token = try await place.token(.application)
        try await put(
            ["a": "{\"lang\":\"de\"}", "b": "{\"lang\":\"en\"}", "c": "{\"lang\":\"de\"}"],
            token: token,
            to: server
        )
        let plan = try await plan("{\"remove\":{\"where\":[\"lang=de\"]}}", token: token, on: server)
        #expect(counts(plan) == ["remove": 2])
        try await put(["d": "{\"lang\":\"de\"}"], token: token, to: server)
        #expect(try await apply(plan, token: token, on: server).status == 202)
        _ = try await self.plan(plan["plan"].text ?? "", as: "applied", token: token, on: server)
        var left: [String] = []
        for id in ["a", "b", "c", "d"] where try await document(id, token: token, on: server) != nil { left.append(id) }
        #expect(left == ["b", "d"])
        await server.drain()
    }

    // MARK: Refusals

    @Test func `With a wrong digest, a wrong name or a damaged file, nothing is applied`() async throws {
        let place = try await DistributorTests.Place()
        let server = try await server(place)
        let token = try await place.token(.application)
        try await put(["a": "{}"], token: token, to: server)
        let plan = try await plan("{\"remove\":{\"ids\":[\"a\"]}}", token: token, on: server)
        let (id, digest) = (try #require(plan["plan"].text), try #require(plan["digest"].text))
        let path = "/v1/plans/\(id)/application"
        for (body, field) in [
            ("{\"collection\":\"web\",\"digest\":\"\(digest)\"}", "collection"),
            ("{\"digest\":\"\(digest)\"}", "collection"),
            ("{\"collection\":\"Web\",\"digest\":\"\(digest.dropLast())\"}", "digest"),
            ("{\"collection\":\"Web\"}", "digest"),
        ] {
            let answer = try await send(.post, path, body, token: token, to: server)
            #expect(answer.status == 409 && answer.json["field"].text == field, "\(answer.text)")
        }
        #expect(try await send(.post, path, "", token: token, to: server).status == 400)
        let early = try await send(.post, "/v1/plans/\(id)/undo", token: token, to: server)
        #expect(early.json["code"].text == "wrongState")
        await server.drain()

        // This is a new server, which did not read the file before it was edited.
        let file = place.settings.state + "/plans/\(id).plan"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let edited = text.replacing("\"remove\":\"a\"", with: "\"remove\":\"b\"")
        #expect(edited != text)
        try edited.write(toFile: file, atomically: true, encoding: .utf8)
        let next = try await self.server(place)
        #expect(try await apply(plan, token: token, on: next).json["code"].text == "planDamaged")
        #expect(try await document("a", token: token, on: next) == "{}")
        await next.drain()
    }

    @Test(arguments: [
        "", "[]", "{}", "{\"remove\":{}}", "{\"remove\":{\"ids\":[]}}", "{\"remove\":{\"ids\":[1.5]}}",
        "{\"remove\":{\"ids\":[\"a\",\"a\"]}}", "{\"remove\":{\"where\":[\"x\"]}}", "{\"remove\":{\"order\":\"x\"}}",
        "{\"remove\":{\"words\":\" \"}}", "{\"put\":[]}", "{\"put\":[{\"n\":1}]}", "{\"put\":{\"id\":\"a\"}}",
        "{\"put\":[{\"id\":\"a\"}],\"remove\":{\"ids\":[\"a\"]}}", "{\"put\":[{\"id\":\"a\"}],\"reconcile\":\"x\"}",
    ])
    func `A request that plans no change, or more than one kind of change, is refused`(body: String) async throws {
        let place = try await DistributorTests.Place()
        let server = try await server(place)
        let token = try await place.token(.application)
        let answer = try await send(.post, Self.path, body, token: token, to: server)
        #expect([400, 422].contains(answer.status), "\(answer.text)")
        #expect(try await send(.get, "/v1/plans", token: token, to: server).json["plans"].elements.isEmpty)
        await server.drain()
    }

    @Test func `A plan that exceeds a limit is shown as guarded, and not applied`() async throws {
        let place = try await DistributorTests.Place()
        let server = try await server(place) { $0.plans.maximumRemovals = .percent(50) }
        let token = try await place.token(.application)
        try await put(["a": "{}", "b": "{}", "c": "{}"], token: token, to: server)
        let plan = try await plan("{\"remove\":{\"ids\":[\"a\",\"b\"]}}", token: token, on: server)
        #expect(counts(plan) == ["remove": 2, "guarded": 2])
        let limit = try #require(plan["guards"].elements.first)
        #expect(limit["name"].text == "max-remove" && limit["limit"].text == "50.0%" && limit["holds"].bool == false)
        #expect(limit["planned"].int == 2 && limit["allowed"].int == 1)
        let refused = try await apply(plan, token: token, on: server)
        #expect(refused.status == 409 && refused.json["code"].text == "guarded")
        #expect(try await document("a", token: token, on: server) != nil)
        // The limit refers to the collection at the time when the plan is applied.
        try await put(["d": "{}"], token: token, to: server)
        #expect(try await apply(plan, token: token, on: server).status == 202)
        _ = try await self.plan(plan["plan"].text ?? "", as: "applied", token: token, on: server)
        await server.drain()
    }

    @Test func `A document that a hook protects is counted with its reason, and the others are planned`() async throws {
        let place = try await DistributorTests.Place()
        let server = try await server(place) { settings in
            let hook = DocumentHook(on: [.insert, .update], .require(["title"]))
            settings.collections["Web"]?.hooks = DocumentHooks([hook])
        }
        let token = try await place.token(.application)
        let plan = try await plan(
            "{\"put\":[{\"id\":\"a\",\"title\":\"A\"},{\"id\":\"b\"}]}",
            token: token,
            on: server
        )
        #expect(counts(plan) == ["add": 1, "refused": 1])
        #expect(plan["refusals"].elements.map { $0["id"].text } == ["b"])
        await server.drain()
    }

    // MARK: Rights

    @Test func `A tenant can plan changes only to its own documents, and no other tenant sees the plan`() async throws {
        let place = try await DistributorTests.Place(rules: "user.tenant == document.tenant")
        let server = try await server(place)
        let admin = try await place.token(.admin)
        let (one, two) = (
            try await place.token(.user, ["tenant": "1"]), try await place.token(.user, ["tenant": "2"])
        )
        let colleague = try await place.token(.user, ["tenant": "1"])
        try await put(
            ["a": "{\"tenant\":\"1\",\"n\":1}", "b": "{\"tenant\":\"2\",\"n\":1}", "c": "{\"tenant\":\"1\",\"n\":1}"],
            token: admin,
            to: server
        )
        let plan = try await plan("{\"remove\":{\"ids\":[\"a\",\"b\",\"z\"]}}", token: one, on: server)
        let id = try #require(plan["plan"].text)
        #expect(counts(plan) == ["remove": 1, "missing": 2])
        let found = try await self.plan("{\"remove\":{\"where\":[\"n=1\"]}}", token: two, on: server)
        #expect(found["samples"].elements.map { $0["id"].text } == ["b"])
        let put = try await self.plan(
            "{\"put\":[{\"id\":\"b\",\"tenant\":\"1\"},{\"id\":\"n\",\"tenant\":\"2\"},{\"id\":\"m\",\"tenant\":\"1\"}]}",
            token: one,
            on: server
        )
        #expect(counts(put) == ["add": 1, "missing": 1, "refused": 1])

        for (method, path) in [
            (RequestMethod.get, ""), (.get, "/operations"), (.post, "/approval"), (.post, "/undo"), (.delete, ""),
        ] {
            #expect(try await send(method, "/v1/plans/\(id)\(path)", token: two, to: server).status == 404, "\(path)")
        }
        #expect(try await apply(plan, token: two, on: server).status == 404)
        let shown = try await send(.get, "/v1/plans", token: two, to: server).json["plans"].elements
        #expect(shown.map { $0["plan"].text } == [found["plan"].text])
        #expect(try await send(.get, "/v1/plans", token: admin, to: server).json["plans"].elements.count == 3)
        #expect(try await send(.get, "/v1/plans", token: nil, to: server).status == 401)

        #expect(try await send(.post, "/v1/plans/\(id)/approval", token: colleague, to: server).status == 200)
        #expect(try await apply(plan, token: colleague, on: server).status == 202)
        _ = try await self.plan(id, as: "applied", token: one, on: server)
        #expect(try await document("a", token: admin, on: server) == nil)
        #expect(try await document("b", token: admin, on: server) != nil)
        await server.drain()
    }

    @Test func `A client without the right to delete can neither plan nor approve a removal`() async throws {
        let place = try await DistributorTests.Place()
        let server = try await server(place) { settings in
            settings.collections["Web"]?.rules[.delete] = try AccessRule("admins")
        }
        let (token, admin) = (try await place.token(.application), try await place.token(.admin))
        try await put(["a": "{}"], token: token, to: server)
        let body = "{\"remove\":{\"ids\":[\"a\"]}}"
        #expect(try await send(.post, Self.path, body, token: token, to: server).status == 403)
        let plan = try await plan(body, token: admin, on: server)
        let id = try #require(plan["plan"].text)
        #expect(try await send(.post, "/v1/plans/\(id)/approval", token: token, to: server).status == 404)
        #expect(try await apply(plan, token: token, on: server).status == 404)
        #expect(try await send(.delete, "/v1/plans/\(id)", token: admin, to: server).status == 204)
        #expect(!FileManager.default.fileExists(atPath: place.settings.state + "/plans/\(id).plan"))
        #expect(try await send(.get, "/v1/plans/\(id)", token: admin, to: server).status == 404)
        await server.drain()
    }

    @Test func `A derived token counts as the same person, but two users of one application count as two people`() {
        func plan(by author: String) -> StoredPlan {
            StoredPlan(
                id: "P",
                collection: "Web",
                kind: .remove,
                author: .init(principal: author, at: .zero),
                expires: .zero,
                digest: "",
                counts: .init(),
                filter: DocumentFilter(),
                ownIDs: nil
            )
        }
        let app = "app (1)"
        #expect(plan(by: app).isByAuthor(app) && !plan(by: app).isByAuthor("app (2)"))
        #expect(plan(by: app).isByAuthor("app (1) derived for alice ab12"))
        #expect(plan(by: "app (1) derived ab12").isByAuthor(app))
        #expect(plan(by: "app (1) derived for alice ab12").isByAuthor("app (1) derived for alice cd34"))
        #expect(!plan(by: "app (1) derived for alice ab12").isByAuthor("app (1) derived for bob ab12"))
    }

    // MARK: Time

    @Test func `A plan expires, and is deleted later`() async throws {
        let place = try await DistributorTests.Place()
        let server = try await server(place)
        let token = try await place.token(.application)
        try await put(["a": "{}"], token: token, to: server)
        let fresh = try await plan("{\"remove\":{\"ids\":[\"a\"]}}", token: token, on: server)
        let id = "OLD"
        let old = StoredPlan(
            id: id,
            collection: "Web",
            kind: .remove,
            author: .init(principal: "someone", at: .zero),
            expires: .seconds(10),
            digest: fresh["digest"].text ?? "",
            counts: .init(),
            filter: DocumentFilter(),
            ownIDs: nil
        )
        #expect(old.state(at: .seconds(9)) == .planned && old.state(at: .seconds(10)) == .expired)
        try FileManager.default.copyItem(
            atPath: server.plans.path(of: fresh["plan"].text ?? ""),
            toPath: server.plans.path(of: id)
        )
        try await server.plans.add(old)
        #expect(try await send(.get, "/v1/plans/OLD", token: token, to: server).json["state"].text == "expired")
        let late = try await send(.post, "/v1/plans/OLD/approval", token: token, to: server)
        #expect(late.json["code"].text == "wrongState")
        let body = "{\"collection\":\"Web\",\"digest\":\"\(old.digest)\"}"
        let answer = try await send(.post, "/v1/plans/OLD/application", body, token: token, to: server)
        #expect(answer.status == 409 && answer.json["code"].text == "wrongState")
        // The next plan removes plans that ended long ago.
        _ = try await plan("{\"remove\":{\"ids\":[\"a\"]}}", token: token, on: server)
        #expect(try await send(.get, "/v1/plans/OLD", token: token, to: server).status == 404)
        #expect(!FileManager.default.fileExists(atPath: server.plans.path(of: id)))
        await server.drain()
    }

    @Test func `The application of a plan resumes after the server ends at any point`() async throws {
        let place = try await DistributorTests.Place()
        let first = try await server(place)
        let token = try await place.token(.application)
        let session = try await base.session(token, on: first)
        let count = 4_000
        let lines = (0..<count).map { "{\"id\":\"d\($0)\"}" }.joined(separator: "\n")
        #expect(try await send(.put, "/v1/sessions/\(session)/batches/1", lines, token: token, to: first).status == 202)
        _ = try await send(.get, "/v1/sessions/\(session)?wait=secured&timeout=60", token: token, to: first)
        let ids = (0..<count).map { "\"d\($0)\"" }.joined(separator: ",")
        let plan = try await plan("{\"remove\":{\"ids\":[\(ids)]}}", token: token, on: first)
        let id = try #require(plan["plan"].text)
        #expect(try await apply(plan, token: token, on: first).status == 202)
        await first.drain()

        let second = try await server(place)
        let applied = try await self.plan(id, as: "applied", token: token, on: second)
        let outcomes = applied["application"]["outcomes"]
        #expect(outcomes["removed"].int == count && applied["application"]["errors"].int == 0, "\(applied)")
        #expect(try await document("d0", token: token, on: second) == nil)
        await second.drain()

        // A server that was killed after it had recorded the undo, and before the job began.
        let store = try PlanStore(state: place.settings.state)
        #expect(try await store.beginUndoing(id, .init(principal: "test", at: .seconds(1))))
        let third = try await server(place)
        let undone = try await self.plan(id, as: "undone", token: token, on: third)
        #expect(undone["undo"]["outcomes"]["added"].int == count, "\(undone)")
        #expect(try await document("d\(count - 1)", token: token, on: third) != nil)
        await third.drain()
    }

    // MARK: Settings

    @Test(arguments: [
        ("{approval: maybe}", "2:19: 'maybe' is neither optional nor required"),
        ("{keep-days: 31}", "2:20: 31 is not a number of days from 1 to 30"),
        ("{max-remove: many}", "2:21: 'many' is neither a number nor a percentage"),
        ("{max-replace: 101%}", "2:22: '101%' is neither a number nor a percentage"),
        ("{author: me}", "author"),
    ])
    func `Invalid settings for plans are refused with their location`(text: String, reason: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("d.yaml")
        try "target: a\nplans: \(text)\n".write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: SettingsError.self) { try DistributorSettings.read(path) }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func `Settings for plans are read`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("d.yaml")
        try "target: a\nplans: {approval: required, keep-days: 3, max-remove: 10%, max-replace: '5'}\n"
            .write(toFile: path, atomically: true, encoding: .utf8)
        let plans = try DistributorSettings.read(path).plans
        #expect(plans.requiresApproval && plans.keepDays == 3)
        #expect(plans.maximumRemovals == .percent(10) && plans.maximumReplacements == .count(5))
    }
}
