import Digests
import JSONText
import SQLiteStore
package import ServerSecurity
import Synchronization
import TextKit

/// A token's rights, without its secret.
package struct AccessToken: Sendable, Hashable {
    package enum Role: String, Sendable, CaseIterable {
        case admin, application, user
    }

    /// The first digits of the secret's digest, which identify the token; empty if the server does not store the token.
    package let id: String
    package let name: String
    package let role: Role
    /// The collections for which the token is valid; empty for all.
    package var collections: Set<String> = []
    /// The verbs for which the token is valid; empty for all.
    package var verbs: Set<AccessVerb> = []
    /// The user's claims, by name.
    package var claims: [String: ClaimValue] = [:]
    /// The expiry time of the token, since 1970; `nil` if it does not expire.
    package var expiresAt: Duration?
    /// Whether the holder of the secret may sign tokens with some of these rights.
    package var mayDerive = false
    package var isRevoked = false
    var createdAt: Duration = .zero

    /// The client's name in logs, and as the owner of sessions and plans.
    var principal: String { id.isEmpty ? name : "\(name) (\(id))" }

    /// Returns whether the scope of the token includes a verb on a collection.
    func isFor(_ verb: AccessVerb, on collection: String) -> Bool {
        (collections.isEmpty || collections.contains(collection)) && (verbs.isEmpty || verbs.contains(verb))
    }
}

