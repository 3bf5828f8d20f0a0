import Digests
import HTTPService
import Synchronization
import TextKit

// MARK: Cookies

/// The cookies of a request.
struct Cookies {
    private let all: [(name: Substring, value: Substring)]

    init(_ request: ServedRequest) {
        all = request.headers.values(of: "Cookie").flatMap { $0.split(separator: ";") }.compactMap { item in
            let parts = item.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
    }

    /// The value of a cookie; `nil` if no cookie has this name, or if several have it, because another program may have
    /// added one.
    subscript(name: String) -> String? {
        let values = all.filter { $0.name == name }
        return values.count == 1 ? String(values[0].value) : nil
    }

    /// The cookie of a session, with a prefix that only a server using TLS or running on this machine can set.
    static let session = "__Host-console"
    /// The cookie of a sign-in in progress at the identity provider, from which the browser will return.
    static let signIn = "__Host-console-sign-in"

    static func setting(_ name: String, _ value: String, sameSite: String, seconds: Int? = nil) -> String {
        let age = seconds.map { "; Max-Age=\($0)" } ?? ""
        return "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=\(sameSite)\(age)"
    }

    static func removing(_ name: String) -> String { setting(name, "", sameSite: "Strict", seconds: 0) }
}

// MARK: - Sessions

/// The session of a browser that has signed in.
package struct ConsoleSession: Sendable {
    /// The value of the header with which the API is called.
    let authorization: String
    /// The token that forms and scripts include in requests, and that other sites can't read.
    let csrf: String
    fileprivate let endsAt: ContinuousClock.Instant
    fileprivate var usedAt: ContinuousClock.Instant
}

/// A sign-in in progress at the identity provider.
struct PendingSignIn: Sendable {
    let state: String
    let nonce: String
    /// The secret whose digest the provider has (PKCE, RFC 7636).
    let verifier: String
    let redirect: String
    /// The page that the user requested.
    let next: String
    fileprivate var endsAt = ContinuousClock.Instant.now

    init(redirect: String, next: String) {
        (state, nonce, verifier) = (RandomSecret.text(), RandomSecret.text(), RandomSecret.text())
        (self.redirect, self.next) = (redirect, next)
    }

    /// The value that the provider compares with the digest of the verifier.
    var challenge: String {
        var function = SHA256()
        return Base64.urlText(function.digest(of: Array(verifier.utf8)).bytes)
    }
}

/// Functions for values that can't be guessed.
package enum RandomSecret {
    /// Returns 32 random bytes as hexadecimal digits.
    static func text() -> String {
        var system = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &system) }.hexadecimal
    }

    package static func digest(_ text: String) -> [UInt8] {
        var function = SHA256()
        return function.digest(of: Array(text.utf8)).bytes
    }

    /// Returns whether two strings are equal, in a time that does not depend on their contents, by comparing their
    /// digests.
    static func areEqual(_ one: String, _ other: String) -> Bool { digest(one) == digest(other) }
}

/// The sessions of all browsers, which are kept in memory, so users must sign in again after a restart of the server.
///
/// Sessions are stored by the digests of their IDs, so the duration of a lookup does not reveal an ID.
final class ConsoleSessions: Sendable {
    private struct State {
        var sessions: [[UInt8]: ConsoleSession] = [:]
        var pending: [[UInt8]: PendingSignIn] = [:]
    }

    private let state = Mutex(State())
    private let lifetime: Duration
    private let clock: @Sendable () -> ContinuousClock.Instant

    static let idleTime = Duration.seconds(3600)
    static let signInTime = Duration.seconds(600)
    private static let maximum = 1_000

    init(lifetime: Duration, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
        (self.lifetime, self.clock) = (lifetime, clock)
    }

    /// Begins a session and returns its ID, ending the least recently used session if there are too many.
    func begin(_ authorization: String) -> String {
        let (id, now) = (RandomSecret.text(), clock())
        let session = ConsoleSession(
            authorization: authorization,
            csrf: RandomSecret.text(),
            endsAt: now + lifetime,
            usedAt: now
        )
        state.withLock { state in
            state.sessions = state.sessions.filter { Self.isOpen($0.value, at: now) }
            if state.sessions.count >= Self.maximum,
                let oldest = state.sessions.min(by: { $0.value.usedAt < $1.value.usedAt })
            {
                state.sessions[oldest.key] = nil
            }
            state.sessions[RandomSecret.digest(id)] = session
        }
        return id
    }

