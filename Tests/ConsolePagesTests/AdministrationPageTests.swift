import ConsolePages
import Foundation
import HTTPService
import JSONText
import Synchronization
import Testing

/// The pages of logs, schedules, hooks, tokens and the audit log, and the panels of the overview.
struct AdministrationPageTests {
    private static let paths = [
        "/console/", "/console/logs", "/console/schedules", "/console/hooks", "/console/tokens", "/console/audit",
    ]

    // MARK: All of these pages

    @Test(arguments: ConsolePageTests.hostile)
    func `Hostile names, findings and audit values appear only as text`(hostile: String) async throws {
        let place = AdministrationPlace()
        place.fill(with: hostile)
        let session = try await place.session()
        let one = [ConsolePath.of("schedules", hostile), ConsolePath.of("tokens", hostile)]
        for path in Self.paths + one + ["/console/audit" + ConsolePath.query([("text", hostile)])] {
            let answer = await place.send(.get, path, cookie: session.cookie)
            #expect(answer.status == .ok, "\(path)")
            expectNoMarkup(in: try await text(answer))
        }
        for form in [[("text", hostile)], [("log", hostile)], [("log", hostile), ("correlation", hostile)]] {
            let page = try await text(place.post("/console/logs", form, session))
            #expect(page.contains("<article"))
            expectNoMarkup(in: page)
        }
        let created = await place.post("/console/tokens", [("name", hostile), ("role", "user")], session)
        #expect(created.status == .created)
        expectNoMarkup(in: try await text(created))
        let fields = ["name", "collections", "claims", "expiresIn", "verb"].map { ($0, hostile) }
        place.api.refuse("POST /v1/tokens", hostile)
        expectNoMarkup(in: try await text(place.post("/console/tokens", fields, session)))
    }

    /// Returns a tag, without its first character, from the text up to the next tag.
    private static func tag(_ text: Substring.UTF8View) -> String {
        String(decoding: text.prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self) + ">"
    }

    /// Checks that a page has only the elements that the module writes, with complete attributes.
    private func expectNoMarkup(in page: String) {
        let known = Set(
            """
            html head meta title link script body a header p span nav ul ol li div form input button main h1 h2 h3 h4 \
            section article table caption thead tbody tr th td bdi pre code textarea label em strong dl dt dd fieldset \
            legend select option details summary noscript time
            """.split { $0.isWhitespace }.map(String.init)
        )
        // A page has many tags, but few different ones.
        for tag in Set(page.utf8.split(separator: UInt8(ascii: "<")).dropFirst().map(Self.tag)) {
            guard let tag = tag.wholeMatch(of: /\/?([A-Za-z!][^\s>]*)([^>]*)>/), tag.0 != "!DOCTYPE html>" else {
                continue
            }
            #expect(known.contains(String(tag.1)), "\(tag.0)")
            #expect(tag.2.wholeMatch(of: /(\s+[a-z-]+(="[^"<>]*")?)*/) != nil, "\(tag.0)")
            #expect(!tag.2.contains(/\s(on[a-z]+|style)="/), "\(tag.0)")
        }
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(!page.contains("href=\"javascript:"))
        let shown = page.replacing(/(?s)<(textarea)[^>]*>.*?<\/textarea>/, with: "").replacing(/"[^"]*"/, with: "")
        #expect(!shown.contains("\u{202E}"), "a character that reverses others is shown as a symbol")
    }

