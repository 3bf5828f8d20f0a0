import ContentFeeding
import Foundation
import HTTPService
import Hooks
import JSONText
import TestSupport
import Testing

@testable import ContentDistributor
@testable import ServerSecurity

/// Rules, tokens and their scopes: the actions that each client may perform.
struct AccessTests {
    private static let roles: [AccessToken.Role?] = [nil, .user, .application, .admin]

    /// The expected result, defined independently of the rules: whether an audience admits a role.
    private static func passes(_ role: AccessToken.Role?, _ rule: String) -> Bool {
        switch rule {
        case "everyone": true
        case "users": role != nil
        case "application-key": role == .application || role == .admin
        default: role == .admin
        }
    }

    @Test(arguments: ["everyone", "users", "application-key", "admins"], roles)
    func `An audience admits exactly the roles that it names`(text: String, role: AccessToken.Role?) throws {
        let token = role.map { AccessToken(id: "1", name: "a", role: $0) }
        let decision = try AccessRule(text).decision(about: token)
        if Self.passes(role, text) {
            #expect(decision == .allowed(DocumentFilter()))
        } else {
            #expect(decision == (role == nil ? .unauthenticated : .denied))
        }
    }

    @Test func `A condition filters by the user's claim, and admits nothing without the claim`() throws {
        let rule = try AccessRule("user.tenant == document.tenant && document.status == 'open'")
        let ann = AccessToken(id: "1", name: "ann", role: .user, claims: ["tenant": "a"])
        let filter = DocumentFilter(fields: [("tenant", "a"), ("status", "open")])
        #expect(rule.decision(about: ann) == .allowed(filter))
        #expect(rule.decision(about: AccessToken(id: "2", name: "bob", role: .user)) == .denied)
        #expect(rule.decision(about: AccessToken(id: "3", name: "app", role: .application)) == .denied)
        #expect(rule.decision(about: AccessToken(id: "4", name: "root", role: .admin)) == .allowed(DocumentFilter()))
        #expect(rule.decision(about: nil) == .unauthenticated)
        #expect(rule.isAboutDocuments)
    }

    @Test func `A condition that tests only the user admits matching users to all documents`() throws {
        let rule = try AccessRule("'editor' == user.group")
        #expect(!rule.isAboutDocuments)
        let editor = AccessToken(id: "1", name: "ann", role: .user, claims: ["group": "editor"])
        #expect(rule.decision(about: editor) == .allowed(DocumentFilter()))
        let reader = AccessToken(id: "1", name: "ann", role: .user, claims: ["group": "reader"])
        #expect(rule.decision(about: reader) == .denied)
    }

    @Test(arguments: [
        ("nobody", 1), ("", 1), ("user.a = document.b", 8), ("user.a == user.b", 1), ("user. == document.b", 6),
        ("user.a == 'b", 11), ("user.a == document.b &&", 24), ("user.a == document.b || x", 22), ("user.a == b", 11),
    ])
    func `A rule that can't be parsed is refused with its column`(text: String, column: Int) {
        #expect { try AccessRule(text) } throws: { ($0 as? HookDefect)?.column == column }
    }

