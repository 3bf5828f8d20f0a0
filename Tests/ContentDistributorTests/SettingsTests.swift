import Foundation
import HTTPService
import ServerSecurity
import TestSupport
import Testing

@testable import ContentDistributor

/// The settings file: the values that it sets, and the defects for which it is refused.
struct SettingsTests {
    private func settings(_ text: String) throws -> DistributorSettings {
        let folder = try TemporaryFolder()
        try text.write(toFile: folder.path("d.yaml"), atomically: true, encoding: .utf8)
        return try DistributorSettings.read(folder.path("d.yaml"))
    }

    @Test func `The settings file that init writes is valid`() throws {
        let settings = try settings(DistributorSettings.template(state: "/var/lib/distributor"))
        #expect(settings.state == "/var/lib/distributor")
        #expect(settings.target == "sqlite:/var/lib/distributor/store.sqlite")
        #expect(settings.host == "127.0.0.1")
        #expect(settings.port == 13391)
        #expect(settings.limits == DistributorLimits())
        #expect(settings.collections["WebCollection"]?[.read].text == "users")
        #expect(settings.collections["WebCollection"]?[.delete].text == "application-key")
    }

    @Test func `The document examples in the settings file that init writes are valid`() throws {
        var text = DistributorSettings.template(state: "/var/lib/distributor")
        for key in ["kept-fields:", "soft-delete:", "keys:"] {
            #expect(text.contains("    # \(key)"))
            text = text.replacingOccurrences(of: "# \(key)", with: key)
        }
        var keeping = DocumentKeeping()
        (keeping.created, keeping.updated, keeping.version) = ("createdAt", "updatedAt", "version")
        keeping.deleted = "deleted"
        keeping.restrict(to: ["title", "body", "tenant"])
        #expect(try settings(text).collections["WebCollection"]?.keeping == keeping)
    }

    @Test func `Every settings key is read, and a verb without a rule is locked`() throws {
        let settings = try settings(
            """
            listen: '[::1]:0'
            tls: {certificate: c.pem, key: /k.pem}
            trusted-proxies: [10.0.0.1]
            origins: [https://app.example]
            state: s
            target: solr+http://search:8983/solr
            collections:
              A: {read: everyone}
              B:
                kept-fields: {created: c, version: v}
                soft-delete: d
                keys: [open]
              C: {keys: open}
              D: {read: user.tenant == document.tenant, own-ids: tenant}
            limits:
              {body: 1, batch-operations: 2, sessions: 3, waiting-bytes: 4, connections: 5, requests-per-second: 6,
               receiving-bytes: 7, header-bytes: 2048, header-fields: 8, target-bytes: 9, id-bytes: 10, depth: 11, page: 12,
               streams: 13, client-waiting-bytes: 14, connections-per-address: 15}
            """
        )
        #expect(settings.host == "::1" && settings.port == 0)
        #expect(settings.tls?.certificate.hasSuffix("/c.pem") == true && settings.tls?.key == "/k.pem")
        #expect(settings.tls?.certificate.hasPrefix("/") == true)
        #expect(settings.trustedProxies == ["10.0.0.1"])
        #expect(settings.collections["A"]?[.read].text == "everyone")
        #expect(settings.collections["A"]?[.insert] == .locked)
        var keeping = DocumentKeeping()
        (keeping.created, keeping.version, keeping.deleted) = ("c", "v", "d")
        keeping.restrict(to: ["open"])
        #expect(settings.collections["B"]?.keeping == keeping)
        #expect(settings.collections["C"]?.keeping == DocumentKeeping())
        #expect(settings.collections["C"]?.ownIDs == nil && settings.collections["D"]?.ownIDs == "tenant")
        var limits = DistributorLimits()
        (limits.body, limits.batchOperations, limits.sessions) = (1, 2, 3)
        (limits.waitingBytes, limits.connections, limits.requestsPerSecond) = (4, 5, 6)
        (limits.receivingBytes, limits.headerBytes, limits.headerFields, limits.targetBytes) = (7, 2_048, 8, 9)
        (limits.idBytes, limits.depth, limits.page, limits.streams) = (10, 11, 12, 13)
        (limits.clientWaitingBytes, limits.connectionsPerAddress) = (14, 15)
        #expect(settings.limits == limits)
        #expect(settings.origins == ["https://app.example"])
        let server = limits.ofServer
        #expect((server.body, server.headerMemory, server.headerFields, server.target) == (1, 2_048, 8, 9))
        #expect((server.connections, server.connectionsPerAddress) == (5, 15))
    }