    /// Returns a session that has not ended, and counts it as used.
    func session(_ id: String) -> ConsoleSession? {
        let (key, now) = (RandomSecret.digest(id), clock())
        return state.withLock { state in
            guard var session = state.sessions[key], Self.isOpen(session, at: now) else {
                state.sessions[key] = nil
                return nil
            }
            session.usedAt = now
            state.sessions[key] = session
            return session
        }
    }

    func end(_ id: String) { state.withLock { $0.sessions[RandomSecret.digest(id)] = nil } }

    private static func isOpen(_ session: ConsoleSession, at now: ContinuousClock.Instant) -> Bool {
        now < session.endsAt && now - session.usedAt < idleTime
    }

    /// Stores a sign-in until the browser returns, and returns the value of its cookie.
    func keep(_ signIn: PendingSignIn) -> String {
        let (id, now) = (RandomSecret.text(), clock())
        state.withLock { state in
            state.pending = state.pending.filter { now < $0.value.endsAt }
            if state.pending.count >= Self.maximum,
                let oldest = state.pending.min(by: { $0.value.endsAt < $1.value.endsAt })
            {
                state.pending[oldest.key] = nil
            }
            var signIn = signIn
            signIn.endsAt = now + Self.signInTime
            state.pending[RandomSecret.digest(id)] = signIn
        }
        return id
    }

    /// Removes a sign-in and returns it.
    func take(_ id: String) -> PendingSignIn? {
        let now = clock()
        return state.withLock { $0.pending.removeValue(forKey: RandomSecret.digest(id)) }.flatMap {
            now < $0.endsAt ? $0 : nil
        }
    }
}

// MARK: - Requests from other sites

extension ServiceProblem {
    /// Returns the refusal of a request that another site's page may have sent.
    static func otherSite(_ request: ServedRequest) -> ServiceProblem {
        guard request.headers["Sec-Fetch-Site"] != nil else {
            // Browsers report the site only to HTTPS addresses and to the local machine.
            return ServiceProblem(
                .forbidden,
                "otherSite",
                "the browser does not report which site the request comes from",
                advice: "open the console at its https address, or at 127.0.0.1, with a browser from 2023 or later"
            )
        }
        return ServiceProblem(
            .forbidden,
            "otherSite",
            "the request does not come from a page of this console",
            advice: "open the console, and repeat the action there"
        )
    }

    /// The refusal of a request without the session's token.
    static let noCSRFToken = ServiceProblem(
        .forbidden,
        "noCSRFToken",
        "the request lacks the session token that the console's pages and scripts send",
        advice: "load the page again, and repeat the action; scripts send it as X-CSRF-Token"
    )

    /// The refusal of a change in a read-only console.
    static let readOnly = ServiceProblem(
        .forbidden,
        "readOnly",
        "the console of this server is read-only",
        advice: "start the server with 'run --writable', or with 'console: {writable: true}' in its settings"
    )
}

extension ServedRequest {
    /// Whether the request, according to its method, does not change anything.
    var isSafe: Bool { method == .get || method == .head }

    /// Whether the browser reports that a page of this server sent the request.
    var isFromOwnPage: Bool { headers["Sec-Fetch-Site"] == "same-origin" }

    /// Whether the request's origin is this server, at the address that the browser uses.
    ///
    /// The scheme may differ from that of the connection, because a proxy may provide TLS.
    var hasOwnOrigin: Bool {
        guard let origin = headers["Origin"], let host = headers["Host"], !host.isEmpty else { return false }
        return origin == "https://\(host)" || origin == "http://\(host)"
    }

    /// Returns the request with a header field set to a value.
    func with(_ name: String, _ value: String) -> ServedRequest {
        var fields = headers
        fields[name] = value
        return ServedRequest(
            method,
            path,
            query: query,
            headers: fields,
            body: body,
            peerAddress: peerAddress,
            isSecure: isSecure,
            id: id
        )
    }
}