    @Test func `Each page has one heading, each field has a label, and each table has a caption and scopes`()
        async throws
    {
        let place = AdministrationPlace()
        place.fill(with: "x")
        let session = try await place.session()
        var pages: [String] = []
        for path in Self.paths + ["/console/schedules/x", "/console/tokens/x"] {
            pages.append(try await text(place.send(.get, path, cookie: session.cookie)))
        }
        pages.append(try await text(place.post("/console/logs", [("log", "x")], session)))
        for page in pages {
            try expectAccessible(page)
            for table in page.matches(of: /<table[^>]*>(<\w+)/) { #expect(table.1 == "<caption") }
        }
    }

    @Test func `A user who is not an administrator gets the API's refusal, and no links to administration pages`()
        async throws
    {
        let place = AdministrationPlace(isAdministrator: false)
        let session = try await place.session()
        for path in ["/console/schedules", "/console/hooks", "/console/tokens", "/console/audit", "/console/tokens/x"] {
            let answer = await place.send(.get, path, cookie: session.cookie)
            #expect(answer.status == .forbidden)
            let page = try await text(answer)
            #expect(page.contains("only an administrator whose token covers all"), "\(path)")
            #expect(!page.contains("href=\"/console/audit\"") && !page.contains("<select"))
        }
        let overview = try await text(place.send(.get, "/console/", cookie: session.cookie))
        #expect(!overview.contains("id=\"schedules\"") && overview.contains("href=\"/console/logs\""))
    }

    @Test func `A read-only console has no forms that make changes, but can still examine logs`() async throws {
        let place = AdministrationPlace(isWritable: false)
        place.fill(with: "x")
        let session = try await place.session()
        for path in ["/console/schedules/x", "/console/tokens", "/console/tokens/x"] {
            let page = try await text(place.send(.get, path, cookie: session.cookie))
            #expect(page.components(separatedBy: "method=\"post\"").count == 2, "only the form that signs out")
            #expect(try await text(place.post(path, [("typed", "x"), ("name", "x")], session)).contains("readOnly"))
        }
        #expect(place.api.sent == [])
        #expect(try await text(place.post("/console/logs", [("text", "0x80070005")], session)).contains("<article"))
        #expect(await place.upload("x", session).status == .ok)
    }

    // MARK: The overview

    @Test func `A counter links to a list that shows the elements that it counts`() async throws {
        let place = AdministrationPlace()
        place.fill(with: "x")
        let session = try await place.session()
        let overview = try await text(place.send(.get, "/console/", cookie: session.cookie))
        let counters = [
            ("jobs?state=open", "open: 2", ["/jobs/going\"", "/jobs/standing\""], "/jobs/ended\""),
            ("jobs?state=standing", "stalled: 1", ["/jobs/standing\""], "/jobs/going\""),
            ("jobs?state=errors", "with errors: 1", ["/jobs/ended\""], "/jobs/going\""),
            ("plans?state=approval", "waiting for approval: 1", ["/plans/P1\""], "/plans/P2\""),
            ("plans?state=failed", "failed: 1", ["/plans/P2\""], "/plans/P1\""),
            ("schedules?state=failed", "last run failed: 1", ["/schedules/x\""], "/schedules/good\""),
        ]
        for (path, counter, shown, hidden) in counters {
            #expect(overview.contains("<a href=\"/console/\(path)\">\(counter)</a>"), "\(counter)")
            let list = try await text(place.send(.get, "/console/\(path)", cookie: session.cookie))
            #expect(list.contains("aria-current=\"true\">\(counter)</a>"), "\(path)")
            for link in shown { #expect(list.contains("<a href=\"/console\(link)"), "\(path) \(link)") }
            #expect(!list.contains("<a href=\"/console\(hidden)"), "\(path)")
        }
    }

    @Test func `A panel that fails shows its error, and the other panels are unaffected`() async throws {
        let place = AdministrationPlace()
        place.fill(with: "x")
        let session = try await place.session()
        for path in ["/v1/sessions", "/v1/plans", "/v1/schedules", "/v1/collections"] {
            place.api.refuse(path, "no answer of \(path)")
            let answer = await place.send(.get, "/console/", cookie: session.cookie)
            #expect(answer.status == .ok)
            let page = try await text(answer)
            #expect(
                page.contains("no answer of \(path)") && page.components(separatedBy: "class=\"refusal\"").count == 2
            )
            let links = ["/jobs/going", "/plans/P1", "/schedules/x", "/collections/Web"].filter {
                page.contains("<a href=\"/console\($0)\"")
            }
            #expect(links.count == 3, "\(path): \(links)")
            place.api.admit(path)
        }
    }

    @Test func `Counts that cover only the first page of a longer list are labeled as such`() async throws {
        let place = AdministrationPlace()
        place.fill(with: "x")
        let session = try await place.session()
        #expect(try await !text(place.send(.get, "/console/", cookie: session.cookie)).contains("Counted among"))
        place.documents.jobs.withLock { $0.next = "9" }
        let path = "/console/jobs?state=open"
        for path in ["/console/", path] {
            let page = try await text(place.send(.get, path, cookie: session.cookie))
            #expect(page.contains("Counted among the newest 3 on this page"))
        }
        let list = try await text(place.send(.get, path, cookie: session.cookie))
        #expect(list.contains("rel=\"next\" href=\"/console/jobs?state=open&amp;cursor=9\""))
    }

    @Test func `The title of a numeric column is aligned with its numbers`() async throws {
        let place = AdministrationPlace()
        place.fill(with: "x")
        let session = try await place.session()
        for path in ["/console/jobs", "/console/hooks", "/console/audit", "/console/plans", "/console/schedules/x"] {
            let page = try await text(place.send(.get, path, cookie: session.cookie))
            for table in page.components(separatedBy: "<table").dropFirst() {
                let parts = table.components(separatedBy: "<tbody>")
                let heads = parts[0].matches(of: /<th scope="col"( class="number")?>/).map { $0.1 != nil }
                let row = try #require(parts.last?.components(separatedBy: "</tr>").first)
                let cells = row.matches(of: /<t[hd]( scope="row")?( class="number")?/).map { $0.2 != nil }
                // A table that a stream fills has no rows yet.
                guard cells.count == heads.count else { continue }
                #expect(heads == cells, "\(path): \(parts[0])")
            }
            #expect(page.contains("<th scope=\"col\" class=\"number\">"), "\(path)")
        }
    }

    // MARK: Logs

    @Test func `The explanation of a paste is shown below the form, which keeps the text`() async throws {
        let place = AdministrationPlace()
        place.fill(with: "ERROR_KEY_DELETED")
        let session = try await place.session()
        let page = try await text(place.post("/console/logs", [("text", "0x800703FA & more")], session))
        #expect(place.api.sent == ["POST /v1/explanations text/plain 0x800703FA & more"])
        #expect(page.contains("required>\n0x800703FA &amp; more</textarea>"))
        let answer = try #require(page.range(of: "id=\"explanation\""))
        #expect(try #require(page.range(of: "</textarea>")).upperBound < answer.lowerBound)
        for part in [
            "hresult 0x1 ERROR_KEY_DELETED", "Row 3 of the text; rows like it: 2", "7 more are not shown here",
            "FS1 ERROR_KEY_DELETED", "The first message", "The key could not be read", "The usual cause",
        ] {
            #expect(page.contains(part), "\(part)")
        }
    }

    @Test func `A pasted log and a log uploaded as a file get the same response`() async throws {
        let place = AdministrationPlace()
        place.fill(with: "Tracing is on")
        let session = try await place.session()
        let pasted = try await text(place.post("/console/logs", [("log", "a row")], session))
        let sent = try await text(place.upload("PK\u{0}\u{1}", session, query: "?name=WFE1-20260102-0304.log"))
        #expect(
            place.api.sent == [
                "POST /v1/diagnoses text/plain a row",
                "POST /v1/diagnoses?name=WFE1-20260102-0304.log application/octet-stream PK\u{0}\u{1}",
            ]
        )
        for page in [pasted, sent] {
            #expect(page.contains("Rows: 51 in 1 logs. Findings: ≥ 101."))
            // The omitted parts, and the parts that the report does not cover.
            #expect(page.components(separatedBy: "<article>").count == 101)
            #expect(page.contains("1 more are not shown here") && page.contains("in part, or not at all"))
            for part in ["error", "likely", "FS0101", "put it back", "a-correlation", "file.log:7", "no web.config"] {
                #expect(page.contains(part), "\(part)")
            }
            // Rows without findings, in a short log.
            #expect(page.contains("paste.log:8") && page.contains("This row alone shows no failure."))
            #expect(page.contains("Timer service") && page.contains("It failed"))
            // The log itself is not part of the response.
            #expect(!page.contains("a row</textarea>"))
        }
    }

