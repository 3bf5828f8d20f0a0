import ConsolePages
import Foundation
import HTTPService
import JSONText
import Synchronization
import Testing

/// The pages for plans and for conflicts: their contents, and the requests that their forms send to the API.
struct PlanPageTests {
    // MARK: Plans

    @Test(arguments: ConsolePageTests.hostile)
    func `A hostile plan appears only as text on every page`(text hostile: String) async throws {
        let place = PlanPlace()
        let session = try await place.session()
        place.api.show(Self.plan(named: hostile, state: "applied", possible: ["undo", "apply", "delete"]))
        for path in ["/console/plans", "/console/plans/P", "/console/plans/P/operations"] {
            let page = try await text(place.send(.get, path, cookie: session.cookie))
            #expect(page.contains("<table>") && page.contains("/console/sign-out"))
            expectNoMarkup(in: page)
        }
        let form = [("kind", "put"), ("documents", hostile)]
        let refused = await place.post("/console/collections/Web/plan", form, session)
        #expect(refused.status.code == 422)
        expectNoMarkup(in: try await text(refused))
    }

    /// Checks that a page has only the elements that the module writes, with complete attributes.
    private func expectNoMarkup(in page: String) {
        let known = Set(
            """
            html head meta title link script body a header p span nav ul li div form input button main h1 h2 h3 section \
            table caption thead tbody tr th td bdi pre code textarea label em strong dl dt dd fieldset legend select option
            """.split { $0.isWhitespace }.map(String.init)
        )
        for tag in page.matches(of: /<\/?([A-Za-z!][^\s>]*)([^>]*)>/) where tag.0 != "<!DOCTYPE html>" {
            #expect(known.contains(String(tag.1)), "\(tag.0)")
            #expect(tag.2.wholeMatch(of: /(\s+[a-z-]+(="[^"<>]*")?)*/) != nil, "\(tag.0)")
            #expect(!tag.2.contains(/\son[a-z]+="/), "\(tag.0)")
        }
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(!page.contains("href=\"javascript:"))
    }

    @Test func `A plan's counts add up, its limits show whether they are kept, and its operations link to documents`()
        async throws
    {
        let place = PlanPlace()
        let session = try await place.session()
        place.api.show(Self.plan(state: "planned", possible: []))
        let page = try await text(place.send(.get, "/console/plans/P", cookie: session.cookie))
        // 1 + 2 + 3 + 4 + 5 + 6 + 7 documents, of which 1 + 2 + 3 are changed.
        #expect(page.contains("<strong>28</strong>"))
        #expect(page.contains("1 of 6 shown") && page.contains("href=\"/console/plans/P/operations\""))
        #expect(page.contains("no: the plan can&#39;t be applied"))
        #expect(page.contains("href=\"/console/collections/Web/documents/a%2Fb?routing=r\""))
        #expect(page.contains("a person other than the author must approve it"))
        // One of the sessions is open for this collection; the plan itself is not counted among the plans.
        #expect(page.contains("href=\"/console/jobs/S1\"") && !page.contains("/jobs/S2") && !page.contains("/jobs/S3"))
        #expect(!page.contains("data-refresh"))
        #expect(!page.contains("/console/plans/P/application") && !page.contains("/console/plans/P/approval"))
    }

    @Test func `Only actions that the API reports as possible are shown, and a read-only console shows none`()
        async throws
    {
        let actions = ["approve": "approval", "apply": "application", "undo": "undo", "delete": "removal"]
        for isWritable in [true, false] {
            let place = PlanPlace(isWritable: isWritable)
            let session = try await place.session()
            for possible in actions.keys {
                place.api.show(Self.plan(state: "planned", possible: [possible]))
                let page = try await text(place.send(.get, "/console/plans/P", cookie: session.cookie))
                for (name, action) in actions {
                    let isDrawn = page.contains("action=\"/console/plans/P/\(action)\"")
                    #expect(isDrawn == (isWritable && name == possible), "\(isWritable) \(possible) \(name)")
                }
            }
        }
    }

