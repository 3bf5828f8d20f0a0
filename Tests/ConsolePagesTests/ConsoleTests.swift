import ConsolePages
import Foundation
import HTTPService
import JSONText
import Synchronization
import Testing

/// The sessions of browsers, and the requests that have their rights.
struct ConsoleTests {
    @Test func `The cookie of a session is sent only to this server, and scripts can't read it`() async throws {
        let place = ConsolePlace()
        let answer = await place.signIn("secret")
        #expect(answer.status.code == 303 && answer.headers["Location"] == "/console/collections")
        let cookie = try #require(answer.headers["Set-Cookie"])
        let parts = cookie.split(separator: "; ").map(String.init)
        #expect(parts.dropFirst() == ["Path=/", "Secure", "HttpOnly", "SameSite=Strict"])
        #expect(parts[0].wholeMatch(of: /__Host-console=[0-9a-f]{64}/) != nil, "\(cookie)")
        #expect(!cookie.contains("secret"))
        #expect(await place.signIn("secret").headers["Set-Cookie"] != cookie)
    }

    @Test(arguments: ["wrong", "", "sec ret", "secret\u{0}", "séc"])
    func `A token that the API does not accept does not begin a session`(token: String) async throws {
        let answer = await ConsolePlace().signIn(token)
        #expect(answer.status == .unauthorized)
        #expect(answer.headers["Set-Cookie"] == nil)
        #expect(try await text(answer).contains("does not accept this token"))
    }

