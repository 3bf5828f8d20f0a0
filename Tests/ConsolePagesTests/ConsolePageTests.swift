import ConsolePages
import Foundation
import HTTPService
import JSONText
import Testing

/// The contents of pages, and the effects of their forms.
struct ConsolePageTests {
    /// Strings that would become markup, attributes, addresses, or different text if they were not escaped.
    static let hostile = [
        "<script>alert(1)</script>", #""><img src=x onerror=alert(1)>"#, "' onfocus=alert(1) autofocus x='",
        "</textarea><script>alert(1)</script>", "</title><script>alert(1)</script>", "<!--", "]]><svg onload=alert(1)>",
        "javascript:alert(1)", "../../v1/me?x", "a&b=c#d", "\u{202E}gnp.exe", "&lt;script&gt;", "{{constructor}}",
        "+%2F",
    ]

    @Test(arguments: hostile)
    func `Hostile IDs, keys and values of documents appear only as text on every page`(
        text hostile: String
    ) async throws {
        let place = ConsolePlace()
        var writer = JSONWriter()
        writer.object { object in
            object.member(hostile, hostile)
            object.member("title", hostile)
            object.array("list") { $0.value(hostile) }
        }
        let json = writer.text
        place.api.put(hostile, json)
        let session = try await place.session()
        let list = try await text(place.send(.get, "/console/collections/Web", cookie: session.cookie))
        let path = DocumentPages.path("Web", hostile)
        #expect(list.contains("href=\"\(path)\""))
        let page = try await text(place.send(.get, path, cookie: session.cookie))
        let form = [("tag", "\"0\""), ("json", json.replacing(hostile, with: hostile + "2"))]
        let conflict = try await text(place.post(path, form, session))
        let search = await place.send(
            .get,
            "/console/collections/Web",
            query: [("words", hostile)],
            cookie: session.cookie
        )
        let pages = [list, page, conflict, try await text(search)]
        for page in pages {
            expectNoMarkup(of: hostile, in: page)
            // Each page has the form that signs out, which shows that the console made the page.
            #expect(page.contains("/console/sign-out"))
        }
    }

    /// Checks that a page has only the elements that the module writes, regardless of the text.
    func expectNoMarkup(of hostile: String, in page: String) {
        let known: Set<String> = [
            "html", "head", "meta", "title", "link", "script", "body", "a", "header", "p", "span", "nav", "ul", "li",
            "div",
            "form", "input", "button", "main", "h1", "h2", "section", "table", "caption", "thead", "tbody", "tr", "th",
            "td", "bdi", "pre", "code", "textarea", "label", "em", "strong", "dl", "dt", "dd", "time", "noscript",
        ]
        for tag in page.matches(of: /<\/?([A-Za-z!][^\s>]*)([^>]*)>/) where tag.0 != "<!DOCTYPE html>" {
            #expect(known.contains(String(tag.1)), "\(tag.0)")
            #expect(!tag.2.contains(/(^|\s)on[a-z]+=|style=/) || isQuoted(tag.2), "\(tag.0)")
        }
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(!page.contains("href=\"javascript:"))
        let shown = page.replacing(/(?s)<(textarea)[^>]*>.*?<\/textarea>/, with: "").replacing(/"[^"]*"/, with: "")
        #expect(!shown.contains("\u{202E}"), "a character that reverses others is shown as a symbol")
    }

