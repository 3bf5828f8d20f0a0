import HTTPService
import JSONText
import TextKit

/// The sign-in with a token of the server or at the identity provider (authorization code with PKCE), and the sign-out.
extension Console {
    func addSignIn(to router: inout HTTPRouter, _ api: @escaping @Sendable (ServedRequest) async -> ServedResponse) {
        let forms = ["application/x-www-form-urlencoded"]
        router.on(.get, "/console/sign-in") { [self] request in signInPage(request) }
        router.on(.post, "/console/sign-in", accepting: forms, maximumBody: Self.maximumForm) { [self] request in
            let form = try await ownForm(request)
            return try await signIn(request, form["token"], next: form["next"], api)
        }
        router.on(.post, "/console/sign-in/start", accepting: forms, maximumBody: Self.maximumForm) { [self] request in
            try await startAtProvider(request, next: ownForm(request)["next"])
        }
        router.on(.get, "/console/sign-in/callback") { [self] request in try await returnFromProvider(request, api) }
        router.on(.post, "/console/sign-out", accepting: forms, maximumBody: Self.maximumForm) { [self] request in
            let form = try await ownForm(request)
            if let id = Cookies(request)[Cookies.session], let session = sessions.session(id) {
                guard RandomSecret.areEqual(form["csrf"], session.csrf) else { throw ServiceProblem.noCSRFToken }
                sessions.end(id)
            }
            var response = ServedResponse(status: ResponseStatus(303), headers: ["Location": "/console/sign-in"])
            response.headers.append("Set-Cookie", Cookies.removing(Cookies.session))
            return response
        }
    }

    private static let maximumForm = 64 << 10

    /// Returns the fields of a form sent by a page of this server.
    private func ownForm(_ request: ServedRequest) async throws -> FormFields {
        guard request.isFromOwnPage, request.hasOwnOrigin else { throw ServiceProblem.otherSite(request) }
        return FormFields(try await request.body.collect(upTo: Self.maximumForm))
    }

    // MARK: The page

    /// Returns the response to a request without a session: a page with the sign-in form, and with the texts of a form
    /// that was not processed.
    func askForSignIn(_ request: ServedRequest, after form: FormFields = FormFields([])) -> ServedResponse {
        let texts = form.all.filter { ["json", "ids", "documents", "text", "log"].contains($0.name) }.map(\.value)
        return signInPage(
            request,
            status: .unauthorized,
            next: Self.address(of: request),
            unsaved: texts.filter { !$0.isEmpty }
        )
    }

    /// Returns the address of a request, optionally in another language; for a posted form, returns the start page.
    static func address(of request: ServedRequest, in language: ConsoleLanguage? = nil) -> String {
        var items = request.isSafe ? request.query.filter { $0.name != "lang" } : []
        if let language { items.append(("lang", language.rawValue)) }
        let path = request.isSafe ? request.path : ConsolePath.start
        return path + ConsolePath.query(items)
    }

    private func signInPage(
        _ request: ServedRequest,
        status: ResponseStatus = .ok,
        next: String = ConsolePath.start,
        failure: String? = nil,
        unsaved texts: [String] = []
    ) -> ServedResponse {
        let language = ConsoleLanguage(request)
        func text(_ text: ConsoleText, _ values: String...) -> String { text.text(in: language, values) }
        return layout(request, title: text(.signIn), status: status, user: nil) {
            if let failure {
                HTML("p", .class("refusal"), .init("role", "alert")) { failure }
            } else if Cookies(request)[Cookies.session] != nil {
                HTML("p", .class("note")) { text(.sessionEnded) }
            }
            // The cookie of a session is not sent along with a link from another site.
            if ["cross-site", "same-site"].contains(request.headers["Sec-Fetch-Site"] ?? "") {
                HTML("p", .class("note")) {
                    text(.fromElsewhere)
                    " "
                    HTML("a", .href(next)) { text(.continueLink) }
                }
            }
            if let identity {
                HTML("form", .class("sign-in"), .init("method", "post"), .action("/console/sign-in/start")) {
                    HTML("input", .type("hidden"), .name("next"), .value(next))
                    HTML("button", .class("main")) { text(.signInWithProvider, identity.name) }
                }
            }
            HTML("form", .class("sign-in"), .init("method", "post"), .action("/console/sign-in")) {
                HTML("input", .type("hidden"), .name("next"), .value(next))
                HTML("label", .init("for", "token")) { text(.token) }
                HTML(
                    "input",
                    .id("token"),
                    .name("token"),
                    .type("password"),
                    .init("autocomplete", "current-password"),
                    .init("aria-describedby", "token-hint"),
                    .init("required")
                )
                HTML("p", .id("token-hint"), .class("detail")) { text(.tokenHint) }
                HTML("button", .class("main")) { text(.signIn) }
            }
            // The browser does not keep the texts while the user signs in at the provider.
            for (index, unsaved) in texts.enumerated() {
                HTML("section", .class("editor")) {
                    HTML("label", .init("for", "unsaved-\(index)")) { text(.notSaved) }
                    HTML("textarea", .id("unsaved-\(index)"), .init("rows", "12"), .init("readonly")) {
                        HTML(verbatim: unsaved)
                    }
                }
            }
        }
    }

    // MARK: With a token