    @Test(arguments: [
        (["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"], "otherSite"),
        (["Sec-Fetch-Site": "same-site", "Origin": "https://console.example"], "otherSite"),
        (["Origin": "https://console.example"], "otherSite"),
        (["Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"], "otherSite"),
        (["Sec-Fetch-Site": "same-origin", "Origin": "null"], "otherSite"),
        (["Sec-Fetch-Site": "same-origin"], "otherSite"),
    ])
    func `Another site can't sign in a browser or submit a form`(headers: [String: String], code: String) async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        for (path, form) in [
            ("/console/sign-in", "token=secret"), ("/console/sign-out", "csrf=\(session.csrf)"),
            ("/console/collections/Web/documents/a", "csrf=\(session.csrf)&tag=x&json=%7B%7D"),
        ] {
            let answer = await place.send(.post, path, form: form, cookie: session.cookie, fields: headers)
            #expect(answer.status == .forbidden)
            #expect(try await text(answer).contains(code), "\(path)")
        }
        #expect(place.api.writes == [])
    }

    @Test func `Forms and scripts require their session's token`() async throws {
        let place = ConsolePlace()
        let (one, other) = (try await place.session(), try await place.session())
        for csrf in ["", other.csrf, one.csrf.uppercased() + "0"] {
            let form = await place.send(
                .post,
                "/console/collections/Web/documents/a",
                form: "csrf=\(csrf)&tag=%221%22&json=%7B%7D",
                cookie: one.cookie
            )
            #expect(try await text(form).contains("noCSRFToken"))
            let script = await place.send(
                .put,
                "/v1/collections/Web/documents/a",
                cookie: one.cookie,
                fields: place.own.merging(["X-CSRF-Token": csrf]) { $1 }
            )
            #expect(script.status == .forbidden)
        }
        #expect(place.api.writes == [])
        let script = await place.send(
            .put,
            "/v1/collections/Web/documents/a",
            cookie: one.cookie,
            fields: place.own.merging(["X-CSRF-Token": one.csrf]) { $1 }
        )
        #expect(script.status == .noContent)
        #expect(place.api.writes == ["PUT /v1/collections/Web/documents/a"])
    }

    @Test(arguments: ["cross-site", "same-site", "none", nil])
    func `A cookie has no rights in a request from another site`(site: String?) async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        let fields = site.map { ["Sec-Fetch-Site": $0] } ?? [:]
        let answer = await place.send(.get, "/v1/me", cookie: session.cookie, fields: fields)
        #expect(answer.status == .unauthorized)
        let own = await place.send(.get, "/v1/me", cookie: session.cookie)
        #expect(own.status == .ok)
        #expect(own.headers["Content-Security-Policy"] == "default-src 'none'; sandbox")
    }

    @Test func `A console with apps, and its sessions, are refused until the console has its own host`() async throws {
        let hasApps = Mutex(false)
        let place = ConsolePlace(hasApps: { hasApps.withLock { $0 } })
        let session = try await place.session()
        #expect(await place.send(.get, "/v1/me", cookie: session.cookie).status == .ok)
        hasApps.withLock { $0 = true }
        for path in ["/console", "/console/", "/console/collections", "/console/assets/console.mjs"] {
            let closed = await place.send(.get, path, cookie: session.cookie)
            #expect(closed.status == .forbidden)
            #expect(try await text(closed).contains("sharedOrigin"))
        }
        #expect(await place.signIn("secret").status == .forbidden)
        #expect(await place.send(.get, "/v1/me", cookie: session.cookie).status == .unauthorized)
    }

    @Test func `A console with a host, and its cookie, are not available at any other host`() async throws {
        let place = ConsolePlace(host: "console.example", hasApps: { true })
        let session = try await place.session()
        for (host, isConsole) in [
            ("console.example", true), ("Console.Example:8443", true), ("apps.example", false),
            ("console.example.apps.example", false), ("127.0.0.1:13391", false), ("[::1]:80", false), ("", false),
        ] {
            let fields = ["Sec-Fetch-Site": "same-origin", "Origin": "https://\(host)", "Host": host]
            let page = await place.send(.get, "/console/collections", cookie: session.cookie, fields: fields)
            #expect(page.status == (isConsole ? .ok : .notFound), "\(host)")
            let answer = await place.send(.get, "/v1/me", cookie: session.cookie, fields: fields)
            #expect(answer.status == (isConsole ? .ok : .unauthorized), "\(host)")
            // On the console's host, no other scripts run, even if it is opened without a session.
            let other = await place.send(.get, "/v1/me", cookie: nil, fields: ["Host": host])
            #expect((other.headers["Content-Security-Policy"] == "default-src 'none'; sandbox") == isConsole, "\(host)")
        }
    }

    @Test func `The console does not change a request that has its own token`() async throws {
        let place = ConsolePlace(isWritable: false)
        let session = try await place.session()
        let fields = ["Authorization": "Bearer secret"]
        let answer = await place.send(.put, "/v1/collections/Web/documents/a", cookie: session.cookie, fields: fields)
        #expect(answer.status == .noContent)
        #expect(answer.headers["Content-Security-Policy"] == nil)
    }

    @Test func `A read-only console has no editing forms, and refuses changes sent with a session cookie`() async throws
    {
        let place = ConsolePlace(isWritable: false)
        let session = try await place.session()
        let page = try await text(place.send(.get, "/console/collections/Web/documents/a", cookie: session.cookie))
        #expect(page.contains("read-only") && !page.contains("<textarea"))
        #expect(page.components(separatedBy: "method=\"post\"").count == 2, "only the form that signs out")
        let form = await place.send(
            .post,
            "/console/collections/Web/documents/a",
            form: "csrf=\(session.csrf)&tag=%221%22&json=%7B%7D",
            cookie: session.cookie
        )
        #expect(try await text(form).contains("readOnly"))
        let token = place.own.merging(["X-CSRF-Token": session.csrf]) { $1 }
        let put = await place.send(.put, "/v1/collections/Web/documents/a", cookie: session.cookie, fields: token)
        #expect(try await text(put).contains("readOnly"))
        #expect(place.api.writes == [])
        // Posting a question changes nothing.
        let lookup = await place.send(.post, "/v1/collections/Web/lookups", cookie: session.cookie, fields: token)
        #expect(lookup.status == .ok)
    }

    @Test func `A session ends after an hour without use, after its maximum time, and when the user signs out`()
        async throws
    {
        let place = ConsolePlace()
        func isSignedIn(_ session: BrowserSession) async -> Bool {
            await place.send(.get, "/console/collections", cookie: session.cookie).status == .ok
        }
        let idle = try await place.session()
        place.clock.advance(by: .seconds(3599))
        #expect(await isSignedIn(idle))
        place.clock.advance(by: .seconds(3601))
        #expect(await !isSignedIn(idle))
        let busy = try await place.session()
        for _ in 1...15 {
            place.clock.advance(by: .seconds(1800))
            #expect(await isSignedIn(busy))
        }
        place.clock.advance(by: .seconds(1800))
        #expect(await !isSignedIn(busy))
        let last = try await place.session()
        let answer = await place.send(.post, "/console/sign-out", form: "csrf=\(last.csrf)", cookie: last.cookie)
        #expect(answer.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
        #expect(await !isSignedIn(last))
    }

    @Test func `A session ends when its token expires, and signing in again leads back to the page`() async throws {
        let place = ConsolePlace()
        let session = try await place.session()
        place.api.revoke()
        let answer = await place.send(.get, "/console/collections/Web?words=a%26b", cookie: session.cookie)
        #expect(answer.status == .unauthorized)
        let page = try await text(answer)
        #expect(page.contains(#"name="next" value="/console/collections/Web?words=a%26b""#), "\(page)")
    }

    @Test(arguments: [
        "//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/\t/evil", "",
    ])
    func `A sign-in does not lead to another server`(next: String) async throws {
        let answer = await ConsolePlace().signIn("secret", next: next)
        #expect(answer.headers["Location"] == "/console/")
        #expect(String(decoding: HTML("a", .href(next)).bytes, as: UTF8.self) == #"<a href="/console/"></a>"#)
    }

    @Test func `If two cookies have the same name, both are ignored`() async throws {
        let place = ConsolePlace()
        let (one, other) = (try await place.session(), try await place.session())
        let both = "\(one.cookie); \(other.cookie)"
        #expect(await place.send(.get, "/console/collections", cookie: both).status == .unauthorized)
    }

    // MARK: The identity provider

    @Test
    func `A user signs in at the identity provider with a code and a secret known only to this browser's sign-in`()
        async throws
    {
        let provider = TestIdentity()
        let place = ConsolePlace(identity: provider.identity)
        let start = await place.send(
            .post,
            "/console/sign-in/start",
            form: "next=%2Fconsole%2Fcollections",
            cookie: nil
        )
        let cookie = try #require(start.headers["Set-Cookie"])
        #expect(cookie.hasPrefix("__Host-console-sign-in=") && cookie.hasSuffix("SameSite=Lax; Max-Age=600"))
        let asked = try #require(provider.asked)
        #expect(asked.redirect == "https://console.example/console/sign-in/callback")
        #expect(try await text(start).contains("https://login.example/?state=\(asked.state)"))
        let pending = String(cookie.prefix { $0 != ";" })
        // Another browser, and a different sign-in.
        for (state, cookie) in [(asked.state, ""), ("00", pending)] {
            let query = [("code", "c1"), ("state", state)]
            let answer = await place.send(.get, "/console/sign-in/callback", query: query, cookie: cookie, fields: [:])
            #expect(answer.status == .badRequest && answer.headers["Set-Cookie"] == nil)
        }
        // The wrong state has used up the sign-in.
        let again = await place.send(.post, "/console/sign-in/start", form: "next=//evil.example", cookie: nil)
        let fresh = String(try #require(again.headers["Set-Cookie"]).prefix { $0 != ";" })
        let query = [("code", "c1"), ("state", try #require(provider.asked).state)]
        let fields = ["Sec-Fetch-Site": "cross-site"]
        let done = await place.send(.get, "/console/sign-in/callback", query: query, cookie: fresh, fields: fields)
        #expect(done.headers.values(of: "Set-Cookie").contains { $0.hasPrefix("__Host-console=") })
        #expect(try await text(done).contains(#"content="0; url=/console/""#))
        let sent = try #require(provider.exchanged)
        #expect(RandomSecret.digest(sent.verifier) == Data(base64Encoded: sent.challenge.fromBase64URL).map(Array.init))
        let twice = await place.send(.get, "/console/sign-in/callback", query: query, cookie: fresh, fields: fields)
        #expect(twice.status == .badRequest)
    }
}

extension String {
    fileprivate var fromBase64URL: String {
        let text = replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return text + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}

// MARK: - A console for tests

func text(_ response: ServedResponse) async throws -> String {
    String(decoding: try await response.collectBody(upTo: 1 << 24), as: UTF8.self)
}

/// The session of a browser: its cookie, and the token in the session's pages.
struct BrowserSession {
    let cookie: String
    let csrf: String
}

/// A console to which a test sends requests as a browser does.
protocol ConsoleBrowser {
    var router: HTTPRouter { get }
}

extension ConsoleBrowser {
    /// The fields that a browser sends along with a request from a page of the console.
    var own: [String: String] { ["Sec-Fetch-Site": "same-origin", "Origin": "https://console.example"] }

    /// Sends a request; a target may be an address as it is written in a page.
    func send(
        _ method: RequestMethod,
        _ target: String,
        query: [(String, String)] = [],
        form: String? = nil,
        body: String = "",
        cookie: String?,
        fields: [String: String]? = nil
    ) async -> ServedResponse {
        let parts = target.replacingOccurrences(of: "&amp;", with: "&").split(separator: "?", maxSplits: 1)
        var headers: HeaderFields = ["Host": "console.example"]
        for (name, value) in fields ?? own { headers[name] = value }
        if let cookie { headers["Cookie"] = cookie }
        if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
        let items = query.map { (name: $0.0, value: $0.1) }
        return await router.respond(
            to: ServedRequest(
                method,
                String(parts[0]),
                query: parts.count > 1 ? FormFields(Array(parts[1].utf8)).all : items,
                headers: headers,
                body: .bytes((form ?? body).utf8)
            )
        )
    }

    /// Sends a form of one of the session's pages.
    func post(_ path: String, _ form: [(String, String)], _ session: BrowserSession) async -> ServedResponse {
        let form = ConsolePath.query([("csrf", session.csrf)] + form.map { (name: $0.0, value: $0.1) })
        return await send(.post, path, form: String(form.dropFirst()), cookie: session.cookie)
    }

    func signIn(_ token: String, next: String = "/console/collections") async -> ServedResponse {
        let form = ConsolePath.query([("token", token), ("next", next)]).dropFirst()
        return await send(.post, "/console/sign-in", form: String(form), cookie: nil)
    }

    /// Signs in, and reads the session's token from a page.
    func session(_ token: String = "secret") async throws -> BrowserSession {
        let cookie = try #require(await signIn(token).headers["Set-Cookie"])
        let id = String(cookie.prefix { $0 != ";" })
        let page = try await text(send(.get, "/console/collections", cookie: id))
        let csrf = try #require(page.firstMatch(of: /data-csrf="([0-9a-f]{64})"/))
        return BrowserSession(cookie: id, csrf: String(csrf.1))
    }
}

/// Checks that a page has one heading, a label for each field, and scopes for the headers of its tables.
func expectAccessible(_ page: String, _ path: String = "") throws {
    #expect(page.components(separatedBy: "<h1>").count == 2, "\(path)")
    let labelled = page.replacing(/(?s)<label>.*?<\/label>/, with: "")
    for field in labelled.matches(of: /<(?:input|textarea|select)([^>]*)>/) where !field.1.contains("\"hidden\"") {
        let id = try #require(field.1.firstMatch(of: /\sid="([^"]*)"/), "\(path): \(field.0)").1
        #expect(page.contains("<label for=\"\(id)\">"), "\(path): \(id)")
        #expect(page.components(separatedBy: " id=\"\(id)\"").count == 2, "\(path): \(id)")
    }
    for header in page.matches(of: /<th( [^>]*)?>/) { #expect(header.0.contains("scope="), "\(path)") }
}

/// A console in front of an API that keeps one collection in memory.
struct ConsolePlace: ConsoleBrowser {
    let api = TestAPI()
    let clock = ConsoleClock()
    let router: HTTPRouter

    init(
        isWritable: Bool = true,
        identity: ConsoleIdentity? = nil,
        host: String? = nil,
        hasApps: @escaping @Sendable () -> Bool = { false }
    ) {
        let clock = clock
        let console = Console(
            title: "Test",
            isWritable: isWritable,
            lifetime: .seconds(8 * 3600),
            identity: identity,
            maximumBody: { 1 << 20 },
            host: host,
            hasApps: hasApps,
            clock: { clock.now }
        )
        var router = api.router
        router.useFirst(console.middleware)
        self.router = router
    }
}

final class ConsoleClock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

/// An API with one collection, whose documents have numbers as versions.
final class TestAPI: Sendable {
    private struct State {
        var documents: [String: (json: String, version: Int)] = ["a": (#"{"title":"A","n":1.50}"#, 1)]
        var rights = "all"
        var role = "user"
        var isRevoked = false
        var next: String?
        var writes: [String] = []
        var queries: [[String]] = []
        /// The member `capabilities` of the collection, and the members with counts in the answer to a search.
        var (abilities, counts) = ("{}", "")
    }

    private let state = Mutex(State())
    let jobs = Mutex(TestJobs())

    var writes: [String] { state.withLock { $0.writes } }
    var queries: [[String]] { state.withLock { $0.queries } }

    func document(_ id: String) -> String? { state.withLock { $0.documents[id]?.json } }
    func put(_ id: String, _ json: String?) {
        state.withLock { state in
            state.documents[id] = json.map { ($0, (state.documents[id]?.version ?? 0) + 1) }
        }
    }
    func revoke() { state.withLock { $0.isRevoked = true } }
    func allow(_ rights: String) { state.withLock { $0.rights = rights } }
    func promote() { state.withLock { $0.role = "admin" } }
    func count(_ counts: String) {
        state.withLock { ($0.abilities, $0.counts) = (#"{"sorts":true,"counts":true}"#, counts) }
    }
    func continueAt(_ cursor: String) { state.withLock { $0.next = cursor } }

    var router: HTTPRouter {
        var router = HTTPRouter()
        router.use { [self] handler in
            { [self] request in
                let isKnown = request.headers["Authorization"] == "Bearer secret" && !state.withLock { $0.isRevoked }
                guard isKnown else { throw ServiceProblem(.unauthorized, "noToken", "this request needs a token") }
                if [.put, .patch, .delete].contains(request.method) {
                    state.withLock { $0.writes.append("\(request.method) \(request.path)") }
                }
                return try await handler(request)
            }
        }
        router.on(.get, "/v1/me") { [self] _ in
            let right = #""\#(state.withLock { $0.rights })""#
            let rights = #"{"read":"all","insert":\#(right),"update":\#(right),"delete":\#(right)}"#
            let role = state.withLock { $0.role }
            let me = #"{"kind":"me","name":"ann <b>","role":"\#(role)","collections":{"Web":\#(rights)}}"#
            return .json(Array(me.utf8))
        }
        router.on(.get, "/v1/collections") { _ in .json(Array(#"{"collections":["Web"]}"#.utf8)) }
        router.on(.get, "/v1/collections/{collection}") { [self] _ in
            let abilities = state.withLock { $0.abilities }
            return .json(Array(#"{"documents":1,"capabilities":\#(abilities)}"#.utf8))
        }
        router.on(.post, "/v1/collections/{collection}/lookups") { _ in .json(Array("{}".utf8)) }
        router.on(.get, "/v1/collections/{collection}/documents") { [self] request in list(request) }
        let path = "/v1/collections/{collection}/documents/{document}"
        router.on(.get, path) { [self] request in
            guard let found = try state.withLock({ $0.documents[try request.parameter("document")] }) else {
                throw ServiceProblem(.notFound, "noDocument", "there is no such document")
            }
            var response = ServedResponse.json(Array(found.json.utf8))
            response.headers["ETag"] = "\"\(found.version)\""
            return response
        }
        router.on(.put, path) { [self] request in
            let json = String(decoding: try await request.body.collect(upTo: 1 << 20), as: UTF8.self)
            try check(request)
            if let refusal = jobs.withLock({ $0.refusal }) { throw ServiceProblem(.forbidden, "notAllowed", refusal) }
            put(try request.parameter("document"), json)
            return ServedResponse(status: .noContent)
        }
        router.on(.delete, path) { [self] request in
            try check(request)
            put(try request.parameter("document"), nil)
            return ServedResponse(status: .noContent)
        }
        addJobs(to: &router)
        return router
    }

    func check(_ request: ServedRequest) throws {
        let id = try request.parameter("document")
        if request.headers["If-None-Match"] == "*", document(id) != nil {
            throw ServiceProblem(ResponseStatus(412), "conflict", "there is one")
        }
        guard let match = request.headers["If-Match"] else { return }
        let version = state.withLock { $0.documents[id].map { "\"\($0.version)\"" } }
        guard version == match else { throw ServiceProblem(ResponseStatus(412), "conflict", "another version") }
    }

    private func list(_ request: ServedRequest) -> ServedResponse {
        let (documents, next, counts) = state.withLock { state in
            state.queries.append(request.query.map { "\($0.name)=\($0.value)" })
            return (state.documents.sorted { $0.key < $1.key }, state.next, state.counts)
        }
        return .json { object in
            object.array("documents") { array in
                for (id, document) in documents {
                    array.object { object in
                        object.member("id", id)
                        object.member("document", raw: Array(document.json.utf8))
                    }
                }
            }
            object.member("unreadable", 0)
            object.member("next", next)
            guard !counts.isEmpty else { return }
            object.member("found", 7)
            object.member("facets", raw: Array(counts.utf8))
        }
    }
}

/// An identity provider that accepts any code.
final class TestIdentity: Sendable {
    private let seen = Mutex<(asked: ConsoleIdentity.Request?, verifier: String?)>((nil, nil))

    var asked: ConsoleIdentity.Request? { seen.withLock { $0.asked } }
    var exchanged: (verifier: String, challenge: String)? {
        seen.withLock { seen in seen.verifier.flatMap { verifier in seen.asked.map { (verifier, $0.challenge) } } }
    }

    var identity: ConsoleIdentity {
        ConsoleIdentity(
            name: "login.example",
            address: { [self] request in
                seen.withLock { $0.asked = request }
                return "https://login.example/?state=\(request.state)"
            },
            token: { [self] _, verifier, _ in
                seen.withLock { $0.verifier = verifier }
                return "secret"
            }
        )
    }
}