    @Test func `If a farm's logs are chosen by name, pasted text is not sent`() async throws {
        let place = AdministrationPlace()
        place.fill(with: "production")
        let session = try await place.session()
        let page = try await text(place.send(.get, "/console/logs", cookie: session.cookie))
        #expect(page.components(separatedBy: "<option value=\"production\">production</option>").count == 3)
        _ = await place.post("/console/logs", [("log", "a row"), ("logs", "production")], session)
        let form = [("correlation", " 9446a0f0 "), ("log", "a row"), ("logs", "production")]
        let traced = try await text(place.post("/console/logs", form, session))
        let pasted = [("correlation", "9446a0f0"), ("log", "a row"), ("logs", "")]
        _ = await place.post("/console/logs", pasted, session)
        _ = await place.upload("x", session, query: "?name=a.log&correlation=9446")
        #expect(
            place.api.sent == [
                "POST /v1/diagnoses?logs=production text/plain ",
                "POST /v1/traces?correlation=9446a0f0logs=production text/plain ",
                "POST /v1/traces?correlation=9446a0f0 text/plain a row",
                "POST /v1/traces?correlation=9446name=a.log application/octet-stream x",
            ]
        )
        #expect(traced.contains("Requests found: 1") && traced.contains("1 more are not shown here"))
        #expect(traced.contains("<option value=\"production\" selected"))
        // The header of the table and 300 rows.
        let story = try #require(traced.components(separatedBy: "id=\"trace\"").last)
        #expect(story.components(separatedBy: "<tr>").count == 302)
    }

    @Test(arguments: [true, false])
    func `A streamed diagnosis passes on its progress and the findings so far, and ends with the page's element`(
        isReport: Bool
    )
        async throws
    {
        let place = AdministrationPlace()
        place.fill(with: "<b>bold</b>")
        place.api.follow(isReport: isReport)
        let session = try await place.session()
        let answer = await place.upload("a row", session, accept: "text/event-stream")
        #expect(answer.headers["Content-Type"] == "text/event-stream")
        let events = try await text(answer).components(separatedBy: "\n\n").filter { !$0.isEmpty }
        // Findings that have not changed are not sent again.
        #expect(events.map { $0.split(separator: "\n")[0].dropFirst(7) } == ["progress", "soFar", "progress", "page"])
        #expect(events[2].hasPrefix("event: progress\ndata: {\"percent\":2,"), "\(events)")
        #expect(events[1].contains("id=\"diagnosis\"") && events[1].contains("FS0101 · &lt;b&gt;bold&lt;/b&gt; · "))
        let page = try #require(events.last)
        #expect(page.hasPrefix("event: page\ndata: <div id=\"diagnosis\""))
        #expect(page.contains(isReport ? "Rows: 51 in 1 logs" : "class=\"refusal\"") && !page.contains("<b>"))
        #expect(page.contains("&lt;b&gt;"))
        // A refusal before the diagnosis begins is shown as a page.
        place.api.refuse("POST /v1/diagnoses", "too many", status: .tooManyRequests)
        let refused = await place.upload("a row", session, accept: "text/event-stream")
        #expect(
            try await text(refused).contains("too many")
                && refused.headers["Content-Type"]?.hasPrefix("text/html") == true
        )
    }

    @Test func `Events are read completely, however the stream is split`() {
        let stream = Array("event: a\ndata: 1\n\n:\n\nevent: b\ndata: {\"x\":2}\n\nevent: c\nda".utf8)
        for size in 1...stream.count {
            var reader = EventReader()
            let events = stride(from: 0, to: stream.count, by: size).flatMap { start in
                reader.events(in: Array(stream[start..<min(start + size, stream.count)]))
            }
            let found = events.map { "\($0.name) \(String(decoding: $0.data, as: UTF8.self))" }
            #expect(found == ["a 1", "b {\"x\":2}"], "\(size)")
        }
    }

    @Test func `An uploaded file may be larger than other forms`() async throws {
        let place = AdministrationPlace()
        place.fill(with: "x")
        let session = try await place.session()
        let large = String(repeating: "x", count: 2 << 20)
        #expect(await place.upload(large, session).status == .ok)
        #expect(place.api.sent.last?.utf8.count ?? 0 > large.utf8.count)
        #expect(await place.post("/console/logs", [("log", large)], session).status.code == 413)
    }

    @Test
    func `A file is accepted only with the session's token, from the console's own page, where one is expected`()
        async throws
    {
        let place = AdministrationPlace()
        let (session, other) = (try await place.session(), try await place.session())
        for csrf in [nil, "", other.csrf] {
            let answer = await place.upload("x", session, csrf: csrf)
            #expect(try await text(answer).contains("noCSRFToken"))
        }
        // Without a session, a large file is not read only to be discarded.
        let ended = BrowserSession(cookie: "__Host-console=0", csrf: session.csrf)
        #expect(await place.upload(String(repeating: "x", count: 2 << 20), ended).status == .unauthorized)
        let elsewhere = await place.upload("x", session, csrf: session.csrf, origin: "https://evil.example")
        #expect(try await text(elsewhere).contains("otherSite"))
        for path in ["/console/tokens", "/console/schedules/x"] {
            #expect(await place.upload("x", session, csrf: session.csrf, to: path).status.code == 415)
        }
        #expect(place.api.sent == [])
    }

    @Test func `A refusal is shown in place of the result, and the text stays in the form`() async throws {
        let place = AdministrationPlace()
        let session = try await place.session()
        place.api.refuse("POST /v1/explanations", "another log from this client is being examined")
        let page = try await text(place.post("/console/logs", [("text", "0x5")], session))
        let refusal = try #require(page.range(of: "another log from this client is being examined"))
        #expect(try #require(page.range(of: "id=\"explanation\"")).upperBound < refusal.lowerBound)
        #expect(page.contains("0x5</textarea>"))
    }

    // MARK: Schedules

    @Test func `A schedule's page shows its times and its runs with their reports, and can start a run`() async throws {
        let place = AdministrationPlace()
        place.fill(with: "x")
        let session = try await place.session()
        let page = try await text(place.send(.get, "/console/schedules/x", cookie: session.cookie))
        for part in [
            "2026-02-03 04:05", "<span class=\"bad\">took too long</span>", "2026-01-02 03:04:05 UTC",
            "Report, on the server: /state/x", "Earlier times without a run: 3", "data-refresh=\"5\"",
        ] {
            #expect(page.contains(part), "\(part)")
        }
        let started = await place.post("/console/schedules/x", [], session)
        #expect(started.headers["Location"] == "/console/schedules/x?started=8")
        #expect(place.api.sent == ["POST /v1/schedules/x/runs  "])
        place.api.refuse("POST /v1/schedules/x/runs", "a run has not ended", status: .conflict)
        let refused = await place.post("/console/schedules/x", [], session)
        #expect(refused.status == .conflict)
        let shown = try await text(refused)
        #expect(shown.contains("a run has not ended") && shown.contains("took too long"))
    }

    // MARK: Hooks

    @Test func `Programs are shown with their calls and failures, and collections with their hooks`() async throws {
        let place = AdministrationPlace()
        place.fill(with: "masker")
        let session = try await place.session()
        let page = try await text(place.send(.get, "/console/hooks", cookie: session.cookie))
        #expect(page.contains(">12</td>") && page.contains(">5</td>"))
        for part in ["/v1/api/masker", "<h2><bdi>masker</bdi></h2>", "insert"] {
            #expect(page.contains(part), "\(part)")
        }
    }

    // MARK: Tokens

    @Test func `A token is created from the form, and its secret is shown once`() async throws {
        let place = AdministrationPlace()
        let session = try await place.session()
        let form = [
            ("name", "crawler"), ("role", "application"), ("collections", "Web\r\n\r\nMy docs\r\n"),
            ("claims", "tenant=a, b\r\nkey=x=y\r\nlone"), ("verb", "read"), ("verb", "insert"), ("expiresIn", "30d"),
            ("mayDerive", "true"),
        ]
        let answer = await place.post("/console/tokens", form, session)
        #expect(answer.status == .created && answer.headers["Cache-Control"] == "no-store")
        let page = try await text(answer)
        #expect(page.contains("<code id=\"secret\" data-copy>fcd_secret</code>"))
        #expect(
            place.api.sent == [
                """
                POST /v1/tokens application/json {"name":"crawler","role":"application",\
                "collections":["Web","My docs"],"verbs":["read","insert"],\
                "claims":{"tenant":"a, b","key":"x=y","lone":""},"expiresIn":"30d","mayDerive":true}
                """
            ]
        )
        for path in ["/console/tokens", "/console/tokens/x"] {
            let later = try await text(place.send(.get, path, cookie: session.cookie))
            #expect(!later.contains("fcd_secret"))
        }
    }

    @Test func `If the API refuses a token, the typed values stay in the form`() async throws {
        let place = AdministrationPlace()
        let session = try await place.session()
        place.api.refuse("POST /v1/tokens", "it is not a duration", status: ResponseStatus(422))
        let form = [("name", "n1"), ("role", "admin"), ("claims", "a=b"), ("verb", "update"), ("expiresIn", "soon")]
        let answer = await place.post("/console/tokens", form, session)
        #expect(answer.status.code == 422)
        let page = try await text(answer)
        for part in [
            "it is not a duration", "value=\"n1\"", "value=\"admin\" selected", "a=b</textarea>", "value=\"soon\"",
            "value=\"update\" checked",
        ] {
            #expect(page.contains(part), "\(part)")
        }
        #expect(page.components(separatedBy: " checked").count == 2)
    }

    @Test(arguments: [("crawler", true), ("t7", true), ("Crawler", false), ("", false), ("crawler ", false)])
    func `A token is revoked only if its name or its ID is typed`(typed: String, isRevoked: Bool) async throws {
        let place = AdministrationPlace()
        place.api.tokens = [AdministrationAPI.token("t7", "crawler"), AdministrationAPI.token("t8", "Crawler")]
        let session = try await place.session()
        // The fields of the page do not determine the name.
        let form = [("typed", typed), ("name", typed)]
        let answer = await place.post("/console/tokens/t7", form, session)
        #expect(answer.status.code == (isRevoked ? 303 : 422))
        #expect(place.api.sent == (isRevoked ? ["DELETE /v1/tokens/t7  "] : []))
    }

    @Test func `A revoked token has no form, and an unknown token has no page`() async throws {
        let place = AdministrationPlace()
        place.api.tokens = [AdministrationAPI.token("t7", "crawler", isRevoked: true)]
        let session = try await place.session()
        let page = try await text(place.send(.get, "/console/tokens/t7", cookie: session.cookie))
        #expect(page.contains(">revoked</span>") && !page.contains("name=\"typed\""))
        #expect(await place.send(.get, "/console/tokens/t9", cookie: session.cookie).status == .notFound)
        #expect(await place.post("/console/tokens/t9", [("typed", "t9")], session).status == .notFound)
        #expect(place.api.sent == [])
    }

    @Test func `Tokens are listed newest first, a hundred per page, each exactly once`() async throws {
        let place = AdministrationPlace()
        place.api.tokens = (1...250).map { AdministrationAPI.token("t\($0)", "n\($0)") }
        let session = try await place.session()
        var (path, seen): (String?, [String]) = ("/console/tokens", [])
        while let address = path {
            let page = try await text(place.send(.get, address, cookie: session.cookie))
            let ids = page.matches(of: /href="\/console\/tokens\/(t\d+)"/).map { String($0.1) }
            #expect(ids.count <= 100 && page.contains("Tokens: 250"))
            seen += ids
            path = page.firstMatch(of: /rel="next" href="([^"]*)"/).map { String($0.1) }
        }
        #expect(seen == (1...250).reversed().map { "t\($0)" })
    }

    // MARK: The audit log

    @Test func `The audit log is filtered by text, and the filter is kept on older pages`() async throws {
        let place = AdministrationPlace()
        place.fill(with: "x")
        let session = try await place.session()
        let page = try await text(
            place.send(.get, "/console/audit", query: [("text", "a&b"), ("before", "90")], cookie: session.cookie)
        )
        #expect(place.documents.jobs.withLock { $0.queries.last } == ["text=a&b", "before=90"])
        #expect(page.contains("rel=\"next\" href=\"/console/audit?text=a%26b&amp;before=40\""))
        #expect(page.contains("value=\"a&amp;b\"") && page.contains("2026-01-02 03:04:05 UTC"))
        place.documents.jobs.withLock { $0.lines = [] }
        let empty = try await text(place.send(.get, "/console/audit?text=zz", cookie: session.cookie))
        // Lines not read yet may match.
        #expect(empty.contains("older ones may") && empty.contains("rel=\"next\""))
        place.documents.jobs.withLock { $0.nextLine = nil }
        #expect(try await text(place.send(.get, "/console/audit", cookie: session.cookie)).contains("No line matches"))
    }
}