    /// Begins a session with a token that the API accepts.
    private func signIn(
        _ request: ServedRequest,
        _ token: String,
        next: String,
        _ api: @Sendable (ServedRequest) async -> ServedResponse
    ) async throws -> ServedResponse {
        let language = ConsoleLanguage(request)
        switch await session(for: token, request, api) {
        case .success(let id):
            var response = ServedResponse(
                status: ResponseStatus(303),
                headers: ["Location": HTML.Attribute.own(next)]
            )
            response.headers.append("Set-Cookie", Cookies.setting(Cookies.session, id, sameSite: "Strict"))
            return response
        case .failure(let refusal):
            let reason =
                refusal.status == 401
                ? ConsoleText.tokenRefused.text(in: language)
                : ConsoleText.signInFailed.text(in: language, [refusal.message])
            let status = ResponseStatus(refusal.status)
            return signInPage(request, status: status, next: HTML.Attribute.own(next), failure: reason)
        }
    }

    /// Begins a session, and returns its ID.
    private func session(
        for token: String,
        _ request: ServedRequest,
        _ api: @Sendable (ServedRequest) async -> ServedResponse
    ) async -> Result<String, APIRefusal> {
        let word = token.split { $0 == " " || $0 == "\t" || $0 == "\r\n" || $0 == "\n" }
        guard word.count == 1, word[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return .failure(APIRefusal(status: 401, body: []))
        }
        let authorization = "Bearer \(word[0])"
        var headers: HeaderFields = ["Authorization": authorization]
        for value in request.headers.values(of: "X-Forwarded-For") { headers.append("X-Forwarded-For", value) }
        let response = await api(
            ServedRequest(
                .get,
                ConsolePath.api("me"),
                headers: headers,
                peerAddress: request.peerAddress,
                isSecure: request.isSecure,
                id: request.id
            )
        )
        guard response.status == .ok else {
            let body = (try? await response.collectBody(upTo: 1 << 20)) ?? []
            return .failure(APIRefusal(status: response.status.code, body: body))
        }
        if let old = Cookies(request)[Cookies.session] { sessions.end(old) }
        return .success(sessions.begin(authorization))
    }

    // MARK: At the identity provider

    /// Sends the browser to the identity provider.
    ///
    /// The response is a page rather than a redirect, because the policy of the sign-in page does not allow forms to
    /// lead to another site.
    private func startAtProvider(_ request: ServedRequest, next: String) async throws -> ServedResponse {
        guard let identity, let origin = request.headers["Origin"] else { throw ServiceProblem.noProvider }
        let signIn = PendingSignIn(redirect: origin + "/console/sign-in/callback", next: HTML.Attribute.own(next))
        let address: String
        do {
            address = try await identity.address(signIn.request)
        } catch let failure as ConsoleIdentity.Failure {
            return failed(request, failure.message, status: .serviceUnavailable)
        }
        let cookie = Cookies.setting(
            Cookies.signIn,
            sessions.keep(signIn),
            sameSite: "Lax",
            seconds: Int(ConsoleSessions.signInTime / .seconds(1))
        )
        return forwarding(request, to: address, setting: [cookie])
    }

    /// Begins a session after the provider has sent the browser back.
    private func returnFromProvider(
        _ request: ServedRequest,
        _ api: @Sendable (ServedRequest) async -> ServedResponse
    ) async throws -> ServedResponse {
        guard let identity else { throw ServiceProblem.noProvider }
        let language = ConsoleLanguage(request)
        guard let id = Cookies(request)[Cookies.signIn], let signIn = sessions.take(id),
            RandomSecret.areEqual(signIn.state, request.queryValue("state") ?? "")
        else { return failed(request, ConsoleText.signInExpired.text(in: language), status: .badRequest) }
        guard let code = request.queryValue("code"), !code.isEmpty else {
            let reason = request.queryValue("error_description") ?? request.queryValue("error") ?? ""
            return failed(request, reason, status: .forbidden)
        }
        let token: String
        do {
            token = try await identity.token(code, signIn.verifier, signIn.request)
        } catch let failure as ConsoleIdentity.Failure {
            return failed(request, failure.message, status: .serviceUnavailable)
        }
        switch await session(for: token, request, api) {
        case .success(let id):
            let cookies = [
                Cookies.setting(Cookies.session, id, sameSite: "Strict"), Cookies.removing(Cookies.signIn),
            ]
            // A redirect would count as a request from the provider's site, so the browser would not send the new
            // cookie.
            return forwarding(request, to: signIn.next, setting: cookies)
        case .failure(let refusal):
            return failed(request, refusal.message, status: ResponseStatus(refusal.status))
        }
    }

    private func failed(_ request: ServedRequest, _ reason: String, status: ResponseStatus) -> ServedResponse {
        let text = ConsoleText.signInFailed.text(in: ConsoleLanguage(request), [reason])
        return signInPage(request, status: status, failure: text)
    }

    /// Returns a page from which the browser immediately continues to another page.
    private func forwarding(_ request: ServedRequest, to address: String, setting cookies: [String]) -> ServedResponse {
        let language = ConsoleLanguage(request)
        var response = layout(
            request,
            title: ConsoleText.signIn.text(in: language),
            user: nil,
            continuingAt: address
        ) {
            HTML("p") { HTML("a", .init("href", address)) { ConsoleText.continueLink.text(in: language) } }
        }
        for cookie in cookies { response.headers.append("Set-Cookie", cookie) }
        return response
    }
}

extension PendingSignIn {
    fileprivate var request: ConsoleIdentity.Request {
        ConsoleIdentity.Request(state: state, nonce: nonce, challenge: challenge, redirect: redirect)
    }
}

extension ServiceProblem {
    fileprivate static let noProvider = ServiceProblem(
        .notFound,
        "noProvider",
        "this server has no identity provider with a client for the console",
        advice: "sign in with a token, or add 'client' to 'identity' in the settings"
    )
}
