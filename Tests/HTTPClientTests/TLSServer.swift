import Foundation
import TestSupport
import Threads

/// `openssl s_server` on the loopback, with certificates of its own.
///
/// It answers `GET /reply` with 200.
struct TLSServer {
    struct Failure: Error { let words: String }

    /// What the server's certificate says.
    enum Certificate {
        case good, wrongHost, expired
    }

    let folder: TemporaryFolder
    let port: UInt16
    private let process = Process()

    var url: String { "https://127.0.0.1:\(port)/reply" }
    /// The server's certificate, signed by itself: who trusts it trusts the server.
    var authority: String { folder.path("cert.pem") }

    init(_ certificate: Certificate = .good, asksForClient: Bool = false) throws {
        folder = try TemporaryFolder()
        port = try Socket.listening().port
        let name = certificate == .wrongHost ? "DNS:elsewhere.example" : "IP:127.0.0.1"
        let days = certificate == .expired ? "-1" : "2"
        try Self.makeCertificate("cert", name, days: days, in: folder)
        try Self.makeCertificate("client", "DNS:client", in: folder)
        try "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok".write(
            toFile: folder.path("reply"),
            atomically: true,
            encoding: .utf8
        )
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.currentDirectoryURL = URL(filePath: folder.path(""))
        process.arguments =
            ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", "cert.pem", "-key", "cert.key", "-HTTP", "-quiet"]
            + (asksForClient ? ["-Verify", "1", "-CAfile", "client.pem", "-verify_return_error"] : [])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Returns when the server takes connections.
    func isReady() async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while (try? Socket.connected(to: port)) == nil {
            // Somebody else may have taken the port.
            guard process.isRunning, ContinuousClock.now < deadline else {
                throw Failure(words: "openssl s_server does not listen")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func stop() {
        process.terminate()
        folder.remove()
    }

    /// The pin of the server's key, as `openssl` and curl's documentation compute it.
    func pin() throws -> String {
        let words =
            "openssl x509 -in '\(authority)' -pubkey -noout | openssl pkey -pubin -outform der"
            + " | openssl dgst -sha256 -binary | base64"
        return "sha256//" + (try Self.run(words)).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Encrypts the client's key, and gives its new path.
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
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "(\(command)) 2>&1"]
        process.standardOutput = output
        try process.run()
        let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(words: words) }
        return words
    }
}
