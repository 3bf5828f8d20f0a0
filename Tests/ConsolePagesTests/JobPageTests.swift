import ConsolePages
import Foundation
import HTTPService
import JSONText
import Synchronization
import Testing

/// Jobs, operations that failed, the history of a document, and notifications.
struct JobPageTests {
    private func page(_ place: ConsolePlace, _ session: BrowserSession, _ path: String) async throws -> String {
        try await text(place.send(.get, path, cookie: session.cookie))
    }

    private func post(
        _ place: ConsolePlace,
        _ session: BrowserSession,
        _ path: String,
        _ fields: [(String, String)]
    ) async -> ServedResponse {
        await place.post(path, fields, session)
    }

    /// Returns the text in the field of a page, as a browser reads it.
    private func field(_ page: String) throws -> String {
        String(try #require(page.firstMatch(of: /(?s)<textarea[^>]*>\n(.*?)<\/textarea>/)).1)
            .replacing("&quot;", with: "\"").replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }

    private func tag(_ page: String) throws -> String {
        String(try #require(page.firstMatch(of: /name="tag" value="([^"]*)"/)).1).replacing("&quot;", with: "\"")
    }

    // MARK: Jobs

    @Test(arguments: [
        (["hasEnded": "true"], "ended</span>"),
        (["hasEnded": "true", "errors": "2"], "ended with errors</span>"),
        (["operations": "9", "settledThrough": "3"], "running</span>"),
        (["operations": "3", "settledThrough": "3"], "everything received is done</span>"),
        ([:], "nothing received yet</span>"),
        (["failure": #""no room""#], "stalled</span><span>: <bdi>no room</bdi></span>"),
        (
            ["standstill": #"{"since":"2026-01-02T03:04:05.678Z","message":"down"}"#, "operations": "1"],
            "stalled</span><span>: <bdi>down</bdi> (since <time datetime=\"2026-01-02T03:04:05.678Z\">"
                + "2026-01-02 03:04:05 UTC</time>)</span>"
        ),
    ])
    func `A job is shown with its state, and with a reason if it makes no progress`(
        members: [String: String],
        shown: String
    ) async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        place.api.jobs.withLock { $0.sessions = [TestJobs.session("s1", members)] }
        for path in ["/console/jobs", "/console/jobs/s1"] {
            #expect(try await page(place, session, path).contains(shown), "\(path)")
        }
    }

    @Test func `Jobs are listed page by page, and the list refreshes automatically`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        #expect(try await page(place, session, "/console/jobs").contains("There are no jobs"))
        place.api.jobs.withLock { jobs in
            (jobs.sessions, jobs.next) = ([TestJobs.session("s2", ["errors": "4"]), TestJobs.session("s1")], "7/&")
        }
        let first = try await page(place, session, "/console/jobs")
        #expect(first.contains(#"data-refresh="5""#))
        #expect(first.contains(#"<a href="/console/jobs/s2/failures">4</a>"#))
        let order = try ["s2", "s1"].map { try #require(first.range(of: "\"/console/jobs/\($0)\"")).lowerBound }
        #expect(order[0] < order[1])
        #expect(first.contains(#"href="/console/jobs?cursor=7%2F%26""#))
        _ = try await page(place, session, "/console/jobs?cursor=7%2F%26")
        #expect(place.api.jobs.withLock { $0.queries.last } == ["cursor=7/&", "limit=50"])
    }

    @Test func `The stream on a job's page begins with the last screenful of rows`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        place.api.jobs.withLock {
            $0.sessions = [TestJobs.session("s1", ["errors": "1000000", "warnings": "5"]), TestJobs.session("s2")]
        }
        let long = try await page(place, session, "/console/jobs/s1")
        #expect(long.contains(#"data-stream="/v1/sessions/s1/outcomes?after=999705""#))
        #expect(long.contains("The last 300 are loaded") && long.contains("999705 earlier ones are not"))
        #expect(long.contains(#"data-rows="300""#) && long.contains(#"<section id="state""#))
        #expect(long.contains(#"data-link="/console/collections/Web/documents/{documentID}{?routing}""#))
        let short = try await page(place, session, "/console/jobs/s2")
        #expect(short.contains("outcomes?after=0\"") && !short.contains("are loaded"))
        #expect(short.contains("data-refresh=\"3\""))
        place.api.jobs.withLock { $0.sessions = [TestJobs.session("s2", ["hasEnded": "true"])] }
        #expect(try await !page(place, session, "/console/jobs/s2").contains("data-refresh"))
        #expect(await place.send(.get, "/console/jobs/none", cookie: session.cookie).status == .notFound)
    }

    // MARK: Failed operations

    /// Returns a console with one failed operation.
    private func failed(
        _ verb: String,
        id: String = "a",
        document: String?,
        state: String = "kept",
        isWritable: Bool = true
    ) async throws -> (ConsolePlace, BrowserSession, path: String) {
        let place = ConsolePlace(isWritable: isWritable)
        let failure = TestJobs.failure(3, id: id, verb: verb, document: document, state: state)
        place.api.jobs.withLock { ($0.sessions, $0.failures) = ([TestJobs.session("s1")], [failure]) }
        return (place, try await place.session(), "/console/jobs/s1/failures/3")
    }

    @Test func `A list of failed operations shows whether their documents are still available`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        place.api.jobs.withLock { jobs in
            jobs.sessions = [TestJobs.session("s1")]
            jobs.failures = ["kept", "notKept", "hidden", "none"].enumerated().map { index, state in
                TestJobs.failure(index + 1, id: "d\(index)", verb: "add", document: nil, state: state)
            }
            jobs.nextFailure = "9"
        }
        let list = try await page(place, session, "/console/jobs/s1/failures")
        for shown in [
            "<td>kept</td>", "no longer keeps this document", "Only administrators", "<td>none: a removal</td>",
        ] {
            #expect(list.contains(shown), "\(shown)")
        }
        #expect(list.contains(#"href="/console/jobs/s1/failures/1""#))
        #expect(list.contains(#"rel="next" href="/console/jobs/s1/failures?cursor=9""#))
        place.api.jobs.withLock { $0.failures = [] }
        // An empty page is not the end if there is a next one.
        #expect(try await page(place, session, "/console/jobs/s1/failures").contains("the next page continues"))
        place.api.jobs.withLock { $0.nextFailure = nil }
        #expect(try await page(place, session, "/console/jobs/s1/failures").contains("No operation has failed"))
    }

    @Test func `A failed document is corrected, and replaces only the version that was shown`() async throws {
        let (place, session, path) = try await failed("add", document: #"{"title":"Mine","n":1.50}"#)
        let shown = try await page(place, session, path)
        #expect(try field(shown) == "{\n  \"title\": \"Mine\",\n  \"n\": 1.50\n}")
        #expect(try tag(shown) == "\"1\"")
        // Only the key that differs is shown in the comparison.
        #expect(shown.contains("<bdi>title</bdi>") && !shown.contains("<bdi>n</bdi>"))
        let edited = try field(shown).replacing("Mine", with: "Better").replacing("\n", with: "\r\n")
        let answer = await post(place, session, path, [("tag", "\"1\""), ("json", edited)])
        #expect(answer.headers["Location"] == path + "?retried=true")
        #expect(place.api.document("a") == "{\n  \"title\": \"Better\",\n  \"n\": 1.50\n}")
        #expect(try await page(place, session, path + "?retried=true").contains("The operation was carried out."))
    }

    @Test
    func `A document added in the meantime is not replaced: both versions are shown, and the chosen one is written`()
        async throws
    {
        let (place, session, path) = try await failed("add", id: "new", document: #"{"title":"Mine"}"#)
        let shown = try await page(place, session, path)
        #expect(try tag(shown) == "" && shown.contains("There is no such document now."))
        place.api.put("new", #"{"title":"Theirs"}"#)
        let fields = [("tag", ""), ("json", try field(shown))]
        let conflict = await post(place, session, path, fields)
        #expect(conflict.status == .conflict)
        let page = try await text(conflict)
        #expect(
            page.contains("Theirs") && page.contains("Mine") && place.api.document("new")?.contains("Theirs") == true
        )
        #expect(page.contains(#"action="/console/collections/Web/documents/new/merge""#))
        let choice = fields.dropFirst() + [("tag", try tag(page)), ("choice title", "mine")]
        let done = await post(place, session, DocumentPages.path("Web", "new") + "/merge", Array(choice))
        #expect(done.status.code == 303 && place.api.document("new")?.contains("Mine") == true)
    }

    @Test
    func `A failed update merges its keys into the current document, and is shown again after a conflicting write`()
        async throws
    {
        let (place, session, path) = try await failed("update", document: #"{"title":"Mine"}"#)
        let shown = try await page(place, session, path)
        #expect(shown.contains("are merged into the version") && !shown.contains("<bdi>n</bdi>"))
        place.api.put("a", #"{"title":"Third"}"#)
        let again = await post(place, session, path, [("tag", try tag(shown)), ("json", #"{"title":"Edited"}"#)])
        #expect(again.status.code == 422)
        let page = try await text(again)
        #expect(try field(page) == #"{"title":"Edited"}"# && tag(page) == "\"2\"")
        #expect(page.contains("Another write came first") && page.contains("Third"))
        let done = await post(place, session, path, [("tag", "\"2\""), ("json", try field(page))])
        #expect(done.status.code == 303)
        #expect(place.api.writes.last == "PATCH /v1/collections/Web/documents/a")
        #expect(place.api.document("a") == #"{"title":"Edited"}"#)
        place.api.put("a", nil)
        let gone = try await self.page(place, session, path)
        #expect(gone.contains("This document does not exist, so these keys") && !gone.contains("<textarea"))
    }

    @Test func `A failed removal is repeated only if the ID is typed, and only on the version that was shown`()
        async throws
    {
        let (place, session, path) = try await failed("remove", document: nil, state: "none")
        #expect(try await page(place, session, path).contains("class=\"danger\""))
        for fields in [[("tag", "\"1\""), ("typed", "b")], [("tag", "\"0\""), ("typed", "a")]] {
            #expect(await post(place, session, path, fields).status.code == 422)
            #expect(place.api.document("a") != nil)
        }
        #expect(await post(place, session, path, [("tag", "\"1\""), ("typed", "a")]).status.code == 303)
        #expect(place.api.document("a") == nil)
        #expect(try await page(place, session, path).contains("there is nothing to remove"))
    }

    @Test func `Text that is not written stays in the form, with the reason`() async throws {
        let (place, session, path) = try await failed("add", document: "{}")
        let wrong = await post(place, session, path, [("tag", "\"1\""), ("json", "{\"a\":")])
        #expect(wrong.status.code == 422)
        #expect(try field(try await text(wrong)) == "{\"a\":")
        #expect(place.api.writes == [])
        place.api.jobs.withLock { $0.refusal = "a rule forbids <it>" }
        let refused = await post(place, session, path, [("tag", "\"1\""), ("json", #"{"a":1}"#)])
        let page = try await text(refused)
        #expect(try refused.status.code == 422 && field(page) == #"{"a":1}"#)
        #expect(page.contains("a rule forbids &lt;it&gt;"))
    }

    @Test(arguments: ["notKept", "hidden", "of a later version"])
    func `A document that can't be shown has no form, and the page states the reason`(state: String) async throws {
        let (place, session, path) = try await failed("add", document: nil, state: state)
        let shown = try await page(place, session, path)
        #expect(!shown.contains("<textarea") && shown.contains("Send it again from its source."))
        #expect(shown.contains(state == "hidden" ? "Only administrators" : "no longer keeps this document"))
    }

    @Test func `An operation that would be refused can be read, but not repeated`() async throws {
        let (reading, user, path) = try await failed("add", document: #"{"title":"Mine"}"#, isWritable: false)
        let (place, session, _) = try await failed("add", document: #"{"title":"Mine"}"#)
        place.api.allow("none")
        for shown in [try await page(reading, user, path), try await page(place, session, path)] {
            #expect(shown.contains("&quot;title&quot;: &quot;Mine&quot;") && !shown.contains("<textarea"))
        }
        for number in ["4", "0", "x", "-1", "3.0"] {
            let answer = await place.send(.get, "/console/jobs/s1/failures/\(number)", cookie: session.cookie)
            #expect(answer.status == .notFound, "\(number)")
        }
    }

    // MARK: History and notifications

    @Test func `For administrators, the history of a document includes its lines of the audit log`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        let path = DocumentPages.path("Web", "a")
        #expect(try await !page(place, session, path).contains("/history"))
        place.api.promote()
        #expect(try await page(place, session, path).contains("href=\"\(path)/history\""))
        place.api.jobs.withLock { jobs in
            jobs.lines = [("a", "Web", "ann"), ("ab", "Web", "bob"), ("a", "Other", "cid"), ("b", "Web", "a")]
            jobs.nextLine = 17
        }
        let shown = try await page(place, session, path + "/history")
        #expect(place.api.jobs.withLock { $0.queries.last } == ["text=a", "limit=100"])
        #expect(shown.contains("<bdi>ann</bdi>") && !shown.contains("bob") && !shown.contains("cid"))
        #expect(shown.components(separatedBy: "<tr>").count == 3, "one line and the headers")
        #expect(shown.contains("\(path)/history?before=17"))
        place.api.jobs.withLock { $0.lines = [] }
        #expect(try await page(place, session, path + "/history").contains("continues with older ones"))
    }

    @Test func `Administrators see all notifications, including those that are waiting or were set aside`() async throws
    {
        let place = ConsolePlace()
        let session = try await place.session()
        #expect(try await !page(place, session, "/console/jobs").contains("/console/notifications"))
        place.api.promote()
        place.api.jobs.withLock { $0.notice = "the target answered 500" }
        let shown = try await page(place, session, "/console/notifications")
        #expect(shown.contains("aria-current=\"page\"") && shown.contains("the target answered 500"))
        #expect(shown.contains("put aside</span>") && shown.contains("2026-01-02 03:04:05 UTC"))
    }

    // MARK: All of these pages

    @Test(arguments: ConsolePageTests.hostile)
    func `Hostile names, messages and documents appear only as text on each page`(hostile: String) async throws {
        let place = ConsolePlace()
        place.api.promote()
        var writer = JSONWriter()
        writer.value(hostile)
        let json = writer.text
        let members = ["collection": json, "owner": json, "outcomes": "{\(json):1}", "began": json, "failure": json]
        let document = "{\(json):\(json)}"
        place.api.put(hostile, #"{"title":"A"}"#)
        place.api.jobs.withLock { jobs in
            jobs.sessions = [TestJobs.session(hostile, members)]
            jobs.failures = [TestJobs.failure(3, id: hostile, verb: "add", document: document, code: hostile)]
            (jobs.next, jobs.nextFailure, jobs.notice) = (hostile, hostile, hostile)
            jobs.lines = [(hostile, "Web", hostile)]
        }
        let session = try await place.session()
        let job = ConsolePath.of("jobs", hostile)
        var paths = ["/console/jobs", job, job + "/failures", job + "/failures/3", "/console/notifications"]
        paths.append(DocumentPages.path("Web", hostile) + "/history")
        for path in paths {
            let answer = await place.send(.get, path, cookie: session.cookie)
            #expect(answer.status == .ok, "\(path)")
            ConsolePageTests().expectNoMarkup(of: hostile, in: try await text(answer))
        }
        let unwritten = await post(place, session, job + "/failures/3", [("tag", ""), ("json", hostile)])
        #expect(unwritten.status.code == 422)
        ConsolePageTests().expectNoMarkup(of: hostile, in: try await text(unwritten))
    }

    @Test func `Each page has one heading, landmarks and labels, and its tables have headers`() async throws {
        let (place, session, path) = try await failed("add", document: "{}")
        place.api.promote()
        let list = "/console/jobs/s1/failures"
        let history = DocumentPages.path("Web", "a") + "/history"
        for path in ["/console/jobs", "/console/jobs/s1", list, path, history, "/console/notifications"] {
            let page = try await page(place, session, path)
            try expectAccessible(page, path)
            for once in ["<main ", "<header>", "class=\"skip\""] {
                #expect(page.components(separatedBy: once).count == 2, "\(path): \(once)")
            }
            for table in page.matches(of: /<table[^>]*>(<\w+)/) { #expect(table.1 == "<caption", "\(path)") }
        }
    }
}

// MARK: - An API with jobs

/// The responses of the test's API about jobs, the audit log and notifications.
struct TestJobs {
    var sessions: [String] = []
    var next: String?
    var failures: [String] = []
    var nextFailure: String?
    var lines: [(subject: String, collection: String, principal: String)] = []
    var nextLine: Int?
    var notice = ""
    /// The reason documents are not written; `nil` if they are written.
    var refusal: String?
    var queries: [[String]] = []

    /// Returns a session as the API describes it, with some other members.
    static func session(_ id: String, _ members: [String: String] = [:]) -> String {
        var all = [
            "kind": "\"progress\"", "collection": "\"Web\"", "owner": "\"ann\"", "operations": "0", "errors": "0",
            "settledThrough": "0", "outcomes": "{}", "warnings": "0", "failure": "null", "standstill": "null",
            "began": "\"2026-01-02T03:04:05.678Z\"", "ended": "null", "isClosed": "false", "hasEnded": "false",
        ].merging(members) { $1 }
        all["session"] = json(id)
        return "{" + all.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    static func failure(
        _ number: Int,
        id: String,
        verb: String,
        document: String?,
        state: String = "kept",
        code: String = "invalid"
    ) -> String {
        """
        {"number":\(number),"operation":\(number),"id":\(json(id)),"routing":null,"verb":"\(verb)","outcome":"failed",\
        "code":\(json(code)),"message":\(json(code)),"documentState":\(json(state)),"document":\(document ?? "null")}
        """
    }

    static func json(_ text: String?) -> String {
        guard let text else { return "null" }
        var writer = JSONWriter()
        writer.value(text)
        return writer.text
    }
}

extension TestAPI {
    func addJobs(to router: inout HTTPRouter) {
        @Sendable func answer(_ text: String) -> ServedResponse { .json(Array(text.utf8)) }
        router.on(.get, "/v1/sessions") { [self] request in
            jobs.withLock { jobs in
                jobs.queries.append(request.query.map { "\($0.name)=\($0.value)" })
                let sessions = jobs.sessions.joined(separator: ",")
                return answer("{\"sessions\":[\(sessions)],\"next\":\(TestJobs.json(jobs.next))}")
            }
        }
        router.on(.get, "/v1/sessions/{session}") { [self] request in
            let id = try request.parameter("session")
            let found = jobs.withLock { $0.sessions }.first { (try? JSONValue(Array($0.utf8)))?["session"].text == id }
            guard let found else { throw ServiceProblem(.notFound, "noSession", "there is no session") }
            return answer(found)
        }
        router.on(.get, "/v1/sessions/{session}/failures") { [self] request in
            let done = Int(request.queryValue("cursor") ?? "") ?? 0
            return jobs.withLock { jobs in
                let failures = jobs.failures.filter { (try? JSONValue(Array($0.utf8)))?["number"].int ?? 0 > done }
                let list = failures.joined(separator: ",")
                return answer("{\"failures\":[\(list)],\"next\":\(TestJobs.json(jobs.nextFailure))}")
            }
        }
        router.on(.patch, "/v1/collections/{collection}/documents/{document}") { [self] request in
            let json = String(decoding: try await request.body.collect(upTo: 1 << 20), as: UTF8.self)
            try check(request)
            put(try request.parameter("document"), json)
            return ServedResponse(status: .noContent)
        }
        router.on(.get, "/v1/audit") { [self] request in
            jobs.withLock { jobs in
                jobs.queries.append(request.query.map { "\($0.name)=\($0.value)" })
                let lines = jobs.lines.map { line in
                    """
                    {"line":1,"at":"2026-01-02T03:04:05.678Z","principal":\(TestJobs.json(line.principal)),\
                    "action":"put","collection":\(TestJobs.json(line.collection)),"status":204,"request":"r",\
                    "subject":\(TestJobs.json(line.subject)),"address":"::1"}
                    """
                }
                let next = jobs.nextLine.map(String.init) ?? "null"
                return answer("{\"lines\":[\(lines.joined(separator: ","))],\"next\":\(next)}")
            }
        }
        router.on(.get, "/v1/notifications") { [self] _ in
            let notice = TestJobs.json(jobs.withLock { $0.notice })
            return answer(
                """
                {"waiting":0,"failed":1,"delivered":5,"dropped":0,"subscriptions":0,"notifications":[{"id":1,\
                "target":\(notice),"state":"failed","attempts":8,"failedAt":"2026-01-02T03:04:05.678Z",\
                "failure":\(notice),"kind":"jobFailed","collection":\(notice),"subject":\(notice),"message":\(notice)}]}
                """
            )
        }
    }
}