// MARK: - An API for administrators

/// A console in front of an API with jobs, plans, schedules, hooks and tokens.
private struct AdministrationPlace: ConsoleBrowser {
    let documents = TestAPI()
    let api: AdministrationAPI
    let router: HTTPRouter

    init(isWritable: Bool = true, isAdministrator: Bool = true) {
        let console = Console(
            title: "Test",
            isWritable: isWritable,
            lifetime: .seconds(3600),
            identity: nil,
            maximumBody: { 1 << 20 }
        )
        api = AdministrationAPI(isAdministrator: isAdministrator)
        if isAdministrator { documents.promote() }
        documents.jobs.withLock { jobs in
            jobs.sessions = [
                TestJobs.session("going"), TestJobs.session("standing", ["failure": "\"no engine\""]),
                TestJobs.session("ended", ["hasEnded": "true", "errors": "2"]),
            ]
        }
        var router = documents.router
        api.add(to: &router)
        router.useFirst(api.gate)
        router.useFirst(console.middleware)
        self.router = router
    }

    /// Uses a string for every name, message and value in the API's responses.
    func fill(with word: String) {
        api.fill(with: word)
        documents.jobs.withLock { jobs in
            (jobs.lines, jobs.nextLine) = ([(subject: word, collection: word, principal: word)], 40)
        }
    }

