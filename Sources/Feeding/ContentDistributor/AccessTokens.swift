import Digests
import SQLiteStore
import Synchronization
import TextKit

/// A token's rights, without its secret.
package struct AccessToken: Sendable, Hashable {
    package enum Role: String, Sendable, CaseIterable {
        case admin, application, user
    }

    /// The first digits of the secret's digest, by which the token is known.
    package let id: String
    package let name: String
    package let role: Role
    /// The collections that the token is for; all if there are none.
    package var collections: Set<String> = []
    /// The verbs that the token is for; all if there are none.
    package var verbs: Set<AccessVerb> = []
    /// What is known of the user, by name.
    package var claims: [String: String] = [:]
    /// The time since 1970 from which on the token is not accepted; `nil` for none.
    package var expiresAt: Duration?
    package var isRevoked = false
    var createdAt: Duration = .zero

    /// The client's name for logs.
    var principal: String { "\(name) (\(id))" }

    /// Returns whether the token is for a verb on a collection at all.
    func isFor(_ verb: AccessVerb, on collection: String) -> Bool {
        (collections.isEmpty || collections.contains(collection)) && (verbs.isEmpty || verbs.contains(verb))
    }
}

/// The tokens of a server, in a file that the server and its commands share.
///
/// Only digests of secrets are stored. The server keeps the tokens in memory, and looks once a second for changes that other
/// processes made.
package actor AccessTokens {
    private let database: Database
    private var tokens: [[UInt8]: AccessToken] = [:]
    /// The time at which the file was read, as the caller counts it.
    private var readAt: Duration? {
        didSet { recent.withLock { [tokens, readAt] in $0 = Recent(tokens: tokens, readAt: readAt) } }
    }
    /// The same for requests: one that had to wait for its turn on the actor would wait longer than for its document.
    private nonisolated let recent = Mutex(Recent())
    private var readVersion = -1

    /// The beginning of every secret, so that one that leaked is recognized.
    static let prefix = "fcd_"
    private static let secretBytes = 32
    private static let idDigits = 12

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
                """
            ])
        }
    }

    /// Creates a token, and returns its secret, which nothing can show again.
    package func create(
        _ name: String,
        _ role: AccessToken.Role,
        collections: Set<String> = [],
        verbs: Set<AccessVerb> = [],
        claims: [String: String] = [:],
        expiresAt: Duration? = nil,
        at now: Duration
    ) async throws -> (secret: String, token: AccessToken) {
        let words = collections.union(claims.keys).union(claims.values)
        guard !words.contains(where: { $0.utf8.contains(Self.separator) }) else { throw TokenError() }
        var system = SystemRandomNumberGenerator()
        let bytes = (0..<Self.secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &system) }
        let secret = Self.prefix + bytes.hexadecimal
        let digest = Self.digest(of: secret)
        let token = AccessToken(
            id: String(digest.hexadecimal.prefix(Self.idDigits)),
            name: name,
            role: role,
            collections: collections,
            verbs: verbs,
            claims: claims,
            expiresAt: expiresAt,
            createdAt: now
        )
        _ = try await database.write { connection in
            try connection.prepare("INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)").run(
                digest,
                token.id,
                token.name,
                token.role.rawValue,
                Self.words(of: token.collections.sorted()),
                Self.words(of: token.verbs.map(\.rawValue).sorted()),
                Self.words(of: token.claims.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }),
                Int64(token.createdAt / .milliseconds(1)),
                token.expiresAt.map { Int64($0 / .milliseconds(1)) }
            )
        }
        readAt = nil
        return (secret, token)
    }

    /// All tokens, oldest first.
    package func list() async throws -> [AccessToken] {
        try await read(at: nil)
        return tokens.values.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// Revokes a token, and returns whether there is one with this ID that was not revoked.
    package func revoke(_ id: String) async throws -> Bool {
        readAt = nil
        return try await database.write { connection in
            try connection.prepare("UPDATE token SET revoked = 1 WHERE id = ? AND revoked = 0").run(id) > 0
        }
    }

    /// Returns the token of a secret; `nil` if there is none, or if it is revoked or expired.
    ///
    /// Secrets are looked up by their digest, so that the time that takes shows nothing of another secret.
    nonisolated func token(of secret: String, at now: Duration) async throws -> AccessToken? {
        let digest = Self.digest(of: secret)
        if let token = recent.withLock({ $0.token(digest, at: now) }) { return token }
        return try await token(digest, at: now)
    }

    /// The tokens as they were read last.
    private struct Recent {
        var tokens: [[UInt8]: AccessToken] = [:]
        var readAt: Duration?

        /// Returns a token that is certainly valid; `nil` if the actor has to look.
        func token(_ digest: [UInt8], at now: Duration) -> AccessToken? {
            guard let readAt, now >= readAt, now - readAt < .seconds(1), let token = tokens[digest], !token.isRevoked
            else { return nil }
            if let expiresAt = token.expiresAt, expiresAt <= now { return nil }
            return token
        }
    }

    private func token(_ digest: [UInt8], at now: Duration) async throws -> AccessToken? {
        // A clock that was set back makes it old, too.
        let isOld = readAt.map { now < $0 || now - $0 >= .seconds(1) } ?? true
        // A token that was just created by another process is looked for at once.
        var mustRead = isOld
        if !mustRead, tokens[digest] == nil { mustRead = try await isChanged() }
        if mustRead { try await read(at: now) }
        guard let token = tokens[digest], !token.isRevoked else { return nil }
        if let expiresAt = token.expiresAt, expiresAt <= now { return nil }
        return token
    }

    /// Returns whether another process has changed the file since it was read.
    private func isChanged() async throws -> Bool {
        try await database.run { connection in try connection.integer("PRAGMA data_version") } != readVersion
    }

    private func read(at now: Duration?) async throws {
        readVersion = try await database.run { connection in try connection.integer("PRAGMA data_version") }
        tokens = try await database.read { connection in
            var tokens: [[UInt8]: AccessToken] = [:]
            try connection.prepare(
                "SELECT digest, id, name, role, collections, verbs, claims, created, expires, revoked FROM token"
            ).eachRow { row throws(SQLiteError) in
                let pairs = Self.list(in: try row.column(6))
                var claims: [String: String] = [:]
                for index in stride(from: 0, to: pairs.count - 1, by: 2) { claims[pairs[index]] = pairs[index + 1] }
                // A verb of a later version gives no rights here; with none that is known, the token is for nothing.
                let written = Self.list(in: try row.column(5))
                let verbs = Set(written.compactMap(AccessVerb.init))
                let isUnknown = verbs.isEmpty && !written.isEmpty
                tokens[try row.column(0)] = AccessToken(
                    id: try row.column(1),
                    name: try row.column(2),
                    // A role of a later version gives the least rights of this one.
                    role: AccessToken.Role(rawValue: try row.column(3)) ?? .user,
                    collections: Set(Self.list(in: try row.column(4))),
                    verbs: verbs,
                    claims: claims,
                    expiresAt: try row.column(8, as: Int64?.self).map { .milliseconds($0) },
                    isRevoked: try row.column(9, as: Int.self) != 0 || isUnknown,
                    createdAt: .milliseconds(try row.column(7, as: Int64.self))
                )
            }
            return tokens
        }
        readAt = now
    }

    private static func digest(of secret: String) -> [UInt8] {
        var function = SHA256()
        return function.digest(of: secret.utf8).bytes
    }

    private static let separator = UInt8(0x1F)

    /// Words as one text: each ended by a unit separator, which none contains.
    private static func words(of words: [String]) -> String { words.map { $0 + "\u{1F}" }.joined() }

    private static func list(in text: String) -> [String] {
        text.split(separator: "\u{1F}", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}

/// A word of a token that can't be kept.
struct TokenError: Error, AdvisedError {
    var failure: Failure {
        Failure(.usage, "a collection or claim has a control character", advice: "leave it out")
    }
}
