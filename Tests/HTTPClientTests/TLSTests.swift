import Foundation
import Glibc
import HTTPClient
import Synchronization
import TestSupport
import Testing
import Threads

/// Certificates that the transport trusts; nothing is sent to servers with any other certificate.
@Suite(.timeLimit(.minutes(1)))
struct TLSTests {
    static func server(
        _ certificate: TLSServer.Certificate = .good,
        asksForClient: Bool = false
    ) async throws -> TLSServer {
        try await onOwnThread { Result { try TLSServer(certificate, asksForClient: asksForClient) } }.get()
    }

    private static func end(of server: TLSServer, _ change: (inout HTTPConfiguration.TLS) -> Void) async -> String {
        var configuration = HTTPConfiguration()
        configuration.timeLimits.total = .seconds(10)
        change(&configuration.tls)
        return await HTTPTransport(configuration).end(of: HTTPRequest(.get, server.url))
    }

    @Test(arguments: [
        (TLSServer.Certificate.good, true, "answered 200"), (.good, false, "certificateRefused, not sent"),
        (.wrongHost, true, "certificateRefused, not sent"), (.expired, true, "certificateRefused, not sent"),
    ])
    func `A certificate must be valid`(certificate: TLSServer.Certificate, isTrusted: Bool, end: String) async throws {
        let server = try await Self.server(certificate)
        defer { server.stop() }
        #expect(await Self.end(of: server) { $0.authorityFile = isTrusted ? server.authority : nil } == end)
    }