    @Test func `The application sends the typed name and the displayed digest, and shows the API's refusal`()
        async throws
    {
        let place = PlanPlace()
        let session = try await place.session()
        place.api.show(Self.plan(state: "approved", possible: ["apply"]))
        let page = try await text(place.send(.get, "/console/plans/P", cookie: session.cookie))
        #expect(page.contains("name=\"digest\" value=\"d1g3st\""))
        let path = "/console/plans/P/application"
        let refused = await place.post(path, [("typed", "web"), ("digest", "d1g3st")], session)
        #expect(refused.status == .conflict)
        let shown = try await text(refused)
        #expect(shown.contains("the plan is for another collection") && shown.contains("value=\"web\""))
        let done = await place.post(path, [("typed", "Web"), ("digest", "d1g3st")], session)
        #expect(done.status.code == 303 && done.headers["Location"] == "/console/plans/P")
        #expect(
            place.api.sent == [
                #"POST /v1/plans/P/application {"collection":"web","digest":"d1g3st"}"#,
                #"POST /v1/plans/P/application {"collection":"Web","digest":"d1g3st"}"#,
            ]
        )
    }

    @Test func `Approval, undo and deletion are sent as requests to the API`() async throws {
        let place = PlanPlace()
        let session = try await place.session()
        place.api.show(Self.plan(state: "planned", possible: []))
        for (action, next) in [("approval", "/P"), ("undo", "/P"), ("removal", "")] {
            let answer = await place.post("/console/plans/P/\(action)", [], session)
            #expect(answer.headers["Location"] == "/console/plans\(next)")
        }
        #expect(place.api.sent == ["POST /v1/plans/P/approval ", "POST /v1/plans/P/undo ", "DELETE /v1/plans/P "])
    }

    @Test(arguments: [("applying", true), ("applied", false)])
    func `A plan is refreshed while its job is running`(state: String, isRefreshed: Bool) async throws {
        let place = PlanPlace()
        let session = try await place.session()
        place.api.show(Self.plan(state: state, possible: []))
        let page = try await text(place.send(.get, "/console/plans/P", cookie: session.cookie))
        #expect(page.contains("id=\"plan\" aria-label=\"Plan\" data-refresh=\"2\"") == isRefreshed)
        // The outcomes so far, out of all operations.
        #expect(page.contains("<dd>5 of 6 operations</dd>") && page.contains("changed since the plan"))
    }

    @Test func `Each page has one heading, each field has a label, and each table header has a scope`()
        async throws
    {
        let place = PlanPlace()
        let session = try await place.session()
        place.api.show(Self.plan(state: "applied", possible: ["approve", "apply", "undo", "delete"]))
        var pages: [String] = []
        for path in ["/console/plans", "/console/plans/P", "/console/collections/Web/plan", "/console/conflicts"] {
            pages.append(try await text(place.send(.get, path, cookie: session.cookie)))
        }
        let entries = Self.entry("a", "{\"title\":\"Mine\"}", "{\"title\":\"A\"}")
        let form = [("collection", "Web"), ("file", entries)]
        pages.append(try await text(place.post("/console/conflicts", form, session)))
        for page in pages {
            try expectAccessible(page)
        }
    }

    // MARK: New plans

    private static let requests: [([(String, String)], String)] = [
        (
            [("kind", "ids"), ("ids", "a\r\n\r\n b \r\n{\"id\":\"c\",\"routing\":\"r\"}\r\n{x\r\n")],
            #"{"remove":{"ids":["a"," b ",{"id":"c","routing":"r"},"{x"]}}"#
        ),
        (
            [("kind", "query"), ("words", "red fox"), ("where", "state=stale"), ("query", "")],
            #"{"remove":{"words":"red fox","where":"state=stale"}}"#
        ),
        (
            [("kind", "put"), ("documents", "{\"id\":\"a\",\"n\":1.50}\r\n\r\n{\"id\":\"b\"}\r\n")],
            #"{"put":[{"id":"a","n":1.50},{"id":"b"}]}"#
        ),
        (
            [("kind", "put"), ("documents", " [{\"id\":\"a\"},\r\n {\"id\":\"b\"}]")],
            #"{"put":[{"id":"a"},{"id":"b"}]}"#
        ),
        ([("kind", "reconcile"), ("schedule", "drift \"1\"")], #"{"reconcile":"drift \"1\""}"#),
    ]

    @Test func `Administrators can choose one of the schedules that compare this collection`() async throws {
        for isWritable in [true, false] {
            let place = PlanPlace(isWritable: isWritable)
            let session = try await place.session()
            let form = "/console/collections/Web/plan"
            let own = try await text(place.send(.get, form, cookie: session.cookie))
            #expect(!own.contains("drift"), "only administrators may see schedules")
            place.documents.promote()
            let page = try await text(place.send(.get, form, cookie: session.cookie))
            #expect(page.contains("<option value=\"drift\">drift</option>") == isWritable)
            #expect(!page.contains("other drift") && !page.contains("nightly"))
            place.api.show(Self.plan(state: "planned", possible: []).replacing("\"author\"", with: "\"schedule\""))
            let plan = try await text(place.send(.get, "/console/plans/P", cookie: session.cookie))
            #expect(plan.contains("Compared by the schedule"))
        }
    }

    @Test func `IDs, queries and documents are sent as the request for a plan, whose page is then shown`() async throws
    {
        for (form, request) in Self.requests {
            let place = PlanPlace()
            let session = try await place.session()
            let answer = await place.post("/console/collections/Web/plan", form, session)
            #expect(answer.headers["Location"] == "/console/plans/P")
            let sent = try #require(place.api.sent.first)
            let parts = sent.split(separator: " ", maxSplits: 2)
            #expect(parts[1] == "/v1/collections/Web/plans")
            #expect(try JSONValue(Array(String(parts[2]).utf8)) == (try JSONValue(Array(request.utf8))))
        }
    }

    @Test(arguments: [
        [("kind", "ids"), ("ids", " \r\n")], [("kind", "query"), ("words", "")],
        [("kind", "put"), ("documents", "[]")],
        [("kind", "put"), ("documents", "{\"id\":\"a\"}\r\nnull")],
        [("kind", "put"), ("documents", "{\"id\":\"a\"}],\"remove\":[")],
        [("kind", "put"), ("documents", "[{\"id\":\"a\"},")],
    ])
    func `Text that is not a list of documents is not sent, and stays on the page`(
        form: [(String, String)]
    ) async throws {
        let place = PlanPlace()
        let session = try await place.session()
        let answer = await place.post("/console/collections/Web/plan", form, session)
        #expect(answer.status.code == 422 && place.api.sent.isEmpty)
        let page = try await text(answer)
        #expect(page.contains("role=\"alert\""))
        if form[1].1.contains("id") { #expect(page.contains("{&quot;id&quot;:&quot;a&quot;}")) }
    }

    @Test func `A search and a document link to the forms of plans that the user may create`() async throws {
        let place = PlanPlace()
        let session = try await place.session()
        let query = [("words", "red fox"), ("where", "a=b&c")]
        let list = try await text(place.send(.get, "/console/collections/Web", query: query, cookie: session.cookie))
        let link = "/console/collections/Web/plan?words=red%20fox&amp;where=a%3Db%26c"
        #expect(list.contains("href=\"\(link)\">Plan a removal of these</a>"), "\(list)")
        let target = link.replacing("&amp;", with: "&")
        let plan = try await text(place.send(.get, target, cookie: session.cookie))
        #expect(plan.contains("value=\"red fox\"") && plan.contains("value=\"a=b&amp;c\""))
        let document = try await text(
            place.send(.get, DocumentPages.path("Web", "a", routing: "r"), cookie: session.cookie)
        )
        let own = try #require(document.firstMatch(of: /href="(\/console\/collections\/Web\/plan\?[^"]*)"/)).1
        let filled = try await text(place.send(.get, String(own), cookie: session.cookie))
        #expect(filled.contains("{&quot;id&quot;:&quot;a&quot;,&quot;routing&quot;:&quot;r&quot;}</textarea>"))
        place.documents.allow("none")
        let refused = try await text(place.send(.get, DocumentPages.path("Web", "a"), cookie: session.cookie))
        #expect(!refused.contains("/plan?"))
        let empty = try await text(place.send(.get, "/console/collections/Web/plan", cookie: session.cookie))
        #expect(empty.contains("You have no rights") && !empty.contains("<textarea"))
    }

    // MARK: Conflicts

    private static func entry(_ id: String, _ here: String, _ origin: String) -> String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("documentID", id)
            object.member("code", "version-conflict")
            object.member("description", "changed here and at the origin")
            // A conflict that is too large is listed without its two sides.
            guard !here.hasSuffix(")") else { return }
            object.object("conflict") { conflict in
                for (name, json) in [("here", here), ("origin", origin)] {
                    conflict.member(name, raw: Array((json == "removed" ? "null" : json).utf8))
                }
            }
        }
        return writer.text
    }

    @Test func `Conflicts are shown beside the current document, and a choice is written only on that version`()
        async throws
    {
        let place = PlanPlace()
        let session = try await place.session()
        for (id, json) in [("b", #"{"n":1}"#), ("c", #"{"n":2}"#), ("e", #"{"n":3}"#)] { place.documents.put(id, json) }
        place.documents.put("a", #"{"title":"Now","n":1.50,"old":true,"other":5}"#)
        let entries = [
            Self.entry("a", #"{"title":"Mine; at the origin: removed","new":"x"}"#, #"{"title":"A","old":true}"#),
            Self.entry("b", "removed", #"{"n":1}"#),
            Self.entry("c", #"{"n":2}"#, #"{"n":1}"#),
            Self.entry("d", #"{"n":4}"#, "removed"),
            Self.entry("e", #"{"n":30}"#, #"{"n":3}"#),
            Self.entry("f", #"{"n":"cut… (70000 bytes)"#, "removed"),
            #"{"documentID":"g","code":"too-large","description":"another issue"}"#,
        ]
        let file = "[" + entries.joined(separator: ",") + "]"
        let form = [("collection", "Web"), ("file", file)]
        let page = try await text(place.post("/console/conflicts", form, session))
        #expect(page.contains("5 conflicts can be shown; 1 other issues"))
        #expect(page.contains("not in the list in full: f"))
        for name in ["choice 0 title", "choice 0 new", "choice 0 old", "side 1", "side 3", "choice 4 n"] {
            #expect(page.components(separatedBy: "name=\"\(name)\"").count == 3, "\(name)")
        }
        #expect(!page.contains("name=\"choice 0 other\"") && page.contains("nothing to decide"))
        #expect(page.contains("Now") && page.contains("Mine; at the origin: removed"))
        #expect(place.documents.writes.isEmpty)

        let tags = page.matches(of: /name="(tag \d)" value="([^"]*)"/).map {
            (String($0.1), String($0.2).replacing("&quot;", with: "\""))
        }
        #expect(tags.map(\.0) == ["tag 0", "tag 1", "tag 3", "tag 4"])
        // Another write occurred after the page was shown.
        place.documents.put("e", #"{"n":300}"#)
        let choices = [
            ("choice 0 title", "mine"), ("choice 0 new", "theirs"), ("choice 0 old", "mine"), ("side 1", "theirs"),
            ("side 3", "mine"), ("choice 4 n", "mine"),
        ]
        let done = try await text(place.post("/console/conflicts/choices", form + tags + choices, session))
        #expect(done.contains("2 documents were written, 1 stay as they are, 1 could not be written."))
        #expect(done.contains("has changed since it was shown"))
        let merged = #"{"title":"Mine; at the origin: removed","n":1.50,"other":5}"#
        let stored = try #require(place.documents.document("a"))
        #expect(try JSONValue(Array(stored.utf8)) == (try JSONValue(Array(merged.utf8))))
        #expect(place.documents.document("b") != nil && place.documents.document("d") == #"{"n":4}"#)
        #expect(place.documents.document("e") == #"{"n":300}"#)
        #expect(place.documents.writes.count == 2)
    }

    @Test(arguments: ConsolePageTests.hostile)
    func `Hostile conflicts appear only as text, and a read-only console offers no choice`(
        text hostile: String
    ) async throws {
        var writer = JSONWriter()
        writer.object { $0.member(hostile, hostile) }
        var side = JSONWriter()
        side.value(hostile)
        for isWritable in [true, false] {
            let place = PlanPlace(isWritable: isWritable)
            let session = try await place.session()
            place.documents.put(hostile, "{}")
            let entries = [Self.entry(hostile, writer.text, "{}"), Self.entry("<b>", side.text, "removed")]
            let form = [("collection", "Web"), ("file", entries.joined(separator: "\r\n"))]
            let page = try await text(place.post("/console/conflicts", form, session))
            expectNoMarkup(in: page)
            #expect(page.contains("<table class=\"versions\">") && page.contains("type=\"radio\"") == isWritable)
        }
    }

    @Test(arguments: ["", "no list", "{\"documentID\":", "5"])
    func `A file that is not a list of issues is refused, and stays on the page`(file: String) async throws {
        let place = PlanPlace()
        let session = try await place.session()
        let answer = await place.post("/console/conflicts", [("collection", "Web"), ("file", file)], session)
        #expect(answer.status.code == 422)
        let page = try await text(answer)
        #expect(page.contains("This is not a list of issues") && page.contains("<option value=\"Web\" selected>"))
    }

    // MARK: Fixtures

    private static func plan(named name: String? = nil, state: String, possible: [String]) -> String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("plan", name ?? "P")
            object.member("collection", name ?? "Web")
            for key in ["author", "created", "expires", "approver", "approved"] {
                let isOpen = ["approver", "approved"].contains(key) && name == nil
                object.member(key, isOpen ? nil : name ?? key)
            }
            object.member("digest", name ?? "d1g3st")
            object.member("state", state)
            object.member("approvalRequired", true)
            object.member("isBeingUndone", false)
            object.object("counts") { counts in
                let names = ["add", "replace", "remove", "missing", "unchanged", "refused", "unreadable"]
                for (index, name) in names.enumerated() { counts.member(name, index + 1) }
            }
            object.array("guards") { array in
                array.object { limit in
                    limit.member("name", name ?? "max-remove")
                    limit.member("limit", name ?? "2")
                    limit.member("planned", 3)
                    limit.member("allowed", 2)
                    limit.member("holds", false)
                }
            }
            object.array("samples") { array in
                array.object { sample in
                    sample.member("operation", name ?? "replace")
                    sample.member("id", name ?? "a/b")
                    sample.member("routing", name ?? "r")
                    sample.member("version", name ?? "1")
                    sample.object("document") { $0.member(name ?? "key", name ?? "value") }
                }
            }
            object.array("refusals") { array in
                array.object { refusal in
                    refusal.member("id", name ?? "z")
                    refusal.member("reason", name ?? "a hook refuses it")
                }
            }
            if ["applying", "applied"].contains(state) {
                object.object("application") { run in
                    for key in ["by", "began", "ended", "job", "failure"] { run.member(key, name ?? key) }
                    run.object("outcomes") { outcomes in
                        outcomes.member(name ?? "removed", 3)
                        outcomes.member("failed", 2)
                    }
                    run.member("errors", 2)
                    run.array("issues") { array in
                        array.object { issue in
                            for key in ["id", "routing", "outcome", "code"] { issue.member(key, name ?? key) }
                            issue.member("message", name ?? "changed since the plan")
                        }
                    }
                }
            }
            object.array("possible") { array in for act in possible { array.value(act) } }
        }
        return writer.text
    }
}

// MARK: - An API with a plan

/// A console in front of an API with documents and one plan.
private struct PlanPlace: ConsoleBrowser {
    let documents = TestAPI()
    let api = PlanAPI()
    let router: HTTPRouter

    init(isWritable: Bool = true) {
        let console = Console(
            title: "Test",
            isWritable: isWritable,
            lifetime: .seconds(3600),
            identity: nil,
            maximumBody: { 1 << 20 }
        )
        documents.jobs.withLock { jobs in
            jobs.sessions = [
                TestJobs.session("S1", ["operations": "7"]), TestJobs.session("S2", ["hasEnded": "true"]),
                TestJobs.session("S3", ["collection": "\"Other\""]),
            ]
        }
        var router = documents.router
        api.add(to: &router)
        router.useFirst(console.middleware)
        self.router = router
    }
}

/// The routes of an API that has a single plan; they record the requests for that plan.
private final class PlanAPI: Sendable {
    private let state = Mutex((plan: "{}", sent: [String]()))

    var sent: [String] { state.withLock { $0.sent } }
    func show(_ plan: String) { state.withLock { $0.plan = plan } }

    private var plan: [UInt8] { Array(state.withLock { $0.plan }.utf8) }

    func add(to router: inout HTTPRouter) {
        router.on(.get, "/v1/plans") { [self] _ in
            .json(Array("{\"plans\":[".utf8) + plan + Array("],\"next\":null}".utf8))
        }
        router.on(.get, "/v1/schedules") { _ in
            let names = [("drift", "\"Web\""), ("other drift", "\"Other\""), ("nightly", "null")]
            let list = names.map { "{\"name\":\"\($0)\",\"reconciles\":\($1)}" }.joined(separator: ",")
            return .json(Array("{\"schedules\":[\(list)]}".utf8))
        }
        router.on(.get, "/v1/plans/{plan}") { [self] _ in .json(plan) }
        router.on(.get, "/v1/plans/{plan}/operations") { [self] _ in
            let samples = (try JSONValue(plan))["samples"]
            return .json(Array("{\"operations\":".utf8) + JSONPreview.json(samples, .compact) + Array("}".utf8))
        }
        router.on(.post, "/v1/collections/{collection}/plans") { [self] request in
            try await note(request)
            return .json(Array(#"{"plan":"P"}"#.utf8), status: .created)
        }
        for action in ["approval", "undo"] {
            router.on(.post, "/v1/plans/{plan}/\(action)") { [self] request in
                try await note(request)
                return .json(plan)
            }
        }
        router.on(.post, "/v1/plans/{plan}/application") { [self] request in
            let body = try await note(request)
            guard try JSONValue(Array(body.utf8))["collection"].text == "Web" else {
                throw ServiceProblem(.conflict, "differentPlan", "the plan is for another collection")
            }
            return .json(plan)
        }
        router.on(.delete, "/v1/plans/{plan}") { [self] request in
            try await note(request)
            return ServedResponse(status: .noContent)
        }
    }

    @discardableResult
    private func note(_ request: ServedRequest) async throws -> String {
        let body = String(decoding: try await request.body.collect(upTo: 1 << 20), as: UTF8.self)
        state.withLock { $0.sent.append("\(request.method) \(request.path) \(body)") }
        return body
    }
}
