import CDistributorFiles
import Digests
package import HTTPService
import JSONText
import TextKit

/// The sign-in of users at an identity provider, implemented by the server that hosts the console.
package struct ConsoleIdentity: Sendable {
    /// The provider's name, as shown to people.
    let name: String
    /// Returns the address to which the browser is sent.
    let address: @Sendable (_ request: Request) async throws -> String
    /// Exchanges the provider's code for a token that the API accepts.
    let token: @Sendable (_ code: String, _ verifier: String, _ request: Request) async throws -> String

    /// The values that both steps of the sign-in use.
    package struct Request: Sendable {
        package let state: String
        package let nonce: String
        package let challenge: String
        /// The address to which the browser returns.
        package let redirect: String
    }

    /// A failure, with a message for the user.
    package struct Failure: Error, Sendable {
        package let message: String
        package init(_ message: String) { self.message = message }
    }

    package init(
        name: String,
        address: @escaping @Sendable (Request) async throws -> String,
        token: @escaping @Sendable (_ code: String, _ verifier: String, Request) async throws -> String
    ) {
        (self.name, self.address, self.token) = (name, address, token)
    }
}

/// The console of a content distributor: pages for browsers, built only on the public API.
///
/// It is the first middleware of the server: it handles requests for `/console/…`, and converts the cookie of a session
/// to the header that the API expects, if a page of this server sent the request. All other requests pass through
/// unchanged.
package final class Console: Sendable {
    let title: String
    let isWritable: Bool
    let identity: ConsoleIdentity?
    let sessions: ConsoleSessions
    let maximumBody: @Sendable () -> Int
    /// The host that serves only the console, without any third-party scripts; `nil` for any host.
    private let host: String?
    /// Whether the server also serves apps, whose scripts could use the session of a console on the same origin.
    private let hasApps: @Sendable () -> Bool

    package init(
        title: String,
        isWritable: Bool,
        lifetime: Duration,
        identity: ConsoleIdentity?,
        maximumBody: @escaping @Sendable () -> Int,
        host: String? = nil,
        hasApps: @escaping @Sendable () -> Bool = { false },
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.title, self.isWritable, self.identity, self.maximumBody) = (title, isWritable, identity, maximumBody)
        (self.host, self.hasApps) = (host, hasApps)
        sessions = ConsoleSessions(lifetime: lifetime, clock: clock)
    }

    // MARK: The middleware

    /// The middleware that puts the console in front of a server's handlers.
    package var middleware: RouteMiddleware {
        { [self] handler in
            let api: @Sendable (ServedRequest) async -> ServedResponse = { request in
                do {
                    return try await handler(request)
                } catch let problem as ServiceProblem {
                    return problem.response(to: request.id)
                } catch {
                    return ServiceProblem(.internalServerError, "internalError", "the server encountered an error")
                        .response(to: request.id)
                }
            }
            let router = router(api)
            return { [self] request in
                if let refusal = refusal(of: request) {
                    let isOwn = request.path == "/console" || request.path.hasPrefix(ConsolePath.start)
                    // At this address, the cookie of a session grants no rights.
                    return try await isOwn ? secured(request) { _ in throw refusal } : handler(request)
                }
                if request.path == "/console" {
                    return ServedResponse(status: ResponseStatus(308), headers: ["Location": ConsolePath.start])
                }
                if request.path.hasPrefix(ConsolePath.start) {
                    return await router.respond(to: request, maximumBody: maximumBody())
                }
                let admitted = try admitted(request)
                var response: ServedResponse
                do {
                    response = try await handler(admitted ?? request)
                } catch let problem as ServiceProblem {
                    response = problem.response(to: request.id)
                }
                // A page can't make a browser display the response to a request with its own token.
                guard request.headers["Authorization"] == nil else { return response }
                // A response that a browser displays as a page, such as that of a custom endpoint, does not get the
                // rights of the console's pages.
                response.headers["X-Content-Type-Options"] = "nosniff"
                if admitted != nil || response.headers["Content-Security-Policy"]?.hasPrefix("sandbox") != true {
                    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
                }
                return response
            }
        }
    }

    /// Returns the reason why the console is not available at the address of a request; `nil` if it is.
    private func refusal(of request: ServedRequest) -> ServiceProblem? {
        if let host {
            guard request.hostName != host else { return nil }
            return ServiceProblem(
                .notFound,
                "otherHost",
                "the console is not at this address",
                advice: "open it at the host '\(host)'"
            )
        }
        guard hasApps() else { return nil }
        return ServiceProblem(
            .forbidden,
            "sharedOrigin",
            "the console is closed, because the scripts of the apps on this server could use its sessions",
            advice: "give it its own host in the server's settings, such as console: {host: console.example}"
        )
    }

    /// Returns the request for the API with the rights of its session; `nil` if it has no session, or if another site
    /// sent it.
    func admitted(_ request: ServedRequest) throws(ServiceProblem) -> ServedRequest? {
        guard request.headers["Authorization"] == nil, let session = session(of: request) else { return nil }
        guard request.isFromOwnPage else { return nil }
        if !request.isSafe {
            guard request.hasOwnOrigin else { throw .otherSite(request) }
            guard let token = request.headers["X-CSRF-Token"], RandomSecret.areEqual(token, session.csrf) else {
                throw .noCSRFToken
            }
            guard isWritable || Self.isReading(request) else { throw .readOnly }
        }
        return request.with("Authorization", session.authorization)
    }

    /// Returns whether a posted request only reads.
    private static func isReading(_ request: ServedRequest) -> Bool {
        guard request.method == .post else { return false }
        if ["/v1/explanations", "/v1/diagnoses", "/v1/traces"].contains(request.path) { return true }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 5 && parts[1...2].elementsEqual(["v1", "collections"]) && parts[4] == "lookups"
    }

    func session(of request: ServedRequest) -> ConsoleSession? {
        Cookies(request)[Cookies.session].flatMap { sessions.session($0) }
    }

    // MARK: Routes

    private static let formType = "application/x-www-form-urlencoded"
    private static let fileType = "application/octet-stream"

    private func router(_ api: @escaping @Sendable (ServedRequest) async -> ServedResponse) -> HTTPRouter {
        var router = HTTPRouter()
        router.use { [self] handler in { [self] request in try await secured(request, handler) } }
        router.on(.get, "/console/assets/{name}", isQuick: true) { request in try ConsoleAsset.response(to: request) }
        addSignIn(to: &router, api)
        for page in Self.pages {
            let mediaTypes = page.method == .post ? [Self.formType] + (page.takesFiles ? [Self.fileType] : []) : []
            // The API limits the size of files; this limit is for forms.
            let limit = page.takesFiles ? Int.max : nil
            router.on(page.method, page.pattern, accepting: mediaTypes, maximumBody: limit) { [self] request in
                try await answer(request, page, api)
            }
        }
        return router
    }

    /// Returns the response with the header fields that all pages have; a problem becomes a page.
    private func secured(_ request: ServedRequest, _ handler: RouteHandler) async throws -> ServedResponse {
        var response: ServedResponse
        do {
            response = try await handler(request)
        } catch let problem as ServiceProblem {
            let language = ConsoleLanguage(request)
            let isMissing = problem.status == .notFound
            let refusal = APIRefusal(problem)
            let title = (isMissing ? ConsoleText.noPage : .refused).text(in: language)
            response = layout(request, title: title, status: problem.status, user: nil) { refusal.html }
            for field in problem.headers.fields { response.headers.append(field.name, field.value) }
        }
        if response.headers["Cache-Control"] == nil { response.headers["Cache-Control"] = "no-store" }
        response.headers["X-Content-Type-Options"] = "nosniff"
        // With `no-referrer`, browsers would send `null` as the origin of the console's own forms.
        response.headers["Referrer-Policy"] = "same-origin"
        if let language = request.queryValue("lang").flatMap(ConsoleLanguage.init(rawValue:)) {
            let cookie = "\(ConsoleLanguage.cookie)=\(language.rawValue); Path=/console; SameSite=Lax; Max-Age=31536000"
            response.headers.append("Set-Cookie", cookie)
        }
        return response
    }

    /// Returns a page for the signed-in user, or the sign-in page.
    private func answer(
        _ request: ServedRequest,
        _ page: ConsolePage,
        _ api: @escaping @Sendable (ServedRequest) async -> ServedResponse
    ) async throws -> ServedResponse {
        // A browser that opens the page from the address bar or a bookmark does not report a site.
        let site = request.headers["Sec-Fetch-Site"]
        let isOwn = request.isFromOwnPage || request.isSafe && site == "none"
        guard isOwn || request.isSafe else { throw ServiceProblem.otherSite(request) }
        let isFile = !request.isSafe && request.mediaType == Self.fileType
        guard isOwn, let session = session(of: request) else {
            // The browser still has a file, but not the text that the user typed.
            guard isOwn, !request.isSafe, !isFile, request.hasOwnOrigin else { return askForSignIn(request) }
            return askForSignIn(request, after: FormFields(try await request.body.collect(upTo: maximumBody())))
        }
        var form = FormFields([])
        if !request.isSafe {
            guard request.hasOwnOrigin else { throw ServiceProblem.otherSite(request) }
            if !isFile { form = FormFields(try await request.body.collect(upTo: maximumBody())) }
            let token = isFile ? request.headers["X-CSRF-Token"] ?? "" : form["csrf"]
            guard RandomSecret.areEqual(token, session.csrf) else { throw ServiceProblem.noCSRFToken }
            guard isWritable || page.isReading else { throw ServiceProblem.readOnly }
        }
        let language = ConsoleLanguage(request)
        var context = PageContext(
            request: request,
            form: form,
            file: isFile ? request.body : nil,
            user: ConsoleUser(.null),
            isWritable: isWritable,
            language: language,
            session: session,
            api: api
        )
        do {
            context.user = ConsoleUser(try await context.get(ConsolePath.api("me")))
            switch try await page.content(context) {
            case .page(let title, let status, let main):
                return layout(request, title: title, status: status, user: context.user, session: session) { main }
            case .seeOther(let path):
                return ServedResponse(status: ResponseStatus(303), headers: ["Location": HTML.Attribute.own(path)])
            case .events(let produce): return .stream(contentType: "text/event-stream", produce)
            }
        } catch let refusal as APIRefusal where refusal.status == 401 {
            // The token has expired, or was revoked.
            if let id = Cookies(request)[Cookies.session] { sessions.end(id) }
            return askForSignIn(request, after: form)
        } catch let refusal as APIRefusal {
            let title = ConsoleText.failed.text(in: language)
            let status = ResponseStatus(refusal.status)
            return layout(request, title: title, status: status, user: context.user, session: session) { refusal.html }
        }
    }

    // MARK: The layout

    /// Returns a page with landmarks, the navigation, one heading, and the contents.
    func layout(
        _ request: ServedRequest,
        title: String,
        status: ResponseStatus = .ok,
        user: ConsoleUser?,
        session: ConsoleSession? = nil,
        continuingAt address: String? = nil,
        @HTMLBuilder main: () -> HTML
    ) -> ServedResponse {
        let language = ConsoleLanguage(request)
        func text(_ text: ConsoleText) -> String { text.text(in: language) }
        let nonce = RandomSecret.text()
        let page = HTML("html", .init("lang", language.rawValue)) {
            HTML("head") {
                HTML("meta", .init("charset", "utf-8"))
                HTML("meta", .name("viewport"), .init("content", "width=device-width, initial-scale=1"))
                HTML("meta", .name("color-scheme"), .init("content", "light dark"))
                if let address { HTML("meta", .init("http-equiv", "refresh"), .init("content", "0; url=\(address)")) }
                HTML("title") { "\(title) · \(self.title)" }
                HTML("link", .init("rel", "icon"), .init("href", "data:,"))
                HTML("link", .init("rel", "stylesheet"), .init("nonce", nonce), .href(ConsoleAsset.style.path))
                if session != nil {
                    HTML("script", .type("module"), .init("nonce", nonce), .src(ConsoleAsset.script.path))
                }
            }
            HTML("body", session.map { [.init("data-csrf", $0.csrf)] } ?? []) {
                HTML("a", .class("skip"), .init("href", "#main")) { text(.skip) }
                header(request, user: user, session: session, language)
                HTML("main", .id("main"), .init("tabindex", "-1")) {
                    HTML("h1") { title }
                    main()
                }
            }
        }
        var response = ServedResponse.bytes(page.page, contentType: "text/html; charset=utf-8", status: status)
        response.headers["Content-Security-Policy"] = """
            default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; img-src 'self' data: blob:; \
            connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'
            """
        return response
    }

    private func header(
        _ request: ServedRequest,
        user: ConsoleUser?,
        session: ConsoleSession?,
        _ language: ConsoleLanguage
    ) -> HTML {
        func text(_ text: ConsoleText, _ values: String...) -> String { text.text(in: language, values) }
        return HTML("header") {
            HTML("p", .class("title")) {
                HTML("a", .href(ConsolePath.start)) { title }
                " "
                HTML("span", .class(isWritable ? "mode writable" : "mode")) { text(isWritable ? .writable : .readOnly) }
            }
            if let user {
                HTML("nav", .init("aria-label", text(.pagesLabel))) {
                    HTML("ul") {
                        for page in Self.pages where !page.isForAdministrators || user.isAdmin {
                            if let name = page.navigation {
                                HTML("li") {
                                    HTML("a", [.href(page.pattern)] + Self.current(page.pattern, request.path)) {
                                        text(name)
                                    }
                                }
                            }
                        }
                    }
                }
            }
            HTML("div", .class("user")) {
                HTML("nav", .init("aria-label", text(.languages))) {
                    for other in ConsoleLanguage.allCases where other != language {
                        HTML(
                            "a",
                            .href(Self.address(of: request, in: other)),
                            .init("lang", other.rawValue),
                            .init("hreflang", other.rawValue)
                        ) { other.name }
                    }
                }
                if let user, let session {
                    HTML("form", .init("method", "post"), .action(ConsolePath.of("sign-out"))) {
                        HTML("input", .type("hidden"), .name("csrf"), .value(session.csrf))
                        HTML("span") { text(.signedInAs, user.name) }
                        " "
                        HTML("button") { text(.signOut) }
                    }
                }
            }
        }
    }

    private static func current(_ pattern: String, _ path: String) -> [HTML.Attribute] {
        if path == pattern { return [.init("aria-current", "page")] }
        let isBelow = pattern != ConsolePath.start && path.hasPrefix(pattern + "/")
        return isBelow ? [.init("aria-current", "true")] : []
    }
}