    /// Sends a file as the script does.
    func upload(
        _ file: String,
        _ session: BrowserSession,
        query: String = "",
        accept: String? = nil
    ) async -> ServedResponse {
        await upload(file, session, csrf: session.csrf, accept: accept, to: "/console/logs" + query)
    }

    func upload(
        _ file: String,
        _ session: BrowserSession,
        csrf: String?,
        origin: String = "https://console.example",
        accept: String? = nil,
        to path: String = "/console/logs"
    ) async -> ServedResponse {
        var fields = own.merging(["Content-Type": "application/octet-stream", "Origin": origin]) { $1 }
        if let csrf { fields["X-CSRF-Token"] = csrf }
        if let accept { fields["Accept"] = accept }
        return await send(.post, path, body: file, cookie: session.cookie, fields: fields)
    }
}

/// The routes for administrators and for logs, which record requests, and refuse those that the test specifies.
private final class AdministrationAPI: Sendable {
    private struct State {
        var word = "x"
        /// Whether a diagnosis is a stream that ends with a report; `nil` if it is not a stream.
        var followed: Bool?
        var tokens: [String]?
        var sent: [String] = []
        var refusals: [String: (message: String, status: ResponseStatus)] = [:]
    }

    private let state = Mutex(State())
    private let isAdministrator: Bool