    /// Advice is selected by these words in libcurl's messages.
    @Test(arguments: [
        (TLSServer.Certificate.good, false, "self-signed"), (.wrongHost, true, "subject name"),
        (.expired, true, "expired"),
    ])
    func `The error for a refused certificate states the reason`(
        certificate: TLSServer.Certificate,
        isTrusted: Bool,
        words: String
    ) async throws {
        let server = try await Self.server(certificate)
        defer { server.stop() }
        var configuration = HTTPConfiguration()
        configuration.tls.authorityFile = isTrusted ? server.authority : nil
        let failure = await #expect(throws: HTTPFailure.self) {
            _ = try await HTTPTransport(configuration).send(HTTPRequest(.get, server.url))
        }
        #expect(failure?.message.contains(words) == true)
    }

    @Test func `A pin is checked in addition to the certificate`() async throws {
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

    @Test func `A server that requests the client certificate gets it`() async throws {
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
    func `A missing certificate or key file is reported as missing`(
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

    @Test func `A key with a password does not cause a prompt`() async throws {
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
    func `A port without TLS receives no request`(name: String, words: String?, end: String) async throws {
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

/// `openssl s_server` on the loopback, with its own certificates.
///
/// The server responds to `GET /reply` with 200.
struct TLSServer {
    struct Failure: Error { let words: String }

    /// The contents of the server's certificate.
    enum Certificate {
        case good, wrongHost, expired
    }

    let folder: TemporaryFolder
    let port: UInt16
    private let process: ChildProgram
    /// The server's output, which is kept open while the server runs, because the server would end without a reader.
    private let output: FileHandle

    var url: String { "https://127.0.0.1:\(port)/reply" }
    /// The server's self-signed certificate: a client that trusts it trusts the server.
    var authority: String { folder.path("cert.pem") }

    init(_ certificate: Certificate = .good, asksForClient: Bool = false) throws {
        folder = try TemporaryFolder()
        let name = certificate == .wrongHost ? "DNS:elsewhere.example" : "IP:127.0.0.1"
        let days = certificate == .expired ? "-1" : "2"
        try Self.makeCertificate("cert", name, days: days, in: folder)
        try Self.makeCertificate("client", "DNS:client", in: folder)
        try "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok".write(
            toFile: folder.path("reply"),
            atomically: true,
            encoding: .utf8
        )
        let output = Pipe()
        let client = asksForClient ? ["-Verify", "1", "-CAfile", "client.pem", "-verify_return_error"] : []
        process = try ChildProgram(
            "openssl",
            ["s_server", "-accept", "127.0.0.1:0", "-cert", "cert.pem", "-key", "cert.key", "-HTTP"] + client,
            in: folder.path(""),
            output: output.fileHandleForWriting.fileDescriptor
        )
        try output.fileHandleForWriting.close()
        self.output = output.fileHandleForReading
        port = try Self.port(toldIn: self.output)
    }

    /// Returns the port that the server itself chose and reported; a port chosen in advance could by then be used by
    /// another server, whose certificate the test does not trust.
    private static func port(toldIn output: FileHandle) throws -> UInt16 {
        var text = ""
        while true {
            if let match = text.firstMatch(of: /ACCEPT [^\n]*:([0-9]+)\n/), let port = UInt16(match.1) { return port }
            let words = output.availableData
            if words.isEmpty { throw Failure(words: "openssl s_server does not listen: \(text)") }
            text += String(decoding: words, as: UTF8.self)
        }
    }

    func stop() {
        kill(process.process, SIGKILL)
        _ = process.wait()
        folder.remove()
    }

    /// Returns the pin of the server's key, as `openssl` and curl's documentation compute it.
    func pin() throws -> String {
        let words =
            "openssl x509 -in '\(authority)' -pubkey -noout | openssl pkey -pubin -outform der"
            + " | openssl dgst -sha256 -binary | base64"
        return "sha256//" + (try Self.run(words)).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Encrypts the client's key, and returns the path of the encrypted file.
    func lockedClientKey() throws -> String {
        let (open, locked) = (folder.path("client.key"), folder.path("locked.key"))
        try Self.run("openssl pkey -in '\(open)' -aes-256-cbc -passout pass:secret -out '\(locked)'")
        return locked
    }

    private static func makeCertificate(
        _ name: String,
        _ host: String,
        days: String = "2",
        in folder: TemporaryFolder
    ) throws {
        let base = folder.path(name)
        let key = "ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout '\(base).key'"
        let request = "openssl req -newkey \(key) -subj /CN=test -addext subjectAltName=\(host)"
        _ = try run("\(request) -out '\(base).csr'")
        _ = try run(
            "openssl x509 -req -in '\(base).csr' -signkey '\(base).key' -days \(days) -copy_extensions copyall -out '\(base).pem'"
        )
    }

    @discardableResult
    private static func run(_ command: String) throws -> String {
        let shell = try ChildProgram.run("sh", ["-c", command])
        guard shell.status == 0 else { throw Failure(words: shell.output + shell.errors) }
        return shell.output
    }
}

/// HTTPS through a proxy: the information that the proxy gets, and the guarantee that nothing is sent twice.
@Suite(.timeLimit(.minutes(1)))
struct TunnelTests {
    @Test func `A proxy in front of a TLS server sees only the host`() async throws {
        let server = try await TLSTests.server()
        defer { server.stop() }
        let log = Log()
        let proxy = try ScriptedServer { [port = server.port] client, _ in
            guard let head = client.nextHead() else { return }
            log.append(head)
            client.tunnel(to: port)
        }
        var configuration = HTTPConfiguration()
        configuration.tls.authorityFile = server.authority
        configuration.proxy = .url(proxy.url)
        configuration.timeLimits.total = .seconds(10)
        let transport = HTTPTransport(configuration)
        var request = HTTPRequest(.get, server.url, headers: [HTTPHeader("X-Secret", "hunter2")])
        for credentials in [HTTPCredentials.bearer(token: "hunter2"), .basic(user: "a", password: "hunter2")] {
            request.credentials = credentials
            let end = await transport.end(of: request)
            #expect(end == "answered 200")
        }
        #expect(!log.heads.isEmpty)
        for head in log.heads {
            #expect(head.hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n"))
            #expect(!head.contains("hunter2") && !head.contains("Authorization") && !head.contains("X-Secret"))
        }
    }
}

private final class Log: Sendable {
    private let content = Mutex<[String]>([])

    var heads: [String] { content.withLock { $0 } }

    func append(_ head: String) { content.withLock { $0.append(head) } }
}