    @Test func `A filter admits the documents that have the value at their top level, as a string`() {
        let filter = DocumentFilter(fields: [("tenant", "a")])
        let admitted = [#"{"tenant":"a"}"#, #"{"x":{"tenant":"b"},"tenant":"a"}"#, #"{"tenant":"\u0061"}"#]
        let refused = [
            #"{"tenant":"b"}"#, #"{"x":{"tenant":"a"}}"#, "{}", #"{"tenant":["a"]}"#, #"{"tenant":null}"#, "nothing",
            #"{"tenant":"a","tenant":"b"}"#,
        ]
        let admits = { (json: String) in filter.admits(Array(json.utf8).span) }
        for json in admitted { #expect(admits(json), "\(json)") }
        for json in refused { #expect(!admits(json), "\(json)") }
    }

    @Test func `A token is found by its secret until it expires or is revoked, even by another process`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("access.sqlite")
        let (server, command) = (try AccessTokens(path: path), try AccessTokens(path: path))
        let (secret, token) = try await command.create(
            "ann",
            .user,
            collections: ["Web"],
            verbs: [.read],
            claims: ["tenant": "a", "group": ""],
            expiresAt: .seconds(1000),
            at: .seconds(10)
        )
        #expect(secret.hasPrefix("fcd_"))
        #expect(try await server.token(of: secret, at: .seconds(999)) == token)
        #expect(try await server.token(of: secret, at: .seconds(1000)) == nil)
        #expect(try await server.token(of: secret + "0", at: .seconds(20)) == nil)
        #expect(token.isFor(.read, on: "Web") && !token.isFor(.read, on: "Other") && !token.isFor(.insert, on: "Web"))
        #expect(try await command.revoke(token.id))
        #expect(try await !command.revoke(token.id))
        #expect(try await command.token(of: secret, at: .seconds(20)) == nil)
        #expect(try await server.token(of: secret, at: .seconds(21)) == nil)
        // A clock that is set back makes no old token valid.
        #expect(try await server.token(of: secret, at: .seconds(5)) == nil)
        await #expect(throws: TokenError.self) {
            try await command.create("x", .user, claims: ["tenant": "a\u{1F}b"], at: .seconds(1))
        }
        // None of the server's files contains the secret.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path("")) {
            let bytes = try Data(contentsOf: URL(filePath: folder.path(name)))
            #expect(bytes.range(of: Data(secret.dropFirst(4).utf8)) == nil, "\(name)")
        }
    }

    @Test func `A revoked token is refused after one second, and a new token is accepted immediately`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("access.sqlite")
        let (server, command) = (try AccessTokens(path: path), try AccessTokens(path: path))
        let (old, token) = try await command.create("old", .application, at: .seconds(1))
        #expect(try await server.token(of: old, at: .seconds(100)) == token)
        let (new, _) = try await command.create("new", .application, at: .seconds(1))
        #expect(try await server.token(of: new, at: .seconds(100)) != nil)
        #expect(try await command.revoke(token.id))
        #expect(try await server.token(of: old, at: .seconds(101)) == nil)
    }

    @Test func `A cached token is refused as soon as it expires or its server revokes it`()
        async throws
    {
        let folder = try TemporaryFolder()
        let tokens = try AccessTokens(path: folder.path("access.sqlite"))
        let (short, _) = try await tokens.create("short", .user, expiresAt: .milliseconds(100_500), at: .seconds(1))
        let (long, token) = try await tokens.create("long", .user, at: .seconds(1))
        #expect(try await tokens.token(of: long, at: .seconds(100)) == token)
        #expect(try await tokens.token(of: short, at: .milliseconds(100_499)) != nil)
        #expect(try await tokens.token(of: short, at: .milliseconds(100_500)) == nil)
        #expect(try await tokens.revoke(token.id))
        #expect(try await tokens.token(of: long, at: .milliseconds(100_500)) == nil)
        // A prefix, an extension and a different letter case are different secrets, even right after the valid one was
        // used.
        let (other, _) = try await tokens.create("other", .user, at: .seconds(1))
        #expect(try await tokens.token(of: other, at: .seconds(101)) != nil)
        for text in [String(other.dropLast()), other + "0", other.uppercased(), ""] {
            #expect(try await tokens.token(of: text, at: .seconds(101)) == nil)
        }
    }

    @Test func `Another process's changes take effect after one second, however long the file was unchanged before`()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path("access.sqlite")
        let (server, command) = (try AccessTokens(path: path), try AccessTokens(path: path))
        let (secret, token) = try await command.create("ann", .user, at: .seconds(1))
        for second in 100...110 { #expect(try await server.token(of: secret, at: .seconds(second)) == token) }
        #expect(try await command.revoke(token.id))
        #expect(try await server.token(of: secret, at: .seconds(111)) == nil)
        // The server's own changes take effect immediately, but do not count as changes by another process.
        let (own, _) = try await server.create("own", .user, at: .seconds(111))
        #expect(try await server.token(of: own, at: .seconds(111)) != nil)
    }

    @Test func `A new token is accepted by all simultaneous requests that present it`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("access.sqlite")
        let (server, command) = (try AccessTokens(path: path), try AccessTokens(path: path))
        _ = try await server.list()
        for second in 100..<130 {
            // This is less than a second after the file was read.
            let (secret, _) = try await command.create("new", .application, at: .seconds(second))
            let now = Duration.seconds(100) + .milliseconds(second - 100)
            let unknown = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<32 { group.addTask { try await server.token(of: secret, at: now) == nil } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(unknown == 0)
        }
    }

    @Test(arguments: [
        ("Bearer ", true), ("bearer ", true), ("BEARER ", true), ("Bearer", false), ("Bearer\t", false),
        ("Basic ", false),
        ("Bear\u{0}r ", false), ("", false), ("Bearer\u{0}", false),
    ])
    func `A token must be preceded by the name of its scheme`(scheme: String, isAccepted: Bool) async throws {
        let place = try await LiveDistributor(["Web": [.read: "users"]])
        let secret = try await place.token(.user)
        let (tokens, server) = (place.tokens, place.distributor)
        #expect(try await tokens.token(of: secret, at: .seconds(2)) != nil)
        do {
            let token = try await server.token(in: scheme + secret, nil)
            #expect(isAccepted && token.name == "test")
        } catch let problem as ServiceProblem {
            #expect(!isAccepted && problem.status == .unauthorized)
        }
        await place.end()
    }
}