// MARK: - Assets

/// A file that pages load, compiled into the program.
struct ConsoleAsset: Sendable {
    private let name: String
    private let type: String
    private let bytes: [UInt8]
    private let digest: String

    /// The address of the file, which differs for different contents.
    var path: String { ConsolePath.of("assets", name, query: [("v", digest)]) }

    private init(_ name: String, _ type: String, _ text: UnsafePointer<UInt8>) {
        (self.name, self.type) = (name, type)
        bytes = Array(String(cString: text).utf8)
        var function = SHA256()
        digest = String(function.digest(of: bytes).hexadecimal.prefix(16))
    }

    static let script = ConsoleAsset("console.mjs", "text/javascript; charset=utf-8", consoleScript())
    static let style = ConsoleAsset("console.css", "text/css; charset=utf-8", consoleStyle())

    static func response(to request: ServedRequest) throws -> ServedResponse {
        let name = try request.parameter("name")
        guard let asset = [script, style].first(where: { $0.name == name }) else {
            throw ServiceProblem(.notFound, "notFound", "there is no such file", advice: "load the page again")
        }
        var response = ServedResponse.bytes(asset.bytes, contentType: asset.type)
        // A path with another digest may belong to the server's next version.
        let isCurrent = request.queryValue("v") == asset.digest
        response.headers["Cache-Control"] = isCurrent ? "public, max-age=31536000, immutable" : "no-store"
        return response
    }
}