    init(isAdministrator: Bool) { self.isAdministrator = isAdministrator }

    var sent: [String] { state.withLock { $0.sent } }
    var tokens: [String] {
        get { state.withLock { $0.tokens ?? [Self.token($0.word, $0.word)] } }
        set { state.withLock { $0.tokens = newValue } }
    }

    /// Uses a string for every name and message.
    func fill(with word: String) { state.withLock { $0.word = word } }

    /// Refuses requests to a path, either all or only those with a certain method.
    func refuse(_ route: String, _ message: String, status: ResponseStatus = .serviceUnavailable) {
        state.withLock { $0.refusals[route] = (message, status) }
    }
    func admit(_ route: String) { state.withLock { $0.refusals[route] = nil } }

    static func token(_ id: String, _ name: String, isRevoked: Bool = false) -> String {
        """
        {"id":\(TestJobs.json(id)),"name":\(TestJobs.json(name)),"role":"user","collections":[\(TestJobs.json(name))],\
        "verbs":["read"],"claims":{\(TestJobs.json(name)):\(TestJobs.json(name))},\
        "created":"2026-01-02T03:04:05.678Z","expires":null,"mayDerive":false,"isRevoked":\(isRevoked)}
        """
    }

    private static let administration = ["/v1/schedules", "/v1/hooks", "/v1/tokens", "/v1/audit"]