    /// Returns whether each attribute is complete: a name, and a value in quotes.
    private func isQuoted(_ attributes: Substring) -> Bool {
        attributes.wholeMatch(of: /(\s+[a-z-]+(="[^"<>]*")?)*/) != nil
    }

    @Test func `A page's policy allows only the console's script, with a new nonce for each response`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        var nonces: Set<String> = []
        for _ in 1...2 {
            let answer = await place.send(.get, "/console/", cookie: session.cookie)
            let policy = try #require(answer.headers["Content-Security-Policy"])
            let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([0-9a-f]{64})'/)).1
            #expect(policy.hasPrefix("default-src 'none';") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            let page = try await text(answer)
            for tag in page.matches(of: /<(script|link rel="stylesheet")[^>]*>/) {
                #expect(tag.0.contains("nonce=\"\(nonce)\""))
            }
            #expect(answer.headers["Cache-Control"] == "no-store")
            #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
            nonces.insert(String(nonce))
        }
        #expect(nonces.count == 2)
    }

    @Test func `A page loads no resources from other servers, and its files stay within 60 KB`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        let page = try await text(place.send(.get, "/console/", cookie: session.cookie))
        let addresses = page.matches(of: /(?:src|href|action)="([^"]*)"/).map { String($0.1) }
        #expect(addresses.allSatisfy { $0.hasPrefix("/console/") || $0 == "data:," || $0 == "#main" }, "\(addresses)")
        var bytes = 0
        for address in addresses where address.hasPrefix("/console/assets/") {
            let answer = await place.send(.get, address, cookie: nil)
            #expect(answer.headers["Cache-Control"]?.hasSuffix("immutable") == true)
            bytes += try await answer.collectBody(upTo: 1 << 20).count
            let other = await place.send(.get, String(address.prefix { $0 != "?" }) + "?v=0", cookie: nil)
            #expect(other.headers["Cache-Control"] == "no-store")
        }
        #expect(bytes > 10_000 && bytes <= 60 << 10)
    }

    @Test func `A page has one heading and landmarks, each field has a label, and each table has headers`() async throws
    {
        let place = ConsolePlace()
        let session = try await place.session()
        for path in ["/console/", "/console/collections", "/console/collections/Web", DocumentPages.path("Web", "a")] {
            let page = try await text(place.send(.get, path, cookie: session.cookie))
            try expectAccessible(page, path)
            for once in ["<main ", "<header>", "class=\"skip\""] {
                #expect(page.components(separatedBy: once).count == 2, "\(path): \(once)")
            }
        }
    }

    @Test func `A search form passes its fields to the API, and the next page continues at the cursor`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        place.api.continueAt("c/2")
        let query = [("words", "red fox"), ("where", "state=new"), ("query", "")]
        let page = try await text(place.send(.get, "/console/collections/Web", query: query, cookie: session.cookie))
        #expect(place.api.queries.last == ["words=red fox", "where=state=new", "limit=50"])
        let next = try #require(page.firstMatch(of: /rel="next" href="([^"]*)"/)).1
        _ = await place.send(.get, next.replacingOccurrences(of: "&amp;", with: "&"), cookie: session.cookie)
        #expect(place.api.queries.last == ["words=red fox", "where=state=new", "cursor=c/2", "limit=50"])
    }

    // MARK: Writing

    private func post(
        _ place: ConsolePlace,
        _ session: BrowserSession,
        _ fields: [(String, String)],
        action: String = ""
    ) async -> ServedResponse {
        await place.post(DocumentPages.path("Web", "a") + action, fields, session)
    }

    @Test func `Editing a document keeps the original notation of its numbers`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        let page = try await text(place.send(.get, DocumentPages.path("Web", "a"), cookie: session.cookie))
        let shown = try #require(page.firstMatch(of: /(?s)<textarea[^>]*>\n(.*?)<\/textarea>/)).1
            .replacing("&quot;", with: "\"")
        #expect(shown == "{\n  \"title\": \"A\",\n  \"n\": 1.50\n}")
        let edited = shown.replacing("\"A\"", with: "\"B\"").replacingOccurrences(of: "\n", with: "\r\n")
        let answer = await post(place, session, [("tag", "\"1\""), ("json", edited)])
        #expect(answer.status.code == 303)
        #expect(place.api.document("a") == "{\n  \"title\": \"B\",\n  \"n\": 1.50\n}")
    }

    @Test func `Values keep their line breaks`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        place.api.put("a", #"{"list":["x"],"text":"1\n2"}"#)
        let page = try await text(place.send(.get, DocumentPages.path("Web", "a"), cookie: session.cookie))
        #expect(page.contains("<pre>\n[\n  &quot;x&quot;\n]</pre>"))
        #expect(page.contains("dir=\"auto\">1\n2</div>"))
    }

    @Test func `Text that is not a JSON object is not written, and stays in the form`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        for json in ["{\"a\":", "[1]", "", "{} x"] {
            let answer = await post(place, session, [("tag", "\"1\""), ("json", json)])
            #expect(answer.status.code == 422)
            let escaped = json.replacing("\"", with: "&quot;")
            #expect(try await text(answer).contains("required>\n\(escaped)</textarea>"))
        }
        #expect(place.api.writes == [])
    }

    @Test func `After a conflicting write, both versions are shown, and the user's choice is written`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        place.api.put("a", #"{"title":"Theirs","n":2,"old":true}"#)
        let mine = #"{"title":"Mine","n":1.50,"new":"x"}"#
        let conflict = await post(place, session, [("tag", "\"1\""), ("json", mine)])
        #expect(conflict.status == .conflict)
        let page = try await text(conflict)
        for key in ["title", "n", "new", "old"] {
            #expect(page.components(separatedBy: "name=\"choice \(key)\"").count == 3, "\(key)")
        }
        #expect(page.contains("Theirs") && page.contains("Mine") && page.contains("value=\"&quot;2&quot;\""))
        let choice = [
            ("choice title", "theirs"), ("choice n", "mine"), ("choice new", "mine"), ("choice old", "theirs"),
        ]
        // Another write occurred in the meantime, so the choice referred to an older version.
        place.api.put("a", #"{"title":"Third","n":2,"old":true}"#)
        let again = await post(place, session, [("tag", "\"2\""), ("json", mine)] + choice, action: "/merge")
        #expect(again.status == .conflict)
        #expect(try await text(again).contains("Third"))
        let done = await post(place, session, [("tag", "\"3\""), ("json", mine)] + choice, action: "/merge")
        #expect(done.status.code == 303)
        let merged = try JSONValue(Array(try #require(place.api.document("a")).utf8))
        #expect(merged == (try JSONValue(Array(#"{"title":"Third","n":1.50,"old":true,"new":"x"}"#.utf8))))
    }

    @Test func `A document deleted in the meantime is not written again, and the user's version is shown`()
        async throws
    {
        let place = ConsolePlace()
        let session = try await place.session()
        place.api.put("a", nil)
        let answer = await post(place, session, [("tag", "\"1\""), ("json", #"{"title":"Mine"}"#)])
        #expect(answer.status == .conflict)
        #expect(try await text(answer).contains("Mine"))
        #expect(place.api.document("a") == nil)
    }

    @Test func `A document is deleted only if its ID is typed, and only in the version that was shown`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        for fields in [[("tag", "\"1\""), ("typed", "A")], [("tag", "\"1\"")], [("tag", "\"0\""), ("typed", "a")]] {
            #expect(await post(place, session, fields, action: "/removal").status.code == 422)
            #expect(place.api.document("a") != nil)
        }
        let answer = await post(place, session, [("tag", "\"1\""), ("typed", "a")], action: "/removal")
        #expect(answer.headers["Location"] == "/console/collections/Web")
        #expect(place.api.document("a") == nil)
    }

    @Test func `An action that the API would refuse is not shown`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        place.api.allow("none")
        let page = try await text(place.send(.get, DocumentPages.path("Web", "a"), cookie: session.cookie))
        #expect(!page.contains("<textarea") && !page.contains("/removal"))
    }

    @Test func `A refusal by the API is shown as the page's content`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        let answer = await place.send(.get, DocumentPages.path("Web", "none"), cookie: session.cookie)
        #expect(answer.status == .notFound)
        #expect(try await text(answer).contains("there is no such document"))
        let missing = await place.send(.get, "/console/nothing", cookie: session.cookie)
        #expect(missing.status == .notFound)
        #expect(try await text(missing).contains("<h1>There is no such page</h1>"))
    }

    // MARK: Languages

    @Test(arguments: [
        ("de-AT,de;q=0.9,en;q=0.8", "de"), ("en-US", "en"), ("fr, de;q=0.5", "de"), ("fr", "en"),
        ("de;q=0, en;q=0.1", "en"),
        ("", "en"),
    ])
    func `The language is that of the browser until the user chooses another language`(
        accepted: String,
        language: String
    ) async throws {
        let place = ConsolePlace()
        let fields = ["Accept-Language": accepted]
        let page = await place.send(.get, "/console/sign-in", cookie: nil, fields: fields)
        #expect(try await text(page).contains("<html lang=\"\(language)\">"))
        let other = language == "de" ? "en" : "de"
        let chosen = await place.send(.get, "/console/sign-in?lang=\(other)", cookie: nil, fields: fields)
        #expect(try await text(chosen).contains("<html lang=\"\(other)\">"))
        let cookie = try #require(chosen.headers["Set-Cookie"])
        let later = await place.send(.get, "/console/sign-in", cookie: cookie, fields: fields)
        #expect(try await text(later).contains("<html lang=\"\(other)\">"))
    }

    @Test func `Each text exists in both languages, with the same placeholders`() throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../Sources/Feeding/ConsolePages").standardized
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
            let source = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            let texts = source.matches(of: /= ConsoleText\(\s*"((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)"\s*\)/)
            #expect(texts.count == source.matches(of: /static let \w+ = ConsoleText\(/).count, "\(name)")
            for text in texts {
                #expect(!text.1.isEmpty && !text.2.isEmpty)
                let values = [text.1, text.2].map { $0.components(separatedBy: "{}").count }
                #expect(values[0] == values[1], "\(text.1)")
            }
            count += texts.count
        }
        #expect(count > 50)
    }

    @Test func `The script has the same texts in both languages`() async throws {
        let script = try await text(ConsolePlace().send(.get, "/console/assets/console.mjs", cookie: nil))
        let tables = script.matches(of: /(?s)\n  (en|de): \{(.*?) \},/).map { String($0.2) }
        #expect(tables.count == 2)
        let keys = tables.map { table in
            // A value may contain a colon, but no quote before a colon.
            table.replacing(/"(?:[^"\\]|\\.)*"/, with: "\"\"").matches(of: /(\w+): ""/).map { String($0.1) }
        }
        #expect(keys[0] == keys[1] && keys[0].count > 5)
    }

    @Test func `Values inserted into a text are not read as placeholders`() {
        let text = ConsoleText("{} of {}", "{} von {}")
        #expect(text.text(in: .english, ["{}", "b"]) == "{} of b")
    }

    @Test func `Fields of a form are decoded as browsers encode them`() {
        let form = FormFields(Array("a=1+2%2B3&b=%C3%A4%0D%0A&c&d=x=y&=z".utf8))
        #expect(form["a"] == "1 2+3" && form["b"] == "ä\r\n" && form["c"] == "" && form["d"] == "x=y")
        #expect(form.all.count == 5)
    }
}