    /// Every limit must be documented, with a key in the file, a line in the template and a row in the guide.
    @Test func `Every limit has a key, a line in the template and a row in the guide`() throws {
        let template = DistributorSettings.template(state: "/s")
        let guide = try String(
            contentsOfFile: #filePath.replacing("Tests/ContentDistributorTests/SettingsTests.swift", with: "")
                + "Documentation/Guide/Distributor.md",
            encoding: .utf8
        )
        let names = Mirror(reflecting: DistributorLimits()).children.compactMap(\.label)
        #expect(names.count == 24)
        for name in names {
            let key = name.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
            #expect(template.contains("#   \(key): "), "\(key)")
            #expect(guide.contains("| `\(key)` |"), "\(key)")
            // The key is known, and replaces the default.
            let value = key == "header-bytes" ? 4_096 : 5
            #expect(try settings("target: a\nlimits: {\(key): \(value)}\n").limits != DistributorLimits(), "\(key)")
        }
    }

    @Test func `The identity provider's settings are read, even from the commented lines that init writes`() throws {
        let lines = DistributorSettings.template(state: "/s").split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == "# identity:" })
        let block = lines[start...].prefix { !$0.isEmpty }.map { $0.dropFirst(2) }
        let identity = try #require(try settings("target: a\n" + block.joined(separator: "\n")).identity)
        var expected = IdentitySettings(issuer: "https://login.example/realms/search", audience: "search")
        expected.keys = .url("https://login.example/realms/search/certs")
        expected.admins = .init(claim: ClaimPath("groups"), value: "search-admins")
        expected.claims = ["tenant": ClaimPath("organization"), "roles": ClaimPath("/realm_access/roles")]
        expected.client = "console"
        expected.clientSecretFile = identity.clientSecretFile
        #expect(identity.clientSecretFile?.hasSuffix("/console.secret") == true)
        #expect(identity == expected)
        let short = try settings("target: a\nidentity: {issuer: https://a, audience: b, clock-skew: 10m}").identity
        #expect(short?.keys == .discovered && short?.clockSkew == .seconds(600))
        let file = try settings("target: a\nidentity: {issuer: a, audience: b, keys: k.json}").identity
        guard case .file(let path)? = file?.keys else { throw SettingsError("", nil, "\(file as Any)", advice: nil) }
        #expect(path.hasPrefix("/") && path.hasSuffix("/k.json"))
        #expect(try settings("target: a").identity == nil)
    }

    @Test(arguments: [
        ("issuer: http://idp.example, audience: a", ":2:20: the issuer is not an https URL"),
        ("issuer: 'https://a b', audience: a", ":2:20: the issuer is not an https URL"),
        ("issuer: idp, audience: a", ":2:20: the issuer is not an https URL"),
        ("issuer: https://a, audience: ''", ":2:41: the audience is not a single word"),
        ("issuer: https://a", "audience"),
        ("audience: a", "issuer"), ("issuer: https://a, audience: a, key: k", "key"),
        (
            "issuer: https://a, audience: a, keys: http://idp.example/k",
            ":2:50: 'http://idp.example/k' is not an https URL"
        ),
        ("issuer: https://a, audience: a, clock-skew: 11m", ":2:56: '11m' is not a duration of at most 10m"),
        ("issuer: https://a, audience: a, clock-skew: x", ":2:56: 'x' is not a duration"),
        ("issuer: https://a, audience: a, admins: groups", ":2:52: 'groups' is not CLAIM=VALUE"),
        ("issuer: https://a, audience: a, client: a b", ":2:52: the client is not a single word"),
        ("issuer: https://a, audience: a, client-secret-file: s", ":2:64: there is a secret, but no client"),
    ])
    func `An untrustworthy provider is refused`(identity: String, message: String) {
        #expect {
            _ = try settings("target: a\nidentity: {\(identity)}")
        } throws: { error in
            (error as? SettingsError)?.message.contains(message) ?? false
        }
    }

    @Test(arguments: [
        ("127.0.0.1:0", "", false), ("'[::1]:0'", "", false), ("localhost:0", "", false), ("0.0.0.0:0", "", true),
        ("'[::]:0'", "", true), ("192.0.2.1:0", "", true), ("search.example:0", "", true),
        ("0.0.0.0:0", "trusted-proxies: [192.0.2.2]", false),
        ("0.0.0.0:0", "tls: {certificate: c.pem, key: k.pem}", false),
    ])
    func `A server that is reachable from other machines without TLS is reported`(
        listen: String,
        key: String,
        isOpen: Bool
    ) throws {
        let folder = try TemporaryFolder()
        for name in ["c.pem", "k.pem"] { try "x".write(toFile: folder.path(name), atomically: false, encoding: .utf8) }
        let text = "listen: \(listen)\ntarget: sqlite:s.sqlite\n\(key)\n"
        try text.write(toFile: folder.path("d.yaml"), atomically: false, encoding: .utf8)
        let settings = try DistributorSettings.read(folder.path("d.yaml"))
        #expect((settings.exposure?.contains("without TLS") == true) == isOpen)
    }

    @Test func `The console is read-only unless the settings allow writing`() throws {
        #expect(try settings("target: a").console == ConsoleSettings())
        let console = try settings("target: a\nconsole: {title: T, writable: true, session-hours: 2}").console
        #expect(console.title == "T" && console.isWritable && console.lifetime == .seconds(7200))
        #expect(!ConsoleSettings().isWritable)
    }

    @Test(arguments: [
        ("target: a\nconsole: {session-hours: 0}", ":2:26: a session lasts from 1 to 720 hours"),
        ("target: a\nconsole: {title: ''}", ":2:18: the title is empty"),
        ("state: s\n", "there is no 'target'"), ("target: a\nlisten: x\n", ":2:9: 'x' is not an address"),
        ("target: a\nlisten: 127.0.0.1:99999\n", ":2:9:"), ("target: a\nfoo: 1\n", ":2:1:"),
        ("target: a\ncollections:\n  A: {read: all}\n", ":3:13: 'all' is not a rule"),
        ("target: a\ncollections:\n  A: {read: user.a == x}\n", ":3:23: user.NAME"),
        ("target: a\ncollections:\n  A: {soft-delete: ''}\n", ":3:20: a field needs a name"),
        ("target: a\ncollections:\n  A: {soft-delete: a, kept-fields: {updated: a}}\n", ":3:20: the name 'a' is taken"),
        ("target: a\ncollections:\n  A: {kept-fields: {version: id}}\n", ":3:30: the name 'id' is taken"),
        ("target: a\ncollections:\n  A: {kept-fields: {deleted: d}}\n", ":3:21: unknown key"),
        ("target: a\ncollections:\n  A: {keys: [a, b, a]}\n", ":3:20: the key 'a' is listed twice"),
        ("target: a\ncollections:\n  A: {keys: closed}\n", ":3:13:"),
        ("target: a\ncollections:\n  A: {read: users, own-ids: tenant}\n", ":3:29: no rule of this collection"),
        ("target: a\nlimits: {body: 0}\n", ":2:16: the limit must be at least 1"), ("target: [a\n", ":"),
        ("target: a\nlimits: {depth: 65}\n", ":2:17: the depth is at most 64"),
        ("target: a\nlimits: {header-bytes: 9}\n", ":2:24: a head needs at least 1024 bytes"),
        ("target: a\nlimits: {requests-per-second: 0}\n", ":2:31: the limit must be at least 1"),
    ])
    func `A defect is reported with its line and column`(text: String, message: String) {
        #expect {
            _ = try settings(text)
        } throws: { error in
            (error as? SettingsError)?.message.contains(message) ?? false
        }
    }
}