    /// Refuses requests before they reach the routes.
    var gate: RouteMiddleware {
        { [self] handler in
            { [self] request in
                let path = request.path
                let refusal = state.withLock { $0.refusals[path] ?? $0.refusals["\(request.method) \(path)"] }
                if let refusal { throw ServiceProblem(refusal.status, "refused", refusal.message) }
                if !isAdministrator, Self.administration.contains(where: { path.hasPrefix($0) }) {
                    throw ServiceProblem(
                        .forbidden,
                        "notAllowed",
                        "only an administrator whose token covers all collections and verbs may do this"
                    )
                }
                return try await handler(request)
            }
        }
    }

    func add(to router: inout HTTPRouter) {
        @Sendable func answer(_ text: String, status: ResponseStatus = .ok) -> ServedResponse {
            .json(Array(text.utf8), status: status)
        }
        @Sendable func word() -> String { TestJobs.json(state.withLock { $0.word }) }
        router.on(.get, "/v1/plans") { _ in
            let plan = #""collection":"Web","author":\#(word()),"counts":{},"approvalRequired":true"#
            return answer(
                """
                {"plans":[{"plan":"P1","state":"planned",\(plan)},{"plan":"P2","state":"failed",\(plan)}],"next":null}
                """
            )
        }
        router.on(.get, "/v1/schedules") { [self] _ in
            answer(
                """
                {"schedules":[{"name":\(word()),"cron":\(word()),"timeZone":"UTC","next":"2026-02-03 04:05",\
                "last":\(run)},{"name":"good","cron":"@daily","timeZone":"UTC","next":null,"last":null}]}
                """
            )
        }
        router.on(.get, "/v1/schedules/{schedule}/runs") { [self] _ in answer("{\"runs\":[\(run)]}") }
        router.on(.post, "/v1/schedules/{schedule}/runs") { [self] request in
            try await note(request)
            return answer("{\"run\":8}", status: ResponseStatus(202))
        }
        router.on(.get, "/v1/hooks") { _ in
            answer(
                """
                {"programs":[{"name":\(word()),"file":\(word()),"processes":1,"calls":12,"failures":5}],\
                "endpoints":[{"path":"/v1/api/masker","methods":["GET"],"access":\(word()),"program":\(word())}],\
                "collections":{\(word()):[{"on":["insert"],"refuse":\(word()),"if":null}]}}
                """
            )
        }
        router.on(.get, "/v1/tokens") { [self] _ in answer("{\"tokens\":[\(tokens.joined(separator: ","))]}") }
        router.on(.post, "/v1/tokens") { [self] request in
            try await note(request)
            let token = Self.token("new", state.withLock { $0.word }).dropFirst()
            return answer("{\"secret\":\"fcd_secret\",\(token)", status: .created)
        }
        router.on(.delete, "/v1/tokens/{token}") { [self] request in
            try await note(request)
            return ServedResponse(status: .noContent)
        }
        router.on(.post, "/v1/explanations") { [self] request in
            try await note(request)
            return answer("[\(explanation)]")
        }
        router.on(.post, "/v1/diagnoses", maximumBody: .max) { [self] request in
            try await note(request)
            guard let isReport = state.withLock({ $0.followed }) else { return answer(report) }
            let problem = "{\"code\":\"noReport\",\"message\":\(TestJobs.json(state.withLock { $0.word }))}"
            let end = isReport ? "event: report\ndata: \(report)\n\n" : "event: problem\ndata: \(problem)\n\n"
            return .stream(contentType: "text/event-stream") { [self] writer in
                for percent in 1...2 {
                    let title = TestJobs.json(state.withLock { $0.word })
                    let finding =
                        "{\"rule\":\"FS0101\",\"severity\":\"error\",\"title\":\(title),\"occurrences\":3}"
                    let data = "{\"percent\":\(percent),\"findings\":[\(finding)]}"
                    try await writer.write(ServerSentEvent(name: "progress", data: data).bytes)
                }
                try await writer.write(Array(end.utf8))
            }
        }
        router.on(.post, "/v1/traces", maximumBody: .max) { [self] request in
            try await note(request)
            return answer(trace)
        }
        router.on(.get, "/v1/logs") { [self] _ in
            answer("{\"logs\":[{\"name\":\(TestJobs.json(state.withLock { $0.word }))}]}")
        }
    }

