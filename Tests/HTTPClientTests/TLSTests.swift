import HTTPClient
import TestSupport
import Testing
import Threads

/// Whom the transport trusts, and that nothing is sent to anybody else.
@Suite(.timeLimit(.minutes(1)))
struct TLSTests {
    static func server(
        _ certificate: TLSServer.Certificate = .good,
        asksForClient: Bool = false
    ) async throws -> TLSServer {
        for attempt in 1... {
            let server = try await onOwnThread {
                Result { try TLSServer(certificate, asksForClient: asksForClient) }
            }.get()
            do {
                try await server.isReady()
                return server
            } catch  where attempt < 3 {
                server.stop()
            }
        }
        throw TLSServer.Failure(words: "no port is free")
    }

    private static func end(
        of server: TLSServer,
        _ change: (inout HTTPConfiguration.TLS) -> Void
    ) async -> String {
        var configuration = HTTPConfiguration()
        configuration.timeLimits.total = .seconds(10)
        change(&configuration.tls)
        return await HTTPTransport(configuration).end(of: HTTPRequest(.get, server.url))
    }

    @Test(arguments: [
        (TLSServer.Certificate.good, true, "answered 200"), (.good, false, "certificateRefused, not sent"),
        (.wrongHost, true, "certificateRefused, not sent"), (.expired, true, "certificateRefused, not sent"),
    ])
    func aCertificateMustBeGood(certificate: TLSServer.Certificate, isTrusted: Bool, end: String) async throws {
        let server = try await Self.server(certificate)
        defer { server.stop() }
        #expect(await Self.end(of: server) { $0.authorityFile = isTrusted ? server.authority : nil } == end)
    }

    /// Advice is chosen by these words of libcurl's.
    @Test(arguments: [
        (TLSServer.Certificate.good, false, "self-signed"), (.wrongHost, true, "subject name"),
        (.expired, true, "expired"),
    ])
    func aRefusalSaysWhatIsWrong(certificate: TLSServer.Certificate, isTrusted: Bool, words: String) async throws {
        let server = try await Self.server(certificate)
        defer { server.stop() }
        var configuration = HTTPConfiguration()
        configuration.tls.authorityFile = isTrusted ? server.authority : nil
        let failure = await #expect(throws: HTTPFailure.self) {
            _ = try await HTTPTransport(configuration).send(HTTPRequest(.get, server.url))
        }
        #expect(failure?.message.contains(words) == true)
    }

    @Test func aPinIsAskedForBesidesTheCertificate() async throws {
        let server = try await Self.server()
        defer { server.stop() }
        let pin = try await onOwnThread { Result { try server.pin() } }.get()
        let wrong = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        for (pin, isTrusted, end) in [
            (pin, true, "answered 200"), (wrong + ";" + pin, true, "answered 200"),
            (wrong, true, "pinMismatch, not sent"), (pin, false, "certificateRefused, not sent"),
        ] {
            let found = await Self.end(of: server) {
                $0.pinnedPublicKey = pin
                $0.authorityFile = isTrusted ? server.authority : nil
            }
            #expect(found == end)
        }
    }

    @Test func aServerThatAsksGetsTheClientCertificate() async throws {
        let server = try await Self.server(asksForClient: true)
        defer { server.stop() }
        let known = await Self.end(of: server) {
            $0.authorityFile = server.authority
            $0.clientCertificateFile = server.folder.path("client.pem")
            $0.clientKeyFile = server.folder.path("client.key")
        }
        #expect(known == "answered 200")
        let unknown = await Self.end(of: server) { $0.authorityFile = server.authority }
        #expect(unknown != "answered 200")
    }

    @Test(
        arguments: [\HTTPConfiguration.TLS.authorityFile, \.clientCertificateFile]
            as [any WritableKeyPath<HTTPConfiguration.TLS, String?> & Sendable]
    )
    func aMissingFileIsNamedAsSuch(
        path: any WritableKeyPath<HTTPConfiguration.TLS, String?> & Sendable
    ) async throws {
        let server = try await Self.server()
        defer { server.stop() }
        let end = await Self.end(of: server) {
            $0.authorityFile = server.authority
            $0[keyPath: path] = "/nonexistent.pem"
        }
        #expect(end == "unusableCertificateFile, not sent")
    }

    @Test func nobodyIsAskedForThePasswordOfAKey() async throws {
        let server = try await Self.server(asksForClient: true)
        defer { server.stop() }
        let key = try await onOwnThread { Result { try server.lockedClientKey() } }.get()
        let end = await Self.end(of: server) {
            $0.authorityFile = server.authority
            $0.clientCertificateFile = server.folder.path("client.pem")
            $0.clientKeyFile = key
        }
        #expect(end == "unusableCertificateFile, not sent")
    }

    @Test(arguments: [
        ("silent", nil as String?, "timedOut, not sent"), ("closes", "", "tlsFailed, not sent"),
        ("plain HTTP", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "tlsFailed, not sent"),
    ])
    func aPortWithoutTLSGetsNothing(name: String, words: String?, end: String) async throws {
        let server = try ScriptedServer { client, _ in
            client.receiveSome()
            if let words { client.send(words) } else { client.waitForEnd() }
        }
        var configuration = HTTPConfiguration()
        configuration.timeLimits.connect = words == nil ? .milliseconds(300) : .seconds(20)
        let request = HTTPRequest(.post, "https://127.0.0.1:\(server.port)/", body: [120])
        let found = await HTTPTransport(configuration).end(of: request)
        #expect(found == end)
    }
}
