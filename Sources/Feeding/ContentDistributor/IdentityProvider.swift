import Digests
import Files
import HTTPClient
import JSONText
import ServerSecurity
import TextKit

/// The settings of the OpenID Connect provider for the server's users, whom the server identifies only by their tokens.
package struct IdentitySettings: Sendable, Hashable {
    /// The location of the provider's keys.
    enum Keys: Sendable, Hashable {
        /// The address given in `ISSUER/.well-known/openid-configuration`.
        case discovered
        case url(String)
        case file(String)
    }

    /// The issuer, exactly as in tokens.
    var issuer: String
    /// The name of this server, which must be the audience of tokens.
    var audience: String
    var keys = Keys.discovered
    /// The time by which the clocks of the provider and the server may differ.
    var clockSkew = Duration.seconds(60)
    /// The administrators: users whose claim has this value.
    var admins: Admins?
    /// The claims of tokens, by the names that rules use; every other claim keeps its name.
    var claims: [String: ClaimPath] = [:]
    /// The client ID with which the console signs users in; `nil` if users can't sign in this way.
    package var client: String?
    /// The file with the client's secret; `nil` for a public client.
    var clientSecretFile: String?

    struct Admins: Sendable, Hashable {
        let claim: ClaimPath
        let value: String
    }

    static let longestSkew = Duration.seconds(600)

    /// Returns whether keys may be fetched from a URL, which must use TLS or refer to the local machine.
    static func isTrusted(_ url: String) -> Bool {
        if url.hasPrefix("https://") { return url.utf8.count > "https://".utf8.count }
        guard url.hasPrefix("http://") else { return false }
        let authority = url.dropFirst("http://".count).prefix { !"/?#".contains($0) }
        return ["127.0.0.1", "localhost", "[::1]"].contains { host in
            guard authority.hasPrefix(host) else { return false }
            let rest = authority.dropFirst(host.count)
            return rest.isEmpty || rest.first == ":" && UInt16(rest.dropFirst()) != nil
        }
    }
}

// MARK: - Users