/// The tokens of a server, in a file that the server and its commands share.
///
/// Only digests of secrets are stored and, for a token that may derive others, the key that signs them: a user with
/// read access to the file could sign such tokens as well. The server keeps the tokens in memory, and checks once a
/// second for changes made by other processes.
package actor AccessTokens {
    private let database: Database
    private var tokens: [[UInt8]: AccessToken] = [:]
    /// The keys of tokens that may derive others, by their IDs, each with the digest of the secret.
    private var derivations: [String: (parent: [UInt8], key: [UInt8])] = [:]
    /// The time at which the file was last read, on the caller's clock.
    private var readAt: Duration? {
        didSet { recent.withLock { [tokens, readAt] in ($0.tokens, $0.readAt) = (tokens, readAt) } }
    }
    /// A copy for requests, because waiting for the actor would take longer than fetching a document.
    private nonisolated let recent = Mutex(Recent())
    private var readVersion = -1
    /// The temporary tokens that are not in the file, by the digests of their secrets.
    private nonisolated let lent = Mutex<[[UInt8]: AccessToken]>([:])

    /// The prefix of every secret, which allows leaked secrets to be recognized.
    static let prefix = "fcd_"
    private static let secretBytes = 32

    package init(path: String) throws {
        var configuration = Configuration()
        configuration.access = .create
        configuration.permissions = 0o600
        database = try Database(path: path, configuration) { connection in
            try connection.migrate([
                """
                CREATE TABLE token(
                    digest BLOB PRIMARY KEY,
                    id TEXT NOT NULL UNIQUE,
                    name TEXT NOT NULL,
                    role TEXT NOT NULL,
                    collections TEXT NOT NULL,
                    verbs TEXT NOT NULL,
                    claims TEXT NOT NULL,
                    created INTEGER NOT NULL,
                    expires INTEGER,
                    revoked INTEGER NOT NULL DEFAULT 0
                ) STRICT, WITHOUT ROWID
                """,
                "ALTER TABLE token ADD COLUMN derivation BLOB",
            ])
        }
    }

    /// Creates a token and returns its secret, which can't be shown again.
    package func create(
        _ name: String,
        _ role: AccessToken.Role,
        collections: Set<String> = [],
        verbs: Set<AccessVerb> = [],
        claims: [String: String] = [:],
        expiresAt: Duration? = nil,
        mayDerive: Bool = false,
        at now: Duration
    ) async throws -> (secret: String, token: AccessToken) {
        let words = collections.union(claims.keys).union(claims.values)
        guard !words.contains(where: { $0.utf8.contains(Self.separator) }) else { throw TokenError() }
        let secret = Self.newSecret()
        let digest = Self.digest(of: secret)
        let token = AccessToken(
            id: DerivedToken.id(of: secret),
            name: name,
            role: role,
            collections: collections,
            verbs: verbs,
            claims: claims.mapValues { .text($0) },
            expiresAt: expiresAt,
            mayDerive: mayDerive,
            createdAt: now
        )
        _ = try await database.write { connection in
            try connection.prepare("INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)").run(
                digest,
                token.id,
                token.name,
                token.role.rawValue,
                Self.words(of: token.collections.sorted()),
                Self.words(of: token.verbs.map(\.rawValue).sorted()),
                Self.words(of: claims.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }),
                Int64(token.createdAt / .milliseconds(1)),
                token.expiresAt.map { Int64($0 / .milliseconds(1)) },
                mayDerive ? DerivedToken.key(of: secret) : nil
            )
        }
        readAt = nil
        return (secret, token)
    }

    /// Returns whether a text has the form of a secret.
    package static func isSecret(_ text: String) -> Bool {
        text.hasPrefix(prefix) && text.utf8.count == prefix.utf8.count + 2 * secretBytes
            && text.utf8.dropFirst(prefix.utf8.count).allSatisfy {
                $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// All tokens, oldest first.
    package func list() async throws -> [AccessToken] {
        try await read(at: nil)
        return tokens.values.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// Revokes a token, and returns whether there was a token with this ID that had not been revoked.
    package func revoke(_ id: String) async throws -> Bool {
        readAt = nil
        return try await database.write { connection in
            try connection.prepare("UPDATE token SET revoked = 1 WHERE id = ? AND revoked = 0").run(id) > 0
        }
    }

    /// Returns the token for a secret; `nil` if there is none, or if it has been revoked or has expired.
    ///
    /// Secrets are looked up by their digests, so the duration of a lookup does not reveal other secrets.
    nonisolated func token(of secret: some StringProtocol & Sendable, at now: Duration) async throws -> AccessToken? {
        let (digest, token) = recent.withLock { $0.token(of: secret, at: now) }
        if let token = token ?? lent.withLock({ $0[digest] }) { return token }
        return try await self.token(digest, at: now)
    }

    /// Returns the secret of a token that is valid until it is withdrawn or this process ends.
    nonisolated func lend(_ token: AccessToken) -> String {
        let secret = Self.newSecret()
        lent.withLock { $0[Self.digest(of: secret)] = token }
        return secret
    }

    /// Withdraws a token that was lent.
    nonisolated func takeBack(_ secret: String) { lent.withLock { $0[Self.digest(of: secret)] = nil } }

    private static func newSecret() -> String {
        var system = SystemRandomNumberGenerator()
        return prefix + (0..<secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &system) }.hexadecimal
    }

    /// The tokens as last read.
    private struct Recent: ~Copyable {
        var tokens: [[UInt8]: AccessToken] = [:]
        var readAt: Duration?
        /// The hash function, which is reused because creating a new one would cost more than hashing a secret.
        private var function = SHA256()

        /// Returns the digest of a secret, and the token if it is certainly valid, or `nil` if the actor must check it.
        mutating func token(of secret: some StringProtocol, at now: Duration) -> (digest: [UInt8], token: AccessToken?)
        {
            let digest = function.digest(of: secret.utf8).bytes
            guard let readAt, now >= readAt, now - readAt < .seconds(1), let token = tokens[digest], !token.isRevoked
            else { return (digest, nil) }
            if let expiresAt = token.expiresAt, expiresAt <= now { return (digest, nil) }
            return (digest, token)
        }
    }

    private func token(_ digest: [UInt8], at now: Duration) async throws -> AccessToken? {
        try await readIfNeeded(at: now) { $0.tokens[digest] != nil }
        return valid(digest, at: now)
    }

    /// Returns the rights of a derived token, which end when its parent's rights end.
    func token(derived token: JSONWebToken, at now: Duration) async throws -> AccessToken {
        guard let id = token.keyID else { throw TokenDefect("it does not name the token from which it was derived") }
        try await readIfNeeded(at: now) { $0.derivations[id] != nil }
        guard let (digest, key) = derivations[id], let parent = valid(digest, at: now) else {
            throw TokenDefect("it was not derived from a valid token that can derive others")
        }
        return try DerivedToken.rights(of: token, from: parent, key: key, at: now)
    }

    /// Returns whether the server's token with this ID is still accepted.
    func isValid(_ id: String, at now: Duration) async -> Bool {
        // A disk error must not end a subscription.
        guard (try? await readIfNeeded(at: now) { _ in true }) != nil else { return true }
        guard let digest = tokens.first(where: { $0.value.id == id })?.key else { return false }
        return valid(digest, at: now) != nil
    }

    private func valid(_ digest: [UInt8], at now: Duration) -> AccessToken? {
        guard let token = tokens[digest], !token.isRevoked else { return nil }
        if let expiresAt = token.expiresAt, expiresAt <= now { return nil }
        return token
    }

    /// Reads the file if it has changed, which is checked only once a second and for an unknown token.
    private func readIfNeeded(at now: Duration, unless isKnown: (isolated AccessTokens) -> Bool) async throws {
        guard let readAt else { return try await read(at: now) }
        // If the clock was set back, the last check also counts as old.
        let isOld = now < readAt || now - readAt >= .seconds(1)
        // A token that another process has just created must be found at once.
        guard isOld || !isKnown(self) else { return }
        if try await isChanged() {
            try await read(at: now)
        } else if isOld, self.readAt != nil {
            self.readAt = now
        }
    }

    /// Returns whether another process has changed the file since it was read.
    private func isChanged() async throws -> Bool {
        try await database.run { connection in try connection.integer("PRAGMA data_version") } != readVersion
    }

    private func read(at now: Duration?) async throws {
        let version = try await database.run { connection in try connection.integer("PRAGMA data_version") }
        let all = try await database.read { connection in
            var tokens: [[UInt8]: AccessToken] = [:]
            var derivations: [String: (parent: [UInt8], key: [UInt8])] = [:]
            try connection.prepare(
                "SELECT digest, id, name, role, collections, verbs, claims, created, expires, revoked, derivation FROM token"
            ).eachRow { row throws(SQLiteError) in
                let pairs = Self.list(in: try row.column(6))
                var claims: [String: ClaimValue] = [:]
                for index in stride(from: 0, to: pairs.count - 1, by: 2) {
                    claims[pairs[index]] = .text(pairs[index + 1])
                }
                // A verb of a later version grants no rights in this one; a token without any known verb is useless.
                let written = Self.list(in: try row.column(5))
                let verbs = Set(written.compactMap(AccessVerb.init))
                let isUnknown = verbs.isEmpty && !written.isEmpty
                let (digest, id): ([UInt8], String) = (try row.column(0), try row.column(1))
                let derivation = try row.column(10, as: [UInt8]?.self)
                derivations[id] = derivation.map { (digest, $0) }
                tokens[digest] = AccessToken(
                    id: id,
                    name: try row.column(2),
                    // A role introduced in a later version counts as the role with the fewest rights in this one.
                    role: AccessToken.Role(rawValue: try row.column(3)) ?? .user,
                    collections: Set(Self.list(in: try row.column(4))),
                    verbs: verbs,
                    claims: claims,
                    expiresAt: try row.column(8, as: Int64?.self).map { .milliseconds($0) },
                    mayDerive: derivation != nil,
                    isRevoked: try row.column(9, as: Int.self) != 0 || isUnknown,
                    createdAt: .milliseconds(try row.column(7, as: Int64.self))
                )
            }
            return (tokens, derivations)
        }
        // The version and the tokens are set together, because other calls may have compared the version and looked for
        // tokens while this call was waiting.
        (readVersion, tokens, derivations) = (version, all.0, all.1)
        readAt = now
    }

    fileprivate static func digest(of secret: String) -> [UInt8] {
        var function = SHA256()
        return function.digest(of: secret.utf8).bytes
    }

    private static let separator = UInt8(0x1F)

    /// Words as one string: each word ends with a unit separator, which no word contains.
    private static func words(of words: [String]) -> String { words.map { $0 + "\u{1F}" }.joined() }

    private static func list(in text: String) -> [String] {
        text.split(separator: "\u{1F}", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}

/// An error about a word in a token that can't be stored.
struct TokenError: Error, AdvisedError {
    var failure: Failure {
        Failure(.usage, "a collection or claim contains a control character", advice: "leave it out")
    }
}

// MARK: - Derived tokens

/// A token with some of an application's rights, signed by the holder of the application's secret.
///
/// It is a JSON Web Token with HS256: `kid` is the ID of the application's token, and the key is the HMAC-SHA-256 of
/// "derived tokens" with the secret. The server sees the token only when it is used, and does not store any part of it.
package struct DerivedToken: Sendable {
    /// The user, for the audit log; `nil` for none.
    package var subject: String?
    /// Some of the application's collections; `nil` for all.
    package var collections: [String]?
    /// Some of the application's verbs; `nil` for all.
    package var verbs: [AccessVerb]?
    /// Claims in addition to the application's own claims, which can't be changed.
    package var claims: [String: String] = [:]
    /// The expiry time, since 1970, which must not be later than the application's.
    package var expiresAt: Duration

    package init(expiresAt: Duration) { self.expiresAt = expiresAt }

    private static let idDigits = 12
    /// The time by which the application's clock may differ from the server's.
    private static let clockSkew = Duration.seconds(60)
    /// The supported claims; any other claim might be meant to restrict the token in an unsupported way.
    private static let names = ["exp", "nbf", "iat", "jti", "sub", "collections", "verbs", "claims"]

    static func id(of secret: String) -> String {
        String(AccessTokens.digest(of: secret).hexadecimal.prefix(idDigits))
    }

    static func key(of secret: String) -> [UInt8] {
        var function = HMACSHA256(key: secret.utf8)
        return function.digest(of: "derived tokens".utf8).bytes
    }

    /// Returns the token, signed with the application's secret.
    package func signed(with secret: String) -> String {
        let header = JSONWriter.object { object in
            object.member("alg", "HS256")
            object.member("typ", "JWT")
            object.member("kid", Self.id(of: secret))
        }
        let body = JSONWriter.object { object in
            if let subject { object.member("sub", subject) }
            object.member("exp", Int(expiresAt / .seconds(1)))
            if let collections {
                object.array("collections") { array in for name in collections { array.value(name) } }
            }
            if let verbs { object.array("verbs") { array in for verb in verbs { array.value(verb.rawValue) } } }
            object.object("claims") { object in
                for (name, value) in claims.sorted(by: { $0.key < $1.key }) { object.member(name, value) }
            }
        }
        let text = "\(Base64.urlText(header)).\(Base64.urlText(body))"
        var function = HMACSHA256(key: Self.key(of: secret))
        return "\(text).\(Base64.urlText(function.digest(of: text.utf8).bytes))"
    }

    /// Returns the rights of a derived token, which never exceed its parent's rights.
    fileprivate static func rights(
        of token: JSONWebToken,
        from parent: AccessToken,
        key: [UInt8],
        at now: Duration
    ) throws(TokenDefect) -> AccessToken {
        var function = HMACSHA256(key: key)
        guard function.digest(of: token.signed).equals(token.signature) else {
            throw TokenDefect("its signature was not made with the token that it names")
        }
        try token.refuse(outside: now, skew: clockSkew)
        if let other = token.claims.members.first(where: { !names.contains($0.key) }) {
            throw TokenDefect("'\(other.key.escapedForLog)' is not a claim of derived tokens")
        }
        let end = try token.time("exp")
        if let end, let last = parent.expiresAt, end > last {
            throw TokenDefect("it would expire after the token from which it was derived")
        }
        let collections = try narrowed(parent.collections, "collections", in: token)
        let verbs = try narrowed(Set(parent.verbs.map(\.rawValue)), "verbs", in: token)
        var claims = parent.claims
        guard !token.claims.has("claims") || token.claims["claims"].isObject else {
            throw TokenDefect("'claims' is not an object")
        }
        for member in token.claims["claims"].members {
            guard let value = ClaimValue(member.value) else {
                throw TokenDefect("a claim is neither a string nor a list of strings")
            }
            // The parent's own value is kept, because equal strings may have different bytes.
            guard parent.claims[member.key] ?? value == value else {
                throw TokenDefect("it changes a claim of the token from which it was derived")
            }
            if parent.claims[member.key] == nil { claims[member.key] = value }
        }
        let subject = try token.subject().map { " for \($0.escapedForLog)" } ?? ""
        let knownVerbs = Set(verbs.compactMap(AccessVerb.init))
        guard knownVerbs.count == verbs.count else { throw TokenDefect("'verbs' contains a word that is not a verb") }
        return AccessToken(
            id: "",
            name: "\(parent.principal) derived\(subject) \(mark(collections, verbs, claims))",
            // The token does not count as an application: rules treat it as a user with the token's claims.
            role: .user,
            collections: collections,
            verbs: knownVerbs,
            claims: claims,
            expiresAt: end
        )
    }

    /// Returns the parent's rights (an empty set means all), restricted to those in a list in the token.
    private static func narrowed(
        _ parent: Set<String>,
        _ claim: String,
        in token: JSONWebToken
    ) throws(TokenDefect) -> Set<String> {
        guard token.claims.has(claim) else { return parent }
        guard case .list(let names)? = ClaimValue(token.claims[claim]) else {
            throw TokenDefect("'\(claim)' is not a list of strings")
        }
        let rest = parent.isEmpty ? Set(names) : parent.intersection(names)
        // An empty result must not be mistaken for all rights.
        guard !rest.isEmpty else { throw TokenDefect("'\(claim)' leaves no rights") }
        return rest
    }

    /// Returns a short digest of the rights, because tokens with the same rights share their sessions.
    private static func mark(_ collections: Set<String>, _ verbs: Set<String>, _ claims: [String: ClaimValue]) -> String
    {
        var writer = JSONWriter()
        writer.array { array in
            array.value(collections.sorted())
            array.value(verbs.sorted())
            for (name, value) in claims.sorted(by: { $0.key < $1.key }) { array.value([name] + value.texts) }
        }
        return String(AccessTokens.digest(of: writer.text).hexadecimal.prefix(idDigits))
    }
}
