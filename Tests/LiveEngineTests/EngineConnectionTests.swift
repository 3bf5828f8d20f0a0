import ContentFeeding
import EngineHTTP
import Foundation
import HTTPClient
import TestSupport
import Testing

/// The connection to a real engine: TLS, users, client certificates, and the proxy that other tests use to break it.
@Suite(.needsEngines, .timeLimit(.minutes(5)))
struct EngineConnectionTests {
    private static func node(_ url: String) throws -> NodeAddress {
        let parts = try #require(URLComponents(string: url))
        let scheme = try #require(NodeAddress.Scheme(rawValue: parts.scheme ?? ""))
        return NodeAddress(scheme: scheme, host: parts.host ?? "", port: parts.port ?? 0, path: parts.path)
    }

    private static func connection(
        to engine: LiveEngine,
        _ change: (inout ConnectionOptions) -> Void
    ) async throws -> EngineConnection {
        var options = ConnectionOptions()
        options.tls.authorityFile = engine.folder + "/tls/ca.pem"
        change(&options)
        return try await EngineConnection(to: [node(engine.urls[0])], options: options)
    }

    private static func file(_ text: String, in folder: TemporaryFolder) throws -> CredentialSource {
        let path = folder.path(UUID().uuidString)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o600)
        return .file(path: path)
    }

    @Test func `Users with valid credentials are accepted, and others are refused`() async throws {
        let engine = try await LiveEngine.shared(.openSearch, secure: true)
        let folder = try TemporaryFolder()
        let rows: [(text: String?, status: Int)] = [
            ("admin:Admin-pass-1\n", 200), ("admin:wrong\n", 401), (nil, 401), ("Bearer nonsense", 401),
        ]
        for row in rows {
            let source = try row.text.map { try Self.file($0, in: folder) }
            let connection = try await Self.connection(to: engine) { $0.credentials = source }
            let reply = try await connection.send(EngineRequest(.get, EnginePath()))
            #expect(reply.status == row.status)
            if row.status == 401 { #expect(EngineError(.refused(reply, nil)).code == .permission) }
        }
    }

    @Test func `A user who may only read is informed of the missing right`() async throws {
        let engine = try await LiveEngine.shared(.openSearch, secure: true)
        let folder = try TemporaryFolder()
        let source = try Self.file("reader:Reader-pass-1", in: folder)
        let connection = try await Self.connection(to: engine) { $0.credentials = source }
        let path = EnginePath("webcollection-of-connections", "_doc", "1")
        let reply = try await connection.send(EngineRequest(.delete, path))
        let failure = BatchFailure(.refused(reply, ErrorReply(.forbidden, type: "security_exception", reason: "")))
        #expect(reply.status == 403 && failure.kind == .stop(.permission))
    }

    @Test func `A server whose certificate has an unknown issuer receives nothing`() async throws {
        let engine = try await LiveEngine.shared(.openSearch, secure: true)
        let connection = try await Self.connection(to: engine) { $0.tls.authorityFile = nil }
        let failure = await #expect(throws: NoReply.self) {
            _ = try await connection.send(EngineRequest(.get, EnginePath()))
        }
        let error = EngineError(.noReply(try #require(failure)))
        #expect(failure?.isNotSent == true && error.code == .unusable && error.advice?.contains("--ca-file") == true)
    }

    @Test func `A client certificate identifies its user`() async throws {
        let engine = try await LiveEngine.shared(.openSearch, secure: true)
        let connection = try await Self.connection(to: engine) {
            $0.tls.clientCertificateFile = engine.folder + "/tls/admin.pem"
            $0.tls.clientKeyFile = engine.folder + "/tls/admin-key.pem"
        }
        let path = EnginePath("_plugins", "_security", "api", "internalusers")
        #expect(try await connection.send(EngineRequest(.get, path)).status == 200)
    }

    @Test func `A proxy in front of a real engine causes the planned faults`() async throws {
        let engine = try await LiveEngine.shared(.openSearch)
        let plan = FaultPlan.sequence(
            [.pass, .resetBeforeServer, .resetAfterServer, .edit(.droppingLast()), .answer(.page())],
            on: .path("_bulk", method: "POST")
        )
        let proxy = try FaultProxy(before: engine.urls[0], plan: plan)
        defer { proxy.stop() }
        let connection = try await EngineConnection(to: [Self.node(proxy.url)])
        let index = "faults-of-connections"
        var ends: [String] = []
        for number in 0..<6 {
            let lines = (0..<3).map { #"{"index":{"_id":"\#(number)-\#($0)"}}"# + "\n{}\n" }.joined()
            var request = EngineRequest(.post, EnginePath(index, "_bulk"), body: Array(lines.utf8))
            request.contentType = "application/x-ndjson"
            do {
                let reply = try await connection.send(request)
                let object = try? JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
                ends.append("\(reply.status) \((object?["items"] as? [Any])?.count ?? 0)")
            } catch {
                ends.append("\(error.cause.reason)")
            }
        }
        #expect(ends == ["200 3", "connectionLost", "connectionLost", "200 2", "502 0", "200 3"])
        #expect(proxy.records.map(\.seen) == [.whole, .nothing, .whole, .whole, .nothing, .whole])
        _ = try await connection.send(EngineRequest(.post, EnginePath(index, "_refresh")))
        let count = try await connection.send(EngineRequest(.get, EnginePath(index, "_count")))
        #expect(String(decoding: count.body, as: UTF8.self).contains(#""count":12,"#))
        #expect(try await connection.send(EngineRequest(.delete, EnginePath(index))).status == 200)
    }
}

/// On the machine that checks changes before they are merged, the engines must be installed.
struct AvailabilityTests {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["CI"] != nil, "only where CI is set"))
    func `The engines are installed`() {
        #expect(LiveEngine.absence == nil)
    }

    @Test(.needsEngines)
    func `An engine starts`() async throws {
        let engine = try await LiveEngine.shared(.solr)
        #expect(engine.urls.count == 1)
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs tests only where engines of every configuration can be started.
    static var needsEngines: Self {
        .enabled(if: LiveEngine.isAvailable, "FASTCTL_ENGINES does not name the folder of engines")
    }
}