/// The identity provider of the server's users, whose tokens are verified with the provider's published keys.
///
/// Keys are fetched when the first token arrives, when a token specifies an unknown key, or does not specify a key and
/// none of the keys matches, and in the background when the keys are old, but at most once a minute. Old keys remain in
/// use while new ones can't be fetched.
actor IdentityProvider {
    private let settings: IdentitySettings
    private let transport: HTTPTransport
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let log: @Sendable (String) -> Void

    /// The provider's keys; `nil` until they have been fetched for the first time.
    private var keys: ProviderKeys?
    /// The time of the last fetch, regardless of its result.
    private var fetchedAt: ContinuousClock.Instant?
    private var fetch: Task<ProviderDefect?, Never>?
    private var failure: ProviderDefect?
    /// The tokens that were verified with the current keys, by their digests.
    private var verified: [[UInt8]: AccessToken] = [:]

    private static let leastPause = Duration.seconds(60)
    /// The pause between attempts to fetch keys while there are none at all, and all users must wait.
    private static let pauseWithoutKeys = Duration.seconds(5)
    private static let maximumAge = Duration.seconds(600)
    private static let maximumVerified = 1_000

    init(
        _ settings: IdentitySettings,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        log: @escaping @Sendable (String) -> Void
    ) {
        (self.settings, self.clock, self.log) = (settings, clock, log)
        var configuration = HTTPConfiguration()
        configuration.timeLimits.total = .seconds(10)
        configuration.timeLimits.connect = .seconds(5)
        configuration.limits.responseBodyBytes = ProviderKeys.maximumBytes
        transport = HTTPTransport(configuration)
    }

    /// Returns the user of a token; throws a ``TokenDefect`` if the token is not valid, or a ``ProviderDefect`` if its
    /// validity can't be determined.
    func user(
        of token: JSONWebToken,
        signedBy algorithm: VerificationKey.Algorithm,
        at now: Duration
    ) async throws -> AccessToken {
        // This check is cheaper than verifying a signature, and does not need any keys.
        try check(token, at: now)
        var function = SHA256()
        let digest = function.digest(of: token.signed + token.signature).bytes
        refreshIfOld()
        if let user = verified[digest] { return user }
        guard try await isSigned(token, algorithm) else {
            throw TokenDefect("its signature was not made with its key")
        }
        let user = try user(in: token)
        if verified.count >= Self.maximumVerified { verified.removeAll() }
        verified[digest] = user
        return user
    }

    private func check(_ token: JSONWebToken, at now: Duration) throws(TokenDefect) {
        guard token.claims["iss"].text?.utf8.elementsEqual(settings.issuer.utf8) == true else {
            throw TokenDefect("its issuer is not the one that this server trusts")
        }
        guard let audiences = ClaimValue(token.claims["aud"]), audiences.contains(settings.audience) else {
            throw TokenDefect("it is for a different audience")
        }
        try token.refuse(outside: now, skew: settings.clockSkew)
    }

    private func user(in token: JSONWebToken) throws(TokenDefect) -> AccessToken {
        guard let subject = try token.subject() else { throw TokenDefect("it names no user") }
        var claims: [String: ClaimValue] = [:]
        for member in token.claims.members where settings.claims[member.key] == nil {
            claims[member.key] = ClaimValue(member.value)
        }
        for (name, path) in settings.claims { claims[name] = ClaimValue(path.value(in: token.claims)) }
        let isAdmin = settings.admins.map { ClaimValue($0.claim.value(in: token.claims))?.contains($0.value) == true }
        return AccessToken(
            id: "",
            name: "user \(subject.escapedForLog) of \(settings.issuer)",
            role: isAdmin == true ? .admin : .user,
            claims: claims,
            expiresAt: try token.time("exp")
        )
    }

    // MARK: Fetching keys

    /// Returns whether a token was signed with its key.
    ///
    /// A token that does not specify a key may be signed with a key newer than the known ones.
    private func isSigned(_ token: JSONWebToken, _ algorithm: VerificationKey.Algorithm) async throws -> Bool {
        let key = try await key(for: token, algorithm)
        if key.verifies(token.signature, of: token.signed) { return true }
        guard token.keyID == nil else { return false }
        await refresh()
        // Without the newest keys, the result can't be determined.
        if let failure { throw failure }
        return try await self.key(for: token, algorithm).verifies(token.signature, of: token.signed)
    }

    private func key(
        for token: JSONWebToken,
        _ algorithm: VerificationKey.Algorithm
    ) async throws -> VerificationKey {
        for isNew in [false, true] {
            switch keys?.key(named: token.keyID, for: algorithm) ?? .unknown {
            case .key(let key): return key
            case .refused(let defect): throw defect
            case .unknown where !isNew: await refresh()
            case .unknown: break
            }
        }
        // Without the newest keys, it can't be determined whether the token is valid.
        if let failure { throw failure }
        throw TokenDefect("its key is not one of the provider's")
    }

    /// Fetches the keys, unless they were fetched a moment ago, or waits for a fetch that is already running.
    private func refresh() async {
        let pause = keys == nil ? Self.pauseWithoutKeys : Self.leastPause
        if fetch == nil, let fetchedAt, clock() - fetchedAt < pause { return }
        _ = await startFetch().value
    }

    private func refreshIfOld() {
        guard keys != nil, let fetchedAt, clock() - fetchedAt >= Self.maximumAge else { return }
        _ = startFetch()
    }

    private func startFetch() -> Task<ProviderDefect?, Never> {
        if let fetch { return fetch }
        fetchedAt = clock()
        let task = Task { await self.fetchKeys() }
        fetch = task
        return task
    }

    private func fetchKeys() async -> ProviderDefect? {
        defer { fetch = nil }
        do throws(ProviderDefect) {
            keys = try ProviderKeys(try await bytes(of: settings.keys))
            // A withdrawn key must no longer be accepted.
            verified.removeAll()
            failure = nil
        } catch {
            failure = error
            let consequence = keys == nil ? "users can't be verified" : "the old ones stay in use"
            log("the keys of \(settings.issuer) can't be fetched: \(error.reason); \(consequence)")
        }
        return failure
    }

    private func bytes(of keys: IdentitySettings.Keys) async throws(ProviderDefect) -> [UInt8] {
        switch keys {
        case .file(let path):
            do throws(FileError) {
                return try SmallFile.read(path, maximum: ProviderKeys.maximumBytes)
            } catch {
                throw ProviderDefect(error.failure.message)
            }
        case .url(let url): return try await reply(url)
        case .discovered:
            return try await reply(try await address("jwks_uri", "its keys"))
        }
    }

    /// Returns an address from the provider's configuration, which is fetched each time.
    private func address(_ member: String, _ purpose: String) async throws(ProviderDefect) -> String {
        let issuer = settings.issuer.hasSuffix("/") ? String(settings.issuer.dropLast()) : settings.issuer
        let bytes = try await reply(issuer + "/.well-known/openid-configuration")
        guard let document = try? JSONValue(bytes), case .object = document else {
            throw ProviderDefect("its configuration is not a JSON object")
        }
        guard document["issuer"].text?.utf8.elementsEqual(settings.issuer.utf8) == true else {
            throw ProviderDefect("its configuration belongs to another issuer")
        }
        guard let url = document[member].text, IdentitySettings.isTrusted(url) else {
            throw ProviderDefect("its configuration does not name an https URL for \(purpose)")
        }
        return url
    }

    private func reply(_ url: String) async throws(ProviderDefect) -> [UInt8] {
        try await reply(HTTPRequest(.get, url, headers: [HTTPHeader("Accept", "application/json")]))
    }

    private func reply(_ request: HTTPRequest) async throws(ProviderDefect) -> [UInt8] {
        var request = request
        let url = request.url
        // Addresses on the local machine are not reached through a proxy.
        request.proxy = url.hasPrefix("https://") ? .environment : HTTPConfiguration.Proxy.none
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try await transport.send(request)
        } catch {
            throw ProviderDefect("\(url): \(error.message)")
        }
        guard response.status == 200 else { throw ProviderDefect("\(url) responds with status \(response.status)") }
        return response.body
    }

    // MARK: Signing in with a browser

    /// Returns the address at which the provider signs a user in for the console (authorization code with PKCE).
    func signInAddress(_ signIn: BrowserSignIn) async throws(ProviderDefect) -> String {
        guard let client = settings.client else { throw ProviderDefect("the settings name no client") }
        let address = try await address("authorization_endpoint", "signing in")
        let query = Self.form([
            ("response_type", "code"), ("client_id", client), ("redirect_uri", signIn.redirect),
            ("scope", "openid profile email"), ("state", signIn.state), ("nonce", signIn.nonce),
            ("code_challenge", signIn.challenge), ("code_challenge_method", "S256"),
        ])
        return address + (address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }

    /// Exchanges a code for the user's access token, if that is signed and meant for this server, or the ID token.
    func token(for code: String, verifier: String, _ signIn: BrowserSignIn) async throws(ProviderDefect) -> String {
        guard let client = settings.client else { throw ProviderDefect("the settings name no client") }
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", signIn.redirect),
            ("code_verifier", verifier),
        ]
        var headers = [
            HTTPHeader("Accept", "application/json"), HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
        ]
        if let file = settings.clientSecretFile {
            let secret = try Self.secret(in: file)
            let pair = "\(Percent.encoded(client.utf8)):\(Percent.encoded(secret.utf8))"
            headers.append(HTTPHeader("Authorization", "Basic \(Base64.text(Array(pair.utf8)))"))
        } else {
            fields.append(("client_id", client))
        }
        let address = try await address("token_endpoint", "tokens")
        let bytes = try await reply(HTTPRequest(.post, address, headers: headers, body: Array(Self.form(fields).utf8)))
        guard let answer = try? JSONValue(bytes), let text = answer["id_token"].text,
            let identity = try? JSONWebToken(text)
        else { throw ProviderDefect("its response contains no ID token") }
        // An ID token from another sign-in must not count for this one.
        guard identity.claims["nonce"].text == signIn.nonce else {
            throw ProviderDefect("its ID token belongs to another sign-in")
        }
        if let access = answer["access_token"].text, let token = try? JSONWebToken(access),
            ClaimValue(token.claims["aud"])?.contains(settings.audience) == true
        {
            return access
        }
        return text
    }

    private static func secret(in file: String) throws(ProviderDefect) -> String {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(file, maximum: 4096)
        } catch {
            throw ProviderDefect(error.failure.message)
        }
        return String(decoding: bytes.prefix { !$0.isBlank }, as: UTF8.self)
    }

    private static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\(Percent.encoded($0.0.utf8))=\(Percent.encoded($0.1.utf8))" }.joined(separator: "&")
    }
}