    /// Responds to a diagnosis from now on with a stream that has the report or a problem at the end.
    func follow(isReport: Bool) { state.withLock { $0.followed = isReport } }

    private func note(_ request: ServedRequest) async throws {
        let body = String(decoding: try await request.body.collect(upTo: 8 << 20), as: UTF8.self)
        let query = request.query.isEmpty ? "" : "?" + request.query.map { "\($0.name)=\($0.value)" }.joined()
        let entry = "\(request.method) \(request.path)\(query) \(request.headers["Content-Type"] ?? "") \(body)"
        state.withLock { $0.sent.append(entry) }
    }

    private var run: String {
        let word = TestJobs.json(state.withLock { $0.word })
        return """
            {"run":7,"state":"timed-out","due":"2026-01-02 03:04","passedOver":3,"client":\(word),\
            "began":"2026-01-02T03:04:05.678Z","ended":"2026-01-02T03:05:05.678Z","exitCode":null,"output":\(word),\
            "report":"/state/x"}
            """
    }

    private var trace: String {
        let word = TestJobs.json(state.withLock { $0.word })
        let event = """
            {"time":\(word),"server":\(word),"process":\(word),"area":\(word),"category":\(word),"eventID":\(word),\
            "level":\(word),"message":\(word)}
            """
        return """
            [{"correlation":\(word),"name":\(word),"servers":[\(word)],"firstTime":\(word),"lastTime":\(word),\
            "worstLevel":\(word),"events":[\(Array(repeating: event, count: 301).joined(separator: ","))]}]
            """
    }

    private var explanation: String {
        let word = TestJobs.json(state.withLock { $0.word })
        return """
            {"asked":\(word),"known":true,"row":{"line":3,"rows":2},"decoded":[{"space":"hresult","code":"0x1",\
            "name":\(word),"meaning":\(word),"usually":[\(word)]}],"exception":{"type":\(word),"message":\(word)},\
            "customFrame":\(word),"during":{"name":\(word)},"where":{"name":\(word)},"cause":[\(word)],\
            "findings":[{"rule":"FS1","title":\(word),"message":"The first message"}],\
            "frame":{"sentence":"The key could not be read"},"usually":["The usual cause"],\
            "checks":[{"text":\(word),"command":\(word)}],"notShown":7}
            """
    }

    private var report: String {
        let word = TestJobs.json(state.withLock { $0.word })
        let finding = """
            {"rule":"FS0101","severity":"error","confidence":"likely","title":\(word),"message":\(word),\
            "symptoms":[{"text":\(word)}],"occurrences":3,"occurrencesAreAtLeast":true,"servers":[\(word)],\
            "firstTime":"2026-01-02T03:04:05","lastTime":"2026-01-02T03:05:05","decoded":[\(word)],"during":\(word),\
            "where":\(word),"causes":[\(word)],"checks":[{"text":\(word),"command":\(word)}],"explain":{"why":\(word),\
            "impact":\(word)},"fix":[{"step":\(word),"where":\(word),"effect":null,"undo":"put it back"}],\
            "verify":\(word),"evidence":[{"file":"file.log","line":7,"time":null,"eventID":\(word),\
            "correlation":"a-correlation","text":\(word),"truncated":true}]}
            """
        let kind = """
            {"severity":"warning","count":4,"eventID":\(word),"template":\(word),"decoded":[\(word)],"causes":[],\
            "checks":[]}
            """
        return """
            {"inputs":{"rows":51,"logs":[{"name":\(word),"server":\(word),"records":51,"firstTime":\(word),\
            "lastTime":\(word),"skipped":false,"incomplete":true,"notes":[\(word)]}],"notes":[\(word)]},\
            "findings":[\(Array(repeating: finding, count: 101).joined(separator: ","))],"findingsAreAtLeast":true,\
            "unexplained":[\(kind)],"unexplainedKinds":1,"unexplainedIsAtLeast":false,"passed":[],\
            "describedRows":[{"file":"paste.log","line":8,"eventID":"8nca","level":"High","text":\(word),\
            "failure":null,"causes":[],"component":"Timer service"},{"file":"paste.log","line":9,"failure":"It failed",\
            "causes":[\(word)]}],\
            "notEvaluated":[{"rule":"FS0401","title":\(word),"reason":"no web.config was given"}],\
            "changes":[{"text":\(word)}],"quality":{"notUnderstood":2},"limits":[{"limit":\(word),"count":1}],\
            "redaction":{"notLookedFor":[\(word)]}}
            """
    }
}