/// The log of changes: a line that was changed, removed or moved is detected.
struct AuditLogTests {
    static func entry(subject: String = "ID1") -> AuditLog.Entry {
        AuditLog.Entry(
            principal: "ann (1)",
            action: "put",
            collection: "Web",
            subject: subject,
            status: 201,
            request: "r-1",
            address: "127.0.0.1"
        )
    }

    private func log(_ folder: TemporaryFolder, lines: Int) async throws -> String {
        let path = folder.path("audit.log")
        let log = try AuditLog(path: path)
        for line in 0..<lines { try await log.append(Self.entry(), at: .seconds(line)) }
        return path
    }

    @Test func `A reopened log continues after its last line`() async throws {
        let folder = try TemporaryFolder()
        let path = try await log(folder, lines: 3)
        _ = try await log(folder, lines: 2)
        let report = try AuditLog.verify(path)
        #expect(report.lines == 5)
        #expect(report.defect == nil)
        #expect(
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").last?.contains(#""number":5"#)
                == true
        )
    }

    @Test(arguments: ["change", "remove", "swap", "insert"])
    func `Tampering is detected at its line, and the log is not continued`(kind: String) async throws {
        let folder = try TemporaryFolder()
        let path = try await log(folder, lines: 4)
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        switch kind {
        case "change": lines[1] = lines[1].replacing("ID1", with: "ID2")
        case "remove": lines.remove(at: 1)
        case "swap": lines.swapAt(1, 2)
        default: lines.insert(lines[0], at: 1)
        }
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try AuditLog.verify(path).defect == AuditLog.Defect(line: 2, isCut: false))
        #expect(throws: AuditError.self) { try AuditLog(path: path) }
    }

    @Test func `Only a line that a crash cut short is dropped`() async throws {
        let folder = try TemporaryFolder()
        let path = try await log(folder, lines: 3)
        let whole = try Data(contentsOf: URL(filePath: path))
        try whole.dropLast(20).write(to: URL(filePath: path))
        #expect(try AuditLog.verify(path).defect == AuditLog.Defect(line: 3, isCut: true))
        _ = try await log(folder, lines: 1)
        let report = try AuditLog.verify(path)
        #expect(report.lines == 3)
        #expect(report.defect == nil)
    }
}