/// The parameters of a sign-in with a browser that the provider needs.
package struct BrowserSignIn: Sendable {
    let state: String
    let nonce: String
    let challenge: String
    let redirect: String

    package init(state: String, nonce: String, challenge: String, redirect: String) {
        (self.state, self.nonce, self.challenge, self.redirect) = (state, nonce, challenge, redirect)
    }
}

extension ContentDistributor {
    /// The provider at which the console signs users in; `nil` if the settings do not specify a client.
    package var consoleIssuer: String? {
        let identity = current.withLock { $0.settings }.identity
        return identity?.client == nil ? nil : identity?.issuer
    }

    /// Returns the address at which the provider signs a user in; throws an error for the user if there is none.
    package func signInAddress(_ signIn: BrowserSignIn) async throws(BrowserSignInFailure) -> String {
        try await atProvider { users throws(ProviderDefect) in try await users.signInAddress(signIn) }
    }

    /// Returns the token of a user who has signed in; if there is none, throws an error with the reason for the user.
    package func token(
        for code: String,
        verifier: String,
        _ signIn: BrowserSignIn
    ) async throws(BrowserSignInFailure) -> String {
        try await atProvider { users throws(ProviderDefect) in
            try await users.token(for: code, verifier: verifier, signIn)
        }
    }

    private func atProvider(
        _ ask: (IdentityProvider) async throws(ProviderDefect) -> String
    ) async throws(BrowserSignInFailure) -> String {
        guard let users = current.withLock({ $0.users }) else { throw BrowserSignInFailure() }
        do throws(ProviderDefect) {
            return try await ask(users)
        } catch {
            // The reason may contain addresses that clients must not see.
            log("a user can't sign in at the identity provider: \(error.reason)")
            throw BrowserSignInFailure()
        }
    }
}

/// The failure of a sign-in at the provider; the reason is in the log.
package struct BrowserSignInFailure: Error {
    package let message = "the identity provider can't be queried; the reason is in the server's log"
}
