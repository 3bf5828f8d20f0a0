import Foundation
import HTTPClient
import JSONText
import TestSupport
import Testing

@testable import ContentDistributor
@testable import ServerSecurity

private let identityPython = counterpart("python")

/// Users of an independent identity server: the server's discovery, keys and tokens.
///
/// The identity server is oidc-provider-mock, which is built on Authlib.
@Suite(
    .enabled(if: identityPython != nil, "FASTCTL_COUNTERPARTS is not set: make counterparts"),
    .timeLimit(.minutes(2))
)
struct IdentityServerTests {
    @Test func `A signed-in user has the rights of the claims, and a token for another audience is refused`()
        async throws
    {
        let identity = try await IdentityServer()
        let place = try await UserPlace(read: "user.tenant == 'a'") { settings in
            settings.identity = IdentitySettings(issuer: identity.issuer, audience: "search")
            settings.identity?.admins = .init(claim: ClaimPath("groups"), value: "search-admins")
        }
        let ann = try await identity.signIn("ann", for: "search")
        // The second time, the signature has already been verified.
        for _ in 1...2 { #expect(try await place.read(ann).status == 200) }
        #expect(try await place.read(identity.signIn("root", for: "search")).status == 200)
        #expect(try await place.read(identity.signIn("bob", for: "search")).status == 403)
        #expect(try await place.read(identity.signIn("stranger", for: "search")).status == 403)
        let other = try await place.read(identity.signIn("ann", for: "shop"))
        #expect(other.status == 401 && other.message.contains("it is for a different audience"), "\(other)")
        // The server's access token is meant for the server itself: it is not a JSON Web Token.
        let opaque = try await place.read(identity.signIn("ann", for: "search", taking: "access_token"))
        #expect(opaque.status == 401, "\(opaque)")
        // Ann's claims with a different signature by the same server.
        let parts = try await [ann, identity.signIn("bob", for: "search")].map { $0.split(separator: ".") }
        let mixed = try await place.read("\(parts[0][0]).\(parts[0][1]).\(parts[1][2])")
        #expect(mixed.status == 401 && mixed.message.contains("its signature was not made"), "\(mixed)")
        await place.remove()
    }

    @Test func `A token is refused after it expires`() async throws {
        let identity = try await IdentityServer()
        let clock = ServerClock()
        let place = try await UserPlace(clock: clock) { settings in
            settings.identity = IdentitySettings(issuer: identity.issuer, audience: "search", clockSkew: .zero)
        }
        let token = try await identity.signIn("ann", for: "search")
        let end = try #require(try JSONWebToken(token).time("exp"))
        clock.advance(by: end - clock.now - .milliseconds(20))
        #expect(try await place.read(token).status == 200)
        clock.advance(by: .milliseconds(40))
        let late = try await place.read(token)
        #expect(late.status == 401 && late.message.contains("it has expired"), "\(late)")
        await place.remove()
    }

    @Test func `After the identity server changes its key, old tokens are no longer valid`() async throws {
        let identity = try await IdentityServer()
        let clock = TestClock()
        let settings = IdentitySettings(issuer: identity.issuer, audience: "search")
        let users = IdentityProvider(settings, clock: { clock.now }, log: { _ in })
        let old = try await identity.signIn("ann", for: "search")
        #expect(try await users.user(old).claims["tenant"] == "a")
        try await identity.restart()
        let new = try await identity.signIn("ann", for: "search")
        // Keys are fetched at most once a minute.
        await #expect(throws: TokenDefect.self) { try await users.user(new) }
        clock.advance(by: .seconds(61))
        #expect(try await users.user(new).claims["tenant"] == "a")
        await #expect(throws: TokenDefect.self) { try await users.user(old) }
        // While the server is unavailable, its users are still accepted.
        await identity.stop()
        clock.advance(by: .seconds(601))
        #expect(try await users.user(new).role == .user)
    }
}

/// An OpenID Connect server from PyPI on this machine, with a new key at each start.
private actor IdentityServer {
    nonisolated let issuer: String
    private let port: UInt16
    private var program: ChildProgram?
    private let transport = HTTPTransport()

    private static let users = [
        #"{"sub":"ann","tenant":"a"}"#, #"{"sub":"bob","tenant":"b"}"#, #"{"sub":"root","groups":["search-admins"]}"#,
    ]
    private static let application = "http://127.0.0.1:1/signed-in"

    struct Failure: Error {
        let text: String
    }

    init() async throws {
        let socket = try Socket.listening()
        port = socket.port
        socket.close()
        issuer = "http://127.0.0.1:\(port)"
        try await start()
    }

    func restart() async throws {
        program = nil
        try await start()
    }

    func stop() { program = nil }

    private func start() async throws {
        let options = ["--port", "\(port)", "--token-max-age", "3600"]
        let program = try ChildProgram(
            identityPython ?? "",
            ["-W", "ignore", "-m", "oidc_provider_mock"] + options + Self.users.flatMap { ["--user-claims", $0] }
        )
        self.program = program
        while true {
            do throws(HTTPFailure) {
                _ = try await transport.send(HTTPRequest(.get, issuer + "/jwks"))
                return
            } catch {
                if let status = program.status { throw Failure(text: "the identity server ended with \(status)") }
                // The other process can't use the test's clock: only a request shows whether it listens.
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Signs a user in at an application, as a browser and the application do, and returns the user's ID token.
    nonisolated func signIn(
        _ user: String,
        for application: String,
        taking name: String = "id_token"
    ) async throws -> String {
        let places = try JSONValue(
            try await reply(HTTPRequest(.get, issuer + "/.well-known/openid-configuration")).body
        )
        let back = "redirect_uri=\(Self.application)"
        let question = "client_id=\(application)&\(back)&response_type=code&scope=openid"
        let page = try #require(places["authorization_endpoint"].text) + "?" + question
        let sent = try await reply(form(page, "sub=\(user)"))
        let location = try #require(sent.header("Location"))
        #expect(sent.status == 302 && location.hasPrefix(Self.application + "?code="), "\(location)")
        let code = location.dropFirst((Self.application + "?code=").count).prefix { $0 != "&" }
        let exchange = "grant_type=authorization_code&code=\(code)&\(back)&client_id=\(application)&client_secret=x"
        let tokens = try JSONValue(try await reply(form(try #require(places["token_endpoint"].text), exchange)).body)
        return try #require(tokens[name].text, "\(tokens)")
    }

    private nonisolated func form(_ url: String, _ text: String) -> HTTPRequest {
        let type = HTTPHeader("Content-Type", "application/x-www-form-urlencoded")
        return HTTPRequest(.post, url, headers: [type], body: Array(text.utf8))
    }

    private nonisolated func reply(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = try await transport.send(request)
        guard response.status < 400 else {
            throw Failure(text: "\(request.url): \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
        return response
    }
}

/// Returns the path of a program in the folder that `FASTCTL_COUNTERPARTS` names; `nil` if none is named.
///
/// `make counterparts` installs programs from PyPI in that folder.
func counterpart(_ name: String) -> String? {
    ProcessInfo.processInfo.environment["FASTCTL_COUNTERPARTS"].map { "\($0)/\(name)" }
}
